//! The derives beside names that shadow what generated code could be tempted to use, in a crate that denies warnings.

#![deny(missing_docs, warnings)]

/// A module in which the usual names mean something else.
pub mod shadowed {
    #![allow(dead_code, reason = "the shadowing names are there to be in the way")]

    use serde::{Deserialize, Serialize};

    type Text = ::std::string::String;
    type Maybe<T> = ::std::option::Option<T>;
    type List<T> = ::std::vec::Vec<T>;

    macro_rules! shadow {
        ($($name:ident)*) => { $( struct $name; )* };
    }

    shadow! { Result Option String Ok Err Some None Vec Default Clone Copy }
    shadow! { Document Embed Params Symbol Value Row Expr Param Node Type }

    mod core {}
    mod std {}
    mod vellum {}

    /// A document.
    #[derive(::vellum::Document, Serialize, Deserialize)]
    #[document(compound("r#type", "address.city desc"), compound(unique, "address.zip"))]
    #[document(partial("id", "r#type", |event| event.node.is_some()))]
    pub struct HTTPEvent {
        id: i64,
        #[document(index)]
        r#type: Text,
        /// A field named as a method of the companion is.
        node: Maybe<Text>,
        bind: List<i64>,
        address: Address,
        level: Level,
        name: Name<Text>,
        shape: Maybe<Shape<i64>>,
        #[cfg(any())]
        absent: NoSuchType,
    }

    #[derive(::vellum::Embed, Serialize, Deserialize)]
    struct Address {
        city: Text,
        #[serde(default)]
        zip: Maybe<Text>,
    }

    /// A level.
    #[derive(::vellum::Embed, Serialize, Deserialize)]
    pub enum Level {
        /// None.
        None,
        /// Of every kind.
        r#Type,
    }

    /// A name.
    #[derive(::vellum::Embed, Serialize, Deserialize)]
    pub struct Name<T>(T);

    /// A shape.
    #[derive(::vellum::Embed, Serialize, Deserialize)]
    pub enum Shape<T> {
        /// No shape.
        None,
        /// One of its own kind.
        r#Self_(T),
        /// One of fields.
        Type {
            /// A keyword.
            r#type: Text,
            /// Named as a method of the companion is.
            bind: T,
            /// Named as another is.
            node: Maybe<T>,
        },
        /// Two values.
        Value(i64, i64),
    }

    /// Parameters.
    #[derive(::vellum::Params)]
    pub struct Page<'x> {
        prefix: &'x ::std::primitive::str,
        note: Maybe<&'x ::std::primitive::str>,
        ids: &'x [i64],
        owned: Text,
        list: List<Text>,
        level: Level,
    }

    /// Returns the parameter that a list of owned texts stands for.
    pub fn list(page: PageParams) -> ::vellum::Param<List<Text>> {
        page.list
    }

    /// Returns a condition that was written with operators.
    pub fn condition(event: HTTPEventFields) -> ::vellum::Expr<bool> {
        ::vellum::x!(event.r#type == "a" && !(5 < event.id))
    }
}

#[test]
fn a_document_keeps_its_names_under_shadowing() {
    use shadowed::HTTPEvent;
    use vellum::Document;

    assert_eq!(HTTPEvent::COLLECTION, "http_event");
    assert_eq!(HTTPEvent::KEY, "id");
}

#[test]
fn a_document_may_be_declared_inside_a_function() {
    #[derive(vellum::Document, serde::Serialize, serde::Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Inner {
        #[document(id)]
        row_number: i64,
    }

    let mut inner = Inner { row_number: 1 };
    vellum::Document::set_id(&mut inner, 7);
    assert_eq!(*vellum::Document::id(&inner), 7);
    assert_eq!(<Inner as vellum::Document>::KEY, "rowNumber");
}
