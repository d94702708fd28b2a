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
mod generics;
mod operators;
mod own_name;
mod serde;
mod symbol;
#[cfg(test)]
mod tests;

use proc_macro2::TokenStream;
use syn::{DeriveInput, parse_macro_input};

use ast::{Embedded, Role, Struct};
use ctxt::Ctxt;

/// Makes a struct the document of a collection.
///
/// Besides the `Document` implementation this writes a companion struct, `EventFields` for `Event`, whose members are
/// the fields as query expressions. Paths follow serde's attributes.
///
/// On the struct: `#[document(collection = "events")]` (default: the struct's name in snake_case),
/// `#[document(compound("a", "b.c desc"))]` and `#[document(compound(unique, ..))]`, which name Rust fields, with `nulls_collide` behind
/// `unique` where two documents without a value are refused, too,
/// `#[document(partial("a", |t| !t.done))]` for an index of the documents for which the condition holds,
/// `#[document(fields = "Name")]` for another companion, `#[document(crate = "path")]` for a renamed vellum.
///
/// On a field: `#[document(id)]` (default: the field `id`), `#[document(index)]`, `#[document(unique)]`, `#[document(unique, nulls_collide)]`,
/// `#[document(opaque)]` for a field that is stored and loaded but cannot be asked for in a query,
/// `#[document(repr = i64)]` for the type that serde's `with` stores.
///
/// The fields of a struct with `#[serde(flatten)]`, and the variants of an enum with a tag, are reached through its own
/// name; under `#[document(opaque)]` a map can be flattened too, and keeps what no field names.
#[proc_macro_derive(Document, attributes(document, serde))]
pub fn document(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    derive_document(&input).unwrap_or_else(syn::Error::into_compile_error).into()
}

/// Makes a type usable as a field of a document, and as what a query selects.
///
/// - A struct with named fields gets a companion struct as a document does. A query that selects it writes that out,
///   with an expression for each field: `select(|e| SummaryFields { name: e.name, tags: e.tags.len() })`.
/// - A struct of one field, or with `#[serde(transparent)]`, is stored as that: an operand where the field is one, with
///   `inner()` as the way to its methods.
/// - An enum whose variants hold nothing is stored as their names: an operand, ordered by the names.
/// - Another enum, also one with `#[serde(tag = "..")]`, gets a companion with a `Variant` for each variant, named in
///   snake_case; one with a tag has `tag()` too. Of a variant of several unnamed fields only `is()` can be asked.
///
/// - A type that serde stores in another form declares it: `#[document(repr = String)]` beside `#[serde(into = "String")]`,
///   `#[document(repr = u8)]` beside serde_repr. It is an operand where that is one, with `inner()` as the way to its
///   methods.
///
/// Types may be generic, and recursive through a `Box`. A type parameter that only a `PhantomData` names needs not be
/// stored. Takes `#[document(fields = "Name")]` and
/// `#[document(crate = "path")]` on the type, `#[document(opaque)]` and `#[document(repr = Type)]` on a field.
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
    let input = own_name::spelled(input);
    let item = Struct::read(&ctxt, &input, Role::Document);
    let document = item.as_ref().and_then(|item| check::document(&ctxt, item));
    Ok(expand::document(&ctxt.check(document)?))
}

fn derive_embed(input: &DeriveInput) -> syn::Result<TokenStream> {
    let ctxt = Ctxt::new();
    let input = own_name::spelled(input);
    let item = Embedded::read(&ctxt, &input);
    let embed = item.as_ref().and_then(|item| check::embed(&ctxt, item));
    Ok(expand::embed(&ctxt.check(embed)?))
}

fn derive_params(input: &DeriveInput) -> syn::Result<TokenStream> {
    let ctxt = Ctxt::new();
    let input = own_name::spelled(input);
    let item = Struct::read(&ctxt, &input, Role::Params);
    let params = item.as_ref().map(|item| check::params(&ctxt, item));
    Ok(expand::params(&ctxt.check(params)?))
}
