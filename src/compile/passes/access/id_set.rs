//! Sets of row ids: what an index says about a condition, gathered before the rows are read.

use crate::compile::passes::access::cost::{self, Estimates};
use crate::compile::passes::access::term::{Key, Term, TermShape, is_alone, term};
use crate::compile::passes::along::Along;
use crate::ir::catalog::{Collection, Index};
use crate::ir::sql::{Alias, Expr, Select, SqlFunction};

/// Returns the nanoseconds that gathering the rows of a condition takes, or `None` where no index can.
pub(super) fn cost_of(condition: &Expr, alias: Alias, collection: &Collection) -> Option<f64> {
    match condition {
        Expr::Or(parts) | Expr::And(parts) if index_of(condition, alias, collection).is_none() => {
            parts.iter().map(|part| cost_of(part, alias, collection)).sum()
        }
        condition => {
            let (_, term) = index_of(condition, alias, collection)?;
            let estimates = Estimates(collection);
            Some(estimates.documents() * estimates.kept(Some(&term)) * cost::SET_ROW)
        }
    }
}

/// Returns whether gathering the rows of a condition reads a part of each index only.
pub(super) fn is_bounded(condition: &Expr, alias: Alias, collection: &Collection) -> bool {
    match (index_of(condition, alias, collection), condition) {
        (Some((_, term)), _) => term.shape.bounds(),
        (None, Expr::Or(parts) | Expr::And(parts)) => {
            parts.iter().all(|part| is_bounded(part, alias, collection))
        }
        _ => false,
    }
}

/// Returns the index that begins with the column that a condition bounds.
fn index_of<'a>(condition: &Expr, alias: Alias, collection: &'a Collection) -> Option<(&'a Index, Term)> {
    // A list of options is entered by a join, which only a query of rows has a place for.
    // Nor is one gathered anew for each row around the query.
    let term = term(condition, alias)
        .filter(|_| is_alone(condition, alias))
        .filter(|term| term.shape != TermShape::InOptions)?;
    let Key::Column(name) = &term.column else { return None };
    let begins = |index: &&Index| index.columns.first().is_some_and(|column| *column.name == **name);
    let narrowest = collection.whole_indexes().filter(begins).min_by_key(|index| index.columns.len())?;
    Some((narrowest, term))
}

/// Returns the set of the rows for which all conditions hold, as the value of one query: SQLite asks a query that
/// names no row around it once, but would call a function for every row.
pub(super) fn of_all(
    conditions: &[Expr],
    alias: Alias,
    collection: &Collection,
    next: &mut Alias,
) -> Option<Expr> {
    Some(match combined(SqlFunction::Both, conditions, alias, collection, next)? {
        query @ Expr::Scalar(_) => query,
        combined => Expr::Scalar(Box::new(Select { columns: vec![combined], ..Select::default() })),
    })
}

fn combined(
    function: SqlFunction,
    parts: &[Expr],
    alias: Alias,
    collection: &Collection,
    next: &mut Alias,
) -> Option<Expr> {
    let mut sets = Vec::with_capacity(parts.len());
    for part in parts {
        sets.push(of(part, alias, collection, next)?);
    }
    sets.into_iter().reduce(|left, right| Expr::Call(function, vec![left, right]))
}

fn of(condition: &Expr, alias: Alias, collection: &Collection, next: &mut Alias) -> Option<Expr> {
    let Some((index, _)) = index_of(condition, alias, collection) else {
        return match condition {
            Expr::Or(parts) => combined(SqlFunction::Either, parts, alias, collection, next),
            Expr::And(parts) => combined(SqlFunction::Both, parts, alias, collection, next),
            _ => None,
        };
    };
    let along = Along { collection, index, source: alias };
    let ids = Expr::Call(SqlFunction::Ids, vec![Expr::Id(alias)]);
    Some(Expr::Scalar(Box::new(along.select(vec![ids], condition.clone().into_conjuncts(), next))))
}
