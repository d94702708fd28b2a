//! An open file: its writer, its readers, its catalog.
//!
//! Opening a file that this process has open gives the same engine, so that writers of one process share one cache.
//! Engines differ only where they must: a read-only handle and another durability get their own; of the busy timeouts
//! the first one's holds. The engines of a file queue for one turn to write, and know of the ids that any of them gave
//! and took back.

use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use arc_swap::ArcSwap;

use super::conn::{Conn, Role, Setup};
use super::error::StoreError;
use super::ids::Burned;
use super::load::{self, Load};
use super::options::{Durability, Options};
use super::pool::{self, Pool, Slot};
use super::queue::{Queue, Refused};
use super::registry::{Shared, create_file, slot};
use super::schema::{self, Found, Schema};
use super::temp::TempDir;
use super::txn::{ReadTxn, Reader, WriteTxn, Writer};

/// The longest busy timeout: SQLite counts it in 31 bits of milliseconds.
const LONGEST_WAIT: Duration = Duration::from_millis(i32::MAX as u64);

/// An open file.
pub(crate) struct Engine {
    setup: Setup,
    /// What the pool's connections are for.
    readers: Role,
    shared: Arc<Shared>,
    /// The writer while nobody writes; opened again when a failure has taken it.
    writer: Mutex<Option<Box<Conn>>>,
    pool: Pool,
    schema: ArcSwap<Schema>,
    // Last: the connections close before their directory goes.
    _temp: Option<TempDir>,
}

impl std::fmt::Debug for Engine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Engine").field(self.path()).finish()
    }
}

impl Engine {
    /// Opens a file, creating it when it is missing and may be written.
    pub(crate) fn open(path: &Path, options: &Options) -> Result<Arc<Self>, StoreError> {
        let slot = slot(path, options)?;
        // Held while the file is opened: who asks for it meanwhile gets the same engine.
        let mut engine = lock(&slot.engine);
        if let Some(open) = engine.upgrade() {
            return Ok(open);
        }
        let (setup, shared) = (Setup::new(slot.path.as_path(), options), Arc::clone(&slot.shared));
        let opened = Arc::new(if options.read_only {
            Self::open_read_only(setup, shared)?
        } else {
            Self::open_writable(setup, shared, None)?
        });
        *engine = Arc::downgrade(&opened);
        Ok(opened)
    }

    /// Opens a private database that is deleted with the engine and survives nothing.
    pub(crate) fn open_in_memory(options: &Options) -> Result<Arc<Self>, StoreError> {
        let temp = TempDir::new().map_err(|error| StoreError::io(&std::env::temp_dir(), error))?;
        let path = temp.path().join("memory.db");
        create_file(&path).map_err(|error| StoreError::io(&path, error))?;
        let setup = Setup { durability: Durability::Memory, ..Setup::new(&path, options) };
        Ok(Arc::new(Self::open_writable(setup, Arc::default(), Some(temp))?))
    }

    fn open_writable(setup: Setup, shared: Arc<Shared>, temp: Option<TempDir>) -> Result<Self, StoreError> {
        let deadline = Instant::now() + setup.busy_timeout;
        let writer = open_writer(&setup, deadline)?;
        let schema = until(deadline, || load_schema(&writer))?;
        Ok(Self::new(setup, shared, Role::Reader, Some(writer), schema, temp))
    }

    fn open_read_only(setup: Setup, shared: Arc<Shared>) -> Result<Self, StoreError> {
        let deadline = Instant::now() + setup.busy_timeout;
        let open = |role| {
            let conn = Conn::open(&setup, role)?;
            until(deadline, || examine_read_only(&conn))?;
            conn.settle(role)?;
            Ok::<_, StoreError>((role, conn))
        };
        let (role, conn) = match open(Role::ReadOnly) {
            // The companions of a WAL file cannot be made here. Without a log the file alone is the whole truth.
            Err(error) if error.is_cannot_open() && !has_log(&setup.path) => open(Role::Immutable)?,
            other => other?,
        };
        let schema = until(deadline, || load_schema(&conn))?;
        Ok(Self::new(setup, shared, role, None, schema, None))
    }

    fn new(
        setup: Setup,
        shared: Arc<Shared>,
        readers: Role,
        writer: Option<Conn>,
        schema: Schema,
        temp: Option<TempDir>,
    ) -> Self {
        Self {
            setup,
            readers,
            shared,
            writer: Mutex::new(writer.map(Box::new)),
            pool: Pool::new(),
            schema: ArcSwap::from_pointee(schema),
            _temp: temp,
        }
    }

    /// Returns the file, as the system names it.
    pub(crate) fn path(&self) -> &Arc<Path> {
        &self.setup.path
    }

    /// Returns whether this engine never writes.
    pub(crate) fn is_read_only(&self) -> bool {
        self.readers != Role::Reader
    }

