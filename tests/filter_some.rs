//! Filters that depend on an option: there where it is `Some`, with its index, and gone where it is `None`.

mod support;

use serde::{Deserialize, Serialize};
use support::TestResult;
use vellum::prelude::*;
use vellum::{Collection, ErrorKind};

#[derive(Document, Serialize, Deserialize, Debug, Clone, PartialEq)]
#[document(collection = "events")]
struct Event {
    id: i64,
    #[document(index)]
    system: String,
    #[document(index)]
    size: i64,
    user: Option<String>,
}

fn events() -> vellum::Result<(Database, Collection<'static, Event>)> {
    let db = Database::open_in_memory()?;
    let events = db.collection::<Event>()?;
    events.ensure_indexes()?;
    events.insert_batch((0..12).zip(["core", "ui", "net"].into_iter().cycle()).map(|(n, system)| Event {
        id: 0,
        system: system.to_owned(),
        size: n,
        user: (n % 4 != 0).then(|| format!("u{}", n % 4)),
    }))?;
    Ok((db, events))
}

#[test]
fn a_filter_is_there_where_its_parameter_has_a_value() -> TestResult {
    let (_db, events) = events()?;
    let search = events.compile(|q, (system, least, user)| {
        q.filter_some(system, |e, system| e.system.eq(system))
            .filter_some(least, |e, least| e.size.ge(least))
            .filter_some(user, |e, user| e.user.eq(user) | e.id.eq(1))
            .select(|e| e.id)
    })?;
    assert_eq!(search.param_count(), 3);
    // Twice: the second time every plan is there.
    for _ in 0..2 {
        assert_eq!(search.call((None, None, None))?.len(), 12);
        assert_eq!(search.call((Some("core"), None, None))?, [1, 4, 7, 10]);
        assert_eq!(search.call((None, Some(9), None))?, [10, 11, 12]);
        assert_eq!(search.call((Some("core"), Some(9), None))?, [10]);
        assert_eq!(search.call((None, None, Some("u3")))?, [1, 4, 8, 12]);
        assert_eq!(search.call((Some("core"), Some(9), Some("u3")))?, [0_i64; 0]);
    }
    Ok(())
}

#[test]
fn an_ordinary_query_has_the_condition_or_has_it_not() -> TestResult {
    let (_db, events) = events()?;
    let count = |system: Option<&str>, least: Option<i64>| {
        let query = events.query().filter_some(system, |e, system| e.system.eq(system));
        query.filter_some(least, |e, least| e.size.ge(least)).count()
    };
    assert_eq!(count(None, None)?, 12);
    assert_eq!(count(Some("ui"), None)?, 4);
    assert_eq!(count(Some("ui"), Some(5))?, 2);
    let plain = events.filter(|e| e.system.eq("ui"));
    let optional = events.query().filter_some(Some("ui"), |e, system| e.system.eq(system));
    assert_eq!(optional.to_sql()?, plain.to_sql()?);
    Ok(())
}

#[test]
fn each_set_of_options_has_the_plan_of_the_query_that_it_is() -> TestResult {
    let (_db, events) = events()?;
    let told = events
        .compile(|q, (system,)| q.filter_some(system, |e, system| e.system.eq(system)).count())?
        .explain()?;
    assert_eq!(told.query, "from `events`\n  .filter_some(?1, (system == ?1))\n  .count()");
    assert_eq!(told.plan.readings[0].indexes, ["events/system"]);
    let written = events.compile(|q, (system,)| q.filter(|e| e.system.eq(system)).count())?;
    assert_eq!(told.plan.sql, written.to_sql());
    let without = told.without_options.as_ref().ok_or("the call without it is told too")?;
    assert_eq!(without.plan.sql, events.compile(|q, ()| q.count())?.to_sql());
    assert!(
        told.to_string().contains("\nwithout its options\nquery\n  from `events`\n    .count()\n"),
        "{told}"
    );
    Ok(())
}

#[test]
fn the_plans_follow_the_indexes() -> TestResult {
    let (_db, events) = events()?;
    let search = events.compile(|q, (system, least)| {
        q.filter_some(system, |e, system| e.system.eq(system))
            .filter_some(least, |e, least| e.size.ge(least))
            .count()
    })?;
    let answers = || -> vellum::Result<[u64; 4]> {
        Ok([
            search.call((None, None))?,
            search.call((Some("net"), None))?,
            search.call((None, Some(6)))?,
            search.call((Some("net"), Some(6)))?,
        ])
    };
    let expected = [12, 4, 6, 2];
    assert_eq!(answers()?, expected);
    events.drop_index("events/system")?;
    assert_eq!(answers()?, expected);
    events.drop_index("events/size")?;
    assert_eq!(answers()?, expected);
    events.ensure_indexes()?;
    assert_eq!(answers()?, expected);
    Ok(())
}

