//! What update closures return: assignments to stored fields.

use std::collections::{BTreeMap, HashMap, HashSet};

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::api::arena::{self, Extracted, Frame, Node};
use crate::api::expr::{Expr, Nullable, Term, beside, literal, refuse};
use crate::api::ops::Num;
use crate::api::param::Param;
use crate::api::sealed::Sealed;
use crate::api::tuples::each_tuple;
use crate::api::value::{Scalar, Symbol, Value};
use crate::codec::{self, CodecError};
use crate::compile::{CompileError, OperandError};
use crate::ir;
use crate::ir::doc::{Expr as Tree, OnNull};
use crate::ir::path::FieldPath;
use crate::ir::types::Type;

/// One change to a field of the documents that an update matches.
#[must_use = "return the assignment from the `update` closure"]
#[derive(Clone, Copy, Debug)]
pub struct Assignment {
    change: Change,
    field: Node,
    value: Node,
}

#[derive(Clone, Copy, Debug)]
enum Change {
    Set(OnNull),
    Unset,
    Increment,
}

impl Assignment {
    /// Returns the assignment of a value to a field; a value that cannot be is remembered as the query's error.
    pub(crate) fn set(field: Node, value: Result<Node, Refused>, ty: Type) -> Assignment {
        let value = value.unwrap_or_else(|refused| {
            arena::fail(refused.of(&arena::describe(field)));
            null(ty)
        });
        let field = arena::field_of(field);
        let on_null = arena::on_null(field);
        if on_null == OnNull::Refuse && arena::is_null(value) {
            refuse(
                format!("setting {} to null, which its type does not take,", arena::describe(field)),
                "set the struct around it, or give a value",
            );
        }
        Assignment { change: Change::Set(on_null), field, value }
    }

    /// Returns the removal of a field.
    pub(crate) fn unset(field: Node) -> Assignment {
        let field = arena::field_of(field);
        if arena::on_null(field) == OnNull::Refuse && !arena::has_default(field) {
            refuse(
                format!("removing {}, which its type cannot do without,", arena::describe(field)),
                "remove the struct around it",
            );
        }
        Assignment { change: Change::Unset, field, value: field }
    }

    /// Takes the field and the value out of the arena.
    pub(crate) fn extract(&self, frame: &Frame, first_constant: usize) -> Extracted {
        if arena::is_in_variant(self.field) {
            arena::fail(CompileError::Unsupported {
                what: format!("assigning {}, which is a part of an enum,", arena::describe(self.field)),
                instead: "assign the whole enum".to_owned(),
            });
        }
        let pair = arena::push(Tree::Tuple(vec![self.field.id(), self.value.id()]));
        frame.finish(pair, first_constant)
    }

    /// Returns the change over an extracted lambda.
    pub(crate) fn with(&self, lambda: ir::doc::Lambda) -> ir::doc::Assignment {
        match self.change {
            Change::Set(on_null) => ir::doc::Assignment::Set(lambda, on_null),
            Change::Unset => ir::doc::Assignment::Unset(lambda),
            Change::Increment => ir::doc::Assignment::Increment(lambda),
        }
    }
}

/// What can be assigned to a field of type `T`: a value, an expression or a parameter. Sealed.
#[diagnostic::on_unimplemented(
    message = "cannot set a `{T}` field to `{Self}`",
    label = "expected a `{T}` value, expression or parameter"
)]
pub trait Assign<T>: Sealed {
    #[doc(hidden)]
    fn assign(self) -> Result<Node, Refused>;
}

/// Why a value cannot be assigned.
#[derive(Debug)]
pub enum Refused {
    /// A scalar that is no operand.
    Operand(OperandError),
    /// A list or struct that cannot be stored.
    Codec(CodecError),
}

impl Refused {
    /// Returns the error for the field that `field` describes.
    fn of(self, field: &str) -> CompileError {
        let inside = |path: &FieldPath| match path.is_root() {
            true => field.to_owned(),
            false => format!("{field}, at `{path}` in it"),
        };
        match self {
            Refused::Operand(error) => error.of(field),
            Refused::Codec(CodecError::NotFinite { path }) => {
                CompileError::NotFinite { operand: inside(&path) }
            }
            Refused::Codec(CodecError::OutOfRange { path, value, .. }) => {
                CompileError::OutOfRange { operand: inside(&path), value: value.into() }
            }
            Refused::Codec(CodecError::Custom { path, message }) => CompileError::Unsupported {
                what: format!("{} set to a value that cannot be stored ({message})", inside(&path)),
                instead: "set one that can".to_owned(),
            },
            Refused::Codec(error) => CompileError::Unsupported {
                what: format!("{field} set to a value that cannot be stored ({error})"),
                instead: "set one that can".to_owned(),
            },
        }
    }
}

