//! `forbid_scan`: what is a scan, what is none, and that it is asked again when indexes change.

use serde::{Deserialize, Serialize};
use vellum::ErrorKind;
use vellum::prelude::*;

type TestResult = Result<(), Box<dyn std::error::Error>>;

#[derive(Document, Serialize, Deserialize, Debug, Clone)]
#[document(collection = "jobs")]
struct Job {
    id: i64,
    #[document(index)]
    queue: String,
    #[document(index)]
    due: Option<i64>,
    owner: String,
}

fn jobs() -> vellum::Result<(Database, Collection<'static, Job>)> {
    let db = Database::open_in_memory()?;
    let jobs = db.collection::<Job>()?;
    jobs.ensure_indexes()?;
    let job = |n: i64| Job { id: 0, queue: format!("q{}", n % 3), due: Some(n), owner: "ann".into() };
    jobs.insert_batch((0..30).map(job))?;
    Ok((db, jobs))
}

fn assert_scan<T>(result: vellum::Result<T>, why: &str) {
    let refused = result.err().map(|error| (error.kind(), error.to_string()));
    let says = |words: &str| words.contains("visits every document of `jobs`") && words.contains(why);
    let is_refused = |(kind, words): &(ErrorKind, String)| *kind == ErrorKind::InvalidQuery && says(words);
    assert!(refused.as_ref().is_some_and(is_refused), "{refused:?} should say: {why}");
}

#[test]
fn what_an_index_or_a_key_bounds_runs() -> TestResult {
    let (_db, jobs) = jobs()?;
    let query = || jobs.query().forbid_scan();
    assert_eq!(query().filter(|j| j.queue.eq("q1")).count()?, 10);
    assert_eq!(query().filter(|j| j.queue.starts_with("q") & j.owner.eq("ann")).to_vec()?.len(), 30);
    assert_eq!(query().filter(|j| j.due.lt(5)).select(|j| j.id).to_vec()?, [1, 2, 3, 4, 5]);
    assert_eq!(query().filter(|j| j.id.is_in([1, 99])).count()?, 1);
    assert_eq!(query().filter(|j| j.id.gt(28)).count()?, 2);
    assert_eq!(query().filter(|j| j.queue.eq("q1") & j.due.gt(20)).count()?, 3);
    assert_eq!(query().order_by_desc(|j| j.due).take(2).select(|j| j.id).to_vec()?, [30, 29]);
    assert_eq!(query().take(2).select(|j| j.id).to_vec()?, [1, 2]);
    assert_eq!(query().count()?, 30, "a count of all takes no look at any");
    assert!(query().exists()?);
    assert_eq!(query().max(|j| j.due)?, Some(29));
    assert_eq!(query().group_by(|j| j.queue.substr(0, 1)).select(|g| (g.key, g.count())).to_vec()?.len(), 1);
    assert_eq!(query().filter(|j| j.queue.eq("q2")).update(|j| j.owner.set("bob"))?, 10);
    assert_eq!(query().filter(|j| j.due.ge(29)).delete()?, 1);
    Ok(())
}

#[test]
fn what_visits_every_document_says_why() -> TestResult {
    let (_db, jobs) = jobs()?;
    let query = || jobs.query().forbid_scan();
    assert_scan(query().to_vec(), "every document");
    assert_scan(query().filter(|j| j.owner.eq("ann")).count(), "`owner` has no index");
    assert_scan(query().filter(|j| j.queue.contains("1")).count(), "contains");
    assert_scan(query().filter(|j| j.queue.eq("q1") | j.owner.eq("ann")).count(), "`owner` has no index");
    assert_scan(query().filter(|j| j.due.is_some()).count(), "not null");
    assert_scan(query().order_by(|j| j.owner).take(2).to_vec(), "`owner` has no index");
    assert_scan(query().sum(|j| j.due), "index");
    assert_scan(query().group_by(|j| j.owner).select(|g| g.key).to_vec(), "`owner` has no index");
    assert_scan(query().delete(), "it writes to all of them");
    assert_scan(query().update(|j| j.owner.set("x")), "it writes to all of them");
    assert_scan(query().filter(|j| j.owner.eq("ann")).delete(), "`owner` has no index");
    assert_eq!(jobs.query().filter(|j| j.owner.eq("ann")).count()?, 30, "nothing was changed");
    Ok(())
}

#[test]
fn what_ends_at_the_first_hit_is_a_scan_where_there_may_be_none() -> TestResult {
    let (_db, jobs) = jobs()?;
    let query = || jobs.query().forbid_scan();
    assert_scan(query().filter(|j| j.owner.eq("bob")).exists(), "`owner` has no index");
    assert_scan(query().filter(|j| j.owner.eq("bob")).first(), "`owner` has no index");
    assert_scan(query().filter(|j| j.owner.eq("bob")).single_or_none(), "`owner` has no index");
    assert_scan(query().any(|j| j.owner.eq("bob")), "`owner` has no index");
    assert_scan(query().all(|j| j.owner.eq("ann")), "`owner`");
    assert_scan(query().filter(|j| j.owner.eq("bob")).take(2).to_vec(), "`owner` has no index");
    assert_scan(query().filter(|j| j.owner.eq("bob")).order_by_desc(|j| j.id).take(2).to_vec(), "`owner`");
    assert!(!query().filter(|j| j.queue.eq("q9")).exists()?);
    assert!(query().filter(|j| j.queue.eq("q1") & j.owner.eq("ann")).first()?.is_some());
    assert!(query().filter(|j| j.id.gt(20) & j.owner.eq("ann")).exists()?);
    assert!(query().first()?.is_some());
    assert_eq!(query().filter(|j| j.owner.eq("ann")).order_by(|j| j.due).take(2).to_vec()?.len(), 2);
    Ok(())
}

#[test]
fn an_index_that_is_dropped_counts_from_the_next_call_on() -> TestResult {
    let (db, jobs) = jobs()?;
    let of_queue =
        db.compile(|q, (queue,)| q.from::<Job>().forbid_scan().filter(|j| j.queue.eq(queue)).count())?;
    assert_eq!(of_queue.call("q1")?, 10);
    assert!(jobs.drop_index("jobs/queue")?);
    assert_scan(of_queue.call("q1"), "`queue` has no index");
    jobs.ensure_indexes()?;
    assert_eq!(of_queue.call("q1")?, 10);
    assert_scan(db.compile(|q, ()| q.from::<Job>().forbid_scan()), "every document");
    Ok(())
}
