//! Writes: EV1, EV2, EV10.

use std::path::PathBuf;

use vellum_fixtures::control::{Access, Control, Index, Update};
use vellum_fixtures::events::Event;
use vellum_fixtures::inputs::new_body;
use vellum_fixtures::oracle::{self, Tally};

use super::super::bench::Bench;
use super::super::case::{Answer, Case, Work};
use super::super::place::remove_database;
use super::super::rows::Column;
use crate::error::{Error, Result};

/// How many documents a file in use holds.
const IN_USE: usize = 1_000;

pub(super) fn insert_fresh(bench: &Bench) -> Result<Case<'_>> {
    Ok(insert(bench, Vec::new()))
}

pub(super) fn insert_batch(bench: &Bench) -> Result<Case<'_>> {
    // Ids below those of the batch, so that it is appended, as it is to a new file.
    let first = bench.events.iter().take(IN_USE);
    Ok(insert(
        bench,
        first.map(|event| Event { id: event.id - IN_USE as i64 - 1, ..event.clone() }).collect(),
    ))
}

fn insert(bench: &Bench, present: Vec<Event>) -> Case<'_> {
    let case = Case::new(Answer::Read(Tally::of(present.iter().chain(&bench.events))));
    case.side(
        Column::Control,
        ControlInsert { bench, present, path: bench.place.fresh("control-insert"), file: None },
    )
}

/// Inserts all events into a file that holds `present`.
struct ControlInsert<'b> {
    bench: &'b Bench,
    present: Vec<Event>,
    path: PathBuf,
    file: Option<Control>,
}

impl ControlInsert<'_> {
    fn remove(&mut self) {
        self.file = None;
        remove_database(&self.path);
    }
}

impl Work for ControlInsert<'_> {
    fn prepare(&mut self) -> Result<()> {
        self.remove();
        let file = Control::open(&self.path, self.bench.place.durability())?;
        file.insert_batch(&self.present)?;
        self.file = Some(file);
        Ok(())
    }

    fn run(&mut self) -> Result<Answer> {
        let count = self.file.as_ref().map(|file| file.insert_batch(&self.bench.events)).transpose()?;
        Ok(Answer::Count(count.unwrap_or_default()))
    }

    fn confirm(&mut self, _inserted: Answer) -> Result<Answer> {
        let mut tally = Tally::default();
        if let Some(file) = &self.file {
            file.stream()?.for_each(|event| tally.add(&event))?;
        }
        Ok(Answer::Read(tally))
    }
}

impl Drop for ControlInsert<'_> {
    fn drop(&mut self) {
        self.remove();
    }
}

pub(super) fn indexes_apart(bench: &Bench) -> Result<Case<'_>> {
    bench.control.set_indexes(&[])?;
    // The drop of each, a matter of a millisecond or two, is in the time.
    let build = || {
        for index in Index::SIX {
            bench.control.create_index(index)?;
            bench.control.drop_index(index)?;
        }
        Ok(Answer::Count(bench.control.index_count()?))
    };
    Ok(Case::new(Answer::Count(0)).side(Column::Control, build))
}

pub(super) fn six_indexes(bench: &Bench) -> Result<Case<'_>> {
    bench.control.set_indexes(&[])?;
    Ok(build(bench, &Index::SIX, 6))
}

pub(super) fn narrow_index(bench: &Bench) -> Result<Case<'_>> {
    bench.control.set_indexes(&Index::SIX)?;
    Ok(build(bench, &[Index::Narrow], 7))
}

pub(super) fn compound_index(bench: &Bench) -> Result<Case<'_>> {
    bench.control.set_indexes(&Index::SIX)?;
    Ok(build(bench, &[Index::Compound], 7))
}

fn build<'b>(bench: &'b Bench, indexes: &'static [Index], count: i64) -> Case<'b> {
    let build = ControlBuild { control: &bench.control, indexes, bytes_before: 0, added_bytes: None };
    Case::new(Answer::Count(count)).side(Column::Control, build)
}

/// Builds indexes that are not there.
struct ControlBuild<'b> {
    control: &'b Control,
    indexes: &'static [Index],
    bytes_before: u64,
    added_bytes: Option<u64>,
}

impl Work for ControlBuild<'_> {
    fn prepare(&mut self) -> Result<()> {
        self.indexes.iter().try_for_each(|&index| self.control.drop_index(index))?;
        self.bytes_before = self.control.bytes()?;
        Ok(())
    }

    fn run(&mut self) -> Result<Answer> {
        self.indexes.iter().try_for_each(|&index| self.control.create_index(index))?;
        Ok(Answer::Count(self.control.index_count()?))
    }

    fn confirm(&mut self, answer: Answer) -> Result<Answer> {
        // Looking at every entry takes longer than building it: once is enough.
        if self.added_bytes.is_none() && !self.control.is_sound()? {
            return Err(Error::Unsound { engine: "control" });
        }
        self.added_bytes = Some(self.control.bytes()?.saturating_sub(self.bytes_before));
        Ok(answer)
    }

    fn added_bytes(&self) -> Option<u64> {
        self.added_bytes
    }
}

pub(super) fn update(bench: &Bench) -> Result<Case<'_>> {
    bench.control.set_indexes(&Index::SIX)?;
    let mut case = Case::new(Answer::Ids(oracle::updated_ids(&bench.events)));
    // Each side gives bodies of its own, so that it always changes what it looks at.
    for (column, access, round) in
        [(Column::Control, Access::Named, 0), (Column::Planner, Access::Planner, 1 << 20)]
    {
        let update = bench.control.update(access)?;
        case =
            case.side(column, ControlUpdate { control: &bench.control, update, round, body: String::new() });
    }
    Ok(case)
}

/// Gives another body each time.
struct ControlUpdate<'b> {
    control: &'b Control,
    update: Update<'b>,
    round: u64,
    body: String,
}

impl Work for ControlUpdate<'_> {
    fn prepare(&mut self) -> Result<()> {
        self.round += 1;
        self.body = new_body(self.round);
        Ok(())
    }

    fn run(&mut self) -> Result<Answer> {
        Ok(Answer::Count(self.update.run(&self.body)?))
    }

    fn confirm(&mut self, changed: Answer) -> Result<Answer> {
        let ids = self.control.ids_by_body(&self.body)?;
        // The count that the engine gave must be that of the documents that have the body.
        Ok(if changed == Answer::Count(ids.len() as i64) { Answer::Ids(ids) } else { changed })
    }
}
