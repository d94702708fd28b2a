//! Optional values: whether they are there, and what stands for them.

use crate::api::arena::{self, Node};
use crate::api::expr::{Expr, Predicate, Term, beside};
use crate::api::value::{Scalar, Value};
use crate::ir::doc::Expr as Tree;
use crate::ir::types::Type;

impl<T: Value> Expr<Option<T>> {
    /// Holds where the field is null or missing.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// assert_eq!(notes.filter(|n| n.stars.is_none()).select(|n| n.id).to_vec()?, [2]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn is_none(self) -> Expr<bool> {
        Expr::push(Tree::IsNone(self.raw().id()))
    }

    /// Holds where the field is there and not null.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// assert_eq!(notes.filter(|n| n.stars.is_some()).select(|n| n.id).to_vec()?, [1, 3]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn is_some(self) -> Expr<bool> {
        !self.is_none()
    }

    /// Holds where the value is there and satisfies the condition.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// assert_eq!(notes.filter(|n| n.stars.is_some_and(|stars| stars.gt(2))).select(|n| n.id).to_vec()?, [3]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn is_some_and<B: Predicate>(self, f: impl FnOnce(Expr<T>) -> B) -> Expr<bool> {
        self.is_some() & f(Expr::new(self.raw())).condition()
    }
}

impl<T: Scalar> Expr<Option<T>> {
    /// Returns the value, or the default where it is null, missing or of another kind.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// assert_eq!(notes.query().select(|n| n.stars.unwrap_or(1)).to_vec()?, [2, 1, 5]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn unwrap_or(self, default: impl Term<T>) -> Expr<T> {
        Expr::new(coalesce(self.raw(), beside(self.raw(), default.term()), T::TYPE, false))
    }

    /// Returns the value, or the other one where it is null, missing or of another kind.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/order.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let orders = orders()?;
    /// let either = orders.query().select(|o| o.flags.get("late").or(o.flags.get("urgent"))).to_vec()?;
    /// assert_eq!(either, [Some(false), Some(true), None]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn or(self, other: Expr<Option<T>>) -> Expr<Option<T>> {
        Expr::new(coalesce(self.raw(), other.raw(), T::TYPE, true))
    }
}

fn coalesce(value: Node, default: Node, ty: Type, nullable: bool) -> Node {
    arena::push(Tree::Coalesce { value: value.id(), default: default.id(), ty, nullable })
}
