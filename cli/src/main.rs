//! The `vellum` command.

fn main() {}
