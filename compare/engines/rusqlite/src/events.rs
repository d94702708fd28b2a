//! Workload EV on the control.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};
use vellum_compare_protocol::ev::{self, Collection, Operation, Stream, whole};
use vellum_compare_protocol::{Clock, Created, Failure, Open, Opened, Ran, Result, Run, Times, Workload};
use vellum_fixtures::control::{Access, Control, Durability, Index, Pair, Shape, Stranger};
use vellum_fixtures::events::{Event, events};

use crate::settings;

/// Opens and fills a database of events.
pub(crate) fn open(open: &Open) -> Result<(Opened, Box<dyn Workload>)> {
    let durability = settings::durability(&open.durability);
    let path = open.dir.join("events.db");
    let control = Control::open(&path, durability)?;
    let batch: Vec<Event> = events(open.count).collect();
    control.insert_batch(&batch)?;
    let workload =
        Events { control, dir: open.dir.clone(), path, durability, count: open.count, indexes: Vec::new() };
    Ok((settings::opened(durability), Box::new(workload)))
}

struct Events {
    control: Control,
    dir: PathBuf,
    path: PathBuf,
    durability: Durability,
    count: usize,
    indexes: Vec<Index>,
}

impl Workload for Events {
    fn run(&mut self, run: &Run) -> Result<Ran> {
        let access = if run.is_ordinary() { Access::Planner } else { Access::Named };
        let times = Times::new(run.repeat);
        let control = &self.control;
        match run.operation()? {
            Operation::EV1 => self.insert(run.repeat),
            Operation::EV3 => {
                let mut count = control.count_all()?;
                times.of(|| count.run())?.answer(|count| json!(count))
            }
            Operation::EV4 { prefix } => {
                let mut count = control.prefix_count(access)?;
                times.of(|| count.run(&prefix))?.answer(|count| json!(count))
            }
            Operation::EV5 { machine, aggregate } => {
                let has_compound = self.indexes.contains(&Index::Compound);
                let pair = if has_compound { Pair::Compound } else { Pair::SingleField };
                let mut count = control.two_prefix_count(pair, access)?;
                times.of(|| count.run(&machine, &aggregate))?.answer(|count| json!(count))
            }
            Operation::EV6 { prefix, offsets, len } => {
                let mut page = control.page(access)?;
                let pages = || -> Found<Vec<Vec<Event>>> {
                    offsets.iter().map(|&offset| page.run(&prefix, offset, len)).collect()
                };
                times.of(pages)?.answer(|pages| whole(pages.iter().flatten()))
            }
            Operation::EV7 { prefix, len } => {
                let mut cursor = control.cursor()?;
                let walk = || -> Found<Vec<Event>> {
                    let mut events: Vec<Event> = Vec::new();
                    loop {
                        let mut page = cursor.run(&prefix, events.last(), len)?;
                        if page.is_empty() {
                            return Ok(events);
                        }
                        events.append(&mut page);
                    }
                };
                times.of(walk)?.answer(|events| whole(&events))
            }
            Operation::EV8 { ids, snapshot } => {
                let mut lookup = control.lookup()?;
                let look = || if snapshot { lookup.in_snapshot(&ids) } else { lookup.single(&ids) };
                times.of(look)?.answer(|events| whole(&events))
            }
            Operation::EV9 => {
                let mut groups = control.groups(access)?;
                times.of(|| groups.run())?.answer(|groups| json!(groups))
            }
            Operation::EV10 { body, .. } => {
                let mut update = control.update(access)?;
                times.of(|| update.run(&body))?.answer(|changed| json!(changed))
            }
            // Its callers and their prefixes are those of the fixtures, as the runner's are.
            Operation::EV11 { .. } => {
                let mut callers = control.callers()?;
                times.of(|| callers.run())?.answer(|counts| json!(counts))
            }
            Operation::EV12 { tag } => {
                let index = self.indexes.contains(&Index::Tags).then_some(Index::Tags);
                let mut count = control.tag_count(index, access)?;
                times.of(|| count.run(&tag))?.answer(|count| json!(count))
            }
            Operation::EV13 { shape } => {
                times.of(|| control.prepare_shape(shape_of(shape)))?.answer(|()| json!(true))
            }
            Operation::EV14 => {
                let mut stream = control.stream()?;
                let read = || -> Found<Stream> {
                    let mut seen = Stream::default();
                    stream.for_each(|event| seen.add(&event))?;
                    Ok(seen)
                };
                times.of(read)?.answer(|seen| seen.answer())
            }
        }
    }

    fn indexes(&mut self, fields: &[Vec<String>]) -> Result<Created> {
        let wanted = fields.iter().map(|fields| index(fields)).collect::<Result<Vec<Index>>>()?;
        let kept: Vec<Index> = self.indexes.iter().copied().filter(|index| wanted.contains(index)).collect();
        self.control.set_indexes(&kept)?;
        let mut clock = Clock::new();
        clock.time(|| wanted.iter().try_for_each(|&index| self.control.create_index(index)))?;
        self.indexes = wanted;
        Ok(clock.created(self.control.index_count()?.unsigned_abs()))
    }

    fn digest(&mut self) -> Result<Value> {
        digest(&self.control)
    }

    fn reopen(&mut self) -> Result<()> {
        if !Stranger::open(&self.path, "t")?.is_sound()? {
            return Err(Failure::Error("PRAGMA integrity_check finds the file damaged".to_owned()));
        }
        self.control = Control::open(&self.path, self.durability)?;
        Ok(())
    }
}

impl Events {
    fn insert(&self, repeat: usize) -> Result<Ran> {
        let batch: Vec<Event> = events(self.count).collect();
        let dir = self.dir.join("fresh");
        let (mut clock, mut answer) = (Clock::new(), Value::Null);
        for _ in 0..repeat {
            fs::create_dir(&dir)?;
            let control = Control::open(&dir.join("events.db"), self.durability)?;
            clock.time(|| control.insert_batch(&batch))?;
            answer = digest(&control)?;
            drop(control);
            fs::remove_dir_all(&dir)?;
        }
        Ok(clock.ran(answer))
    }
}

type Found<T> = vellum_fixtures::control::Result<T>;

fn digest(control: &Control) -> Result<Value> {
    let mut collection = Collection::default();
    control.stream()?.for_each(|event| collection.add(&event))?;
    Ok(collection.answer())
}

fn index(fields: &[String]) -> Result<Index> {
    let fields: Vec<&str> = fields.iter().map(String::as_str).collect();
    Ok(match fields.as_slice() {
        ["system"] => Index::System,
        ["machine_name"] => Index::Machine,
        ["agg_id"] => Index::Aggregate,
        ["unix_timestamp"] => Index::Timestamp,
        ["type"] => Index::Kind,
        ["username"] => Index::Username,
        ["tags"] => Index::Tags,
        ["machine_name", "agg_id"] => Index::Compound,
        other => return Err(Failure::unsupported(format!("the control has no index on {other:?}"))),
    })
}

fn shape_of(shape: ev::Shape) -> Shape {
    match shape {
        ev::Shape::Count => Shape::CountAll,
        ev::Shape::Prefix => Shape::CountByPrefix,
        ev::Shape::TwoPrefixes => Shape::CountByTwoPrefixes,
        ev::Shape::Tag => Shape::CountByTag,
        ev::Shape::Page => Shape::Page,
        ev::Shape::Point => Shape::Point,
        ev::Shape::Groups => Shape::Groups,
    }
}
