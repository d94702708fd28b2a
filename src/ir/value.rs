//! Values and their kinds, as queries and documents see them.

use std::fmt;
use std::sync::Arc;

use crate::ir::types::Type;

/// The kind of a value (rule 4): a comparison sees only values of its operand's kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// Text, ordered by UTF-8 bytes.
    Text,
    /// Integers and floats together, ordered by value.
    Number,
    /// `true` and `false`, never 1 and 0.
    Bool,
    /// An array, which has no order.
    Array,
    /// An object, which has no order.
    Object,
    /// A value whose kind is not declared.
    Any,
}

impl Kind {
    /// Returns the name that messages use.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Text => "text",
            Kind::Number => "number",
            Kind::Bool => "bool",
            Kind::Array => "array",
            Kind::Object => "object",
            Kind::Any => "any",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// How a column sees what is stored at its path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum View {
    /// As a field that is declared with the kind: a value of another kind is told apart from null, so that loading it
    /// can be refused (rule 4).
    Declared(Kind),
    /// As a declared text, with a uuid in the spelling that serde writes, however it is spelled (rule 15).
    Uuid,
    /// Values of the kind alone, null for all else: what no type declares.
    Only(Kind),
}

impl View {
    const ALL: [View; 12] = [
        View::Declared(Kind::Text),
        View::Declared(Kind::Number),
        View::Declared(Kind::Bool),
        View::Declared(Kind::Array),
        View::Declared(Kind::Object),
        View::Declared(Kind::Any),
        View::Uuid,
        View::Only(Kind::Text),
        View::Only(Kind::Number),
        View::Only(Kind::Bool),
        View::Only(Kind::Array),
        View::Only(Kind::Object),
    ];

    /// Returns how a field that is declared with the type is seen.
    pub(crate) fn of(ty: Type) -> View {
        match ty {
            Type::Uuid => View::Uuid,
            ty => View::Declared(ty.kind()),
        }
    }

    /// Returns the kind.
    pub(crate) fn kind(self) -> Kind {
        match self {
            View::Uuid => Kind::Text,
            View::Declared(kind) | View::Only(kind) => kind,
        }
    }

    /// Returns the name that the catalog keeps.
    pub(crate) fn name(self) -> &'static str {
        match self {
            View::Declared(kind) => kind.name(),
            View::Uuid => "uuid",
            View::Only(Kind::Text) => "only text",
            View::Only(Kind::Number) => "only number",
            View::Only(Kind::Bool) => "only bool",
            View::Only(Kind::Array) => "only array",
            View::Only(Kind::Object) => "only object",
            View::Only(Kind::Any) => "any",
        }
    }

    /// Returns the view of that name.
    pub(crate) fn from_name(name: &str) -> Option<View> {
        View::ALL.into_iter().find(|view| view.name() == name)
    }
}

/// An owned value: a literal of a query, or a constant of a plan.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// JSON null, or no value.
    Null,
    /// A bool.
    Bool(bool),
    /// A 64-bit integer.
    Int(i64),
    /// A finite float.
    Real(f64),
    /// Text.
    Text(Arc<str>),
    /// An array or object as JSONB bytes.
    Json(Arc<[u8]>),
    /// A list of values, for `is_in`.
    List(Arc<[Value]>),
}

/// What a missing field is read as (rule 19), or what a partial index compares with. It stands in the text of a statement
/// and of an index, and is a part of a query's shape.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum FieldDefault {
    /// A bool.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// The bits of a finite float.
    Real(u64),
    /// Text.
    Text(Arc<str>),
    /// An array or object without anything in it.
    Empty(Kind),
    /// An array or object that is not empty, or what cannot be stored: no query can see it.
    Unseen,
}

impl FieldDefault {
    /// Returns the kind.
    pub(crate) fn kind(&self) -> Kind {
        match self {
            FieldDefault::Bool(_) => Kind::Bool,
            FieldDefault::Int(_) | FieldDefault::Real(_) => Kind::Number,
            FieldDefault::Text(_) => Kind::Text,
            FieldDefault::Empty(kind) => *kind,
            FieldDefault::Unseen => Kind::Any,
        }
    }

    /// Returns the default that a stored value makes; `None` for null, which a missing field is anyway.
    pub(crate) fn of(value: &Value) -> Option<FieldDefault> {
        // The element types of SQLite's JSONB, with no content behind them.
        const EMPTY_ARRAY: &[u8] = &[11];
        const EMPTY_OBJECT: &[u8] = &[12];
        match value {
            Value::Null => None,
            Value::Bool(x) => Some(FieldDefault::Bool(*x)),
            Value::Int(x) => Some(FieldDefault::Int(*x)),
            Value::Real(x) => Some(FieldDefault::Real(x.to_bits())),
            Value::Text(x) => Some(FieldDefault::Text(Arc::clone(x))),
            Value::Json(bytes) if **bytes == *EMPTY_ARRAY => Some(FieldDefault::Empty(Kind::Array)),
            Value::Json(bytes) if **bytes == *EMPTY_OBJECT => Some(FieldDefault::Empty(Kind::Object)),
            Value::Json(_) | Value::List(_) => Some(FieldDefault::Unseen),
        }
    }
}

/// One column of a result row, borrowed from the statement.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Cell<'a> {
    /// SQL NULL: JSON null or a missing field.
    Null,
    /// An integer; bools arrive as 1 and 0.
    Int(i64),
    /// A float.
    Real(f64),
    /// Text.
    Text(&'a str),
    /// JSONB bytes of an array, an object or a whole document.
    Blob(&'a [u8]),
}
