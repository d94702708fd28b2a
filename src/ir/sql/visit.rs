//! Walks over the SQL tree: every expression and every query, once.

use crate::ir::sql::{Body, Expr, Select, SourceKind, Statement};

/// Calls `f` on every expression below and including `expr`, operands first. Queries inside are entered too.
pub(crate) fn walk_mut(expr: &mut Expr, f: &mut dyn FnMut(&mut Expr)) {
    operands_mut(expr, &mut |part| match part {
        Part::Expr(x) => walk_mut(x, f),
        Part::Query(select) => select_mut(select, f),
    });
    f(expr);
}

/// What an expression holds directly.
enum Part<'a> {
    Expr(&'a mut Expr),
    Query(&'a mut Select),
}

/// Calls `f` on each operand of `expr`, from left to right.
fn operands_mut(expr: &mut Expr, f: &mut dyn FnMut(Part<'_>)) {
    match expr {
        Expr::Id(_)
        | Expr::Doc(_)
        | Expr::Column { .. }
        | Expr::Output { .. }
        | Expr::Named { .. }
        | Expr::Bind(_)
        | Expr::Int(_)
        | Expr::Text(_)
        | Expr::AboveText
        | Expr::Null
        | Expr::Bool(_)
        | Expr::CountAll => {}
        Expr::Extract { document: x, .. }
        | Expr::NotTrue(x)
        | Expr::IsTrue(x)
        | Expr::IsNull(x)
        | Expr::OfKind(x, _) => f(Part::Expr(x)),
        Expr::Binary(_, a, b) => {
            f(Part::Expr(a));
            f(Part::Expr(b));
        }
        Expr::And(parts) | Expr::Or(parts) | Expr::Call(_, parts) => {
            parts.iter_mut().for_each(|x| f(Part::Expr(x)));
        }
        Expr::Range(range) => {
            f(Part::Expr(&mut range.of));
            for bound in range.low.iter_mut().chain(range.high.iter_mut()) {
                f(Part::Expr(&mut bound.value));
            }
        }
        Expr::In(item, select) => {
            f(Part::Expr(item));
            f(Part::Query(select));
        }
        Expr::Case { when, otherwise } => {
            for (condition, value) in when {
                f(Part::Expr(condition));
                f(Part::Expr(value));
            }
            if let Some(value) = otherwise {
                f(Part::Expr(value));
            }
        }
        Expr::Exists(select) | Expr::Scalar(select) => f(Part::Query(select)),
    }
}

/// Calls `f` on every expression below and including `expr`, operands first, without changing any.
pub(crate) fn walk(expr: &Expr, f: &mut dyn FnMut(&Expr)) {
    // A copy costs little beside planning, and keeps one list of what a node holds.
    walk_mut(&mut expr.clone(), &mut |x| f(x));
}

/// Calls `f` on every expression of a query.
pub(crate) fn select_mut(select: &mut Select, f: &mut dyn FnMut(&mut Expr)) {
    for cte in &mut select.with {
        select_mut(&mut cte.body, f);
    }
    for source in &mut select.from {
        match &mut source.kind {
            SourceKind::Query(inner) => select_mut(inner, f),
            SourceKind::Items(list) => walk_mut(list, f),
            SourceKind::Table { .. } | SourceKind::Cte(_) => {}
        }
    }
    let order = select.order.iter_mut().map(|term| &mut term.by);
    for expr in select.columns.iter_mut().chain(&mut select.filter).chain(&mut select.group).chain(order) {
        walk_mut(expr, f);
    }
    for expr in select.limit.iter_mut().chain(select.offset.iter_mut()) {
        walk_mut(expr, f);
    }
    for other in &mut select.union_all {
        select_mut(other, f);
    }
}

/// Calls `f` on every query of a statement, the innermost first.
pub(crate) fn each_select_mut(statement: &mut Statement, f: &mut dyn FnMut(&mut Select)) {
    match &mut statement.body {
        Body::Select(select) => nested(select, f),
        Body::Update { document, filter, .. } => {
            in_expr(document, f);
            filter.iter_mut().for_each(|x| in_expr(x, f));
        }
        Body::Delete { filter, .. } => filter.iter_mut().for_each(|x| in_expr(x, f)),
    }
}

/// Calls `f` on every query of a statement, the innermost first, without changing any.
pub(crate) fn each_select(statement: &Statement, f: &mut dyn FnMut(&Select)) {
    each_select_mut(&mut statement.clone(), &mut |select| f(select));
}

fn nested(select: &mut Select, f: &mut dyn FnMut(&mut Select)) {
    for cte in &mut select.with {
        nested(&mut cte.body, f);
    }
    for source in &mut select.from {
        match &mut source.kind {
            SourceKind::Query(inner) => nested(inner, f),
            SourceKind::Items(list) => in_expr(list, f),
            SourceKind::Table { .. } | SourceKind::Cte(_) => {}
        }
    }
    let order = select.order.iter_mut().map(|term| &mut term.by);
    for expr in select.columns.iter_mut().chain(&mut select.filter).chain(&mut select.group).chain(order) {
        in_expr(expr, f);
    }
    for other in &mut select.union_all {
        nested(other, f);
    }
    f(select);
}

fn in_expr(expr: &mut Expr, f: &mut dyn FnMut(&mut Select)) {
    operands_mut(expr, &mut |part| match part {
        Part::Expr(x) => in_expr(x, f),
        Part::Query(select) => nested(select, f),
    });
}
