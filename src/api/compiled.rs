//! Compiled queries: planned once, called many times from any thread.

use std::collections::HashMap;
use std::marker::PhantomData;
use std::sync::Arc;

use arc_swap::{ArcSwap, Guard};
use parking_lot::RwLock;
use smallvec::SmallVec;

use crate::api::arena::Scope;
use crate::api::bind::Values;
use crate::api::explain::{self, Explanation};
use crate::api::iter::RowIter;
use crate::api::param::{Argument, Arguments, ParamSet, Slots, SymbolicParams};
use crate::api::plan::IntoPlan;
use crate::api::rows::Decode;
use crate::api::session::Session;
use crate::api::value::Row;
use crate::compile::{self, Plan};
use crate::error::{Result, TargetError};
use crate::ir::doc::Statement;
use crate::ir::value::Value;
use crate::store;

/// A compiled query: `P` are its parameters, `O` is what a call returns. `Send`, `Sync` and cheap to clone.
///
/// It stays valid: when an index comes or goes it plans itself anew, also, from the call after next on, when another
/// process made or dropped it.
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
/// # fn main() -> vellum::Result<()> {
/// # let db = database()?;
/// let starred = db.compile(|q, (least,)| q.from::<Note>().filter(|n| n.stars.ge(least)).select(|n| n.id))?;
/// assert_eq!(starred.call(1)?, [1, 3]);
/// assert_eq!(starred.call(5)?, [3]);
/// # Ok(())
/// # }
/// ```
pub struct Compiled<P, O> {
    inner: Arc<Inner>,
    decode: Decode<O>,
    params: PhantomData<fn(P)>,
}

struct Inner {
    session: Arc<Session>,
    constants: Vec<Value>,
    /// The query of the calls that give every option a value.
    whole: Form,
    /// The slots of its options.
    optional: SmallVec<[u16; 4]>,
    /// The query of the calls that give no value for these slots, for [`FORMS`] sets of them at most.
    partial: RwLock<HashMap<SmallVec<[u16; 4]>, Arc<Form>>>,
}

/// How many forms of a query are kept beside the whole one.
const FORMS: usize = 64;

/// A query as it is for a set of options that have a value.
struct Form {
    statement: Statement,
    plan: ArcSwap<Plan>,
}

impl<P, O> Clone for Compiled<P, O> {
    fn clone(&self) -> Self {
        Compiled { inner: Arc::clone(&self.inner), decode: self.decode, params: PhantomData }
    }
}

impl<P, O> std::fmt::Debug for Compiled<P, O> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Compiled").field(&self.to_sql()).finish()
    }
}

/// Compiles what a closure describes.
pub(crate) fn compile<Q, S: SymbolicParams, R: IntoPlan>(
    session: &Arc<Session>,
    root: Q,
    f: impl FnOnce(Q, S) -> R,
) -> Result<Compiled<S::Set, R::Output>> {
    // One arena for the whole closure, so that its parameters belong to it.
    let _scope = Scope::enter();
    let mut slots = Slots::default();
    let symbols = S::symbols(&mut slots);
    let described = f(root, symbols).into_plan();
    let (statement, constants) = described.description.into_statement(slots.into_types())?;
    let inner = Arc::new(Inner::new(session, statement, constants)?);
    Ok(Compiled { inner, decode: described.decode, params: PhantomData })
}

impl Form {
    fn new(session: &Session, statement: Statement, constants: &[Value]) -> Result<Self> {
        let schema = session.schema()?;
        let written = compile::with_literals(&statement, constants, &schema.literals);
        let catalog = session.shared.catalog(&schema);
        let plan = Arc::new(compile::compile(&written, &catalog, session.shared.disabled)?);
        Ok(Form { statement, plan: ArcSwap::new(plan) })
    }

    /// Returns the plan for what a session sees, made anew when the schema moved.
    fn plan(&self, session: &Session, constants: &[Value]) -> Result<Guard<Arc<Plan>>> {
        let known = self.plan.load();
        if known.epoch == session.epoch()? {
            return Ok(known);
        }
        let schema = session.schema()?;
        let plan = session.plan(&self.statement, constants)?;
        // A transaction may see a schema that never comes to be; only what everybody sees is kept.
        if Arc::ptr_eq(&schema, &session.shared.engine.schema()) {
            self.plan.store(Arc::clone(&plan));
        }
        Ok(Guard::from_inner(plan))
    }
}

impl Inner {
    fn new(session: &Arc<Session>, statement: Statement, constants: Vec<Value>) -> Result<Self> {
        let optional = statement.optional_slots();
        let whole = Form::new(session, statement, &constants)?;
        Ok(Inner { session: Arc::clone(session), constants, whole, optional, partial: RwLock::default() })
    }

    /// Returns the plan of a call with these arguments, for what a session sees.
    fn plan(&self, session: &Session, arguments: &Arguments<'_>) -> Result<Guard<Arc<Plan>>> {
        if self.optional.is_empty() {
            return self.whole.plan(session, &self.constants);
        }
        let is_absent = |slot: &u16| arguments.get(*slot) == Some(&Argument::Null);
        let absent: SmallVec<[u16; 4]> = self.optional.iter().copied().filter(is_absent).collect();
        if absent.is_empty() {
            self.whole.plan(session, &self.constants)
        } else {
            self.partial(absent)?.plan(session, &self.constants)
        }
    }

