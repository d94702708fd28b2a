//! Comparisons, and what is said to who writes `==` and `<`.

use crate::api::arena::{self, Node};
use crate::api::expr::{Expr, Operand, OperandList, OptionOperand, beside};
use crate::api::value::{Ordered, Scalar, Value};
use crate::compile::OperandError;
use crate::ir::doc::{Absence, Comparison, Expr as Tree};

pub(crate) fn compare(comparison: Comparison, left: Node, right: Result<Node, OperandError>) -> Expr<bool> {
    let right = beside(left, right);
    Expr::push(Tree::Compare(comparison, left.id(), right.id()))
}

// Bounds at the methods: with one at the `impl`, a list's `eq` is that of `PartialEq`, as is then the error.
impl<T: Value> Expr<T> {
    /// Holds where both are equal. Null and missing equal nothing, but for two optional fields that are both
    /// absent.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// assert_eq!(notes.filter(|n| n.folder.eq("home") & n.stars.eq(2)).count()?, 1);
    /// # Ok(())
    /// # }
    /// ```
    pub fn eq(self, right: impl Operand<T::Core>) -> Expr<bool>
    where
        T::Core: Scalar,
    {
        compare(Comparison::Eq, self.raw(), right.operand())
    }

    /// Holds exactly where `eq` does not: also where the field is null or missing.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// assert_eq!(notes.filter(|n| n.stars.ne(2)).count()?, 2);
    /// # Ok(())
    /// # }
    /// ```
    pub fn ne(self, right: impl Operand<T::Core>) -> Expr<bool>
    where
        T::Core: Scalar,
    {
        compare(Comparison::Ne, self.raw(), right.operand())
    }

    /// Holds where both are equal, or for `None` where the field is null or missing. Served by an index.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let db = database()?;
    /// let with = db.compile(|q, (stars,)| q.from::<Note>().filter(|n| n.stars.eq_option(stars)).select(|n| n.id))?;
    /// assert_eq!(with.call(Some(5))?, [3]);
    /// assert_eq!(with.call(None)?, [2]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn eq_option(self, right: impl OptionOperand<T::Core>) -> Expr<bool>
    where
        T::Core: Scalar,
    {
        compare(Comparison::EqOption, self.raw(), right.option_operand())
    }

    /// Holds where the stored field is not there. No index serves it; `is_none` does not tell it from null.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// notes.update_many(|n| n.id.eq(2), |n| n.stars.unset())?;
    /// assert_eq!(notes.filter(|n| n.stars.is_missing()).count()?, 1);
    /// assert_eq!(notes.filter(|n| n.stars.is_json_null()).count()?, 0);
    /// # Ok(())
    /// # }
    /// ```
    pub fn is_missing(self) -> Expr<bool> {
        Expr::push(Tree::IsAbsent(arena::field_of(self.raw()).id(), Absence::Missing))
    }

    /// Holds where the stored field is there, and null. No index serves it.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// assert_eq!(notes.filter(|n| n.stars.is_json_null()).select(|n| n.id).to_vec()?, [2]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn is_json_null(self) -> Expr<bool> {
        Expr::push(Tree::IsAbsent(arena::field_of(self.raw()).id(), Absence::JsonNull))
    }

    /// Returns the value as an option that is there, for a member of a struct that is optional.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// let counted = notes.query().select(|n| NoteFields { stars: n.text.len().as_i64().some(), ..n });
    /// assert_eq!(counted.first()?.map(|note| note.stars), Some(Some(8)));
    /// # Ok(())
    /// # }
    /// ```
    pub fn some(self) -> Expr<Option<T>> {
        Expr::new(arena::maybe(self.raw()))
    }

    /// Holds where the value is one of the list's. Null and missing are in no list.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// assert_eq!(notes.filter(|n| n.id.is_in([1, 3, 3, 99])).count()?, 2);
    /// # Ok(())
    /// # }
    /// ```
    pub fn is_in(self, list: impl OperandList<T::Core>) -> Expr<bool>
    where
        T::Core: Scalar,
    {
        list.contains(self.raw())
    }

    /// Holds where this is less. Never for null or missing.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// assert_eq!(notes.filter(|n| n.stars.lt(5)).count()?, 1);
    /// # Ok(())
    /// # }
    /// ```
    pub fn lt(self, right: impl Operand<T::Core>) -> Expr<bool>
    where
        T::Core: Ordered,
    {
        compare(Comparison::Lt, self.raw(), right.operand())
    }

    /// Holds where this is less or equal. Never for null or missing.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// assert_eq!(notes.filter(|n| n.stars.le(2)).count()?, 1);
    /// # Ok(())
    /// # }
    /// ```
    pub fn le(self, right: impl Operand<T::Core>) -> Expr<bool>
    where
        T::Core: Ordered,
    {
        compare(Comparison::Le, self.raw(), right.operand())
    }

    /// Holds where this is greater. Never for null or missing.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// assert_eq!(notes.filter(|n| n.stars.gt(2)).count()?, 1);
    /// # Ok(())
    /// # }
    /// ```
    pub fn gt(self, right: impl Operand<T::Core>) -> Expr<bool>
    where
        T::Core: Ordered,
    {
        compare(Comparison::Gt, self.raw(), right.operand())
    }

    /// Holds where this is greater or equal. Never for null or missing.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// assert_eq!(notes.filter(|n| n.stars.ge(2)).count()?, 2);
    /// # Ok(())
    /// # }
    /// ```
    pub fn ge(self, right: impl Operand<T::Core>) -> Expr<bool>
    where
        T::Core: Ordered,
    {
        compare(Comparison::Ge, self.raw(), right.operand())
    }

    /// Holds where this lies between the two, both included.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// assert_eq!(notes.filter(|n| n.stars.between(2, 4)).count()?, 1);
    /// # Ok(())
    /// # }
    /// ```
    pub fn between(self, low: impl Operand<T::Core>, high: impl Operand<T::Core>) -> Expr<bool>
    where
        T::Core: Ordered,
    {
        self.ge(low) & self.le(high)
    }
}

/// Exists to say what to write in the place of `==` and `<`; no type implements it.
#[diagnostic::on_unimplemented(
    message = "`==`, `!=`, `<`, `<=`, `>`, `>=` cannot be used on query expressions: write `.eq(..)`, `.ne(..)`, `.lt(..)`, `.le(..)`, `.gt(..)`, `.ge(..)`",
    label = "use the method instead",
    note = "Rust's comparison operators must return `bool`, but the query needs the expression itself; inside `x!(..)` they work"
)]
pub trait UseComparisonMethods {}

impl<T, R: UseComparisonMethods> PartialEq<R> for Expr<T> {
    fn eq(&self, _: &R) -> bool {
        false
    }
}

impl<T, R: UseComparisonMethods> PartialOrd<R> for Expr<T> {
    fn partial_cmp(&self, _: &R) -> Option<std::cmp::Ordering> {
        None
    }
}
