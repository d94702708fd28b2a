//! Workload EV on Vellum.

use std::fs;
use std::path::PathBuf;
use std::thread;

use serde_json::{Value, json};
use vellum::{Collection, Database, Durability};
use vellum_compare_protocol::ev::{self, Operation, Shape, whole};
use vellum_compare_protocol::{Clock, Created, Failure, Open, Opened, Ran, Result, Run, Times, Workload};
use vellum_fixtures::control::Stranger;
use vellum_fixtures::events;

use crate::event::{Bare, Event};
use crate::{queries, settings};

type Found<T> = vellum::Result<T>;

/// Opens and fills a database of events.
pub(crate) fn open(open: &Open) -> Result<(Opened, Box<dyn Workload>)> {
    let durability = settings::durability(&open.durability);
    let path = open.dir.join("events.db");
    let db = settings::database(&path, durability)?;
    let collection = db.collection::<Event>()?;
    collection.insert_batch(documents(open.count))?;
    let events = Events { collection, db, dir: open.dir.clone(), path, durability, count: open.count };
    Ok((settings::opened(durability), Box::new(events)))
}

struct Events {
    collection: Collection<'static, Event>,
    db: Database,
    dir: PathBuf,
    path: PathBuf,
    durability: Durability,
    count: usize,
}

impl Workload for Events {
    fn run(&mut self, run: &Run) -> Result<Ran> {
        let operation = run.operation()?;
        let times = Times::new(run.repeat);
        match (operation, run.is_ordinary()) {
            // Nothing is compiled to insert, so that both variants are the same.
            (Operation::EV1, _) => self.insert(run.repeat),
            (Operation::EV7 { prefix, len }, is_ordinary) => self.cursor(times, &prefix, len, is_ordinary),
            (Operation::EV13 { .. }, true) => {
                Err(Failure::unsupported("an ordinary query is not compiled before it is called"))
            }
            (operation, true) => self.ordinary(times, operation),
            (operation, false) => self.compiled(times, operation),
        }
    }

    fn indexes(&mut self, fields: &[Vec<String>]) -> Result<Created> {
        self.drop_others(fields)?;
        let mut clock = Clock::new();
        clock.time(|| self.create(fields))?;
        Ok(clock.created(self.collection.indexes()?.len() as u64))
    }

    fn digest(&mut self) -> Result<Value> {
        digest(&self.collection)
    }

    fn reopen(&mut self) -> Result<()> {
        if !Stranger::open(&self.path, "events")?.is_sound()? {
            return Err(Failure::Error("PRAGMA integrity_check finds the file damaged".to_owned()));
        }
        self.db = settings::database(&self.path, self.durability)?;
        self.collection = self.db.collection()?;
        Ok(())
    }
}

impl Events {
    fn ordinary(&self, times: Times, operation: Operation) -> Result<Ran> {
        let events = &self.collection;
        match operation {
            Operation::EV3 => times.of(|| events.count())?.answer(Value::from),
            Operation::EV4 { prefix } => {
                times.of(|| events.filter(|e| e.system.starts_with(&*prefix)).count())?.answer(Value::from)
            }
            Operation::EV5 { machine, aggregate } => {
                let count = || {
                    events
                        .filter(|e| e.machine_name.starts_with(&*machine) & e.agg_id.starts_with(&*aggregate))
                        .count()
                };
                times.of(count)?.answer(Value::from)
            }
            Operation::EV6 { prefix, offsets, len } => {
                let page = |&offset: &usize| {
                    let found = events.filter(|e| e.system.starts_with(&*prefix));
                    found.order_by_desc(|e| e.unix_timestamp).skip(offset).take(len).to_vec()
                };
                pages(times, || offsets.iter().map(page).collect())
            }
            Operation::EV8 { ids, snapshot: false } => {
                documents_of(times, || ids.iter().filter_map(|&id| events.get(id).transpose()).collect())
            }
            Operation::EV8 { ids, snapshot: true } => documents_of(times, || {
                let snapshot = self.db.snapshot()?;
                let events = snapshot.collection::<Event>()?;
                ids.iter().filter_map(|&id| events.get(id).transpose()).collect()
            }),
            Operation::EV9 => {
                let groups = || {
                    let groups = events.query().group_by(|e| e.username.substr(0, 1));
                    groups.select(|g| (g.key, g.count())).to_vec()
                };
                times.of(groups)?.answer(|groups| json!(groups))
            }
            Operation::EV10 { body, .. } => {
                let update = || events.filter(queries::is_updated).update(|e| e.body.set(&*body));
                times.of(update)?.answer(Value::from)
            }
            Operation::EV11 { callers } => {
                let count = |prefix: &str| events.filter(|e| e.system.starts_with(prefix)).count();
                on_threads(times, &callers, count)
            }
            Operation::EV12 { tag } => {
                times.of(|| events.filter(|e| e.tags.eq(&*tag)).count())?.answer(Value::from)
            }
            Operation::EV14 => stream(times, |see| events.query().for_each(see)),
            other => Err(Failure::Error(format!("{other:?} is done elsewhere"))),
        }
    }

