use vellum::Document;

#[derive(Document)]
struct Skipped {
    #[serde(skip)]
    id: i64,
}

#[derive(Document)]
struct LeftOut {
    #[serde(skip_serializing_if = "is_zero")]
    id: i64,
}

#[derive(Document)]
struct Opaque {
    #[document(opaque)]
    id: i64,
}

fn main() {}
