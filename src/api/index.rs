//! Indexes of a collection: declared by the type, or made one by one.

use std::marker::PhantomData;
use std::ops::ControlFlow;

use crate::api::arena::Frame;
use crate::api::catalog;
use crate::api::collection::Collection;
use crate::api::document::{Document, Indexes};
use crate::api::expr::{Expr, Predicate};
use crate::api::order;
use crate::api::plan::Description;
use crate::api::sealed::Sealed;
use crate::api::session::Write;
use crate::api::tuples::each_tuple;
use crate::api::value::{Scalar, Symbol, Value};
use crate::compile::emit::column;
use crate::compile::{self, CompileError, IndexConditions};
use crate::error::Result;
use crate::ir::doc::{Expr as Tree, ExprId, Lambda, Nulls, OrderKey, Stage, Statement, Terminal};
use crate::ir::path::{FieldPath, Segment};
use crate::ir::types::Type;
use crate::ir::value::{FieldDefault, Kind, View};
use crate::store::{CollectionInfo, IndexColumnSpec, IndexFilter, IndexOutcome, IndexSpec, Progress, Schema};

/// What an index is made of: a field that has equality, a sort key, or a tuple of these. Sealed.
///
/// A field of a type without an order can be indexed too: the index finds what equals a value, and serves no order.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be indexed",
    label = "expected a stored text, number or bool, `.desc()` of one, or a tuple of these"
)]
pub trait IndexKeys: Sealed {
    #[doc(hidden)]
    fn index_keys(self) -> Vec<order::OrderKey>;
}

impl IndexKeys for order::OrderKey {
    fn index_keys(self) -> Vec<order::OrderKey> {
        vec![self]
    }
}

impl<T: Value> IndexKeys for Expr<T>
where
    T::Core: Scalar,
{
    fn index_keys(self) -> Vec<order::OrderKey> {
        vec![order::OrderKey::ascending(self.raw())]
    }
}

macro_rules! index_keys {
    ($($T:ident $i:tt),+) => {
        impl<$($T: IndexKeys),+> IndexKeys for ($($T,)+) {
            fn index_keys(self) -> Vec<order::OrderKey> {
                let mut keys = Vec::new();
                $( keys.extend(self.$i.index_keys()); )+
                keys
            }
        }
    };
}

each_tuple!(1..=8, index_keys);

/// What became of the indexes that were asked for.
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
/// # fn main() -> vellum::Result<()> {
/// # let notes = database()?.collection::<Note>()?;
/// notes.ensure_index(|n| n.stars).create()?;
/// let report = notes.ensure_indexes()?;
/// assert_eq!(report.created, ["notes/folder"]);
/// assert_eq!(report.undeclared, ["notes/stars"]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct IndexReport {
    /// The indexes that were made, by name.
    pub created: Vec<String>,
    /// The indexes that were there already.
    pub unchanged: Vec<String>,
    /// The indexes that were made anew, since the default of one of their fields has changed.
    pub rebuilt: Vec<String>,
    /// The indexes over the same fields that are unique where unique was not asked for, or the other way round, or that
    /// take nulls otherwise. They are left as they are: drop them first to change them.
    pub different: Vec<String>,
    /// The indexes that are there and that the type does not declare. They are left as they are.
    pub undeclared: Vec<String>,
}

impl IndexReport {
    fn add(&mut self, outcome: IndexOutcome) {
        match outcome {
            IndexOutcome::Created { name } => self.created.push(name),
            IndexOutcome::Unchanged { name } => self.unchanged.push(name),
            IndexOutcome::Rebuilt { name } => self.rebuilt.push(name),
            IndexOutcome::Differs { name } => self.different.push(name),
        }
    }

    /// Notes the indexes that are there and that the report does not name yet.
    fn note_undeclared(&mut self, info: &CollectionInfo) {
        let known = [&self.created, &self.unchanged, &self.rebuilt, &self.different];
        let names = info.indexes.iter().filter(|index| !index.narrow).map(|index| &index.name);
        let undeclared = names.filter(|name| !known.iter().any(|names| names.contains(name)));
        self.undeclared = undeclared.cloned().collect();
        self.undeclared.sort_unstable();
    }
}

