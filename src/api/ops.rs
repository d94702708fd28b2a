//! The operators that users see: methods by type, and `& | !  + - * / %`.

use std::ops;

use smallvec::{SmallVec, smallvec};

use crate::api::arena::{self, Node};
use crate::api::expr::{Expr, Operand, OperandList, OptionOperand, Predicate, Term, beside, literal};
use crate::api::param::Param;
use crate::api::sealed::Sealed;
use crate::api::value::{Ordered, Scalar, Value};
use crate::compile::OperandError;
use crate::ir::doc::{Absence, Arithmetic, Comparison, Expr as Tree, Function};
use crate::ir::types::Type;
use crate::ir::value::Value as Literal;

pub(crate) fn compare(comparison: Comparison, left: Node, right: Result<Node, OperandError>) -> Expr<bool> {
    let right = beside(left, right);
    Expr::push(Tree::Compare(comparison, left.id(), right.id()))
}

// Bounds at the methods: with one at the `impl`, a list's `eq` is that of `PartialEq`, as is then the error.
impl<T: Value> Expr<T> {
    /// Holds where both are equal. Null and missing equal nothing, but for two optional fields that are both
    /// absent.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// assert_eq!(notes.filter(|n| n.folder.eq("home") & n.stars.eq(2)).count()?, 1);
    /// # Ok(())
    /// # }
    /// ```
    pub fn eq(self, right: impl Operand<T::Core>) -> Expr<bool>
    where
        T::Core: Scalar,
    {
        compare(Comparison::Eq, self.raw(), right.operand())
    }

    /// Holds exactly where `eq` does not: also where the field is null or missing.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// assert_eq!(notes.filter(|n| n.stars.ne(2)).count()?, 2);
    /// # Ok(())
    /// # }
    /// ```
    pub fn ne(self, right: impl Operand<T::Core>) -> Expr<bool>
    where
        T::Core: Scalar,
    {
        compare(Comparison::Ne, self.raw(), right.operand())
    }

    /// Holds where both are equal, or for `None` where the field is null or missing. Served by an index.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let db = database()?;
    /// let with = db.compile(|q, (stars,)| q.from::<Note>().filter(|n| n.stars.eq_option(stars)).select(|n| n.id))?;
    /// assert_eq!(with.call(Some(5))?, [3]);
    /// assert_eq!(with.call(None)?, [2]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn eq_option(self, right: impl OptionOperand<T::Core>) -> Expr<bool>
    where
        T::Core: Scalar,
    {
        compare(Comparison::EqOption, self.raw(), right.option_operand())
    }

    /// Holds where the stored field is not there. No index serves it; `is_none` does not tell it from null.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// notes.update_many(|n| n.id.eq(2), |n| n.stars.unset())?;
    /// assert_eq!(notes.filter(|n| n.stars.is_missing()).count()?, 1);
    /// assert_eq!(notes.filter(|n| n.stars.is_json_null()).count()?, 0);
    /// # Ok(())
    /// # }
    /// ```
    pub fn is_missing(self) -> Expr<bool> {
        Expr::push(Tree::IsAbsent(arena::field_of(self.raw()).id(), Absence::Missing))
    }

