//! The implementations for enums whose variants hold data: a companion that has a member for each variant.

use proc_macro2::TokenStream;
use quote::{format_ident, quote, quote_spanned};
use syn::ext::IdentExt as _;

use super::embed::{flatten, value};
use super::fields::Companion;
use super::{allow, docs, generated, type_span};
use crate::ast::{Container, Variant, VariantData};
use crate::check::{Tagged, Tagging};

/// Writes the companions of the struct variants, that of the enum, and `Value`.
pub(super) fn tagged(tagged: &Tagged<'_>) -> TokenStream {
    let container = &tagged.item.container;
    let structs = tagged.variants.iter().filter_map(|(_, variant)| struct_variant(container, variant));
    let companion = companion(tagged);
    let (ty, flatten) = match tagged.tagging {
        // A variant without data is its name alone.
        Tagging::External => (quote!(Any), None),
        Tagging::Internal { .. } | Tagging::Adjacent { .. } => (quote!(Object), Some(flatten(container))),
    };
    let value = value(container, &ty);
    quote!(#(#structs)* #companion #value #flatten)
}

fn companion(tagged: &Tagged<'_>) -> TokenStream {
    let container = &tagged.item.container;
    let (allow, generated, doc) = (allow(), generated(), docs::variants(container));
    let (vellum, vis, out, name) =
        (container.vellum(), container.vis, container.ident, container.companion());
    let private = quote!(#vellum::__private::v1);
    let members = tagged.variants.iter().map(|(member, variant)| {
        let (docs, symbol) = (docs::variant(variant), symbol(container, variant));
        quote!(#docs #vis #member: #vellum::Variant<#symbol>)
    });
    let bound = tagged.variants.iter().map(|(member, variant)| {
        let bound = bound(container, &tagged.tagging, variant);
        quote!(#member: #bound)
    });
    let tag = tag(tagged);
    let generics = container.stored_generics();
    let (parameters, arguments, bounds) = generics.split_for_impl();
    let types = generics.type_params().map(|param| &param.ident);
    quote! {
        #doc
        #allow
        #vis struct #name #parameters #bounds {
            #(#members,)*
            #[doc(hidden)]
            __vellum_node: #private::Node,
            #[doc(hidden)]
            __vellum_types: ::core::marker::PhantomData<fn() -> (#(#types,)*)>,
        }

        #generated
        impl #parameters ::core::clone::Clone for #name #arguments #bounds {
            fn clone(&self) -> Self { *self }
        }

        #generated
        impl #parameters ::core::marker::Copy for #name #arguments #bounds {}

        #tag

        #generated
        impl #parameters #vellum::Symbol for #name #arguments #bounds {
            type Out = #out #arguments;
            fn bind(__vellum_node: #private::Node) -> Self {
                Self { #(#bound,)* __vellum_node, __vellum_types: ::core::marker::PhantomData }
            }
            fn node(self) -> #private::Node { #private::variants::<Self>(self.__vellum_node) }
        }
    }
}

/// Writes the method that gives the stored name of the variant, where it has a place of its own.
fn tag(tagged: &Tagged<'_>) -> Option<TokenStream> {
    let (Tagging::Internal { tag } | Tagging::Adjacent { tag, .. }) = &tagged.tagging else { return None };
    let container = &tagged.item.container;
    let (allow, vellum, vis, name) = (allow(), container.vellum(), container.vis, container.companion());
    let generics = container.stored_generics();
    let (parameters, arguments, bounds) = generics.split_for_impl();
    Some(quote! {
        #allow
        impl #parameters #name #arguments #bounds {
            /// Returns the name under which the variant is stored.
            #vis fn tag(self) -> #vellum::Expr<::std::string::String> {
                #vellum::__private::v1::tag(self.__vellum_node, #tag)
            }
        }
    })
}

/// Returns the type of what the closures over a variant are given.
fn symbol(container: &Container<'_>, variant: &Variant<'_>) -> TokenStream {
    match &variant.data {
        VariantData::Unit | VariantData::Tuple(_) => quote!(()),
        VariantData::Newtype(inner) => match inner.stored() {
            None => quote!(()),
            Some(stored) => {
                let span = type_span(stored);
                let vellum = container.vellum_at(span);
                quote_spanned!(span=> <#stored as #vellum::Value>::Sym)
            }
        },
        VariantData::Struct(_) => {
            let name = struct_name(container, variant);
            let generics = container.stored_generics();
            let (_, arguments, _) = generics.split_for_impl();
            quote!(#name #arguments)
        }
    }
}

/// Writes the call that finds a variant at the node of its enum.
fn bound(container: &Container<'_>, tagging: &Tagging, variant: &Variant<'_>) -> TokenStream {
    let vellum = container.vellum();
    let private = quote!(#vellum::__private::v1);
    let stored = &variant.form.names.stored;
    let inside = match &variant.data {
        VariantData::Newtype(inner) if inner.stored().is_some() => quote!(#vellum::Symbol::bind),
        VariantData::Struct(_) => {
            let name = struct_name(container, variant);
            quote!(#name::__vellum_bind)
        }
        _ => quote!(|_| ()),
    };
    match (tagging, &variant.data) {
        (Tagging::External, VariantData::Unit) => quote!(#private::Variant::named(__vellum_node, #stored)),
        (Tagging::External, _) => quote!(#private::Variant::under_name(__vellum_node, #stored, #inside)),
        (Tagging::Internal { tag }, _) => {
            quote!(#private::Variant::beside_tag(__vellum_node, #tag, #stored, #inside))
        }
        (Tagging::Adjacent { tag, content }, _) => {
            quote!(#private::Variant::under_content(__vellum_node, #tag, #stored, #content, #inside))
        }
    }
}

/// Writes the companion of a struct variant.
fn struct_variant(container: &Container<'_>, variant: &Variant<'_>) -> Option<TokenStream> {
    let VariantData::Struct(fields) = &variant.data else { return None };
    let companion = Companion {
        container,
        name: struct_name(container, variant),
        doc: docs::struct_variant(container, variant),
        fields: fields.iter().filter(|field| field.has_symbol()).collect(),
        opaque: Vec::new(),
        key: None,
        default: None,
    };
    let (declaration, bound, name, vellum) =
        (companion.declaration(), companion.bound(), &companion.name, container.vellum());
    let (allow, vis) = (allow(), container.vis);
    let generics = container.stored_generics();
    let (parameters, arguments, bounds) = generics.split_for_impl();
    Some(quote! {
        #declaration

        #allow
        impl #parameters #name #arguments #bounds {
            #[doc(hidden)]
            #vis fn __vellum_bind(__vellum_node: #vellum::__private::v1::Node) -> Self { #bound }
        }
    })
}

/// Returns the name of a struct variant's companion: `ShapeCircleFields` for `Shape::Circle`.
fn struct_name(container: &Container<'_>, variant: &Variant<'_>) -> syn::Ident {
    format_ident!("{}{}Fields", container.ident, variant.ident.unraw())
}
