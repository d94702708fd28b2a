//! The implementations for types that are stored as another: as their one field, or as they declare.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::Type;

use super::{generated, scalar, type_span};
use crate::ast::{Container, Newtype};

/// Writes `Value` and, where the field is an operand, what makes the struct one.
pub(super) fn newtype(item: &Newtype<'_>) -> TokenStream {
    let container = &item.container;
    let vellum = container.vellum();
    let private = quote!(#vellum::__private::v1);
    let Some(stored) = item.inner.stored() else {
        return scalar::value(container, &quote!(#private::Type::Any), &quote!(false));
    };
    let value = stored_as(container, stored);
    if item.inner.options.repr.is_some() {
        return value;
    }
    let member = &item.member;
    let scalar = operand(
        container,
        stored,
        &quote!(#vellum::Scalar::to_value(&self.#member)),
        &quote!(#private::ParamField::argument(&self.#member)),
    );
    quote!(#value #scalar)
}

/// Writes `Value` for a type that is stored as another and, where that is an operand, what makes the type one: serde
/// says what a value is stored as.
pub(super) fn declared(container: &Container<'_>, repr: &Type) -> TokenStream {
    let vellum = container.vellum();
    let private = quote!(#vellum::__private::v1);
    let value = stored_as(container, repr);
    let scalar = operand(
        container,
        repr,
        &quote!(#private::encoded_value(self)),
        &quote!(#private::encoded_argument(self)),
    );
    quote!(#value #scalar)
}

/// Writes `Value` and `Newtype`.
fn stored_as(container: &Container<'_>, stored: &Type) -> TokenStream {
    let (generated, vellum, ident) = (generated(), container.vellum(), container.ident);
    let span = type_span(stored);
    let spanned = container.vellum_at(span);
    let value = scalar::value(
        container,
        &quote_spanned!(span=> <#stored as #spanned::Value>::TYPE),
        &quote_spanned!(span=> <#stored as #spanned::Value>::NULLABLE),
    );
    let generics = container.stored_generics();
    let (parameters, arguments, bounds) = generics.split_for_impl();
    quote! {
        #value

        #generated
        impl #parameters #vellum::Newtype for #ident #arguments #bounds {
            type Inner = #stored;
        }
    }
}

/// Writes what makes a type an operand where what it is stored as is one.
fn operand(
    container: &Container<'_>,
    stored: &Type,
    to_value: &TokenStream,
    argument: &TokenStream,
) -> TokenStream {
    let (generated, vellum, ident) = (generated(), container.vellum(), container.ident);
    let private = quote!(#vellum::__private::v1);
    // Rustc refuses an implementation for a type that plainly has no such trait. Under `for` it waits until the
    // implementation is used.
    let is_scalar = quote!(for<'vellum> #stored: #vellum::Scalar + #private::ParamField);
    let scalar = scalar::scalar(container, &is_scalar, to_value, argument);
    let mut generics = container.stored_generics();
    let is_ordered = syn::parse_quote!(for<'vellum> #stored: #vellum::Ordered + #private::ParamField);
    generics.make_where_clause().predicates.push(is_ordered);
    let (parameters, arguments, bounds) = generics.split_for_impl();
    quote! {
        #scalar

        #generated
        impl #parameters #vellum::Ordered for #ident #arguments #bounds {}
    }
}
