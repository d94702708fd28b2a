//! `Snapshot`: one moment of a database.

use std::sync::Arc;

use crate::api::collection::{Collection, SessionRef};
use crate::api::compiled::Target;
use crate::api::document::Document;
use crate::api::files::Files;
use crate::api::session::Session;
use crate::error::Result;

/// One moment of a database: every read sees the same. `Send` and `Sync`; it holds a connection until it is dropped.
/// Threads that share one take turns, call by call; an iterator keeps its turn until it is dropped. To read at once,
/// each takes a snapshot of its own.
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
/// # fn main() -> vellum::Result<()> {
/// # let db = database()?;
/// let count = db.compile(|q, ()| q.from::<Note>().count())?;
/// let before = db.snapshot()?;
/// db.collection::<Note>()?.delete(1)?;
/// assert_eq!(count.on(&before).call(())?, 3);
/// assert_eq!(count.call(())?, 2);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Snapshot {
    session: Arc<Session>,
}

impl Snapshot {
    pub(crate) fn new(session: Session) -> Self {
        Snapshot { session: Arc::new(session) }
    }

    /// Returns the type's own collection at that moment. A write on it is `WrongTarget`.
    ///
    /// # Errors
    /// `InvalidQuery` when it did not exist then.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let db = database()?;
    /// let snapshot = db.snapshot()?;
    /// let notes = snapshot.collection::<Note>()?;
    /// assert_eq!(notes.filter(|n| n.done).count()?, 1);
    /// assert_eq!(notes.delete(1).unwrap_err().kind(), vellum::ErrorKind::WrongTarget);
    /// # Ok(())
    /// # }
    /// ```
    pub fn collection<T: Document>(&self) -> Result<Collection<'_, T>> {
        self.collection_named(T::COLLECTION)
    }

    /// Returns a named collection at that moment.
    ///
    /// # Errors
    /// As [`Snapshot::collection`].
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let db = database()?;
    /// let snapshot = db.snapshot()?;
    /// db.collection_named::<Note>("archive")?;
    /// assert!(snapshot.collection_named::<Note>("archive").is_err());
    /// # Ok(())
    /// # }
    /// ```
    pub fn collection_named<T: Document>(&self, name: &str) -> Result<Collection<'_, T>> {
        Collection::open(SessionRef::Pinned(&self.session), name)
    }

    /// Returns the files and directories at that moment. A write on them is `WrongTarget`. They, and what is opened of
    /// them, keep the moment, and its connection, for as long as they live.
    ///
    /// ```
    /// # use vellum::Database;
    /// # fn main() -> vellum::Result<()> {
    /// let db = Database::open_in_memory()?;
    /// db.files().write("/greeting", "hello")?;
    /// let before = db.snapshot()?;
    /// db.files().write("/greeting", "good morning")?;
    /// assert_eq!(before.files().read("/greeting")?, b"hello");
    /// # Ok(())
    /// # }
    /// ```
    pub fn files(&self) -> Files<'static> {
        Files::new(SessionRef::Shared(Arc::clone(&self.session)))
    }
}

impl Target for Snapshot {
    fn session(&self) -> &Session {
        &self.session
    }
}
