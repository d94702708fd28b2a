//! Workload EV: a table of eleven columns.

use std::fs;
use std::path::PathBuf;
use std::thread;

use serde_json::{Value, json};
use tinystore::sql;
use tinystore::sql::{Database, Direction, Query, Sql, Table};
use vellum_compare_protocol::ev::{Collection, Operation, Stream, whole};
use vellum_compare_protocol::{Clock, Created, Failure, Open, Opened, Ran, Result, Run, Times, Workload};
use vellum_fixtures::events::{Event, events};

use crate::store::Folder;

const SCHEMA: &str = "create table events (
    id integer primary key, system text not null, machine_name text not null, agg_id text not null,
    unix_timestamp integer not null, type text not null, username text not null, tags text not null,
    level integer not null, message text not null, body text not null) strict";

/// The columns of an event: each row that a statement inserts binds so many values.
const COLUMNS: usize = 11;

/// Rows of a statement that inserts: SQLite, below TinyStore, binds 32,766 values.
const CHUNK: usize = 32_766 / COLUMNS;

/// Rows of a page that reads on: TinyStore bounds the bytes of a call.
const PAGE: usize = 5_000;

/// Opens and fills a database of events.
pub(crate) fn open(open: &Open) -> Result<(Opened, Box<dyn Workload>)> {
    let folder = Folder::open(&open.dir.join("store"), &open.durability, SCHEMA)?;
    insert(folder.database()?, &events(open.count).collect::<Vec<_>>())?;
    let opened = folder.opened();
    let (dir, durability) = (open.dir.clone(), open.durability.clone());
    Ok((opened, Box::new(Events { folder, dir, durability, count: open.count, indexes: Vec::new() })))
}

struct Events {
    folder: Folder,
    dir: PathBuf,
    durability: String,
    count: usize,
    /// By their names.
    indexes: Vec<String>,
}

impl Workload for Events {
    fn run(&mut self, run: &Run) -> Result<Ran> {
        let db = self.folder.database()?;
        let table = table(db);
        let times = Times::new(run.repeat);
        match run.operation()? {
            Operation::EV1 => self.insert_fresh(run.repeat),
            Operation::EV3 => times.of(|| table.count())?.answer(|count| json!(count)),
            Operation::EV4 { prefix } => {
                times.of(|| by_system(db, &prefix).count())?.answer(|count| json!(count))
            }
            Operation::EV5 { machine, aggregate } => {
                let found = || {
                    let found = table.filter(starts_with("machine_name", &machine));
                    found.filter(starts_with("agg_id", &aggregate))
                };
                times.of(|| found().count())?.answer(|count| json!(count))
            }
            Operation::EV6 { prefix, offsets, len } => {
                let pages = || -> tinystore::Result<Vec<Event>> {
                    let mut found = Vec::new();
                    for &offset in &offsets {
                        let page = latest(db, &prefix).limit(len as u64).offset(offset as u64);
                        found.extend(page.all()?);
                    }
                    Ok(found)
                };
                times.of(pages)?.answer(|events| whole(&events))
            }
            Operation::EV7 { prefix, len } => {
                let walk = || pages(&latest(db, &prefix), len);
                times.of(walk)?.answer(|events| whole(&events))
            }
            Operation::EV8 { snapshot: true, .. } => {
                Err(Failure::unsupported("TinyStore's transactions hold the writer: none only reads"))
            }
            Operation::EV8 { ids, snapshot: false } => {
                let get = |id| table.filter(sql::eq("id", id)).one();
                let look_up = || -> tinystore::Result<Vec<Event>> {
                    ids.iter().filter_map(|id| get(id).transpose()).collect()
                };
                times.of(look_up)?.answer(|events| whole(&events))
            }
            Operation::EV9 => {
                let groups = || -> tinystore::Result<Vec<(String, i64)>> {
                    db.all("select substr(username, 1, 1), count(*) from events group by 1 order by 1")
                };
                times.of(groups)?.answer(|groups| json!(groups))
            }
            Operation::EV10 { body, last_id } => {
                times.of(|| update(db, &body, last_id))?.answer(|changed| json!(changed))
            }
            Operation::EV11 { callers } => {
                times.of(|| on_threads(db, &callers))?.answer(|counts| json!(counts))
            }
            Operation::EV12 { tag } => {
                times.of(|| table.filter(sql::eq("tags", &tag)).count())?.answer(|count| json!(count))
            }
            Operation::EV13 { .. } => {
                Err(Failure::unsupported("TinyStore keeps the statements that it prepared by itself"))
            }
            Operation::EV14 => {
                let read = || -> Result<Stream> {
                    let mut seen = Stream::default();
                    each(db, |event| seen.add(event))?;
                    Ok(seen)
                };
                let ran = times.of(read)?.answer(|seen| seen.answer())?;
                Ok(Ran { notes: vec![format!("in pages of {PAGE}: a call's bytes are bounded")], ..ran })
            }
        }
    }

