//! The queries of workload EV as documents.

use mongodb::bson::{Document, doc};
use mongodb::options::Hint;

/// The filters of a variant, each with the index to name.
#[derive(Clone, Copy, Debug)]
pub(super) struct Queries<'a> {
    /// Whether ranges are asked for and indexes named.
    pub(super) is_tuned: bool,
    /// The indexes that there are.
    pub(super) indexes: &'a [String],
}

impl Queries<'_> {
    /// EV4, EV11.
    pub(super) fn by_system(&self, prefix: &str) -> (Document, Option<Hint>) {
        (doc! { "system": self.prefix(prefix) }, self.hint("system_1"))
    }

    /// EV5: by the compound index where it is there, else by the one that leaves fewer documents to look at.
    pub(super) fn by_two(&self, machine: &str, aggregate: &str) -> (Document, Option<Hint>) {
        let filter = doc! { "machine_name": self.prefix(machine), "agg_id": self.prefix(aggregate) };
        (filter, self.hint("machine_name_1_agg_id_1").or_else(|| self.hint("agg_id_1")))
    }

    /// EV6, EV7: in the order of the index on the time.
    pub(super) fn latest(&self, prefix: &str) -> (Document, Option<Hint>) {
        (doc! { "system": self.prefix(prefix) }, self.hint("unix_timestamp_1"))
    }

    /// Names an index, in the tuned variant, if it is there.
    pub(super) fn hint(&self, name: &str) -> Option<Hint> {
        let is_there = self.indexes.iter().any(|index| index == name);
        (self.is_tuned && is_there).then(|| Hint::Name(name.to_owned()))
    }

    fn prefix(&self, prefix: &str) -> Document {
        if self.is_tuned {
            return doc! { "$gte": prefix, "$lt": format!("{prefix}\u{10FFFF}") };
        }
        doc! { "$regex": format!("^{}", escaped(prefix)) }
    }
}

/// Returns `text` as a regular expression that matches it alone.
pub(crate) fn escaped(text: &str) -> String {
    let escape = |c: char| if c.is_alphanumeric() || c == ' ' { vec![c] } else { vec!['\\', c] };
    text.chars().flat_map(escape).collect()
}

/// EV6, EV7: the order of pages. All timestamps are different.
pub(super) fn latest_first() -> Document {
    doc! { "unix_timestamp": -1 }
}

/// EV9.
pub(super) fn groups() -> Vec<Document> {
    vec![
        doc! { "$group": { "_id": { "$substrCP": ["$username", 0, 1] }, "n": { "$sum": 1 } } },
        doc! { "$sort": { "_id": 1 } },
    ]
}

/// EV10.
pub(super) fn updated(last_id: i64) -> Document {
    doc! {
        "_id": { "$lte": last_id },
        "$or": [{ "system": { "$regex": "^ui" } }, { "type": "Error" }],
        "machine_name": { "$regex": "^NOD" },
        "agg_id": { "$regex": "^AB" },
        "username": { "$regex": "^.{4}" },
    }
}
