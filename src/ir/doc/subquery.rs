//! Queries inside of closures, and what has to reach into them: constants, options, closures.

use smallvec::SmallVec;

use crate::ir::doc::{Assignment, Binder, Count, Expr, ExprId, Lambda, Query, Stage, Statement, Terminal};
use crate::ir::types::Type;
use crate::ir::value::FieldDefault;

/// One value that a query gives inside of a closure. Its own closures may name the rows around it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Subquery {
    /// The query.
    pub(crate) query: Query,
    /// What is made of its rows.
    pub(crate) terminal: Terminal,
    /// The type of the value.
    pub(crate) ty: Type,
    /// Whether null is one of its values.
    pub(crate) nullable: bool,
}

impl Subquery {
    /// Gives each constant another number.
    fn map_constants(&mut self, f: &mut dyn FnMut(u32) -> u32) {
        self.query.map_constants(f);
        self.terminal.map_constants(f);
    }
}

impl Statement {
    /// Numbers the rows of closures from 0 on, in the order in which they are met, so that equal statements are equal.
    pub(crate) fn number_binders(&mut self) {
        let mut known: SmallVec<[Binder; 8]> = SmallVec::new();
        let mut number = |binder: Binder| {
            let place = known.iter().position(|known| *known == binder).unwrap_or_else(|| {
                known.push(binder);
                known.len() - 1
            });
            Binder(place as u64)
        };
        self.query.map_binders(&mut number);
        self.terminal.map_binders(&mut number);
    }
}

impl Query {
    fn map_binders(&mut self, f: &mut dyn FnMut(Binder) -> Binder) {
        let lambdas = self.stages.iter_mut().flat_map(Stage::lambdas_mut);
        lambdas.for_each(|lambda| lambda.map_binders(f));
    }

    /// Returns the closures of the stages.
    pub(crate) fn lambdas(&self) -> impl Iterator<Item = &Lambda> {
        self.stages.iter().flat_map(Stage::lambdas)
    }

    /// Returns how many queries stand in one another, with this one.
    pub(crate) fn nesting(&self) -> usize {
        1 + self.lambdas().map(Lambda::nesting).max().unwrap_or(0)
    }

    /// Gives each constant another number.
    pub(crate) fn map_constants(&mut self, f: &mut dyn FnMut(u32) -> u32) {
        for stage in &mut self.stages {
            if let Stage::Skip(Count::Constant(index)) | Stage::Take(Count::Constant(index)) = stage {
                *index = f(*index);
            }
            stage.lambdas_mut().into_iter().for_each(|lambda| lambda.map_constants(f));
        }
    }

    /// Writes the constants for which `f` has a value into the query, where a filter compares with them.
    pub(crate) fn write_constants(&mut self, f: &dyn Fn(u32) -> Option<FieldDefault>) {
        for stage in &mut self.stages {
            let is_filter = matches!(stage, Stage::Filter(_) | Stage::FilterSome(..));
            for lambda in stage.lambdas_mut() {
                if is_filter {
                    lambda.write_compared(f);
                }
                lambda.each_query_mut(&mut |query| query.write_constants(f));
            }
        }
    }

    /// Keeps the stages for which `f` holds, in the queries inside of its closures too.
    pub(crate) fn retain_stages(&mut self, f: &dyn Fn(&Stage) -> bool) {
        self.stages.retain(f);
        self.stages
            .iter_mut()
            .flat_map(Stage::lambdas_mut)
            .for_each(|lambda| lambda.each_query_mut(&mut |query| query.retain_stages(f)));
    }

    /// Returns whether `f` holds for a stage, in the queries inside of its closures too.
    pub(crate) fn any_stage(&self, f: &mut dyn FnMut(&Stage) -> bool) -> bool {
        self.stages.iter().any(&mut *f) || self.lambdas().any(|lambda| lambda.any_stage(f))
    }
}

impl Stage {
    /// Returns its closures.
    pub(crate) fn lambdas(&self) -> SmallVec<[&Lambda; 2]> {
        match self {
            Stage::Filter(of) | Stage::FilterSome(_, of) | Stage::Select(of) | Stage::Group(of) => {
                SmallVec::from_slice(&[of])
            }
            Stage::Order { keys, .. } => keys.iter().map(|key| &key.by).collect(),
            Stage::Skip(_) | Stage::Take(_) | Stage::Unordered | Stage::ForbidScan => SmallVec::new(),
        }
    }

    fn lambdas_mut(&mut self) -> SmallVec<[&mut Lambda; 2]> {
        match self {
            Stage::Filter(of) | Stage::FilterSome(_, of) | Stage::Select(of) | Stage::Group(of) => {
                SmallVec::from_iter([of])
            }
            Stage::Order { keys, .. } => keys.iter_mut().map(|key| &mut key.by).collect(),
            Stage::Skip(_) | Stage::Take(_) | Stage::Unordered | Stage::ForbidScan => SmallVec::new(),
        }
    }
}

impl Terminal {
    /// Returns its closures.
    pub(crate) fn lambdas(&self) -> SmallVec<[&Lambda; 2]> {
        match self {
            Terminal::Fold(_, of) => SmallVec::from_slice(&[of]),
            Terminal::Update(assignments) => assignments.iter().map(Assignment::lambda).collect(),
            _ => SmallVec::new(),
        }
    }

    /// Gives each constant another number.
    pub(crate) fn map_constants(&mut self, f: &mut dyn FnMut(u32) -> u32) {
        self.lambdas_mut().into_iter().for_each(|lambda| lambda.map_constants(f));
    }

