use vellum::Document;

#[derive(Document)]
#[document(collection = "")]
struct Event {
    id: i64,
}

fn main() {}
