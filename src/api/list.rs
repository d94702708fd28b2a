//! Lists in documents: what can be asked of their items.
//!
//! A list is an array; where there is none, or something else stands in its place, it counts as empty (rule 20). An
//! item is given to a closure as a row is, and what is asked of items never multiplies rows.

use std::collections::HashSet;

use crate::api::arena::{self, Node};
use crate::api::expr::{Expr, Operand, Predicate, beside};
use crate::api::ops::{Num, Text, call, compare};
use crate::api::sealed::Sealed;
use crate::api::value::{Scalar, Symbol, Value};
use crate::compile::OperandError;
use crate::ir::doc::{Comparison, Expr as Tree, Function, ItemFold};

/// Lists of items: `Vec<T>`, `HashSet<T>` and options of these. Sealed.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a list",
    label = "only `Vec`, `HashSet` and `Option`s of these have items"
)]
pub trait List: Value + Sealed {
    /// The type of an item.
    type Item: Value;
}

/// What has a length: texts, lists and maps. Sealed.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no text, list or map",
    label = "only texts, lists and maps have a length"
)]
pub trait Counted: Value + Sealed {
    /// The type of its length: optional for an optional text.
    type Len: Value<Core = u64>;
    #[doc(hidden)]
    fn len_node(of: Node) -> Node;
    #[doc(hidden)]
    fn is_empty_node(of: Node) -> Node;
}

/// What can contain something: texts and lists. Sealed.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is neither a text nor a list",
    label = "only texts and lists can contain something"
)]
pub trait Contents: Value + Sealed {
    /// What it can contain: text for a text, an item for a list.
    type Part;
    #[doc(hidden)]
    fn contains_node(of: Node, part: Result<Node, OperandError>) -> Node;
}

macro_rules! texts {
    ($($text:ty)*) => { $(
        impl Contents for $text {
            type Part = String;

            fn contains_node(of: Node, part: Result<Node, OperandError>) -> Node {
                call(Function::Contains, of, [part])
            }
        }

        impl Counted for $text {
            type Len = <$text as Text>::Len;

            fn len_node(of: Node) -> Node {
                call(Function::Len, of, [])
            }

            fn is_empty_node(of: Node) -> Node {
                compare(Comparison::Eq, of, "".operand()).raw()
            }
        }
    )* };
}
texts! { String Option<String> }

macro_rules! lists {
    ($([$($bounds:tt)*] $list:ty;)*) => { $(
        impl<T: Value $($bounds)*> List for $list {
            type Item = T;
        }

        impl<T: Value $($bounds)*> Contents for $list {
            type Part = T::Core;

            fn contains_node(of: Node, part: Result<Node, OperandError>) -> Node {
                let part = beside(of, part).id();
                items::<T>(of, |item| ItemFold::Any(arena::push(Tree::Compare(Comparison::Eq, item.id(), part)).id()))
            }
        }

        impl<T: Value $($bounds)*> Counted for $list {
            type Len = u64;

            fn len_node(of: Node) -> Node {
                items::<T>(of, |_| ItemFold::Len)
            }

            fn is_empty_node(of: Node) -> Node {
                compare(Comparison::Eq, Self::len_node(of), 0_u64.operand()).raw()
            }
        }
    )* };
}
lists! {
    [] Vec<T>;
    [] Option<Vec<T>>;
    [+ Eq + std::hash::Hash] HashSet<T>;
    [+ Eq + std::hash::Hash] Option<HashSet<T>>;
}

/// Makes something of the items of a list.
fn items<T: Value>(list: Node, fold: impl FnOnce(Node) -> ItemFold) -> Node {
    let (item, row) = arena::binder();
    let fold = fold(row);
    arena::push(Tree::Items { list: list.id(), key: None, item, ty: T::TYPE, nullable: T::NULLABLE, fold })
}

// Bounds at the methods: with one at the `impl` the compiler names the bound, and not what it means.
impl<T: Value> Expr<T> {
    /// Holds where a text holds `part`, which is plain text: `%` and `_` mean themselves; or where an item of a list
    /// equals it.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/order.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let orders = orders()?;
    /// assert_eq!(orders.filter(|o| o.tags.contains("paid")).count()?, 2);
    /// assert_eq!(orders.filter(|o| o.lines.any(|line| line.item.contains("en"))).count()?, 2);
    /// # Ok(())
    /// # }
    /// ```
    pub fn contains(self, part: impl Operand<T::Part>) -> Expr<bool>
    where
        T: Contents,
        T::Part: Scalar,
    {
        Expr::new(T::contains_node(self.raw(), part.operand()))
    }

