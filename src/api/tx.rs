//! `Tx`: a write transaction, or a part of one that can be taken back alone.

use crate::api::collection::{Collection, SessionRef};
use crate::api::compiled::Target;
use crate::api::document::Document;
use crate::api::files::Files;
use crate::api::session::Session;
use crate::error::Result;

/// A write transaction: a value, `Send` and `Sync`. Dropped without [`Tx::commit`] it is rolled back.
///
/// While it is open, other writers wait; readers do not. A write past it, on the database, by the thread that began it
/// or used it last would wait for itself, and is `WrongTarget` at once; a `Tx` that another thread has used is that
/// thread's. Threads that share one take turns, call by call; an iterator keeps its turn until it is dropped.
///
/// Transactions nest: [`Tx::begin`] returns one inside this one, which borrows it. The inner one is committed into the
/// outer, or rolled back alone; as long as it lives the outer can neither be used nor committed. A function that takes
/// a `&mut Tx<'_>` runs at any depth. The outermost, that of [`Database::begin`](crate::Database::begin), is a
/// `Tx<'static>`.
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
/// # fn main() -> vellum::Result<()> {
/// # let db = database()?;
/// let mut tx = db.begin()?;
/// tx.collection::<Note>()?.delete_many(|n| n.folder.eq("home"))?;
///
/// let inner = tx.begin()?;
/// inner.collection::<Note>()?.delete(3)?;
/// inner.rollback()?;
///
/// tx.commit()?;
/// assert_eq!(db.collection::<Note>()?.query().select(|n| n.id).to_vec()?, [3]);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
#[must_use = "a transaction that is dropped is rolled back"]
pub struct Tx<'t> {
    extent: Extent<'t>,
}

#[derive(Debug)]
enum Extent<'t> {
    /// The whole transaction, which the session rolls back on drop.
    Whole(Session),
    Part(Part<'t>),
}

impl Tx<'static> {
    pub(crate) fn new(session: Session) -> Self {
        Tx { extent: Extent::Whole(session) }
    }
}

