//! What engines are asked, and what the right answers are.

mod case;
mod events;
pub mod matrix;
pub mod processes;

use clap::ValueEnum;
use clap::builder::PossibleValue;

use crate::args::Size;

pub use case::{Build, Case, Round, Scene, Work};

/// A workload of the comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Workload {
    /// Events: inserts, counts, pages, groups, updates.
    Events,
    /// Several processes on one file.
    Processes,
    /// The correctness matrix.
    Matrix,
}

impl Workload {
    /// All, in the order of the report.
    pub const ALL: [Self; 3] = [Self::Events, Self::Processes, Self::Matrix];

    /// Returns its name in the protocol and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Events => "EV",
            Self::Processes => "TM",
            Self::Matrix => "MX",
        }
    }

    /// Returns a line about it.
    pub fn title(self) -> &'static str {
        match self {
            Self::Events => "events: inserts, indexes, counts, pages, look-ups, groups, updates",
            Self::Processes => "one and four processes on one file",
            Self::Matrix => "the correctness matrix: small cases that databases answer differently",
        }
    }

    /// Returns whether it can be made larger or smaller.
    pub fn has_sizes(self) -> bool {
        self == Self::Events
    }

    /// Returns the operations that one process does one after another, if the workload is made of such.
    pub fn scene(self, size: Size) -> Option<Scene> {
        match self {
            Self::Events => Some(events::scene(size.events())),
            Self::Processes | Self::Matrix => None,
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
