//! How a file is opened.

use std::time::Duration;

/// What a write survives once the call that made it has returned. What no call has acknowledged is there as a whole or
/// not at all. Handles of a file may differ in it.
///
/// ```
/// # use vellum::{Database, Durability, Options};
/// # fn main() -> vellum::Result<()> {
/// # let dir = std::env::temp_dir().join(format!("vellum-durability-{}", std::process::id()));
/// # std::fs::create_dir_all(&dir).expect("a temporary directory");
/// # let path = dir.join("app.db");
/// let ledger = Database::open(&path)?; // `Full`
/// let positions = Options::new().durability(Durability::Os).open(&path)?;
/// # drop((ledger, positions));
/// # std::fs::remove_dir_all(&dir).expect("what was made can be removed");
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Durability {
    /// A power cut: each commit waits for the disk (`synchronous=FULL`).
    #[default]
    Full,
    /// A crash of the program (`synchronous=NORMAL`). A power cut takes the last commits, and damages nothing.
    Os,
    /// Nothing: for a file that can be made again (`synchronous=OFF`). A power cut may damage the whole file, also what
    /// other handles wrote.
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
    /// The VFS of SQLite that reads and writes the file, when it is not the system's own.
    #[cfg(test)]
    pub(crate) vfs: Option<&'static str>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            read_only: false,
            durability: Durability::Full,
            busy_timeout: Duration::from_secs(5),
            #[cfg(test)]
            vfs: None,
        }
    }
}
