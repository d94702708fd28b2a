//! The rules of a document.

use super::field::{key_field, stored_field, stored_names};
use super::index::{Index, compound_indexes, field_indexes};
use super::owned;
use crate::ast::{Container, Field, Struct};
use crate::case;
use crate::ctxt::Ctxt;

/// A checked `Document`.
pub(crate) struct Document<'a> {
    pub(crate) item: &'a Struct<'a>,
    pub(crate) key: &'a Field<'a>,
    pub(crate) collection: String,
    /// In declaration order: those of fields first, then the compounds.
    pub(crate) indexes: Vec<Index<'a>>,
}

/// Checks a document. `None` when it has no key.
pub(crate) fn document<'a>(ctxt: &Ctxt, item: &'a Struct<'a>) -> Option<Document<'a>> {
    owned(ctxt, &item.container);
    let key = key(ctxt, item);
    for field in &item.fields {
        if key.is_some_and(|key| key.ident == field.ident) {
            key_field(ctxt, field);
        } else {
            stored_field(ctxt, field, item.default.as_ref());
        }
    }
    stored_names(ctxt, &item.fields, item.tag.as_ref());
    Some(Document {
        item,
        key: key?,
        collection: collection(ctxt, &item.container),
        indexes: field_indexes(item).chain(compound_indexes(ctxt, item)).collect(),
    })
}

/// Finds the key: the field marked `id`, else the field of that name.
fn key<'a>(ctxt: &Ctxt, item: &'a Struct<'a>) -> Option<&'a Field<'a>> {
    let mut marked = item.fields.iter().filter_map(|field| field.options.id.map(|span| (field, span)));
    if let Some((first, _)) = marked.next() {
        for (_, span) in marked {
            let first = first.name();
            ctxt.error(span, format!("a document has one key, and `{first}` is it: remove this `id`"));
        }
        return Some(first);
    }
    let named = item.fields.iter().find(|field| field.name() == "id");
    if named.is_none() {
        let message =
            "a document needs a key: add `id: i64`, or mark the field that is the key `#[document(id)]`";
        ctxt.error(item.container.ident.span(), message);
    }
    named
}

fn collection(ctxt: &Ctxt, container: &Container<'_>) -> String {
    let Some(name) = &container.options.collection else { return case::snake(&container.name()) };
    let text = name.value();
    if text.is_empty() || text.len() > 255 || text.contains('\0') {
        ctxt.error(name.span(), "a collection's name has 1 to 255 bytes and no NUL");
    }
    text
}
