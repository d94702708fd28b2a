//! Every rule that refuses something: the text that the error points at, and what it says.

use proc_macro2::TokenStream;
use syn::DeriveInput;

use crate::{derive_document, derive_embed, derive_params};

/// Derives on the item and asserts the errors, each as the source text under it and a part of its message.
fn assert_refuses(
    derive: fn(&DeriveInput) -> syn::Result<TokenStream>,
    item: &str,
    expected: &[(&str, &str)],
) {
    let input = syn::parse_str(item).unwrap();
    let errors = derive(&input).map(drop).expect_err(item);
    let found: Vec<_> =
        errors.into_iter().map(|error| (error.span().source_text().unwrap(), error.to_string())).collect();
    assert_eq!(found.len(), expected.len(), "{found:#?}");
    for ((at, message), (expected_at, part)) in found.iter().zip(expected) {
        assert_eq!(at, expected_at, "{message}");
        assert!(message.contains(part), "`{message}` does not say `{part}`");
    }
}

fn accepts(derive: fn(&DeriveInput) -> syn::Result<TokenStream>, item: &str) -> syn::Result<()> {
    derive(&syn::parse_str(item)?).map(drop)
}

#[test]
fn an_item_of_another_form_is_refused() {
    assert_refuses(
        derive_document,
        "enum E { A }",
        &[("enum", "hold it in a field, with `#[serde(flatten)]` if it has a tag: `struct Name")],
    );
    assert_refuses(derive_embed, "struct N(i64, i64);", &[("(i64, i64)", "add `#[document(opaque)]`")]);
    assert_refuses(derive_embed, "struct U;", &[("U", "not a unit struct")]);
    assert_refuses(derive_embed, "union U { a: i64 }", &[("union", "not a union")]);
    assert_refuses(derive_params, "struct N(i64);", &[("(i64)", "name its parts")]);
}

#[test]
fn lifetimes_of_stored_types_are_refused() {
    assert_refuses(derive_document, "struct E<'a, T> { id: i64, s: &'a T }", &[("'a", "hold `String`")]);
    assert_refuses(derive_embed, "struct N<'a>(&'a str);", &[("'a", "hold `String`")]);
    assert_refuses(derive_embed, "enum E<'a> { A(&'a str) }", &[("'a", "hold `String`")]);
}

#[test]
fn generics_of_stored_types_are_accepted() -> syn::Result<()> {
    accepts(derive_document, "struct E<T: Clone, const N: usize = 3> where T: Copy { id: i64, t: Pair<T> }")?;
    accepts(derive_embed, "struct E<T = i64>(T);")?;
    accepts(derive_embed, "enum E<T> { A { t: T }, B }")
}

#[test]
fn a_transparent_struct_has_one_stored_field() -> syn::Result<()> {
    accepts(derive_embed, "#[serde(transparent)] struct N { a: i64, #[serde(skip)] b: B }")?;
    accepts(derive_embed, "#[serde(transparent)] struct N(#[serde(skip)] B, i64);")?;
    for fields in ["{ a: i64, b: i64 }", "{ #[serde(skip)] a: i64 }", ";"] {
        let item = format!("#[serde(transparent)] struct N {fields}");
        assert!(derive_embed(&syn::parse_str(&item)?).is_err(), "{item}");
    }
    assert_refuses(
        derive_embed,
        "#[serde(transparent)] struct N { a: i64, b: i64 }",
        &[("N", "one that serde does not skip")],
    );
    Ok(())
}

#[test]
fn variants_are_written_and_read_under_one_name() {
    assert_refuses(
        derive_embed,
        r#"
        #[serde(rename_all(serialize = "lowercase"))]
        enum E {
            A,
            #[serde(alias = "old")] B,
            #[serde(rename = "b")] C,
            #[serde(other)] D,
            #[serde(with = "m")] F(i64),
        }
        "#,
        &[
            ("A", "writes this variant as `a` and reads it as `A`"),
            ("B", "writes this variant as `b` and reads it as `B`"),
            ("\"old\"", "no query would find the variant"),
            ("other", "which no query would find"),
            ("D", "writes this variant as `d`"),
            ("with", "keep the enum in a field"),
            ("F", "writes this variant as `f`"),
            ("rename", "`B` is stored as `b` too"),
        ],
    );
}

