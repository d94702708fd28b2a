//! One column of a result row to serde.

use std::marker::PhantomData;

use serde::de::value::BorrowedStrDeserializer;
use serde::de::{self, DeserializeOwned, DeserializeSeed, Deserializer, Unexpected, Visitor};

use crate::ir::value::Cell;

use super::decode::Decoder;
use super::error::{CodecError, Fault};

/// Reads one column: NULL as `None` or a unit, numbers and text as themselves, a blob as the JSONB of one element.
///
/// SQL has no bools: where the type is one, 1 and 0 are read as such. No number turns into another kind of number
/// but an integer into a float.
pub(crate) fn decode_cell<T: DeserializeOwned>(cell: Cell<'_>) -> Result<T, CodecError> {
    read(cell, PhantomData).map_err(Fault::into_error)
}

/// Reads one column into what a seed makes.
pub(super) fn read<'de, S: DeserializeSeed<'de>>(cell: Cell<'de>, seed: S) -> Result<S::Value, Fault> {
    let scalar = match cell {
        Cell::Null => Scalar::Null,
        Cell::Int(value) => Scalar::Int(value),
        Cell::Real(value) => Scalar::Real(value),
        Cell::Text(text) => Scalar::Text(text),
        Cell::Blob(bytes) => return seed.deserialize(Decoder::of_element(bytes)?),
    };
    seed.deserialize(scalar)
}

/// Reads one column that is known to hold a bool: what buffers a value, as serde's `flatten` does, does not ask for one.
pub(super) fn read_bool<'de, S: DeserializeSeed<'de>>(cell: Cell<'de>, seed: S) -> Result<S::Value, Fault> {
    match cell {
        Cell::Int(value @ (0 | 1)) => seed.deserialize(Scalar::Bool(value == 1)),
        other => read(other, seed),
    }
}

/// Gives a scalar of SQL to serde.
#[derive(Clone, Copy)]
pub(super) enum Scalar<'de> {
    Null,
    Bool(bool),
    Int(i64),
    Real(f64),
    Text(&'de str),
}

impl<'de> Deserializer<'de> for Scalar<'de> {
    type Error = Fault;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        match self {
            Scalar::Null => visitor.visit_unit(),
            Scalar::Bool(value) => visitor.visit_bool(value),
            Scalar::Int(value) => visitor.visit_i64(value),
            Scalar::Real(value) if value.is_finite() => visitor.visit_f64(value),
            Scalar::Real(_) => Err(Fault::not_finite()),
            Scalar::Text(text) => visitor.visit_borrowed_str(text),
        }
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        match self {
            Scalar::Int(0) => visitor.visit_bool(false),
            Scalar::Int(1) => visitor.visit_bool(true),
            other => other.deserialize_any(visitor),
        }
    }

    fn deserialize_bytes<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        match self {
            Scalar::Text(text) => visitor.visit_borrowed_bytes(text.as_bytes()),
            other => other.deserialize_any(visitor),
        }
    }

    fn deserialize_byte_buf<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        self.deserialize_bytes(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        match self {
            Scalar::Null => visitor.visit_none(),
            other => visitor.visit_some(other),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Fault> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        match self {
            Scalar::Text(text) => visitor.visit_enum(BorrowedStrDeserializer::new(text)),
            Scalar::Null => Err(de::Error::invalid_type(Unexpected::Unit, &visitor)),
            other => other.deserialize_any(visitor),
        }
    }

    serde::forward_to_deserialize_any! {
        i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string unit unit_struct seq tuple tuple_struct map
        struct identifier ignored_any
    }
}