/// An index that is there.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct IndexDescription {
    /// Its name, for [`Collection::drop_index`].
    pub name: String,
    /// The fields, each with whether it descends.
    pub fields: Vec<(FieldPath, bool)>,
    /// Whether equal values are refused.
    pub unique: bool,
    /// Whether two documents without a value are refused, too.
    pub nulls_collide: bool,
    /// The conditions of a partial index, in SQL over the table's columns; none for one that holds every document.
    pub conditions: Vec<String>,
}

/// How far an index has come that is built, or several that are built in one call.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct IndexProgress {
    /// How many documents the collection has.
    pub documents: u64,
    /// The part of the work that is done, from 0 to 1, about.
    pub part: f64,
}

impl From<Progress> for IndexProgress {
    fn from(Progress { documents, expected, done }: Progress) -> Self {
        IndexProgress { documents, part: (done as f64 / expected.max(1) as f64).min(1.0) }
    }
}

/// What is told of a build now and then, and says whether it goes on.
type Watch<'w> = dyn FnMut(IndexProgress) -> ControlFlow<()> + 'w;

/// The builds of one call, whoever watches them.
struct Builds<'w, 't> {
    watch: Option<&'w mut Watch<'t>>,
    /// How many are over, and how many there are.
    over: usize,
    of: usize,
}

impl Builds<'_, '_> {
    /// Runs the next build.
    fn next<R>(&mut self, write: &Write<'_>, build: impl FnOnce() -> Result<R>) -> Result<R> {
        let (over, of) = (self.over as f64, self.of as f64);
        self.over += 1;
        let Some(watch) = &mut self.watch else { return build() };
        let mut tick = |progress: Progress| {
            let own = IndexProgress::from(progress);
            watch(IndexProgress { part: (over + own.part) / of, ..own })
        };
        write.watched(&mut tick, build)
    }
}

/// An index about to be made; finish with [`IndexBuilder::create`].
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
/// # fn main() -> vellum::Result<()> {
/// # let notes = database()?.collection::<Note>()?;
/// let report = notes.ensure_index(|n| (n.folder, n.text)).unique().create()?;
/// assert_eq!(report.created, ["notes/folder,text"]);
/// # Ok(())
/// # }
/// ```
#[must_use = "an index is made by `.create()`"]
pub struct IndexBuilder<'c, 's, T> {
    collection: &'c Collection<'s, T>,
    spec: std::result::Result<IndexSpec, CompileError>,
    /// A query of the documents that it is to hold, if not all.
    filter: Option<Description>,
    /// Who watches the build.
    watch: Option<Box<Watch<'c>>>,
    of: PhantomData<fn() -> T>,
}

impl<T> std::fmt::Debug for IndexBuilder<'_, '_, T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("IndexBuilder").field(&self.spec).finish()
    }
}

