//! The implementations for what is embedded.

use proc_macro2::TokenStream;
use quote::quote;

use super::fields::Companion;
use super::{generated, newtype, scalar, variants};
use crate::ast::{Container, Struct};
use crate::check::Embed;

/// Writes what a form of embedded type needs.
pub(crate) fn embed(embed: &Embed<'_>) -> TokenStream {
    match embed {
        Embed::Declared(container, repr) => newtype::declared(container, repr),
        Embed::Struct(item) => structure(item),
        Embed::Newtype(item) => newtype::newtype(item),
        Embed::Names(item) => scalar::names(item),
        Embed::Tagged(tagged) => variants::tagged(tagged),
    }
}

/// Writes the companion and `Value`.
fn structure(item: &Struct<'_>) -> TokenStream {
    let container = &item.container;
    let (companion, value) = (Companion::of(item, None).symbol(), value(container, &quote!(Object)));
    let flatten = flatten(container);
    quote!(#companion #value #flatten)
}

/// Writes `Flatten` for what is stored as members.
pub(super) fn flatten(container: &Container<'_>) -> TokenStream {
    let (generated, vellum, ident) = (generated(), container.vellum(), container.ident);
    let generics = container.stored_generics();
    let (parameters, arguments, bounds) = generics.split_for_impl();
    quote! {
        #generated
        impl #parameters #vellum::__private::v1::Flatten for #ident #arguments #bounds {}
    }
}

/// Writes `Value` for what has a companion.
pub(super) fn value(container: &Container<'_>, ty: &TokenStream) -> TokenStream {
    let (generated, vellum, fields, ident) =
        (generated(), container.vellum(), container.companion(), container.ident);
    let generics = container.stored_generics();
    let (parameters, arguments, bounds) = generics.split_for_impl();
    quote! {
        #generated
        impl #parameters #vellum::Value for #ident #arguments #bounds {
            type Core = Self;
            type Sym = #fields #arguments;
            type OptSym = #vellum::Nullable<#fields #arguments>;
            const TYPE: #vellum::__private::v1::Type = #vellum::__private::v1::Type::#ty;
        }
    }
}
