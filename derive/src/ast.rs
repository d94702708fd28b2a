//! The item a derive was put on, as this crate sees it: names, types, stored names and options.

use proc_macro2::Span;
use syn::ext::IdentExt as _;
use syn::spanned::Spanned as _;
use syn::{
    Attribute, Data, DataEnum, DataStruct, DeriveInput, Fields, FieldsNamed, Generics, Ident, LitStr, Member,
    Type, Visibility,
};

use crate::attr::{FieldOptions, StructOptions};
use crate::ctxt::Ctxt;
use crate::generics::{Need, is_phantom};
use crate::serde::{EnumForm, FieldForm, Missing, StructForm, VariantForm};
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

    /// Returns what the derive can be put on.
    fn takes(self) -> &'static str {
        match self {
            Self::Document | Self::Params => "a struct with named fields",
            Self::Embed => "a struct with named fields, a struct of one field, or an enum",
        }
    }

    /// Returns what to do with a type of another form.
    fn way_out(self) -> &'static str {
        match self {
            Self::Document => {
                "hold it in a field, with `#[serde(flatten)]` if it has a tag: `struct Name { id: i64, value: .. }`"
            }
            Self::Embed => "leave the derive out, and add `#[document(opaque)]` to the fields of this type",
            Self::Params => "name its parts: `struct Name { part: .. }`",
        }
    }
}

/// What every derive reads of an item beside its fields.
pub(crate) struct Container<'a> {
    pub(crate) role: Role,
    pub(crate) ident: &'a Ident,
    pub(crate) vis: &'a Visibility,
    pub(crate) generics: &'a Generics,
    pub(crate) options: StructOptions,
    /// The fields, as its type parameters are concerned; none where they are not what is stored.
    pub(crate) needs: Option<Vec<Need<'a>>>,
    /// Whether missing fields are read from the type's own default.
    pub(crate) has_default: bool,
}

/// A struct with named fields.
pub(crate) struct Struct<'a> {
    pub(crate) container: Container<'a>,
    /// The key under which serde writes the struct's name.
    pub(crate) tag: Option<LitStr>,
    /// What missing fields are read from.
    pub(crate) default: Option<Missing>,
    pub(crate) fields: Vec<Field<'a>>,
}

/// What can be embedded.
pub(crate) enum Embedded<'a> {
    /// A type that says itself what it is stored as.
    Declared(Box<Container<'a>>),
    Struct(Struct<'a>),
    Newtype(Newtype<'a>),
    Enum(Enum<'a>),
}

/// A struct that is stored as its one field.
pub(crate) struct Newtype<'a> {
    pub(crate) container: Container<'a>,
    pub(crate) member: Member,
    pub(crate) inner: Box<Inner<'a>>,
}

/// The one field that a newtype or a variant is stored as.
pub(crate) struct Inner<'a> {
    pub(crate) ty: &'a Type,
    pub(crate) options: FieldOptions,
    pub(crate) form: FieldForm,
}

/// An enum.
pub(crate) struct Enum<'a> {
    pub(crate) container: Container<'a>,
    pub(crate) form: EnumForm,
    pub(crate) variants: Vec<Variant<'a>>,
}

/// A variant of it.
pub(crate) struct Variant<'a> {
    pub(crate) ident: &'a Ident,
    pub(crate) docs: Vec<&'a Attribute>,
    pub(crate) form: VariantForm,
    pub(crate) data: VariantData<'a>,
}

/// What a variant holds.
pub(crate) enum VariantData<'a> {
    Unit,
    Newtype(Box<Inner<'a>>),
    /// Several fields without names, which are stored as a list.
    Tuple(Vec<&'a Type>),
    Struct(Vec<Field<'a>>),
}

/// A field of a struct.
pub(crate) struct Field<'a> {
    pub(crate) ident: &'a Ident,
    pub(crate) ty: &'a Type,
    /// The doc comments, which the companion's field repeats.
    pub(crate) docs: Vec<&'a Attribute>,
    pub(crate) options: FieldOptions,
    pub(crate) form: FieldForm,
}

impl<'a> Container<'a> {
    fn read(ctxt: &Ctxt, input: &'a DeriveInput, role: Role) -> Self {
        let options = StructOptions::read(ctxt, &input.attrs, role);
        let (ident, vis, generics) = (&input.ident, &input.vis, &input.generics);
        Self { role, ident, vis, generics, options, needs: None, has_default: false }
    }

    /// Returns the item's name without `r#`.
    pub(crate) fn name(&self) -> String {
        self.ident.unraw().to_string()
    }
}

impl<'a> Struct<'a> {
    /// Reads the struct and its attributes. `None` when it is no struct with named fields.
    pub(crate) fn read(ctxt: &Ctxt, input: &'a DeriveInput, role: Role) -> Option<Self> {
        let container = Container::read(ctxt, input, role);
        match &input.data {
            Data::Struct(DataStruct { fields: Fields::Named(named), .. }) => {
                let form = match role {
                    Role::Document | Role::Embed => StructForm::read(ctxt, &input.attrs),
                    Role::Params => StructForm::default(),
                };
                if let Some(span) = form.transparent {
                    ctxt.error(
                        span,
                        "`serde(transparent)` stores the struct as its one field, which is no document",
                    );
                }
                Some(Self::of(ctxt, container, named, &form))
            }
            data => {
                refuse(ctxt, input, data, role);
                None
            }
        }
    }

    fn of(ctxt: &Ctxt, mut container: Container<'a>, named: &'a FieldsNamed, form: &StructForm) -> Self {
        let fields = Field::read_all(ctxt, named, container.role, form);
        container.needs = Some(fields.iter().map(Field::need).collect());
        container.has_default = matches!(form.default, Some(Missing::Default));
        Self { container, tag: form.tag.clone(), default: form.default.clone(), fields }
    }

    /// Returns the fields that the companion struct has.
    pub(crate) fn symbols(&self) -> impl Iterator<Item = &Field<'a>> {
        self.fields.iter().filter(|field| field.has_symbol())
    }
}

