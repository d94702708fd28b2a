//! Workload EV: what keys and the iteration over them give; order, paging and groups are the program's.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::thread;

use native_db::{Builder, Database, Models, ToKey, native_db};
use native_model::{Model, native_model};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use vellum_compare_protocol::ev::{Collection, Operation, Stream, whole};
use vellum_compare_protocol::{Clock, Created, Failure, Open, Opened, Ran, Result, Run, Times, Workload};
use vellum_fixtures::events::{self, events};

/// What Native DB returns.
pub(crate) type Found<T> = native_db::db_type::Result<T>;

/// Declares the secondary keys on which the workload wants indexes; the iteration of one key cannot be met with that
/// of another.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[native_model(id = 1, version = 1)]
#[native_db]
pub(crate) struct Event {
    #[primary_key]
    id: i64,
    #[secondary_key]
    system: String,
    #[secondary_key]
    machine_name: String,
    #[secondary_key]
    agg_id: String,
    #[secondary_key]
    unix_timestamp: i64,
    #[secondary_key]
    kind: String,
    #[secondary_key]
    username: String,
    #[secondary_key]
    tags: String,
    level: i64,
    message: String,
    body: String,
}

const KEYS: [&str; 7] = ["system", "machine_name", "agg_id", "unix_timestamp", "type", "username", "tags"];

/// Opens and fills a database of events.
pub(crate) fn open(open: &Open, models: &'static Models) -> Result<(Opened, Box<dyn Workload>)> {
    let path = open.dir.join("events.ndb");
    let db = Builder::new().create(models, &path)?;
    insert(&db, documents(open.count))?;
    let notes =
        vec!["seven secondary keys are declared in the model and kept by every write, EV1 too".to_owned()];
    let events = Events { db: Some(db), models, dir: open.dir.clone(), path, count: open.count };
    Ok((opened(notes), Box::new(events)))
}

/// Returns what a reader has to know.
pub(crate) fn opened(notes: Vec<String>) -> Opened {
    let settings = json!({ "durability": "immediate, redb's", "documents": "bincode 1.3 under their keys" });
    Opened { settings: settings.as_object().cloned().unwrap_or_default(), notes }
}

struct Events {
    /// Nothing after a failed attempt to open it again.
    db: Option<Database<'static>>,
    models: &'static Models,
    dir: PathBuf,
    path: PathBuf,
    count: usize,
}

