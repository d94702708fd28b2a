//! `Expr<T>`: a typed expression, and what may stand beside one.

use std::marker::PhantomData;

use crate::api::arena::{self, Node};
use crate::api::param::Param;
use crate::api::sealed::Sealed;
use crate::api::value::{Row, Scalar, Symbol, Value};
use crate::compile::{CompileError, OperandError};
use crate::ir;
use crate::ir::doc::Expr as Tree;
use crate::ir::types::Type;

/// A query expression of type `T`: a field, a parameter, a literal, or something computed from those.
///
/// `Copy`, and valid only inside the query closure that made it. Used after its closure it panics with a message
/// that says so; it never means another expression.
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
/// # fn main() -> vellum::Result<()> {
/// # let notes = database()?.collection::<Note>()?;
/// let starred = |n: NoteFields| n.stars.is_some_and(|stars| stars.gt(3));
/// assert_eq!(notes.filter(|n| starred(n) | n.done).count()?, 2);
/// # Ok(())
/// # }
/// ```
pub struct Expr<T>(Node, PhantomData<fn() -> T>);

impl<T> Clone for Expr<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Expr<T> {}

impl<T> std::fmt::Debug for Expr<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Expr")
    }
}

impl<T> Expr<T> {
    pub(crate) fn new(node: Node) -> Self {
        Expr(node, PhantomData)
    }

    pub(crate) fn raw(self) -> Node {
        self.0
    }

    pub(crate) fn push(tree: Tree) -> Self {
        Self::new(arena::push(tree))
    }
}

impl<T: Value> Symbol for Expr<T>
where
    T: Row<Sym = Self>,
{
    type Out = T;

    fn bind(node: Node) -> Self {
        Expr::new(arena::declare(node, T::TYPE, T::NULLABLE))
    }

    fn node(self) -> Node {
        self.0
    }
}

/// What can stand where a `T` is needed: a literal, a parameter or an expression. Sealed.
#[diagnostic::on_unimplemented(
    message = "expected a `{T}` here, found `{Self}`",
    label = "not a `{T}` literal, `Param<{T}>` or `Expr<{T}>`",
    note = "both sides of a query comparison need the same type: convert the value, or use `.as_i64()`/`.as_f64()` on the expression; test for `None` with `.is_none()`/`.is_some()`, compare with an `Option` by `.eq_option(..)`"
)]
pub trait Operand<T>: Sealed {
    /// Whether its type says that it may be null.
    #[doc(hidden)]
    const OPTIONAL: bool = false;
    #[doc(hidden)]
    fn operand(self) -> Result<Node, OperandError>;
}

/// Adds a literal to the running closure.
pub(crate) fn literal<T: Scalar>(value: &T) -> Result<Node, OperandError> {
    Ok(arena::constant(value.to_value()?, T::TYPE))
}

/// Returns the operand's node; an operand that cannot be one is remembered as the query's error, in the words of
/// the expression that it stands beside.
pub(crate) fn beside(of: Node, operand: Result<Node, OperandError>) -> Node {
    operand.unwrap_or_else(|error| {
        arena::fail(error.of(arena::describe(of)));
        arena::constant(ir::value::Value::Null, Type::Any)
    })
}

fn text(value: &str) -> Result<Node, OperandError> {
    Ok(arena::constant(ir::value::Value::Text(value.into()), Type::Text))
}

impl<T: Scalar> Operand<T> for T {
    fn operand(self) -> Result<Node, OperandError> {
        literal(&self)
    }
}

impl<T: Scalar> Operand<T> for &T {
    fn operand(self) -> Result<Node, OperandError> {
        literal(self)
    }
}

impl Operand<String> for &str {
    fn operand(self) -> Result<Node, OperandError> {
        text(self)
    }
}

impl<T: Value> Operand<T> for Expr<T> {
    fn operand(self) -> Result<Node, OperandError> {
        Ok(self.0)
    }
}

impl<T: Value> Operand<T> for Expr<Option<T>> {
    const OPTIONAL: bool = true;

    fn operand(self) -> Result<Node, OperandError> {
        Ok(self.0)
    }
}

// The only impl for `Param<_>`: inference of unannotated closures rests on it.
impl<T> Operand<T> for Param<T> {
    fn operand(self) -> Result<Node, OperandError> {
        Ok(self.node())
    }
}

/// What can stand where an `Option<T>` is needed: an option or a parameter that is one. Sealed.
#[diagnostic::on_unimplemented(
    message = "expected an `Option<{T}>` here, found `{Self}`",
    label = "not an `Option<{T}>` or a `Param<Option<{T}>>`",
    note = "a value that is always there is compared by `.eq(..)`"
)]
pub trait OptionOperand<T>: Sealed {
    #[doc(hidden)]
    fn option_operand(self) -> Result<Node, OperandError>;
}

