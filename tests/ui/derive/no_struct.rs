use vellum::{Document, Embed, Params};

#[derive(Document)]
enum Shape {
    Circle,
}

#[derive(Embed)]
struct Name(String);

#[derive(Params)]
struct Nothing;

fn main() {}
