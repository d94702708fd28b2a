use vellum::Document;

#[derive(Document)]
#[document(collection = "a", collection = "b")]
struct Event {
    id: i64,
    #[document(index)]
    #[document(index)]
    system: String,
}

fn main() {}