    /// Returns the query of the calls that give no value for these slots.
    fn partial(&self, absent: SmallVec<[u16; 4]>) -> Result<Arc<Form>> {
        if let Some(form) = self.partial.read().get(&absent) {
            return Ok(Arc::clone(form));
        }
        let form =
            Arc::new(Form::new(&self.session, self.whole.statement.without(&absent), &self.constants)?);
        let mut partial = self.partial.write();
        if partial.len() >= FORMS {
            partial.clear();
        }
        partial.insert(absent, Arc::clone(&form));
        Ok(form)
    }

    fn call<O>(&self, session: &Session, arguments: &Arguments<'_>, decode: Decode<O>) -> Result<O> {
        let values = Values { constants: &self.constants, arguments };
        session.planned(&mut || self.plan(session, arguments), &mut |plan| session.run(plan, &values, decode))
    }
}

impl<P: ParamSet, O> Compiled<P, O> {
    /// Runs the query with these arguments: a tuple, the bare argument of a single parameter, or the struct of
    /// `#[derive(Params)]`.
    ///
    /// # Errors
    /// `OutOfRange` and `NotFinite` for arguments that cannot be operands; what the terminal says; `Codec` for a row
    /// that the type cannot hold; `Busy` and its like from the store. A write on the database by a thread that has
    /// a transaction open is `WrongTarget`: use [`Compiled::on`].
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let db = database()?;
    /// let find = db.compile(|q, (ids, text)| {
    ///     q.from::<Note>().filter(|n| n.id.is_in(ids) & n.text.contains(text)).count()
    /// })?;
    /// assert_eq!(find.call((&[1, 2], "milk"))?, 1);
    /// # Ok(())
    /// # }
    /// ```
    pub fn call<'a>(&self, args: P::Args<'a>) -> Result<O> {
        self.call_in(&self.inner.session, &args)
    }

    fn call_in<'a>(&self, session: &Session, args: &P::Args<'a>) -> Result<O> {
        let mut arguments = Arguments::default();
        P::arguments(args, &mut arguments)?;
        self.inner.call(session, &arguments, self.decode)
    }

    /// Returns the same query on a transaction, a snapshot or the database: `page.on(&tx).call(..)`.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let db = database()?;
    /// let count = db.compile(|q, ()| q.from::<Note>().count())?;
    /// let tx = db.begin()?;
    /// tx.collection::<Note>()?.delete(1)?;
    /// assert_eq!(count.on(&tx).call(())?, 2);
    /// tx.rollback()?;
    /// assert_eq!(count.call(())?, 3);
    /// # Ok(())
    /// # }
    /// ```
    pub fn on<'c>(&'c self, target: &'c impl Target) -> On<'c, P, O> {
        On { compiled: self, session: target.session() }
    }
}

impl<P, O> Compiled<P, O> {
    /// Returns the SQL of the plan that is kept, of [`filter_some`](crate::Query::filter_some) with every option. A call
    /// after a change of indexes plans anew, and keeps that.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let db = database()?;
    /// let count = db.compile(|q, ()| q.from::<Note>().count())?;
    /// assert_eq!(count.to_sql(), r#"SELECT count(*) AS c0 FROM "notes" AS t0 NOT INDEXED"#);
    /// # Ok(())
    /// # }
    /// ```
    pub fn to_sql(&self) -> String {
        self.inner.whole.plan.load().text.sql.clone()
    }

    /// Explains what a call runs now: every stage, SQLite's own plan, which index serves what, and why not a faster
    /// way. Nothing is run.
    ///
    /// # Errors
    /// `InvalidQuery` when its collection is gone; the store's own.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let db = database()?;
    /// let done = db.compile(|q, (done,)| q.from::<Note>().filter(|n| n.done.eq(done)).count())?;
    /// let reading = &done.explain()?.plan.readings[0];
    /// assert!(reading.is_scan);
    /// assert_eq!(reading.obstacles[0].to_string(), "`done` has no index: the document is read");
    /// # Ok(())
    /// # }
    /// ```
    pub fn explain(&self) -> Result<Explanation> {
        explain::explain(self.session(), self.statement(), &self.inner.constants)
    }

    /// Returns the number of parameters, literals not counted.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let db = database()?;
    /// let q = db.compile(|q, (a, b)| q.from::<Note>().filter(|n| n.stars.between(a, b) & n.id.gt(7)).count())?;
    /// assert_eq!(q.param_count(), 2);
    /// # Ok(())
    /// # }
    /// ```
    pub fn param_count(&self) -> usize {
        self.statement().params.len()
    }

    pub(crate) fn session(&self) -> &Session {
        &self.inner.session
    }

    pub(crate) fn statement(&self) -> &Statement {
        &self.inner.whole.statement
    }
}

