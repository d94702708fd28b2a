// The document of the examples on enums whose variants hold something, and a collection that holds two of them.

use serde::{Deserialize, Serialize};
use vellum::prelude::*;

#[derive(Embed, Serialize, Deserialize, Debug, Clone, PartialEq)]
enum Shape {
    Circle { radius: f64 },
    Square { side: f64, name: Option<String> },
}

#[derive(Document, Serialize, Deserialize, Debug, Clone, PartialEq)]
#[document(collection = "parts")]
struct Part {
    id: i64,
    shape: Shape,
}

fn parts() -> vellum::Result<Collection<'static, Part>> {
    let parts = Database::open_in_memory()?.collection::<Part>()?;
    let lid = Shape::Square { side: 3.0, name: Some("lid".into()) };
    parts.insert_batch([Shape::Circle { radius: 2.0 }, lid].map(|shape| Part { id: 0, shape }))?;
    Ok(parts)
}
