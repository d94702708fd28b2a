//! Unique indexes that take two documents without a value for equal.

mod support;

use serde::{Deserialize, Serialize};
use support::{Dir, TestResult, assert_whole, fails, strange, stranger};
use vellum::ErrorKind;
use vellum::prelude::*;

#[derive(Document, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[document(collection = "seats")]
struct Seat {
    id: i64,
    row: Option<i64>,
    number: Option<String>,
    open: bool,
}

fn seat(row: Option<i64>, number: Option<&str>) -> Seat {
    Seat { id: 0, row, number: number.map(str::to_owned), open: false }
}

fn seats() -> vellum::Result<(Database, Collection<'static, Seat>)> {
    let db = Database::open_in_memory()?;
    let seats = db.collection::<Seat>()?;
    Ok((db, seats))
}

/// Returns the names of all indexes in the file.
fn names(db: &Database) -> rusqlite::Result<Vec<String>> {
    let conn = stranger(db)?;
    let mut names =
        conn.prepare("SELECT name FROM sqlite_schema WHERE type = 'index' AND name LIKE 'seats/%'")?;
    names.query_map([], |row| row.get(0))?.collect()
}

#[test]
fn a_second_document_without_a_value_is_refused() -> TestResult {
    let (db, seats) = seats()?;
    let report = seats.ensure_index(|s| s.number).unique().nulls_collide().create()?;
    assert_eq!(report.created, ["seats/number"]);
    seats.insert(seat(Some(1), None))?;
    fails(seats.insert(seat(Some(2), None)), ErrorKind::Unique, &["`seats/number`"]);
    seats.insert(seat(Some(1), Some("")))?;
    fails(seats.insert(seat(Some(2), Some(""))), ErrorKind::Unique, &["`seats/number`"]);
    // A missing value is none either, whoever stores it.
    assert!(strange(&db, "seats", &[(9, "{}")]).is_err_and(|error| error.to_string().contains("UNIQUE")));
    let batch = [seat(None, Some("b")), seat(None, None)];
    fails(seats.insert_batch(batch), ErrorKind::Unique, &["`seats/number`", "item 1"]);
    fails(seats.update_many(|s| s.number.eq("".to_owned()), |s| s.number.set(None)), ErrorKind::Unique, &[]);
    assert_eq!(seats.count()?, 2);
    assert_eq!(seats.filter(|s| s.number.is_none()).update(|s| s.number.set("a".to_owned()))?, 1);
    seats.insert(seat(Some(2), None))?;
    Ok(())
}

#[test]
fn each_field_of_a_compound_index_takes_null_for_a_value() -> TestResult {
    let (_db, seats) = seats()?;
    seats.ensure_index(|s| (s.row, s.number.desc())).nulls_collide().create()?;
    let all = [
        seat(None, None),
        seat(Some(1), None),
        seat(None, Some("1")),
        seat(Some(1), Some("1")),
        seat(Some(1), Some("")),
        seat(Some(0), None),
    ];
    seats.insert_batch(all.clone())?;
    for again in all {
        fails(seats.insert(again), ErrorKind::Unique, &["`seats/row,number desc`"]);
    }
    assert_eq!(seats.count()?, 6);
    Ok(())
}

#[test]
fn an_index_that_documents_break_is_not_made() -> TestResult {
    let dir = Dir::new()?;
    let path = dir.file("app.db");
    let db = Database::open(&path)?;
    let seats = db.collection::<Seat>()?;
    seats.insert_batch([seat(None, Some("a")), seat(None, Some("b"))])?;
    fails(seats.ensure_index(|s| s.row).nulls_collide().create(), ErrorKind::Unique, &["`seats/row`"]);
    assert_eq!((seats.indexes()?, names(&db)?), (vec![], vec![]));
    seats.ensure_index(|s| s.row).unique().create()?;
    drop((seats, db));
    assert_whole(&path)
}

#[test]
fn an_index_that_takes_nulls_otherwise_is_reported_and_left() -> TestResult {
    let (db, seats) = seats()?;
    seats.ensure_index(|s| s.row).unique().create()?;
    assert_eq!(seats.ensure_index(|s| s.row).nulls_collide().create()?.different, ["seats/row"]);
    assert!(!seats.indexes()?[0].nulls_collide);
    assert!(seats.drop_index("seats/row")?);
    seats.ensure_index(|s| s.row).nulls_collide().create()?;
    assert_eq!(seats.ensure_index(|s| s.row).nulls_collide().create()?.unchanged, ["seats/row"]);
    assert_eq!(seats.ensure_index(|s| s.row).unique().create()?.different, ["seats/row"]);
    assert_eq!(seats.ensure_index(|s| s.row).create()?.different, ["seats/row"]);
    let index = &seats.indexes()?[0];
    assert!(index.unique && index.nulls_collide);
    assert_eq!(names(&db)?, ["seats/row", "seats/row nulls"]);
    assert!(seats.drop_index("seats/row")?);
    assert!(names(&db)?.is_empty());
    seats.insert_batch([seat(None, None), seat(None, None)])?;
    Ok(())
}

