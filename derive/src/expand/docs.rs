//! The doc comments of generated items. They name types in code spans: a link could break in the user's documentation.

use proc_macro2::TokenStream;
use quote::quote;

use crate::ast::{Container, Role};

/// Returns the doc comment of the companion struct.
pub(super) fn companion(container: &Container<'_>) -> TokenStream {
    let name = container.name();
    let text = match container.role {
        Role::Document | Role::Embed => format!("The fields of `{name}` as query expressions."),
        Role::Params => format!("The fields of `{name}` as the parameters of a query."),
    };
    quote!(#[doc = #text])
}
