//! The companion struct of a document or an embedded struct, and its `Symbol` implementation.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};

use super::{allow, docs, generated};
use crate::ast::{Container, Field};
use crate::serde::Missing;

/// Writes the companion. `key` is the field whose value is the row's identity.
pub(super) fn companion(container: &Container<'_>, key: Option<&Field<'_>>) -> TokenStream {
    let (allow, generated, doc) = (allow(), generated(), docs::companion(container));
    let (vellum, vis, out, name) =
        (container.vellum(), container.vis, container.ident, container.companion());
    let private = quote!(#vellum::__private::v1);
    // Rustc asks a struct's last field whether the struct is sized, at each use of the struct. With the key there,
    // whose type is seldom wrong, a field of an unfit type is reported at that field and not a dozen times over.
    let (keys, others): (Vec<_>, Vec<_>) =
        container.symbols().partition(|field| key.is_some_and(|key| key.ident == field.ident));
    let members = others.iter().chain(&keys).map(|field| {
        let (ident, ty, docs, span) = (field.ident, field.ty, docs::field(field), field.type_span());
        let vellum = container.vellum_at(span);
        let symbol = quote_spanned!(span=> <#ty as #vellum::Value>::Sym);
        quote!(#docs #vis #ident: #symbol)
    });
    let bound = container.symbols().map(|field| {
        let (ident, stored, span) = (field.ident, &field.form.stored, field.type_span());
        let vellum = container.vellum_at(span);
        let symbol = if key.is_some_and(|key| key.ident == ident) {
            quote_spanned!(span=> #vellum::__private::v1::key(__vellum_node))
        } else {
            quote_spanned!(span=> #vellum::__private::v1::field(__vellum_node, #stored))
        };
        quote!(#ident: #symbol)
    });
    let nodes = container.symbols().map(|field| {
        let (ident, stored, span) = (field.ident, &field.form.stored, field.type_span());
        let vellum = container.vellum_at(span);
        let node = quote_spanned!(span=> #vellum::Symbol::node(self.#ident));
        quote!((#stored, #node))
    });
    let defaults = container.symbols().filter_map(|field| default_check(container, field));
    quote! {
        #doc
        #allow
        #vis struct #name { #(#members,)* }

        #generated
        impl ::core::clone::Clone for #name {
            fn clone(&self) -> Self { *self }
        }

        #generated
        impl ::core::marker::Copy for #name {}

        #generated
        impl #vellum::Symbol for #name {
            type Out = #out;
            fn bind(__vellum_node: #private::Node) -> Self {
                #private::mark::<Self>(__vellum_node);
                Self { #(#bound,)* }
            }
            fn node(self) -> #private::Node {
                #private::object::<Self>(&[#(#nodes,)*])
            }
        }

        #(#defaults)*
    }
}

/// Writes the check that a missing field with `#[serde(default)]` loads as a query sees it: as nothing. Only the type
/// can tell, so the bound of a function does.
fn default_check(container: &Container<'_>, field: &Field<'_>) -> Option<TokenStream> {
    let Some(Missing::Default) = field.form.default else { return None };
    let (allow, ty, span) = (allow(), field.ty, field.type_span());
    let vellum = container.vellum_at(span);
    let check = quote_spanned!(span=> #vellum::__private::v1::default_is_missing::<#ty>);
    Some(quote!(#allow const _: fn() = #check;))
}
