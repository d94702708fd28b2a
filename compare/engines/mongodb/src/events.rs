//! Workload EV. `ordinary` is what MongoDB's manual shows; `tuned` asks for ranges and names the index.

mod event;
mod queries;

use std::thread;

use mongodb::IndexModel;
use mongodb::action::Action;
use mongodb::bson::{Document, doc};
use mongodb::options::Hint;
use mongodb::sync::Collection;
use serde_json::{Value, json};
use vellum_compare_protocol::ev::{Collection as Seen, Operation, Stream, whole};
use vellum_compare_protocol::{Clock, Created, Failure, Open, Opened, Ran, Result, Run, Times, Workload};
use vellum_fixtures::events::{Event, events};

use crate::deployment::{Deployment, Source};
use crate::trouble::{Asked, Trouble};
use event::{Stored, into_events};
use queries::{Queries, latest_first};

pub(crate) use queries::escaped;

const NAME: &str = "events";
const FRESH: &str = "fresh";
/// Events that are sent to the server at once.
const BATCH: usize = 10_000;

/// Opens and fills a database of events.
pub(crate) fn open(source: &Source, open: &Open) -> Result<(Opened, Box<dyn Workload>)> {
    let events = Events::open(source, open).map_err(Trouble::into_failure)?;
    Ok((events.deployment.opened(), Box::new(events)))
}

struct Events {
    deployment: Deployment,
    count: usize,
    indexes: Vec<String>,
}

impl Workload for Events {
    fn run(&mut self, run: &Run) -> Result<Ran> {
        let operation: Operation = run.operation()?;
        let ran = self.operation(operation, run).map_err(Trouble::into_failure)?;
        // The server works in a process of its own.
        Ok(Ran { cpu_ns: None, ..ran })
    }

    fn indexes(&mut self, fields: &[Vec<String>]) -> Result<Created> {
        self.create_indexes(fields).map_err(Trouble::into_failure)
    }

    fn digest(&mut self) -> Result<Value> {
        digest(&self.stored()).map_err(Trouble::into_failure)
    }

    fn reopen(&mut self) -> Result<()> {
        self.deployment.reopen().map_err(Trouble::into_failure)
    }
}

impl Events {
    fn open(source: &Source, open: &Open) -> Asked<Self> {
        let deployment = Deployment::open(source, open)?;
        let stored: Collection<Stored> = deployment.collection(NAME);
        let all: Vec<Stored> = events(open.count).map(Stored::from).collect();
        for batch in all.chunks(BATCH) {
            stored.insert_many(batch).run()?;
        }
        Ok(Self { deployment, count: open.count, indexes: Vec::new() })
    }

    fn stored(&self) -> Collection<Stored> {
        self.deployment.collection(NAME)
    }

    fn operation(&self, operation: Operation, run: &Run) -> Asked<Ran> {
        let queries = Queries { is_tuned: !run.is_ordinary(), indexes: &self.indexes };
        let stored = self.stored();
        let times = Times::new(run.repeat);
        Ok(match operation {
            Operation::EV1 => self.insert(run.repeat)?,
            Operation::EV3 if queries.is_tuned => {
                times.of(|| stored.estimated_document_count().run())?.answer(|count| json!(count))?
            }
            Operation::EV3 => {
                times.of(|| stored.count_documents(doc! {}).run())?.answer(|count| json!(count))?
            }
            Operation::EV4 { prefix } => {
                let (filter, hint) = queries.by_system(&prefix);
                times.of(|| count(&stored, &filter, &hint))?.answer(|count| json!(count))?
            }
            Operation::EV5 { machine, aggregate } => {
                let (filter, hint) = queries.by_two(&machine, &aggregate);
                times.of(|| count(&stored, &filter, &hint))?.answer(|count| json!(count))?
            }
            Operation::EV6 { prefix, offsets, len } => {
                let (filter, hint) = queries.latest(&prefix);
                let pages = || -> Asked<Vec<Stored>> {
                    let mut found = Vec::new();
                    for &offset in &offsets {
                        found.append(&mut page(&stored, filter.clone(), &hint, offset, len)?);
                    }
                    Ok(found)
                };
                times.of(pages)?.answer(|found| whole(&into_events(found)))?
            }
            Operation::EV7 { prefix, len } => {
                let (filter, hint) = queries.latest(&prefix);
                times.of(|| walk(&stored, &filter, &hint, len))?.answer(|found| whole(&into_events(found)))?
            }
            Operation::EV8 { ids, snapshot } => times
                .of(|| if snapshot { self.look_up_in_snapshot(&ids) } else { look_up(&stored, &ids) })?
                .answer(|found| whole(&into_events(found)))?,
            Operation::EV9 => times.of(|| groups(&stored))?.answer(|groups| json!(groups))?,
            Operation::EV10 { body, last_id } => {
                times.of(|| self.update(&body, last_id))?.answer(|changed| json!(changed))?
            }
            Operation::EV11 { callers } => {
                times.of(|| counts(&stored, &queries, &callers))?.answer(|counts| json!(counts))?
            }
            Operation::EV12 { tag } => {
                let hint = queries.hint("tags_1");
                times.of(|| count(&stored, &doc! { "tags": &tag }, &hint))?.answer(|count| json!(count))?
            }
            Operation::EV13 { .. } => {
                return Err(Failure::unsupported("MongoDB has no prepared queries").into());
            }
            Operation::EV14 => times.of(|| stream(&stored))?.answer(|seen: Stream| seen.answer())?,
        })
    }

