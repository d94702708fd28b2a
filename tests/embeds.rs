//! Embedded types of every form: newtypes, enums of names, generics, boxes.

use std::marker::PhantomData;

use serde::{Deserialize, Serialize};
use vellum::prelude::*;
use vellum::{ErrorKind, Result};

#[derive(Embed, Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[serde(rename_all = "kebab-case")]
enum Level {
    Debug,
    VeryLoud,
    #[serde(rename = "Quiet!")]
    Quiet,
    #[serde(skip)]
    Internal,
}

#[derive(Embed, Serialize, Deserialize, Clone, Debug, PartialEq)]
struct Name(String);

#[derive(Embed, Serialize, Deserialize, Clone, Copy, Debug, PartialEq)]
struct Meters(f64);

#[derive(Embed, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(transparent)]
struct Tagged<T> {
    tags: Vec<T>,
    #[serde(skip)]
    of: PhantomData<T>,
}

#[derive(Embed, Serialize, Deserialize, Clone, Debug, PartialEq)]
struct Pair<T> {
    first: T,
    second: Option<T>,
}

#[derive(Embed, Serialize, Deserialize, Clone, Debug, PartialEq)]
struct Tree {
    value: i64,
    left: Option<Box<Tree>>,
    right: Option<Box<Tree>>,
}

#[derive(Document, Serialize, Deserialize, Clone, Debug, PartialEq)]
struct Item {
    id: i64,
    #[document(index)]
    level: Level,
    quiet: Option<Level>,
    #[document(index)]
    name: Name,
    nick: Option<Name>,
    size: Option<Meters>,
    tags: Tagged<String>,
    pair: Pair<i64>,
    names: Pair<Name>,
    tree: Option<Box<Tree>>,
    levels: Vec<Level>,
}

fn item(level: Level, name: &str) -> Item {
    Item {
        id: 0,
        level,
        quiet: None,
        name: Name(name.to_owned()),
        nick: None,
        size: None,
        tags: Tagged { tags: vec![name.to_owned(), "all".to_owned()], of: PhantomData },
        pair: Pair { first: 1, second: None },
        names: Pair { first: Name("a".to_owned()), second: Some(Name("b".to_owned())) },
        tree: None,
        levels: vec![level],
    }
}

fn leaf(value: i64) -> Option<Box<Tree>> {
    Some(Box::new(Tree { value, left: None, right: None }))
}

fn items() -> Result<(Database, Collection<'static, Item>)> {
    let db = Database::open_in_memory()?;
    let items = db.collection::<Item>()?;
    items.ensure_indexes()?;
    let tree = Tree { value: 1, left: leaf(2), right: None };
    items.insert_batch([
        Item { quiet: Some(Level::Quiet), tree: Some(Box::new(tree)), ..item(Level::Debug, "ada") },
        Item {
            nick: Some(Name("b".into())),
            size: Some(Meters(2.5)),
            pair: Pair { first: 7, second: Some(8) },
            ..item(Level::VeryLoud, "bob")
        },
        Item { size: Some(Meters(-1.0)), levels: vec![], ..item(Level::Quiet, "cy") },
    ])?;
    Ok((db, items))
}

#[test]
fn what_is_embedded_comes_back_as_it_was() -> Result<()> {
    let (_db, items) = items()?;
    let stored = items.query().to_vec()?;
    assert_eq!(stored[0].tree.as_ref().and_then(|tree| tree.left.clone()), leaf(2));
    for item in &stored {
        assert_eq!(items.get(item.id)?.as_ref(), Some(item));
    }
    Ok(())
}

#[test]
fn a_variant_is_compared_by_its_stored_name() -> Result<()> {
    let (db, items) = items()?;
    assert_eq!(items.filter(|i| i.level.eq(Level::VeryLoud)).count()?, 1);
    assert_eq!(items.filter(|i| i.level.ne(Level::VeryLoud)).count()?, 2);
    assert_eq!(items.filter(|i| i.quiet.eq(Level::Quiet)).select(|i| i.id).to_vec()?, [1]);
    assert_eq!(items.filter(|i| i.quiet.eq_option(None::<Level>)).count()?, 2);
    assert_eq!(items.filter(|i| i.level.is_in([Level::Debug, Level::Quiet])).count()?, 2);
    assert_eq!(items.filter(|i| i.levels.contains(Level::Debug)).count()?, 1);
    assert_eq!(items.query().select(|i| i.level).to_vec()?, [Level::Debug, Level::VeryLoud, Level::Quiet]);
    // By the stored form: "Quiet!", "debug", "very-loud".
    let ordered = items.query().order_by(|i| i.level).select(|i| i.id).to_vec()?;
    assert_eq!(ordered, [3, 1, 2]);
    let groups = items.query().group_by(|i| i.level).select(|g| (g.key, g.count())).to_vec()?;
    assert_eq!(groups, [(Level::Quiet, 1), (Level::Debug, 1), (Level::VeryLoud, 1)]);
    let of = db.compile(|q, (level,)| q.from::<Item>().filter(|i| i.level.eq(level)).count())?;
    assert_eq!(of.call(Level::Quiet)?, 1);
    assert_eq!(of.explain()?.plan.readings[0].indexes, ["item/level"]);
    assert_eq!(items.update_many(|i| i.id.eq(1), |i| (i.level.set(Level::Quiet), i.quiet.set(None)))?, 1);
    assert_eq!(of.call(Level::Quiet)?, 2);
    Ok(())
}

