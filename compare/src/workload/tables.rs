//! Workload TQ: small tables.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use vellum_compare_protocol::tq::{
    APPENDED, Operation, PRESENT, customers, grouped, joined, loaded, orders, rows,
};

use super::{Case, Round, Scene, Work};

const SIZES: [(&str, i64); 3] = [("10", 10), ("100", 100), ("1,000", 1_000)];
const LARGEST: i64 = 1_000;
const SAVED: i64 = 100;
/// The key that is looked up.
const POINT: i64 = 500;
const JOINED: [(&str, i64, i64); 3] = [("50", 50, 10), ("500", 500, 50), ("2,000", 2_000, 100)];

/// Returns the workload.
pub(super) fn scene() -> Scene {
    let mut cases = Vec::new();
    for (name, n) in SIZES {
        let round = Round::new(Operation::Save { n }, json!(n));
        cases.push(
            case("TQ-save", name, "delete all, insert as many, one transaction", round).of_items(n as usize),
        );
    }
    for (name, n) in SIZES {
        let round = Round::new(Operation::Load { n }, right(n));
        cases.push(case("TQ-load", name, "read all rows", round).of_items(n as usize));
    }
    let both = Round::new(Operation::SaveLoad { n: SAVED }, right(SAVED));
    cases.push(case("TQ-saveload", "", "save 100 rows, read all", both));
    let append = Round::new(Operation::Append, json!(PRESENT + APPENDED));
    cases.push(case("TQ-append", "", "10 rows beside 50, one transaction", append));
    let point = Round::new(Operation::Point { n: LARGEST, id: POINT }, json!(format!("user_{POINT}")));
    cases.push(case("TQ-point", "", "one of 1,000 rows by its key", point));
    for (name, n, of) in JOINED {
        let round = Round::new(Operation::Join { n, customers: of }, join(n, of));
        cases.push(case("TQ-join", name, format!("{n} orders of {of} customers, joined"), round));
    }
    for (name, n, of) in JOINED {
        let round = Round::new(Operation::Group { n, customers: of }, group(n, of));
        cases.push(case("TQ-group", name, format!("count and sum by customer, {n} orders"), round));
    }
    Scene { count: LARGEST as usize, filled: None, cases }
}

fn case(id: &'static str, name: &'static str, title: impl Into<String>, round: Round) -> Case {
    Case::new(id, name, title, Work::Run { indexes: Vec::new(), needs_indexes: false, rounds: vec![round] })
}

fn right(n: i64) -> Value {
    loaded(rows(1, n).iter().map(|row| (row.id, row.score)))
}

fn join(n: i64, of: i64) -> Value {
    let names: BTreeMap<i64, String> =
        customers(of).into_iter().map(|customer| (customer.id, customer.name)).collect();
    let orders = orders(n, of);
    joined(orders.iter().filter_map(|order| Some((order.id, names.get(&order.customer)?))))
}

fn group(n: i64, of: i64) -> Value {
    let mut groups: BTreeMap<i64, (i64, f64)> = BTreeMap::new();
    for order in orders(n, of) {
        let (count, sum) = groups.entry(order.customer).or_default();
        *count += 1;
        *sum += order.amount;
    }
    grouped(groups.into_iter().map(|(customer, (count, sum))| (customer, count, sum)))
}
