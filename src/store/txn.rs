//! Guards over a connection: a reader, a snapshot, the writer, a write transaction.
//!
//! Each is a value: `Send`, ended by drop without its changes, the connection given back.
#![expect(unsafe_code, reason = "a guard's drop moves its connection out")]

use std::cell::RefCell;
use std::mem::ManuallyDrop;
use std::ops::Deref;
use std::sync::Arc;

use super::conn::Conn;
use super::engine::Engine;
use super::error::StoreError;
use super::ids::{Burned, Ids};
use super::load::Load;
use super::savepoint::Mark;
use super::schema::Schema;
use super::stmt::{Prepared, Row, Stmt};

/// A connection outside a transaction: each statement sees the newest commit.
pub(crate) struct Reader {
    // Moved out by `drop` alone.
    conn: ManuallyDrop<Box<Conn>>,
    engine: Arc<Engine>,
}

impl Reader {
    pub(super) fn new(engine: Arc<Engine>, conn: Box<Conn>) -> Self {
        Self { conn: ManuallyDrop::new(conn), engine }
    }

    /// Returns the engine that lent this reader.
    pub(crate) fn engine(&self) -> &Arc<Engine> {
        &self.engine
    }

    /// Reads the catalog again when its epoch moved. Rows of this connection that are being read go on.
    pub(crate) fn look_again(&self) -> Result<(), StoreError> {
        self.begin("BEGIN")?;
        let seen = self.engine.schema_seen_by(self);
        self.rollback();
        seen.map(drop)
    }
}

impl Deref for Reader {
    type Target = Conn;

    fn deref(&self) -> &Conn {
        &self.conn
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        // SAFETY: `conn` is not used after this, the only place that takes it.
        let conn = unsafe { ManuallyDrop::take(&mut self.conn) };
        if conn.is_autocommit() {
            self.engine.pool().put(conn);
        } else {
            drop(conn);
            self.engine.pool().forget();
        }
    }
}

/// The rows of a query together with the guard of the connection that reads them.
pub(crate) struct OwnedRows<C: Deref<Target = Conn>> {
    // Taken by `drop` alone, which runs before the guard's own.
    prepared: Option<Prepared>,
    conn: C,
}

impl<C: Deref<Target = Conn>> OwnedRows<C> {
    /// Starts a query. The guard must give the same connection for as long as it lives.
    pub(crate) fn new<E: From<StoreError>>(
        conn: C,
        sql: &str,
        bind: impl FnOnce(&mut Stmt<'_>) -> Result<(), E>,
    ) -> Result<Self, E> {
        let mut statement = conn.prepare(sql)?;
        bind(&mut statement)?;
        let prepared = statement.detach();
        Ok(OwnedRows { prepared, conn })
    }

    /// Returns the guard.
    pub(crate) fn guard(&self) -> &C {
        &self.conn
    }

    /// As [`Stmt::met_schema`].
    pub(crate) fn met_schema(&mut self) -> bool {
        self.prepared.as_mut().is_some_and(Prepared::met_schema)
    }

    /// Moves to the next row; `None` past the last one, as often as it is asked.
    pub(crate) fn step(&mut self) -> Result<Option<Row<'_>>, StoreError> {
        match &mut self.prepared {
            Some(prepared) => prepared.step(&self.conn),
            None => Ok(None),
        }
    }
}

impl<C: Deref<Target = Conn>> Drop for OwnedRows<C> {
    fn drop(&mut self) {
        if let Some(prepared) = self.prepared.take() {
            self.conn.give_back(prepared);
        }
    }
}

/// One moment of the file, pinned when it is made.
pub(crate) struct ReadTxn {
    schema: Arc<Schema>,
    reader: Reader,
}

impl ReadTxn {
    pub(super) fn begin(reader: Reader) -> Result<Self, StoreError> {
        reader.begin("BEGIN")?;
        // Dropped on an error below, it ends the transaction.
        let mut snapshot = Self { schema: Arc::default(), reader };
        // The first read pins the moment.
        snapshot.schema = snapshot.engine().schema_seen_by(&snapshot.reader)?;
        Ok(snapshot)
    }

    /// Returns the schema of that moment.
    pub(crate) fn schema(&self) -> Arc<Schema> {
        Arc::clone(&self.schema)
    }

    /// Returns the engine whose file this reads.
    pub(crate) fn engine(&self) -> &Arc<Engine> {
        self.reader.engine()
    }
}

impl Deref for ReadTxn {
    type Target = Conn;

    fn deref(&self) -> &Conn {
        &self.reader
    }
}

impl Drop for ReadTxn {
    fn drop(&mut self) {
        self.reader.rollback();
    }
}

/// The writer outside a transaction: each statement commits by itself.
pub(crate) struct Writer {
    // Moved out by `drop` alone.
    conn: ManuallyDrop<Box<Conn>>,
    engine: Arc<Engine>,
    usable: bool,
}

impl Writer {
    pub(super) fn new(engine: Arc<Engine>, conn: Box<Conn>) -> Self {
        conn.expect_commit();
        Self { conn: ManuallyDrop::new(conn), engine, usable: true }
    }

