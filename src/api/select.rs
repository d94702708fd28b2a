//! Groups: what stands between `group_by` and `select`.

use std::marker::PhantomData;

use crate::api::arena::{self, Frame};
use crate::api::expr::{Expr, Predicate};
use crate::api::mode::Mode;
use crate::api::ops::Num;
use crate::api::query::Query;
use crate::api::value::{Ordered, Row, Symbol, Value};
use crate::ir::doc::{Expr as Tree, Fold, Stage};
use crate::ir::types::Type;

/// Rows grouped by a key: [`filter`](Grouped::filter) leaves groups out, [`select`](Grouped::select) finishes.
#[must_use = "groups do nothing until `.select(..)`"]
#[derive(Debug)]
pub struct Grouped<K, T, M> {
    query: Query<T, M>,
    key: PhantomData<fn() -> K>,
}

/// The group inside [`Grouped::select`] and [`Grouped::filter`]: `g.key`, `g.count()`, `g.sum(|e| e.amount)`.
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
/// # fn main() -> vellum::Result<()> {
/// # let notes = database()?.collection::<Note>()?;
/// let by_folder = notes.query().group_by(|n| n.folder);
/// let rows = by_folder.select(|g| (g.key, g.count(), g.avg(|n| n.stars))).to_vec()?;
/// assert_eq!(rows, [("home".to_owned(), 2, Some(2.0)), ("work".to_owned(), 1, Some(5.0))]);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Group<K, S> {
    /// The key that the rows of the group share.
    pub key: K,
    row: S,
}

impl<K: Copy, S: Copy> Clone for Group<K, S> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<K: Copy, S: Copy> Copy for Group<K, S> {}

impl<K: Symbol, S: Symbol> Group<K, S> {
    /// Returns the number of rows of the group.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// let counts = notes.query().group_by(|n| n.folder).select(|g| g.count()).to_vec()?;
    /// assert_eq!(counts, [2, 1]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn count(self) -> Expr<u64> {
        Expr::push(Tree::Fold { fold: Fold::Count, of: None, ty: Type::U64 })
    }

    /// Returns the sum over the group; zero where it holds no number.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// let sums = notes.query().group_by(|n| n.done).select(|g| (g.key, g.sum(|n| n.stars))).to_vec()?;
    /// assert_eq!(sums, [(false, 5), (true, 2)]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn sum<N: Num>(self, f: impl FnOnce(S) -> Expr<N>) -> Expr<N::Sum> {
        self.fold(Fold::Sum, f, N::Sum::TYPE)
    }

    /// Returns the mean over the group; null where it holds no number.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// let means = notes.query().group_by(|n| n.id).select(|g| g.avg(|n| n.stars)).to_vec()?;
    /// assert_eq!(means, [Some(2.0), None, Some(5.0)]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn avg<N: Num>(self, f: impl FnOnce(S) -> Expr<N>) -> Expr<Option<f64>> {
        self.fold(Fold::Avg, f, Type::F64)
    }

    /// Returns the smallest value of the group; null where it holds none.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// let first = notes.query().group_by(|n| n.folder).select(|g| g.min(|n| n.text)).to_vec()?;
    /// assert_eq!(first, [Some("Buy a lamp".to_owned()), Some("write the report".to_owned())]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn min<N: Value>(self, f: impl FnOnce(S) -> Expr<N>) -> Expr<Option<N::Core>>
    where
        N::Core: Ordered,
    {
        self.fold(Fold::Min, f, N::TYPE)
    }

    /// Returns the largest value of the group; null where it holds none.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// let most = notes.query().group_by(|n| n.folder).select(|g| (g.key, g.max(|n| n.stars))).to_vec()?;
    /// assert_eq!(most, [("home".to_owned(), Some(2)), ("work".to_owned(), Some(5))]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn max<N: Value>(self, f: impl FnOnce(S) -> Expr<N>) -> Expr<Option<N::Core>>
    where
        N::Core: Ordered,
    {
        self.fold(Fold::Max, f, N::TYPE)
    }

    fn fold<N, O>(self, fold: Fold, f: impl FnOnce(S) -> Expr<N>, ty: Type) -> Expr<O> {
        let of = f(self.row).raw().id();
        Expr::new(arena::push(Tree::Fold { fold, of: Some(of), ty }))
    }
}

impl<K: Symbol, T: Row, M: Mode> Grouped<K, T, M> {
    pub(crate) fn new(query: Query<T, M>) -> Self {
        Grouped { query, key: PhantomData }
    }

    /// Keeps the groups for which the condition holds.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// let folders = notes.query().group_by(|n| (n.folder, n.done)).filter(|g| g.max(|n| n.stars).ge(3));
    /// assert_eq!(folders.select(|g| (g.key, g.count())).to_vec()?, [(("work".to_owned(), false), 1)]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn filter<B: Predicate>(mut self, f: impl FnOnce(Group<K, T::Sym>) -> B) -> Self {
        let frame = Frame::two();
        let root = f(Self::group(&frame)).condition().raw();
        self.query.description.push(Stage::Filter, &frame, root);
        self
    }

    /// Turns each group into an expression, or a tuple or struct of expressions, over its key and its folds.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// let groups = notes.query().group_by(|n| n.folder).select(|g| (g.key, g.count()));
    /// assert_eq!(groups.filter(|(_, count)| count.gt(1)).to_vec()?, [("home".to_owned(), 2)]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn select<P: Symbol>(mut self, f: impl FnOnce(Group<K, T::Sym>) -> P) -> Query<P::Out, M> {
        let frame = Frame::two();
        let root = f(Self::group(&frame)).node();
        self.query.description.push(Stage::Select, &frame, root);
        self.query.retype()
    }

    fn group(frame: &Frame) -> Group<K, T::Sym> {
        let [key, row] = frame.rows();
        Group { key: K::bind(key), row: T::Sym::bind(row) }
    }
}