    /// Holds where the stored field is there, and null. No index serves it.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// assert_eq!(notes.filter(|n| n.stars.is_json_null()).select(|n| n.id).to_vec()?, [2]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn is_json_null(self) -> Expr<bool> {
        Expr::push(Tree::IsAbsent(arena::field_of(self.raw()).id(), Absence::JsonNull))
    }

    /// Returns the value as an option that is there, for a member of a struct that is optional.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// let counted = notes.query().select(|n| NoteFields { stars: n.text.len().as_i64().some(), ..n });
    /// assert_eq!(counted.first()?.map(|note| note.stars), Some(Some(8)));
    /// # Ok(())
    /// # }
    /// ```
    pub fn some(self) -> Expr<Option<T>> {
        Expr::new(arena::maybe(self.raw()))
    }

    /// Holds where the value is one of the list's. Null and missing are in no list.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// assert_eq!(notes.filter(|n| n.id.is_in([1, 3, 3, 99])).count()?, 2);
    /// # Ok(())
    /// # }
    /// ```
    pub fn is_in(self, list: impl OperandList<T::Core>) -> Expr<bool>
    where
        T::Core: Scalar,
    {
        list.contains(self.raw())
    }

    /// Holds where this is less. Never for null or missing.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// assert_eq!(notes.filter(|n| n.stars.lt(5)).count()?, 1);
    /// # Ok(())
    /// # }
    /// ```
    pub fn lt(self, right: impl Operand<T::Core>) -> Expr<bool>
    where
        T::Core: Ordered,
    {
        compare(Comparison::Lt, self.raw(), right.operand())
    }

    /// Holds where this is less or equal. Never for null or missing.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// assert_eq!(notes.filter(|n| n.stars.le(2)).count()?, 1);
    /// # Ok(())
    /// # }
    /// ```
    pub fn le(self, right: impl Operand<T::Core>) -> Expr<bool>
    where
        T::Core: Ordered,
    {
        compare(Comparison::Le, self.raw(), right.operand())
    }

    /// Holds where this is greater. Never for null or missing.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// assert_eq!(notes.filter(|n| n.stars.gt(2)).count()?, 1);
    /// # Ok(())
    /// # }
    /// ```
    pub fn gt(self, right: impl Operand<T::Core>) -> Expr<bool>
    where
        T::Core: Ordered,
    {
        compare(Comparison::Gt, self.raw(), right.operand())
    }

    /// Holds where this is greater or equal. Never for null or missing.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// assert_eq!(notes.filter(|n| n.stars.ge(2)).count()?, 2);
    /// # Ok(())
    /// # }
    /// ```
    pub fn ge(self, right: impl Operand<T::Core>) -> Expr<bool>
    where
        T::Core: Ordered,
    {
        compare(Comparison::Ge, self.raw(), right.operand())
    }

    /// Holds where this lies between the two, both included.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// assert_eq!(notes.filter(|n| n.stars.between(2, 4)).count()?, 1);
    /// # Ok(())
    /// # }
    /// ```
    pub fn between(self, low: impl Operand<T::Core>, high: impl Operand<T::Core>) -> Expr<bool>
    where
        T::Core: Ordered,
    {
        self.ge(low) & self.le(high)
    }
}

impl<T: Value> Expr<Option<T>> {
    /// Holds where the field is null or missing.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// assert_eq!(notes.filter(|n| n.stars.is_none()).select(|n| n.id).to_vec()?, [2]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn is_none(self) -> Expr<bool> {
        Expr::push(Tree::IsNone(self.raw().id()))
    }

    /// Holds where the field is there and not null.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// assert_eq!(notes.filter(|n| n.stars.is_some()).select(|n| n.id).to_vec()?, [1, 3]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn is_some(self) -> Expr<bool> {
        !self.is_none()
    }

    /// Holds where the value is there and satisfies the condition.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// assert_eq!(notes.filter(|n| n.stars.is_some_and(|stars| stars.gt(2))).select(|n| n.id).to_vec()?, [3]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn is_some_and<B: Predicate>(self, f: impl FnOnce(Expr<T>) -> B) -> Expr<bool> {
        self.is_some() & f(Expr::new(self.raw())).condition()
    }
}

impl<T: Scalar> Expr<Option<T>> {
    /// Returns the value, or the default where it is null, missing or of another kind.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// assert_eq!(notes.query().select(|n| n.stars.unwrap_or(1)).to_vec()?, [2, 1, 5]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn unwrap_or(self, default: impl Term<T>) -> Expr<T> {
        Expr::new(coalesce(self.raw(), beside(self.raw(), default.term()), T::TYPE, false))
    }

    /// Returns the value, or the other one where it is null, missing or of another kind.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/order.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let orders = orders()?;
    /// let either = orders.query().select(|o| o.flags.get("late").or(o.flags.get("urgent"))).to_vec()?;
    /// assert_eq!(either, [Some(false), Some(true), None]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn or(self, other: Expr<Option<T>>) -> Expr<Option<T>> {
        Expr::new(coalesce(self.raw(), other.raw(), T::TYPE, true))
    }
}

fn coalesce(value: Node, default: Node, ty: Type, nullable: bool) -> Node {
    arena::push(Tree::Coalesce { value: value.id(), default: default.id(), ty, nullable })
}

/// Text: `String` and `Option<String>`. Sealed.
pub trait Text: Value<Core = String> + Sealed {
    /// The type of a length: optional where the text is.
    type Len: Value<Core = u64>;
}
impl Text for String {
    type Len = u64;
}
impl Text for Option<String> {
    type Len = Option<u64>;
}

pub(crate) fn call(
    function: Function,
    of: Node,
    arguments: impl IntoIterator<Item = Result<Node, OperandError>>,
) -> Node {
    let mut args: SmallVec<[u32; 3]> = smallvec![of.id()];
    args.extend(arguments.into_iter().map(|argument| beside(of, argument).id()));
    arena::push(Tree::Call { function, args })
}

