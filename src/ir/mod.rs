//! The two trees of a query, with their values and paths: pure data and printing.

pub(crate) mod path;
pub(crate) mod value;
