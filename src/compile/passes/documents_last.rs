//! Reads documents last: first the row ids in order, along an index, then each document by its id.
//!
//! ```text
//! SELECT id, doc FROM t INDEXED BY i WHERE .. ORDER BY .. LIMIT n
//!   -> SELECT d.id, d.doc FROM (SELECT id FROM t INDEXED BY i WHERE .. ORDER BY .. LIMIT n) CROSS JOIN t d WHERE d.id = ..
//! ```
//! Rows that are filtered, sorted or skipped then never bring a document into memory, and no sorter carries one. The
//! outer query is a nested loop over the inner one, so rows keep its order; SQLite drops the ORDER BY of a query
//! in FROM unless it has a LIMIT, so it always gets one (`-1` is none).

use std::sync::Arc;

use crate::compile::passes::Context;
use crate::compile::passes::along::{fresh, next_alias};
use crate::ir::sql::{
    Access, Alias, Binary, Expr, Select, Source, SourceKind, Statement, each_select_mut, walk_mut,
};

pub(super) fn run(statement: &mut Statement, _: &mut Context<'_>) -> bool {
    let mut fired = false;
    let mut next = next_alias(statement);
    each_select_mut(statement, &mut |select| {
        if let Some(split) = split(select, &mut next) {
            *select = split;
            fired = true;
        }
    });
    fired
}

fn split(select: &Select, next: &mut Alias) -> Option<Select> {
    let is_indexed =
        |source: &&Source| matches!(source.kind, SourceKind::Table { access: Access::Index(_), .. });
    // Before the table there may stand the keys or values that its index is entered with, behind it the narrow index,
    // which is joined by id and needs no document.
    let others = |source: &Source| {
        matches!(source.kind, SourceKind::Cte(_) | SourceKind::Query(_)) || is_indexed(&source)
    };
    let Source { alias, kind } = select.from.iter().find(is_indexed)?;
    let SourceKind::Table { collection, table, .. } = kind else { return None };
    if !select.from.iter().all(others) || !select.group.is_empty() || !select.union_all.is_empty() {
        return None;
    }
    let mut needs_document = false;
    for column in &select.columns {
        crate::ir::sql::walk(column, &mut |x| needs_document |= *x == Expr::Doc(*alias));
    }
    if !needs_document {
        return None;
    }
    let ids = fresh(next);
    let documents = fresh(next);
    let mut inner = Select { columns: vec![Expr::Id(*alias)], ..select.clone() };
    if !inner.order.is_empty() && inner.limit.is_none() {
        inner.limit = Some(Expr::Int(-1));
    }
    let mut columns = select.columns.clone();
    for column in &mut columns {
        walk_mut(column, &mut |x| match x {
            Expr::Doc(source) | Expr::Id(source) if source == alias => *source = documents,
            Expr::Column { source, .. } if select.from.iter().any(|from| from.alias == *source) => {
                let place = inner.columns.iter().position(|known| known == x).unwrap_or_else(|| {
                    inner.columns.push(x.clone());
                    inner.columns.len() - 1
                });
                *x = Expr::Output { source: ids, column: place };
            }
            _ => {}
        });
    }
    let by_id = SourceKind::Table {
        collection: Arc::clone(collection),
        table: Arc::clone(table),
        access: Access::NotIndexed,
    };
    let id = Expr::Output { source: ids, column: 0 };
    Some(Select {
        columns,
        from: vec![
            Source { alias: ids, kind: SourceKind::Query(Box::new(inner)) },
            Source { alias: documents, kind: by_id },
        ],
        filter: vec![Expr::binary(Binary::Eq, Expr::Id(documents), id)],
        ..Select::default()
    })
}
