//! What the derives write, as formatted source.

use crate::{derive_document, derive_embed, derive_params};
use proc_macro2::TokenStream;
use syn::DeriveInput;

fn expansion(derive: fn(&DeriveInput) -> syn::Result<TokenStream>, item: &str) -> syn::Result<String> {
    // The list of lints is long, the same everywhere, and nothing that a change of the expansion would touch.
    let allow = super::allow().to_string();
    let tokens = derive(&syn::parse_str(item)?)?.to_string().replace(&allow, "#[allow(..)]");
    Ok(prettyplease::unparse(&syn::parse_str(&tokens.replace("#[allow(..)]", "#[allow(lints)]"))?))
}

#[test]
fn a_plain_document() -> syn::Result<()> {
    insta::assert_snapshot!(expansion(
        derive_document,
        r#"
        #[document(collection = "events", compound("kind", "at desc"), compound(unique, "source", "at"))]
        pub struct Event {
            id: i64,
            /// Where it came from.
            #[document(index)]
            pub source: String,
            #[document(unique)]
            r#type: Option<String>,
            kind: String,
            at: i64,
            #[document(opaque)]
            body: Body,
            #[serde(skip)]
            cached: Cell<u64>,
        }
        "#,
    )?);
    Ok(())
}

#[test]
fn a_nested_struct_and_an_index_into_it() -> syn::Result<()> {
    let embed = expansion(derive_embed, "pub(crate) struct Address { city: String, zip: Option<String> }")?;
    let document = expansion(
        derive_document,
        r#"
        #[document(compound("address.city", "home.zip desc"))]
        struct UserAccount { #[document(id)] email: String, address: Address, home: Option<Address> }
        "#,
    )?;
    insta::assert_snapshot!(format!("{embed}\n{document}"));
    Ok(())
}

#[test]
fn renamed_fields_crate_and_companion() -> syn::Result<()> {
    insta::assert_snapshot!(expansion(
        derive_document,
        r#"
        #[serde(rename_all = "camelCase")]
        #[document(crate = "renamed::inner", fields = "EventSymbols")]
        struct Event {
            #[serde(rename = "_id")]
            id: i64,
            machine_name: String,
            #[serde(rename(serialize = "$ a\"b", deserialize = "$ a\"b"))]
            odd: String,
            #[serde(default)]
            note: Option<String>,
        }
        "#,
    )?);
    Ok(())
}

#[test]
fn an_enum_of_names() -> syn::Result<()> {
    insta::assert_snapshot!(expansion(
        derive_embed,
        "#[serde(rename_all = \"lowercase\")] pub enum Level { Debug, #[serde(skip)] Internal }",
    )?);
    Ok(())
}

#[test]
fn a_generic_newtype() -> syn::Result<()> {
    insta::assert_snapshot!(expansion(derive_embed, "struct Sorted<T: Ord>(Vec<T>);")?);
    Ok(())
}

#[test]
fn an_enum_whose_variants_hold_data() -> syn::Result<()> {
    insta::assert_snapshot!(expansion(
        derive_embed,
        r#"
        #[serde(tag = "t", content = "c")]
        pub enum Shape<T> {
            /// No shape.
            Nothing,
            Circle { radius: f64, center: Option<T> },
            Path(Vec<T>),
            Type(i64, i64),
        }
        "#,
    )?);
    Ok(())
}

#[test]
fn a_flattened_struct_and_a_type_that_no_member_names() -> syn::Result<()> {
    insta::assert_snapshot!(expansion(
        derive_embed,
        r#"
        struct Outer<T> {
            #[serde(flatten)]
            inner: Inner,
            own: i64,
            #[document(opaque)]
            rest: T,
        }
        "#,
    )?);
    Ok(())
}

#[test]
fn a_partial_index() -> syn::Result<()> {
    insta::assert_snapshot!(expansion(
        derive_document,
        r#"#[document(partial(unique, "a", "b desc", |t| !t.done))] struct E { id: i64, a: i64, b: i64, done: bool }"#,
    )?);
    Ok(())
}

#[test]
fn fields_that_are_read_as_defaults() -> syn::Result<()> {
    insta::assert_snapshot!(expansion(
        derive_embed,
        r#"
        #[serde(default = "Settings::usual")]
        struct Settings { size: u32, #[serde(default)] on: bool, #[serde(default = "name")] name: String }
        "#,
    )?);
    Ok(())
}

#[test]
fn parameters_that_borrow() -> syn::Result<()> {
    insta::assert_snapshot!(expansion(
        derive_params,
        "pub struct Page<'q> { prefix: &'q str, offset: u64, note: Option<&'q str>, ids: &'q [i64], owned: String }",
    )?);
    Ok(())
}
