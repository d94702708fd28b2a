//! Closures whose parameters, rows and results are all inferred.

#![deny(warnings)]

use serde::{Deserialize, Serialize};
use vellum::prelude::*;

#[derive(Document, Serialize, Deserialize)]
struct Order {
    id: i64,
    name: String,
    nick: Option<String>,
    score: Option<f64>,
    price: f64,
    age: u32,
}

fn main() -> vellum::Result<()> {
    let db = Database::open_in_memory()?;
    let o = db.collection::<Order>()?;
    // Comparisons.
    o.compile(|q, (a,)| q.filter(|o| o.name.eq(a) | o.nick.eq(a) | o.nick.eq(o.name)).count())?.call("x")?;
    o.compile(|q, (a,)| q.filter(|o| o.score.gt(a)).exists())?.call(1.0)?;
    o.compile(|q, (a, b)| q.filter(|o| o.id.is_in([a, b]) & o.age.between(1, 9)).first())?.call((1, 2))?;
    o.compile(|q, (ids,)| q.filter(|o| o.id.is_in(ids)).delete())?.call(&[1, 2])?;
    o.compile(|q, (a,)| q.filter(|o| o.name.len().gt(3) & o.name.to_lowercase().starts_with(a)).count())?
        .call("x")?;
    // Literals of each width.
    o.filter(|o| o.age.eq(5) & o.price.lt(1.5) & o.score.ne(2.0) & o.id.lt(5_000_000_000)).count()?;
    o.filter(|o| o.name.is_in(["a", "b"]) & o.age.is_in([1, 2]) & o.nick.is_some_and(|n| n.ne("x")))
        .count()?;
    // Arithmetic, with a parameter and a literal on either side.
    o.compile(|q, (k,)| {
        q.filter(|o| (k * o.price).gt(5.0) & (o.price / k).lt(9.0) & (2.0 * o.price).ge(k)).count()
    })?
    .call(1.5)?;
    o.compile(|q, (k,)| q.select(|o| (o.score * o.price * k + 1.0, o.price * o.score.unwrap_or(0.0) - k)))?
        .call(1.5)?;
    // Row counts, orders and groups.
    o.compile(|q, (skip, take)| {
        q.order_by(|o| (o.name, o.age.desc())).select(|o| o.name).skip(skip).take(take)
    })?
    .call((1, 2))?;
    o.query().skip(1).take(o.count()?).to_vec()?;
    o.compile(|q, ()| q.group_by(|o| (o.name, o.age)).select(|g| (g.key, g.count(), g.max(|o| o.score))))?
        .call(())?;
    // Folds.
    (o.query().sum(|o| o.age)?, o.query().avg(|o| o.score)?, o.query().min(|o| o.nick)?);
    // Assignments.
    o.compile(|q, (id, name, price)| {
        q.filter(|o| o.id.eq(id))
            .update(|o| (o.name.set(name), o.price.set(price), o.nick.set(None), o.age.increment(1)))
    })?
    .call((1, "x", 2.5))?;
    // Over any collection, and with operators.
    db.compile(|q, (a, b)| {
        q.from::<Order>().filter(x!(|o| o.name == a && (o.age > b || !(o.price <= 1.0)))).count()
    })?
    .call(("x", 3))?;
    Ok(())
}
