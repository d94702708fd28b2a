//! What generated code may touch. Versioned, and no part of the public interface.

use std::any::TypeId;

use crate::api::arena;
pub use crate::api::arena::Node;
pub use crate::api::columns::Columns;
use crate::api::document::{DocId, Document, KeyKind};
use crate::api::expr::refuse;
pub use crate::api::param::{Argument, Arguments, Slots};
pub use crate::api::param_field::{ParamField, push_argument};
pub use crate::api::sealed::Sealed;
use crate::api::value::{Row, Scalar, Symbol, Value};
pub use crate::api::variant::Variant;
pub use crate::api::write::Refused;
use crate::api::write::not_an_operand;
use crate::codec::encode_value;
pub use crate::compile::OperandError;
use crate::error::Result;
use crate::ir::doc::Expr;
pub use crate::ir::types::Type;
pub use crate::ir::value::Value as Literal;
use crate::ir::value::{FieldDefault, Kind};
pub use serde::Serialize;
pub use vellum_derive::operators;

/// Remembers that a node is the whole of what a companion describes.
pub fn mark<F: 'static>(node: Node) {
    arena::mark(node, TypeId::of::<F>());
}

/// Returns the key of a document, which is stored under the name where it is not the row id.
pub fn key<T: Document, S: Symbol>(of: Node, name: &'static str) -> S {
    match <T::Id as DocId>::KIND {
        KeyKind::Integer => S::bind(arena::push(Expr::Key { of: of.id(), name, ty: Type::Any })),
        KeyKind::Text | KeyKind::Uuid => field(of, name),
    }
}

/// Returns a field of a document or of a nested struct.
pub fn field<S: Symbol>(of: Node, key: &'static str) -> S {
    S::bind(arena::push(Expr::Field { of: of.id(), key: key.into(), ty: Type::Any, nullable: false }))
}

/// Returns the tag of an enum, which is not assigned alone.
pub fn tag(of: Node, key: &'static str) -> crate::api::expr::Expr<String> {
    arena::mark_variant(of, key);
    field(of, key)
}

/// Structs and enums whose fields can stand beside those of the struct around them.
#[diagnostic::on_unimplemented(
    message = "the fields of `{Self}` cannot stand beside those of the struct around it",
    label = "only a struct with named fields or an enum with a tag, by `#[derive(Embed)]`, can be flattened in a query",
    note = "serde can flatten other types too: add `#[document(opaque)]` to keep the field out of queries"
)]
pub trait Flatten: Value {}

/// Returns the fields of a struct or enum that stand beside those of the struct around it.
pub fn flattened<T: Flatten>(around: Node) -> T::Sym {
    arena::mark_flattened(around, TypeId::of::<T::Sym>());
    T::Sym::bind(around)
}

/// Returns an enum as a whole: that at the node, or that whose tag stands beside the fields of the struct around it.
pub fn variants<F: 'static>(of: Node) -> Node {
    arena::beside(of, TypeId::of::<F>()).unwrap_or(of)
}

/// Returns the document or struct whose untouched members these are, or else one that is made of them. The nodes of
/// `flattened` members are its own; the `opaque` fields have no members.
pub fn object<F: 'static>(
    members: &[(&'static str, Node)],
    flattened: &[Node],
    opaque: &[&'static str],
) -> Node {
    arena::whole(members, flattened, TypeId::of::<F>()).unwrap_or_else(|| {
        let members = arena::members(members, flattened).unwrap_or_else(|| {
            refuse(
                "a computed struct with a flattened one in it that is stored elsewhere",
                "write out the members of the flattened one",
            );
            Vec::new()
        });
        if let Some(field) = opaque.first() {
            refuse(
                format!("a computed struct with an opaque field, `{field}`, which no query can give"),
                "select the struct as it is stored, or make one without the field",
            );
        } else if members.is_empty() {
            refuse("a struct without a field that a query can name", "select the fields around it");
        }
        arena::push(Expr::Struct(members))
    })
}

/// Reads a whole document.
///
/// # Errors
/// The codec's, with the collection, the id and the path.
pub fn read_document<T: Document>(columns: &mut Columns<'_, '_>) -> Result<T> {
    columns.document()
}

/// Enums whose values are stored as the names of their variants.
pub trait Name {
    /// Returns the stored name.
    ///
    /// # Errors
    /// `NotStored` for a variant that serde skips.
    fn name(&self) -> Result<&'static str, OperandError>;
}

/// Returns a variant as a literal.
///
/// # Errors
/// `NotStored` for a variant that serde skips.
pub fn name_value(variant: &impl Name) -> Result<Literal, OperandError> {
    Ok(Literal::Text(variant.name()?.into()))
}

/// Returns a variant as an argument.
///
/// # Errors
/// `NotStored` for a variant that serde skips.
pub fn name_argument(variant: &impl Name) -> Result<Argument<'static>, OperandError> {
    variant.name().map(Argument::Text)
}

/// Returns a value as the literal that serde makes of it.
///
/// # Errors
/// What cannot be stored, and what is not stored as its type declares.
pub fn encoded_value<T: Value + Serialize>(value: &T) -> Result<Literal, OperandError> {
    let literal = encode_value(value).map_err(not_an_operand)?;
    let is_declared = match &literal {
        Literal::Null => T::NULLABLE,
        Literal::Bool(_) => T::TYPE.kind() == Kind::Bool,
        Literal::Int(_) | Literal::Real(_) => T::TYPE.kind() == Kind::Number,
        Literal::Text(_) => T::TYPE.kind() == Kind::Text,
        Literal::Json(_) | Literal::List(_) => false,
    };
    match is_declared {
        true => Ok(literal),
        false => Err(OperandError::Refused(format!("serde does not store it as the declared `{}`", T::TYPE))),
    }
}

/// Returns a value as the argument that serde makes of it.
///
/// # Errors
/// As [`encoded_value`].
pub fn encoded_argument<T: Value + Serialize>(value: &T) -> Result<Argument<'static>, OperandError> {
    Ok(match encoded_value(value)? {
        Literal::Bool(x) => Argument::Bool(x),
        Literal::Int(x) => Argument::Int(x),
        Literal::Real(x) => Argument::Real(x),
        Literal::Text(x) => Argument::Owned((*x).into()),
        Literal::Null | Literal::Json(_) | Literal::List(_) => Argument::Null,
    })
}

