//! One connection: opened, configured, with our functions on it.
//!
//! Every connection speaks SQLite the same way: strings are single-quoted only, the schema is not trusted, a plan
//! does not depend on bound values, and waits for locks last as long as the options say.
#![expect(unsafe_code, reason = "statements are C, and a connection moves between threads")]

use std::cell::{Cell, RefCell};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::limits::Limit;
use rusqlite::{Connection, OpenFlags, ffi};

use super::blob::Blob;
use super::cache::Cache;
use super::error::{self, Site, StoreError};
use super::functions;
use super::options::Durability;
use super::progress::Progress;
use super::statistics::ANALYZED_ROWS;
use super::stmt::{Bind, Prepared, Row, Stmt};

/// The least version of SQLite: the planner and the JSONB functions were probed on it.
const LEAST_SQLITE: i32 = 3_054_000;

/// The page size of a new file. It is chosen before the first write and stays.
const PAGE_LEN: u32 = 8192;

const WRITER_CACHE_KIB: u32 = 64 << 10;
/// Room for the narrow index of a few hundred thousand documents beside the documents of some pages: with half of it
/// a page along another index reads most of its pages anew.
const READER_CACHE_KIB: u32 = 32 << 10;

/// What the WAL file is cut back to when it starts anew.
const WAL_LIMIT_BYTES: u32 = 64 << 20;

/// The longest row: a document of 256 MiB and what SQLite keeps beside it. An update that makes one longer fails.
const ROW_LIMIT_BYTES: i32 = (256 << 20) + 16;

/// The longest statement: values are bound, so the text grows with the number of fields alone.
const SQL_LIMIT_BYTES: i32 = 16 << 20;

/// What a connection is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// The one that writes.
    Writer,
    /// Reads beside a writer of this process.
    Reader,
    /// Reads a file that this engine never writes.
    ReadOnly,
    /// Reads a file on a medium where the WAL's companions cannot be made.
    Immutable,
}

/// What all connections of an engine share.
#[derive(Clone, Debug)]
pub(super) struct Setup {
    pub(super) path: Arc<Path>,
    pub(super) durability: Durability,
    pub(super) busy_timeout: Duration,
    #[cfg(test)]
    pub(super) vfs: Option<&'static str>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Transaction {
    None,
    Open,
    /// SQLite rolled it back by itself; statements would commit one by one.
    Lost,
}

/// A connection with its idle statements.
pub(crate) struct Conn {
    // Before `db`: statements are finalized, and blobs closed, before their connection closes.
    cache: RefCell<Cache>,
    /// The handle on a chunk that was read last in this moment.
    blob: RefCell<Option<Blob>>,
    transaction: Cell<Transaction>,
    /// How far the index has come that is built while somebody watches.
    progress: Cell<Option<Progress>>,
    /// Whether a commit was tried since the writer was lent. SQLite's hook says so.
    committing: Arc<AtomicBool>,
    raw: *mut ffi::sqlite3,
    role: Role,
    setup: Setup,
    db: Connection,
}

// SAFETY: SQLite is built with threads; a connection may move between threads as long as one uses it at a time, and
// `Conn` is not Sync.
unsafe impl Send for Conn {}

impl Conn {
    /// Opens the file without reading it.
    pub(super) fn open(setup: &Setup, role: Role) -> Result<Self, StoreError> {
        let found = rusqlite::version_number();
        if found < LEAST_SQLITE {
            return Err(StoreError::OldSqlite { found, needed: LEAST_SQLITE });
        }
        let site = Site { path: &setup.path, sql: "open", busy_timeout: setup.busy_timeout };
        let mut db = connect(setup, role).map_err(|e| error::from_rusqlite(&e, site))?;
        let committing = Arc::default();
        configure(&db, role, setup.busy_timeout)
            .and_then(|()| if role == Role::Writer { watch_commits(&mut db, &committing) } else { Ok(()) })
            .map_err(|e| error::from_rusqlite(&e, site))?;
        // SAFETY: the handle is used only while `db`, which is kept beside it, is open.
        let raw = unsafe { db.handle() };
        Ok(Self {
            cache: RefCell::default(),
            blob: RefCell::default(),
            transaction: Cell::new(Transaction::None),
            progress: Cell::new(None),
            committing,
            raw,
            role,
            setup: setup.clone(),
            db,
        })
    }

