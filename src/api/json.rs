//! `Json`: a value whose shape no type declares, asked about by its path.
//!
//! `body["a"]["b"]` reads like `serde_json`'s own, and `Index` must return a reference. What it refers to is one of
//! 2^20 values, each made once, when it is first needed, and kept for as long as the program runs: a [`Json`] is a number
//! and nothing else, and the closure that is running knows which of its expressions it is.

use std::ops::Index;
use std::sync::OnceLock;

use serde_json::{Map as JsonMap, Value as JsonValue};

use crate::api::arena::{self, Node};
use crate::api::expr::{Expr, Nullable};
use crate::api::json_operand::JsonOperand;
use crate::api::map::MapKey;
use crate::api::ops::UseComparisonMethods;
use crate::api::value::{Symbol, Value};
use crate::api::write::{Assign, Assignment};
use crate::ir::doc::{Absence, Comparison, Expr as Tree};
use crate::ir::types::Type;

/// A JSON value in a query: a field of the type `serde_json::Value`, or what stands somewhere inside of one.
///
/// A path that is not there is null, as in `serde_json`. To compare, sort or index, say as what the value is seen:
/// `as_str()`, `as_i64()`, `as_f64()` and `as_bool()` are null where it is of another kind. `Copy`, and valid only
/// inside the query closure that made it.
///
/// ```
/// use serde::{Deserialize, Serialize};
/// use serde_json::json;
/// use vellum::prelude::*;
///
/// #[derive(Document, Serialize, Deserialize)]
/// struct Page {
///     id: i64,
///     body: serde_json::Value,
/// }
///
/// # fn main() -> vellum::Result<()> {
/// let pages = Database::open_in_memory()?.collection::<Page>()?;
/// pages.insert(Page { id: 0, body: json!({ "user": { "name": "ann", "age": 31 }, "tags": ["a", "b"] }) })?;
/// pages.insert(Page { id: 0, body: json!({ "user": { "name": "bob", "age": "?" } }) })?;
///
/// assert_eq!(pages.filter(|p| p.body["user"]["name"].eq("bob")).count()?, 1);
/// assert_eq!(pages.filter(|p| p.body["user"]["age"].as_i64().gt(18)).count()?, 1);
/// assert_eq!(pages.filter(|p| p.body["tags"].as_array().any(|tag| tag.eq("b"))).count()?, 1);
/// let ages = pages.query().select(|p| p.body["user"]["age"].as_i64()).to_vec()?;
/// assert_eq!(ages, [Some(31), None]);
///
/// pages.ensure_index(|p| p.body["user"]["age"].as_i64()).create()?;
/// let oldest = pages.query().order_by_desc(|p| p.body["user"]["age"].as_i64()).select(|p| p.body).first()?;
/// assert_eq!(oldest.map(|body| body["user"]["name"].clone()), Some(json!("ann")));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Json {
    number: u32,
}

/// How many values are kept in one piece of memory.
const PIECE: u32 = 1 << 10;

/// The values that references refer to, by their numbers.
static KEPT: [OnceLock<Vec<Json>>; (arena::NUMBERS / PIECE) as usize] =
    [const { OnceLock::new() }; (arena::NUMBERS / PIECE) as usize];

impl Json {
    #[track_caller]
    fn new(node: Node) -> Json {
        Json { number: arena::number(node) }
    }

    /// Returns the node. Panics where it is of another closure; that is noticed for certain until a million other values
    /// were made, and then but for one in a million times those of the closure.
    #[track_caller]
    fn raw(self) -> Node {
        arena::recall(self.number)
    }