impl Workload for Events {
    fn run(&mut self, run: &Run) -> Result<Ran> {
        let db = self.db()?;
        let times = Times::new(run.repeat);
        match run.operation()? {
            Operation::EV1 => self.insert_fresh(run.repeat),
            Operation::EV3 => {
                let count = || db.r_transaction()?.len().primary::<Event>();
                times.of(count)?.answer(|count| json!(count))
            }
            Operation::EV4 { prefix } => {
                noting(times.of(|| count_by_system(db, &prefix))?.answer(|count| json!(count)), DECODES)
            }
            Operation::EV5 { machine, aggregate } => {
                let count = || -> Found<usize> {
                    let found = starting_with(db, EventKey::machine_name, &machine)?;
                    Ok(found.into_iter().filter(|event| event.agg_id.starts_with(&aggregate)).count())
                };
                noting(times.of(count)?.answer(|count| json!(count)), DECODES)
            }
            Operation::EV6 { prefix, offsets, len } => {
                let pages = || -> Found<Vec<Event>> {
                    let mut pages = Vec::new();
                    for &offset in &offsets {
                        let mut found = starting_with(db, EventKey::system, &prefix)?;
                        found.sort_unstable_by_key(|event| {
                            std::cmp::Reverse((event.unix_timestamp, event.id))
                        });
                        pages.extend(found.into_iter().skip(offset).take(len));
                    }
                    Ok(pages)
                };
                noting(times.of(pages)?.answer(answer), "reads and sorts all matches for a page")
            }
            Operation::EV8 { ids, snapshot } => {
                let look_up = || -> Found<Vec<Event>> {
                    if snapshot {
                        let reading = db.r_transaction()?;
                        return ids.iter().filter_map(|&id| reading.get().primary(id).transpose()).collect();
                    }
                    let get = |&id: &i64| db.r_transaction()?.get().primary(id);
                    ids.iter().filter_map(|id| get(id).transpose()).collect()
                };
                times.of(look_up)?.answer(answer)
            }
            Operation::EV9 => noting(times.of(|| groups(db))?.answer(|groups| json!(groups)), DECODES),
            Operation::EV10 { body, last_id } => {
                times.of(|| update(db, &body, last_id))?.answer(|changed| json!(changed))
            }
            Operation::EV11 { callers } => {
                noting(times.of(|| on_threads(db, &callers))?.answer(|counts| json!(counts)), DECODES)
            }
            Operation::EV12 { tag } => {
                let count = || -> Found<usize> {
                    let reading = db.r_transaction()?;
                    let scan = reading.scan().secondary::<Event>(EventKey::tags)?;
                    let found: Vec<Event> = scan.range(tag.as_str()..=tag.as_str())?.collect::<Found<_>>()?;
                    Ok(found.len())
                };
                let ran = times.of(count)?.answer(|count| json!(count));
                noting(ran, "by the key that the model declares; reads whole documents")
            }
            Operation::EV14 => {
                let read = || -> Result<Stream> {
                    let mut seen = Stream::default();
                    each(db, |event| seen.add(event))?;
                    Ok(seen)
                };
                times.of(read)?.answer(|seen| seen.answer())
            }
            Operation::EV7 { .. } => {
                Err(Failure::unsupported("Native DB has no cursors over a filtered order"))
            }
            Operation::EV13 { .. } => Err(Failure::unsupported("Native DB has no queries to compile")),
        }
    }

    fn indexes(&mut self, fields: &[Vec<String>]) -> Result<Created> {
        let is_key =
            |fields: &Vec<String>| matches!(fields.as_slice(), [one] if KEYS.contains(&one.as_str()));
        match fields.iter().find(|fields| !is_key(fields)) {
            Some(other) => {
                Err(Failure::unsupported(format!("the model declares no key on {}", other.join(", "))))
            }
            None => Ok(Created { ns: Vec::new(), answer: fields.len() as u64 }),
        }
    }

    fn digest(&mut self) -> Result<Value> {
        digest(self.db()?)
    }

    fn reopen(&mut self) -> Result<()> {
        self.db = None;
        let mut db = Builder::new().open(self.models, &self.path)?;
        db.check_integrity()?;
        self.db = Some(db);
        Ok(())
    }
}

/// What most of its rows have to say.
const DECODES: &str = "reads whole documents: a scan of keys counts nothing by itself";

impl Events {
    fn db(&self) -> Result<&Database<'static>> {
        self.db.as_ref().ok_or_else(|| Failure::Error("the file could not be opened again".to_owned()))
    }

    fn insert_fresh(&self, repeat: usize) -> Result<Ran> {
        let dir = self.dir.join("fresh");
        let (mut clock, mut answer) = (Clock::new(), Value::Null);
        for _ in 0..repeat.max(1) {
            fs::create_dir(&dir)?;
            let batch = documents(self.count);
            let db = fresh(self.models, &dir)?;
            clock.time(|| insert(&db, batch))?;
            answer = digest(&db)?;
            drop(db);
            fs::remove_dir_all(&dir)?;
        }
        noting(Ok(clock.ran(answer)), "keeps seven secondary keys meanwhile")
    }
}

fn fresh<'m>(models: &'m Models, dir: &Path) -> Found<Database<'m>> {
    Builder::new().create(models, dir.join("events.ndb"))
}

fn insert(db: &Database<'_>, batch: Vec<Event>) -> Found<()> {
    let writing = db.rw_transaction()?;
    batch.into_iter().try_for_each(|event| writing.insert(event))?;
    writing.commit()
}

