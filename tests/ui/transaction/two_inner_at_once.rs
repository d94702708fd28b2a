//! Two transactions side by side inside a third.

use vellum::prelude::*;

fn run(db: &Database) -> vellum::Result<()> {
    let mut tx = db.begin()?;
    let first = tx.begin()?;
    let second = tx.begin()?;
    first.commit()?;
    second.commit()?;
    tx.commit()
}

fn main() {}
