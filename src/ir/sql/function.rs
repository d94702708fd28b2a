//! The functions that a statement calls: ours, which the store puts on every connection, and a few of SQLite's own.

use crate::ir::doc::{Arithmetic, Function};

/// A function of SQL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SqlFunction {
    /// Ours over text.
    Text(Function),
    /// Ours over numbers: of the operands, the type of the result, and the words of an error.
    Arithmetic(Arithmetic),
    /// What a field holds plus a number: of both, the type of the result, the words of an error, and the message where
    /// the field holds no number.
    Increment,
    /// The end of the group of a prefix: of the prefix and its length.
    GroupEnd,
    /// The exact sum: of a number, the type of the result, and the words of an error.
    Sum,
    /// The exact mean.
    Avg,
    /// The set of the row ids of a query.
    Ids,
    /// Whether a set has a row id.
    Has,
    /// What is in two sets.
    Both,
    /// What is in at least one of two sets.
    Either,
    /// How many row ids a set has.
    Count,
    /// A number as JSON text, bit for bit.
    JsonNumber,
    /// Ends the statement with a type error: of its message.
    TypeError,
    /// SQLite's: the first operand that is not null.
    Coalesce,
    /// SQLite's: the smallest value.
    Min,
    /// SQLite's: the largest value.
    Max,
    /// SQLite's: JSON text as JSONB.
    Jsonb,
    /// SQLite's: a document with a value at a path.
    JsonbSet,
    /// SQLite's: a document without the value at a path.
    JsonbRemove,
    /// The name that SQLite has for the type of what is at a path.
    JsonType,
    /// SQLite's: how many items an array has.
    JsonArrayLength,
    /// SQLite's: the name of a value's type.
    TypeOf,
}

impl SqlFunction {
    /// Returns the name that SQLite knows it by.
    pub(crate) fn name(self) -> &'static str {
        match self {
            SqlFunction::Text(function) => text_name(function),
            SqlFunction::Arithmetic(operation) => arithmetic_name(operation),
            SqlFunction::Increment => "vellum_increment",
            SqlFunction::GroupEnd => "vellum_group_end",
            SqlFunction::Sum => "vellum_sum",
            SqlFunction::Avg => "vellum_avg",
            SqlFunction::Ids => "vellum_ids",
            SqlFunction::Has => "vellum_has",
            SqlFunction::Both => "vellum_both",
            SqlFunction::Either => "vellum_either",
            SqlFunction::Count => "vellum_count",
            SqlFunction::JsonNumber => "vellum_json_number",
            SqlFunction::TypeError => "vellum_type_error",
            SqlFunction::Coalesce => "coalesce",
            SqlFunction::Min => "min",
            SqlFunction::Max => "max",
            SqlFunction::Jsonb => "jsonb",
            SqlFunction::JsonbSet => "jsonb_set",
            SqlFunction::JsonbRemove => "jsonb_remove",
            SqlFunction::JsonType => "vellum_json_type",
            SqlFunction::JsonArrayLength => "json_array_length",
            SqlFunction::TypeOf => "typeof",
        }
    }
}

fn text_name(function: Function) -> &'static str {
    match function {
        Function::StartsWith => "vellum_starts_with",
        Function::EndsWith => "vellum_ends_with",
        Function::Contains => "vellum_contains",
        Function::Like => "vellum_like",
        Function::Ilike => "vellum_ilike",
        Function::Glob => "vellum_glob",
        Function::EqIgnoreCase => "vellum_eq_ignore_case",
        Function::Len => "vellum_len",
        Function::ByteLen => "vellum_byte_len",
        Function::BytesLen => "vellum_bytes_len",
        Function::Lower => "vellum_lower",
        Function::Upper => "vellum_upper",
        Function::Trim => "vellum_trim",
        Function::Substr => "vellum_substr",
        Function::Left => "vellum_left",
        Function::Replace => "vellum_replace",
        Function::Concat => "vellum_concat",
    }
}

fn arithmetic_name(operation: Arithmetic) -> &'static str {
    match operation {
        Arithmetic::Add => "vellum_add",
        Arithmetic::Sub => "vellum_sub",
        Arithmetic::Mul => "vellum_mul",
        Arithmetic::Div => "vellum_div",
        Arithmetic::Rem => "vellum_rem",
        Arithmetic::Neg => "vellum_neg",
        Arithmetic::Abs => "vellum_abs",
        Arithmetic::Cast => "vellum_cast",
    }
}
