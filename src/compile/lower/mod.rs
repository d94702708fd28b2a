//! From the faithful tree to SQL: guards become visible here, and nowhere else.
//!
//! In: a checked statement and the catalog. Out: a statement that gives the right rows in the right order whatever
//! the planner does; it names no index yet. A condition is lowered for a place where null counts as false (a
//! conjunct, or an operand of AND and OR below one); under NOT and where its value is seen it is made two-valued.

mod block;
mod condition;
mod items;
mod subquery;
mod value;
mod write;

use std::sync::Arc;

use crate::compile::CompileError;
use crate::compile::plan::Output;
use crate::ir::catalog::{Catalog, Collection};
use crate::ir::doc::{self, Binder, Fold, Source, Stage, Terminal};
use crate::ir::path::FieldPath;
use crate::ir::sql::{Alias, Binary, Bind, BindForm, BindSource, Binds, Body, Expr, Select, Statement};
use crate::ir::types::Type;
use crate::ir::value::Kind;
use block::{Block, Row};

/// What lowering gives: the statement, and what its columns are.
pub(crate) struct Lowered {
    pub(crate) statement: Statement,
    pub(crate) output: Output,
    /// Whether there is one row at most without a limit that says so.
    pub(crate) is_unique: bool,
}

/// Lowers a checked statement.
pub(crate) fn lower(statement: &doc::Statement, catalog: &Catalog) -> Result<Lowered, CompileError> {
    let mut lowering = Lowering {
        catalog,
        binds: Binds::default(),
        next_alias: 0,
        rows: Vec::new(),
        folds: false,
        is_unique: false,
        around: None,
    };
    let (body, output) = lowering.statement(statement)?;
    let is_unique = lowering.is_unique;
    Ok(Lowered { statement: Statement { body, binds: lowering.binds }, output, is_unique })
}

/// What is known while lowering.
pub(super) struct Lowering<'a> {
    catalog: &'a Catalog,
    binds: Binds,
    next_alias: u32,
    /// The rows that closures were given; the last of a binder counts.
    rows: Vec<(Binder, Row)>,
    /// Whether a fold may stand here: in what is selected from a group, and not inside another fold.
    folds: bool,
    is_unique: bool,
    /// Inside of a query in a closure, its first alias: those before it belong to what is around it.
    around: Option<Alias>,
}

