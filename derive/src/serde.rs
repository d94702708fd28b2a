//! What serde's attributes say about the stored form (rule 17).
//!
//! Only what decides a path is read. An attribute that makes paths unknown is refused by `check`, unless the field is
//! opaque; one that is not in the tables of `symbol` is taken to be such an attribute.

use proc_macro2::Span;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned as _;
use syn::{Attribute, LitStr, Meta, Token};

use crate::attr::{items, text};
use crate::case::RenameRule;
use crate::ctxt::Ctxt;
use crate::symbol::{self, Effect, Symbol};

/// How a struct names its fields, when written and when read.
#[derive(Default)]
pub(crate) struct StructForm {
    writes: Option<RenameRule>,
    reads: Option<RenameRule>,
}

/// How a field is stored.
#[derive(Default)]
pub(crate) struct FieldForm {
    /// The key that is written.
    pub(crate) stored: String,
    /// The key that is read; differs only when serde was told so.
    pub(crate) read: String,
    /// Where the names were given, if they were.
    pub(crate) rename: Option<Span>,
    pub(crate) aliases: Vec<LitStr>,
    pub(crate) skips_writing: bool,
    pub(crate) skips_reading: bool,
    pub(crate) skips_some: Option<Span>,
    pub(crate) default: Option<Missing>,
    /// The attributes that hide the stored form, with the reason.
    pub(crate) hidden: Vec<(Span, String)>,
}

/// What a missing field is read as.
#[derive(Clone, Copy)]
pub(crate) enum Missing {
    /// `default`: the type's own default.
    Default,
    /// `default = "function"`: whatever that returns.
    Function(Span),
}

impl StructForm {
    /// Reads the attributes of a struct and reports those that hide its paths.
    pub(crate) fn read(ctxt: &Ctxt, attrs: &[Attribute]) -> Self {
        let mut form = Self::default();
        for meta in items(ctxt, attrs, symbol::SERDE) {
            match effect(&meta, symbol::SERDE_OF_STRUCT) {
                Ok((symbol::RENAME_ALL, Effect::Read)) => {
                    let (writes, reads) = ctxt.ok(names(&meta, rule)).unwrap_or_default();
                    form = Self { writes, reads };
                }
                Ok((_, Effect::Read | Effect::None)) => {}
                Ok((name, Effect::Hides(reason))) => {
                    ctxt.error(meta.path().span(), format!("`serde({name})` {reason}"));
                }
                Err(message) => ctxt.error(meta.path().span(), message),
            }
        }
        form
    }
}

impl FieldForm {
    /// Returns the form of a field without attributes.
    pub(crate) fn plain(name: &str) -> Self {
        Self { stored: name.to_owned(), read: name.to_owned(), ..Self::default() }
    }

    /// Reads the attributes of a field.
    pub(crate) fn read(ctxt: &Ctxt, attrs: &[Attribute], name: &str, outer: &StructForm) -> Self {
        let apply = |rule: Option<RenameRule>| rule.map_or_else(|| name.to_owned(), |rule| rule.apply(name));
        let mut form = Self { stored: apply(outer.writes), read: apply(outer.reads), ..Self::default() };
        for meta in items(ctxt, attrs, symbol::SERDE) {
            let span = meta.path().span();
            match effect(&meta, symbol::SERDE_OF_FIELD) {
                Ok((name, Effect::Read)) => form.set(ctxt, name, &meta),
                Ok((_, Effect::None)) => {}
                Ok((name, Effect::Hides(reason))) => {
                    form.hidden.push((span, format!("`serde({name})` {reason}")))
                }
                Err(message) => form.hidden.push((span, message)),
            }
        }
        form
    }

    fn set(&mut self, ctxt: &Ctxt, name: Symbol, meta: &Meta) {
        let span = meta.path().span();
        match name {
            symbol::RENAME => {
                let (writes, reads) =
                    ctxt.ok(names(meta, |meta| Ok(text(meta)?.value()))).unwrap_or_default();
                self.stored = writes.unwrap_or_else(|| std::mem::take(&mut self.stored));
                self.read = reads.unwrap_or_else(|| std::mem::take(&mut self.read));
                self.rename = Some(span);
            }
            symbol::ALIAS => self.aliases.extend(ctxt.ok(text(meta))),
            symbol::SKIP => (self.skips_writing, self.skips_reading) = (true, true),
            symbol::SKIP_SERIALIZING => self.skips_writing = true,
            symbol::SKIP_DESERIALIZING => self.skips_reading = true,
            symbol::SKIP_SERIALIZING_IF => self.skips_some = Some(span),
            symbol::DEFAULT => {
                let function = matches!(meta, Meta::NameValue(_));
                self.default = Some(if function { Missing::Function(span) } else { Missing::Default });
            }
            _ => {}
        }
    }
}

/// Looks an attribute up in its table. The error says that it is not there.
fn effect(meta: &Meta, table: &[(Symbol, Effect)]) -> Result<(Symbol, Effect), String> {
    let known = table.iter().copied().find(|(name, _)| meta.path() == name);
    known.ok_or_else(|| "vellum does not know what this attribute does to the stored form".to_owned())
}

/// Returns the rule of `rename_all = "rule"`.
fn rule(meta: &Meta) -> syn::Result<RenameRule> {
    let text = text(meta)?;
    text.value().parse().map_err(|message: String| syn::Error::new(text.span(), message))
}

/// Returns what `rename = ".."` or `rename(serialize = "..", deserialize = "..")` gives for writing and for reading.
fn names<T: Clone>(
    meta: &Meta,
    value: impl Fn(&Meta) -> syn::Result<T>,
) -> syn::Result<(Option<T>, Option<T>)> {
    let Meta::List(list) = meta else {
        let both = value(meta)?;
        return Ok((Some(both.clone()), Some(both)));
    };
    let (mut writes, mut reads) = (None, None);
    for meta in list.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated)? {
        if *meta.path() == symbol::SERIALIZE {
            writes = Some(value(&meta)?);
        } else if *meta.path() == symbol::DESERIALIZE {
            // Serde takes several; the first one is the name.
            reads = reads.or(Some(value(&meta)?));
        } else {
            return Err(syn::Error::new_spanned(meta.path(), "expected `serialize` or `deserialize`"));
        }
    }
    Ok((writes, reads))
}
