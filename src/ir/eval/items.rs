//! What is made of an array's items or of an object's keys and values, in their order; what is neither has none (rule
//! 20).

use std::rc::Rc;

use super::EvalError;
use super::aggregate;
use super::expr::Evaluator;
use super::json::Json;
use super::row::{Item, Term};
use crate::ir::doc::{Expr, Fold, ItemFold};
use crate::ir::types::Type;

impl<'a> Evaluator<'a> {
    /// Returns what an expression makes of the items of its array, or of its object.
    pub(super) fn items(&self, term: &Term<'a>) -> Result<Json, EvalError> {
        let Expr::Items { list, key, item, ty, nullable, fold } = term.node() else { return Ok(Json::Null) };
        let list: Vec<(Json, Json)> = match (self.value(&term.at(*list))?.into_owned(), key) {
            (Json::Array(items), None) => items.into_iter().map(|item| (Json::Null, item)).collect(),
            (Json::Object(entries), Some(_)) => {
                entries.into_iter().map(|(key, value)| (Json::Text(key), value)).collect()
            }
            _ => Vec::new(),
        };
        let of = |id, (name, value): (Json, Json)| {
            let item = Item { binder: *item, value, ty: *ty, nullable: *nullable };
            let term = term.of_item(id, Rc::new(item));
            match key {
                Some(key) => {
                    let key = Item { binder: *key, value: name, ty: Type::Text, nullable: false };
                    term.of_item(id, Rc::new(key))
                }
                None => term,
            }
        };
        Ok(match fold {
            ItemFold::Len => Json::Int(list.len() as i64),
            ItemFold::Any(id) => Json::Bool(self.is_one(list.into_iter().map(|item| of(*id, item)), true)?),
            ItemFold::All(id) => Json::Bool(!self.is_one(list.into_iter().map(|item| of(*id, item)), false)?),
            ItemFold::CountWhere(id) => {
                let mut count = 0;
                for item in list {
                    count += i64::from(self.holds(&of(*id, item))?);
                }
                Json::Int(count)
            }
            ItemFold::Sum(id, _) => {
                let terms: Vec<Term<'a>> = list.into_iter().map(|item| of(*id, item)).collect();
                // Without an item there is still a type.
                aggregate::fold(Fold::Sum, self, &of(*id, (Json::Null, Json::Null)), &terms)?
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
