//! Workload JS on Vellum: what is stored and read back. Trees are serde_json's own.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use vellum::Durability;
use vellum::prelude::*;
use vellum_compare_protocol::js::{Operation, Size, documents};
use vellum_compare_protocol::{Failure, Open, Opened, Ran, Result, Run, Times, Workload};

use crate::settings;

#[derive(Clone, Debug, Document, Serialize, Deserialize)]
#[document(collection = "orders")]
struct Order {
    #[document(id)]
    id: i64,
    number: String,
    customer: String,
    placed_at: String,
    status: String,
    currency: String,
    total: f64,
    note: Option<String>,
    shipping: Option<Address>,
    lines: Vec<Line>,
}

#[derive(Clone, Debug, Embed, Serialize, Deserialize)]
struct Line {
    sku: String,
    title: String,
    quantity: i64,
    price: f64,
    options: BTreeMap<String, String>,
}

#[derive(Clone, Debug, Embed, Serialize, Deserialize)]
struct Address {
    name: String,
    street: String,
    city: String,
    postcode: String,
    country: String,
}

#[derive(Clone, Debug, Document, Serialize, Deserialize)]
#[document(collection = "customers")]
struct Customer {
    #[document(id)]
    id: i64,
    name: String,
    email: String,
    language: String,
    active: bool,
    credit: f64,
    tags: Vec<String>,
    addresses: Vec<Address>,
    remark: Option<String>,
}

#[derive(Clone, Debug, Document, Serialize, Deserialize)]
#[document(collection = "products")]
struct Product {
    #[document(id)]
    id: i64,
    sku: String,
    title: BTreeMap<String, String>,
    price: f64,
    stock: i64,
    weight: i64,
    categories: Vec<String>,
    attributes: BTreeMap<String, String>,
    description: BTreeMap<String, String>,
}

#[derive(Clone, Debug, Document, Serialize, Deserialize)]
#[document(collection = "invoices")]
struct Invoice {
    #[document(id)]
    id: i64,
    number: String,
    issued: String,
    due: String,
    buyer: Address,
    lines: Vec<Line>,
    net: f64,
    tax: f64,
    paid: bool,
    terms: Option<String>,
}

#[derive(Clone, Debug, Document, Serialize, Deserialize)]
#[document(collection = "activities")]
struct Activity {
    #[document(id)]
    id: i64,
    actor: String,
    verb: String,
    object: String,
    at: String,
    address: Option<String>,
    changes: Vec<Change>,
}

#[derive(Clone, Debug, Embed, Serialize, Deserialize)]
struct Change {
    field: String,
    before: Option<String>,
    after: Option<String>,
}

/// Opens the collections and stores the documents.
pub(crate) fn open(open: &Open) -> Result<(Opened, Box<dyn Workload>)> {
    let durability = settings::durability(&open.durability);
    let path = open.dir.join("samples.db");
    let shop = Shop::of(settings::database(&path, durability)?)?;
    for size in Size::ALL {
        shop.store(size)?;
    }
    Ok((settings::opened(durability), Box::new(Samples { shop, path, durability })))
}

struct Samples {
    shop: Shop,
    path: PathBuf,
    durability: Durability,
}

impl Workload for Samples {
    fn run(&mut self, run: &Run) -> Result<Ran> {
        let operation = run.operation()?;
        if !run.is_ordinary() {
            return Err(Failure::unsupported(
                "nothing is compiled to store or to get by key: as in `ordinary`",
            ));
        }
        let (times, shop) = (Times::new(run.repeat), &self.shop);
        match operation {
            Operation::JS1 { .. } => Err(Failure::unsupported(
                "Vellum has no trees of its own: those in its documents are serde_json's",
            )),
            Operation::JS2 { size } => {
                times.of(|| shop.store(size))?.try_answer(|()| documents(shop.load(size)?))
            }
            Operation::JS3 { size } => times.of(|| shop.load(size))?.try_answer(documents),
        }
    }

    fn digest(&mut self) -> Result<Value> {
        let mut texts = Vec::new();
        for size in Size::ALL {
            texts.extend(self.shop.load(size)?);
        }
        documents(texts)
    }

    fn reopen(&mut self) -> Result<()> {
        self.shop = Shop::of(settings::database(&self.path, self.durability)?)?;
        Ok(())
    }
}

/// The collections of a database.
struct Shop {
    orders: Collection<'static, Order>,
    customers: Collection<'static, Customer>,
    products: Collection<'static, Product>,
    invoices: Collection<'static, Invoice>,
    activities: Collection<'static, Activity>,
    db: Database,
}

impl Shop {
    fn of(db: Database) -> Result<Self> {
        Ok(Self {
            orders: db.collection()?,
            customers: db.collection()?,
            products: db.collection()?,
            invoices: db.collection()?,
            activities: db.collection()?,
            db,
        })
    }

    fn store(&self, size: Size) -> Result<()> {
        let [order, customer, product, invoice, activity] = size.texts();
        let order: Order = serde_json::from_str(order)?;
        let customer: Customer = serde_json::from_str(customer)?;
        let product: Product = serde_json::from_str(product)?;
        let invoice: Invoice = serde_json::from_str(invoice)?;
        let activity: Activity = serde_json::from_str(activity)?;
        Ok(self.db.transaction(|tx| {
            tx.collection::<Order>()?.upsert(order)?;
            tx.collection::<Customer>()?.upsert(customer)?;
            tx.collection::<Product>()?.upsert(product)?;
            tx.collection::<Invoice>()?.upsert(invoice)?;
            tx.collection::<Activity>()?.upsert(activity)?;
            Ok(())
        })?)
    }

    fn load(&self, size: Size) -> Result<Vec<String>> {
        let [order, customer, product, invoice, activity] = size.ids();
        Ok(vec![
            text(self.orders.get(order)?)?,
            text(self.customers.get(customer)?)?,
            text(self.products.get(product)?)?,
            text(self.invoices.get(invoice)?)?,
            text(self.activities.get(activity)?)?,
        ])
    }
}

fn text(document: Option<impl Serialize>) -> Result<String> {
    let document = document.ok_or_else(|| Failure::Error("a document is not there".to_owned()))?;
    Ok(serde_json::to_string(&document)?)
}
