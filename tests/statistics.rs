//! What ANALYZE finds decides how tables are read: loose scans, the choice among indexes, and when it is asked again.

use serde::{Deserialize, Serialize};
use vellum::prelude::*;
use vellum::{Compiled, Options};

type TestResult = Result<(), Box<dyn std::error::Error>>;

#[derive(Document, Serialize, Deserialize, Debug, Clone, PartialEq)]
#[document(collection = "readings")]
struct Reading {
    id: i64,
    site: String,
    sensor: String,
    level: Option<f64>,
    batch: i64,
}

/// Four sites with 25 sensors each; `batch` is never twice the same.
fn reading(n: i64) -> Reading {
    Reading {
        id: 0,
        site: format!("site-{}", n % 4),
        sensor: format!("s{:02}", n % 25),
        level: (n % 7 != 0).then_some((n % 5) as f64 / 2.0),
        batch: n,
    }
}

const COUNT: i64 = 5_000;

fn filled() -> vellum::Result<(Database, Collection<'static, Reading>)> {
    let db = Database::open_in_memory()?;
    let readings = db.collection::<Reading>()?;
    readings.insert_batch((0..COUNT).map(reading))?;
    Ok((db, readings))
}

fn by_two_prefixes(db: &Database) -> vellum::Result<Compiled<(String, String), u64>> {
    db.compile(|q, (site, sensor)| {
        q.from::<Reading>().filter(|r| r.site.starts_with(site) & r.sensor.starts_with(sensor)).count()
    })
}

fn choice<P, O>(query: &Compiled<P, O>) -> vellum::Result<String> {
    let readings = query.explain()?.plan.readings;
    Ok(readings.into_iter().map(|reading| reading.choice).collect::<Vec<_>>().join("; "))
}

fn expected(site: &str, sensor: &str) -> u64 {
    let matches = |r: &Reading| r.site.starts_with(site) && r.sensor.starts_with(sensor);
    (0..COUNT).map(reading).filter(matches).count() as u64
}

#[test]
fn an_index_is_entered_for_each_of_the_few_values_of_its_first_column() -> TestResult {
    let (db, readings) = filled()?;
    let count = by_two_prefixes(&db)?;
    readings.ensure_index(|r| (r.site, r.sensor)).create()?;
    for (site, sensor) in [("site-", "s1"), ("site-2", "s"), ("", ""), ("x", "s"), ("site-", "s24")] {
        assert_eq!(count.call((site, sensor))?, expected(site, sensor), "{site} {sensor}");
    }
    let why = choice(&count)?;
    assert!(why.contains("for each value of `site` in a range, sought by `sensor` in a range"), "{why}");
    assert!(count.to_sql().starts_with("WITH RECURSIVE"), "{}", count.to_sql());
    Ok(())
}

#[test]
fn an_index_of_many_first_values_is_not() -> TestResult {
    let (db, readings) = filled()?;
    readings.ensure_index(|r| (r.batch, r.sensor)).create()?;
    let count = db.compile(|q, (from, sensor)| {
        q.from::<Reading>().filter(|r| r.batch.ge(from) & r.sensor.starts_with(sensor)).count()
    })?;
    let why = choice(&count)?;
    let (chosen, others) = why.split_once("next best").ok_or("one way only")?;
    assert!(!chosen.contains("for each value") && others.contains("for each value of `batch`"), "{why}");
    assert_eq!(count.call((COUNT - 25, "s0"))?, 10);
    Ok(())
}

#[test]
fn a_loose_scan_gives_documents_in_their_order_and_leaves_out_other_kinds() -> TestResult {
    let (db, readings) = filled()?;
    readings.ensure_index(|r| (r.level, r.batch)).create()?;
    let found = db.compile(|q, (level, batch)| {
        q.from::<Reading>().filter(|r| r.level.ge(level) & r.batch.lt(batch)).select(|r| r.batch)
    })?;
    let naive = |level: f64, batch: i64| -> Vec<i64> {
        let matches = |r: &Reading| r.level.is_some_and(|own| own >= level) && r.batch < batch;
        (0..COUNT).map(reading).filter(matches).map(|r| r.batch).collect()
    };
    for (level, batch) in [(0.0, 40), (-0.0, 40), (1.5, 100), (2.0, 3_000), (9.0, 10)] {
        assert_eq!(found.call((level, batch))?, naive(level, batch), "{level} {batch}");
    }
    let documents = readings.filter(|r| r.level.gt(1.0) & r.batch.lt(20));
    let why = documents.explain()?.plan.readings.into_iter().map(|r| r.choice).collect::<String>();
    assert!(why.contains("for each value of `level`"), "{why}");
    let batches: Vec<i64> = documents.to_vec()?.into_iter().map(|r| r.batch).collect();
    assert_eq!(batches, naive(1.5, 20));
    Ok(())
}

