use vellum::{Document, Embed, Params};

#[derive(Document)]
enum Shape {
    Circle,
}

#[derive(Embed)]
struct Pair(String, String);

#[derive(Embed)]
struct Unit;

#[derive(Params)]
struct Nothing;

fn main() {}
