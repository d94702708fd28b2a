use vellum::Document;

#[derive(Document)]
struct Event {
    id: i64,
    #[serde(flatten)]
    rest: Rest,
}

fn main() {}
