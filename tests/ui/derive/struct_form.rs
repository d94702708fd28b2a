use vellum::Document;

#[derive(Document)]
#[serde(into = "Raw", tag = "kind", transparent, untagged, default)]
struct Event {
    id: i64,
}

fn main() {}
