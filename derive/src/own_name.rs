//! `Self` in the types of an item.
//!
//! The generated code names a field's type in other places than the item, where `Self` would be another type.

use proc_macro2::Span;
use syn::punctuated::Punctuated;
use syn::visit_mut::{self, VisitMut};
use syn::{AngleBracketedGenericArguments, parse_quote};
use syn::{
    DeriveInput, Expr, GenericArgument, GenericParam, Ident, PathArguments, PathSegment, Token, Type,
    TypePath,
};

/// Returns the item with its own name in the place of each `Self` in the types of its fields.
pub(crate) fn spelled(input: &DeriveInput) -> DeriveInput {
    let mut input = input.clone();
    let mut name = OwnName { ident: input.ident.clone(), arguments: arguments(&input) };
    name.visit_data_mut(&mut input.data);
    input
}

struct OwnName {
    ident: Ident,
    arguments: Option<AngleBracketedGenericArguments>,
}

impl OwnName {
    fn segment(&self, span: Span) -> PathSegment {
        let mut ident = self.ident.clone();
        ident.set_span(span);
        let arguments = self.arguments.clone();
        PathSegment { ident, arguments: arguments.map_or(PathArguments::None, PathArguments::AngleBracketed) }
    }
}

impl VisitMut for OwnName {
    fn visit_type_path_mut(&mut self, path: &mut TypePath) {
        if path.qself.is_none()
            && let Some(first) = path.path.segments.first_mut()
            && first.ident == "Self"
        {
            *first = self.segment(first.ident.span());
        }
        visit_mut::visit_type_path_mut(self, path);
    }

    // An attribute is read as it was written.
    fn visit_attribute_mut(&mut self, _: &mut syn::Attribute) {}
}

/// Returns the item's parameters as the arguments of its name.
fn arguments(input: &DeriveInput) -> Option<AngleBracketedGenericArguments> {
    let arguments: Punctuated<GenericArgument, Token![,]> = input
        .generics
        .params
        .iter()
        .map(|param| match param {
            GenericParam::Lifetime(param) => GenericArgument::Lifetime(param.lifetime.clone()),
            GenericParam::Type(param) => {
                let ident = &param.ident;
                let ty: Type = parse_quote!(#ident);
                GenericArgument::Type(ty)
            }
            GenericParam::Const(param) => {
                let ident = &param.ident;
                let value: Expr = parse_quote!(#ident);
                GenericArgument::Const(value)
            }
        })
        .collect();
    (!arguments.is_empty()).then(|| parse_quote!(<#arguments>))
}
