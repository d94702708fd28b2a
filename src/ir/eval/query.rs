//! The stages of a query, and its terminal.
//!
//! Filters wait until rows are counted, cut, grouped or read, so that all filters of one block are seen together
//! (rule 8).

use std::collections::BTreeMap;
use std::rc::Rc;

use super::condition::equal;
use super::expr::Evaluator;
use super::json::Json;
use super::order::{self, SortKey};
use super::row::{Behind, Group, Meaning, Row, Term};
use super::{Answer, Document, EvalError, Outcome, Promise, aggregate, update};
use crate::ir::doc::{Count, Fold, Lambda, Query, Source, Stage, Statement, Subquery, Terminal};
use crate::ir::value::Value;

/// Runs a statement over the documents of its collection.
pub(super) fn run<'a>(statement: &'a Statement, evaluator: Evaluator<'a>) -> Result<Answer, EvalError> {
    let mut rows = Rows::of(&statement.query, evaluator, None)?;
    let outcome = match &statement.terminal {
        Terminal::Rows => rows.read(usize::MAX)?,
        Terminal::First => rows.read(1)?,
        Terminal::Single => rows.read(2)?,
        Terminal::Count => Outcome::Count(rows.rows.len() as u64),
        Terminal::Exists => Outcome::Bool(!rows.rows.is_empty()),
        Terminal::NotExists => Outcome::Bool(rows.rows.is_empty()),
        Terminal::Fold(fold, lambda) => Outcome::Value(rows.fold(*fold, lambda)?),
        Terminal::Update(assignments) => {
            rows.sort()?;
            let documents = evaluator.documents(&statement.query.source);
            update::update(&evaluator, documents, &rows.rows, &rows.behind, assignments)?
        }
        Terminal::Delete => {
            update::delete(evaluator.documents(&statement.query.source), &rows.rows, &rows.behind)
        }
    };
    Ok(Answer { outcome, promise: rows.promise() })
}

impl<'a> Evaluator<'a> {
    /// Returns the documents of a source.
    fn documents(&self, source: &Source) -> &'a [Document] {
        let Source::Collection { name, .. } = source;
        let collection = self.collections.iter().find(|collection| collection.name == *name);
        collection.map_or(&[][..], |collection| &collection.documents)
    }

    /// Returns the value of a query inside of a closure.
    pub(super) fn subquery(&self, term: &Term<'a>, subquery: &'a Subquery) -> Result<Json, EvalError> {
        let mut rows = Rows::of(&subquery.query, *self, Some(term))?;
        Ok(match &subquery.terminal {
            Terminal::Exists => Json::Bool(!rows.rows.is_empty()),
            Terminal::NotExists => Json::Bool(rows.rows.is_empty()),
            Terminal::Count => aggregate::count(rows.rows.len()),
            Terminal::Fold(fold, lambda) => rows.fold(*fold, lambda)?,
            _ => rows.first()?,
        })
    }

    /// Returns whether a value is among those of a query inside of a closure.
    pub(super) fn is_in_query(
        &self,
        term: &Term<'a>,
        item: &Json,
        query: &'a Query,
    ) -> Result<bool, EvalError> {
        let rows = Rows::of(query, *self, Some(term))?;
        let mut found = false;
        for row in &rows.rows {
            if let Meaning::Node(value) = Term::whole(&rows.behind, row.clone()) {
                found |= equal(item, &*self.of_declared_kind(&value)?);
            }
        }
        Ok(found)
    }
}

/// The rows so far, with what still waits to be done to them.
struct Rows<'a> {
    evaluator: Evaluator<'a>,
    rows: Vec<Row<'a>>,
    /// All stages, and what is around the query.
    behind: Behind<'a>,
    /// The filters of this block, with what stands before each.
    filters: Vec<(&'a Lambda, Behind<'a>)>,
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
    /// Carries out the stages of a query, which may stand inside of a closure.
    fn of(query: &'a Query, evaluator: Evaluator<'a>, around: Option<&Term<'a>>) -> Result<Self, EvalError> {
        let around = around.map(|term| Rc::new(term.clone()));
        let mut rows = Rows {
            evaluator,
            rows: evaluator.documents(&query.source).iter().map(Row::Document).collect(),
            behind: Behind { stages: &query.stages, around },
            filters: Vec::new(),
            keys: Vec::new(),
            unordered: false,
            open: false,
            lost: false,
            adrift: false,
        };
        for (i, stage) in query.stages.iter().enumerate() {
            let before = Behind { stages: query.stages.get(..i).unwrap_or_default(), ..rows.behind.clone() };
            rows.stage(stage, &before)?;
        }
        rows.filter()?;
        Ok(rows)
    }

    fn stage(&mut self, stage: &'a Stage, before: &Behind<'a>) -> Result<(), EvalError> {
        match stage {
            Stage::Filter(lambda) => self.filters.push((lambda, before.clone())),
            Stage::FilterSome(slot, lambda) => match self.evaluator.params.get(usize::from(*slot)) {
                None | Some(Value::Null) => {}
                Some(_) => self.filters.push((lambda, before.clone())),
            },
            Stage::Order { keys, then } => {
                self.order(keys.iter().map(|key| SortKey { key, behind: before.clone() }), *then)
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

    fn fold(&self, fold: Fold, lambda: &'a Lambda) -> Result<Json, EvalError> {
        let of = |row: Option<&Row<'a>>| Term::root(lambda, &self.behind, row.cloned());
        let terms: Vec<Term<'a>> = self.rows.iter().map(|row| of(Some(row))).collect();
        aggregate::fold(fold, &self.evaluator, &of(None), &terms)
    }

    /// Returns the value that the first row is, null where there is none.
    fn first(&mut self) -> Result<Json, EvalError> {
        self.sort()?;
        let first = self.rows.first().map(|row| Term::whole(&self.behind, row.clone()));
        match first {
            Some(Meaning::Node(term)) => Ok(self.evaluator.value(&term)?.into_owned()),
            _ => Ok(Json::Null),
        }
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
                |(lambda, behind): &(&'a Lambda, Behind<'a>)| Term::root(lambda, behind, Some(row.clone()));
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

    fn group(&mut self, key: &'a Lambda, before: &Behind<'a>) -> Result<(), EvalError> {
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

    fn read(&mut self, limit: usize) -> Result<Outcome, EvalError> {
        self.sort()?;
        let is_cut = limit < self.rows.len();
        self.lost |= is_cut && (self.unordered || self.open);
        let rows = self.rows.iter().take(limit);
        let columns = rows.map(|row| self.evaluator.columns(Term::whole(&self.behind, row.clone())));
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
