use vellum::Document;

#[derive(Document)]
struct Event {
    id: i64,
    #[serde(rename(serialize = "sys"))]
    system: String,
}

fn main() {}