fn starting_with(db: &Database<'_>, key: EventKey, prefix: &str) -> Found<Vec<Event>> {
    let reading = db.r_transaction()?;
    reading.scan().secondary::<Event>(key)?.start_with(prefix)?.collect()
}

fn count_by_system(db: &Database<'_>, prefix: &str) -> Found<usize> {
    let reading = db.r_transaction()?;
    let scan = reading.scan().secondary::<Event>(EventKey::system)?;
    let mut count = 0;
    for event in scan.start_with(prefix)? {
        event?;
        count += 1;
    }
    Ok(count)
}

fn groups(db: &Database<'_>) -> Found<Vec<(String, u64)>> {
    let mut groups = BTreeMap::new();
    let reading = db.r_transaction()?;
    for event in reading.scan().primary::<Event>()?.all()? {
        let initial: String = event?.username.chars().take(1).collect();
        *groups.entry(initial).or_insert(0) += 1;
    }
    Ok(groups.into_iter().collect())
}

fn update(db: &Database<'_>, body: &str, last_id: i64) -> Found<usize> {
    let writing = db.rw_transaction()?;
    let found: Vec<Event> = {
        let scan = writing.scan().primary::<Event>()?;
        let events = scan.range(..=last_id)?;
        events.filter(|event| event.as_ref().map_or(true, is_updated)).collect::<Found<_>>()?
    };
    let count = found.len();
    for old in found {
        let new = Event { body: body.to_owned(), ..old.clone() };
        writing.update(old, new)?;
    }
    writing.commit()?;
    Ok(count)
}

fn is_updated(event: &Event) -> bool {
    (event.system.starts_with("ui") || event.kind == "Error")
        && event.machine_name.starts_with("NOD")
        && event.agg_id.starts_with("AB")
        && event.username.chars().count() > 3
}

/// EV11: counts the prefixes of each caller on its thread.
fn on_threads(db: &Database<'_>, callers: &[Vec<String>]) -> Result<Vec<usize>> {
    let counted =
        |own: &[String]| own.iter().map(|prefix| count_by_system(db, prefix)).collect::<Found<Vec<usize>>>();
    thread::scope(|scope| {
        let threads: Vec<_> = callers.iter().map(|own| scope.spawn(|| counted(own))).collect();
        let mut counts = Vec::new();
        for thread in threads {
            counts.extend(thread.join().map_err(|_panic| Failure::Error("a caller panicked".to_owned()))??);
        }
        Ok(counts)
    })
}

fn each(db: &Database<'_>, mut see: impl FnMut(&events::Event)) -> Result<()> {
    let reading = db.r_transaction()?;
    for event in reading.scan().primary::<Event>()?.all()? {
        see(&event?.into());
    }
    Ok(())
}

fn digest(db: &Database<'_>) -> Result<Value> {
    let mut collection = Collection::default();
    each(db, |event| collection.add(event))?;
    Ok(collection.answer())
}

fn documents(count: usize) -> Vec<Event> {
    events(count).map(Event::from).collect()
}

fn answer(found: Vec<Event>) -> Value {
    let events: Vec<events::Event> = found.into_iter().map(Into::into).collect();
    whole(&events)
}

fn noting(ran: Result<Ran>, note: &str) -> Result<Ran> {
    Ok(Ran { notes: vec![note.to_owned()], ..ran? })
}

impl From<events::Event> for Event {
    fn from(event: events::Event) -> Self {
        let events::Event { id, system, machine_name, agg_id, unix_timestamp, kind, .. } = event;
        let events::Event { username, tags, level, message, body, .. } = event;
        Self { id, system, machine_name, agg_id, unix_timestamp, kind, username, tags, level, message, body }
    }
}

impl From<Event> for events::Event {
    fn from(event: Event) -> Self {
        let Event { id, system, machine_name, agg_id, unix_timestamp, kind, .. } = event;
        let Event { username, tags, level, message, body, .. } = event;
        Self { id, system, machine_name, agg_id, unix_timestamp, kind, username, tags, level, message, body }
    }
}
