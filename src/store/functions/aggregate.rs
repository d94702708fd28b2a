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

/// From this magnitude on, 2^900, a real is summed at a smaller scale: 2^64 smaller ones stay below infinity.
const LARGE: f64 = f64::from_bits((1_023 + 900) << 52);

/// The scale of large reals, 2^-128.
const SCALE: f64 = f64::from_bits((1_023 - 128) << 52);

/// A running total. Whether it can be told does not depend on the order, in which a part may be past the largest number.
#[derive(Clone, Copy, Debug, Default)]
struct Total {
    ints: i128,
    reals: Reals,
    /// Of large reals, by [`SCALE`].
    large: Reals,
    has_reals: bool,
    count: u64,
}

/// A running total of reals.
#[derive(Clone, Copy, Debug, Default)]
struct Reals {
    sum: f64,
    /// What the additions have lost (Neumaier).
    lost: f64,
}

impl Reals {
    fn add(&mut self, real: f64) {
        let sum = self.sum + real;
        self.lost +=
            if self.sum.abs() >= real.abs() { (self.sum - sum) + real } else { (real - sum) + self.sum };
        self.sum = sum;
    }

    fn total(self) -> f64 {
        self.sum + self.lost
    }
}

impl Total {
    fn add(&mut self, number: Number) {
        self.count += 1;
        match number {
            // 2^64 values of 64 bits fit.
            Number::Int(int) => self.ints += i128::from(int),
            Number::Real(real) => {
                match real.abs() >= LARGE {
                    true => self.large.add(real * SCALE),
                    false => self.reals.add(real),
                }
                self.has_reals = true;
            }
        }
    }

    /// Returns the total divided by a number that is at least 1.
    fn over(self, divisor: f64) -> f64 {
        let small = if self.has_reals { self.ints as f64 + self.reals.total() } else { self.ints as f64 };
        if self.large.total() == 0.0 {
            return small / divisor;
        }
        let mut all = self.large;
        all.add(small * SCALE);
        all.total() / divisor / SCALE
    }

    /// Returns the mean of what was added, which no mean of finite numbers leaves; none of nothing.
    fn mean(self) -> Option<f64> {
        let mean = (self.count > 0).then(|| self.over(self.count as f64))?;
        Some(if self.large.sum.is_finite() { mean.clamp(f64::MIN, f64::MAX) } else { mean })
    }

    /// Returns the total as an integer of 64 bits, `None` when it is not one.
    fn to_i64(self) -> Option<i64> {
        if self.large.total() != 0.0 {
            return None;
        }
        let reals = if self.has_reals { whole(self.reals.total())? } else { 0 };
        i64::try_from(self.ints.checked_add(reals)?).ok()
    }

    fn of_type(self, ty: Type) -> Option<Number> {
        match ty {
            Type::Int { .. } => self.to_i64().map(Number::Int),
            Type::F32 => round_to_f32(self.over(1.0)).map(Number::Real),
            Type::F64 => Some(self.over(1.0)).filter(|total| total.is_finite()).map(Number::Real),
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
        match total.and_then(Total::mean) {
            Some(mean) if mean.is_finite() => Ok(Number::Real(mean).into_output()),
            // A stranger's JSON holds numbers past the largest.
            Some(_) => Err(Reported::Overflow { expr: "avg" }.into_error()),
            None => Ok(NULL),
        }
    }
}
