//! Enums whose variants hold data, in each of serde's forms.

mod support;

use serde::{Deserialize, Serialize};
use support::{TestResult, fails, ids, strange};
use vellum::ErrorKind;
use vellum::prelude::*;

#[derive(Embed, Serialize, Deserialize, Clone, Debug, PartialEq)]
struct Point {
    x: i64,
    note: Option<String>,
}

/// The three forms hold the same variants.
macro_rules! shapes {
    ($(#[$form:meta])* $name:ident) => {
        #[derive(Embed, Serialize, Deserialize, Clone, Debug, PartialEq)]
        $(#[$form])*
        enum $name {
            Nothing,
            Point(Point),
            #[serde(rename = "Cir cle")]
            Circle {
                radius: f64,
                #[serde(rename = "n")]
                name: Option<String>,
            },
            Square {
                radius: f64,
                tags: Vec<String>,
            },
        }
    };
}

shapes!(Keyed);
shapes!(
    #[serde(tag = "ty.pe")]
    Beside
);
shapes!(
    #[serde(tag = "t", content = "c", rename_all_fields = "UPPERCASE")]
    Under
);

#[derive(Embed, Serialize, Deserialize, Clone, Debug, PartialEq)]
enum Amount {
    Exact(i64),
    Range(i64, i64),
    Named(String),
    Any {},
}

#[derive(Document, Serialize, Deserialize, Clone, Debug, PartialEq)]
struct Part {
    id: i64,
    keyed: Keyed,
    beside: Beside,
    under: Under,
    maybe: Option<Beside>,
    list: Vec<Keyed>,
    amount: Amount,
}

fn parts() -> vellum::Result<(Database, Collection<'static, Part>)> {
    let db = Database::open_in_memory()?;
    let parts = db.collection::<Part>()?;
    let point = Point { x: 3, note: Some("far".into()) };
    let (name, tags) = (Some("c".to_owned()), vec!["a".to_owned(), "b".to_owned()]);
    parts.insert_batch([
        Part {
            id: 0,
            keyed: Keyed::Nothing,
            beside: Beside::Nothing,
            under: Under::Nothing,
            maybe: None,
            list: vec![Keyed::Nothing, Keyed::Point(point.clone())],
            amount: Amount::Exact(5),
        },
        Part {
            id: 0,
            keyed: Keyed::Point(point.clone()),
            beside: Beside::Point(point.clone()),
            under: Under::Point(point.clone()),
            maybe: Some(Beside::Point(point)),
            list: vec![],
            amount: Amount::Range(1, 2),
        },
        Part {
            id: 0,
            keyed: Keyed::Circle { radius: 2.0, name: name.clone() },
            beside: Beside::Circle { radius: 2.0, name: name.clone() },
            under: Under::Circle { radius: 2.0, name: name.clone() },
            maybe: Some(Beside::Circle { radius: 2.0, name }),
            list: vec![Keyed::Circle { radius: 9.0, name: None }],
            amount: Amount::Named("lots".into()),
        },
        Part {
            id: 0,
            keyed: Keyed::Square { radius: 4.0, tags: tags.clone() },
            beside: Beside::Square { radius: 4.0, tags: tags.clone() },
            under: Under::Square { radius: 4.0, tags: tags.clone() },
            maybe: Some(Beside::Square { radius: 4.0, tags }),
            list: vec![Keyed::Nothing],
            amount: Amount::Any {},
        },
    ])?;
    Ok((db, parts))
}

macro_rules! assert_ids {
    ($parts:expr, |$p:ident| $condition:expr, $expected:expr) => {
        assert_eq!(ids!($parts, |$p: PartFields| $condition), $expected, stringify!($condition))
    };
}

macro_rules! assert_each_form {
    ($parts:expr, |$shape:ident| $condition:expr, $expected:expr) => {{
        macro_rules! condition {
            ($form:expr) => {{
                let $shape = $form;
                $condition
            }};
        }
        assert_ids!($parts, |p| condition!(p.keyed), $expected);
        assert_ids!($parts, |p| condition!(p.beside), $expected);
        assert_ids!($parts, |p| condition!(p.under), $expected);
    }};
}

#[test]
fn variants_come_back_as_they_were() -> TestResult {
    let (_db, parts) = parts()?;
    for part in parts.query().to_vec()? {
        assert_eq!(parts.get(part.id)?, Some(part));
    }
    let shapes = parts.query().select(|p| (p.keyed, p.beside, p.under, p.maybe)).to_vec()?;
    let (keyed, beside, under, maybe) = &shapes[0];
    assert_eq!((keyed, beside, under, maybe), (&Keyed::Nothing, &Beside::Nothing, &Under::Nothing, &None));
    assert!(matches!(&shapes[1].2, Under::Point(point) if point.x == 3));
    Ok(())
}

#[test]
fn a_value_is_one_of_the_variants() -> TestResult {
    let (_db, parts) = parts()?;
    assert_each_form!(parts, |shape| shape.nothing.is(), [1]);
    assert_each_form!(parts, |shape| shape.point.is(), [2]);
    assert_each_form!(parts, |shape| shape.circle.is(), [3]);
    assert_each_form!(parts, |shape| !shape.circle.is(), [1, 2, 4]);
    assert_each_form!(parts, |shape| shape.square.is() | shape.nothing.is(), [1, 4]);
    assert_ids!(parts, |p| p.maybe.is_none(), [1]);
    assert_ids!(parts, |p| p.maybe.square.is(), [4]);
    assert_ids!(parts, |p| !p.maybe.square.is(), [1, 2, 3]);
    Ok(())
}

#[test]
fn what_a_variant_holds_is_asked_of_that_variant_alone() -> TestResult {
    let (_db, parts) = parts()?;
    assert_each_form!(parts, |shape| shape.circle.is_and(|c| c.radius.gt(1.0)), [3]);
    assert_each_form!(parts, |shape| !shape.circle.is_and(|c| c.radius.gt(1.0)), [1, 2, 4]);
    assert_each_form!(parts, |shape| shape.circle.map(|c| c.radius).gt(1.0), [3]);
    assert_each_form!(parts, |shape| shape.circle.map(|c| c.radius).is_none(), [1, 2, 4]);
    assert_each_form!(parts, |shape| shape.circle.and_then(|c| c.name).eq("c"), [3]);
    assert_each_form!(parts, |shape| shape.circle.map(|c| c.radius * 2.0).eq(4.0), [3]);
    assert_each_form!(parts, |shape| shape.point.is_and(|p| p.note.starts_with("f")), [2]);
    assert_each_form!(parts, |shape| shape.point.map(|p| p.x).eq(3), [2]);
    assert_each_form!(parts, |shape| shape.square.is_and(|s| s.tags.contains("b")), [4]);
    assert_ids!(parts, |p| p.maybe.circle.is_and(|c| c.radius.le(2.0)), [3]);
    // Two that are null are equal, as two optional fields are.
    assert_each_form!(
        parts,
        |shape| shape.circle.and_then(|c| c.name).eq(shape.point.and_then(|p| p.note)),
        [1, 4]
    );
    let radii =
        parts.query().select(|p| (p.keyed.circle.map(|c| c.radius), p.beside.square.map(|s| s.radius)));
    assert_eq!(radii.to_vec()?, [(None, None), (None, None), (Some(2.0), None), (None, Some(4.0))]);
    assert_eq!(parts.query().sum(|p| p.under.circle.map(|c| c.radius))?, 2.0);
    Ok(())
}

#[test]
fn variants_of_items() -> TestResult {
    let (_db, parts) = parts()?;
    assert_ids!(parts, |p| p.list.any(|shape| shape.nothing.is()), [1, 4]);
    assert_ids!(parts, |p| p.list.any(|shape| shape.circle.is_and(|c| c.radius.gt(5.0))), [3]);
    assert_ids!(parts, |p| p.list.all(|shape| !shape.nothing.is()), [2, 3]);
    let counts = parts.query().select(|p| p.list.count_where(|shape| shape.point.is_and(|p| p.x.eq(3))));
    assert_eq!(counts.to_vec()?, [1, 0, 0, 0]);
    Ok(())
}

#[test]
fn variants_of_one_value_and_of_several() -> TestResult {
    let (_db, parts) = parts()?;
    assert_ids!(parts, |p| p.amount.exact.is_and(|n| n.gt(4)), [1]);
    assert_ids!(parts, |p| p.amount.range.is(), [2]);
    assert_ids!(parts, |p| p.amount.named.is_and(|name| name.contains("ot")), [3]);
    assert_ids!(parts, |p| p.amount.any.is(), [4]);
    let exact = parts.query().select(|p| p.amount.exact.map(|n| n)).to_vec()?;
    assert_eq!(exact, [Some(5), None, None, None]);
    Ok(())
}

#[test]
fn the_tag_is_a_text() -> TestResult {
    let (_db, parts) = parts()?;
    let tags = parts.query().group_by(|p| p.beside.tag()).select(|g| (g.key, g.count())).to_vec()?;
    let expected = ["Cir cle", "Nothing", "Point", "Square"].map(|tag| (tag.to_owned(), 1));
    assert_eq!(tags, expected);
    parts.ensure_index(|p| p.under.tag()).create()?;
    let circles = parts.compile(|q, ()| q.filter(|p| p.under.circle.is()).count())?;
    assert_eq!(circles.call(())?, 1);
    assert_eq!(circles.explain()?.plan.readings[0].indexes, ["part/under.t"]);
    Ok(())
}

#[test]
fn a_field_of_a_keyed_variant_can_be_indexed() -> TestResult {
    let (_db, parts) = parts()?;
    parts.ensure_index(|p| p.keyed.circle.map(|c| c.radius)).create()?;
    let large =
        parts.compile(|q, (size,)| q.filter(|p| p.keyed.circle.is_and(|c| c.radius.gt(size))).count())?;
    assert_eq!(large.call(1.0)?, 1);
    assert_eq!(large.explain()?.plan.readings[0].indexes, ["part/keyed.Cir cle.radius"]);
    let error = parts.ensure_index(|p| p.beside.circle.map(|c| c.radius)).create().unwrap_err();
    assert!(error.to_string().contains("cannot be indexed"), "{error}");
    Ok(())
}

#[test]
fn a_variant_is_assigned_as_a_whole() -> TestResult {
    let (_db, parts) = parts()?;
    let set = |p: PartFields| {
        (
            p.keyed.set(Keyed::Square { radius: 1.0, tags: vec![] }),
            p.beside.set(Beside::Nothing),
            p.maybe.set(Some(Beside::Circle { radius: 0.5, name: None })),
            p.amount.set(Amount::Range(7, 8)),
        )
    };
    assert_eq!(parts.update_many(|p| p.id.eq(1), set)?, 1);
    assert_eq!(parts.update_many(|p| p.id.eq(2), |p| (p.keyed.set(Keyed::Nothing), p.maybe.set(None)))?, 1);
    let part = parts.get(1)?.ok_or("the first part is gone")?;
    assert_eq!(part.keyed, Keyed::Square { radius: 1.0, tags: vec![] });
    assert_eq!((part.beside, part.amount), (Beside::Nothing, Amount::Range(7, 8)));
    assert_eq!(part.maybe, Some(Beside::Circle { radius: 0.5, name: None }));
    let part = parts.get(2)?.ok_or("the second part is gone")?;
    assert_eq!((part.keyed, part.maybe), (Keyed::Nothing, None));
    Ok(())
}

#[test]
fn what_a_stranger_stored_is_a_variant_only_in_its_form() -> TestResult {
    let (db, parts) = parts()?;
    let shapes = ["5", "true", "null", r#"["Nothing"]"#, "{}", r#"{"ty.pe":7,"t":true}"#, r#""nothing""#];
    let documents = shapes.map(|shape| format!(r#"{{"keyed":{shape},"beside":{shape},"under":{shape}}}"#));
    let mut rows: Vec<(i64, &str)> = (10..).zip(documents.iter().map(String::as_str)).collect();
    rows.push((
        20,
        r#"{"beside":{"ty.pe":"Point","radius":5,"x":"3"},"under":{"t":"Square","c":{"radius":7}}}"#,
    ));
    strange(&db, "part", &rows)?;
    assert_each_form!(parts, |shape| shape.nothing.is(), [1]);
    assert_each_form!(parts, |shape| shape.circle.is_and(|c| c.radius.gt(1.0)), [3]);
    assert_ids!(parts, |p| p.beside.point.is(), [2, 20]);
    assert_ids!(parts, |p| p.beside.point.is_and(|p| p.x.ge(0)), [2]);
    assert_ids!(parts, |p| p.under.square.is(), [4, 20]);
    assert_ids!(parts, |p| p.maybe.circle.is(), [3]);
    Ok(())
}

#[test]
fn a_field_of_one_variant_is_not_assigned() -> TestResult {
    let (_db, parts) = parts()?;
    let refused = [
        parts.query().update(|p| p.keyed.circle.map(|c| c.radius).set(1.0)).unwrap_err(),
        parts.query().update(|p| p.keyed.circle.and_then(|c| c.name).unset()).unwrap_err(),
        parts.query().update(|p| p.amount.exact.map(|n| n).set(1)).unwrap_err(),
        parts.query().update(|p| p.keyed.point.map(|p| p.x).set(1)).unwrap_err(),
        parts.query().update(|p| p.beside.tag().set("Point")).unwrap_err(),
        parts.query().update(|p| p.under.tag().set(p.beside.tag())).unwrap_err(),
    ];
    for error in refused {
        assert!(error.to_string().contains("which is a part of an enum"), "{error}");
    }
    let error = parts.query().update(|p| p.beside.circle.map(|c| c.radius).set(1.0)).unwrap_err();
    assert!(error.to_string().contains("not a stored field"), "{error}");
    assert_eq!(parts.query().to_vec()?.len(), 4);
    Ok(())
}

#[derive(Embed, Serialize, Deserialize, Clone, Debug, PartialEq)]
enum Skipping {
    Bare(#[serde(skip)] i64),
    Held(i64),
}

#[derive(Document, Serialize, Deserialize, Clone, Debug, PartialEq)]
struct Skips {
    id: i64,
    of: Skipping,
}

#[test]
fn a_variant_whose_one_field_is_skipped_is_its_name() -> TestResult {
    let db = Database::open_in_memory()?;
    let skips = db.collection::<Skips>()?;
    skips.insert_batch([Skips { id: 0, of: Skipping::Bare(7) }, Skips { id: 0, of: Skipping::Held(7) }])?;
    assert_eq!(ids!(skips, |s: SkipsFields| s.of.bare.is()), [1]);
    assert_eq!(ids!(skips, |s: SkipsFields| s.of.held.is_and(|n| n.eq(7))), [2]);
    assert_eq!(skips.get(1)?.map(|skips| skips.of), Some(Skipping::Bare(0)));
    Ok(())
}

/// What no query finds is not loaded either.
#[test]
fn what_only_serde_takes_for_a_struct_or_a_variant_is_refused_when_it_is_loaded() -> TestResult {
    #[derive(Document, Serialize, Deserialize, Debug)]
    #[document(collection = "strange")]
    struct Strange {
        id: i64,
        point: Option<Point>,
        list: Option<Vec<Point>>,
        keyed: Option<Keyed>,
        beside: Option<Beside>,
        under: Option<Under>,
        any: Option<serde_json::Value>,
    }
    let db = Database::open_in_memory()?;
    let strange_ones = db.collection::<Strange>()?;
    for (body, path) in [
        (r#"{"point":[1,null]}"#, "`point`"),
        (r#"{"list":[{"x":1},[2,"n"]]}"#, "`list[1]`"),
        (r#"{"keyed":{"Point":[1,null]}}"#, "`keyed.Point`"),
        (r#"{"keyed":{"Cir cle":[1.5,null]}}"#, r#"`keyed["Cir cle"]`"#),
        (r#"{"keyed":{"Nothing":null}}"#, "`keyed.Nothing`"),
        (r#"{"beside":["Nothing"]}"#, "`beside`"),
        (r#"{"beside":["Point",1,null]}"#, "`beside`"),
        (r#"{"under":["Nothing",null]}"#, "`under`"),
        (r#"{"under":["Point",{"x":1}]}"#, "`under`"),
    ] {
        strange(&db, "strange", &[(1, body)])?;
        fails(strange_ones.get(1), ErrorKind::TypeMismatch, &["strange", path]);
        fails(strange_ones.query().to_vec(), ErrorKind::TypeMismatch, &[path]);
        assert!(strange_ones.delete(1)?);
    }
    strange(
        &db,
        "strange",
        &[(1, r#"{"point":{"x":1},"beside":{"ty.pe":"Nothing"},"any":[[1],{"a":[]}]}"#)],
    )?;
    let loaded = strange_ones.get(1)?.ok_or("no document")?;
    assert_eq!(loaded.any, Some(serde_json::json!([[1], { "a": [] }])));
    assert_eq!(loaded.beside, Some(Beside::Nothing));
    Ok(())
}

#[test]
fn an_error_about_a_variant_names_the_field() -> TestResult {
    #[derive(Embed, Serialize, Deserialize, Clone, Debug)]
    enum Side {
        Left,
        #[serde(skip)]
        Inside,
    }
    #[derive(Document, Serialize, Deserialize, Debug)]
    struct Door {
        id: i64,
        side: Option<Side>,
        sides: Vec<Side>,
        shape: Option<Beside>,
        shapes: Vec<Under>,
    }
    let doors = Database::open_in_memory()?.collection::<Door>()?;
    let nan = doors.filter(|d| d.shape.circle.map(|c| c.radius).lt(f64::NAN)).count();
    fails(nan, ErrorKind::NotFinite, &["`shape.radius`"]);
    let nan = doors.filter(|d| d.shapes.get(1).circle.map(|c| c.radius).gt(f64::NAN)).count();
    fails(nan, ErrorKind::NotFinite, &["`shapes[1].c.RADIUS`"]);
    let sides = doors.query().update(|d| d.sides.set(vec![Side::Left, Side::Inside]));
    fails(sides, ErrorKind::InvalidQuery, &["`sides`, at `[1]` in it", "Side::Inside"]);
    fails(
        doors.query().update(|d| d.side.set(Some(Side::Inside))),
        ErrorKind::InvalidQuery,
        &["`side`", "Inside"],
    );
    Ok(())
}

/// Serde reads the fields of a tagged enum, and what is flattened, before it knows what they are.
#[test]
fn an_error_about_a_stored_value_names_it_inside_of_a_tagged_enum_too() -> TestResult {
    #[derive(Embed, Serialize, Deserialize, Debug)]
    struct Fields {
        far: Option<Point>,
        size: Option<u8>,
    }
    #[derive(Document, Serialize, Deserialize, Debug)]
    #[document(collection = "sheds")]
    struct Shed {
        id: i64,
        shape: Option<Beside>,
        under: Option<Under>,
        #[serde(flatten)]
        rest: Fields,
    }
    let db = Database::open_in_memory()?;
    let sheds = db.collection::<Shed>()?;
    for (body, kind, path) in [
        (r#"{"shape":{"ty.pe":"Cir cle","radius":"x","n":"y"}}"#, ErrorKind::TypeMismatch, "`shape.radius`"),
        (r#"{"shape":{"ty.pe":"Point","x":1,"note":true}}"#, ErrorKind::TypeMismatch, "`shape.note`"),
        (
            r#"{"shape":{"ty.pe":"Square","radius":1.0,"tags":["a",2]}}"#,
            ErrorKind::TypeMismatch,
            "`shape.tags[1]`",
        ),
        (r#"{"under":{"c":{"RADIUS":null},"t":"Cir cle"}}"#, ErrorKind::TypeMismatch, "`under.c.RADIUS`"),
        (r#"{"far":{"x":"y"}}"#, ErrorKind::TypeMismatch, "`far.x`"),
        (r#"{"size":300}"#, ErrorKind::OutOfRange, "`size`"),
        // Two are alike.
        (r#"{"shape":{"ty.pe":"Cir cle","radius":"x","n":"x"}}"#, ErrorKind::TypeMismatch, "`shape`"),
    ] {
        strange(&db, "sheds", &[(1, body)])?;
        fails(sheds.get(1), kind, &["sheds", path]);
        assert!(sheds.delete(1)?);
    }
    Ok(())
}