impl<T: Scalar, O: Operand<T>> OptionOperand<T> for Option<O> {
    fn option_operand(self) -> Result<Node, OperandError> {
        self.map_or_else(|| Ok(arena::constant(ir::value::Value::Null, T::TYPE)), O::operand)
    }
}

// The only impl for `Param<_>`, as above.
impl<T: Scalar> OptionOperand<T> for Param<Option<T>> {
    fn option_operand(self) -> Result<Node, OperandError> {
        Ok(self.node())
    }
}

/// The right side of arithmetic. A nullable operand needs a nullable left side or `.unwrap_or(..)`, so that an
/// `Expr<f64>` never turns null. Sealed.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be combined with a `{T}` expression",
    label = "expected a `{T}` value, parameter or expression",
    note = "give a nullable operand a default with `.unwrap_or(..)`"
)]
pub trait Term<T>: Sealed {
    #[doc(hidden)]
    fn term(self) -> Result<Node, OperandError>;
}

impl<T: Scalar> Term<T> for T {
    fn term(self) -> Result<Node, OperandError> {
        literal(&self)
    }
}

impl<T: Scalar> Term<Option<T>> for T {
    fn term(self) -> Result<Node, OperandError> {
        literal(&self)
    }
}

impl<T: Scalar> Term<T> for &T {
    fn term(self) -> Result<Node, OperandError> {
        literal(self)
    }
}

impl<T: Scalar> Term<Option<T>> for &T {
    fn term(self) -> Result<Node, OperandError> {
        literal(self)
    }
}

impl Term<String> for &str {
    fn term(self) -> Result<Node, OperandError> {
        text(self)
    }
}

impl Term<Option<String>> for &str {
    fn term(self) -> Result<Node, OperandError> {
        text(self)
    }
}

impl<T: Scalar> Term<T> for Param<T> {
    fn term(self) -> Result<Node, OperandError> {
        Ok(self.node())
    }
}

impl<T: Scalar> Term<Option<T>> for Param<T> {
    fn term(self) -> Result<Node, OperandError> {
        Ok(self.node())
    }
}

impl<T: Scalar> Term<T> for Expr<T> {
    fn term(self) -> Result<Node, OperandError> {
        Ok(self.0)
    }
}

impl<T: Scalar> Term<Option<T>> for Expr<T> {
    fn term(self) -> Result<Node, OperandError> {
        Ok(self.0)
    }
}

impl<T: Scalar> Term<Option<T>> for Expr<Option<T>> {
    fn term(self) -> Result<Node, OperandError> {
        Ok(self.0)
    }
}

/// What `filter` and its like accept. Sealed.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a query condition",
    label = "expected `Expr<bool>`",
    note = "build conditions with `.eq(..)`, `.lt(..)`, `.starts_with(..)` and combine them with `&`, `|`, `!`; `==`, `<`, `&&`, `||` cannot be used on query expressions; a `bool` of the program is `lit(..)`"
)]
pub trait Predicate: Sealed {
    #[doc(hidden)]
    fn condition(self) -> Expr<bool>;
}

impl Predicate for Expr<bool> {
    fn condition(self) -> Expr<bool> {
        self
    }
}

impl Predicate for Expr<Option<bool>> {
    fn condition(self) -> Expr<bool> {
        Expr::new(self.0)
    }
}

impl Predicate for Param<bool> {
    fn condition(self) -> Expr<bool> {
        self.expr()
    }
}

/// The lists that `is_in` accepts: arrays, slices, vectors, a list parameter, or a query of one value. Sealed.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a list of `{T}`",
    label = "expected an array, slice or `Vec` of `{T}`, a `Param<Vec<{T}>>`, or a query `from::<_>()..select(..)`"
)]
pub trait OperandList<T>: Sealed {
    #[doc(hidden)]
    fn contains(self, item: Node) -> Expr<bool>;
}

fn in_items(item: Node, operands: impl Iterator<Item = Result<Node, OperandError>>) -> Expr<bool> {
    let nodes: Vec<Node> = operands.map(|operand| beside(item, operand)).collect();
    let tree = match arena::constants(&nodes) {
        // One constant, whatever its length: the text of the statement does not depend on it.
        Some(values) => {
            let list = arena::constant(ir::value::Value::List(values.into()), Type::Array);
            Tree::InList { item: item.id(), list: list.id() }
        }
        None => Tree::InItems { item: item.id(), items: nodes.iter().map(|node| node.id()).collect() },
    };
    Expr::push(tree)
}

