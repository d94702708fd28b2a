//! Workload TM, in one process: a store's folder is one process's.

use serde_json::Value;
use tinystore::sql;
use tinystore::sql::Database;
use vellum_compare_protocol::tm::{self, Operation, Record, key};
use vellum_compare_protocol::{Failure, Open, Opened, Ran, Result, Run, Workload};

use crate::store::Folder;

const SCHEMA: &str = "create table records (
    _id text primary key, i integer not null, \"group\" text not null, payload text not null) strict";

/// Opens the table.
pub(crate) fn open(open: &Open) -> Result<(Opened, Box<dyn Workload>)> {
    if open.processes > 1 {
        return Err(Failure::unsupported("one process at a time may open a folder of TinyStore"));
    }
    let folder = Folder::open(&open.dir.join("store"), &open.durability, SCHEMA)?;
    Ok((folder.opened(), Box::new(Records { folder, count: open.count })))
}

struct Records {
    folder: Folder,
    count: usize,
}

impl Workload for Records {
    fn run(&mut self, run: &Run) -> Result<Ran> {
        let operation: Operation = run.operation()?;
        let share = operation.share(self.count, 0, 1);
        let keys: Vec<String> = share.iter().map(|&i| key(i)).collect();
        let db = self.folder.database()?;
        let table = db.table::<Record>("records");
        tm::timed(run, || match operation {
            Operation::Insert => {
                let records: Vec<Record> = share.iter().map(|&i| Record::new(i)).collect();
                Ok(table.insert_all(&records)?.len() as i64)
            }
            Operation::Read => Ok(table.all()?.len() as i64),
            Operation::Point => {
                let found =
                    keys.iter().map(|key| Ok(table.filter(sql::eq("_id", key)).one()?.map_or(0, |r| r.i)));
                found.sum::<Result<i64>>()
            }
            Operation::Update => each(db, "update records set i = i + 1 where _id = ?", &keys),
            Operation::Delete => each(db, "delete from records where _id = ?", &keys),
        })
    }

    fn digest(&mut self) -> Result<Value> {
        Ok(tm::collection(self.folder.database()?.table::<Record>("records").all()?))
    }

    fn reopen(&mut self) -> Result<()> {
        self.folder.reopen()
    }
}

/// Runs a statement for each key, each a transaction, and returns how many rows it changed.
fn each(db: &Database, statement: &str, keys: &[String]) -> Result<i64> {
    let changes = keys.iter().map(|key| Ok(db.exec(sql!(statement, key))?.changes as i64));
    changes.sum()
}
