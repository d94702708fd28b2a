//! Conditions: two-valued logic (rules 1 to 4), and which of them are evaluated at all (rule 8).

use std::cmp::Ordering;

use super::EvalError;
use super::expr::Evaluator;
use super::json::Json;
use super::number::Number;
use super::row::{Meaning, Term};
use super::text;
use crate::ir::doc::{Absence, Comparison, Expr, ExprId, Function};
use crate::ir::value::Kind;

impl<'a> Evaluator<'a> {
    /// Returns whether a condition holds.
    pub(super) fn holds(&self, term: &Term<'a>) -> Result<bool, EvalError> {
        let term = match term.resolve() {
            Meaning::Node(term) => term,
            Meaning::Item(item) => return Ok(item.value == Json::Bool(true)),
            Meaning::Document(_) | Meaning::Nothing => return Ok(false),
        };
        let at = |id: &ExprId| term.at(*id);
        match term.node() {
            Expr::And(..) => self.all(vec![term]),
            Expr::Or(..) => self.any(vec![term]),
            Expr::Not(x) => Ok(!self.holds(&at(x))?),
            Expr::Compare(comparison, a, b) => self.compare(*comparison, &at(a), &at(b)),
            Expr::IsAbsent(x, absence) => Ok(match (absence, self.stored(&at(x))?) {
                (Absence::Missing, stored) => stored.is_none(),
                (Absence::JsonNull, stored) => stored == Some(Json::Null),
            }),
            Expr::IsNone(x) => Ok(*self.value(&at(x))? == Json::Null),
            Expr::InList { item, list } => {
                let list = self.value(&at(list))?;
                let item = self.of_declared_kind(&at(item))?;
                Ok(matches!(&*list, Json::Array(values) if values.iter().any(|value| equal(&item, value))))
            }
            Expr::InOptions { item, list } => {
                let list = self.value(&at(list))?;
                let Json::Array(values) = &*list else { return Ok(false) };
                if *self.value(&at(item))? == Json::Null {
                    return Ok(values.contains(&Json::Null));
                }
                let item = self.of_declared_kind(&at(item))?;
                Ok(values.iter().any(|value| equal(&item, value)))
            }
            Expr::InQuery { item, query } => {
                let item = self.of_declared_kind(&at(item))?;
                self.is_in_query(&term, &item, query)
            }
            Expr::InItems { item, items } => {
                let item = self.of_declared_kind(&at(item))?;
                Ok(self.of_declared_kind_all(&term, items)?.iter().any(|value| equal(&item, value)))
            }
            Expr::Call { function, args } if function.is_condition() => {
                self.text_condition(*function, &term, args)
            }
            _ => Ok(matches!(*self.value(&term)?, Json::Bool(true))),
        }
    }

    /// Returns whether all conditions hold. Those that can fail are evaluated last and only while all hold.
    pub(super) fn all(&self, conditions: Vec<Term<'a>>) -> Result<bool, EvalError> {
        let parts = flat(conditions, |expr| match expr {
            Expr::And(a, b) => Some((*a, *b)),
            _ => None,
        });
        self.short_circuit(parts, false).map(|decided| !decided)
    }

    /// Returns whether one of the conditions holds. Those that can fail are evaluated last and only while none
    /// holds, so that the complement of an OR is the AND of the complements in this too.
    fn any(&self, conditions: Vec<Term<'a>>) -> Result<bool, EvalError> {
        let parts = flat(conditions, |expr| match expr {
            Expr::Or(a, b) => Some((*a, *b)),
            _ => None,
        });
        self.short_circuit(parts, true)
    }

