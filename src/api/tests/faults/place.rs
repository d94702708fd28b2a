//! Where a scenario runs, again and again: each time on a copy of the file that was prepared.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use std::{fs, io, process};

use super::Result;
use super::scenario::Scenario;
use super::state::State;
use crate::store::faults::Disk;
use crate::{Database, Durability, Options};

/// A directory of its own, which goes with it, and a disk that can fail.
pub(super) struct Place<'s> {
    pub(super) scenario: &'s Scenario,
    /// What the prepared file holds.
    pub(super) prepared: State,
    pub(super) disk: Disk,
    pub(super) durability: Durability,
    dir: PathBuf,
}

impl<'s> Place<'s> {
    pub(super) fn new(scenario: &'s Scenario) -> Result<Self> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let memory = Path::new("/dev/shm");
        let parent = if memory.is_dir() { memory.to_owned() } else { std::env::temp_dir() };
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let dir = parent.join(format!("vellum-faults-{}-{number}", process::id()));
        fs::create_dir(&dir)?;
        let mut place = Place {
            scenario,
            prepared: State::default(),
            disk: Disk::new(),
            durability: Durability::Full,
            dir,
        };
        if let Some(prepare) = scenario.prepare {
            let db = Database::open(place.dir.join("open.db"))?;
            prepare(&db)?;
            place.prepared = State::read(&db)?;
            // With its log, as when the process that prepared it has just ended without closing it.
            for (from, to) in [("open.db", "prepared.db"), ("open.db-wal", "prepared.db-wal")] {
                fs::copy(place.dir.join(from), place.dir.join(to))?;
            }
        }
        Ok(place)
    }

    /// Makes the file of the next run, where the scenario begins with one.
    pub(super) fn file(&self) -> io::Result<PathBuf> {
        for name in ["run.db", "run.db-wal", "run.db-shm", "run.db-journal"] {
            fs::remove_file(self.dir.join(name)).or_else(|error| match error.kind() {
                io::ErrorKind::NotFound => Ok(()),
                _ => Err(error),
            })?;
        }
        if self.scenario.prepare.is_some() {
            for (from, to) in [("prepared.db", "run.db"), ("prepared.db-wal", "run.db-wal")] {
                fs::copy(self.dir.join(from), self.dir.join(to))?;
            }
        }
        Ok(self.dir.join("run.db"))
    }

    /// Opens a file on the disk of this place.
    pub(super) fn open(&self, file: &Path) -> crate::Result<Database> {
        let options = Options::new().vfs(self.disk.name()).durability(self.durability);
        options.busy_timeout(Duration::from_millis(200)).open(file)
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.dir);
    }
}

/// Says what was going on, when something panics meanwhile.
pub(super) struct OnPanic(pub(super) String);

impl Drop for OnPanic {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("in {}", self.0);
        }
    }
}
