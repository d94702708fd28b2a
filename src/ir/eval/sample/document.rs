//! Random documents: values at the edges of their types, absent fields, wrong kinds, keys that nobody declared.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use super::list::{self, LISTS};
use super::{FIELDS, Field};
use crate::ir::eval::{Document, Json};
use crate::ir::types::Type;
use crate::ir::value::Kind;

/// Texts that differ in what a text function, an order or an escape could get wrong.
#[rustfmt::skip]
pub(crate) const TEXTS: &[&str] = &[
    "", "a", "ab", "abc", "A", "aB", " a ", "a\0", "a\0b", "\0", "%", "_", "a%", "a_b", "[a]", "a*", "\\",
    "'", "\"", "1", "1.0", "[1]", "true", "null", "\u{e9}", "\u{c9}", "e\u{301}", "\u{df}", "ss", "SS",
    "\u{3a3}", "\u{3c2}", "\u{3c3}", "\u{131}", "i", "\u{130}", "\u{a0}x", "\u{7f}", "\u{d7ff}",
    "\u{d7ff}a", "\u{e000}", "\u{ffff}", "\u{10000}", "\u{1f600}", "\u{10ffff}", "a\u{10ffff}",
    "a\u{10ffff}\u{10ffff}", "a\u{d7ff}", "a\u{e000}", "67e55044-10b1-426f-9247-bb680e5fe0c8",
    "67E55044-10B1-426F-9247-BB680E5FE0C8", "67E5504410B1426F9247bb680e5fe0c8",
    "{67e55044-10b1-426F-9247-bb680e5fe0c8}", "urn:UUID:67e55044-10b1-426f-9247-bb680e5fe0c8",
    "{67e55044-10b1-426f-9247-bb680e5fe0c8)",
];

/// Integers at the edges of `i64` and of what a float holds exactly.
#[rustfmt::skip]
pub(crate) const INTEGERS: &[i64] = &[
    0, 1, -1, 2, 3, 7, 10, 255, 256, -128, 9_007_199_254_740_991, 9_007_199_254_740_992,
    9_007_199_254_740_993, -9_007_199_254_740_993, i64::MAX - 1, i64::MAX, i64::MIN + 1, i64::MIN,
];

/// Integers of which a few can be added and multiplied.
pub(crate) const SMALL_INTEGERS: &[i64] = &[0, 1, -1, 2, 3, 5, -7, 100, -1000];

/// Floats at the edges, of both zeros, and beside the integers above.
#[rustfmt::skip]
pub(crate) const FLOATS: &[f64] = &[
    0.0, -0.0, 1.0, -1.0, 1.5, -1.5, 0.1, 0.2, 0.30000000000000004, 9_007_199_254_740_992.0,
    -9_007_199_254_740_992.0, 9_223_372_036_854_775_808.0, -9_223_372_036_854_775_808.0,
    9_223_372_036_854_774_784.0, 1e15, 1e16, 1e300, -1e300, 1e-300, 5e-324, f64::MIN_POSITIVE,
];

/// Floats of which a few can be added and multiplied.
pub(crate) const SMALL_FLOATS: &[f64] = &[0.0, -0.0, 1.0, 0.5, -0.25, 2.0, 3.5, 100.0, 0.1];

/// A text, mostly one that others begin with.
pub(crate) fn text() -> impl Strategy<Value = String> {
    let joined = vec(select(TEXTS), 2).prop_map(|parts| parts.concat());
    prop_oneof![6 => select(TEXTS).prop_map(str::to_owned), 1 => joined]
}

/// An integer.
pub(crate) fn integer() -> impl Strategy<Value = i64> {
    prop_oneof![4 => select(INTEGERS), 3 => -3_i64..=3, 1 => any::<i64>()]
}

/// A finite float that does not overflow when a collection of them is summed.
pub(crate) fn float() -> impl Strategy<Value = f64> {
    prop_oneof![4 => select(FLOATS), 3 => select(SMALL_FLOATS), 1 => -1e9_f64..1e9]
}

/// The documents of a collection, with ids that have gaps and go below zero.
pub(crate) fn documents(largest: usize) -> impl Strategy<Value = Vec<Document>> {
    vec((1_i64..4, document()), 0..=largest).prop_map(|items| {
        let mut last = -3;
        let place = |(gap, body)| {
            last += gap;
            Document { id: last, body }
        };
        items.into_iter().map(place).collect()
    })
}

