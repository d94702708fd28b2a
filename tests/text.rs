//! Rules 11 to 14: bytes decide, prefixes are ranges, wildcards only where they are asked for, scalars are counted.

mod support;

use serde::{Deserialize, Serialize};
use support::{TestResult, ids};
use vellum::prelude::*;

#[derive(Document, Serialize, Deserialize, Debug, Clone, PartialEq)]
#[document(collection = "c")]
struct C {
    id: i64,
    #[document(index)]
    s: String,
    o: Option<String>,
}

const TEXTS: [&str; 24] = [
    "",
    "a",
    "ab",
    "a\0b",
    "a\0c",
    "\0",
    "ab ",
    " ab",
    "AB",
    "\u{e9}",
    "e\u{301}",
    "\u{c9}",
    "a%b",
    "a_b",
    "a\\b",
    "a'b\"c",
    "[a]",
    "a\u{d7ff}",
    "a\u{e000}",
    "a\u{10ffff}",
    "a\u{10ffff}\u{10ffff}z",
    "stra\u{df}e",
    "\u{1f600}\u{1f600}",
    "b",
];

fn each_way(check: impl Fn(&Collection<'static, C>) -> TestResult) -> TestResult {
    let db = Database::open_in_memory()?;
    let c = db.collection::<C>()?;
    c.insert_batch(TEXTS.map(|s| C { id: 0, s: s.to_owned(), o: (s.len() % 2 == 0).then(|| s.to_owned()) }))?;
    check(&c)?;
    c.ensure_indexes()?;
    check(&c)
}

/// Returns the ids of the texts for which the Rust function holds.
fn expected(holds: impl Fn(&str) -> bool) -> Vec<i64> {
    (1..).zip(TEXTS).filter(|(_, s)| holds(s)).map(|(id, _)| id).collect()
}

#[test]
fn text_round_trips_is_found_and_is_ordered_by_bytes() -> TestResult {
    each_way(|c| {
        let equal = c.compile(|q, (s,)| q.filter(|e| e.s.eq(s)).select(|e| e.id))?;
        let listed = c.compile(|q, (s,)| q.filter(|e| e.s.is_in(s)).select(|e| e.id))?;
        let above = c.compile(|q, (s,)| q.filter(|e| e.s.gt(s)).count())?;
        for s in TEXTS {
            let own = expected(|x| x == s);
            assert_eq!(equal.call(s)?, own, "{s:?}");
            assert_eq!(listed.call(&[s, "nothing"])?, own, "{s:?}");
            assert_eq!(c.filter(|e| e.s.eq(s)).select(|e| e.s).to_vec()?, [s]);
            assert_eq!(c.filter(|e| e.s.is_in([s])).select(|e| e.id).to_vec()?, own, "{s:?}");
            assert_eq!(above.call(s)?, expected(|x| x > s).len() as u64, "{s:?}");
            assert_eq!(c.get(own[0])?.map(|e| e.s).as_deref(), Some(s));
        }
        let mut sorted = TEXTS;
        sorted.sort_unstable();
        assert_eq!(c.query().order_by(|e| e.s).select(|e| e.s).to_vec()?, sorted);
        assert_eq!(c.query().min(|e| e.s)?.as_deref(), Some(""));
        assert_eq!(c.query().max(|e| e.s)?.as_deref(), Some(sorted[23]));
        Ok(())
    })
}

#[test]
fn a_prefix_finds_what_begins_with_it_whatever_it_ends_in() -> TestResult {
    let prefixes = [
        "",
        "a",
        "ab",
        "a\0",
        "\0",
        "a\u{d7ff}",
        "a\u{e000}",
        "a\u{10ffff}",
        "a\u{10ffff}\u{10ffff}",
        "\u{10ffff}",
        "\u{d7ff}",
        "e",
        "\u{e9}",
        "a%",
        "a_",
        "[",
        "zzz",
    ];
    each_way(|c| {
        let compiled = c.compile(|q, (p,)| q.filter(|e| e.s.starts_with(p)).select(|e| e.id))?;
        let negated = c.compile(|q, (p,)| q.filter(|e| !e.s.starts_with(p)).select(|e| e.id))?;
        let optional = c.compile(|q, (p,)| q.filter(|e| e.o.starts_with(p)).select(|e| e.id))?;
        for p in prefixes {
            assert_eq!(compiled.call(p)?, expected(|x| x.starts_with(p)), "{p:?}");
            assert_eq!(negated.call(p)?, expected(|x| !x.starts_with(p)), "{p:?}");
            assert_eq!(optional.call(p)?, expected(|x| x.len() % 2 == 0 && x.starts_with(p)), "{p:?}");
            assert_eq!(c.filter(|e| e.s.starts_with(p)).count()?, compiled.call(p)?.len() as u64);
        }
        // A prefix that is computed from the row.
        assert_eq!(ids!(c, |e: CFields| e.s.starts_with(e.o)), expected(|x| x.len() % 2 == 0));
        Ok(())
    })
}

#[test]
fn contains_and_ends_with_take_plain_text() -> TestResult {
    each_way(|c| {
        for part in
            ["", "a", "b", "\0", "\0b", "%", "_", "\\", "'", "\"", "[a]", "\u{301}", "\u{10ffff}z", " "]
        {
            let contains = c.filter(|e| e.s.contains(part)).select(|e| e.id).to_vec()?;
            assert_eq!(contains, expected(|x| x.contains(part)), "{part:?}");
            let ends = c.filter(|e| e.s.ends_with(part)).select(|e| e.id).to_vec()?;
            assert_eq!(ends, expected(|x| x.ends_with(part)), "{part:?}");
        }
        let replaced = c.query().select(|e| e.s.replace("%", "_")).to_vec()?;
        assert_eq!(replaced, TEXTS.map(|x| x.replace('%', "_")));
        Ok(())
    })
}

#[test]
fn only_like_and_glob_have_wildcards() -> TestResult {
    each_way(|c| {
        assert_eq!(
            ids!(c, |e: CFields| e.s.like("a_b")),
            expected(|x| ["a\0b", "a%b", "a_b", "a\\b"].contains(&x))
        );
        assert_eq!(ids!(c, |e: CFields| e.s.like(r"a\_b")), expected(|x| x == "a_b"));
        assert_eq!(ids!(c, |e: CFields| e.s.like(r"a\%b")), expected(|x| x == "a%b"));
        assert_eq!(ids!(c, |e: CFields| e.s.like(r"a\\b")), expected(|x| x == "a\\b"));
        assert_eq!(ids!(c, |e: CFields| e.s.like("ab")), expected(|x| x == "ab"));
        assert_eq!(ids!(c, |e: CFields| e.s.like("%b")), expected(|x| x.ends_with('b')));
        assert_eq!(ids!(c, |e: CFields| e.s.like("_")), expected(|x| x.chars().count() == 1));
        assert_eq!(ids!(c, |e: CFields| e.s.like("%")), expected(|_| true));
        assert_eq!(ids!(c, |e: CFields| e.s.ilike("ab")), expected(|x| x == "ab" || x == "AB"));
        assert_eq!(ids!(c, |e: CFields| e.s.ilike("\u{c9}")), expected(|x| x == "\u{e9}" || x == "\u{c9}"));
        assert_eq!(
            ids!(c, |e: CFields| e.s.glob("a?b")),
            expected(|x| ["a\0b", "a%b", "a_b", "a\\b"].contains(&x))
        );
        assert_eq!(ids!(c, |e: CFields| e.s.glob("[a-b]")), expected(|x| x == "a" || x == "b"));
        assert_eq!(ids!(c, |e: CFields| e.s.glob("*\0*")), expected(|x| x.contains('\0')));
        Ok(())
    })
}

#[test]
fn case_folds_by_unicode() -> TestResult {
    each_way(|c| {
        assert_eq!(
            ids!(c, |e: CFields| e.s.eq_ignore_case("\u{c9}")),
            expected(|x| x == "\u{e9}" || x == "\u{c9}")
        );
        assert_eq!(ids!(c, |e: CFields| e.s.eq_ignore_case("aB")), expected(|x| x == "ab" || x == "AB"));
        assert_eq!(ids!(c, |e: CFields| e.s.eq_ignore_case("A\0B")), expected(|x| x == "a\0b"));
        assert_eq!(c.query().select(|e| e.s.to_lowercase()).to_vec()?, TEXTS.map(str::to_lowercase));
        assert_eq!(c.query().select(|e| e.s.to_uppercase()).to_vec()?, TEXTS.map(str::to_uppercase));
        assert_eq!(ids!(c, |e: CFields| e.s.to_uppercase().eq("STRASSE")), expected(|x| x == "stra\u{df}e"));
        Ok(())
    })
}

#[test]
fn lengths_and_parts_count_scalar_values() -> TestResult {
    each_way(|c| {
        let lens = c.query().select(|e| (e.s.len(), e.s.byte_len())).to_vec()?;
        assert_eq!(lens, TEXTS.map(|x| (x.chars().count() as u64, x.len() as u64)));
        for (start, len) in [(0, 0), (0, 1), (0, 2), (1, 1), (1, 100), (2, u64::MAX >> 1), (50, 3)] {
            let part = |x: &str| x.chars().skip(start as usize).take(len as usize).collect::<String>();
            let literal = c.query().select(|e| e.s.substr(start, len)).to_vec()?;
            assert_eq!(literal, TEXTS.map(part), "{start}, {len}");
            let compiled = c.compile(|q, (start, len)| q.select(|e| e.s.substr(start, len)))?;
            assert_eq!(compiled.call((start, len))?, TEXTS.map(part), "{start}, {len}");
            let grouped = c.query().group_by(|e| e.s.substr(start, len)).select(|g| (g.key, g.count()));
            let mut parts = TEXTS.map(part);
            parts.sort_unstable();
            let mut counts: Vec<(String, u64)> = Vec::new();
            for part in parts {
                match counts.last_mut() {
                    Some((last, count)) if *last == part => *count += 1,
                    _ => counts.push((part, 1)),
                }
            }
            assert_eq!(grouped.to_vec()?, counts, "{start}, {len}");
        }
        let optional = c.query().select(|e| (e.o.len(), e.o.byte_len())).to_vec()?;
        let both = |x: &str| (Some(x.chars().count() as u64), Some(x.len() as u64));
        assert_eq!(optional, TEXTS.map(|x| if x.len() % 2 == 0 { both(x) } else { (None, None) }));
        assert_eq!(ids!(c, |e: CFields| e.s.len().eq(3)), expected(|x| x.chars().count() == 3));
        assert_eq!(ids!(c, |e: CFields| e.s.is_empty()), [1]);
        assert_eq!(
            c.query().select(|e| e.s.concat("\0!".to_owned())).to_vec()?,
            TEXTS.map(|x| format!("{x}\0!"))
        );
        assert_eq!(c.query().select(|e| e.s.trim()).to_vec()?, TEXTS.map(|x| x.trim().to_owned()));
        Ok(())
    })
}
