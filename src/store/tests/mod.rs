//! Tests of the store as a whole: files that are opened, transactions that meet, schemas that move.

pub(crate) mod faults;
mod functions;
mod ids;
mod index;
mod open;
mod transaction;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::temp::TempDir;
use super::{Bind, Cell, Conn, Engine, Options, StoreError, WriteTxn};

type TestResult = Result<(), Box<dyn std::error::Error>>;

/// A directory with room for one database.
struct Scene {
    dir: TempDir,
    options: Options,
}

impl Scene {
    fn new() -> Result<Self, Box<dyn std::error::Error>> {
        let options = Options { busy_timeout: Duration::from_millis(200), ..Options::default() };
        Ok(Self { dir: TempDir::new()?, options })
    }

    fn path(&self) -> PathBuf {
        self.dir.path().join("app.db")
    }

    fn open(&self) -> Result<Arc<Engine>, StoreError> {
        Engine::open(&self.path(), &self.options)
    }

    fn read_only(&self) -> Result<Arc<Engine>, StoreError> {
        Engine::open(&self.path(), &Options { read_only: true, ..self.options.clone() })
    }

    /// Another program's connection.
    fn stranger(&self) -> rusqlite::Result<rusqlite::Connection> {
        rusqlite::Connection::open(self.path())
    }
}

fn text(conn: &Conn, sql: &str) -> Result<String, StoreError> {
    Ok(conn.first(sql, &[], |row| row.text(0).map(str::to_owned))?.unwrap_or_default())
}

fn int(conn: &Conn, sql: &str) -> Result<i64, StoreError> {
    Ok(conn.first(sql, &[], |row| row.int(0))?.unwrap_or_default())
}
