use vellum::Document;

#[derive(Document)]
struct Event {
    id: i64,
    #[serde(alias = "sys")]
    system: String,
}

fn main() {}
