//! What the derives write: data and one-line calls. The logic is in the library, behind `__private::v1`.
//!
//! Every path is absolute, every call fully qualified, every local name prefixed, so that nothing in scope at the
//! derive can change the meaning. A path whose bound depends on a field is spanned on the field's type.

mod docs;
mod document;
mod embed;
mod fields;
mod newtype;
mod params;
mod scalar;
#[cfg(test)]
mod tests;
mod variants;

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens as _, format_ident, quote, quote_spanned};
use syn::spanned::Spanned as _;
use syn::{Generics, Ident, Type, WherePredicate, parse_quote_spanned};

use crate::ast::{Container, Field, Role};
use crate::generics::{Need, Use};

pub(crate) use document::document;
pub(crate) use embed::embed;
pub(crate) use params::params;

/// The lints that a user's crate may forbid and that generated code cannot help to break.
fn allow() -> TokenStream {
    quote!(#[allow(
        dead_code,
        deprecated,
        missing_copy_implementations,
        missing_debug_implementations,
        non_snake_case,
        private_interfaces,
        single_use_lifetimes,
        unreachable_pub,
        unused_lifetimes,
        unused_qualifications,
        clippy::all,
        clippy::nursery,
        clippy::pedantic,
        clippy::restriction
    )])
}

/// The attributes of a generated implementation.
fn generated() -> TokenStream {
    let allow = allow();
    quote!(#[automatically_derived] #allow)
}

impl Container<'_> {
    /// Returns the path of the vellum crate.
    fn vellum(&self) -> TokenStream {
        self.vellum_at(Span::call_site())
    }

    /// Returns the path of the vellum crate with this span, for what an error shall be reported at. A path that
    /// begins elsewhere would be underlined from there on.
    fn vellum_at(&self, span: Span) -> TokenStream {
        let Some(path) = &self.options.krate else { return quote_spanned!(span=> ::vellum) };
        let tokens = path.to_token_stream().into_iter().map(|mut token| {
            token.set_span(span);
            token
        });
        tokens.collect()
    }

    /// Returns the generics of the stored type, each type with the bounds that it needs to be stored.
    fn stored_generics(&self) -> Generics {
        let mut generics = self.generics.clone();
        let needs = self.needs.as_deref().unwrap_or_default();
        // A default is told to queries as serde writes it.
        let is_written =
            self.role == Role::Document || self.has_default || needs.iter().any(|need| need.is_default_seen);
        for param in generics.type_params_mut() {
            let span = Span::call_site().located_at(param.ident.span());
            let vellum = self.vellum_at(span);
            let own = Use::of(&param.ident, needs);
            if own.is_stored || self.needs.is_none() {
                param.bounds.push(parse_quote_spanned!(span=> #vellum::Value));
                if is_written {
                    param.bounds.push(parse_quote_spanned!(span=> #vellum::__private::v1::Serialize));
                }
            } else {
                param.bounds.push(parse_quote_spanned!(span=> 'static));
            }
            if own.has_default {
                param.bounds.push(parse_quote_spanned!(span=> ::core::default::Default));
            }
        }
        let defaults = self.default_predicates();
        if !defaults.is_empty() {
            generics.make_where_clause().predicates.extend(defaults);
        }
        generics
    }

    /// Returns what the defaults of missing fields ask of types that depend on a parameter.
    fn default_predicates(&self) -> Vec<WherePredicate> {
        let is_generic = |need: &&Need<'_>| self.generics.type_params().any(|param| need.names(&param.ident));
        let needs = self.needs.iter().flatten();
        let seen = needs.filter(|need| need.is_default_seen).filter(is_generic).map(|need| {
            let (ty, span) = (need.ty, type_span(need.ty));
            let vellum = self.vellum_at(span);
            parse_quote_spanned!(span=> #ty: #vellum::__private::v1::SeenDefault)
        });
        let own = (self.has_default && self.generics.type_params().next().is_some()).then(|| {
            let (ident, (_, arguments, _)) = (self.ident, self.generics.split_for_impl());
            parse_quote_spanned!(ident.span()=> #ident #arguments: ::core::default::Default)
        });
        seen.chain(own).collect()
    }

    /// Returns the companion's name.
    fn companion(&self) -> Ident {
        let named = self.options.companion.clone();
        named.unwrap_or_else(|| match self.role {
            Role::Document | Role::Embed => format_ident!("{}Fields", self.ident),
            Role::Params => format_ident!("{}Params", self.ident),
        })
    }
}

impl Field<'_> {
    /// Returns the span for what fails when the field's type is not fit.
    fn type_span(&self) -> Span {
        type_span(self.stored())
    }
}

/// Returns the span for what fails when a type is not fit.
fn type_span(ty: &Type) -> Span {
    Span::call_site().located_at(ty.span())
}