    /// Returns the error of a statement as that of its commit, once it has come to it: when the disk failed there,
    /// nobody knows whether it counts.
    pub(crate) fn outcome(&mut self, error: StoreError) -> StoreError {
        if !matches!(error, StoreError::Io { .. } | StoreError::Corrupt { .. }) {
            return error;
        }
        self.usable = false;
        if !self.conn.has_come_to_commit() {
            return error;
        }
        StoreError::OutcomeUnknown { path: Arc::clone(self.engine.path()), source: Box::new(error) }
    }
}

impl Deref for Writer {
    type Target = Conn;

    fn deref(&self) -> &Conn {
        &self.conn
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.conn.wait_at_most(self.engine.busy_timeout());
        let usable = self.usable && self.conn.is_autocommit();
        // SAFETY: `conn` is not used after this, the only place that takes it.
        let conn = unsafe { ManuallyDrop::take(&mut self.conn) };
        self.engine.end_turn(usable.then_some(conn));
    }
}

/// The one open write transaction of an engine.
pub(crate) struct WriteTxn {
    // Moved out by `drop` alone.
    conn: ManuallyDrop<Box<Conn>>,
    engine: Arc<Engine>,
    /// The catalog as this transaction sees it, read when it is first asked for.
    pub(super) schema: RefCell<Option<Arc<Schema>>>,
    pub(super) ids: RefCell<Ids>,
    /// What the open savepoints go back to, the outermost first.
    pub(super) marks: RefCell<Vec<Mark>>,
    load: Option<Load>,
    usable: bool,
    open: bool,
}

impl WriteTxn {
    /// Wraps the writer, on which a transaction has begun.
    pub(super) fn new(engine: Arc<Engine>, conn: Box<Conn>, load: Option<Load>) -> Self {
        Self {
            conn: ManuallyDrop::new(conn),
            engine,
            schema: RefCell::default(),
            ids: RefCell::default(),
            marks: RefCell::default(),
            load,
            usable: true,
            open: true,
        }
    }

    /// Makes the changes last, as the engine's durability promises.
    ///
    /// # Errors
    /// `Busy`, `Full` and `RolledBack` mean that nothing was committed, `OutcomeUnknown` that nobody knows.
    pub(crate) fn commit(mut self) -> Result<(), StoreError> {
        self.ids.borrow().store(&self)?;
        self.open = false;
        let result = self.conn.commit();
        if result.is_err() {
            self.burned().burn(&self.ids.borrow());
        }
        if let Err(StoreError::OutcomeUnknown { .. }) = &result {
            // A connection of which the disk is not sure is not asked again.
            self.usable = false;
        }
        result?;
        if let Some(schema) = self.schema.take() {
            self.engine.publish(schema);
        }
        Ok(())
    }

    /// Returns the schema as this transaction sees it.
    pub(crate) fn schema(&self) -> Result<Arc<Schema>, StoreError> {
        let mut schema = self.schema.borrow_mut();
        if let Some(schema) = schema.as_ref() {
            return Ok(Arc::clone(schema));
        }
        let seen = self.engine.schema_seen_by(self)?;
        Ok(Arc::clone(schema.insert(seen)))
    }

    /// Moves the epoch and reads the catalog again, after a change of it.
    pub(super) fn schema_moved(&self) -> Result<Arc<Schema>, StoreError> {
        self.execute("UPDATE vellum_meta SET value = value + 1 WHERE key = 'epoch'", &[])?;
        let moved = Arc::new(Schema::load(self)?);
        Ok(Arc::clone(self.schema.borrow_mut().insert(moved)))
    }

    /// Gives a new id for a document of a collection.
    pub(crate) fn next_id(&self, collection: i64) -> Result<i64, StoreError> {
        self.ids.borrow_mut().give(self, self.burned(), collection)
    }

    /// Notes that the caller now returns the ids that were given: they are not given again, even if this rolls back.
    pub(crate) fn note_ids_returned(&self) {
        self.ids.borrow_mut().note_returned();
    }

    /// Notes an id that the caller chose for a document of a collection, so that it is never given.
    pub(crate) fn note_id(&self, collection: i64, id: i64) -> Result<(), StoreError> {
        self.ids.borrow_mut().note(self, self.burned(), collection, id)
    }

    /// Returns the ids that transactions gave and then rolled back.
    pub(super) fn burned(&self) -> &Burned {
        self.engine.burned()
    }

    /// Returns whether this transaction loads a fresh file without the WAL.
    #[cfg(test)]
    pub(crate) fn is_load(&self) -> bool {
        self.load.is_some()
    }
}

impl Deref for WriteTxn {
    type Target = Conn;

    fn deref(&self) -> &Conn {
        self.engine.queue().note_user();
        &self.conn
    }
}

impl Drop for WriteTxn {
    fn drop(&mut self) {
        if self.open {
            self.burned().burn(&self.ids.borrow());
            self.usable &= self.conn.rollback();
        }
        if let Some(load) = self.load.take() {
            self.usable &= load.end(&self.engine, &self.conn);
        }
        // SAFETY: `conn` is not used after this, the only place that takes it.
        let conn = unsafe { ManuallyDrop::take(&mut self.conn) };
        self.engine.end_turn(self.usable.then_some(conn));
    }
}
