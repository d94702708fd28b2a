//! What is stored as its one part: newtypes and boxes.

use crate::api::expr::Expr;
use crate::api::sealed::Sealed;
use crate::api::value::{Symbol, Value};

/// Types that are stored as their one part: structs of one field with `#[derive(Embed)]`, `Box<T>`, and options of
/// these.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a newtype",
    label = "only a `Box` and a struct of one field have an inner value"
)]
pub trait Newtype: Value {
    /// The part.
    type Inner: Value;
}

impl<T: Newtype> Newtype for Option<T> {
    type Inner = Option<T::Inner>;
}

impl<T: Value> Newtype for Box<T> {
    type Inner = T;
}

impl<T: Value> Value for Box<T> {
    type Core = T::Core;
    type Sym = Expr<Box<T>>;
    type OptSym = Expr<Option<Box<T>>>;
    const TYPE: crate::ir::types::Type = T::TYPE;
    const NULLABLE: bool = T::NULLABLE;
}

impl<T> Sealed for Box<T> {}

impl<T: Newtype> Expr<T> {
    /// Returns what a newtype or a box is stored as: the way to its fields, items and methods.
    ///
    /// ```
    /// use serde::{Deserialize, Serialize};
    /// use vellum::prelude::*;
    ///
    /// #[derive(Embed, Serialize, Deserialize)]
    /// struct Name(String);
    ///
    /// #[derive(Document, Serialize, Deserialize)]
    /// struct Person {
    ///     id: i64,
    ///     #[document(index)]
    ///     name: Name,
    /// }
    ///
    /// # fn main() -> vellum::Result<()> {
    /// let people = Database::open_in_memory()?.collection::<Person>()?;
    /// people.insert(Person { id: 0, name: Name("Ada".into()) })?;
    /// assert_eq!(people.filter(|p| p.name.eq(Name("Ada".into()))).count()?, 1);
    /// assert_eq!(people.filter(|p| p.name.inner().starts_with("A")).count()?, 1);
    /// # Ok(())
    /// # }
    /// ```
    pub fn inner(self) -> <T::Inner as Value>::Sym {
        Symbol::bind(self.raw())
    }
}
