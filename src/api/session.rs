//! Where a call runs: on the database, in a transaction, or in a snapshot.

use std::ops::Deref;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};

use arc_swap::ArcSwap;
use parking_lot::{ReentrantMutex, ReentrantMutexGuard};

use crate::api::bind::Values;
use crate::api::catalog;
use crate::api::iter::RowIter;
use crate::api::param::Arguments;
use crate::api::plan::Description;
use crate::api::rows::{Decode, Rows};
use crate::api::value::Row;
use crate::compile::{self, Disabled, Plan, PlanCache};
use crate::error::{Error, Result, TargetError};
use crate::fs::Layout;
use crate::ir::catalog::Catalog;
use crate::ir::doc::Statement;
use crate::ir::types::Type;
use crate::ir::value::Value;
use crate::store::{self, StoreError};

/// How often a call plans anew when the schema moves under it.
const REPLANS: usize = 3;

/// What all handles of one database share.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) engine: Arc<store::Engine>,
    pub(crate) plans: PlanCache,
    pub(crate) disabled: Disabled,
    catalog: ArcSwap<Known>,
    /// How the bytes of files are cut: fixed when the file was made, read when it is first needed.
    layout: OnceLock<Layout>,
    /// Whether bytes that a killed process had staged were looked for.
    pub(crate) has_swept: AtomicBool,
}

/// The schema that was seen last, as the compiler reads it.
#[derive(Debug)]
struct Known {
    schema: Arc<store::Schema>,
    catalog: Arc<Catalog>,
}

impl Shared {
    pub(crate) fn new(engine: Arc<store::Engine>, disabled: Disabled) -> Self {
        let schema = engine.schema();
        let catalog = Arc::new(catalog::of(&schema));
        Shared {
            engine,
            plans: PlanCache::default(),
            disabled,
            catalog: ArcSwap::from_pointee(Known { schema, catalog }),
            layout: OnceLock::new(),
            has_swept: AtomicBool::new(false),
        }
    }

    /// Returns the catalog of a schema.
    pub(crate) fn catalog(&self, schema: &Arc<store::Schema>) -> Arc<Catalog> {
        let known = self.catalog.load();
        if Arc::ptr_eq(&known.schema, schema) {
            return Arc::clone(&known.catalog);
        }
        let catalog = Arc::new(catalog::of(schema));
        if Arc::ptr_eq(&self.engine.schema(), schema) {
            let known = Known { schema: Arc::clone(schema), catalog: Arc::clone(&catalog) };
            self.catalog.store(Arc::new(known));
        }
        catalog
    }
}

/// Where a call runs.
#[derive(Debug)]
pub struct Session {
    pub(crate) shared: Arc<Shared>,
    pinned: Pinned,
}

/// The connection that a session holds, if it holds one.
enum Pinned {
    None,
    Snapshot { schema: Arc<store::Schema>, snapshot: ReentrantMutex<store::ReadTxn> },
    Transaction(ReentrantMutex<store::WriteTxn>),
}

impl std::fmt::Debug for Pinned {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Pinned::None => "None",
            Pinned::Snapshot { .. } => "Snapshot",
            Pinned::Transaction(_) => "Transaction",
        })
    }
}

/// A connection for one call.
pub(crate) enum Guard<'s> {
    Reader(store::Reader),
    Snapshot(ReentrantMutexGuard<'s, store::ReadTxn>),
    Transaction(ReentrantMutexGuard<'s, store::WriteTxn>),
}

impl Deref for Guard<'_> {
    type Target = store::Conn;

    fn deref(&self) -> &store::Conn {
        match self {
            Guard::Reader(reader) => reader,
            Guard::Snapshot(snapshot) => snapshot,
            Guard::Transaction(transaction) => transaction,
        }
    }
}

impl Guard<'_> {
    /// Looks at the schema, which perhaps moved in another process: the next call plans by what it is then. By this
    /// connection: another one may not be free. A snapshot or transaction sees one schema.
    pub(crate) fn look_again(&self) -> Result<()> {
        if let Guard::Reader(reader) = self {
            reader.look_again()?;
        }
        Ok(())
    }
}

