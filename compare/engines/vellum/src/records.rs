//! Workload TM on Vellum: several processes on one file.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use vellum::Durability;
use vellum::prelude::*;
use vellum_compare_protocol::tm::{self, Operation, key};
use vellum_compare_protocol::{Failure, Open, Opened, Ran, Result, Run, Workload};

use crate::settings;

#[derive(Clone, Debug, Document, Serialize, Deserialize)]
#[document(collection = "records")]
struct Record {
    #[document(id)]
    #[serde(rename = "_id")]
    id: String,
    i: i64,
    group: String,
    payload: String,
}

/// Opens the collection, which the first copy makes.
pub(crate) fn open(open: &Open) -> Result<(Opened, Box<dyn Workload>)> {
    let durability = settings::durability(&open.durability);
    let path = open.dir.join("records.db");
    let plans = Plans::of(&settings::database(&path, durability)?)?;
    let records = Records {
        plans,
        path,
        durability,
        count: open.count,
        process: open.process,
        processes: open.processes,
    };
    Ok((settings::opened(durability), Box::new(records)))
}

struct Records {
    plans: Plans,
    path: PathBuf,
    durability: Durability,
    count: usize,
    process: usize,
    processes: usize,
}

/// The collection, and the queries that the compiled variant keeps.
struct Plans {
    records: Collection<'static, Record>,
    all: Compiled<(), Vec<Record>>,
    point: Compiled<(String,), Option<Record>>,
    update: Compiled<(String,), u64>,
    delete: Compiled<(String,), u64>,
}

impl Plans {
    fn of(db: &Database) -> Result<Self> {
        let records = db.collection::<Record>()?;
        Ok(Self {
            all: db.compile(|q, ()| q.from::<Record>())?,
            point: db.compile(|q, (id,)| q.from::<Record>().filter(|r| r.id.eq(id)).single_or_none())?,
            update: db.compile(|q, (id,)| {
                q.from::<Record>().filter(|r| r.id.eq(id)).update(|r| r.i.increment(1))
            })?,
            delete: db.compile(|q, (id,)| q.from::<Record>().filter(|r| r.id.eq(id)).delete())?,
            records,
        })
    }
}

impl Workload for Records {
    fn run(&mut self, run: &Run) -> Result<Ran> {
        let operation: Operation = run.operation()?;
        let share = operation.share(self.count, self.process, self.processes);
        let keys: Vec<String> = share.iter().map(|&i| key(i)).collect();
        let documents: Vec<Record> = match operation {
            Operation::Insert => share.iter().map(|&i| tm::Record::new(i).into()).collect(),
            _ => Vec::new(),
        };
        self.warm(run.is_ordinary())?;
        tm::timed(run, || {
            Ok(if run.is_ordinary() {
                self.ordinary(operation, documents, &keys)?
            } else {
                self.compiled(operation, documents, &keys)?
            })
        })
    }

    fn digest(&mut self) -> Result<Value> {
        let records = self.plans.records.query().to_vec()?;
        Ok(tm::collection(records.into_iter().map(Into::into).collect()))
    }

    fn reopen(&mut self) -> Result<()> {
        self.plans = Plans::of(&settings::database(&self.path, self.durability)?)?;
        Ok(())
    }
}

impl Records {
    /// Has every query planned and its statement prepared, as the workload asks: by a key that no document has, and one
    /// row of all.
    fn warm(&self, is_ordinary: bool) -> Result<()> {
        let nobody = [String::new()];
        for operation in [Operation::Point, Operation::Update, Operation::Delete] {
            match is_ordinary {
                true => self.ordinary(operation, Vec::new(), &nobody)?,
                false => self.compiled(operation, Vec::new(), &nobody)?,
            };
        }
        match is_ordinary {
            true => self.plans.records.query().iter()?.next(),
            false => self.plans.all.iter(())?.next(),
        }
        .transpose()?;
        Ok(())
    }

    fn ordinary(&self, operation: Operation, documents: Vec<Record>, keys: &[String]) -> Result<i64> {
        let records = &self.plans.records;
        Ok(match operation {
            Operation::Insert => records.insert_batch(documents)?.len() as i64,
            Operation::Read => records.query().to_vec()?.len() as i64,
            Operation::Point => {
                let found = keys.iter().map(|key| Ok(records.get(key)?.map_or(0, |record| record.i)));
                found.sum::<Result<i64>>()?
            }
            Operation::Update => {
                each(keys, |key| records.update_many(|r| r.id.eq(key), |r| r.i.increment(1)))?
            }
            Operation::Delete => each(keys, |key| records.delete(key).map(u64::from))?,
        })
    }

    fn compiled(&self, operation: Operation, documents: Vec<Record>, keys: &[String]) -> Result<i64> {
        let plans = &self.plans;
        Ok(match operation {
            Operation::Insert => plans.records.insert_batch(documents)?.len() as i64,
            Operation::Read => plans.all.call(())?.len() as i64,
            Operation::Point => {
                let found = keys.iter().map(|key| Ok(plans.point.call(key)?.map_or(0, |record| record.i)));
                found.sum::<Result<i64>>()?
            }
            Operation::Update => each(keys, |key| plans.update.call(key))?,
            Operation::Delete => each(keys, |key| plans.delete.call(key))?,
        })
    }
}

/// Does `work` for each key and returns the sum of what it returns.
fn each(keys: &[String], work: impl Fn(&str) -> vellum::Result<u64>) -> Result<i64> {
    let counts: vellum::Result<u64> = keys.iter().map(|key| work(key)).sum();
    i64::try_from(counts?).map_err(Failure::from)
}

impl From<tm::Record> for Record {
    fn from(record: tm::Record) -> Self {
        let tm::Record { id, i, group, payload } = record;
        Self { id, i, group, payload }
    }
}

impl From<Record> for tm::Record {
    fn from(record: Record) -> Self {
        let Record { id, i, group, payload } = record;
        Self { id, i, group, payload }
    }
}
