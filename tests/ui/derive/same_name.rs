use vellum::Document;

#[derive(Document)]
struct Event {
    id: i64,
    system: String,
    #[serde(rename = "system")]
    name: String,
}

fn main() {}
