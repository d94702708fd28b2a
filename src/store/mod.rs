//! The store: files, connections, transactions, statements, our tables. The only layer that knows SQLite; it
//! imports nothing of ours.
//!
//! What it promises:
//! - One writer an engine, first come, first served; a wait ends in success or, after the configured time, in `Busy`.
//! - A thread that would wait for itself is told so (`WrongTarget`).
//! - What is not committed is gone when its guard is dropped; what is committed survives what the durability says.
//! - An id that was given is never given again.
//! - The cached catalog moves on commit only; its epoch moves with each change, in the same transaction.
//! - Every error is typed; SQLite's own is its source.

mod blob;
mod cache;
mod collection;
mod conn;
mod engine;
mod error;
mod functions;
mod ids;
mod index;
mod load;
mod narrow;
mod options;
mod pool;
mod progress;
mod queue;
mod registry;
mod savepoint;
mod schema;
mod statistics;
mod stmt;
mod temp;
#[cfg(test)]
mod tests;
mod txn;
mod upkeep;

pub(crate) use conn::Conn;
pub(crate) use engine::Engine;
pub use error::{SqliteError, StoreError};
pub(crate) use index::{IndexColumnSpec, IndexOutcome, IndexSpec};
pub use options::Durability;
pub(crate) use options::Options;
pub(crate) use progress::Progress;
pub(crate) use schema::{CollectionInfo, FILE_VIEW, IndexFilter, Schema};
pub(crate) use statistics::{ANALYZED_ROWS, Statistics};
pub(crate) use stmt::{Bind, Cell, Row, Stmt};
#[cfg(test)]
pub(crate) use tests::faults;
pub(crate) use txn::{OwnedRows, ReadTxn, Reader, WriteTxn};