    fn map_binders(&mut self, f: &mut dyn FnMut(Binder) -> Binder) {
        self.lambdas_mut().into_iter().for_each(|lambda| lambda.map_binders(f));
    }

    /// As [`Query::retain_stages`].
    pub(crate) fn retain_stages(&mut self, f: &dyn Fn(&Stage) -> bool) {
        let lambdas = self.lambdas_mut().into_iter();
        lambdas.for_each(|lambda| lambda.each_query_mut(&mut |query| query.retain_stages(f)));
    }

    fn lambdas_mut(&mut self) -> SmallVec<[&mut Lambda; 2]> {
        match self {
            Terminal::Fold(_, of) => SmallVec::from_iter([of]),
            Terminal::Update(assignments) => assignments.iter_mut().map(Assignment::lambda_mut).collect(),
            _ => SmallVec::new(),
        }
    }
}

impl Assignment {
    /// Returns its closure.
    pub(crate) fn lambda(&self) -> &Lambda {
        let (Assignment::Set(lambda, _) | Assignment::Unset(lambda) | Assignment::Increment(lambda)) = self;
        lambda
    }

    fn lambda_mut(&mut self) -> &mut Lambda {
        let (Assignment::Set(lambda, _) | Assignment::Unset(lambda) | Assignment::Increment(lambda)) = self;
        lambda
    }
}

impl Lambda {
    /// Returns how many queries stand in one another inside of it.
    pub(crate) fn nesting(&self) -> usize {
        let inside = |node: &Expr| match node {
            Expr::Subquery(subquery) => {
                let terminal = subquery.terminal.lambdas().into_iter().map(Lambda::nesting).max();
                subquery.query.nesting().max(1 + terminal.unwrap_or(0))
            }
            Expr::InQuery { query, .. } => query.nesting(),
            _ => 0,
        };
        self.nodes.iter().map(inside).max().unwrap_or(0)
    }

    /// Returns whether a query stands inside of it.
    pub(crate) fn has_query(&self) -> bool {
        self.nodes.iter().any(|node| matches!(node, Expr::Subquery(_) | Expr::InQuery { .. }))
    }

    /// Returns how many expressions the closure has, with those of the queries inside of it.
    pub(crate) fn size(&self) -> usize {
        let inside = |node: &Expr| match node {
            Expr::Subquery(subquery) => {
                subquery.query.lambdas().chain(subquery.terminal.lambdas()).map(Lambda::size).sum()
            }
            Expr::InQuery { query, .. } => query.lambdas().map(Lambda::size).sum(),
            _ => 0,
        };
        self.nodes.len() + self.nodes.iter().map(inside).sum::<usize>()
    }

    fn map_constants(&mut self, f: &mut dyn FnMut(u32) -> u32) {
        self.nodes.iter_mut().for_each(|node| node.map_constants(f));
    }

    fn write_compared(&mut self, f: &dyn Fn(u32) -> Option<FieldDefault>) {
        let compared: Vec<ExprId> = self
            .nodes
            .iter()
            .filter_map(|node| match node {
                Expr::Compare(_, left, right) => Some([*left, *right]),
                _ => None,
            })
            .flatten()
            .collect();
        for (id, node) in (0..).zip(&mut self.nodes) {
            if let Expr::Constant { index, written, .. } = node
                && compared.contains(&id)
            {
                *written = f(*index);
            }
        }
    }

    fn map_binders(&mut self, f: &mut dyn FnMut(Binder) -> Binder) {
        self.binders.iter_mut().for_each(|binder| *binder = f(*binder));
        for node in &mut self.nodes {
            match node {
                Expr::Row(binder) => *binder = f(*binder),
                Expr::Items { item, key, .. } => {
                    *item = f(*item);
                    *key = key.map(&mut *f);
                }
                Expr::Subquery(subquery) => {
                    subquery.query.map_binders(f);
                    subquery.terminal.map_binders(f);
                }
                Expr::InQuery { query, .. } => query.map_binders(f),
                _ => {}
            }
        }
    }

    fn each_query_mut(&mut self, f: &mut dyn FnMut(&mut Query)) {
        for node in &mut self.nodes {
            match node {
                Expr::Subquery(subquery) => {
                    f(&mut subquery.query);
                    let lambdas = subquery.terminal.lambdas_mut();
                    lambdas.into_iter().for_each(|lambda| lambda.each_query_mut(f));
                }
                Expr::InQuery { query, .. } => f(query),
                _ => {}
            }
        }
    }

    /// Returns whether `f` holds for a stage of a query inside of the closure.
    pub(crate) fn any_stage(&self, f: &mut dyn FnMut(&Stage) -> bool) -> bool {
        self.nodes.iter().any(|node| match node {
            Expr::Subquery(subquery) => {
                subquery.query.any_stage(f) || subquery.terminal.lambdas().iter().any(|of| of.any_stage(f))
            }
            Expr::InQuery { query, .. } => query.any_stage(f),
            _ => false,
        })
    }
}

impl Expr {
    /// Gives each constant another number.
    pub(crate) fn map_constants(&mut self, f: &mut dyn FnMut(u32) -> u32) {
        match self {
            Expr::Constant { index, .. } => *index = f(*index),
            Expr::Subquery(subquery) => subquery.map_constants(f),
            Expr::InQuery { query, .. } => query.map_constants(f),
            _ => {}
        }
    }
}
