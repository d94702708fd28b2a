//! Lists in queries: rule 20, items of every kind, structs and lists inside of lists, strangers' data.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};
use vellum::ErrorKind;
use vellum::prelude::*;

type TestResult = Result<(), Box<dyn std::error::Error>>;

#[derive(Document, Serialize, Deserialize, Debug, Clone, Default)]
#[document(collection = "baskets")]
struct Basket {
    id: i64,
    owner: String,
    limit: i64,
    tags: Vec<String>,
    #[serde(default)]
    codes: Option<Vec<i64>>,
    marks: HashSet<i32>,
    ratings: Vec<f64>,
    flags: Vec<bool>,
    maybe: Vec<Option<i64>>,
    grid: Vec<Vec<i64>>,
    lines: Vec<Line>,
    box_: Inner,
}

#[derive(Embed, Serialize, Deserialize, Debug, Clone, Default)]
struct Inner {
    notes: Vec<String>,
}

#[derive(Embed, Serialize, Deserialize, Debug, Clone, Default)]
struct Line {
    item: String,
    qty: i64,
    price: Option<f64>,
    parts: Vec<Part>,
}

#[derive(Embed, Serialize, Deserialize, Debug, Clone, Default)]
struct Part {
    name: String,
}

fn line(item: &str, qty: i64, price: Option<f64>, parts: &[&str]) -> Line {
    let parts = parts.iter().map(|name| Part { name: (*name).into() }).collect();
    Line { item: item.into(), qty, price, parts }
}

fn texts(of: &[&str]) -> Vec<String> {
    of.iter().map(|text| (*text).to_owned()).collect()
}

fn baskets() -> vellum::Result<(Database, Collection<'static, Basket>)> {
    let db = Database::open_in_memory()?;
    let baskets = db.collection::<Basket>()?;
    baskets.insert_batch([
        Basket {
            owner: "ann".into(),
            limit: 3,
            tags: texts(&["red", "red", "a%b"]),
            codes: Some(vec![1, 2, 3]),
            marks: HashSet::from([1, 2]),
            ratings: vec![1.0, 2.5],
            flags: vec![true, false],
            maybe: vec![Some(1), None],
            grid: vec![vec![1, 2], vec![], vec![3]],
            lines: vec![line("pen", 2, Some(1.5), &["cap", "ink"]), line("ink", 5, None, &[])],
            box_: Inner { notes: texts(&["x"]) },
            ..Basket::default()
        },
        Basket {
            owner: "bob".into(),
            limit: 10,
            tags: texts(&["blue"]),
            ratings: vec![4.0],
            flags: vec![false],
            maybe: vec![None],
            lines: vec![line("pen", 20, Some(1.0), &["cap"])],
            ..Basket::default()
        },
        Basket { owner: "cy".into(), ..Basket::default() },
    ])?;
    Ok((db, baskets))
}

macro_rules! assert_ids {
    ($baskets:expr, |$b:ident| $condition:expr, $expected:expr) => {
        assert_eq!(
            $baskets.filter(|$b| $condition).select(|b| b.id).to_vec()?,
            $expected,
            stringify!($condition)
        )
    };
}

