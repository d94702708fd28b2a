//! What can stand in a document and in a row: the traits between Rust's types and the untyped tree.

use std::collections::{BTreeMap, HashMap, HashSet};

use serde::de::DeserializeOwned;

use crate::api::arena::{self, Node};
use crate::api::columns::Columns;
use crate::api::expr::Expr;
use crate::api::sealed::Sealed;
use crate::api::tuples::each_tuple;
use crate::compile::OperandError;
use crate::error::Result;
use crate::ir;
use crate::ir::types::Type;

/// The symbolic side of a row: an [`Expr`], a derived `EventFields`, or a tuple of those. An `EventFields` that is written
/// out in a closure is a row that is made of its members.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be selected",
    label = "not a query expression",
    note = "select expressions, whole documents, tuples of these, or a derived `XxxFields {{ .. }}`; wrap constants in `lit(..)` and parameters in `.expr()`"
)]
pub trait Symbol: Copy + 'static {
    /// The Rust type that a row of this shape is read as.
    type Out: Row;
    #[doc(hidden)]
    fn bind(node: Node) -> Self;
    #[doc(hidden)]
    fn node(self) -> Node;
}

/// Anything that a query can yield: scalars, nested values, whole documents, and tuples of these.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the result row of a query",
    label = "not a row type",
    note = "rows are scalars, `#[derive(Document)]` and `#[derive(Embed)]` types, and tuples of these"
)]
pub trait Row: Sized + 'static {
    /// Its symbolic side.
    type Sym: Symbol<Out = Self>;
    #[doc(hidden)]
    fn read(columns: &mut Columns<'_, '_>) -> Result<Self>;
}

/// A type that is stored at a path of a document.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be stored in a document field that is queried",
    label = "not a document value",
    note = "a struct of yours needs `#[derive(Embed)]`; for `usize` take `u64`; any other type that serde can store stays out of queries with `#[document(opaque)]` on the field"
)]
pub trait Value: DeserializeOwned + 'static {
    /// `T` for both `T` and `Option<T>`: what it is compared with.
    type Core: Value;
    /// Its symbolic side.
    type Sym: Symbol<Out = Self>;
    /// The symbolic side of `Option<Self>`.
    type OptSym: Symbol<Out = Option<Self>>;
    #[doc(hidden)]
    const TYPE: Type;
    #[doc(hidden)]
    const NULLABLE: bool = false;
}

/// A value that is one scalar: it can be a literal, a parameter, and one side of a comparison. Sealed.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a scalar",
    label = "only text, numbers and bools can be compared, sorted and given as operands",
    note = "whole lists and structs have no order and no equality: compare their fields or items"
)]
pub trait Scalar: Value<Core = Self> + Sealed {
    #[doc(hidden)]
    fn to_value(&self) -> Result<ir::value::Value, OperandError>;
}

/// Scalars whose stored form sorts as the value does.
///
/// A type whose stored form does not (a decimal kept as text, say) does not implement it: `lt`, `order_by`, `min`
/// and their like then do not compile, rather than sort wrongly.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no order in the database",
    label = "cannot be compared by size or sorted",
    note = "text, numbers and bools have an order; a list or struct has none: use one of its fields"
)]
pub trait Ordered: Scalar {}

impl<T: Value> Value for Option<T> {
    type Core = T::Core;
    type Sym = T::OptSym;
    type OptSym = NestedOption<Option<Option<T>>>;
    const TYPE: Type = T::TYPE;
    const NULLABLE: bool = true;
}

impl<T: Value> Row for T {
    type Sym = T::Sym;

    fn read(columns: &mut Columns<'_, '_>) -> Result<T> {
        columns.value()
    }
}

/// The symbolic side of `Option<Option<T>>`, which can be stored and read but not asked about.
#[derive(Debug)]
pub struct NestedOption<T>(Node, std::marker::PhantomData<fn() -> T>);

