//! When the narrow index is made: it is a scan of all documents, so that one index more does not pay for it.

use serde::{Deserialize, Serialize};
use vellum::prelude::*;

#[derive(Document, Serialize, Deserialize)]
struct Reading {
    id: i64,
    #[document(index)]
    sensor: i64,
    #[document(index)]
    value: i64,
    note: String,
}

/// Returns whether a condition on two fields, neither of which finds few documents, is served by the narrow index.
fn is_served(db: &Database) -> vellum::Result<bool> {
    let count = db.compile(|q, (sensor, value)| {
        q.from::<Reading>().filter(|r| r.sensor.ne(sensor) & r.value.ne(value)).count()
    })?;
    assert_eq!(count.call((1, 2))?, 1);
    Ok(count.to_sql().contains("/*"))
}

#[test]
fn one_index_more_or_less_leaves_the_narrow_index_alone() -> vellum::Result<()> {
    let db = Database::open_in_memory()?;
    let readings = db.collection::<Reading>()?;
    readings.insert_batch((1..4).map(|i| Reading { id: 0, sensor: i, value: i, note: String::new() }))?;
    readings.ensure_index(|r| r.sensor).create()?;
    readings.ensure_index(|r| r.value).create()?;
    assert!(!is_served(&db)?);
    assert_eq!(readings.ensure_indexes()?.unchanged.len(), 2);
    assert!(is_served(&db)?);
    let names: Vec<String> = readings.indexes()?.into_iter().map(|index| index.name).collect();
    assert_eq!(names.len(), 2);
    for name in names {
        assert!(readings.drop_index(&name)?);
        assert!(is_served(&db)?, "the narrow index holds the column of {name}");
    }
    readings.ensure_indexes()?;
    assert!(is_served(&db)?);
    Ok(())
}