    /// Lends a connection outside a transaction.
    pub(crate) fn reader(self: &Arc<Self>) -> Result<Reader, StoreError> {
        let timeout = if self.queue().is_held_by_caller() && self.pool.is_paused() {
            // The caller is loading: nobody but itself can end the wait.
            return Err(StoreError::WrongTarget { path: Arc::clone(self.path()) });
        } else {
            self.setup.busy_timeout
        };
        let conn = match self.pool.take(timeout).ok_or_else(|| self.no_reader())? {
            Slot::Idle(conn) => conn,
            Slot::Vacant => match self.open_reader() {
                Ok(conn) => Box::new(conn),
                Err(error) => {
                    self.pool.forget();
                    return Err(error);
                }
            },
        };
        Ok(Reader::new(Arc::clone(self), conn))
    }

    fn open_reader(&self) -> Result<Conn, StoreError> {
        let conn = Conn::open(&self.setup, self.readers)?;
        until(Instant::now() + self.setup.busy_timeout, || conn.settle(self.readers))?;
        Ok(conn)
    }

    /// Pins one moment for many reads.
    pub(crate) fn snapshot(self: &Arc<Self>) -> Result<ReadTxn, StoreError> {
        ReadTxn::begin(self.reader()?)
    }

    /// Begins the write transaction, after those who asked before.
    ///
    /// # Errors
    /// `Busy` after the busy timeout; `WrongTarget` at once when the calling thread used the open transaction last.
    pub(crate) fn begin(self: &Arc<Self>) -> Result<WriteTxn, StoreError> {
        self.begin_with(|_| Ok(None))
    }

    /// Begins a write transaction that loads a fresh file without the WAL, or an ordinary one where that cannot be.
    pub(crate) fn begin_load(self: &Arc<Self>) -> Result<WriteTxn, StoreError> {
        self.begin_with(|conn| Load::begin(self, conn))
    }

    /// Lends the writer outside a transaction, after those who asked before: for one statement, which SQLite commits
    /// by itself, without the journal by which it could take a statement back inside a transaction.
    ///
    /// # Errors
    /// As [`Engine::begin`].
    pub(crate) fn writer(self: &Arc<Self>) -> Result<Writer, StoreError> {
        let deadline = Instant::now() + self.setup.busy_timeout;
        let conn = self.take_writer(deadline)?;
        conn.wait_at_most(deadline.saturating_duration_since(Instant::now()));
        Ok(Writer::new(Arc::clone(self), conn))
    }

    fn begin_with(
        self: &Arc<Self>,
        load: impl FnOnce(&Conn) -> Result<Option<Load>, StoreError>,
    ) -> Result<WriteTxn, StoreError> {
        let deadline = Instant::now() + self.setup.busy_timeout;
        let conn = self.take_writer(deadline)?;
        let begun = load(&conn).and_then(|load| {
            if load.is_none() {
                self.begin_immediate(&conn, deadline)?;
            }
            Ok(load)
        });
        match begun {
            Ok(load) => Ok(WriteTxn::new(Arc::clone(self), conn, load)),
            Err(error) => {
                // After anything but a wait in vain the connection is not trusted.
                self.end_turn(error.is_busy().then_some(conn));
                Err(error)
            }
        }
    }

    /// Waits for the turn and takes the writer's connection, opened again when a failure has taken it.
    fn take_writer(&self, deadline: Instant) -> Result<Box<Conn>, StoreError> {
        if self.is_read_only() {
            return Err(StoreError::ReadOnly { path: Arc::clone(self.path()), source: None });
        }
        self.queue().acquire(self.setup.busy_timeout).map_err(|refused| match refused {
            Refused::TimedOut => self.busy(),
            Refused::HeldByCaller => StoreError::WrongTarget { path: Arc::clone(self.path()) },
        })?;
        let conn = lock(&self.writer).take();
        conn.map_or_else(|| open_writer(&self.setup, deadline).map(Box::new), Ok)
            .inspect_err(|_| self.end_turn(None))
    }

    /// Another process may hold the lock: the wait in the queue counts, too.
    fn begin_immediate(&self, conn: &Conn, deadline: Instant) -> Result<(), StoreError> {
        conn.wait_at_most(deadline.saturating_duration_since(Instant::now()));
        let begun = until(deadline, || conn.begin("BEGIN IMMEDIATE"));
        conn.wait_at_most(self.setup.busy_timeout);
        begun
    }

    /// Takes the writer back, or does without it, and lets the next one write.
    pub(super) fn end_turn(&self, conn: Option<Box<Conn>>) {
        *lock(&self.writer) = conn;
        self.queue().release();
    }

    /// Returns the catalog as it was last seen.
    pub(crate) fn schema(&self) -> Arc<Schema> {
        self.schema.load_full()
    }

    /// Returns the epoch of the catalog as it was last seen.
    pub(crate) fn epoch(&self) -> i64 {
        self.schema.load().epoch
    }

    /// Reads the catalog again when its epoch moved, which another process may do, and returns it.
    pub(crate) fn refresh(self: &Arc<Self>) -> Result<Arc<Schema>, StoreError> {
        Ok(self.snapshot()?.schema())
    }

