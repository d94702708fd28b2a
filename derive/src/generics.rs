//! What a stored type needs of its type parameters.
//!
//! The rules are those by which serde bounds them: a parameter that only a `PhantomData` or a skipped field names is
//! not stored, and one in a field that is read as its type's default has a default.

use syn::visit::{self, Visit};
use syn::{Ident, Path, Type};

use crate::attr::FieldOptions;
use crate::serde::{FieldForm, Missing};

/// A field, as the parameters in its type are concerned.
pub(crate) struct Need<'a> {
    pub(crate) ty: &'a Type,
    pub(crate) is_stored: bool,
    /// Whether it is read as its type's own default where it is missing.
    pub(crate) has_default: bool,
    /// Whether queries read that default, too.
    pub(crate) is_default_seen: bool,
}

/// What the fields make of one parameter.
#[derive(Clone, Copy, Default)]
pub(crate) struct Use {
    pub(crate) is_stored: bool,
    pub(crate) has_default: bool,
}

impl<'a> Need<'a> {
    pub(crate) fn of(ty: &'a Type, form: &FieldForm, options: &FieldOptions) -> Self {
        let is_stored = !form.skips_writing || form.skips_reading.is_none();
        let is_declared = matches!(form.default, Some(Missing::Default));
        let is_seen = !form.skips_writing && options.opaque.is_none() && options.repr.is_none();
        Self {
            ty,
            is_stored,
            has_default: is_declared || (form.skips_reading.is_some() && form.default.is_none()),
            is_default_seen: is_declared && is_seen,
        }
    }

    /// Returns a field without attributes.
    pub(crate) fn plain(ty: &'a Type) -> Self {
        Self { ty, is_stored: true, has_default: false, is_default_seen: false }
    }

    /// Returns whether its type names a parameter.
    pub(crate) fn names(&self, param: &Ident) -> bool {
        let mut names = Names { param, found: false };
        names.visit_type(self.ty);
        names.found
    }
}

impl Use {
    /// Returns what becomes of a parameter.
    pub(crate) fn of(param: &Ident, needs: &[Need<'_>]) -> Self {
        let mut own = Self::default();
        for need in needs.iter().filter(|need| need.names(param)) {
            own.is_stored |= need.is_stored;
            own.has_default |= need.has_default;
        }
        own
    }
}

/// Returns whether a type is `PhantomData`, which holds nothing of its parameters.
pub(crate) fn is_phantom(ty: &Type) -> bool {
    match ty {
        Type::Group(group) => is_phantom(&group.elem),
        Type::Path(path) => is_phantom_path(&path.path),
        _ => false,
    }
}

fn is_phantom_path(path: &Path) -> bool {
    path.segments.last().is_some_and(|segment| segment.ident == "PhantomData")
}

struct Names<'p> {
    param: &'p Ident,
    found: bool,
}

impl<'ast> Visit<'ast> for Names<'_> {
    fn visit_path(&mut self, path: &'ast Path) {
        if !is_phantom_path(path) {
            visit::visit_path(self, path);
        }
    }

    fn visit_ident(&mut self, ident: &'ast Ident) {
        self.found |= ident == self.param;
    }
}
