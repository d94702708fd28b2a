//! `Query<T, M>`: stages over rows of `T`, and the terminals that end them.
//!
//! Every combinator is a thin generic shell: it runs the closure on symbols and hands one untyped lambda to code
//! that is not generic. One type serves both ways of running: on a collection (`M = Live`) a terminal runs, inside
//! `compile` (`M = Deferred`) it describes.

use std::borrow::Cow;
use std::marker::PhantomData;

use crate::api::arena::Frame;
use crate::api::document::Document;
use crate::api::explain::{self, Explanation};
use crate::api::expr::{Expr, Predicate};
use crate::api::iter::RowIter;
use crate::api::mode::{Deferred, Live, Mode};
use crate::api::ops::Num;
use crate::api::order::OrderKeys;
use crate::api::param::{Given, Optional};
use crate::api::plan::{Description, Plan};
use crate::api::row_count::RowCount;
use crate::api::rows::Decode;
use crate::api::select::Grouped;
use crate::api::value::{Ordered, Row, Symbol, Value};
use crate::api::write::Assignments;
use crate::error::{Error, QueryError, Result};
use crate::ir::doc::{Fold, Stage, Terminal};

/// A query that yields rows of type `T`. Lazy: nothing runs before a terminal.
///
/// - Stages: [`filter`](Self::filter), [`filter_some`](Self::filter_some), [`order_by`](Self::order_by),
///   [`order_by_desc`](Self::order_by_desc), [`then_by`](Self::then_by), [`then_by_desc`](Self::then_by_desc),
///   [`unordered`](Self::unordered), [`skip`](Self::skip), [`take`](Self::take), [`select`](Self::select),
///   [`group_by`](Self::group_by). They act in the order in which they are written: `take(10).filter(..)` filters ten
///   rows.
/// - Terminals: [`to_vec`](Self::to_vec), [`first`](Self::first), [`single`](Self::single),
///   [`single_or_none`](Self::single_or_none), [`count`](Self::count), [`exists`](Self::exists), [`any`](Self::any),
///   [`all`](Self::all), [`sum`](Self::sum), [`avg`](Self::avg), [`min`](Self::min), [`max`](Self::max), and, on
///   documents, [`update`](Self::update) and [`delete`](Self::delete).
///
/// On a collection (`M` is [`Live`]) a terminal runs and returns a `Result`; inside a `compile` closure (`M` is
/// [`Deferred`]) it returns a [`Plan`]. Rows one at a time are given by `for_each` and `iter`, here on a collection,
/// else of the [`Compiled`](crate::Compiled).
///
/// Without `order_by` rows come by key, groups by their key. Rows that are equal by `order_by` come by key too, in
/// the direction of the last sort key, so that pages never overlap.
#[must_use = "a query does nothing until a terminal such as `.to_vec()` or `.count()`"]
pub struct Query<T, M = Deferred> {
    pub(crate) description: Description,
    pub(crate) mode: M,
    of: PhantomData<fn() -> T>,
}

impl<T, M: Clone> Clone for Query<T, M> {
    fn clone(&self) -> Self {
        Query { description: self.description.clone(), mode: self.mode.clone(), of: PhantomData }
    }
}

impl<T, M> std::fmt::Debug for Query<T, M> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Query").field(&self.description).finish()
    }
}

impl<T, M> Query<T, M> {
    pub(crate) fn new(description: Description, mode: M) -> Self {
        Query { description, mode, of: PhantomData }
    }

    pub(crate) fn retype<U>(self) -> Query<U, M> {
        Query { description: self.description, mode: self.mode, of: PhantomData }
    }

