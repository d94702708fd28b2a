//! Partial indexes: what they hold, when they serve a query, and what they cannot be of.

mod support;

use serde::{Deserialize, Serialize};
use support::{Dir, TestResult, fails, stranger};
use vellum::ErrorKind;
use vellum::prelude::*;

#[derive(Document, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[document(collection = "tasks")]
struct Task {
    id: i64,
    owner: String,
    at: i64,
    done: bool,
    email: Option<String>,
    #[serde(default)]
    hidden: bool,
}

fn tasks() -> vellum::Result<(Database, Collection<'static, Task>)> {
    let db = Database::open_in_memory()?;
    let tasks = db.collection::<Task>()?;
    tasks.insert_batch((0..200).map(|n| Task {
        id: 0,
        owner: format!("o{}", n % 10),
        at: n,
        done: n % 3 != 0,
        email: (n % 4 == 0).then(|| format!("e{}", n % 100)),
        hidden: n % 2 == 0,
    }))?;
    Ok((db, tasks))
}

#[test]
fn a_partial_index_serves_the_queries_that_state_its_condition() -> TestResult {
    let (db, tasks) = tasks()?;
    let report = tasks.ensure_index(|t| (t.owner, t.at.desc())).filter(|t| !t.done).create()?;
    assert_eq!(report.created, ["tasks/owner,at desc where done"]);
    let report = tasks.ensure_index(|t| (t.owner, t.at.desc())).filter(|t| !t.done).create()?;
    assert_eq!(report.unchanged, ["tasks/owner,at desc where done"]);
    let indexes = |explained: vellum::Explanation| explained.plan.readings[0].indexes.clone();
    let open = tasks.compile(|q, (owner,)| {
        q.filter(|t| t.owner.eq(owner) & !t.done).order_by_desc(|t| t.at).select(|t| t.at).take(3)
    })?;
    assert_eq!(open.call("o3")?, [183, 153, 123]);
    assert_eq!(indexes(open.explain()?), ["tasks/owner,at desc where done"]);
    let apart = tasks.compile(|q, (owner,)| q.filter(|t| !t.done).filter(|t| t.owner.eq(owner)).to_vec())?;
    assert_eq!(apart.call("o3")?.len(), 7);
    assert_eq!(indexes(apart.explain()?), ["tasks/owner,at desc where done"]);
    // Neither of these says that its documents are in the index.
    let all = tasks.compile(|q, (owner,)| q.filter(|t| t.owner.eq(owner)).count())?;
    assert_eq!((all.call("o3")?, indexes(all.explain()?)), (20, vec![]));
    let either =
        tasks.compile(|q, (owner,)| q.filter(|t| t.owner.eq(owner) & (!t.done | t.at.gt(5))).count())?;
    assert_eq!((either.call("o3")?, indexes(either.explain()?)), (20, vec![]));
    // A write finds its documents by it, and moves them out of it.
    assert_eq!(tasks.filter(|t| t.owner.eq("o3") & !t.done).update(|t| t.done.set(true))?, 7);
    assert!(open.call("o3")?.is_empty());
    let condition = &tasks.indexes()?[0].conditions[0];
    let sql =
        format!("SELECT count(*) FROM tasks INDEXED BY \"tasks/owner,at desc where done\" WHERE {condition}");
    let held: i64 = stranger(&db)?.query_row(&sql, [], |row| row.get(0))?;
    assert_eq!(held, 60, "{condition}");
    let sound: String = stranger(&db)?.query_row("PRAGMA integrity_check", [], |row| row.get(0))?;
    assert_eq!(sound, "ok");
    Ok(())
}

