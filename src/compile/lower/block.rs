//! One SELECT while it is being put together: sources, conditions, order, and what a row is.

use std::borrow::Cow;
use std::sync::Arc;

use crate::compile::CompileError;
use crate::compile::lower::condition::guarded;
use crate::compile::lower::value::{Value, can_fail};
use crate::compile::plan::Output;
use crate::ir::catalog::Collection;
use crate::ir::doc::Nulls;
use crate::ir::path::FieldPath;
use crate::ir::record::{Member, Record};
use crate::ir::sql::{Access, Alias, Binary, Expr, OrderTerm, Select, Source, SourceKind, walk_mut};
use crate::ir::types::Type;

/// What a row is, in the names of its block.
#[derive(Clone, Debug)]
pub(super) enum Row {
    /// A document of a source.
    Document {
        /// The source.
        alias: Alias,
        /// Its collection.
        collection: Arc<Collection>,
    },
    /// A value.
    Value(Value),
    /// Several.
    Tuple(Vec<Row>),
    /// Several, by the names of the members of a struct.
    Struct(Vec<(Cow<'static, str>, Row)>),
    /// A group: its key, and the rows that it is made of.
    Group {
        /// The key.
        key: Box<Row>,
        /// One of the rows.
        of: Box<Row>,
    },
}

/// Conditions, all of which hold.
#[derive(Clone, Debug, Default)]
struct Conditions {
    certain: Vec<Expr>,
    fallible: Vec<Expr>,
}

impl Conditions {
    /// Adds a condition. One that can fail is kept apart (rule 8).
    fn add(&mut self, condition: Expr) {
        let alike = if can_fail(&condition) { &mut self.fallible } else { &mut self.certain };
        alike.extend(condition.into_conjuncts());
    }

    /// Returns all of them. One that can fail is asked only where every one that cannot holds, in the order in which they
    /// were written, so that no plan can change what fails (rule 8).
    fn all(&self) -> impl Iterator<Item = Expr> {
        self.certain.iter().cloned().chain(guarded(&self.certain, &self.fallible))
    }
}

/// A SELECT that can still take stages.
#[derive(Clone, Debug)]
pub(super) struct Block {
    /// The collection that messages name.
    collection: Arc<str>,
    from: Vec<Source>,
    joins: Vec<Expr>,
    conditions: Conditions,
    group: Vec<Expr>,
    having: Conditions,
    order: Vec<(Expr, bool, Nulls)>,
    /// What makes the order total: row ids, or the keys of groups.
    ties: Vec<Expr>,
    ordered: bool,
    /// Whether the order chooses the page and nothing behind it: a later key starts afresh.
    forgets_order: bool,
    pub(super) row: Row,
    pub(super) limit: Option<Expr>,
    pub(super) offset: Option<Expr>,
}

impl Block {
    /// Returns the documents of a collection, by id.
    pub(super) fn table(alias: Alias, collection: &Arc<Collection>) -> Block {
        Block {
            collection: collection.name.as_str().into(),
            from: vec![table(alias, collection)],
            joins: Vec::new(),
            conditions: Conditions::default(),
            group: Vec::new(),
            having: Conditions::default(),
            order: Vec::new(),
            ties: vec![Expr::Id(alias)],
            ordered: true,
            forgets_order: false,
            row: Row::Document { alias, collection: Arc::clone(collection) },
            limit: None,
            offset: None,
        }
    }

    pub(super) fn is_limited(&self) -> bool {
        self.limit.is_some() || self.offset.is_some()
    }

    pub(super) fn is_grouped(&self) -> bool {
        !self.group.is_empty()
    }

    /// Returns whether a condition names the key, so that there is one row at most.
    pub(super) fn is_unique(&self) -> bool {
        let [Source { alias, kind: SourceKind::Table { .. } }] = self.from.as_slice() else { return false };
        let key = match &self.row {
            Row::Document { collection, .. } => collection.key.as_ref(),
            _ => None,
        };
        let is_key = |operand: &Expr| match operand {
            Expr::Id(of) => of == alias,
            Expr::Column { source, path, .. } => source == alias && key == Some(path),
            _ => false,
        };
        let is_given = |operand: &Expr| matches!(operand, Expr::Bind(_) | Expr::Literal(_) | Expr::Int(_));
        !self.is_grouped()
            && self.conditions.certain.iter().any(|condition| match condition {
                Expr::Binary(Binary::Eq, left, right) => {
                    is_key(left) && is_given(right) || is_key(right) && is_given(left)
                }
                _ => false,
            })
    }

    /// Adds a condition on rows.
    pub(super) fn filter(&mut self, condition: Expr) {
        self.conditions.add(condition);
    }

    /// Adds a condition on groups.
    pub(super) fn filter_groups(&mut self, condition: Expr) {
        self.having.add(condition);
    }

    /// Sorts; keys that are there already break ties behind the new ones, or stand before them with `then`.
    pub(super) fn order_by(&mut self, keys: Vec<(Expr, bool, Nulls)>, then: bool) {
        self.ordered = true;
        if then {
            self.order.extend(keys);
        } else {
            self.order.splice(0..0, keys);
        }
    }

    pub(super) fn unordered(&mut self) {
        if self.is_limited() {
            self.forgets_order = true;
        } else {
            self.clear_order();
            self.ordered = false;
        }
    }

    pub(super) fn clear_order(&mut self) {
        self.order.clear();
    }

    pub(super) fn group_by(&mut self, key: Row) {
        let mut keys = Vec::new();
        flatten(&key, &mut |value| keys.push(value));
        self.clear_order();
        self.ordered = true;
        self.ties = keys.clone();
        // A group by nothing is one group; SQL needs something to group by.
        self.group = if keys.is_empty() { vec![Expr::Null] } else { keys };
        let of = std::mem::replace(&mut self.row, Row::Tuple(Vec::new()));
        self.row = Row::Group { key: Box::new(key), of: Box::new(of) };
    }

    /// Returns the order with what makes it total, in the direction of the last key (rule 5).
    fn total_order(&self) -> Vec<OrderTerm> {
        if !self.ordered && !self.is_lazy_with_failure() {
            return Vec::new();
        }
        let descending = self.order.last().is_some_and(|(_, descending, _)| *descending);
        let keys = self.order.iter().cloned();
        let ties = self.ties.iter().cloned().map(|tie| (tie, descending, Nulls::Smallest));
        let mut terms: Vec<OrderTerm> = Vec::new();
        for (by, descending, nulls) in keys.chain(ties) {
            // A key that is there already decides nothing.
            if !terms.iter().any(|term| term.by == by) {
                terms.push(OrderTerm { by, descending, nulls });
            }
        }
        // Were a page read along an index, what stands behind it would not be asked, and another index would let
        // another row fail (rule 8): all rows are asked first.
        if let (true, Some(first)) = (self.is_lazy_with_failure(), terms.first_mut()) {
            let by = std::mem::replace(&mut first.by, Expr::Null);
            first.by = Expr::Unindexed(Box::new(by));
        }
        terms
    }

    /// Returns whether some rows might be left unasked of a condition that can fail.
    pub(super) fn is_lazy_with_failure(&self) -> bool {
        self.is_limited() && self.can_fail()
    }

    pub(super) fn can_fail(&self) -> bool {
        !self.conditions.fallible.is_empty() || !self.having.fallible.is_empty()
    }

    /// Returns whether a value of the row can fail and can be computed outside of the block: what is made of groups
    /// cannot.
    pub(super) fn row_can_fail(&self) -> bool {
        let mut fails = false;
        flatten(&self.row, &mut |value| fails |= can_fail(&value));
        fails && !self.is_grouped()
    }

    fn select(&self, columns: Vec<Expr>) -> Select {
        Select {
            columns,
            from: self.from.clone(),
            filter: self.joins.iter().cloned().chain(self.conditions.all()).collect(),
            group: self.group.clone(),
            having: self.having.all().collect(),
            limit: self.limit.clone(),
            offset: self.offset.clone(),
            ..Select::default()
        }
    }

    /// Finishes the block as one value over all its rows; the order is of no account.
    pub(super) fn into_value(self, value: Expr) -> (Select, Output) {
        (self.select(vec![value]), Output { collection: self.collection.to_string(), ..Output::default() })
    }

    /// Finishes the block as rows.
    pub(super) fn into_rows(self) -> Result<(Select, Output), CompileError> {
        let mut columns = Vec::new();
        let mut output = Output { collection: self.collection.to_string(), ..Output::default() };
        let row = match &self.row {
            Row::Group { .. } => {
                return Err(CompileError::Unsupported {
                    what: "a group without a projection".to_owned(),
                    instead: "finish with `.select(|g| ..)`".to_owned(),
                });
            }
            row => row.clone(),
        };
        result_columns(&row, &mut columns, &mut output);
        if let ([Source { alias, kind: SourceKind::Table { .. } }], false) =
            (self.from.as_slice(), self.is_grouped())
        {
            // The row id, so that a value that cannot be read is reported with its document.
            output.id_column = Some(match columns.iter().position(|column| *column == Expr::Id(*alias)) {
                Some(place) => place,
                None => {
                    columns.push(Expr::Id(*alias));
                    columns.len() - 1
                }
            });
        }
        let mut select = self.select(columns);
        select.order = self.total_order();
        Ok((select, output))
    }

    /// Finishes the block as the row ids of its documents, in order.
    pub(super) fn into_ids(self) -> Result<Select, CompileError> {
        let Row::Document { alias, .. } = &self.row else {
            return Err(CompileError::Unsupported {
                what: "an update or delete of rows that are not documents".to_owned(),
                instead: "filter, sort and limit documents before it, and nothing else".to_owned(),
            });
        };
        let mut select = self.select(vec![Expr::Id(*alias)]);
        if self.is_limited() {
            select.order = self.total_order();
        }
        Ok(select)
    }

    /// Turns the block into the source of another. A document crosses as its row id and is joined again by it, so
    /// that its columns stay in reach; the order crosses as columns.
    pub(super) fn wrap(self, alias: Alias, next: &mut dyn FnMut() -> Alias) -> Result<Block, CompileError> {
        let late = if self.row_can_fail() {
            self.from.iter().map(|source| source.alias).collect()
        } else {
            Vec::new()
        };
        let mut crossing = Crossing { alias, late, columns: Vec::new(), from: Vec::new(), joins: Vec::new() };
        let row = crossing.row(&self.row, next)?;
        let order = if self.forgets_order { &[] } else { self.order.as_slice() };
        let keys = order.iter().map(|(by, d, n)| (crossing.column(by.clone()), *d, *n)).collect();
        let ties = self.ties.iter().map(|tie| crossing.column(tie.clone())).collect();
        let mut inner = self.select(crossing.columns);
        if self.is_limited() {
            inner.order = self.total_order();
        }
        let mut from = vec![Source { alias, kind: SourceKind::Query(Box::new(inner)) }];
        from.extend(crossing.from);
        Ok(Block {
            collection: self.collection,
            from,
            joins: crossing.joins,
            conditions: Conditions::default(),
            group: Vec::new(),
            having: Conditions::default(),
            order: keys,
            ties,
            ordered: self.ordered && !self.forgets_order,
            forgets_order: false,
            row,
            limit: None,
            offset: None,
        })
    }
}

/// What crosses from a block into the one around it.
struct Crossing {
    alias: Alias,
    /// The sources of the block, where its row can fail.
    late: Vec<Alias>,
    columns: Vec<Expr>,
    from: Vec<Source>,
    joins: Vec<Expr>,
}

impl Crossing {
    fn column(&mut self, expr: Expr) -> Expr {
        let column = self.columns.iter().position(|known| *known == expr).unwrap_or_else(|| {
            self.columns.push(expr);
            self.columns.len() - 1
        });
        Expr::Output { source: self.alias, column }
    }

    /// Lets what a value reads cross, so that it is computed outside: for the rows that come through, and no others.
    fn read(&mut self, mut value: Expr) -> Expr {
        walk_mut(&mut value, &mut |x| match x {
            Expr::Id(source)
            | Expr::Doc(source)
            | Expr::Column { source, .. }
            | Expr::Output { source, .. }
            | Expr::Named { source, .. }
                if self.late.contains(source) =>
            {
                *x = self.column(x.clone());
            }
            _ => {}
        });
        value
    }

    fn row(&mut self, row: &Row, next: &mut dyn FnMut() -> Alias) -> Result<Row, CompileError> {
        Ok(match row {
            Row::Document { alias, collection } => {
                let id = self.column(Expr::Id(*alias));
                let alias = next();
                self.from.push(table(alias, collection));
                self.joins.push(Expr::binary(Binary::Eq, Expr::Id(alias), id));
                Row::Document { alias, collection: Arc::clone(collection) }
            }
            Row::Value(value) if !self.late.is_empty() && can_fail(&value.expr) => {
                Row::Value(Value { expr: self.read(value.expr.clone()), ..value.clone() })
            }
            Row::Value(value) => Row::Value(Value { expr: self.column(value.expr.clone()), ..value.clone() }),
            Row::Tuple(rows) => {
                Row::Tuple(rows.iter().map(|row| self.row(row, next)).collect::<Result<_, _>>()?)
            }
            Row::Struct(members) => {
                let row = |(name, row): &(Cow<'static, str>, Row)| Ok((name.clone(), self.row(row, next)?));
                Row::Struct(members.iter().map(row).collect::<Result<_, CompileError>>()?)
            }
            Row::Group { .. } => {
                return Err(CompileError::Unsupported {
                    what: "a stage between `group_by` and `select`".to_owned(),
                    instead: "select from the groups first".to_owned(),
                });
            }
        })
    }
}

fn table(alias: Alias, collection: &Collection) -> Source {
    let kind = SourceKind::Table {
        collection: collection.name.as_str().into(),
        table: collection.table.as_str().into(),
        access: Access::Planner,
    };
    Source { alias, kind }
}

/// Calls `f` on each value of a row, documents by their row id.
fn flatten(row: &Row, f: &mut dyn FnMut(Expr)) {
    match row {
        Row::Document { alias, .. } => f(Expr::Id(*alias)),
        Row::Value(value) => f(value.expr.clone()),
        Row::Tuple(rows) => rows.iter().for_each(|row| flatten(row, f)),
        Row::Struct(members) => members.iter().for_each(|(_, row)| flatten(row, f)),
        Row::Group { key, .. } => flatten(key, f),
    }
}

/// Appends the columns that a row is read from, and what messages call them.
fn result_columns(row: &Row, columns: &mut Vec<Expr>, output: &mut Output) {
    match row {
        Row::Document { alias, .. } => {
            columns.extend([Expr::Id(*alias), Expr::Doc(*alias)]);
            output.paths.extend([None, None]);
        }
        Row::Value(value) => {
            columns.push(value.expr.clone());
            output.paths.push(value.path.clone());
        }
        Row::Tuple(rows) => rows.iter().for_each(|row| result_columns(row, columns, output)),
        Row::Struct(members) => {
            let first = columns.len();
            let record = record(members, &FieldPath::root(), columns, output);
            output.records.push((first, record));
        }
        Row::Group { key, .. } => result_columns(key, columns, output),
    }
}

/// Appends the columns of a struct. Messages call a computed one by the names of the members that it is below.
fn record(
    members: &[(Cow<'static, str>, Row)],
    above: &FieldPath,
    columns: &mut Vec<Expr>,
    output: &mut Output,
) -> Record {
    let mut record = Record::default();
    for (name, row) in members {
        let path = above.clone().key(name.clone());
        let inner = match row {
            Row::Struct(members) => Member::Record(self::record(members, &path, columns, output)),
            row => {
                result_columns(row, columns, output);
                if let Some(last @ None) = output.paths.last_mut() {
                    *last = Some(path);
                }
                match row {
                    Row::Value(value) if value.shape.ty == Type::Bool => Member::Bool,
                    _ => Member::Value,
                }
            }
        };
        record.members.push((name.clone(), inner));
    }
    record
}
