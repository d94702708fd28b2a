//! Any texts as the keys of maps: each names its own value in conditions, indexes and updates.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use vellum::prelude::*;

/// More keys than this make one case slow and find nothing new.
const MOST_KEYS: usize = 6;

#[derive(Document, Serialize, Deserialize, Debug)]
#[document(collection = "items")]
struct Thing {
    id: i64,
    flat: BTreeMap<String, i64>,
    nested: BTreeMap<String, BTreeMap<String, i64>>,
}

impl Thing {
    /// Returns the document whose value under the n-th key is `first + n`, and under two keys that of both.
    fn new(keys: &[&str], first: i64) -> Self {
        let flat = || keys.iter().zip(first..).map(|(key, n)| ((*key).to_owned(), n));
        let row = |n: i64| flat().map(|(key, m)| (key, n * 1_000 + m)).collect();
        Self { id: 0, flat: flat().collect(), nested: flat().map(|(key, n)| (key, row(n))).collect() }
    }
}

/// Stores values under the keys and finds each of them, before and after there are indexes.
pub(crate) fn holds(keys: &[String]) -> vellum::Result<()> {
    // SQLite ends the comparison of two keys at U+0000 when one of them is escaped (rule 18).
    let keys = keys.iter().map(String::as_str).filter(|key| !key.contains('\0'));
    let mut keys: Vec<&str> = keys.take(MOST_KEYS).collect();
    keys.sort_unstable();
    keys.dedup();
    let db = Database::open_in_memory()?;
    let things = db.collection::<Thing>()?;
    things.insert_batch([Thing::new(&keys, 1), Thing::new(&keys, 101), Thing::new(&[], 0)])?;
    finds_each(&things, &keys)?;
    for &key in &keys {
        let report = things.ensure_index(|t| t.flat.get(key)).create()?;
        assert_eq!(report.created.len(), 1, "{key:?} has an index already");
        let plan = things.filter(|t| t.flat.get(key).eq(1)).explain()?.plan.sqlite_plan.concat();
        assert!(plan.contains("SEARCH"), "the index of {key:?} does not serve it: {plan}");
    }
    if let [first, .., last] = *keys {
        let report = things.ensure_index(|t| (t.flat.get(first), t.flat.get(last))).create()?;
        assert_eq!(report.created.len(), 1, "{first:?} and {last:?} have an index already");
        let report = things.ensure_index(|t| t.nested.get(first).get(last)).create()?;
        assert_eq!(report.created.len(), 1, "{first:?} in {last:?} has an index already");
    }
    finds_each(&things, &keys)?;
    changes_each(&things, &keys)
}

/// Checks that the value under each key, and under each two, is found as that document's and selected as it is.
fn finds_each(things: &Collection<'_, Thing>, keys: &[&str]) -> vellum::Result<()> {
    for (&key, n) in keys.iter().zip(1..) {
        let found = things.filter(|t| t.flat.get(key).eq(n)).select(|t| t.id).to_vec()?;
        assert_eq!(found, [1], "under {key:?}");
        let with = things.filter(|t| t.flat.contains_key(key)).select(|t| t.id).to_vec()?;
        assert_eq!(with, [1, 2], "with {key:?}");
        let values = things.query().select(|t| t.flat.get(key)).to_vec()?;
        assert_eq!(values, [Some(n), Some(n + 100), None], "under {key:?}");
        for (&inner, m) in keys.iter().zip(1..) {
            let found = things.filter(|t| t.nested.get(key).get(inner).eq(n * 1_000 + m));
            assert_eq!(found.select(|t| t.id).to_vec()?, [1], "under {inner:?} in {key:?}");
        }
    }
    Ok(())
}

/// Checks that an update under a key changes that value alone, where there is one and where there is none yet.
fn changes_each(things: &Collection<'_, Thing>, keys: &[&str]) -> vellum::Result<()> {
    let mut expected = Thing::new(keys, 1).flat;
    let mut made = BTreeMap::new();
    for (&key, n) in keys.iter().zip(1..) {
        assert_eq!(things.query().update(|t| t.flat.get(key).set(-n))?, 3, "under {key:?}");
        expected.insert(key.to_owned(), -n);
        made.insert(key.to_owned(), -n);
        assert_eq!(things.get(1)?.map(|thing| thing.flat).as_ref(), Some(&expected));
        assert_eq!(things.get(3)?.map(|thing| thing.flat).as_ref(), Some(&made));
        assert_eq!(things.filter(|t| t.flat.get(key).eq(-n)).count()?, 3, "under {key:?}");
    }
    Ok(())
}
