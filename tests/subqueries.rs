//! Queries inside of closures: conditions, values and lists, with and without the indexes of what they ask.

mod support;

use serde::{Deserialize, Serialize};
use support::{TestResult, fails, ids, strange};
use vellum::prelude::*;
use vellum::{Collection, ErrorKind, Result, from_named};

#[derive(Document, Serialize, Deserialize, Debug, Clone, PartialEq)]
#[document(collection = "users")]
struct User {
    id: i64,
    #[document(index)]
    name: String,
    age: i64,
    boss: Option<i64>,
}

#[derive(Document, Serialize, Deserialize, Debug, Clone, PartialEq)]
#[document(collection = "orders")]
struct Order {
    id: i64,
    #[document(index)]
    user: i64,
    #[document(index)]
    buyer: Option<String>,
    amount: f64,
    tags: Vec<String>,
}

fn database() -> Result<(Database, Collection<'static, User>, Collection<'static, Order>)> {
    let db = Database::open_in_memory()?;
    let (users, orders) = (db.collection::<User>()?, db.collection::<Order>()?);
    let user = |id, name: &str, age, boss| User { id, name: name.to_owned(), age, boss };
    users.insert_batch([
        user(1, "ann", 30, None),
        user(2, "bob", 40, Some(1)),
        user(3, "cid", 50, Some(1)),
        user(4, "dee", 60, Some(9)),
    ])?;
    let order = |user, buyer: Option<&str>, amount, tags: &[&str]| Order {
        id: 0,
        user,
        buyer: buyer.map(str::to_owned),
        amount,
        tags: tags.iter().map(|tag| (*tag).to_owned()).collect(),
    };
    orders.insert_batch([
        order(1, Some("ann"), 5.0, &["new"]),
        order(1, None, 7.0, &[]),
        order(2, Some("bob"), 1.0, &["ann", "old"]),
        order(4, Some("nobody"), 9.0, &[]),
        order(99, None, 2.0, &["new"]),
    ])?;
    Ok((db, users, orders))
}

/// Runs a check without and with indexes.
fn each_way(
    check: impl Fn(&Database, &Collection<'static, User>, &Collection<'static, Order>) -> TestResult,
) -> TestResult {
    let (db, users, orders) = database()?;
    check(&db, &users, &orders)?;
    users.ensure_indexes()?;
    orders.ensure_indexes()?;
    check(&db, &users, &orders)
}

/// The orders of a user.
fn orders_of(u: UserFields) -> Query<Order> {
    from::<Order>().filter(|o| o.user.eq(u.id))
}

#[test]
fn a_condition_asks_whether_another_collection_has_such_a_document() -> TestResult {
    each_way(|_, users, orders| {
        assert_eq!(ids!(users, |u: UserFields| orders_of(u).exists() & u.age.gt(0)), [1, 2, 4]);
        assert_eq!(ids!(users, |u: UserFields| u.age.gt(30) & !orders_of(u).exists()), [3]);
        assert_eq!(ids!(users, |u: UserFields| orders_of(u).any(|o| o.amount.gt(6.0)).expr()), [1, 4]);
        assert_eq!(ids!(users, |u: UserFields| orders_of(u).all(|o| o.amount.gt(4.0)).expr()), [1, 3, 4]);
        assert_eq!(users.filter(|u| orders_of(u).exists()).count()?, 3);
        // The other way round: the key of the other collection is looked up by a field of this one.
        assert_eq!(ids!(orders, |o: OrderFields| !from::<User>().filter(|u| u.id.eq(o.user)).exists()), [5]);
        assert_eq!(
            ids!(orders, |o: OrderFields| from::<User>()
                .filter(|u| o.buyer.eq(u.name) & u.id.ne(o.user))
                .exists()
                .expr()),
            [0_i64; 0]
        );
        Ok(())
    })
}

