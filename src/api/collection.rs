//! `Collection<T>`: documents by key, and the doors to queries.

use std::borrow::Cow;
use std::iter;
use std::marker::PhantomData;
use std::ops::Deref;
use std::sync::Arc;

use crate::api::columns;
use crate::api::compiled::{self, Compiled};
use crate::api::document::{DocId, Document, KeyKind, KeyOf};
use crate::api::expr::Predicate;
use crate::api::index;
use crate::api::item::Item;
use crate::api::mode::{Deferred, Live};
use crate::api::param::{Argument, ParamType, SymbolicParams};
use crate::api::param_field::ParamField;
use crate::api::plan::{Description, IntoPlan};
use crate::api::query::Query;
use crate::api::session::{Session, Write};
use crate::api::write::Assignments;
use crate::codec;
use crate::compile::CompileError;
use crate::compile::emit::quote;
use crate::error::{Error, Result};
use crate::ir::path::FieldPath;
use crate::store::{self, Bind, StoreError};

/// The session of a collection: the database's, or that of a transaction or snapshot.
#[derive(Clone, Debug)]
pub(crate) enum SessionRef<'s> {
    Shared(Arc<Session>),
    Pinned(&'s Session),
}

impl Deref for SessionRef<'_> {
    type Target = Session;

    fn deref(&self) -> &Session {
        match self {
            SessionRef::Shared(session) => session,
            SessionRef::Pinned(session) => session,
        }
    }
}

/// The documents of one type, in one collection. Cheap to clone; of a database it is `Send` and `Sync`.
///
/// The examples here and at [`Query`] use a database with three of these:
///
/// ```
/// # use serde::{Deserialize, Serialize};
/// # use vellum::prelude::*;
/// #[derive(Document, Serialize, Deserialize, Debug, Clone, PartialEq)]
/// #[document(collection = "notes")]
/// struct Note {
///     id: i64, // 1, 2, 3
///     #[document(index)]
///     folder: String, // home, home, work
///     text: String, // buy milk, Buy a lamp, write the report
///     stars: Option<i64>, // 2, none, 5
///     done: bool, // true, false, false
/// }
/// ```
pub struct Collection<'s, T> {
    pub(crate) session: SessionRef<'s>,
    pub(crate) table: Arc<Table>,
    of: PhantomData<fn() -> T>,
}

/// The table behind a collection, and the statements by key.
#[derive(Debug)]
pub(crate) struct Table {
    pub(crate) id: i64,
    pub(crate) name: String,
    get: String,
    insert: String,
    upsert: String,
    replace: String,
    delete: String,
}

impl Table {
    fn new(info: &store::CollectionInfo, kind: KeyKind) -> Self {
        let mut table = String::new();
        quote::identifier(&mut table, &info.table);
        let key = match kind {
            KeyKind::Integer => "id",
            KeyKind::Text | KeyKind::Uuid => "key",
        };
        Table {
            id: info.id,
            name: info.name.clone(),
            get: format!("SELECT id, doc FROM {table} WHERE {key} = ?1"),
            insert: format!("INSERT INTO {table} (id, doc) VALUES (?1, ?2)"),
            upsert: format!(
                "INSERT INTO {table} (id, doc) VALUES (?1, ?2) ON CONFLICT({key}) DO UPDATE SET doc = excluded.doc"
            ),
            replace: format!("UPDATE {table} SET doc = ?2 WHERE {key} = ?1"),
            delete: format!("DELETE FROM {table} WHERE {key} = ?1"),
        }
    }
}

/// Returns an argument as what a statement by key binds.
fn key_bind<'x>(argument: &'x Argument<'x>) -> Bind<'x> {
    match argument {
        Argument::Int(id) => Bind::Int(*id),
        Argument::Text(text) => Bind::Text(text),
        Argument::Owned(text) => Bind::Text(text),
        _ => Bind::Null,
    }
}

