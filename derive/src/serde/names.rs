//! The names that fields and variants have in documents: `rename`, `rename_all`, `alias`.

use proc_macro2::Span;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned as _;
use syn::{LitStr, Meta, Token};

use crate::attr::text;
use crate::case::RenameRule;
use crate::ctxt::Ctxt;
use crate::symbol;

/// The names that a field or a variant has in documents.
#[derive(Default)]
pub(crate) struct Names {
    /// The name that is written.
    pub(crate) stored: String,
    /// The name that is read; differs only when serde was told so.
    pub(crate) read: String,
    /// Where the names were given, if they were.
    pub(crate) rename: Option<Span>,
    pub(crate) aliases: Vec<LitStr>,
}

/// One thing for writing and one for reading.
#[derive(Clone, Copy)]
pub(super) struct Both<T> {
    pub(super) writes: Option<T>,
    pub(super) reads: Option<T>,
}

impl<T> Default for Both<T> {
    fn default() -> Self {
        Self { writes: None, reads: None }
    }
}

impl<T: Clone> Both<T> {
    /// Reads `name = ".."` or `name(serialize = "..", deserialize = "..")`.
    fn read(meta: &Meta, value: impl Fn(&Meta) -> syn::Result<T>) -> syn::Result<Self> {
        let Meta::List(list) = meta else {
            let both = value(meta)?;
            return Ok(Self { writes: Some(both.clone()), reads: Some(both) });
        };
        let mut both = Self::default();
        for meta in list.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated)? {
            if *meta.path() == symbol::SERIALIZE {
                both.writes = Some(value(&meta)?);
            } else if *meta.path() == symbol::DESERIALIZE {
                // Serde takes several; the first one is the name.
                both.reads = both.reads.or(Some(value(&meta)?));
            } else {
                return Err(syn::Error::new_spanned(meta.path(), "expected `serialize` or `deserialize`"));
            }
        }
        Ok(both)
    }
}

impl Both<RenameRule> {
    /// Reads `rename_all` or `rename_all_fields`.
    pub(super) fn rules(ctxt: &Ctxt, meta: &Meta) -> Self {
        ctxt.ok(Self::read(meta, rule)).unwrap_or_default()
    }
}

impl Names {
    /// Returns the names of what is written and read under one.
    pub(super) fn plain(name: &str) -> Self {
        Self { stored: name.to_owned(), read: name.to_owned(), ..Self::default() }
    }

    /// Returns the names that the rules around it give.
    pub(super) fn by_rules(
        name: &str,
        rules: Both<RenameRule>,
        apply: fn(RenameRule, &str) -> String,
    ) -> Self {
        let by = |rule: Option<RenameRule>| rule.map_or_else(|| name.to_owned(), |rule| apply(rule, name));
        Self { stored: by(rules.writes), read: by(rules.reads), ..Self::default() }
    }

    /// Reads `rename`.
    pub(super) fn rename(&mut self, ctxt: &Ctxt, meta: &Meta) {
        let given = ctxt.ok(Both::read(meta, |meta| Ok(text(meta)?.value()))).unwrap_or_default();
        self.stored = given.writes.unwrap_or_else(|| std::mem::take(&mut self.stored));
        self.read = given.reads.unwrap_or_else(|| std::mem::take(&mut self.read));
        self.rename = Some(meta.path().span());
    }

    /// Reads `alias`.
    pub(super) fn alias(&mut self, ctxt: &Ctxt, meta: &Meta) {
        self.aliases.extend(ctxt.ok(text(meta)));
    }

    /// Returns whether serde reads what it wrote.
    pub(crate) fn agree(&self) -> bool {
        self.read == self.stored || self.aliases.iter().any(|alias| alias.value() == self.stored)
    }

    /// Returns the names that are read and never written.
    pub(crate) fn foreign(&self) -> impl Iterator<Item = &LitStr> {
        self.aliases.iter().filter(|alias| alias.value() != self.stored)
    }
}

/// Returns the rule of `rename_all = "rule"`.
fn rule(meta: &Meta) -> syn::Result<RenameRule> {
    let text = text(meta)?;
    text.value().parse().map_err(|message: String| syn::Error::new(text.span(), message))
}