impl<T, O: Operand<T>, const N: usize> OperandList<T> for [O; N] {
    fn contains(self, item: Node) -> Expr<bool> {
        in_items(item, self.into_iter().map(O::operand))
    }
}

impl<T, O: Operand<T>> OperandList<T> for Vec<O> {
    fn contains(self, item: Node) -> Expr<bool> {
        in_items(item, self.into_iter().map(O::operand))
    }
}

impl<T, O> OperandList<T> for &[O]
where
    for<'a> &'a O: Operand<T>,
{
    fn contains(self, item: Node) -> Expr<bool> {
        in_items(item, self.iter().map(Operand::operand))
    }
}

impl<T, O> OperandList<T> for &Vec<O>
where
    for<'a> &'a O: Operand<T>,
{
    fn contains(self, item: Node) -> Expr<bool> {
        in_items(item, self.iter().map(Operand::operand))
    }
}

// The only impl for `Param<_>`, as above.
impl<T> OperandList<T> for Param<Vec<T>> {
    fn contains(self, item: Node) -> Expr<bool> {
        Expr::push(Tree::InList { item: item.id(), list: self.node().id() })
    }
}

/// Returns a literal as an expression, for places that take expressions only.
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
/// # fn main() -> vellum::Result<()> {
/// # let notes = database()?.collection::<Note>()?;
/// let rows = notes.query().select(|n| (n.id, lit::<i64>(7))).take(1).to_vec()?;
/// assert_eq!(rows, [(1, 7)]);
/// # Ok(())
/// # }
/// ```
pub fn lit<T: Scalar>(value: impl Operand<T>) -> Expr<T> {
    Expr::new(value.operand().unwrap_or_else(|error| {
        arena::fail(error.of("a literal"));
        arena::constant(ir::value::Value::Null, T::TYPE)
    }))
}

/// Returns one value in the rows for which a condition holds, and another in those for which it does not.
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
/// # fn main() -> vellum::Result<()> {
/// # let notes = database()?.collection::<Note>()?;
/// let sizes = notes.query().select(|n| when(n.text.len().gt(8), "long", "short")).to_vec()?;
/// assert_eq!(sizes.len(), 3);
/// # Ok(())
/// # }
/// ```
///
/// A value that may be null needs a default first (`unwrap_or`): the query is refused otherwise.
pub fn when<T: Scalar>(
    condition: impl Predicate,
    then: impl Operand<T>,
    otherwise: impl Operand<T>,
) -> Expr<T> {
    let condition = condition.condition().raw();
    let (then, otherwise) = (chosen(condition, then), chosen(condition, otherwise));
    Expr::push(Tree::When {
        condition: condition.id(),
        then: then.id(),
        otherwise: otherwise.id(),
        ty: T::TYPE,
        nullable: false,
    })
}

/// Returns a value of `when`, which must be there.
fn chosen<T, O: Operand<T>>(condition: Node, value: O) -> Node {
    let value = beside(condition, value.operand());
    if O::OPTIONAL || arena::may_be_null(value) {
        refuse(
            format!("{} as a value of `when`, where it may be null", arena::describe(value)),
            "give it a default with `.unwrap_or(..)`",
        );
    }
    value
}

/// Returns the condition that all of `conditions` hold; true for none. For conditions chosen at run time.
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
/// # fn main() -> vellum::Result<()> {
/// # let notes = database()?.collection::<Note>()?;
/// let words: Vec<&str> = vec![];
/// assert_eq!(notes.filter(|n| all_of(words.iter().map(|word| n.text.contains(*word)))).count()?, 3);
/// assert_eq!(notes.filter(|n| any_of(words.iter().map(|word| n.text.contains(*word)))).count()?, 0);
/// # Ok(())
/// # }
/// ```
pub fn all_of(conditions: impl IntoIterator<Item = Expr<bool>>) -> Expr<bool> {
    conditions.into_iter().reduce(|all, next| all & next).unwrap_or_else(|| lit(true))
}

/// Returns the condition that one of `conditions` holds; false for none. As [`all_of`].
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
/// # fn main() -> vellum::Result<()> {
/// # let notes = database()?.collection::<Note>()?;
/// let words = ["milk", "report"];
/// assert_eq!(notes.filter(|n| any_of(words.iter().map(|word| n.text.contains(*word)))).count()?, 2);
/// # Ok(())
/// # }
/// ```
pub fn any_of(conditions: impl IntoIterator<Item = Expr<bool>>) -> Expr<bool> {
    conditions.into_iter().reduce(|any, next| any | next).unwrap_or_else(|| lit(false))
}