impl<T> Clone for NestedOption<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for NestedOption<T> {}

impl<T: Row> Symbol for NestedOption<T> {
    type Out = T;

    fn bind(node: Node) -> Self {
        Self(node, std::marker::PhantomData)
    }

    fn node(self) -> Node {
        self.0
    }
}

macro_rules! scalars {
    ($($rust:ty, $ty:ident, $x:ident => $value:expr;)*) => { $(
        impl Value for $rust {
            type Core = $rust;
            type Sym = Expr<$rust>;
            type OptSym = Expr<Option<$rust>>;
            const TYPE: Type = Type::$ty;
        }
        impl Scalar for $rust {
            fn to_value(&self) -> Result<ir::value::Value, OperandError> {
                let $x = self;
                $value
            }
        }
        impl Ordered for $rust {}
    )* };
}

scalars! {
    bool, Bool, x => Ok(ir::value::Value::Bool(*x));
    String, Text, x => Ok(ir::value::Value::Text(x.as_str().into()));
    i8, I8, x => Ok(ir::value::Value::Int((*x).into()));
    i16, I16, x => Ok(ir::value::Value::Int((*x).into()));
    i32, I32, x => Ok(ir::value::Value::Int((*x).into()));
    i64, I64, x => Ok(ir::value::Value::Int(*x));
    u8, U8, x => Ok(ir::value::Value::Int((*x).into()));
    u16, U16, x => Ok(ir::value::Value::Int((*x).into()));
    u32, U32, x => Ok(ir::value::Value::Int((*x).into()));
    u64, U64, x => i64::try_from(*x).map(ir::value::Value::Int).map_err(|_| OperandError::OutOfRange(x.to_string()));
    f32, F32, x => real(shortest(*x));
    f64, F64, x => real(*x);
}

fn real(x: f64) -> Result<ir::value::Value, OperandError> {
    if x.is_finite() { Ok(ir::value::Value::Real(x)) } else { Err(OperandError::NotFinite) }
}

/// Returns the `f64` that an `f32` is stored as: the one that its shortest decimal form names (rule 7). Where two
/// forms are as short and as near, it is the codec's.
pub(crate) fn shortest(x: f32) -> f64 {
    zmij::Buffer::new().format(x).parse().unwrap_or_else(|_| x.into())
}

macro_rules! containers {
    ($([$($generics:tt)*] $rust:ty, $ty:ident;)*) => { $(
        impl<$($generics)*> Value for $rust {
            type Core = $rust;
            type Sym = Expr<$rust>;
            type OptSym = Expr<Option<$rust>>;
            const TYPE: Type = Type::$ty;
        }
    )* };
}

containers! {
    [T: Value] Vec<T>, Array;
    [T: Value + Eq + std::hash::Hash] HashSet<T>, Array;
    [V: DeserializeOwned + 'static] HashMap<String, V>, Map;
    [V: DeserializeOwned + 'static] BTreeMap<String, V>, Map;
    [] serde_json::Map<String, serde_json::Value>, Map;
}

macro_rules! row {
    ($($T:ident $i:tt),+) => {
        impl<$($T: Row),+> Row for ($($T,)+) {
            type Sym = ($($T::Sym,)+);

            fn read(columns: &mut Columns<'_, '_>) -> Result<Self> {
                Ok(($($T::read(columns)?,)+))
            }
        }

        impl<$($T: Symbol),+> Symbol for ($($T,)+)
        where
            $($T::Out: Row<Sym = $T>),+
        {
            type Out = ($($T::Out,)+);

            fn bind(node: Node) -> Self {
                ($($T::bind(arena::push(ir::doc::Expr::Item { of: node.id(), index: $i })),)+)
            }

            fn node(self) -> Node {
                arena::push(ir::doc::Expr::Tuple(vec![$(self.$i.node().id()),+]))
            }
        }
    };
}

each_tuple!(1..=12, row);
