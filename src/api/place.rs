//! Places inside of lists and maps: the item at a number, the value under a key.

use crate::api::arena::{self, Node};
use crate::api::expr::Expr;
use crate::api::list::List;
use crate::api::map::{Map, MapKey};
use crate::api::param::Param;
use crate::api::sealed::Sealed;
use crate::api::value::{Symbol, Value};
use crate::ir::doc::Expr as Tree;

/// Where something stands inside of a `T`: a `u32` in a list, a text or a `Param<String>` in a map. Sealed.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no place in a `{T}`",
    label = "a list has places by number, a map by text",
    note = "a number is a part of the query, there when it is built; a key can be a parameter, too"
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

macro_rules! keys {
    ($($key:ty)*) => { $(
        impl<T: Map> Place<T> for $key {
            type Found = T::Entry;

            fn place_node(self, of: Node) -> Node {
                self.under::<T::Entry>(of)
            }
        }
    )* };
}
// Of `Param<_>` this is the only impl: inference of unannotated closures rests on it.
keys! { &str String Param<String> }

impl<T: Value> Expr<T> {
    /// Returns the item of a list at a zero-based place, or the value of a map under a key; null where there is none, or
    /// where it is null itself. The places of a `HashSet` are those in which its items happen to be stored.
    /// What is under a key can be assigned and indexed like any other field; a key that is a parameter is looked up.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/order.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let orders = orders()?;
    /// let seconds = orders.query().select(|o| o.tags.get(1)).to_vec()?;
    /// assert_eq!(seconds, [Some("paid".to_owned()), None, None]);
    /// let urgent = orders.filter(|o| o.flags.get("urgent").eq(true));
    /// assert_eq!(urgent.select(|o| o.id).to_vec()?, [2]);
    /// let flag = orders.compile(|q, (key,)| q.filter(|o| o.flags.get(key).eq(false)).select(|o| o.id))?;
    /// assert_eq!((flag.call("urgent")?, flag.call("other")?), (vec![1], vec![]));
    /// # Ok(())
    /// # }
    /// ```
    pub fn get<P: Place<T>>(self, place: P) -> <P::Found as Value>::OptSym {
        Symbol::bind(place.place_node(self.raw()))
    }
}
