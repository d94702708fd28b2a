//! `Query<T, M>`: stages over rows of `T`, and the terminals that end them.
//!
//! Every combinator is a thin generic shell: it runs the closure on symbols and hands one untyped lambda to code
//! that is not generic. One type serves both ways of running: on a collection (`M = Live`) a terminal runs, inside
//! `compile` (`M = Deferred`) it describes.

mod terminal;

use std::borrow::Cow;
use std::marker::PhantomData;

use crate::api::arena::Frame;
use crate::api::document::Document;
use crate::api::expr::Predicate;
use crate::api::mode::{Deferred, Mode};
use crate::api::order::OrderKeys;
use crate::api::param::{Given, Optional};
use crate::api::plan::Description;
use crate::api::row_count::RowCount;
use crate::api::select::Grouped;
use crate::api::value::{Row, Symbol};
use crate::ir::doc::Stage;

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
/// On a collection (`M` is [`Live`](crate::Live)) a terminal runs and returns a `Result`; inside a `compile` closure (`M` is
/// [`Deferred`]) it returns a [`Plan`](crate::Plan). Rows one at a time are given by `for_each` and `iter`, here on a collection,
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
    /// conditions; one by id, `first` and `exists` are, unless they have no conditions. An index that is dropped later
    /// counts from the next call on.
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
        Query::new(Description::collection::<T>(Cow::Borrowed(T::COLLECTION)), Deferred)
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
        Query::new(Description::collection::<T>(Cow::Owned(name.to_owned())), Deferred)
    }
}
