//! Workload TM by hand: several processes on one file.

use std::path::{Path, PathBuf};

use rusqlite::{Connection, TransactionBehavior, params};
use serde_json::Value;
use vellum_compare_protocol::tm::{self, Operation, Record, key};
use vellum_compare_protocol::{Failure, Open, Opened, Ran, Result, Run, Workload};
use vellum_fixtures::control::Durability;

use crate::settings;

const POINT: &str = "SELECT json(doc) FROM t WHERE id = ?1";
const ALL: &str = "SELECT json(doc) FROM t";
const UPDATE: &str = "UPDATE t SET doc = jsonb_set(doc,'$.i',jsonb_extract(doc,'$.i') + 1) WHERE id = ?1";
const DELETE: &str = "DELETE FROM t WHERE id = ?1";

/// Opens the table, which the first copy makes.
pub(crate) fn open(open: &Open) -> Result<(Opened, Box<dyn Workload>)> {
    let durability = settings::durability(&open.durability);
    let path = open.dir.join("records.db");
    let conn = connection(&path, durability)?;
    let records = Records {
        conn,
        path,
        durability,
        count: open.count,
        process: open.process,
        processes: open.processes,
    };
    Ok((settings::opened(durability), Box::new(records)))
}

struct Records {
    conn: Connection,
    path: PathBuf,
    durability: Durability,
    count: usize,
    process: usize,
    processes: usize,
}

impl Workload for Records {
    fn run(&mut self, run: &Run) -> Result<Ran> {
        let operation: Operation = run.operation()?;
        let share = operation.share(self.count, self.process, self.processes);
        let keys: Vec<String> = share.iter().map(|&i| key(i)).collect();
        let conn = &mut self.conn;
        // A statement that was prepared once is found among those that the connection keeps.
        for sql in [POINT, ALL, UPDATE, DELETE] {
            conn.prepare_cached(sql)?;
        }
        tm::timed(run, || match operation {
            Operation::Insert => insert(conn, &share),
            Operation::Read => Ok(all(conn)?.len() as i64),
            Operation::Point => point(conn, &keys),
            Operation::Update => each(conn, UPDATE, &keys),
            Operation::Delete => each(conn, DELETE, &keys),
        })
    }

    fn digest(&mut self) -> Result<Value> {
        Ok(tm::collection(all(&self.conn)?))
    }

    fn reopen(&mut self) -> Result<()> {
        self.conn = connection(&self.path, self.durability)?;
        Ok(())
    }
}

fn connection(path: &Path, durability: Durability) -> Result<Connection> {
    let conn = settings::connection(path, durability)?;
    conn.execute_batch("CREATE TABLE IF NOT EXISTS t(id TEXT PRIMARY KEY, doc BLOB NOT NULL);")?;
    Ok(conn)
}

fn insert(conn: &mut Connection, share: &[usize]) -> Result<i64> {
    let transaction = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
    {
        let mut insert = transaction.prepare("INSERT INTO t VALUES (?1, jsonb(?2))")?;
        for &i in share {
            let record = Record::new(i);
            insert.execute(params![record.id, serde_json::to_string(&record)?])?;
        }
    }
    transaction.commit()?;
    Ok(share.len() as i64)
}

fn all(conn: &Connection) -> Result<Vec<Record>> {
    let mut all = conn.prepare_cached(ALL)?;
    let rows = all.query_map([], |row| row.get::<_, String>(0))?;
    rows.map(|json| Ok(serde_json::from_str(&json?)?)).collect()
}

fn point(conn: &Connection, keys: &[String]) -> Result<i64> {
    let mut point = conn.prepare_cached(POINT)?;
    let mut sum = 0;
    for key in keys {
        let json: String = point.query_row([key], |row| row.get(0))?;
        sum += serde_json::from_str::<Record>(&json)?.i;
    }
    Ok(sum)
}

/// Runs a statement for each key, each a transaction, and returns how many documents it changed.
fn each(conn: &Connection, sql: &str, keys: &[String]) -> Result<i64> {
    let mut statement = conn.prepare_cached(sql)?;
    let mut changed = 0;
    for key in keys {
        changed += statement.execute([key])?;
    }
    i64::try_from(changed).map_err(Failure::from)
}