#[test]
fn more_sets_of_options_than_plans_that_are_kept_answer_too() -> TestResult {
    let (_db, events) = events()?;
    let search = events.compile(|q, (a, b, c, d, e, f, g)| {
        q.filter_some(a, |r, x| r.size.ne(x))
            .filter_some(b, |r, x| r.size.ne(x))
            .filter_some(c, |r, x| r.size.ne(x))
            .filter_some(d, |r, x| r.size.ne(x))
            .filter_some(e, |r, x| r.size.ne(x))
            .filter_some(f, |r, x| r.size.ne(x))
            .filter_some(g, |r, x| r.size.ne(x))
            .count()
    })?;
    for set in 0_u32..128 {
        let option = |place: u32| (set & 1 << place != 0).then_some(i64::from(place));
        let count =
            search.call((option(0), option(1), option(2), option(3), option(4), option(5), option(6)))?;
        assert_eq!(count, 12 - u64::from(set.count_ones()));
    }
    Ok(())
}

#[test]
fn an_option_of_a_params_struct_is_one_too() -> TestResult {
    #[derive(Params)]
    struct Search<'a> {
        system: Option<&'a str>,
        sizes: Option<&'a [i64]>,
        offset: u64,
    }
    let (_db, events) = events()?;
    let search = events.compile(|q, p: SearchParams| {
        q.filter_some(p.system, |e, system| e.system.starts_with(system))
            .filter_some(p.sizes, |e, sizes| e.size.is_in(sizes))
            .skip(p.offset)
            .select(|e| e.size)
    })?;
    assert_eq!(search.call(Search { system: Some("n"), sizes: None, offset: 1 })?, [5, 8, 11]);
    assert_eq!(search.call(Search { system: Some("n"), sizes: Some(&[2, 3, 5]), offset: 0 })?, [2, 5]);
    assert_eq!(search.call(Search { system: None, sizes: Some(&[]), offset: 0 })?, [0_i64; 0]);
    assert_eq!(search.call(Search { system: None, sizes: None, offset: 10 })?, [10, 11]);
    Ok(())
}

#[test]
fn one_parameter_can_be_the_value_of_several_places() -> TestResult {
    let (_db, events) = events()?;
    let search = events.compile(|q, (user,)| {
        q.filter_some(user, |e, user| e.user.eq(user) | e.system.eq(user))
            .filter_some(user, |e, user| e.user.ne(user) | e.size.lt(4))
            .filter(|e| e.user.eq_option(user) | e.size.gt(7))
            .select(|e| e.size)
    })?;
    assert_eq!(search.call(Some("u1"))?, [1]);
    assert_eq!(search.call(Some("net"))?, [8, 11]);
    assert_eq!(search.call(None)?, [0, 4, 8, 9, 10, 11]);
    Ok(())
}

#[test]
fn rows_one_by_one_and_other_targets_follow_the_options() -> TestResult {
    let (db, events) = events()?;
    let sizes =
        events.compile(|q, (least,)| q.filter_some(least, |e, least| e.size.ge(least)).select(|e| e.size))?;
    assert_eq!(sizes.iter(Some(10))?.collect::<vellum::Result<Vec<_>>>()?, [10, 11]);
    assert_eq!(sizes.iter(None)?.count(), 12);
    let tx = db.begin()?;
    tx.collection::<Event>()?.delete_many(|e| e.size.lt(11))?;
    assert_eq!(sizes.on(&tx).call(None)?, [11]);
    assert_eq!(sizes.on(&tx).call(Some(12))?, [0_i64; 0]);
    tx.rollback()?;
    assert_eq!(sizes.call(None)?.len(), 12);
    Ok(())
}

#[test]
fn a_write_is_to_what_the_options_leave() -> TestResult {
    let (_db, events) = events()?;
    let rename = events.compile(|q, (system, to)| {
        q.filter_some(system, |e, system| e.system.eq(system)).update(|e| e.user.set(to))
    })?;
    assert_eq!(rename.call((Some("core"), Some("ann")))?, 4);
    assert_eq!(rename.call((None, None))?, 12 - 2);
    assert_eq!(events.filter(|e| e.user.is_some()).count()?, 0);
    Ok(())
}

#[test]
fn what_is_forbidden_to_scan_needs_the_option_that_bounds_it() -> TestResult {
    let (_db, events) = events()?;
    let search = events.compile(|q, (system,)| {
        q.forbid_scan()
            .filter(|e| e.user.is_some())
            .filter_some(system, |e, system| e.system.eq(system))
            .count()
    })?;
    assert_eq!(search.call(Some("core"))?, 3);
    let refused = search.call(None).expect_err("nothing bounds what is read");
    assert_eq!(refused.kind(), ErrorKind::InvalidQuery);
    assert_eq!(search.explain()?.without_options, None);
    Ok(())
}

#[test]
fn an_optional_parameter_of_another_query_is_refused() -> TestResult {
    let (_db, events) = events()?;
    let mut kept = None;
    events.compile(|q, (system,): (Param<Option<String>>,)| {
        kept = Some(system);
        q.filter_some(system, |e, system| e.system.eq(system)).count()
    })?;
    let foreign = kept.ok_or("the closure has run")?;
    let error = events
        .compile(|q, ()| q.filter_some(foreign, |e, _| e.size.gt(1)).count())
        .expect_err("the parameter is of another closure");
    assert!(error.to_string().contains("a parameter of another query"), "{error}");
    Ok(())
}
