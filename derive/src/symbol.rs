//! The names of attributes and options, and the tables that say where each is valid and what it means.

use std::fmt;

use syn::Path;

/// The name of an attribute or of an option in it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Symbol(&'static str);

impl PartialEq<Symbol> for Path {
    fn eq(&self, symbol: &Symbol) -> bool {
        self.is_ident(symbol.0)
    }
}

impl fmt::Display for Symbol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

pub(crate) const DOC: Symbol = Symbol("doc");
pub(crate) const DOCUMENT: Symbol = Symbol("document");
pub(crate) const PARAMS: Symbol = Symbol("params");
pub(crate) const SERDE: Symbol = Symbol("serde");

pub(crate) const COLLECTION: Symbol = Symbol("collection");
pub(crate) const COMPOUND: Symbol = Symbol("compound");
pub(crate) const CRATE: Symbol = Symbol("crate");
pub(crate) const FIELDS: Symbol = Symbol("fields");
pub(crate) const ID: Symbol = Symbol("id");
pub(crate) const INDEX: Symbol = Symbol("index");
pub(crate) const NULLS_COLLIDE: Symbol = Symbol("nulls_collide");
pub(crate) const OPAQUE: Symbol = Symbol("opaque");
pub(crate) const PARTIAL: Symbol = Symbol("partial");
pub(crate) const REPR: Symbol = Symbol("repr");
pub(crate) const UNIQUE: Symbol = Symbol("unique");

pub(crate) const ALIAS: Symbol = Symbol("alias");
pub(crate) const CONTENT: Symbol = Symbol("content");
pub(crate) const DEFAULT: Symbol = Symbol("default");
pub(crate) const DESERIALIZE: Symbol = Symbol("deserialize");
pub(crate) const FLATTEN: Symbol = Symbol("flatten");
pub(crate) const RENAME: Symbol = Symbol("rename");
pub(crate) const RENAME_ALL: Symbol = Symbol("rename_all");
pub(crate) const RENAME_ALL_FIELDS: Symbol = Symbol("rename_all_fields");
pub(crate) const SERIALIZE: Symbol = Symbol("serialize");
pub(crate) const SKIP: Symbol = Symbol("skip");
pub(crate) const SKIP_DESERIALIZING: Symbol = Symbol("skip_deserializing");
pub(crate) const SKIP_SERIALIZING: Symbol = Symbol("skip_serializing");
pub(crate) const SKIP_SERIALIZING_IF: Symbol = Symbol("skip_serializing_if");
pub(crate) const TAG: Symbol = Symbol("tag");
pub(crate) const TRANSPARENT: Symbol = Symbol("transparent");

/// The options of each place, in the order in which an error lists them.
pub(crate) const OF_DOCUMENT: &[Symbol] = &[COLLECTION, COMPOUND, PARTIAL, FIELDS, CRATE];
pub(crate) const OF_DOCUMENT_FIELD: &[Symbol] = &[ID, INDEX, UNIQUE, NULLS_COLLIDE, OPAQUE, REPR];
pub(crate) const OF_EMBED: &[Symbol] = &[FIELDS, CRATE, REPR];
pub(crate) const OF_EMBED_FIELD: &[Symbol] = &[OPAQUE, REPR];
pub(crate) const OF_PARAMS: &[Symbol] = &[FIELDS, CRATE];
pub(crate) const OF_PARAMS_FIELD: &[Symbol] = &[];