/// Returns why a value that the codec refused is no operand.
pub(crate) fn not_an_operand(error: CodecError) -> OperandError {
    match error {
        CodecError::NotFinite { .. } => OperandError::NotFinite,
        CodecError::OutOfRange { value, .. } => OperandError::OutOfRange(value.into()),
        CodecError::Custom { message, .. } => OperandError::Refused(message.into()),
        other => OperandError::Refused(other.to_string()),
    }
}

fn scalar<T: Scalar>(value: &T) -> Result<Node, Refused> {
    literal(value).map_err(Refused::Operand)
}

fn null(ty: Type) -> Node {
    arena::constant(ir::value::Value::Null, ty)
}

impl<T: Scalar> Assign<T> for T {
    fn assign(self) -> Result<Node, Refused> {
        scalar(&self)
    }
}

// The only impl for `Option<_>`, so that `set(None)` is inferred.
impl<T: Scalar> Assign<Option<T>> for Option<T> {
    fn assign(self) -> Result<Node, Refused> {
        self.as_ref().map_or_else(|| Ok(null(T::TYPE)), scalar)
    }
}

impl<T: Scalar> Assign<Option<T>> for T {
    fn assign(self) -> Result<Node, Refused> {
        scalar(&self)
    }
}

impl Assign<String> for &str {
    fn assign(self) -> Result<Node, Refused> {
        Ok(arena::constant(ir::value::Value::Text(self.into()), Type::Text))
    }
}

impl Assign<Option<String>> for &str {
    fn assign(self) -> Result<Node, Refused> {
        Ok(arena::constant(ir::value::Value::Text(self.into()), Type::Text))
    }
}

impl<T> Assign<T> for Param<T> {
    fn assign(self) -> Result<Node, Refused> {
        Ok(self.node())
    }
}

impl<T> Assign<T> for Expr<T> {
    fn assign(self) -> Result<Node, Refused> {
        Ok(self.raw())
    }
}

impl<T> Assign<Option<T>> for Expr<T> {
    fn assign(self) -> Result<Node, Refused> {
        Ok(self.raw())
    }
}

/// Adds a list or struct, encoded as the field's own codec would.
fn whole<T: Serialize>(value: &T, ty: Type) -> Result<Node, Refused> {
    Ok(arena::constant(codec::encode_value(value).map_err(Refused::Codec)?, ty))
}

macro_rules! containers {
    ($([$($generics:tt)*] $rust:ty;)*) => { $(
        impl<$($generics)*> Assign<$rust> for $rust {
            fn assign(self) -> Result<Node, Refused> {
                whole(&self, <$rust>::TYPE)
            }
        }
    )* };
}

