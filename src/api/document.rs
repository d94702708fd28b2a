//! What a root document is: its collection, its key, and the indexes that its type declares.

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::api::arena::{self, Frame, Node};
use crate::api::order::OrderKeys;
use crate::api::value::{Row, Scalar};
use crate::compile::CompileError;
use crate::ir::doc::OrderKey;

/// A root document; implemented by `#[derive(Document)]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a document",
    label = "add `#[derive(Document)]` to `{Self}`"
)]
pub trait Document: Row + Serialize + DeserializeOwned {
    /// The type of the key.
    type Id: DocId;
    /// The collection that the type lives in unless another is named.
    const COLLECTION: &'static str;
    /// The stored name of the key field.
    const KEY: &'static str;
    /// Returns the key.
    fn id(&self) -> &Self::Id;
    /// Gives the document a key.
    fn set_id(&mut self, id: Self::Id);
    #[doc(hidden)]
    fn indexes(fields: Self::Sym, indexes: &mut Indexes);
}

/// The types that a key can have. Sealed: `i64`, given by the database when 0.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the key of a document",
    label = "a key is an `i64`",
    note = "declare the key field as `i64`; it is the row id, and 0 asks for a new one"
)]
pub trait DocId: Scalar + Clone + PartialEq + std::fmt::Debug + private::Sealed {
    #[doc(hidden)]
    const KIND: &'static str;
    #[doc(hidden)]
    fn from_row_id(id: i64) -> Self;
    #[doc(hidden)]
    fn to_row_id(&self) -> i64;
}

impl DocId for i64 {
    const KIND: &'static str = "integer";

    fn from_row_id(id: i64) -> Self {
        id
    }

    fn to_row_id(&self) -> i64 {
        *self
    }
}

mod private {
    pub trait Sealed {}
    impl Sealed for i64 {}
}

/// Collects the indexes that a type declares.
#[derive(Debug, Default)]
pub struct Indexes {
    declared: Vec<Declared>,
}

/// One declared index.
#[derive(Debug)]
pub(crate) struct Declared {
    pub(crate) keys: Vec<OrderKey>,
    pub(crate) unique: bool,
}

impl Indexes {
    /// Declares an index over the keys, in order.
    pub fn index(&mut self, keys: impl OrderKeys) {
        self.declare(keys, false);
    }

    /// Declares an index in which no two documents may have the same values.
    pub fn unique(&mut self, keys: impl OrderKeys) {
        self.declare(keys, true);
    }

    fn declare(&mut self, keys: impl OrderKeys, unique: bool) {
        let frame = Frame::one();
        let keys = keys.keys().iter().map(|key| key.with(key.extract(&frame, 0).lambda)).collect();
        self.declared.push(Declared { keys, unique });
    }

    /// Runs a type's declarations.
    pub(crate) fn of<T: Document>() -> Result<Vec<Declared>, CompileError> {
        let frame = Frame::one();
        let [row, _]: [Node; 2] = frame.rows();
        let mut indexes = Indexes::default();
        T::indexes(crate::api::value::Symbol::bind(row), &mut indexes);
        arena::take_error().map_or(Ok(indexes.declared), Err)
    }
}