    /// EV1: all events in one transaction.
    fn insert(&self, repeat: usize) -> Asked<Ran> {
        let all: Vec<Stored> = events(self.count).map(Stored::from).collect();
        let fresh: Collection<Stored> = self.deployment.collection(FRESH);
        let (mut clock, mut answer) = (Clock::new(), Value::Null);
        for _ in 0..repeat.max(1) {
            fresh.drop().run()?;
            let insert = || {
                self.deployment.transaction(|session| {
                    for batch in all.chunks(BATCH) {
                        fresh.insert_many(batch).session(&mut *session).run()?;
                    }
                    Ok(())
                })
            };
            clock.time(insert)?;
            answer = digest(&fresh)?;
        }
        fresh.drop().run()?;
        Ok(clock.ran(answer))
    }

    fn look_up_in_snapshot(&self, ids: &[i64]) -> Asked<Vec<Stored>> {
        let stored = self.stored();
        self.deployment.transaction(|session| {
            let mut found = Vec::with_capacity(ids.len());
            for id in ids {
                found.extend(stored.find_one(doc! { "_id": id }).session(&mut *session).run()?);
            }
            Ok(found)
        })
    }

    fn update(&self, body: &str, last_id: i64) -> Asked<u64> {
        let (stored, filter) = (self.stored(), queries::updated(last_id));
        self.deployment.transaction(|session| {
            let update = stored.update_many(filter, doc! { "$set": { "body": body } });
            Ok(update.session(session).run()?.modified_count)
        })
    }

    fn create_indexes(&mut self, fields: &[Vec<String>]) -> Asked<Created> {
        let stored = self.stored();
        for name in self.indexes.drain(..) {
            stored.drop_index(name).run()?;
        }
        let mut clock = Clock::new();
        clock.time(|| -> Asked<()> {
            for fields in fields {
                let keys: Document = fields.iter().map(|field| (field.clone(), 1.into())).collect();
                let index = IndexModel::builder().keys(keys).build();
                self.indexes.push(stored.create_index(index).run()?.index_name);
            }
            Ok(())
        })?;
        let others = stored.list_index_names().run()?.into_iter().filter(|name| name != "_id_");
        Ok(clock.created(others.count() as u64))
    }
}

fn count(stored: &Collection<Stored>, filter: &Document, hint: &Option<Hint>) -> Asked<u64> {
    Ok(stored.count_documents(filter.clone()).optional(hint.clone(), |count, hint| count.hint(hint)).run()?)
}

fn page(
    stored: &Collection<Stored>,
    filter: Document,
    hint: &Option<Hint>,
    offset: usize,
    len: usize,
) -> Asked<Vec<Stored>> {
    let page = stored.find(filter).sort(latest_first()).skip(offset as u64).limit(len as i64);
    let page = page.optional(hint.clone(), |page, hint| page.hint(hint)).run()?;
    Ok(page.collect::<std::result::Result<_, _>>()?)
}

/// EV7: each page begins behind the last event of the one before.
fn walk(
    stored: &Collection<Stored>,
    filter: &Document,
    hint: &Option<Hint>,
    len: usize,
) -> Asked<Vec<Stored>> {
    let mut walked: Vec<Stored> = Vec::new();
    loop {
        let mut filter = filter.clone();
        if let Some(last) = walked.last() {
            filter.insert("unix_timestamp", doc! { "$lt": last.unix_timestamp });
        }
        let mut page = page(stored, filter, hint, 0, len)?;
        if page.is_empty() {
            return Ok(walked);
        }
        walked.append(&mut page);
    }
}

fn look_up(stored: &Collection<Stored>, ids: &[i64]) -> Asked<Vec<Stored>> {
    let mut found = Vec::with_capacity(ids.len());
    for id in ids {
        found.extend(stored.find_one(doc! { "_id": id }).run()?);
    }
    Ok(found)
}

fn groups(stored: &Collection<Stored>) -> Asked<Vec<(String, i64)>> {
    let mut groups = Vec::new();
    for group in stored.aggregate(queries::groups()).run()? {
        let group = group?;
        let size = match group.get("n") {
            Some(mongodb::bson::Bson::Int32(size)) => i64::from(*size),
            Some(mongodb::bson::Bson::Int64(size)) => *size,
            other => return Err(Failure::Error(format!("a group of {other:?} events")).into()),
        };
        groups.push((group.get_str("_id").unwrap_or_default().to_owned(), size));
    }
    Ok(groups)
}

/// EV11: each caller on a thread of its own.
fn counts(stored: &Collection<Stored>, queries: &Queries<'_>, callers: &[Vec<String>]) -> Asked<Vec<u64>> {
    let caller = |prefixes: &[String]| -> Asked<Vec<u64>> {
        let one = |prefix: &String| {
            let (filter, hint) = queries.by_system(prefix);
            count(stored, &filter, &hint)
        };
        prefixes.iter().map(one).collect()
    };
    thread::scope(|scope| {
        let callers: Vec<_> = callers.iter().map(|prefixes| scope.spawn(|| caller(prefixes))).collect();
        let mut counts = Vec::new();
        for caller in callers {
            let caller = caller.join().map_err(|_| Failure::Error("a caller panicked".to_owned()))?;
            counts.append(&mut caller?);
        }
        Ok(counts)
    })
}

fn stream(stored: &Collection<Stored>) -> Asked<Stream> {
    let mut seen = Stream::default();
    for event in stored.find(doc! {}).run()? {
        seen.add(&Event::from(event?));
    }
    Ok(seen)
}

fn digest(stored: &Collection<Stored>) -> Asked<Value> {
    let mut seen = Seen::default();
    for event in stored.find(doc! {}).sort(doc! { "_id": 1 }).run()? {
        seen.add(&Event::from(event?));
    }
    Ok(seen.answer())
}
