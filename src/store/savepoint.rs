//! Parts of a write transaction that are kept with it or taken back alone.
//!
//! Parts nest: the one that began last ends first, and a part that ends takes those with it that began inside it and
//! were never ended. A part is known by its depth, counted from 1, so that it can be ended through whatever guards the
//! transaction by then; [`Savepoint`] is the guard for a part that begins and ends in one place.

use std::sync::Arc;

use super::error::StoreError;
use super::ids::Ids;
use super::schema::Schema;
use super::txn::WriteTxn;

/// What a transaction goes back to when a part of it is taken back.
pub(super) struct Mark {
    schema: Option<Arc<Schema>>,
    ids: Ids,
}

impl WriteTxn {
    /// Begins a part and returns its depth. Who calls this ends the part by [`WriteTxn::release`] or
    /// [`WriteTxn::take_back`].
    pub(crate) fn mark(&self) -> Result<usize, StoreError> {
        let depth = self.marks.borrow().len() + 1;
        self.execute(&format!("SAVEPOINT s{depth}"), &[])?;
        let mark = Mark { schema: self.schema.borrow().clone(), ids: self.ids.borrow().clone() };
        self.marks.borrow_mut().push(mark);
        Ok(depth)
    }

    /// Keeps a part: it lasts when the transaction does.
    pub(crate) fn release(&self, depth: usize) -> Result<(), StoreError> {
        self.execute(&format!("RELEASE s{depth}"), &[])?;
        self.marks.borrow_mut().truncate(depth - 1);
        Ok(())
    }

    /// Takes a part back. Where that fails the whole transaction is lost, since it would be committed with the part.
    pub(crate) fn take_back(&self, depth: usize) -> Result<(), StoreError> {
        let undone = self
            .execute(&format!("ROLLBACK TO s{depth}"), &[])
            .and_then(|_| self.execute(&format!("RELEASE s{depth}"), &[]));
        if undone.is_err() {
            self.lose();
        }
        if let Some(mark) = self.marks.borrow_mut().drain(depth - 1..).next() {
            self.schema.replace(mark.schema);
            let mut ids = self.ids.borrow_mut();
            self.burned().burn(&ids);
            ids.take_back(mark.ids);
        }
        undone.map(|_| ())
    }

    /// Begins a part that ends where it began.
    pub(crate) fn savepoint(&self) -> Result<Savepoint<'_>, StoreError> {
        Ok(Savepoint { depth: self.mark()?, txn: self, open: true })
    }
}

/// A part of a write transaction: released into it, or taken back on drop.
pub(crate) struct Savepoint<'t> {
    txn: &'t WriteTxn,
    depth: usize,
    open: bool,
}

impl Savepoint<'_> {
    /// Keeps the part; it lasts when the transaction does.
    pub(crate) fn release(mut self) -> Result<(), StoreError> {
        self.txn.release(self.depth)?;
        self.open = false;
        Ok(())
    }
}

impl Drop for Savepoint<'_> {
    fn drop(&mut self) {
        if self.open {
            // A transaction that could not take the part back refuses every further call.
            let _ = self.txn.take_back(self.depth);
        }
    }
}
