//! The companion struct of a document, an embedded struct or a variant, and its `Symbol` implementation.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::visit::{self, Visit};
use syn::{Generics, Ident, TypeParam};

use super::{allow, docs, generated, type_span};
use crate::ast::{Container, Field, Struct};
use crate::serde::Missing;

/// A struct whose members are fields as query expressions.
pub(super) struct Companion<'a> {
    pub(super) container: &'a Container<'a>,
    pub(super) name: Ident,
    pub(super) doc: TokenStream,
    /// Those with a symbol.
    pub(super) fields: Vec<&'a Field<'a>>,
    /// Those that are stored, and that no query can name.
    pub(super) opaque: Vec<&'a Field<'a>>,
    /// The field whose value is the row's identity.
    pub(super) key: Option<&'a Field<'a>>,
    /// What missing fields are read from.
    pub(super) default: Option<&'a Missing>,
}

impl<'a> Companion<'a> {
    /// Returns the companion of a struct.
    pub(super) fn of(item: &'a Struct<'a>, key: Option<&'a Field<'a>>) -> Self {
        let container = &item.container;
        let (name, doc) = (container.companion(), docs::companion(container));
        let opaque = item.fields.iter().filter(|field| field.is_opaque()).collect();
        let default = item.default.as_ref();
        Self { container, name, doc, fields: item.symbols().collect(), opaque, key, default }
    }

    fn is_key(&self, field: &Field<'_>) -> bool {
        self.key.is_some_and(|key| key.ident == field.ident)
    }

