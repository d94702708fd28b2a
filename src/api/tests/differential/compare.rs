//! Whether what SQLite gave is what the evaluator promises.

use std::collections::BTreeSet;

use super::scene::{Cell, Rows};
use crate::error::{Error, ErrorKind};
use crate::ir::doc::Fold;
use crate::ir::eval::sample::tree::{End, Sketch, Step};
use crate::ir::eval::{Answer, Column, Document, EvalError, Json, Outcome, Promise};
use crate::ir::value::{Kind, Value};

/// How far numbers may be apart.
#[derive(Clone, Copy, Debug)]
pub(super) enum Tolerance {
    /// The same bits: what is shown is what is stored.
    None,
    /// Equal by value: of equal values a group or an extreme shows any.
    ByValue,
    /// Apart by no more than this, as sums of floats are (rule 9).
    Apart(f64),
}

impl Tolerance {
    /// Returns what a statement may be apart by, over some documents.
    pub(super) fn of(sketch: &Sketch, documents: &[Document]) -> Tolerance {
        let is_total = matches!(sketch.end, End::Fold(Fold::Sum | Fold::Avg, _));
        let is_grouped = sketch.stages.iter().any(|stage| matches!(stage, Step::Group(_)));
        if is_total || is_grouped {
            Tolerance::Apart(1e-12 * documents.iter().map(|document| magnitude(&document.body)).sum::<f64>())
        } else if matches!(sketch.end, End::Fold(..)) {
            Tolerance::ByValue
        } else {
            Tolerance::None
        }
    }

    fn admits(self, expected: f64, found: f64) -> bool {
        match self {
            Tolerance::None => expected.to_bits() == found.to_bits(),
            Tolerance::ByValue => expected == found,
            Tolerance::Apart(most) => expected == found || (expected - found).abs() <= most,
        }
    }
}

/// Returns the sum of the magnitudes of all numbers in a value.
fn magnitude(value: &Json) -> f64 {
    match value {
        Json::Int(x) => (*x as f64).abs(),
        Json::Real(x) => x.abs(),
        Json::Array(items) => items.iter().map(magnitude).sum(),
        Json::Object(entries) => entries.iter().map(|(_, value)| magnitude(value)).sum(),
        Json::Null | Json::Bool(_) | Json::Text(_) => 0.0,
    }
}

/// Compares an answer with what a statement gave. `is_cut` tells of stages that keep some of the rows.
pub(super) fn compare(
    expected: &Result<Answer, EvalError>,
    found: &Result<Rows, Error>,
    tolerance: Tolerance,
    is_cut: bool,
) -> Result<(), String> {
    let same = match (expected, found) {
        (Ok(Answer { promise: Promise::Nothing, .. }), Ok(_)) => true,
        // Whether a document that cannot be changed is among rows that no promised order chose is open.
        (Ok(answer), Err(error)) if error.kind() == ErrorKind::TypeMismatch => {
            matches!(answer.outcome, Outcome::Changed { .. }) && answer.promise >= Promise::Number
        }
        (Err(EvalError::TypeMismatch), Ok(Rows { changed: Some(_), .. })) if is_cut => true,
        (Ok(answer), Ok(found)) => is_answer(answer, found, tolerance),
        // Which of several failures is met first is nobody's promise.
        (Err(_), Err(error)) => {
            matches!(error.kind(), ErrorKind::Overflow | ErrorKind::DivisionByZero | ErrorKind::TypeMismatch)
        }
        _ => false,
    };
    if same { Ok(()) } else { Err(format!("expected {expected:?}\nfound {found:?}")) }
}

fn is_answer(answer: &Answer, found: &Rows, tolerance: Tolerance) -> bool {
    let number = |expected: &Json| match found.rows.as_slice() {
        [row] => row.first().is_some_and(|cell| is_value(expected, cell, tolerance)),
        _ => false,
    };
    match &answer.outcome {
        Outcome::Rows(rows) => match answer.promise {
            Promise::Sequence => {
                rows.len() == found.rows.len()
                    && rows.iter().zip(&found.rows).all(|(a, b)| is_row(a, b, tolerance))
            }
            Promise::Set => is_set(rows, &found.rows, tolerance),
            Promise::Number => rows.len() == found.rows.len(),
            Promise::Nothing => true,
        },
        Outcome::Count(count) => number(&Json::Int(*count as i64)),
        Outcome::Bool(truth) => number(&Json::Bool(*truth)),
        Outcome::Value(_) if answer.promise == Promise::Number => found.rows.len() == 1,
        Outcome::Value(value) => number(value),
        Outcome::Changed { count, documents } => found.changed.as_ref().is_some_and(|changed| {
            let same = match answer.promise {
                Promise::Number => changed.documents.len() == documents.len(),
                // The same number in another notation is a change of bytes that the evaluator cannot see.
                _ => changed.documents == *documents && changed.counted >= *count,
            };
            same && changed.reported == changed.counted
        }),
    }
}

