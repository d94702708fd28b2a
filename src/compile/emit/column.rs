//! The expression of a virtual column: what a path holds, as a kind sees it.
//!
//! The same text defines a column and stands wherever its path is asked about without one. `jsonb_extract` turns
//! `true` into 1, so numbers and bools are told apart; text does without the guard, which costs a quarter more in
//! building an index, since no text equals a number.

use crate::compile::emit::quote;
use crate::ir::path::FieldPath;
use crate::ir::value::Kind;

/// Returns the expression over `doc`, the column of a collection's table.
pub(crate) fn definition(path: &FieldPath, kind: Kind) -> String {
    let mut out = String::new();
    extract(&mut out, "doc", path, kind);
    out
}

/// Appends the expression over a document.
pub(super) fn extract(out: &mut String, document: &str, path: &FieldPath, kind: Kind) {
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