    /// Returns the catalog that an open transaction sees, and keeps it when it is newer than the known one. The
    /// transaction has not changed the catalog itself.
    pub(super) fn schema_seen_by(&self, conn: &Conn) -> Result<Arc<Schema>, StoreError> {
        let known = self.schema();
        if Schema::read_epoch(conn)? == known.epoch {
            return Ok(known);
        }
        let seen = Arc::new(Schema::load(conn)?);
        self.publish(Arc::clone(&seen));
        Ok(seen)
    }

    pub(super) fn publish(&self, schema: Arc<Schema>) {
        self.schema.rcu(|known| Arc::clone(if schema.epoch > known.epoch { &schema } else { known }));
    }

    pub(super) fn burned(&self) -> &Burned {
        &self.shared.burned
    }

    pub(super) fn pool(&self) -> &Pool {
        &self.pool
    }

    pub(super) fn queue(&self) -> &Queue {
        &self.shared.queue
    }

    /// Returns how long a call waits for others.
    pub(crate) fn busy_timeout(&self) -> Duration {
        self.setup.busy_timeout
    }

    pub(super) fn durability(&self) -> Durability {
        self.setup.durability
    }

    fn no_reader(&self) -> StoreError {
        if self.pool.is_paused() {
            return self.busy();
        }
        let (path, waited) = (Arc::clone(self.path()), self.setup.busy_timeout);
        StoreError::NoReader { path, waited, most: pool::MOST_READERS }
    }

    fn busy(&self) -> StoreError {
        StoreError::Busy { path: Arc::clone(self.path()), waited: self.setup.busy_timeout, source: None }
    }
}

impl Setup {
    pub(super) fn new(path: &Path, options: &Options) -> Self {
        let busy_timeout = options.busy_timeout.min(LONGEST_WAIT);
        Self {
            path: path.into(),
            durability: options.durability,
            busy_timeout,
            #[cfg(test)]
            vfs: options.vfs,
        }
    }
}

/// Opens the writer of a file, making a new file ours.
pub(super) fn open_writer(setup: &Setup, deadline: Instant) -> Result<Conn, StoreError> {
    let conn = Conn::open(setup, Role::Writer)?;
    if until(deadline, || schema::examine(&conn))? == Found::Empty {
        conn.choose_page_len()?;
    }
    if conn.is_read_only() {
        return Err(StoreError::ReadOnly { path: Arc::clone(&setup.path), source: None });
    }
    load::into_wal(&conn, deadline)?;
    until(deadline, || create_tables(&conn))?;
    until(deadline, || conn.settle(Role::Writer))?;
    Ok(conn)
}

/// Makes our tables in an empty file, once, however many openers find it empty.
fn create_tables(conn: &Conn) -> Result<(), StoreError> {
    if schema::examine(conn)? == Found::Ours {
        return Ok(());
    }
    conn.begin("BEGIN IMMEDIATE")?;
    let created = match schema::examine(conn) {
        Ok(Found::Empty) => schema::create(conn),
        other => other.map(|_| ()),
    };
    match created {
        Ok(()) => conn.commit(),
        Err(error) => {
            conn.rollback();
            Err(error)
        }
    }
}

fn examine_read_only(conn: &Conn) -> Result<(), StoreError> {
    match schema::examine(conn)? {
        Found::Ours => Ok(()),
        Found::Empty => Err(StoreError::NotADatabase { path: Arc::clone(conn.path()), source: None }),
    }
}

fn load_schema(conn: &Conn) -> Result<Schema, StoreError> {
    conn.begin("BEGIN")?;
    let schema = Schema::load(conn);
    conn.rollback();
    schema.map_err(|error| match error {
        StoreError::MissingIndex { name, source } => {
            let what = format!("the catalog has no {name}").into();
            StoreError::Corrupt { path: Arc::clone(conn.path()), what, source: Some(source) }
        }
        other => other,
    })
}

/// Returns whether a WAL, or the journal of a load that was cut off, lies beside the file.
pub(super) fn has_log(path: &Path) -> bool {
    ["-wal", "-journal"].into_iter().any(|suffix| {
        let mut log = path.as_os_str().to_owned();
        log.push(suffix);
        fs::metadata(log).is_ok_and(|log| log.len() > 0)
    })
}

/// Tries again while the answer is `Busy` and time is left: SQLite's own wait covers most locks, not all.
pub(super) fn until<T>(
    deadline: Instant,
    mut attempt: impl FnMut() -> Result<T, StoreError>,
) -> Result<T, StoreError> {
    const LONGEST_PAUSE: Duration = Duration::from_millis(20);
    let mut pause = Duration::from_millis(1);
    loop {
        match attempt() {
            Err(error) if error.is_busy() => {
                let rest = deadline.saturating_duration_since(Instant::now());
                if rest.is_zero() {
                    return Err(error);
                }
                thread::sleep(pause.min(rest));
                pause = (pause * 2).min(LONGEST_PAUSE);
            }
            other => return other,
        }
    }
}

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
