use vellum::Document;

#[derive(Document)]
struct Event {
    #[serde(with = "hex")]
    id: i64,
}

fn main() {}
