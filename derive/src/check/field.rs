//! The rules of stored fields.

use std::collections::HashMap;

use proc_macro2::Span;
use syn::LitStr;

use crate::ast::Field;
use crate::ctxt::Ctxt;
use crate::serde::{FieldForm, Missing, Names};

/// Checks the key's field, whose value is also the row's identity.
pub(super) fn key_field(ctxt: &Ctxt, field: &Field<'_>) {
    let (options, form) = (&field.options, &field.form);
    let span = field.ident.span();
    if form.skips_writing || form.skips_reading.is_some() {
        ctxt.error(span, "the key must be stored and loaded: remove serde's `skip`");
    }
    if let Some(span) = form.skips_some {
        ctxt.error(span, "the key is never left out: remove `skip_serializing_if`");
    }
    if let Some(span) = form.flattened {
        ctxt.error(span, "the key is a field of its own: remove `flatten`");
    }
    for (span, _) in &form.hidden {
        ctxt.error(*span, "the key is stored as its type shows: remove this attribute from it");
    }
    if let Some(ty) = &options.repr {
        ctxt.push(syn::Error::new_spanned(ty, "the key is stored as its type shows: remove `repr`"));
    }
    if let Some(span) = options.opaque {
        ctxt.error(span, "the key cannot be opaque: every query can name it");
    }
    if let Some(span) = options.index.or(options.unique).or(options.nulls_collide) {
        ctxt.error(span, "the key is unique and indexed already: remove this");
    }
    same_name_both_ways(ctxt, field);
    aliases(ctxt, &form.names);
}

/// Checks a field that is not the key.
///
/// `around` is what the struct around it reads missing fields from.
pub(super) fn stored_field(ctxt: &Ctxt, field: &Field<'_>, around: Option<&Missing>) {
    let (options, form) = (&field.options, &field.form);
    same_name_both_ways(ctxt, field);
    if let (Some(_), Some(ty)) = (options.opaque, &options.repr) {
        ctxt.push(syn::Error::new_spanned(ty, "a query cannot name this field: remove `opaque` or `repr`"));
    }
    if !field.has_symbol() {
        let why = if form.skips_writing { "is not stored" } else { "is opaque" };
        indexes(ctxt, field, &format!("this field {why}, so it"));
        return;
    }
    unread(ctxt, form);
    if let Some(span) = form.flattened {
        flattened(ctxt, field, span, around);
        return;
    }
    if options.repr.is_none() {
        for (span, reason) in &form.hidden {
            ctxt.error(*span, reason);
        }
    }
    if let (Some(ty), Some(Missing::Function(_)), _) | (Some(ty), None, Some(_)) =
        (&options.repr, &form.default, around)
    {
        let message = "a missing field would load as a default whose stored form is not known: add \
                       `#[document(opaque)]` in the place of `repr`";
        ctxt.push(syn::Error::new_spanned(ty, message));
    }
    if let (Some(_), Some(unique)) = (options.index, options.unique) {
        ctxt.error(unique, "`unique` is an index already: remove `index` or `unique`");
    }
    if let (None, Some(collide)) = (options.unique, options.nulls_collide) {
        ctxt.error(collide, "only in a unique index: write `unique, nulls_collide`");
    }
    aliases(ctxt, &form.names);
}

/// Checks a field whose own fields stand beside it.
fn flattened(ctxt: &Ctxt, field: &Field<'_>, span: Span, around: Option<&Missing>) {
    if let Some(ty) = &field.options.repr {
        ctxt.push(syn::Error::new_spanned(
            ty,
            "a flattened struct is stored as its type shows: remove `repr`",
        ));
    }
    if field.form.default.is_some() || around.is_some() {
        ctxt.error(span, "missing fields would load as defaults, which queries cannot see: remove `default`");
    }
    for (span, reason) in &field.form.hidden {
        ctxt.error(*span, reason);
    }
    indexes(ctxt, field, "a flattened struct has no place of its own, so it");
}

fn indexes(ctxt: &Ctxt, field: &Field<'_>, what: &str) {
    let options = &field.options;
    let indexes =
        [(options.index, "index"), (options.unique, "unique"), (options.nulls_collide, "nulls_collide")];
    for (span, option) in indexes {
        if let Some(span) = span {
            ctxt.error(span, format!("{what} cannot have `{option}`: remove one of the two"));
        }
    }
}

/// Refuses a field that queries would see as it is stored, and that loads as its default whatever that is.
pub(super) fn unread(ctxt: &Ctxt, form: &FieldForm) {
    if let Some(span) = form.skips_reading {
        let message = "this field would load as its default, whatever is stored and queries see: remove this, or add \
                       `#[document(opaque)]`";
        ctxt.error(span, message);
    }
}

/// Refuses a field that serde would not find again where it wrote it.
fn same_name_both_ways(ctxt: &Ctxt, field: &Field<'_>) {
    let form = &field.form;
    let is_named = form.flattened.is_none() && !form.skips_writing && form.skips_reading.is_none();
    if is_named && !form.names.agree() {
        disagree(ctxt, &form.names, "this field", field.ident.span());
    }
}

/// Reports something that is written under one name and read under another.
pub(super) fn disagree(ctxt: &Ctxt, names: &Names, what: &str, at: Span) {
    let (stored, read) = (&names.stored, &names.read);
    let message =
        format!("serde writes {what} as `{stored}` and reads it as `{read}`: use one name for both");
    ctxt.error(names.rename.unwrap_or(at), message);
}

/// Refuses a name under which a document would load, but under which no query looks.
fn aliases(ctxt: &Ctxt, names: &Names) {
    for alias in names.foreign() {
        let message = format!(
            "a document with `{}` would load, but no query would find the field, which is stored as `{}`: \
             rename the key in the documents, or add `#[document(opaque)]`",
            alias.value(),
            names.stored
        );
        ctxt.error(alias.span(), message);
    }
}

/// Refuses two fields under one key; `tag` is a key that serde adds.
pub(super) fn stored_names(ctxt: &Ctxt, fields: &[Field<'_>], tag: Option<&LitStr>) {
    let mut names = HashMap::new();
    for field in fields.iter().filter(|field| !field.form.skips_writing && field.form.flattened.is_none()) {
        let own = &field.form.names;
        if let Some(first) = names.insert(&own.stored, field.name()) {
            let span = own.rename.unwrap_or_else(|| field.ident.span());
            ctxt.error(span, format!("`{first}` is stored as `{}` too: rename one of them", own.stored));
        }
    }
    if let Some(tag) = tag
        && let Some(field) = names.get(&tag.value())
    {
        ctxt.error(
            tag.span(),
            format!("the field `{field}` is stored as `{}` too: rename one of them", tag.value()),
        );
    }
}
