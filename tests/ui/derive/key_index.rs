use vellum::Document;

#[derive(Document)]
struct Event {
    #[document(index)]
    id: i64,
}

fn main() {}
