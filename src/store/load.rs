//! Bulk load into a fresh file: without the WAL every page is written once.
//!
//! The load runs in `journal_mode=DELETE` and the file goes back to WAL when it ends, whatever its outcome. It is
//! taken only where nobody could notice: no document is there yet, no reader of ours is lent, nobody else has the
//! file open.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::conn::Conn;
use super::engine::{Engine, until};
use super::error::StoreError;
use super::options::Durability;
use super::schema::{Schema, quote};

/// The state of a file that is being loaded: its readers are paused.
pub(super) struct Load(());

impl Load {
    /// Switches the file and begins; `None` when the load must run in the WAL.
    pub(super) fn begin(engine: &Engine, conn: &Conn) -> Result<Option<Self>, StoreError> {
        if !is_fresh(conn)? || !engine.pool().pause() {
            return Ok(None);
        }
        conn.wait_at_most(Duration::ZERO);
        let switched = conn.journal_mode(Some("DELETE"));
        conn.wait_at_most(engine.busy_timeout());
        let load = Load(());
        match switched.as_deref() {
            Ok("delete") => {}
            _ => {
                load.end(engine, conn);
                return Ok(None);
            }
        }
        let begun = if engine.durability() == Durability::Full {
            // FULL alone does not wait until the journal's removal is on the disk, which is the commit.
            conn.batch("PRAGMA synchronous=EXTRA")
        } else {
            Ok(())
        };
        match begun.and_then(|()| conn.begin("BEGIN EXCLUSIVE")) {
            Ok(()) => Ok(Some(load)),
            Err(error) => {
                load.end(engine, conn);
                Err(error)
            }
        }
    }

    /// Returns the file to WAL, lets readers in, and says whether the writer is as it should be.
    pub(super) fn end(self, engine: &Engine, conn: &Conn) -> bool {
        let synchronous = engine.durability().synchronous();
        let back = conn
            .batch(&format!("PRAGMA synchronous={synchronous}"))
            .and_then(|()| into_wal(conn, Instant::now() + engine.busy_timeout()));
        if let Err(error) = &back {
            // The next writer is opened anew and tries again; readers work in either mode.
            tracing::warn!(path = %conn.path().display(), %error, "the file stays out of WAL for now");
        }
        engine.pool().resume();
        back.is_ok()
    }
}

/// Switches a file to WAL, waiting for others to leave it.
pub(super) fn into_wal(conn: &Conn, deadline: Instant) -> Result<(), StoreError> {
    until(deadline, || {
        if conn.journal_mode(None)? == "wal" || conn.journal_mode(Some("WAL"))? == "wal" {
            return Ok(());
        }
        Err(StoreError::Busy { path: Arc::clone(conn.path()), waited: conn.busy_timeout(), source: None })
    })
}

fn is_fresh(conn: &Conn) -> Result<bool, StoreError> {
    conn.begin("BEGIN")?;
    let fresh = has_no_document(conn);
    conn.rollback();
    fresh
}

fn has_no_document(conn: &Conn) -> Result<bool, StoreError> {
    let schema = Schema::load(conn)?;
    for collection in schema.collections.values() {
        let any = format!("SELECT 1 FROM {} LIMIT 1", quote(&collection.table));
        if conn.first(&any, &[], |_| Ok(()))?.is_some() {
            return Ok(false);
        }
    }
    Ok(true)
}