impl<T: Text> Expr<T> {
    /// Holds where the text begins with `prefix`, byte by byte. Served by an index, also for a parameter.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// assert_eq!(notes.filter(|n| n.text.starts_with("buy")).count()?, 1);
    /// assert_eq!(notes.filter(|n| n.text.to_lowercase().starts_with("buy")).count()?, 2);
    /// # Ok(())
    /// # }
    /// ```
    pub fn starts_with(self, prefix: impl Operand<String>) -> Expr<bool> {
        Expr::new(call(Function::StartsWith, self.raw(), [prefix.operand()]))
    }

    /// Holds where the text ends with `suffix`.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// assert_eq!(notes.filter(|n| n.text.ends_with("lamp")).count()?, 1);
    /// # Ok(())
    /// # }
    /// ```
    pub fn ends_with(self, suffix: impl Operand<String>) -> Expr<bool> {
        Expr::new(call(Function::EndsWith, self.raw(), [suffix.operand()]))
    }

    /// Holds where the whole text matches: `%` is any run, `_` one scalar value, `\` escapes. Case-sensitive.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// assert_eq!(notes.filter(|n| n.text.like("buy%")).count()?, 1);
    /// assert_eq!(notes.filter(|n| n.text.ilike("buy%")).count()?, 2);
    /// assert_eq!(notes.filter(|n| n.text.glob("[a-z]*milk")).count()?, 1);
    /// # Ok(())
    /// # }
    /// ```
    pub fn like(self, pattern: impl Operand<String>) -> Expr<bool> {
        Expr::new(call(Function::Like, self.raw(), [pattern.operand()]))
    }

    /// As [`like`](Self::like), after folding both to lower case by Unicode's rules.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// assert_eq!(notes.filter(|n| n.text.ilike("BUY%")).count()?, 2);
    /// # Ok(())
    /// # }
    /// ```
    pub fn ilike(self, pattern: impl Operand<String>) -> Expr<bool> {
        Expr::new(call(Function::Ilike, self.raw(), [pattern.operand()]))
    }

    /// Holds where the whole text matches: `*` is any run, `?` one scalar value, `[a-z]` one of a set.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// assert_eq!(notes.filter(|n| n.text.glob("[Bb]uy*")).count()?, 2);
    /// # Ok(())
    /// # }
    /// ```
    pub fn glob(self, pattern: impl Operand<String>) -> Expr<bool> {
        Expr::new(call(Function::Glob, self.raw(), [pattern.operand()]))
    }

    /// Holds where both are equal after folding by Unicode's rules.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// assert_eq!(notes.filter(|n| n.text.eq_ignore_case("BUY MILK")).count()?, 1);
    /// # Ok(())
    /// # }
    /// ```
    pub fn eq_ignore_case(self, other: impl Operand<String>) -> Expr<bool> {
        Expr::new(call(Function::EqIgnoreCase, self.raw(), [other.operand()]))
    }

    /// Returns the number of bytes of the UTF-8 form.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// notes.update_many(|n| n.id.eq(1), |n| n.text.set("\u{fc}ber"))?;
    /// let sizes = notes.query().select(|n| (n.text.len(), n.text.byte_len())).first()?;
    /// assert_eq!(sizes, Some((4, 5)));
    /// # Ok(())
    /// # }
    /// ```
    pub fn byte_len(self) -> Expr<T::Len> {
        Expr::new(call(Function::ByteLen, self.raw(), []))
    }

    /// Returns the text in lower case by Unicode's rules.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// assert_eq!(notes.filter(|n| n.text.to_lowercase().eq("buy a lamp")).count()?, 1);
    /// # Ok(())
    /// # }
    /// ```
    pub fn to_lowercase(self) -> Expr<T> {
        Expr::new(call(Function::Lower, self.raw(), []))
    }

    /// Returns the text in upper case by Unicode's rules.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// assert_eq!(notes.query().select(|n| n.folder.to_uppercase()).first()?.as_deref(), Some("HOME"));
    /// # Ok(())
    /// # }
    /// ```
    pub fn to_uppercase(self) -> Expr<T> {
        Expr::new(call(Function::Upper, self.raw(), []))
    }

    /// Returns the text without white space at both ends.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// notes.query().update(|n| n.text.set(lit(" ").concat(n.text)))?;
    /// assert_eq!(notes.query().select(|n| n.text.trim()).first()?.as_deref(), Some("buy milk"));
    /// # Ok(())
    /// # }
    /// ```
    pub fn trim(self) -> Expr<T> {
        Expr::new(call(Function::Trim, self.raw(), []))
    }