impl<'c, T: Document> IndexBuilder<'c, '_, T> {
    /// Refuses documents whose values are already there. Documents without a value are not compared, unless by
    /// [`IndexBuilder::nulls_collide`].
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// notes.ensure_index(|n| n.text).unique().create()?;
    /// let mut again = notes.get(1)?.expect("there are three notes");
    /// again.id = 0;
    /// assert_eq!(notes.insert(again).unwrap_err().kind(), vellum::ErrorKind::Unique);
    /// # Ok(())
    /// # }
    /// ```
    pub fn unique(mut self) -> Self {
        if let Ok(spec) = &mut self.spec {
            spec.unique = true;
        }
        self
    }

    /// Refuses documents whose values are already there, as [`IndexBuilder::unique`], and takes two documents without a
    /// value for equal: null or missing is a value like any other, in each field of the index.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// # notes.delete_many(|n| n.stars.is_none())?;
    /// notes.ensure_index(|n| n.stars).nulls_collide().create()?;
    /// let without = || Note { id: 0, text: "milk".into(), folder: "home".into(), done: false, stars: None };
    /// notes.insert(without())?;
    /// assert_eq!(notes.insert(without()).unwrap_err().kind(), vellum::ErrorKind::Unique);
    /// # Ok(())
    /// # }
    /// ```
    pub fn nulls_collide(mut self) -> Self {
        if let Ok(spec) = &mut self.spec {
            (spec.unique, spec.nulls_collide) = (true, true);
        }
        self
    }

    /// Holds only the documents for which the condition does: a partial index, which is smaller, and unique among these
    /// alone. It serves a query that states the same condition among those that it joins by `&` or by further `filter`s.
    /// The condition is made of fields that are compared with literals (`eq`, `ne`, `gt` and their like), `is_some`,
    /// `is_none` and bool fields, with `&`, `|` and `!`. A query states it by an equal literal; not by a parameter, which
    /// may be another value at the next call.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// let report = notes.ensure_index(|n| n.folder).filter(|n| n.stars.is_some() & n.done).create()?;
    /// assert_eq!(report.created, ["notes/folder where done,stars"]);
    /// let starred = notes.compile(|q, (folder,)| {
    ///     q.filter(|n| n.folder.eq(folder) & n.done & n.stars.is_some()).count()
    /// })?;
    /// assert_eq!(starred.call("home")?, 1);
    /// assert_eq!(starred.explain()?.plan.readings[0].indexes, ["notes/folder where done,stars"]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn filter<B: Predicate>(mut self, f: impl FnOnce(T::Sym) -> B) -> Self {
        let frame = Frame::one();
        let condition = f(T::Sym::bind(frame.row())).condition();
        let query = self.filter.get_or_insert_with(|| self.collection.description());
        query.push(Stage::Filter, &frame, condition.raw());
        self
    }

    /// Calls `watch` now and then while the index is built, a few hundred documents apart, but not while SQLite sorts what
    /// it has read. [`Break`](ControlFlow::Break) ends the build: nothing of the index is left, and the call is
    /// `Interrupted`. So is the transaction over in which it was called, if it was called in one, and every further call
    /// on that is `Stale`; the transaction cannot be used in `watch` either. Watching takes a count of the documents
    /// first.
    ///
    /// ```
    /// use std::ops::ControlFlow;
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// let report = notes.ensure_index(|n| n.text).on_progress(|progress| {
    ///     eprint!("\r{:.0} % of {} notes", 100.0 * progress.part, progress.documents);
    ///     ControlFlow::Continue(())
    /// });
    /// assert_eq!(report.create()?.created, ["notes/text"]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn on_progress(mut self, watch: impl FnMut(IndexProgress) -> ControlFlow<()> + 'c) -> Self {
        self.watch = Some(Box::new(watch));
        self
    }

    /// Makes the index, if it is not there. The narrow index waits for [`Collection::ensure_indexes`].
    ///
    /// # Errors
    /// `InvalidQuery` for what cannot be indexed; `Unique` when documents already hold equal values, and nothing is
    /// changed; the store's own.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// assert_eq!(notes.ensure_index(|n| n.stars).create()?.created, ["notes/stars"]);
    /// assert_eq!(notes.ensure_index(|n| n.stars).create()?.unchanged, ["notes/stars"]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn create(mut self) -> Result<IndexReport> {
        let mut spec = self.spec?;
        let collection = self.collection;
        let watch = self.watch.as_deref_mut();
        collection.session.write_all(|write| {
            write.forget_dropped()?;
            if let Some(query) = self.filter {
                spec.filter = Some(collection.filter_in(write, query)?);
            }
            collection.make_in(write, &[spec], &mut Builds { watch, over: 0, of: 1 })
        })
    }
}