    /// Writes the struct, `Clone` and `Copy`.
    pub(super) fn declaration(&self) -> TokenStream {
        let (allow, generated, doc) = (allow(), generated(), &self.doc);
        let (vis, name) = (self.container.vis, &self.name);
        // Rustc asks a struct's last field whether the struct is sized, at each use of the struct. With the key there,
        // whose type is seldom wrong, a field of an unfit type is reported at that field and not a dozen times over.
        let (keys, others): (Vec<&Field<'_>>, Vec<_>) =
            self.fields.iter().partition(|field| self.is_key(field));
        let members = others.iter().chain(&keys).map(|field| {
            let (ident, ty, docs, span) =
                (field.ident, field.stored(), docs::field(field), field.type_span());
            let vellum = self.container.vellum_at(span);
            let symbol = quote_spanned!(span=> <#ty as #vellum::Value>::Sym);
            quote!(#docs #vis #ident: #symbol)
        });
        let generics = self.container.stored_generics();
        let (parameters, arguments, bounds) = generics.split_for_impl();
        let unused = unused(&generics, &self.fields).map(|ident| quote!(#ident)).collect::<Vec<_>>();
        let phantom = (!unused.is_empty())
            .then(|| quote!(#[doc(hidden)] #vis __vellum_types: ::core::marker::PhantomData<fn() -> (#(#unused,)*)>,));
        let defaults = self.fields.iter().filter_map(|field| default_check(self.container, field));
        quote! {
            #doc
            #allow
            #vis struct #name #parameters #bounds { #phantom #(#members,)* }

            #generated
            impl #parameters ::core::clone::Clone for #name #arguments #bounds {
                fn clone(&self) -> Self { *self }
            }

            #generated
            impl #parameters ::core::marker::Copy for #name #arguments #bounds {}

            #(#defaults)*
        }
    }

    /// Writes the companion that stands for what is stored at the node `__vellum_node`.
    pub(super) fn bound(&self) -> TokenStream {
        let (out, generics) = (self.container.ident, self.container.stored_generics());
        let (_, arguments, _) = generics.split_for_impl();
        let bound = self.fields.iter().map(|field| {
            let (ident, stored, span) = (field.ident, &field.form.names.stored, field.type_span());
            let vellum = self.container.vellum_at(span);
            let symbol = if self.is_key(field) {
                quote_spanned!(span=> #vellum::__private::v1::key::<#out #arguments, _>(__vellum_node, #stored))
            } else if field.form.flattened.is_some() {
                let ty = field.stored();
                quote_spanned!(span=> #vellum::__private::v1::flattened::<#ty>(__vellum_node))
            } else if let Some(default) = self.default_of(field) {
                let ty = field.ty;
                quote_spanned!(span=> #vellum::__private::v1::defaulted::<_, #ty>(__vellum_node, #stored, &#default))
            } else {
                quote_spanned!(span=> #vellum::__private::v1::field(__vellum_node, #stored))
            };
            quote!(#ident: #symbol)
        });
        let around = self.default.map(|default| {
            let value = match default {
                Missing::Default => quote!(<#out #arguments as ::core::default::Default>::default()),
                Missing::Function(function) => quote!(#function()),
            };
            quote!(let __vellum_default: #out #arguments = #value;)
        });
        let phantom = unused(&generics, &self.fields)
            .next()
            .map(|_| quote!(__vellum_types: ::core::marker::PhantomData,));
        quote!({ #around Self { #phantom #(#bound,)* } })
    }

    /// Writes what a missing field is read as.
    fn default_of(&self, field: &Field<'_>) -> Option<TokenStream> {
        let (ident, ty, span) = (field.ident, field.ty, type_span(field.ty));
        let vellum = self.container.vellum_at(span);
        match &field.form.default {
            // What `with` would store is not known; the check lets nothing pass but what is missing itself.
            _ if field.options.repr.is_some() => None,
            Some(Missing::Default) => {
                Some(quote_spanned!(span=> #vellum::__private::v1::default_of::<#ty>()))
            }
            Some(Missing::Function(function)) => Some(quote!(#function())),
            None => self.default.map(|_| quote!(__vellum_default.#ident)),
        }
    }

    /// Writes the companion and `Symbol`.
    pub(super) fn symbol(&self) -> TokenStream {
        let (declaration, bound, generated) = (self.declaration(), self.bound(), generated());
        let (vellum, out, name) = (self.container.vellum(), self.container.ident, &self.name);
        let private = quote!(#vellum::__private::v1);
        let node = |field: &Field<'_>| {
            let (ident, span) = (field.ident, field.type_span());
            let vellum = self.container.vellum_at(span);
            quote_spanned!(span=> #vellum::Symbol::node(self.#ident))
        };
        let (flattened, own): (Vec<&Field<'_>>, Vec<_>) =
            self.fields.iter().partition(|field| field.form.flattened.is_some());
        let flattened = flattened.into_iter().map(node);
        let nodes = own.into_iter().map(|field| {
            let (stored, node) = (&field.form.names.stored, node(field));
            quote!((#stored, #node))
        });
        let opaque = self.opaque.iter().map(|field| &field.form.names.stored);
        let generics = self.container.stored_generics();
        let (parameters, arguments, bounds) = generics.split_for_impl();
        quote! {
            #declaration

            #generated
            impl #parameters #vellum::Symbol for #name #arguments #bounds {
                type Out = #out #arguments;
                fn bind(__vellum_node: #private::Node) -> Self {
                    #private::mark::<Self>(__vellum_node);
                    #bound
                }
                fn node(self) -> #private::Node {
                    #private::object::<Self>(&[#(#nodes,)*], &[#(#flattened,)*], &[#(#opaque,)*])
                }
            }
        }
    }
}

/// Returns the type parameters that no member's type names, which rustc wants to be named all the same.
fn unused<'g>(generics: &'g Generics, fields: &[&Field<'_>]) -> impl Iterator<Item = &'g Ident> {
    let mut named = Named(generics.type_params().map(|param| (param, false)).collect());
    fields.iter().for_each(|field| named.visit_type(field.stored()));
    named.0.into_iter().filter(|(_, is_named)| !is_named).map(|(param, _)| &param.ident)
}

/// Finds which parameters are named.
struct Named<'g>(Vec<(&'g TypeParam, bool)>);

impl<'ast> Visit<'ast> for Named<'_> {
    fn visit_ident(&mut self, ident: &'ast Ident) {
        self.0
            .iter_mut()
            .filter(|(param, _)| param.ident == *ident)
            .for_each(|(_, is_named)| *is_named = true);
        visit::visit_ident(self, ident);
    }
}

/// Writes the check that a missing field with `#[serde(default, with = "..")]` loads as a query sees it: as nothing. Only
/// the type can tell, so the bound of a function does.
fn default_check(container: &Container<'_>, field: &Field<'_>) -> Option<TokenStream> {
    let (Some(Missing::Default), Some(_)) = (&field.form.default, &field.options.repr) else { return None };
    let (allow, ty, span) = (allow(), field.ty, type_span(field.ty));
    let vellum = container.vellum_at(span);
    let generics = container.stored_generics();
    let (parameters, _, bounds) = generics.split_for_impl();
    let check = quote_spanned!(span=> #vellum::__private::v1::default_is_missing::<#ty>());
    Some(quote!(#allow const _: () = { fn check #parameters() #bounds { #check } };))
}