    /// Returns whether one of the conditions is `decisive`.
    fn short_circuit(&self, conditions: Vec<Term<'a>>, decisive: bool) -> Result<bool, EvalError> {
        let (last, first): (Vec<Term<'a>>, Vec<Term<'a>>) = conditions.into_iter().partition(Term::can_fail);
        for condition in first.iter().chain(&last) {
            if self.holds(condition)? == decisive {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Returns what is stored in a field, none where it is missing.
    pub(super) fn stored(&self, field: &Term<'a>) -> Result<Option<Json>, EvalError> {
        let Meaning::Node(field) = field.resolve() else { return Ok(None) };
        Ok(match field.node() {
            Expr::Defaulted(own, _) => return self.stored(&field.at(*own)),
            Expr::Field { of, key, .. } => self.value(&field.at(*of))?.entry(key).cloned(),
            Expr::Lookup { of, key, .. } => match &*self.value(&field.at(*key))? {
                Json::Text(key) => self.value(&field.at(*of))?.entry(key).cloned(),
                _ => None,
            },
            Expr::Position { of, index, .. } => match &*self.value(&field.at(*of))? {
                Json::Array(items) => items.get(*index as usize).cloned(),
                _ => None,
            },
            _ => None,
        })
    }

    fn compare(&self, comparison: Comparison, a: &Term<'a>, b: &Term<'a>) -> Result<bool, EvalError> {
        let kind = match a.ty().kind() {
            Kind::Any => b.ty().kind(),
            kind => kind,
        };
        let (x, y) = (self.of_kind(a, kind)?, self.of_kind(b, kind)?);
        if comparison == Comparison::EqOption && b.is_given() {
            let is_none = *y == Json::Null;
            return Ok(if is_none { *self.value(a)? == Json::Null } else { equal(&x, &y) });
        }
        let both_absent = *x == Json::Null && *y == Json::Null;
        let same = equal(&x, &y) || (both_absent && a.is_nullable() && b.is_nullable());
        Ok(match comparison {
            Comparison::Eq => same,
            Comparison::EqOption => equal(&x, &y) || both_absent,
            Comparison::Ne => !same,
            Comparison::Lt => order(&x, &y).is_some_and(Ordering::is_lt),
            Comparison::Le => order(&x, &y).is_some_and(Ordering::is_le),
            Comparison::Gt => order(&x, &y).is_some_and(Ordering::is_gt),
            Comparison::Ge => order(&x, &y).is_some_and(Ordering::is_ge),
        })
    }

    fn text_condition(
        &self,
        function: Function,
        term: &Term<'a>,
        args: &[ExprId],
    ) -> Result<bool, EvalError> {
        let args = self.of_declared_kind_all(term, args)?;
        Ok(match args.as_slice() {
            [Json::Text(text), Json::Text(argument)] => text::condition(function, text, argument),
            _ => false,
        })
    }
}

/// Opens nested ANDs, or nested ORs, in written order.
fn flat<'a>(terms: Vec<Term<'a>>, open: fn(&Expr) -> Option<(ExprId, ExprId)>) -> Vec<Term<'a>> {
    let mut waiting = terms;
    waiting.reverse();
    let mut parts = Vec::new();
    while let Some(term) = waiting.pop() {
        let term = match term.resolve() {
            Meaning::Node(term) => term,
            Meaning::Item(_) => {
                parts.push(term);
                continue;
            }
            Meaning::Document(_) | Meaning::Nothing => continue,
        };
        match open(term.node()) {
            Some((a, b)) => waiting.extend([term.at(b), term.at(a)]),
            None => parts.push(term),
        }
    }
    parts
}

/// Returns whether two values are there and equal.
pub(super) fn equal(a: &Json, b: &Json) -> bool {
    order(a, b) == Some(Ordering::Equal)
}

/// Compares two values of the same kind that has an order.
pub(super) fn order(a: &Json, b: &Json) -> Option<Ordering> {
    match (a, b) {
        (Json::Bool(a), Json::Bool(b)) => Some(a.cmp(b)),
        (Json::Text(a), Json::Text(b)) => Some(a.as_bytes().cmp(b.as_bytes())),
        _ => Some(Number::of(a)?.compare(Number::of(b)?)),
    }
}
