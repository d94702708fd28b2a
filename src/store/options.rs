//! How a file is opened.

use std::time::Duration;

/// What an acknowledged write survives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Durability {
    /// A power cut: each commit waits for the disk (`synchronous=FULL`).
    #[default]
    Full,
    /// A crash of the program, not of the machine (`synchronous=NORMAL`).
    Os,
    /// Nothing: for data that can be made again (`synchronous=OFF`).
    Memory,
}

impl Durability {
    /// Returns the value of `PRAGMA synchronous`.
    pub(super) fn synchronous(self) -> &'static str {
        match self {
            Durability::Full => "FULL",
            Durability::Os => "NORMAL",
            Durability::Memory => "OFF",
        }
    }
}

/// What [`super::Engine::open`] is told.
#[derive(Clone, Debug)]
pub(crate) struct Options {
    /// Never change the file; a missing one is an error.
    pub(crate) read_only: bool,
    pub(crate) durability: Durability,
    /// How long to wait for a lock before `Busy`.
    pub(crate) busy_timeout: Duration,
}

impl Default for Options {
    fn default() -> Self {
        Self { read_only: false, durability: Durability::Full, busy_timeout: Duration::from_secs(5) }
    }
}
