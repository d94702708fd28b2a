use serde::{Deserialize, Serialize};
use vellum::prelude::*;

#[derive(Embed, Serialize, Deserialize)]
enum Level {
    Low,
    High,
}

#[derive(Embed, Serialize, Deserialize)]
enum Shape {
    Circle { radius: f64 },
    Nothing,
}

#[derive(Document, Serialize, Deserialize)]
struct Part {
    id: i64,
    level: Level,
    shape: Shape,
}

fn main() -> vellum::Result<()> {
    let parts = Database::open_in_memory()?.collection::<Part>()?;
    parts.filter(|p| p.level.eq("Low")).count()?;
    parts.filter(|p| p.shape.circle.radius.gt(1.0)).count()?;
    parts.filter(|p| p.shape.circle).count()?;
    Ok(())
}
