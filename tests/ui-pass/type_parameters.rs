//! Types that name themselves, parameters that are not stored, and defaults that depend on a parameter.

#![deny(warnings)]

use std::marker::PhantomData;

use serde::{Deserialize, Serialize};
use vellum::prelude::*;

/// A type that nothing derives of ours, and that is no value.
struct Metres;

#[derive(Embed, Serialize, Deserialize)]
struct Branch {
    name: String,
    leaves: Vec<Self>,
    next: Option<Box<Self>>,
}

#[derive(Embed, Serialize, Deserialize)]
enum Chain<T> {
    End,
    Link { value: T, rest: Box<Self> },
}

#[derive(Embed, Serialize, Deserialize)]
#[serde(transparent)]
struct Length<U> {
    value: f64,
    unit: PhantomData<U>,
}

#[derive(Embed, Serialize, Deserialize)]
#[serde(transparent)]
struct Of<T>(i64, #[serde(skip)] PhantomData<fn() -> T>);

#[derive(Embed, Serialize, Deserialize)]
struct Marked<U> {
    amount: i64,
    unit: PhantomData<U>,
}

#[derive(Embed, Serialize, Deserialize, Default)]
#[serde(default)]
struct Pair<A, B> {
    first: A,
    second: Option<B>,
}

#[derive(Embed, Serialize, Deserialize)]
struct Loose<T> {
    #[serde(default)]
    value: T,
    #[serde(default)]
    values: Vec<T>,
    #[serde(skip)]
    cached: T,
}

mod shifted {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub fn serialize<S: Serializer>(value: &u8, serializer: S) -> Result<S::Ok, S::Error> {
        (*value > 0).then_some(i64::from(*value)).serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u8, D::Error> {
        let value = Option::<i64>::deserialize(deserializer)?;
        Ok(value.unwrap_or(0) as u8)
    }
}

#[derive(Document, Serialize, Deserialize)]
struct Road {
    id: i64,
    root: Branch,
    chain: Chain<String>,
    length: Length<Metres>,
    of: Of<Metres>,
    marked: Marked<Metres>,
    pair: Pair<i64, String>,
    loose: Loose<i64>,
    #[document(index, repr = Option<i64>)]
    #[serde(with = "shifted")]
    level: u8,
    unit: PhantomData<Metres>,
}

#[derive(Document, Serialize, Deserialize)]
struct Tagged<T, M> {
    id: i64,
    #[serde(default)]
    value: T,
    marker: PhantomData<M>,
}

fn main() -> vellum::Result<()> {
    let roads = Database::open_in_memory()?.collection::<Road>()?;
    let leaf = Branch { name: "leaf".into(), leaves: Vec::new(), next: None };
    roads.insert(Road {
        id: 0,
        root: Branch { name: "root".into(), leaves: vec![leaf], next: None },
        chain: Chain::Link { value: "a".into(), rest: Box::new(Chain::End) },
        length: Length { value: 2.5, unit: PhantomData },
        of: Of(7, PhantomData),
        marked: Marked { amount: 3, unit: PhantomData },
        pair: Pair { first: 1, second: None },
        loose: Loose { value: 4, values: Vec::new(), cached: 9 },
        level: 5,
        unit: PhantomData,
    })?;
    assert_eq!(roads.filter(|r| r.root.leaves.any(|leaf| leaf.name.eq("leaf"))).count()?, 1);
    assert_eq!(roads.filter(|r| r.root.next.is_none() & r.chain.link.is_and(|l| l.value.eq("a"))).count()?, 1);
    assert_eq!(roads.filter(|r| r.length.inner().gt(2.0) & r.of.inner().eq(7) & r.marked.amount.eq(3)).count()?, 1);
    assert_eq!(roads.filter(|r| r.pair.first.eq(1) & r.loose.value.eq(4) & r.level.eq(5)).count()?, 1);
    assert_eq!(roads.query().to_vec()?.len(), 1);

    let tagged = Database::open_in_memory()?.collection::<Tagged<String, Metres>>()?;
    tagged.insert(Tagged { id: 0, value: "x".into(), marker: PhantomData })?;
    assert_eq!(tagged.filter(|t| t.value.eq("x")).count()?, 1);
    Ok(())
}