#[test]
fn items_are_asked_without_multiplying_rows() -> TestResult {
    let (_db, baskets) = baskets()?;
    assert_ids!(baskets, |b| b.tags.contains("red"), [1]);
    assert_ids!(baskets, |b| b.tags.contains("a%b") & !b.tags.contains("a"), [1]);
    assert_ids!(baskets, |b| b.tags.any(|tag| tag.starts_with("b")), [2]);
    assert_ids!(baskets, |b| b.tags.all(|tag| tag.starts_with("b")), [2, 3]);
    assert_ids!(baskets, |b| !b.tags.all(|tag| tag.eq("red")), [1, 2]);
    assert_ids!(baskets, |b| b.tags.is_empty(), [3]);
    assert_ids!(baskets, |b| b.tags.len().ge(3), [1]);
    assert_ids!(baskets, |b| b.codes.contains(2), [1]);
    assert_ids!(baskets, |b| b.codes.is_empty() & b.codes.len().eq(0), [2, 3]);
    assert_ids!(baskets, |b| b.marks.contains(2), [1]);
    assert_ids!(baskets, |b| b.ratings.any(|rating| rating.gt(2.0)), [1, 2]);
    assert_ids!(baskets, |b| b.flags.any(|flag| flag), [1]);
    assert_ids!(baskets, |b| b.flags.contains(false), [1, 2]);
    assert_ids!(baskets, |b| b.flags.all(|flag| !flag), [2, 3]);
    assert_ids!(baskets, |b| b.maybe.any(|code| code.is_none()), [1, 2]);
    assert_ids!(baskets, |b| b.maybe.contains(1), [1]);
    assert_ids!(baskets, |b| b.box_.notes.contains("x"), [1]);
    assert_eq!(baskets.filter(|b| b.tags.contains("red")).count()?, 1, "red stands there twice");
    let counts =
        baskets.query().select(|b| (b.tags.len(), b.tags.count_where(|tag| tag.eq("red")), b.codes.len()));
    assert_eq!(counts.to_vec()?, [(3, 2, 3), (1, 0, 0), (0, 0, 0)]);
    Ok(())
}

#[test]
fn an_item_is_compared_with_its_row_and_with_other_items() -> TestResult {
    let (db, baskets) = baskets()?;
    assert_ids!(baskets, |b| b.lines.any(|line| line.qty.gt(b.limit)), [1, 2]);
    assert_ids!(
        baskets,
        |b| b.lines.any(|line| line.item.eq("pen") & line.parts.any(|part| part.name.eq("ink"))),
        [1]
    );
    // The innermost closure sees the row, the line and the part.
    assert_ids!(
        baskets,
        |b| b.lines.any(|line| line.parts.any(|part| part.name.eq("cap") & line.qty.ge(b.limit))),
        [2]
    );
    assert_ids!(baskets, |b| b.tags.any(|tag| b.lines.any(|line| line.item.eq(tag))), Vec::<i64>::new());
    assert_ids!(baskets, |b| b.grid.any(|row| row.contains(3)), [1]);
    assert_ids!(baskets, |b| b.grid.any(|row| row.is_empty()), [1]);
    let compiled = db.compile(|q, (item, least)| {
        q.from::<Basket>()
            .filter(|b| b.lines.any(|line| line.item.eq(item) & line.qty.ge(least)))
            .select(|b| b.owner)
    })?;
    assert_eq!(compiled.call(("pen", 3))?, ["bob"]);
    assert_eq!(compiled.call(("pen", 2))?, ["ann", "bob"]);
    assert_eq!(compiled.call(("'; drop table baskets", 0))?, Vec::<String>::new());
    Ok(())
}

