//! Queries inside of closures: `from::<Order>().filter(|o| o.user.eq(u.id)).exists()`.
//!
//! A query that is made inside of a closure may name the closure's rows. It is a condition where it ends in `exists`,
//! `any` or `all`, a value where it ends in a fold or in `first`, and a list for `is_in` without a terminal.

use std::borrow::Cow;
use std::ops;

use crate::api::arena::{self, Node};
use crate::api::document::Document;
use crate::api::expr::{Expr, Operand, OperandList, Predicate};
use crate::api::mode::Deferred;
use crate::api::plan::{Description, Plan};
use crate::api::query::Query;
use crate::api::value::{Scalar, Value};
use crate::compile::{self, OperandError};
use crate::ir::doc::{self, Expr as Tree, Lambda, Subquery, Terminal};

/// Returns the documents of the type's own collection, for a query inside of a closure.
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
/// # fn main() -> vellum::Result<()> {
/// # let notes = database()?.collection::<Note>()?;
/// // The notes of the same folder.
/// let beside = |n: NoteFields| from::<Note>().filter(move |other| other.folder.eq(n.folder));
/// assert_eq!(notes.filter(|n| beside(n).any(|other| other.done)).select(|n| n.id).to_vec()?, [1, 2]);
/// assert_eq!(notes.query().select(|n| (n.id, beside(n).count().expr())).to_vec()?, [(1, 2), (2, 2), (3, 1)]);
///
/// let starred = from::<Note>().filter(|o| o.stars.gt(3)).select(|o| o.folder);
/// assert_eq!(notes.filter(|n| n.folder.is_in(starred)).count()?, 1);
/// # Ok(())
/// # }
/// ```
pub fn from<T: Document>() -> Query<T> {
    Query::new(Description::collection::<T>(Cow::Borrowed(T::COLLECTION)), Deferred)
}

/// Returns the documents of a named collection, for a query inside of a closure.
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
/// # fn main() -> vellum::Result<()> {
/// # let db = database()?;
/// let (notes, archive) = (db.collection::<Note>()?, db.collection_named::<Note>("archive")?);
/// archive.insert(notes.get(2)?.expect("there are three notes"))?;
/// let archived = |n: NoteFields| vellum::from_named::<Note>("archive").any(|a| a.text.eq(n.text));
/// assert_eq!(notes.filter(|n| !archived(n)).count()?, 2);
/// # Ok(())
/// # }
/// ```
pub fn from_named<T: Document>(name: &str) -> Query<T> {
    Query::new(Description::collection::<T>(Cow::Owned(name.to_owned())), Deferred)
}

/// Takes a query into the closure that is running.
fn adopted(description: Description) -> (doc::Query, doc::Terminal) {
    let Description { mut query, mut terminal, constants, error } = description;
    if let Some(error) = error {
        arena::fail(error);
    }
    let inside = terminal.lambdas().into_iter().map(Lambda::nesting).max().unwrap_or(0);
    if query.nesting().max(1 + inside) > compile::NESTING_LIMIT {
        // It will be refused, and what is built on it is kept from growing on the stack of who walks it.
        arena::fail(compile::too_deep());
        query.stages.clear();
        terminal = Terminal::Count;
    }
    let first = arena::adopt(constants);
    query.map_constants(&mut |index| first + index);
    terminal.map_constants(&mut |index| first + index);
    (query, terminal)
}

impl<O: Value<Sym = Expr<O>>> Plan<O> {
    fn node(self) -> Node {
        let (query, terminal) = adopted(self.description);
        let subquery = Subquery { query, terminal, ty: O::TYPE, nullable: O::NULLABLE };
        arena::push(Tree::Subquery(Box::new(subquery)))
    }

    /// Returns what the query gives, as an expression of the closure that it is made in: of `count`, `exists`, `any`,
    /// `all`, `sum`, `avg`, `min`, `max` and `first`.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let db = database()?;
    /// let above_mean = db.compile(|q, (factor,)| {
    ///     let mean = q.from::<Note>().avg(|n| n.stars).expr();
    ///     q.from::<Note>().filter(|n| n.stars.as_f64().gt(mean * factor)).select(|n| n.id)
    /// })?;
    /// assert_eq!(above_mean.call(1.0)?, [3]);
    /// assert_eq!(above_mean.call(0.5)?, [1, 3]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn expr(self) -> Expr<O> {
        Expr::new(self.node())
    }
}

impl Predicate for Plan<bool> {
    fn condition(self) -> Expr<bool> {
        self.expr()
    }
}

impl ops::Not for Plan<bool> {
    type Output = Expr<bool>;

    fn not(self) -> Expr<bool> {
        !self.expr()
    }
}

impl<R: Predicate> ops::BitAnd<R> for Plan<bool> {
    type Output = Expr<bool>;

    fn bitand(self, right: R) -> Expr<bool> {
        self.expr() & right
    }
}

impl<R: Predicate> ops::BitOr<R> for Plan<bool> {
    type Output = Expr<bool>;

    fn bitor(self, right: R) -> Expr<bool> {
        self.expr() | right
    }
}

impl<T: Scalar> Operand<T> for Plan<T>
where
    T: Value<Sym = Expr<T>>,
{
    fn operand(self) -> Result<Node, OperandError> {
        Ok(self.node())
    }
}

impl<T: Scalar> Operand<T> for Plan<Option<T>>
where
    Option<T>: Value<Sym = Expr<Option<T>>>,
{
    fn operand(self) -> Result<Node, OperandError> {
        Ok(self.node())
    }
}

impl<T: Scalar, S: Value<Core = T>> OperandList<T> for Query<S, Deferred> {
    fn contains(self, item: Node) -> Expr<bool> {
        let (query, _) = adopted(self.description);
        Expr::push(Tree::InQuery { item: item.id(), query: Box::new(query) })
    }
}
