//! The rules that a struct has to keep, and what the expansion needs to know beyond them.
//!
//! The functions report every fault and return a model that is only good when there was none. No `syn` type is taken
//! apart after this stage.

use std::collections::HashMap;

use proc_macro2::Span;
use syn::ext::IdentExt as _;
use syn::parse::Parser as _;
use syn::visit_mut::{self, VisitMut};
use syn::{GenericParam, Ident, Lifetime, LitStr, Type};

use crate::ast::{Container, Field};
use crate::case;
use crate::ctxt::Ctxt;
use crate::serde::Missing;

/// A checked `Document`.
pub(crate) struct Document<'a> {
    pub(crate) container: &'a Container<'a>,
    pub(crate) key: &'a Field<'a>,
    pub(crate) collection: String,
    /// In declaration order: those of fields first, then the compounds.
    pub(crate) indexes: Vec<Index>,
}

/// A checked `Embed`.
pub(crate) struct Embed<'a> {
    pub(crate) container: &'a Container<'a>,
}

/// A checked `Params`.
pub(crate) struct Params<'a> {
    pub(crate) container: &'a Container<'a>,
    /// Whether the arguments borrow, that is, whether the struct has a lifetime.
    pub(crate) borrows: bool,
    /// The types of the fields in order, with `'static` for that lifetime.
    pub(crate) types: Vec<Type>,
}

/// An index that the document declares.
pub(crate) struct Index {
    pub(crate) unique: bool,
    pub(crate) keys: Vec<IndexKey>,
}

/// One column of it: Rust field names from the outside in, spanned where the index was declared.
pub(crate) struct IndexKey {
    pub(crate) path: Vec<Ident>,
    pub(crate) descending: bool,
}

/// Checks a document. `None` when it has no key.
pub(crate) fn document<'a>(ctxt: &Ctxt, container: &'a Container<'a>) -> Option<Document<'a>> {
    owned(ctxt, container);
    let key = key(ctxt, container);
    for field in &container.fields {
        if key.is_some_and(|key| key.ident == field.ident) {
            key_field(ctxt, field);
        } else {
            stored_field(ctxt, field);
        }
    }
    stored_names(ctxt, container);
    Some(Document {
        container,
        key: key?,
        collection: collection(ctxt, container),
        indexes: field_indexes(container).chain(compound_indexes(ctxt, container)).collect(),
    })
}

/// Checks an embedded struct.
pub(crate) fn embed<'a>(ctxt: &Ctxt, container: &'a Container<'a>) -> Embed<'a> {
    owned(ctxt, container);
    container.fields.iter().for_each(|field| stored_field(ctxt, field));
    stored_names(ctxt, container);
    Embed { container }
}

/// Checks the parameters of a query.
pub(crate) fn params<'a>(ctxt: &Ctxt, container: &'a Container<'a>) -> Params<'a> {
    let mut lifetimes = Vec::new();
    for param in &container.generics.params {
        match param {
            GenericParam::Lifetime(param) => lifetimes.push(&param.lifetime),
            GenericParam::Type(param) => ctxt.error(param.ident.span(), GENERIC_PARAMS),
            GenericParam::Const(param) => ctxt.error(param.ident.span(), GENERIC_PARAMS),
        }
    }
    for second in lifetimes.iter().skip(1) {
        ctxt.error(second.span(), "parameters borrow for one lifetime: use the first one here too");
    }
    let mut types: Vec<_> = container.fields.iter().map(|field| field.ty.clone()).collect();
    types.iter_mut().for_each(|ty| Static(&lifetimes).visit_type_mut(ty));
    Params { container, borrows: !lifetimes.is_empty(), types }
}

const GENERIC_PARAMS: &str = "the parameters of a query have concrete types: write one struct for each type";

/// Refuses lifetimes and other generics of a stored struct.
fn owned(ctxt: &Ctxt, container: &Container<'_>) {
    for param in &container.generics.params {
        match param {
            GenericParam::Lifetime(param) => {
                let message =
                    "a stored struct owns its data: hold `String` or `Vec<T>` rather than a reference";
                ctxt.error(param.lifetime.span(), message);
            }
            GenericParam::Type(param) => ctxt.error(param.ident.span(), GENERIC_STORED),
            GenericParam::Const(param) => ctxt.error(param.ident.span(), GENERIC_STORED),
        }
    }
}

const GENERIC_STORED: &str = "generic structs cannot be stored yet: write one struct for each type";

/// Finds the key: the field marked `id`, else the field of that name.
fn key<'a>(ctxt: &Ctxt, container: &'a Container<'a>) -> Option<&'a Field<'a>> {
    let mut marked = container.fields.iter().filter_map(|field| field.options.id.map(|span| (field, span)));
    if let Some((first, _)) = marked.next() {
        for (_, span) in marked {
            let first = first.name();
            ctxt.error(span, format!("a document has one key, and `{first}` is it: remove this `id`"));
        }
        return Some(first);
    }
    let named = container.fields.iter().find(|field| field.name() == "id");
    if named.is_none() {
        let message =
            "a document needs a key: add `id: i64`, or mark the field that is the key `#[document(id)]`";
        ctxt.error(container.ident.span(), message);
    }
    named
}

