//! The implementations for documents and for the structs inside them.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};

use super::{fields, generated};
use crate::ast::Container;
use crate::check::{Document, Embed, Index, IndexKey};

/// Writes the companion, `Row` and `Document`.
pub(crate) fn document(document: &Document<'_>) -> TokenStream {
    let (container, key) = (document.container, document.key);
    let companion = fields::companion(container, Some(key));
    let (generated, vellum, fields, ident) =
        (generated(), container.vellum(), container.companion(), container.ident);
    let private = quote!(#vellum::__private::v1);
    let (key_ident, key_type, key_name) = (key.ident, key.ty, &key.form.stored);
    let id = quote_spanned!(key.type_span()=> type Id = #key_type;);
    let collection = &document.collection;
    let indexes = document.indexes.iter().map(|index| declare(container, index));
    quote! {
        #companion

        #generated
        impl #vellum::Row for #ident {
            type Sym = #fields;
            fn read(__vellum_columns: &mut #private::Columns<'_, '_>) -> #vellum::Result<Self> {
                #private::read_document(__vellum_columns)
            }
        }

        #generated
        impl #vellum::Document for #ident {
            #id
            const COLLECTION: &'static ::core::primitive::str = #collection;
            const KEY: &'static ::core::primitive::str = #key_name;
            fn id(&self) -> &Self::Id { &self.#key_ident }
            fn set_id(&mut self, __vellum_id: Self::Id) { self.#key_ident = __vellum_id; }
            fn indexes(__vellum_fields: #fields, __vellum_indexes: &mut #vellum::Indexes) { #(#indexes)* }
        }
    }
}

/// Writes the companion and `Value`.
pub(crate) fn embed(embed: &Embed<'_>) -> TokenStream {
    let container = embed.container;
    let companion = fields::companion(container, None);
    let (generated, vellum, fields, ident) =
        (generated(), container.vellum(), container.companion(), container.ident);
    quote! {
        #companion

        #generated
        impl #vellum::Value for #ident {
            type Core = Self;
            type Sym = #fields;
            type OptSym = #vellum::Nullable<#fields>;
            const TYPE: #vellum::__private::v1::Type = #vellum::__private::v1::Type::Object;
        }
    }
}

/// Writes the statement that declares one index. Each key is spanned where it was declared.
fn declare(container: &Container<'_>, index: &Index) -> TokenStream {
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
    quote!(#vellum::Indexes::#method(__vellum_indexes, (#(#keys,)*));)
}
