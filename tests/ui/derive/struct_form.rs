use vellum::Document;

#[derive(Document)]
#[serde(into = "Raw", transparent, untagged, default)]
struct Event {
    id: i64,
}

fn main() {}