impl<'s, T: Document> Collection<'s, T> {
    /// Starts an index over one field or a tuple of fields: `ensure_index(|e| (e.a, e.b.desc())).create()`.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// notes.ensure_index(|n| (n.done, n.stars.desc())).create()?;
    /// let best = notes.filter(|n| !n.done).order_by_desc(|n| n.stars).take(1);
    /// assert_eq!(best.explain()?.plan.readings[0].indexes, ["notes/done,stars desc"]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn ensure_index<K: IndexKeys>(&self, f: impl FnOnce(T::Sym) -> K) -> IndexBuilder<'_, 's, T> {
        let frame = Frame::one();
        let keys = f(T::Sym::bind(frame.row())).index_keys();
        let keys = keys.iter().map(|key| {
            let extracted = key.extract(&frame, 0);
            extracted.error.map_or(Ok(key.with(extracted.lambda)), Err)
        });
        let keys = keys.collect::<std::result::Result<Vec<OrderKey>, CompileError>>();
        let spec = keys.and_then(|keys| spec(&keys, false));
        IndexBuilder { collection: self, spec, filter: None, watch: None, of: PhantomData }
    }

    /// Returns the conditions of a query over the columns that they name, which are made where they are missing.
    fn filter_in(&self, write: &Write<'_>, query: Description) -> Result<IndexFilter> {
        write.ensure_columns(&*self.info(write)?, &columns_asked(&query)?)?;
        let filter = filter_over(&*write.schema()?, &*self.info(write)?, &query)?;
        Ok(filter.ok_or_else(|| CompileError::NotIndexable { expression: "the condition".to_owned() })?)
    }

    /// Makes the indexes that the type declares and does not have yet, and brings the narrow index up to date. Drops
    /// nothing. Calling it again changes nothing. On a read-only handle it reports, and is `ReadOnly` where one would
    /// have to be made.
    ///
    /// # Errors
    /// As [`IndexBuilder::create`].
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// assert_eq!(notes.ensure_indexes()?.created, ["notes/folder"]);
    /// assert_eq!(notes.ensure_indexes()?.unchanged, ["notes/folder"]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn ensure_indexes(&self) -> Result<IndexReport> {
        self.ensure_declared(None)
    }

    /// Makes the indexes that the type declares, as [`Collection::ensure_indexes`], and calls `watch` now and then while
    /// they are built, as [`IndexBuilder::on_progress`]; `part` is that of all of them together, each counted alike, and
    /// those that are there as done. [`Break`](ControlFlow::Break) ends the call: none of them is made then.
    ///
    /// # Errors
    /// As [`IndexBuilder::create`]; `Interrupted` when `watch` breaks.
    ///
    /// ```
    /// use std::ops::ControlFlow;
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// let report = notes.ensure_indexes_with(|progress| {
    ///     eprint!("\r{:.0} %", 100.0 * progress.part);
    ///     ControlFlow::Continue(())
    /// })?;
    /// assert_eq!(report.created, ["notes/folder"]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn ensure_indexes_with(
        &self,
        mut watch: impl FnMut(IndexProgress) -> ControlFlow<()>,
    ) -> Result<IndexReport> {
        self.ensure_declared(Some(&mut watch))
    }

    fn ensure_declared(&self, watch: Option<&mut Watch<'_>>) -> Result<IndexReport> {
        let declared = Indexes::of::<T>()?;
        let mut specs = Vec::with_capacity(declared.len());
        for index in declared {
            let filter = index.condition.map(|condition| {
                let mut query = self.description();
                query.filter(condition);
                query
            });
            let nulls_collide = index.nulls_collide;
            specs.push((IndexSpec { nulls_collide, ..spec(&index.keys, index.unique)? }, filter));
        }
        if self.session.shared.engine.is_read_only() {
            return self.found(specs);
        }
        self.session.write_all(|write| {
            write.forget_dropped()?;
            let mut filtered = Vec::with_capacity(specs.len());
            for (spec, filter) in specs {
                let filter = filter.map(|query| self.filter_in(write, query)).transpose()?;
                filtered.push(IndexSpec { filter, ..spec });
            }
            let mut builds = Builds { watch, over: 0, of: filtered.len() + 1 };
            let mut report = self.make_in(write, &filtered, &mut builds)?;
            let info = self.info(write)?;
            builds.next(write, || Ok(write.refresh_narrow(&info)?))?;
            write.refresh_statistics(&*self.info(write)?)?;
            // Inside the transaction: once it is committed, nothing may fail any more.
            report.note_undeclared(&*self.info(write)?);
            Ok(report)
        })
    }

    fn make_in(
        &self,
        write: &Write<'_>,
        specs: &[IndexSpec],
        builds: &mut Builds<'_, '_>,
    ) -> Result<IndexReport> {
        let mut report = IndexReport::default();
        for spec in specs {
            let info = self.info(write)?;
            report.add(builds.next(write, || Ok(write.ensure_index(&info, spec)?))?);
        }
        Ok(report)
    }

    /// Reports on indexes that are all there, without writing.
    fn found(&self, specs: Vec<(IndexSpec, Option<Description>)>) -> Result<IndexReport> {
        let schema = self.session.newest_schema()?;
        let mut report = IndexReport::default();
        let Some(info) = schema.collections.get(self.name()) else { return Ok(report) };
        for (spec, filter) in specs {
            let filter = filter.map(|query| filter_over(&schema, info, &query)).transpose()?;
            // A condition over a column that is not there is of an index that is not there.
            let outcome = match filter {
                Some(None) => None,
                Some(filter) => IndexSpec { filter, ..spec }.outcome_in(info),
                None => spec.outcome_in(info),
            };
            match outcome {
                Some(outcome) => report.add(outcome),
                None => return self.session.write_all(|_| Ok(report)),
            }
        }
        report.note_undeclared(info);
        Ok(report)
    }

    fn info(&self, write: &Write<'_>) -> Result<std::sync::Arc<CollectionInfo>> {
        let found = write.schema()?.collections.get(self.name()).cloned();
        Ok(found.ok_or_else(|| CompileError::UnknownCollection { name: self.name().to_owned() })?)
    }

    /// Drops an index by its name; returns whether it was there. Documents are untouched, and so is the narrow index.
    ///
    /// # Errors
    /// The store's own.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// notes.ensure_indexes()?;
    /// assert!(notes.drop_index("notes/folder")?);
    /// assert!(!notes.drop_index("notes/folder")?);
    /// # Ok(())
    /// # }
    /// ```
    pub fn drop_index(&self, name: &str) -> Result<bool> {
        self.session.write_all(|write| Ok(write.drop_index(&*self.info(write)?, name)?))
    }

    /// Returns the indexes that are there, the narrow index left aside, by name.
    ///
    /// # Errors
    /// The store's own.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// notes.ensure_index(|n| (n.folder, n.stars.desc())).create()?;
    /// let index = &notes.indexes()?[0];
    /// assert_eq!(index.name, "notes/folder,stars desc");
    /// assert_eq!((index.fields[0].1, index.fields[1].1), (false, true));
    /// # Ok(())
    /// # }
    /// ```
    pub fn indexes(&self) -> Result<Vec<IndexDescription>> {
        let schema = self.session.newest_schema()?;
        let info = schema.collections.get(self.name());
        let indexes = info.into_iter().flat_map(|info| &info.indexes).filter(|index| !index.narrow);
        let mut described: Vec<IndexDescription> = indexes
            .map(|index| IndexDescription {
                name: index.name.clone(),
                fields: index
                    .columns
                    .iter()
                    .map(|column| (FieldPath::from_json(&column.path).unwrap_or_default(), column.desc))
                    .collect(),
                unique: index.unique,
                nulls_collide: index.nulls.is_some(),
                conditions: index.filter.as_ref().map_or_else(Vec::new, |filter| filter.conditions.clone()),
            })
            .collect();
        described.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(described)
    }
}

