//! What can be inserted: a document, or a mutable reference to one, which is given its key.

use crate::api::document::{DocId, Document};

/// A document on its way into a collection. Sealed: `T` and `&mut T`.
#[diagnostic::on_unimplemented(
    message = "expected a document of type `{T}` here, found `{Self}`",
    label = "not a `{T}` or `&mut {T}`"
)]
pub trait Item<T: Document>: private::Sealed<T> + Sized {
    /// What is kept to take a key back.
    #[doc(hidden)]
    type Given;
    #[doc(hidden)]
    fn document(&self) -> &T;
    #[doc(hidden)]
    fn give(self, id: T::Id) -> Self::Given;
    #[doc(hidden)]
    fn take_back(given: Self::Given);
}

mod private {
    pub trait Sealed<T> {}
    impl<T> Sealed<T> for T {}
    impl<T> Sealed<T> for &mut T {}
}

impl<T: Document> Item<T> for T {
    type Given = ();

    fn document(&self) -> &T {
        self
    }

    fn give(self, _: T::Id) {}

    fn take_back((): ()) {}
}

impl<'a, T: Document> Item<T> for &'a mut T {
    type Given = Option<&'a mut T>;

    fn document(&self) -> &T {
        self
    }

    fn give(self, id: T::Id) -> Option<&'a mut T> {
        // Only a key that was asked for is given, and only that is taken back.
        if self.id().to_row_id() != 0 {
            return None;
        }
        self.set_id(id);
        Some(self)
    }

    fn take_back(given: Option<&'a mut T>) {
        if let Some(document) = given {
            document.set_id(T::Id::from_row_id(0));
        }
    }
}
