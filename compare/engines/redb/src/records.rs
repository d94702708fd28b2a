//! Workload TM, in one process: redb locks its file.

use redb::{ReadableTable, TableDefinition};
use serde_json::Value;
use vellum_compare_protocol::tm::{self, Operation, Record, key};
use vellum_compare_protocol::{Failure, Open, Opened, Ran, Result, Run, Workload};

use crate::store::Store;

const RECORDS: TableDefinition<'_, &str, &[u8]> = TableDefinition::new("records");

/// Opens the table.
pub(crate) fn open(open: &Open) -> Result<(Opened, Box<dyn Workload>)> {
    if open.processes > 1 {
        return Err(Failure::unsupported("one process at a time may open a file of redb"));
    }
    let store = Store::open(&open.dir.join("records.redb"), &open.durability)?;
    store.write(|transaction| Ok(transaction.open_table(RECORDS).map(drop)?))?;
    Ok((store.opened(), Box::new(Records { store: Some(store), count: open.count })))
}

struct Records {
    /// Nothing after a failed attempt to open it again.
    store: Option<Store>,
    count: usize,
}

impl Workload for Records {
    fn run(&mut self, run: &Run) -> Result<Ran> {
        let operation: Operation = run.operation()?;
        let share = operation.share(self.count, 0, 1);
        let keys: Vec<String> = share.iter().map(|&i| key(i)).collect();
        let store = self.store()?;
        tm::timed(run, || match operation {
            Operation::Insert => insert(store, &share),
            Operation::Read => Ok(all(store)?.len() as i64),
            Operation::Point => point(store, &keys),
            Operation::Update => {
                keys.iter().try_for_each(|key| update(store, key))?;
                Ok(keys.len() as i64)
            }
            Operation::Delete => {
                keys.iter().try_for_each(|key| delete(store, key))?;
                Ok(keys.len() as i64)
            }
        })
    }

    fn digest(&mut self) -> Result<Value> {
        Ok(tm::collection(all(self.store()?)?))
    }

    fn reopen(&mut self) -> Result<()> {
        if let Some(store) = self.store.take() {
            self.store = Some(store.reopen()?);
        }
        Ok(())
    }
}

impl Records {
    fn store(&self) -> Result<&Store> {
        self.store.as_ref().ok_or_else(|| Failure::Error("the file could not be opened again".to_owned()))
    }
}

fn insert(store: &Store, share: &[usize]) -> Result<i64> {
    store.write(|transaction| {
        let mut table = transaction.open_table(RECORDS)?;
        for &i in share {
            let record = Record::new(i);
            table.insert(record.id.as_str(), serde_json::to_vec(&record)?.as_slice())?;
        }
        Ok(share.len() as i64)
    })
}

fn all(store: &Store) -> Result<Vec<Record>> {
    let table = store.read()?.open_table(RECORDS)?;
    table.iter()?.map(|entry| Ok(serde_json::from_slice(entry?.1.value())?)).collect()
}

fn point(store: &Store, keys: &[String]) -> Result<i64> {
    let mut sum = 0;
    for key in keys {
        let table = store.read()?.open_table(RECORDS)?;
        let json = table.get(key.as_str())?.ok_or_else(|| missing(key))?;
        sum += serde_json::from_slice::<Record>(json.value())?.i;
    }
    Ok(sum)
}

fn update(store: &Store, key: &str) -> Result<()> {
    store.write(|transaction| {
        let mut table = transaction.open_table(RECORDS)?;
        let mut record: Record = {
            let json = table.get(key)?.ok_or_else(|| missing(key))?;
            serde_json::from_slice(json.value())?
        };
        record.i += 1;
        table.insert(key, serde_json::to_vec(&record)?.as_slice())?;
        Ok(())
    })
}

fn delete(store: &Store, key: &str) -> Result<()> {
    store.write(|transaction| {
        transaction.open_table(RECORDS)?.remove(key)?.map(drop).ok_or_else(|| missing(key))
    })
}

fn missing(key: &str) -> Failure {
    Failure::Error(format!("{key} is not there"))
}
