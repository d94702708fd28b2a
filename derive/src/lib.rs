//! The derives of the vellum crate.