#[test]
fn a_partial_one_compares_what_it_holds() -> TestResult {
    let (_db, seats) = seats()?;
    seats.ensure_index(|s| s.row).filter(|s| s.open).nulls_collide().create()?;
    let open = |row| Seat { open: true, ..seat(row, None) };
    seats.insert_batch([
        seat(None, None),
        seat(None, None),
        seat(Some(1), None),
        open(Some(1)),
        open(None),
    ])?;
    fails(seats.insert(open(None)), ErrorKind::Unique, &["`seats/row where open`"]);
    fails(seats.insert(open(Some(1))), ErrorKind::Unique, &["`seats/row where open`"]);
    fails(
        seats.update_many(|s| s.id.le(2), |s| s.open.set(true)),
        ErrorKind::Unique,
        &["`seats/row where open`"],
    );
    Ok(())
}

#[test]
fn it_serves_queries_as_any_index_does() -> TestResult {
    let (_db, seats) = seats()?;
    seats.ensure_index(|s| s.number).nulls_collide().create()?;
    let numbers = (0..50).map(|n| seat(Some(n), (n > 0).then(|| n.to_string()).as_deref()));
    seats.insert_batch(numbers)?;
    let found = seats.filter(|s| s.number.eq("7".to_owned()));
    assert_eq!(found.explain()?.plan.readings[0].indexes, ["seats/number"]);
    assert_eq!(found.select(|s| s.row).to_vec()?, [Some(7)]);
    assert_eq!(seats.filter(|s| s.number.is_none()).select(|s| s.row).to_vec()?, [Some(0)]);
    Ok(())
}

#[test]
fn one_that_another_program_dropped_by_half_is_made_anew() -> TestResult {
    for half in ["seats/row", "seats/row nulls"] {
        let dir = Dir::new()?;
        let path = dir.file("app.db");
        let db = Database::open(&path)?;
        let seats = db.collection::<Seat>()?;
        seats.ensure_index(|s| s.row).nulls_collide().create()?;
        stranger(&db)?.execute_batch(&format!("DROP INDEX \"{half}\""))?;
        assert_eq!(seats.ensure_index(|s| s.row).nulls_collide().create()?.created, ["seats/row"], "{half}");
        seats.insert(seat(None, None))?;
        fails(seats.insert(seat(None, None)), ErrorKind::Unique, &["`seats/row`"]);
        drop((seats, db));
        assert_whole(&path)?;
    }
    Ok(())
}

#[derive(Document, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[document(compound(unique, nulls_collide, "row", "number desc"))]
#[document(partial(unique, nulls_collide, "guest", |b| !b.paid))]
struct Booking {
    id: i64,
    #[document(unique, nulls_collide)]
    code: Option<i64>,
    row: Option<i64>,
    number: Option<i64>,
    guest: Option<String>,
    paid: bool,
}

#[test]
fn a_type_declares_what_its_nulls_are() -> TestResult {
    let db = Database::open_in_memory()?;
    let bookings = db.collection::<Booking>()?;
    let names = ["booking/code", "booking/row,number desc", "booking/guest where paid"];
    assert_eq!(bookings.ensure_indexes()?.created, names);
    assert_eq!(bookings.ensure_indexes()?.unchanged, names);
    assert!(bookings.indexes()?.iter().all(|index| index.unique && index.nulls_collide));
    let booking = |code, row| Booking { code, row, ..Booking::default() };
    bookings.insert(booking(None, None))?;
    let paid = |booking: Booking| Booking { paid: true, ..booking };
    fails(bookings.insert(paid(booking(None, Some(1)))), ErrorKind::Unique, &["`booking/code`"]);
    fails(bookings.insert(paid(booking(Some(1), None))), ErrorKind::Unique, &["`booking/row,number desc`"]);
    fails(bookings.insert(booking(Some(1), Some(1))), ErrorKind::Unique, &["`booking/guest where paid`"]);
    bookings.insert(paid(booking(Some(1), Some(1))))?;
    Ok(())
}