#[test]
fn every_form_of_condition_answers_as_without_the_index() -> TestResult {
    let (_db, tasks) = tasks()?;
    macro_rules! answers {
        ($condition:expr) => {{
            let condition = $condition;
            let owned = |t: TaskFields| t.owner.ge("o5") & condition(t);
            let before = tasks.filter(owned).select(|t| t.id).to_vec()?;
            let sorted = tasks.filter(owned).order_by(|t| t.owner).select(|t| (t.id, t.at)).to_vec()?;
            let report = tasks.ensure_index(|t| t.owner).filter(condition).create()?;
            let explained = tasks.filter(owned).explain()?;
            assert_eq!(explained.plan.readings[0].indexes, report.created, "{explained}");
            assert_eq!(tasks.filter(owned).select(|t| t.id).to_vec()?, before);
            assert_eq!(tasks.filter(owned).order_by(|t| t.owner).select(|t| (t.id, t.at)).to_vec()?, sorted);
            assert_eq!(tasks.filter(owned).count()?, before.len() as u64);
            assert!(!before.is_empty() && before.len() < 100, "{}", before.len());
            for name in report.created {
                assert!(tasks.drop_index(&name)?);
            }
        }};
    }
    answers!(|t: TaskFields| t.done);
    answers!(|t: TaskFields| !t.done);
    answers!(|t: TaskFields| t.email.is_some());
    answers!(|t: TaskFields| t.email.is_none());
    answers!(|t: TaskFields| t.hidden);
    answers!(|t: TaskFields| !t.hidden & t.email.is_none());
    answers!(|t: TaskFields| (t.done | t.email.is_some()) & !t.hidden);
    answers!(|t: TaskFields| t.at.ne(5));
    answers!(|t: TaskFields| t.at.between(10, 150) & t.done.eq(true));
    answers!(|t: TaskFields| t.at.lt(50) | !t.at.le(190));
    answers!(|t: TaskFields| t.email.eq("e16".to_owned()) | t.owner.ne("o7"));
    answers!(|t: TaskFields| t.hidden.eq(false));
    assert_eq!(tasks.indexes()?, []);
    Ok(())
}

#[test]
fn an_index_that_names_a_literal_serves_the_queries_that_name_it_too() -> TestResult {
    let (db, tasks) = tasks()?;
    let name = "tasks/at where owner";
    assert_eq!(tasks.ensure_index(|t| t.at).filter(|t| t.owner.eq("o3")).create()?.created, [name]);
    assert_eq!(tasks.ensure_index(|t| t.at).filter(|t| t.owner.eq("o3")).create()?.unchanged, [name]);
    let of = |owner: &'static str| tasks.filter(move |t| t.owner.eq(owner) & t.at.gt(100));
    let indexes = |explained: vellum::Explanation| explained.plan.readings[0].indexes.clone();
    // The same shape but for the literal, in both orders.
    for owner in ["o3", "o4", "o3"] {
        assert_eq!(of(owner).count()?, 10, "{owner}");
        let served = if owner == "o3" { vec![name.to_owned()] } else { vec![] };
        assert_eq!(indexes(of(owner).explain()?), served, "{owner}");
        assert_eq!(of(owner).to_sql()?.contains(name), owner == "o3");
    }
    // What a call gives may be another value at the next one.
    let given = tasks.compile(|q, (owner,)| q.filter(|t| t.owner.eq(owner) & t.at.gt(100)).count())?;
    assert_eq!((given.call("o3")?, given.call("o4")?), (10, 10));
    assert!(indexes(given.explain()?).is_empty());
    let fixed = tasks.compile(|q, (at,)| q.filter(|t| t.owner.eq("o3") & t.at.gt(at)).count())?;
    assert_eq!((fixed.call(100)?, indexes(fixed.explain()?)), (10, vec![name.to_owned()]));
    // Once the index is gone, the query is planned anew, and again when it comes back.
    tasks.drop_index(name)?;
    assert_eq!((fixed.call(100)?, indexes(fixed.explain()?)), (10, vec![]));
    assert_eq!(of("o3").count()?, 10);
    tasks.ensure_index(|t| t.at).filter(|t| t.owner.eq("o3")).create()?;
    assert_eq!((fixed.call(100)?, indexes(fixed.explain()?)), (10, vec![name.to_owned()]));
    // Who joins a transaction sees the index there, and nobody else before it is committed.
    let tx = db.begin()?;
    tx.collection::<Task>()?.ensure_index(|t| t.at).filter(|t| t.owner.eq("o4")).create()?;
    let inside = tx.collection::<Task>()?.filter(|t| t.owner.eq("o4") & t.at.gt(100)).explain()?;
    assert_eq!(indexes(inside).len(), 1);
    assert!(indexes(of("o4").explain()?).is_empty());
    tx.rollback()?;
    assert_eq!(of("o4").count()?, 10);
    Ok(())
}

