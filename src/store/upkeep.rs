//! Looking after a file: giving its free pages back, and asking SQLite whether it is sound.

use std::sync::Arc;

use super::conn::Conn;
use super::engine::Engine;
use super::error::StoreError;
use super::stmt::Cell;

impl Engine {
    /// Writes the file anew without its free pages, and gives what it no longer needs back to the system.
    ///
    /// # Errors
    /// As [`Engine::writer`]; `Full` when there is no room for the copy.
    pub(crate) fn vacuum(self: &Arc<Self>) -> Result<(), StoreError> {
        let mut writer = self.writer()?;
        let vacuumed = writer.vacuum();
        vacuumed.map_err(|error| writer.outcome(error))
    }
}

impl Conn {
    fn vacuum(&self) -> Result<(), StoreError> {
        // VACUUM attaches the file that it writes to.
        self.limit_attached(1)?;
        let vacuumed = self.batch("VACUUM");
        self.limit_attached(0)?;
        vacuumed?;
        // The file is cut when the log has gone into it. Whoever reads an older moment holds that up; the checkpoint then
        // does what it can, and a later one the rest.
        self.first("PRAGMA wal_checkpoint(TRUNCATE)", &[], |_| Ok(()))?;
        Ok(())
    }

    /// Returns what SQLite finds wrong with the structure of the file, a line each.
    pub(crate) fn quick_check(&self) -> Result<Vec<String>, StoreError> {
        let mut stmt = self.prepare("PRAGMA quick_check")?;
        let mut problems = Vec::new();
        while let Some(row) = stmt.step()? {
            match row.cell(0)? {
                Cell::Text("ok") => {}
                Cell::Text(problem) => problems.push(problem.to_owned()),
                _ => {}
            }
        }
        Ok(problems)
    }
}
