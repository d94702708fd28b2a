use vellum::Embed;

#[derive(Embed)]
#[serde(rename_all = "Train-Case")]
struct Address {
    city: String,
}

fn main() {}
