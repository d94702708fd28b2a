//! Workload TQ by hand: tables of columns.

use std::path::{Path, PathBuf};

use rusqlite::{Connection, TransactionBehavior, params};
use serde_json::json;
use vellum_compare_protocol::tq::{
    APPENDED, Operation, PRESENT, Row, customers, grouped, joined, loaded, orders, rows,
};
use vellum_compare_protocol::{Clock, Open, Opened, Ran, Result, Run, Times, Workload};
use vellum_fixtures::control::Durability;

use crate::settings;

const SCHEMA: &str = "
    CREATE TABLE IF NOT EXISTS bench(id INTEGER PRIMARY KEY, name TEXT NOT NULL, score REAL NOT NULL);
    CREATE TABLE IF NOT EXISTS orders(id INTEGER PRIMARY KEY, customer INTEGER NOT NULL, amount REAL NOT NULL);
    CREATE TABLE IF NOT EXISTS customers(id INTEGER PRIMARY KEY, name TEXT NOT NULL);";
const JOIN: &str = "SELECT o.id, c.name FROM orders o JOIN customers c ON c.id = o.customer ORDER BY o.id";
const GROUP: &str = "SELECT customer, count(*), sum(amount) FROM orders GROUP BY customer ORDER BY customer";

/// Opens the tables.
pub(crate) fn open(open: &Open) -> Result<(Opened, Box<dyn Workload>)> {
    let durability = settings::durability(&open.durability);
    let path = open.dir.join("tables.db");
    let tables = Tables { conn: connection(&path, durability)?, path, durability };
    let mut opened = settings::opened(durability);
    opened.notes.push("rows of columns, not documents".to_owned());
    Ok((opened, Box::new(tables)))
}

struct Tables {
    conn: Connection,
    path: PathBuf,
    durability: Durability,
}

impl Workload for Tables {
    fn run(&mut self, run: &Run) -> Result<Ran> {
        let times = Times::new(run.repeat);
        let conn = &mut self.conn;
        match run.operation()? {
            Operation::Save { n } => {
                save(conn, &rows(1, n))?;
                let new = rows(1, n);
                let ran = times.of(|| save(conn, &new))?;
                ran.try_answer(|()| Ok(json!(load(conn)?.len())))
            }
            Operation::Load { n } => {
                save(conn, &rows(1, n))?;
                times.of(|| load(conn))?.answer(answer)
            }
            Operation::SaveLoad { n } => {
                let new = rows(1, n);
                save(conn, &new)?;
                let both = || {
                    save(conn, &new)?;
                    load(conn)
                };
                times.of(both)?.answer(answer)
            }
            Operation::Append => {
                let (present, new) = (rows(1, PRESENT), rows(PRESENT + 1, PRESENT + APPENDED));
                let mut clock = Clock::new();
                for _ in 0..run.repeat.max(1) {
                    save(conn, &present)?;
                    clock.time(|| append(conn, &new))?;
                }
                Ok(clock.ran(load(conn)?.len()))
            }
            Operation::Point { n, id } => {
                save(conn, &rows(1, n))?;
                times.of(|| point(conn, id))?.answer(|row| json!(row.name))
            }
            Operation::Join { n, customers } => {
                fill(conn, n, customers)?;
                let join = || -> Result<Vec<(i64, String)>> {
                    let mut join = conn.prepare_cached(JOIN)?;
                    let pairs = join.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
                    Ok(pairs.collect::<rusqlite::Result<_>>()?)
                };
                times.of(join)?.answer(joined)
            }
            Operation::Group { n, customers } => {
                fill(conn, n, customers)?;
                let group = || -> Result<Vec<(i64, i64, f64)>> {
                    let mut group = conn.prepare_cached(GROUP)?;
                    let groups = group.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
                    Ok(groups.collect::<rusqlite::Result<_>>()?)
                };
                times.of(group)?.answer(grouped)
            }
        }
    }

    fn reopen(&mut self) -> Result<()> {
        self.conn = connection(&self.path, self.durability)?;
        Ok(())
    }
}

fn connection(path: &Path, durability: Durability) -> Result<Connection> {
    let conn = settings::connection(path, durability)?;
    conn.execute_batch(SCHEMA)?;
    Ok(conn)
}

fn save(conn: &mut Connection, new: &[Row]) -> Result<()> {
    let transaction = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
    transaction.prepare_cached("DELETE FROM bench")?.execute([])?;
    insert(&transaction, new)?;
    Ok(transaction.commit()?)
}

fn append(conn: &mut Connection, new: &[Row]) -> Result<()> {
    let transaction = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
    insert(&transaction, new)?;
    Ok(transaction.commit()?)
}

fn insert(conn: &Connection, new: &[Row]) -> Result<()> {
    let mut insert = conn.prepare_cached("INSERT INTO bench VALUES (?1, ?2, ?3)")?;
    for row in new {
        insert.execute(params![row.id, row.name, row.score])?;
    }
    Ok(())
}

fn load(conn: &Connection) -> Result<Vec<Row>> {
    let mut load = conn.prepare_cached("SELECT id, name, score FROM bench")?;
    let rows = load.query_map([], read)?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

fn point(conn: &Connection, id: i64) -> Result<Row> {
    let mut point = conn.prepare_cached("SELECT id, name, score FROM bench WHERE id = ?1")?;
    Ok(point.query_row([id], read)?)
}

fn read(row: &rusqlite::Row<'_>) -> rusqlite::Result<Row> {
    Ok(Row { id: row.get(0)?, name: row.get(1)?, score: row.get(2)? })
}

fn answer(rows: Vec<Row>) -> serde_json::Value {
    loaded(rows.iter().map(|row| (row.id, row.score)))
}

fn fill(conn: &mut Connection, n: i64, of: i64) -> Result<()> {
    let transaction = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
    transaction.execute_batch("DELETE FROM orders; DELETE FROM customers;")?;
    for order in orders(n, of) {
        let mut insert = transaction.prepare_cached("INSERT INTO orders VALUES (?1, ?2, ?3)")?;
        insert.execute(params![order.id, order.customer, order.amount])?;
    }
    for customer in customers(of) {
        let mut insert = transaction.prepare_cached("INSERT INTO customers VALUES (?1, ?2)")?;
        insert.execute(params![customer.id, customer.name])?;
    }
    Ok(transaction.commit()?)
}
