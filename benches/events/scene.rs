//! What the operations work on: the events, which are the oracle, and both engines' files filled with them.

use std::env;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};

use vellum::{Collection, Database};
use vellum_fixtures::control::{Control, Durability, Index};
use vellum_fixtures::events;

use crate::Outcome;
use crate::event::{Bare, Event};

/// Both engines and the events that they were filled with.
pub(crate) struct Scene {
    // Fields are dropped in this order: the connections close before their files go.
    pub(crate) db: Database,
    pub(crate) documents: Collection<'static, Event>,
    pub(crate) control: Control,
    pub(crate) events: Vec<events::Event>,
    files: Files,
}

impl Scene {
    /// Generates so many events and fills both files.
    pub(crate) fn new(count: usize) -> Outcome<Self> {
        let events: Vec<events::Event> = events::events(count).collect();
        let files = Files::new()?;
        let control = Control::open(&files.control(), Durability::Full)?;
        control.insert_batch(&events)?;
        let db = Database::open(files.vellum())?;
        let documents = db.collection::<Event>()?;
        documents.insert_batch(events.iter().map(Event::from))?;
        Ok(Self { db, documents, control, events, files })
    }

    /// Returns how many events there are.
    pub(crate) fn count(&self) -> usize {
        self.events.len()
    }

    /// Returns the control's file.
    pub(crate) fn control_path(&self) -> PathBuf {
        self.files.control()
    }

    /// Gives both files the six indexes and `further`; Vellum has its narrow index with them.
    pub(crate) fn set_indexes(&self, further: &[Index]) -> Outcome {
        self.control.set_indexes(&[&Index::SIX, further].concat())?;
        for name in self.documents.ensure_indexes()?.undeclared {
            self.documents.drop_index(&name)?;
        }
        further.iter().try_for_each(|&index| self.create_index(index).map(drop))
    }

    /// Makes an index of Vellum, unless it is there, and returns its name.
    pub(crate) fn create_index(&self, index: Index) -> Outcome<String> {
        let events = &self.documents;
        let report = match index {
            Index::System => events.ensure_index(|e| e.system).create(),
            Index::Machine => events.ensure_index(|e| e.machine_name).create(),
            Index::Aggregate => events.ensure_index(|e| e.agg_id).create(),
            Index::Timestamp => events.ensure_index(|e| e.unix_timestamp).create(),
            Index::Kind => events.ensure_index(|e| e.kind).create(),
            Index::Username => events.ensure_index(|e| e.username).create(),
            Index::Tags => events.ensure_index(|e| e.tags).create(),
            Index::Compound => events.ensure_index(|e| (e.machine_name, e.agg_id)).create(),
            // With the six there, it is all that is missing.
            Index::Narrow => events.ensure_indexes(),
        }?;
        Ok(report.created.into_iter().chain(report.unchanged).next().ok_or("no index was made")?)
    }

    /// Drops all indexes of Vellum, the narrow one too.
    pub(crate) fn drop_indexes(&self) -> Outcome {
        for index in self.documents.indexes()? {
            self.documents.drop_index(&index.name)?;
        }
        self.db.collection::<Bare>()?.ensure_indexes()?;
        Ok(())
    }
}

/// A directory for the files of both engines, in memory where the system has such a place; it goes when it is dropped.
pub(crate) struct Files(PathBuf);

impl Files {
    pub(crate) fn new() -> io::Result<Self> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let memory = Path::new("/dev/shm");
        let parent = if memory.is_dir() { memory.to_owned() } else { env::temp_dir() };
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let dir = parent.join(format!("vellum-bench-{}-{number}", process::id()));
        fs::create_dir(&dir)?;
        Ok(Self(dir))
    }

    pub(crate) fn vellum(&self) -> PathBuf {
        self.0.join("vellum.db")
    }

    pub(crate) fn control(&self) -> PathBuf {
        self.0.join("control.db")
    }
}

impl Drop for Files {
    fn drop(&mut self) {
        // Nobody can be told any more.
        fs::remove_dir_all(&self.0).ok();
    }
}

/// Returns the events that the documents were made of.
pub(crate) fn originals(documents: Vec<Event>) -> Outcome<Vec<events::Event>> {
    Ok(documents.into_iter().map(Into::into).collect())
}
