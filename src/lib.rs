//! Vellum is an embedded document database: ordinary structs, kept as JSONB in one SQLite file, queried by ordinary
//! closures that the compiler of your program has checked. `docs/guide` tells more than this page, by subject.
//!
//! # First steps
//!
//! A document is a struct with a key, `id: i64`. Its collection is made when it is first asked for; its indexes are
//! made by [`Collection::ensure_indexes`].
//!
//! ```
//! use serde::{Deserialize, Serialize};
//! use vellum::prelude::*;
//!
//! #[derive(Document, Serialize, Deserialize)]
//! #[document(collection = "events")] // default: the struct's name in snake_case
//! struct Event {
//!     id: i64, // the key; 0 asks for a new one
//!     #[document(index)]
//!     system: String,
//!     #[document(index)]
//!     at: i64,
//!     level: Option<i64>,
//! }
//!
//! fn main() -> vellum::Result<()> {
//!     let db = Database::open_in_memory()?; // or `Database::open("events.db")?`
//!     let events = db.collection::<Event>()?;
//!     events.ensure_indexes()?;
//!
//!     let id = events.insert(Event { id: 0, system: "core".into(), at: 17, level: None })?;
//!     events.insert_batch((0..10).map(|at| Event { id: 0, system: "ui".into(), at, level: Some(at % 3) }))?;
//!
//!     assert_eq!(events.get(id)?.map(|event| event.at), Some(17));
//!     assert_eq!(events.filter(|e| e.system.starts_with("u") & e.at.lt(5)).count()?, 5);
//!     Ok(())
//! }
//! ```
//!
//! [`Embed`](derive@Embed) makes a struct usable inside a document. A field of a type that Vellum does not know is
//! marked `#[document(opaque)]`: it is stored and loaded, and no query can name it. Paths follow serde's `rename`
//! and `rename_all`.
//!
//! # Queries
//!
//! A query is a chain of stages that ends in a terminal: [`Query`] lists both. The closures run once, on symbols,
//! and what they return is compiled to SQL; nothing is filtered in the client. Rust's `==` and `&&` cannot be
//! overloaded for this, so conditions are built by methods and by `&`, `|` and `!`; inside [`x!`] the usual operators
//! work.
//!
//! ```
//! # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
//! # fn main() -> vellum::Result<()> {
//! # let notes = database()?.collection::<Note>()?;
//! let open = notes.filter(|n| !n.done & n.folder.is_in(["home", "work"])).order_by(|n| n.text).to_vec()?;
//! assert_eq!(open.len(), 2);
//! assert_eq!(notes.filter(x!(|n| n.stars >= 2 && n.folder == "work")).count()?, 1);
//!
//! let texts: Vec<(i64, String)> = notes.query().select(|n| (n.id, n.text)).take(2).to_vec()?;
//! assert_eq!(texts[1], (2, "Buy a lamp".to_owned()));
//!
//! let folders = notes.query().group_by(|n| n.folder).select(|g| (g.key, g.count())).to_vec()?;
//! assert_eq!(folders, [("home".to_owned(), 2), ("work".to_owned(), 1)]);
//!
//! assert_eq!(notes.update_many(|n| n.stars.is_none(), |n| (n.stars.set(1), n.done.set(true)))?, 1);
//! # Ok(())
//! # }
//! ```
//!
//! A query may stand inside of a closure, and name its rows: [`from`] begins one. It is a condition, a value, or a list
//! for `is_in`.
//!
//! ```
//! # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
//! # fn main() -> vellum::Result<()> {
//! # let notes = database()?.collection::<Note>()?;
//! let in_folder = |n: NoteFields| from::<Note>().filter(move |other| other.folder.eq(n.folder));
//! assert_eq!(notes.filter(|n| in_folder(n).any(|other| other.done)).select(|n| n.id).to_vec()?, [1, 2]);
//! assert_eq!(notes.query().select(|n| (n.id, in_folder(n).count().expr())).to_vec()?, [(1, 2), (2, 2), (3, 1)]);
//! # Ok(())
//! # }
//! ```
//!
//! # Documents of any shape
//!
//! A field of the type `serde_json::Value` is a [`Json`] in a query: a path into it is written as in Rust, and says as
//! which kind it is seen. `examples/dynamic.rs` has more.
//!
//! ```
//! use serde::{Deserialize, Serialize};
//! use serde_json::json;
//! use vellum::prelude::*;
//!
//! #[derive(Document, Serialize, Deserialize)]
//! struct Reading {
//!     id: i64,
//!     body: serde_json::Value,
//! }
//!
//! # fn main() -> vellum::Result<()> {
//! let readings = Database::open_in_memory()?.collection::<Reading>()?;
//! readings.insert(Reading { id: 0, body: json!({ "sensor": { "room": "cellar" }, "celsius": 11.5 }) })?;
//! readings.ensure_index(|r| r.body["celsius"].as_f64()).create()?;
//! let cold = readings.filter(|r| r.body["celsius"].as_f64().lt(12.0) & r.body["sensor"]["room"].eq("cellar"));
//! assert_eq!(cold.count()?, 1);
//! # Ok(())
//! # }
//! ```
//!
//! # Compiled queries
//!
//! An ordinary call looks up its plan by the shape of the query. [`Database::compile`] keeps the plan: a call of a
//! [`Compiled`] only binds its arguments and steps. The types of the parameters follow from their use.
//!
//! ```
//! # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
//! # fn main() -> vellum::Result<()> {
//! # let db = database()?;
//! let page = db.compile(|q, (prefix, offset)| {
//!     q.from::<Note>().filter(|n| n.text.starts_with(prefix)).order_by_desc(|n| n.id).skip(offset).take(10)
//! })?;
//! assert_eq!(page.call(("buy", 0))?.len(), 1);
//! assert_eq!(page.call(("", 1))?.len(), 2);
//!
//! #[derive(Params)]
//! struct InFolder<'a> {
//!     folder: &'a str,
//!     stars: i64,
//! }
//! let named = db.compile(|q, p: InFolderParams| {
//!     q.from::<Note>().filter(|n| n.folder.eq(p.folder) & n.stars.ge(p.stars)).count()
//! })?;
//! assert_eq!(named.call(InFolder { folder: "home", stars: 2 })?, 1);
//! # Ok(())
//! # }
//! ```
//!
//! Every statement names the index that it uses. [`Compiled::explain`] shows which, and why nothing faster was chosen:
//!
//! ```
//! # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
//! # fn main() -> vellum::Result<()> {
//! # let notes = database()?.collection::<Note>()?;
//! let starred = notes.compile(|q, (stars,)| q.filter(|n| n.stars.eq(stars)).count())?;
//! let reading = &starred.explain()?.plan.readings[0];
//! assert_eq!(reading.obstacles[0].to_string(), "`stars` has no index: the document is read");
//!
//! notes.ensure_index(|n| n.stars).create()?;
//! assert_eq!(starred.explain()?.plan.readings[0].indexes, ["notes/stars"]);
//! # let _: u64 = starred.call(5)?;
//! # Ok(())
//! # }
//! ```
//!
//! # Null
//!
//! Null and missing are the same to a query, and logic has two values: a comparison with null is false, all but
//! `ne`, and `!p` is the exact complement of `p`. `docs/semantics.md` has all the rules by number.
//!
//! ```
//! # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
//! # fn main() -> vellum::Result<()> {
//! # let notes = database()?.collection::<Note>()?;
//! assert_eq!(notes.filter(|n| n.stars.lt(4)).count()?, 1); // never matches null
//! assert_eq!(notes.filter(|n| !n.stars.lt(4)).count()?, 2); // and its complement does
//! assert_eq!(notes.filter(|n| n.stars.ne(5)).count()?, 2);
//! assert_eq!(notes.filter(|n| n.stars.is_none()).count()?, 1);
//! assert_eq!(notes.query().max(|n| n.stars)?, Some(5)); // folds skip it
//! assert_eq!(notes.filter(|n| n.stars.is_none()).sum(|n| n.stars)?, 0);
//! # Ok(())
//! # }
//! ```
//!
//! # Transactions and snapshots
//!
//! Each call is atomic. [`Database::transaction`] and [`Database::begin`] make several calls one;
//! [`Database::snapshot`] lets several reads see one moment. A transaction has its own collections, and a compiled
//! query is called on it by [`Compiled::on`]. It is a value that moves between threads, and [`Tx::begin`] and
//! [`Tx::transaction`] nest.
//!
//! ```
//! # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
//! # fn main() -> vellum::Result<()> {
//! # let db = database()?;
//! let open = db.compile(|q, ()| q.from::<Note>().filter(|n| !n.done).count())?;
//! let before = db.snapshot()?;
//! db.transaction(|tx| {
//!     let notes = tx.collection::<Note>()?;
//!     notes.update_many(|n| n.folder.eq("home"), |n| n.done.set(true))?;
//!     assert_eq!(open.on(tx).call(())?, 1);
//!     notes.delete_many(|n| n.done)?;
//!     Ok(())
//! })?;
//! assert_eq!(db.collection::<Note>()?.count()?, 1);
//! assert_eq!(open.on(&before).call(())?, 2);
//! # Ok(())
//! # }
//! ```
//!
//! # Errors
//!
//! Every call returns [`Error`], which nests what each layer says; [`Error::kind`] gives a category to match on. The
//! text names the collection, the path, the item or the file.
//!
//! ```
//! # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
//! # fn main() -> vellum::Result<()> {
//! use vellum::ErrorKind;
//!
//! # let notes = database()?.collection::<Note>()?;
//! let taken = notes.get(1)?.expect("there are three notes");
//! let error = notes.insert(taken).unwrap_err();
//! assert_eq!(error.kind(), ErrorKind::AlreadyExists);
//! assert_eq!(error.to_string(), "`notes` already has a document with this key, 1");
//!
//! let error = notes.filter(|n| (n.stars / 0).eq(1)).count().unwrap_err();
//! assert_eq!(error.kind(), ErrorKind::DivisionByZero);
//! # Ok(())
//! # }
//! ```

