//! Lists of options, in which `None` is a member like any other.

use crate::api::arena::{self, Node};
use crate::api::expr::{Expr, Operand, OptionOperand, any_of, beside};
use crate::api::ops::compare;
use crate::api::param::Param;
use crate::api::sealed::Sealed;
use crate::api::value::{Scalar, Value};
use crate::compile::OperandError;
use crate::ir;
use crate::ir::doc::{Comparison, Expr as Tree};
use crate::ir::types::Type;

/// The lists that `is_in_options` accepts: arrays, slices or vectors of options, or a parameter that is a list of them.
/// Sealed.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a list of `Option<{T}>`",
    label = "expected an array, slice or `Vec` of `Option<{T}>`, or a `Param<Vec<Option<{T}>>>`",
    note = "values that are always there are listed by `.is_in(..)`"
)]
pub trait OptionList<T>: Sealed {
    #[doc(hidden)]
    fn contains_option(self, item: Node) -> Expr<bool>;
}

fn in_options(item: Node, options: impl Iterator<Item = Result<Node, OperandError>>) -> Expr<bool> {
    let nodes: Vec<Node> = options.map(|option| beside(item, option)).collect();
    match arena::constants(&nodes) {
        // One constant, whatever its length: the text of the statement does not depend on it.
        Some(values) => {
            let list = arena::constant(ir::value::Value::List(values.into()), Type::Array);
            Expr::push(Tree::InOptions { item: item.id(), list: list.id() })
        }
        None => any_of(nodes.into_iter().map(|option| compare(Comparison::EqOption, item, Ok(option)))),
    }
}

impl<T, O: OptionOperand<T>, const N: usize> OptionList<T> for [O; N] {
    fn contains_option(self, item: Node) -> Expr<bool> {
        in_options(item, self.into_iter().map(O::option_operand))
    }
}

impl<T, O: OptionOperand<T>> OptionList<T> for Vec<O> {
    fn contains_option(self, item: Node) -> Expr<bool> {
        in_options(item, self.into_iter().map(O::option_operand))
    }
}

impl<T: Scalar, O> OptionList<T> for &[Option<O>]
where
    for<'a> &'a O: Operand<T>,
{
    fn contains_option(self, item: Node) -> Expr<bool> {
        in_options(item, self.iter().map(|option| option.as_ref().option_operand()))
    }
}

impl<T: Scalar, O> OptionList<T> for &Vec<Option<O>>
where
    for<'a> &'a O: Operand<T>,
{
    fn contains_option(self, item: Node) -> Expr<bool> {
        self.as_slice().contains_option(item)
    }
}

// The only impl for `Param<_>`: inference of unannotated closures rests on it.
impl<T: Scalar> OptionList<T> for Param<Vec<Option<T>>> {
    fn contains_option(self, item: Node) -> Expr<bool> {
        Expr::push(Tree::InOptions { item: item.id(), list: self.node().id() })
    }
}

impl<T: Value> Expr<T> {
    /// Holds where the value is one of the list's, or for a `None` in it where the field is null or missing. Served by an
    /// index.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let db = database()?;
    /// # let notes = db.collection::<Note>()?;
    /// assert_eq!(notes.filter(|n| n.stars.is_in_options([Some(5), None])).select(|n| n.id).to_vec()?, [2, 3]);
    ///
    /// let starred = db.compile(|q, (stars,)| q.from::<Note>().filter(|n| n.stars.is_in_options(stars)).count())?;
    /// assert_eq!(starred.call(&[Some(2), Some(5)])?, 2);
    /// assert_eq!(starred.call(&[Some(2), None, None])?, 2);
    /// # Ok(())
    /// # }
    /// ```
    pub fn is_in_options(self, list: impl OptionList<T::Core>) -> Expr<bool>
    where
        T::Core: Scalar,
    {
        list.contains_option(self.raw())
    }
}
