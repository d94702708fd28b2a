//! What serde's attributes say about the stored form (rule 17).
//!
//! Only what decides a path is read. An attribute that makes paths unknown is refused, unless the field is opaque; one
//! that is not in the tables of `symbol` is taken to be such an attribute.

mod names;

use proc_macro2::Span;
use syn::spanned::Spanned as _;
use syn::{Attribute, ExprPath, LitStr, Meta};

use self::names::Both;
pub(crate) use self::names::Names;
use crate::attr::{items, text};
use crate::case::RenameRule;
use crate::ctxt::Ctxt;
use crate::symbol::{self, Effect, Symbol};

/// How a struct is stored.
#[derive(Default)]
pub(crate) struct StructForm {
    rename_all: Both<RenameRule>,
    /// Where it says that the struct is stored as its one field.
    pub(crate) transparent: Option<Span>,
    /// The key that holds the struct's name beside its fields.
    pub(crate) tag: Option<LitStr>,
    /// What its missing fields are read from.
    pub(crate) default: Option<Missing>,
}

/// How an enum is stored.
#[derive(Default)]
pub(crate) struct EnumForm {
    rename_all: Both<RenameRule>,
    rename_all_fields: Both<RenameRule>,
    pub(crate) tag: Option<LitStr>,
    pub(crate) content: Option<LitStr>,
}

/// How a variant is stored.
#[derive(Default)]
pub(crate) struct VariantForm {
    pub(crate) names: Names,
    /// How its fields are named.
    pub(crate) fields: StructForm,
    pub(crate) skips_writing: bool,
    /// The attributes that hide the stored form, with the reason.
    pub(crate) hidden: Vec<(Span, String)>,
}

/// How a field is stored.
#[derive(Default)]
pub(crate) struct FieldForm {
    pub(crate) names: Names,
    /// Where it says that the fields of what is inside stand beside this one.
    pub(crate) flattened: Option<Span>,
    pub(crate) skips_writing: bool,
    /// Where it says that the field is not read, so that it loads as its default.
    pub(crate) skips_reading: Option<Span>,
    pub(crate) skips_some: Option<Span>,
    pub(crate) default: Option<Missing>,
    /// The attributes that hide the stored form, with the reason.
    pub(crate) hidden: Vec<(Span, String)>,
}

/// What a missing field is read as.
#[derive(Clone)]
pub(crate) enum Missing {
    /// `default`: the type's own default.
    Default,
    /// `default = "function"`: whatever that returns.
    Function(ExprPath),
}

impl StructForm {
    /// Reads the attributes of a struct and reports those that hide its paths.
    pub(crate) fn read(ctxt: &Ctxt, attrs: &[Attribute]) -> Self {
        let mut form = Self::default();
        each_read(ctxt, attrs, symbol::SERDE_OF_STRUCT, |name, meta| match name {
            symbol::RENAME_ALL => form.rename_all = Both::rules(ctxt, meta),
            symbol::TRANSPARENT => form.transparent = Some(meta.path().span()),
            symbol::TAG => form.tag = ctxt.ok(text(meta)),
            symbol::DEFAULT => form.default = Missing::read(ctxt, meta),
            _ => {}
        });
        form
    }
}

impl Missing {
    fn read(ctxt: &Ctxt, meta: &Meta) -> Option<Self> {
        match meta {
            Meta::Path(_) => Some(Self::Default),
            meta => {
                let path = text(meta).and_then(|text| {
                    text.parse().map_err(|_| syn::Error::new(text.span(), "expected the path of a function"))
                });
                ctxt.ok(path).map(Self::Function)
            }
        }
    }
}

impl EnumForm {
    /// Reads the attributes of an enum and reports those that hide its paths.
    pub(crate) fn read(ctxt: &Ctxt, attrs: &[Attribute]) -> Self {
        let mut form = Self::default();
        each_read(ctxt, attrs, symbol::SERDE_OF_ENUM, |name, meta| match name {
            symbol::RENAME_ALL => form.rename_all = Both::rules(ctxt, meta),
            symbol::RENAME_ALL_FIELDS => form.rename_all_fields = Both::rules(ctxt, meta),
            symbol::TAG => form.tag = ctxt.ok(text(meta)),
            symbol::CONTENT => form.content = ctxt.ok(text(meta)),
            _ => {}
        });
        form
    }
}

