//! `vellum_sum` and `vellum_avg`: integers exactly, reals compensated, other kinds skipped.

use rusqlite::functions::{Aggregate, Context};
use rusqlite::types::ToSqlOutput;
use rusqlite::{Connection, Error, Result};

use super::number::{Type, round_to_f32, whole};
use super::{NULL, Number, Output, flags, number_arg, text_arg};
use crate::store::error::Reported;

pub(super) fn register(db: &Connection) -> Result<()> {
    db.create_aggregate_function("vellum_sum", 3, flags(), Sum)?;
    db.create_aggregate_function("vellum_avg", 1, flags(), Average)
}

/// A running total.
#[derive(Clone, Copy, Debug, Default)]
struct Total {
    ints: i128,
    reals: f64,
    /// What the additions to `reals` have lost (Neumaier).
    lost: f64,
    has_reals: bool,
    count: u64,
}

impl Total {
    fn add(&mut self, number: Number) {
        self.count += 1;
        match number {
            // 2^64 values of 64 bits fit.
            Number::Int(int) => self.ints += i128::from(int),
            Number::Real(real) => {
                let sum = self.reals + real;
                self.lost += if self.reals.abs() >= real.abs() {
                    (self.reals - sum) + real
                } else {
                    (real - sum) + self.reals
                };
                self.reals = sum;
                self.has_reals = true;
            }
        }
    }

    fn to_f64(self) -> f64 {
        let reals = self.reals + self.lost;
        if self.has_reals { self.ints as f64 + reals } else { self.ints as f64 }
    }

    /// Returns the total as an integer of 64 bits, `None` when it is not one.
    fn to_i64(self) -> Option<i64> {
        let reals = if self.has_reals { whole(self.reals + self.lost)? } else { 0 };
        i64::try_from(self.ints.checked_add(reals)?).ok()
    }

    fn of_type(self, ty: Type) -> Option<Number> {
        match ty {
            Type::Int { .. } => self.to_i64().map(Number::Int),
            Type::F32 => round_to_f32(self.to_f64()).map(Number::Real),
            Type::F64 => Some(self.to_f64()).filter(|total| total.is_finite()).map(Number::Real),
        }
    }
}

/// `vellum_sum(x, type, expr)`: zero for nothing, an error when the total of integers does not fit 64 bits.
struct Sum;

/// The total of a group; the type and the expression are those of its first row.
struct SumState {
    total: Total,
    ty: Type,
    expr: Box<str>,
}

impl Aggregate<SumState, ToSqlOutput<'static>> for Sum {
    fn init(&self, context: &mut Context<'_>) -> Result<SumState> {
        let (Some(ty), Some(expr)) = (text_arg(context, 1)?, text_arg(context, 2)?) else {
            return Err(Error::UserFunctionError("vellum_sum needs a type and an expression".into()));
        };
        Ok(SumState { total: Total::default(), ty: Type::named(ty)?, expr: expr.into() })
    }

    fn step(&self, context: &mut Context<'_>, state: &mut SumState) -> Result<()> {
        if let Some(number) = number_arg(context, 0) {
            state.total.add(number);
        }
        Ok(())
    }

    fn finalize(&self, _: &mut Context<'_>, state: Option<SumState>) -> Output {
        // SQLite does not hand the type of an empty group over; as a number the two zeros are one.
        let Some(SumState { total, ty, expr }) = state else { return Ok(Number::Int(0).into_output()) };
        let total = total.of_type(ty).ok_or_else(|| Reported::Overflow { expr: &expr }.into_error())?;
        Ok(total.into_output())
    }
}

/// `vellum_avg(x)`: NULL for nothing.
struct Average;

impl Aggregate<Total, ToSqlOutput<'static>> for Average {
    fn init(&self, _: &mut Context<'_>) -> Result<Total> {
        Ok(Total::default())
    }

    fn step(&self, context: &mut Context<'_>, total: &mut Total) -> Result<()> {
        if let Some(number) = number_arg(context, 0) {
            total.add(number);
        }
        Ok(())
    }

    fn finalize(&self, _: &mut Context<'_>, total: Option<Total>) -> Output {
        Ok(match total {
            Some(total) if total.count > 0 => Number::Real(total.to_f64() / total.count as f64).into_output(),
            _ => NULL,
        })
    }
}
