use vellum::Document;

#[derive(Document)]
#[document(colection = "events", compound("sytem"))]
#[serde(transparent)]
struct Event {
    #[document(key)]
    id: i64,
    #[serde(flatten)]
    rest: Rest,
    #[serde(with = "seconds")]
    at: Time,
    #[document(index = true)]
    system: String,
}

fn main() {}
