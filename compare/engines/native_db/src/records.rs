//! Workload TM, in one process: Native DB locks its file.

use std::path::PathBuf;

use native_db::{Builder, Database, Models, ToKey, native_db};
use native_model::{Model, native_model};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use vellum_compare_protocol::tm::{self, Operation, key};
use vellum_compare_protocol::{Failure, Open, Opened, Ran, Result, Run, Workload};

use crate::events::{Found, opened};

#[derive(Clone, Debug, Serialize, Deserialize)]
#[native_model(id = 2, version = 1)]
#[native_db]
pub(crate) struct Record {
    #[primary_key]
    id: String,
    i: i64,
    group: String,
    payload: String,
}

/// Opens the file.
pub(crate) fn open(open: &Open, models: &'static Models) -> Result<(Opened, Box<dyn Workload>)> {
    if open.processes > 1 {
        return Err(Failure::unsupported("one process at a time may open a file of Native DB"));
    }
    let path = open.dir.join("records.ndb");
    let db = Some(Builder::new().create(models, &path)?);
    Ok((opened(Vec::new()), Box::new(Records { db, models, path, count: open.count })))
}

struct Records {
    /// Nothing after a failed attempt to open it again.
    db: Option<Database<'static>>,
    models: &'static Models,
    path: PathBuf,
    count: usize,
}

impl Workload for Records {
    fn run(&mut self, run: &Run) -> Result<Ran> {
        let operation: Operation = run.operation()?;
        let share = operation.share(self.count, 0, 1);
        let keys: Vec<String> = share.iter().map(|&i| key(i)).collect();
        let db = self.db()?;
        tm::timed(run, || match operation {
            Operation::Insert => insert(db, &share),
            Operation::Read => Ok(all(db)?.len() as i64),
            Operation::Point => {
                let get = |key: &String| -> Found<i64> {
                    let found: Option<Record> = db.r_transaction()?.get().primary(key.as_str())?;
                    Ok(found.map_or(0, |record| record.i))
                };
                Ok(keys.iter().map(get).sum::<Found<i64>>()?)
            }
            Operation::Update => {
                keys.iter().try_for_each(|key| update(db, key))?;
                Ok(keys.len() as i64)
            }
            Operation::Delete => {
                keys.iter().try_for_each(|key| delete(db, key))?;
                Ok(keys.len() as i64)
            }
        })
    }

    fn digest(&mut self) -> Result<Value> {
        let records = all(self.db()?)?.into_iter().map(|Record { id, i, group, payload }| tm::Record {
            id,
            i,
            group,
            payload,
        });
        Ok(tm::collection(records.collect()))
    }

    fn reopen(&mut self) -> Result<()> {
        self.db = None;
        let mut db = Builder::new().open(self.models, &self.path)?;
        db.check_integrity()?;
        self.db = Some(db);
        Ok(())
    }
}

impl Records {
    fn db(&self) -> Result<&Database<'static>> {
        self.db.as_ref().ok_or_else(|| Failure::Error("the file could not be opened again".to_owned()))
    }
}

fn insert(db: &Database<'_>, share: &[usize]) -> Result<i64> {
    let writing = db.rw_transaction()?;
    for &i in share {
        let tm::Record { id, i, group, payload } = tm::Record::new(i);
        writing.insert(Record { id, i, group, payload })?;
    }
    writing.commit()?;
    Ok(share.len() as i64)
}

fn all(db: &Database<'_>) -> Result<Vec<Record>> {
    let reading = db.r_transaction()?;
    let records = reading.scan().primary::<Record>()?.all()?.collect::<Found<_>>()?;
    Ok(records)
}

fn update(db: &Database<'_>, key: &str) -> Result<()> {
    let writing = db.rw_transaction()?;
    let old: Record = writing.get().primary(key)?.ok_or_else(|| missing(key))?;
    let new = Record { i: old.i + 1, ..old.clone() };
    writing.update(old, new)?;
    Ok(writing.commit()?)
}

fn delete(db: &Database<'_>, key: &str) -> Result<()> {
    let writing = db.rw_transaction()?;
    let old: Record = writing.get().primary(key)?.ok_or_else(|| missing(key))?;
    writing.remove(old)?;
    Ok(writing.commit()?)
}

fn missing(key: &str) -> Failure {
    Failure::Error(format!("{key} is not there"))
}
