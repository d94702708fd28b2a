//! SQL functions of ours, on every connection: where SQLite's own stop at U+0000, fold ASCII only, or wrap and round.
//!
//! All but those that can fail are deterministic, and all are direct-only: no index, trigger, view or check can come to depend on them, so that any
//! SQLite can maintain the file. A NULL, or a first argument of another kind, gives NULL.

mod aggregate;
mod document;
mod id_set;
mod number;
mod raw;
mod text;

use rusqlite::functions::{Context, FunctionFlags};
use rusqlite::types::{ToSqlOutput, Value, ValueRef};
use rusqlite::{Connection, Error, Result, ffi};

use super::error::Reported;

/// What a function returns.
type Output = Result<ToSqlOutput<'static>>;

/// A function's name, its number of arguments and what it computes.
type Scalar = (&'static str, i32, fn(&Context<'_>) -> Output);

/// Puts all of them on a connection.
pub(super) fn register(db: &Connection) -> Result<()> {
    for (name, arity, function) in text::FUNCTIONS.iter().chain(id_set::FUNCTIONS).copied() {
        db.create_scalar_function(name, arity, flags(), move |context| function(context))?;
    }
    for (name, arity, function) in number::FUNCTIONS.iter().copied() {
        db.create_scalar_function(name, arity, flags_of_failing(), move |context| function(context))?;
    }
    db.create_scalar_function("vellum_type_error", 1, flags_of_failing(), |context| -> Output {
        let message = text_arg(context, 0)?.unwrap_or_default();
        Err(Reported::TypeMismatch { message }.into_error())
    })?;
    document::register(db)?;
    id_set::register(db)?;
    aggregate::register(db)
}

fn flags() -> FunctionFlags {
    FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC | FunctionFlags::SQLITE_DIRECTONLY
}

/// A function that can fail is not called deterministic: SQLite calls one whose arguments are constant before the first
/// row, and it would fail for a query that has none.
fn flags_of_failing() -> FunctionFlags {
    FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DIRECTONLY
}

/// A number of a document.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Number {
    Int(i64),
    Real(f64),
}

impl Number {
    fn to_f64(self) -> f64 {
        match self {
            Number::Int(int) => int as f64,
            Number::Real(real) => real,
        }
    }

    fn into_output(self) -> ToSqlOutput<'static> {
        ToSqlOutput::Owned(match self {
            Number::Int(int) => Value::Integer(int),
            Number::Real(real) => Value::Real(real),
        })
    }
}

fn number_arg(context: &Context<'_>, i: usize) -> Option<Number> {
    match context.get_raw(i) {
        ValueRef::Integer(int) => Some(Number::Int(int)),
        ValueRef::Real(real) => Some(Number::Real(real)),
        _ => None,
    }
}

/// Returns a text argument, `None` for another kind. A stranger may have stored text that is not UTF-8.
fn text_arg<'a>(context: &'a Context<'_>, i: usize) -> Result<Option<&'a str>> {
    let ValueRef::Text(bytes) = context.get_raw(i) else { return Ok(None) };
    std::str::from_utf8(bytes).map(Some).map_err(|error| {
        let message = format!("text that is not UTF-8: {error}");
        Error::SqliteFailure(ffi::Error::new(ffi::SQLITE_CORRUPT), Some(message))
    })
}

const NULL: ToSqlOutput<'static> = ToSqlOutput::Owned(Value::Null);

fn int(int: i64) -> ToSqlOutput<'static> {
    ToSqlOutput::Owned(Value::Integer(int))
}
