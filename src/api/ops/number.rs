//! Numbers: arithmetic and casts.

use std::ops;

use crate::api::arena::{self, Node};
use crate::api::expr::{Expr, Term, beside, literal};
use crate::api::param::Param;
use crate::api::sealed::Sealed;
use crate::api::value::{Scalar, Value};
use crate::ir::doc::{Arithmetic, Expr as Tree};
use crate::ir::types::Type;

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