    fn compiled(&self, times: Times, operation: Operation) -> Result<Ran> {
        let db = &self.db;
        match operation {
            Operation::EV3 => {
                let count = queries::count_all(db)?;
                planned(times.of(|| count.call(()))?.answer(Value::from), count.to_sql())
            }
            Operation::EV4 { prefix } => {
                let count = queries::count_by_prefix(db)?;
                planned(times.of(|| count.call(&*prefix))?.answer(Value::from), count.to_sql())
            }
            Operation::EV5 { machine, aggregate } => {
                let count = queries::count_by_two_prefixes(db)?;
                let answer = times.of(|| count.call((&*machine, &*aggregate)))?.answer(Value::from);
                planned(answer, count.to_sql())
            }
            Operation::EV6 { prefix, offsets, .. } => {
                let page = queries::page(db)?;
                let call = |&offset: &usize| page.call((&*prefix, offset as u64));
                planned(pages(times, || offsets.iter().map(call).collect()), page.to_sql())
            }
            Operation::EV8 { ids, snapshot: false } => {
                let point = queries::point(db)?;
                let look = || ids.iter().filter_map(|&id| point.call(id).transpose()).collect();
                planned(documents_of(times, look), point.to_sql())
            }
            Operation::EV8 { ids, snapshot: true } => {
                let point = queries::point(db)?;
                documents_of(times, || {
                    let snapshot = db.snapshot()?;
                    let point = point.on(&snapshot);
                    ids.iter().filter_map(|&id| point.call(id).transpose()).collect()
                })
            }
            Operation::EV9 => {
                let groups = queries::groups(db)?;
                planned(times.of(|| groups.call(()))?.answer(|groups| json!(groups)), groups.to_sql())
            }
            Operation::EV10 { body, .. } => {
                let update = queries::update(db)?;
                planned(times.of(|| update.call(&*body))?.answer(Value::from), update.to_sql())
            }
            Operation::EV11 { callers } => {
                let count = queries::count_by_prefix(db)?;
                on_threads(times, &callers, |prefix| count.call(prefix))
            }
            Operation::EV12 { tag } => {
                let count = queries::count_by_tag(db)?;
                planned(times.of(|| count.call(&*tag))?.answer(Value::from), count.to_sql())
            }
            Operation::EV13 { shape } => times.of(|| self.compile(shape))?.answer(|()| json!(true)),
            Operation::EV14 => {
                let all = queries::all(db)?;
                planned(stream(times, |see| all.for_each((), see)), all.to_sql())
            }
            other => Err(Failure::Error(format!("{other:?} is done elsewhere"))),
        }
    }

    fn compile(&self, shape: Shape) -> Found<()> {
        let db = &self.db;
        match shape {
            Shape::Count => queries::count_all(db).map(drop),
            Shape::Prefix => queries::count_by_prefix(db).map(drop),
            Shape::TwoPrefixes => queries::count_by_two_prefixes(db).map(drop),
            Shape::Tag => queries::count_by_tag(db).map(drop),
            Shape::Page => queries::page(db).map(drop),
            Shape::Point => queries::point(db).map(drop),
            Shape::Groups => queries::groups(db).map(drop),
        }
    }

    /// EV7: Vellum has no cursors of its own yet; this is the condition that one would write.
    fn cursor(&self, times: Times, prefix: &str, len: usize, is_ordinary: bool) -> Result<Ran> {
        let compiled = self.db.compile(|q, (prefix, at, id, len)| {
            q.from::<Event>()
                .filter(|e| e.system.starts_with(prefix))
                .filter(|e| e.unix_timestamp.le(at) & (e.unix_timestamp.lt(at) | e.id.lt(id)))
                .order_by_desc(|e| e.unix_timestamp)
                .then_by_desc(|e| e.id)
                .take(len)
        })?;
        let ordinary = |at: i64, id: i64| {
            let behind = self.collection.filter(|e| e.system.starts_with(prefix));
            let behind = behind.filter(|e| e.unix_timestamp.le(at) & (e.unix_timestamp.lt(at) | e.id.lt(id)));
            behind.order_by_desc(|e| e.unix_timestamp).then_by_desc(|e| e.id).take(len).to_vec()
        };
        documents_of(times, || {
            let (mut found, mut last) = (Vec::new(), (i64::MAX, i64::MAX));
            loop {
                let mut page = if is_ordinary {
                    ordinary(last.0, last.1)?
                } else {
                    compiled.call((prefix, last.0, last.1, len as u64))?
                };
                let Some(event) = page.last().cloned().map(events::Event::from) else { return Ok(found) };
                last = (event.unix_timestamp, event.id);
                found.append(&mut page);
            }
        })
    }

