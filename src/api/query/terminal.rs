//! What ends a query: rows, folds, writes, and what a query says of itself.

use crate::api::arena::Frame;
use crate::api::document::Document;
use crate::api::explain::{self, Explanation};
use crate::api::expr::{Expr, Predicate};
use crate::api::iter::RowIter;
use crate::api::mode::{Live, Mode};
use crate::api::ops::Num;
use crate::api::plan::Plan;
use crate::api::query::Query;
use crate::api::rows::Decode;
use crate::api::value::{Ordered, Row, Symbol, Value};
use crate::api::write::Assignments;
use crate::error::{Error, QueryError, Result};
use crate::ir::doc::{Fold, Terminal};

impl<T: Row, M: Mode> Query<T, M> {
    fn end<O>(mut self, terminal: Terminal, decode: Decode<O>) -> M::Ret<O> {
        self.description.terminal = terminal;
        self.mode.finish(Plan { description: self.description, decode })
    }

    fn fold<N, O>(mut self, fold: Fold, f: impl FnOnce(T::Sym) -> Expr<N>, decode: Decode<O>) -> M::Ret<O> {
        let frame = Frame::one();
        let root = f(T::Sym::bind(frame.row())).raw();
        let lambda = self.description.lambda(&frame, root);
        self.end(Terminal::Fold(fold, lambda), decode)
    }

    /// Returns all rows.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// let home: Vec<Note> = notes.filter(|n| n.folder.eq("home")).to_vec()?;
    /// assert_eq!(home.len(), 2);
    /// # Ok(())
    /// # }
    /// ```
    pub fn to_vec(self) -> M::Ret<Vec<T>> {
        self.end(Terminal::Rows, |rows| rows.collect())
    }

    /// Returns the number of rows.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// assert_eq!(notes.filter(|n| n.folder.eq("home")).count()?, 2);
    /// assert_eq!(notes.query().take(2).count()?, 2);
    /// # Ok(())
    /// # }
    /// ```
    pub fn count(self) -> M::Ret<u64> {
        self.end(Terminal::Count, |rows| rows.one())
    }

    /// Returns whether there is a row.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// assert!(notes.filter(|n| n.done).exists()?);
    /// # Ok(())
    /// # }
    /// ```
    pub fn exists(self) -> M::Ret<bool> {
        self.end(Terminal::Exists, |rows| rows.one())
    }

    /// Returns whether the condition holds for a row; false for none.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// assert!(notes.query().any(|n| n.stars.gt(4))?);
    /// assert!(!notes.filter(|n| n.done).any(|n| n.stars.gt(4))?);
    /// # Ok(())
    /// # }
    /// ```
    pub fn any<B: Predicate>(self, f: impl FnOnce(T::Sym) -> B) -> M::Ret<bool> {
        self.filter(f).exists()
    }

    /// Returns whether the condition holds for every row; true for none.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// assert!(notes.query().any(|n| n.stars.gt(4))?);
    /// assert!(!notes.query().all(|n| n.stars.gt(4))?);
    /// assert!(notes.filter(|n| n.folder.eq("attic")).all(|n| n.done)?);
    /// # Ok(())
    /// # }
    /// ```
    pub fn all<B: Predicate>(self, f: impl FnOnce(T::Sym) -> B) -> M::Ret<bool> {
        self.filter(|row| !f(row).condition()).end(Terminal::NotExists, |rows| rows.one())
    }

    /// Returns the first row, or `None` when there is none.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// assert_eq!(notes.query().select(|n| n.id).first()?, Some(1));
    /// assert_eq!(notes.filter(|n| n.folder.eq("attic")).first()?, None);
    /// # Ok(())
    /// # }
    /// ```
    pub fn first(self) -> M::Ret<Option<T>> {
        self.end(Terminal::First, |rows| rows.next_row())
    }

    /// Returns the only row.
    ///
    /// # Errors
    /// `NoRow` when there is none, `ManyRows` when there are several.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// assert_eq!(notes.filter(|n| n.folder.eq("work")).single()?.id, 3);
    /// let several = notes.query().single().unwrap_err();
    /// assert_eq!(several.kind(), vellum::ErrorKind::ManyRows);
    /// # Ok(())
    /// # }
    /// ```
    pub fn single(self) -> M::Ret<T> {
        self.end(Terminal::Single, |rows| {
            let row = rows.only()?;
            row.ok_or(Error::Query(QueryError::NoRow))
        })
    }

    /// Returns the only row, or `None` when there is none.
    ///
    /// # Errors
    /// `ManyRows` when there are several.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// assert!(notes.filter(|n| n.folder.eq("attic")).single_or_none()?.is_none());
    /// let several = notes.query().single_or_none().unwrap_err();
    /// assert_eq!(several.kind(), vellum::ErrorKind::ManyRows);
    /// # Ok(())
    /// # }
    /// ```
    pub fn single_or_none(self) -> M::Ret<Option<T>> {
        self.end(Terminal::Single, |rows| rows.only())
    }

    /// Returns the sum; zero for nothing. Integers are summed exactly.
    ///
    /// # Errors
    /// `Overflow` when the total of integers does not fit an `i64`, or that of floats is not finite.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// assert_eq!(notes.query().sum(|n| n.stars)?, 7);
    /// # Ok(())
    /// # }
    /// ```
    pub fn sum<N: Num>(self, f: impl FnOnce(T::Sym) -> Expr<N>) -> M::Ret<N::Sum> {
        self.fold(Fold::Sum, f, |rows| rows.one())
    }