/// A write transaction for one call: the session's own, in a part that can be taken back, or one that is committed
/// with the call.
pub(crate) enum Write<'s> {
    Own(Box<store::WriteTxn>),
    Joined(ReentrantMutexGuard<'s, store::WriteTxn>),
}

impl Deref for Write<'_> {
    type Target = store::WriteTxn;

    fn deref(&self) -> &store::WriteTxn {
        match self {
            Write::Own(transaction) => transaction,
            Write::Joined(transaction) => transaction,
        }
    }
}

impl Session {
    pub(crate) fn of_database(shared: Arc<Shared>) -> Self {
        Session { shared, pinned: Pinned::None }
    }

    pub(crate) fn of_snapshot(shared: Arc<Shared>, snapshot: store::ReadTxn) -> Self {
        let schema = snapshot.schema();
        Session { shared, pinned: Pinned::Snapshot { schema, snapshot: ReentrantMutex::new(snapshot) } }
    }

    pub(crate) fn of_transaction(shared: Arc<Shared>, transaction: store::WriteTxn) -> Self {
        Session { shared, pinned: Pinned::Transaction(ReentrantMutex::new(transaction)) }
    }

    /// Commits the transaction that the session holds, if it holds one.
    pub(crate) fn commit(self) -> Result<()> {
        match self.pinned {
            Pinned::Transaction(transaction) => Ok(transaction.into_inner().commit()?),
            Pinned::None | Pinned::Snapshot { .. } => Ok(()),
        }
    }

