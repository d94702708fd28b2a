//! Parameters: holes that a call of a compiled query fills.

use std::marker::PhantomData;

use smallvec::SmallVec;

use crate::api::arena::{self, Node};
use crate::api::expr::Expr;
use crate::api::sealed::Sealed;
use crate::api::tuples::each_tuple;
use crate::api::value::shortest;
use crate::compile::{CompileError, OperandError};
use crate::error::Result;
use crate::ir::doc::Expr as Tree;
use crate::ir::types::Type;
use crate::ir::value::Value;

/// A value that is supplied when a compiled query is called. `Copy`; used twice, it is one argument.
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
/// # fn main() -> vellum::Result<()> {
/// # let db = database()?;
/// let named = db.compile(|q, word: Param<String>| {
///     q.from::<Note>().filter(|n| n.text.contains(word) | n.folder.eq(word)).count()
/// })?;
/// assert_eq!(named.param_count(), 1);
/// assert_eq!(named.call("home")?, 2);
/// # Ok(())
/// # }
/// ```
pub struct Param<T> {
    slot: u16,
    generation: u32,
    ty: Type,
    of: PhantomData<fn() -> T>,
    /// Generations are counted by each thread for itself.
    not_send: PhantomData<*const ()>,
}

impl<T> Clone for Param<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Param<T> {}

impl<T> std::fmt::Debug for Param<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Param({})", self.slot)
    }
}

impl<T> Param<T> {
    pub(crate) fn node(self) -> Node {
        if self.generation != arena::generation() {
            arena::fail(CompileError::ForeignParameter);
        }
        arena::push(Tree::Param { slot: self.slot, ty: self.ty })
    }

    /// Returns the slot, or records that the parameter belongs to another query.
    pub(crate) fn slot(self) -> Option<u16> {
        (self.generation == arena::generation()).then_some(self.slot)
    }

    /// Returns the parameter as an ordinary expression.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let db = database()?;
    /// let marked = db.compile(|q, mark: Param<String>| q.from::<Note>().select(|n| (n.id, mark.expr())).take(1))?;
    /// assert_eq!(marked.call("*")?, [(1, "*".to_owned())]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn expr(self) -> Expr<T> {
        Expr::new(self.node())
    }
}

/// What [`filter_some`](crate::Query::filter_some) depends on: an `Option`, or a parameter that is one. Sealed.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no `Option` that a filter can depend on",
    label = "not an `Option<_>` or a `Param<Option<_>>`",
    note = "a condition on a value that is always there is a `filter`"
)]
pub trait Optional: Sealed {
    /// What the condition is given: the value, or a parameter that has one.
    type Value;
    #[doc(hidden)]
    fn given(self) -> Given<Self::Value>;
}

/// Whether a filter has its value.
#[derive(Debug)]
pub enum Given<V> {
    /// There is none.
    Nothing,
    /// There is this one.
    Value(V),
    /// The call says it, of this slot; of none where the parameter belongs to another query.
    Call(Option<u16>, V),
}

impl<V> Optional for Option<V> {
    type Value = V;

    fn given(self) -> Given<V> {
        self.map_or(Given::Nothing, Given::Value)
    }
}

// The only impl for `Param<_>`: inference of unannotated closures rests on it.
impl<T> Optional for Param<Option<T>> {
    type Value = Param<T>;

    fn given(self) -> Given<Param<T>> {
        let Param { slot, generation, ty, not_send, .. } = self;
        Given::Call(self.slot(), Param { slot, generation, ty, of: PhantomData, not_send })
    }
}

/// Hands out the parameters of one `compile` closure.
#[derive(Debug, Default)]
pub struct Slots {
    types: Vec<Type>,
}

impl Slots {
    /// Returns the next parameter.
    pub fn param<T: ParamType>(&mut self) -> Param<T> {
        // No closure takes 65,536 parameters.
        let slot = self.types.len() as u16;
        self.types.push(T::TYPE);
        Param { slot, generation: arena::generation(), ty: T::TYPE, of: PhantomData, not_send: PhantomData }
    }

    pub(crate) fn into_types(self) -> Vec<Type> {
        self.types
    }
}

