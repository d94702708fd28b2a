//! What a root document is: its collection, its key, and the indexes that its type declares.

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::api::arena::{self, Extracted, Frame, Node};
use crate::api::expr::Predicate;
use crate::api::index::IndexKeys;
use crate::api::param::ParamType;
use crate::api::param_field::ParamField;
use crate::api::value::{Row, Scalar, Symbol};
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

/// The types that a key can have: `i64`, `String`, and with the feature `uuid` `uuid::Uuid`. Sealed.
///
/// An integer key is the row id, and is given by the database when it is 0. A text or uuid is stored in the document;
/// a nil uuid asks for a new one, of version 7, which sorts by its time. Every text is a key, the empty one too.
///
/// ```
/// use serde::{Deserialize, Serialize};
/// use vellum::prelude::*;
///
/// #[derive(Document, Serialize, Deserialize)]
/// struct User {
///     #[document(id)]
///     email: String,
///     age: u8,
/// }
///
/// # fn main() -> vellum::Result<()> {
/// let users = Database::open_in_memory()?.collection::<User>()?;
/// users.insert(User { email: "ada@example.com".into(), age: 36 })?;
/// assert_eq!(users.get("ada@example.com")?.map(|user| user.age), Some(36));
/// assert_eq!(users.filter(|u| u.email.starts_with("ada")).count()?, 1);
/// assert!(users.delete("ada@example.com")?);
/// # Ok(())
/// # }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the key of a document",
    label = "a key is an `i64`, a `String` or a `Uuid`",
    note = "an `i64` is given by the database when it is 0; `Uuid` needs vellum's feature `uuid`"
)]
pub trait DocId:
    Scalar + ParamType + ParamField<Type = Self> + Clone + PartialEq + std::fmt::Debug + private::Sealed
{
    /// Returns the key as calls by key take it, for code that is generic over documents.
    fn as_key(&self) -> Self::Arg<'_>;
    #[doc(hidden)]
    const KIND: KeyKind;
    /// The key that asks for a new one.
    #[doc(hidden)]
    fn unset() -> Option<Self>;
    /// Returns the key of a row; `None` where the document holds its key.
    #[doc(hidden)]
    fn of_row(id: i64) -> Option<Self>;
    /// Returns a new key; `None` where the database gives it, or nobody does.
    #[doc(hidden)]
    fn generate() -> Option<Self>;
    /// Returns the row that the key is; `None` where the document holds it.
    #[doc(hidden)]
    fn row_id(&self) -> Option<i64>;
    /// Returns the key as a message names it.
    #[doc(hidden)]
    fn words(&self) -> String;
}

/// What calls by key take: the value for a number, `&str` for a text.
///
/// ```
/// use vellum::{Collection, Document, KeyOf};
///
/// /// Returns whether a collection of any type has the key.
/// fn has<T: Document>(documents: &Collection<'_, T>, key: KeyOf<'_, T>) -> vellum::Result<bool> {
///     Ok(documents.get(key)?.is_some())
/// }
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
/// # fn main() -> vellum::Result<()> {
/// # let notes = database()?.collection::<Note>()?;
/// assert!(has(&notes, 1)?);
/// # Ok(())
/// # }
/// ```
pub type KeyOf<'a, T> = <<T as Document>::Id as ParamType>::Arg<'a>;

/// Where the keys of a collection stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyKind {
    /// They are the row ids.
    Integer,
    /// They are texts in the documents.
    Text,
    /// They are uuids in the documents, as text.
    Uuid,
}

impl KeyKind {
    /// Returns the catalog's word.
    pub(crate) fn name(self) -> &'static str {
        match self {
            KeyKind::Integer => "integer",
            KeyKind::Text => "text",
            KeyKind::Uuid => "uuid",
        }
    }

    /// Returns what the codec is told of a row's key.
    pub(crate) fn given(self, key: &'static str, id: i64) -> Option<(&'static str, i64)> {
        (self == KeyKind::Integer).then_some((key, id))
    }
}

impl DocId for i64 {
    const KIND: KeyKind = KeyKind::Integer;

    fn as_key(&self) -> i64 {
        *self
    }

    fn unset() -> Option<Self> {
        Some(0)
    }

    fn of_row(id: i64) -> Option<Self> {
        Some(id)
    }

    fn generate() -> Option<Self> {
        None
    }

    fn row_id(&self) -> Option<i64> {
        Some(*self)
    }

    fn words(&self) -> String {
        self.to_string()
    }
}

impl DocId for String {
    const KIND: KeyKind = KeyKind::Text;

    fn as_key(&self) -> &str {
        self
    }

    fn unset() -> Option<Self> {
        None
    }

    fn of_row(_: i64) -> Option<Self> {
        None
    }

    fn generate() -> Option<Self> {
        None
    }

    fn row_id(&self) -> Option<i64> {
        None
    }

    fn words(&self) -> String {
        format!("{self:?}")
    }
}

mod private {
    pub trait Sealed {}
    impl Sealed for i64 {}
    impl Sealed for String {}
    #[cfg(feature = "uuid")]
    impl Sealed for uuid::Uuid {}
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
    pub(crate) nulls_collide: bool,
    /// Which documents it holds, if not all.
    pub(crate) condition: Option<Extracted>,
}

impl Indexes {
    /// Declares an index over the keys, in order.
    pub fn index(&mut self, keys: impl IndexKeys) {
        self.declare(keys, false, None);
    }

    /// Declares an index in which no two documents may have the same values.
    pub fn unique(&mut self, keys: impl IndexKeys) {
        self.declare(keys, true, None);
    }

    /// Takes two documents without a value for equal in the unique index that was declared last.
    pub fn nulls_collide(&mut self) {
        if let Some(last) = self.declared.last_mut() {
            last.nulls_collide = true;
        }
    }

    /// Declares an index of the documents for which a condition holds.
    pub fn partial<F: Symbol, K: IndexKeys, B: Predicate>(
        &mut self,
        keys: K,
        unique: bool,
        condition: impl FnOnce(F) -> B,
    ) {
        let frame = Frame::one();
        let condition = condition(F::bind(frame.row())).condition();
        let condition = frame.finish(condition.raw(), 0);
        self.declare(keys, unique, Some(condition));
    }

    fn declare(&mut self, keys: impl IndexKeys, unique: bool, condition: Option<Extracted>) {
        let frame = Frame::one();
        let keys = keys.index_keys();
        let keys = keys.iter().map(|key| {
            let extracted = key.extract(&frame, 0);
            extracted.error.into_iter().for_each(arena::fail);
            key.with(extracted.lambda)
        });
        let keys = keys.collect();
        self.declared.push(Declared { keys, unique, nulls_collide: false, condition });
    }

    /// Runs a type's declarations.
    pub(crate) fn of<T: Document>() -> Result<Vec<Declared>, CompileError> {
        let frame = Frame::one();
        let [row, _]: [Node; 2] = frame.rows();
        let mut indexes = Indexes::default();
        T::indexes(Symbol::bind(row), &mut indexes);
        arena::take_error().map_or(Ok(indexes.declared), Err)
    }
}
