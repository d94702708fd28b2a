//! Vellum: an embedded document database for Rust.