impl<T> Clone for Collection<'_, T> {
    fn clone(&self) -> Self {
        Collection { session: self.session.clone(), table: Arc::clone(&self.table), of: PhantomData }
    }
}

impl<T> std::fmt::Debug for Collection<'_, T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Collection").field(&self.table.name).finish()
    }
}

impl<'s, T: Document> Collection<'s, T> {
    pub(crate) fn open(session: SessionRef<'s>, name: &str) -> Result<Self> {
        let mut schema = session.schema()?;
        if session.is_read_only() && !schema.collections.contains_key(name) {
            // It cannot be made here, but somebody else may have made it since.
            schema = session.newest_schema()?;
        }
        let known = schema.collections.get(name).cloned();
        let kind = <T::Id as DocId>::KIND;
        let key = (kind != KeyKind::Integer).then(|| FieldPath::root().key(T::KEY));
        let is_same = |info: &store::CollectionInfo| {
            info.key_kind == kind.name()
                && info.key().map(|key| &*key.path) == key.as_ref().map(FieldPath::to_json).as_deref()
        };
        let info = match known {
            Some(info) if is_same(&info) => info,
            _ if session.is_snapshot() => {
                return Err(CompileError::UnknownCollection { name: name.to_owned() }.into());
            }
            _ => session.write_all(|write| {
                let key = key.as_ref().map(|key| index::key_column(key, <T::Id as ParamType>::TYPE));
                Ok(write.create_collection(name, kind.name(), key.as_ref())?)
            })?,
        };
        Ok(Collection { session, table: Arc::new(Table::new(&info, kind)), of: PhantomData })
    }

    /// Returns the collection's name.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let db = database()?;
    /// assert_eq!(db.collection::<Note>()?.name(), "notes");
    /// assert_eq!(db.collection_named::<Note>("archive")?.name(), "archive");
    /// # Ok(())
    /// # }
    /// ```
    pub fn name(&self) -> &str {
        &self.table.name
    }

    /// Encodes a document; returns its key where that is the row id.
    fn encoded(&self, document: &T, out: &mut Vec<u8>) -> Result<Option<i64>> {
        out.clear();
        let key = (T::Id::KIND == KeyKind::Integer).then_some(T::KEY);
        codec::encode(document, key, out).map_err(|source| {
            let id = document.id().row_id().filter(|id| *id != 0);
            Error::Codec { collection: self.table.name.clone(), id, source }
        })
    }

    /// Names the document in an error about its key.
    fn with_key(&self, document: &T, row: i64, error: StoreError) -> Error {
        match error {
            StoreError::AlreadyExists { source, .. } => {
                let key = document.id().row_id().map_or_else(|| document.id().words(), |_| row.to_string());
                let table = self.table.name.as_str().into();
                StoreError::AlreadyExists { table, id: Some(key.into()), source }.into()
            }
            other => other.into(),
        }
    }

    /// Returns the document of a key, or `None`.
    ///
    /// # Errors
    /// `TypeMismatch` and its like when the stored document cannot be read as the type; the store's own.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// let note = notes.get(1)?;
    /// assert_eq!(note.map(|note| note.text).as_deref(), Some("buy milk"));
    /// assert_eq!(notes.get(99)?, None);
    /// # Ok(())
    /// # }
    /// ```
    pub fn get(&self, id: KeyOf<'_, T>) -> Result<Option<T>> {
        let guard = self.session.read()?;
        let mut statement = guard.prepare(&self.table.get)?;
        self.fetch(&mut statement, &id)
    }

    fn fetch(&self, statement: &mut store::Stmt<'_>, id: &KeyOf<'_, T>) -> Result<Option<T>> {
        statement.bind(1, key_bind(&key::<T>(id)?))?;
        match statement.step()? {
            Some(row) => columns::document(&row, &self.table.name).map(Some),
            None => Ok(None),
        }
    }