#[test]
fn sums_and_places() -> TestResult {
    let (_db, baskets) = baskets()?;
    let sums = baskets.query().select(|b| {
        (b.lines.sum_of(|line| line.qty), b.lines.sum_of(|line| line.price), b.codes.sum_of(|code| code))
    });
    assert_eq!(sums.to_vec()?, [(7, 1.5, 6), (20, 1.0, 0), (0, 0.0, 0)]);
    let worth =
        baskets.query().select(|b| b.lines.sum_of(|line| line.qty.as_f64() * line.price.unwrap_or(0.0)));
    assert_eq!(worth.to_vec()?, [3.0, 20.0, 0.0]);
    let firsts = baskets.query().select(|b| (b.tags.first(), b.tags.get(2), b.grid.get(2).first()));
    let expected = [
        (Some("red".to_owned()), Some("a%b".to_owned()), Some(3)),
        (Some("blue".to_owned()), None, None),
        (None, None, None),
    ];
    assert_eq!(firsts.to_vec()?, expected);
    assert_ids!(baskets, |b| b.lines.get(1).map(|line| line.qty).eq(5), [1]);
    assert_ids!(baskets, |b| b.lines.first().is_none(), [3]);
    // A sum of what is around the items, also for rows of a group.
    let limits = baskets
        .query()
        .select(|b| (b.lines.sum_of(|_| b.limit), b.lines.sum_of(|line| line.parts.sum_of(|_| b.limit))));
    assert_eq!(limits.to_vec()?, [(6, 6), (10, 10), (0, 0)]);
    let nested = baskets.filter(|b| b.tags.any(|tag| b.lines.sum_of(|_| tag.len()).eq(6))).select(|b| b.id);
    assert_eq!(nested.to_vec()?, [1]);
    let by_owner =
        baskets.query().group_by(|b| b.owner).select(|g| (g.key, g.sum(|b| b.lines.sum_of(|_| b.limit))));
    assert_eq!(by_owner.to_vec()?, [("ann".to_owned(), 6), ("bob".to_owned(), 10), ("cy".to_owned(), 0)]);
    let ordered = baskets.query().order_by_desc(|b| b.lines.sum_of(|line| line.qty)).select(|b| b.id);
    assert_eq!(ordered.to_vec()?, [2, 1, 3]);
    let grouped = baskets.query().group_by(|b| b.tags.len()).select(|g| (g.key, g.sum(|b| b.lines.len())));
    assert_eq!(grouped.to_vec()?, [(0, 0), (1, 1), (3, 2)]);
    Ok(())
}

#[test]
fn writes_choose_by_items() -> TestResult {
    let (_db, baskets) = baskets()?;
    assert_eq!(baskets.update_many(|b| b.tags.contains("red"), |b| b.limit.set(99))?, 1);
    assert_ids!(baskets, |b| b.limit.eq(99), [1]);
    // The third has the sum already.
    assert_eq!(baskets.query().update(|b| b.limit.set(b.lines.sum_of(|line| line.qty)))?, 2);
    assert_eq!(baskets.query().select(|b| b.limit).to_vec()?, [7, 20, 0]);
    assert_eq!(baskets.delete_many(|b| b.lines.is_empty())?, 1);
    assert_eq!(baskets.count()?, 2);
    Ok(())
}

#[test]
fn a_sum_that_does_not_fit_is_an_error_that_names_it() -> TestResult {
    let (_db, baskets) = baskets()?;
    baskets.insert(Basket { codes: Some(vec![i64::MAX, 1]), ..Basket::default() })?;
    let sum = baskets.query().select(|b| b.codes.sum_of(|code| code)).to_vec();
    let error = sum.err().ok_or("it fits")?;
    assert_eq!(error.kind(), ErrorKind::Overflow);
    // It is asked last: the other condition leaves the row out.
    let ids =
        baskets.filter(|b| b.codes.sum_of(|code| code).gt(0) & b.owner.ne("")).select(|b| b.id).to_vec()?;
    assert_eq!(ids, [1]);
    Ok(())
}

#[test]
fn nothing_fails_for_an_item_that_is_not_there() -> TestResult {
    let (db, baskets) = baskets()?;
    // The third basket has no tags, and a limit of 0.
    let fails = |b: BasketFields| b.tags.any(|_| (10 / b.limit).eq(1));
    assert_ids!(baskets, |b| b.id.eq(3) & fails(b), Vec::<i64>::new());
    assert_ids!(baskets, |b| fails(b), [2]);
    assert_ids!(baskets, |b| !b.tags.all(|_| (10 / b.limit).eq(1)), [1]);
    let by_argument =
        db.compile(|q, (n,)| q.from::<Basket>().filter(|b| b.codes.any(|_| (lit(1_i64) / n).eq(1))).count())?;
    assert_eq!(by_argument.call(1)?, 1);
    assert_eq!(by_argument.call(0).err().map(|error| error.kind()), Some(ErrorKind::DivisionByZero));
    assert_eq!(baskets.delete_many(|b| b.codes.is_some())?, 1);
    assert_eq!(by_argument.call(0)?, 0, "no codes are left");
    assert_eq!(baskets.delete_many(|b| b.id.eq(3) & fails(b))?, 0);
    Ok(())
}

