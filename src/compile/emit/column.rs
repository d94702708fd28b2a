//! The expression of a virtual column: what a path holds, as a view sees it.
//!
//! A column is made of SQLite's own functions, so that any SQLite can maintain the file. Where a path is asked about
//! without a column, the same stands with ours, which say the same in a fraction of the time. `jsonb_extract` turns
//! `true` into 1, so numbers and bools are told apart; text does without the guard, which costs a quarter more in
//! building an index, since no text equals a number. Where any kind may be, a bool is JSONB, as arrays and objects are.

use crate::compile::emit::quote;
use crate::ir::path::FieldPath;
use crate::ir::value::{FieldDefault, Kind, View};

/// Whose functions look into a document.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Functions {
    Sqlite,
    Ours,
}

impl Functions {
    /// Returns the name of the type of what is at a path.
    fn json_type(self, document: &str, path: &str) -> String {
        match self {
            Functions::Sqlite => format!("json_type({document},{path})"),
            Functions::Ours => format!("vellum_json_type({document},{path})"),
        }
    }

    /// Returns what is at a path, a bool as a number.
    fn extract(self, document: &str, path: &str) -> String {
        match self {
            Functions::Sqlite => format!("jsonb_extract({document},{path})"),
            Functions::Ours => format!("vellum_extract({document},{path})"),
        }
    }

    /// Appends what is at a path as a view sees it.
    fn lookup(self, out: &mut String, document: &str, path: &str, view: View) {
        match (self, view) {
            (Functions::Ours, View::Declared(Kind::Number | Kind::Any) | View::Only(Kind::Any)) => {
                out.push_str(&format!("vellum_any({document},{path})"));
            }
            _ => seen(out, &self.json_type(document, path), &self.extract(document, path), view),
        }
    }

    /// Appends what a field holds.
    fn field(
        self,
        out: &mut String,
        document: &str,
        path: &FieldPath,
        view: View,
        default: Option<&FieldDefault>,
    ) {
        let own = quoted(path);
        let Some(default) = default else { return self.lookup(out, document, &own, view) };
        out.push_str(&format!("CASE WHEN {} IS NULL", self.json_type(document, &own)));
        // A document is an object; a struct in it may be missing, and then its fields are.
        if path.segments().len() > 1 {
            let around = self.json_type(document, &quoted(&path.parent()));
            out.push_str(&format!(" AND {around} = 'object'"));
        }
        out.push_str(" THEN ");
        literal(out, default, view);
        out.push_str(" ELSE ");
        self.lookup(out, document, &own, view);
        out.push_str(" END");
    }
}

/// Returns the expression over `doc`, the column of a collection's table.
pub(crate) fn definition(path: &FieldPath, view: View, default: Option<&FieldDefault>) -> String {
    let mut out = String::new();
    Functions::Sqlite.field(&mut out, "doc", path, view, default);
    out
}

/// Appends the expression over a document.
pub(super) fn extract(
    out: &mut String,
    document: &str,
    path: &FieldPath,
    view: View,
    default: Option<&FieldDefault>,
) {
    Functions::Ours.field(out, document, path, view, default);
}

/// Returns a value as it stands in a statement where it is compared.
pub(crate) fn compared(value: &FieldDefault) -> String {
    let mut out = String::new();
    literal(&mut out, value, View::Declared(value.kind()));
    out
}

/// Appends a default as a view sees it, a literal: an index holds it, and an index takes no parameters. An array or
/// object is JSONB, and so is a bool where any kind may be.
pub(super) fn literal(out: &mut String, default: &FieldDefault, view: View) {
    if matches!(view, View::Only(kind) if kind != Kind::Any && kind != default.kind()) {
        return out.push_str("NULL");
    }
    match default {
        FieldDefault::Bool(x) if view.kind() == Kind::Any => out.push_str(if *x { "x'01'" } else { "x'02'" }),
        FieldDefault::Bool(x) => out.push(if *x { '1' } else { '0' }),
        FieldDefault::Int(x) => out.push_str(&x.to_string()),
        // The shortest digits that name the number, with a point or an exponent.
        FieldDefault::Real(bits) => out.push_str(&format!("{:?}", f64::from_bits(*bits))),
        FieldDefault::Text(x) => quote::text(out, x),
        FieldDefault::Empty(Kind::Object) => out.push_str("x'0c'"),
        FieldDefault::Empty(_) => out.push_str("x'0b'"),
        // The lowering refuses it.
        FieldDefault::Unseen => out.push_str("NULL"),
    }
}