    /// Returns the same value from where it is kept.
    fn kept(self) -> &'static Json {
        let piece = KEPT.get((self.number / PIECE) as usize).map(|piece| {
            let first = self.number - self.number % PIECE;
            piece.get_or_init(|| (first..first + PIECE).map(|number| Json { number }).collect())
        });
        let kept = piece.and_then(|piece| piece.get((self.number % PIECE) as usize));
        kept.unwrap_or_else(|| Box::leak(Box::new(self)))
    }

    /// Returns the value of an object under a key; null where there is none. `body["key"]` is the same.
    /// A key that is a parameter is looked up.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/message.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let messages = messages()?;
    /// let names = messages.query().select(|m| m.body.get("from").get("name").as_str()).to_vec()?;
    /// assert_eq!(names, [Some("ann".to_owned()), None]);
    /// let with = messages.compile(|q, (key,)| q.filter(|m| m.body.get(key).is_some()).count())?;
    /// assert_eq!((with.call("hits")?, with.call("other")?), (1, 0));
    /// # Ok(())
    /// # }
    /// ```
    pub fn get(self, key: impl MapKey) -> Json {
        Json::new(key.under::<JsonValue>(self.raw()))
    }

    /// Returns the item of an array at a zero-based place; null where there is none. `body[0]` is the same.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/message.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let messages = messages()?;
    /// assert_eq!(messages.filter(|m| m.body["tags"].at(1).eq("b")).count()?, 1);
    /// # Ok(())
    /// # }
    /// ```
    pub fn at(self, index: u32) -> Json {
        Json::new(arena::push(Tree::Position { of: self.raw().id(), index, ty: Type::Any }))
    }

    fn seen<T: Value>(self) -> Expr<Option<T>> {
        Expr::push(Tree::OfKind { of: self.raw().id(), ty: T::TYPE })
    }

    /// Returns the text; null where the value is none.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/message.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let messages = messages()?;
    /// assert_eq!(messages.filter(|m| m.body.as_str().starts_with("al")).count()?, 1);
    /// assert_eq!(messages.filter(|m| m.body["from"]["name"].as_str().gt("a")).count()?, 1);
    /// # Ok(())
    /// # }
    /// ```
    pub fn as_str(self) -> Expr<Option<String>> {
        self.seen()
    }

    /// Returns the number; null where the value is none. Integers and floats are one kind: comparisons and orders see
    /// both. To load one that is no `i64` is an error; `as_f64()` takes all, and `as_f64().as_i64()` cuts toward zero.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/message.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let messages = messages()?;
    /// assert_eq!(messages.query().select(|m| m.body["hits"].as_i64()).to_vec()?, [Some(2), None]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn as_i64(self) -> Expr<Option<i64>> {
        self.seen()
    }

    /// Returns the number; null where the value is none.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/message.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let messages = messages()?;
    /// assert_eq!(messages.filter(|m| m.body["hits"].as_f64().lt(2.5)).count()?, 1);
    /// # Ok(())
    /// # }
    /// ```
    pub fn as_f64(self) -> Expr<Option<f64>> {
        self.seen()
    }

    /// Returns the bool; null where the value is none.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/message.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let messages = messages()?;
    /// assert_eq!(messages.filter(|m| m.body["read"].as_bool()).count()?, 1);
    /// # Ok(())
    /// # }
    /// ```
    pub fn as_bool(self) -> Expr<Option<bool>> {
        self.seen()
    }

    /// Returns the array, for questions about its items; null where the value is none.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/message.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let messages = messages()?;
    /// assert_eq!(messages.filter(|m| m.body["tags"].as_array().any(|tag| tag.eq("b"))).count()?, 1);
    /// assert_eq!(messages.query().select(|m| m.body["tags"].as_array().len()).to_vec()?, [2, 0]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn as_array(self) -> Expr<Option<Vec<JsonValue>>> {
        self.seen()
    }

    /// Returns the object, for questions about its keys; null where the value is none.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/message.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let messages = messages()?;
    /// let named = messages.filter(|m| m.body["from"].as_object().any(|key, value| key.eq("name") & value.eq("ann")));
    /// assert_eq!(named.count()?, 1);
    /// # Ok(())
    /// # }
    /// ```
    pub fn as_object(self) -> Expr<Option<JsonMap<String, JsonValue>>> {
        self.seen()
    }

    /// Holds where the value is of the operand's kind and equal to it: a number by its value, be it stored as an integer
    /// or as a float. Served by an index on `as_str()`, `as_i64()` or `as_bool()`, whichever is of that kind.
    ///
    /// Whole arrays and objects have no equality, and null has `is_none()`: both are refused. The type of a parameter
    /// must be known: `as_str().eq(p)` says it, and so does `|q, (p,): (Param<String>,)|`.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/message.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let messages = messages()?;
    /// assert_eq!(messages.filter(|m| m.body["hits"].eq(2)).count()?, 1);
    /// assert_eq!(messages.filter(|m| m.body.eq("alive")).count()?, 1);
    /// # Ok(())
    /// # }
    /// ```
    pub fn eq(self, right: impl JsonOperand) -> Expr<bool> {
        self.compare(Comparison::Eq, right)
    }

    /// Holds exactly where `eq` does not.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/message.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let messages = messages()?;
    /// assert_eq!(messages.filter(|m| m.body["hits"].ne(2)).count()?, 1); // the one without hits
    /// # Ok(())
    /// # }
    /// ```
    pub fn ne(self, right: impl JsonOperand) -> Expr<bool> {
        self.compare(Comparison::Ne, right)
    }

    fn compare(self, comparison: Comparison, right: impl JsonOperand) -> Expr<bool> {
        let (right, ty) = right.json_operand(self.raw());
        let left = arena::push(Tree::OfKind { of: self.raw().id(), ty });
        Expr::push(Tree::Compare(comparison, left.id(), right.id()))
    }

    /// Holds where the value is null or missing.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/message.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let messages = messages()?;
    /// assert_eq!(messages.filter(|m| m.body["seen"].is_none()).count()?, 2);
    /// # Ok(())
    /// # }
    /// ```
    pub fn is_none(self) -> Expr<bool> {
        Expr::push(Tree::IsNone(self.raw().id()))
    }

    /// Holds where the value is there and not null.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/message.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let messages = messages()?;
    /// assert_eq!(messages.filter(|m| m.body["from"]["name"].is_some()).count()?, 1);
    /// # Ok(())
    /// # }
    /// ```
    pub fn is_some(self) -> Expr<bool> {
        !self.is_none()
    }

    /// Holds where nothing is stored there. `is_none` does not tell it from null.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/message.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let messages = messages()?;
    /// assert_eq!(messages.filter(|m| m.body["seen"].is_missing()).select(|m| m.id).to_vec()?, [2]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn is_missing(self) -> Expr<bool> {
        Expr::push(Tree::IsAbsent(self.raw().id(), Absence::Missing))
    }

    /// Holds where a null is stored.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/message.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let messages = messages()?;
    /// assert_eq!(messages.filter(|m| m.body["seen"].is_json_null()).select(|m| m.id).to_vec()?, [1]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn is_json_null(self) -> Expr<bool> {
        Expr::push(Tree::IsAbsent(self.raw().id(), Absence::JsonNull))
    }

    /// Stores the value there, whatever was there: JSON, a scalar, another field. Objects around it that are missing
    /// are made; below anything else nothing can be set.
    ///
    /// ```
    /// # use serde::{Deserialize, Serialize};
    /// # use serde_json::json;
    /// # use vellum::prelude::*;
    /// # #[derive(Document, Serialize, Deserialize)]
    /// # struct Page { id: i64, body: serde_json::Value }
    /// # fn main() -> vellum::Result<()> {
    /// # let pages = Database::open_in_memory()?.collection::<Page>()?;
    /// let id = pages.insert(Page { id: 0, body: json!({ "hits": 1 }) })?;
    /// pages.query().update(|p| (p.body["hits"].as_i64().increment(1), p.body["seen"]["by"].set("ann")))?;
    /// let page = pages.get(id)?.expect("it is there");
    /// assert_eq!(page.body, json!({ "hits": 2, "seen": { "by": "ann" } }));
    /// # Ok(())
    /// # }
    /// ```
    pub fn set(self, value: impl Assign<JsonValue>) -> Assignment {
        Assignment::set(self.raw(), value.assign(), Type::Any)
    }

    /// Removes what is stored there.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/message.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let messages = messages()?;
    /// messages.update_many(|m| m.id.eq(1), |m| m.body["hits"].unset())?;
    /// assert_eq!(messages.filter(|m| m.body["hits"].is_missing()).count()?, 2);
    /// # Ok(())
    /// # }
    /// ```
    pub fn unset(self) -> Assignment {
        Assignment::unset(self.raw())
    }
}

