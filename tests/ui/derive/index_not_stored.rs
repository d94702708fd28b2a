use vellum::Document;

#[derive(Document)]
struct Event {
    id: i64,
    #[document(index, opaque)]
    body: Body,
    #[serde(skip)]
    #[document(unique)]
    cache: Cache,
}

fn main() {}