/// Returns whether the rows can be paired off. A row may be found as several, `true` as 1 too, so that one that took
/// another's is given the next (Kuhn's algorithm for a matching of two sides).
fn is_set(rows: &[Vec<Column>], found: &[Vec<Cell>], tolerance: Tolerance) -> bool {
    let near = |row: &Vec<Column>| -> Vec<usize> {
        (0..found.len()).filter(|at| is_row(row, &found[*at], tolerance)).collect()
    };
    let near: Vec<Vec<usize>> = rows.iter().map(near).collect();
    let mut taken = vec![None; found.len()];
    rows.len() == found.len()
        && (0..rows.len()).all(|row| is_paired(row, &near, &mut taken, &mut BTreeSet::new()))
}

/// Gives a row one of those that it is found as, of those that were not `tried`.
fn is_paired(
    row: usize,
    near: &[Vec<usize>],
    taken: &mut [Option<usize>],
    tried: &mut BTreeSet<usize>,
) -> bool {
    for at in &near[row] {
        if tried.insert(*at) && taken[*at].is_none_or(|other| is_paired(other, near, taken, tried)) {
            taken[*at] = Some(row);
            return true;
        }
    }
    false
}

/// Returns how many columns of a row are compared: behind them a statement may have the row id, for messages.
pub(super) fn width(expected: &Result<Answer, EvalError>) -> usize {
    match expected {
        Ok(Answer { outcome: Outcome::Rows(rows), .. }) => rows.first().map_or(1, Vec::len),
        _ => 1,
    }
}

fn is_row(columns: &[Column], cells: &[Cell], tolerance: Tolerance) -> bool {
    let is_column = |(column, cell): (&Column, &Cell)| match column {
        Column::Value(value) => is_value(value, cell, tolerance),
        Column::Foreign(declared) => is_foreign(*declared, cell),
    };
    columns.len() == cells.len() && columns.iter().zip(cells).all(is_column)
}

/// Returns whether a cell is one that a value of the kind never gives.
fn is_foreign(declared: Kind, cell: &Cell) -> bool {
    match (declared, cell) {
        (_, Cell::Null) | (Kind::Number, Cell::Int(_) | Cell::Real(_)) | (Kind::Text, Cell::Text(_)) => false,
        (Kind::Bool, cell) => !matches!(cell, Cell::Int(0 | 1)),
        _ => true,
    }
}

fn is_value(expected: &Json, found: &Cell, tolerance: Tolerance) -> bool {
    match (expected, found) {
        (Json::Null, Cell::Null) => true,
        (Json::Bool(a), Cell::Int(b)) => i64::from(*a) == *b,
        (Json::Int(a), Cell::Int(b)) => a == b,
        (Json::Real(a), Cell::Real(b)) => tolerance.admits(*a, *b),
        (Json::Int(a), Cell::Real(b)) | (Json::Real(b), Cell::Int(a)) => {
            !matches!(tolerance, Tolerance::None) && tolerance.admits(*a as f64, *b)
        }
        (Json::Text(a), Cell::Text(b)) => a == b,
        // Where any kind may be, a bool is JSONB too.
        (Json::Bool(_) | Json::Array(_) | Json::Object(_), Cell::Blob(bytes)) => {
            Json::of(&Value::Json(bytes.as_slice().into())) == *expected
        }
        _ => false,
    }
}

#[test]
fn rows_that_are_near_to_each_other_pair_off_with_their_equals() {
    let expected = [Json::Real(0.0), Json::Int(256)].map(|value| vec![Column::Value(value)]);
    let found = |real| [vec![Cell::Int(256)], vec![Cell::Real(real)]];
    let near = Tolerance::Apart(1e9);
    assert!(is_set(&expected, &found(0.0), near));
    assert!(is_set(&expected, &found(1.0), near));
    assert!(!is_set(&expected, &found(2e9), near));
    assert!(!is_set(&expected, &found(0.0)[..1], near));
}

#[test]
fn a_row_that_is_found_as_several_leaves_another_its_own() {
    let rows =
        |values: &[Json]| values.iter().map(|value| vec![Column::Value(value.clone())]).collect::<Vec<_>>();
    let cells = |cells: &[Cell]| cells.iter().map(|cell| vec![cell.clone()]).collect::<Vec<_>>();
    let is_set = |values: &[Json], found: &[Cell]| is_set(&rows(values), &cells(found), Tolerance::None);
    let (yes, one) = (Json::Bool(true), Json::Int(1));
    assert!(is_set(&[yes.clone(), one.clone()], &[Cell::Int(1), Cell::Blob(vec![1])]));
    assert!(is_set(
        &[one.clone(), yes.clone(), yes.clone()],
        &[Cell::Int(1), Cell::Int(1), Cell::Blob(vec![1])]
    ));
    assert!(!is_set(&[one.clone(), one.clone()], &[Cell::Int(1), Cell::Blob(vec![1])]));
    assert!(!is_set(std::slice::from_ref(&yes), &[Cell::Blob(vec![1]), Cell::Blob(vec![1])]));
    assert!(!is_set(&[yes, one], &[Cell::Int(1), Cell::Int(0)]));
}
