//! Where types are inferred without annotations, and how one definition serves many queries.

use std::borrow::Cow;
use std::sync::LazyLock;
use std::thread;

use serde::{Deserialize, Serialize};
use vellum::prelude::*;
use vellum::{Deferred, Live, Mode, Result, Snapshot};

#[derive(Document, Serialize, Deserialize, Debug, Clone, PartialEq)]
struct Order {
    id: i64,
    name: String,
    nick: Option<String>,
    score: Option<f64>,
    price: f64,
    age: u32,
}

fn order(id: i64, name: &str, nick: Option<&str>, score: Option<f64>, price: f64, age: u32) -> Order {
    Order { id, name: name.into(), nick: nick.map(Into::into), score, price, age }
}

fn orders() -> Result<Collection<'static, Order>> {
    let orders = Database::open_in_memory()?.collection()?;
    orders.insert_batch([
        order(1, "anna", Some("ann"), Some(0.5), 10.0, 30),
        order(2, "bert", None, None, 150.0, 40),
        order(3, "cleo", Some("cleo"), Some(2.0), 200.0, 50),
    ])?;
    Ok(orders)
}

#[test]
fn a_parameter_has_the_type_of_what_it_is_compared_with() -> Result<()> {
    let o = orders()?;
    let text: Compiled<(String,), u64> = o.compile(|q, (name,)| q.filter(|o| o.name.eq(name)).count())?;
    assert_eq!(text.call("bert")?, 1);
    let nullable: Compiled<(f64,), u64> = o.compile(|q, (min,)| q.filter(|o| o.score.gt(min)).count())?;
    assert_eq!(nullable.call(0.0)?, 2);
    let range: Compiled<(i64, i64), u64> = o.compile(|q, (a, b)| {
        q.filter(|o| o.id.is_in([a, b]) & o.id.between(a, b) & o.id.lt(5_000_000_000)).count()
    })?;
    assert_eq!(range.call((1, 3))?, 2);
    let list: Compiled<(Vec<i64>,), u64> = o.compile(|q, (ids,)| q.filter(|o| o.id.is_in(ids)).count())?;
    assert_eq!(list.call(&[2, 3, 9])?, 2);
    let condition: Compiled<(bool,), u64> =
        o.compile(|q, (everything,)| q.filter(|o| o.id.eq(1) | everything).count())?;
    assert_eq!((condition.call(false)?, condition.call(true)?), (1, 3));
    type Eight = (i64, i64, i64, i64, f64, f64, String, u32);
    let eight: Compiled<Eight, u64> = o.compile(|q, (a, b, c, d, low, high, name, age)| {
        q.filter(|o| o.id.is_in([a, b, c, d]) & o.price.between(low, high) & o.name.eq(name) & o.age.eq(age))
            .count()
    })?;
    assert_eq!(eight.call((1, 2, 3, 4, 100.0, 200.0, "cleo", 50))?, 1);
    Ok(())
}

#[test]
fn a_parameter_has_the_type_of_its_place_in_arithmetic_and_row_counts() -> Result<()> {
    let o = orders()?;
    let rate: Compiled<(f64,), u64> =
        o.compile(|q, (rate,)| q.filter(|o| (rate * o.price).gt(150.0) & (o.price / rate).lt(90.0)).count())?;
    assert_eq!(rate.call(2.0)?, 1);
    let page: Compiled<(u64, u64), Vec<String>> =
        o.compile(|q, (skip, take)| q.select(|o| o.name).skip(skip).take(take))?;
    assert_eq!(page.call((1, 1))?, ["bert"]);
    let update: Compiled<(i64, f64, Option<String>, u32), u64> = o.compile(|q, (id, price, nick, by)| {
        q.filter(|o| o.id.eq(id)).update(|o| (o.price.set(price), o.nick.set(nick), o.age.increment(by)))
    })?;
    assert_eq!(update.call((2, 1.5, Some("bo"), 2))?, 1);
    assert_eq!(o.get(2)?, Some(order(2, "bert", Some("bo"), None, 1.5, 42)));
    assert_eq!(update.call((2, 1.5, None, 0))?, 1);
    assert_eq!(o.get(2)?.and_then(|o| o.nick), None);
    Ok(())
}

#[test]
fn a_parameter_used_several_times_is_one_argument() -> Result<()> {
    let by_any_name: Compiled<(String,), Vec<i64>> = orders()?.compile(|q, (name,)| {
        q.filter(|o| o.name.eq(name) | o.nick.eq(name) | (o.nick.eq(o.name) & o.name.ne(name)))
            .select(|o| o.id)
    })?;
    assert_eq!(by_any_name.param_count(), 1);
    assert_eq!(by_any_name.call("ann")?, [1, 3]);
    Ok(())
}

#[test]
fn arithmetic_carries_nullability() -> Result<()> {
    let values: Compiled<(f64,), Vec<(Option<f64>, f64)>> = orders()?.compile(|q, (k,)| {
        q.select(|o| (o.score * o.price * k + 1.0, o.price * o.score.unwrap_or(0.0) - k))
    })?;
    assert_eq!(values.call(2.0)?, [(Some(11.0), 3.0), (None, -2.0), (Some(801.0), 398.0)]);
    Ok(())
}

#[test]
fn texts_are_joined_with_literals_references_and_parameters() -> Result<()> {
    let owned = String::from("!");
    let names: Compiled<(String,), Vec<(String, Option<String>)>> = orders()?.compile(|q, (end,)| {
        q.select(|o| (o.name.concat("-").concat(&owned).concat(end), o.nick.concat("?").concat(&owned)))
    })?;
    let bert = ("bert-!.".to_owned(), None);
    assert_eq!(names.call(".")?.get(1), Some(&bert));
    Ok(())
}

