//! What a statement binds: values by number, each once.

use std::collections::HashMap;
use std::sync::Arc;

use crate::ir::sql::Expr;

/// A value that a call supplies.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Bind {
    /// Where it comes from.
    pub(crate) source: BindSource,
    /// In which form it is bound.
    pub(crate) form: BindForm,
}

/// Where a bound value comes from.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum BindSource {
    /// The argument of a slot.
    Slot(u16),
    /// A constant of the query.
    Constant(u32),
    /// A text that the compiler wrote.
    Text(Arc<str>),
}

/// In which form a value is bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum BindForm {
    /// As it is; a bool as 1 or 0.
    Plain,
    /// The smallest text above every text that begins with it.
    PrefixEnd,
    /// As the step of a JSON path to the key that the text is.
    Key,
    /// As a JSON list.
    List,
    /// Null where the list has one, else what no stored value is: the empty blob.
    NoneOf,
    /// As a JSON element, so that it is stored with its own type.
    Json,
    /// As a number of rows, clamped to `i64::MAX`.
    Count,
}

/// The binds of a statement, by number.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Binds {
    list: Vec<Bind>,
    places: HashMap<Bind, usize>,
}

impl Binds {
    /// Returns the expression of a bind, which is added when it is new: used twice, it binds once.
    pub(crate) fn of(&mut self, bind: Bind) -> Expr {
        let next = self.list.len();
        let place = *self.places.entry(bind.clone()).or_insert(next);
        if place == next {
            self.list.push(bind);
        }
        Expr::Bind(place)
    }

    /// Returns the bind of that number.
    pub(crate) fn get(&self, place: usize) -> Option<&Bind> {
        self.list.get(place)
    }

    /// Returns the binds in order.
    pub(crate) fn into_list(self) -> Vec<Bind> {
        self.list
    }
}
