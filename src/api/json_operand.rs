//! What stands beside a [`Json`]: what it is compared with, what is stored in it, and JSON as an argument.

use serde_json::Value as JsonValue;

use crate::api::arena::{self, Node};
use crate::api::expr::{Expr, Nullable, beside, literal, refuse};
use crate::api::json::Json;
use crate::api::param::{Argument, Param, ParamType};
use crate::api::param_field::ParamField;
use crate::api::sealed::Sealed;
use crate::api::value::{Scalar, Symbol, Value};
use crate::api::write::{Assign, Refused, not_an_operand};
use crate::codec;
use crate::compile::OperandError;
use crate::ir;
use crate::ir::types::Type;

/// What a [`Json`] can be compared with: scalars, expressions and parameters of scalar types, and JSON that is one
/// scalar. Sealed.
#[diagnostic::on_unimplemented(
    message = "a JSON value cannot be compared with `{Self}`",
    label = "expected a text, a number, a bool, or an expression or parameter of one of these",
    note = "say first as what the value is seen: `.as_str()`, `.as_i64()`, `.as_f64()`, `.as_bool()`; test for null with `.is_none()`"
)]
pub trait JsonOperand: Sealed {
    /// Returns the operand and the type that the value beside it is seen as.
    #[doc(hidden)]
    fn json_operand(self, of: Node) -> (Node, Type);
}

macro_rules! literals {
    ($($rust:ty)*) => { $(
        impl JsonOperand for $rust {
            fn json_operand(self, of: Node) -> (Node, Type) {
                (&self).json_operand(of)
            }
        }

        impl JsonOperand for &$rust {
            fn json_operand(self, of: Node) -> (Node, Type) {
                (beside(of, literal(self)), <$rust as Value>::TYPE)
            }
        }
    )* };
}
literals! { bool String i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 }

impl JsonOperand for &str {
    fn json_operand(self, _: Node) -> (Node, Type) {
        (arena::constant(ir::value::Value::Text(self.into()), Type::Text), Type::Text)
    }
}

impl<T: Scalar> JsonOperand for Expr<T> {
    fn json_operand(self, _: Node) -> (Node, Type) {
        (self.raw(), T::TYPE)
    }
}

impl<T: Scalar> JsonOperand for Param<T> {
    fn json_operand(self, _: Node) -> (Node, Type) {
        (self.node(), T::TYPE)
    }
}

impl JsonOperand for &JsonValue {
    fn json_operand(self, of: Node) -> (Node, Type) {
        let refused = |what: &str, instead: &str| {
            refuse(format!("{} beside {what}", arena::describe(of)), instead);
            (arena::constant(ir::value::Value::Null, Type::Any), Type::Text)
        };
        match self {
            JsonValue::Bool(x) => x.json_operand(of),
            JsonValue::String(x) => x.json_operand(of),
            JsonValue::Number(x) => match (x.as_i64(), x.as_u64(), x.as_f64()) {
                (Some(x), _, _) => x.json_operand(of),
                (None, Some(x), _) => x.json_operand(of),
                (None, None, x) => x.unwrap_or(f64::NAN).json_operand(of),
            },
            JsonValue::Null => refused("a JSON null", "ask `is_none()` or `is_json_null()`"),
            JsonValue::Array(_) => refused("a whole array", "ask of its items by `as_array().any(..)`"),
            JsonValue::Object(_) => refused("a whole object", "compare what stands under its keys"),
        }
    }
}

impl JsonOperand for JsonValue {
    fn json_operand(self, of: Node) -> (Node, Type) {
        (&self).json_operand(of)
    }
}

impl<T: Scalar> Assign<JsonValue> for T {
    fn assign(self) -> Result<Node, Refused> {
        literal(&self).map_err(Refused::Operand)
    }
}

impl Assign<JsonValue> for &str {
    fn assign(self) -> Result<Node, Refused> {
        Assign::<String>::assign(self)
    }
}

impl<T: Scalar> Assign<JsonValue> for Expr<T> {
    fn assign(self) -> Result<Node, Refused> {
        Ok(self.raw())
    }
}

impl<T: Scalar> Assign<JsonValue> for Expr<Option<T>> {
    fn assign(self) -> Result<Node, Refused> {
        Ok(self.raw())
    }
}

impl Assign<JsonValue> for Json {
    fn assign(self) -> Result<Node, Refused> {
        Ok(self.node())
    }
}

impl Assign<JsonValue> for Nullable<Json> {
    fn assign(self) -> Result<Node, Refused> {
        Ok(self.node())
    }
}

/// JSON as an argument, for `set`.
impl ParamType for JsonValue {
    type Arg<'a> = &'a JsonValue;
    const TYPE: Type = Type::Any;

    fn argument<'x, 'a: 'x>(argument: &'x &'a JsonValue) -> Result<Argument<'x>, OperandError> {
        ParamField::argument(*argument)
    }
}

impl ParamField for JsonValue {
    type Type = JsonValue;

    fn argument(&self) -> Result<Argument<'_>, OperandError> {
        Ok(match self {
            JsonValue::Null => Argument::Null,
            JsonValue::Bool(x) => Argument::Bool(*x),
            JsonValue::String(x) => Argument::Text(x),
            value => Argument::Value(codec::encode_value(value).map_err(not_an_operand)?),
        })
    }
}