    fn insert(&self, repeat: usize) -> Result<Ran> {
        let dir = self.dir.join("fresh");
        let (mut clock, mut answer) = (Clock::new(), Value::Null);
        for _ in 0..repeat {
            fs::create_dir(&dir)?;
            let batch: Vec<Event> = documents(self.count).collect();
            let db = settings::database(&dir.join("events.db"), self.durability)?;
            let events = db.collection::<Event>()?;
            clock.time(|| events.insert_batch(batch))?;
            answer = digest(&events)?;
            drop((events, db));
            fs::remove_dir_all(&dir)?;
        }
        Ok(clock.ran(answer))
    }

    fn drop_others(&self, fields: &[Vec<String>]) -> Result<()> {
        for index in self.collection.indexes()? {
            let of: Vec<String> = index.fields.iter().map(|(field, _)| field.to_string()).collect();
            if !fields.contains(&of) {
                self.collection.drop_index(&index.name)?;
            }
        }
        // The narrow index, which Vellum keeps beside several others, goes with them.
        self.db.collection::<Bare>()?.ensure_indexes()?;
        Ok(())
    }

    fn create(&self, fields: &[Vec<String>]) -> Result<()> {
        let events = &self.collection;
        for fields in fields {
            let fields: Vec<&str> = fields.iter().map(String::as_str).collect();
            match fields.as_slice() {
                ["system"] => events.ensure_index(|e| e.system).create(),
                ["machine_name"] => events.ensure_index(|e| e.machine_name).create(),
                ["agg_id"] => events.ensure_index(|e| e.agg_id).create(),
                ["unix_timestamp"] => events.ensure_index(|e| e.unix_timestamp).create(),
                ["type"] => events.ensure_index(|e| e.kind).create(),
                ["username"] => events.ensure_index(|e| e.username).create(),
                ["tags"] => events.ensure_index(|e| e.tags).create(),
                ["machine_name", "agg_id"] => events.ensure_index(|e| (e.machine_name, e.agg_id)).create(),
                other => return Err(Failure::Error(format!("no index on {other:?}"))),
            }?;
        }
        Ok(())
    }
}

fn documents(count: usize) -> impl Iterator<Item = Event> {
    events::events(count).map(|event| Event::from(&event))
}

fn digest(events: &Collection<'_, Event>) -> Result<Value> {
    let mut collection = ev::Collection::default();
    let mut see = |event| {
        collection.add(&events::Event::from(event));
        Ok(())
    };
    events.query().for_each(&mut see)?;
    Ok(collection.answer())
}

/// Turning documents into the oracle's events is not timed.
fn documents_of(times: Times, work: impl FnMut() -> Found<Vec<Event>>) -> Result<Ran> {
    times.of(work)?.answer(|found| {
        let events: Vec<events::Event> = found.into_iter().map(Into::into).collect();
        whole(&events)
    })
}

fn pages(times: Times, mut work: impl FnMut() -> Found<Vec<Vec<Event>>>) -> Result<Ran> {
    documents_of(times, || Ok(work()?.into_iter().flatten().collect()))
}

fn stream(
    times: Times,
    mut read: impl FnMut(&mut dyn FnMut(Event) -> Found<()>) -> Found<()>,
) -> Result<Ran> {
    let read = || -> Found<ev::Stream> {
        let mut seen = ev::Stream::default();
        read(&mut |event| {
            seen.add(&event.into());
            Ok(())
        })?;
        Ok(seen)
    };
    times.of(read)?.answer(|seen| seen.answer())
}

/// EV11: counts the prefixes of each caller on its thread.
fn on_threads(
    times: Times,
    callers: &[Vec<String>],
    count: impl Fn(&str) -> Found<u64> + Sync,
) -> Result<Ran> {
    let count = |prefix: &String| count(prefix);
    let counts = || -> Result<Vec<u64>> {
        thread::scope(|scope| {
            let threads: Vec<_> = callers
                .iter()
                .map(|own| scope.spawn(|| own.iter().map(count).collect::<Found<Vec<u64>>>()))
                .collect();
            let mut counts = Vec::new();
            for thread in threads {
                let own = thread.join().map_err(|_panic| Failure::Error("a caller panicked".to_owned()))?;
                counts.extend(own?);
            }
            Ok(counts)
        })
    };
    times.of(counts)?.answer(|counts| json!(counts))
}

fn planned(ran: Result<Ran>, plan: String) -> Result<Ran> {
    Ok(Ran { plan: Some(plan), ..ran? })
}