fn quoted(path: &FieldPath) -> String {
    let mut out = String::new();
    quote::text(&mut out, &path.json_path());
    out
}

/// Appends the expression over a document, of which the path is SQL.
pub(super) fn lookup(out: &mut String, document: &str, path: &str, view: View) {
    Functions::Ours.lookup(out, document, path, view);
}

/// Appends what a row of `jsonb_each` holds: bools arrive as 1 and 0 there, too.
pub(super) fn item(out: &mut String, row: &str, view: View) {
    seen(out, &format!("{row}.type"), &format!("{row}.value"), view);
}

/// Appends a value, of which SQLite also tells the type.
fn seen(out: &mut String, ty: &str, value: &str, view: View) {
    let seen = match view {
        View::Declared(Kind::Text | Kind::Array | Kind::Object) => value.to_owned(),
        View::Uuid => format!("CASE {ty} WHEN 'text' THEN {} ELSE {value} END", uuid(value)),
        // JSONB of true and of false: never bound by anyone beside a number, and neither a number nor null when read.
        View::Declared(Kind::Number | Kind::Any) | View::Only(Kind::Any) => {
            format!("CASE {ty} WHEN 'true' THEN x'01' WHEN 'false' THEN x'02' ELSE {value} END")
        }
        View::Declared(Kind::Bool) => format!(
            "CASE {ty} WHEN 'true' THEN 1 WHEN 'false' THEN 0 WHEN 'null' THEN NULL ELSE substr({ty},1,0) END"
        ),
        View::Only(Kind::Bool) => format!("CASE {ty} WHEN 'true' THEN 1 WHEN 'false' THEN 0 END"),
        View::Only(Kind::Number) => format!("CASE WHEN {ty} IN ('integer', 'real') THEN {value} END"),
        // These kinds have the names that SQLite gives to its types.
        View::Only(kind) => format!("CASE {ty} WHEN '{}' THEN {value} END", kind.name()),
    };
    out.push_str(&seen);
}

/// Returns a text with a uuid in lower case and with hyphens. The spellings that serde reads are told apart by their
/// length in bytes: with hyphens, without, in braces, as a URN. A text that is no uuid does not become one.
fn uuid(text: &str) -> String {
    let parts = [(1, 8), (9, 4), (13, 4), (17, 4), (21, 12)];
    let parts = parts.map(|(from, len)| format!("substr({text},{from},{len})"));
    format!(
        "CASE octet_length({text}) WHEN 36 THEN lower({text}) \
         WHEN 32 THEN lower({}) \
         WHEN 38 THEN CASE WHEN {text} GLOB '{{*}}' THEN lower(substr({text},2,36)) ELSE {text} END \
         WHEN 45 THEN CASE lower(substr({text},1,9)) WHEN 'urn:uuid:' THEN lower(substr({text},10)) ELSE {text} END \
         ELSE {text} END",
        parts.join("||'-'||")
    )
}

/// Appends a value that was seen as one of any kind, null where it is not of this one.
pub(super) fn only(out: &mut String, value: &str, kind: Kind) {
    let only = match kind {
        Kind::Any => value.to_owned(),
        Kind::Text => format!("CASE WHEN typeof({value}) = 'text' THEN {value} END"),
        Kind::Number => format!("CASE WHEN typeof({value}) IN ('integer', 'real') THEN {value} END"),
        Kind::Bool => format!("CASE {value} WHEN x'01' THEN 1 WHEN x'02' THEN 0 END"),
        Kind::Array | Kind::Object => format!(
            "CASE WHEN typeof({value}) = 'blob' AND json_type({value}) = '{}' THEN {value} END",
            kind.name()
        ),
    };
    out.push_str(&only);
}
