//! `Database`: opening, collections, compiled queries, and where transactions and snapshots begin.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use crate::api::collection::{Collection, SessionRef};
use crate::api::compiled::{self, Compiled, Target};
use crate::api::document::Document;
use crate::api::files::Files;
use crate::api::param::SymbolicParams;
use crate::api::plan::IntoPlan;
use crate::api::query::Root;
use crate::api::session::{Session, Shared};
use crate::api::snapshot::Snapshot;
use crate::api::tx::Tx;
use crate::compile::Disabled;
use crate::error::Result;
use crate::store::{self, Durability};

/// How a file is opened: `Options::new().read_only().open(path)`.
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
/// # fn main() -> vellum::Result<()> {
/// use std::time::Duration;
/// use vellum::{Durability, Options};
///
/// let options = Options::new().durability(Durability::Os).busy_timeout(Duration::from_secs(1));
/// # let dir = std::env::temp_dir().join(format!("vellum-doc-{}", std::process::id()));
/// # std::fs::create_dir_all(&dir).expect("a temporary directory");
/// # let path = dir.join("options.db");
/// let db = options.open(&path)?;
/// # drop(db);
/// let reader = Options::new().read_only().open(&path)?;
/// # drop(reader);
/// # std::fs::remove_dir_all(&dir).expect("what was made can be removed");
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default)]
pub struct Options {
    store: store::Options,
    disabled: Disabled,
}

impl Options {
    /// Returns the defaults: read and write, [`Durability::Full`], a busy timeout of 5 seconds.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// let db = vellum::Options::new().open_in_memory()?; // as Database::open_in_memory()
    /// assert_eq!(db.collection::<Note>()?.count()?, 0);
    /// # Ok(())
    /// # }
    /// ```
    pub fn new() -> Self {
        Self::default()
    }

    /// Never changes the file. A missing file is then `NotFound`.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let dir = std::env::temp_dir().join(format!("vellum-read-only-{}", std::process::id()));
    /// # std::fs::create_dir_all(&dir).expect("a temporary directory");
    /// # let path = dir.join("app.db");
    /// use vellum::{ErrorKind, Options};
    ///
    /// let missing = Options::new().read_only().open(&path).unwrap_err();
    /// assert_eq!(missing.kind(), ErrorKind::NotFound);
    ///
    /// let writer = Database::open(&path)?;
    /// writer.collection::<Note>()?;
    /// let notes = Options::new().read_only().open(&path)?.collection::<Note>()?;
    /// assert_eq!(notes.delete(1).unwrap_err().kind(), ErrorKind::ReadOnly);
    /// # drop((writer, notes));
    /// # std::fs::remove_dir_all(&dir).expect("what was made can be removed");
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn read_only(mut self) -> Self {
        self.store.read_only = true;
        self
    }

    /// Chooses what an acknowledged write survives. A database in memory survives nothing.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let dir = std::env::temp_dir().join(format!("vellum-durability-option-{}", std::process::id()));
    /// # std::fs::create_dir_all(&dir).expect("a temporary directory");
    /// # let path = dir.join("app.db");
    /// use vellum::{Durability, Options};
    ///
    /// let db = Options::new().durability(Durability::Os).open(&path)?; // a power cut may take the last commits
    /// # drop(db);
    /// # std::fs::remove_dir_all(&dir).expect("what was made can be removed");
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn durability(mut self, durability: Durability) -> Self {
        self.store.durability = durability;
        self
    }

    /// Chooses how long a call waits before `Busy`: for the writer, for a connection to read with, for another process,
    /// or for another thread on the same transaction or snapshot. Of handles that share a file in this process, the
    /// first one's holds.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// use std::time::Duration;
    /// use vellum::{ErrorKind, Options};
    ///
    /// let db = Options::new().busy_timeout(Duration::from_millis(20)).open_in_memory()?;
    /// let tx = db.begin()?;
    /// let waited = std::thread::scope(|scope| scope.spawn(|| db.begin().map(drop)).join().expect("no panic"));
    /// assert_eq!(waited.unwrap_err().kind(), ErrorKind::Busy);
    /// # tx.commit()?;
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn busy_timeout(mut self, timeout: Duration) -> Self {
        self.store.busy_timeout = timeout;
        self
    }

    /// Switches a pass of the compiler off, so that a test can compare.
    #[doc(hidden)]
    #[must_use]
    pub fn without_pass(mut self, name: &str) -> Self {
        self.disabled = self.disabled.and(name);
        self
    }