    /// Returns the documents of keys, in the order asked, `None` where there is none, all of one moment.
    ///
    /// # Errors
    /// As [`Collection::get`].
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// let found = notes.get_many([3, 99, 1])?;
    /// let ids: Vec<_> = found.iter().map(|note| note.as_ref().map(|note| note.id)).collect();
    /// assert_eq!(ids, [Some(3), None, Some(1)]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn get_many<'a>(&self, ids: impl IntoIterator<Item = KeyOf<'a, T>>) -> Result<Vec<Option<T>>> {
        self.session.at_one_moment(|conn| {
            let mut statement = conn.prepare(&self.table.get)?;
            ids.into_iter().map(|id| self.fetch(&mut statement, &id)).collect()
        })
    }

    /// Stores a new document and returns its key. A key of 0, or a nil uuid, asks for a new one, which a `&mut T` is given.
    ///
    /// # Errors
    /// `AlreadyExists` for a key that is taken, `Unique` from a unique index; `OutOfRange`, `NotFinite`, `TooDeep` and
    /// `TooLarge` for what cannot be stored, with its path; the store's own. Nothing is stored then.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// let mut note = Note { id: 0, folder: "home".into(), text: "paint".into(), stars: None, done: false };
    /// let id = notes.insert(&mut note)?;
    /// assert_eq!((id, note.id), (4, 4));
    /// assert_eq!(notes.insert(Note { id: 40, ..note })?, 40);
    /// # Ok(())
    /// # }
    /// ```
    pub fn insert<D: Item<T>>(&self, document: D) -> Result<T::Id> {
        self.put(document, &self.table.insert)
    }

    /// Stores a document in the place of the one with its key, or as a new one, and returns its key.
    ///
    /// # Errors
    /// As [`Collection::insert`], but for `AlreadyExists`.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// let note = |text: &str| Note { id: 7, folder: "home".into(), text: text.into(), stars: None, done: false };
    /// assert_eq!(notes.upsert(note("first"))?, 7);
    /// assert_eq!(notes.upsert(note("second"))?, 7);
    /// assert_eq!(notes.get(7)?, Some(note("second")));
    /// # Ok(())
    /// # }
    /// ```
    pub fn upsert<D: Item<T>>(&self, document: D) -> Result<T::Id> {
        self.put(document, &self.table.upsert)
    }

    fn put<D: Item<T>>(&self, mut document: D, sql: &str) -> Result<T::Id> {
        let mut bytes = Vec::with_capacity(512);
        let asks = T::Id::unset().filter(|unset| document.document().id() == unset);
        let stored = self.encoded_with_key(&mut document, asks.is_some(), &mut bytes).and_then(|asked| {
            let stored = |write: &Write<'_>| {
                self.store(write, &mut write.prepare(sql)?, document.document(), asked, &bytes)
            };
            self.session.write(stored)
        });
        match stored {
            Ok(row) => Ok(given(&mut document, row)),
            Err(error) => {
                if let Some(unset) = asks {
                    D::take_back(document.keep(), unset);
                }
                Err(error)
            }
        }
    }

    /// Encodes a document, with a new key where it `asks` for one that is stored in it.
    fn encoded_with_key<D: Item<T>>(
        &self,
        document: &mut D,
        asks: bool,
        out: &mut Vec<u8>,
    ) -> Result<Option<i64>> {
        if let Some(key) = asks.then(T::Id::generate).flatten() {
            document.document_mut().set_id(key);
        }
        self.encoded(document.document(), out)
    }

    /// Stores bytes under the row id that is asked for, or under a new one for none or 0, and returns it.
    fn store(
        &self,
        write: &Write<'_>,
        statement: &mut store::Stmt<'_>,
        document: &T,
        asked: Option<i64>,
        bytes: &[u8],
    ) -> Result<i64> {
        let asked = asked.filter(|id| *id != 0);
        let row = asked.map_or_else(|| write.next_id(self.table.id), Ok)?;
        let ran = statement.run(&[Bind::Int(row), Bind::Blob(bytes)]);
        ran.map_err(|error| self.with_key(document, row, error))?;
        if asked.is_some() {
            write.note_id(self.table.id, row)?;
        }
        Ok(row)
    }

    /// Stores new documents, all or none, and returns their keys in order. The batch may be larger than memory: one
    /// document is held at a time. `&mut T` items are given their keys; a failed batch takes them back.
    ///
    /// A batch into a file that holds no document yet goes around the log, when nobody else has the file open: who
    /// opens it or reads meanwhile waits. The iterator itself must not use the database then; it is told `WrongTarget`.
    ///
    /// # Errors
    /// As [`Collection::insert`], around which [`Error::Item`] names the place in the batch.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// let note = Note { id: 0, folder: "home".into(), text: "paint".into(), stars: None, done: false };
    /// let mut batch = vec![note.clone(), note];
    /// assert_eq!(notes.insert_batch(&mut batch)?, [4, 5]);
    /// assert_eq!(batch[1].id, 5);
    /// # Ok(())
    /// # }
    /// ```
    pub fn insert_batch<D: Item<T>>(&self, documents: impl IntoIterator<Item = D>) -> Result<Vec<T::Id>> {
        let mut kept = Vec::new();
        let mut ids = Vec::new();
        let result = self.session.load(|write| {
            let mut statement = write.prepare(&self.table.insert)?;
            let mut bytes = Vec::with_capacity(1_024);
            for (index, mut document) in documents.into_iter().enumerate() {
                let asks = T::Id::unset().filter(|unset| document.document().id() == unset);
                let stored = self
                    .encoded_with_key(&mut document, asks.is_some(), &mut bytes)
                    .and_then(|asked| self.store(write, &mut statement, document.document(), asked, &bytes));
                if let Ok(row) = &stored {
                    ids.push(given(&mut document, *row));
                }
                // Only a key that was asked for is given, and only that is taken back.
                kept.extend(asks.map(|_| document.keep()));
                stored.map_err(|source| Error::Item { index: index as u64, source: Box::new(source) })?;
            }
            Ok(())
        });
        match result {
            Ok(()) => Ok(ids),
            Err(error) => {
                for (kept, unset) in kept.into_iter().zip(iter::from_fn(T::Id::unset)) {
                    D::take_back(kept, unset);
                }
                Err(error)
            }
        }
    }

    /// Stores a document in the place of the one with its key; returns whether there was one.
    ///
    /// # Errors
    /// As [`Collection::upsert`].
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// let mut note = notes.get(1)?.expect("there are three notes");
    /// note.done = false;
    /// assert!(notes.replace(&note)?);
    /// note.id = 99;
    /// assert!(!notes.replace(&note)?);
    /// # Ok(())
    /// # }
    /// ```
    pub fn replace(&self, document: &T) -> Result<bool> {
        let mut bytes = Vec::with_capacity(512);
        self.encoded(document, &mut bytes)?;
        let key = ParamField::argument(document.id()).map_err(|error| error.of("the key"))?;
        let binds = [key_bind(&key), Bind::Blob(&bytes)];
        self.session.write_once(|conn| Ok(conn.execute(&self.table.replace, &binds)? > 0))
    }

    /// Deletes the document of a key; returns whether there was one. The key is not given again.
    ///
    /// # Errors
    /// The store's own.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// assert!(notes.delete(1)?);
    /// assert!(!notes.delete(1)?);
    /// # Ok(())
    /// # }
    /// ```
    pub fn delete(&self, id: KeyOf<'_, T>) -> Result<bool> {
        let key = key::<T>(&id)?;
        let binds = [key_bind(&key)];
        self.session.write_once(|conn| Ok(conn.execute(&self.table.delete, &binds)? > 0))
    }

    pub(crate) fn description(&self) -> Description {
        let name = if self.table.name == T::COLLECTION {
            Cow::Borrowed(T::COLLECTION)
        } else {
            Cow::Owned(self.table.name.clone())
        };
        Description::collection::<T>(name)
    }

    /// Returns a query of all documents, by key; it runs at its terminal.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// assert_eq!(notes.query().order_by_desc(|n| n.stars).select(|n| n.id).to_vec()?, [3, 1, 2]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn query(&self) -> Query<T, Live<'_>> {
        Query::new(self.description(), Live { session: &self.session })
    }

    /// Returns a query of all documents for use inside a `compile` closure, where it only describes.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let db = database()?;
    /// let archive = db.collection_named::<Note>("archive")?;
    /// let open = db.compile(|_, ()| archive.source().filter(|n| !n.done).count())?;
    /// assert_eq!(open.call(())?, 0);
    /// # Ok(())
    /// # }
    /// ```
    pub fn source(&self) -> Query<T> {
        Query::new(self.description(), Deferred)
    }

    /// Returns a query of the documents for which the condition holds.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// assert_eq!(notes.filter(|n| n.stars.ge(2) & !n.done).count()?, 1);
    /// # Ok(())
    /// # }
    /// ```
    pub fn filter<B: Predicate>(&self, f: impl FnOnce(T::Sym) -> B) -> Query<T, Live<'_>> {
        self.query().filter(f)
    }

    /// Returns the number of documents.
    ///
    /// # Errors
    /// The store's own.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// assert_eq!(notes.count()?, 3);
    /// # Ok(())
    /// # }
    /// ```
    pub fn count(&self) -> Result<u64> {
        self.query().count()
    }

    /// Changes the documents for which the condition holds; returns how many documents' bytes changed.
    ///
    /// # Errors
    /// As [`Query::update`].
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// let changed = notes.update_many(|n| n.folder.eq("home"), |n| (n.done.set(true), n.stars.increment(1)))?;
    /// assert_eq!(changed, 2);
    /// # Ok(())
    /// # }
    /// ```
    pub fn update_many<B: Predicate, A: Assignments>(
        &self,
        condition: impl FnOnce(T::Sym) -> B,
        assignments: impl FnOnce(T::Sym) -> A,
    ) -> Result<u64> {
        self.filter(condition).update(assignments)
    }

    /// Deletes the documents for which the condition holds; returns how many there were.
    ///
    /// # Errors
    /// The store's own.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// assert_eq!(notes.delete_many(|n| n.done)?, 1);
    /// assert_eq!(notes.count()?, 2);
    /// # Ok(())
    /// # }
    /// ```
    pub fn delete_many<B: Predicate>(&self, condition: impl FnOnce(T::Sym) -> B) -> Result<u64> {
        self.filter(condition).delete()
    }
}