#[test]
fn a_value_is_what_a_fold_or_the_first_row_gives() -> TestResult {
    each_way(|_, users, _| {
        let rows = users.query().select(|u| {
            (
                u.name,
                orders_of(u).count().expr(),
                orders_of(u).sum(|o| o.amount).expr(),
                orders_of(u).max(|o| o.amount).expr(),
                orders_of(u).order_by_desc(|o| o.amount).select(|o| o.id).first().expr(),
            )
        });
        let expected = [
            ("ann".to_owned(), 2, 12.0, Some(7.0), Some(2)),
            ("bob".to_owned(), 1, 1.0, Some(1.0), Some(3)),
            ("cid".to_owned(), 0, 0.0, None, None),
            ("dee".to_owned(), 1, 9.0, Some(9.0), Some(4)),
        ];
        assert_eq!(rows.clone().to_vec()?, expected);
        assert_eq!(rows.skip(1).take(2).to_vec()?, expected[1..3]);
        assert_eq!(ids!(users, |u: UserFields| orders_of(u).count().expr().eq(1)), [2, 4]);
        assert_eq!(ids!(users, |u: UserFields| u.id.lt(orders_of(u).count().expr().as_i64())), [1]);
        assert_eq!(ids!(users, |u: UserFields| orders_of(u).avg(|o| o.amount).expr().is_none()), [3]);
        assert_eq!(ids!(users, |u: UserFields| u.id.eq(orders_of(u).max(|o| o.user))), [1, 2, 4]);
        let by_sum = users.query().order_by_desc(|u| orders_of(u).sum(|o| o.amount).expr().asc());
        assert_eq!(by_sum.select(|u| u.id).to_vec()?, [1, 4, 2, 3]);
        Ok(())
    })
}

#[test]
fn a_list_is_what_a_query_gives() -> TestResult {
    each_way(|_, users, orders| {
        let dear = || from::<Order>().filter(|o| o.amount.gt(4.0));
        assert_eq!(ids!(users, |u: UserFields| u.id.is_in(dear().select(|o| o.user))), [1, 4]);
        // A null among the values neither hides nor makes a match (rule 1).
        assert_eq!(ids!(users, |u: UserFields| u.name.is_in(from::<Order>().select(|o| o.buyer))), [1, 2]);
        assert_eq!(ids!(users, |u: UserFields| !u.name.is_in(dear().select(|o| o.buyer))), [2, 3, 4]);
        assert_eq!(ids!(users, |u: UserFields| u.boss.is_in(from::<User>().select(|b| b.id))), [2, 3]);
        assert_eq!(ids!(users, |u: UserFields| !u.boss.is_in(from::<User>().select(|b| b.id))), [1, 4]);
        let two = || from::<Order>().order_by_desc(|o| o.amount).take(2).select(|o| o.user);
        assert_eq!(ids!(users, |u: UserFields| u.id.is_in(two())), [1, 4]);
        assert_eq!(
            ids!(orders, |o: OrderFields| o
                .user
                .is_in(from::<User>().filter(|u| u.age.ge(40)).select(|u| u.id))),
            [3, 4]
        );
        let busy = || from::<Order>().group_by(|o| o.user).filter(|g| g.count().gt(1)).select(|g| g.key);
        assert_eq!(ids!(users, |u: UserFields| u.id.is_in(busy())), [1]);
        // It may name the row around it.
        let own = |u: UserFields| from::<Order>().filter(move |o| o.buyer.eq(u.name)).select(|o| o.user);
        assert_eq!(ids!(users, |u: UserFields| u.id.is_in(own(u))), [1, 2]);
        Ok(())
    })
}