    /// Leaves out the first `count` rows. More than there are leaves none.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// let ids = notes.query().select(|n| n.id);
    /// assert_eq!(ids.clone().skip(1).to_vec()?, [2, 3]);
    /// assert_eq!(ids.take(2).skip(1).to_vec()?, [2]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn skip(mut self, count: impl RowCount) -> Self {
        let count = self.description.count(count.rows(), "skip");
        self.description.query.stages.push(Stage::Skip(count));
        self
    }

    /// Keeps the first `count` rows only.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// assert_eq!(notes.query().order_by_desc(|n| n.id).take(1).select(|n| n.id).to_vec()?, [3]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn take(mut self, count: impl RowCount) -> Self {
        let count = self.description.count(count.rows(), "take");
        self.description.query.stages.push(Stage::Take(count));
        self
    }

    /// Refuses to run as a scan: where nothing bounds what is read of a collection, by an index or by key, and no page
    /// ends it in an order that an index has, the query is `InvalidQuery`, which says why. A count of all documents is
    /// no scan. A page in an order that an index has is none either, though it reads far where few rows pass its
    /// conditions. An index that is dropped later counts from the next call on.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// notes.ensure_indexes()?;
    /// assert_eq!(notes.query().forbid_scan().filter(|n| n.folder.eq("home")).count()?, 2);
    /// let refused = notes.query().forbid_scan().filter(|n| n.done).count();
    /// assert!(refused.is_err_and(|error| error.to_string().contains("`done` has no index")));
    /// # Ok(())
    /// # }
    /// ```
    pub fn forbid_scan(mut self) -> Self {
        self.description.query.stages.push(Stage::ForbidScan);
        self
    }

    /// Gives up the promised order: only the set of rows is then promised.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// let mut ids = notes.query().unordered().select(|n| n.id).to_vec()?;
    /// ids.sort_unstable();
    /// assert_eq!(ids, [1, 2, 3]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn unordered(mut self) -> Self {
        self.description.query.stages.push(Stage::Unordered);
        self
    }
}

impl<T: Row, M: Mode> Query<T, M> {
    /// Keeps the rows for which the condition holds.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// let lamps = notes.query().filter(|n| n.text.contains("lamp")).filter(|n| n.stars.is_none());
    /// assert_eq!(lamps.count()?, 1);
    /// # Ok(())
    /// # }
    /// ```
    pub fn filter<B: Predicate>(mut self, f: impl FnOnce(T::Sym) -> B) -> Self {
        let frame = Frame::one();
        let root = f(T::Sym::bind(frame.row())).condition().raw();
        self.description.push(Stage::Filter, &frame, root);
        self
    }

    /// Keeps the rows for which the condition holds where the option is `Some`, and all rows where it is `None`. The
    /// condition is given the value; of an `Option` parameter, a parameter that has it.
    ///
    /// A compiled query has a plan for each set of its options that calls have given, made with the first such call:
    /// a filter that is not there costs nothing, one that is there is served by an index as any other. What
    /// [`forbid_scan`](Self::forbid_scan) refuses, it refuses of the plan of the call.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let db = database()?;
    /// let search = db.compile(|q, (folder, stars)| {
    ///     q.from::<Note>()
    ///         .filter_some(folder, |n, folder| n.folder.eq(folder))
    ///         .filter_some(stars, |n, least| n.stars.ge(least))
    ///         .count()
    /// })?;
    /// assert_eq!(search.call((Some("home"), Some(2)))?, 1);
    /// assert_eq!(search.call((Some("home"), None))?, 2);
    /// assert_eq!(search.call((None, None))?, 3);
    ///
    /// let word: Option<&str> = None;
    /// let notes = db.collection::<Note>()?;
    /// assert_eq!(notes.query().filter_some(word, |n, word| n.text.contains(word)).count()?, 3);
    /// # Ok(())
    /// # }
    /// ```
    pub fn filter_some<V: Optional, B: Predicate>(
        mut self,
        value: V,
        f: impl FnOnce(T::Sym, V::Value) -> B,
    ) -> Self {
        let frame = Frame::one();
        let root = |value| f(T::Sym::bind(frame.row()), value).condition().raw();
        match value.given() {
            Given::Nothing => {}
            Given::Value(value) => self.description.push(Stage::Filter, &frame, root(value)),
            Given::Call(slot, value) => self.description.filter_some(slot, &frame, root(value)),
        }
        self
    }

