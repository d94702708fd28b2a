//! Rule 21: `is_in` takes a list of any length, and its text does not depend on the list.

mod support;

use serde::{Deserialize, Serialize};
use support::{TestResult, ids, plan_of};
use vellum::prelude::*;

#[derive(Document, Serialize, Deserialize, Debug, Clone, PartialEq)]
#[document(collection = "c")]
struct C {
    id: i64,
    #[document(index)]
    n: i64,
    #[document(index)]
    s: Option<String>,
    #[document(index)]
    x: f64,
    #[document(index)]
    on: bool,
}

fn each_way(check: impl Fn(&Database, &Collection<'static, C>) -> TestResult) -> TestResult {
    let db = Database::open_in_memory()?;
    let c = db.collection::<C>()?;
    c.insert_batch((1..=6).map(|n| C {
        id: 0,
        n: n * 10,
        s: (n != 6).then(|| format!("s{n}")),
        x: n as f64 / 4.0,
        on: n % 2 == 0,
    }))?;
    check(&db, &c)?;
    c.ensure_indexes()?;
    check(&db, &c)
}

#[test]
fn a_list_parameter_has_any_length() -> TestResult {
    each_way(|_, c| {
        let by_id = c.compile(|q, (list,)| q.filter(|e| e.id.is_in(list)).select(|e| e.id))?;
        let by_n = c.compile(|q, (list,)| q.filter(|e| e.n.is_in(list)).select(|e| e.id))?;
        let not = c.compile(|q, (list,)| q.filter(|e| !e.n.is_in(list)).select(|e| e.id))?;
        let sql = by_n.to_sql();
        assert_eq!(by_id.call(&[])?, [0_i64; 0]);
        assert_eq!(by_id.call(&[2])?, [2]);
        assert_eq!(by_id.call(&[3, 1, 99])?, [1, 3]);
        assert_eq!(by_n.call(&[])?, [0_i64; 0]);
        assert_eq!(not.call(&[])?, [1, 2, 3, 4, 5, 6]);
        assert_eq!(by_n.call(&[30, 10, 30, 990])?, [1, 3]);
        assert_eq!(not.call(&[30, 10, 30, 990])?, [2, 4, 5, 6]);
        let long: Vec<i64> = (36..100_036).collect();
        assert_eq!(by_n.call(&long)?, [4, 5, 6]);
        assert_eq!(not.call(&long)?, [1, 2, 3]);
        let forty: Vec<i64> = (4..40_004).collect();
        assert_eq!(by_id.call(&forty)?, [4, 5, 6]);
        assert_eq!(by_n.to_sql(), sql);
        assert_eq!(by_n.param_count(), 1);
        Ok(())
    })
}

#[test]
fn a_literal_list_does_not_change_the_text() -> TestResult {
    each_way(|db, c| {
        let before = db.plan_cache_statistics().1;
        for len in [0, 1, 2, 1_000] {
            let list: Vec<i64> = (1..=len).map(|n| n * 10).collect();
            let found = c.filter(|e| e.n.is_in(&list)).count()?;
            assert_eq!(found, len.min(6) as u64);
        }
        assert!(db.plan_cache_statistics().1 <= before + 1, "one plan serves every length");
        Ok(())
    })
}

#[test]
fn a_list_of_every_kind_of_scalar() -> TestResult {
    each_way(|_, c| {
        assert_eq!(ids!(c, |e: CFields| e.s.is_in(["s1", "s1", "s5", "S2", ""])), [1, 5]);
        assert_eq!(ids!(c, |e: CFields| e.x.is_in([0.25, 1.0, 9.0])), [1, 4]);
        assert_eq!(ids!(c, |e: CFields| e.on.is_in([true])), [2, 4, 6]);
        assert_eq!(ids!(c, |e: CFields| e.n.is_in([i64::MIN, i64::MAX, 20])), [2]);
        let text = c.compile(|q, (list,)| q.filter(|e| e.s.is_in(list)).select(|e| e.id))?;
        assert_eq!(text.call(&["s3", "s4\0", "s3"])?, [3]);
        let bools = c.compile(|q, (list,)| q.filter(|e| e.on.is_in(list)).select(|e| e.id))?;
        assert_eq!(bools.call(&[false, false])?, [1, 3, 5]);
        let mixed = c.compile(|q, (a, b)| q.filter(|e| e.n.is_in([a, b])).select(|e| e.id))?;
        assert_eq!(mixed.call((20, 20))?, [2]);
        assert_eq!(ids!(c, |e: CFields| (e.n / 10).is_in([e.id])), [1, 2, 3, 4, 5, 6]);
        Ok(())
    })
}

#[test]
fn a_list_uses_the_index() -> TestResult {
    let db = Database::open_in_memory()?;
    let c = db.collection::<C>()?;
    c.insert_batch((1..=2_000).map(|n| C { id: 0, n, s: Some(format!("s{n}")), x: 0.5, on: false }))?;
    c.ensure_indexes()?;
    for compiled in [
        c.compile(|q, (list,)| q.filter(|e| e.s.is_in(list)))?.to_sql(),
        c.compile(|q, ()| q.filter(|e| e.s.is_in(["s1", "s2"])))?.to_sql(),
    ] {
        let plan = plan_of(&db, &compiled)?;
        assert!(plan.contains("c/s"), "{compiled}\n{plan}");
    }
    Ok(())
}
