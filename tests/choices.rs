//! `when`, `all_of`, `any_of`: values and conditions that are chosen.

use serde::{Deserialize, Serialize};
use vellum::ErrorKind;
use vellum::prelude::*;

type TestResult = Result<(), Box<dyn std::error::Error>>;

#[derive(Document, Serialize, Deserialize)]
struct Order {
    id: i64,
    item: String,
    qty: i64,
    note: Option<String>,
    tags: Vec<String>,
    bill_to: Option<Address>,
}

#[derive(Embed, Serialize, Deserialize)]
struct Address {
    city: String,
}

fn orders() -> vellum::Result<Collection<'static, Order>> {
    let orders = Database::open_in_memory()?.collection::<Order>()?;
    let order = |i: i64| Order {
        id: 0,
        item: format!("item{}", i % 2),
        qty: i,
        note: (i > 2).then(|| "x".into()),
        tags: vec![],
        bill_to: None,
    };
    orders.insert_batch((1..=4).map(order))?;
    Ok(orders)
}

#[test]
fn a_value_is_chosen_by_a_condition() -> TestResult {
    let orders = orders()?;
    let sizes = orders.query().select(|o| when(o.qty.gt(2), "many", "few")).to_vec()?;
    assert_eq!(sizes, ["few", "few", "many", "many"]);
    let by_macro = orders.query().select(x!(|o| if o.qty > 2 { "many" } else { "few" })).to_vec()?;
    assert_eq!(by_macro, sizes);
    let chosen =
        orders.compile(|q, (least,)| q.filter(|o| when(o.note.is_some(), o.qty, least).ge(3)).count())?;
    assert_eq!((chosen.call(0)?, chosen.call(9)?), (2, 4));
    // The branch that is not chosen cannot fail.
    let halves = orders.query().select(|o| when(o.qty.eq(2), 0, 10 / (o.qty - 2))).to_vec()?;
    assert_eq!(halves, [-10, 0, 10, 5]);
    Ok(())
}

#[test]
fn a_value_that_may_be_null_needs_a_default() -> TestResult {
    let orders = orders()?;
    let refused = orders.query().select(|o| when(o.qty.gt(2), o.note, "none")).to_vec().map(drop);
    let error = refused.err().ok_or("it was not refused")?;
    assert_eq!(error.kind(), ErrorKind::InvalidQuery);
    assert!(error.to_string().contains("`note`") && error.to_string().contains("unwrap_or"), "{error}");
    let given = orders.query().select(|o| when(o.qty.gt(3), o.note.unwrap_or("-"), "none")).to_vec()?;
    assert_eq!(given, ["none", "none", "none", "x"]);
    // So does an item that may not be there, a field of a struct that may not be, and a row that is itself optional.
    let item = orders.query().select(|o| when(o.qty.gt(2), o.tags.first(), "none")).to_vec();
    let noted = orders.query().select(|o| o.note).select(|note| when(note.ne("y"), note, "none")).to_vec();
    let city = orders.query().select(|o| when(o.qty.gt(2), o.bill_to.city, "none")).to_vec();
    for refused in [item, city, noted] {
        assert_eq!(refused.err().map(|error| error.kind()), Some(ErrorKind::InvalidQuery));
    }
    Ok(())
}

#[test]
fn conditions_are_joined_at_run_time() -> TestResult {
    let orders = orders()?;
    let items = ["item0", "item1"];
    assert_eq!(orders.filter(|o| any_of(items.iter().map(|item| o.item.eq(*item)))).count()?, 4);
    assert_eq!(orders.filter(|o| all_of(items.iter().map(|item| o.item.eq(*item)))).count()?, 0);
    assert_eq!(orders.filter(|_| any_of([])).count()?, 0);
    assert_eq!(orders.filter(|o| all_of([]) & o.qty.gt(1)).count()?, 3);
    Ok(())
}
