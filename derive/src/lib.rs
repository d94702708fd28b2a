//! The derives of the vellum crate, and the procedural half of its macro `x!`.
//!
//! A derive understands, checks, and only then expands: `DeriveInput` -> `ast` (which reads the attributes through
//! `attr` and `serde`) -> `check` -> `Ctxt::check` -> `expand`. Nothing is quoted before the check, and everything
//! that is wrong with a struct is reported at once, each fault on its own span.

mod ast;
mod attr;
mod case;
mod check;
mod ctxt;
mod expand;
mod operators;
mod serde;
mod symbol;
#[cfg(test)]
mod tests;

use proc_macro2::TokenStream;
use syn::{DeriveInput, parse_macro_input};

use ast::{Container, Role};
use ctxt::Ctxt;

/// Makes a struct the document of a collection.
///
/// Besides the `Document` implementation this writes a companion struct, `EventFields` for `Event`, whose members are
/// the fields as query expressions. Paths follow serde's attributes.
///
/// On the struct: `#[document(collection = "events")]` (default: the struct's name in snake_case),
/// `#[document(compound("a", "b.c desc"))]` and `#[document(compound(unique, ..))]`, which name Rust fields,
/// `#[document(fields = "Name")]` for another companion, `#[document(crate = "path")]` for a renamed vellum.
///
/// On a field: `#[document(id)]` (default: the field `id`), `#[document(index)]`, `#[document(unique)]`,
/// `#[document(opaque)]` for a field that is stored and loaded but cannot be asked for in a query.
#[proc_macro_derive(Document, attributes(document, serde))]
pub fn document(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    derive_document(&input).unwrap_or_else(syn::Error::into_compile_error).into()
}

/// Makes a struct usable as a field of a document, and as what a query selects.
///
/// Writes a companion struct as `Document` does. Takes `#[document(fields = "Name")]` and `#[document(crate = "path")]`
/// on the struct, `#[document(opaque)]` on a field.
#[proc_macro_derive(Embed, attributes(document, serde))]
pub fn embed(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    derive_embed(&input).unwrap_or_else(syn::Error::into_compile_error).into()
}

/// Makes a struct the named parameters of a compiled query.
///
/// For `Page` this writes `PageParams`, which the query closure takes; the compiled query is called with a `Page`.
/// Fields may borrow (`&'a str`, `&'a [i64]`) or own. Takes `#[params(fields = "Name")]` and
/// `#[params(crate = "path")]` on the struct.
#[proc_macro_derive(Params, attributes(params))]
pub fn params(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    derive_params(&input).unwrap_or_else(syn::Error::into_compile_error).into()
}

/// The body of `vellum::x!`, which passes its own crate's path in front: `operators!($crate; expression)`.
#[doc(hidden)]
#[proc_macro]
pub fn operators(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    operators::rewrite(input.into()).unwrap_or_else(syn::Error::into_compile_error).into()
}

fn derive_document(input: &DeriveInput) -> syn::Result<TokenStream> {
    let ctxt = Ctxt::new();
    let container = Container::read(&ctxt, input, Role::Document);
    let document = container.as_ref().and_then(|container| check::document(&ctxt, container));
    Ok(expand::document(&ctxt.check(document)?))
}

fn derive_embed(input: &DeriveInput) -> syn::Result<TokenStream> {
    let ctxt = Ctxt::new();
    let container = Container::read(&ctxt, input, Role::Embed);
    let embed = container.as_ref().map(|container| check::embed(&ctxt, container));
    Ok(expand::embed(&ctxt.check(embed)?))
}

fn derive_params(input: &DeriveInput) -> syn::Result<TokenStream> {
    let ctxt = Ctxt::new();
    let container = Container::read(&ctxt, input, Role::Params);
    let params = container.as_ref().map(|container| check::params(&ctxt, container));
    Ok(expand::params(&ctxt.check(params)?))
}
