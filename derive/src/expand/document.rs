//! The implementations for documents.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned as _;

use super::fields::Companion;
use super::generated;
use crate::ast::Container;
use crate::check::{Document, Index, IndexKey};

/// Writes the companion, `Row` and `Document`.
pub(crate) fn document(document: &Document<'_>) -> TokenStream {
    let (container, key) = (&document.item.container, document.key);
    let companion = Companion::of(document.item, Some(key)).symbol();
    let (generated, vellum, fields, ident) =
        (generated(), container.vellum(), container.companion(), container.ident);
    let private = quote!(#vellum::__private::v1);
    let (key_ident, key_type, key_name) = (key.ident, key.ty, &key.form.names.stored);
    let id = quote_spanned!(key.type_span()=> type Id = #key_type;);
    let collection = &document.collection;
    let indexes = document.indexes.iter().map(|index| declare(container, index));
    let generics = container.stored_generics();
    let (parameters, arguments, bounds) = generics.split_for_impl();
    quote! {
        #companion

        #generated
        impl #parameters #vellum::Row for #ident #arguments #bounds {
            type Sym = #fields #arguments;
            fn read(__vellum_columns: &mut #private::Columns<'_, '_>) -> #vellum::Result<Self> {
                #private::read_document(__vellum_columns)
            }
        }

        #generated
        impl #parameters #vellum::Document for #ident #arguments #bounds {
            #id
            const COLLECTION: &'static ::core::primitive::str = #collection;
            const KEY: &'static ::core::primitive::str = #key_name;
            fn id(&self) -> &Self::Id { &self.#key_ident }
            fn set_id(&mut self, __vellum_id: Self::Id) { self.#key_ident = __vellum_id; }
            fn indexes(__vellum_fields: #fields #arguments, __vellum_indexes: &mut #vellum::Indexes) { #(#indexes)* }
        }
    }
}

/// Writes the statement that declares one index. Each key is spanned where it was declared.
fn declare(container: &Container<'_>, index: &Index<'_>) -> TokenStream {
    let vellum = container.vellum();
    let method = if index.unique { quote!(unique) } else { quote!(index) };
    let keys = index.keys.iter().map(|IndexKey { path, descending }| {
        let span =
            path.first().map_or_else(Span::call_site, |ident| Span::call_site().located_at(ident.span()));
        let field = quote_spanned!(span=> __vellum_fields #(.#path)*);
        if !descending {
            return field;
        }
        let vellum = container.vellum_at(span);
        quote_spanned!(span=> #vellum::Expr::desc(#field))
    });
    let nulls = index.nulls_collide.then(|| quote!(#vellum::Indexes::nulls_collide(__vellum_indexes);));
    let Some(condition) = index.condition else {
        return quote!(#vellum::Indexes::#method(__vellum_indexes, (#(#keys,)*)); #nulls);
    };
    let (fields, unique) = (container.companion(), index.unique);
    let generics = container.stored_generics();
    let (_, arguments, _) = generics.split_for_impl();
    let span = Span::call_site().located_at(condition.span());
    let vellum = container.vellum_at(span);
    quote_spanned! {span=>
        #vellum::Indexes::partial::<#fields #arguments, _, _>(
            __vellum_indexes, (#(#keys,)*), #unique, #condition
        );
        #nulls
    }
}