    /// Sets what needs the file: it must be one of ours by now, or empty.
    pub(super) fn settle(&self, role: Role) -> Result<(), StoreError> {
        let synchronous = self.setup.durability.synchronous();
        let cache_kib = if role == Role::Writer { WRITER_CACHE_KIB } else { READER_CACHE_KIB };
        self.batch(&format!(
            "PRAGMA synchronous={synchronous}; PRAGMA cache_size=-{cache_kib}; PRAGMA foreign_keys=OFF;
             PRAGMA analysis_limit={ANALYZED_ROWS}; PRAGMA journal_size_limit={WAL_LIMIT_BYTES};"
        ))?;
        if role != Role::Writer {
            return self.batch("PRAGMA query_only=ON");
        }
        // The CHECK on `doc` is for other programs: tests of the encoder hold our own blobs, and it costs a quarter
        // of a bulk load.
        if cfg!(debug_assertions) { Ok(()) } else { self.batch("PRAGMA ignore_check_constraints=ON") }
    }

    /// Chooses the page size; a file that has pages already keeps its own.
    pub(super) fn choose_page_len(&self) -> Result<(), StoreError> {
        self.batch(&format!("PRAGMA page_size={PAGE_LEN}"))
    }

    /// Returns a statement from this connection's cache, prepared when it is not there.
    pub(crate) fn prepare(&self, sql: &str) -> Result<Stmt<'_>, StoreError> {
        self.check_transaction()?;
        let cached = self.cache.borrow_mut().take(sql);
        let prepared = match cached {
            Some(prepared) => prepared,
            None => self.prepare_anew(sql)?,
        };
        Ok(Stmt::new(self, prepared))
    }

    fn prepare_anew(&self, sql: &str) -> Result<Prepared, StoreError> {
        match Prepared::new(self, sql) {
            // SQLite looks whether the schema has moved when a name is missing, and not when there is another index
            // under it. Any statement that reads makes it look.
            Err(StoreError::MissingIndex { .. }) => {
                self.first("SELECT 1 FROM sqlite_schema LIMIT 1", &[], |_| Ok(()))?;
                Prepared::new(self, sql)
            }
            prepared => prepared,
        }
    }

    /// Runs a cached statement to its end and returns how many rows it changed.
    pub(crate) fn execute(&self, sql: &str, binds: &[Bind<'_>]) -> Result<u64, StoreError> {
        self.prepare(sql)?.run(binds)
    }

    /// Runs statements that are not worth keeping.
    pub(super) fn batch(&self, sql: &str) -> Result<(), StoreError> {
        self.check_transaction()?;
        self.db.execute_batch(sql).map_err(|e| {
            self.note_rollback();
            self.refine(error::from_rusqlite(&e, self.site(sql)))
        })
    }

    /// Returns the one row of a statement, read by `read`, or `None` when there is none.
    pub(crate) fn first<T>(
        &self,
        sql: &str,
        binds: &[Bind<'_>],
        read: impl FnOnce(&Row<'_>) -> Result<T, StoreError>,
    ) -> Result<Option<T>, StoreError> {
        let mut stmt = self.prepare(sql)?;
        for (i, bind) in binds.iter().enumerate() {
            stmt.bind(i + 1, *bind)?;
        }
        let row = stmt.step()?;
        row.map(|row| read(&row)).transpose()
    }

    /// Gives a statement of this connection back to its cache.
    pub(super) fn give_back(&self, mut prepared: Prepared) {
        prepared.clear();
        self.cache.borrow_mut().put(prepared);
    }

    pub(crate) fn path(&self) -> &Arc<Path> {
        &self.setup.path
    }

    pub(super) fn raw(&self) -> *mut ffi::sqlite3 {
        self.raw
    }

    /// Returns how many rows the last write changed.
    pub(crate) fn changes(&self) -> u64 {
        self.db.changes()
    }

    pub(super) fn busy_timeout(&self) -> Duration {
        self.setup.busy_timeout
    }

    /// Returns whether no transaction is open.
    pub(super) fn is_autocommit(&self) -> bool {
        self.db.is_autocommit()
    }

    /// Returns whether the system let the file be opened for reading only.
    pub(super) fn is_read_only(&self) -> bool {
        self.db.is_readonly(rusqlite::MAIN_DB).unwrap_or(false)
    }

    /// Changes how long SQLite waits for a lock, which it counts in milliseconds: one that has begun counts.
    pub(super) fn wait_at_most(&self, timeout: Duration) {
        let millis = i32::try_from(timeout.as_micros().div_ceil(1_000)).unwrap_or(i32::MAX);
        // SAFETY: the connection is open. The call cannot fail on one.
        unsafe { ffi::sqlite3_busy_timeout(self.raw, millis) };
    }

    /// Changes how many other files statements may attach.
    pub(super) fn limit_attached(&self, most: i32) -> Result<(), StoreError> {
        let limited = self.db.set_limit(Limit::SQLITE_LIMIT_ATTACHED, most);
        limited.map(drop).map_err(|e| error::from_rusqlite(&e, self.site("limit")))
    }

    /// Returns the journal mode, or the one that `change` leads to.
    pub(super) fn journal_mode(&self, change: Option<&str>) -> Result<String, StoreError> {
        let sql =
            change.map_or_else(|| "PRAGMA journal_mode".into(), |to| format!("PRAGMA journal_mode={to}"));
        let mode = self.first(&sql, &[], |row| row.text(0).map(str::to_owned))?;
        mode.ok_or_else(|| StoreError::internal("no journal mode", &sql))
    }

    pub(super) fn begin(&self, sql: &str) -> Result<(), StoreError> {
        self.execute(sql, &[])?;
        self.transaction.set(Transaction::Open);
        Ok(())
    }

    /// Forgets commits of before.
    pub(super) fn expect_commit(&self) {
        self.committing.store(false, Ordering::Relaxed);
    }

    /// Returns whether the writer has come to a commit since one was expected: before it, nothing can count.
    pub(super) fn has_come_to_commit(&self) -> bool {
        self.committing.load(Ordering::Relaxed)
    }

    /// Returns whether every read sees one moment, and nothing is written: what is read can stay open until it ends.
    pub(crate) fn keeps_a_moment(&self) -> bool {
        self.role != Role::Writer && !self.is_autocommit()
    }

    pub(super) fn blob(&self) -> &RefCell<Option<Blob>> {
        &self.blob
    }

    /// Commits; on an error the transaction is over, too.
    pub(super) fn commit(&self) -> Result<(), StoreError> {
        let result = self.check_transaction().and_then(|()| self.execute("COMMIT", &[]));
        let Err(failure) = result else {
            self.transaction.set(Transaction::None);
            return Ok(());
        };
        self.rollback();
        Err(match failure {
            // SQLite reports these before anything is committed.
            StoreError::Busy { .. } | StoreError::Full { .. } | StoreError::RolledBack { .. } => failure,
            other => StoreError::OutcomeUnknown { path: Arc::clone(self.path()), source: Box::new(other) },
        })
    }

    /// Ends the transaction without its changes and returns whether the connection can be used again.
    pub(super) fn rollback(&self) -> bool {
        self.transaction.set(Transaction::None);
        drop(self.blob.take());
        if !self.db.is_autocommit() {
            // The answer is in the autocommit flag.
            let _ = self.execute("ROLLBACK", &[]);
        }
        self.db.is_autocommit()
    }

    pub(super) fn check_transaction(&self) -> Result<(), StoreError> {
        if self.transaction.get() == Transaction::Lost {
            return Err(StoreError::RolledBack { path: Arc::clone(self.path()) });
        }
        Ok(())
    }

    pub(super) fn progress(&self) -> &Cell<Option<Progress>> {
        &self.progress
    }

    /// Runs what SQLite calls while one of its statements runs: the connection refuses to be used by it.
    pub(super) fn untouched<T>(&self, f: impl FnOnce() -> T) -> T {
        let transaction = self.transaction.replace(Transaction::Lost);
        let result = f();
        self.transaction.set(transaction);
        result
    }

    /// Refuses everything but the end of the transaction from here on.
    pub(super) fn lose(&self) {
        self.transaction.set(Transaction::Lost);
    }

    /// Called after an error: SQLite ends the transaction by itself after some of them.
    pub(super) fn note_rollback(&self) {
        if self.transaction.get() == Transaction::Open && self.db.is_autocommit() {
            self.transaction.set(Transaction::Lost);
        }
    }

    /// Returns the typed error of the call that has just failed with `code`.
    pub(super) fn error(&self, code: i32, sql: &str) -> StoreError {
        // SAFETY: the connection is open; the text lives until its next call and is copied before.
        let (code, message) = unsafe {
            let extended = ffi::sqlite3_extended_errcode(self.raw);
            // A misuse does not touch the connection's own code.
            let code = if extended & 0xff == code & 0xff { extended } else { code };
            let text = ffi::sqlite3_errmsg(self.raw);
            let text = if text.is_null() { c"out of memory" } else { std::ffi::CStr::from_ptr(text) };
            (code, text.to_string_lossy().into_owned())
        };
        self.refine(error::from_sqlite(code, &message, self.site(sql)))
    }

    /// SQLite names the columns of a violated unique index, or one over expressions itself; this finds the index.
    fn refine(&self, error: StoreError) -> StoreError {
        const FIND: &str = "SELECT l.name FROM pragma_index_list(?1) l WHERE l.\"unique\" AND ?2 =
            (SELECT group_concat(?1 || '.' || i.name, ', ') FROM pragma_index_info(l.name) i)";
        const FIND_BY_NULLS: &str = "SELECT name FROM vellum_index WHERE definition ->> 'nulls' = ?1";
        let StoreError::Unique { index, source: Some(source) } = error else { return error };
        let columns = source.message.split_once("failed: ").map_or("", |(_, columns)| columns);
        let table = columns.split_once('.').map_or("", |(table, _)| table);
        let name = |row: &Row<'_>| row.text(0).map(Box::from);
        let found = match error::index_over_expressions(columns) {
            Some(nulls) => self.first(FIND_BY_NULLS, &[Bind::Text(&nulls)], name),
            None => self.first(FIND, &[Bind::Text(table), Bind::Text(columns)], name),
        };
        let found = found.ok().flatten();
        StoreError::Unique { index: found.unwrap_or(index), source: Some(source) }
    }

    fn site<'a>(&'a self, sql: &'a str) -> Site<'a> {
        Site { path: &self.setup.path, sql, busy_timeout: self.setup.busy_timeout }
    }
}

fn connect(setup: &Setup, role: Role) -> rusqlite::Result<Connection> {
    let base = OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_EXRESCODE;
    let path = setup.path.to_path_buf();
    let (path, flags) = match role {
        Role::Writer | Role::Reader => (path, base | OpenFlags::SQLITE_OPEN_READ_WRITE),
        Role::ReadOnly => (path, base | OpenFlags::SQLITE_OPEN_READ_ONLY),
        Role::Immutable => {
            let flags = base | OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
            (immutable_uri(&path).into(), flags)
        }
    };
    #[cfg(test)]
    if let Some(vfs) = setup.vfs {
        return Connection::open_with_flags_and_vfs(path, flags, vfs);
    }
    Connection::open_with_flags(path, flags)
}

fn immutable_uri(path: &Path) -> String {
    let mut uri = String::from("file:");
    for byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'/' | b'.' | b'-' | b'_' | b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' => {
                uri.push(char::from(*byte))
            }
            other => uri.push_str(&format!("%{other:02X}")),
        }
    }
    uri.push_str("?immutable=1");
    uri
}

