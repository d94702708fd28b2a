//! `Bytes`: a field of bytes, stored as base64 text.

use std::fmt;
use std::ops::Deref;

use serde::de::{Deserialize, Deserializer, Error, Unexpected, Visitor};
use serde::ser::{Serialize, Serializer};

use crate::api::arena::{self, Node};
use crate::api::expr::{Expr, Operand};
use crate::api::list::Counted;
use crate::api::ops::{call, compare};
use crate::api::param::{Argument, ParamType};
use crate::api::param_field::ParamField;
use crate::api::sealed::Sealed;
use crate::api::value::{Scalar, Value};
use crate::codec::base64;
use crate::compile::OperandError;
use crate::ir;
use crate::ir::doc::{Comparison, Function};
use crate::ir::types::Type;

/// Bytes, stored as base64 text: the standard alphabet, with padding. A `Vec<u8>` is an array of numbers instead, of
/// about three times the size.
///
/// Bytes are equal where their texts are. They have no order: that of the texts is another one.
///
/// ```
/// use serde::{Deserialize, Serialize};
/// use vellum::Bytes;
/// use vellum::prelude::*;
///
/// #[derive(Document, Serialize, Deserialize)]
/// struct Blob {
///     id: i64,
///     hash: Bytes,
/// }
///
/// # fn main() -> vellum::Result<()> {
/// let blobs = Database::open_in_memory()?.collection::<Blob>()?;
/// blobs.insert(Blob { id: 0, hash: Bytes(vec![0xde, 0xad, 0xbe, 0xef]) })?;
/// let hash: &[u8] = &[0xde, 0xad, 0xbe, 0xef];
/// assert_eq!(blobs.filter(|b| b.hash.eq(hash) & b.hash.byte_len().eq(4)).count()?, 1);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Bytes(pub Vec<u8>);

/// Shows the bytes in hexadecimal digits.
impl fmt::Debug for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Bytes(")?;
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))?;
        f.write_str(")")
    }
}

impl Deref for Bytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}

impl AsRef<[u8]> for Bytes {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl From<Vec<u8>> for Bytes {
    fn from(bytes: Vec<u8>) -> Self {
        Bytes(bytes)
    }
}

impl From<&[u8]> for Bytes {
    fn from(bytes: &[u8]) -> Self {
        Bytes(bytes.to_vec())
    }
}

impl From<Bytes> for Vec<u8> {
    fn from(bytes: Bytes) -> Self {
        bytes.0
    }
}

impl Serialize for Bytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&base64::encode(&self.0))
    }
}

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(Base64)
    }
}

struct Base64;

impl Visitor<'_> for Base64 {
    type Value = Bytes;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("bytes as base64 text with padding")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Bytes, E> {
        base64::decode(text).map(Bytes).ok_or_else(|| E::invalid_value(Unexpected::Str(text), &self))
    }
}

impl Sealed for Bytes {}

impl Value for Bytes {
    type Core = Bytes;
    type Sym = Expr<Bytes>;
    type OptSym = Expr<Option<Bytes>>;
    const TYPE: Type = Type::Text;
}

fn stored(bytes: &[u8]) -> ir::value::Value {
    ir::value::Value::Text(base64::encode(bytes).into())
}

fn argument(bytes: &[u8]) -> Argument<'static> {
    Argument::Owned(base64::encode(bytes).into())
}

impl Scalar for Bytes {
    fn to_value(&self) -> Result<ir::value::Value, OperandError> {
        Ok(stored(&self.0))
    }
}

impl Operand<Bytes> for &[u8] {
    fn operand(self) -> Result<Node, OperandError> {
        Ok(arena::constant(stored(self), Type::Text))
    }
}

impl<const N: usize> Operand<Bytes> for &[u8; N] {
    fn operand(self) -> Result<Node, OperandError> {
        self.as_slice().operand()
    }
}

impl Operand<Bytes> for &Vec<u8> {
    fn operand(self) -> Result<Node, OperandError> {
        self.as_slice().operand()
    }
}

impl ParamType for Bytes {
    type Arg<'a> = &'a [u8];
    const TYPE: Type = Type::Text;

    fn argument<'x, 'a: 'x>(argument: &'x &'a [u8]) -> Result<Argument<'x>, OperandError> {
        Ok(self::argument(argument))
    }
}

impl ParamField for Bytes {
    type Type = Bytes;

    fn argument(&self) -> Result<Argument<'_>, OperandError> {
        Ok(argument(&self.0))
    }
}

fn byte_len(of: Node) -> Node {
    call(Function::BytesLen, of, [])
}

macro_rules! bytes {
    ($($bytes:ty, $len:ty;)*) => { $(
        impl Expr<$bytes> {
            /// Returns the number of bytes; null where the stored text is no base64 by its length.
            pub fn byte_len(self) -> Expr<$len> {
                Expr::new(byte_len(self.raw()))
            }
        }

        impl Counted for $bytes {
            type Len = $len;

            fn len_node(of: Node) -> Node {
                byte_len(of)
            }

            fn is_empty_node(of: Node) -> Node {
                compare(Comparison::Eq, of, "".operand()).raw()
            }
        }
    )* };
}
bytes! { Bytes, u64; Option<Bytes>, Option<u64>; }