impl VariantForm {
    /// Reads the attributes of a variant.
    pub(crate) fn read(ctxt: &Ctxt, attrs: &[Attribute], name: &str, outer: &EnumForm) -> Self {
        let names = Names::by_rules(name, outer.rename_all, RenameRule::apply_to_variant);
        let fields = StructForm { rename_all: outer.rename_all_fields, ..StructForm::default() };
        let mut form = Self { names, fields, ..Self::default() };
        for meta in items(ctxt, attrs, symbol::SERDE) {
            match effect(&meta, symbol::SERDE_OF_VARIANT) {
                Ok(symbol::RENAME) => form.names.rename(ctxt, &meta),
                Ok(symbol::ALIAS) => form.names.alias(ctxt, &meta),
                Ok(symbol::RENAME_ALL) => form.fields.rename_all = Both::rules(ctxt, &meta),
                Ok(symbol::SKIP | symbol::SKIP_SERIALIZING) => form.skips_writing = true,
                Ok(_) => {}
                Err(reason) => form.hidden.push((meta.path().span(), reason)),
            }
        }
        form
    }
}

impl FieldForm {
    /// Returns the form of a field without attributes.
    pub(crate) fn plain(name: &str) -> Self {
        Self { names: Names::plain(name), ..Self::default() }
    }

    /// Reads the attributes of a field.
    pub(crate) fn read(ctxt: &Ctxt, attrs: &[Attribute], name: &str, outer: &StructForm) -> Self {
        let names = Names::by_rules(name, outer.rename_all, RenameRule::apply_to_field);
        let mut form = Self { names, ..Self::default() };
        for meta in items(ctxt, attrs, symbol::SERDE) {
            match effect(&meta, symbol::SERDE_OF_FIELD) {
                Ok(name) => form.set(ctxt, name, &meta),
                Err(reason) => form.hidden.push((meta.path().span(), reason)),
            }
        }
        form
    }

    fn set(&mut self, ctxt: &Ctxt, name: Symbol, meta: &Meta) {
        let span = meta.path().span();
        match name {
            symbol::RENAME => self.names.rename(ctxt, meta),
            symbol::ALIAS => self.names.alias(ctxt, meta),
            symbol::FLATTEN => self.flattened = Some(span),
            symbol::SKIP => (self.skips_writing, self.skips_reading) = (true, Some(span)),
            symbol::SKIP_SERIALIZING => self.skips_writing = true,
            symbol::SKIP_DESERIALIZING => self.skips_reading = Some(span),
            symbol::SKIP_SERIALIZING_IF => self.skips_some = Some(span),
            symbol::DEFAULT => self.default = Missing::read(ctxt, meta),
            _ => {}
        }
    }
}

/// Calls `read` for each attribute of an item that is in the table; reports those that hide its paths.
fn each_read(
    ctxt: &Ctxt,
    attrs: &[Attribute],
    table: &[(Symbol, Effect)],
    mut read: impl FnMut(Symbol, &Meta),
) {
    for meta in items(ctxt, attrs, symbol::SERDE) {
        match effect(&meta, table) {
            Ok(name) => read(name, &meta),
            Err(reason) => ctxt.error(meta.path().span(), reason),
        }
    }
}

/// Looks an attribute up in its table. The error says why it hides the stored form.
fn effect(meta: &Meta, table: &[(Symbol, Effect)]) -> Result<Symbol, String> {
    match table.iter().find(|(name, _)| meta.path() == name) {
        Some((name, Effect::None | Effect::Read)) => Ok(*name),
        Some((name, Effect::Hides(reason))) => Err(format!("`serde({name})` {reason}")),
        None => Err("vellum does not know what this attribute does to the stored form".to_owned()),
    }
}