#[test]
fn a_bound_that_the_row_itself_gives_leads_no_loose_scan() -> TestResult {
    let (_db, readings) = filled()?;
    let naive = |matches: fn(&Reading) -> bool| -> Vec<i64> {
        (0..COUNT).map(reading).filter(matches).map(|r| r.batch).collect()
    };
    let above = naive(|r| {
        r.level.is_some_and(|level| level > (r.batch % 3) as f64 && level >= 0.0)
            && r.sensor.starts_with("s0")
    });
    readings.ensure_index(|r| (r.level, r.sensor)).create()?;
    for indexed in [false, true] {
        if indexed {
            readings.ensure_index(|r| r.batch).create()?;
        }
        let found = readings
            .filter(|r| r.level.gt((r.batch % 3).as_f64()) & r.level.ge(0.0) & r.sensor.starts_with("s0"))
            .select(|r| r.batch);
        let why = found.explain()?.plan.readings.into_iter().map(|r| r.choice).collect::<String>();
        assert!(why.contains("for each value of `level`"), "{why}");
        assert_eq!(found.to_vec()?, above);
    }
    let gone = readings
        .delete_many(|r| r.level.gt((r.batch % 3).as_f64()) & r.level.ge(0.0) & r.sensor.starts_with("s0"))?;
    assert_eq!(gone, above.len() as u64);
    Ok(())
}

#[test]
fn a_collection_may_be_called_as_a_table_of_keys_is() -> TestResult {
    let db = Database::open_in_memory()?;
    for name in ["g", "k", "vellum_keys", "t0"] {
        let readings = db.collection_named::<Reading>(name)?;
        readings.insert_batch((0..COUNT).map(reading))?;
        readings.ensure_index(|r| (r.site, r.sensor)).create()?;
        let count = readings.filter(|r| r.site.starts_with("site-") & r.sensor.starts_with("s1"));
        assert!(count.explain()?.to_string().contains("RECURSIVE"), "{name}");
        assert_eq!(count.count()?, expected("site-", "s1"), "{name}");
        let groups = readings.query().group_by(|r| r.site.substr(0, 4)).select(|g| (g.key, g.count()));
        assert_eq!(groups.to_vec()?, [("site".to_owned(), COUNT as u64)], "{name}");
    }
    Ok(())
}

#[test]
fn of_two_equalities_the_rarer_value_leads() -> TestResult {
    let (db, readings) = filled()?;
    readings.ensure_index(|r| r.site).create()?;
    readings.ensure_index(|r| r.batch).create()?;
    let find = db.compile(|q, (site, batch)| {
        q.from::<Reading>().filter(|r| r.site.eq(site) & r.batch.eq(batch)).select(|r| r.sensor)
    })?;
    assert_eq!(find.call(("site-3", 7))?, ["s07"]);
    let why = choice(&find)?;
    assert!(why.starts_with("the index `readings/batch` sought by `batch`"), "{why}");
    Ok(())
}

#[test]
fn a_plan_is_renewed_by_optimize_also_on_another_handle() -> TestResult {
    let dir = std::env::temp_dir().join(format!("vellum-statistics-{}", std::process::id()));
    std::fs::create_dir_all(&dir)?;
    let path = dir.join("a.db");
    let db = Database::open(&path)?;
    let readings = db.collection::<Reading>()?;
    // An index of an empty collection has no statistics.
    readings.ensure_index(|r| (r.site, r.sensor)).create()?;
    readings.insert_batch((0..COUNT).map(reading))?;
    let other = Options::new().read_only().open(&path)?;
    let (own, others) = (by_two_prefixes(&db)?, by_two_prefixes(&other)?);
    for count in [&own, &others] {
        assert_eq!(count.call(("site-", "s1"))?, expected("site-", "s1"));
        assert!(!count.to_sql().contains("RECURSIVE"));
    }
    db.optimize()?;
    assert_eq!(own.call(("site-", "s1"))?, expected("site-", "s1"));
    assert!(own.to_sql().contains("RECURSIVE"), "{}", own.to_sql());
    // Another process notices with a call, and plans anew with the next.
    for _ in 0..2 {
        assert_eq!(others.call(("site-", "s1"))?, expected("site-", "s1"));
    }
    assert!(others.to_sql().contains("RECURSIVE"), "{}", others.to_sql());
    drop((own, others, readings, db, other));
    std::fs::remove_dir_all(dir)?;
    Ok(())
}

#[test]
fn statistics_that_another_program_garbled_are_as_none() -> TestResult {
    let dir = std::env::temp_dir().join(format!("vellum-garbled-{}", std::process::id()));
    std::fs::create_dir_all(&dir)?;
    let path = dir.join("a.db");
    let db = Database::open(&path)?;
    let readings = db.collection::<Reading>()?;
    readings.insert_batch((0..COUNT).map(reading))?;
    readings.ensure_index(|r| (r.site, r.sensor)).create()?;
    drop((readings, db));
    for garbled in
        ["x'00ff'", "''", "'many'", "'5000'", "'0 0 0'", "'-5 3'", "NULL", "7", "'99999999999999999999 1'"]
    {
        let stranger = rusqlite::Connection::open(&path)?;
        stranger.execute_batch(&format!("UPDATE sqlite_stat1 SET stat = {garbled}"))?;
        drop(stranger);
        let db = Database::open(&path)?;
        let count = by_two_prefixes(&db)?;
        assert!(!count.to_sql().contains("RECURSIVE"), "{garbled}");
        assert_eq!(count.call(("site-", "s1"))?, expected("site-", "s1"), "{garbled}");
    }
    std::fs::remove_dir_all(dir)?;
    Ok(())
}
