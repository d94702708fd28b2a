//! Numbers of rows, for `skip` and `take`.

use crate::api::param::Param;

/// A number of rows, as the builder has it.
#[derive(Debug)]
pub enum RowCountOf {
    /// A number.
    Constant(i64),
    /// A parameter's slot, or none when the parameter belongs to another query.
    Param(Option<u16>),
}

/// Row counts for `skip` and `take`: integers and `Param<u64>`. Sealed.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a row count",
    label = "expected an unsigned integer or a `Param<u64>`"
)]
pub trait RowCount {
    #[doc(hidden)]
    fn rows(self) -> RowCountOf;
}

macro_rules! row_counts {
    ($($count:ty)*) => { $(
        impl RowCount for $count {
            fn rows(self) -> RowCountOf {
                // Rule 6: counts are clamped to `i64::MAX`.
                RowCountOf::Constant(i64::try_from(self).unwrap_or(i64::MAX))
            }
        }
    )* };
}
row_counts!(i32 u32 u64 usize);

impl RowCount for Param<u64> {
    fn rows(self) -> RowCountOf {
        RowCountOf::Param(self.slot())
    }
}
