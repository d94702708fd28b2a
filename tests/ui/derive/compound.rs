use vellum::Document;

#[derive(Document)]
#[document(compound("sytem"), compound("system down"), compound("system", "system desc"), compound("body"))]
#[document(compound("system..at"), compound(), compound(system))]
struct Event {
    id: i64,
    system: String,
    #[document(opaque)]
    body: Body,
}

fn main() {}