#[test]
fn queries_stand_in_queries_and_beside_items() -> TestResult {
    each_way(|_, users, _| {
        let bosses_of_buyers = |u: UserFields| {
            from::<User>()
                .filter(move |w| {
                    w.boss.eq(u.id)
                        & from::<Order>().filter(|o| o.user.eq(w.id) & o.amount.lt(u.age.as_f64())).exists()
                })
                .exists()
                .expr()
        };
        assert_eq!(ids!(users, bosses_of_buyers), [1]);
        let tagged =
            |u: UserFields| from::<Order>().filter(move |o| o.tags.any(|tag| tag.eq(u.name))).exists().expr();
        assert_eq!(ids!(users, tagged), [1]);
        let counts = users
            .query()
            .select(|u| (u.id, from::<Order>().sum(|o| o.tags.count_where(|tag| tag.eq(u.name))).expr()));
        assert_eq!(counts.to_vec()?, [(1, 1), (2, 0), (3, 0), (4, 0)]);
        Ok(())
    })
}

#[test]
fn parameters_and_options_reach_inside() -> TestResult {
    each_way(|db, users, _| {
        let rich = db.compile(|q, (least, limit, name)| {
            q.from::<User>()
                .filter(|u| {
                    let orders = q.from::<Order>().filter_some(name, |o, name| o.buyer.eq(name));
                    orders.filter(|o| o.user.eq(u.id) & o.amount.ge(least)).exists()
                })
                .take(limit)
                .select(|u| u.id)
        })?;
        assert_eq!(rich.param_count(), 3);
        assert_eq!(rich.call((5.0, 9, None))?, [1, 4]);
        assert_eq!(rich.call((5.0, 1, None))?, [1]);
        assert_eq!(rich.call((0.0, 9, Some("bob")))?, [2]);
        // Literals are no part of the shape, inside either.
        let before = db.plan_cache_statistics().1;
        for least in [0.5, 5.0, 8.0] {
            let few = from::<Order>().filter(|o| o.amount.ge(least)).take(2);
            assert!(
                users.filter(|u| u.age.gt(least as i64) & u.id.is_in(few.select(|o| o.user))).count()? > 0
            );
        }
        assert_eq!(db.plan_cache_statistics().1, before + 1);
        Ok(())
    })
}

#[test]
fn a_query_inside_is_entered_by_its_own_index() -> TestResult {
    let (_db, users, orders) = database()?;
    users.ensure_indexes()?;
    orders.ensure_indexes()?;
    let indexes = |query: Query<User, _>| -> Result<Vec<Vec<String>>> {
        Ok(query.explain()?.plan.readings.into_iter().map(|reading| reading.indexes).collect())
    };
    let by_user = indexes(users.filter(|u| orders_of(u).exists()))?;
    assert_eq!(by_user[0], ["orders/user"]);
    let swapped = indexes(users.filter(|u| from::<Order>().filter(|o| u.id.eq(o.user)).exists()))?;
    assert_eq!(swapped[0], ["orders/user"]);
    let by_buyer =
        indexes(users.filter(|u| from::<Order>().filter(|o| o.buyer.eq(u.name)).count().expr().gt(0)))?;
    assert_eq!(by_buyer[0], ["orders/buyer"]);
    let ranged = indexes(users.filter(|u| from::<Order>().filter(|o| o.buyer.ge(u.name)).exists()))?;
    assert_eq!(ranged[0], ["orders/buyer"]);
    // And what is around it by the list that it gives.
    let listed = indexes(users.filter(|u| u.name.is_in(from::<Order>().select(|o| o.buyer))))?;
    assert_eq!(listed, [["orders/buyer"], ["users/name"]]);
    let plan = users.filter(|u| orders_of(u).exists()).explain()?;
    assert!(
        plan.plan.sqlite_plan.iter().any(|step| step.contains("USING INDEX orders/user (user=?)")),
        "{plan}"
    );
    assert!(
        plan.query.contains(".filter(from `orders`.filter((user == r0.key)).exists())"),
        "{}",
        plan.query
    );
    Ok(())
}

