use vellum::Embed;

#[derive(Embed)]
struct Address {
    #[serde(reshaped)]
    city: String,
}

fn main() {}
