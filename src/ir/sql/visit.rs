//! Walks over the SQL tree: every expression and every query, once, operands before what they are operands of.
//!
//! Each walk exists for looking and for changing; one macro holds the list of what a node holds, so that the two
//! cannot differ.

use smallvec::SmallVec;

use crate::ir::sql::{Alias, Body, Expr, Select, SourceKind, Statement, alias_of};

/// Defines the walks over `$T` borrowed as `&$T` or `&mut $T`.
macro_rules! walks {
    ($walk:ident, $operands:ident, $parts:ident, $in_select:ident, $nested:ident, $in_expr:ident, $each:ident,
     $Part:ident, $iter:ident $(, $mutability:tt)?) => {
        /// What a node holds directly.
        enum $Part<'a> {
            Expr(&'a $($mutability)? Expr),
            Query(&'a $($mutability)? Select),
        }

        /// Calls `f` on every expression below and including `expr`. Queries inside are entered too.
        pub(crate) fn $walk(expr: &$($mutability)? Expr, f: &mut dyn FnMut(&$($mutability)? Expr)) {
            $operands(expr, &mut |part| match part {
                $Part::Expr(x) => $walk(x, f),
                $Part::Query(select) => $in_select(select, f),
            });
            f(expr);
        }

        fn $operands(expr: &$($mutability)? Expr, f: &mut dyn FnMut($Part<'_>)) {
            match expr {
                Expr::Id(_)
                | Expr::Doc(_)
                | Expr::Column { .. }
                | Expr::Output { .. }
                | Expr::Item { .. }
                | Expr::Named { .. }
                | Expr::Bind(_)
                | Expr::Literal(_)
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
                | Expr::Unindexed(x)
                | Expr::OfKind(x, _)
                | Expr::Only(x, _) => f($Part::Expr(x)),
                Expr::Binary(_, a, b) | Expr::Lookup { document: a, path: b, .. } => {
                    f($Part::Expr(a));
                    f($Part::Expr(b));
                }
                Expr::And(parts) | Expr::Or(parts) | Expr::Call(_, parts) => {
                    parts.$iter().for_each(|x| f($Part::Expr(x)));
                }
                Expr::Range(range) => {
                    f($Part::Expr(&$($mutability)? range.of));
                    for bound in range.low.$iter().chain(range.high.$iter()) {
                        f($Part::Expr(&$($mutability)? bound.value));
                    }
                }
                Expr::In(item, select) => {
                    f($Part::Expr(item));
                    f($Part::Query(select));
                }
                Expr::InOptions(item, select, none) => {
                    f($Part::Expr(item));
                    f($Part::Query(select));
                    f($Part::Expr(none));
                }
                Expr::Case { when, otherwise } => {
                    for (condition, value) in when.$iter() {
                        f($Part::Expr(condition));
                        f($Part::Expr(value));
                    }
                    if let Some(value) = otherwise {
                        f($Part::Expr(value));
                    }
                }
                Expr::Exists(select) | Expr::Scalar(select) => f($Part::Query(select)),
            }
        }

        /// Calls `f` on what a query holds directly.
        fn $parts(select: &$($mutability)? Select, f: &mut dyn FnMut($Part<'_>)) {
            for cte in select.with.$iter() {
                f($Part::Query(&$($mutability)? cte.body));
            }
            for source in select.from.$iter() {
                match &$($mutability)? source.kind {
                    SourceKind::Query(inner) => f($Part::Query(inner)),
                    SourceKind::Items(list) => f($Part::Expr(list)),
                    SourceKind::Table { .. } | SourceKind::Cte(_) => {}
                }
            }
            select.columns.$iter().chain(select.filter.$iter()).for_each(|x| f($Part::Expr(x)));
            select.group.$iter().chain(select.having.$iter()).for_each(|x| f($Part::Expr(x)));
            for term in select.order.$iter() {
                f($Part::Expr(&$($mutability)? term.by));
            }
            select.limit.$iter().chain(select.offset.$iter()).for_each(|x| f($Part::Expr(x)));
            for other in select.union_all.$iter() {
                f($Part::Query(other));
            }
        }

        fn $in_select(select: &$($mutability)? Select, f: &mut dyn FnMut(&$($mutability)? Expr)) {
            $parts(select, &mut |part| match part {
                $Part::Expr(x) => $walk(x, f),
                $Part::Query(inner) => $in_select(inner, f),
            });
        }

        /// Calls `f` on every query of a statement, the innermost first.
        pub(crate) fn $each(statement: &$($mutability)? Statement, f: &mut dyn FnMut(&$($mutability)? Select)) {
            match &$($mutability)? statement.body {
                Body::Select(select) => $nested(select, f),
                Body::Update { document, filter, .. } => {
                    $in_expr(document, f);
                    filter.$iter().for_each(|x| $in_expr(x, f));
                }
                Body::Delete { filter, .. } => filter.$iter().for_each(|x| $in_expr(x, f)),
            }
        }

        fn $nested(select: &$($mutability)? Select, f: &mut dyn FnMut(&$($mutability)? Select)) {
            $parts(select, &mut |part| match part {
                $Part::Expr(x) => $in_expr(x, f),
                $Part::Query(inner) => $nested(inner, f),
            });
            f(select);
        }

        fn $in_expr(expr: &$($mutability)? Expr, f: &mut dyn FnMut(&$($mutability)? Select)) {
            $operands(expr, &mut |part| match part {
                $Part::Expr(x) => $in_expr(x, f),
                $Part::Query(select) => $nested(select, f),
            });
        }
    };
}

walks!(walk, operands, parts, in_select, nested, in_expr, each_select, Part, iter);
walks!(
    walk_mut,
    operands_mut,
    parts_mut,
    in_select_mut,
    nested_mut,
    in_expr_mut,
    each_select_mut,
    PartMut,
    iter_mut,
    mut
);

/// Calls `f` on every expression of a statement, once.
pub(crate) fn each_expr_mut(statement: &mut Statement, f: &mut dyn FnMut(&mut Expr)) {
    match &mut statement.body {
        Body::Select(select) => in_select_mut(select, f),
        Body::Update { document, filter, .. } => {
            walk_mut(document, f);
            filter.iter_mut().for_each(|x| walk_mut(x, f));
        }
        Body::Delete { filter, .. } => filter.iter_mut().for_each(|x| walk_mut(x, f)),
    }
}

/// Returns the sources that an expression names and that are not those of a query inside of it.
pub(crate) fn free_sources(expr: &Expr) -> SmallVec<[Alias; 4]> {
    let (mut named, mut inside) = (SmallVec::new(), SmallVec::new());
    walk(expr, &mut |x| named.extend(alias_of(x)));
    in_expr(expr, &mut |select| add_sources(select, &mut inside));
    without(named, &inside)
}

/// Returns the sources that a query names and that are neither its own nor those of a query inside of it.
pub(crate) fn sources_around(select: &Select) -> SmallVec<[Alias; 4]> {
    let (mut named, mut inside) = (SmallVec::new(), SmallVec::new());
    in_select(select, &mut |x| named.extend(alias_of(x)));
    nested(select, &mut |select| add_sources(select, &mut inside));
    without(named, &inside)
}

fn add_sources(select: &Select, sources: &mut SmallVec<[Alias; 4]>) {
    sources.extend(select.from.iter().map(|source| source.alias));
}

fn without(mut named: SmallVec<[Alias; 4]>, inside: &[Alias]) -> SmallVec<[Alias; 4]> {
    named.retain(|alias| !inside.contains(alias));
    named
}
