//! The value of an expression.

use std::borrow::Cow;

use super::json::Json;
use super::row::{Meaning, Term};
use super::{Collection, Column, EvalError, aggregate, number, text};
use crate::ir::doc::{Expr, ExprId};
use crate::ir::types::Type;
use crate::ir::value::{FieldDefault, Kind, Value};

/// Evaluates expressions, given the values that stand beside the tree.
#[derive(Clone, Copy, Debug)]
pub(super) struct Evaluator<'a> {
    pub(super) collections: &'a [Collection],
    pub(super) params: &'a [Value],
    pub(super) constants: &'a [Value],
}

impl<'a> Evaluator<'a> {
    /// Returns the value as it is stored or computed, whatever its kind; null for a missing one.
    pub(super) fn value(&self, term: &Term<'a>) -> Result<Cow<'a, Json>, EvalError> {
        let term = match term.resolve() {
            Meaning::Document(document) => {
                return Ok(Cow::Borrowed(document.map_or(&Json::Null, |d| &d.body)));
            }
            Meaning::Nothing => return Ok(Cow::Borrowed(&Json::Null)),
            Meaning::Item(item) => return Ok(declared(Cow::Owned(item.value.clone()), item.ty)),
            Meaning::Node(term) => term,
        };
        Ok(Cow::Owned(match term.node() {
            Expr::Field { of, key, ty, .. } => {
                let value = match self.value(&term.at(*of))? {
                    Cow::Borrowed(parent) => Cow::Borrowed(parent.get(key)),
                    Cow::Owned(parent) => Cow::Owned(parent.get(key).clone()),
                };
                return Ok(declared(value, *ty));
            }
            Expr::Flattened(of) => return self.value(&term.at(*of)),
            Expr::Defaulted(field, default) => return self.defaulted(&term.at(*field), default),
            Expr::Position { of, index, ty } => match &*self.value(&term.at(*of))? {
                Json::Array(items) => {
                    let item = items.get(*index as usize).cloned().unwrap_or(Json::Null);
                    return Ok(declared(Cow::Owned(item), *ty));
                }
                _ => Json::Null,
            },
            Expr::Lookup { of, key, ty } => match &*self.value(&term.at(*key))? {
                Json::Text(key) => {
                    let value = self.value(&term.at(*of))?.get(key).clone();
                    return Ok(declared(Cow::Owned(value), *ty));
                }
                _ => Json::Null,
            },
            Expr::OfKind { of, ty } => return self.of_kind(&term.at(*of), ty.kind()),
            Expr::Items { .. } => self.items(&term)?,
            Expr::Key { of, .. } => match term.at(*of).resolve() {
                Meaning::Document(Some(document)) => Json::Int(document.id),
                _ => Json::Null,
            },
            Expr::Param { slot, .. } => self.params.get(usize::from(*slot)).map_or(Json::Null, Json::of),
            Expr::Constant { index, .. } => self.constant(*index).map_or(Json::Null, Json::of),
            Expr::Arithmetic { operation, args, ty, .. } => {
                number::arithmetic(*operation, &self.of_declared_kind_all(&term, args)?, *ty)?
            }
            Expr::Call { function, args } if !function.is_condition() => {
                text::function(*function, &self.of_declared_kind_all(&term, args)?)
            }
            Expr::Coalesce { value, default, ty, .. } => {
                let value = self.of_kind(&term.at(*value), ty.kind())?;
                let present =
                    if *value == Json::Null { self.of_kind(&term.at(*default), ty.kind())? } else { value };
                present.into_owned()
            }
            Expr::When { condition, then, otherwise, ty, .. } => {
                let chosen = if self.holds(&term.at(*condition))? { *then } else { *otherwise };
                self.of_kind(&term.at(chosen), ty.kind())?.into_owned()
            }
            Expr::Subquery(subquery) => self.subquery(&term, subquery)?,
            Expr::Fold { fold, of, .. } => match of {
                Some(of) => aggregate::fold(*fold, self, &term.of_member(*of, None), &term.of_members(*of))?,
                None => aggregate::count(term.members().len()),
            },
            Expr::Row(_) | Expr::Item { .. } | Expr::Tuple(_) | Expr::Struct(_) => Json::Null,
            Expr::Compare(..)
            | Expr::And(..)
            | Expr::Or(..)
            | Expr::Not(_)
            | Expr::IsNone(_)
            | Expr::IsAbsent(..)
            | Expr::InList { .. }
            | Expr::InOptions { .. }
            | Expr::InQuery { .. }
            | Expr::InItems { .. }
            | Expr::Call { .. } => Json::Bool(self.holds(&term)?),
        }))
    }

    /// Returns the value where it is of the kind, else null (rule 4).
    pub(super) fn of_kind(&self, term: &Term<'a>, kind: Kind) -> Result<Cow<'a, Json>, EvalError> {
        let value = self.value(term)?;
        Ok(if value.fits(kind) { value } else { Cow::Borrowed(&Json::Null) })
    }

    /// Returns the value where it is of the kind that the expression is declared with, else null.
    pub(super) fn of_declared_kind(&self, term: &Term<'a>) -> Result<Cow<'a, Json>, EvalError> {
        self.of_kind(term, term.ty().kind())
    }

    /// Returns the values of operands, each of its declared kind or null.
    pub(super) fn of_declared_kind_all(
        &self,
        term: &Term<'a>,
        ids: &[ExprId],
    ) -> Result<Vec<Json>, EvalError> {
        ids.iter().map(|id| self.of_declared_kind(&term.at(*id)).map(Cow::into_owned)).collect()
    }

    /// Returns a field, or its default where it is missing from what is around it (rule 19).
    fn defaulted(&self, field: &Term<'a>, default: &FieldDefault) -> Result<Cow<'a, Json>, EvalError> {
        let is_around = match field.node() {
            Expr::Field { of, .. } => {
                let around = field.at(*of);
                let is_document = matches!(around.resolve(), Meaning::Document(_));
                is_document || matches!(*self.value(&around)?, Json::Object(_))
            }
            _ => false,
        };
        if !is_around || self.stored(field)?.is_some() {
            return self.value(field);
        }
        Ok(Cow::Owned(match default {
            FieldDefault::Bool(x) => Json::Bool(*x),
            FieldDefault::Int(x) => Json::Int(*x),
            FieldDefault::Real(bits) => Json::Real(f64::from_bits(*bits)),
            FieldDefault::Text(x) => Json::Text(x.to_string()),
            FieldDefault::Empty(Kind::Object) => Json::Object(Vec::new()),
            FieldDefault::Empty(_) => Json::Array(Vec::new()),
            FieldDefault::Unseen => Json::Null,
        }))
    }

    /// Returns the columns of a row.
    pub(super) fn columns(&self, row: Meaning<'a>) -> Result<Vec<Column>, EvalError> {
        let mut columns = Vec::new();
        for column in row.columns() {
            match column {
                Meaning::Document(Some(document)) => {
                    columns.push(Column::Value(Json::Int(document.id)));
                    columns.push(Column::Value(document.body.clone()));
                }
                Meaning::Node(term) => {
                    let value = self.value(&term)?;
                    let kind = term.ty().kind();
                    let known = value.fits(kind);
                    columns.push(if known {
                        Column::Value(value.into_owned())
                    } else {
                        Column::Foreign(kind)
                    });
                }
                Meaning::Document(None) | Meaning::Item(_) | Meaning::Nothing => {}
            }
        }
        Ok(columns)
    }

    /// Returns a constant of the query.
    pub(super) fn constant(&self, index: u32) -> Option<&'a Value> {
        usize::try_from(index).ok().and_then(|index| self.constants.get(index))
    }
}

/// Returns what is stored as its declared type sees it: a uuid in the spelling that serde writes (rule 15).
fn declared(value: Cow<'_, Json>, ty: Type) -> Cow<'_, Json> {
    match &*value {
        Json::Text(text) if ty == Type::Uuid => Cow::Owned(Json::Text(text::uuid(text))),
        _ => value,
    }
}