#[test]
fn two_optional_fields_are_compared_through_an_index() -> TestResult {
    let (db, users, orders) = database()?;
    // Of other kinds than the fields are, below and above them, and without them.
    strange(
        &db,
        "orders",
        &[
            (70, r#"{"user":1,"buyer":3}"#),
            (71, r#"{"user":1,"buyer":true}"#),
            (72, r#"{"user":1,"buyer":["ann"]}"#),
            (73, r#"{"user":1}"#),
            (74, r#"{"user":1,"buyer":"ann"}"#),
        ],
    )?;
    strange(&db, "users", &[(80, r#"{"name":"eve","boss":"1"}"#), (81, r#"{"name":"eve","boss":true}"#)])?;
    let same_buyer = |o: OrderFields| {
        from::<Order>().filter(move |other| other.buyer.eq(o.buyer) & other.id.ne(o.id)).count().expr()
    };
    let same_boss = |u: UserFields| from::<User>().filter(move |other| u.boss.eq(other.boss)).count().expr();
    for indexed in [false, true] {
        if indexed {
            orders.ensure_indexes()?;
            users.ensure_index(|u| u.boss).create()?;
        }
        let counted = orders.query().select(|o| (o.id, same_buyer(o))).to_vec()?;
        // The two without a buyer, and the four of which the buyer is none to them, see one another.
        let expected = [(1, 1), (2, 5), (3, 0), (4, 0), (5, 5), (70, 5), (71, 5), (72, 5), (73, 5), (74, 1)];
        assert_eq!(counted, expected, "{indexed}");
        let counted = users.query().select(|u| (u.id, same_boss(u))).to_vec()?;
        assert_eq!(counted, [(1, 3), (2, 2), (3, 2), (4, 1), (80, 3), (81, 3)], "{indexed}");
    }
    // Among a dozen documents SQLite visits them all.
    let buyers = (0..5000).map(|i| format!("buyer {i}"));
    let others =
        buyers.map(|buyer| Order { id: 0, user: 1, buyer: Some(buyer), amount: 1.0, tags: Vec::new() });
    orders.insert_batch(others)?;
    db.optimize()?;
    let told = orders.filter(|o| same_buyer(o).gt(0)).explain()?;
    assert_eq!(told.plan.readings[0].indexes, ["orders/buyer"], "{told}");
    let seeks = told.plan.sqlite_plan.iter().filter(|step| step.contains("USING INDEX orders/buyer"));
    assert_eq!(seeks.filter(|step| step.contains("SEARCH")).count(), 3, "{told}");
    let told = users.filter(|u| same_boss(u).gt(0)).explain()?;
    assert_eq!(told.plan.readings[0].indexes, ["users/boss"], "{told}");
    Ok(())
}

#[test]
fn what_inside_visits_every_document_is_a_scan() -> TestResult {
    let (_db, users, orders) = database()?;
    users.ensure_indexes()?;
    orders.ensure_indexes()?;
    let named = || users.filter(|u| u.name.eq("ann")).forbid_scan();
    assert_eq!(named().filter(|u| orders_of(u).count().expr().eq(2)).count()?, 1);
    let scans =
        named().filter(|u| from::<Order>().filter(|o| o.amount.gt(u.age.as_f64())).count().expr().eq(2));
    fails(scans.count(), ErrorKind::InvalidQuery, &["every document of `orders`", "`amount` has no index"]);
    let inside = users.filter(|u| {
        from::<Order>().forbid_scan().filter(|o| o.amount.gt(u.age.as_f64())).count().expr().eq(2)
    });
    fails(inside.count(), ErrorKind::InvalidQuery, &["every document of `orders`"]);
    Ok(())
}

#[test]
fn values_of_another_kind_match_nothing_across_collections() -> TestResult {
    let (db, users, orders) = database()?;
    strange(
        &db,
        "orders",
        &[(70, r#"{"user":"3","buyer":3,"amount":1.0,"tags":[]}"#), (71, r#"{"user":true}"#)],
    )?;
    strange(&db, "users", &[(80, r#"{"name":3,"age":"1","boss":"1"}"#), (81, r#"{}"#)])?;
    for indexed in [false, true] {
        if indexed {
            users.ensure_indexes()?;
            orders.ensure_indexes()?;
        }
        let with_orders = |u: UserFields| orders_of(u).exists().expr();
        assert_eq!(ids!(users, with_orders), [1, 2, 4]);
        let by_name = |u: UserFields| from::<Order>().filter(move |o| o.buyer.eq(u.name)).exists().expr();
        assert_eq!(ids!(users, by_name), [1, 2]);
        assert_eq!(ids!(users, |u: UserFields| u.name.is_in(from::<Order>().select(|o| o.buyer))), [1, 2]);
        assert_eq!(ids!(users, |u: UserFields| u.id.is_in(from::<Order>().select(|o| o.user))), [1, 2, 4]);
        assert_eq!(ids!(users, |u: UserFields| u.boss.is_in(from::<User>().select(|b| b.id))), [2, 3]);
        assert_eq!(
            ids!(orders, |o: OrderFields| from::<User>().filter(move |u| u.id.eq(o.user)).exists().expr()),
            [1, 2, 3, 4]
        );
        // Two options that are both absent are equal (rule 2), and what is of another kind counts as absent there.
        let as_options =
            |u: UserFields| from::<Order>().filter(move |o| u.boss.eq(o.user.some())).exists().expr();
        assert_eq!(ids!(users, as_options), [1, 2, 3, 80, 81]);
    }
    Ok(())
}

#[test]
fn writes_take_a_query_for_a_condition_and_not_for_a_value() -> TestResult {
    let (_db, users, orders) = database()?;
    let idle = |u: UserFields| !orders_of(u).exists();
    assert_eq!(users.update_many(idle, |u| u.age.increment(1))?, 1);
    assert_eq!(users.get(3)?.map(|user| user.age), Some(51));
    // Of its own collection: all are chosen before the first one goes.
    let not_largest =
        |o: OrderFields| from::<Order>().filter(move |other| other.amount.gt(o.amount)).exists();
    assert_eq!(orders.delete_many(not_largest)?, 4);
    assert_eq!(orders.query().select(|o| o.amount).to_vec()?, [9.0]);
    let assigned = users.query().update(|u| u.age.set(orders_of(u).count().expr().as_i64()));
    fails(assigned, ErrorKind::InvalidQuery, &["a query inside of an assigned value"]);
    Ok(())
}

#[test]
fn a_query_inside_is_of_a_named_collection_too() -> TestResult {
    let (db, users, _) = database()?;
    let archive = db.collection_named::<Order>("archive")?;
    archive.insert(Order { id: 0, user: 3, buyer: None, amount: 1.0, tags: vec![] })?;
    let archived =
        |u: UserFields| from_named::<Order>("archive").filter(move |o| o.user.eq(u.id)).exists().expr();
    assert_eq!(ids!(users, archived), [3]);
    let missing = users.filter(|u| from_named::<Order>("nowhere").filter(|o| o.user.eq(u.id)).exists());
    fails(missing.count(), ErrorKind::InvalidQuery, &["`nowhere`"]);
    Ok(())
}

#[test]
fn what_is_no_value_inside_a_closure_is_refused() -> TestResult {
    let (_db, users, _) = database()?;
    let all = users.filter(|u| orders_of(u).select(|o| o.user).to_vec().expr().is_empty());
    fails(all.count(), ErrorKind::InvalidQuery, &["all rows of a query", "is_in"]);
    let single = users.filter(|u| orders_of(u).select(|o| o.user).single().expr().eq(1));
    fails(single.count(), ErrorKind::InvalidQuery, &["`single()`", "first()"]);
    let delete = users.filter(|u| orders_of(u).delete().expr().eq(1));
    fails(delete.count(), ErrorKind::InvalidQuery, &["an update or delete"]);
    let outer = users.query().select(|u| orders_of(u).sum(|_| u.age).expr());
    fails(outer.to_vec(), ErrorKind::InvalidQuery, &["the rows around its query"]);
    Ok(())
}

#[test]
fn a_query_inside_may_name_what_was_made_of_groups() -> TestResult {
    each_way(|_, users, orders| {
        // A page inside the inner query puts the fold two queries deep.
        let older = |age: Expr<Option<i64>>| {
            from::<User>().filter(|u| u.age.gt(age.unwrap_or(0))).order_by(|u| u.age).skip(1).count().expr()
        };
        let grouped = || users.query().group_by(|u| u.boss).select(|g| (g.key, g.min(|u| u.age)));
        let expected = [(Some(9), 0), (Some(1), 1), (None, 2)];
        let sorted = grouped().order_by(|(_, age)| older(age)).select(|(boss, age)| (boss, older(age)));
        assert_eq!(sorted.to_vec()?, expected.map(|(boss, count)| (boss, count)));
        assert_eq!(grouped().filter(|(_, age)| older(age).gt(0)).count()?, 2);
        let sums = orders.query().group_by(|o| o.user).select(|g| (g.key, g.count()));
        let known = sums.filter(|(user, _)| from::<User>().filter(|u| u.id.eq(user)).exists());
        assert_eq!(known.to_vec()?, [(1, 2), (2, 1), (4, 1)]);
        Ok(())
    })
}

#[test]
fn a_query_that_is_made_outside_of_the_closure_keeps_to_its_own_rows() -> TestResult {
    each_way(|db, users, orders| {
        let large = from::<Order>().filter(|o| o.amount.gt(4.0));
        let of = |u: UserFields| large.clone().filter(|o| o.user.eq(u.id));
        assert_eq!(users.filter(|u| of(u).exists()).select(|u| u.id).to_vec()?, [1, 4]);
        assert_eq!(
            users.filter(|u| !large.clone().any(|o| o.user.eq(u.id))).select(|u| u.id).to_vec()?,
            [2, 3]
        );
        assert_eq!(users.query().select(|u| of(u).count().expr()).to_vec()?, [2, 0, 0, 1]);
        let first = from::<Order>().order_by_desc(|o| o.amount);
        let largest =
            |u: UserFields| first.clone().filter(|o| o.user.eq(u.id)).select(|o| o.amount).first().expr();
        assert_eq!(users.query().select(largest).to_vec()?, [Some(7.0), Some(1.0), None, Some(9.0)]);
        let tagged = from::<Order>().filter(|o| o.tags.any(|tag| tag.eq("new")));
        let new = db.compile(|q, (age,)| {
            q.from::<User>()
                .filter(|u| u.age.ge(age) & tagged.clone().any(|o| o.user.eq(u.id)))
                .select(|u| u.id)
        })?;
        assert_eq!((new.call(30)?, new.call(31)?), (vec![1], vec![]));
        let same = from::<User>().filter(|u| u.age.gt(35));
        assert_eq!(users.filter(|u| same.clone().any(|o| o.boss.eq(u.boss) & o.id.ne(u.id))).count()?, 2);
        assert_eq!(
            orders.filter(|o| same.clone().any(|u| u.id.eq(o.user))).select(|o| o.id).to_vec()?,
            [3, 4]
        );
        Ok(())
    })?;
    let (_db, users, orders) = database()?;
    let large = from::<Order>().filter(|o| o.amount.gt(4.0));
    assert_eq!(users.delete_many(|u| large.clone().any(|o| o.user.eq(u.id)))?, 2);
    assert_eq!(users.query().select(|u| u.id).to_vec()?, [2, 3]);
    assert_eq!(orders.count()?, 5);
    Ok(())
}

#[test]
fn a_query_that_names_a_row_is_not_taken_into_another_closure() -> TestResult {
    let (_db, users, _orders) = database()?;
    let mut kept = None;
    users
        .filter(|u| {
            kept = Some(from::<Order>().filter(move |o| o.user.eq(u.id)));
            u.id.gt(0)
        })
        .count()?;
    let kept = kept.ok_or("no query was kept")?;
    fails(
        users.filter(|u| kept.exists() & u.id.gt(0)).count(),
        ErrorKind::InvalidQuery,
        &["another closure"],
    );
    Ok(())
}