impl Symbol for Json {
    type Out = JsonValue;

    fn bind(node: Node) -> Self {
        Json::new(arena::declare(node, Type::Any, true))
    }

    fn node(self) -> Node {
        self.raw()
    }
}

impl Value for JsonValue {
    type Core = JsonValue;
    type Sym = Json;
    type OptSym = Nullable<Json>;
    const TYPE: Type = Type::Any;
    const NULLABLE: bool = true;
}

impl Index<&str> for Json {
    type Output = Json;

    #[track_caller]
    fn index(&self, key: &str) -> &Json {
        self.get(key).kept()
    }
}

impl Index<usize> for Json {
    type Output = Json;

    #[track_caller]
    fn index(&self, index: usize) -> &Json {
        // No array has so many items.
        self.at(u32::try_from(index).unwrap_or(u32::MAX)).kept()
    }
}

// As for `Expr`: they exist to say what to write in the place of `==`.
impl<R: UseComparisonMethods> PartialEq<R> for Json {
    fn eq(&self, _: &R) -> bool {
        false
    }
}

impl<R: UseComparisonMethods> PartialOrd<R> for Json {
    fn partial_cmp(&self, _: &R) -> Option<std::cmp::Ordering> {
        None
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::api::arena::Frame;

    #[test]
    fn what_an_index_refers_to_is_kept_once() {
        let mut places: HashSet<*const Json> = HashSet::new();
        for _ in 0..=arena::NUMBERS {
            let frame = Frame::one();
            places.insert(&Json::bind(frame.row())["a"]);
        }
        assert!(places.len() <= arena::NUMBERS as usize, "{} places", places.len());
        let frame = Frame::one();
        let [a, b] = ["a", "b"].map(|key| Json::bind(frame.row())[key]);
        assert_ne!(a.number, b.number);
        assert_eq!(arena::describe(a.raw()), "`a`");
        assert_eq!(arena::describe(b.raw()), "`b`");
    }

    #[test]
    fn a_value_of_an_earlier_closure_is_refused_in_each_that_follows() {
        let kept = {
            let frame = Frame::one();
            Json::bind(frame.row())["a"]
        };
        for _ in 0..1_000 {
            let frame = Frame::one();
            let own = Json::bind(frame.row())["a"];
            assert!(std::panic::catch_unwind(|| kept.is_none()).is_err(), "{kept:?} beside {own:?}");
        }
    }

    #[test]
    #[should_panic(expected = "kept beyond the closure")]
    fn a_value_of_another_closure_is_refused() {
        let kept = {
            let frame = Frame::one();
            Json::bind(frame.row())["a"]
        };
        let _frame = Frame::one();
        let _ = kept.is_none();
    }
}