/// Returns the conditions of a query over the columns of a collection; `None` where it lacks one of them.
fn filter_over(schema: &Schema, info: &CollectionInfo, query: &Description) -> Result<Option<IndexFilter>> {
    if let Some(error) = &query.error {
        return Err(error.clone().into());
    }
    let asked = columns_asked(query)?;
    let named = asked.iter().map(|column| info.column(&column.path, column.kind).map(|own| own.name.clone()));
    let Some(columns) = named.collect::<Option<Vec<String>>>() else { return Ok(None) };
    let statement = Statement { query: query.query.clone(), terminal: Terminal::Count, params: Vec::new() };
    let IndexConditions { conditions, literals } =
        compile::index_conditions(&statement, &query.constants, &catalog::of(schema))?;
    Ok(Some(IndexFilter { conditions, columns, literals: literals.into_iter().collect() }))
}

/// Returns the columns of the fields that the filters of a query name, each once, by path.
fn columns_asked(query: &Description) -> Result<Vec<IndexColumnSpec>, CompileError> {
    let lambdas = query.query.stages.iter().filter_map(|stage| match stage {
        Stage::Filter(lambda) => Some(lambda),
        _ => None,
    });
    let mut columns = Vec::new();
    for lambda in lambdas {
        compile::check_closure(lambda)?;
        columns.extend(columns_named(lambda));
    }
    columns.sort_by(|a, b| (&a.path, a.kind).cmp(&(&b.path, b.kind)));
    columns.dedup_by(|a, b| a.path == b.path && a.kind == b.kind);
    Ok(columns)
}

