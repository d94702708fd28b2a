//! A transaction committed before one inside it goes out of scope, though nobody asks for that one again.

use vellum::prelude::*;

fn run(db: &Database) -> vellum::Result<()> {
    let mut tx = db.begin()?;
    let _inner = tx.begin()?;
    tx.commit()?;
    Ok(())
}

fn main() {}
