//! Random documents and random statements over one declared schema, for property tests.

pub(crate) mod document;
pub(crate) mod expr;
pub(crate) mod list;
pub(crate) mod option;
pub(crate) mod statement;
pub(crate) mod subquery;
pub(crate) mod tree;

use crate::ir::types::Type;
use crate::ir::value::FieldDefault;

/// The name of the sample collection.
pub(crate) const COLLECTION: &str = "things";

/// A declared field of the sample collection.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Field {
    /// The keys from the root.
    pub(crate) path: &'static [&'static str],
    /// The declared type.
    pub(crate) ty: Type,
    /// Whether it is an `Option`.
    pub(crate) nullable: bool,
    /// Whether its numbers stay so small that sums and products of a few of them fit.
    pub(crate) is_small: bool,
    /// What it is read as where it is missing.
    pub(crate) default: Option<Given>,
}

/// A declared default.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Given {
    Bool(bool),
    Int(i64),
    Real(f64),
    Text(&'static str),
}

impl Given {
    /// Returns it as a query has it.
    pub(crate) fn field_default(self) -> FieldDefault {
        match self {
            Given::Bool(x) => FieldDefault::Bool(x),
            Given::Int(x) => FieldDefault::Int(x),
            Given::Real(x) => FieldDefault::Real(x.to_bits()),
            Given::Text(x) => FieldDefault::Text(x.into()),
        }
    }
}

const fn field(path: &'static [&'static str], ty: Type, nullable: bool, is_small: bool) -> Field {
    Field { path, ty, nullable, is_small, default: None }
}

const fn defaulted(path: &'static [&'static str], ty: Type, nullable: bool, default: Given) -> Field {
    Field {
        path,
        ty,
        nullable,
        is_small: matches!(default, Given::Int(_) | Given::Real(_)),
        default: Some(default),
    }
}

/// The declared fields: each type plain and optional, below an optional struct, and under keys that a path printer
/// could get wrong; and each type with a default.
pub(crate) const FIELDS: &[Field] = &[
    field(&["name"], Type::Text, false, false),
    field(&["a.b"], Type::Text, true, false),
    field(&[""], Type::Text, true, false),
    field(&["size"], Type::I64, false, false),
    field(&["[0]"], Type::I64, true, true),
    field(&["few"], Type::I64, false, true),
    field(&["q\"t"], Type::F64, false, false),
    field(&["\u{e9}\u{1f600}"], Type::F64, true, true),
    field(&["flag"], Type::Bool, false, false),
    field(&["$maybe"], Type::Bool, true, false),
    field(&["in", "name"], Type::Text, false, false),
    field(&["in", "size"], Type::I64, true, false),
    field(&["in", "a", "b"], Type::F64, true, false),
    field(&["uuid"], Type::Uuid, true, false),
    defaulted(&["word"], Type::Text, false, Given::Text("a'b\0")),
    defaulted(&["count"], Type::I64, true, Given::Int(7)),
    defaulted(&["in", "ratio"], Type::F64, false, Given::Real(0.5)),
    defaulted(&["in", "a", "on"], Type::Bool, true, Given::Bool(true)),
];
