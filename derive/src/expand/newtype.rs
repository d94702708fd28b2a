//! The implementations for structs that are stored as their one field.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};

use super::{generated, scalar, type_span};
use crate::ast::Newtype;

/// Writes `Value` and, where the field is an operand, what makes the struct one.
pub(super) fn newtype(item: &Newtype<'_>) -> TokenStream {
    let container = &item.container;
    let (generated, vellum, ident) = (generated(), container.vellum(), container.ident);
    let private = quote!(#vellum::__private::v1);
    let Some(stored) = item.inner.stored() else {
        return scalar::value(container, &quote!(#private::Type::Any), &quote!(false));
    };
    let span = type_span(stored);
    let spanned = container.vellum_at(span);
    let value = scalar::value(
        container,
        &quote_spanned!(span=> <#stored as #spanned::Value>::TYPE),
        &quote_spanned!(span=> <#stored as #spanned::Value>::NULLABLE),
    );
    let generics = container.stored_generics();
    let (parameters, arguments, bounds) = generics.split_for_impl();
    let entered = quote! {
        #generated
        impl #parameters #vellum::Newtype for #ident #arguments #bounds {
            type Inner = #stored;
        }
    };
    if item.inner.options.repr.is_some() {
        return quote!(#value #entered);
    }
    // Rustc refuses an implementation for a type that plainly has no such trait. Under `for` it waits until the
    // implementation is used.
    let member = &item.member;
    let scalar = scalar::scalar(
        container,
        &quote!(for<'vellum> #stored: #vellum::Scalar + #private::ParamField),
        &quote!(#vellum::Scalar::to_value(&self.#member)),
        &quote!(#private::ParamField::argument(&self.#member)),
    );
    let mut ordered = container.stored_generics();
    let of_scalar = syn::parse_quote!(for<'vellum> #stored: #vellum::Ordered + #private::ParamField);
    ordered.make_where_clause().predicates.push(of_scalar);
    let (_, _, ordered) = ordered.split_for_impl();
    quote! {
        #value
        #entered
        #scalar

        #generated
        impl #parameters #vellum::Ordered for #ident #arguments #ordered {}
    }
}
