//! Queries and expressions that are nested deeper than can be run are errors, however deep, on any stack.

mod support;

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;
use support::{TestResult, fails};
use vellum::ErrorKind::InvalidQuery;
use vellum::prelude::*;

#[derive(Document, Serialize, Deserialize)]
struct Page {
    id: i64,
    size: i64,
    body: Json,
    parts: Vec<Part>,
}

#[derive(Embed, Serialize, Deserialize)]
struct Part {
    name: String,
    parts: Vec<Self>,
}

fn pages() -> vellum::Result<(Database, Collection<'static, Page>)> {
    let db = Database::open_in_memory()?;
    let pages = db.collection::<Page>()?;
    pages.insert(Page { id: 0, size: 1, body: Json::Null, parts: Vec::new() })?;
    Ok((db, pages))
}

#[test]
fn queries_inside_of_queries_are_run_or_refused() -> TestResult {
    let (db, pages) = pages()?;
    for depth in [1, 5, 20, 30, 100, 1_000, 3_000] {
        let mut query = from::<Page>();
        for _ in 0..depth {
            let inner = query;
            query =
                from::<Page>().filter(move |page| inner.filter(|other| other.size.eq(page.size)).exists());
        }
        let asked = pages.filter(|_| query.exists()).count();
        if depth <= 20 {
            assert_eq!(asked?, 1, "{depth}");
        } else {
            fails(asked, InvalidQuery, &["levels"]);
        }
        let mut list = from::<Page>().select(|page| page.size);
        for _ in 0..depth {
            let inner = list;
            list = from::<Page>().filter(move |page| page.size.is_in(inner)).select(|page| page.size);
        }
        let asked = db.compile(|q, ()| q.from::<Page>().filter(|page| page.size.is_in(list)).count());
        if depth > 20 {
            fails(asked, InvalidQuery, &["levels"]);
        } else {
            assert_eq!(asked?.call(())?, 1, "{depth}");
        }
    }
    Ok(())
}

#[test]
fn queries_made_inside_of_closures_are_run_or_refused() -> TestResult {
    fn nested(depth: u32) -> Expr<bool> {
        let inside = |page: PageFields| page.size.eq(1) & nested(depth - 1);
        if depth == 0 { vellum::lit(true) } else { from::<Page>().any(inside).expr() }
    }
    let (_db, pages) = pages()?;
    for depth in [1, 20, 30, 400] {
        let asked = pages.filter(|_| nested(depth)).count();
        if depth <= 20 {
            assert_eq!(asked?, 1, "{depth}");
        } else {
            fails(asked, InvalidQuery, &["levels"]);
        }
    }
    Ok(())
}

#[test]
fn deep_expressions_are_run_or_refused() -> TestResult {
    let (_db, pages) = pages()?;
    for depth in [10, 150, 1_000, 20_000] {
        let is_run = depth <= 150;
        let sum = pages.query().select(|page| (0..depth).fold(page.size, |sum, _| sum + 1)).to_vec();
        let negated = pages.filter(|page| (0..depth).fold(page.size.eq(1), |not, _| !not)).count();
        let below = |page: PageFields| (0..depth).fold(page.body, |body, _| body["a"]);
        let found = pages.filter(|page| below(page).as_i64().eq(1)).count();
        let sorted = pages.query().order_by(|page| below(page).as_i64()).count();
        let set = pages.query().update(|page| below(page).set(1));
        let index = pages.ensure_index(|page| below(page).as_i64()).create();
        let partial = pages.ensure_index(|page| page.size).filter(|page| below(page).is_some()).create();
        if is_run {
            assert_eq!((sum?, negated?), (vec![1 + depth], 1));
            assert_eq!((found?, sorted?), (0, 1));
        } else {
            fails(sum, InvalidQuery, &["levels"]);
            fails(negated, InvalidQuery, &["levels"]);
            fails(found, InvalidQuery, &["levels"]);
            fails(sorted, InvalidQuery, &["levels"]);
            fails(set, InvalidQuery, &["levels"]);
            fails(index.map(|_| ()), InvalidQuery, &["levels"]);
            fails(partial.map(|_| ()), InvalidQuery, &["levels"]);
        }
    }
    Ok(())
}

#[test]
fn questions_about_items_of_items_are_run_or_refused() -> TestResult {
    fn any(part: PartFields, depth: u32) -> Expr<bool> {
        if depth == 0 { part.name.eq("a") } else { part.parts.any(|inner| any(inner, depth - 1)) }
    }
    let (_db, pages) = pages()?;
    for depth in [1, 20, 100] {
        let asked = pages.filter(|page| page.parts.any(|part| any(part, depth))).count();
        if depth <= 20 {
            assert_eq!(asked?, 0);
        } else {
            fails(asked, InvalidQuery, &["levels"]);
        }
    }
    Ok(())
}

#[test]
fn pages_of_pages_are_run_or_refused() -> TestResult {
    let (_db, pages) = pages()?;
    for depth in [1, 50, 100, 101, 500, 5_000, 50_000] {
        let query = (0..depth).fold(pages.query(), |query, _| query.take(9).filter(|page| page.size.gt(0)));
        match query.count() {
            Ok(count) => assert_eq!((count, depth <= 100), (1, true), "{depth}"),
            refused => fails(refused, InvalidQuery, &["more than 100 `skip`, `take` and `group_by`"]),
        }
    }
    let mut query = from::<Page>();
    for _ in 0..20 {
        let inner = (0..90).fold(query, |query, _| query.take(9).filter(|page| page.size.gt(0)));
        query = from::<Page>().filter(move |page| inner.filter(|other| other.size.eq(page.size)).exists());
    }
    fails(pages.filter(|_| query.exists()).count(), InvalidQuery, &["levels"]);
    Ok(())
}

#[test]
fn a_value_that_is_set_leaves_a_document_that_can_be_loaded() -> TestResult {
    let (db, pages) = pages()?;
    let nested = |depth: usize| (0..depth).fold(Json::from(1), |value, _| Json::from(vec![value]));
    pages.query().update(|page| page.body.set(nested(799)))?;
    assert_eq!(pages.get(1)?.map(|page| page.body), Some(nested(799)));
    let set = db.compile(|q, (body,)| q.from::<Page>().update(|page| page.body.set(body)))?;
    for depth in [800, 999, 1_000] {
        let refused = pages.query().update(|page| page.body.set(nested(depth)));
        fails(refused, InvalidQuery, &["`body`", "deeper than 800 levels"]);
        fails(set.call(&nested(depth)), InvalidQuery, &["deeper than 800 levels"]);
    }
    assert_eq!(set.call(&nested(799))?, 0);
    assert_eq!(pages.get(1)?.map(|page| page.body), Some(nested(799)));
    Ok(())
}
