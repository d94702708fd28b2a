//! Checked arithmetic: a result outside its type, and a division by zero, are errors that name the expression.

use rusqlite::Result;
use rusqlite::functions::Context;
use rusqlite::types::{ToSqlOutput, Value, ValueRef};

use super::{NULL, Number, Output, Scalar, number_arg, text_arg};
use crate::store::error::Reported;

pub(super) const FUNCTIONS: &[Scalar] = &[
    ("vellum_add", 4, |c| binary(c, Op::Add)),
    ("vellum_sub", 4, |c| binary(c, Op::Sub)),
    ("vellum_mul", 4, |c| binary(c, Op::Mul)),
    ("vellum_div", 4, |c| binary(c, Op::Div)),
    ("vellum_rem", 4, |c| binary(c, Op::Rem)),
    ("vellum_neg", 3, |c| unary(c, |a| Exact::Int(-a), |a| -a)),
    ("vellum_abs", 3, |c| unary(c, |a| Exact::Int(a.abs()), f64::abs)),
    ("vellum_cast", 3, cast_of),
    ("vellum_increment", 5, increment),
    ("vellum_json_number", 1, |c| Ok(number_arg(c, 0).map_or(NULL, json_text))),
];

/// The type of a result.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Type {
    /// Within these bounds, which lie within `i64`: nothing else can be stored.
    Int {
        least: i64,
        most: i64,
    },
    F32,
    F64,
}

/// A result before it is checked.
enum Exact {
    Int(i128),
    Real(f64),
}

#[derive(Clone, Copy)]
enum Op {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
}

impl Type {
    pub(super) fn named(name: &str) -> Result<Self> {
        let int = |least, most| Ok(Type::Int { least, most });
        match name {
            "i8" => int(i8::MIN.into(), i8::MAX.into()),
            "i16" => int(i16::MIN.into(), i16::MAX.into()),
            "i32" => int(i32::MIN.into(), i32::MAX.into()),
            "i64" | "i128" | "isize" => int(i64::MIN, i64::MAX),
            "u8" => int(0, u8::MAX.into()),
            "u16" => int(0, u16::MAX.into()),
            "u32" => int(0, u32::MAX.into()),
            "u64" | "u128" | "usize" => int(0, i64::MAX),
            "f32" => Ok(Type::F32),
            "f64" => Ok(Type::F64),
            other => Err(rusqlite::Error::UserFunctionError(format!("no number type `{other}`").into())),
        }
    }

    /// Returns the result as this type holds it, `None` when it does not.
    fn hold(self, exact: Exact) -> Option<Number> {
        match (self, exact) {
            (Type::Int { least, most }, Exact::Int(int)) => {
                let int = i64::try_from(int).ok()?;
                (least..=most).contains(&int).then_some(Number::Int(int))
            }
            (Type::Int { .. }, Exact::Real(real)) => self.hold(Exact::Int(whole(real)?)),
            (Type::F64, Exact::Int(int)) => Some(Number::Real(int as f64)),
            (Type::F32, Exact::Int(int)) => round_to_f32(int as f64).map(Number::Real),
            (Type::F64, Exact::Real(real)) => real.is_finite().then_some(Number::Real(real)),
            (Type::F32, Exact::Real(real)) => round_to_f32(real).map(Number::Real),
        }
    }
}

/// Returns a real without a fraction as the integer that it is.
pub(super) fn whole(real: f64) -> Option<i128> {
    // 2^100 and more are outside every type; below, the cast is exact.
    (real.fract() == 0.0 && real.abs() < 1e30).then_some(real as i128)
}

/// Returns the double that reads as the nearest `f32` does in its shortest decimal form, which is how one is stored.
pub(super) fn round_to_f32(real: f64) -> Option<f64> {
    let single = real as f32;
    if !single.is_finite() {
        return None;
    }
    zmij::Buffer::new().format_finite(single).parse().ok()
}

/// Calls `f` with the type and the expression, which are the last two arguments.
fn checked(
    context: &Context<'_>,
    first: usize,
    f: impl FnOnce(Type, &str) -> Result<Option<Number>>,
) -> Output {
    let (Some(name), Some(expr)) = (text_arg(context, first)?, text_arg(context, first + 1)?) else {
        return Ok(NULL);
    };
    let number = f(Type::named(name)?, expr)?;
    Ok(number.ok_or_else(|| Reported::Overflow { expr }.into_error())?.into_output())
}

