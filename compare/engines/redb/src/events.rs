//! Workload EV: documents by key, and tables of ids that stand for secondary indexes.

use std::fs;
use std::path::PathBuf;
use std::thread;

use redb::{ReadOnlyTable, ReadTransaction, ReadableTable, ReadableTableMetadata, TableDefinition};
use serde_json::{Value, json};
use vellum_compare_protocol::ev::{Collection, Operation, Stream, whole};
use vellum_compare_protocol::{Clock, Created, Failure, Open, Opened, Ran, Result, Run, Times, Workload};
use vellum_fixtures::events::{Event, events};

use crate::index::Index;
use crate::store::Store;

/// The events under their ids.
pub(crate) const EVENTS: TableDefinition<'_, i64, &[u8]> = TableDefinition::new("events");

/// Opens and fills a database of events.
pub(crate) fn open(open: &Open) -> Result<(Opened, Box<dyn Workload>)> {
    let store = Store::open(&open.dir.join("events.redb"), &open.durability)?;
    insert(&store, &events(open.count).collect::<Vec<_>>())?;
    let opened = store.opened();
    let (dir, durability) = (open.dir.clone(), open.durability.clone());
    Ok((
        opened,
        Box::new(Events { store: Some(store), dir, durability, count: open.count, indexes: Vec::new() }),
    ))
}

struct Events {
    /// Nothing after a failed attempt to open it again.
    store: Option<Store>,
    dir: PathBuf,
    durability: String,
    count: usize,
    indexes: Vec<Index>,
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
            Operation::EV4 { prefix } => {
                times.of(|| count_by_system(store, &prefix))?.answer(|count| json!(count))
            }
            Operation::EV5 { machine, aggregate } => {
                let compound = Index::on(&["machine_name", "agg_id"]);
                let has_compound = self.indexes.contains(&compound);
                let count = || -> Result<u64> {
                    let reading = store.read()?;
                    if has_compound {
                        return compound.read(&reading)?.count(&machine, &aggregate);
                    }
                    let machines = Index::on(&["machine_name"]).read(&reading)?.ids(&machine)?;
                    let aggregates = Index::on(&["agg_id"]).read(&reading)?.ids(&aggregate)?;
                    Ok(machines.intersection(&aggregates).count() as u64)
                };
                times.of(count)?.answer(|count| json!(count))
            }
            Operation::EV6 { prefix, offsets, len } => {
                let pages = || -> Result<Vec<Event>> {
                    let mut found = Vec::new();
                    for &offset in &offsets {
                        found.extend(page(&store.read()?, &prefix, offset, len)?);
                    }
                    Ok(found)
                };
                times.of(pages)?.answer(|events| whole(&events))
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
            Operation::EV9 => {
                let groups = || Index::on(&["username"]).read(&store.read()?)?.groups();
                times.of(groups)?.answer(|groups| json!(groups))
            }
            Operation::EV10 { body, last_id } => {
                times.of(|| update(store, &body, last_id))?.answer(|changed| json!(changed))
            }
            Operation::EV11 { callers } => {
                times.of(|| on_threads(store, &callers))?.answer(|counts| json!(counts))
            }
            Operation::EV12 { tag } => {
                let tags = Index::on(&["tags"]);
                let has_index = self.indexes.contains(&tags);
                let count = || -> Result<u64> {
                    if has_index {
                        return tags.read(&store.read()?)?.count_equal(&tag);
                    }
                    let mut count = 0;
                    each(store, |event| count += u64::from(event.tags == tag))?;
                    Ok(count)
                };
                times.of(count)?.answer(|count| json!(count))
            }
            Operation::EV14 => {
                let read = || -> Result<Stream> {
                    let mut seen = Stream::default();
                    each(store, |event| seen.add(event))?;
                    Ok(seen)
                };
                times.of(read)?.answer(|seen| seen.answer())
            }
            Operation::EV7 { .. } => Err(Failure::unsupported("redb has no cursors over a filtered order")),
            Operation::EV13 { .. } => Err(Failure::unsupported("redb has no queries to compile")),
        }
    }

    fn indexes(&mut self, fields: &[Vec<String>]) -> Result<Created> {
        let wanted: Vec<Index> = fields.iter().map(|fields| Index::on(fields)).collect();
        let store = self.store()?;
        let (kept, others): (Vec<Index>, Vec<Index>) =
            self.indexes.iter().cloned().partition(|index| wanted.contains(index));
        store.write(|transaction| others.iter().try_for_each(|index| index.drop(transaction)))?;
        let mut clock = Clock::new();
        let new = wanted.iter().filter(|index| !kept.contains(index));
        clock.time(|| {
            store.write(|transaction| new.clone().try_for_each(|index| index.create(transaction)))
        })?;
        self.indexes = wanted;
        Ok(clock.created(self.indexes.len() as u64))
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

fn count_by_system(store: &Store, prefix: &str) -> Result<u64> {
    Index::on(&["system"]).read(&store.read()?)?.count(prefix, "")
}

/// Walks the events from the latest on, and reads those of the page.
fn page(reading: &ReadTransaction, prefix: &str, offset: usize, len: usize) -> Result<Vec<Event>> {
    let matches = Index::on(&["system"]).read(reading)?.ids(prefix)?;
    let latest = Index::on(&["unix_timestamp"]).read(reading)?;
    let events = reading.open_table(EVENTS)?;
    let is_match = |id: &Result<i64>| id.as_ref().map_or(true, |id| matches.contains(id));
    let page = latest.latest()?.filter(is_match).skip(offset).take(len);
    page.filter_map(|id| id.and_then(|id| get(&events, id)).transpose()).collect()
}

/// EV10. No index is on the field that changes.
fn update(store: &Store, body: &str, last_id: i64) -> Result<u64> {
    store.write(|transaction| {
        let mut table = transaction.open_table(EVENTS)?;
        let mut changed: Vec<Event> = Vec::new();
        for entry in table.range(..=last_id)? {
            let event: Event = serde_json::from_slice(entry?.1.value())?;
            if is_updated(&event) {
                changed.push(Event { body: body.to_owned(), ..event });
            }
        }
        for event in &changed {
            table.insert(event.id, serde_json::to_vec(event)?.as_slice())?;
        }
        Ok(changed.len() as u64)
    })
}

fn is_updated(event: &Event) -> bool {
    (event.system.starts_with("ui") || event.kind == "Error")
        && event.machine_name.starts_with("NOD")
        && event.agg_id.starts_with("AB")
        && event.username.chars().count() > 3
}

/// EV11: counts the prefixes of each caller on its thread.
fn on_threads(store: &Store, callers: &[Vec<String>]) -> Result<Vec<u64>> {
    let counted = |own: &[String]| -> Result<Vec<u64>> {
        own.iter().map(|prefix| count_by_system(store, prefix)).collect()
    };
    thread::scope(|scope| {
        let threads: Vec<_> = callers.iter().map(|own| scope.spawn(|| counted(own))).collect();
        let mut counts = Vec::new();
        for thread in threads {
            counts.extend(thread.join().map_err(|_panic| Failure::Error("a caller panicked".to_owned()))??);
        }
        Ok(counts)
    })
}
