use vellum::Embed;

#[derive(Embed)]
#[serde(untagged)]
enum Shape {
    Circle(f64),
    Square(f64),
}

#[derive(Embed)]
#[serde(content = "c")]
enum Level {
    #[serde(rename(serialize = "low"))]
    Low,
    #[serde(alias = "top")]
    High,
    #[serde(other)]
    Rest,
    #[serde(with = "custom")]
    Custom(f64),
}

#[derive(Embed)]
#[serde(tag = "kind")]
enum Request {
    HttpGet { kind: String },
    HTTPGet,
}

fn main() {}
