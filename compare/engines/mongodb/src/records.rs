//! Workload TM: several processes, one server.

use mongodb::bson::doc;
use mongodb::sync::Collection;
use serde_json::Value;
use vellum_compare_protocol::tm::{self, Operation, Record, key};
use vellum_compare_protocol::{Failure, Open, Opened, Ran, Result, Run, Workload};

use crate::deployment::{Deployment, Source};
use crate::trouble::{Asked, Trouble};

const NAME: &str = "records";

/// Opens the collection, which the first process makes.
pub(crate) fn open(source: &Source, open: &Open) -> Result<(Opened, Box<dyn Workload>)> {
    let records = Records::open(source, open).map_err(Trouble::into_failure)?;
    Ok((records.deployment.opened(), Box::new(records)))
}

struct Records {
    deployment: Deployment,
    count: usize,
    process: usize,
    processes: usize,
}

impl Workload for Records {
    fn run(&mut self, run: &Run) -> Result<Ran> {
        let operation: Operation = run.operation()?;
        let share = operation.share(self.count, self.process, self.processes);
        let records: Collection<Record> = self.deployment.collection(NAME);
        let keys: Vec<String> = share.iter().map(|&i| key(i)).collect();
        let batch: Vec<Record> = share.iter().map(|&i| Record::new(i)).collect();
        let is_ordinary = run.is_ordinary();
        tm::timed(run, || {
            let answer = match operation {
                Operation::Insert => insert(&records, &batch, is_ordinary),
                Operation::Read => all(&records).map(|all| all.len() as i64),
                Operation::Point => point(&records, &keys),
                Operation::Update => update(&records, &keys),
                Operation::Delete => delete(&records, &keys),
            };
            answer.map_err(Trouble::into_failure)
        })
    }

    fn reopen(&mut self) -> Result<()> {
        self.deployment.reopen().map_err(Trouble::into_failure)
    }

    fn digest(&mut self) -> Result<Value> {
        let all = all(&self.deployment.collection(NAME)).map_err(Trouble::into_failure)?;
        Ok(tm::collection(all))
    }
}

impl Records {
    fn open(source: &Source, open: &Open) -> Asked<Self> {
        let deployment = Deployment::open(source, open)?;
        let records: Collection<Record> = deployment.collection(NAME);
        if open.process == 0 {
            deployment.database().create_collection(NAME).run()?;
        }
        // A look-up opens the connection before the time.
        records.find_one(doc! { "_id": "none" }).run()?;
        Ok(Self { deployment, count: open.count, process: open.process, processes: open.processes })
    }
}

fn insert(records: &Collection<Record>, batch: &[Record], is_ordinary: bool) -> Asked<i64> {
    if is_ordinary {
        let inserted = records.insert_many(batch).run()?;
        return number(inserted.inserted_ids.len());
    }
    for record in batch {
        records.insert_one(record).run()?;
    }
    number(batch.len())
}

fn all(records: &Collection<Record>) -> Asked<Vec<Record>> {
    Ok(records.find(doc! {}).run()?.collect::<std::result::Result<_, _>>()?)
}

fn point(records: &Collection<Record>, keys: &[String]) -> Asked<i64> {
    let mut sum = 0;
    for key in keys {
        sum += records.find_one(doc! { "_id": key }).run()?.map_or(0, |record| record.i);
    }
    Ok(sum)
}

fn update(records: &Collection<Record>, keys: &[String]) -> Asked<i64> {
    let mut changed = 0;
    for key in keys {
        changed += records.update_one(doc! { "_id": key }, doc! { "$inc": { "i": 1 } }).run()?.modified_count;
    }
    number(changed)
}

fn delete(records: &Collection<Record>, keys: &[String]) -> Asked<i64> {
    let mut deleted = 0;
    for key in keys {
        deleted += records.delete_one(doc! { "_id": key }).run()?.deleted_count;
    }
    number(deleted)
}

fn number<N>(number: N) -> Asked<i64>
where
    i64: TryFrom<N>,
    <i64 as TryFrom<N>>::Error: std::fmt::Display,
{
    Ok(i64::try_from(number).map_err(Failure::from)?)
}
