//! What the emitter prints: statements in which every decision has been taken.
//!
//! A statement holds no value: values are [`Bind`]s, numbered once through the statement. Every source names how it
//! is read ([`Access`]). Conditions stand in lists that mean AND; a condition that is not true, be it false or
//! null, leaves a row out.

mod bind;
mod expr;
mod function;
mod visit;

use std::sync::Arc;

pub(crate) use bind::{Bind, BindForm, BindSource, Binds};
use expr::alias_of;
pub(crate) use expr::{Binary, Bound, Expr, Range, RangeKind};
pub(crate) use function::SqlFunction;
pub(crate) use visit::{each_select, each_select_mut, free_sources, sources_around, walk, walk_mut};

use crate::ir::doc::Nulls;
use crate::ir::types::Type;

/// A statement and the binds that it names.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Statement {
    /// What is run.
    pub(crate) body: Body,
    /// What is bound, by number.
    pub(crate) binds: Binds,
}

impl Statement {
    /// Forgets the binds that nothing names, such as those of an order that does not matter, and numbers the others
    /// by their first use: SQLite has no place for a bind that the text does not mention. Returns whether that changed
    /// a number.
    pub(crate) fn forget_unused_binds(&mut self) -> bool {
        let binds = std::mem::take(&mut self.binds);
        let mut used = Binds::default();
        let mut changed = false;
        visit::each_expr_mut(self, &mut |expr| {
            let Expr::Bind(place) = expr else { return };
            let Some(bind) = binds.get(*place) else { return };
            let renumbered = used.of(bind.clone());
            changed |= *expr != renumbered;
            *expr = renumbered;
        });
        self.binds = used;
        changed
    }
}

/// What is run.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Body {
    /// A query.
    Select(Box<Select>),
    /// Changes the documents of a table.
    Update {
        /// The table.
        table: Arc<str>,
        /// The new document, over the columns `id` and `doc` of the table.
        document: Expr,
        /// Which rows.
        filter: Vec<Expr>,
    },
    /// Deletes documents of a table.
    Delete {
        /// The table.
        table: Arc<str>,
        /// Which rows.
        filter: Vec<Expr>,
    },
}

/// A query.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Select {
    /// Recursive tables in front.
    pub(crate) with: Vec<Cte>,
    /// What each row holds.
    pub(crate) columns: Vec<Expr>,
    /// Where rows come from: nested loops in this order.
    pub(crate) from: Vec<Source>,
    /// Conditions, all of which hold.
    pub(crate) filter: Vec<Expr>,
    /// What rows are grouped by.
    pub(crate) group: Vec<Expr>,
    /// Conditions on groups, all of which hold.
    pub(crate) having: Vec<Expr>,
    /// The order.
    pub(crate) order: Vec<OrderTerm>,
    /// How many rows at most.
    pub(crate) limit: Option<Expr>,
    /// How many rows are left out first.
    pub(crate) offset: Option<Expr>,
    /// Further queries, whose rows follow.
    pub(crate) union_all: Vec<Select>,
}

/// A table that a recursive query makes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Cte {
    /// Its name.
    pub(crate) name: &'static str,
    /// Its columns.
    pub(crate) columns: Vec<&'static str>,
    /// The first row and the step, as one query with a `union_all`.
    pub(crate) body: Select,
}

/// A source of rows, by its alias.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Source {
    /// The alias.
    pub(crate) alias: Alias,
    /// What it is.
    pub(crate) kind: SourceKind,
}

/// The alias of a source, unique in its statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Alias(pub(crate) u32);

impl Alias {
    /// The table that a write goes to.
    pub(crate) const OWN: Alias = Alias(u32::MAX);
    /// The table that an index is made on, whose columns stand without a name in front.
    pub(crate) const INDEXED: Alias = Alias(u32::MAX - 1);
}

/// What a source is.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum SourceKind {
    /// A collection's table.
    Table {
        /// The collection's name, to look it up in the catalog.
        collection: Arc<str>,
        /// The table's name.
        table: Arc<str>,
        /// How it is read.
        access: Access,
    },
    /// A query.
    Query(Box<Select>),
    /// A recursive table of the same statement.
    Cte(&'static str),
    /// The items of a JSON list.
    Items(Expr),
}

/// How a table is read.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Access {
    /// As SQLite's planner likes: only where the choice of an index is switched off.
    Planner,
    /// By row id, or row by row.
    NotIndexed,
    /// By an index.
    Index(Arc<str>),
}

/// One term of an order.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct OrderTerm {
    /// The value sorted by.
    pub(crate) by: Expr,
    /// Whether larger values come first.
    pub(crate) descending: bool,
    /// Where nulls go.
    pub(crate) nulls: Nulls,
}

/// The declared type of a value that a statement computes, and whether it may be null.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    /// The type.
    pub(crate) ty: Type,
    /// Whether null is one of its values.
    pub(crate) nullable: bool,
}