impl<'a> Embedded<'a> {
    /// Reads the item and its attributes. `None` when it is of a form that is not embedded.
    pub(crate) fn read(ctxt: &Ctxt, input: &'a DeriveInput) -> Option<Self> {
        let container = Container::read(ctxt, input, Role::Embed);
        if container.options.repr.is_some() {
            return Some(Self::Declared(Box::new(container)));
        }
        match &input.data {
            Data::Struct(data) => {
                let form = StructForm::read(ctxt, &input.attrs);
                match &data.fields {
                    Fields::Named(named) if form.transparent.is_none() => {
                        Some(Self::Struct(Struct::of(ctxt, container, named, &form)))
                    }
                    Fields::Unnamed(unnamed) if form.transparent.is_none() && unnamed.unnamed.len() != 1 => {
                        refuse(ctxt, input, &input.data, Role::Embed);
                        None
                    }
                    Fields::Unit => {
                        refuse(ctxt, input, &input.data, Role::Embed);
                        None
                    }
                    fields => Newtype::read(ctxt, container, fields).map(Self::Newtype),
                }
            }
            Data::Enum(data) => Some(Self::Enum(Enum::read(ctxt, container, &input.attrs, data))),
            Data::Union(_) => {
                refuse(ctxt, input, &input.data, Role::Embed);
                None
            }
        }
    }
}

impl<'a> Newtype<'a> {
    fn read(ctxt: &Ctxt, mut container: Container<'a>, fields: &'a Fields) -> Option<Self> {
        let inner: Vec<Inner<'_>> = fields.iter().map(|field| Inner::read(ctxt, field)).collect();
        container.needs = Some(inner.iter().map(Inner::need).collect());
        let is_stored = |inner: &Inner<'_>| !inner.form.skips_writing && !is_phantom(inner.ty);
        let mut stored = fields.members().zip(inner).filter(|(_, inner)| is_stored(inner));
        let one = (stored.next(), stored.next());
        drop(stored);
        if let (Some((member, inner)), None) = one {
            return Some(Self { container, member, inner: Box::new(inner) });
        }
        ctxt.error(
            container.ident.span(),
            "what is stored as its one field has one that serde does not skip",
        );
        None
    }
}

impl<'a> Inner<'a> {
    fn read(ctxt: &Ctxt, field: &'a syn::Field) -> Self {
        let form = FieldForm::read(ctxt, &field.attrs, "", &StructForm::default());
        let options = FieldOptions::read(ctxt, &field.attrs, Role::Embed);
        Self { ty: &field.ty, options, form }
    }

    /// Returns the type that is stored, none where a query cannot name it.
    pub(crate) fn stored(&self) -> Option<&Type> {
        match self.options.opaque {
            None if !is_phantom(self.ty) => Some(self.options.repr.as_ref().unwrap_or(self.ty)),
            _ => None,
        }
    }

    fn need(&self) -> Need<'a> {
        Need::of(self.ty, &self.form, &self.options)
    }
}

impl<'a> Enum<'a> {
    fn read(ctxt: &Ctxt, mut container: Container<'a>, attrs: &[Attribute], data: &'a DataEnum) -> Self {
        let form = EnumForm::read(ctxt, attrs);
        // Serde's own derive stores names whatever the representation in memory; others store that.
        if let Some(attr) = attrs.iter().find(|attr| *attr.path() == symbol::REPR && !is_layout(attr)) {
            let message = "this enum may be stored by its names or by its numbers: say which by \
                           `#[document(repr = String)]` or `#[document(repr = i64)]`";
            ctxt.push(syn::Error::new_spanned(attr, message));
        }
        let variants: Vec<Variant<'_>> =
            data.variants.iter().map(|variant| Variant::read(ctxt, variant, &form)).collect();
        container.needs = Some(variants.iter().flat_map(|variant| variant.data.needs()).collect());
        Self { container, form, variants }
    }
}

