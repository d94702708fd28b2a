//! Transactions inside transactions, snapshots, and what errors say. Run with `cargo run --example transactions`.

use serde::{Deserialize, Serialize};
use vellum::prelude::*;
use vellum::{Error, ErrorKind};

#[derive(Document, Serialize, Deserialize, Debug)]
#[document(collection = "accounts")]
struct Account {
    id: i64,
    #[document(unique)]
    owner: String,
    cents: i64,
}

/// Moves money, or changes nothing, inside a transaction that goes on either way.
fn transfer(tx: &mut Tx<'_>, from: &str, to: &str, cents: i64) -> vellum::Result<bool> {
    let inner = tx.begin()?;
    let accounts = inner.collection::<Account>()?;
    let taken =
        accounts.update_many(|a| a.owner.eq(from) & a.cents.ge(cents), |a| a.cents.increment(-cents))?;
    let given = accounts.update_many(|a| a.owner.eq(to), |a| a.cents.increment(cents))?;
    if taken != 1 || given != 1 {
        // Dropping it would do the same.
        inner.rollback()?;
        return Ok(false);
    }
    inner.commit()?;
    Ok(true)
}

fn main() -> vellum::Result<()> {
    let db = Database::open_in_memory()?;
    let accounts = db.collection::<Account>()?;
    accounts.ensure_indexes()?;
    for (owner, cents) in [("ada", 10_000), ("bo", 500)] {
        accounts.insert(Account { id: 0, owner: owner.into(), cents })?;
    }

    let balances = db.compile(|q, ()| q.from::<Account>().select(|a| (a.owner, a.cents)))?;
    let before = db.snapshot()?;
    let mut tx = db.begin()?;
    println!("ada pays bo: {}", transfer(&mut tx, "ada", "bo", 2_500)?);
    println!("bo pays too much: {}", transfer(&mut tx, "bo", "ada", 99_999)?);
    tx.commit()?;
    println!("before: {:?}", balances.on(&before).call(())?);
    println!("after: {:?}", balances.call(())?);

    // An error inside `transaction` takes everything back.
    let failed = db.transaction(|tx| {
        let accounts = tx.collection::<Account>()?;
        accounts.update_many(|a| a.owner.eq("ada"), |a| a.cents.set(0))?;
        accounts.insert(Account { id: 0, owner: "bo".into(), cents: 1 })
    });
    match failed {
        Err(error) if error.kind() == ErrorKind::Unique => println!("refused: {error}"),
        other => println!("unexpected: {other:?}"),
    }
    println!("still: {:?}", balances.call(())?);

    // A batch is one transaction, and its error names the item.
    let batch = ["cy", "di", "ada"].map(|owner| Account { id: 0, owner: owner.into(), cents: 0 });
    if let Err(error @ Error::Item { index, .. }) = accounts.insert_batch(batch) {
        println!("item {index} was refused ({:?}); accounts: {}", error.kind(), accounts.count()?);
    }
    Ok(())
}
