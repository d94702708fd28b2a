//! The operators that users see: methods by type, and `& | !  + - * / %`.

mod compare;
mod logic;
mod number;
mod option;
mod text;

pub(crate) use compare::UseComparisonMethods;
pub(crate) use compare::compare;
pub use number::Num;
pub use text::Text;
pub(crate) use text::call;