    fn order<K: OrderKeys>(mut self, f: impl FnOnce(T::Sym) -> K, then: bool, reversed: bool) -> Self {
        let frame = Frame::one();
        let mut keys = f(T::Sym::bind(frame.row())).keys();
        if reversed {
            keys = keys.into_iter().map(crate::api::order::OrderKey::reversed).collect();
        }
        self.description.order(&frame, &keys, then);
        self
    }

    /// Sorts by one key or a tuple of keys, from small to large. Rows that are equal keep the order they had.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// let ids = notes.query().order_by(|n| (n.done.desc(), n.stars.asc().nulls_last())).select(|n| n.id);
    /// assert_eq!(ids.to_vec()?, [1, 3, 2]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn order_by<K: OrderKeys>(self, f: impl FnOnce(T::Sym) -> K) -> Self {
        self.order(f, false, false)
    }

    /// Sorts by one key or a tuple of keys, from large to small.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// assert_eq!(notes.query().order_by_desc(|n| n.text).select(|n| n.id).to_vec()?, [3, 1, 2]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn order_by_desc<K: OrderKeys>(self, f: impl FnOnce(T::Sym) -> K) -> Self {
        self.order(f, false, true)
    }

    /// Sorts rows that are equal by the keys before, from small to large.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// let ids = notes.query().order_by_desc(|n| n.folder).then_by(|n| n.text).select(|n| n.id);
    /// assert_eq!(ids.to_vec()?, [3, 2, 1]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn then_by<K: OrderKeys>(self, f: impl FnOnce(T::Sym) -> K) -> Self {
        self.order(f, true, false)
    }

    /// Sorts rows that are equal by the keys before, from large to small.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// let ids = notes.query().order_by(|n| n.folder).then_by_desc(|n| n.text).select(|n| n.id);
    /// assert_eq!(ids.to_vec()?, [1, 2, 3]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn then_by_desc<K: OrderKeys>(self, f: impl FnOnce(T::Sym) -> K) -> Self {
        self.order(f, true, true)
    }

    /// Turns each row into an expression, a whole document or struct, a tuple of these, or a struct that is made of them:
    /// its companion, with an expression for each member.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// let rows = notes.query().select(|n| (n.id, n.text.len(), n.stars.unwrap_or(0))).to_vec()?;
    /// assert_eq!(rows, [(1, 8, 2), (2, 10, 0), (3, 16, 5)]);
    ///
    /// #[derive(Embed, Serialize, Deserialize)]
    /// struct Line {
    ///     title: String,
    ///     size: u64,
    ///     kind: String,
    /// }
    /// let lines = notes.query().select(|n| LineFields { title: n.text, size: n.text.len(), kind: lit("note") });
    /// let longest: Option<Line> = lines.order_by_desc(|line| line.size).first()?;
    /// assert_eq!(longest.map(|line| line.title).as_deref(), Some("write the report"));
    ///
    /// let with_size: Vec<(Note, u64)> = notes.query().select(|n| (n, n.text.len())).to_vec()?;
    /// assert_eq!(with_size.len(), 3);
    /// # Ok(())
    /// # }
    /// ```
    pub fn select<P: Symbol>(mut self, f: impl FnOnce(T::Sym) -> P) -> Query<P::Out, M> {
        let frame = Frame::one();
        let root = f(T::Sym::bind(frame.row())).node();
        self.description.push(Stage::Select, &frame, root);
        self.retype()
    }

    /// Groups rows by a key, which may be a tuple or a struct; finish with [`Grouped::select`].
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// let groups = notes.query().group_by(|n| n.done).select(|g| (g.key, g.count(), g.sum(|n| n.stars)));
    /// assert_eq!(groups.to_vec()?, [(false, 2, 5), (true, 1, 2)]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn group_by<K: Symbol>(mut self, f: impl FnOnce(T::Sym) -> K) -> Grouped<K, T, M> {
        let frame = Frame::one();
        let root = f(T::Sym::bind(frame.row())).node();
        self.description.push(Stage::Group, &frame, root);
        Grouped::new(self)
    }

    fn end<O>(mut self, terminal: Terminal, decode: Decode<O>) -> M::Ret<O> {
        self.description.terminal = terminal;
        self.mode.finish(Plan { description: self.description, decode })
    }

    fn fold<N, O>(mut self, fold: Fold, f: impl FnOnce(T::Sym) -> Expr<N>, decode: Decode<O>) -> M::Ret<O> {
        let frame = Frame::one();
        let root = f(T::Sym::bind(frame.row())).raw();
        let lambda = self.description.lambda(&frame, root);
        self.end(Terminal::Fold(fold, lambda), decode)
    }

    /// Returns all rows.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// let home: Vec<Note> = notes.filter(|n| n.folder.eq("home")).to_vec()?;
    /// assert_eq!(home.len(), 2);
    /// # Ok(())
    /// # }
    /// ```
    pub fn to_vec(self) -> M::Ret<Vec<T>> {
        self.end(Terminal::Rows, |rows| rows.collect())
    }

    /// Returns the number of rows.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// assert_eq!(notes.filter(|n| n.folder.eq("home")).count()?, 2);
    /// assert_eq!(notes.query().take(2).count()?, 2);
    /// # Ok(())
    /// # }
    /// ```
    pub fn count(self) -> M::Ret<u64> {
        self.end(Terminal::Count, |rows| rows.one())
    }

    /// Returns whether there is a row.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// assert!(notes.filter(|n| n.done).exists()?);
    /// # Ok(())
    /// # }
    /// ```
    pub fn exists(self) -> M::Ret<bool> {
        self.end(Terminal::Exists, |rows| rows.one())
    }

    /// Returns whether the condition holds for a row; false for none.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// assert!(notes.query().any(|n| n.stars.gt(4))?);
    /// assert!(!notes.filter(|n| n.done).any(|n| n.stars.gt(4))?);
    /// # Ok(())
    /// # }
    /// ```
    pub fn any<B: Predicate>(self, f: impl FnOnce(T::Sym) -> B) -> M::Ret<bool> {
        self.filter(f).exists()
    }

    /// Returns whether the condition holds for every row; true for none.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// assert!(notes.query().any(|n| n.stars.gt(4))?);
    /// assert!(!notes.query().all(|n| n.stars.gt(4))?);
    /// assert!(notes.filter(|n| n.folder.eq("attic")).all(|n| n.done)?);
    /// # Ok(())
    /// # }
    /// ```
    pub fn all<B: Predicate>(self, f: impl FnOnce(T::Sym) -> B) -> M::Ret<bool> {
        self.filter(|row| !f(row).condition()).end(Terminal::NotExists, |rows| rows.one())
    }

    /// Returns the first row, or `None` when there is none.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// assert_eq!(notes.query().select(|n| n.id).first()?, Some(1));
    /// assert_eq!(notes.filter(|n| n.folder.eq("attic")).first()?, None);
    /// # Ok(())
    /// # }
    /// ```
    pub fn first(self) -> M::Ret<Option<T>> {
        self.end(Terminal::First, |rows| rows.next_row())
    }

    /// Returns the only row.
    ///
    /// # Errors
    /// `NoRow` when there is none, `ManyRows` when there are several.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// assert_eq!(notes.filter(|n| n.folder.eq("work")).single()?.id, 3);
    /// let several = notes.query().single().unwrap_err();
    /// assert_eq!(several.kind(), vellum::ErrorKind::ManyRows);
    /// # Ok(())
    /// # }
    /// ```
    pub fn single(self) -> M::Ret<T> {
        self.end(Terminal::Single, |rows| {
            let row = rows.only()?;
            row.ok_or(Error::Query(QueryError::NoRow))
        })
    }

    /// Returns the only row, or `None` when there is none.
    ///
    /// # Errors
    /// `ManyRows` when there are several.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// assert!(notes.filter(|n| n.folder.eq("attic")).single_or_none()?.is_none());
    /// let several = notes.query().single_or_none().unwrap_err();
    /// assert_eq!(several.kind(), vellum::ErrorKind::ManyRows);
    /// # Ok(())
    /// # }
    /// ```
    pub fn single_or_none(self) -> M::Ret<Option<T>> {
        self.end(Terminal::Single, |rows| rows.only())
    }

    /// Returns the sum; zero for nothing. Integers are summed exactly.
    ///
    /// # Errors
    /// `Overflow` when the total of integers does not fit an `i64`, or that of floats is not finite.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// assert_eq!(notes.query().sum(|n| n.stars)?, 7);
    /// # Ok(())
    /// # }
    /// ```
    pub fn sum<N: Num>(self, f: impl FnOnce(T::Sym) -> Expr<N>) -> M::Ret<N::Sum> {
        self.fold(Fold::Sum, f, |rows| rows.one())
    }

    /// Returns the mean of what is there; `None` for nothing.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// assert_eq!(notes.query().avg(|n| n.stars)?, Some(3.5));
    /// assert_eq!(notes.filter(|n| n.stars.is_none()).avg(|n| n.stars)?, None);
    /// # Ok(())
    /// # }
    /// ```
    pub fn avg<N: Num>(self, f: impl FnOnce(T::Sym) -> Expr<N>) -> M::Ret<Option<f64>> {
        self.fold(Fold::Avg, f, |rows| rows.one())
    }

    /// Returns the smallest value; `None` for nothing.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// assert_eq!(notes.query().min(|n| n.stars)?, Some(2));
    /// assert_eq!(notes.filter(|n| n.stars.is_none()).min(|n| n.stars)?, None);
    /// # Ok(())
    /// # }
    /// ```
    pub fn min<N: Value>(self, f: impl FnOnce(T::Sym) -> Expr<N>) -> M::Ret<Option<N::Core>>
    where
        N::Core: Ordered,
    {
        self.fold(Fold::Min, f, |rows| rows.one())
    }

    /// Returns the largest value; `None` for nothing.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// assert_eq!(notes.query().min(|n| n.stars)?, Some(2));
    /// assert_eq!(notes.query().max(|n| n.text)?.as_deref(), Some("write the report"));
    /// # Ok(())
    /// # }
    /// ```
    pub fn max<N: Value>(self, f: impl FnOnce(T::Sym) -> Expr<N>) -> M::Ret<Option<N::Core>>
    where
        N::Core: Ordered,
    {
        self.fold(Fold::Max, f, |rows| rows.one())
    }
}