/// One document.
pub(crate) fn document() -> impl Strategy<Value = Json> {
    let fields: Vec<_> = FIELDS.iter().map(|field| stored(*field)).collect();
    let parents = vec(parent(), 2);
    let lists: Vec<_> = LISTS.iter().map(|list| (Just(list.key), list::stored(list))).collect();
    (fields, parents, lists, vec(stray(), 0..3)).prop_map(|(fields, parents, lists, strays)| {
        let mut body = Json::Object(Vec::new());
        for (field, value) in FIELDS.iter().zip(fields) {
            if let Some(value) = value {
                put(&mut body, field.path, value);
            }
        }
        for (path, parent) in [&["in"][..], &["in", "a"]].into_iter().zip(parents) {
            if let Some(parent) = parent {
                replace(&mut body, path, parent);
            }
        }
        for (key, value) in lists {
            if let Some(value) = value {
                put(&mut body, &[key], value);
            }
        }
        for (key, value) in strays {
            put(&mut body, &[key], value);
        }
        body
    })
}

/// What is stored in a field: none where it is missing.
pub(crate) fn stored(field: Field) -> BoxedStrategy<Option<Json>> {
    let right = match (field.ty.kind(), field.is_small) {
        (Kind::Text, _) => text().prop_map(Json::Text).boxed(),
        (Kind::Bool, _) => any::<bool>().prop_map(Json::Bool).boxed(),
        (_, true) if field.ty.is_float() => select(SMALL_FLOATS).prop_map(Json::Real).boxed(),
        // A float field may well hold what was written as an integer.
        (_, false) if field.ty.is_float() => {
            prop_oneof![3 => float().prop_map(Json::Real), 1 => integer().prop_map(Json::Int)].boxed()
        }
        (_, true) => select(SMALL_INTEGERS).prop_map(Json::Int).boxed(),
        (_, false) => integer().prop_map(Json::Int).boxed(),
    };
    let wrong = wrong_kind(field.ty);
    prop_oneof![14 => right.prop_map(Some), 2 => Just(None), 2 => Just(Some(Json::Null)), 3 => wrong.prop_map(Some)].boxed()
}

/// A value of another kind than the declared one.
fn wrong_kind(ty: Type) -> impl Strategy<Value = Json> {
    let text = |text: &str| Json::Text(text.to_owned());
    let all = [
        Json::Bool(true),
        Json::Bool(false),
        Json::Int(1),
        Json::Int(0),
        Json::Real(1.0),
        text("1"),
        text(""),
        text("true"),
        Json::Array(Vec::new()),
        Json::Array(vec![Json::Int(1)]),
        Json::Object(Vec::new()),
        Json::Object(vec![("a".to_owned(), Json::Int(1))]),
    ];
    let wrong: Vec<Json> = all.into_iter().filter(|value| !value.fits(ty.kind())).collect();
    select(wrong)
}

/// What stands in the place of a nested struct, mostly nothing else than the struct.
fn parent() -> impl Strategy<Value = Option<Json>> {
    let others =
        vec![Json::Null, Json::Int(5), Json::Text("x".to_owned()), Json::Array(Vec::new()), Json::Bool(true)];
    prop_oneof![9 => Just(None), 1 => select(others).prop_map(Some)]
}

/// A key that is not declared, some of them near one that is. None holds U+0000: SQLite ends the comparison of two keys
/// there when one of them is escaped, and so takes `"\u0000"` for `""`.
fn stray() -> impl Strategy<Value = (&'static str, Json)> {
    let keys = vec!["a", "b", "in.name", "id", "key", "doc", "Name", "name ", "$", "\u{e9}", "q", "'", "0"];
    (select(keys), prop_oneof![integer().prop_map(Json::Int), text().prop_map(Json::Text), Just(Json::Null)])
}

/// Stores a value, making the objects above it.
fn put(within: &mut Json, path: &[&str], value: Json) {
    let (Json::Object(entries), Some((key, rest))) = (within, path.split_first()) else { return };
    if rest.is_empty() {
        if entries.iter().all(|(k, _)| k != key) {
            entries.push(((*key).to_owned(), value));
        }
        return;
    }
    let at = entries.iter().position(|(k, _)| k == key).unwrap_or_else(|| {
        entries.push(((*key).to_owned(), Json::Object(Vec::new())));
        entries.len() - 1
    });
    put(&mut entries[at].1, rest, value);
}

/// Stores a value in the place of one that is there.
fn replace(within: &mut Json, path: &[&str], value: Json) {
    let (Json::Object(entries), Some((key, rest))) = (within, path.split_first()) else { return };
    let Some((_, inner)) = entries.iter_mut().find(|(k, _)| k == key) else { return };
    if rest.is_empty() { *inner = value } else { replace(inner, rest, value) }
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        #[test]
        fn a_document_survives_its_text(document in document()) {
            prop_assert_eq!(Json::parse(&document.to_string())?, document);
        }
    }
}
