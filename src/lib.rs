//! Vellum: an embedded document database for Rust.
mod store;

pub use store::{Durability, SqliteError, StoreError};