#[test]
fn variants_have_members_of_their_own() {
    assert_refuses(
        derive_embed,
        "enum E { HttpGet(i64), HTTPGet(i64) }",
        &[("HTTPGet", "a query calls `HttpGet` `http_get` too")],
    );
    assert_refuses(derive_embed, "#[serde(content = \"c\")] enum E { A }", &[("\"c\"", "add one")]);
    assert_refuses(
        derive_embed,
        "#[serde(tag = \"t\")] enum E { A { #[serde(rename = \"t\")] kind: i64 } }",
        &[("\"t\"", "the field `kind` is stored as `t` too")],
    );
}

#[test]
fn parameters_take_one_lifetime_and_no_types() {
    assert_refuses(
        derive_params,
        "struct P<'a, 'b, T> { a: &'a str, b: &'b str, t: T }",
        &[("T", "concrete types"), ("'b", "use the first one")],
    );
}

#[test]
fn a_document_needs_exactly_one_key() {
    assert_refuses(derive_document, "struct E { name: String }", &[("E", "add `id: i64`")]);
    assert_refuses(
        derive_document,
        "struct E { #[document(id)] a: i64, #[document(id)] b: i64 }",
        &[("id", "`a` is it")],
    );
}

#[test]
fn the_key_must_be_stored_as_it_is() {
    for (field, at, part) in [
        ("#[serde(skip)] id: i64", "id", "remove serde's `skip`"),
        ("#[serde(skip_deserializing)] id: i64", "id", "remove serde's `skip`"),
        ("#[serde(skip_serializing_if = \"f\")] id: i64", "skip_serializing_if", "never left out"),
        ("#[serde(with = \"m\")] id: i64", "with", "stored as its type shows"),
        ("#[document(opaque)] id: i64", "opaque", "cannot be opaque"),
        ("#[document(index)] id: i64", "index", "indexed already"),
        ("#[document(unique)] id: i64", "unique", "indexed already"),
    ] {
        assert_refuses(derive_document, &format!("struct E {{ {field} }}"), &[(at, part)]);
    }
}

