use vellum::Document;

#[derive(Document)]
struct Event {
    id: i64,
    #[serde(with = "seconds")]
    at: Time,
}

fn main() {}
