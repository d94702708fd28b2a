//! The two trees of a query, with their values, types and paths: pure data and printing.
//!
//! [`doc`] is what the typed builder says, faithful to what was written, so that errors can speak in the user's
//! words. [`sql`] is what the emitter prints: every decision about guards, indexes and order has been taken, and
//! every node has exactly one text. The compiler turns the first into the second; nothing here does I/O.

pub(crate) mod catalog;
pub(crate) mod doc;
#[cfg(test)]
pub(crate) mod eval;
pub(crate) mod path;
pub(crate) mod record;
pub(crate) mod sql;
pub(crate) mod text;
pub(crate) mod types;
pub(crate) mod value;
