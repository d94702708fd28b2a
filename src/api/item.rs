//! What can be inserted: a document, or a mutable reference to one, which is given its key.

use crate::api::document::Document;

/// A document on its way into a collection. Sealed: `T` and `&mut T`.
#[diagnostic::on_unimplemented(
    message = "expected a document of type `{T}` here, found `{Self}`",
    label = "not a `{T}` or `&mut {T}`"
)]
pub trait Item<T: Document>: private::Sealed<T> + Sized {
    /// What is kept to take a key back.
    #[doc(hidden)]
    type Kept;
    #[doc(hidden)]
    fn document(&self) -> &T;
    #[doc(hidden)]
    fn document_mut(&mut self) -> &mut T;
    #[doc(hidden)]
    fn keep(self) -> Self::Kept;
    #[doc(hidden)]
    fn take_back(kept: Self::Kept, unset: T::Id);
}

mod private {
    pub trait Sealed<T> {}
    impl<T> Sealed<T> for T {}
    impl<T> Sealed<T> for &mut T {}
}

impl<T: Document> Item<T> for T {
    type Kept = ();

    fn document(&self) -> &T {
        self
    }

    fn document_mut(&mut self) -> &mut T {
        self
    }

    fn keep(self) {}

    fn take_back((): (), _: T::Id) {}
}

impl<'a, T: Document> Item<T> for &'a mut T {
    type Kept = &'a mut T;

    fn document(&self) -> &T {
        self
    }

    fn document_mut(&mut self) -> &mut T {
        self
    }

    fn keep(self) -> &'a mut T {
        self
    }

    fn take_back(kept: &'a mut T, unset: T::Id) {
        kept.set_id(unset);
    }
}
