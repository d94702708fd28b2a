//! Places inside of lists and maps: the item at a number, the value under a key.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use crate::api::arena::{self, Node};
use crate::api::expr::Expr;
use crate::api::list::List;
use crate::api::sealed::Sealed;
use crate::api::value::{Symbol, Value};
use crate::ir::doc::{Absence, Expr as Tree};
use crate::ir::types::Type;

/// Maps with text keys: `HashMap<String, V>`, `BTreeMap<String, V>`, `serde_json::Map` and options of these. Sealed.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a map",
    label = "only `HashMap<String, _>`, `BTreeMap<String, _>`, `serde_json::Map` and `Option`s of these have keys"
)]
pub trait Map: Value + Sealed {
    /// The type of a value.
    type Entry: Value;
}

impl<V: Value> Map for HashMap<String, V> {
    type Entry = V;
}

impl<V: Value> Map for BTreeMap<String, V> {
    type Entry = V;
}

impl Map for serde_json::Map<String, serde_json::Value> {
    type Entry = serde_json::Value;
}

impl Map for Option<serde_json::Map<String, serde_json::Value>> {
    type Entry = serde_json::Value;
}

impl<V: Value> Map for Option<HashMap<String, V>> {
    type Entry = V;
}

impl<V: Value> Map for Option<BTreeMap<String, V>> {
    type Entry = V;
}

/// Where something stands inside of a `T`: a `u32` in a list, a text in a map. Sealed.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no place in a `{T}`",
    label = "a list has places by number, a map by text",
    note = "the place is a part of the query: it is a value that is there when the query is built, not a parameter"
)]
pub trait Place<T>: Sealed {
    /// The type of what stands there.
    type Found: Value;
    #[doc(hidden)]
    fn place_node(self, of: Node) -> Node;
}

impl<T: List> Place<T> for u32 {
    type Found = T::Item;

    fn place_node(self, of: Node) -> Node {
        arena::push(Tree::Position { of: of.id(), index: self, ty: T::Item::TYPE })
    }
}

impl<T: Map> Place<T> for &str {
    type Found = T::Entry;

    fn place_node(self, of: Node) -> Node {
        under(of, Cow::Owned(self.to_owned()), T::Entry::TYPE)
    }
}

impl<T: Map> Place<T> for String {
    type Found = T::Entry;

    fn place_node(self, of: Node) -> Node {
        under(of, Cow::Owned(self), T::Entry::TYPE)
    }
}

/// Returns what stands under a key.
pub(crate) fn under(of: Node, key: Cow<'static, str>, ty: Type) -> Node {
    arena::push(Tree::Field { of: of.id(), key, ty, nullable: true })
}

impl<T: Value> Expr<T> {
    /// Returns the item of a list at a zero-based place, or the value of a map under a key; null where there is none, or
    /// where it is null itself. The places of a `HashSet` are those in which its items happen to be stored.
    /// What is under a key can be assigned and indexed like any other field.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/order.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let orders = orders()?;
    /// let seconds = orders.query().select(|o| o.tags.get(1)).to_vec()?;
    /// assert_eq!(seconds, [Some("paid".to_owned()), None, None]);
    /// let urgent = orders.filter(|o| o.flags.get("urgent").eq(true));
    /// assert_eq!(urgent.select(|o| o.id).to_vec()?, [2]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn get<P: Place<T>>(self, place: P) -> <P::Found as Value>::OptSym {
        Symbol::bind(place.place_node(self.raw()))
    }

    /// Holds where a map has the key, also with null under it.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/order.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let orders = orders()?;
    /// assert_eq!(orders.filter(|o| o.flags.contains_key("urgent")).count()?, 2);
    /// # Ok(())
    /// # }
    /// ```
    pub fn contains_key(self, key: &str) -> Expr<bool>
    where
        T: Map,
    {
        let value = under(self.raw(), Cow::Owned(key.to_owned()), T::Entry::TYPE);
        !Expr::<bool>::push(Tree::IsAbsent(value.id(), Absence::Missing))
    }
}
