//! Rows one at a time, as an iterator.

use std::sync::Arc;

use smallvec::SmallVec;

use crate::api::bind::Values;
use crate::api::columns::Columns;
use crate::api::session::{Guard, Session};
use crate::api::value::Row;
use crate::compile::Plan;
use crate::error::Result;
use crate::store::OwnedRows;

/// An iterator over the rows of a query: those of the moment in which it was made. It holds a connection until it is
/// dropped; meanwhile the same thread can run other queries, up to 64 at a time.
///
/// In a transaction, which sees its own writes, it has all its rows in memory before it returns the first, so that none
/// is met again, or missed, that the transaction changes meanwhile: what is large is read by pages there.
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
/// # fn main() -> vellum::Result<()> {
/// # let notes = database()?.collection::<Note>()?;
/// let open = notes.filter(|n| !n.done).select(|n| n.text);
/// let longest = open.iter()?.try_fold(0, |longest, text| Ok::<_, vellum::Error>(longest.max(text?.len())))?;
/// assert_eq!(longest, 16);
/// # Ok(())
/// # }
/// ```
pub struct RowIter<'s, T> {
    rows: Option<OwnedRows<Guard<'s>>>,
    plan: Arc<Plan>,
    /// The rows that were read and not asked for yet.
    ahead: smallvec::IntoIter<[Result<T>; 1]>,
}

impl<T> std::fmt::Debug for RowIter<'_, T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("RowIter")
    }
}

impl<'s, T: Row> RowIter<'s, T> {
    pub(crate) fn start(session: &'s Session, plan: &Arc<Plan>, values: &Values<'_, '_>) -> Result<Self> {
        let guard = session.read()?;
        let text = values.text(plan);
        let rows = OwnedRows::new(guard, &text.sql, |statement| values.bind(text, statement))?;
        let mut iter =
            RowIter { rows: Some(rows), plan: Arc::clone(plan), ahead: SmallVec::new().into_iter() };
        // The first step takes the moment that is seen, and tells whether the plan still fits the schema.
        let mut ahead: SmallVec<[Result<T>; 1]> = iter.step().transpose()?.map(Ok).into_iter().collect();
        if session.is_transaction() {
            ahead.extend(std::iter::from_fn(|| iter.step()));
            iter.rows = None;
        }
        iter.ahead = ahead.into_iter();
        if let Some(rows) = &mut iter.rows
            && rows.met_schema()
        {
            rows.guard().look_again()?;
        }
        Ok(iter)
    }

    /// Returns the next row that is stored. What is through, or broken, holds nothing.
    fn step(&mut self) -> Option<Result<T>> {
        let row = match self.rows.as_mut()?.step() {
            Ok(Some(row)) => Some(T::read(&mut Columns::new(&row, &self.plan.output))),
            Ok(None) => None,
            Err(error) => Some(Err(error.into())),
        };
        if !matches!(row, Some(Ok(_))) {
            self.rows = None;
        }
        row
    }
}

impl<T: Row> Iterator for RowIter<'_, T> {
    type Item = Result<T>;

    fn next(&mut self) -> Option<Result<T>> {
        self.ahead.next().or_else(|| self.step())
    }
}

impl<T: Row> std::iter::FusedIterator for RowIter<'_, T> {}
