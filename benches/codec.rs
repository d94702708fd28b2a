//! The codec beside `serde_json` on the event documents: eleven fields, about 940 bytes.
//!
//! `encode` is to take at most 0.6 of `encode by serde_json`, `decode` at most 0.6 of `decode by serde_json`. Both
//! decodings start from a row of SQLite: one reads the blob, the other `json(doc)`.
#![allow(clippy::expect_used, missing_docs, reason = "a benchmark stops at the first surprise")]

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use rusqlite::Connection;
use vellum::__private::v1::codec::{decode, encode};
use vellum_fixtures::events::{Event, events};

const COUNT: usize = 1_000;

fn benches(criterion: &mut Criterion) {
    let events: Vec<Event> = events(COUNT).collect();
    let mut out = Vec::new();

    let mut group = criterion.benchmark_group("codec");
    group.throughput(Throughput::Elements(COUNT as u64));
    group.bench_function("encode", |bencher| {
        bencher.iter(|| {
            for event in &events {
                out.clear();
                encode(event, Some("id"), &mut out).expect("an event can be stored");
                black_box(&out);
            }
        });
    });
    group.bench_function("encode by serde_json", |bencher| {
        bencher.iter(|| {
            for event in &events {
                out.clear();
                serde_json::to_writer(&mut out, event).expect("an event is JSON");
                black_box(&out);
            }
        });
    });

    let conn = tables(&events).expect("two tables of events");
    group.bench_function("decode", |bencher| {
        let mut rows = conn.prepare("SELECT id, doc FROM events").expect("SQL");
        bencher.iter(|| {
            let mut rows = rows.query(()).expect("rows");
            while let Some(row) = rows.next().expect("a row") {
                let id = row.get(0).expect("an id");
                let doc = row.get_ref(1).and_then(|doc| Ok(doc.as_blob()?)).expect("a blob");
                black_box(decode::<Event>(doc, Some(("id", id))).expect("an event"));
            }
        });
    });
    group.bench_function("decode by serde_json", |bencher| {
        let mut rows = conn.prepare("SELECT json(doc) FROM control").expect("SQL");
        bencher.iter(|| {
            let mut rows = rows.query(()).expect("rows");
            while let Some(row) = rows.next().expect("a row") {
                let doc = row.get_ref(0).and_then(|doc| Ok(doc.as_str()?)).expect("a text");
                black_box(serde_json::from_str::<Event>(doc).expect("an event"));
            }
        });
    });
    group.finish();
}

/// Stores each event twice: by the codec without its key, and whole by SQLite's `jsonb`.
fn tables(events: &[Event]) -> rusqlite::Result<Connection> {
    let conn = Connection::open_in_memory()?;
    conn.execute_batch(
        "CREATE TABLE events(id INTEGER PRIMARY KEY, doc BLOB); CREATE TABLE control(id INTEGER PRIMARY KEY, doc BLOB)",
    )?;
    let mut insert = conn.prepare("INSERT INTO events VALUES (?1, ?2)")?;
    let mut control = conn.prepare("INSERT INTO control VALUES (?1, jsonb(?2))")?;
    for event in events {
        let mut doc = Vec::new();
        encode(event, Some("id"), &mut doc).expect("an event can be stored");
        insert.execute((event.id, doc))?;
        control.execute((event.id, serde_json::to_string(event).expect("an event is JSON")))?;
    }
    drop((insert, control));
    Ok(conn)
}

criterion_group!(codec, benches);
criterion_main!(codec);
