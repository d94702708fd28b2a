//! `uuid::Uuid` as a field, an operand and a key.
//!
//! Serde writes a uuid as hyphenated text in lower case, which sorts as its bytes do. It reads other spellings, too, as
//! another program may have stored them: queries and the column of a key see them all as that text.

use uuid::Uuid;

use crate::api::document::{DocId, KeyKind};
use crate::api::expr::Expr;
use crate::api::param::{Argument, ParamType};
use crate::api::param_field::ParamField;
use crate::api::sealed::Sealed;
use crate::api::value::{Ordered, Scalar, Value};
use crate::compile::OperandError;
use crate::ir;
use crate::ir::types::Type;

fn text(uuid: &Uuid) -> Box<str> {
    let mut buffer = Uuid::encode_buffer();
    (*uuid.hyphenated().encode_lower(&mut buffer)).into()
}

impl Value for Uuid {
    type Core = Uuid;
    type Sym = Expr<Uuid>;
    type OptSym = Expr<Option<Uuid>>;
    const TYPE: Type = Type::Uuid;
}

impl Sealed for Uuid {}

impl Scalar for Uuid {
    fn to_value(&self) -> Result<ir::value::Value, OperandError> {
        Ok(ir::value::Value::Text((*text(self)).into()))
    }
}

impl Ordered for Uuid {}

impl ParamField for Uuid {
    type Type = Uuid;

    fn argument(&self) -> Result<Argument<'_>, OperandError> {
        Ok(Argument::Owned(text(self)))
    }
}

impl ParamType for Uuid {
    type Arg<'a> = Uuid;
    const TYPE: Type = Type::Uuid;

    fn argument<'x, 'a: 'x>(argument: &'x Uuid) -> Result<Argument<'x>, OperandError> {
        ParamField::argument(argument)
    }
}

impl DocId for Uuid {
    const KIND: KeyKind = KeyKind::Uuid;

    fn as_key(&self) -> Uuid {
        *self
    }

    fn unset() -> Option<Self> {
        Some(Uuid::nil())
    }

    fn of_row(_: i64) -> Option<Self> {
        None
    }

    fn generate() -> Option<Self> {
        Some(Uuid::now_v7())
    }

    fn row_id(&self) -> Option<i64> {
        None
    }

    fn words(&self) -> String {
        self.to_string()
    }
}
