use vellum::Document;

#[derive(Document)]
struct Event {
    id: i64,
    #[document(index, unique)]
    system: String,
}

fn main() {}