/// What a serde attribute does to the stored form.
#[derive(Clone, Copy)]
pub(crate) enum Effect {
    /// Nothing that a query could see.
    None,
    /// Something that `serde.rs` reads.
    Read,
    /// Something that makes the paths below it unknown: why, and what to write instead.
    Hides(&'static str),
}

const OPAQUE_INSTEAD: &str = "may store a form that the type does not show: declare the type that is stored by \
                              `#[document(repr = Type)]`, or add `#[document(opaque)]` to the field";
const OTHER_TYPE_STORED: &str = "stores another type than is declared here: derive on that type instead";
const OTHER_TYPE_LOADED: &str = "loads another type than is declared here: derive on that type instead";
const REMOTE: &str = "describes a type of another crate: hold it in a field with `#[document(opaque)]`";
const UNTAGGED: &str = "leaves no sign of the variant in the document: give the enum a tag, or keep it in a field \
                        with `#[document(opaque)]`";
const VARIANT_WITH: &str = "may store a form that the variant does not show: keep the enum in a field with \
                            `#[document(opaque)]`";

/// The serde attributes of a struct.
pub(crate) const SERDE_OF_STRUCT: &[(Symbol, Effect)] = &[
    (DEFAULT, Effect::Read),
    (RENAME_ALL, Effect::Read),
    (TAG, Effect::Read),
    (TRANSPARENT, Effect::Read),
    (RENAME, Effect::None),
    (Symbol("bound"), Effect::None),
    (CRATE, Effect::None),
    (Symbol("deny_unknown_fields"), Effect::None),
    (Symbol("expecting"), Effect::None),
    (CONTENT, Effect::Hides("belongs to an enum")),
    (Symbol("from"), Effect::Hides(OTHER_TYPE_LOADED)),
    (Symbol("into"), Effect::Hides(OTHER_TYPE_STORED)),
    (Symbol("remote"), Effect::Hides(REMOTE)),
    (Symbol("try_from"), Effect::Hides(OTHER_TYPE_LOADED)),
    (Symbol("untagged"), Effect::Hides("belongs to an enum")),
];

/// The serde attributes of an enum.
pub(crate) const SERDE_OF_ENUM: &[(Symbol, Effect)] = &[
    (RENAME_ALL, Effect::Read),
    (RENAME_ALL_FIELDS, Effect::Read),
    (TAG, Effect::Read),
    (CONTENT, Effect::Read),
    (RENAME, Effect::None),
    (Symbol("bound"), Effect::None),
    (CRATE, Effect::None),
    (Symbol("deny_unknown_fields"), Effect::None),
    (Symbol("expecting"), Effect::None),
    (Symbol("from"), Effect::Hides(OTHER_TYPE_LOADED)),
    (Symbol("into"), Effect::Hides(OTHER_TYPE_STORED)),
    (Symbol("remote"), Effect::Hides(REMOTE)),
    (Symbol("try_from"), Effect::Hides(OTHER_TYPE_LOADED)),
    (Symbol("untagged"), Effect::Hides(UNTAGGED)),
];

/// The serde attributes of a variant.
pub(crate) const SERDE_OF_VARIANT: &[(Symbol, Effect)] = &[
    (ALIAS, Effect::Read),
    (RENAME, Effect::Read),
    (RENAME_ALL, Effect::Read),
    (SKIP, Effect::Read),
    (SKIP_DESERIALIZING, Effect::Read),
    (SKIP_SERIALIZING, Effect::Read),
    (Symbol("borrow"), Effect::None),
    (Symbol("bound"), Effect::None),
    (Symbol("deserialize_with"), Effect::Hides(VARIANT_WITH)),
    (
        Symbol("other"),
        Effect::Hides("loads what is stored under other names, which no query would find: name the variants"),
    ),
    (Symbol("serialize_with"), Effect::Hides(VARIANT_WITH)),
    (Symbol("untagged"), Effect::Hides(UNTAGGED)),
    (Symbol("with"), Effect::Hides(VARIANT_WITH)),
];

/// The serde attributes of a field.
pub(crate) const SERDE_OF_FIELD: &[(Symbol, Effect)] = &[
    (ALIAS, Effect::Read),
    (DEFAULT, Effect::Read),
    (FLATTEN, Effect::Read),
    (RENAME, Effect::Read),
    (SKIP, Effect::Read),
    (SKIP_DESERIALIZING, Effect::Read),
    (SKIP_SERIALIZING, Effect::Read),
    (SKIP_SERIALIZING_IF, Effect::Read),
    (Symbol("borrow"), Effect::None),
    (Symbol("bound"), Effect::None),
    (
        Symbol("getter"),
        Effect::Hides("belongs to a remote derive: hold the type in a field with `#[document(opaque)]`"),
    ),
    (Symbol("deserialize_with"), Effect::Hides(OPAQUE_INSTEAD)),
    (Symbol("serialize_with"), Effect::Hides(OPAQUE_INSTEAD)),
    (Symbol("with"), Effect::Hides(OPAQUE_INSTEAD)),
];