impl<P: ParamSet, T: Row> Compiled<P, Vec<T>> {
    /// Gives each row to `f` in turn, one in memory at a time.
    ///
    /// # Errors
    /// As [`Compiled::call`], and the first error of `f`, which ends it.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let db = database()?;
    /// let texts = db.compile(|q, ()| q.from::<Note>().select(|n| n.text))?;
    /// let mut longest = 0;
    /// texts.for_each((), |text| {
    ///     longest = longest.max(text.len());
    ///     Ok(())
    /// })?;
    /// assert_eq!(longest, 16);
    /// # Ok(())
    /// # }
    /// ```
    pub fn for_each<'a>(&self, args: P::Args<'a>, f: impl FnMut(T) -> Result<()>) -> Result<()> {
        self.on_session(&self.inner.session).for_each(args, f)
    }

    /// Returns an iterator over the rows, one in memory at a time.
    ///
    /// # Errors
    /// As [`Compiled::call`], for the first row; an error further on is an item, the last one.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let db = database()?;
    /// let texts = db.compile(|q, ()| q.from::<Note>().select(|n| n.text))?;
    /// let first: Option<String> = texts.iter(())?.next().transpose()?;
    /// assert_eq!(first.as_deref(), Some("buy milk"));
    /// # Ok(())
    /// # }
    /// ```
    pub fn iter<'a>(&self, args: P::Args<'a>) -> Result<RowIter<'_, T>> {
        self.on_session(&self.inner.session).rows(args)
    }

    fn on_session<'c>(&'c self, session: &'c Session) -> On<'c, P, Vec<T>> {
        On { compiled: self, session }
    }
}

/// A compiled query on a target.
#[derive(Debug)]
pub struct On<'c, P, O> {
    compiled: &'c Compiled<P, O>,
    session: &'c Session,
}

impl<'c, P, O> On<'c, P, O> {
    fn check(&self) -> Result<()> {
        let own = &self.compiled.inner.session.shared.engine;
        if Arc::ptr_eq(own, &self.session.shared.engine) {
            return Ok(());
        }
        let path = |engine: &store::Engine| engine.path().as_ref().into();
        let called_on = path(&self.session.shared.engine);
        Err(TargetError::OtherDatabase { compiled_on: path(own), called_on }.into())
    }
}

impl<'c, P: ParamSet, O> On<'c, P, O> {
    /// Runs the query there.
    ///
    /// # Errors
    /// As [`Compiled::call`], and `WrongTarget` when the target is of another database.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let db = database()?;
    /// let open = db.compile(|q, (folder,)| q.from::<Note>().filter(|n| n.folder.eq(folder) & !n.done).count())?;
    /// db.transaction(|tx| {
    ///     tx.collection::<Note>()?.update_many(|n| n.id.eq(1), |n| n.done.set(false))?;
    ///     assert_eq!(open.on(tx).call("home")?, 2);
    ///     Ok(())
    /// })?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn call<'a>(&self, args: P::Args<'a>) -> Result<O> {
        self.check()?;
        self.compiled.call_in(self.session, &args)
    }
}

impl<'c, P: ParamSet, T: Row> On<'c, P, Vec<T>> {
    /// As [`Compiled::for_each`].
    ///
    /// # Errors
    /// As [`On::call`].
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let db = database()?;
    /// let texts = db.compile(|q, (folder,)| q.from::<Note>().filter(|n| n.folder.eq(folder)).select(|n| n.text))?;
    /// let moment = db.snapshot()?;
    /// let mut seen = Vec::new();
    /// texts.on(&moment).for_each("home", |text| {
    ///     seen.push(text);
    ///     Ok(())
    /// })?;
    /// assert_eq!(seen, ["buy milk", "Buy a lamp"]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn for_each<'a>(&self, args: P::Args<'a>, mut f: impl FnMut(T) -> Result<()>) -> Result<()> {
        self.check()?;
        self.rows(args)?.try_for_each(|row| f(row?))
    }

    /// As [`Compiled::iter`].
    ///
    /// # Errors
    /// As [`On::call`].
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let db = database()?;
    /// let ids = db.compile(|q, ()| q.from::<Note>().select(|n| n.id))?;
    /// let moment = db.snapshot()?;
    /// db.collection::<Note>()?.delete(2)?;
    /// let seen: Vec<i64> = ids.on(&moment).iter(())?.collect::<vellum::Result<_>>()?;
    /// assert_eq!(seen, [1, 2, 3]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn iter<'a>(self, args: P::Args<'a>) -> Result<RowIter<'c, T>> {
        self.check()?;
        self.rows(args)
    }

    fn rows<'a>(&self, args: P::Args<'a>) -> Result<RowIter<'c, T>> {
        let mut arguments = Arguments::default();
        P::arguments(&args, &mut arguments)?;
        let inner = &self.compiled.inner;
        let values = Values { constants: &inner.constants, arguments: &arguments };
        self.session.planned(&mut || inner.plan(self.session, &arguments), &mut |plan| {
            RowIter::start(self.session, plan, &values)
        })
    }
}

/// Where a compiled query can run: a database, a transaction or a snapshot. Sealed.
pub trait Target {
    #[doc(hidden)]
    fn session(&self) -> &Session;
}