    /// Reads and writes the file through a VFS of SQLite, which a test has registered.
    #[cfg(test)]
    pub(crate) fn vfs(mut self, name: &'static str) -> Self {
        self.store.vfs = Some(name);
        self
    }

    /// Opens a file, creating it when it is missing.
    ///
    /// # Errors
    /// `NotFound` for a missing file that is opened read-only, `NotADatabase`, `OtherApplication`, `NewerFormat` and
    /// `Corrupt` for a file that is not ours to open, `ReadOnly` and `Io` for what the system refuses.
    ///
    /// ```
    /// # fn main() -> vellum::Result<()> {
    /// # let dir = std::env::temp_dir().join(format!("vellum-open-with-{}", std::process::id()));
    /// # std::fs::create_dir_all(&dir).expect("a temporary directory");
    /// # let path = dir.join("notes.txt");
    /// use vellum::{ErrorKind, Options};
    ///
    /// std::fs::write(&path, "buy milk\n".repeat(100)).expect("a file can be written");
    /// let refused = Options::new().open(&path).unwrap_err();
    /// assert_eq!(refused.kind(), ErrorKind::NotADatabase);
    /// # std::fs::remove_dir_all(&dir).expect("what was made can be removed");
    /// # Ok(())
    /// # }
    /// ```
    pub fn open(self, path: impl AsRef<Path>) -> Result<Database> {
        let engine = store::Engine::open(path.as_ref(), &self.store)?;
        Ok(Database::new(engine, self.disabled))
    }

    /// Opens a private database in a temporary directory, which is deleted with the last handle.
    ///
    /// # Errors
    /// `Io` when there is no temporary directory to write to.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// use std::time::Duration;
    ///
    /// let db = vellum::Options::new().busy_timeout(Duration::from_secs(1)).open_in_memory()?;
    /// db.collection::<Note>()?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn open_in_memory(self) -> Result<Database> {
        let engine = store::Engine::open_in_memory(&self.store)?;
        Ok(Database::new(engine, self.disabled))
    }
}

/// An open database. Cheap to clone, `Send` and `Sync`.
///
/// ```
/// use serde::{Deserialize, Serialize};
/// use vellum::prelude::*;
///
/// #[derive(Document, Serialize, Deserialize)]
/// struct Note {
///     id: i64,
///     text: String,
/// }
///
/// # fn main() -> vellum::Result<()> {
/// let db = Database::open_in_memory()?;
/// let notes = db.collection::<Note>()?;
/// let id = notes.insert(Note { id: 0, text: "remember the milk".into() })?;
/// assert_eq!(notes.get(id)?.map(|note| note.text).as_deref(), Some("remember the milk"));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Database {
    session: Arc<Session>,
}

impl Database {
    fn new(engine: Arc<store::Engine>, disabled: Disabled) -> Self {
        Database { session: Arc::new(Session::of_database(Arc::new(Shared::new(engine, disabled)))) }
    }

