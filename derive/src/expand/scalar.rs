//! The implementations for what is stored as one scalar.

use proc_macro2::TokenStream;
use quote::quote;

use super::generated;
use crate::ast::{Container, Enum};

/// Writes the implementations for an enum whose values are their variants' names.
pub(super) fn names(item: &Enum<'_>) -> TokenStream {
    let container = &item.container;
    let (generated, vellum, ident) = (generated(), container.vellum(), container.ident);
    let private = quote!(#vellum::__private::v1);
    let arms = item.variants.iter().map(|variant| {
        let (ident, name, stored) = (variant.ident, variant.ident.to_string(), &variant.form.names.stored);
        match variant.form.skips_writing {
            true => {
                quote!(Self::#ident => ::core::result::Result::Err(#private::OperandError::NotStored(#name)))
            }
            false => quote!(Self::#ident => ::core::result::Result::Ok(#stored)),
        }
    });
    let generics = container.stored_generics();
    let (parameters, arguments, bounds) = generics.split_for_impl();
    let value = value(container, &quote!(#private::Type::Text), &quote!(false));
    let scalar = scalar(
        container,
        &quote!(),
        &quote!(#private::name_value(self)),
        &quote!(#private::name_argument(self)),
    );
    quote! {
        #value
        #scalar

        #generated
        impl #parameters #private::Name for #ident #arguments #bounds {
            fn name(&self) -> ::core::result::Result<&'static ::core::primitive::str, #private::OperandError> {
                match *self { #(#arms,)* }
            }
        }

        #generated
        impl #parameters #vellum::Ordered for #ident #arguments #bounds {}
    }
}

/// Writes `Value` for what is one expression.
pub(super) fn value(container: &Container<'_>, ty: &TokenStream, nullable: &TokenStream) -> TokenStream {
    let (generated, vellum, ident) = (generated(), container.vellum(), container.ident);
    let generics = container.stored_generics();
    let (parameters, arguments, bounds) = generics.split_for_impl();
    quote! {
        #generated
        impl #parameters #vellum::Value for #ident #arguments #bounds {
            type Core = Self;
            type Sym = #vellum::Expr<Self>;
            type OptSym = #vellum::Expr<::core::option::Option<Self>>;
            const TYPE: #vellum::__private::v1::Type = #ty;
            const NULLABLE: ::core::primitive::bool = #nullable;
        }

        #generated
        impl #parameters #vellum::__private::v1::Sealed for #ident #arguments #bounds {}
    }
}

/// Writes what makes a type an operand and a parameter, where `predicate` holds.
pub(super) fn scalar(
    container: &Container<'_>,
    predicate: &TokenStream,
    to_value: &TokenStream,
    argument: &TokenStream,
) -> TokenStream {
    let (generated, vellum, ident) = (generated(), container.vellum(), container.ident);
    let private = quote!(#vellum::__private::v1);
    let (result, error) = (quote!(::core::result::Result), quote!(#private::OperandError));
    let mut generics = container.stored_generics();
    if !predicate.is_empty() {
        generics.make_where_clause().predicates.push(syn::parse_quote!(#predicate));
    }
    let (parameters, arguments, bounds) = generics.split_for_impl();
    quote! {
        #generated
        impl #parameters #vellum::Scalar for #ident #arguments #bounds {
            fn to_value(&self) -> #result<#private::Literal, #error> { #to_value }
        }

        #generated
        impl #parameters #private::ParamField for #ident #arguments #bounds {
            type Type = Self;
            fn argument(&self) -> #result<#private::Argument<'_>, #error> { #argument }
        }

        #generated
        impl #parameters #vellum::ParamType for #ident #arguments #bounds {
            type Arg<'a> = Self;
            const TYPE: #private::Type = <Self as #vellum::Value>::TYPE;
            fn argument<'x, 'a: 'x>(argument: &'x Self) -> #result<#private::Argument<'x>, #error> {
                #private::ParamField::argument(argument)
            }
        }
    }
}
