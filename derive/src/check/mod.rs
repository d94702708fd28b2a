//! The rules that an item has to keep, and what the expansion needs to know beyond them.
//!
//! The functions report every fault and return a model that is only good when there was none. No `syn` type is taken
//! apart after this stage.

mod document;
mod embed;
mod field;
mod index;
mod params;

use syn::GenericParam;

use crate::ast::Container;
use crate::ctxt::Ctxt;

pub(crate) use document::{Document, document};
pub(crate) use embed::{Embed, Tagged, Tagging, embed};
pub(crate) use index::{Index, IndexKey};
pub(crate) use params::{Params, params};

/// Refuses lifetimes of a stored type.
fn owned(ctxt: &Ctxt, container: &Container<'_>) {
    for param in &container.generics.params {
        if let GenericParam::Lifetime(param) = param {
            let message = "a stored type owns its data: hold `String` or `Vec<T>` rather than a reference";
            ctxt.error(param.lifetime.span(), message);
        }
    }
}
