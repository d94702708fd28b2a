//! The codec beside `serde_json` on the event documents of `fixtures`' kind: eleven fields, about 940 bytes.
//!
//! `encode` is to be at most 0.6 of `encode by serde_json`, `decode` at most 0.6 of `decode by serde_json`. Both
//! decodings start from a row of SQLite: one reads the blob, the other `json(doc)`.

use criterion::{Criterion, criterion_group, criterion_main};
use rusqlite::Connection;
use serde::{Deserialize, Serialize};
use std::hint::black_box;
use vellum::__private::codec::{decode, encode};

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Event {
    id: i64,
    system: String,
    machine_name: String,
    agg_id: String,
    unix_timestamp: i64,
    #[serde(rename = "type")]
    kind: String,
    username: String,
    tags: String,
    level: i64,
    message: String,
    body: String,
}

/// Returns the event of that position, as the workloads draw it.
fn event(i: u64) -> Event {
    let mut state = (i + 1).wrapping_mul(0x2545_F491_4F6C_DD1D);
    let mut draw = || {
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (state ^ state >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ z >> 31
    };
    let mut pick = |words: &[&str]| words[(draw() % words.len() as u64) as usize].to_owned();
    let system = ["ui console", "ui web", "core", "batch", "mail"][(i % 5) as usize].to_owned();
    let machine_name = ["NODE-01", "NODE-02", "NODE-03", "HOST-1", "HOST-2"][(i % 5) as usize].to_owned();
    let agg_id = ["AB-1", "AB-2", "XY-1", "QR-1"][(i % 4) as usize].to_owned();
    let kind = pick(&["Error", "Info", "Warning", "Debug"]);
    let mut text = |least: u64, more: u64, alphabet: &[u8]| -> String {
        let len = least + draw() % more;
        (0..len).map(|_| char::from(alphabet[(draw() % alphabet.len() as u64) as usize])).collect()
    };
    let username = text(3, 10, b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz");
    let lower = b"abcdefghijklmnopqrstuvwxyz ";
    let (message, body) = (text(20, 21, lower), text(620, 311, lower));
    Event {
        id: i as i64 + 1,
        system,
        machine_name,
        agg_id,
        unix_timestamp: 1_700_000_000 + (i as i64 * 7_919) % 200_000,
        kind,
        username,
        tags: "OK".to_owned(),
        level: (i % 6) as i64,
        message,
        body,
    }
}

const COUNT: u64 = 1_000;

fn benches(criterion: &mut Criterion) {
    let events: Vec<Event> = (0..COUNT).map(event).collect();
    let mut out = Vec::new();

    let mut group = criterion.benchmark_group("codec");
    group.throughput(criterion::Throughput::Elements(COUNT));
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
