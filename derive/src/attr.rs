//! The options in `#[document(..)]` and `#[params(..)]`.

use proc_macro2::Span;
use quote::ToTokens as _;
use syn::ext::IdentExt as _;
use syn::parse::discouraged::Speculative as _;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned as _;
use syn::{
    Attribute, Expr, ExprClosure, ExprLit, ExprPath, Ident, Lit, LitStr, Meta, MetaNameValue, Path, Token,
    Type,
};

use crate::ast::Role;
use crate::ctxt::Ctxt;
use crate::symbol::{self, Symbol};

/// The options of a struct.
#[derive(Default)]
pub(crate) struct StructOptions {
    /// The path of the vellum crate.
    pub(crate) krate: Option<Path>,
    /// The companion's name.
    pub(crate) companion: Option<Ident>,
    pub(crate) collection: Option<LitStr>,
    /// The type that is stored, whatever the type's own form.
    pub(crate) repr: Option<Type>,
    pub(crate) compounds: Vec<Compound>,
}

/// The options of a field, each as the span it was written at.
#[derive(Default)]
pub(crate) struct FieldOptions {
    pub(crate) id: Option<Span>,
    pub(crate) index: Option<Span>,
    pub(crate) unique: Option<Span>,
    pub(crate) nulls_collide: Option<Span>,
    pub(crate) opaque: Option<Span>,
    /// The type that is stored, where the field's own does not show it.
    pub(crate) repr: Option<Type>,
}

/// `compound("a", "b desc")` or `partial("a", |t| ..)`, either with `unique` in front, or `unique, nulls_collide`, not yet
/// resolved.
pub(crate) struct Compound {
    pub(crate) unique: bool,
    pub(crate) nulls_collide: bool,
    pub(crate) paths: Vec<LitStr>,
    /// Which documents the index holds, if not all.
    pub(crate) condition: Option<ExprClosure>,
}

impl StructOptions {
    pub(crate) fn read(ctxt: &Ctxt, attrs: &[Attribute], role: Role) -> Self {
        let mut options = Self::default();
        each_option(ctxt, attrs, role, role.struct_options(), "a struct", |option, meta| match option {
            symbol::COLLECTION => options.collection = ctxt.ok(text(meta)),
            symbol::COMPOUND => options.compounds.extend(ctxt.ok(compound(meta))),
            symbol::PARTIAL => options.compounds.extend(ctxt.ok(partial(meta))),
            symbol::CRATE => options.krate = ctxt.ok(path(meta)),
            symbol::REPR => options.repr = ctxt.ok(ty(meta)),
            symbol::FIELDS => {
                options.companion = ctxt.ok(path(meta).and_then(|path| path.require_ident().cloned()))
            }
            _ => {}
        });
        options
    }
}

impl FieldOptions {
    pub(crate) fn read(ctxt: &Ctxt, attrs: &[Attribute], role: Role) -> Self {
        let mut options = Self::default();
        each_option(ctxt, attrs, role, role.field_options(), "a field", |option, meta| {
            let word = |ctxt: &Ctxt| ctxt.ok(word(option, meta));
            match option {
                symbol::ID => options.id = word(ctxt),
                symbol::INDEX => options.index = word(ctxt),
                symbol::UNIQUE => options.unique = word(ctxt),
                symbol::NULLS_COLLIDE => options.nulls_collide = word(ctxt),
                symbol::OPAQUE => options.opaque = word(ctxt),
                symbol::REPR => options.repr = ctxt.ok(ty(meta)),
                _ => {}
            }
        });
        options
    }
}

impl Parse for Compound {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let span = input.span();
        let (mut unique, mut nulls_collide) = (false, false);
        while input.peek(Ident::peek_any) && !input.peek(Token![move]) {
            let word = input.call(Ident::parse_any)?;
            let refused = |message: String| Err(syn::Error::new(word.span(), message));
            match word.to_string().as_str() {
                "unique" if !unique => unique = true,
                "nulls_collide" if !unique => {
                    return refused("only in a unique index: write `unique, nulls_collide`".to_owned());
                }
                "nulls_collide" if !nulls_collide => nulls_collide = true,
                other => return refused(format!("write the field's name in quotes: `\"{other}\"`")),
            }
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        let mut paths: Vec<LitStr> = Vec::new();
        while !input.is_empty() && !input.peek(Token![|]) && !input.peek(Token![move]) {
            paths.push(input.parse()?);
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        let condition = if input.is_empty() { None } else { Some(input.parse()?) };
        if !input.is_empty() {
            input.parse::<Token![,]>()?;
        }
        if paths.is_empty() {
            return Err(syn::Error::new(span, "an index needs fields: `compound(\"a\", \"b desc\")`"));
        }
        Ok(Self { unique, nulls_collide, paths, condition })
    }
}

/// Parses every item of the attributes with this name; an attribute that does not parse is reported and passed over.
pub(crate) fn items(ctxt: &Ctxt, attrs: &[Attribute], name: Symbol) -> Vec<Meta> {
    let attrs = attrs.iter().filter(|attr| *attr.path() == name);
    let lists = attrs
        .filter_map(|attr| ctxt.ok(attr.parse_args_with(Punctuated::<Item, Token![,]>::parse_terminated)));
    lists.flatten().map(|Item(meta)| meta).collect()
}

/// An item of an attribute, of which `repr = Option<i64>` is one too: the brackets of a type are no expression.
struct Item(Meta);

impl Parse for Item {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let ahead = input.fork();
        if let Ok(value) = ahead.parse::<TypeValue>()
            && (ahead.is_empty() || ahead.peek(Token![,]))
        {
            input.advance_to(&ahead);
            return Ok(Self(Meta::NameValue(value.0)));
        }
        input.parse().map(Self)
    }
}

