//! The rows of a running statement, and how a terminal reads them.

use crate::api::columns::Columns;
use crate::api::value::Row;
use crate::compile;
use crate::error::{Error, QueryError, Result};
use crate::store;

/// How a terminal turns rows into its result.
pub(crate) type Decode<O> = fn(&mut Rows<'_, '_>) -> Result<O>;

/// The rows of a running statement.
pub(crate) struct Rows<'r, 's> {
    statement: &'r mut store::Stmt<'s>,
    plan: &'r compile::Plan,
    changed: u64,
}

impl<'r, 's> Rows<'r, 's> {
    pub(crate) fn new(statement: &'r mut store::Stmt<'s>, plan: &'r compile::Plan) -> Self {
        Rows { statement, plan, changed: 0 }
    }

    /// Runs a statement that writes and keeps the number of rows that it changed.
    pub(crate) fn execute(&mut self, conn: &store::Conn) -> Result<()> {
        while self.statement.step()?.is_some() {}
        self.changed = conn.changes();
        Ok(())
    }

    pub(crate) fn next_row<T: Row>(&mut self) -> Result<Option<T>> {
        match self.statement.step()? {
            Some(row) => T::read(&mut Columns::new(&row, &self.plan.output)).map(Some),
            None => Ok(None),
        }
    }

    pub(crate) fn collect<T: Row>(&mut self) -> Result<Vec<T>> {
        let mut all = Vec::new();
        while let Some(row) = self.next_row()? {
            all.push(row);
        }
        Ok(all)
    }

    /// Reads the one row that an aggregate always has.
    pub(crate) fn one<T: Row>(&mut self) -> Result<T> {
        self.next_row()?.ok_or(Error::Query(QueryError::NoRow))
    }

    /// Reads a row after which there is no other.
    pub(crate) fn only<T: Row>(&mut self) -> Result<Option<T>> {
        if self.plan.is_unique {
            return self.next_row();
        }
        let row = self.next_row()?;
        if row.is_some() && self.statement.step()?.is_some() {
            return Err(Error::Query(QueryError::ManyRows));
        }
        Ok(row)
    }

    pub(crate) fn changed(&mut self) -> Result<u64> {
        Ok(self.changed)
    }
}