    /// Opens a file, creating it when it is missing.
    ///
    /// # Errors
    /// As [`Options::open`].
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let dir = std::env::temp_dir().join(format!("vellum-open-{}", std::process::id()));
    /// # std::fs::create_dir_all(&dir).expect("a temporary directory");
    /// # let path = dir.join("app.db");
    /// let db = Database::open(&path)?;
    /// db.collection::<Note>()?;
    /// let same = Database::open(&path)?; // the file is open: one more handle on it
    /// assert_eq!(same.path(), db.path());
    /// # drop((db, same));
    /// # std::fs::remove_dir_all(&dir).expect("what was made can be removed");
    /// # Ok(())
    /// # }
    /// ```
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        Options::new().open(path)
    }

    /// Opens a private database in a temporary directory (in memory where the system has such a place), which is
    /// deleted with the last handle.
    ///
    /// # Errors
    /// As [`Options::open_in_memory`].
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// let db = Database::open_in_memory()?;
    /// assert_eq!(db.collection::<Note>()?.count()?, 0);
    /// # Ok(())
    /// # }
    /// ```
    pub fn open_in_memory() -> Result<Self> {
        Options::new().open_in_memory()
    }

    /// Returns the type's own collection, made when it is missing; its indexes are not.
    ///
    /// # Errors
    /// `TypeMismatch` when the collection has another kind of key; `ReadOnly` when it is missing and cannot be made.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let db = database()?;
    /// let notes = db.collection::<Note>()?;
    /// assert_eq!(notes.count()?, 3);
    /// # Ok(())
    /// # }
    /// ```
    pub fn collection<T: Document>(&self) -> Result<Collection<'static, T>> {
        Collection::open(SessionRef::Shared(Arc::clone(&self.session)), T::COLLECTION)
    }

    /// Returns a named collection of the type's documents, made when it is missing.
    ///
    /// # Errors
    /// As [`Database::collection`], and `InvalidQuery` for a name that is empty, holds NUL, or has more than 255 bytes.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let db = database()?;
    /// let archive = db.collection_named::<Note>("archive")?;
    /// assert_eq!((archive.name(), archive.count()?), ("archive", 0));
    /// # Ok(())
    /// # }
    /// ```
    pub fn collection_named<T: Document>(&self, name: &str) -> Result<Collection<'static, T>> {
        Collection::open(SessionRef::Shared(Arc::clone(&self.session)), name)
    }

    /// Returns the files and directories inside the database.
    ///
    /// ```
    /// # use vellum::Database;
    /// # fn main() -> vellum::Result<()> {
    /// let db = Database::open_in_memory()?;
    /// db.files().write("/greeting", "hello")?;
    /// assert_eq!(db.files().read("/greeting")?, b"hello");
    /// # Ok(())
    /// # }
    /// ```
    pub fn files(&self) -> Files<'static> {
        Files::new(SessionRef::Shared(Arc::clone(&self.session)))
    }

    /// Compiles a query over any collection: `db.compile(|q, (prefix,)| q.from::<Event>()..)`.
    ///
    /// The closure's second argument is `()` for no parameter, a tuple pattern for some (`(prefix,)` for one), or is
    /// annotated: `prefix: Param<String>`, or the struct that `#[derive(Params)]` makes.
    ///
    /// # Errors
    /// `InvalidQuery` for what cannot be run by the rules, in the words of the query.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let db = database()?;
    /// let done = db.compile(|q, (done,)| q.from::<Note>().filter(|n| n.done.eq(done)).count())?;
    /// assert_eq!((done.call(true)?, done.call(false)?), (1, 2));
    /// # Ok(())
    /// # }
    /// ```
    pub fn compile<S: SymbolicParams, R: IntoPlan>(
        &self,
        f: impl FnOnce(Root, S) -> R,
    ) -> Result<Compiled<S::Set, R::Output>> {
        compiled::compile(&self.session, Root(()), f)
    }

    /// Runs `f` in a write transaction: committed when it returns `Ok`, rolled back on an error or a panic.
    ///
    /// # Errors
    /// That of `f`; as [`Database::begin`]; as [`Tx::commit`].
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let db = database()?;
    /// let id = db.transaction(|tx| {
    ///     let notes = tx.collection::<Note>()?;
    ///     notes.delete_many(|n| n.done)?;
    ///     notes.insert(Note { id: 0, folder: "home".into(), text: "rest".into(), stars: None, done: false })
    /// })?;
    /// assert_eq!(id, 4);
    /// # Ok(())
    /// # }
    /// ```
    pub fn transaction<R>(&self, f: impl FnOnce(&mut Tx<'_>) -> Result<R>) -> Result<R> {
        self.begin()?.run(f)
    }

    /// Begins a write transaction, which waits for the one that is open: a value, rolled back when it is dropped without
    /// [`Tx::commit`].
    ///
    /// # Errors
    /// `Busy` when the writer is not free within the busy timeout. `WrongTarget`, at once, when the open transaction was
    /// begun or last used by this thread, which would wait for itself. `ReadOnly` on a read-only handle, `Io`.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let db = database()?;
    /// let tx = db.begin()?;
    /// tx.collection::<Note>()?.delete(1)?;
    /// assert_eq!(db.collection::<Note>()?.count()?, 3); // what others see
    /// assert_eq!(db.begin().unwrap_err().kind(), vellum::ErrorKind::WrongTarget);
    /// tx.commit()?;
    /// assert_eq!(db.collection::<Note>()?.count()?, 2);
    /// # Ok(())
    /// # }
    /// ```
    pub fn begin(&self) -> Result<Tx<'static>> {
        let transaction = self.session.shared.engine.begin()?;
        Ok(Tx::new(Session::of_transaction(Arc::clone(&self.session.shared), transaction)))
    }

    /// Returns one moment of the database, for many reads. It waits for nobody who writes, and nobody waits for it.
    ///
    /// # Errors
    /// `Busy` when every connection is in use, `Io` when the file cannot be read.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let db = database()?;
    /// let before = db.snapshot()?;
    /// db.collection::<Note>()?.delete(1)?;
    /// assert!(before.collection::<Note>()?.get(1)?.is_some());
    /// # Ok(())
    /// # }
    /// ```
    pub fn snapshot(&self) -> Result<Snapshot> {
        let snapshot = self.session.shared.engine.snapshot()?;
        Ok(Snapshot::new(Session::of_snapshot(Arc::clone(&self.session.shared), snapshot)))
    }

    /// Looks at the indexes of every collection again, about a thousand rows of each: plans are chosen by what is found,
    /// from the next call on, and narrow indexes take in what has come to belong to them. To be called now and then
    /// when collections grow; [`Collection::ensure_indexes`] does the same for one that is four times as large as when
    /// it was looked at.
    ///
    /// # Errors
    /// Those of a transaction; `ReadOnly` on a read-only handle.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let db = database()?;
    /// db.optimize()?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn optimize(&self) -> Result<()> {
        self.session.write_all(|write| {
            for collection in write.schema()?.collections.values() {
                write.refresh_narrow(collection)?;
                write.analyze(collection)?;
            }
            Ok(())
        })
    }

    /// Gives space that is free inside the file back to the system: what was deleted is used again by itself, but the file
    /// stays as large as it was. The file is written anew, which takes a while, keeps other writers waiting and needs room
    /// for two copies of what is left: one where the system has its temporary files, one in the log beside the file.
    /// While somebody reads an older moment the file stays long, and is cut by a later checkpoint.
    ///
    /// # Errors
    /// `WrongTarget`, at once, when a transaction that was begun or last used by this thread is open; `Busy`; `Full` when
    /// there is no room; `ReadOnly` on a read-only handle.
    ///
    /// ```
    /// # use vellum::Database;
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let db = Database::open_in_memory()?;
    /// db.files().write("/big", vec![7; 10_000_000])?;
    /// db.files().delete("/big")?;
    /// db.vacuum()?;
    /// assert!(std::fs::metadata(db.path())?.len() < 1_000_000);
    /// # Ok(())
    /// # }
    /// ```
    pub fn vacuum(&self) -> Result<()> {
        Ok(self.session.shared.engine.vacuum()?)
    }

    /// Returns what is wrong with the file, a line each: nothing when it is sound. The pages are looked at by SQLite's
    /// `quick_check`; when they are well, files and directories by [`Files::check`]. Reads everything.
    ///
    /// # Errors
    /// `Corrupt` when the file is so damaged that this cannot be told; those of a read.
    ///
    /// ```
    /// # use vellum::Database;
    /// # fn main() -> vellum::Result<()> {
    /// let db = Database::open_in_memory()?;
    /// db.files().write("/a", "bytes")?;
    /// assert!(db.check()?.is_empty());
    /// # Ok(())
    /// # }
    /// ```
    pub fn check(&self) -> Result<Vec<String>> {
        let problems = self.session.at_one_moment(|conn| Ok(conn.quick_check()?))?;
        if !problems.is_empty() {
            return Ok(problems);
        }
        Ok(self.files().check()?.iter().map(ToString::to_string).collect())
    }

    /// Returns how often an ordinary call found its plan, and how often it had to be made.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let db = database()?;
    /// let notes = db.collection::<Note>()?;
    /// for stars in [2, 5] {
    ///     assert_eq!(notes.filter(|n| n.stars.eq(stars)).count()?, 1);
    /// }
    /// assert_eq!(db.plan_cache_statistics(), (1, 1)); // made once, found once
    /// # Ok(())
    /// # }
    /// ```
    pub fn plan_cache_statistics(&self) -> (u64, u64) {
        self.session.shared.plans.statistics()
    }

    /// Returns the path of the file.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let db = database()?;
    /// assert!(db.path().is_absolute());
    /// # Ok(())
    /// # }
    /// ```
    pub fn path(&self) -> &Path {
        self.session.shared.engine.path()
    }
}

impl Target for Database {
    fn session(&self) -> &Session {
        &self.session
    }
}
