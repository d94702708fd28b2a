//! Queries that are planned once and called many times, from any thread. Run with `cargo run --example compiled`.

use std::thread;

use serde::{Deserialize, Serialize};
use vellum::prelude::*;

#[derive(Document, Serialize, Deserialize, Debug)]
#[document(collection = "readings")]
struct Reading {
    id: i64,
    #[document(index)]
    sensor: String,
    #[document(index)]
    taken: i64,
    value: f64,
}

/// Named arguments: the closure takes a `PageParams`, a call a `Page`.
#[derive(Params)]
struct Page<'a> {
    prefix: &'a str,
    offset: u64,
}

fn main() -> vellum::Result<()> {
    let db = Database::open_in_memory()?;
    let readings = db.collection::<Reading>()?;
    readings.insert_batch((0..1_000).map(|i| Reading {
        id: 0,
        sensor: format!("hall {}/{}", i % 3, i % 7),
        taken: 1_700_000_000 + i * 60,
        value: (i % 40) as f64 / 2.0,
    }))?;
    readings.ensure_indexes()?;

    // The types of the parameters follow from their use: this is a `Compiled<(String, f64), u64>`.
    let above = db.compile(|q, (sensor, limit)| {
        q.from::<Reading>().filter(|r| r.sensor.eq(sensor) & r.value.gt(limit)).count()
    })?;
    println!("above 15 in hall 0/0: {}", above.call(("hall 0/0", 15.0))?);

    let page = db.compile(|q, p: PageParams| {
        q.from::<Reading>()
            .filter(|r| r.sensor.starts_with(p.prefix))
            .order_by_desc(|r| r.taken)
            .skip(p.offset)
            .take(3)
    })?;
    for reading in page.call(Page { prefix: "hall 1", offset: 10 })? {
        println!("{} {} {}", reading.id, reading.sensor, reading.value);
    }
    for reading in page.explain()?.plan.readings {
        println!("`{}` is read by {:?}: {}", reading.collection, reading.indexes, reading.choice);
    }

    // A compiled query is cheap to clone, and threads share it.
    let counts: Vec<u64> = thread::scope(|scope| {
        let threads: Vec<_> = (0..3)
            .map(|hall| {
                let above = &above;
                scope.spawn(move || above.call((&format!("hall {hall}/0"), 10.0)))
            })
            .collect();
        threads.into_iter().filter_map(|thread| thread.join().ok()).collect::<vellum::Result<_>>()
    })?;
    println!("above 10 in the halls: {counts:?}");

    // Rows one at a time; the same thread may run other queries meanwhile.
    let all = readings.compile(|q, ()| q.select(|r| r.value))?;
    let mut highest = f64::MIN;
    for value in all.iter(())? {
        highest = highest.max(value?);
    }
    println!("highest: {highest}");
    Ok(())
}
