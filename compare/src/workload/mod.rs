//! What engines are asked, and what the right answers are.

mod case;
mod events;
mod files;
mod json;
pub mod matrix;
pub mod processes;
mod tables;

use clap::ValueEnum;
use clap::builder::PossibleValue;

use crate::args::Size;
use crate::engine::CONTROL;

pub use case::{Build, Case, Round, Scene, Work};

/// A workload of the comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Workload {
    /// Events: inserts, counts, pages, groups, updates.
    Events,
    /// Files inside the database.
    Files,
    /// JSON round trips.
    Json,
    /// Several processes on one file.
    Processes,
    /// Many threads with synced writes.
    Threads,
    /// Small tables.
    Tables,
    /// Documents mapped to models.
    Models,
    /// The correctness matrix.
    Matrix,
}

impl Workload {
    /// All, in the order of the report.
    pub const ALL: [Self; 8] = [
        Self::Events,
        Self::Files,
        Self::Json,
        Self::Processes,
        Self::Threads,
        Self::Tables,
        Self::Models,
        Self::Matrix,
    ];

    /// Returns its name in the protocol and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Events => "EV",
            Self::Files => "FS",
            Self::Json => "JS",
            Self::Processes => "TM",
            Self::Threads => "TS",
            Self::Tables => "TQ",
            Self::Models => "MS",
            Self::Matrix => "MX",
        }
    }

    /// Returns a line about it.
    pub fn title(self) -> &'static str {
        match self {
            Self::Events => "events: inserts, indexes, counts, pages, look-ups, groups, updates",
            Self::Files => "files inside the database: reads, edits, lengths, transfers, listings",
            Self::Json => "JSON text to document and back",
            Self::Processes => "one and four processes on one file",
            Self::Threads => "many threads with synced writes, queues",
            Self::Tables => "small tables: saves, loads, look-ups, joins, groups",
            Self::Models => "documents mapped to models: tracked changes, references",
            Self::Matrix => "the correctness matrix: small cases that databases answer differently",
        }
    }

    /// Returns why it cannot be run yet.
    pub fn missing(self) -> Option<&'static str> {
        match self {
            Self::Threads => Some("not built yet: grouped writes and queues"),
            Self::Models => Some("not built yet: tracked changes and references"),
            Self::Events | Self::Files | Self::Json | Self::Processes | Self::Tables | Self::Matrix => None,
        }
    }

    /// Returns the engine that ratios are to.
    pub fn control(self) -> &'static str {
        if self == Self::Files { "files" } else { CONTROL }
    }

    /// Returns whether it can be made larger or smaller.
    pub fn has_sizes(self) -> bool {
        self == Self::Events
    }

    /// Returns the operations that one process does one after another, if the workload is made of such.
    pub fn scene(self, size: Size) -> Option<Scene> {
        match self {
            Self::Events => Some(events::scene(size.events())),
            Self::Files => Some(files::scene()),
            Self::Json => Some(json::scene()),
            Self::Tables => Some(tables::scene()),
            _ => None,
        }
    }
}

impl ValueEnum for Workload {
    fn value_variants<'a>() -> &'a [Self] {
        &Self::ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.name()).help(self.title()))
    }
}
