//! Workload EV: its operations and its answers.

mod answer;

pub use answer::{Collection, Stream, whole};

use serde::{Deserialize, Serialize};

/// An operation with its parameters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "op")]
pub enum Operation {
    /// Inserts all events into a fresh database.
    EV1,
    /// Counts all.
    EV3,
    /// Counts by a prefix of `system`.
    EV4 {
        /// The prefix.
        prefix: String,
    },
    /// Counts by two prefixes.
    EV5 {
        /// Of `machine_name`.
        machine: String,
        /// Of `agg_id`.
        aggregate: String,
    },
    /// Pages of whole events, the latest first.
    EV6 {
        /// Of `system`.
        prefix: String,
        /// Where each page begins.
        offsets: Vec<usize>,
        /// Of a page.
        len: usize,
    },
    /// All pages by cursor.
    EV7 {
        /// Of `system`.
        prefix: String,
        /// Of a page.
        len: usize,
    },
    /// Look-ups by id.
    EV8 {
        /// In this order.
        ids: Vec<i64>,
        /// Whether in one read transaction.
        snapshot: bool,
    },
    /// Groups by the first character of `username`.
    EV9,
    /// Gives events another body.
    EV10 {
        /// The body.
        body: String,
        /// The last id that is looked at.
        last_id: i64,
    },
    /// Callers that count at the same time.
    EV11 {
        /// The prefixes of each.
        callers: Vec<Vec<String>>,
    },
    /// Counts by `tags`.
    EV12 {
        /// The value.
        tag: String,
    },
    /// Compiles a query.
    EV13 {
        /// Which.
        shape: Shape,
    },
    /// Reads all as typed objects.
    EV14,
}

/// A query of EV13.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Shape {
    /// EV3.
    Count,
    /// EV4.
    Prefix,
    /// EV5.
    #[serde(rename = "two prefixes")]
    TwoPrefixes,
    /// EV12.
    Tag,
    /// EV6.
    Page,
    /// EV8.
    Point,
    /// EV9.
    Groups,
}

impl Shape {
    /// All seven.
    pub const ALL: [Self; 7] =
        [Self::Count, Self::Prefix, Self::TwoPrefixes, Self::Tag, Self::Page, Self::Point, Self::Groups];
}
