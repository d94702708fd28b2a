//! Rewrites of the SQL tree: one table, one file a pass.
//!
//! In: a statement that gives the right rows. Out: one that gives the same rows, faster. Every pass is idempotent
//! and keeps the value; one that is not sure declines, and the general form stays. The table is the order.

mod access;
mod along;
mod documents_last;
mod fold;
mod loose_scan;
mod null_safe;
mod prefix;
mod push_not;
mod range;

use crate::compile::advice::Reading;
use crate::ir::catalog::Catalog;
use crate::ir::sql::{Body, Expr, Statement, each_select_mut};

/// What a pass may look at, and where it says why.
pub(crate) struct Context<'a> {
    pub(crate) catalog: &'a Catalog,
    /// How far into the rows the page is that the plan is for.
    pub(crate) depth: Depth,
    /// Whether a way that visits every document is worse than any other.
    pub(crate) forbids_scan: bool,
    /// How each table is read and why, for `explain`.
    pub(crate) readings: Vec<Reading>,
}

/// How far into the rows a page is. One text cannot serve both well, so a query with pages is planned for both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Depth {
    /// Among the first rows.
    Shallow,
    /// Behind [`Depth::DEEP`] rows or more.
    Deep,
}

impl Depth {
    /// The rows from which a page counts as deep: about where gathering the ids of a fifth of the documents costs
    /// less than asking each row on the way.
    pub(crate) const DEEP: i64 = 1_000;
}

/// A rewrite.
pub(crate) struct Pass {
    /// The name by which tests switch it off and `explain` calls it.
    pub(crate) name: &'static str,
    /// Rewrites the statement and returns whether it changed anything.
    run: fn(&mut Statement, &mut Context<'_>) -> bool,
}

/// Every pass, in order.
pub(crate) const PASSES: [Pass; 8] = [
    Pass { name: "push_not", run: push_not::run },
    Pass { name: "prefix", run: prefix::run },
    Pass { name: "range", run: range::run },
    Pass { name: "fold", run: fold::run },
    Pass { name: "null_safe", run: null_safe::run },
    Pass { name: "loose_scan", run: loose_scan::run },
    Pass { name: "index", run: access::run },
    Pass { name: "documents_last", run: documents_last::run },
];

/// Which passes run: all but those that a test switches off.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Disabled(u32);

impl Disabled {
    /// Switches a pass off by its name; an unknown name is ignored.
    #[must_use]
    pub(crate) fn and(self, name: &str) -> Self {
        match PASSES.iter().position(|pass| pass.name == name) {
            Some(place) => Self(self.0 | 1 << place),
            None => self,
        }
    }

    fn contains(self, place: usize) -> bool {
        self.0 & (1 << place) != 0
    }
}

/// Runs the passes; `fired` is told after each one that changed something.
pub(crate) fn run(
    statement: &mut Statement,
    context: &mut Context<'_>,
    disabled: Disabled,
    fired: &mut dyn FnMut(&'static str, &Statement),
) {
    for (place, pass) in PASSES.iter().enumerate() {
        if !disabled.contains(place) && (pass.run)(statement, context) {
            fired(pass.name, statement);
        }
    }
}

/// Calls `f` on every list of conditions of a statement: that of the write, and those of each query.
fn each_filter(statement: &mut Statement, f: &mut dyn FnMut(&mut Vec<Expr>)) {
    if let Body::Update { filter, .. } | Body::Delete { filter, .. } = &mut statement.body {
        f(filter);
    }
    each_select_mut(statement, &mut |select| {
        f(&mut select.filter);
        f(&mut select.having);
    });
}
