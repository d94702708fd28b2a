//! Conditions joined: `&`, `|`, `!`.

use std::ops;

use crate::api::expr::{Expr, Predicate};
use crate::ir::doc::Expr as Tree;

impl<R: Predicate> ops::BitAnd<R> for Expr<bool> {
    type Output = Expr<bool>;

    fn bitand(self, right: R) -> Expr<bool> {
        let right = right.condition().raw();
        Expr::push(Tree::And(self.raw().id(), right.id()))
    }
}

impl<R: Predicate> ops::BitOr<R> for Expr<bool> {
    type Output = Expr<bool>;

    fn bitor(self, right: R) -> Expr<bool> {
        let right = right.condition().raw();
        Expr::push(Tree::Or(self.raw().id(), right.id()))
    }
}

impl ops::Not for Expr<bool> {
    type Output = Expr<bool>;

    fn not(self) -> Expr<bool> {
        Expr::push(Tree::Not(self.raw().id()))
    }
}

impl Expr<bool> {
    /// Holds where both do: `a & b`.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// assert_eq!(notes.filter(|n| n.done.or(n.stars.eq(5)).and(n.id.gt(1))).count()?, 1);
    /// # Ok(())
    /// # }
    /// ```
    pub fn and(self, right: impl Predicate) -> Expr<bool> {
        self & right
    }

    /// Holds where at least one does: `a | b`.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// assert_eq!(notes.filter(|n| n.done.or(n.stars.eq(5))).count()?, 2);
    /// # Ok(())
    /// # }
    /// ```
    pub fn or(self, right: impl Predicate) -> Expr<bool> {
        self | right
    }
}