#[test]
fn a_literal_may_be_any_text_and_any_number() -> TestResult {
    let (db, tasks) = tasks()?;
    let texts = ["", "'", "''; DROP TABLE tasks; --", "a\0b", "\0", "?1", "\u{1f600}\u{e9}\n\"", "NULL", "5"];
    tasks.insert_batch(texts.iter().map(|owner| Task { owner: (*owner).to_owned(), ..Task::default() }))?;
    for owner in texts {
        let report = tasks.ensure_index(|t| t.at).filter(|t| t.owner.eq(owner)).create()?;
        let found = tasks.filter(|t| t.owner.eq(owner) & t.at.ge(0));
        assert_eq!(found.explain()?.plan.readings[0].indexes, report.created, "{owner:?}");
        assert_eq!(found.select(|t| t.owner).to_vec()?, [owner]);
        assert!(tasks.drop_index(&report.created[0])?);
    }
    let numbers = [i64::MIN, i64::MIN + 1, -1, 0, 1, i64::MAX - 1, i64::MAX];
    tasks.delete_many(|t| t.id.gt(0))?;
    tasks.insert_batch(numbers.iter().map(|at| Task { at: *at, ..Task::default() }))?;
    for at in numbers {
        for is_least in [true, false] {
            let condition = |t: TaskFields| if is_least { t.at.ge(at) } else { t.at.eq(at) };
            let report = tasks.ensure_index(|t| t.owner).filter(condition).create()?;
            let found = tasks.filter(|t| condition(t) & t.owner.eq(""));
            assert_eq!(found.explain()?.plan.readings[0].indexes, report.created, "{at}");
            let expected = numbers.iter().copied().filter(|n| if is_least { *n >= at } else { *n == at });
            assert_eq!(found.select(|t| t.at).to_vec()?, expected.collect::<Vec<_>>(), "{at}");
            assert!(tasks.drop_index(&report.created[0])?);
        }
    }
    let sound: String = stranger(&db)?.query_row("PRAGMA integrity_check", [], |row| row.get(0))?;
    assert_eq!(sound, "ok");
    Ok(())
}

#[test]
fn an_index_may_come_back_under_its_name_with_another_condition() -> TestResult {
    let (db, tasks) = tasks()?;
    let name = "tasks/owner where done";
    let of_done = |done: bool| tasks.filter(move |t| t.owner.eq("o3") & if done { t.done } else { !t.done });
    let compiled = tasks.compile(|q, (owner,)| q.filter(|t| t.owner.eq(owner) & t.done).count())?;
    for done in [true, false, true] {
        tasks.ensure_index(|t| t.owner).filter(|t| if done { t.done } else { !t.done }).create()?;
        assert_eq!(of_done(done).explain()?.plan.readings[0].indexes, [name]);
        assert_eq!((of_done(true).count()?, of_done(false).count()?), (13, 7));
        assert_eq!(compiled.call("o3")?, 13);
        tasks.drop_index(name)?;
    }
    // In another process: our plans are of the index as it was.
    tasks.ensure_index(|t| t.owner).filter(|t| t.done).create()?;
    assert_eq!((compiled.call("o3")?, of_done(true).count()?), (13, 13));
    let other = stranger(&db)?;
    other.execute_batch(
        r#"BEGIN; DROP INDEX "tasks/owner where done";
        CREATE INDEX "tasks/owner where done" ON tasks(owner) WHERE ((done IS NOT 1));
        UPDATE vellum_index SET definition = json_set(definition, '$.filter.conditions[0]', 'done IS NOT 1');
        UPDATE vellum_meta SET value = value + 1 WHERE key = 'epoch'; COMMIT"#,
    )?;
    assert_eq!((compiled.call("o3")?, of_done(true).count()?), (13, 13));
    Ok(())
}

#[test]
fn a_unique_partial_index_compares_what_it_holds() -> TestResult {
    let (_db, tasks) = tasks()?;
    let taken = tasks.ensure_index(|t| t.owner).filter(|t| t.email.is_some()).unique().create();
    fails(taken, ErrorKind::Unique, &["tasks/owner where email"]);
    tasks.delete_many(|t| t.at.ge(0))?;
    tasks.ensure_index(|t| t.owner).filter(|t| t.email.is_some()).unique().create()?;
    let task = |owner: &str, email: Option<&str>| Task {
        owner: owner.to_owned(),
        email: email.map(str::to_owned),
        ..Task::default()
    };
    tasks.insert(task("a", None))?;
    tasks.insert(task("a", None))?;
    tasks.insert(task("a", Some("x")))?;
    fails(tasks.insert(task("a", Some("y"))), ErrorKind::Unique, &["tasks/owner"]);
    assert_eq!(tasks.count()?, 3);
    Ok(())
}

