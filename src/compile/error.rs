//! What cannot be compiled, in the user's words.

use crate::ir::types::Type;

/// Why a query was refused before anything ran. Each names the field or the expression, and the way out.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CompileError {
    /// An operand is an integer outside `i64`. Store such numbers as text.
    #[error(
        "{operand}: {value} does not fit a stored integer (-2^63 to 2^63 - 1); keep such numbers as text"
    )]
    OutOfRange {
        /// The field or parameter that it was given for.
        operand: String,
        /// The number.
        value: String,
    },
    /// An operand is NaN or infinite. JSON has no such numbers.
    #[error("{operand}: the number is NaN or infinite, which no stored number equals or is ordered by")]
    NotFinite {
        /// The field or parameter that it was given for.
        operand: String,
    },
    /// An operand is a variant that serde is told to skip. No document holds it.
    #[error("{operand}: the variant `{variant}` is never stored, since serde skips it, so nothing equals it")]
    NotStored {
        /// The field or parameter that it was given for.
        operand: String,
        /// The variant.
        variant: &'static str,
    },
    /// A number of rows is negative.
    #[error("`{method}({count})`: a number of rows cannot be negative")]
    NegativeCount {
        /// `skip` or `take`.
        method: &'static str,
        /// The number.
        count: i64,
    },
    /// A value below an optional struct is selected as if it were always there.
    #[error(
        "`{path}` may be absent but is selected as a non-null value: use `.map(|x| ..)` on the optional struct"
    )]
    MayBeAbsent {
        /// The field.
        path: String,
    },
    /// The key of a document was assigned.
    #[error(
        "`{path}` is the key, and a key cannot be set: insert the document under the other key and delete this one"
    )]
    KeyAssigned {
        /// The key field.
        path: String,
    },
    /// Something other than a stored field was assigned.
    #[error("`{expression}` is not a stored field, so it cannot be assigned")]
    NotAField {
        /// What was assigned.
        expression: String,
    },
    /// A parameter stands in a query that it was not made for.
    #[error(
        "a parameter of another query was used: parameters belong to the `compile` closure that received them"
    )]
    ForeignParameter,
    /// An index was declared on something that cannot be indexed.
    #[error("`{expression}` cannot be indexed: name stored text, number or bool fields")]
    NotIndexable {
        /// What was named.
        expression: String,
    },
    /// A query has a shape that cannot be run by the rules.
    #[error("{what} is not supported: {instead}")]
    Unsupported {
        /// The shape.
        what: String,
        /// The way out.
        instead: String,
    },
    /// A query that forbids it would visit every document.
    #[error("`forbid_scan`: the query visits every document of `{collection}`: {why}")]
    Scan {
        /// The collection.
        collection: String,
        /// How it would be read, and what keeps it from an index.
        why: String,
    },
    /// The collection does not exist, or not in this database.
    #[error(
        "the collection `{name}` is not open: call `db.collection::<T>()` once before compiling queries on it"
    )]
    UnknownCollection {
        /// Its name.
        name: String,
    },
    /// The keys of the collection are of another kind than those of the type, or stand elsewhere.
    #[error("the collection `{collection}` does not hold this type: {what}")]
    OtherKey {
        /// The collection.
        collection: String,
        /// How its keys differ.
        what: String,
    },
    /// A method stands on a value of another kind than it needs.
    #[error("`{expression}` is {found}, `{method}` needs {needed}")]
    TypeMismatch {
        /// The expression.
        expression: String,
        /// The method.
        method: String,
        /// What it is.
        found: Type,
        /// What it should be.
        needed: &'static str,
    },
}

/// Why a Rust value cannot be an operand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OperandError {
    /// The integer, in digits, does not fit `i64`.
    OutOfRange(String),
    /// NaN or an infinity.
    NotFinite,
    /// A variant that is never stored.
    NotStored(&'static str),
    /// What serde makes of it is no operand: why.
    Refused(String),
}

impl OperandError {
    /// Returns the error for the operand that `operand` describes.
    pub(crate) fn of(self, operand: impl Into<String>) -> CompileError {
        let operand = operand.into();
        match self {
            OperandError::OutOfRange(value) => CompileError::OutOfRange { operand, value },
            OperandError::NotFinite => CompileError::NotFinite { operand },
            OperandError::Refused(why) => CompileError::Unsupported {
                what: format!("{operand}: an operand that cannot be stored ({why})"),
                instead: "give one that can, or declare what its type is stored as".to_owned(),
            },
            OperandError::NotStored(variant) => CompileError::NotStored { operand, variant },
        }
    }
}