    /// Waits until no other thread uses what the session holds: a call does, and an iterator until it is dropped.
    fn held<'m, T>(&self, pinned: &'m ReentrantMutex<T>) -> Result<ReentrantMutexGuard<'m, T>> {
        let engine = &self.shared.engine;
        let waited = engine.busy_timeout();
        let in_use = || TargetError::InUse { path: engine.path().as_ref().into(), waited };
        Ok(pinned.try_lock_for(waited).ok_or_else(in_use)?)
    }

    /// Returns a connection to read with.
    pub(crate) fn read(&self) -> Result<Guard<'_>> {
        Ok(match &self.pinned {
            Pinned::None => Guard::Reader(self.shared.engine.reader()?),
            Pinned::Snapshot { snapshot, .. } => Guard::Snapshot(self.held(snapshot)?),
            Pinned::Transaction(transaction) => Guard::Transaction(self.held(transaction)?),
        })
    }

    /// Runs one statement that writes: in the session's transaction, or committed by itself.
    pub(crate) fn write_once<O>(&self, f: impl FnOnce(&store::Conn) -> Result<O>) -> Result<O> {
        match &self.pinned {
            Pinned::None => {
                let mut writer = self.shared.engine.writer()?;
                f(&writer).map_err(|error| match error {
                    Error::Store(error) => writer.outcome(error).into(),
                    other => other,
                })
            }
            Pinned::Transaction(transaction) => f(&*self.held(transaction)?),
            Pinned::Snapshot { .. } => Err(self.read_only()),
        }
    }

    /// Runs a few statements that write, in one transaction.
    pub(crate) fn write<O>(&self, f: impl FnOnce(&Write<'_>) -> Result<O>) -> Result<O> {
        self.write_in(|engine| engine.begin(), f)
    }

    /// Runs `f` in a write transaction, all or nothing.
    pub(crate) fn write_all<O>(&self, f: impl FnOnce(&Write<'_>) -> Result<O>) -> Result<O> {
        self.write(|write| all_or_nothing(write, f))
    }

    /// As [`Session::write_all`], but a fresh file is loaded without its log.
    pub(crate) fn load<O>(&self, f: impl FnOnce(&Write<'_>) -> Result<O>) -> Result<O> {
        self.write_in(|engine| engine.begin_load(), |write| all_or_nothing(write, f))
    }

    fn write_in<O>(
        &self,
        begin: impl FnOnce(&Arc<store::Engine>) -> Result<store::WriteTxn, StoreError>,
        f: impl FnOnce(&Write<'_>) -> Result<O>,
    ) -> Result<O> {
        match &self.pinned {
            Pinned::None => {
                let write = Write::Own(Box::new(begin(&self.shared.engine)?));
                let result = f(&write)?;
                if let Write::Own(transaction) = write {
                    transaction.commit()?;
                }
                Ok(result)
            }
            Pinned::Transaction(transaction) => {
                let write = Write::Joined(self.held(transaction)?);
                let result = f(&write)?;
                write.note_ids_returned();
                Ok(result)
            }
            Pinned::Snapshot { .. } => Err(self.read_only()),
        }
    }

    /// Returns whether this is one moment, which cannot be written to.
    pub(crate) fn is_snapshot(&self) -> bool {
        matches!(self.pinned, Pinned::Snapshot { .. })
    }

    /// Returns whether this is a snapshot or a transaction.
    pub(crate) fn is_pinned(&self) -> bool {
        !matches!(self.pinned, Pinned::None)
    }

    /// Returns whether writes are part of a transaction that others end.
    pub(crate) fn is_transaction(&self) -> bool {
        matches!(self.pinned, Pinned::Transaction(_))
    }

    /// Returns how the bytes of files are cut.
    pub(crate) fn layout(&self) -> Result<Layout> {
        match self.shared.layout.get() {
            Some(layout) => Ok(*layout),
            None => {
                let layout = Layout::read(&*self.read()?)?;
                Ok(*self.shared.layout.get_or_init(|| layout))
            }
        }
    }

    /// Returns whether the database is open for reading only.
    pub(crate) fn is_read_only(&self) -> bool {
        matches!(self.pinned, Pinned::None) && self.shared.engine.is_read_only()
    }

    /// Runs several reads that see one moment.
    pub(crate) fn at_one_moment<O>(&self, f: impl FnOnce(&store::Conn) -> Result<O>) -> Result<O> {
        match &self.pinned {
            Pinned::None => f(&*self.shared.engine.snapshot()?),
            _ => f(&*self.read()?),
        }
    }

    fn read_only(&self) -> Error {
        TargetError::Snapshot { path: self.shared.engine.path().as_ref().into() }.into()
    }

    /// Returns the schema that this session sees.
    pub(crate) fn schema(&self) -> Result<Arc<store::Schema>> {
        Ok(match &self.pinned {
            Pinned::None => self.shared.engine.schema(),
            Pinned::Snapshot { schema, .. } => Arc::clone(schema),
            Pinned::Transaction(transaction) => self.held(transaction)?.schema()?,
        })
    }

    /// Returns the epoch of the schema that this session sees.
    pub(crate) fn epoch(&self) -> Result<i64> {
        Ok(match &self.pinned {
            Pinned::None => self.shared.engine.epoch(),
            Pinned::Snapshot { schema, .. } => schema.epoch,
            Pinned::Transaction(transaction) => self.held(transaction)?.schema()?.epoch,
        })
    }

    /// As [`Session::schema`], but what another process changed is seen at once.
    pub(crate) fn newest_schema(&self) -> Result<Arc<store::Schema>> {
        match &self.pinned {
            Pinned::None => Ok(self.shared.engine.refresh()?),
            _ => self.schema(),
        }
    }

    /// Returns a plan, from the cache where the schema is the one that everybody sees.
    pub(crate) fn plan(&self, statement: &Statement, constants: &[Value]) -> Result<Arc<Plan>> {
        let schema = self.schema()?;
        let statement = &*compile::with_literals(statement, constants, &schema.literals);
        let everybodys = Arc::ptr_eq(&schema, &self.shared.engine.schema());
        if everybodys && let Some(plan) = self.shared.plans.get(statement, schema.epoch) {
            return Ok(plan);
        }
        let plan =
            Arc::new(compile::compile(statement, &self.shared.catalog(&schema), self.shared.disabled)?);
        tracing::debug!(sql = plan.text.sql, epoch = plan.epoch, "planned a query");
        if everybodys {
            self.shared.plans.insert(statement.clone(), Arc::clone(&plan));
        }
        Ok(plan)
    }

    /// Runs an ordinary call: its plan is found by the shape of the query.
    pub(crate) fn run_once<O>(&self, description: Description, decode: Decode<O>) -> Result<O> {
        let (statement, constants) = description.into_statement(Vec::new())?;
        let arguments = Arguments::default();
        let values = Values { constants: &constants, arguments: &arguments };
        self.planned(&mut || self.plan(&statement, &constants), &mut |plan| self.run(plan, &values, decode))
    }

    /// As [`Session::run_once`], for rows that are read later.
    pub(crate) fn iter_once<T: Row>(&self, description: Description) -> Result<RowIter<'_, T>> {
        let (statement, constants) = description.into_statement(Vec::new())?;
        let arguments = Arguments::default();
        let values = Values { constants: &constants, arguments: &arguments };
        self.planned(&mut || self.plan(&statement, &constants), &mut |plan| {
            RowIter::start(self, plan, &values)
        })
    }

    /// Plans and runs; plans and runs again when an index of the plan was dropped meanwhile, in another process too.
    pub(crate) fn planned<P, O>(
        &self,
        plan: &mut dyn FnMut() -> Result<P>,
        run: &mut dyn FnMut(&P) -> Result<O>,
    ) -> Result<O> {
        for _ in 1..REPLANS {
            let done = run(&plan()?);
            let Err(Error::Store(StoreError::MissingIndex { name, .. })) = &done else { return done };
            tracing::debug!(%name, "the schema moved under a plan");
            let known = self.shared.engine.epoch();
            if self.shared.engine.refresh()?.epoch == known {
                // Another program dropped it behind the catalog's back. Who cannot write lives with it.
                let _ = self.write(|write| Ok(write.forget_dropped()?));
            }
        }
        run(&plan()?)
    }

    /// Runs a plan.
    pub(crate) fn run<O>(&self, plan: &Plan, values: &Values<'_, '_>, decode: Decode<O>) -> Result<O> {
        if plan.is_write {
            return self.write_once(|conn| {
                let text = values.text(plan);
                let mut statement = conn.prepare(&text.sql)?;
                values.bind(text, &mut statement)?;
                let mut rows = Rows::new(&mut statement, plan);
                rows.execute(conn)?;
                decode(&mut rows)
            });
        }
        let guard = self.read()?;
        let text = values.text(plan);
        let mut statement = guard.prepare(&text.sql)?;
        values.bind(text, &mut statement)?;
        let result = decode(&mut Rows::new(&mut statement, plan));
        // A snapshot or transaction sees one schema.
        let met_schema = matches!(guard, Guard::Reader(_)) && statement.met_schema();
        drop(statement);
        if met_schema && result.is_ok() {
            guard.look_again()?;
        }
        result
    }
}

/// Runs a part of a joined transaction that is taken back alone; a transaction of its own needs no such part.
fn all_or_nothing<O>(write: &Write<'_>, f: impl FnOnce(&Write<'_>) -> Result<O>) -> Result<O> {
    let savepoint = match write {
        Write::Own(_) => None,
        Write::Joined(transaction) => Some(transaction.savepoint()?),
    };
    let result = f(write)?;
    if let Some(savepoint) = savepoint {
        savepoint.release()?;
    }
    Ok(result)
}

impl Description {
    /// Returns the statement and its constants, or the first thing that was wrong.
    pub(crate) fn into_statement(self, params: Vec<Type>) -> Result<(Statement, Vec<Value>)> {
        if let Some(error) = self.error {
            return Err(error.into());
        }
        let mut statement = Statement { query: self.query, terminal: self.terminal, params };
        statement.number_binders();
        Ok((statement, self.constants))
    }
}
