//! Workload EV: what can be done by key, and reading all.

use std::fs;
use std::path::PathBuf;

use redb::{ReadOnlyTable, ReadableTable, ReadableTableMetadata, TableDefinition};
use serde_json::{Value, json};
use vellum_compare_protocol::ev::{Collection, Operation, Stream, whole};
use vellum_compare_protocol::{Clock, Failure, Open, Opened, Ran, Result, Run, Times, Workload};
use vellum_fixtures::events::{Event, events};

use crate::store::Store;

const EVENTS: TableDefinition<'_, i64, &[u8]> = TableDefinition::new("events");

/// Opens and fills a database of events.
pub(crate) fn open(open: &Open) -> Result<(Opened, Box<dyn Workload>)> {
    let store = Store::open(&open.dir.join("events.redb"), &open.durability)?;
    insert(&store, &events(open.count).collect::<Vec<_>>())?;
    let opened = store.opened();
    let (dir, durability) = (open.dir.clone(), open.durability.clone());
    Ok((opened, Box::new(Events { store: Some(store), dir, durability, count: open.count })))
}

struct Events {
    /// Nothing after a failed attempt to open it again.
    store: Option<Store>,
    dir: PathBuf,
    durability: String,
    count: usize,
}

impl Workload for Events {
    fn run(&mut self, run: &Run) -> Result<Ran> {
        let store = self.store()?;
        let times = Times::new(run.repeat);
        match run.operation()? {
            Operation::EV1 => self.insert_fresh(run.repeat),
            Operation::EV3 => {
                let count = || -> Result<u64> { Ok(store.read()?.open_table(EVENTS)?.len()?) };
                times.of(count)?.answer(|count| json!(count))
            }
            Operation::EV8 { ids, snapshot } => {
                let look_up = || -> Result<Vec<Event>> {
                    if snapshot {
                        let table = store.read()?.open_table(EVENTS)?;
                        return ids.iter().filter_map(|&id| get(&table, id).transpose()).collect();
                    }
                    let one = |&id| get(&store.read()?.open_table(EVENTS)?, id);
                    ids.iter().filter_map(|id| one(id).transpose()).collect()
                };
                times.of(look_up)?.answer(|events| whole(&events))
            }
            Operation::EV14 => {
                let read = || -> Result<Stream> {
                    let mut seen = Stream::default();
                    each(store, |event| seen.add(event))?;
                    Ok(seen)
                };
                times.of(read)?.answer(|seen| seen.answer())
            }
            _ => Err(Failure::unsupported("redb looks up keys; it has no queries and no secondary indexes")),
        }
    }

    fn digest(&mut self) -> Result<Value> {
        digest(self.store()?)
    }

    fn reopen(&mut self) -> Result<()> {
        if let Some(store) = self.store.take() {
            self.store = Some(store.reopen()?);
        }
        Ok(())
    }
}

impl Events {
    fn store(&self) -> Result<&Store> {
        self.store.as_ref().ok_or_else(|| Failure::Error("the file could not be opened again".to_owned()))
    }

    fn insert_fresh(&self, repeat: usize) -> Result<Ran> {
        let batch: Vec<Event> = events(self.count).collect();
        let dir = self.dir.join("fresh");
        let (mut clock, mut answer) = (Clock::new(), Value::Null);
        for _ in 0..repeat.max(1) {
            fs::create_dir(&dir)?;
            let store = Store::open(&dir.join("events.redb"), &self.durability)?;
            clock.time(|| insert(&store, &batch))?;
            answer = digest(&store)?;
            drop(store);
            fs::remove_dir_all(&dir)?;
        }
        Ok(clock.ran(answer))
    }
}

fn insert(store: &Store, batch: &[Event]) -> Result<()> {
    store.write(|transaction| {
        let mut table = transaction.open_table(EVENTS)?;
        for event in batch {
            table.insert(event.id, serde_json::to_vec(event)?.as_slice())?;
        }
        Ok(())
    })
}

fn get(table: &ReadOnlyTable<i64, &[u8]>, id: i64) -> Result<Option<Event>> {
    let found = table.get(id)?;
    Ok(found.map(|json| serde_json::from_slice(json.value())).transpose()?)
}

fn each(store: &Store, mut see: impl FnMut(&Event)) -> Result<()> {
    for entry in store.read()?.open_table(EVENTS)?.iter()? {
        see(&serde_json::from_slice(entry?.1.value())?);
    }
    Ok(())
}

fn digest(store: &Store) -> Result<Value> {
    let mut collection = Collection::default();
    each(store, |event| collection.add(event))?;
    Ok(collection.answer())
}