/// Checks the key's field, whose value is also the row's identity.
fn key_field(ctxt: &Ctxt, field: &Field<'_>) {
    let (options, form) = (&field.options, &field.form);
    let span = field.ident.span();
    if form.skips_writing || form.skips_reading {
        ctxt.error(span, "the key must be stored and loaded: remove serde's `skip`");
    }
    if let Some(span) = form.skips_some {
        ctxt.error(span, "the key is never left out: remove `skip_serializing_if`");
    }
    for (span, _) in &form.hidden {
        ctxt.error(*span, "the key is stored as its type shows: remove this attribute from it");
    }
    if let Some(span) = options.opaque {
        ctxt.error(span, "the key cannot be opaque: every query can name it");
    }
    if let Some(span) = options.index.or(options.unique) {
        ctxt.error(span, "the key is unique and indexed already: remove this");
    }
    same_name_both_ways(ctxt, field);
    aliases(ctxt, field);
}

/// Checks a field that is not the key.
fn stored_field(ctxt: &Ctxt, field: &Field<'_>) {
    let (options, form) = (&field.options, &field.form);
    same_name_both_ways(ctxt, field);
    if !field.has_symbol() {
        let why = if form.skips_writing { "is not stored" } else { "is opaque" };
        for (span, option) in [(options.index, "index"), (options.unique, "unique")] {
            if let Some(span) = span {
                ctxt.error(
                    span,
                    format!("this field {why}, so it cannot have `{option}`: remove one of the two"),
                );
            }
        }
        return;
    }
    for (span, reason) in &form.hidden {
        ctxt.error(*span, reason);
    }
    if let Some(Missing::Function(span)) = form.default {
        let message = "a missing field would load as this value, which queries cannot see yet: \
                       make the field an `Option` without it, or add `#[document(opaque)]`";
        ctxt.error(span, message);
    }
    if let (Some(_), Some(unique)) = (options.index, options.unique) {
        ctxt.error(unique, "`unique` is an index already: remove `index` or `unique`");
    }
    aliases(ctxt, field);
}

/// Refuses a field that serde would not find again where it wrote it.
fn same_name_both_ways(ctxt: &Ctxt, field: &Field<'_>) {
    let form = &field.form;
    let (stored, read) = (&form.stored, &form.read);
    let found = read == stored || form.aliases.iter().any(|alias| alias.value() == *stored);
    if !found && !form.skips_writing && !form.skips_reading {
        let message =
            format!("serde writes this field as `{stored}` and reads it as `{read}`: use one name for both");
        ctxt.error(form.rename.unwrap_or_else(|| field.ident.span()), message);
    }
}

/// Refuses a name under which a document would load, but under which no query looks.
fn aliases(ctxt: &Ctxt, field: &Field<'_>) {
    let stored = &field.form.stored;
    for alias in field.form.aliases.iter().filter(|alias| alias.value() != *stored) {
        let message = format!(
            "a document with `{}` would load, but no query would find the field, which is stored as `{stored}`: \
             rename the key in the documents, or add `#[document(opaque)]`",
            alias.value()
        );
        ctxt.error(alias.span(), message);
    }
}

/// Refuses two fields under one key.
fn stored_names(ctxt: &Ctxt, container: &Container<'_>) {
    let mut names = HashMap::new();
    for field in container.fields.iter().filter(|field| !field.form.skips_writing) {
        if let Some(first) = names.insert(&field.form.stored, field.name()) {
            let stored = &field.form.stored;
            let span = field.form.rename.unwrap_or_else(|| field.ident.span());
            ctxt.error(span, format!("`{first}` is stored as `{stored}` too: rename one of them"));
        }
    }
}

fn collection(ctxt: &Ctxt, container: &Container<'_>) -> String {
    let Some(name) = &container.options.collection else { return case::snake(&container.name()) };
    let text = name.value();
    if text.is_empty() || text.len() > 255 || text.contains('\0') {
        ctxt.error(name.span(), "a collection's name has 1 to 255 bytes and no NUL");
    }
    text
}

fn field_indexes<'a>(container: &'a Container<'_>) -> impl Iterator<Item = Index> + 'a {
    container.symbols().filter_map(|field| {
        let span = field.options.unique.or(field.options.index)?;
        let mut ident = field.ident.clone();
        ident.set_span(span);
        let key = IndexKey { path: vec![ident], descending: false };
        Some(Index { unique: field.options.unique.is_some(), keys: vec![key] })
    })
}

fn compound_indexes(ctxt: &Ctxt, container: &Container<'_>) -> Vec<Index> {
    let compounds = container.options.compounds.iter().map(|compound| {
        let mut keys: Vec<IndexKey> = Vec::new();
        for text in &compound.paths {
            let Some(key) = index_key(ctxt, container, text) else { continue };
            if keys.iter().any(|other| other.path == key.path) {
                ctxt.error(text.span(), "this field is in the index already: remove it here");
            }
            keys.push(key);
        }
        Index { unique: compound.unique, keys }
    });
    compounds.collect()
}

/// Reads `"a"`, `"a asc"`, `"a.b desc"`. Reports a text of another form, and a field that is not there.
fn index_key(ctxt: &Ctxt, container: &Container<'_>, text: &LitStr) -> Option<IndexKey> {
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
    let known: Vec<_> = container.symbols().map(Field::name).collect();
    if !known.contains(&name) {
        let hidden = container.fields.iter().any(|field| field.name() == name);
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

/// Puts `'static` in the place of the struct's own lifetimes.
struct Static<'a>(&'a [&'a Lifetime]);

impl VisitMut for Static<'_> {
    fn visit_lifetime_mut(&mut self, lifetime: &mut Lifetime) {
        if self.0.iter().any(|own| own.ident == lifetime.ident) {
            *lifetime = Lifetime::new("'static", lifetime.span());
        }
        visit_mut::visit_lifetime_mut(self, lifetime);
    }
}