/// Returns a field of a document or of a nested struct that is read as a default where it is missing.
pub fn defaulted<S: Symbol, T: Serialize>(of: Node, key: &'static str, default: &T) -> S {
    let field = arena::push(Expr::Field { of: of.id(), key: key.into(), ty: Type::Any, nullable: false });
    let default = match encode_value(default) {
        Ok(value) => FieldDefault::of(&value),
        // It loads all the same, and no query can see it.
        Err(_) => Some(FieldDefault::Unseen),
    };
    S::bind(default.map_or(field, |default| arena::push(Expr::Defaulted(field.id(), default))))
}

/// Types whose default is what a query sees in a field that is missing: nothing.
#[diagnostic::on_unimplemented(
    message = "a missing `{Self}` would load as its default, whose stored form is not known",
    note = "make the field an `Option`, or mark it `#[document(opaque)]`"
)]
pub trait DefaultIsMissing {}
impl<T> DefaultIsMissing for Option<T> {}
impl<T> DefaultIsMissing for Vec<T> {}
impl<K, V, S> DefaultIsMissing for std::collections::HashMap<K, V, S> {}
impl<K, V> DefaultIsMissing for std::collections::BTreeMap<K, V> {}
impl DefaultIsMissing for serde_json::Value {}
impl DefaultIsMissing for serde_json::Map<String, serde_json::Value> {}
impl<T, S> DefaultIsMissing for std::collections::HashSet<T, S> {}

/// Compiles only for such types.
pub fn default_is_missing<T: DefaultIsMissing>() {}

/// Types whose own default queries can see: scalars, and what is empty.
#[diagnostic::on_unimplemented(
    message = "a missing `{Self}` would load as its default, which queries cannot see",
    note = "make the field an `Option`, or mark it `#[document(opaque)]`"
)]
pub trait SeenDefault {}
impl<T: Scalar> SeenDefault for T {}
impl<T> SeenDefault for Option<T> {}
impl<T> SeenDefault for Vec<T> {}
impl<T, S> SeenDefault for std::collections::HashSet<T, S> {}
impl<K, V, S> SeenDefault for std::collections::HashMap<K, V, S> {}
impl<K, V> SeenDefault for std::collections::BTreeMap<K, V> {}
impl SeenDefault for serde_json::Value {}
impl SeenDefault for serde_json::Map<String, serde_json::Value> {}

/// Returns the default of a type that queries can see.
pub fn default_of<T: SeenDefault + Default>() -> T {
    T::default()
}

/// Compiles only for row types; generated code asks so that an error stands at the field.
pub fn is_row<T: Row>() {}

/// Compiles only for values; generated code asks so that an error stands at the field.
pub fn is_value<T: Value>() {}

/// The codec, for its benchmark.
pub mod codec {
    use serde::Serialize;
    use serde::de::DeserializeOwned;

    use crate::codec::CodecError;

    /// Appends the JSONB of a document and returns its integer key.
    ///
    /// # Errors
    /// What cannot be stored, with its path.
    pub fn encode<T: Serialize + ?Sized>(
        document: &T,
        key: Option<&'static str>,
        out: &mut Vec<u8>,
    ) -> Result<Option<i64>, CodecError> {
        crate::codec::encode(document, key, out)
    }

    /// Reads a document.
    ///
    /// # Errors
    /// What the type cannot hold, with its path.
    pub fn decode<T: DeserializeOwned>(
        bytes: &[u8],
        key: Option<(&'static str, i64)>,
    ) -> Result<T, CodecError> {
        crate::codec::decode(bytes, key)
    }
}