impl Tx<'_> {
    /// Returns the type's own collection inside the transaction, made when it is missing. It sees what the transaction
    /// wrote.
    ///
    /// # Errors
    /// As [`Database::collection`](crate::Database::collection).
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let db = database()?;
    /// let tx = db.begin()?;
    /// let notes = tx.collection::<Note>()?;
    /// notes.delete(1)?;
    /// assert_eq!((notes.count()?, db.collection::<Note>()?.count()?), (2, 3));
    /// # Ok(())
    /// # }
    /// ```
    pub fn collection<T: Document>(&self) -> Result<Collection<'_, T>> {
        self.collection_named(T::COLLECTION)
    }

    /// Returns a named collection inside the transaction, made when it is missing.
    ///
    /// # Errors
    /// As [`Database::collection_named`](crate::Database::collection_named).
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let db = database()?;
    /// db.transaction(|tx| {
    ///     let (notes, archive) = (tx.collection::<Note>()?, tx.collection_named::<Note>("archive")?);
    ///     archive.insert_batch(notes.filter(|n| n.done).to_vec()?)?;
    ///     notes.delete_many(|n| n.done)
    /// })?;
    /// assert_eq!(db.collection_named::<Note>("archive")?.count()?, 1);
    /// # Ok(())
    /// # }
    /// ```
    pub fn collection_named<T: Document>(&self, name: &str) -> Result<Collection<'_, T>> {
        Collection::open(SessionRef::Pinned(self.session()), name)
    }

    /// Returns the files and directories, which change with the transaction.
    ///
    /// ```
    /// # use vellum::Database;
    /// # fn main() -> vellum::Result<()> {
    /// let db = Database::open_in_memory()?;
    /// let tx = db.begin()?;
    /// tx.files().write("/greeting", "hello")?;
    /// tx.rollback()?;
    /// assert!(!db.files().exists("/greeting")?);
    /// # Ok(())
    /// # }
    /// ```
    pub fn files(&self) -> Files<'_> {
        Files::new(SessionRef::Pinned(self.session()))
    }

    /// Begins a transaction inside this one, by a savepoint: rolled back alone when it is dropped without
    /// [`Tx::commit`].
    ///
    /// # Errors
    /// `Stale` when an earlier error has ended the transaction; the store's own.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let db = database()?;
    /// let mut tx = db.begin()?;
    /// for id in [1, 2, 3] {
    ///     let each = tx.begin()?;
    ///     let notes = each.collection::<Note>()?;
    ///     notes.delete(id)?;
    ///     if notes.count()? > 0 {
    ///         each.commit()?;
    ///     } // else the last one stays
    /// }
    /// assert_eq!(tx.collection::<Note>()?.count()?, 1);
    /// # Ok(())
    /// # }
    /// ```
    pub fn begin(&mut self) -> Result<Tx<'_>> {
        Ok(Tx { extent: Extent::Part(Part::begin(self.session())?) })
    }

    /// Runs `f` in a transaction inside this one: committed into it when `f` returns `Ok`, rolled back alone on an error
    /// or a panic.
    ///
    /// # Errors
    /// That of `f`; as [`Tx::begin`].
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let db = database()?;
    /// let mut tx = db.begin()?;
    /// let failed = tx.transaction(|tx| {
    ///     let notes = tx.collection::<Note>()?;
    ///     notes.delete(1)?;
    ///     notes.filter(|n| n.folder.eq("nowhere")).single()
    /// });
    /// assert_eq!(failed.unwrap_err().kind(), vellum::ErrorKind::NoRow);
    /// assert_eq!(tx.collection::<Note>()?.count()?, 3);
    /// # Ok(())
    /// # }
    /// ```
    pub fn transaction<R>(&mut self, f: impl FnOnce(&mut Tx<'_>) -> Result<R>) -> Result<R> {
        self.begin()?.run(f)
    }

    /// Commits when `f` returns `Ok`.
    pub(crate) fn run<R>(mut self, f: impl FnOnce(&mut Tx<'_>) -> Result<R>) -> Result<R> {
        let result = f(&mut self)?;
        self.commit()?;
        Ok(result)
    }

    /// Makes the changes last, as the database's [`Durability`](crate::Durability) promises; of an inner transaction,
    /// keeps them for the outer one.
    ///
    /// # Errors
    /// `Full`, `Busy` and `Stale` when nothing was committed, `OutcomeUnknown` when that is not certain.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let db = database()?;
    /// let tx = db.begin()?;
    /// tx.collection::<Note>()?.delete(1)?;
    /// tx.commit()?;
    /// assert_eq!(db.collection::<Note>()?.count()?, 2);
    /// # Ok(())
    /// # }
    /// ```
    pub fn commit(self) -> Result<()> {
        match self.extent {
            Extent::Whole(session) => session.commit(),
            Extent::Part(part) => part.keep(),
        }
    }

    /// Takes the changes back, as dropping does, which cannot say when it fails.
    ///
    /// # Errors
    /// The store's own, of an inner transaction alone: the outer one is then `Stale` and cannot be committed either.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let db = database()?;
    /// let tx = db.begin()?;
    /// tx.collection::<Note>()?.delete(1)?;
    /// tx.rollback()?;
    /// assert_eq!(db.collection::<Note>()?.count()?, 3);
    /// # Ok(())
    /// # }
    /// ```
    pub fn rollback(self) -> Result<()> {
        match self.extent {
            Extent::Whole(session) => {
                drop(session);
                Ok(())
            }
            Extent::Part(part) => part.take_back(),
        }
    }
}

impl Target for Tx<'_> {
    fn session(&self) -> &Session {
        match &self.extent {
            Extent::Whole(session) => session,
            Extent::Part(part) => part.session,
        }
    }
}

/// A part of the transaction that a session holds, taken back on drop.
#[derive(Debug)]
struct Part<'t> {
    session: &'t Session,
    depth: usize,
    open: bool,
}

impl<'t> Part<'t> {
    fn begin(session: &'t Session) -> Result<Self> {
        let depth = session.write(|write| Ok(write.mark()?))?;
        Ok(Part { session, depth, open: true })
    }

    fn keep(mut self) -> Result<()> {
        self.session.write(|write| Ok(write.release(self.depth)?))?;
        self.open = false;
        Ok(())
    }

    fn take_back(mut self) -> Result<()> {
        self.open = false;
        self.session.write(|write| Ok(write.take_back(self.depth)?))
    }
}

impl Drop for Part<'_> {
    fn drop(&mut self) {
        if self.open {
            // A transaction that could not take the part back refuses every further call.
            let _ = self.session.write(|write| Ok(write.take_back(self.depth)?));
        }
    }
}
