//! How each table of a plan is read, and what keeps it from being read faster: the compiler's half of `explain`.
//!
//! An [`Obstacle`] is a cause, not a guess: taken away, it changes the plan. A test holds each.

use std::fmt;

use crate::ir::path::FieldPath;

/// How one collection is read by a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Reading {
    /// The collection.
    pub collection: String,
    /// The indexes that serve it, the one that drives first; none when documents are read by id or one by one.
    pub indexes: Vec<String>,
    /// What was chosen and why, in words.
    pub choice: String,
    /// What keeps it from being read faster.
    pub obstacles: Vec<Obstacle>,
    /// Whether every document is visited, or every entry of an index: nothing bounds what is read, and no page ends it
    /// in an order that an index has. A count of all is none.
    pub is_scan: bool,
}

/// Why a plan is not faster. Each is a cause that can be taken away.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Obstacle {
    /// A field that is asked about has no index, so documents are read for it. Make an index on it.
    NoIndex {
        /// The field.
        field: FieldPath,
    },
    /// A condition that is no equality, range, prefix or list of a field itself, so an index cannot be entered by it.
    NotSought {
        /// The operator, as the builder calls it.
        operator: &'static str,
        /// The fields that it is asked of.
        fields: Vec<FieldPath>,
    },
    /// Alternatives that are not all equalities of one field, which one index cannot be entered by.
    Alternatives {
        /// Their fields.
        fields: Vec<FieldPath>,
    },
    /// A prefix that is computed from the row, so there is no range to enter an index by.
    ComputedPrefix {
        /// The field whose prefix it should be.
        field: FieldPath,
    },
    /// Rows do not come in the order, or by the groups, asked for, and are sorted.
    Sorted {
        /// What they are sorted by, as the builder calls it.
        keys: Vec<String>,
        /// An index that has the order, and that costs more than to sort.
        index: Option<String>,
    },
    /// The narrow index lacks a field, so documents are read for it although it is indexed.
    NotNarrow {
        /// The field.
        field: FieldPath,
        /// Why the narrow index lacks it.
        gap: NarrowGap,
    },
}

/// Why the narrow index lacks an indexed field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NarrowGap {
    /// It exists from two fields on.
    OneField,
    /// A text joins when 1,000 documents show that its mean length is at most 64 bytes.
    Text,
}

impl fmt::Display for Obstacle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Obstacle::NoIndex { field } => write!(f, "`{field}` has no index: the document is read"),
            Obstacle::NotSought { operator, fields } => {
                write!(f, "no index can be entered by `{operator}` of ")?;
                list(f, fields, " and ")
            }
            Obstacle::Alternatives { fields } => {
                list(f, fields, " or ")?;
                f.write_str(
                    ": one index is entered by alternatives only when all are equalities of its field",
                )
            }
            Obstacle::ComputedPrefix { field } => {
                write!(f, "the prefix of `{field}` is computed from the row: it is no range of an index")
            }
            Obstacle::Sorted { keys, index } => {
                f.write_str("rows are sorted by ")?;
                list(f, keys, ", ")?;
                match index {
                    Some(index) => write!(f, ": to read along `{index}`, which has the order, costs more"),
                    None if keys.iter().any(|key| key == "id") => {
                        f.write_str(": only documents come in it, and `unordered()` gives it up")
                    }
                    None => f.write_str(": no index has the order"),
                }
            }
            Obstacle::NotNarrow { field, gap } => {
                write!(f, "the narrow index lacks `{field}`, so the document is read: {gap}")
            }
        }
    }
}

impl fmt::Display for NarrowGap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            NarrowGap::OneField => "it exists from two fields on",
            NarrowGap::Text => {
                "a text joins when 1,000 documents show a mean length of at most 64 bytes and \
                 `ensure_indexes()` looks again"
            }
        })
    }
}

fn list(f: &mut fmt::Formatter<'_>, names: &[impl fmt::Display], separator: &str) -> fmt::Result {
    for (place, name) in names.iter().enumerate() {
        if place > 0 {
            f.write_str(separator)?;
        }
        write!(f, "`{name}`")?;
    }
    Ok(())
}
