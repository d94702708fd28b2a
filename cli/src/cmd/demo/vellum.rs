//! Vellum's database: opened, filled, with the indexes that a case is measured with.

use std::path::Path;

use vellum::{Collection, Database, Options};
use vellum_fixtures::control::{Durability, Index};
use vellum_fixtures::events;

use super::event::{Bare, Event};
use crate::error::Result;

/// A database of events.
pub(super) struct Vellum {
    pub(super) db: Database,
    pub(super) events: Collection<'static, Event>,
}

impl Vellum {
    /// Opens the file at `path`, which is made with its collection when it is missing.
    pub(super) fn open(path: &Path, durability: Durability) -> Result<Self> {
        let durability = match durability {
            Durability::Full => vellum::Durability::Full,
            Durability::Off => vellum::Durability::Memory,
        };
        let db = Options::new().durability(durability).open(path)?;
        Ok(Self { events: db.collection()?, db })
    }

    /// Inserts `events`.
    pub(super) fn insert(&self, events: &[events::Event]) -> Result<()> {
        self.events.insert_batch(events.iter().map(Event::from))?;
        Ok(())
    }

    /// Makes `index`, unless it is there, and returns its name.
    pub(super) fn create_index(&self, index: Index) -> Result<Option<String>> {
        let events = &self.events;
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
        Ok(report.created.into_iter().chain(report.unchanged).next())
    }

    /// Drops all indexes that the type does not declare and makes those that it declares, then `further`.
    pub(super) fn set_indexes(&self, further: &[Index]) -> Result<()> {
        for name in self.events.ensure_indexes()?.undeclared {
            self.events.drop_index(&name)?;
        }
        self.create_indexes(further)
    }

    /// Drops all indexes, the narrow one too.
    pub(super) fn drop_indexes(&self) -> Result<()> {
        for index in self.events.indexes()? {
            self.events.drop_index(&index.name)?;
        }
        self.db.collection::<Bare>()?.ensure_indexes()?;
        Ok(())
    }

    /// Makes `indexes`, but for those that are there.
    pub(super) fn create_indexes(&self, indexes: &[Index]) -> Result<()> {
        indexes.iter().try_for_each(|&index| self.create_index(index).map(|_name| ()))
    }
}
