//! The doc comments of generated items. They name things in code spans: a link could break in the user's documentation.
//!
//! Every item gets one, so that a crate may even forbid `missing_docs`.

use proc_macro2::TokenStream;
use quote::quote;

use crate::ast::{Container, Field, Role, Variant};

/// Returns the doc comment of the companion struct.
pub(super) fn companion(container: &Container<'_>) -> TokenStream {
    let name = container.name();
    let text = match container.role {
        Role::Document | Role::Embed => format!("The fields of `{name}` as query expressions."),
        Role::Params => format!("The fields of `{name}` as the parameters of a query."),
    };
    quote!(#[doc = #text])
}

/// Returns the doc comments of a field of it: the user's own, if there are any.
pub(super) fn field(field: &Field<'_>) -> TokenStream {
    let docs = &field.docs;
    if docs.is_empty() {
        let text = format!("The field `{}`.", field.name());
        return quote!(#[doc = #text]);
    }
    quote!(#(#docs)*)
}

/// Returns the doc comment of the companion of an enum.
pub(super) fn variants(container: &Container<'_>) -> TokenStream {
    let text = format!("The variants of `{}` as query expressions.", container.name());
    quote!(#[doc = #text])
}

/// Returns the doc comments of a variant in it: the user's own, if there are any.
pub(super) fn variant(variant: &Variant<'_>) -> TokenStream {
    let docs = &variant.docs;
    if docs.is_empty() {
        let text = format!("The variant `{}`.", variant.ident);
        return quote!(#[doc = #text]);
    }
    quote!(#(#docs)*)
}

/// Returns the doc comment of the companion of a struct variant.
pub(super) fn struct_variant(container: &Container<'_>, variant: &Variant<'_>) -> TokenStream {
    let text = format!("The fields of `{}::{}` as query expressions.", container.name(), variant.ident);
    quote!(#[doc = #text])
}