#[test]
fn a_parameter_that_nothing_fixes_is_annotated() -> Result<()> {
    let tagged: Compiled<(String,), Vec<(i64, String)>> =
        orders()?.compile(|q, (tag,): (Param<String>,)| q.select(|o| (o.id, tag.expr())).take(1))?;
    assert_eq!(tagged.call("x")?, [(1, "x".to_owned())]);
    let single: Compiled<(String,), u64> =
        orders()?.compile(|q, name: Param<String>| q.filter(|o| o.name.eq(name)).count())?;
    assert_eq!(single.call("anna")?, 1);
    Ok(())
}

#[test]
fn arguments_are_borrowed() -> Result<()> {
    let by = orders()?.compile(|q, (name, ids)| q.filter(|o| o.name.eq(name) & o.id.is_in(ids)).count())?;
    let (string, boxed, cow): (String, Box<str>, Cow<'_, str>) =
        ("anna".into(), "bert".into(), "cleo".into());
    let ids = vec![1, 3];
    assert_eq!(by.call((&string, &ids))?, 1);
    assert_eq!(by.call((&boxed, &[1, 2]))?, 1);
    assert_eq!(by.call((&cow, &[]))?, 0);
    assert_eq!(by.call(("cleo", &ids[..]))?, 1);
    assert_eq!(by.call((string.as_str(), &ids))?, 1);
    let texts = orders()?.compile(|q, (names,)| q.filter(|o| o.name.is_in(names)).count())?;
    assert_eq!(texts.call(&[&string, "cleo"])?, 2);
    Ok(())
}

#[test]
fn parameters_can_have_names() -> Result<()> {
    #[derive(Params)]
    struct Page<'a> {
        name: &'a str,
        take: u64,
    }

    let page: Compiled<Page<'static>, Vec<i64>> = orders()?
        .compile(|q, p: PageParams| q.filter(|o| o.name.ge(p.name)).select(|o| o.id).take(p.take))?;
    let name = String::from("b");
    assert_eq!(page.call(Page { name: &name, take: 1 })?, [2]);
    Ok(())
}

#[test]
fn a_compiled_query_can_be_a_static() -> Result<()> {
    static BY_NAME: LazyLock<Compiled<(String,), Option<Order>>> = LazyLock::new(|| {
        let orders = orders().expect("a database in memory");
        orders.compile(|q, (name,)| q.filter(|o| o.name.eq(name)).first()).expect("a query")
    });

    assert_eq!(BY_NAME.call("anna")?.map(|o| o.id), Some(1));
    assert_eq!(BY_NAME.call("nobody")?, None);
    Ok(())
}

fn expensive<M: Mode>(orders: Query<Order, M>) -> Query<Order, M> {
    orders.filter(|o| o.price.gt(100.0)).order_by_desc(|o| o.price)
}

fn named(order: OrderFields, name: Param<String>) -> Expr<bool> {
    order.name.eq(name) | order.nick.eq(name)
}

fn all<T: Document>(collection: &Collection<'_, T>) -> Result<Vec<T>> {
    collection.query().to_vec()
}

#[test]
fn one_definition_serves_ordinary_and_compiled_queries() -> Result<()> {
    let o = orders()?;
    assert_eq!(expensive(o.query()).select(|o| o.id).to_vec()?, [3, 2]);
    let named = o.compile(|q, (name,)| expensive(q).filter(|o| named(o, name)).first())?;
    assert_eq!(named.call("cleo")?.map(|o| o.id), Some(3));
    assert_eq!(named.call("anna")?, None);
    assert_eq!(all(&o)?.len(), 3);
    Ok(())
}

#[test]
fn a_query_can_branch_and_be_cloned() -> Result<()> {
    let o = orders()?;
    for (descending, first) in [(true, 3), (false, 1)] {
        let c = o.compile(|q, ()| {
            if descending { q.order_by_desc(|o| o.id) } else { q.order_by(|o| o.id) }.take(1)
        })?;
        assert_eq!(c.call(())?.iter().map(|o| o.id).collect::<Vec<_>>(), [first]);
    }
    let priced = o.filter(|o| o.price.ge(150.0));
    assert_eq!(priced.clone().count()?, 2);
    assert_eq!(priced.max(|o| o.age)?, Some(50));
    let source: Query<Order, Deferred> = o.source();
    let counted: Compiled<(), u64> = o.compile(|_, ()| source.count())?;
    assert_eq!(counted.call(())?, 3);
    Ok(())
}

#[test]
fn what_is_kept_and_shared_between_threads_can_be() -> Result<()> {
    fn shared<T: Send + Sync>() {}
    // Two ways to what is `Send` make the call ambiguous: this compiles for what is not.
    trait Stays<W> {
        fn stays() {}
    }
    impl<T> Stays<()> for T {}
    impl<T: Send> Stays<u8> for T {}
    <Param<i64> as Stays<_>>::stays();
    <Expr<i64> as Stays<_>>::stays();
    shared::<Database>();
    shared::<Collection<'static, Order>>();
    shared::<Query<Order>>();
    shared::<Query<Order, Live<'static>>>();
    shared::<Compiled<(String,), Vec<Order>>>();
    shared::<vellum::Error>();
    shared::<Tx<'static>>();
    shared::<Snapshot>();

    let o = orders()?;
    let by_age = o.compile(|q, (age,)| q.filter(|o| o.age.ge(age)).count())?;
    thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(|| Ok((by_age.call(40)?, o.count()?)))).collect();
        threads.into_iter().try_for_each(|thread| {
            let counts: Result<(u64, u64)> = thread.join().expect("no panic");
            counts.map(|counts| assert_eq!(counts, (2, 3)))
        })
    })
}
