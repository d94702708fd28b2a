use vellum::Document;

#[derive(Document)]
struct Event {
    system: String,
}

fn main() {}
