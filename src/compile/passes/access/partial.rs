//! Partial indexes: one serves a query that states each of its conditions, in the same words.
//!
//! SQLite takes a partial index only where it finds the index's conditions among the query's. A value that the index
//! names is written into the query that names it too ([`with_literals`](crate::compile::with_literals)), never bound, so
//! that the words of a condition are the whole of it.

use crate::compile::emit;
use crate::ir::catalog::Index;
use crate::ir::sql::{Alias, Expr};

/// Returns the places of the conditions that state those of an index, none for an index of all documents; `None` where
/// one is not stated.
pub(super) fn stated(index: &Index, filter: &[Expr], alias: Alias) -> Option<Vec<usize>> {
    if index.filter.is_empty() {
        return Some(Vec::new());
    }
    let said: Vec<Option<String>> =
        filter.iter().map(|condition| emit::condition_of_columns(condition, alias)).collect();
    let place = |wanted: &String| said.iter().position(|said| said.as_ref() == Some(wanted));
    index.filter.iter().map(place).collect()
}
