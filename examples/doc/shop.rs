// The document of the examples on structs that may be absent, and a collection that holds two of them.

use serde::{Deserialize, Serialize};
use vellum::prelude::*;

#[derive(Document, Serialize, Deserialize, Debug, Clone, PartialEq)]
#[document(collection = "orders")]
struct Order {
    id: i64,
    bill_to: Option<Address>,
}

#[derive(Embed, Serialize, Deserialize, Debug, Clone, PartialEq)]
struct Address {
    city: String,
    zip: Option<String>,
}

fn orders() -> vellum::Result<Collection<'static, Order>> {
    let orders = Database::open_in_memory()?.collection::<Order>()?;
    let oslo = Address { city: "Oslo".into(), zip: Some("0150".into()) };
    orders.insert_batch([Some(oslo), None].map(|bill_to| Order { id: 0, bill_to }))?;
    Ok(orders)
}
