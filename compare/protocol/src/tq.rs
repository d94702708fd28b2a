//! Workload TQ: its rows, its operations and the answers that are more than a number.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::Digest;

/// How many rows there are before some are appended.
pub const PRESENT: i64 = 50;
/// How many are appended.
pub const APPENDED: i64 = 10;

/// An operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "op")]
pub enum Operation {
    /// Deletes all and inserts `n` rows, in one transaction.
    #[serde(rename = "TQ-save")]
    Save {
        /// Rows, before and after.
        n: i64,
    },
    /// Reads all.
    #[serde(rename = "TQ-load")]
    Load {
        /// Rows.
        n: i64,
    },
    /// One after the other.
    #[serde(rename = "TQ-saveload")]
    SaveLoad {
        /// Rows, before and after.
        n: i64,
    },
    /// Inserts ten rows beside fifty, in one transaction.
    #[serde(rename = "TQ-append")]
    Append,
    /// Reads one row by its key.
    #[serde(rename = "TQ-point")]
    Point {
        /// Rows.
        n: i64,
        /// The key.
        id: i64,
    },
    /// Orders beside the names of their customers.
    #[serde(rename = "TQ-join")]
    Join {
        /// Orders.
        n: i64,
        /// Customers.
        customers: i64,
    },
    /// Count and sum of the orders of each customer.
    #[serde(rename = "TQ-group")]
    Group {
        /// Orders.
        n: i64,
        /// Customers.
        customers: i64,
    },
}

/// A row of `bench`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// From 1.
    pub id: i64,
    /// `user_7`.
    pub name: String,
    /// 7.7.
    pub score: f64,
}

/// A row of `orders`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Order {
    /// From 1.
    pub id: i64,
    /// The key of a customer.
    pub customer: i64,
    /// Tenths, below 100.
    pub amount: f64,
}

/// A row of `customers`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Customer {
    /// From 1.
    pub id: i64,
    /// `customer_7`.
    pub name: String,
}

/// Returns the rows `first` to `last` of `bench`.
pub fn rows(first: i64, last: i64) -> Vec<Row> {
    (first..=last).map(|i| Row { id: i, name: format!("user_{i}"), score: i as f64 * 1.1 }).collect()
}

/// Returns `n` orders of so many customers.
pub fn orders(n: i64, customers: i64) -> Vec<Order> {
    let order = |i| Order { id: i, customer: 1 + i % customers, amount: (i * 37 % 1_000) as f64 / 10.0 };
    (1..=n).map(order).collect()
}

/// Returns the customers.
pub fn customers(customers: i64) -> Vec<Customer> {
    (1..=customers).map(|i| Customer { id: i, name: format!("customer_{i}") }).collect()
}

/// Returns the answer of a load of rows with these ids and scores: the scores in tenths, which add up exactly.
pub fn loaded(rows: impl IntoIterator<Item = (i64, f64)>) -> Value {
    let (mut count, mut ids, mut tenths) = (0, 0, 0);
    for (id, score) in rows {
        count += 1;
        ids += id;
        tenths += (score * 10.0).round() as i64;
    }
    json!([count, ids, tenths])
}

/// Returns the answer of a join that returned these orders with the names of their customers.
pub fn joined<N: AsRef<str>>(pairs: impl IntoIterator<Item = (i64, N)>) -> Value {
    let (mut count, mut digest) = (0, Digest::new());
    for (order, name) in pairs {
        count += 1;
        digest.text(&order.to_string());
        digest.text(name.as_ref());
    }
    json!([count, digest.hex()])
}

/// Returns the answer of a grouping: customer, count and sum, which is told in tenths.
pub fn grouped(groups: impl IntoIterator<Item = (i64, i64, f64)>) -> Value {
    let tenths = |sum: f64| (sum * 10.0).round() as i64;
    groups.into_iter().map(|(customer, count, sum)| json!([customer, count, tenths(sum)])).collect()
}
