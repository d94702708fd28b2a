//! Rules 5 and 6: the order of kinds, total orders, pages, and the order without `order_by`.

mod support;

use serde::{Deserialize, Serialize};
use support::{TestResult, strange};
use vellum::prelude::*;

#[derive(Document, Serialize, Deserialize, Debug, Clone, PartialEq)]
#[document(collection = "c", compound("g", "n desc"))]
struct C {
    id: i64,
    #[document(index)]
    n: Option<i64>,
    #[document(index)]
    t: Option<String>,
    #[document(index)]
    on: Option<bool>,
    g: i64,
}

fn mixed() -> Result<(Database, Collection<'static, C>), Box<dyn std::error::Error>> {
    let db = Database::open_in_memory()?;
    let c = db.collection::<C>()?;
    strange(
        &db,
        "c",
        &[
            (1, r#"{"n":2,"t":"b","on":true,"g":1}"#),
            (2, r#"{"n":null,"t":null,"on":null,"g":1}"#),
            (3, r#"{"n":"x","t":"a","on":false,"g":2}"#),
            (4, r#"{"g":2}"#),
            (5, r#"{"n":-1,"t":"B","on":true,"g":1}"#),
            (6, r#"{"n":2,"t":"b","on":false,"g":2}"#),
            (7, r#"{"n":"a","t":5,"on":null,"g":1}"#),
            (8, r#"{"n":1.5,"t":"","on":true,"g":2}"#),
        ],
    )?;
    Ok((db, c))
}

fn each_way(check: impl Fn(&Collection<'static, C>) -> TestResult) -> TestResult {
    let (_db, c) = mixed()?;
    check(&c)?;
    c.ensure_indexes()?;
    check(&c)?;
    Ok(())
}

/// Returns the ids in the order of a query, the same in both forms.
macro_rules! order {
    ($c:expr, $q:ident => $body:expr) => {{
        let plain = {
            let $q = $c.query();
            $body.select(|e: CFields| e.id).to_vec()?
        };
        let compiled = $c.compile(|$q, ()| $body.select(|e: CFields| e.id))?;
        assert_eq!(compiled.call(())?, plain, "{}", compiled.to_sql());
        plain
    }};
}

#[test]
fn null_and_missing_come_first_then_numbers_then_text() -> TestResult {
    each_way(|c| {
        assert_eq!(order!(c, q => q.order_by(|e| e.n)), [2, 4, 5, 8, 1, 6, 7, 3]);
        assert_eq!(order!(c, q => q.order_by_desc(|e| e.n)), [3, 7, 6, 1, 8, 5, 4, 2]);
        assert_eq!(order!(c, q => q.order_by(|e| e.t)), [2, 4, 7, 8, 5, 3, 1, 6]);
        assert_eq!(order!(c, q => q.order_by_desc(|e| e.t)), [6, 1, 3, 5, 8, 7, 4, 2]);
        assert_eq!(order!(c, q => q.order_by(|e| e.on)), [2, 4, 7, 3, 6, 1, 5, 8]);
        assert_eq!(order!(c, q => q.order_by_desc(|e| e.on)), [8, 5, 1, 6, 3, 7, 4, 2]);
        Ok(())
    })
}

#[test]
fn nulls_go_where_they_are_told() -> TestResult {
    each_way(|c| {
        assert_eq!(order!(c, q => q.order_by(|e| e.n.asc().nulls_last())), [5, 8, 1, 6, 7, 3, 2, 4]);
        assert_eq!(order!(c, q => q.order_by(|e| e.n.desc().nulls_first())), [4, 2, 3, 7, 6, 1, 8, 5]);
        assert_eq!(order!(c, q => q.order_by(|e| e.n.asc().nulls_first())), [2, 4, 5, 8, 1, 6, 7, 3]);
        assert_eq!(order!(c, q => q.order_by(|e| e.n.desc().nulls_last())), [3, 7, 6, 1, 8, 5, 4, 2]);
        Ok(())
    })
}

#[test]
fn ties_go_by_id_in_the_direction_of_the_last_key() -> TestResult {
    each_way(|c| {
        assert_eq!(order!(c, q => q.order_by(|e| e.g)), [1, 2, 5, 7, 3, 4, 6, 8]);
        assert_eq!(order!(c, q => q.order_by_desc(|e| e.g)), [8, 6, 4, 3, 7, 5, 2, 1]);
        assert_eq!(order!(c, q => q.order_by(|e| (e.g.desc(), e.on))), [4, 3, 6, 8, 2, 7, 1, 5]);
        assert_eq!(order!(c, q => q.order_by(|e| (e.g, e.on.desc()))), [5, 1, 7, 2, 8, 6, 3, 4]);
        assert_eq!(order!(c, q => q.order_by(|e| (e.g, e.n.desc()))), [7, 1, 5, 2, 3, 6, 8, 4]);
        let one = order!(c, q => q.filter(|e| e.g.eq(1)).order_by(|e| e.n.desc()));
        assert_eq!(one, [7, 1, 5, 2]);
        assert_eq!(order!(c, q => q.filter(|e| e.g.eq(1)).order_by(|e| e.n)), [2, 5, 1, 7]);
        Ok(())
    })
}

#[test]
fn a_later_order_is_stable_over_an_earlier_one() -> TestResult {
    each_way(|c| {
        let by = order!(c, q => q.order_by_desc(|e| e.id).order_by(|e| e.g));
        assert_eq!(by, [7, 5, 2, 1, 8, 6, 4, 3]);
        let then = order!(c, q => q.order_by(|e| e.g).then_by_desc(|e| e.id));
        assert_eq!(then, [7, 5, 2, 1, 8, 6, 4, 3]);
        Ok(())
    })
}

#[test]
fn pages_neither_overlap_nor_skip() -> TestResult {
    each_way(|c| {
        let page = c.compile(|q, (skip, take)| {
            q.order_by(|e| (e.g, e.on.desc())).skip(skip).take(take).select(|e| e.id)
        })?;
        let whole = page.call((0_u64, 100_u64))?;
        for len in 1..=8 {
            let mut seen = Vec::new();
            for start in (0..8).step_by(len) {
                seen.extend(page.call((start as u64, len as u64))?);
            }
            assert_eq!(seen, whole, "pages of {len}");
        }
        Ok(())
    })
}

#[test]
fn counts_are_clamped_and_negative_ones_refused() -> TestResult {
    each_way(|c| {
        let page = c.compile(|q, (skip, take)| q.skip(skip).take(take).select(|e| e.id))?;
        assert_eq!(page.call((0_u64, u64::MAX))?, [1, 2, 3, 4, 5, 6, 7, 8]);
        assert_eq!(page.call((u64::MAX, 5))?, [0_i64; 0]);
        assert_eq!(page.call((7, u64::MAX))?, [8]);
        assert_eq!(page.call((3, 0))?, [0_i64; 0]);
        assert_eq!(order!(c, q => q.skip(6_u64)), [7, 8]);
        assert_eq!(order!(c, q => q.skip(u64::MAX)), [0_i64; 0]);
        assert_eq!(order!(c, q => q.take(u64::MAX)), [1, 2, 3, 4, 5, 6, 7, 8]);
        assert_eq!(order!(c, q => q.take(5).skip(2).take(2)), [3, 4]);
        assert_eq!(order!(c, q => q.take(4).order_by_desc(|e| e.id).take(2)), [4, 3]);
        let named = ["take", "-1"];
        support::fails(c.query().take(-1).to_vec(), vellum::ErrorKind::InvalidQuery, &named);
        Ok(())
    })
}

#[test]
fn without_an_order_rows_come_by_id_and_groups_by_key() -> TestResult {
    each_way(|c| {
        assert_eq!(order!(c, q => q.filter(|e| e.n.ge(-5))), [1, 5, 6, 8]);
        assert_eq!(order!(c, q => q.filter(|e| e.t.starts_with(""))), [1, 3, 5, 6, 8]);
        assert_eq!(order!(c, q => q.filter(|e| e.on.eq(true) | e.n.eq(2))), [1, 5, 6, 8]);
        assert_eq!(c.query().first()?.map(|e| e.id), Some(1));
        let groups = c.query().group_by(|e| e.on).select(|g| (g.key, g.count())).to_vec()?;
        assert_eq!(groups, [(None, 3), (Some(false), 2), (Some(true), 3)]);
        let by_two = c.query().group_by(|e| (e.g, e.on)).select(|g| (g.key, g.count())).to_vec()?;
        let keys: Vec<_> = by_two.iter().map(|(key, _)| *key).collect();
        let mut expected = keys.clone();
        expected.sort_unstable();
        assert_eq!(keys, expected);
        assert_eq!(keys.len(), 5);
        let mut any = c.query().unordered().select(|e| e.id).to_vec()?;
        any.sort_unstable();
        assert_eq!(any, [1, 2, 3, 4, 5, 6, 7, 8]);
        Ok(())
    })
}

#[test]
fn the_first_row_of_an_order_is_that_of_the_whole() -> TestResult {
    each_way(|c| {
        let text = c.filter(|e| e.n.ge(i64::MIN));
        assert_eq!(text.order_by_desc(|e| e.n).select(|e| e.id).first()?, Some(6));
        let first = c.compile(|q, ()| q.order_by(|e| e.t.desc()).select(|e| e.id).first())?;
        assert_eq!(first.call(())?, Some(6));
        Ok(())
    })
}
