//! The path that a query names is the path that serde wrote: each document is stored, read back from the file
//! by another connection, and found by every one of its fields.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt::Debug;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use vellum::DocId as _;
use vellum::prelude::*;

type Result<T = (), E = Box<dyn Error>> = std::result::Result<T, E>;

/// Stores one document and returns its database and collection.
fn stored<T: Document + Clone + PartialEq + Debug>(
    document: &T,
) -> Result<(Database, Collection<'static, T>)> {
    let db = Database::open_in_memory()?;
    let documents = db.collection::<T>()?;
    let id = documents.insert(document.clone())?;
    assert_eq!(documents.get(id.as_key())?.as_ref(), Some(document));
    assert_eq!(in_file::<T>(&db)?, as_serde_writes(document)?);
    Ok((db, documents))
}

/// Returns the only document of the file, as another program sees it.
fn in_file<T: Document>(db: &Database) -> Result<Value> {
    let file = rusqlite::Connection::open(db.path())?;
    let sql = format!("SELECT json(doc) FROM \"{}\"", T::COLLECTION);
    Ok(serde_json::from_str(&file.query_row(&sql, [], |row| row.get::<_, String>(0))?)?)
}

/// Returns what serde writes, without the key, which is the row id.
fn as_serde_writes<T: Document>(document: &T) -> Result<Value> {
    let mut value = serde_json::to_value(document)?;
    let key = value.as_object_mut().and_then(|object| object.remove(T::KEY));
    assert!(key.is_some(), "serde writes no `{}`", T::KEY);
    Ok(value)
}

/// Asserts that each field finds the document by its value, and gives that value back.
macro_rules! assert_found {
    ($documents:ident, $document:ident: $($($field:ident).+),+ $(,)?) => { $(
        let value = &$document.$($field).+;
        assert_eq!($documents.filter(|e| e.$($field).+.eq(value)).count()?, 1, stringify!($($field).+));
        assert_eq!($documents.filter(|e| e.$($field).+.ne(value)).count()?, 0, stringify!($($field).+));
        assert_eq!($documents.query().select(|e| e.$($field).+).to_vec()?, std::slice::from_ref(value));
    )+ };
}

