//! Conditions on groups, between `group_by` and `select`.

mod support;

use serde::{Deserialize, Serialize};
use support::{TestResult, fails};
use vellum::prelude::*;
use vellum::{Collection, ErrorKind};

#[derive(Document, Serialize, Deserialize, Debug, Clone, PartialEq)]
#[document(collection = "sales", compound("shop", "kind"))]
struct Sale {
    id: i64,
    shop: String,
    kind: Option<String>,
    pieces: i64,
    price: Option<f64>,
}

fn sale(shop: &str, kind: Option<&str>, pieces: i64, price: Option<f64>) -> Sale {
    Sale { id: 0, shop: shop.to_owned(), kind: kind.map(str::to_owned), pieces, price }
}

/// Runs a check without and with indexes.
fn each_way(check: impl Fn(&Collection<'static, Sale>) -> TestResult) -> TestResult {
    let db = Database::open_in_memory()?;
    let sales = db.collection::<Sale>()?;
    sales.insert_batch([
        sale("east", Some("ink"), 2, Some(1.5)),
        sale("east", Some("ink"), 3, None),
        sale("east", Some("pen"), 4, Some(2.0)),
        sale("east", None, 1, None),
        sale("west", Some("ink"), 10, Some(1.0)),
        sale("west", None, 0, Some(7.0)),
        sale("west", None, 5, Some(8.0)),
    ])?;
    check(&sales)?;
    sales.ensure_indexes()?;
    sales.ensure_index(|s| s.pieces).create()?;
    check(&sales)
}

fn key(shop: &str, kind: Option<&str>) -> (String, Option<String>) {
    (shop.to_owned(), kind.map(str::to_owned))
}

#[test]
fn groups_of_several_keys_are_kept_by_their_folds() -> TestResult {
    each_way(|sales| {
        let groups = || sales.query().group_by(|s| (s.shop, s.kind));
        let several =
            groups().filter(|g| g.count().gt(1)).select(|g| (g.key, g.count(), g.sum(|s| s.pieces)));
        assert_eq!(several.to_vec()?, [(key("east", Some("ink")), 2, 5), (key("west", None), 2, 5)]);
        let dear = groups().filter(|g| g.max(|s| s.price).ge(2.0)).select(|g| g.key);
        assert_eq!(dear.to_vec()?, [key("east", Some("pen")), key("west", None)]);
        let unpriced = groups().filter(|g| g.avg(|s| s.price).is_none()).select(|g| g.key);
        assert_eq!(unpriced.to_vec()?, [key("east", None)]);
        let cheap = groups().filter(|g| !g.max(|s| s.price).ge(2.0)).select(|g| g.key);
        assert_eq!(cheap.to_vec()?, [key("east", None), key("east", Some("ink")), key("west", Some("ink"))]);
        Ok(())
    })
}

#[test]
fn conditions_on_groups_stand_beside_those_on_rows() -> TestResult {
    each_way(|sales| {
        let query = sales
            .filter(|s| s.pieces.gt(0))
            .group_by(|s| (s.shop, s.kind))
            .filter(|g| g.key.0.eq("west") | g.count().eq(1))
            .filter(|g| g.key.1.is_none() | g.min(|s| s.pieces).ge(10))
            .select(|g| (g.key, g.count()))
            .filter(|(_, count)| count.lt(5))
            .order_by_desc(|(group, _)| group.1);
        let expected = [(key("west", Some("ink")), 1), (key("west", None), 1), (key("east", None), 1)];
        assert_eq!(query.clone().to_vec()?, expected);
        assert_eq!(query.clone().skip(1).take(1).to_vec()?, expected[1..2]);
        assert_eq!(query.clone().count()?, 3);
        assert_eq!(query.first()?.as_ref(), expected.first());
        Ok(())
    })
}

#[test]
fn the_terminals_see_the_groups_that_are_kept() -> TestResult {
    each_way(|sales| {
        let by_shop = |least: i64| {
            let groups = sales.query().group_by(|s| s.shop).filter(move |g| g.sum(|s| s.pieces).ge(least));
            groups.select(|g| g.count())
        };
        assert_eq!(by_shop(11).count()?, 1);
        assert_eq!(by_shop(10).sum(|count| count)?, 7);
        assert!(by_shop(15).exists()?);
        assert!(!by_shop(16).exists()?);
        assert!(by_shop(16).all(|count| count.gt(99))?);
        assert_eq!(by_shop(0).take(1).to_vec()?, [4]);
        assert_eq!(by_shop(0).order_by(|count| count).take(1).to_vec()?, [3]);
        Ok(())
    })
}

#[test]
fn what_can_fail_is_asked_of_groups_that_pass_everything_else() -> TestResult {
    each_way(|sales| {
        let groups = || sales.query().group_by(|s| (s.shop, s.kind));
        let per_piece =
            groups().filter(|g| (g.max(|s| s.pieces).unwrap_or(0) / g.min(|s| s.pieces).unwrap_or(0)).ge(1));
        let shops = per_piece.filter(|g| g.min(|s| s.pieces).gt(0)).select(|g| g.key.0);
        assert_eq!(shops.clone().to_vec()?.len(), 4);
        assert_eq!(shops.take(1).to_vec()?, ["east"]);
        let fails_for_one = groups().filter(|g| (lit(1_i64) / g.min(|s| s.pieces).unwrap_or(0)).ge(0));
        // A page does not hide it, either.
        let page = fails_for_one.select(|g| g.count()).take(1).to_vec();
        fails(page, ErrorKind::DivisionByZero, &[]);
        Ok(())
    })
}

#[test]
fn parameters_reach_the_groups() -> TestResult {
    each_way(|sales| {
        let busy = sales.compile(|q, (shop, least)| {
            q.filter_some(shop, |s, shop| s.shop.eq(shop))
                .group_by(|s| s.kind)
                .filter(|g| g.count().ge(least))
                .select(|g| (g.key, g.count()))
        })?;
        assert_eq!(busy.call((None, 3))?, [(None, 3), (Some("ink".to_owned()), 3)]);
        assert_eq!(busy.call((Some("west"), 2))?, [(None, 2)]);
        let told = busy.explain()?;
        assert!(
            told.query.contains(".group_by(kind)\n  .filter((count() >= ?2))\n  .select("),
            "{}",
            told.query
        );
        Ok(())
    })
}