    /// Returns up to `len` scalar values from the zero-based `start`; past the end, what there is.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// let initials = notes.query().group_by(|n| n.text.substr(0, 1)).select(|g| g.key).to_vec()?;
    /// assert_eq!(initials, ["B", "b", "w"]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn substr(self, start: impl Operand<u64>, len: impl Operand<u64>) -> Expr<T> {
        let start = start.operand();
        // A part from the beginning keeps the order of the whole, so it is told apart while the number is known.
        let from_zero =
            start.as_ref().is_ok_and(|node| arena::constants(&[*node]) == Some(vec![Literal::Int(0)]));
        Expr::new(if from_zero {
            call(Function::Left, self.raw(), [len.operand()])
        } else {
            call(Function::Substr, self.raw(), [start, len.operand()])
        })
    }

    /// Returns the text with every `from` replaced by `to`, both plain text.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// notes.query().update(|n| n.text.set(n.text.replace("milk", "tea")))?;
    /// assert_eq!(notes.query().select(|n| n.text).first()?.as_deref(), Some("buy tea"));
    /// # Ok(())
    /// # }
    /// ```
    pub fn replace(self, from: impl Operand<String>, to: impl Operand<String>) -> Expr<T> {
        Expr::new(call(Function::Replace, self.raw(), [from.operand(), to.operand()]))
    }

    /// Returns the text followed by `other`; null where either is.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// let labels = notes.query().select(|n| n.folder.concat(": ").concat(n.text));
    /// assert_eq!(labels.first()?.as_deref(), Some("home: buy milk"));
    /// # Ok(())
    /// # }
    /// ```
    pub fn concat(self, other: impl Term<T>) -> Expr<T> {
        Expr::new(call(Function::Concat, self.raw(), [other.term()]))
    }
}

/// Numbers, and options of numbers. Sealed.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a number",
    label = "arithmetic and `sum`/`avg` need a numeric field"
)]
pub trait Num: Value + Sealed {
    /// The type of a sum: `i64` for signed integers, `u64` for unsigned ones, `f64` for floats.
    type Sum: Scalar;
    /// The number as a float: optional where the number is.
    type Float: Value<Core = f64>;
    /// The number as an integer: optional where the number is.
    type Int: Value<Core = i64>;
}

macro_rules! numbers {
    ($($number:ty => $sum:ty),*) => { $(
        impl Num for $number {
            type Sum = $sum;
            type Float = f64;
            type Int = i64;
        }
        impl Num for Option<$number> {
            type Sum = $sum;
            type Float = Option<f64>;
            type Int = Option<i64>;
        }
    )* };
}
numbers!(i8 => i64, i16 => i64, i32 => i64, i64 => i64, u8 => u64, u16 => u64, u32 => u64, u64 => u64, f32 => f64, f64 => f64);

fn arithmetic(operation: Arithmetic, ty: Type, nullable: bool, args: &[Node]) -> Node {
    let args = args.iter().map(|node| node.id()).collect();
    arena::push(Tree::Arithmetic { operation, args, ty, nullable })
}

impl<T: Num> Expr<T> {
    /// Returns the absolute value; an error where it does not fit the type.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// assert_eq!(notes.query().select(|n| (n.stars - 3).abs()).to_vec()?, [Some(1), None, Some(2)]);
    /// assert_eq!(notes.query().select(|n| n.id * 2 + 1).to_vec()?, [3, 5, 7]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn abs(self) -> Expr<T> {
        Expr::new(arithmetic(Arithmetic::Abs, T::TYPE, T::NULLABLE, &[self.raw()]))
    }

    /// Returns the number as a float.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// assert_eq!(notes.query().select(|n| n.stars.as_f64() / 2.0).to_vec()?, [Some(1.0), None, Some(2.5)]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn as_f64(self) -> Expr<T::Float> {
        Expr::new(arithmetic(Arithmetic::Cast, Type::F64, T::NULLABLE, &[self.raw()]))
    }

    /// Returns the number as an integer, cut toward zero; an error where it does not fit.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// assert_eq!(notes.filter(|n| n.text.len().as_i64().gt(n.stars * 3)).count()?, 2); // a length is a `u64`
    /// # Ok(())
    /// # }
    /// ```
    pub fn as_i64(self) -> Expr<T::Int> {
        Expr::new(arithmetic(Arithmetic::Cast, Type::I64, T::NULLABLE, &[self.raw()]))
    }
}