impl<T: Document, M: Mode> Query<T, M> {
    /// Changes the documents, all or none, and returns how many documents' bytes changed.
    ///
    /// # Errors
    /// `TypeMismatch` when an increment meets something that is not a number, or a field below a scalar is set;
    /// `Overflow` when an increment does not fit; `Unique` when two documents would have the same unique values.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// let first_two = notes.query().order_by(|n| n.text).take(2);
    /// assert_eq!(first_two.update(|n| n.stars.set(None))?, 1); // the other one had none
    /// # Ok(())
    /// # }
    /// ```
    pub fn update<A: Assignments>(mut self, f: impl FnOnce(T::Sym) -> A) -> M::Ret<u64> {
        let frame = Frame::one();
        let assignments = f(T::Sym::bind(frame.row())).list();
        self.description.update(&frame, &assignments);
        self.mode.finish(Plan { description: self.description, decode: |rows| rows.changed() })
    }

    /// Deletes the documents, all or none, and returns how many there were.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// assert_eq!(notes.query().order_by_desc(|n| n.id).take(1).delete()?, 1);
    /// assert_eq!(notes.get(3)?, None);
    /// # Ok(())
    /// # }
    /// ```
    pub fn delete(self) -> M::Ret<u64> {
        self.end(Terminal::Delete, |rows| rows.changed())
    }
}

