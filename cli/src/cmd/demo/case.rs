//! A case: one operation, what the oracle says it returns, and the engines that do it.

use std::{fmt, mem};

use vellum_fixtures::events::Event;
use vellum_fixtures::oracle::Tally;

use super::event::Event as Document;
use super::rows::Column;
use crate::error::Result;

/// What an operation returns; equal to the oracle's or wrong.
#[derive(Clone, PartialEq)]
pub(super) enum Answer {
    /// A number of documents.
    Count(i64),
    /// Several numbers.
    Counts(Vec<i64>),
    /// Ids in order.
    Ids(Vec<i64>),
    /// Whole documents in order.
    Events(Vec<Event>),
    /// Keys and their counts in order.
    Groups(Vec<(String, i64)>),
    /// Documents that were read and dropped.
    Read(Tally),
    /// Bytes, by how many there are and a digest.
    Bytes(u64, u64),
    /// Names in order.
    Names(Vec<String>),
}

impl Answer {
    /// Returns the answer that a count of Vellum is.
    pub(super) fn counted(count: u64) -> Self {
        Self::Count(count.cast_signed())
    }

    /// Returns the answer that groups of Vellum are.
    pub(super) fn grouped(groups: Vec<(String, u64)>) -> Self {
        Self::Groups(groups.into_iter().map(|(key, count)| (key, count.cast_signed())).collect())
    }

    /// Returns a few words about it for the message of a wrong result.
    pub(super) fn summary(&self) -> String {
        let first = |values: &[i64]| values.iter().take(5).map(i64::to_string).collect::<Vec<_>>().join(", ");
        match self {
            Self::Count(count) => count.to_string(),
            Self::Counts(counts) => format!("{} counts from {}", counts.len(), first(counts)),
            Self::Ids(ids) => format!("{} ids from {}", ids.len(), first(ids)),
            Self::Events(events) => {
                let ids: Vec<i64> = events.iter().take(5).map(|event| event.id).collect();
                format!("{} events from {}", events.len(), first(&ids))
            }
            Self::Groups(groups) => {
                let counts: Vec<i64> = groups.iter().take(5).map(|group| group.1).collect();
                format!("{} groups from {}", groups.len(), first(&counts))
            }
            Self::Read(tally) => format!("a stream of {} events", tally.count),
            Self::Bytes(count, digest) => format!("{count} bytes, {digest:016x}"),
            Self::Names(names) => {
                format!("{} names from {}", names.len(), names.first().map_or("", String::as_str))
            }
        }
    }
}

/// What an engine does in a case. Only [`Work::run`] is timed. A closure is a work that needs nothing around it.
pub(super) trait Work {
    /// Brings about the state that the operation starts from.
    fn prepare(&mut self) -> Result<()> {
        Ok(())
    }

    /// Does the operation once.
    fn run(&mut self) -> Result<Answer>;

    /// Returns what is held against the oracle, given what the operation returned.
    fn confirm(&mut self, answer: Answer) -> Result<Answer> {
        Ok(answer)
    }

    /// Returns the bytes that the operation added to the file, where that is of interest.
    fn added_bytes(&self) -> Option<u64> {
        None
    }
}

impl<F: FnMut() -> Result<Answer>> Work for F {
    fn run(&mut self) -> Result<Answer> {
        self()
    }
}

/// A work of Vellum that returns documents: turning them into the oracle's events is not timed.
pub(super) struct Documents<F> {
    run: F,
    found: Vec<Document>,
}

impl<F: FnMut() -> Result<Vec<Document>>> Documents<F> {
    /// Makes the work of `run`.
    pub(super) fn new(run: F) -> Self {
        Self { run, found: Vec::new() }
    }
}

impl<F: FnMut() -> Result<Vec<Document>>> Work for Documents<F> {
    fn run(&mut self) -> Result<Answer> {
        self.found = (self.run)()?;
        Ok(Answer::Count(self.found.len() as i64))
    }

    fn confirm(&mut self, _found: Answer) -> Result<Answer> {
        Ok(Answer::Events(mem::take(&mut self.found).into_iter().map(Event::from).collect()))
    }
}

/// One engine's part.
pub(super) struct Side<'b> {
    /// The column that its time goes to.
    pub(super) column: Column,
    /// What it does.
    pub(super) work: Box<dyn Work + 'b>,
}

/// What a row is about.
#[derive(Clone, Copy, Debug)]
pub(super) struct Name {
    /// `EV5`.
    pub(super) id: &'static str,
    /// Which of several under this id; empty when there is one.
    pub(super) case: &'static str,
    /// A few words for the table.
    pub(super) title: &'static str,
}

impl Name {
    /// Returns the number in the id, by which rows are sorted.
    pub(super) fn number(self) -> u32 {
        self.id.trim_start_matches(|c: char| !c.is_ascii_digit()).parse().unwrap_or(u32::MAX)
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.case {
            "" => f.write_str(self.id),
            case => write!(f, "{} {case}", self.id),
        }
    }
}

/// One operation and all that do it.
pub(super) struct Case<'b> {
    /// The oracle's answer.
    pub(super) expected: Answer,
    /// The engines.
    pub(super) sides: Vec<Side<'b>>,
    /// Whether the heap's peak is reported.
    pub(super) reports_heap: bool,
    /// What Vellum is held against.
    pub(super) of: Column,
}

impl<'b> Case<'b> {
    /// Makes a case that nobody does yet.
    pub(super) fn new(expected: Answer) -> Self {
        Self { expected, sides: Vec::new(), reports_heap: false, of: Column::Control }
    }

    /// Holds Vellum against something else than the control.
    pub(super) fn against(mut self, of: Column) -> Self {
        self.of = of;
        self
    }

    /// Adds an engine.
    pub(super) fn side(mut self, column: Column, work: impl Work + 'b) -> Self {
        self.sides.push(Side { column, work: Box::new(work) });
        self
    }

    /// Reports the peak of the heap.
    pub(super) fn with_heap(mut self) -> Self {
        self.reports_heap = true;
        self
    }
}