macro_rules! operators {
    ($($Trait:ident $method:ident),*) => { $(
        impl<T: Num, R: Term<T>> ops::$Trait<R> for Expr<T> {
            type Output = Expr<T>;

            fn $method(self, right: R) -> Expr<T> {
                let right = beside(self.raw(), right.term());
                Expr::new(arithmetic(Arithmetic::$Trait, T::TYPE, T::NULLABLE, &[self.raw(), right]))
            }
        }

        impl<T: Num> ops::$Trait<Expr<T>> for Param<T> {
            type Output = Expr<T>;

            fn $method(self, right: Expr<T>) -> Expr<T> {
                Expr::new(arithmetic(Arithmetic::$Trait, T::TYPE, T::NULLABLE, &[self.node(), right.raw()]))
            }
        }

        impl<T: Num> ops::$Trait<Param<T>> for Param<T> {
            type Output = Expr<T>;

            fn $method(self, right: Param<T>) -> Expr<T> {
                Expr::new(arithmetic(Arithmetic::$Trait, T::TYPE, T::NULLABLE, &[self.node(), right.node()]))
            }
        }

        operators!(@literals $Trait $method: i8 i16 i32 i64 u8 u16 u32 u64 f32 f64);
    )* };
    (@literals $Trait:ident $method:ident: $($number:ty)*) => { $(
        impl ops::$Trait<$number> for Param<$number> {
            type Output = Expr<$number>;

            fn $method(self, right: $number) -> Expr<$number> {
                let right = beside(self.node(), literal(&right));
                Expr::new(arithmetic(Arithmetic::$Trait, <$number>::TYPE, false, &[self.node(), right]))
            }
        }

        impl ops::$Trait<Expr<$number>> for $number {
            type Output = Expr<$number>;

            fn $method(self, right: Expr<$number>) -> Expr<$number> {
                let left = beside(right.raw(), literal(&self));
                Expr::new(arithmetic(Arithmetic::$Trait, <$number>::TYPE, false, &[left, right.raw()]))
            }
        }
    )* };
}
operators!(Add add, Sub sub, Mul mul, Div div, Rem rem);

impl<T: Num> ops::Neg for Expr<T> {
    type Output = Expr<T>;

    fn neg(self) -> Expr<T> {
        Expr::new(arithmetic(Arithmetic::Neg, T::TYPE, T::NULLABLE, &[self.raw()]))
    }
}

impl<R: Predicate> ops::BitAnd<R> for Expr<bool> {
    type Output = Expr<bool>;

    fn bitand(self, right: R) -> Expr<bool> {
        let right = right.condition().raw();
        Expr::push(Tree::And(self.raw().id(), right.id()))
    }
}

impl<R: Predicate> ops::BitOr<R> for Expr<bool> {
    type Output = Expr<bool>;

    fn bitor(self, right: R) -> Expr<bool> {
        let right = right.condition().raw();
        Expr::push(Tree::Or(self.raw().id(), right.id()))
    }
}

impl ops::Not for Expr<bool> {
    type Output = Expr<bool>;

    fn not(self) -> Expr<bool> {
        Expr::push(Tree::Not(self.raw().id()))
    }
}

impl Expr<bool> {
    /// Holds where both do: `a & b`.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// assert_eq!(notes.filter(|n| n.done.or(n.stars.eq(5)).and(n.id.gt(1))).count()?, 1);
    /// # Ok(())
    /// # }
    /// ```
    pub fn and(self, right: impl Predicate) -> Expr<bool> {
        self & right
    }

    /// Holds where at least one does: `a | b`.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// assert_eq!(notes.filter(|n| n.done.or(n.stars.eq(5))).count()?, 2);
    /// # Ok(())
    /// # }
    /// ```
    pub fn or(self, right: impl Predicate) -> Expr<bool> {
        self | right
    }
}

/// Exists to say what to write in the place of `==` and `<`; no type implements it.
#[diagnostic::on_unimplemented(
    message = "`==`, `!=`, `<`, `<=`, `>`, `>=` cannot be used on query expressions: write `.eq(..)`, `.ne(..)`, `.lt(..)`, `.le(..)`, `.gt(..)`, `.ge(..)`",
    label = "use the method instead",
    note = "Rust's comparison operators must return `bool`, but the query needs the expression itself; inside `x!(..)` they work"
)]
pub trait UseComparisonMethods {}

impl<T, R: UseComparisonMethods> PartialEq<R> for Expr<T> {
    fn eq(&self, _: &R) -> bool {
        false
    }
}

impl<T, R: UseComparisonMethods> PartialOrd<R> for Expr<T> {
    fn partial_cmp(&self, _: &R) -> Option<std::cmp::Ordering> {
        None
    }
}
