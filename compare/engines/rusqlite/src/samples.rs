//! Workload JS by hand: serde_json, and SQLite's JSONB for what is stored.

use std::path::{Path, PathBuf};

use rusqlite::{Connection, TransactionBehavior, params};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use vellum_compare_protocol::js::{Operation, Size, documents};
use vellum_compare_protocol::{Open, Opened, Ran, Result, Run, Times, Workload};
use vellum_fixtures::control::Durability;
use vellum_fixtures::samples::{Activity, Customer, Invoice, Order, Product};

use crate::settings;

const TABLES: [&str; 5] = ["orders", "customers", "products", "invoices", "activities"];

/// Opens the tables and stores the documents.
pub(crate) fn open(open: &Open) -> Result<(Opened, Box<dyn Workload>)> {
    let durability = settings::durability(&open.durability);
    let path = open.dir.join("samples.db");
    let mut conn = connection(&path, durability)?;
    for size in Size::ALL {
        store(&mut conn, size)?;
    }
    Ok((settings::opened(durability), Box::new(Samples { conn, path, durability })))
}

struct Samples {
    conn: Connection,
    path: PathBuf,
    durability: Durability,
}

impl Workload for Samples {
    fn run(&mut self, run: &Run) -> Result<Ran> {
        let times = Times::new(run.repeat);
        let conn = &mut self.conn;
        match run.operation()? {
            Operation::JS1 { size } => {
                let again = |text: &str| Ok(serde_json::from_str::<Value>(text)?.to_string());
                let all = || size.texts().into_iter().map(again).collect::<Result<Vec<String>>>();
                times.of(all)?.try_answer(documents)
            }
            Operation::JS2 { size } => {
                times.of(|| store(conn, size))?.try_answer(|()| documents(load(conn, size)?))
            }
            Operation::JS3 { size } => times.of(|| load(conn, size))?.try_answer(documents),
        }
    }

    fn digest(&mut self) -> Result<Value> {
        let mut texts = Vec::new();
        for size in Size::ALL {
            texts.extend(load(&self.conn, size)?);
        }
        documents(texts)
    }

    fn reopen(&mut self) -> Result<()> {
        self.conn = connection(&self.path, self.durability)?;
        Ok(())
    }
}

fn connection(path: &Path, durability: Durability) -> Result<Connection> {
    let conn = settings::connection(path, durability)?;
    for table in TABLES {
        conn.execute_batch(&format!(
            "CREATE TABLE IF NOT EXISTS {table}(id INTEGER PRIMARY KEY, doc BLOB NOT NULL)"
        ))?;
    }
    Ok(conn)
}

fn store(conn: &mut Connection, size: Size) -> Result<()> {
    let transaction = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let [order, customer, product, invoice, activity] = size.texts();
    put(&transaction, "orders", serde_json::from_str(order)?, |order: &Order| order.id)?;
    put(&transaction, "customers", serde_json::from_str(customer)?, |customer: &Customer| customer.id)?;
    put(&transaction, "products", serde_json::from_str(product)?, |product: &Product| product.id)?;
    put(&transaction, "invoices", serde_json::from_str(invoice)?, |invoice: &Invoice| invoice.id)?;
    put(&transaction, "activities", serde_json::from_str(activity)?, |activity: &Activity| activity.id)?;
    Ok(transaction.commit()?)
}

fn put<T: Serialize>(conn: &Connection, table: &str, document: T, id: impl Fn(&T) -> i64) -> Result<()> {
    let sql = format!("INSERT OR REPLACE INTO {table} VALUES (?1, jsonb(?2))");
    conn.prepare_cached(&sql)?.execute(params![id(&document), serde_json::to_string(&document)?])?;
    Ok(())
}

fn load(conn: &Connection, size: Size) -> Result<Vec<String>> {
    let [order, customer, product, invoice, activity] = size.ids();
    Ok(vec![
        text(&get::<Order>(conn, "orders", order)?)?,
        text(&get::<Customer>(conn, "customers", customer)?)?,
        text(&get::<Product>(conn, "products", product)?)?,
        text(&get::<Invoice>(conn, "invoices", invoice)?)?,
        text(&get::<Activity>(conn, "activities", activity)?)?,
    ])
}

fn get<T: DeserializeOwned>(conn: &Connection, table: &str, id: i64) -> Result<T> {
    let mut get = conn.prepare_cached(&format!("SELECT json(doc) FROM {table} WHERE id = ?1"))?;
    let json: String = get.query_row([id], |row| row.get(0))?;
    Ok(serde_json::from_str(&json)?)
}

fn text(document: &impl Serialize) -> Result<String> {
    Ok(serde_json::to_string(document)?)
}