    /// Returns the number of Unicode scalar values of a text, null where there is none; or the number of items of a
    /// list, or of keys of a map, 0 where there is none.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/order.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let orders = orders()?;
    /// assert_eq!(orders.query().select(|o| (o.tags.len(), o.lines.len())).first()?, Some((2, 2)));
    /// assert_eq!(orders.filter(|o| o.tags.any(|tag| tag.len().eq(3))).count()?, 1);
    /// # Ok(())
    /// # }
    /// ```
    pub fn len(self) -> Expr<T::Len>
    where
        T: Counted,
    {
        Expr::new(T::len_node(self.raw()))
    }

    /// Holds where a text is there and empty, or where a list or map holds nothing or is not there.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/order.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let orders = orders()?;
    /// assert_eq!(orders.filter(|o| o.lines.is_empty()).select(|o| o.id).to_vec()?, [3]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn is_empty(self) -> Expr<bool>
    where
        T: Counted,
    {
        Expr::new(T::is_empty_node(self.raw()))
    }

    /// Returns the sum over the items; zero where there is no number. An error where it does not fit its type.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/order.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let orders = orders()?;
    /// let sizes = orders.query().select(|o| (o.lines.len(), o.lines.sum_of(|line| line.qty)));
    /// assert_eq!(sizes.to_vec()?, [(2, 3), (1, 10), (0, 0)]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn sum_of<N: Num>(self, f: impl FnOnce(<T::Item as Value>::Sym) -> Expr<N>) -> Expr<N::Sum>
    where
        T: List,
    {
        let sum = |item| ItemFold::Sum(f(Symbol::bind(item)).raw().id(), N::Sum::TYPE);
        Expr::new(items::<T::Item>(self.raw(), sum))
    }

    /// Returns the first item; null where there is none.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/order.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let orders = orders()?;
    /// let first = orders.query().select(|o| (o.tags.first(), o.lines.first().map(|line| line.qty))).to_vec()?;
    /// assert_eq!(first[1], (Some("paid".to_owned()), Some(10)));
    /// assert_eq!(first[2], (None, None));
    /// # Ok(())
    /// # }
    /// ```
    pub fn first(self) -> <T::Item as Value>::OptSym
    where
        T: List,
    {
        self.get(0_u32)
    }
}

// With the bound at the `impl`, so that maps can have methods of the same names.
impl<T: List> Expr<T> {
    /// Holds where the condition does for one of the items; never for none.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/order.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let orders = orders()?;
    /// let large = orders.filter(|o| o.lines.any(|line| line.item.eq("pen") & line.qty.gt(5)));
    /// assert_eq!(large.select(|o| o.id).to_vec()?, [2]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn any<R: Predicate>(self, f: impl FnOnce(<T::Item as Value>::Sym) -> R) -> Expr<bool> {
        Expr::new(items::<T::Item>(self.raw(), |item| ItemFold::Any(asked::<T, R>(item, f))))
    }

    /// Holds where the condition does for each of the items; also for none.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/order.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let orders = orders()?;
    /// assert_eq!(orders.filter(|o| o.tags.all(|tag| tag.eq("paid"))).select(|o| o.id).to_vec()?, [2, 3]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn all<R: Predicate>(self, f: impl FnOnce(<T::Item as Value>::Sym) -> R) -> Expr<bool> {
        Expr::new(items::<T::Item>(self.raw(), |item| ItemFold::All(asked::<T, R>(item, f))))
    }

    /// Returns the number of items for which the condition holds.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/order.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let orders = orders()?;
    /// let pens = orders.query().select(|o| o.lines.count_where(|line| line.item.eq("pen")));
    /// assert_eq!(pens.to_vec()?, [1, 1, 0]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn count_where<R: Predicate>(self, f: impl FnOnce(<T::Item as Value>::Sym) -> R) -> Expr<u64> {
        Expr::new(items::<T::Item>(self.raw(), |item| ItemFold::CountWhere(asked::<T, R>(item, f))))
    }
}

/// Returns what a closure asks of an item.
fn asked<T: List, R: Predicate>(item: Node, f: impl FnOnce(<T::Item as Value>::Sym) -> R) -> u32 {
    f(Symbol::bind(item)).condition().raw().id()
}
