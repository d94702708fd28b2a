//! The rules of query parameters.

use syn::visit_mut::{self, VisitMut};
use syn::{GenericParam, Lifetime, Type};

use crate::ast::Struct;
use crate::ctxt::Ctxt;

/// A checked `Params`.
pub(crate) struct Params<'a> {
    pub(crate) item: &'a Struct<'a>,
    /// Whether the arguments borrow, that is, whether the struct has a lifetime.
    pub(crate) borrows: bool,
    /// The types of the fields in order, with `'static` for that lifetime.
    pub(crate) types: Vec<Type>,
}

/// Checks the parameters of a query.
pub(crate) fn params<'a>(ctxt: &Ctxt, item: &'a Struct<'a>) -> Params<'a> {
    let mut lifetimes = Vec::new();
    for param in &item.container.generics.params {
        match param {
            GenericParam::Lifetime(param) => lifetimes.push(&param.lifetime),
            GenericParam::Type(param) => ctxt.error(param.ident.span(), GENERIC_PARAMS),
            GenericParam::Const(param) => ctxt.error(param.ident.span(), GENERIC_PARAMS),
        }
    }
    for second in lifetimes.iter().skip(1) {
        ctxt.error(second.span(), "parameters borrow for one lifetime: use the first one here too");
    }
    let mut types: Vec<_> = item.fields.iter().map(|field| field.ty.clone()).collect();
    types.iter_mut().for_each(|ty| Static(&lifetimes).visit_type_mut(ty));
    Params { item, borrows: !lifetimes.is_empty(), types }
}

const GENERIC_PARAMS: &str = "the parameters of a query have concrete types: write one struct for each type";

/// Puts `'static` in the place of the struct's own lifetimes.
struct Static<'a>(&'a [&'a Lifetime]);

impl VisitMut for Static<'_> {
    fn visit_lifetime_mut(&mut self, lifetime: &mut Lifetime) {
        if self.0.iter().any(|own| own.ident == lifetime.ident) {
            *lifetime = Lifetime::new("'static", lifetime.span());
        }
        visit_mut::visit_lifetime_mut(self, lifetime);
    }
}