#[test]
fn a_variant_that_is_never_stored_is_no_operand() -> Result<()> {
    let (db, items) = items()?;
    let error = items.filter(|i| i.level.eq(Level::Internal)).count().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidQuery);
    assert!(error.to_string().contains("`Internal` is never stored"), "{error}");
    let of = db.compile(|q, (level,)| q.from::<Item>().filter(|i| i.level.eq(level)).count())?;
    let error = of.call(Level::Internal).unwrap_err();
    assert!(error.to_string().contains("argument 1: the variant `Internal`"), "{error}");
    Ok(())
}

#[test]
fn a_newtype_is_an_operand_and_its_inner_value_has_the_methods() -> Result<()> {
    let (db, items) = items()?;
    assert_eq!(items.filter(|i| i.name.eq(Name("bob".into()))).count()?, 1);
    assert_eq!(items.filter(|i| i.name.inner().starts_with("a")).select(|i| i.id).to_vec()?, [1]);
    assert_eq!(items.filter(|i| i.nick.inner().eq("b")).select(|i| i.id).to_vec()?, [2]);
    assert_eq!(items.filter(|i| i.nick.is_none()).count()?, 2);
    assert_eq!(items.filter(|i| i.size.gt(Meters(0.0))).select(|i| i.size).to_vec()?, [Some(Meters(2.5))]);
    assert_eq!(items.query().sum(|i| i.size.inner())?, 1.5);
    let named = db.compile(|q, (name,)| q.from::<Item>().filter(|i| i.name.eq(name)).select(|i| i.name))?;
    assert_eq!(named.call(Name("cy".into()))?, [Name("cy".into())]);
    let starting =
        db.compile(|q, (text,)| q.from::<Item>().filter(|i| i.name.inner().starts_with(text)).count())?;
    assert_eq!(starting.call("b")?, 1);
    assert_eq!(starting.explain()?.plan.readings[0].indexes, ["item/name"]);
    assert_eq!(items.update_many(|i| i.id.eq(3), |i| i.name.set(Name("zoe".into())))?, 1);
    assert_eq!(items.update_many(|i| i.id.eq(3), |i| i.size.inner().increment(2.0))?, 1);
    assert_eq!(items.get(3)?.and_then(|item| item.size), Some(Meters(1.0)));
    Ok(())
}

#[test]
fn a_newtype_of_a_list_has_items_inside() -> Result<()> {
    let (_db, items) = items()?;
    assert_eq!(items.filter(|i| i.tags.inner().contains("bob")).select(|i| i.id).to_vec()?, [2]);
    assert_eq!(items.query().select(|i| i.tags.inner().len()).to_vec()?, [2, 2, 2]);
    assert_eq!(items.query().select(|i| i.tags.inner().first()).take(1).to_vec()?, [Some("ada".to_owned())]);
    Ok(())
}

#[test]
fn a_generic_struct_has_the_fields_of_its_types() -> Result<()> {
    let (_db, items) = items()?;
    assert_eq!(items.filter(|i| i.pair.first.gt(5)).select(|i| i.pair.second).to_vec()?, [Some(8)]);
    assert_eq!(items.filter(|i| i.names.second.inner().eq("b")).count()?, 3);
    let pairs: Vec<Pair<i64>> = items.query().select(|i| i.pair).to_vec()?;
    assert_eq!(pairs[1], Pair { first: 7, second: Some(8) });
    items.update_many(|i| i.id.eq(1), |i| i.pair.set(Pair { first: 9, second: None }))?;
    assert_eq!(items.filter(|i| i.pair.first.eq(9)).count()?, 1);
    Ok(())
}

#[test]
fn a_recursive_struct_is_entered_through_its_boxes() -> Result<()> {
    let (_db, items) = items()?;
    assert_eq!(items.filter(|i| i.tree.is_some()).count()?, 1);
    let below = |i: ItemFields| i.tree.inner().left.inner().value;
    assert_eq!(items.filter(|i| below(i).eq(2)).select(|i| i.id).to_vec()?, [1]);
    let left = items.filter(|i| i.id.eq(1)).select(|i| i.tree.inner().and_then(|tree| tree.left)).to_vec()?;
    assert_eq!(left, [leaf(2)]);
    Ok(())
}

