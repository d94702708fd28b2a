//! Gives an index the equality of two optional fields, one of which is of a query around.
//!
//! ```text
//! own(a) IS k  ->  a IS k  OR  k IS NULL AND a < ''  OR  k IS NULL AND a >= x''      for a text
//! own(a) IS k  ->  a IS k  OR  k IS NULL AND a >= ''                                 for a number, a bool
//! ```
//! `own(a)` is null where `a` is of another kind (rule 4), and `k` is such a value of the row around. SQLite seeks each
//! alternative in an index that begins with `a`, and finds few documents where `k` has a value. Where no index does, the
//! general form stays.

use std::sync::Arc;

use crate::compile::passes::Context;
use crate::ir::catalog::Catalog;
use crate::ir::sql::{
    Alias, Binary, Expr, Select, Source, SourceKind, Statement, each_select_mut, free_sources,
};
use crate::ir::value::Kind;

pub(super) fn run(statement: &mut Statement, context: &mut Context<'_>) -> bool {
    let mut fired = false;
    each_select_mut(statement, &mut |select| fired |= rewrite(select, context.catalog));
    fired
}

fn rewrite(select: &mut Select, catalog: &Catalog) -> bool {
    let Select { from, filter, .. } = select;
    let [Source { alias, kind: SourceKind::Table { collection, .. } }] = from.as_slice() else {
        return false;
    };
    let Some(collection) = catalog.collections.get(&**collection) else { return false };
    let leads = |name: &Arc<str>| {
        let mut firsts = collection.whole_indexes().filter_map(|index| index.columns.first());
        firsts.any(|first| *first.name == **name)
    };
    let mut fired = false;
    for condition in filter {
        let Expr::Binary(Binary::Is, left, right) = condition else { continue };
        let own = |side: &Expr, other: &Expr| match side {
            Expr::OfKind(of, kind) => match of.as_ref() {
                Expr::Column { source, name, .. }
                    if source == alias && leads(name) && is_around(other, *alias) =>
                {
                    Some((of.as_ref().clone(), *kind, other.clone()))
                }
                _ => None,
            },
            _ => None,
        };
        let Some((field, kind, value)) = own(left, right).or_else(|| own(right, left)) else { continue };
        let edges = match kind {
            Kind::Text => vec![(Binary::Lt, Expr::Text("".into())), (Binary::Ge, Expr::AboveText)],
            Kind::Number | Kind::Bool => vec![(Binary::Ge, Expr::Text("".into()))],
            Kind::Array | Kind::Object | Kind::Any => continue,
        };
        let mut any = vec![Expr::binary(Binary::Is, field.clone(), value.clone())];
        any.extend(edges.into_iter().map(|(operator, edge)| {
            let none = Expr::IsNull(Box::new(value.clone()));
            Expr::And(vec![none, Expr::binary(operator, field.clone(), edge)])
        }));
        *condition = Expr::Or(any);
        fired = true;
    }
    fired
}

/// Returns whether this is a stored value of a row around, which costs little to be asked for several times.
fn is_around(expr: &Expr, own: Alias) -> bool {
    let sources = free_sources(expr);
    let is_stored =
        matches!(expr, Expr::OfKind(of, _) if matches!(**of, Expr::Column { .. } | Expr::Extract { .. }));
    is_stored && !sources.is_empty() && !sources.contains(&own)
}

/// Returns the field and the value around of a condition that this pass has made.
pub(super) fn field_and_value(condition: &Expr) -> Option<(&Expr, &Expr)> {
    let Expr::Or(parts) = condition else { return None };
    let (Expr::Binary(Binary::Is, field, value), kinds) = parts.split_first()? else { return None };
    let is_of_other_kind = |part: &Expr| match part {
        Expr::And(both) => match both.as_slice() {
            [Expr::IsNull(none), Expr::Binary(Binary::Lt | Binary::Ge, of, edge)] => {
                none == value && of == field && matches!(**edge, Expr::Text(_) | Expr::AboveText)
            }
            _ => false,
        },
        _ => false,
    };
    kinds.iter().all(is_of_other_kind).then_some((field.as_ref(), value.as_ref()))
}
