//! Moves NOT inward, where conditions are plain and an index may serve them.
//!
//! ```text
//! NOT (NOT a)      -> a
//! NOT (a AND b)    -> NOT a OR NOT b
//! NOT (a OR b)     -> NOT a AND NOT b
//! NOT (a = ?)      -> a IS NOT ?          a bound value is never null
//! NOT (a IS b)     -> a IS NOT b          and the other way round
//! ```
//! NOT here is "is not true", which is two-valued, so the laws hold for null too.

use crate::compile::passes::{Context, each_filter};
use crate::ir::sql::{Binary, Expr, Statement, walk_mut};

pub(super) fn run(statement: &mut Statement, _: &mut Context<'_>) -> bool {
    let mut fired = false;
    each_filter(statement, &mut |conditions| {
        let before = conditions.len();
        for condition in conditions.iter_mut() {
            walk_mut(condition, &mut |expr| fired |= push(expr));
            // A condition may be null where it is false, so asking whether it is true says nothing more.
            while let Expr::IsTrue(inner) = condition {
                *condition = std::mem::replace(inner.as_mut(), Expr::Null);
                fired = true;
            }
        }
        let flat: Vec<Expr> = std::mem::take(conditions).into_iter().flat_map(Expr::into_conjuncts).collect();
        fired |= flat.len() != before;
        *conditions = flat;
    });
    fired
}

/// Rewrites one NOT, and what that uncovers below it.
fn push(expr: &mut Expr) -> bool {
    let Expr::NotTrue(inner) = expr else { return false };
    let replacement = match std::mem::replace(inner.as_mut(), Expr::Null) {
        Expr::NotTrue(x) => Expr::IsTrue(x),
        Expr::IsTrue(x) => Expr::NotTrue(x),
        Expr::And(parts) => Expr::any(parts.into_iter().map(negated).collect()),
        Expr::Or(parts) => Expr::all(parts.into_iter().map(negated).collect()),
        Expr::Binary(Binary::Eq, a, b) if matches!(*b, Expr::Bind(_) | Expr::Literal(_) | Expr::Int(_)) => {
            Expr::Binary(Binary::IsNot, a, b)
        }
        Expr::Binary(Binary::Is, a, b) => Expr::Binary(Binary::IsNot, a, b),
        Expr::Binary(Binary::IsNot, a, b) => Expr::Binary(Binary::Is, a, b),
        Expr::Bool(x) => Expr::Bool(!x),
        other => {
            **inner = other;
            return false;
        }
    };
    *expr = replacement;
    true
}

fn negated(condition: Expr) -> Expr {
    let mut not = Expr::NotTrue(Box::new(condition));
    push(&mut not);
    not
}