mod api;
mod codec;
mod compile;
mod error;
mod fs;
mod ir;
mod store;

pub use api::{
    Assign, Assignment, Assignments, Bytes, Collection, Compiled, Contents, Counted, Database, Deferred,
    DirEntry, DocId, Document, ExplainedPlan, Explanation, Expr, File, FileEntry, FileKind, FileMut,
    FileOrder, FileProblem, FileStat, Files, Group, Grouped, IndexBuilder, IndexDescription, IndexKeys,
    IndexProgress, IndexReport, Indexes, IntoPlan, Item, Json, JsonOperand, KeyOf, List, Listing, Live, Map,
    MapKey, Mode, NestedOption, Newtype, Nullable, Num, On, Operand, OperandList, OptionList, OptionOperand,
    Optional, Options, OrderKey, OrderKeys, Ordered, Param, ParamSet, ParamType, Place, Plan, Predicate,
    Query, Root, Row, RowCount, RowIter, Scalar, SkipReason, Skipped, Snapshot, StructFields, Symbol,
    SymbolicParams, Target, Term, Text, Transfer, TransferProgress, TransferReport, TreeUsage, Tx, Value,
    Variant, all_of, any_of, from, from_named, lit, when,
};
pub use codec::CodecError;
pub use compile::{CompileError, NarrowGap, Obstacle, Reading};
pub use error::{Error, ErrorKind, QueryError, Result, TargetError};
pub use fs::FsError;
pub use ir::path::{FieldPath, Segment};
pub use store::{Durability, SqliteError, StoreError};
pub use vellum_derive::{Document, Embed, Params};