#[test]
fn every_error_is_reported_at_once() {
    assert_refuses(
        derive_document,
        r#"
        #[serde(transparent)]
        #[document(colection = "e", compound("nme"))]
        struct E { #[document(key)] id: i64, #[serde(flatten)] #[document(index)] rest: Rest, #[serde(with = "m")] at: Time }
        "#,
        &[
            ("colection", "valid here: `collection`, `compound`, `partial`, `fields`, `crate`"),
            ("transparent", "which is no document"),
            ("key", "valid here: `id`, `index`, `unique`, `nulls_collide`, `opaque`, `repr`"),
            ("index", "a flattened struct has no place of its own"),
            ("with", "add `#[document(opaque)]`"),
            ("\"nme\"", "its fields are `id`, `rest`, `at`"),
        ],
    );
}

#[test]
fn serde_attributes_that_hide_the_stored_form_are_refused() {
    for attribute in ["with = \"m\"", "serialize_with = \"m\"", "deserialize_with = \"m\"", "brand_new"] {
        let name = attribute.split(' ').next().unwrap();
        let item = format!("struct E {{ #[serde({attribute})] at: Time }}");
        assert_refuses(derive_embed, &item, &[(name, "")]);
    }
    for attribute in [
        "into = \"T\"",
        "from = \"T\"",
        "try_from = \"T\"",
        "content = \"c\"",
        "untagged",
        "remote = \"T\"",
        "brand_new",
    ] {
        let name = attribute.split(' ').next().unwrap();
        assert_refuses(derive_embed, &format!("#[serde({attribute})] struct E {{ a: i64 }}"), &[(name, "")]);
    }
}

#[test]
fn serde_attributes_that_leave_the_stored_form_are_accepted() -> syn::Result<()> {
    accepts(
        derive_embed,
        r#"
        #[serde(rename = "Other", deny_unknown_fields, bound = "", crate = "s", expecting = "an e", tag = "t")]
        struct E {
            #[serde(flatten)] rest: Rest,
            #[serde(skip_serializing_if = "Option::is_none", default)] a: Option<i64>,
            #[serde(borrow, bound(serialize = "T: A", deserialize = "T: B"))] b: i64,
        }
        "#,
    )
}

#[test]
fn a_field_that_loads_as_its_default_whatever_is_stored_is_no_field_of_queries() -> syn::Result<()> {
    let unread = [("skip_deserializing", "add `#[document(opaque)]`")];
    for item in [
        "struct E { #[serde(skip_deserializing)] a: i64 }",
        "struct E { #[serde(skip_deserializing)] #[document(repr = i64)] a: A }",
        "struct E { #[serde(flatten, skip_deserializing)] a: A }",
        "struct E(#[serde(skip_deserializing)] i64);",
        "enum E { A { #[serde(skip_deserializing)] a: i64 } }",
        "enum E { A(#[serde(skip_deserializing)] i64) }",
    ] {
        assert_refuses(derive_embed, item, &unread);
    }
    accepts(derive_embed, "struct E { #[document(opaque)] #[serde(skip_deserializing)] a: i64, b: i64 }")?;
    accepts(derive_embed, "struct E { #[serde(skip_serializing, skip_deserializing)] a: i64, b: i64 }")
}

#[test]
fn an_opaque_field_may_be_stored_in_any_form() -> syn::Result<()> {
    accepts(
        derive_document,
        r#"
        struct E {
            #[serde(default = "f", rename = "_id")] id: i64,
            #[document(opaque)] #[serde(with = "m", default = "f", alias = "old")] at: Time,
            #[document(opaque)] #[serde(flatten)] rest: Rest,
            #[serde(skip, default = "f")] cache: Cache,
        }
        "#,
    )
}

#[test]
fn a_field_of_a_hidden_form_is_named_by_the_type_that_is_stored() -> syn::Result<()> {
    accepts(
        derive_document,
        r#"
        struct E {
            id: i64,
            #[serde(with = "m")] #[document(index, repr = i64)] at: Time,
            #[serde(with = "m")] #[document(repr = "Vec<String>")] names: Names,
        }
        "#,
    )?;
    assert_refuses(
        derive_document,
        r#"struct E { #[document(repr = i64)] id: Key, #[document(opaque, repr = i64)] at: Time, #[document(repr = "(")] b: B }"#,
        &[
            ("\"(\"", "expected a type"),
            ("i64", "the key is stored as its type shows"),
            ("i64", "remove `opaque` or `repr`"),
        ],
    );
    Ok(())
}

#[test]
fn an_enum_of_numbers_says_how_it_is_stored() -> syn::Result<()> {
    assert_refuses(
        derive_embed,
        "#[repr(u8)] enum E { A = 1 }",
        &[("#[repr(u8)]", "`#[document(repr = i64)]`")],
    );
    accepts(derive_embed, "#[repr(u8)] #[document(repr = u8)] enum E { A = 1 }")?;
    accepts(derive_embed, "#[repr(C)] enum E { A = 1 }")?;
    accepts(
        derive_embed,
        "#[document(repr = String)] #[serde(into = \"String\", untagged)] struct E(i64, i64);",
    )?;
    assert_refuses(
        derive_embed,
        "#[document(repr = String, fields = \"F\")] struct E { a: i64 }",
        &[("\"F\"", "remove `fields` or `repr`")],
    );
    Ok(())
}

#[test]
fn a_default_is_followed_where_its_stored_form_is_known() -> syn::Result<()> {
    accepts(
        derive_document,
        r#"
        #[serde(default)]
        struct E {
            #[serde(default = "f")] id: i64,
            #[serde(default = "a::b::<i64>")] a: i64,
            #[serde(default)] #[serde(with = "m")] #[document(repr = i64)] at: Option<Time>,
        }
        "#,
    )?;
    assert_refuses(
        derive_embed,
        "struct E { #[serde(default = \"f\", with = \"m\")] #[document(repr = i64)] at: Time }",
        &[("i64", "whose stored form is not known")],
    );
    assert_refuses(
        derive_embed,
        "#[serde(default)] struct E { #[serde(with = \"m\")] #[document(repr = i64)] at: Time, #[serde(flatten)] a: A }",
        &[("i64", "whose stored form is not known"), ("flatten", "remove `default`")],
    );
    assert_refuses(
        derive_embed,
        "struct E { #[serde(default = \"1 +\")] a: i64 }",
        &[("\"1 +\"", "a function")],
    );
    Ok(())
}

#[test]
fn a_field_is_written_and_read_under_one_name() -> syn::Result<()> {
    assert_refuses(
        derive_embed,
        r#"struct E { #[serde(rename(serialize = "x"))] a: i64, #[serde(alias = "old")] b: i64 }"#,
        &[("rename", "writes this field as `x` and reads it as `a`"), ("\"old\"", "no query would find")],
    );
    assert_refuses(
        derive_embed,
        r#"#[serde(rename_all(serialize = "camelCase"))] struct E { a_b: i64 }"#,
        &[("a_b", "writes this field as `aB`")],
    );
    accepts(derive_embed, r#"struct E { #[serde(rename(serialize = "x"), alias = "x")] a: i64 }"#)?;
    accepts(
        derive_embed,
        r#"#[serde(rename_all(serialize = "camelCase", deserialize = "camelCase"))] struct E { a_b: i64 }"#,
    )
}

#[test]
fn two_fields_cannot_share_a_stored_name() {
    assert_refuses(
        derive_embed,
        r#"struct E { a: i64, #[serde(rename = "a")] b: i64 }"#,
        &[("rename", "`a` is stored as `a` too")],
    );
}

#[test]
fn an_unknown_rename_rule_lists_the_rules() {
    assert_refuses(
        derive_embed,
        r#"#[serde(rename_all = "Train-Case")] struct E { a: i64 }"#,
        &[("\"Train-Case\"", "`SCREAMING-KEBAB-CASE`")],
    );
}

#[test]
fn a_duplicate_option_is_pointed_at_where_it_comes_again() {
    assert_refuses(
        derive_document,
        r#"
        #[document(collection = "a")]
        #[document(collection = "b")]
        struct E { id: i64, #[document(index, index)] a: i64 }
        "#,
        &[("collection", "given twice"), ("index", "given twice")],
    );
}

#[test]
fn options_of_a_document_are_unknown_elsewhere() {
    assert_refuses(
        derive_embed,
        "#[document(collection = \"e\")] struct E { #[document(index)] a: i64, #[document(id)] b: i64 }",
        &[
            ("collection", "valid here: `fields`, `crate`, `repr`"),
            ("index", "`#[document(compound(\"outer.inner\"))]`"),
            ("id", "valid here: `opaque`, `repr`"),
        ],
    );
    assert_refuses(
        derive_params,
        "#[params(collection = \"e\")] struct P { #[params(opaque)] a: i64 }",
        &[("collection", "in `params` on a struct of `Params`"), ("opaque", "valid here: none")],
    );
}

#[test]
fn option_values_of_a_wrong_form_are_refused() {
    for (option, at, part) in [
        ("collection = 5", "5", "a text in quotes"),
        ("collection = \"\"", "\"\"", "1 to 255 bytes"),
        ("crate = 5", "5", "a name in quotes"),
        ("fields = \"a::b\"", "\"a::b\"", ""),
        ("compound(name)", "name", "in quotes: `\"name\"`"),
        ("compound(unique)", "unique", "an index needs fields"),
        ("compound(\"name\", |t| t.done)", "|t| t.done", "a partial one: `partial"),
        ("compound(nulls_collide, \"name\")", "nulls_collide", "write `unique, nulls_collide`"),
        ("compound(unique, unique, \"name\")", "unique", "in quotes"),
        ("partial(\"name\")", "\"name\"", "a partial index has a condition"),
        ("partial(|t| t.done)", "|", "an index needs fields"),
    ] {
        let item = format!("#[document({option})] struct E {{ id: i64, name: String }}");
        assert_refuses(derive_document, &item, &[(at, part)]);
    }
    assert_refuses(
        derive_document,
        "struct E { id: i64, #[document(index = true)] a: i64 }",
        &[("index = true", "write `index` alone")],
    );
}

#[test]
fn compounds_name_fields_that_queries_can_name() {
    assert_refuses(
        derive_document,
        r#"
        #[document(compound("a down"), compound("a..b"), compound(""), compound("a", "a desc"), compound("o"))]
        struct E { id: i64, a: A, #[document(opaque)] o: i64 }
        "#,
        &[
            ("\"a down\"", "write `a` or `a desc`"),
            ("\"a..b\"", "names joined by dots"),
            ("\"\"", "names joined by dots"),
            ("\"a desc\"", "in the index already"),
            ("\"o\"", "is opaque or not stored; its fields are `id`, `a`"),
        ],
    );
}

#[test]
fn an_index_needs_a_stored_field() {
    assert_refuses(
        derive_document,
        "struct E { id: i64, #[document(index, opaque)] a: A, #[serde(skip)] #[document(unique)] b: A }",
        &[("index", "is opaque"), ("unique", "is not stored")],
    );
    assert_refuses(
        derive_document,
        "struct E { id: i64, #[document(index, unique)] a: i64 }",
        &[("unique", "remove `index` or `unique`")],
    );
}
