//! The rules of what is embedded: structs, newtypes and enums.

use std::collections::HashMap;

use proc_macro2::Span;
use syn::ext::IdentExt as _;
use syn::{Ident, LitStr, Type};

use super::field::{disagree, stored_field, stored_names, unread};
use super::owned;
use crate::ast::{Container, Embedded, Enum, Inner, Newtype, Struct, Variant, VariantData};
use crate::case;
use crate::ctxt::Ctxt;

/// A checked `Embed`.
pub(crate) enum Embed<'a> {
    /// A type, and what it is stored as.
    Declared(&'a Container<'a>, &'a Type),
    Struct(&'a Struct<'a>),
    Newtype(&'a Newtype<'a>),
    /// An enum whose values are their variants' names.
    Names(&'a Enum<'a>),
    Tagged(Tagged<'a>),
}

/// An enum whose variants hold data, or whose documents hold its tag.
pub(crate) struct Tagged<'a> {
    pub(crate) item: &'a Enum<'a>,
    pub(crate) tagging: Tagging,
    /// The variants that can be stored, each with the name of its member in the companion.
    pub(crate) variants: Vec<(Ident, &'a Variant<'a>)>,
}

/// Where a document holds the variant's name, and where what the variant holds.
pub(crate) enum Tagging {
    /// The name is a key, and what it holds stands under it.
    External,
    /// The name stands under the tag, beside the fields.
    Internal { tag: LitStr },
    /// The name stands under the tag, what it holds under another key.
    Adjacent { tag: LitStr, content: LitStr },
}

/// Checks what is embedded. `None` when it has a form that no query can read.
pub(crate) fn embed<'a>(ctxt: &Ctxt, item: &'a Embedded<'a>) -> Option<Embed<'a>> {
    match item {
        Embedded::Declared(container) => {
            owned(ctxt, container);
            if let Some(fields) = &container.options.companion {
                ctxt.error(
                    fields.span(),
                    "what is stored as another type has no fields: remove `fields` or `repr`",
                );
            }
            Some(Embed::Declared(container, container.options.repr.as_ref()?))
        }
        Embedded::Struct(item) => {
            owned(ctxt, &item.container);
            item.fields.iter().for_each(|field| stored_field(ctxt, field, item.default.as_ref()));
            stored_names(ctxt, &item.fields, item.tag.as_ref());
            Some(Embed::Struct(item))
        }
        Embedded::Newtype(item) => {
            owned(ctxt, &item.container);
            inner(ctxt, &item.inner);
            Some(Embed::Newtype(item))
        }
        Embedded::Enum(item) => {
            owned(ctxt, &item.container);
            enumeration(ctxt, item)
        }
    }
}

fn enumeration<'a>(ctxt: &Ctxt, item: &'a Enum<'a>) -> Option<Embed<'a>> {
    let tagging = match (&item.form.tag, &item.form.content) {
        (None, content) => {
            if let Some(content) = content {
                ctxt.error(content.span(), "`content` stands beside a `tag`: add one");
            }
            Tagging::External
        }
        (Some(tag), None) => Tagging::Internal { tag: tag.clone() },
        (Some(tag), Some(content)) => Tagging::Adjacent { tag: tag.clone(), content: content.clone() },
    };
    let tag = match &tagging {
        Tagging::Internal { tag } => Some(tag),
        _ => None,
    };
    for variant in &item.variants {
        variant_form(ctxt, variant);
        match &variant.data {
            VariantData::Unit | VariantData::Tuple(_) => {}
            VariantData::Newtype(field) => inner(ctxt, field),
            VariantData::Struct(fields) => {
                fields.iter().for_each(|field| stored_field(ctxt, field, None));
                stored_names(ctxt, fields, tag);
            }
        }
    }
    variant_names(ctxt, item);
    let are_names = item.variants.iter().all(|variant| matches!(variant.data, VariantData::Unit));
    match tagging {
        Tagging::External if are_names => Some(Embed::Names(item)),
        tagging => Some(Embed::Tagged(Tagged { item, tagging, variants: members(ctxt, item) })),
    }
}

/// Checks the one field that something is stored as.
fn inner(ctxt: &Ctxt, inner: &Inner<'_>) {
    if inner.options.opaque.is_none() {
        unread(ctxt, &inner.form);
    }
    if inner.options.repr.is_none() && inner.options.opaque.is_none() {
        for (span, reason) in &inner.form.hidden {
            ctxt.error(*span, reason);
        }
    }
    if let (Some(_), Some(ty)) = (inner.options.opaque, &inner.options.repr) {
        ctxt.push(syn::Error::new_spanned(ty, "a query cannot name this field: remove `opaque` or `repr`"));
    }
}

fn variant_form(ctxt: &Ctxt, variant: &Variant<'_>) {
    let form = &variant.form;
    for (span, reason) in &form.hidden {
        ctxt.error(*span, reason);
    }
    if !form.skips_writing && !form.names.agree() {
        disagree(ctxt, &form.names, "this variant", variant.ident.span());
    }
    for alias in form.names.foreign() {
        let message = format!(
            "a document with `{}` would load, but no query would find the variant, which is stored as `{}`: \
             rename it in the documents, or keep the enum in a field with `#[document(opaque)]`",
            alias.value(),
            form.names.stored
        );
        ctxt.error(alias.span(), message);
    }
}

/// Refuses two variants under one name.
fn variant_names(ctxt: &Ctxt, item: &Enum<'_>) {
    let mut names = HashMap::new();
    for variant in item.variants.iter().filter(|variant| !variant.form.skips_writing) {
        let own = &variant.form.names;
        if let Some(first) = names.insert(&own.stored, variant.ident) {
            let span = own.rename.unwrap_or_else(|| variant.ident.span());
            ctxt.error(span, format!("`{first}` is stored as `{}` too: rename one of them", own.stored));
        }
    }
}

/// Returns the variants that can be stored, each with its name in snake_case.
fn members<'a>(ctxt: &Ctxt, item: &'a Enum<'a>) -> Vec<(Ident, &'a Variant<'a>)> {
    let mut names = HashMap::new();
    let mut members = Vec::new();
    for variant in item.variants.iter().filter(|variant| !variant.form.skips_writing) {
        let name = case::snake(&variant.ident.unraw().to_string());
        if let Some(first) = names.insert(name.clone(), variant.ident) {
            ctxt.error(
                variant.ident.span(),
                format!("a query calls `{first}` `{name}` too: rename one of them"),
            );
        }
        members.push((member(&name, variant.ident.span()), variant));
    }
    members
}

/// Returns an identifier, raw where the name is a keyword. `self` and its like cannot even be raw.
fn member(name: &str, span: Span) -> Ident {
    let spelled = syn::parse_str::<Ident>(name).or_else(|_| syn::parse_str(&format!("r#{name}")));
    let mut ident = spelled.unwrap_or_else(|_| Ident::new(&format!("{name}_"), span));
    ident.set_span(span);
    ident
}
