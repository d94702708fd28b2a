use vellum::{Document, Embed, Params};

#[derive(Document)]
struct Event<'a> {
    id: i64,
    text: &'a str,
}

#[derive(Embed)]
struct Name<'a>(&'a str);

#[derive(Params)]
struct Page<'a, 'b, T> {
    from: &'a str,
    to: &'b str,
    size: T,
}

fn main() {}