fn key<'x, 'a: 'x, T: Document>(id: &'x KeyOf<'a, T>) -> Result<Argument<'x>> {
    Ok(<T::Id as ParamType>::argument(id).map_err(|error| error.of("the key"))?)
}

/// Gives a document the key that its row has; returns it.
fn given<T: Document, D: Item<T>>(document: &mut D, row: i64) -> T::Id {
    match T::Id::of_row(row) {
        Some(id) => {
            document.document_mut().set_id(id.clone());
            id
        }
        None => document.document().id().clone(),
    }
}

impl<T: Document> Collection<'static, T> {
    /// Compiles a query over this collection: `events.compile(|q, (prefix,)| q.filter(..).count())`.
    ///
    /// # Errors
    /// As [`crate::Database::compile`].
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// let in_folder = notes.compile(|q, (folder,)| q.filter(|n| n.folder.eq(folder)).count())?;
    /// assert_eq!(in_folder.call("home")?, 2);
    /// # Ok(())
    /// # }
    /// ```
    pub fn compile<S: SymbolicParams, R: IntoPlan>(
        &self,
        f: impl FnOnce(Query<T>, S) -> R,
    ) -> Result<Compiled<S::Set, R::Output>> {
        let SessionRef::Shared(session) = &self.session else {
            // A `'static` session that is pinned cannot be made: transactions and snapshots are borrowed.
            return Err(CompileError::UnknownCollection { name: self.table.name.clone() }.into());
        };
        compiled::compile(session, self.source(), f)
    }
}