impl<'s, T: Row> Query<T, Live<'s>> {
    /// Returns an iterator over the rows, one in memory at a time.
    ///
    /// # Errors
    /// That of planning and of the first row; an error further on is an item, the last one.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// for id in notes.filter(|n| !n.done).select(|n| n.id).iter()? {
    ///     assert!(id? > 1);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn iter(mut self) -> Result<RowIter<'s, T>> {
        self.description.terminal = Terminal::Rows;
        self.mode.session.iter_once(self.description)
    }

    /// Explains what [`Query::to_vec`] would run. Nothing is run. What another terminal runs is explained by compiling
    /// it: `collection.compile(|q, ()| q.count())?.explain()`.
    ///
    /// # Errors
    /// `InvalidQuery` for what cannot be run by the rules; the store's own.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// notes.ensure_indexes()?;
    /// let told = notes.filter(|n| n.folder.eq("home")).explain()?;
    /// assert_eq!(told.plan.readings[0].indexes, ["notes/folder"]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn explain(&self) -> Result<Explanation> {
        let (statement, _) = self.description.clone().into_statement(Vec::new())?;
        explain::explain(self.mode.session, &statement)
    }

    /// Returns the SQL that [`Query::to_vec`] would run.
    ///
    /// # Errors
    /// As [`Query::explain`].
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// let sql = notes.filter(|n| n.id.eq(1)).select(|n| n.id).to_sql()?;
    /// assert_eq!(sql, r#"SELECT t0.id AS c0 FROM "notes" AS t0 NOT INDEXED WHERE (t0.id = ?1) ORDER BY t0.id"#);
    /// # Ok(())
    /// # }
    /// ```
    pub fn to_sql(&self) -> Result<String> {
        let (statement, _) = self.description.clone().into_statement(Vec::new())?;
        Ok(self.mode.session.plan(&statement)?.text.sql.clone())
    }

    /// Gives each row to `f` in turn, one in memory at a time.
    ///
    /// # Errors
    /// The first error of the query or of `f`, which ends it.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// let mut len = 0;
    /// notes.query().for_each(|note| {
    ///     len += note.text.len();
    ///     Ok(())
    /// })?;
    /// assert_eq!(len, 34);
    /// # Ok(())
    /// # }
    /// ```
    pub fn for_each(self, mut f: impl FnMut(T) -> Result<()>) -> Result<()> {
        self.iter()?.try_for_each(|row| f(row?))
    }
}

/// The roots of queries inside `db.compile(|q, ..| q.from::<Event>()..)`.
#[derive(Clone, Copy, Debug)]
pub struct Root(pub(crate) ());

impl Root {
    /// Returns the documents of the type's own collection.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let db = database()?;
    /// let all = db.compile(|q, ()| q.from::<Note>())?;
    /// assert_eq!(all.call(())?.len(), 3);
    /// # Ok(())
    /// # }
    /// ```
    pub fn from<T: Document>(self) -> Query<T> {
        Query::new(Description::collection(Cow::Borrowed(T::COLLECTION), T::KEY), Deferred)
    }

    /// Returns the documents of a named collection.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let db = database()?;
    /// db.collection_named::<Note>("archive")?;
    /// let archived = db.compile(|q, ()| q.from_named::<Note>("archive").count())?;
    /// assert_eq!(archived.call(())?, 0);
    /// # Ok(())
    /// # }
    /// ```
    pub fn from_named<T: Document>(self, name: &str) -> Query<T> {
        Query::new(Description::collection(Cow::Owned(name.to_owned()), T::KEY), Deferred)
    }
}