/// What most programs use: the derives, the macro [`x!`], and the types that a program names. The traits of the query
/// language need not be in scope.
pub mod prelude {
    pub use crate::{
        Collection, Compiled, Database, Document, Embed, Expr, Param, Params, Query, StructFields, Tx,
        all_of, any_of, from, lit, when, x,
    };
}

/// What generated code reaches; no part of the public interface.
#[doc(hidden)]
pub mod __private {
    pub use crate::api::private as v1;
}

/// Lets a closure use `==`, `<`, `&&`, `||`, `!` and the like: `filter(x!(|e| e.id <= 20 && e.system == "core"))`.
#[macro_export]
macro_rules! x {
    ($($tokens:tt)*) => {
        $crate::__private::v1::operators!($crate; $($tokens)*)
    };
}

/// Compiles and runs the code of the README and of the guide.
#[cfg(doctest)]
mod pages {
    macro_rules! pages {
        ($($name:ident $path:literal)*) => { $(
            #[doc = include_str!($path)]
            struct $name;
        )* };
    }

    pages! {
        Readme "../README.md"
        FirstSteps "../docs/guide/first-steps.md"
        Documents "../docs/guide/documents.md"
        Queries "../docs/guide/queries.md"
        Null "../docs/guide/null.md"
        Compiled "../docs/guide/compiled.md"
        Indexes "../docs/guide/indexes.md"
        Transactions "../docs/guide/transactions.md"
        Files "../docs/guide/files.md"
        Errors "../docs/guide/errors.md"
        Limits "../docs/guide/limits.md"
    }
}
