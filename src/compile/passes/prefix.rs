//! Turns a prefix into a range, which an index serves (rule 12).
//!
//! ```text
//! starts_with(x, ?p) -> x >= ?p AND x < ?end      end: the smallest text above every text that begins with p
//! ```
//! The end is computed from the value when it is bound, so the range serves parameters too. A prefix that is itself
//! computed from the row stays a call.

use crate::compile::passes::{Context, each_filter};
use crate::ir::doc::Function;
use crate::ir::sql::{
    Bind, BindForm, Binds, Bound, Expr, Range, RangeKind, SqlFunction, Statement, walk_mut,
};

pub(super) fn run(statement: &mut Statement, _: &mut Context<'_>) -> bool {
    let mut fired = false;
    let mut binds = std::mem::take(&mut statement.binds);
    each_filter(statement, &mut |conditions| {
        for condition in conditions {
            walk_mut(condition, &mut |expr| fired |= ranged(expr, &mut binds));
        }
    });
    statement.binds = binds;
    fired
}

fn ranged(expr: &mut Expr, binds: &mut Binds) -> bool {
    let Expr::Call(SqlFunction::Text(Function::StartsWith), args) = expr else { return false };
    let [of, Expr::Bind(prefix)] = args.as_slice() else { return false };
    let Some(source) = binds.get(*prefix).map(|bind| bind.source.clone()) else { return false };
    let end = binds.of(Bind { source, form: BindForm::PrefixEnd });
    let range = Range {
        of: of.clone(),
        kind: RangeKind::Text,
        low: Some(Bound { value: Expr::Bind(*prefix), inclusive: true }),
        high: Some(Bound { value: end, inclusive: false }),
    };
    *expr = Expr::Range(Box::new(range));
    true
}