/// One argument of a call, borrowed from the caller where it can be.
#[derive(Clone, Debug, PartialEq)]
pub enum Argument<'a> {
    /// No value.
    Null,
    /// A bool.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// An integer above `i64::MAX`: a number of rows is clamped, anything else refused.
    Wide(u64),
    /// A finite float.
    Real(f64),
    /// Text.
    Text(&'a str),
    /// Text that was made for the call.
    Owned(Box<str>),
    /// A list.
    List(Vec<Argument<'a>>),
    /// What JSON was made into for the call.
    Value(Value),
}

impl Argument<'_> {
    /// Returns the argument as a value.
    ///
    /// # Errors
    /// `OutOfRange` for an integer outside `i64`.
    pub(crate) fn to_value(&self) -> Result<Value, OperandError> {
        Ok(match self {
            Argument::Null => Value::Null,
            Argument::Bool(x) => Value::Bool(*x),
            Argument::Int(x) => Value::Int(*x),
            Argument::Wide(x) => return Err(OperandError::OutOfRange(x.to_string())),
            Argument::Real(x) => Value::Real(*x),
            Argument::Text(x) => Value::Text((*x).into()),
            Argument::Owned(x) => Value::Text((**x).into()),
            Argument::Value(value) => value.clone(),
            Argument::List(items) => {
                Value::List(items.iter().map(Argument::to_value).collect::<Result<Vec<_>, _>>()?.into())
            }
        })
    }
}

/// The arguments of one call, by slot.
#[derive(Debug, Default)]
pub struct Arguments<'a> {
    values: SmallVec<[Argument<'a>; 4]>,
}

impl<'a> Arguments<'a> {
    /// Adds the argument of the next slot.
    ///
    /// # Errors
    /// `OutOfRange` for an integer outside `i64`, `NotFinite` for NaN and the infinities.
    #[inline]
    pub fn push(&mut self, argument: Result<Argument<'a>, OperandError>) -> Result<()> {
        let place = self.values.len() + 1;
        self.values.push(argument.map_err(|error| error.of(format!("argument {place}")))?);
        Ok(())
    }

    pub(crate) fn get(&self, slot: u16) -> Option<&Argument<'a>> {
        self.values.get(usize::from(slot))
    }
}

/// The types that a parameter can have. `Arg` is what `call` takes: `&str` for `String`, `&[T]` for `Vec<T>`, the
/// value itself for numbers and bools.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a query parameter",
    label = "not a parameter type"
)]
pub trait ParamType: 'static {
    /// What a call gives for it.
    type Arg<'a>;
    #[doc(hidden)]
    const TYPE: Type;
    #[doc(hidden)]
    fn argument<'x, 'a: 'x>(argument: &'x Self::Arg<'a>) -> Result<Argument<'x>, OperandError>;
}

macro_rules! scalar_params {
    ($($rust:ty, $ty:ident, $x:ident => $argument:expr;)*) => { $(
        impl ParamType for $rust {
            type Arg<'a> = $rust;
            const TYPE: Type = Type::$ty;

            fn argument<'x, 'a: 'x>(argument: &'x $rust) -> Result<Argument<'x>, OperandError> {
                let $x = *argument;
                $argument
            }
        }
    )* };
}

scalar_params! {
    bool, Bool, x => Ok(Argument::Bool(x));
    i8, I8, x => Ok(Argument::Int(x.into()));
    i16, I16, x => Ok(Argument::Int(x.into()));
    i32, I32, x => Ok(Argument::Int(x.into()));
    i64, I64, x => Ok(Argument::Int(x));
    u8, U8, x => Ok(Argument::Int(x.into()));
    u16, U16, x => Ok(Argument::Int(x.into()));
    u32, U32, x => Ok(Argument::Int(x.into()));
    u64, U64, x => Ok(i64::try_from(x).map_or(Argument::Wide(x), Argument::Int));
    f32, F32, x => real(shortest(x));
    f64, F64, x => real(x);
}

fn real<'x>(x: f64) -> Result<Argument<'x>, OperandError> {
    if x.is_finite() { Ok(Argument::Real(x)) } else { Err(OperandError::NotFinite) }
}

impl ParamType for String {
    type Arg<'a> = &'a str;
    const TYPE: Type = Type::Text;

    fn argument<'x, 'a: 'x>(argument: &'x &'a str) -> Result<Argument<'x>, OperandError> {
        Ok(Argument::Text(argument))
    }
}

