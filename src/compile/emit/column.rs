//! The expression of a virtual column: what a path holds, as a kind sees it.
//!
//! The same text defines a column and stands wherever its path is asked about without one. `jsonb_extract` turns
//! `true` into 1, so numbers and bools are told apart; text does without the guard, which costs a quarter more in
//! building an index, since no text equals a number.

use crate::compile::emit::quote;
use crate::ir::path::FieldPath;
use crate::ir::value::{FieldDefault, Kind};

/// Returns the expression over `doc`, the column of a collection's table.
pub(crate) fn definition(path: &FieldPath, kind: Kind, default: Option<&FieldDefault>) -> String {
    let mut out = String::new();
    extract(&mut out, "doc", path, kind, default);
    out
}

/// Appends the expression over a document.
pub(super) fn extract(
    out: &mut String,
    document: &str,
    path: &FieldPath,
    kind: Kind,
    default: Option<&FieldDefault>,
) {
    let Some(default) = default else { return stored(out, document, path, kind) };
    let [mut own, mut around] = [String::new(), String::new()];
    quote::text(&mut own, &path.json_path());
    quote::text(&mut around, &path.parent().json_path());
    out.push_str(&format!("CASE WHEN json_type({document},{own}) IS NULL"));
    // A document is an object; a struct in it may be missing, and then its fields are.
    if path.segments().len() > 1 {
        out.push_str(&format!(" AND json_type({document},{around}) = 'object'"));
    }
    out.push_str(" THEN ");
    literal(out, default);
    out.push_str(" ELSE ");
    stored(out, document, path, kind);
    out.push_str(" END");
}

/// Appends a default as a literal, an array or object as JSONB: an index holds it, and an index takes no parameters.
fn literal(out: &mut String, default: &FieldDefault) {
    match default {
        FieldDefault::Bool(x) => out.push(if *x { '1' } else { '0' }),
        FieldDefault::Int(x) => out.push_str(&x.to_string()),
        // The shortest digits that name the number, with a point or an exponent.
        FieldDefault::Real(bits) => out.push_str(&format!("{:?}", f64::from_bits(*bits))),
        FieldDefault::Text(x) => quote::text(out, x),
        FieldDefault::Empty(Kind::Object) => out.push_str("x'0c'"),
        FieldDefault::Empty(_) => out.push_str("x'0b'"),
        // The lowering refuses it.
        FieldDefault::Whole => out.push_str("NULL"),
    }
}

fn stored(out: &mut String, document: &str, path: &FieldPath, kind: Kind) {
    let mut json_path = String::new();
    quote::text(&mut json_path, &path.json_path());
    let value = format!("jsonb_extract({document},{json_path})");
    match kind {
        Kind::Number => {
            // JSONB of true and of false: never bound by anyone, and neither a number nor null when read.
            out.push_str(&format!(
                "CASE json_type({document},{json_path}) WHEN 'true' THEN x'01' WHEN 'false' THEN x'02' ELSE {value} END"
            ));
        }
        Kind::Bool => {
            out.push_str(&format!(
                "CASE json_type({document},{json_path}) WHEN 'true' THEN 1 WHEN 'false' THEN 0 WHEN 'null' THEN NULL \
                 ELSE substr(json_type({document},{json_path}),1,0) END"
            ));
        }
        Kind::Text | Kind::Array | Kind::Object | Kind::Any => out.push_str(&value),
    }
}

/// Appends the expression that is null where a path of a document holds no array.
pub(super) fn array(out: &mut String, document: &str, path: &FieldPath) {
    let mut json_path = String::new();
    quote::text(&mut json_path, &path.json_path());
    out.push_str(&format!(
        "CASE json_type({document},{json_path}) WHEN 'array' THEN jsonb_extract({document},{json_path}) END"
    ));
}

/// Appends what a row of `jsonb_each` holds, as a kind sees it: bools arrive as 1 and 0 there, too.
pub(super) fn item(out: &mut String, row: &str, kind: Kind) {
    match kind {
        Kind::Number => out.push_str(&format!(
            "CASE {row}.type WHEN 'true' THEN x'01' WHEN 'false' THEN x'02' ELSE {row}.value END"
        )),
        Kind::Bool => out.push_str(&format!(
            "CASE {row}.type WHEN 'true' THEN 1 WHEN 'false' THEN 0 WHEN 'null' THEN NULL ELSE '' END"
        )),
        Kind::Text | Kind::Array | Kind::Object | Kind::Any => out.push_str(&format!("{row}.value")),
    }
}
