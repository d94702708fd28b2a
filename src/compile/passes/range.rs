//! Joins the two halves of a range, so that an index is entered at one and left at the other.
//!
//! ```text
//! x > ?a AND x < x''  AND  x >= '' AND x < ?b  ->  x > ?a AND x < ?b
//! ```
//! Without it SQLite may take the edge of the kind for the bound, and read to the end of it.

use crate::compile::passes::{Context, each_filter};
use crate::ir::sql::{Expr, Range, Statement, walk_mut};

pub(super) fn run(statement: &mut Statement, _: &mut Context<'_>) -> bool {
    let mut fired = false;
    each_filter(statement, &mut |conditions| {
        for condition in conditions.iter_mut() {
            walk_mut(condition, &mut |expr| {
                if let Expr::And(parts) = expr {
                    fired |= join(parts);
                    if parts.len() == 1 {
                        *expr = parts.pop().unwrap_or(Expr::Bool(true));
                    }
                }
            });
        }
        fired |= join(conditions);
    });
    fired
}

/// Joins ranges over the same value that bound it from different sides.
fn join(conditions: &mut Vec<Expr>) -> bool {
    let mut joined: Vec<Expr> = Vec::with_capacity(conditions.len());
    let before = conditions.len();
    for condition in std::mem::take(conditions) {
        if let Expr::Range(range) = &condition {
            let partner = joined.iter_mut().find_map(|other| match other {
                Expr::Range(other) if fits(other, range) => Some(other),
                _ => None,
            });
            if let Some(partner) = partner {
                let range = range.as_ref().clone();
                partner.low = partner.low.take().or(range.low);
                partner.high = partner.high.take().or(range.high);
                continue;
            }
        }
        joined.push(condition);
    }
    *conditions = joined;
    conditions.len() != before
}

fn fits(a: &Range, b: &Range) -> bool {
    let free = (a.low.is_none() || b.low.is_none()) && (a.high.is_none() || b.high.is_none());
    free && a.kind == b.kind && a.of == b.of
}