    /// Returns the mean of what is there; `None` for nothing.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// assert_eq!(notes.query().avg(|n| n.stars)?, Some(3.5));
    /// assert_eq!(notes.filter(|n| n.stars.is_none()).avg(|n| n.stars)?, None);
    /// # Ok(())
    /// # }
    /// ```
    pub fn avg<N: Num>(self, f: impl FnOnce(T::Sym) -> Expr<N>) -> M::Ret<Option<f64>> {
        self.fold(Fold::Avg, f, |rows| rows.one())
    }

    /// Returns the smallest value; `None` for nothing.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// assert_eq!(notes.query().min(|n| n.stars)?, Some(2));
    /// assert_eq!(notes.filter(|n| n.stars.is_none()).min(|n| n.stars)?, None);
    /// # Ok(())
    /// # }
    /// ```
    pub fn min<N: Value>(self, f: impl FnOnce(T::Sym) -> Expr<N>) -> M::Ret<Option<N::Core>>
    where
        N::Core: Ordered,
    {
        self.fold(Fold::Min, f, |rows| rows.one())
    }

    /// Returns the largest value; `None` for nothing.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// assert_eq!(notes.query().min(|n| n.stars)?, Some(2));
    /// assert_eq!(notes.query().max(|n| n.text)?.as_deref(), Some("write the report"));
    /// # Ok(())
    /// # }
    /// ```
    pub fn max<N: Value>(self, f: impl FnOnce(T::Sym) -> Expr<N>) -> M::Ret<Option<N::Core>>
    where
        N::Core: Ordered,
    {
        self.fold(Fold::Max, f, |rows| rows.one())
    }
}

impl<T: Document, M: Mode> Query<T, M> {
    /// Changes the documents, all or none, and returns how many documents' bytes changed.
    ///
    /// # Errors
    /// `TypeMismatch` when an increment meets something that is not a number, or a field below a scalar is set;
    /// `Overflow` when an increment does not fit; `Unique` when two documents would have the same unique values.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// let first_two = notes.query().order_by(|n| n.text).take(2);
    /// assert_eq!(first_two.update(|n| n.stars.set(None))?, 1); // the other one had none
    /// # Ok(())
    /// # }
    /// ```
    pub fn update<A: Assignments>(mut self, f: impl FnOnce(T::Sym) -> A) -> M::Ret<u64> {
        let frame = Frame::one();
        let assignments = f(T::Sym::bind(frame.row())).list();
        self.description.update(&frame, &assignments);
        self.mode.finish(Plan { description: self.description, decode: |rows| rows.changed() })
    }

    /// Deletes the documents, all or none, and returns how many there were.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// assert_eq!(notes.query().order_by_desc(|n| n.id).take(1).delete()?, 1);
    /// assert_eq!(notes.get(3)?, None);
    /// # Ok(())
    /// # }
    /// ```
    pub fn delete(self) -> M::Ret<u64> {
        self.end(Terminal::Delete, |rows| rows.changed())
    }
}

impl<'s, T: Row> Query<T, Live<'s>> {
    /// Returns an iterator over the rows, one in memory at a time.
    ///
    /// # Errors
    /// That of planning and of the first row; an error further on is an item, the last one.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// for id in notes.filter(|n| !n.done).select(|n| n.id).iter()? {
    ///     assert!(id? > 1);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn iter(mut self) -> Result<RowIter<'s, T>> {
        self.description.terminal = Terminal::Rows;
        self.mode.session.iter_once(self.description)
    }

    /// Explains what [`Query::to_vec`] would run. Nothing is run. What another terminal runs is explained by compiling
    /// it: `collection.compile(|q, ()| q.count())?.explain()`.
    ///
    /// # Errors
    /// `InvalidQuery` for what cannot be run by the rules; the store's own.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// notes.ensure_indexes()?;
    /// let told = notes.filter(|n| n.folder.eq("home")).explain()?;
    /// assert_eq!(told.plan.readings[0].indexes, ["notes/folder"]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn explain(&self) -> Result<Explanation> {
        let (statement, constants) = self.description.clone().into_statement(Vec::new())?;
        explain::explain(self.mode.session, &statement, &constants)
    }

    /// Returns the SQL that [`Query::to_vec`] would run.
    ///
    /// # Errors
    /// As [`Query::explain`].
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// let sql = notes.filter(|n| n.id.eq(1)).select(|n| n.id).to_sql()?;
    /// assert_eq!(sql, r#"SELECT t0.id AS c0 FROM "notes" AS t0 NOT INDEXED WHERE (t0.id = ?1) ORDER BY t0.id"#);
    /// # Ok(())
    /// # }
    /// ```
    pub fn to_sql(&self) -> Result<String> {
        let (statement, constants) = self.description.clone().into_statement(Vec::new())?;
        Ok(self.mode.session.plan(&statement, &constants)?.text.sql.clone())
    }

    /// Gives each row to `f` in turn, one in memory at a time.
    ///
    /// # Errors
    /// The first error of the query or of `f`, which ends it.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// let mut len = 0;
    /// notes.query().for_each(|note| {
    ///     len += note.text.len();
    ///     Ok(())
    /// })?;
    /// assert_eq!(len, 34);
    /// # Ok(())
    /// # }
    /// ```
    pub fn for_each(self, mut f: impl FnMut(T) -> Result<()>) -> Result<()> {
        self.iter()?.try_for_each(|row| f(row?))
    }
}