#[test]
fn an_item_that_is_a_list_or_struct_is_nothing_to_group_by() -> TestResult {
    let (_db, baskets) = baskets()?;
    let kinds = [
        baskets.query().group_by(|b| b.tags).select(|g| g.count()).to_vec().err(),
        baskets.query().group_by(|b| b.lines.first()).select(|g| g.count()).to_vec().err(),
        baskets.query().group_by(|b| (b.owner, b.grid.get(1))).select(|g| g.count()).to_vec().err(),
        baskets.query().select(|b| b.tags).group_by(|tags| tags).select(|g| g.count()).to_vec().err(),
    ];
    assert_eq!(kinds.map(|error| error.map(|error| error.kind())), [Some(ErrorKind::InvalidQuery); 4]);
    assert_eq!(baskets.query().group_by(|b| b.tags.first()).select(|g| g.count()).to_vec()?, [1, 1, 1]);
    Ok(())
}

#[test]
fn closures_in_closures_run_or_are_refused() -> TestResult {
    fn nested(b: BasketFields, levels: u32) -> Expr<bool> {
        if levels == 0 {
            b.tags.contains("blue")
        } else {
            b.tags.any(|tag| tag.ne("x") & nested(b, levels - 1))
        }
    }
    let (_db, baskets) = baskets()?;
    assert_ids!(baskets, |b| nested(b, 20), [2]);
    for levels in [28, 60, 120] {
        let refused = baskets.filter(|b| nested(b, levels)).count().err().map(|error| error.kind());
        assert_eq!(refused, Some(ErrorKind::InvalidQuery), "{levels}");
    }
    // A thread of 2 MiB takes an expression of the greatest depth, too.
    let deep = baskets.filter(|b| (0..98).fold(b.limit.eq(-1), |e, i| !(e | b.limit.eq(i)))).count()?;
    assert!(deep <= 3);
    Ok(())
}

