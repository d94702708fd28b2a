//! Maps with text keys: what can be asked of them by a key, and of all that they hold.
//!
//! A map is an object; where there is none, or something else stands in its place, it counts as empty (rule 20).

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use serde_json::Map as JsonMap;

use crate::api::arena::{self, Node};
use crate::api::expr::{Expr, Operand, Predicate};
use crate::api::list::Counted;
use crate::api::ops::compare;
use crate::api::param::Param;
use crate::api::sealed::Sealed;
use crate::api::value::{Symbol, Value};
use crate::compile::CompileError;
use crate::ir::doc::{Absence, Comparison, Expr as Tree, ItemFold, OnNull};

/// Maps with text keys: `HashMap<String, V>`, `BTreeMap<String, V>`, `serde_json::Map` and options of these. Sealed.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a map",
    label = "only `HashMap<String, _>`, `BTreeMap<String, _>`, `serde_json::Map` and `Option`s of these have keys"
)]
pub trait Map: Value + Sealed {
    /// The type of a value.
    type Entry: Value;
}

/// A key of a map: a text, which is a part of the path, or a parameter, which is looked up. Sealed.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a key of a map",
    label = "expected a text or a `Param<String>`"
)]
pub trait MapKey: Sealed {
    /// Returns what stands under the key.
    #[doc(hidden)]
    fn under<V: Value>(self, of: Node) -> Node;
}

impl MapKey for String {
    fn under<V: Value>(self, of: Node) -> Node {
        if let Err(error) = comparable_key(&self) {
            arena::fail(error);
        }
        let field = Tree::Field { of: of.id(), key: Cow::Owned(self), ty: V::TYPE, nullable: true };
        let field = arena::push(field);
        if !V::NULLABLE {
            arena::mark_place(field, OnNull::Remove);
        }
        field
    }
}

/// Refuses a key of a map that SQLite would take for another: it ends the comparison of keys at U+0000.
///
/// # Errors
/// `Unsupported`.
pub(crate) fn comparable_key(key: &str) -> Result<(), CompileError> {
    if !key.contains('\0') {
        return Ok(());
    }
    Err(CompileError::Unsupported {
        what: format!("asking for the key {key:?}, which holds U+0000,"),
        instead: "give the key another name".to_owned(),
    })
}

impl MapKey for &str {
    fn under<V: Value>(self, of: Node) -> Node {
        self.to_owned().under::<V>(of)
    }
}

// The only impl for `Param<_>`: inference of unannotated closures rests on it.
impl MapKey for Param<String> {
    fn under<V: Value>(self, of: Node) -> Node {
        arena::push(Tree::Lookup { of: of.id(), key: self.node().id(), ty: V::TYPE })
    }
}

impl<T: Value> Expr<T> {
    /// Holds where a map has the key, also with null under it.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/order.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let orders = orders()?;
    /// assert_eq!(orders.filter(|o| o.flags.contains_key("urgent")).count()?, 2);
    /// let with = orders.compile(|q, (key,)| q.filter(|o| o.flags.contains_key(key)).count())?;
    /// assert_eq!((with.call("urgent")?, with.call("other")?), (2, 0));
    /// # Ok(())
    /// # }
    /// ```
    pub fn contains_key(self, key: impl MapKey) -> Expr<bool>
    where
        T: Map,
    {
        let value = key.under::<T::Entry>(self.raw());
        !Expr::<bool>::push(Tree::IsAbsent(value.id(), Absence::Missing))
    }
}

/// Makes something of the keys and values of a map.
fn entries<V: Value>(map: Node, fold: impl FnOnce(Expr<String>, V::Sym) -> ItemFold) -> Node {
    let ((key, name), (item, value)) = (arena::binder(), arena::binder());
    let fold = fold(Expr::new(name), Symbol::bind(value));
    arena::push(Tree::Items {
        list: map.id(),
        key: Some(key),
        item,
        ty: V::TYPE,
        nullable: V::NULLABLE,
        fold,
    })
}

macro_rules! maps {
    ($([$($generics:tt)*] $map:ty, $value:ty;)*) => { $(
        impl<$($generics)*> Map for $map {
            type Entry = $value;
        }

        impl<$($generics)*> Counted for $map {
            type Len = u64;

            fn len_node(of: Node) -> Node {
                entries::<$value>(of, |_, _| ItemFold::Len)
            }

            fn is_empty_node(of: Node) -> Node {
                compare(Comparison::Eq, Self::len_node(of), 0_u64.operand()).raw()
            }
        }

        // A closure of two arguments needs impls of its own: the types of the arguments follow from the method.
        impl<$($generics)*> Expr<$map> {
            /// Holds where the condition does for one of the keys with its value; never for none.
            ///
            /// ```
            /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/order.rs"));
            /// # fn main() -> vellum::Result<()> {
            /// # let orders = orders()?;
            /// let urgent = orders.filter(|o| o.flags.any(|key, value| key.starts_with("urg") & value));
            /// assert_eq!(urgent.select(|o| o.id).to_vec()?, [2]);
            /// # Ok(())
            /// # }
            /// ```
            pub fn any<R: Predicate>(
                self,
                f: impl FnOnce(Expr<String>, <$value as Value>::Sym) -> R,
            ) -> Expr<bool> {
                let any = |key, value| ItemFold::Any(f(key, value).condition().raw().id());
                Expr::new(entries::<$value>(self.raw(), any))
            }

            /// Holds where the condition does for each of the keys with its value; also for none.
            ///
            /// ```
            /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/order.rs"));
            /// # fn main() -> vellum::Result<()> {
            /// # let orders = orders()?;
            /// assert_eq!(orders.filter(|o| o.flags.all(|_, value| value)).select(|o| o.id).to_vec()?, [2, 3]);
            /// # Ok(())
            /// # }
            /// ```
            pub fn all<R: Predicate>(
                self,
                f: impl FnOnce(Expr<String>, <$value as Value>::Sym) -> R,
            ) -> Expr<bool> {
                let all = |key, value| ItemFold::All(f(key, value).condition().raw().id());
                Expr::new(entries::<$value>(self.raw(), all))
            }

            /// Returns the number of keys for which, with their values, the condition holds.
            ///
            /// ```
            /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/order.rs"));
            /// # fn main() -> vellum::Result<()> {
            /// # let orders = orders()?;
            /// let counts = orders.query().select(|o| o.flags.count_where(|key, _| key.starts_with("u"))).to_vec()?;
            /// assert_eq!(counts, [1, 1, 0]);
            /// # Ok(())
            /// # }
            /// ```
            pub fn count_where<R: Predicate>(
                self,
                f: impl FnOnce(Expr<String>, <$value as Value>::Sym) -> R,
            ) -> Expr<u64> {
                let count = |key, value| ItemFold::CountWhere(f(key, value).condition().raw().id());
                Expr::new(entries::<$value>(self.raw(), count))
            }
        }
    )* };
}
maps! {
    [V: Value] HashMap<String, V>, V;
    [V: Value] Option<HashMap<String, V>>, V;
    [V: Value] BTreeMap<String, V>, V;
    [V: Value] Option<BTreeMap<String, V>>, V;
    [] JsonMap<String, serde_json::Value>, serde_json::Value;
    [] Option<JsonMap<String, serde_json::Value>>, serde_json::Value;
}
