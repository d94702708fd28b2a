use vellum::{Embed, Params};

#[derive(Embed)]
#[document(collection = "addresses")]
struct Address {
    #[document(index)]
    city: String,
}

#[derive(Params)]
struct Page {
    #[params(opaque)]
    size: u64,
}

fn main() {}