impl Lowering<'_> {
    fn statement(&mut self, statement: &doc::Statement) -> Result<(Body, Output), CompileError> {
        if statement.terminal.is_write() {
            return self.write(statement);
        }
        let block = self.query(&statement.query)?;
        let (select, output) = self.terminal(block, &statement.terminal)?;
        Ok((Body::Select(Box::new(select)), output))
    }

    /// Lowers the source and the stages.
    fn query(&mut self, query: &doc::Query) -> Result<Block, CompileError> {
        let collection = self.collection(&query.source)?;
        let mut block = Block::table(self.alias(), &collection);
        for stage in &query.stages {
            block = self.stage(block, stage)?;
        }
        Ok(block)
    }

    /// Returns the collection of a source, when its keys are those of the source.
    fn collection(&self, source: &Source) -> Result<Arc<Collection>, CompileError> {
        let Source::Collection { name, key, key_kind } = source;
        let found = self.catalog.collections.get(&**name).cloned();
        let found = found.ok_or_else(|| CompileError::UnknownCollection { name: name.to_string() })?;
        let what = if found.key_kind != *key_kind {
            format!("its keys are {}, not {key_kind}", found.key_kind)
        } else if let Some(own) = found.key.as_ref().filter(|own| **own != FieldPath::root().key(*key)) {
            format!("its keys stand at `{own}`, not at `{key}`")
        } else {
            return Ok(found);
        };
        Err(CompileError::OtherKey { collection: name.to_string(), what })
    }

    fn stage(&mut self, mut block: Block, stage: &Stage) -> Result<Block, CompileError> {
        match stage {
            // For calls without the value there is another statement: `Statement::without`.
            Stage::Filter(lambda) | Stage::FilterSome(_, lambda) => {
                if let Row::Group { key, of } = &block.row {
                    self.enter(lambda, [key.as_ref(), of.as_ref()]);
                    self.folds = true;
                    let conditions = self.conjuncts(lambda);
                    self.folds = false;
                    conditions?.into_iter().for_each(|condition| block.filter_groups(condition));
                    return Ok(block);
                }
                if block.is_limited() || block.is_grouped() {
                    block = self.wrap(block)?;
                }
                self.enter(lambda, [&block.row]);
                self.conjuncts(lambda)?.into_iter().for_each(|condition| block.filter(condition));
            }
            Stage::Order { keys, then } => {
                // SQLite takes no fold of the query around it in a query that a closure asks: what was made of groups has to
                // be a source by then.
                let asks = block.is_grouped() && keys.iter().any(|key| key.by.has_query());
                if block.is_limited() || asks {
                    block = self.wrap(block)?;
                }
                let mut terms = Vec::with_capacity(keys.len());
                for key in keys {
                    self.enter(&key.by, [&block.row]);
                    let by = self.value(&key.by, key.by.root)?.expr;
                    terms.push((by, key.descending, key.nulls));
                }
                block.order_by(terms, *then);
            }
            Stage::Unordered => block.unordered(),
            // Asked of the plan.
            Stage::ForbidScan => {}
            Stage::Skip(count) => {
                if block.is_limited() {
                    block = self.wrap(block)?;
                }
                block.offset = Some(self.count(*count));
            }
            Stage::Take(count) => {
                if block.limit.is_some() {
                    block = self.wrap(block)?;
                }
                block.limit = Some(self.count(*count));
            }
            Stage::Select(lambda) => block = self.select(block, lambda)?,
            Stage::Group(lambda) => {
                if block.is_limited() || block.is_grouped() {
                    block = self.wrap(block)?;
                }
                self.enter(lambda, [&block.row]);
                let key = self.row(lambda, lambda.root)?;
                has_equality(&key, lambda)?;
                block.group_by(key);
            }
        }
        Ok(block)
    }

    fn select(&mut self, mut block: Block, lambda: &doc::Lambda) -> Result<Block, CompileError> {
        // What is made of groups is computed with them, but what is computed from a page of them is not.
        let asks = lambda.has_query() && !matches!(block.row, Row::Group { .. });
        if block.is_grouped() && (block.is_limited() || asks) {
            block = self.wrap(block)?;
        }
        if let Row::Group { key, of } = &block.row {
            self.enter(lambda, [key.as_ref(), of.as_ref()]);
            self.folds = true;
            let row = self.row(lambda, lambda.root);
            self.folds = false;
            block.row = row?;
        } else {
            self.enter(lambda, [&block.row]);
            block.row = self.row(lambda, lambda.root)?;
        }
        Ok(block)
    }

    fn terminal(&mut self, mut block: Block, terminal: &Terminal) -> Result<(Select, Output), CompileError> {
        match terminal {
            Terminal::Rows => {}
            Terminal::First | Terminal::Single if !block.is_limited() && block.is_unique() => {
                self.is_unique = true;
            }
            Terminal::First | Terminal::Single => {
                if block.limit.is_some() {
                    block = self.wrap(block)?;
                }
                block.limit = Some(Expr::Int(if *terminal == Terminal::First { 1 } else { 2 }));
            }
            Terminal::Count => {
                if block.is_limited() || block.is_grouped() {
                    // A document that is only counted does not have to be found again by its id.
                    if matches!(block.row, Row::Document { .. }) {
                        block.row = Row::Tuple(Vec::new());
                    }
                    block = self.wrap(block)?;
                }
                return Ok(block.into_value(Expr::CountAll));
            }
            Terminal::Exists | Terminal::NotExists => {
                let exists = self.exists(block)?;
                let answer =
                    if *terminal == Terminal::Exists { exists } else { Expr::NotTrue(Box::new(exists)) };
                return Ok((Select { columns: vec![answer], ..Select::default() }, Output::default()));
            }
            Terminal::Fold(fold, lambda) => {
                if block.is_limited() || block.is_grouped() {
                    block = self.wrap(block)?;
                }
                return self.fold_all(block, *fold, lambda);
            }
            Terminal::Update(_) | Terminal::Delete => {
                return Err(CompileError::Unsupported {
                    what: "an update inside another query".to_owned(),
                    instead: "run it on its own".to_owned(),
                });
            }
        }
        // A projection that can fail is evaluated for the rows of the page only.
        if block.is_limited() && block.row_can_fail() {
            block = self.wrap(block)?;
        }
        block.into_rows()
    }

    /// Returns whether a block has a row: the first one answers, unless a condition can fail, of which every row is
    /// asked (rule 8).
    fn exists(&mut self, mut block: Block) -> Result<Expr, CompileError> {
        if !block.can_fail() {
            if !block.is_limited() {
                block.limit = Some(Expr::Int(1));
            }
            return Ok(Expr::Exists(Box::new(block.into_value(Expr::Int(1)).0)));
        }
        if block.is_limited() || block.is_grouped() {
            block = self.wrap(block)?;
        }
        let count = block.into_value(Expr::CountAll).0;
        Ok(Expr::binary(Binary::Gt, Expr::Scalar(Box::new(count)), Expr::Int(0)))
    }

    /// Lowers a fold over all rows. The extremes are the first row of an order, so that an index serves them.
    fn fold_all(
        &mut self,
        mut block: Block,
        fold: Fold,
        lambda: &doc::Lambda,
    ) -> Result<(Select, Output), CompileError> {
        self.enter(lambda, [&block.row]);
        let value = self.value(lambda, lambda.root)?;
        self.is_of_own_rows(&value)?;
        // Where something can fail every row is asked, also one that has no value (rule 8).
        let is_extreme =
            matches!(fold, Fold::Min | Fold::Max) && !block.can_fail() && !value::can_fail(&value.expr);
        if !is_extreme {
            let value = match fold {
                // SQLite itself ends a lone `min` or `max` at the first row, where the rows come in its order.
                Fold::Min | Fold::Max => {
                    value::Value { expr: Expr::Unindexed(Box::new(value.expr)), ..value }
                }
                _ => value,
            };
            let folded = self.fold(fold, value, lambda);
            return Ok(block.into_value(folded));
        }
        block.filter(value::present(&value));
        block.clear_order();
        block.order_by(vec![(value.expr.clone(), fold == Fold::Max, doc::Nulls::Smallest)], false);
        block.limit = Some(Expr::Int(1));
        block.row = Row::Value(value);
        let (inner, output) = block.into_rows()?;
        let first = Select { columns: inner.columns.first().cloned().into_iter().collect(), ..inner };
        let columns = vec![Expr::Scalar(Box::new(first))];
        let output = Output { id_column: None, ..output };
        Ok((Select { columns, ..Select::default() }, output))
    }

    /// Gives a closure its rows.
    fn enter<const N: usize>(&mut self, lambda: &doc::Lambda, rows: [&Row; N]) {
        for (binder, row) in lambda.binders.iter().zip(rows) {
            self.rows.retain(|(known, _)| known != binder);
            self.rows.push((*binder, row.clone()));
        }
    }

    fn alias(&mut self) -> Alias {
        self.next_alias += 1;
        Alias(self.next_alias - 1)
    }

    fn bind(&mut self, source: BindSource, form: BindForm) -> Expr {
        self.binds.of(Bind { source, form })
    }

    fn count(&mut self, count: doc::Count) -> Expr {
        let source = match count {
            doc::Count::Constant(index) => BindSource::Constant(index),
            doc::Count::Param(slot) => BindSource::Slot(slot),
        };
        self.bind(source, BindForm::Count)
    }

    /// Turns a block into the source of another, which keeps its rows and their order.
    fn wrap(&mut self, block: Block) -> Result<Block, CompileError> {
        let alias = self.alias();
        let mut next = || {
            self.next_alias += 1;
            Alias(self.next_alias - 1)
        };
        block.wrap(alias, &mut next)
    }
}

/// Refuses to group by what has no equality (rule 20).
fn has_equality(key: &Row, lambda: &doc::Lambda) -> Result<(), CompileError> {
    match key {
        Row::Value(value) if matches!(value.shape.ty.kind(), Kind::Array | Kind::Object | Kind::Any) => {
            Err(CompileError::Unsupported {
                what: format!("grouping by `{}`, a whole list or struct", lambda.display(lambda.root)),
                instead: "group by its fields".to_owned(),
            })
        }
        Row::Tuple(keys) => keys.iter().try_for_each(|key| has_equality(key, lambda)),
        Row::Struct(members) => members.iter().try_for_each(|(_, key)| has_equality(key, lambda)),
        Row::Value(_) | Row::Document { .. } | Row::Group { .. } => Ok(()),
    }
}

/// Returns the type's name as the arithmetic functions take it.
fn type_name(ty: Type) -> Expr {
    Expr::Text(ty.name().into())
}
