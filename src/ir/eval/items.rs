//! What is made of an array's items, in their order; what is no array has none (rule 20).

use std::rc::Rc;

use super::EvalError;
use super::aggregate;
use super::expr::Evaluator;
use super::json::Json;
use super::row::{Item, Term};
use crate::ir::doc::{Expr, Fold, ItemFold};

impl<'a> Evaluator<'a> {
    /// Returns what an expression makes of the items of its array.
    pub(super) fn items(&self, term: &Term<'a>) -> Result<Json, EvalError> {
        let Expr::Items { list, item, ty, nullable, fold } = term.node() else { return Ok(Json::Null) };
        let list = match self.value(&term.at(*list))?.into_owned() {
            Json::Array(items) => items,
            _ => Vec::new(),
        };
        let of = |id, value: Json| {
            term.of_item(id, Rc::new(Item { binder: *item, value, ty: *ty, nullable: *nullable }))
        };
        Ok(match fold {
            ItemFold::Len => Json::Int(list.len() as i64),
            ItemFold::Any(id) => Json::Bool(self.is_one(list.into_iter().map(|value| of(*id, value)), true)?),
            ItemFold::All(id) => {
                Json::Bool(!self.is_one(list.into_iter().map(|value| of(*id, value)), false)?)
            }
            ItemFold::CountWhere(id) => {
                let mut count = 0;
                for value in list {
                    count += i64::from(self.holds(&of(*id, value))?);
                }
                Json::Int(count)
            }
            ItemFold::Sum(id, _) => {
                let terms: Vec<Term<'a>> = list.into_iter().map(|value| of(*id, value)).collect();
                // Without an item there is still a type.
                aggregate::fold(Fold::Sum, self, &of(*id, Json::Null), &terms)?
            }
        })
    }

    /// Returns whether a condition is `wanted` for one of its items: those behind it are not asked.
    fn is_one(&self, terms: impl Iterator<Item = Term<'a>>, wanted: bool) -> Result<bool, EvalError> {
        for term in terms {
            if self.holds(&term)? == wanted {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
