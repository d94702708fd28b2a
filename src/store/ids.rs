//! The integer ids that a transaction gives. None is given twice, also after its document was deleted: the catalog
//! keeps the next one, written once, before the commit. What a call inside a transaction returned before the transaction
//! was rolled back is remembered for as long as the file is open ([`Burned`]): somebody may hold it. What a call that
//! failed had given is free again: nobody has seen it.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use smallvec::SmallVec;

use super::conn::Conn;
use super::error::StoreError;
use super::schema::quote;
use super::stmt::Bind;

/// The next ids of the collections that a transaction inserts into.
#[derive(Clone, Debug, Default)]
pub(super) struct Ids(SmallVec<[NextId; 2]>);

#[derive(Clone, Debug)]
struct NextId {
    collection: i64,
    /// `i64::MAX` means that no id is left.
    next: i64,
    stored: i64,
    /// The id behind the last one that was given, or 0.
    given: i64,
    /// The same, of those that a call has returned.
    returned: i64,
}

/// The next ids behind those that transactions gave and then rolled back, by collection.
#[derive(Debug, Default)]
pub(super) struct Burned(Mutex<HashMap<i64, i64>>);

impl Burned {
    fn next(&self, collection: i64) -> i64 {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(&collection).copied().unwrap_or(0)
    }

    /// Remembers what was given and is taken back.
    pub(super) fn burn(&self, ids: &Ids) {
        for entry in ids.0.iter().filter(|entry| entry.returned > 0) {
            let mut burned = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            let next = burned.entry(entry.collection).or_default();
            *next = entry.returned.max(*next);
        }
    }
}

impl Ids {
    /// Gives an id: above all that were given and above all that are there.
    pub(super) fn give(&mut self, conn: &Conn, burned: &Burned, collection: i64) -> Result<i64, StoreError> {
        let entry = self.entry(conn, burned, collection)?;
        if entry.next == i64::MAX {
            let name = conn
                .first("SELECT name FROM vellum_collection WHERE id = ?1", &[Bind::Int(collection)], |row| {
                    row.text(0).map(Box::from)
                })?
                .unwrap_or_default();
            return Err(StoreError::OutOfRange { collection: name });
        }
        let id = entry.next;
        entry.next += 1;
        entry.given = entry.next;
        Ok(id)
    }

    /// Notes an id that the caller chose.
    pub(super) fn note(
        &mut self,
        conn: &Conn,
        burned: &Burned,
        collection: i64,
        id: i64,
    ) -> Result<(), StoreError> {
        let entry = self.entry(conn, burned, collection)?;
        entry.next = entry.next.max(id.saturating_add(1));
        Ok(())
    }

    /// Writes what moved to the catalog.
    pub(super) fn store(&self, conn: &Conn) -> Result<(), StoreError> {
        for entry in self.0.iter().filter(|entry| entry.next != entry.stored) {
            conn.execute(
                "UPDATE vellum_collection SET next_id = ?2 WHERE id = ?1",
                &[Bind::Int(entry.collection), Bind::Int(entry.next)],
            )?;
        }
        Ok(())
    }

    /// Notes that a call returns what was given so far.
    pub(super) fn note_returned(&mut self) {
        for entry in &mut self.0 {
            entry.returned = entry.given;
        }
    }

    /// Goes back to what was known before a part of the transaction, but for what calls in that part returned.
    pub(super) fn take_back(&mut self, before: Ids) {
        let undone = std::mem::replace(self, before);
        for entry in &mut self.0 {
            if let Some(undone) = undone.0.iter().find(|undone| undone.collection == entry.collection) {
                entry.next = entry.next.max(undone.returned);
            }
        }
    }

    fn entry(&mut self, conn: &Conn, burned: &Burned, collection: i64) -> Result<&mut NextId, StoreError> {
        let at = match self.0.iter().position(|entry| entry.collection == collection) {
            Some(at) => at,
            None => {
                self.0.push(NextId::load(conn, burned, collection)?);
                self.0.len() - 1
            }
        };
        self.0.get_mut(at).ok_or_else(|| StoreError::internal("no next id", ""))
    }
}

impl NextId {
    fn load(conn: &Conn, burned: &Burned, collection: i64) -> Result<Self, StoreError> {
        const STORED: &str = "SELECT tbl, next_id FROM vellum_collection WHERE id = ?1";
        let (table, stored) = conn
            .first(STORED, &[Bind::Int(collection)], |row| Ok((row.text(0)?.to_owned(), row.int(1)?)))?
            .ok_or_else(|| StoreError::internal("no such collection", STORED))?;
        // Another program may have inserted documents without asking the catalog.
        let largest = format!("SELECT coalesce(max(id), 0) FROM {}", quote(&table));
        let largest = conn.first(&largest, &[], |row| row.int(0))?.unwrap_or(0);
        let next = stored.max(largest.saturating_add(1)).max(burned.next(collection));
        Ok(Self { collection, next, stored, given: 0, returned: 0 })
    }
}
