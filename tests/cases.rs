//! The worked cases, each through the ordinary and the compiled form, with and without an index on its fields.

mod support;

use std::process::Command;
use std::sync::Barrier;
use std::thread;

use serde::{Deserialize, Serialize};
use support::{Dir, TestResult, fails, ids, plan_of, strange, stranger};
use vellum::ErrorKind::{NotFinite, OutOfRange, TypeMismatch};
use vellum::prelude::*;

type Fallible<T> = Result<T, Box<dyn std::error::Error>>;

/// Makes a collection by way of a stranger's JSON, checks it, makes its indexes, and checks it again.
fn each_way<T: Document>(
    documents: &[(i64, &str)],
    check: impl Fn(&Database, &Collection<'static, T>) -> TestResult,
) -> TestResult {
    let db = Database::open_in_memory()?;
    let c = db.collection::<T>()?;
    strange(&db, T::COLLECTION, documents)?;
    check(&db, &c)?;
    c.ensure_indexes()?;
    check(&db, &c)
}

mod one_parameter_two_places {
    use super::*;

    #[derive(Document, Serialize, Deserialize)]
    #[document(collection = "c")]
    struct C {
        id: i64,
        #[document(index)]
        u: String,
        #[document(index)]
        e: String,
    }

    #[test]
    fn binds_twice() -> TestResult {
        each_way::<C>(&[(1, r#"{"u":"k1","e":"m1"}"#), (2, r#"{"u":"k2","e":"m2"}"#)], |_, c| {
            let first = c.compile(|q, (p,)| q.filter(|c| c.u.eq(p) | c.e.eq(p)).select(|c| c.id).first())?;
            assert_eq!(first.param_count(), 1);
            for (p, expected) in [("k1", Some(1)), ("m2", Some(2)), ("k1", Some(1)), ("zz", None)] {
                assert_eq!(first.call(p)?, expected);
                let ordinary = c.filter(|c| c.u.eq(p) | c.e.eq(p)).select(|c| c.id).first()?;
                assert_eq!(ordinary, expected);
            }
            Ok(())
        })
    }
}

mod constants_booleans_and_paging_slots {
    use super::*;

    #[derive(Document, Serialize, Deserialize)]
    #[document(collection = "c")]
    struct C {
        id: i64,
        #[document(index)]
        on: bool,
        #[document(index)]
        st: String,
    }

    #[test]
    fn a_slot_is_never_matched_by_its_value() -> TestResult {
        let text: Vec<String> = (1..=10).map(|n| format!(r#"{{"on":{},"st":"open"}}"#, n % 2 == 0)).collect();
        let documents: Vec<(i64, &str)> = (1..).zip(text.iter().map(String::as_str)).collect();
        each_way::<C>(&documents, |_, c| {
            let page = c.compile(|q, (f, m, s, t)| {
                q.filter(|c| c.st.eq("open") & c.on.eq(f) & c.id.gt(m))
                    .order_by(|c| c.id)
                    .skip(s)
                    .take(t)
                    .select(|c| c.id)
            })?;
            assert_eq!(page.param_count(), 4);
            let none: &[i64] = &[];
            let cases = [
                ((true, 2, 1, 2), &[6, 8][..]),
                ((false, 2, 0, 2), &[3, 5]),
                ((true, 2, 0, 0), none),
                ((true, 2, 9, 5), none),
                ((true, 2, 2, 2), &[8, 10]),
            ];
            for ((f, m, s, t), expected) in cases {
                assert_eq!(page.call((f, m, s, t))?, expected);
                let ordinary = c.filter(|c| c.st.eq("open") & c.on.eq(f) & c.id.gt(m));
                let ordinary = ordinary.order_by(|c| c.id).skip(s).take(t).select(|c| c.id).to_vec()?;
                assert_eq!(ordinary, expected);
            }
            Ok(())
        })
    }

    #[test]
    fn a_constant_equal_to_an_argument_stays_a_constant() -> TestResult {
        each_way::<C>(&[(1, r#"{"on":true,"st":"a"}"#), (2, r#"{"on":true,"st":"b"}"#)], |_, c| {
            let both = c.compile(|q, (s, id)| {
                q.filter(|c| (c.st.eq("a") & c.id.eq(1)) | (c.st.eq(s) & c.id.eq(id))).select(|c| c.id)
            })?;
            assert_eq!(both.param_count(), 2);
            assert_eq!(both.call(("a", 1))?, [1]);
            assert_eq!(both.call(("b", 2))?, [1, 2]);
            Ok(())
        })
    }
}

mod a_list_parameter_of_any_length {
    use super::*;

    #[derive(Document, Serialize, Deserialize)]
    #[document(collection = "c")]
    struct C {
        id: i64,
        #[document(index)]
        n: i64,
    }

    #[test]
    fn does_not_change_the_text() -> TestResult {
        let text: Vec<String> = (1..=5).map(|n| format!(r#"{{"n":{n}}}"#)).collect();
        let documents: Vec<(i64, &str)> = (1..).zip(text.iter().map(String::as_str)).collect();
        each_way::<C>(&documents, |_, c| {
            let by_id = c.compile(|q, (p,)| q.filter(|c| c.id.is_in(p)).select(|c| c.id))?;
            let by_n = c.compile(|q, (p,)| q.filter(|c| c.n.is_in(p)).select(|c| c.id))?;
            let (id_text, n_text) = (by_id.to_sql(), by_n.to_sql());
            let long: Vec<i64> = (100_000..140_000).chain([4]).collect();
            let cases: [(&[i64], &[i64]); 5] =
                [(&[], &[]), (&[2], &[2]), (&[1, 3, 99], &[1, 3]), (&long, &[4]), (&[3, 3, 1, 3], &[1, 3])];
            for (list, expected) in cases {
                assert_eq!(by_id.call(list)?, expected);
                assert_eq!(by_n.call(list)?, expected);
                assert_eq!(c.filter(|c| c.id.is_in(list)).select(|c| c.id).to_vec()?, expected);
                assert_eq!(c.filter(|c| c.n.is_in(list)).select(|c| c.id).to_vec()?, expected);
            }
            assert_eq!((by_id.to_sql(), by_n.to_sql()), (id_text, n_text));
            Ok(())
        })
    }
}

mod a_list_parameter_against_items {
    use super::*;

    #[derive(Embed, Serialize, Deserialize)]
    struct Item {
        id: i64,
    }

    #[derive(Document, Serialize, Deserialize)]
    #[document(collection = "c")]
    struct C {
        id: i64,
        items: Vec<Item>,
    }

    #[test]
    fn finds_each_document_once() -> TestResult {
        let text: Vec<String> =
            (1..=5).map(|n| format!(r#"{{"items":[{{"id":{n}}},{{"id":{}}}]}}"#, n + 10)).collect();
        let documents: Vec<(i64, &str)> = (1..).zip(text.iter().map(String::as_str)).collect();
        each_way::<C>(&documents, |_, c| {
            let found =
                c.compile(|q, (p,)| q.filter(|c| c.items.any(|item| item.id.is_in(p))).select(|c| c.id))?;
            let text = found.to_sql();
            for (list, expected) in
                [(&[][..], &[][..]), (&[12, 15], &[2, 5]), (&[12, 2, 12, 15, 15], &[2, 5])]
            {
                assert_eq!(found.call(list)?, expected);
                let ordinary = c.filter(|c| c.items.any(|item| item.id.is_in(list))).select(|c| c.id);
                assert_eq!(ordinary.to_vec()?, expected);
            }
            assert_eq!(found.to_sql(), text);
            Ok(())
        })
    }
}

mod array_predicates {
    use super::*;

    #[derive(Document, Serialize, Deserialize)]
    #[document(collection = "c")]
    struct C {
        id: i64,
        tags: Vec<String>,
    }

    #[test]
    fn see_arrays_only_and_multiply_nothing() -> TestResult {
        let documents = [
            (1, r#"{"tags":["a","b","a"]}"#),
            (2, r#"{"tags":[]}"#),
            (3, r#"{"tags":null}"#),
            (4, "{}"),
            (5, r#"{"tags":["B"]}"#),
            (6, r#"{"tags":"a"}"#),
        ];
        each_way::<C>(&documents, |db, c| {
            let select = |condition: fn(CFields) -> Expr<bool>| c.filter(condition).select(|c| c.id).to_vec();
            assert_eq!(select(|c| !c.tags.is_empty())?, [1, 5]);
            assert_eq!(select(|c| c.tags.is_empty())?, [2, 3, 4, 6]);
            assert_eq!(select(|c| c.tags.contains("a"))?, [1]);
            assert_eq!(select(|c| !c.tags.contains("a"))?, [2, 3, 4, 5, 6]);
            assert_eq!(select(|c| c.tags.len().gt(2))?, [1]);
            assert_eq!(select(|c| c.tags.all(|tag| tag.eq("a")))?, [2, 3, 4, 6]);
            assert_eq!(select(|c| c.tags.any(|tag| tag.eq("a") | tag.eq("B")))?, [1, 5]);
            assert_eq!(c.filter(|c| c.tags.any(|tag| tag.eq("a") | tag.eq("B"))).count()?, 2);
            let with = db.compile(|q, (tag,)| q.from::<C>().filter(|c| c.tags.contains(tag)).count())?;
            assert_eq!((with.call("a")?, with.call("B")?, with.call("x")?), (1, 1, 0));
            Ok(())
        })
    }
}

mod numbers_at_their_edges {
    use super::*;

    #[derive(Document, Serialize, Deserialize, Debug, PartialEq, Default)]
    #[document(collection = "c")]
    struct C {
        id: i64,
        #[document(index)]
        n: i64,
    }

    #[derive(Document, Serialize, Deserialize, Debug, PartialEq, Default)]
    #[document(collection = "wide")]
    struct Wide {
        id: i64,
        n: u64,
    }

    #[derive(Document, Serialize, Deserialize, Debug, PartialEq, Default)]
    #[document(collection = "floats")]
    struct Floats {
        id: i64,
        #[document(index)]
        x: f64,
        y: Vec<f64>,
    }

    #[test]
    fn integers_are_exact() -> TestResult {
        let edges = [i64::MIN, i64::MAX, 9_007_199_254_740_993];
        let text = edges.map(|n| format!(r#"{{"n":{n}}}"#));
        let documents: Vec<(i64, &str)> = (1..).zip(text.iter().map(String::as_str)).collect();
        each_way::<C>(&documents, |_, c| {
            for (id, n) in (1..).zip(edges) {
                assert_eq!(c.get(id)?.map(|c| c.n), Some(n));
                assert_eq!(ids!(c, |c: CFields| c.n.eq(n)), [id]);
            }
            assert_eq!(ids!(c, |c: CFields| c.n.eq(9_007_199_254_740_992)), [0_i64; 0]);
            Ok(())
        })
    }

    #[test]
    fn an_integer_beyond_is_out_of_range_and_never_rounded() -> TestResult {
        let db = Database::open_in_memory()?;
        let c = db.collection::<Wide>()?;
        fails(c.insert(Wide { id: 0, n: u64::MAX }), OutOfRange, &["`wide`", "n", "18446744073709551615"]);
        assert_eq!(c.count()?, 0);
        strange(&db, "wide", &[(1, r#"{"n":18446744073709551615}"#)])?;
        // A document is read exactly; SQLite itself would round a projection, which is refused.
        assert_eq!(c.get(1)?.map(|c| c.n), Some(u64::MAX));
        fails(c.query().select(|c| c.n).to_vec(), TypeMismatch, &["`wide`", "n"]);
        Ok(())
    }

    #[test]
    fn floats_are_finite_and_keep_their_sign() -> TestResult {
        let db = Database::open_in_memory()?;
        let c = db.collection::<Floats>()?;
        for _ in 0..2 {
            let bad = |x, y: &[f64]| Floats { x, y: y.to_vec(), ..Floats::default() };
            fails(c.insert(bad(f64::NAN, &[])), NotFinite, &["`floats`", "x"]);
            fails(c.insert(bad(f64::INFINITY, &[])), NotFinite, &["`floats`", "x"]);
            fails(c.insert(bad(0.0, &[1.0, f64::NEG_INFINITY])), NotFinite, &["`floats`", "y", "[1]"]);
            assert_eq!(c.count()?, 0);
            c.ensure_indexes()?;
        }
        c.insert(Floats { x: -0.0, ..Floats::default() })?;
        assert!(c.get(1)?.is_some_and(|c| c.x.is_sign_negative()));
        assert_eq!(ids!(c, |c: FloatsFields| c.x.eq(0.0)), [1]);
        Ok(())
    }
}

mod odd_keys {
    use super::*;

    #[derive(Embed, Serialize, Deserialize, Debug, PartialEq)]
    struct Inner {
        b: i64,
    }

    #[derive(Document, Serialize, Deserialize, Debug, PartialEq)]
    #[document(collection = "c")]
    struct C {
        id: i64,
        #[serde(rename = "a.b")]
        #[document(index)]
        dotted: i64,
        a: Inner,
        #[serde(rename = "$x")]
        #[document(index)]
        dollar: i64,
        #[serde(rename = "q\"t")]
        #[document(index)]
        quote: i64,
        #[serde(rename = "")]
        #[document(index)]
        empty: i64,
        #[serde(rename = "0")]
        #[document(index)]
        digit: i64,
        #[serde(rename = "r[0]")]
        #[document(index)]
        bracket: i64,
        #[serde(rename = "\u{e9}")]
        #[document(index)]
        accent: i64,
        #[serde(rename = "'")]
        #[document(index)]
        apostrophe: i64,
    }

    const DOCUMENT: &str = r#"{"a.b":1,"a":{"b":2},"$x":3,"q\"t":4,"":5,"0":6,"r[0]":7,"\u00e9":8,"'":9}"#;

    #[test]
    fn are_paths_of_one_segment() -> TestResult {
        each_way::<C>(&[(1, DOCUMENT)], |_, c| {
            assert_eq!(ids!(c, |c: CFields| c.dotted.eq(1)), [1]);
            assert_eq!(ids!(c, |c: CFields| c.a.b.eq(2)), [1]);
            assert_eq!(ids!(c, |c: CFields| c.dollar.eq(3) & c.quote.eq(4) & c.empty.eq(5)), [1]);
            assert_eq!(ids!(c, |c: CFields| c.digit.eq(6) & c.bracket.eq(7)), [1]);
            assert_eq!(ids!(c, |c: CFields| c.accent.eq(8) & c.apostrophe.eq(9)), [1]);
            assert_eq!(c.update_many(|c| c.id.eq(1), |c| c.dotted.set(10))?, 1);
            assert_eq!(c.get(1)?.map(|c| (c.dotted, c.a.b)), Some((10, 2)));
            assert_eq!(c.update_many(|c| c.id.eq(1), |c| c.dotted.set(1))?, 1);
            Ok(())
        })
    }
}

mod the_index_is_really_used {
    use super::*;

    #[derive(Document, Serialize, Deserialize, Debug, PartialEq)]
    #[document(collection = "c", compound("a", "b"))]
    struct C {
        id: i64,
        #[document(index)]
        u: String,
        a: i64,
        b: i64,
        body: String,
    }

    fn database() -> Fallible<(Database, Collection<'static, C>)> {
        let db = Database::open_in_memory()?;
        let c = db.collection::<C>()?;
        c.insert_batch((1..=10_000).map(|n| C {
            id: n,
            u: format!("u{:05}", n * 7_919 % 10_000),
            a: n % 100,
            b: n * 31 % 1_000,
            body: "x".repeat(100),
        }))?;
        c.ensure_indexes()?;
        Ok((db, c))
    }

    /// Asserts that each step of the plan that reads the collection names the index.
    #[track_caller]
    fn served(db: &Database, sql: &str, index: &str, may_sort: bool) -> TestResult {
        let plan = plan_of(db, sql)?;
        assert!(plan.contains(&format!("INDEX {index}")), "{index} serves\n{sql}\n{plan}");
        for step in plan.lines().filter(|step| step.starts_with("SCAN")) {
            assert!(step.contains("INDEX") || !step.contains(" c"), "{step} of\n{sql}\n{plan}");
        }
        assert!(may_sort || !plan.contains("TEMP B-TREE"), "nothing is sorted\n{sql}\n{plan}");
        Ok(())
    }

    #[test]
    fn by_equality_prefix_list_order_and_count() -> TestResult {
        let (db, c) = database()?;
        let eq = c.compile(|q, (u,)| q.filter(|c| c.u.eq(u)))?;
        served(&db, &eq.to_sql(), "c/u", false)?;
        let literal = c.compile(|q, ()| q.filter(|c| c.u.eq("u00007")))?;
        served(&db, &literal.to_sql(), "c/u", false)?;
        let prefix = c.compile(|q, (u,)| q.filter(|c| c.u.starts_with(u)))?;
        served(&db, &prefix.to_sql(), "c/u", true)?;
        let list = c.compile(|q, (list,)| q.filter(|c| c.u.is_in(list)))?;
        served(&db, &list.to_sql(), "c/u", true)?;
        let order = c.compile(|q, ()| q.order_by(|c| c.u).take(5))?;
        served(&db, &order.to_sql(), "c/u", false)?;
        let compound = c.compile(|q, (a,)| q.filter(|c| c.a.eq(a)).order_by_desc(|c| c.b))?;
        served(&db, &compound.to_sql(), "c/a,b", false)?;
        let count = c.compile(|q, (u,)| q.filter(|c| c.u.starts_with(u)).count())?;
        served(&db, &count.to_sql(), "c/u", false)?;
        Ok(())
    }

    #[test]
    fn and_a_count_of_a_prefix_reads_no_document() -> TestResult {
        let (db, c) = database()?;
        let count = c.compile(|q, (u,)| q.filter(|c| c.u.starts_with(u)).count())?;
        let conn = stranger(&db)?;
        let root: i64 =
            conn.query_row("SELECT rootpage FROM sqlite_schema WHERE name = 'c'", [], |row| row.get(0))?;
        let mut statement = conn.prepare(&format!("EXPLAIN {}", count.to_sql()))?;
        let mut rows = statement.raw_query();
        let mut documents = Vec::new();
        while let Some(row) = rows.next()? {
            let (code, cursor, page): (String, i64, i64) = (row.get(1)?, row.get(2)?, row.get(3)?);
            let detail: Option<String> = row.get(5)?;
            match code.as_str() {
                "OpenRead" if page == root => documents.push(cursor),
                "Column" => assert!(!documents.contains(&cursor), "a document is read"),
                "Function" => assert!(!detail.is_some_and(|x| x.contains("json")), "JSON is read"),
                _ => {}
            }
        }
        Ok(())
    }

    #[test]
    fn with_the_same_rows_as_without() -> TestResult {
        let (_db, c) = database()?;
        let eq = c.compile(|q, (u,)| q.filter(|c| c.u.eq(u)).select(|c| c.id))?;
        let prefix = c.compile(|q, (u,)| q.filter(|c| c.u.starts_with(u)).select(|c| c.id))?;
        let order = c.compile(|q, ()| q.order_by(|c| c.u).take(5).select(|c| c.id))?;
        let compound =
            c.compile(|q, (a,)| q.filter(|c| c.a.eq(a)).order_by_desc(|c| c.b).select(|c| c.id))?;
        let all = || -> vellum::Result<_> {
            Ok((eq.call("u00007")?, prefix.call("u0000")?, order.call(())?, compound.call(7)?))
        };
        let with = all()?;
        assert_eq!(with.1.len(), 10);
        assert!(with.1.is_sorted(), "by id without an order");
        for index in c.indexes()? {
            c.drop_index(&index.name)?;
        }
        assert_eq!(all()?, with);
        Ok(())
    }
}

mod many_openers_of_a_new_file {
    use super::*;

    #[derive(Document, Serialize, Deserialize, Debug, PartialEq)]
    #[document(collection = "c")]
    struct C {
        id: i64,
        who: i64,
    }

    fn open_and_insert(file: &std::path::Path, who: i64) -> vellum::Result<()> {
        let db = Database::open(file)?;
        let id = db.collection::<C>()?.insert(C { id: 0, who })?;
        assert!(db.collection::<C>()?.get(id)?.is_some_and(|c| c.who == who));
        Ok(())
    }

    fn all_are_there(file: &std::path::Path, openers: i64) -> TestResult {
        let db = Database::open(file)?;
        let mut who = db.collection::<C>()?.query().select(|c| c.who).to_vec()?;
        who.sort_unstable();
        assert_eq!(who, (0..openers).collect::<Vec<i64>>());
        let mode: String = stranger(&db)?.query_row("PRAGMA journal_mode", [], |row| row.get(0))?;
        assert_eq!(mode, "wal");
        Ok(())
    }

    #[test]
    fn sixteen_threads() -> TestResult {
        let dir = Dir::new()?;
        let file = dir.file("new.db");
        let barrier = Barrier::new(16);
        thread::scope(|scope| {
            let openers: Vec<_> = (0..16)
                .map(|who| {
                    let (barrier, file) = (&barrier, &file);
                    scope.spawn(move || {
                        barrier.wait();
                        open_and_insert(file, who)
                    })
                })
                .collect();
            openers.into_iter().try_for_each(|opener| -> TestResult {
                Ok(opener.join().map_err(|_| "an opener panicked")??)
            })
        })?;
        all_are_there(&file, 16)
    }

    #[test]
    fn four_processes() -> TestResult {
        if let Some(file) = std::env::var_os("VELLUM_OPEN") {
            let who = std::env::var("VELLUM_WHO")?.parse()?;
            // The barrier of processes: all wait for one file.
            let start = std::path::Path::new(&file).with_extension("start");
            while !start.exists() {
                thread::yield_now();
            }
            return Ok(open_and_insert(file.as_ref(), who)?);
        }
        let dir = Dir::new()?;
        let file = dir.file("new.db");
        let children = (0..4)
            .map(|who| {
                Command::new(std::env::current_exe()?)
                    .args(["--exact", "many_openers_of_a_new_file::four_processes", "--nocapture"])
                    .env("VELLUM_OPEN", &file)
                    .env("VELLUM_WHO", who.to_string())
                    .stdout(std::process::Stdio::piped())
                    .stderr(std::process::Stdio::piped())
                    .spawn()
            })
            .collect::<std::io::Result<Vec<_>>>()?;
        thread::sleep(std::time::Duration::from_millis(100));
        std::fs::write(dir.file("new.start"), "")?;
        for child in children {
            let output = child.wait_with_output()?;
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        }
        all_are_there(&file, 4)
    }
}
