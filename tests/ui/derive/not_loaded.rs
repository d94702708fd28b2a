use vellum::Document;

#[derive(Document)]
struct Event {
    id: i64,
    #[serde(skip_deserializing)]
    system: String,
}

fn main() {}
