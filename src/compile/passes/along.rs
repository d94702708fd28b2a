//! Queries of one table along one index, which passes build inside others.

use std::sync::Arc;

use crate::ir::catalog::{Collection, Index};
use crate::ir::doc::Nulls;
use crate::ir::sql::walk_mut;
use crate::ir::sql::{
    Access, Alias, Cte, Expr, OrderTerm, Range, Select, Source, SourceKind, Statement, each_select,
};

/// The name of a recursive table, which no collection's table has, and of its only column.
const KEYS: &str = "vellum_keys";
const KEY: &str = "k";

/// Returns an alias that the statement does not use.
pub(super) fn next_alias(statement: &Statement) -> Alias {
    let mut highest = 0;
    each_select(statement, &mut |select| {
        highest = select.from.iter().map(|source| source.alias.0 + 1).fold(highest, u32::max);
    });
    Alias(highest)
}

/// Takes an alias.
pub(super) fn fresh(next: &mut Alias) -> Alias {
    next.0 += 1;
    Alias(next.0 - 1)
}

/// A table and the index that it is read along, under aliases of its own.
#[derive(Clone, Copy)]
pub(super) struct Along<'a> {
    pub(super) collection: &'a Collection,
    pub(super) index: &'a Index,
    /// The alias under which expressions that are handed in name the table.
    pub(super) source: Alias,
}

impl Along<'_> {
    /// Returns the table, read along the index.
    pub(super) fn source(&self, alias: Alias) -> Source {
        let kind = SourceKind::Table {
            collection: self.collection.name.as_str().into(),
            table: self.collection.table.as_str().into(),
            access: Access::Index(Arc::from(self.index.name.as_str())),
        };
        Source { alias, kind }
    }

    /// Returns a query of the table.
    pub(super) fn select(&self, mut columns: Vec<Expr>, mut filter: Vec<Expr>, next: &mut Alias) -> Select {
        let alias = fresh(next);
        for expr in columns.iter_mut().chain(&mut filter) {
            walk_mut(expr, &mut |x| match x {
                Expr::Id(source) | Expr::Column { source, .. } if *source == self.source => *source = alias,
                _ => {}
            });
        }
        Select { columns, from: vec![self.source(alias)], filter, ..Select::default() }
    }

    /// Returns a value of the first row in a range of the index's first column, or null when there is none.
    pub(super) fn first(&self, value: Expr, range: Range, next: &mut Alias) -> Expr {
        let mut select = self.select(vec![value, range.of.clone()], vec![Expr::Range(Box::new(range))], next);
        let by = select.columns.pop();
        select.order =
            by.into_iter().map(|by| OrderTerm { by, descending: false, nulls: Nulls::Smallest }).collect();
        select.limit = Some(Expr::Int(1));
        Expr::Scalar(Box::new(select))
    }
}

/// A recursive table of keys that an index is entered with, one after another.
pub(super) struct Keys {
    pub(super) table: Cte,
    /// Where the keys come from in the query around it.
    pub(super) source: Source,
    /// The key of a row of that source.
    pub(super) key: Expr,
}

impl Keys {
    /// Returns the table of `first` and of what `behind` gives for each key, up to the first null, which is a row of it.
    pub(super) fn new(first: Expr, behind: impl FnOnce(Expr, &mut Alias) -> Expr, next: &mut Alias) -> Keys {
        let named = |source| Expr::Named { source, name: KEY };
        let before = fresh(next);
        let step = Select {
            columns: vec![behind(named(before), next)],
            from: vec![Source { alias: before, kind: SourceKind::Cte(KEYS) }],
            filter: vec![Keys::is_one(named(before))],
            ..Select::default()
        };
        let body = Select { columns: vec![first], union_all: vec![step], ..Select::default() };
        let alias = fresh(next);
        Keys {
            table: Cte { name: KEYS, columns: vec![KEY], body },
            source: Source { alias, kind: SourceKind::Cte(KEYS) },
            key: named(alias),
        }
    }

    /// Returns the condition that there is a key.
    pub(super) fn is_one(key: Expr) -> Expr {
        Expr::NotTrue(Box::new(Expr::IsNull(Box::new(key))))
    }
}