#[derive(Document, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[document(collection = "boxed", compound("text desc"))]
struct Outer<T> {
    id: i64,
    inner: Pair<T>,
    text: Box<i64>,
}

#[test]
fn a_generic_document_is_a_document_for_each_type() -> Result<()> {
    let db = Database::open_in_memory()?;
    let outer = db.collection::<Outer<i64>>()?;
    outer.ensure_indexes()?;
    outer.insert(Outer { id: 0, inner: Pair { first: 3, second: None }, text: Box::new(4) })?;
    assert_eq!(outer.filter(|o| o.inner.first.eq(3) & o.text.eq(4)).count()?, 1);
    assert_eq!(outer.filter(|o| o.text.inner().gt(3)).count()?, 1);
    Ok(())
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Embed)]
#[repr(u8)]
#[document(repr = u8)]
enum Priority {
    Low = 1,
    High = 9,
}

impl Serialize for Priority {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.serialize_u8(*self as u8)
    }
}

impl<'de> Deserialize<'de> for Priority {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        match u8::deserialize(deserializer)? {
            1 => Ok(Priority::Low),
            9 => Ok(Priority::High),
            other => Err(serde::de::Error::custom(format!("no priority {other}"))),
        }
    }
}

/// Hours and minutes, stored as text that sorts.
#[derive(Embed, Serialize, Deserialize, Clone, Copy, Debug, PartialEq)]
#[serde(into = "String", try_from = "String")]
#[document(repr = String)]
struct Clock {
    minutes: u16,
}

impl From<Clock> for String {
    fn from(clock: Clock) -> String {
        format!("{:02}:{:02}", clock.minutes / 60, clock.minutes % 60)
    }
}

impl TryFrom<String> for Clock {
    type Error = std::num::ParseIntError;

    fn try_from(text: String) -> std::result::Result<Self, Self::Error> {
        let (hours, minutes) = text.split_once(':').unwrap_or((&text, "0"));
        Ok(Clock { minutes: hours.parse::<u16>()? * 60 + minutes.parse::<u16>()? })
    }
}

/// Declares what it is not stored as.
#[derive(Embed, Serialize, Deserialize, Clone, Copy, Debug, PartialEq)]
#[document(repr = i64)]
enum Wrong {
    A,
}

#[derive(Document, Serialize, Deserialize, Clone, Debug, PartialEq)]
struct Task {
    id: i64,
    #[document(index)]
    priority: Priority,
    #[document(index)]
    at: Option<Clock>,
    #[serde(default)]
    until: Option<Clock>,
    wrong: Wrong,
}

#[test]
fn a_type_that_declares_what_it_is_stored_as_is_an_operand_like_that() -> Result<()> {
    let db = Database::open_in_memory()?;
    let tasks = db.collection::<Task>()?;
    tasks.ensure_indexes()?;
    let task = |priority, minutes: Option<u16>| {
        let at = minutes.map(|minutes| Clock { minutes });
        Task { id: 0, priority, at, until: None, wrong: Wrong::A }
    };
    tasks.insert_batch([
        task(Priority::Low, Some(61)),
        task(Priority::High, None),
        task(Priority::Low, Some(600)),
    ])?;
    assert_eq!(tasks.filter(|t| t.priority.eq(Priority::Low)).select(|t| t.id).to_vec()?, [1, 3]);
    assert_eq!(
        tasks.filter(|t| t.priority.gt(Priority::Low)).select(|t| t.priority).to_vec()?,
        [Priority::High]
    );
    assert_eq!(tasks.query().sum(|t| t.priority.inner())?, 11);
    let before = db.compile(|q, (at,)| q.from::<Task>().filter(|t| t.at.lt(at)).select(|t| t.at))?;
    assert_eq!(before.call(Clock { minutes: 90 })?, [Some(Clock { minutes: 61 })]);
    assert_eq!(before.explain()?.plan.readings[0].indexes, ["task/at"]);
    assert_eq!(tasks.filter(|t| t.at.inner().starts_with("10")).select(|t| t.id).to_vec()?, [3]);
    assert_eq!(tasks.update_many(|t| t.id.eq(2), |t| t.at.set(Some(Clock { minutes: 5 })))?, 1);
    assert_eq!(tasks.query().min(|t| t.at)?, Some(Clock { minutes: 5 }));
    let error = tasks.filter(|t| t.wrong.eq(Wrong::A)).count().unwrap_err();
    assert!(error.to_string().contains("serde does not store it as the declared `i64`"), "{error}");
    Ok(())
}