/// What other programs store in the place of a list, and what stands in one.
#[test]
fn what_is_no_list_has_no_items_and_no_kind_is_another() -> TestResult {
    let dir = std::env::temp_dir().join(format!("vellum-lists-{}", std::process::id()));
    std::fs::create_dir_all(&dir)?;
    let path = dir.join("a.db");
    let db = Database::open(&path)?;
    let baskets = db.collection::<Basket>()?;
    let stranger = rusqlite::Connection::open(&path)?;
    let stored = [
        "null",
        "1",
        "\"red\"",
        "true",
        "{\"red\":\"red\"}",
        "[]",
        "[[\"red\"]]",
        "[1,\"1\",true,null,1.0]",
        "[\"1\"]",
        "[{\"qty\":\"7\"},7,{\"qty\":7,\"parts\":{\"name\":\"x\"}}]",
        "[\"[1]\",\"{}\"]",
        "[false]",
    ];
    for (i, value) in stored.iter().enumerate() {
        let doc = format!(r#"{{"tags":{value},"codes":{value},"flags":{value},"lines":{value}}}"#);
        stranger.execute("INSERT INTO baskets(id, doc) VALUES (?1, jsonb(?2))", (i as i64 + 1, doc))?;
    }
    stranger.execute("INSERT INTO baskets(id, doc) VALUES (99, jsonb('{}'))", ())?;
    drop(stranger);
    let lens = baskets.query().select(|b| b.tags.len()).to_vec()?;
    assert_eq!(lens, [0, 0, 0, 0, 0, 0, 1, 5, 1, 3, 2, 1, 0]);
    assert_ids!(baskets, |b| b.tags.is_empty(), [1, 2, 3, 4, 5, 6, 99]);
    assert_ids!(baskets, |b| b.tags.contains("red"), Vec::<i64>::new());
    assert_ids!(baskets, |b| b.tags.contains("1"), [8, 9]);
    assert_ids!(baskets, |b| b.tags.contains("[1]"), [11]);
    assert_ids!(baskets, |b| b.codes.contains(1), [8]);
    assert_eq!(
        baskets.query().select(|b| b.codes.count_where(|code| code.eq(1))).to_vec()?[7],
        2,
        "1 and 1.0"
    );
    assert_ids!(baskets, |b| b.flags.contains(true), [8]);
    assert_ids!(baskets, |b| b.flags.contains(false), [12]);
    assert_ids!(baskets, |b| b.flags.any(|flag| flag), [8]);
    assert_ids!(baskets, |b| b.lines.any(|line| line.qty.eq(7)), [10]);
    assert_ids!(baskets, |b| b.lines.any(|line| line.parts.any(|part| part.name.eq("x"))), Vec::<i64>::new());
    assert_ids!(baskets, |b| b.lines.all(|line| line.qty.eq(7)), [1, 2, 3, 4, 5, 6, 99]);
    drop((baskets, db));
    std::fs::remove_dir_all(dir)?;
    Ok(())
}

#[test]
fn a_condition_on_items_is_explained_and_served_by_other_indexes() -> TestResult {
    let (_db, baskets) = baskets()?;
    baskets.ensure_index(|b| b.owner).create()?;
    let query = baskets.filter(|b| b.owner.eq("ann") & b.lines.any(|line| line.qty.gt(1)));
    let told = query.explain()?.to_string();
    assert!(told.contains("lines.any((qty > <i64>))"), "{told}");
    assert!(told.contains("INDEXED BY \"baskets/owner\""), "{told}");
    assert_eq!(query.count()?, 1);
    Ok(())
}

#[test]
fn a_place_in_a_list_cannot_be_assigned_or_indexed() -> TestResult {
    let (_db, baskets) = baskets()?;
    let refused = baskets.query().update(|b| b.codes.first().set(1)).map(drop);
    assert_eq!(refused.err().map(|error| error.kind()), Some(ErrorKind::InvalidQuery));
    let refused = baskets.ensure_index(|b| b.codes.first()).create().map(drop);
    assert_eq!(refused.err().map(|error| error.kind()), Some(ErrorKind::InvalidQuery));
    Ok(())
}

#[derive(Document, Serialize, Deserialize, Debug, Clone, PartialEq)]
struct Named {
    id: i64,
    #[document(index)]
    value: i64,
    #[document(index)]
    r#type: String,
    nums: Vec<i64>,
    flag: bool,
}

#[test]
fn an_update_means_the_documents_own_fields_where_items_have_their_like() -> TestResult {
    let db = Database::open_in_memory()?;
    let named = db.collection::<Named>()?;
    named.ensure_indexes()?;
    let document = |id, value, kind: &str, nums: &[i64]| Named {
        id,
        value,
        r#type: kind.to_owned(),
        nums: nums.to_vec(),
        flag: false,
    };
    named.insert_batch([document(1, 8, "x", &[9, 1]), document(2, 1, "integer", &[1])])?;
    let flags = |named: &Collection<'_, Named>| named.query().select(|n| n.flag).to_vec();
    assert_eq!(named.query().update(|n| n.flag.set(n.nums.any(|x| x.eq(n.id))))?, 1);
    assert_eq!(flags(&named)?, [true, false], "the key");
    assert_eq!(named.query().update(|n| n.flag.set(n.nums.all(|x| x.eq(n.value))))?, 2);
    assert_eq!(flags(&named)?, [false, true], "an indexed field");
    assert_eq!(named.query().update(|n| n.flag.set(n.nums.any(|_| n.r#type.eq("x"))))?, 2);
    assert_eq!(flags(&named)?, [true, false], "another");
    Ok(())
}
