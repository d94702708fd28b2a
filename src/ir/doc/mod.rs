//! What the typed builder says: the faithful tree of a query.
//!
//! A [`Statement`] is one source, the stages in the order in which they were written, and a terminal. It speaks of
//! documents, paths and parameters only. Values that were written as literals stand beside it, in a list of
//! constants, so that two queries that differ in literals alone are equal and hash alike: that is the key of the
//! plan cache. The list is numbered through the whole query.

mod expr;
mod print;
mod subquery;

use std::borrow::Cow;

use smallvec::SmallVec;

pub(crate) use expr::{
    Absence, Arithmetic, Binder, Comparison, Expr, ExprId, Fold, Function, ItemFold, Lambda, Nulls,
};

pub(crate) use subquery::Subquery;

use crate::ir::types::Type;

/// A query with its terminal.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Statement {
    /// Where rows come from and what happens to them.
    pub(crate) query: Query,
    /// What is made of the rows.
    pub(crate) terminal: Terminal,
    /// The types of the parameters, by slot.
    pub(crate) params: Vec<Type>,
}

impl Statement {
    /// Returns the slots that a filter depends on, each once.
    pub(crate) fn optional_slots(&self) -> SmallVec<[u16; 4]> {
        let mut slots = SmallVec::new();
        self.any_stage(&mut |stage| {
            if let Stage::FilterSome(slot, _) = stage
                && !slots.contains(slot)
            {
                slots.push(*slot);
            }
            false
        });
        slots
    }

    /// Returns the statement for calls that give no value for the `absent` slots: the filters that depend on them are
    /// gone. A plan takes those that are there for filters like any other.
    pub(crate) fn without(&self, absent: &[u16]) -> Statement {
        let mut statement = self.clone();
        let is_there = |stage: &Stage| !matches!(stage, Stage::FilterSome(slot, _) if absent.contains(slot));
        statement.query.retain_stages(&is_there);
        statement.terminal.retain_stages(&is_there);
        statement
    }

    /// Returns whether a stage refuses to visit every document.
    pub(crate) fn forbids_scan(&self) -> bool {
        self.any_stage(&mut |stage| *stage == Stage::ForbidScan)
    }

    fn any_stage(&self, f: &mut dyn FnMut(&Stage) -> bool) -> bool {
        self.query.any_stage(f) || self.terminal.lambdas().iter().any(|lambda| lambda.any_stage(f))
    }
}

/// A source and its stages.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Query {
    /// Where rows come from.
    pub(crate) source: Source,
    /// What happens to them, in the order written.
    pub(crate) stages: Vec<Stage>,
}

/// Where rows come from.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Source {
    /// The documents of a collection.
    Collection {
        /// The collection's name.
        name: Cow<'static, str>,
        /// The stored name of the key field.
        key: &'static str,
        /// The kind of its keys, as the catalog names it.
        key_kind: &'static str,
    },
}

/// One step of a query.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Stage {
    /// Keeps the rows for which the condition holds.
    Filter(Lambda),
    /// The same where the argument of the slot is a value; keeps all rows where it is none.
    FilterSome(u16, Lambda),
    /// Sorts; `then` refines the order that is there, else the order that is there breaks ties (rule 6).
    Order {
        /// The keys, the first the most significant.
        keys: Vec<OrderKey>,
        /// Whether the keys stand behind those of the order before.
        then: bool,
    },
    /// Leaves out the first rows.
    Skip(Count),
    /// Keeps the first rows only.
    Take(Count),
    /// Gives up the promised order.
    Unordered,
    /// Refuses to visit every document.
    ForbidScan,
    /// Turns each row into another.
    Select(Lambda),
    /// Groups rows by a key; the next `Select` sees the key and the group.
    Group(Lambda),
}

/// One key of an order.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct OrderKey {
    /// The value sorted by.
    pub(crate) by: Lambda,
    /// Whether larger values come first.
    pub(crate) descending: bool,
    /// Where null and missing go.
    pub(crate) nulls: Nulls,
}

/// A number of rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Count {
    /// The constant of that number.
    Constant(u32),
    /// The parameter of that slot.
    Param(u16),
}

/// What is made of the rows.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Terminal {
    /// All rows.
    Rows,
    /// The first row, if there is one.
    First,
    /// At most two rows, so that the caller can tell one from many.
    Single,
    /// How many there are.
    Count,
    /// Whether there is one.
    Exists,
    /// Whether there is none.
    NotExists,
    /// One value made of all rows.
    Fold(Fold, Lambda),
    /// Changes the documents.
    Update(Vec<Assignment>),
    /// Deletes the documents.
    Delete,
}

impl Terminal {
    /// Returns whether the terminal writes.
    pub(crate) fn is_write(&self) -> bool {
        matches!(self, Terminal::Update(_) | Terminal::Delete)
    }
}

/// One change of an update. Each lambda's root is a tuple of the target field and the value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Assignment {
    /// Stores the value in the field.
    Set(Lambda, OnNull),
    /// Removes the field.
    Unset(Lambda),
    /// Adds the value to the number in the field.
    Increment(Lambda),
}

/// What an assignment to a place does where the value is null.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum OnNull {
    /// Stores it: the field's type takes it.
    Store,
    /// Removes the field: a key of a map whose values are never null.
    Remove,
    /// Ends the update with an error: the document could not be loaded.
    Refuse,
}
