//! Counts groups by a prefix with one seek a group, instead of one step a row.
//!
//! ```text
//! SELECT left(x, ?n), count(*) FROM t GROUP BY left(x, ?n)
//!   -> WITH RECURSIVE g(k) AS (
//!        the group of the smallest text, then the group of the smallest text behind the group before)
//!      SELECT k, (SELECT count(*) FROM t INDEXED BY i WHERE x >= k AND x < end of k) FROM g ..
//! ```
//! Texts that share their first scalars stand side by side in an index, so a group is a range. What is not text is the
//! group of null, counted apart. Taken only where nothing else is asked: no condition, no other fold.

use crate::compile::advice::Reading;
use crate::compile::passes::Context;
use crate::compile::passes::along::{Along, Keys, fresh, next_alias};
use crate::ir::doc::Function;
use crate::ir::sql::{
    Access, Alias, Binary, Bound, Expr, OrderTerm, Range, RangeKind, Select, Source, SourceKind, SqlFunction,
    Statement, each_select_mut,
};
use crate::ir::value::Kind;

/// What a group begins with.
const LEFT: SqlFunction = SqlFunction::Text(Function::Left);

pub(super) fn run(statement: &mut Statement, context: &mut Context<'_>) -> bool {
    let mut fired = false;
    let mut next = next_alias(statement);
    each_select_mut(statement, &mut |select| {
        if let Some(loose) = rewritten(select, context, &mut next) {
            *select = loose;
            fired = true;
        }
    });
    fired
}

/// The groups that a query counts.
struct Groups<'a> {
    along: Along<'a>,
    text: Expr,
    len: Expr,
}

fn rewritten(select: &Select, context: &mut Context<'_>, next: &mut Alias) -> Option<Select> {
    let [Source { alias, kind: SourceKind::Table { collection, access: Access::Planner, .. } }] =
        select.from.as_slice()
    else {
        return None;
    };
    let [key @ Expr::Call(LEFT, args)] = select.group.as_slice() else { return None };
    let [text @ Expr::Column { source, name, view, .. }, len @ Expr::Bind(_)] = args.as_slice() else {
        return None;
    };
    let order = select.order.iter().map(|term| &term.by);
    let plain = select.filter.is_empty()
        && select.having.is_empty()
        && select.columns.iter().chain(order).all(|x| x == key || *x == Expr::CountAll);
    if !plain || source != alias || view.kind() != Kind::Text {
        return None;
    }
    let collection = context.catalog.collections.get(&**collection)?.clone();
    let index = collection
        .whole_indexes()
        .find(|index| index.columns.first().is_some_and(|column| *column.name == **name))?;
    context.readings.push(Reading {
        collection: collection.name.clone(),
        indexes: vec![index.name.clone()],
        choice: format!("groups by a prefix of `{name}`: one seek a group along the index `{}`", index.name),
        obstacles: Vec::new(),
        is_scan: false,
    });
    let along = Along { collection: &collection, index, source: *alias };
    let groups = Groups { along, text: text.clone(), len: len.clone() };
    let column = |x: &Expr, outer: Alias| Expr::Output { source: outer, column: usize::from(x != key) };
    let outer = fresh(next);
    let order =
        select.order.iter().map(|term| OrderTerm { by: column(&term.by, outer), ..term.clone() }).collect();
    Some(Select {
        columns: select.columns.iter().map(|x| column(x, outer)).collect(),
        from: vec![Source { alias: outer, kind: SourceKind::Query(Box::new(groups.counted(next))) }],
        order,
        limit: select.limit.clone(),
        offset: select.offset.clone(),
        ..Select::default()
    })
}

impl Groups<'_> {
    /// Returns the query of each group and its count, that of null last.
    fn counted(&self, next: &mut Alias) -> Select {
        let keys = self.keys(next);
        let within = Range {
            low: Some(Bound { value: keys.key.clone(), inclusive: true }),
            high: Some(Bound { value: self.end(keys.key.clone()), inclusive: false }),
            ..self.texts()
        };
        let count = self.along.select(vec![Expr::CountAll], vec![Expr::Range(Box::new(within))], next);
        Select {
            with: vec![keys.table],
            columns: vec![keys.key.clone(), Expr::Scalar(Box::new(count))],
            from: vec![keys.source],
            filter: vec![Keys::is_one(keys.key)],
            union_all: vec![self.of_null(next)],
            ..Select::default()
        }
    }

    /// Returns the table of the groups' keys.
    fn keys(&self, next: &mut Alias) -> Keys {
        let first = self.first_key(self.texts(), next);
        let behind = |key: Expr, next: &mut Alias| {
            let low = Some(Bound { value: self.end(key), inclusive: true });
            self.first_key(Range { low, ..self.texts() }, next)
        };
        Keys::new(first, behind, next)
    }

    fn texts(&self) -> Range {
        Range { of: self.text.clone(), kind: RangeKind::Text, low: None, high: None }
    }

    /// Returns the key of the smallest text in a range, or null.
    fn first_key(&self, range: Range, next: &mut Alias) -> Expr {
        let key = Expr::Call(LEFT, vec![self.text.clone(), self.len.clone()]);
        self.along.first(key, range, next)
    }

    /// Returns the group of what is not text, when it has a row.
    fn of_null(&self, next: &mut Alias) -> Select {
        let count = |filter: Expr, next: &mut Alias| {
            Expr::Scalar(Box::new(self.along.select(vec![Expr::CountAll], vec![filter], next)))
        };
        let null = count(Expr::IsNull(Box::new(self.text.clone())), next);
        let below = count(Expr::binary(Binary::Lt, self.text.clone(), Expr::Text("".into())), next);
        let above = count(Expr::binary(Binary::Ge, self.text.clone(), Expr::AboveText), next);
        let sum = Expr::binary(Binary::Add, Expr::binary(Binary::Add, null, below), above);
        let counts = fresh(next);
        let inner = Select { columns: vec![sum], ..Select::default() };
        let count = Expr::Output { source: counts, column: 0 };
        Select {
            columns: vec![Expr::Null, count.clone()],
            from: vec![Source { alias: counts, kind: SourceKind::Query(Box::new(inner)) }],
            filter: vec![Expr::binary(Binary::Gt, count, Expr::Int(0))],
            ..Select::default()
        }
    }

    fn end(&self, key: Expr) -> Expr {
        Expr::Call(SqlFunction::GroupEnd, vec![key, self.len.clone()])
    }
}
