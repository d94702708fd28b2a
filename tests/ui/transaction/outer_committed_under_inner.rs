//! A transaction committed while one inside it lives.

use vellum::prelude::*;

fn run(db: &Database) -> vellum::Result<()> {
    let mut tx = db.begin()?;
    let inner = tx.begin()?;
    tx.commit()?;
    inner.commit()?;
    Ok(())
}

fn main() {}
