//! The stages of a query, and its terminal.
//!
//! Filters wait until rows are counted, cut, grouped or read, so that all filters of one block are seen together
//! (rule 8).

use std::collections::BTreeMap;
use std::rc::Rc;

use super::expr::Evaluator;
use super::order::{self, SortKey};
use super::row::{Group, Row, Term};
use super::{Answer, Document, EvalError, Outcome, Promise, aggregate, update};
use crate::ir::doc::{Count, Lambda, Stage, Statement, Terminal};
use crate::ir::value::Value;

/// Runs a statement over the documents of its collection.
pub(super) fn run<'a>(
    statement: &'a Statement,
    documents: &'a [Document],
    evaluator: Evaluator<'a>,
) -> Result<Answer, EvalError> {
    let stages = statement.query.stages.as_slice();
    let mut rows = Rows::new(evaluator, documents);
    for (i, stage) in stages.iter().enumerate() {
        rows.stage(stage, stages.get(..i).unwrap_or_default())?;
    }
    rows.filter()?;
    let outcome = match &statement.terminal {
        Terminal::Rows => rows.read(stages, usize::MAX)?,
        Terminal::First => rows.read(stages, 1)?,
        Terminal::Single => rows.read(stages, 2)?,
        Terminal::Count => Outcome::Count(rows.rows.len() as u64),
        Terminal::Exists => Outcome::Bool(!rows.rows.is_empty()),
        Terminal::NotExists => Outcome::Bool(rows.rows.is_empty()),
        Terminal::Fold(fold, lambda) => {
            let of = |row: &Row<'a>| Term::root(lambda, stages, Some(row.clone()));
            let terms: Vec<Term<'a>> = rows.rows.iter().map(of).collect();
            Outcome::Value(aggregate::fold(*fold, &evaluator, &Term::root(lambda, stages, None), &terms)?)
        }
        Terminal::Update(assignments) => {
            rows.sort()?;
            update::update(&evaluator, documents, &rows.rows, stages, assignments)?
        }
        Terminal::Delete => update::delete(documents, &rows.rows, stages),
    };
    Ok(Answer { outcome, promise: rows.promise() })
}

/// The rows so far, with what still waits to be done to them.
struct Rows<'a> {
    evaluator: Evaluator<'a>,
    rows: Vec<Row<'a>>,
    /// The filters of this block, with the stages before each.
    filters: Vec<(&'a Lambda, &'a [Stage])>,
    /// The keys that rows are sorted by, the most significant first.
    keys: Vec<SortKey<'a>>,
    /// Whether the promised order was given up.
    unordered: bool,
    /// Whether two rows have no promised order.
    open: bool,
    /// Whether rows were cut off an order that is not promised.
    lost: bool,
    /// Whether such rows were filtered or grouped.
    adrift: bool,
}

impl<'a> Rows<'a> {
    fn new(evaluator: Evaluator<'a>, documents: &'a [Document]) -> Self {
        Rows {
            evaluator,
            rows: documents.iter().map(Row::Document).collect(),
            filters: Vec::new(),
            keys: Vec::new(),
            unordered: false,
            open: false,
            lost: false,
            adrift: false,
        }
    }

    fn stage(&mut self, stage: &'a Stage, before: &'a [Stage]) -> Result<(), EvalError> {
        match stage {
            Stage::Filter(lambda) => self.filters.push((lambda, before)),
            Stage::FilterSome(slot, lambda) => match self.evaluator.params.get(usize::from(*slot)) {
                None | Some(Value::Null) => {}
                Some(_) => self.filters.push((lambda, before)),
            },
            Stage::Order { keys, then } => {
                self.order(keys.iter().map(|key| SortKey { key, stages: before }), *then)
            }
            Stage::Skip(count) => self.cut(self.count(*count), usize::MAX)?,
            Stage::Take(count) => self.cut(0, self.count(*count))?,
            Stage::Unordered => {
                self.keys.clear();
                self.unordered = true;
            }
            Stage::Select(_) | Stage::ForbidScan => {}
            Stage::Group(key) => self.group(key, before)?,
        }
        Ok(())
    }

    fn order(&mut self, keys: impl Iterator<Item = SortKey<'a>>, then: bool) {
        self.unordered = false;
        let at = if then { self.keys.len() } else { 0 };
        self.keys.splice(at..at, keys);
    }

    fn filter(&mut self) -> Result<(), EvalError> {
        let filters = std::mem::take(&mut self.filters);
        self.adrift |= self.lost && !filters.is_empty();
        let mut kept = Vec::new();
        for row in self.rows.drain(..) {
            let of =
                |(lambda, stages): &(&'a Lambda, &'a [Stage])| Term::root(lambda, stages, Some(row.clone()));
            if self.evaluator.all(filters.iter().map(of).collect())? {
                kept.push(row);
            }
        }
        self.rows = kept;
        Ok(())
    }

    fn sort(&mut self) -> Result<(), EvalError> {
        self.open = order::sort(&self.evaluator, &mut self.rows, &self.keys)?;
        Ok(())
    }

    fn cut(&mut self, skip: usize, take: usize) -> Result<(), EvalError> {
        self.filter()?;
        self.sort()?;
        let before = self.rows.len();
        self.rows = self.rows.drain(..).skip(skip).take(take).collect();
        let is_cut = !self.rows.is_empty() && self.rows.len() < before;
        self.lost |= is_cut && (self.unordered || self.open);
        Ok(())
    }

    fn count(&self, count: Count) -> usize {
        let value = match count {
            Count::Constant(index) => self.evaluator.constant(index),
            Count::Param(slot) => self.evaluator.params.get(usize::from(slot)),
        };
        match value {
            Some(Value::Int(count)) => {
                usize::try_from(*count).unwrap_or(if *count < 0 { 0 } else { usize::MAX })
            }
            _ => 0,
        }
    }

    fn group(&mut self, key: &'a Lambda, before: &'a [Stage]) -> Result<(), EvalError> {
        self.filter()?;
        self.adrift |= self.lost;
        let mut groups: BTreeMap<Vec<order::Rank>, Vec<Row<'a>>> = BTreeMap::new();
        for row in self.rows.drain(..) {
            let key = order::group_key(&self.evaluator, &Term::root(key, before, Some(row.clone())))?;
            groups.entry(key).or_default().push(row);
        }
        self.rows =
            groups.into_iter().map(|(key, members)| Row::Group(Rc::new(Group { key, members }))).collect();
        self.keys.clear();
        self.unordered = false;
        Ok(())
    }

    fn read(&mut self, stages: &'a [Stage], limit: usize) -> Result<Outcome, EvalError> {
        self.sort()?;
        let is_cut = limit < self.rows.len();
        self.lost |= is_cut && (self.unordered || self.open);
        let rows = self.rows.iter().take(limit);
        let columns = rows.map(|row| self.evaluator.columns(Term::whole(stages, row.clone())));
        Ok(Outcome::Rows(columns.collect::<Result<_, _>>()?))
    }

    fn promise(&self) -> Promise {
        match (self.adrift, self.lost, self.unordered || self.open) {
            (true, ..) => Promise::Nothing,
            (false, true, _) => Promise::Number,
            (false, false, true) => Promise::Set,
            (false, false, false) => Promise::Sequence,
        }
    }
}