/// `repr = Type`.
struct TypeValue(MetaNameValue);

impl Parse for TypeValue {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let path: Path = input.call(Path::parse_mod_style)?;
        if path != symbol::REPR {
            return Err(input.error("not a type"));
        }
        let eq_token = input.parse()?;
        let ty: Type = input.parse()?;
        Ok(Self(MetaNameValue { path, eq_token, value: Expr::Verbatim(ty.into_token_stream()) }))
    }
}

/// Returns the text of `name = "text"`.
pub(crate) fn text(meta: &Meta) -> syn::Result<LitStr> {
    match bare(&meta.require_name_value()?.value) {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Ok(text.clone()),
        other => Err(syn::Error::new_spanned(other, "expected a text in quotes")),
    }
}

/// Calls `read` for each option that is valid in this place; reports those that are not, or that come twice.
fn each_option(
    ctxt: &Ctxt,
    attrs: &[Attribute],
    role: Role,
    valid: &[Symbol],
    place: &str,
    mut read: impl FnMut(Symbol, &Meta),
) {
    let mut seen = Vec::new();
    for meta in items(ctxt, attrs, role.attribute()) {
        let Some(option) = valid.iter().copied().find(|option| meta.path() == option) else {
            ctxt.push(unknown(&meta, role, valid, place));
            continue;
        };
        if seen.contains(&option) && ![symbol::COMPOUND, symbol::PARTIAL].contains(&option) {
            ctxt.error(meta.path().span(), format!("`{option}` is given twice: remove one of them"));
            continue;
        }
        seen.push(option);
        read(option, &meta);
    }
}

fn unknown(meta: &Meta, role: Role, valid: &[Symbol], place: &str) -> syn::Error {
    let path = meta.path();
    let name = path.get_ident().map(|ident| format!("`{}` ", ident.unraw())).unwrap_or_default();
    let (attribute, derive) = (role.attribute(), role.name());
    let names: Vec<_> = valid.iter().map(|option| format!("`{option}`")).collect();
    let valid = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
    let mut message =
        format!("unknown option {name}in `{attribute}` on {place} of `{derive}`; valid here: {valid}");
    if role == Role::Embed && [symbol::INDEX, symbol::UNIQUE].iter().any(|option| path == option) {
        message.push_str("; the document declares it: `#[document(compound(\"outer.inner\"))]`");
    }
    syn::Error::new_spanned(path, message)
}

/// Returns where an option without a value stands.
fn word(option: Symbol, meta: &Meta) -> syn::Result<Span> {
    match meta {
        Meta::Path(path) => Ok(path.span()),
        other => {
            Err(syn::Error::new_spanned(other, format!("`{option}` takes no value: write `{option}` alone")))
        }
    }
}

fn compound(meta: &Meta) -> syn::Result<Compound> {
    let compound: Compound = meta.require_list()?.parse_args()?;
    match &compound.condition {
        None => Ok(compound),
        Some(condition) => {
            let message = "an index with a condition is a partial one: `partial(\"a\", |t| !t.done)`";
            Err(syn::Error::new_spanned(condition, message))
        }
    }
}

fn partial(meta: &Meta) -> syn::Result<Compound> {
    let list = meta.require_list()?;
    let partial: Compound = list.parse_args()?;
    match partial.condition {
        Some(_) => Ok(partial),
        None => {
            let message = "a partial index has a condition: `partial(\"a\", |t| !t.done)`";
            Err(syn::Error::new_spanned(&list.tokens, message))
        }
    }
}

/// Returns the path of `name = path` or `name = "path"`.
fn path(meta: &Meta) -> syn::Result<Path> {
    match bare(&meta.require_name_value()?.value) {
        Expr::Path(ExprPath { path, qself: None, .. }) => Ok(path.clone()),
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => text.parse_with(Path::parse_mod_style),
        other => Err(syn::Error::new_spanned(other, "expected a name, or a name in quotes")),
    }
}

/// Returns the type of `name = Type` or `name = "Type"`.
fn ty(meta: &Meta) -> syn::Result<Type> {
    match bare(&meta.require_name_value()?.value) {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => {
            text.parse().map_err(|_| syn::Error::new(text.span(), "expected a type in the quotes"))
        }
        value => syn::parse2(value.to_token_stream()),
    }
}

/// Takes off the invisible group around a value that came through a `macro_rules!` variable.
fn bare(value: &Expr) -> &Expr {
    match value {
        Expr::Group(group) => bare(&group.expr),
        value => value,
    }
}
