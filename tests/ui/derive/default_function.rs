use vellum::Document;

#[derive(Document)]
struct Event {
    id: i64,
    #[serde(default = "one")]
    count: i64,
}

fn main() {}