/// Returns the columns of the fields that a condition names.
fn columns_named(lambda: &Lambda) -> Vec<IndexColumnSpec> {
    let mut own: Vec<ExprId> = Vec::new();
    for (id, node) in (0..).zip(&lambda.nodes) {
        match node {
            Tree::Field { .. } => own.push(id),
            // The field itself is not what the condition names.
            Tree::Defaulted(field, _) | Tree::OfKind { of: field, .. } => {
                own.retain(|id| id != field);
                own.push(id);
            }
            _ => {}
        }
    }
    own.iter().filter_map(|id| column_of_field(lambda, *id)).collect()
}

/// Returns the column of a scalar field, or of JSON as one kind; `None` for what has none.
fn column_of_field(lambda: &Lambda, id: ExprId) -> Option<IndexColumnSpec> {
    let (field, seen) = match lambda.node(id) {
        Tree::OfKind { of, ty } => (*of, Some(View::Only(ty.kind()))),
        _ => (id, None),
    };
    let default = match lambda.node(field) {
        Tree::Defaulted(_, default) => Some(default),
        _ => None,
    };
    let Tree::Field { ty, .. } = lambda.node(lambda.field(field)) else { return None };
    let (_, path) = lambda.place(field)?;
    let view = seen.unwrap_or(View::of(*ty));
    let is_scalar = matches!(view.kind(), Kind::Text | Kind::Number | Kind::Bool);
    (is_scalar && default != Some(&FieldDefault::Unseen)).then(|| column_of(&path, view, default, false))
}

/// Returns the wish for an index over sort keys.
fn spec(keys: &[OrderKey], unique: bool) -> Result<IndexSpec, CompileError> {
    let columns = keys.iter().map(column_spec).collect::<Result<Vec<_>, _>>()?;
    if columns.is_empty() {
        return Err(CompileError::NotIndexable { expression: "()".to_owned() });
    }
    for (place, column) in columns.iter().enumerate() {
        if columns.iter().take(place).any(|other| other.path == column.path) {
            return Err(CompileError::Unsupported {
                what: format!("`{}` twice in one index", column.label),
                instead: "name each field once".to_owned(),
            });
        }
    }
    Ok(IndexSpec { columns, unique, nulls_collide: false, filter: None })
}

fn column_spec(key: &OrderKey) -> Result<IndexColumnSpec, CompileError> {
    compile::check_closure(&key.by)?;
    let refused = || CompileError::NotIndexable { expression: key.by.display(key.by.root) };
    let column = column_of_field(&key.by, key.by.root).ok_or_else(refused)?;
    if key.nulls != Nulls::Smallest {
        return Err(CompileError::Unsupported {
            what: "`nulls_first` and `nulls_last` in an index".to_owned(),
            instead: "leave them to `order_by`".to_owned(),
        });
    }
    Ok(IndexColumnSpec { desc: key.descending, ..column })
}

/// Returns the column of a key of the type that stands in the document.
pub(crate) fn key_column(path: &FieldPath, ty: Type) -> IndexColumnSpec {
    column_of(path, View::of(ty), None, false)
}

fn column_of(path: &FieldPath, view: View, default: Option<&FieldDefault>, desc: bool) -> IndexColumnSpec {
    let labels = path.segments().iter().map(|segment| match segment {
        Segment::Key(key) => key.to_string(),
        Segment::Index(index) => index.to_string(),
    });
    IndexColumnSpec {
        path: path.to_json(),
        label: labels.collect::<Vec<_>>().join("."),
        kind: view.name(),
        expr: column::definition(path, view, default),
        desc,
    }
}