/// `Option<Struct>`: reads through to the fields (an absent struct gives absent fields) and can be tested.
///
/// ```
/// use serde::{Deserialize, Serialize};
/// use vellum::prelude::*;
///
/// #[derive(Embed, Serialize, Deserialize)]
/// struct Address {
///     city: String,
/// }
///
/// #[derive(Document, Serialize, Deserialize)]
/// struct Order {
///     id: i64,
///     bill_to: Option<Address>,
/// }
///
/// # fn main() -> vellum::Result<()> {
/// let orders = Database::open_in_memory()?.collection::<Order>()?;
/// orders.insert(Order { id: 0, bill_to: Some(Address { city: "Oslo".into() }) })?;
/// orders.insert(Order { id: 0, bill_to: None })?;
/// assert_eq!(orders.filter(|o| o.bill_to.city.eq("Oslo")).count()?, 1);
/// let cities = orders.query().select(|o| o.bill_to.map(|a| a.city)).to_vec()?;
/// assert_eq!(cities, [Some("Oslo".to_owned()), None]);
/// # Ok(())
/// # }
/// ```
pub struct Nullable<F> {
    fields: F,
    node: Node,
}

impl<F: Copy> Clone for Nullable<F> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<F: Copy> Copy for Nullable<F> {}

impl<F> std::fmt::Debug for Nullable<F> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Nullable")
    }
}

impl<F> std::ops::Deref for Nullable<F> {
    type Target = F;

    fn deref(&self) -> &F {
        &self.fields
    }
}

impl<F: Symbol> Symbol for Nullable<F>
where
    F::Out: Value<OptSym = Self>,
{
    type Out = Option<F::Out>;

    fn bind(node: Node) -> Self {
        let node = arena::declare(node, F::Out::TYPE, true);
        Nullable { fields: F::bind(node), node }
    }

    fn node(self) -> Node {
        self.node
    }
}

impl<F: Copy> Nullable<F> {
    /// Holds where the struct is null or missing.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/shop.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let orders = orders()?;
    /// assert_eq!(orders.filter(|o| o.bill_to.is_none()).count()?, 1);
    /// # Ok(())
    /// # }
    /// ```
    pub fn is_none(self) -> Expr<bool> {
        Expr::push(Tree::IsNone(self.node.id()))
    }

    /// Holds where the struct is there.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/shop.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let orders = orders()?;
    /// assert_eq!(orders.filter(|o| o.bill_to.is_some()).count()?, 1);
    /// # Ok(())
    /// # }
    /// ```
    pub fn is_some(self) -> Expr<bool> {
        !self.is_none()
    }

    /// Returns one of the inner values, null where the struct is absent: `o.bill_to.map(|a| a.city)`.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/shop.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let orders = orders()?;
    /// let cities = orders.query().select(|o| o.bill_to.map(|a| a.city)).to_vec()?;
    /// assert_eq!(cities, [Some("Oslo".to_owned()), None]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn map<T: Value>(self, f: impl FnOnce(F) -> Expr<T>) -> Expr<Option<T>> {
        let value = f(self.fields).raw();
        if arena::is_field(value) {
            return Expr::new(arena::maybe(value));
        }
        Expr::new(arena::where_holds(self.is_some().raw(), value, T::TYPE))
    }

    /// Returns one of the inner optional values, null where the struct is absent.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/shop.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let orders = orders()?;
    /// let zips = orders.query().select(|o| o.bill_to.and_then(|a| a.zip)).to_vec()?;
    /// assert_eq!(zips, [Some("0150".to_owned()), None]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn and_then<T: Value>(self, f: impl FnOnce(F) -> Expr<Option<T>>) -> Expr<Option<T>> {
        f(self.fields)
    }

    /// Holds where the struct is there and its fields satisfy the condition.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/shop.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let orders = orders()?;
    /// let somewhere = orders.filter(|o| o.bill_to.is_some_and(|a| a.city.eq("Oslo") & a.zip.is_some()));
    /// assert_eq!(somewhere.count()?, 1);
    /// # Ok(())
    /// # }
    /// ```
    pub fn is_some_and<B: Predicate>(self, f: impl FnOnce(F) -> B) -> Expr<bool> {
        self.is_some() & f(self.fields).condition()
    }
}

/// Refuses, in words, what only the whole query can tell.
pub(crate) fn refuse(what: impl Into<String>, instead: impl Into<String>) {
    arena::fail(CompileError::Unsupported { what: what.into(), instead: instead.into() });
}
