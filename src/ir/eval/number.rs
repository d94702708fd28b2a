//! Numbers: exact comparison and checked arithmetic (rules 7 and 8).

use std::cmp::Ordering;

use super::EvalError;
use super::json::Json;
use crate::ir::doc::Arithmetic;
use crate::ir::types::Type;

/// A number of either form.
#[derive(Clone, Copy, Debug)]
pub(super) enum Number {
    Int(i64),
    Real(f64),
}

impl Number {
    pub(super) fn of(value: &Json) -> Option<Number> {
        match value {
            Json::Int(x) => Some(Number::Int(*x)),
            Json::Real(x) => Some(Number::Real(*x)),
            _ => None,
        }
    }

    /// Returns the integer that this is exactly, if it is one of `i64`.
    pub(super) fn integer(self) -> Option<i64> {
        match self {
            Number::Int(x) => Some(x),
            Number::Real(x) => (x.trunc() == x && fits_i64(x)).then_some(x as i64),
        }
    }

    /// Returns the nearest float.
    pub(super) fn float(self) -> f64 {
        match self {
            Number::Int(x) => x as f64,
            Number::Real(x) => x,
        }
    }

    /// Compares by value; an integer is never rounded.
    pub(super) fn compare(self, other: Number) -> Ordering {
        match (self, other) {
            (Number::Int(a), Number::Int(b)) => a.cmp(&b),
            (Number::Int(a), Number::Real(b)) => integer_and_float(a, b),
            (Number::Real(a), Number::Int(b)) => integer_and_float(b, a).reverse(),
            // Nothing that is stored is NaN.
            (Number::Real(a), Number::Real(b)) => a.partial_cmp(&b).unwrap_or(Ordering::Equal),
        }
    }
}

const TWO_TO_63: f64 = 9_223_372_036_854_775_808.0;

fn fits_i64(x: f64) -> bool {
    (-TWO_TO_63..TWO_TO_63).contains(&x)
}

fn integer_and_float(a: i64, b: f64) -> Ordering {
    if !fits_i64(b) {
        return if b > 0.0 { Ordering::Less } else { Ordering::Greater };
    }
    let fraction = b.fract().partial_cmp(&0.0).unwrap_or(Ordering::Equal);
    a.cmp(&(b.trunc() as i64)).then(fraction.reverse())
}

/// Computes; null where an operand is null or not a number.
pub(super) fn arithmetic(operation: Arithmetic, args: &[Json], ty: Type) -> Result<Json, EvalError> {
    let Some(args) = args.iter().map(Number::of).collect::<Option<Vec<Number>>>() else {
        return Ok(Json::Null);
    };
    match (operation, args.as_slice(), ty.integer_range()) {
        (Arithmetic::Cast, [x], Some(range)) => cut(*x, range),
        (_, [x], Some(range)) => integers(operation, whole(*x)?, 0, range),
        (_, [a, b], Some(range)) => integers(operation, whole(*a)?, whole(*b)?, range),
        (_, [x], None) => floats(operation, x.float(), 0.0, ty),
        (_, [a, b], None) => floats(operation, a.float(), b.float(), ty),
        _ => Ok(Json::Null),
    }
}

/// Returns the operand of integer arithmetic: a stored number that is no integer fits no integer type.
fn whole(x: Number) -> Result<i128, EvalError> {
    x.integer().map(i128::from).ok_or(EvalError::Overflow)
}

fn cut(x: Number, range: (i64, i64)) -> Result<Json, EvalError> {
    match x {
        Number::Int(x) => within(x.into(), range),
        // The conversion saturates, far outside every range.
        Number::Real(x) => within(x.trunc() as i128, range),
    }
}

fn within(x: i128, (low, high): (i64, i64)) -> Result<Json, EvalError> {
    let x = i64::try_from(x).map_err(|_| EvalError::Overflow)?;
    if (low..=high).contains(&x) { Ok(Json::Int(x)) } else { Err(EvalError::Overflow) }
}

fn integers(operation: Arithmetic, a: i128, b: i128, range: (i64, i64)) -> Result<Json, EvalError> {
    // No result of two `i64` leaves `i128`.
    let x = match operation {
        Arithmetic::Add => a + b,
        Arithmetic::Sub => a - b,
        Arithmetic::Mul => a * b,
        Arithmetic::Div => a.checked_div(b).ok_or(EvalError::DivisionByZero)?,
        Arithmetic::Rem => a.checked_rem(b).ok_or(EvalError::DivisionByZero)?,
        Arithmetic::Neg => -a,
        Arithmetic::Abs => a.abs(),
        Arithmetic::Cast => a,
    };
    within(x, range)
}

fn floats(operation: Arithmetic, a: f64, b: f64, ty: Type) -> Result<Json, EvalError> {
    if matches!(operation, Arithmetic::Div | Arithmetic::Rem) && b == 0.0 {
        return Err(EvalError::DivisionByZero);
    }
    let x = if ty == Type::F32 {
        // An `f32` is stored as the shortest decimal that reads back as it.
        let x = compute(operation, a as f32, b as f32);
        zmij::Buffer::new().format(x).parse().unwrap_or(f64::from(x))
    } else {
        compute(operation, a, b)
    };
    if x.is_finite() { Ok(Json::Real(x)) } else { Err(EvalError::Overflow) }
}

fn compute<F>(operation: Arithmetic, a: F, b: F) -> F
where
    F: std::ops::Add<Output = F>
        + std::ops::Sub<Output = F>
        + std::ops::Mul<Output = F>
        + std::ops::Div<Output = F>
        + std::ops::Rem<Output = F>
        + std::ops::Neg<Output = F>
        + PartialOrd
        + Default
        + Copy,
{
    match operation {
        Arithmetic::Add => a + b,
        Arithmetic::Sub => a - b,
        Arithmetic::Mul => a * b,
        Arithmetic::Div => a / b,
        Arithmetic::Rem => a % b,
        Arithmetic::Neg => -a,
        Arithmetic::Abs if a < F::default() => -a,
        Arithmetic::Abs => a + F::default(),
        Arithmetic::Cast => a,
    }
}