impl<T: ParamType> ParamType for Option<T> {
    type Arg<'a> = Option<T::Arg<'a>>;
    const TYPE: Type = T::TYPE;

    fn argument<'x, 'a: 'x>(argument: &'x Self::Arg<'a>) -> Result<Argument<'x>, OperandError> {
        argument.as_ref().map_or(Ok(Argument::Null), T::argument)
    }
}

impl<T: ParamType> ParamType for Vec<T> {
    type Arg<'a> = &'a [T::Arg<'a>];
    const TYPE: Type = Type::Array;

    fn argument<'x, 'a: 'x>(argument: &'x &'a [T::Arg<'a>]) -> Result<Argument<'x>, OperandError> {
        Ok(Argument::List(argument.iter().map(T::argument).collect::<Result<_, _>>()?))
    }
}

/// The argument side of a compiled query: `()`, a tuple of [`ParamType`]s, or a `#[derive(Params)]` struct.
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
/// # fn main() -> vellum::Result<()> {
/// # let db = database()?;
/// #[derive(Params)]
/// struct Page<'a> {
///     folders: &'a [&'a str],
///     offset: u64,
/// }
/// let page = db.compile(|q, p: PageParams| {
///     q.from::<Note>().filter(|n| n.folder.is_in(p.folders)).skip(p.offset).select(|n| n.id)
/// })?;
/// assert_eq!(page.call(Page { folders: &["home", "work"], offset: 1 })?, [2, 3]);
/// # Ok(())
/// # }
/// ```
pub trait ParamSet: 'static {
    /// What `call` takes. A set of one parameter takes the bare argument.
    type Args<'a>;
    #[doc(hidden)]
    fn arguments<'x, 'a: 'x>(args: &'x Self::Args<'a>, out: &mut Arguments<'x>) -> Result<()>;
}

/// The symbolic side of the parameters: what the closure's second argument may be. Sealed but for the derive.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the parameters of a compiled query",
    label = "expected `()`, a tuple pattern like `(a, b)`, or an annotated `p: Param<T>`",
    note = "write `|q, (prefix, offset)| ..`; a single parameter is `|q, (prefix,)| ..` or `|q, prefix: Param<String>| ..`; none is `|q, ()| ..`"
)]
pub trait SymbolicParams {
    /// The argument side.
    type Set: ParamSet;
    #[doc(hidden)]
    fn symbols(slots: &mut Slots) -> Self;
}

impl ParamSet for () {
    type Args<'a> = ();

    fn arguments<'x, 'a: 'x>(_: &'x (), _: &mut Arguments<'x>) -> Result<()> {
        Ok(())
    }
}

impl SymbolicParams for () {
    type Set = ();

    fn symbols(_: &mut Slots) -> Self {}
}

impl<T: ParamType> SymbolicParams for Param<T> {
    type Set = (T,);

    fn symbols(slots: &mut Slots) -> Self {
        slots.param()
    }
}

impl<A: ParamType> ParamSet for (A,) {
    type Args<'a> = A::Arg<'a>;

    fn arguments<'x, 'a: 'x>(args: &'x A::Arg<'a>, out: &mut Arguments<'x>) -> Result<()> {
        out.push(A::argument(args))
    }
}

impl<A: ParamType> SymbolicParams for (Param<A>,) {
    type Set = (A,);

    fn symbols(slots: &mut Slots) -> Self {
        (slots.param(),)
    }
}

macro_rules! param_set {
    ($($T:ident $i:tt),+) => {
        impl<$($T: ParamType),+> ParamSet for ($($T,)+) {
            type Args<'a> = ($($T::Arg<'a>,)+);

            fn arguments<'x, 'a: 'x>(args: &'x Self::Args<'a>, out: &mut Arguments<'x>) -> Result<()> {
                $( out.push($T::argument(&args.$i))?; )+
                Ok(())
            }
        }

        impl<$($T: ParamType),+> SymbolicParams for ($(Param<$T>,)+) {
            type Set = ($($T,)+);

            fn symbols(slots: &mut Slots) -> Self {
                ($(slots.param::<$T>(),)+)
            }
        }
    };
}

each_tuple!(2..=8, param_set);