impl<'a> Variant<'a> {
    fn read(ctxt: &Ctxt, variant: &'a syn::Variant, outer: &EnumForm) -> Self {
        let name = variant.ident.unraw().to_string();
        let form = VariantForm::read(ctxt, &variant.attrs, &name, outer);
        let data = match &variant.fields {
            Fields::Unit => VariantData::Unit,
            Fields::Named(named) => {
                VariantData::Struct(Field::read_all(ctxt, named, Role::Embed, &form.fields))
            }
            Fields::Unnamed(unnamed) => match unnamed.unnamed.first() {
                Some(field) if unnamed.unnamed.len() == 1 => {
                    let inner = Inner::read(ctxt, field);
                    // Serde stores a variant without its one field as its name.
                    if inner.form.skips_writing {
                        VariantData::Unit
                    } else {
                        VariantData::Newtype(Box::new(inner))
                    }
                }
                _ => VariantData::Tuple(unnamed.unnamed.iter().map(|field| &field.ty).collect()),
            },
        };
        Self { ident: &variant.ident, docs: docs(&variant.attrs), form, data }
    }
}

impl<'a> VariantData<'a> {
    fn needs(&self) -> Vec<Need<'a>> {
        match self {
            VariantData::Unit => Vec::new(),
            VariantData::Newtype(inner) => vec![inner.need()],
            VariantData::Tuple(types) => types.iter().copied().map(Need::plain).collect(),
            VariantData::Struct(fields) => fields.iter().map(Field::need).collect(),
        }
    }
}

impl<'a> Field<'a> {
    fn need(&self) -> Need<'a> {
        Need::of(self.ty, &self.form, &self.options)
    }

    fn read_all(ctxt: &Ctxt, named: &'a FieldsNamed, role: Role, form: &StructForm) -> Vec<Self> {
        named.named.iter().filter_map(|field| Self::read(ctxt, field, role, form)).collect()
    }

    fn read(ctxt: &Ctxt, field: &'a syn::Field, role: Role, form: &StructForm) -> Option<Self> {
        let ident = field.ident.as_ref()?;
        let name = ident.unraw().to_string();
        let form = match role {
            Role::Document | Role::Embed => FieldForm::read(ctxt, &field.attrs, &name, form),
            Role::Params => FieldForm::plain(&name),
        };
        let options = FieldOptions::read(ctxt, &field.attrs, role);
        Some(Self { ident, ty: &field.ty, docs: docs(&field.attrs), options, form })
    }

    /// Returns the field's name without `r#`.
    pub(crate) fn name(&self) -> String {
        self.ident.unraw().to_string()
    }

    /// Returns the type that is stored.
    pub(crate) fn stored(&self) -> &Type {
        self.options.repr.as_ref().unwrap_or(self.ty)
    }

    /// Returns whether a query can name the field.
    pub(crate) fn has_symbol(&self) -> bool {
        !self.form.skips_writing && !self.is_opaque()
    }

    /// Returns whether the field is stored, and out of queries: as it says, or since it holds nothing.
    pub(crate) fn is_opaque(&self) -> bool {
        self.options.opaque.is_some() || (is_phantom(self.ty) && !self.form.skips_writing)
    }
}

/// Returns whether `#[repr(..)]` says nothing of numbers.
fn is_layout(attr: &Attribute) -> bool {
    let mut is_layout = true;
    // What does not parse is for rustc to report.
    let _ = attr.parse_nested_meta(|meta| {
        is_layout &= ["C", "transparent", "Rust"].iter().any(|word| meta.path.is_ident(word));
        Ok(())
    });
    is_layout
}

fn docs(attrs: &[Attribute]) -> Vec<&Attribute> {
    attrs.iter().filter(|attr| *attr.path() == symbol::DOC).collect()
}

/// Reports an item of a form that the derive does not take.
fn refuse(ctxt: &Ctxt, input: &DeriveInput, data: &Data, role: Role) {
    let (span, found): (Span, _) = match data {
        Data::Struct(data) => match &data.fields {
            Fields::Named(named) => (named.span(), "this struct"),
            Fields::Unnamed(unnamed) => (unnamed.span(), "a tuple struct"),
            Fields::Unit => (input.ident.span(), "a unit struct"),
        },
        Data::Enum(data) => (data.enum_token.span, "an enum"),
        Data::Union(data) => (data.union_token.span, "a union"),
    };
    let (derive, takes, way_out) = (role.name(), role.takes(), role.way_out());
    ctxt.error(span, format!("`{derive}` takes {takes}, not {found}: {way_out}"));
}
