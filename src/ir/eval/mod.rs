//! The evaluator: what a query means, computed over documents in memory.
//!
//! It follows the rules of behaviour one by one and knows neither SQL nor the compiler, so that it can be the oracle
//! that both are held against. It is written to be read, not to be fast. A select is never carried out: later
//! stages look through it ([`row`]), so a projection that can fail is computed only for rows that are read.

mod aggregate;
mod condition;
mod expr;
mod items;
mod json;
mod jsonb;
mod number;
mod order;
mod query;
mod row;
#[cfg(test)]
pub(crate) mod sample;
#[cfg(test)]
mod tests;
mod text;
mod typing;
mod update;

pub(crate) use json::Json;

use crate::ir::doc::Statement;
use crate::ir::value::{Kind, Value};

/// A document and its row id.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Document {
    /// The row id, which is the key.
    pub(crate) id: i64,
    /// What is stored.
    pub(crate) body: Json,
}

/// The documents of a collection.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Collection {
    /// The collection's name.
    pub(crate) name: String,
    /// The documents.
    pub(crate) documents: Vec<Document>,
}

/// What a statement is run over.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Input<'a> {
    /// The collections; one that is not here is empty.
    pub(crate) collections: &'a [Collection],
    /// The arguments, by slot.
    pub(crate) params: &'a [Value],
    /// The constants beside the statement.
    pub(crate) constants: &'a [Value],
}

/// What a statement answers.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Answer {
    /// The answer.
    pub(crate) outcome: Outcome,
    /// How much of it the rules promise.
    pub(crate) promise: Promise,
}

/// What a terminal makes of the rows.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Outcome {
    /// Rows, for `Rows`, `First` (at most one) and `Single` (at most two).
    Rows(Vec<Vec<Column>>),
    /// A number of rows.
    Count(u64),
    /// Whether there is a row, or none.
    Bool(bool),
    /// The value of a fold.
    Value(Json),
    /// A write.
    Changed {
        /// How many documents changed or went.
        count: u64,
        /// The documents of the collection afterwards, in the order in which they were given.
        documents: Vec<Document>,
    },
}

/// One column of a row. A whole document is two: its id and what is stored.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Column {
    /// The value; null also stands for a missing one.
    Value(Json),
    /// A value of another kind than this declared one, which cannot be loaded (rule 4).
    Foreign(Kind),
}

/// How much of an answer the rules promise (rules 5 and 6).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Promise {
    /// The rows and their order.
    Sequence,
    /// The rows, in any order.
    Set,
    /// Neither: rows were cut off an order that is not promised. Only their number is.
    Number,
    /// Not even that: such rows were filtered or grouped.
    Nothing,
}

/// Why a statement fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum EvalError {
    /// A computed number does not fit its type.
    #[error("the result does not fit its type")]
    Overflow,
    /// Division by zero.
    #[error("division by zero")]
    DivisionByZero,
    /// A stored value has another kind than the change needs.
    #[error("the stored value has another kind")]
    TypeMismatch,
}

/// Runs a statement.
///
/// # Errors
/// The failure of a condition, a projection, a fold or a change; nothing has changed then.
pub(crate) fn run(statement: &Statement, input: &Input<'_>) -> Result<Answer, EvalError> {
    let Input { collections, params, constants } = *input;
    query::run(statement, expr::Evaluator { collections, params, constants })
}
