//! The indexes that a document declares.

use proc_macro2::Span;
use syn::ext::IdentExt as _;
use syn::parse::Parser as _;
use syn::{ExprClosure, Ident, LitStr};

use crate::ast::{Field, Struct};
use crate::ctxt::Ctxt;

/// An index that the document declares.
pub(crate) struct Index<'a> {
    pub(crate) unique: bool,
    /// Whether a unique one takes two documents without a value for equal.
    pub(crate) nulls_collide: bool,
    pub(crate) keys: Vec<IndexKey>,
    /// Which documents it holds, if not all.
    pub(crate) condition: Option<&'a ExprClosure>,
}

/// One column of it: Rust field names from the outside in, spanned where the index was declared.
pub(crate) struct IndexKey {
    pub(crate) path: Vec<Ident>,
    pub(crate) descending: bool,
}

/// Returns the indexes that fields declare.
pub(super) fn field_indexes<'a>(item: &'a Struct<'_>) -> impl Iterator<Item = Index<'a>> + 'a {
    item.symbols().filter_map(|field| {
        let span = field.options.unique.or(field.options.index)?;
        let mut ident = field.ident.clone();
        ident.set_span(span);
        let key = IndexKey { path: vec![ident], descending: false };
        let (unique, nulls_collide) = (field.options.unique.is_some(), field.options.nulls_collide.is_some());
        Some(Index { unique, nulls_collide, keys: vec![key], condition: None })
    })
}

/// Returns the indexes over several fields.
pub(super) fn compound_indexes<'a>(ctxt: &Ctxt, item: &'a Struct<'_>) -> Vec<Index<'a>> {
    let compounds = item.container.options.compounds.iter().map(|compound| {
        let mut keys: Vec<IndexKey> = Vec::new();
        for text in &compound.paths {
            let Some(key) = index_key(ctxt, item, text) else { continue };
            if keys.iter().any(|other| other.path == key.path) {
                ctxt.error(text.span(), "this field is in the index already: remove it here");
            }
            keys.push(key);
        }
        let condition = compound.condition.as_ref();
        Index { unique: compound.unique, nulls_collide: compound.nulls_collide, keys, condition }
    });
    compounds.collect()
}

/// Reads `"a"`, `"a asc"`, `"a.b desc"`. Reports a text of another form, and a field that is not there.
fn index_key(ctxt: &Ctxt, item: &Struct<'_>, text: &LitStr) -> Option<IndexKey> {
    let (span, value) = (text.span(), text.value());
    let (path, direction) = value.trim().split_once(char::is_whitespace).unwrap_or((value.trim(), "asc"));
    let descending = match direction.trim() {
        "asc" => false,
        "desc" => true,
        other => {
            ctxt.error(span, format!("`{other}` is no direction: write `{path}` or `{path} desc`"));
            return None;
        }
    };
    let path: Option<Vec<_>> = path.split('.').map(|segment| field_ident(segment, span)).collect();
    let Some(path) = path else {
        ctxt.error(span, "expected the name of a field, or names joined by dots: `\"a\"`, `\"a.b desc\"`");
        return None;
    };
    let first = path.first()?;
    let name = first.unraw().to_string();
    let known: Vec<_> = item.symbols().map(Field::name).collect();
    if !known.contains(&name) {
        let hidden = item.fields.iter().any(|field| field.name() == name);
        let why = if hidden { "is opaque or not stored" } else { "is not a field of this struct" };
        let known: Vec<_> = known.iter().map(|name| format!("`{name}`")).collect();
        ctxt.error(span, format!("`{name}` {why}; its fields are {}", known.join(", ")));
        return None;
    }
    Some(IndexKey { path, descending })
}

/// Returns the identifier of a field, raw where the name is a keyword.
fn field_ident(name: &str, span: Span) -> Option<Ident> {
    let plain = name.strip_prefix("r#").unwrap_or(name);
    Ident::parse_any.parse_str(plain).ok()?;
    let spelled = syn::parse_str::<Ident>(plain).or_else(|_| syn::parse_str(&format!("r#{plain}")));
    let mut ident = spelled.ok()?;
    ident.set_span(span);
    Some(ident)
}
