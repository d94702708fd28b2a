use vellum::Document;

#[derive(Document)]
#[document(table = "events")]
struct Event {
    #[document(key)]
    id: i64,
}

fn main() {}
