//! Random documents and random statements over one declared schema, for property tests.

pub(crate) mod document;
pub(crate) mod expr;
pub(crate) mod list;
pub(crate) mod statement;
pub(crate) mod tree;

use crate::ir::types::Type;

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
}

const fn field(path: &'static [&'static str], ty: Type, nullable: bool, is_small: bool) -> Field {
    Field { path, ty, nullable, is_small }
}

/// The declared fields: each type plain and optional, below an optional struct, and under keys that a path printer
/// could get wrong.
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
];
