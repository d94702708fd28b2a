//! The declared type of an expression: what decides its kind, its range and the column that serves it.

use std::fmt;

use crate::ir::value::Kind;

/// The type that a field, a parameter or a computed value is declared to have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// `bool`.
    Bool,
    /// `String`.
    Text,
    /// `uuid::Uuid`, a text of which all spellings of one uuid are the same value.
    Uuid,
    /// `i8`.
    I8,
    /// `i16`.
    I16,
    /// `i32`.
    I32,
    /// `i64`.
    I64,
    /// `u8`.
    U8,
    /// `u16`.
    U16,
    /// `u32`.
    U32,
    /// `u64`, of which only values up to `i64::MAX` are stored.
    U64,
    /// `f32`.
    F32,
    /// `f64`.
    F64,
    /// A list.
    Array,
    /// A nested struct.
    Object,
    /// A map with text keys.
    Map,
    /// A value whose type is not declared.
    Any,
}

impl Type {
    /// Returns the kind of the type's values.
    pub fn kind(self) -> Kind {
        match self {
            Type::Bool => Kind::Bool,
            Type::Text | Type::Uuid => Kind::Text,
            Type::Array => Kind::Array,
            Type::Object | Type::Map => Kind::Object,
            Type::Any => Kind::Any,
            _ => Kind::Number,
        }
    }

    /// Returns the name that messages and the arithmetic functions use: Rust's own.
    pub fn name(self) -> &'static str {
        match self {
            Type::Bool => "bool",
            Type::Text => "String",
            Type::Uuid => "Uuid",
            Type::I8 => "i8",
            Type::I16 => "i16",
            Type::I32 => "i32",
            Type::I64 => "i64",
            Type::U8 => "u8",
            Type::U16 => "u16",
            Type::U32 => "u32",
            Type::U64 => "u64",
            Type::F32 => "f32",
            Type::F64 => "f64",
            Type::Array => "array",
            Type::Object => "struct",
            Type::Map => "map",
            Type::Any => "any",
        }
    }

    /// Returns whether this is one of the float types.
    pub fn is_float(self) -> bool {
        matches!(self, Type::F32 | Type::F64)
    }

    /// Returns the smallest and largest integer of the type that can be stored, or `None` for other types.
    pub fn integer_range(self) -> Option<(i64, i64)> {
        Some(match self {
            Type::I8 => (i8::MIN.into(), i8::MAX.into()),
            Type::I16 => (i16::MIN.into(), i16::MAX.into()),
            Type::I32 => (i32::MIN.into(), i32::MAX.into()),
            Type::I64 => (i64::MIN, i64::MAX),
            Type::U8 => (0, u8::MAX.into()),
            Type::U16 => (0, u16::MAX.into()),
            Type::U32 => (0, u32::MAX.into()),
            Type::U64 => (0, i64::MAX),
            _ => return None,
        })
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