containers! {
    [T: Value + Serialize] Vec<T>;
    [T: Value + Serialize + Eq + std::hash::Hash] HashSet<T>;
    [V: Serialize + DeserializeOwned + 'static] HashMap<String, V>;
    [V: Serialize + DeserializeOwned + 'static] BTreeMap<String, V>;
    [] serde_json::Value;
    [] serde_json::Map<String, serde_json::Value>;
}

impl<T: Value> Expr<T> {
    /// Stores the value in the field, whatever was there; `None` under a key of a map removes the key.
    ///
    /// In an optional struct that is null or missing there is no field to store it in, and a value that turns out to be
    /// null does not fit a field that is no option: the update is a `TypeMismatch` then, and nothing changes.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// assert_eq!(notes.update_many(|n| n.id.eq(1), |n| (n.text.set("done"), n.stars.set(None)))?, 1);
    /// assert_eq!(notes.update_many(|n| n.id.eq(1), |n| n.text.set("done"))?, 0); // no byte changed
    /// # Ok(())
    /// # }
    /// ```
    pub fn set(self, value: impl Assign<T>) -> Assignment {
        Assignment::set(self.raw(), value.assign(), T::TYPE)
    }
}

impl<T: Value> Expr<Option<T>> {
    /// Removes the field; a document without it is unchanged.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// assert_eq!(notes.query().update(|n| n.stars.unset())?, 3);
    /// assert_eq!(notes.filter(|n| n.stars.is_none()).count()?, 3);
    /// # Ok(())
    /// # }
    /// ```
    pub fn unset(self) -> Assignment {
        Assignment::unset(self.raw())
    }
}

impl<T: Value> Expr<T> {
    /// Adds to the number in the field; null and missing count as zero, another kind is an error.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// notes.query().update(|n| n.stars.increment(1))?;
    /// assert_eq!(notes.query().select(|n| n.stars).to_vec()?, [Some(3), Some(1), Some(6)]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn increment(self, by: impl Term<T>) -> Assignment
    where
        T: Num,
    {
        let value = beside(self.raw(), by.term());
        Assignment { change: Change::Increment, field: arena::field_of(self.raw()), value }
    }
}

/// Nested structs, as wholes.
impl<F: Symbol> Nullable<F>
where
    F::Out: Value + Serialize,
{
    /// Stores the struct, or null for `None`, whatever was there.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/shop.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let orders = orders()?;
    /// orders.update_many(|o| o.id.eq(2), |o| o.bill_to.set(Some(Address { city: "Bern".into(), zip: None })))?;
    /// assert_eq!(orders.filter(|o| o.bill_to.city.eq("Bern")).count()?, 1);
    /// # Ok(())
    /// # }
    /// ```
    pub fn set(self, value: Option<F::Out>) -> Assignment {
        let value = match value {
            Some(value) => whole(&value, Type::Object),
            None => Ok(null(Type::Object)),
        };
        Assignment::set(self.node(), value, Type::Object)
    }

    /// Removes the struct; a document without it is unchanged.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/shop.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let orders = orders()?;
    /// orders.query().update(|o| o.bill_to.unset())?;
    /// assert_eq!(orders.filter(|o| o.bill_to.is_none()).count()?, 2);
    /// # Ok(())
    /// # }
    /// ```
    pub fn unset(self) -> Assignment {
        Assignment::unset(self.node())
    }
}

/// Assigning a nested struct as a whole: `o.address.set(Address { .. })`. Implemented for the fields of every
/// `#[derive(Embed)]` struct.
///
/// ```
/// use serde::{Deserialize, Serialize};
/// use vellum::prelude::*;
///
/// #[derive(Embed, Serialize, Deserialize)]
/// struct Place {
///     town: String,
/// }
///
/// #[derive(Document, Serialize, Deserialize)]
/// struct Shop {
///     id: i64,
///     place: Place,
/// }
///
/// # fn main() -> vellum::Result<()> {
/// let shops = Database::open_in_memory()?.collection::<Shop>()?;
/// shops.insert(Shop { id: 0, place: Place { town: "Bern".into() } })?;
/// assert_eq!(shops.query().update(|s| s.place.set(Place { town: "Oslo".into() }))?, 1);
/// assert_eq!(shops.filter(|s| s.place.town.eq("Oslo")).count()?, 1);
/// # Ok(())
/// # }
/// ```
pub trait StructFields: Symbol {
    /// Stores the struct in the field, whatever was there.
    fn set(self, value: Self::Out) -> Assignment
    where
        Self::Out: Value<Sym = Self> + Serialize,
    {
        Assignment::set(self.node(), whole(&value, Type::Object), Type::Object)
    }
}

impl<S: Symbol> StructFields for S where S::Out: Value<Sym = S, OptSym = Nullable<S>> {}

/// One assignment, a tuple or a `Vec` of them. Sealed.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a set of assignments",
    label = "expected `field.set(..)`, a tuple or a `Vec` of those"
)]
pub trait Assignments: Sealed {
    #[doc(hidden)]
    fn list(self) -> Vec<Assignment>;
}

impl Assignments for Assignment {
    fn list(self) -> Vec<Assignment> {
        vec![self]
    }
}

impl Assignments for Vec<Assignment> {
    fn list(self) -> Vec<Assignment> {
        self
    }
}

macro_rules! assignments {
    ($($T:ident $i:tt),+) => {
        impl<$($T: Assignments),+> Assignments for ($($T,)+) {
            fn list(self) -> Vec<Assignment> {
                let mut list = Vec::new();
                $( list.extend(self.$i.list()); )+
                list
            }
        }
    };
}

each_tuple!(1..=8, assignments);