macro_rules! rules {
    ($($test:ident: $rule:literal => $two_words:literal, $type:literal;)+) => { $(
        #[test]
        fn $test() -> Result {
            #[derive(Document, Serialize, Deserialize, Debug, Clone, PartialEq)]
            #[serde(rename_all = $rule)]
            #[document(collection = "renamed", compound("two_words desc", "r#type"))]
            struct Renamed {
                #[document(id)]
                row_id: i64,
                #[document(index)]
                two_words: String,
                r#type: String,
                #[document(unique)]
                _odd_name_2: String,
                x: String,
                #[serde(rename = "given Name")]
                given: String,
            }

            let document = Renamed {
                row_id: 7,
                two_words: "a".into(),
                r#type: "b".into(),
                _odd_name_2: "c".into(),
                x: "d".into(),
                given: "e".into(),
            };
            let (db, documents) = stored(&document)?;
            let json = in_file::<Renamed>(&db)?;
            let named = [&json[$two_words], &json[$type], &json["given Name"]];
            assert_eq!(named, ["a", "b", "e"]);
            assert_found!(documents, document: row_id, two_words, r#type, _odd_name_2, x, given);
            assert_eq!(documents.ensure_indexes()?.created.len(), 3);
            assert_found!(documents, document: row_id, two_words, r#type, _odd_name_2, x, given);
            Ok(())
        }
    )+ };
}

rules! {
    lowercase_keeps_a_field_s_name: "lowercase" => "two_words", "type";
    uppercase_is_followed: "UPPERCASE" => "TWO_WORDS", "TYPE";
    pascal_case_is_followed: "PascalCase" => "TwoWords", "Type";
    camel_case_is_followed: "camelCase" => "twoWords", "type";
    snake_case_keeps_a_field_s_name: "snake_case" => "two_words", "type";
    screaming_snake_case_is_followed: "SCREAMING_SNAKE_CASE" => "TWO_WORDS", "TYPE";
    kebab_case_is_followed: "kebab-case" => "two-words", "type";
    screaming_kebab_case_is_followed: "SCREAMING-KEBAB-CASE" => "TWO-WORDS", "TYPE";
}

#[test]
fn a_name_may_hold_what_a_path_is_written_with() -> Result {
    #[derive(Document, Serialize, Deserialize, Debug, Clone, PartialEq)]
    #[document(collection = "odd")]
    struct Odd {
        id: i64,
        #[serde(rename = "a.b")]
        #[document(index)]
        dot: String,
        #[serde(rename = "a\"b")]
        #[document(index)]
        quote: String,
        #[serde(rename = "a'b")]
        #[document(index)]
        apostrophe: String,
        #[serde(rename = "a\\b")]
        #[document(index)]
        backslash: String,
        #[serde(rename = "a\nb")]
        #[document(index)]
        line: String,
        #[serde(rename = "$")]
        #[document(index)]
        root: String,
        #[serde(rename = "[0]")]
        #[document(index)]
        item: String,
        #[serde(rename = "")]
        #[document(index)]
        empty: String,
        #[serde(rename = "gr\u{f6}\u{df}e")]
        #[document(index)]
        unicode: String,
        a: Inner,
    }

    #[derive(Embed, Serialize, Deserialize, Debug, Clone, PartialEq)]
    struct Inner {
        b: String,
    }

    let text = |text: &str| text.to_owned();
    let mut document = Odd {
        id: 1,
        dot: text("1"),
        quote: text("2"),
        apostrophe: text("3"),
        backslash: text("4"),
        line: text("5"),
        root: text("6"),
        item: text("7"),
        empty: text("8"),
        unicode: text("9"),
        a: Inner { b: text("10") },
    };
    let (db, documents) = stored(&document)?;
    for round in 0..2 {
        if round == 1 {
            assert_eq!(documents.ensure_indexes()?.created.len(), 9);
        }
        assert_found!(documents, document: dot, quote, apostrophe, backslash, line);
        assert_found!(documents, document: root, item, empty, unicode, a.b);
    }
    macro_rules! set {
        ($($($field:ident).+),+) => { $(
            document.$($field).+.push_str(" set");
            let value = &document.$($field).+;
            assert_eq!(documents.update_many(|_| lit(true), |e| e.$($field).+.set(value.as_str()))?, 1);
            assert_eq!(in_file::<Odd>(&db)?, as_serde_writes(&document)?, stringify!($($field).+));
        )+ };
    }
    set!(dot, quote, apostrophe, backslash, line, root, item, empty, unicode, a.b);
    assert_found!(documents, document: dot, quote, apostrophe, backslash, line);
    assert_found!(documents, document: root, item, empty, unicode, a.b);
    Ok(())
}

#[test]
fn a_skipped_field_is_not_stored_and_an_opaque_one_is() -> Result {
    mod doubled {
        use serde::{Deserialize, Deserializer, Serializer};

        pub(super) fn serialize<S: Serializer>(value: &i64, serializer: S) -> Result<S::Ok, S::Error> {
            serializer.serialize_str(&(value * 2).to_string())
        }

        pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<i64, D::Error> {
            let text = String::deserialize(deserializer)?;
            text.parse::<i64>().map(|value| value / 2).map_err(serde::de::Error::custom)
        }
    }

    #[derive(Serialize, Deserialize, Debug, Clone, PartialEq)]
    enum Shape {
        Circle { radius: f64 },
    }

    #[derive(Document, Serialize, Deserialize, Debug, Clone, PartialEq)]
    struct Parts {
        id: i64,
        #[serde(skip)]
        skipped: i64,
        #[document(opaque)]
        #[serde(with = "doubled")]
        other_form: i64,
        #[document(opaque)]
        shape: Shape,
        #[serde(skip_serializing_if = "Option::is_none")]
        left_out: Option<String>,
        null: Option<String>,
        last: String,
    }

    let document = Parts {
        id: 1,
        skipped: 0,
        other_form: 21,
        shape: Shape::Circle { radius: 1.5 },
        left_out: None,
        null: None,
        last: "end".into(),
    };
    let (db, documents) = stored(&document)?;
    let json = in_file::<Parts>(&db)?;
    assert_eq!(
        json,
        json!({"other_form": "42", "shape": {"Circle": {"radius": 1.5}}, "null": null, "last": "end"})
    );
    assert_found!(documents, document: id, last);
    assert_eq!(documents.filter(|e| e.left_out.is_none() & e.null.is_none()).count()?, 1);
    assert_eq!(documents.query().select(|e| (e.left_out, e.null)).to_vec()?, [(None, None)]);
    Ok(())
}

#[derive(Embed, Serialize, Deserialize, Debug, Clone, PartialEq)]
#[serde(rename_all = "SCREAMING-KEBAB-CASE")]
struct Address {
    street_name: String,
    #[serde(rename = "post code")]
    zip: Option<i64>,
    geo_point: Geo,
}

#[derive(Embed, Serialize, Deserialize, Debug, Clone, PartialEq)]
#[serde(rename_all = "PascalCase")]
struct Geo {
    lat: f64,
    r#in: bool,
}

#[derive(Document, Serialize, Deserialize, Debug, Clone, PartialEq)]
#[serde(rename_all = "camelCase")]
#[document(compound("ship_to.street_name", "ship_to.geo_point.lat desc"), compound("bill_to.zip"))]
struct Order {
    id: i64,
    ship_to: Address,
    bill_to: Option<Address>,
    gift_to: Option<Address>,
    tag_list: Vec<String>,
    old_places: Vec<Address>,
    free_form: BTreeMap<String, i64>,
}

fn address(street: &str, zip: Option<i64>, lat: f64) -> Address {
    Address { street_name: street.into(), zip, geo_point: Geo { lat, r#in: lat > 0.0 } }
}

fn order() -> Order {
    Order {
        id: 3,
        ship_to: address("Bern", Some(3000), 46.9),
        bill_to: Some(address("Rome", Some(100), 41.9)),
        gift_to: None,
        tag_list: vec!["a".into(), "b".into()],
        old_places: vec![address("Oslo", None, 59.9)],
        free_form: [("k".to_owned(), 5)].into(),
    }
}

#[test]
fn a_nested_struct_has_its_own_rule() -> Result {
    let document = order();
    let (db, documents) = stored(&document)?;
    assert_eq!(
        in_file::<Order>(&db)?["shipTo"],
        json!({"STREET-NAME": "Bern", "post code": 3000, "GEO-POINT": {"Lat": 46.9, "In": true}})
    );
    for round in 0..2 {
        if round == 1 {
            assert_eq!(documents.ensure_indexes()?.created.len(), 2);
        }
        assert_found!(documents, document: ship_to.street_name);
        assert_found!(documents, document: ship_to.geo_point.lat, ship_to.geo_point.r#in);
        assert_eq!(documents.filter(|e| e.ship_to.zip.eq(3000)).count()?, 1);
        assert_eq!(documents.query().select(|e| e.ship_to).to_vec()?, [order().ship_to]);
        assert_eq!(documents.query().select(|e| e.ship_to.geo_point).to_vec()?, [order().ship_to.geo_point]);
    }
    let moved = Geo { lat: -1.0, r#in: false };
    assert_eq!(documents.update_many(|_| lit(true), |e| e.ship_to.geo_point.set(moved.clone()))?, 1);
    let mut expected = order();
    expected.ship_to.geo_point = moved;
    assert_eq!(in_file::<Order>(&db)?, as_serde_writes(&expected)?);
    Ok(())
}

#[test]
fn an_optional_struct_is_read_through() -> Result {
    let (db, documents) = stored(&order())?;
    for round in 0..2 {
        if round == 1 {
            documents.ensure_indexes()?;
        }
        assert_eq!(
            documents.filter(|e| e.bill_to.street_name.eq("Rome") & e.bill_to.zip.eq(100)).count()?,
            1
        );
        assert_eq!(
            documents.filter(|e| e.bill_to.geo_point.lat.eq(41.9) & e.bill_to.geo_point.r#in).count()?,
            1
        );
        assert_eq!(documents.filter(|e| e.bill_to.is_some() & e.gift_to.is_none()).count()?, 1);
        assert_eq!(documents.filter(|e| e.gift_to.street_name.eq("Rome")).count()?, 0);
        assert_eq!(
            documents.filter(|e| e.gift_to.street_name.ne("Rome") & e.gift_to.zip.is_none()).count()?,
            1
        );
        let names = documents
            .query()
            .select(|e| (e.bill_to.map(|a| a.street_name), e.gift_to.map(|a| a.street_name)));
        assert_eq!(names.to_vec()?, [(Some("Rome".to_owned()), None)]);
        let wholes = documents.query().select(|e| (e.bill_to, e.gift_to));
        assert_eq!(wholes.to_vec()?, [(order().bill_to, None)]);
    }
    let gift = address("Lima", None, -12.0);
    documents.update_many(|_| lit(true), |e| (e.gift_to.set(Some(gift.clone())), e.bill_to.unset()))?;
    let mut expected = as_serde_writes(&Order { bill_to: None, gift_to: Some(gift), ..order() })?;
    expected.as_object_mut().and_then(|order| order.remove("billTo"));
    assert_eq!(in_file::<Order>(&db)?, expected);
    Ok(())
}

#[test]
fn lists_and_maps_are_read_and_stored_whole() -> Result {
    let (db, documents) = stored(&order())?;
    let wholes = documents.query().select(|e| (e.tag_list, e.old_places, e.free_form));
    let Order { tag_list, old_places, free_form, .. } = order();
    assert_eq!(wholes.to_vec()?, [(tag_list, old_places, free_form)]);
    let expected = Order {
        tag_list: vec!["c".into()],
        old_places: vec![address("Lima", Some(1), -12.0), address("Kyiv", None, 50.5)],
        free_form: BTreeMap::new(),
        ..order()
    };
    documents.update_many(
        |_| lit(true),
        |e| {
            (
                e.tag_list.set(expected.tag_list.clone()),
                e.old_places.set(expected.old_places.clone()),
                e.free_form.set(expected.free_form.clone()),
            )
        },
    )?;
    assert_eq!(in_file::<Order>(&db)?, as_serde_writes(&expected)?);
    assert_eq!(documents.get(3)?, Some(expected));
    Ok(())
}

#[test]
fn a_renamed_key_is_the_row_id() -> Result {
    #[derive(Document, Serialize, Deserialize, Debug, Clone, PartialEq)]
    struct Keyed {
        #[serde(rename = "_id")]
        #[document(id)]
        number: i64,
        id: String,
    }

    let document = Keyed { number: 9, id: "text".into() };
    let (db, documents) = stored(&document)?;
    assert_eq!(in_file::<Keyed>(&db)?, json!({"id": "text"}));
    assert_found!(documents, document: number, id);
    Ok(())
}
