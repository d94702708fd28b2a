//! What the query itself says of an expression: its type, whether it may be null, whether it can fail.

use std::rc::Rc;

use super::row::{Behind, Meaning, Term};
use crate::ir::doc::{Arithmetic, Expr, Fold, ItemFold, Lambda, Query, Stage, Terminal};
use crate::ir::types::Type;

impl<'a> Term<'a> {
    /// Returns the declared type.
    pub(super) fn ty(&self) -> Type {
        let term = match self.resolve() {
            Meaning::Document(_) => return Type::Object,
            Meaning::Nothing => return Type::Any,
            Meaning::Item(item) => return item.ty,
            Meaning::Node(term) => term,
        };
        match term.node() {
            Expr::Key { ty, .. }
            | Expr::Field { ty, .. }
            | Expr::Param { ty, .. }
            | Expr::Constant { ty, .. }
            | Expr::Arithmetic { ty, .. }
            | Expr::Coalesce { ty, .. }
            | Expr::When { ty, .. }
            | Expr::Position { ty, .. }
            | Expr::OfKind { ty, .. }
            | Expr::Lookup { ty, .. }
            | Expr::Fold { ty, .. } => *ty,
            Expr::Flattened(_) => Type::Object,
            Expr::Defaulted(field, _) => term.at(*field).ty(),
            Expr::Items { fold, .. } => fold.ty(),
            Expr::Subquery(subquery) => subquery.ty,
            Expr::Call { function, .. } => function.result(),
            Expr::Compare(..)
            | Expr::And(..)
            | Expr::Or(..)
            | Expr::Not(_)
            | Expr::IsNone(_)
            | Expr::IsAbsent(..)
            | Expr::InList { .. }
            | Expr::InOptions { .. }
            | Expr::InQuery { .. }
            | Expr::InItems { .. } => Type::Bool,
            Expr::Row(_) | Expr::Item { .. } | Expr::Tuple(_) | Expr::Struct(_) => Type::Any,
        }
    }

    /// Returns whether this is an `Option`, which equals another that is absent too (rule 2).
    pub(super) fn is_nullable(&self) -> bool {
        let term = match self.resolve() {
            Meaning::Node(term) => term,
            Meaning::Item(item) => return item.nullable,
            Meaning::Document(_) | Meaning::Nothing => return false,
        };
        match term.node() {
            Expr::Position { .. } | Expr::OfKind { .. } | Expr::Lookup { .. } => true,
            Expr::Defaulted(field, _) => term.at(*field).is_nullable(),
            Expr::Field { nullable, .. }
            | Expr::Arithmetic { nullable, .. }
            | Expr::Coalesce { nullable, .. }
            | Expr::When { nullable, .. } => *nullable,
            Expr::Subquery(subquery) => subquery.nullable,
            Expr::Fold { fold, .. } => matches!(fold, Fold::Avg | Fold::Min | Fold::Max),
            Expr::Call { function, args } => {
                !function.is_condition() && args.iter().any(|arg| term.at(*arg).is_nullable())
            }
            _ => false,
        }
    }

    /// Returns whether this is a literal or an argument.
    pub(super) fn is_given(&self) -> bool {
        matches!(self.resolve(), Meaning::Node(term)
            if matches!(term.node(), Expr::Param { .. } | Expr::Constant { .. }))
    }

    /// Returns whether evaluating this can end in an error (rule 8). Only arithmetic and sums can fail, and of
    /// arithmetic a cast to an `f64`, and the sign of one, cannot.
    pub(super) fn can_fail(&self) -> bool {
        let Meaning::Node(term) = self.resolve() else { return false };
        term.fails_itself() || term.node().operands().into_iter().any(|operand| term.at(operand).can_fail())
    }

    /// Returns whether the expression can fail by itself, or by a query inside of it.
    fn fails_itself(&self) -> bool {
        match self.node() {
            Expr::Arithmetic {
                operation: Arithmetic::Cast | Arithmetic::Neg | Arithmetic::Abs, ty, ..
            } => *ty != Type::F64,
            Expr::Arithmetic { .. }
            | Expr::Fold { fold: Fold::Sum | Fold::Avg, .. }
            | Expr::Items { fold: ItemFold::Sum(..), .. } => true,
            Expr::Subquery(subquery) => {
                matches!(subquery.terminal, Terminal::Fold(Fold::Sum, _))
                    || self.query_can_fail(&subquery.query, &subquery.terminal.lambdas())
            }
            Expr::InQuery { query, .. } => self.query_can_fail(query, &[]),
            _ => false,
        }
    }

    /// Returns whether a closure of a query inside of this expression can fail, by what it names of the rows around it
    /// too.
    fn query_can_fail(&self, query: &'a Query, last: &[&'a Lambda]) -> bool {
        let around = Some(Rc::new(self.clone()));
        let fails = |lambda: &'a Lambda, stages: &'a [Stage]| {
            Term::root(lambda, &Behind { stages, around: around.clone() }, None).can_fail()
        };
        let mut stages = query.stages.iter().enumerate();
        let before = |place| query.stages.get(..place).unwrap_or_default();
        stages.any(|(place, stage)| stage.lambdas().into_iter().any(|lambda| fails(lambda, before(place))))
            || last.iter().any(|lambda| fails(lambda, &query.stages))
    }
}
