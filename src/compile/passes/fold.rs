//! Drops what says nothing.
//!
//! ```text
//! a AND true -> a          a AND false -> false       a AND a -> a
//! a OR false -> a          a OR true   -> true        a OR a  -> a
//! (a IS NOT TRUE) IS TRUE -> a IS NOT TRUE            what is two-valued already stays as it is
//! ```

use crate::compile::passes::{Context, each_filter};
use crate::ir::sql::{Binary, Expr, Statement, walk_mut};

pub(super) fn run(statement: &mut Statement, _: &mut Context<'_>) -> bool {
    let mut fired = false;
    each_filter(statement, &mut |conditions| {
        for condition in conditions.iter_mut() {
            walk_mut(condition, &mut |expr| fired |= fold(expr));
        }
        let before = conditions.len();
        *conditions = absorbed(std::mem::take(conditions), true).unwrap_or_else(|whole| vec![whole]);
        fired |= conditions.len() != before;
    });
    fired
}

fn fold(expr: &mut Expr) -> bool {
    match expr {
        Expr::And(parts) => {
            let parts = std::mem::take(parts);
            refold(parts, true, expr)
        }
        Expr::Or(parts) => {
            let parts = std::mem::take(parts);
            refold(parts, false, expr)
        }
        Expr::IsTrue(inner) if is_two_valued(inner) => {
            *expr = std::mem::replace(inner.as_mut(), Expr::Null);
            true
        }
        _ => false,
    }
}

fn refold(parts: Vec<Expr>, neutral: bool, expr: &mut Expr) -> bool {
    let before = parts.len();
    *expr = match absorbed(parts, neutral) {
        Ok(parts) if neutral => Expr::all(parts),
        Ok(parts) => Expr::any(parts),
        Err(whole) => whole,
    };
    match expr {
        Expr::And(parts) | Expr::Or(parts) => parts.len() != before,
        _ => true,
    }
}

/// The parts of a chain up to which repeats are dropped.
const REPEATS_LIMIT: usize = 64;

/// Returns the parts without the neutral element and without repeats, or the one part that decides all.
fn absorbed(parts: Vec<Expr>, neutral: bool) -> Result<Vec<Expr>, Expr> {
    let mut kept: Vec<Expr> = Vec::with_capacity(parts.len());
    for part in parts {
        match part {
            Expr::Bool(x) if x == neutral => {}
            Expr::Bool(_) => return Err(part),
            // Repeats are looked for among few: a chain of thousands is a list written out, not a slip.
            part if kept.len() <= REPEATS_LIMIT && kept.contains(&part) => {}
            part => kept.push(part),
        }
    }
    Ok(kept)
}

fn is_two_valued(expr: &Expr) -> bool {
    match expr {
        Expr::NotTrue(_) | Expr::IsTrue(_) | Expr::IsNull(_) | Expr::Exists(_) | Expr::Bool(_) => true,
        Expr::Binary(Binary::Is | Binary::IsNot, ..) => true,
        Expr::And(parts) | Expr::Or(parts) => parts.iter().all(is_two_valued),
        _ => false,
    }
}
