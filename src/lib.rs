//! Vellum: an embedded document database for Rust.
#![doc = ""]

mod api;
mod codec;
mod compile;
mod error;
mod ir;
mod store;