fn configure(db: &Connection, role: Role, busy_timeout: Duration) -> rusqlite::Result<()> {
    // Statements are kept in our own cache.
    db.set_prepared_statement_cache_capacity(0);
    db.busy_timeout(busy_timeout)?;
    db.set_limit(Limit::SQLITE_LIMIT_SQL_LENGTH, SQL_LIMIT_BYTES)?;
    db.set_limit(Limit::SQLITE_LIMIT_LENGTH, ROW_LIMIT_BYTES)?;
    db.set_limit(Limit::SQLITE_LIMIT_ATTACHED, 0)?;
    for (config, on) in [
        (DbConfig::SQLITE_DBCONFIG_DQS_DML, false),
        (DbConfig::SQLITE_DBCONFIG_DQS_DDL, false),
        (DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true),
        (DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false),
        // After ANALYZE a bound range would otherwise be planned anew at every bind.
        (DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true),
        // Triggers keep side tables for other programs; our writer keeps them itself.
        (DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, role != Role::Writer),
    ] {
        db.set_db_config(config, on)?;
    }
    functions::register(db)
}

fn watch_commits(db: &mut Connection, committing: &Arc<AtomicBool>) -> rusqlite::Result<()> {
    let committing = Arc::clone(committing);
    db.commit_hook(Some(move || {
        committing.store(true, Ordering::Relaxed);
        // The commit goes on.
        false
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Options;

    #[test]
    fn the_writer_and_a_reader_differ_in_triggers_alone() -> Result<(), Box<dyn std::error::Error>> {
        let setup = Setup::new(Path::new(":memory:"), &Options::default());
        for role in [Role::Writer, Role::Reader] {
            let db = Conn::open(&setup, role)?.db;
            assert!(db.db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG)?);
            assert!(db.db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE)?);
            assert!(!db.db_config(DbConfig::SQLITE_DBCONFIG_DQS_DML)?);
            assert!(!db.db_config(DbConfig::SQLITE_DBCONFIG_DQS_DDL)?);
            assert!(!db.db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA)?);
            assert_eq!(db.db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER)?, role == Role::Reader);
        }
        Ok(())
    }

    /// A hook stands for a disk that fails in the middle of a commit.
    #[test]
    fn a_commit_that_fails_halfway_says_that_its_outcome_is_unknown() -> Result<(), Box<dyn std::error::Error>>
    {
        let setup = Setup::new(Path::new(":memory:"), &Options::default());
        let mut conn = Conn::open(&setup, Role::Writer)?;
        conn.db.commit_hook(Some(|| true))?;
        conn.begin("BEGIN")?;
        conn.batch("CREATE TABLE t(a)")?;
        let failed = conn.commit();
        assert!(matches!(failed, Err(StoreError::OutcomeUnknown { .. })), "{failed:?}");
        assert!(conn.is_autocommit());
        conn.db.commit_hook(None::<fn() -> bool>)?;
        conn.begin("BEGIN")?;
        conn.commit()?;
        Ok(())
    }

    #[test]
    fn an_immutable_path_is_escaped() {
        assert_eq!(immutable_uri(Path::new("/a b/c?d%e#f.db")), "file:/a%20b/c%3Fd%25e%23f.db?immutable=1");
    }
}
