//! What a field of a `#[derive(Params)]` struct gives to a call.
//!
//! A [`ParamType`] is called with one borrowed form. A struct may own its fields or borrow them, so here it is the
//! field's type that says which parameter it stands for.

use crate::api::param::{Argument, Arguments, ParamType};
use crate::compile::OperandError;
use crate::error::Result;

/// The types that a field of a `#[derive(Params)]` struct can have.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a query parameter",
    label = "not a parameter type",
    note = "parameters are numbers, bools, text, and lists and `Option`s of these, owned or borrowed"
)]
pub trait ParamField {
    /// The parameter's type: `String` for `&str`, `Vec<i64>` for `&[i64]`.
    type Type: ParamType;

    /// Returns the field as an argument.
    ///
    /// # Errors
    /// `OutOfRange` for an integer outside `i64`, `NotFinite` for NaN and the infinities.
    fn argument(&self) -> Result<Argument<'_>, OperandError>;
}

/// Adds a field as the argument of the next slot.
///
/// # Errors
/// Those of [`ParamField::argument`].
pub fn push_argument<'x, F: ParamField>(out: &mut Arguments<'x>, field: &'x F) -> Result<()> {
    out.push(field.argument())
}

macro_rules! scalars {
    ($($rust:ty)*) => { $(
        impl ParamField for $rust {
            type Type = $rust;

            fn argument(&self) -> Result<Argument<'_>, OperandError> {
                <$rust as ParamType>::argument(self)
            }
        }
    )* };
}

scalars! { bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 }

impl ParamField for str {
    type Type = String;

    fn argument(&self) -> Result<Argument<'_>, OperandError> {
        Ok(Argument::Text(self))
    }
}

impl ParamField for String {
    type Type = String;

    fn argument(&self) -> Result<Argument<'_>, OperandError> {
        self.as_str().argument()
    }
}

impl<T: ParamField> ParamField for [T] {
    type Type = Vec<T::Type>;

    fn argument(&self) -> Result<Argument<'_>, OperandError> {
        Ok(Argument::List(self.iter().map(T::argument).collect::<Result<_, _>>()?))
    }
}

impl<T: ParamField> ParamField for Vec<T> {
    type Type = Vec<T::Type>;

    fn argument(&self) -> Result<Argument<'_>, OperandError> {
        self.as_slice().argument()
    }
}

impl<T: ParamField> ParamField for Option<T> {
    type Type = Option<T::Type>;

    fn argument(&self) -> Result<Argument<'_>, OperandError> {
        self.as_ref().map_or(Ok(Argument::Null), T::argument)
    }
}

impl<T: ParamField + ?Sized> ParamField for &T {
    type Type = T::Type;

    fn argument(&self) -> Result<Argument<'_>, OperandError> {
        T::argument(self)
    }
}
