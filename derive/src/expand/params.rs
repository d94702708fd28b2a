//! The companion struct of a query's parameters, and the implementations that number and bind them.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};

use super::{allow, docs, generated};
use crate::check::Params;

/// Writes the companion, `ParamSet` and `SymbolicParams`.
pub(crate) fn params(params: &Params<'_>) -> TokenStream {
    let container = &params.item.container;
    let (allow, generated, doc) = (allow(), generated(), docs::companion(container));
    let (vellum, vis, ident, name) =
        (container.vellum(), container.vis, container.ident, container.companion());
    let private = quote!(#vellum::__private::v1);
    let (set, args) = match params.borrows {
        true => (quote!(#ident<'static>), quote!(#ident<'a>)),
        false => (quote!(#ident), quote!(#ident)),
    };
    let members = params.item.fields.iter().zip(&params.types).map(|(field, ty)| {
        let (ident, docs, span) = (field.ident, docs::field(field), field.type_span());
        let vellum = container.vellum_at(span);
        let symbol = quote_spanned!(span=> #vellum::Param<<#ty as #vellum::__private::v1::ParamField>::Type>);
        quote!(#docs #vis #ident: #symbol)
    });
    let pushed = params.item.fields.iter().map(|field| {
        let (ident, span) = (field.ident, field.type_span());
        let vellum = container.vellum_at(span);
        quote_spanned!(span=> #vellum::__private::v1::push_argument(__vellum_out, &__vellum_args.#ident)?;)
    });
    let numbered = params.item.fields.iter().map(|field| {
        let ident = field.ident;
        quote!(#ident: #private::Slots::param(__vellum_next))
    });
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
        impl #vellum::ParamSet for #set {
            type Args<'a> = #args;
            fn arguments<'x, 'a: 'x>(
                __vellum_args: &'x #args,
                __vellum_out: &mut #private::Arguments<'x>,
            ) -> #vellum::Result<()> {
                #(#pushed)*
                ::core::result::Result::Ok(())
            }
        }

        #generated
        impl #vellum::SymbolicParams for #name {
            type Set = #set;
            fn symbols(__vellum_next: &mut #private::Slots) -> Self {
                Self { #(#numbered,)* }
            }
        }
    }
}