#[test]
fn an_index_on_the_same_fields_may_hold_all_or_others() -> TestResult {
    let (_db, tasks) = tasks()?;
    tasks.ensure_index(|t| t.owner).filter(|t| t.done).create()?;
    tasks.ensure_index(|t| t.owner).filter(|t| !t.done).create()?;
    tasks.ensure_index(|t| t.owner).create()?;
    let indexes = tasks.indexes()?;
    let conditions: Vec<_> =
        indexes.iter().map(|index| (index.name.as_str(), index.conditions.len())).collect();
    assert_eq!(conditions, [("tasks/c1", 1), ("tasks/owner", 0), ("tasks/owner where done", 1)]);
    for index in &indexes {
        assert!(tasks.drop_index(&index.name)?);
    }
    assert_eq!(tasks.filter(|t| t.owner.eq("o1") & t.done).count()?, 14);
    Ok(())
}

#[test]
fn a_condition_of_a_list_a_prefix_or_a_text_function_is_refused() -> TestResult {
    let (_db, tasks) = tasks()?;
    fails(
        tasks.ensure_index(|t| t.owner).filter(|t| t.owner.starts_with("o")).create(),
        ErrorKind::InvalidQuery,
        &["a partial index on this condition", "`is_some`"],
    );
    fails(
        tasks.ensure_index(|t| t.owner).filter(|t| t.at.is_in([1, 2])).create(),
        ErrorKind::InvalidQuery,
        &["a partial index on this condition"],
    );
    fails(
        tasks.ensure_index(|t| t.owner).filter(|t| t.done & t.owner.len().gt(t.email.len())).create(),
        ErrorKind::InvalidQuery,
        &["a partial index on this condition"],
    );
    fails(
        tasks.ensure_index(|t| t.owner).filter(|t| t.done.eq(t.hidden)).create(),
        ErrorKind::InvalidQuery,
        &["a partial index on this condition"],
    );
    fails(
        tasks.ensure_index(|t| t.owner).filter(|_| lit(true)).create(),
        ErrorKind::InvalidQuery,
        &["a partial index on this condition"],
    );
    assert_eq!(tasks.indexes()?, []);
    Ok(())
}

#[test]
fn the_few_rows_of_a_partial_index_do_not_outgrow_its_statistics() -> TestResult {
    let (db, tasks) = tasks()?;
    tasks.insert_batch((0..2_000).map(|at| Task { at, done: true, ..Task::default() }))?;
    tasks.ensure_index(|t| t.at).create()?;
    tasks.ensure_index(|t| t.owner).filter(|t| !t.done).create()?;
    tasks.ensure_indexes()?;
    let epoch = || -> rusqlite::Result<i64> {
        stranger(&db)?.query_row("SELECT value FROM vellum_meta WHERE key = 'epoch'", [], |row| row.get(0))
    };
    let before = epoch()?;
    tasks.ensure_indexes()?;
    assert_eq!(epoch()?, before);
    Ok(())
}

#[derive(Document, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[document(partial("owner", "at desc", |j| !j.done & j.result.is_none()))]
#[document(partial(unique, "slot", |j| j.slot.is_some() & !j.done))]
#[document(partial("result", |j| j.owner.eq("it's me") & j.at.gt(5)))]
struct Job {
    id: i64,
    owner: String,
    at: i64,
    done: bool,
    result: Option<String>,
    slot: Option<i64>,
}

#[test]
fn a_type_declares_its_partial_indexes() -> TestResult {
    let dir = Dir::new()?;
    let path = dir.file("app.db");
    let names =
        ["job/owner,at desc where done,result", "job/slot where done,slot", "job/result where at,owner"];
    {
        let db = Database::open(&path)?;
        let jobs = db.collection::<Job>()?;
        assert_eq!(jobs.ensure_indexes()?.created, names);
        let again = jobs.ensure_indexes()?;
        assert_eq!(
            (again.unchanged, again.created, again.undeclared),
            (names.map(str::to_owned).to_vec(), vec![], vec![])
        );
        jobs.insert(Job { slot: Some(1), ..Job::default() })?;
        jobs.insert(Job { slot: Some(1), done: true, ..Job::default() })?;
        fails(jobs.insert(Job { slot: Some(1), ..Job::default() }), ErrorKind::Unique, &["job/slot"]);
        let open = jobs.filter(|j| j.owner.eq("") & !j.done & j.result.is_none());
        assert_eq!(open.explain()?.plan.readings[0].indexes, [names[0]]);
        assert_eq!(open.count()?, 1);
    }
    let reader = vellum::Options::new().read_only().open(&path)?;
    assert_eq!(reader.collection::<Job>()?.ensure_indexes()?.unchanged, names);
    Ok(())
}
