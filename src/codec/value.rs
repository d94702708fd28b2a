//! Operands: values of a query rather than documents, encoded by the same codec as what they are compared with.

use serde::Serialize;

use crate::ir::value::Value;

use super::MAX_LEN;
use super::decode::decode;
use super::element::{self, Element, Kind, Open};
use super::encode::encode_operand;
use super::error::{CodecError, Fault};

/// Returns what a value is stored as: scalars by themselves, arrays and objects as JSONB.
pub(crate) fn encode_value<T: Serialize + ?Sized>(value: &T) -> Result<Value, CodecError> {
    let bytes = encode_operand(value)?;
    Ok(match Element::whole(&bytes).map_err(Fault::into_error)?.kind {
        Kind::Null => Value::Null,
        Kind::True => Value::Bool(true),
        Kind::False => Value::Bool(false),
        Kind::Int | Kind::Int5 => Value::Int(decode(&bytes, None)?),
        Kind::Float | Kind::Float5 => Value::Real(decode(&bytes, None)?),
        Kind::Text | Kind::TextJ | Kind::Text5 | Kind::TextRaw => {
            Value::Text(decode::<String>(&bytes, None)?.into())
        }
        Kind::Array | Kind::Object => Value::Json(bytes.into()),
    })
}

/// Appends the JSONB array of a list of values. After an error `out` is as it was.
pub(crate) fn encode_list(values: &[Value], out: &mut Vec<u8>) -> Result<(), CodecError> {
    let start = out.len();
    push_list(values, start, out).map_err(|fault| {
        out.truncate(start);
        fault.into_error()
    })
}

/// Appends a value as one JSONB element. After an error `out` is as it was.
pub(crate) fn encode_element(value: &Value, out: &mut Vec<u8>) -> Result<(), CodecError> {
    let start = out.len();
    push_value(value, start, out).map_err(|fault| {
        out.truncate(start);
        fault.into_error()
    })
}

fn push_list(values: &[Value], start: usize, out: &mut Vec<u8>) -> Result<(), Fault> {
    let open = Open::new(out, 3);
    for (index, value) in (0..).zip(values) {
        push_value(value, start, out).map_err(|fault| fault.at_index(index))?;
    }
    open.close(out, Kind::Array);
    Ok(())
}

fn push_value(value: &Value, start: usize, out: &mut Vec<u8>) -> Result<(), Fault> {
    match value {
        Value::Null => element::push(out, Kind::Null, &[]),
        Value::Bool(true) => element::push(out, Kind::True, &[]),
        Value::Bool(false) => element::push(out, Kind::False, &[]),
        Value::Int(value) => element::push(out, Kind::Int, itoa::Buffer::new().format(*value).as_bytes()),
        Value::Real(value) if value.is_finite() => {
            element::push(out, Kind::Float, zmij::Buffer::new().format_finite(*value).as_bytes());
        }
        Value::Real(_) => return Err(Fault::not_finite()),
        Value::Text(text) => element::push(out, Kind::TextRaw, text.as_bytes()),
        Value::Json(bytes) => out.extend_from_slice(bytes),
        Value::List(values) => push_list(values, start, out)?,
    }
    let len = out.len() - start;
    if len > MAX_LEN { Err(Fault::too_large(len)) } else { Ok(()) }
}