    fn indexes(&mut self, fields: &[Vec<String>]) -> Result<Created> {
        let db = self.folder.database()?;
        let name = |fields: &Vec<String>| format!("ix_{}", fields.join("_"));
        let wanted: Vec<String> = fields.iter().map(name).collect();
        for index in self.indexes.iter().filter(|index| !wanted.contains(index)) {
            db.exec(format!("drop index {index}"))?;
        }
        let mut clock = Clock::new();
        let new = fields.iter().filter(|fields| !self.indexes.contains(&name(fields)));
        let create = |fields: &Vec<String>| -> Result<()> {
            db.exec(format!("create index {} on events({})", name(fields), fields.join(", ")))?;
            Ok(())
        };
        clock.time(|| new.clone().try_for_each(create))?;
        self.indexes = wanted;
        let count: i64 =
            db.scalar("select count(*) from sqlite_master where type = 'index' and name like 'ix_%'")?;
        Ok(clock.created(count.unsigned_abs()))
    }

    fn digest(&mut self) -> Result<Value> {
        digest(self.folder.database()?)
    }

    fn reopen(&mut self) -> Result<()> {
        self.folder.reopen()
    }
}

impl Events {
    fn insert_fresh(&self, repeat: usize) -> Result<Ran> {
        let batch: Vec<Event> = events(self.count).collect();
        let dir = self.dir.join("fresh");
        let (mut clock, mut answer) = (Clock::new(), Value::Null);
        for _ in 0..repeat.max(1) {
            let folder = Folder::open(&dir, &self.durability, SCHEMA)?;
            clock.time(|| insert(folder.database()?, &batch))?;
            answer = digest(folder.database()?)?;
            drop(folder);
            fs::remove_dir_all(&dir)?;
        }
        Ok(clock.ran(answer))
    }
}

fn table(db: &Database) -> Table<'static, Event> {
    db.table("events")
}

fn insert(db: &Database, batch: &[Event]) -> Result<()> {
    db.tx(|tx| {
        let table = tx.table::<Event>("events");
        batch.chunks(CHUNK).try_for_each(|rows| table.insert_all(rows).map(drop))
    })
    .map_err(|error: tinystore::Error| Failure::from(error))
}

/// A range, which an index serves.
fn starts_with(column: &str, prefix: &str) -> Sql {
    let mut end = prefix.as_bytes().to_vec();
    if let Some(last) = end.last_mut() {
        // The prefixes of the workload are ASCII.
        *last += 1;
    }
    sql!(format!("{column} >= ? and {column} < ?"), prefix, String::from_utf8_lossy(&end))
}

fn by_system(db: &Database, prefix: &str) -> Query<'static, Event> {
    table(db).filter(starts_with("system", prefix))
}

fn latest(db: &Database, prefix: &str) -> Query<'static, Event> {
    by_system(db, prefix).order_by("unix_timestamp", Direction::Desc).order_by("id", Direction::Desc)
}

/// Reads a query to its end by cursor.
fn pages(query: &Query<'_, Event>, len: usize) -> tinystore::Result<Vec<Event>> {
    let (mut events, mut next) = (Vec::new(), None);
    loop {
        let page = query.list(len as u64, next.as_deref())?;
        events.extend(page.rows);
        next = page.next;
        if next.is_none() {
            return Ok(events);
        }
    }
}

fn update(db: &Database, body: &str, last_id: i64) -> tinystore::Result<u64> {
    let mut found = table(db)
        .filter(sql!("id <= ?", last_id))
        .filter(sql::or([starts_with("system", "ui"), sql::eq("type", "Error")]));
    for condition in
        [starts_with("machine_name", "NOD"), starts_with("agg_id", "AB"), sql!("length(username) > 3")]
    {
        found = found.filter(condition);
    }
    Ok(found.update([("body", sql::value(body))])?.changes)
}

/// EV11: counts the prefixes of each caller on its thread.
fn on_threads(db: &Database, callers: &[Vec<String>]) -> Result<Vec<u64>> {
    let counted = |own: &[String]| -> tinystore::Result<Vec<u64>> {
        own.iter().map(|prefix| by_system(db, prefix).count()).collect()
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

fn each(db: &Database, mut see: impl FnMut(&Event)) -> Result<()> {
    let (all, mut next) = (table(db).order_by("id", Direction::Asc), None);
    loop {
        let page = all.list(PAGE as u64, next.as_deref())?;
        page.rows.iter().for_each(&mut see);
        next = page.next;
        if next.is_none() {
            return Ok(());
        }
    }
}

fn digest(db: &Database) -> Result<Value> {
    let mut collection = Collection::default();
    each(db, |event| collection.add(event))?;
    Ok(collection.answer())
}
