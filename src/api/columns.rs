//! Reading one result row from left to right.

use serde::de::DeserializeOwned;
use smallvec::SmallVec;

use crate::api::document::{DocId, Document};
use crate::codec::{self, CodecError, Column};
use crate::compile::Output;
use crate::error::{Error, Result};
use crate::ir::path::FieldPath;
use crate::ir::record::Record;
use crate::ir::value::Cell;
use crate::store;

/// One result row. What its columns mean is the plan's.
pub struct Columns<'r, 's> {
    row: &'r store::Row<'s>,
    output: &'r Output,
    at: usize,
}

impl std::fmt::Debug for Columns<'_, '_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Columns").field(&self.at).finish()
    }
}

impl<'r, 's> Columns<'r, 's> {
    pub(crate) fn new(row: &'r store::Row<'s>, output: &'r Output) -> Self {
        Columns { row, output, at: 0 }
    }

    fn next(&mut self) -> Result<Cell<'r>> {
        let cell = cell(self.row, self.at)?;
        self.at += 1;
        Ok(cell)
    }

    /// Reads the next columns as a struct that was made of them.
    fn record<T: DeserializeOwned>(&mut self, record: &Record) -> Result<T> {
        let mut columns: SmallVec<[Column<'_>; 8]> = SmallVec::new();
        for _ in 0..record.width() {
            let path = self.output.paths.get(self.at).and_then(Option::as_ref);
            columns.push(Column { cell: self.next()?, path });
        }
        codec::decode_record(record, &columns).map_err(|source| self.failed(source))
    }

    /// Reads the next column as a value, or the next ones as a struct.
    pub(crate) fn value<T: DeserializeOwned>(&mut self) -> Result<T> {
        if let Some(record) = self.output.record(self.at) {
            return self.record(record);
        }
        let at = self.at;
        let cell = self.next()?;
        codec::decode_cell(cell).map_err(|error| self.error(at, error))
    }

    /// Reads the next two columns as a document: its row id and its bytes; or one that was made from its columns.
    pub(crate) fn document<T: Document>(&mut self) -> Result<T> {
        if let Some(record) = self.output.record(self.at) {
            return self.record(record);
        }
        let at = self.at;
        let (id, bytes) = (self.next()?, self.next()?);
        match (id, bytes) {
            (Cell::Int(id), Cell::Blob(bytes)) => codec::decode(bytes, T::Id::KIND.given(T::KEY, id))
                .map_err(|source| Error::Codec {
                    collection: self.output.collection.clone(),
                    id: Some(id),
                    source,
                }),
            (_, other) => Err(self.error(at, CodecError::not_a_document(other))),
        }
    }

    #[cold]
    fn error(&self, at: usize, source: CodecError) -> Error {
        let path = self.output.paths.get(at).cloned().flatten().unwrap_or_else(FieldPath::root);
        self.failed(source.under(path))
    }

    #[cold]
    fn failed(&self, source: CodecError) -> Error {
        let id = self.output.id_column.and_then(|column| match cell(self.row, column) {
            Ok(Cell::Int(id)) => Some(id),
            _ => None,
        });
        Error::Codec { collection: self.output.collection.clone(), id, source }
    }
}

fn cell<'r>(row: &'r store::Row<'_>, at: usize) -> Result<Cell<'r>> {
    Ok(match row.cell(at)? {
        store::Cell::Null => Cell::Null,
        store::Cell::Int(x) => Cell::Int(x),
        store::Cell::Real(x) => Cell::Real(x),
        store::Cell::Text(x) => Cell::Text(x),
        store::Cell::Blob(x) => Cell::Blob(x),
    })
}

/// Reads a document that a statement returned as `id, doc`.
pub(crate) fn document<T: Document>(row: &store::Row<'_>, collection: &str) -> Result<T> {
    let (id, bytes) = (cell(row, 0)?, cell(row, 1)?);
    let failed = |id, source| Error::Codec { collection: collection.to_owned(), id, source };
    match (id, bytes) {
        (Cell::Int(id), Cell::Blob(bytes)) => {
            codec::decode(bytes, T::Id::KIND.given(T::KEY, id)).map_err(|e| failed(Some(id), e))
        }
        (Cell::Int(id), other) => Err(failed(Some(id), CodecError::not_a_document(other))),
        (_, other) => Err(failed(None, CodecError::not_a_document(other))),
    }
}
