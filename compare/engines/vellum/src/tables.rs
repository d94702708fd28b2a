//! Workload TQ on Vellum: a small document for each row.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use vellum::Durability;
use vellum::prelude::*;
use vellum_compare_protocol::tq::{self, APPENDED, Operation, PRESENT, grouped, loaded};
use vellum_compare_protocol::{Clock, Failure, Open, Opened, Ran, Result, Run, Times, Workload};

use crate::settings;

type Found<T> = vellum::Result<T>;

#[derive(Clone, Debug, Document, Serialize, Deserialize)]
#[document(collection = "bench")]
struct Row {
    #[document(id)]
    id: i64,
    name: String,
    score: f64,
}

#[derive(Clone, Debug, Document, Serialize, Deserialize)]
#[document(collection = "orders")]
struct Order {
    #[document(id)]
    id: i64,
    customer: i64,
    amount: f64,
}

/// Opens the collections.
pub(crate) fn open(open: &Open) -> Result<(Opened, Box<dyn Workload>)> {
    let durability = settings::durability(&open.durability);
    let path = open.dir.join("tables.db");
    let db = settings::database(&path, durability)?;
    let tables = Tables { bench: db.collection()?, orders: db.collection()?, db, path, durability };
    Ok((settings::opened(durability), Box::new(tables)))
}

struct Tables {
    bench: Collection<'static, Row>,
    orders: Collection<'static, Order>,
    db: Database,
    path: PathBuf,
    durability: Durability,
}

impl Workload for Tables {
    fn run(&mut self, run: &Run) -> Result<Ran> {
        match (run.operation()?, run.is_ordinary()) {
            (Operation::Join { .. }, _) => Err(Failure::unsupported("not in Vellum yet: joins")),
            (operation, true) => self.ordinary(operation, run.repeat),
            (operation, false) => self.compiled(operation, Times::new(run.repeat)),
        }
    }

    fn reopen(&mut self) -> Result<()> {
        self.db = settings::database(&self.path, self.durability)?;
        (self.bench, self.orders) = (self.db.collection()?, self.db.collection()?);
        Ok(())
    }
}

impl Tables {
    fn ordinary(&self, operation: Operation, repeat: usize) -> Result<Ran> {
        let (bench, times) = (&self.bench, Times::new(repeat));
        let all = || bench.query().to_vec();
        match operation {
            Operation::Save { n } => {
                let new = rows(1, n);
                self.save(&new)?;
                times.of(|| self.save(&new))?.try_answer(|()| Ok(json!(all()?.len())))
            }
            Operation::Load { n } => {
                self.save(&rows(1, n))?;
                times.of(all)?.answer(answer)
            }
            Operation::SaveLoad { n } => {
                let new = rows(1, n);
                self.save(&new)?;
                times.of(|| self.save(&new).and_then(|()| all()))?.answer(answer)
            }
            Operation::Append => {
                let (present, new) = (rows(1, PRESENT), rows(PRESENT + 1, PRESENT + APPENDED));
                let mut clock = Clock::new();
                for _ in 0..repeat.max(1) {
                    self.save(&present)?;
                    clock.time(|| bench.insert_batch(new.iter().cloned()))?;
                }
                Ok(clock.ran(all()?.len()))
            }
            Operation::Point { n, id } => {
                self.save(&rows(1, n))?;
                times.of(|| bench.get(id))?.answer(named)
            }
            Operation::Group { n, customers } => {
                self.fill(n, customers)?;
                let groups = || {
                    let groups = self.orders.query().group_by(|o| o.customer);
                    groups.select(|g| (g.key, g.count(), g.sum(|o| o.amount))).to_vec()
                };
                times.of(groups)?.answer(sums)
            }
            Operation::Join { .. } => Err(Failure::Error("a join is refused before".to_owned())),
        }
    }

    fn compiled(&self, operation: Operation, times: Times) -> Result<Ran> {
        let db = &self.db;
        match operation {
            Operation::Load { n } => {
                self.save(&rows(1, n))?;
                let all = db.compile(|q, ()| q.from::<Row>())?;
                times.of(|| all.call(()))?.answer(answer)
            }
            Operation::Point { n, id } => {
                self.save(&rows(1, n))?;
                let point =
                    db.compile(|q, (id,)| q.from::<Row>().filter(|r| r.id.eq(id)).single_or_none())?;
                times.of(|| point.call(id))?.answer(named)
            }
            Operation::Group { n, customers } => {
                self.fill(n, customers)?;
                let groups = db.compile(|q, ()| {
                    let groups = q.from::<Order>().group_by(|o| o.customer);
                    groups.select(|g| (g.key, g.count(), g.sum(|o| o.amount)))
                })?;
                times.of(|| groups.call(()))?.answer(sums)
            }
            _ => Err(Failure::unsupported("nothing is compiled to insert: as in `ordinary`")),
        }
    }

    fn save(&self, new: &[Row]) -> Found<()> {
        self.db.transaction(|tx| {
            let bench = tx.collection::<Row>()?;
            bench.query().delete()?;
            bench.insert_batch(new.iter().cloned()).map(drop)
        })
    }

    fn fill(&self, n: i64, customers: i64) -> Found<()> {
        let order = |tq::Order { id, customer, amount }| Order { id, customer, amount };
        self.orders.query().delete()?;
        self.orders.insert_batch(tq::orders(n, customers).into_iter().map(order)).map(drop)
    }
}

fn rows(first: i64, last: i64) -> Vec<Row> {
    tq::rows(first, last).into_iter().map(|tq::Row { id, name, score }| Row { id, name, score }).collect()
}

fn answer(rows: Vec<Row>) -> Value {
    loaded(rows.iter().map(|row| (row.id, row.score)))
}

fn named(row: Option<Row>) -> Value {
    json!(row.map(|row| row.name))
}

fn sums(groups: Vec<(i64, u64, f64)>) -> Value {
    grouped(groups.into_iter().map(|(customer, count, sum)| (customer, count as i64, sum)))
}
