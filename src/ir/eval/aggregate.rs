//! One value made of many (rule 9). Values of another kind than the declared one are skipped (rule 4).

use std::cmp::Ordering;

use super::EvalError;
use super::condition::order;
use super::expr::Evaluator;
use super::json::Json;
use super::number::Number;
use super::row::Term;
use crate::ir::doc::Fold;

/// Returns a number of rows.
pub(super) fn count(rows: usize) -> Json {
    i64::try_from(rows).map_or(Json::Null, Json::Int)
}

/// Folds the values of `terms`, which all are `expression` for one row each.
pub(super) fn fold<'a>(
    fold: Fold,
    evaluator: &Evaluator<'a>,
    expression: &Term<'a>,
    terms: &[Term<'a>],
) -> Result<Json, EvalError> {
    let mut values = Vec::new();
    for term in terms {
        let value = evaluator.of_declared_kind(term)?;
        if *value != Json::Null {
            values.push(value.into_owned());
        }
    }
    let is_float = expression.ty().is_float();
    match fold {
        Fold::Count => Ok(count(values.len())),
        Fold::Sum if is_float => finite(float_sum(&values, 1)),
        Fold::Sum => Ok(Json::Int(i64::try_from(integer_sum(&values)?).map_err(|_| EvalError::Overflow)?)),
        Fold::Avg if values.is_empty() => Ok(Json::Null),
        Fold::Avg if is_float => finite(float_sum(&values, values.len())),
        Fold::Avg => finite(integer_sum(&values)? as f64 / values.len() as f64),
        Fold::Min => Ok(extreme(values, Ordering::Less)),
        Fold::Max => Ok(extreme(values, Ordering::Greater)),
    }
}

fn integer_sum(values: &[Json]) -> Result<i128, EvalError> {
    let integers = values.iter().filter_map(Number::of).map(|x| x.integer().ok_or(EvalError::Overflow));
    integers.map(|x| x.map(i128::from)).sum()
}

/// Returns the sum of floats divided by a count. Where a part of the sum is past the largest number, the sum of values
/// is taken that are smaller by a power of two, so that the order does not matter.
fn float_sum(values: &[Json], count: usize) -> f64 {
    const SMALLER: f64 = 1.0 / (1_u128 << 100) as f64;
    let floats = || values.iter().filter_map(Number::of).map(Number::float);
    let sum = compensated(floats());
    if sum.is_finite() {
        return sum / count as f64;
    }
    let all = compensated(floats().map(|x| x * SMALLER)) / count as f64 / SMALLER;
    // No mean of finite numbers is past the largest, but it may be rounded to there.
    if count > 1 && floats().all(f64::is_finite) { all.clamp(f64::MIN, f64::MAX) } else { all }
}

/// Sums with Neumaier's compensation.
fn compensated(values: impl Iterator<Item = f64>) -> f64 {
    let (mut sum, mut lost) = (0.0_f64, 0.0_f64);
    for x in values {
        let next = sum + x;
        lost += if sum.abs() >= x.abs() { (sum - next) + x } else { (x - next) + sum };
        sum = next;
    }
    sum + lost
}

fn finite(x: f64) -> Result<Json, EvalError> {
    if x.is_finite() { Ok(Json::Real(x)) } else { Err(EvalError::Overflow) }
}

/// Returns the value that is `wanted` than every other; the first of equal ones.
fn extreme(values: Vec<Json>, wanted: Ordering) -> Json {
    let better = |best: Json, x: Json| if order(&x, &best) == Some(wanted) { x } else { best };
    values.into_iter().reduce(better).unwrap_or(Json::Null)
}
