use vellum::Document;

#[derive(Document)]
struct Event {
    #[document(id)]
    number: i64,
    #[document(id)]
    name: String,
}

fn main() {}
