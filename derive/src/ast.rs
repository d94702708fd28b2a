//! The struct a derive was put on, as this crate sees it: names, types, stored names and options.

use proc_macro2::Span;
use syn::ext::IdentExt as _;
use syn::spanned::Spanned as _;
use syn::{Attribute, Data, DeriveInput, Fields, FieldsNamed, Generics, Ident, Type, Visibility};

use crate::attr::{FieldOptions, StructOptions};
use crate::ctxt::Ctxt;
use crate::serde::{FieldForm, StructForm};
use crate::symbol::{self, Symbol};

/// The derive that reads the struct.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    Document,
    Embed,
    Params,
}

impl Role {
    /// Returns the attribute that holds this derive's options.
    pub(crate) fn attribute(self) -> Symbol {
        match self {
            Self::Document | Self::Embed => symbol::DOCUMENT,
            Self::Params => symbol::PARAMS,
        }
    }

    /// Returns the options of the struct.
    pub(crate) fn struct_options(self) -> &'static [Symbol] {
        match self {
            Self::Document => symbol::OF_DOCUMENT,
            Self::Embed => symbol::OF_EMBED,
            Self::Params => symbol::OF_PARAMS,
        }
    }

    /// Returns the options of a field.
    pub(crate) fn field_options(self) -> &'static [Symbol] {
        match self {
            Self::Document => symbol::OF_DOCUMENT_FIELD,
            Self::Embed => symbol::OF_EMBED_FIELD,
            Self::Params => symbol::OF_PARAMS_FIELD,
        }
    }

    /// Returns the derive's name.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Document => "Document",
            Self::Embed => "Embed",
            Self::Params => "Params",
        }
    }

    /// Returns what to do with a type that is no struct with named fields.
    fn way_out(self) -> &'static str {
        match self {
            Self::Document => "wrap it: `struct Name { id: i64, #[document(opaque)] value: .. }`",
            Self::Embed => "leave the derive out, and add `#[document(opaque)]` to the fields of this type",
            Self::Params => "name its parts: `struct Name { part: .. }`",
        }
    }
}

/// A struct with named fields.
pub(crate) struct Container<'a> {
    pub(crate) role: Role,
    pub(crate) ident: &'a Ident,
    pub(crate) vis: &'a Visibility,
    pub(crate) generics: &'a Generics,
    pub(crate) options: StructOptions,
    pub(crate) fields: Vec<Field<'a>>,
}

/// A field of it.
pub(crate) struct Field<'a> {
    pub(crate) ident: &'a Ident,
    pub(crate) ty: &'a Type,
    /// The doc comments, which the companion's field repeats.
    pub(crate) docs: Vec<&'a Attribute>,
    pub(crate) options: FieldOptions,
    pub(crate) form: FieldForm,
}

impl<'a> Container<'a> {
    /// Reads the struct and its attributes. `None` when it is no struct with named fields.
    pub(crate) fn read(ctxt: &Ctxt, input: &'a DeriveInput, role: Role) -> Option<Self> {
        let options = StructOptions::read(ctxt, &input.attrs, role);
        let named = named_fields(ctxt, input, role)?;
        let form = match role {
            Role::Document | Role::Embed => StructForm::read(ctxt, &input.attrs),
            Role::Params => StructForm::default(),
        };
        let fields = named.named.iter().filter_map(|field| Field::read(ctxt, field, role, &form)).collect();
        Some(Self { role, ident: &input.ident, vis: &input.vis, generics: &input.generics, options, fields })
    }

    /// Returns the struct's name without `r#`.
    pub(crate) fn name(&self) -> String {
        self.ident.unraw().to_string()
    }

    /// Returns the fields that the companion struct has.
    pub(crate) fn symbols(&self) -> impl Iterator<Item = &Field<'a>> {
        self.fields.iter().filter(|field| field.has_symbol())
    }
}

impl<'a> Field<'a> {
    fn read(ctxt: &Ctxt, field: &'a syn::Field, role: Role, form: &StructForm) -> Option<Self> {
        let ident = field.ident.as_ref()?;
        let name = ident.unraw().to_string();
        let form = match role {
            Role::Document | Role::Embed => FieldForm::read(ctxt, &field.attrs, &name, form),
            Role::Params => FieldForm::plain(&name),
        };
        let options = FieldOptions::read(ctxt, &field.attrs, role);
        let docs = field.attrs.iter().filter(|attr| *attr.path() == symbol::DOC).collect();
        Some(Self { ident, ty: &field.ty, docs, options, form })
    }

    /// Returns the field's name without `r#`.
    pub(crate) fn name(&self) -> String {
        self.ident.unraw().to_string()
    }

    /// Returns whether a query can name the field.
    pub(crate) fn has_symbol(&self) -> bool {
        !self.form.skips_writing && self.options.opaque.is_none()
    }
}

fn named_fields<'a>(ctxt: &Ctxt, input: &'a DeriveInput, role: Role) -> Option<&'a FieldsNamed> {
    let (span, found): (Span, _) = match &input.data {
        Data::Struct(data) => match &data.fields {
            Fields::Named(named) => return Some(named),
            Fields::Unnamed(unnamed) => (unnamed.span(), "a tuple struct"),
            Fields::Unit => (input.ident.span(), "a unit struct"),
        },
        Data::Enum(data) => (data.enum_token.span, "an enum"),
        Data::Union(data) => (data.union_token.span, "a union"),
    };
    let (derive, way_out) = (role.name(), role.way_out());
    ctxt.error(span, format!("`{derive}` takes a struct with named fields, not {found} (yet): {way_out}"));
    None
}