fn binary(context: &Context<'_>, op: Op) -> Output {
    let Some((a, b)) = number_arg(context, 0).zip(number_arg(context, 1)) else { return Ok(NULL) };
    operate(context, op, a, b)
}

/// Returns what a field holds plus a number: nothing counts as zero, and a value of another kind is an error, of which
/// the last argument is the message.
fn increment(context: &Context<'_>) -> Output {
    let held = match (context.get_raw(0), number_arg(context, 0)) {
        (ValueRef::Null, _) => Number::Int(0),
        (_, Some(number)) => number,
        _ => {
            let message = text_arg(context, 4)?.unwrap_or_default();
            return Err(Reported::TypeMismatch { message }.into_error());
        }
    };
    let Some(by) = number_arg(context, 1) else { return Ok(NULL) };
    operate(context, Op::Add, held, by)
}

/// Returns the result of an operation in the type that the third argument names.
fn operate(context: &Context<'_>, op: Op, a: Number, b: Number) -> Output {
    checked(context, 2, |ty, expr| {
        if matches!(op, Op::Div | Op::Rem) && b.to_f64() == 0.0 {
            return Err(Reported::DivisionByZero { expr }.into_error());
        }
        Ok(ty.hold(match (ty, a, b) {
            (Type::Int { .. }, Number::Int(a), Number::Int(b)) => {
                // Neither overflows 128 bits; b is not zero where it divides.
                let (a, b) = (i128::from(a), i128::from(b));
                Exact::Int(match op {
                    Op::Add => a + b,
                    Op::Sub => a - b,
                    Op::Mul => a * b,
                    Op::Div => a / b,
                    Op::Rem => a % b,
                })
            }
            (Type::F32, a, b) => Exact::Real(real(op, a.to_f64() as f32, b.to_f64() as f32).into()),
            (_, a, b) => Exact::Real(real(op, a.to_f64(), b.to_f64())),
        }))
    })
}

fn real<T>(op: Op, a: T, b: T) -> T
where
    T: std::ops::Add<Output = T>
        + std::ops::Sub<Output = T>
        + std::ops::Mul<Output = T>
        + std::ops::Div<Output = T>
        + std::ops::Rem<Output = T>,
{
    match op {
        Op::Add => a + b,
        Op::Sub => a - b,
        Op::Mul => a * b,
        Op::Div => a / b,
        Op::Rem => a % b,
    }
}

fn unary(context: &Context<'_>, of_int: fn(i128) -> Exact, of_real: fn(f64) -> f64) -> Output {
    let Some(a) = number_arg(context, 0) else { return Ok(NULL) };
    checked(context, 1, |ty, _| {
        Ok(ty.hold(match (ty, a) {
            (Type::Int { .. }, Number::Int(int)) => of_int(int.into()),
            // A float that is stored as an integer is still a float: the negative of its zero has a sign.
            (_, number) => Exact::Real(of_real(number.to_f64())),
        }))
    })
}

/// Returns a number as JSON that reads back as the same bits: SQLite itself writes -0.0 without its sign.
fn json_text(number: Number) -> ToSqlOutput<'static> {
    ToSqlOutput::Owned(Value::Text(match number {
        Number::Int(int) => int.to_string(),
        // Arithmetic lets no other through.
        Number::Real(real) if real.is_finite() => zmij::Buffer::new().format_finite(real).to_owned(),
        Number::Real(_) => return NULL,
    }))
}

/// A real becomes an integer toward zero, as in Rust, but not by saturating.
fn cast_of(context: &Context<'_>) -> Output {
    let Some(a) = number_arg(context, 0) else { return Ok(NULL) };
    checked(context, 1, |ty, _| {
        Ok(ty.hold(match (ty, a) {
            (_, Number::Int(int)) => Exact::Int(int.into()),
            (Type::Int { .. }, Number::Real(real)) => Exact::Real(real.trunc()),
            (_, Number::Real(real)) => Exact::Real(real),
        }))
    })
}
