//! Rules 1 to 4: two-valued logic, null and missing, ranges, and values of another kind.

mod support;

use serde::{Deserialize, Serialize};
use support::{TestResult, ids, strange};
use vellum::prelude::*;

#[derive(Document, Serialize, Deserialize, Debug, Clone, PartialEq)]
#[document(collection = "c")]
struct C {
    id: i64,
    #[document(index)]
    t: Option<String>,
    #[document(index)]
    u: Option<String>,
    #[document(index)]
    n: Option<i64>,
    #[document(index)]
    f: Option<f64>,
    #[document(index)]
    on: Option<bool>,
    m: Option<i64>,
}

const ALL: i64 = 14;

/// Every kind of value in every field, written by a stranger.
fn database() -> Result<(Database, Collection<'static, C>), Box<dyn std::error::Error>> {
    let db = Database::open_in_memory()?;
    let c = db.collection::<C>()?;
    strange(
        &db,
        "c",
        &[
            (1, r#"{"t":"a","u":"a","n":1,"f":1.0,"on":true,"m":1}"#),
            (2, r#"{"t":"b","u":"a","n":2,"f":2.5,"on":false,"m":1}"#),
            (3, r#"{"t":null,"u":null,"n":null,"f":null,"on":null,"m":null}"#),
            (4, r#"{}"#),
            (5, r#"{"t":null,"n":null,"u":"a","m":1}"#),
            (6, r#"{"t":true,"n":true,"f":true,"on":1,"u":1,"m":true}"#),
            (7, r#"{"t":1,"n":"1","f":"1","on":"true","u":"1","m":"1"}"#),
            (8, r#"{"t":["a"],"n":[1],"f":[1],"on":[true],"u":["a"],"m":[1]}"#),
            (9, r#"{"t":{"a":1},"n":{"a":1},"f":{},"on":{},"u":{"a":1},"m":{}}"#),
            (10, r#"{"t":"","n":0,"f":0.0,"on":false,"u":"","m":0}"#),
            (11, r#"{"t":"[\"a\"]","n":1.0,"f":1,"on":0,"u":"null","m":1.0}"#),
            (12, r#"{"t":false,"n":false,"f":false,"on":"","u":false,"m":false}"#),
            (13, r#"{"t":"b","u":"b","n":-1,"f":-0.0,"on":true,"m":-1}"#),
            (14, r#"{"t":"B","u":null,"n":2,"f":2,"on":true,"m":3}"#),
        ],
    )?;
    Ok((db, c))
}

/// Runs a check without and with indexes.
fn each_way(check: impl Fn(&Collection<'static, C>) -> TestResult) -> TestResult {
    let (_db, c) = database()?;
    check(&c)?;
    c.ensure_indexes()?;
    check(&c)?;
    Ok(())
}

fn but(ids: &[i64]) -> Vec<i64> {
    (1..=ALL).filter(|id| !ids.contains(id)).collect()
}

#[test]
fn equality_sees_values_of_its_own_kind_only() -> TestResult {
    each_way(|c| {
        assert_eq!(ids!(c, |e: CFields| e.t.eq("a")), [1]);
        assert_eq!(ids!(c, |e: CFields| e.t.eq("")), [10]);
        assert_eq!(ids!(c, |e: CFields| e.t.eq("[\"a\"]")), [11]);
        assert_eq!(ids!(c, |e: CFields| e.t.eq("1")), [0_i64; 0]);
        assert_eq!(ids!(c, |e: CFields| e.n.eq(1)), [1, 11]);
        assert_eq!(ids!(c, |e: CFields| e.n.eq(0)), [10]);
        assert_eq!(ids!(c, |e: CFields| e.m.eq(1)), [1, 2, 5, 11]);
        assert_eq!(ids!(c, |e: CFields| e.m.eq(0)), [10]);
        assert_eq!(ids!(c, |e: CFields| e.f.eq(0.0)), [10, 13]);
        assert_eq!(ids!(c, |e: CFields| e.f.eq(2.0)), [14]);
        assert_eq!(ids!(c, |e: CFields| e.on.eq(true)), [1, 13, 14]);
        assert_eq!(ids!(c, |e: CFields| e.on.eq(false)), [2, 10]);
        assert_eq!(c.filter(|e| e.on).select(|e| e.id).to_vec()?, [1, 13, 14]);
        Ok(())
    })
}

#[test]
fn ne_is_true_where_there_is_no_value() -> TestResult {
    each_way(|c| {
        assert_eq!(ids!(c, |e: CFields| e.t.ne("b")), but(&[2, 13]));
        assert_eq!(ids!(c, |e: CFields| e.n.ne(2)), but(&[2, 14]));
        assert_eq!(ids!(c, |e: CFields| e.on.ne(true)), but(&[1, 13, 14]));
        assert_eq!(ids!(c, |e: CFields| e.f.ne(0.0)), but(&[10, 13]));
        Ok(())
    })
}

#[test]
fn a_negated_condition_holds_exactly_where_the_condition_does_not() -> TestResult {
    // `ids!` itself compares each condition with its negation.
    each_way(|c| {
        ids!(c, |e: CFields| e.t.eq("a") & e.n.gt(0));
        ids!(c, |e: CFields| e.t.eq("a") | e.n.gt(0));
        ids!(c, |e: CFields| !(e.t.eq("a") | e.n.is_none()) & e.on.eq(true));
        ids!(c, |e: CFields| !e.t.starts_with("b") | !e.on.eq(false));
        ids!(c, |e: CFields| e.t.len().gt(0));
        ids!(c, |e: CFields| e.t.contains("a") & !e.t.ends_with("]"));
        ids!(c, |e: CFields| e.n.is_in([1, 2]) & !e.f.between(0.0, 1.0));
        ids!(c, |e: CFields| e.t.eq(e.u) | e.n.lt(e.m));
        ids!(c, |e: CFields| e.t.ne(e.u));
        ids!(c, |e: CFields| e.n.le(e.m));
        ids!(c, |e: CFields| e.t.is_some_and(|t| t.eq("a")));
        ids!(c, |e: CFields| e.n.unwrap_or(7).eq(7));
        ids!(c, |e: CFields| e.on.eq(true) | e.on.eq(false) | e.on.is_none());
        Ok(())
    })
}

#[test]
fn null_and_missing_are_none_and_nothing_else_is() -> TestResult {
    each_way(|c| {
        assert_eq!(ids!(c, |e: CFields| e.t.is_none()), [3, 4, 5]);
        assert_eq!(ids!(c, |e: CFields| e.n.is_none()), [3, 4, 5]);
        assert_eq!(ids!(c, |e: CFields| e.m.is_none()), [3, 4]);
        assert_eq!(ids!(c, |e: CFields| e.f.is_none()), [3, 4, 5]);
        assert_eq!(ids!(c, |e: CFields| e.on.is_none()), [3, 4, 5]);
        assert_eq!(ids!(c, |e: CFields| e.t.is_some()), but(&[3, 4, 5]));
        assert_eq!(ids!(c, |e: CFields| e.on.is_some()), but(&[3, 4, 5]));
        Ok(())
    })
}

#[test]
fn two_absent_optional_fields_are_equal() -> TestResult {
    each_way(|c| {
        // Another kind counts as null here too: 6, 8, 9 and 12 hold no text on either side, 7 only on the right.
        assert_eq!(ids!(c, |e: CFields| e.t.eq(e.u)), [1, 3, 4, 6, 8, 9, 10, 12, 13]);
        assert_eq!(ids!(c, |e: CFields| e.n.eq(e.m)), [1, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13]);
        Ok(())
    })
}

#[test]
fn a_range_never_matches_null_missing_or_another_kind() -> TestResult {
    each_way(|c| {
        assert_eq!(ids!(c, |e: CFields| e.t.ge("")), [1, 2, 10, 11, 13, 14]);
        assert_eq!(ids!(c, |e: CFields| e.t.lt("b")), [1, 10, 11, 14]);
        assert_eq!(ids!(c, |e: CFields| e.t.gt("a")), [2, 13]);
        assert_eq!(ids!(c, |e: CFields| e.t.between("A", "a")), [1, 11, 14]);
        assert_eq!(ids!(c, |e: CFields| e.t.starts_with("")), [1, 2, 10, 11, 13, 14]);
        assert_eq!(ids!(c, |e: CFields| e.t.starts_with("b")), [2, 13]);
        assert_eq!(ids!(c, |e: CFields| e.n.gt(-5)), [1, 2, 10, 11, 13, 14]);
        assert_eq!(ids!(c, |e: CFields| e.n.lt(5)), [1, 2, 10, 11, 13, 14]);
        assert_eq!(ids!(c, |e: CFields| e.m.ge(i64::MIN)), [1, 2, 5, 10, 11, 13, 14]);
        assert_eq!(ids!(c, |e: CFields| e.f.le(0.0)), [10, 13]);
        assert_eq!(ids!(c, |e: CFields| e.f.gt(0.0)), [1, 2, 11, 14]);
        assert_eq!(ids!(c, |e: CFields| e.on.ge(false)), [1, 2, 10, 13, 14]);
        assert_eq!(ids!(c, |e: CFields| e.on.lt(true)), [2, 10]);
        assert_eq!(ids!(c, |e: CFields| e.n.lt(e.m)), [14]);
        assert_eq!(ids!(c, |e: CFields| e.n.ge(e.m)), [1, 2, 10, 11, 13]);
        assert_eq!(ids!(c, |e: CFields| e.t.gt(e.u)), [2]);
        Ok(())
    })
}

#[test]
fn a_list_holds_neither_null_nor_another_kind() -> TestResult {
    each_way(|c| {
        assert_eq!(ids!(c, |e: CFields| e.t.is_in(["a", "1", "", "true"])), [1, 10]);
        assert_eq!(ids!(c, |e: CFields| e.n.is_in([0, 1])), [1, 10, 11]);
        assert_eq!(ids!(c, |e: CFields| e.m.is_in([0, 1])), [1, 2, 5, 10, 11]);
        assert_eq!(ids!(c, |e: CFields| e.on.is_in([true])), [1, 13, 14]);
        assert_eq!(ids!(c, |e: CFields| e.on.is_in([true, false])), [1, 2, 10, 13, 14]);
        Ok(())
    })
}

#[test]
fn an_option_parameter_stands_where_an_operand_does() -> TestResult {
    each_way(|c| {
        let by =
            c.compile(|q, (t, n, on)| q.filter(|e| e.t.ge(t) & (e.n.eq(n) | e.on.eq(on))).select(|e| e.id))?;
        assert_eq!(by.call(("b", 0, true))?, [13]);
        assert_eq!(by.call(("", 2, false))?, [2, 10, 14]);
        Ok(())
    })
}

#[test]
fn aggregates_skip_values_of_another_kind() -> TestResult {
    each_way(|c| {
        assert_eq!(c.query().sum(|e| e.n)?, 5);
        assert_eq!(c.query().sum(|e| e.m)?, 6);
        assert_eq!(c.query().sum(|e| e.f)?, 1.0 + 2.5 + 1.0 + 2.0);
        assert_eq!(c.query().avg(|e| e.n)?, Some(5.0 / 6.0));
        assert_eq!(c.query().min(|e| e.n)?, Some(-1));
        assert_eq!(c.query().max(|e| e.m)?, Some(3));
        assert_eq!(c.query().min(|e| e.t)?.as_deref(), Some(""));
        assert_eq!(c.query().max(|e| e.t)?.as_deref(), Some("b"));
        assert_eq!(c.query().min(|e| e.on)?, Some(false));
        assert_eq!(c.query().max(|e| e.on)?, Some(true));
        let by = c
            .query()
            .group_by(|e| e.id.eq(1))
            .select(|g| (g.key, g.sum(|e| e.n), g.min(|e| e.t), g.max(|e| e.f), g.max(|e| e.on)))
            .to_vec()?;
        let rest = (false, 4, Some(String::new()), Some(2.5), Some(true));
        assert_eq!(by, [rest, (true, 1, Some("a".to_owned()), Some(1.0), Some(true))]);
        Ok(())
    })
}

#[test]
fn a_value_that_the_type_cannot_hold_is_an_error_with_id_and_path() -> TestResult {
    use vellum::ErrorKind::TypeMismatch;
    each_way(|c| {
        support::fails(c.get(6), TypeMismatch, &["`c`", "6", "t"]);
        support::fails(c.query().to_vec(), TypeMismatch, &["`c`", "6"]);
        for id in [6, 7, 8, 9, 12] {
            let named = ["`c`".to_owned(), id.to_string()];
            let [collection, number] = &named;
            let of = |field: &'static str| [collection.clone(), number.clone(), field.to_owned()];
            let check = |result: vellum::Result<String>, field: &'static str| {
                let named = of(field);
                let named: Vec<&str> = named.iter().map(String::as_str).collect();
                support::fails(result, TypeMismatch, &named);
            };
            check(c.filter(|e| e.id.eq(id)).select(|e| e.t).single().map(|x| format!("{id} {x:?}")), "t");
            check(c.filter(|e| e.id.eq(id)).select(|e| e.n).single().map(|x| format!("{id} {x:?}")), "n");
            check(c.filter(|e| e.id.eq(id)).select(|e| e.m).single().map(|x| format!("{id} {x:?}")), "m");
            check(c.filter(|e| e.id.eq(id)).select(|e| e.f).single().map(|x| format!("{id} {x:?}")), "f");
            check(c.filter(|e| e.id.eq(id)).select(|e| e.on).single().map(|x| format!("{id} {x:?}")), "on");
        }
        support::fails(c.query().group_by(|e| e.on).select(|g| g.key).to_vec(), TypeMismatch, &["`c`", "on"]);
        Ok(())
    })
}

#[derive(Document, Serialize, Deserialize, Debug)]
#[document(collection = "profiles")]
struct Profile {
    id: i64,
    #[document(index)]
    nick: Option<String>,
    #[document(index)]
    age: Option<i64>,
    home: Option<Home>,
    scores: Vec<Score>,
}

#[derive(Embed, Serialize, Deserialize, Debug)]
struct Home {
    city: Option<String>,
}

#[derive(Embed, Serialize, Deserialize, Debug)]
struct Score {
    points: Option<i64>,
}

/// What programs store: null, nothing, other kinds, each beside a value.
fn profiles() -> Result<(Database, Collection<'static, Profile>), Box<dyn std::error::Error>> {
    let db = Database::open_in_memory()?;
    let profiles = db.collection::<Profile>()?;
    strange(
        &db,
        "profiles",
        &[
            (1, r#"{"nick":"ann","age":7,"home":{"city":"Rome"},"scores":[{"points":1}]}"#),
            (2, r#"{"nick":null,"age":null,"home":{"city":null},"scores":[{"points":null}]}"#),
            (3, r#"{"scores":[{}]}"#),
            (4, r#"{"nick":7,"age":"7","home":null,"scores":[]}"#),
            (5, r#"{"nick":"7","age":7.0,"home":5,"scores":[7,null]}"#),
            (6, r#"{"nick":"","age":true,"home":{},"scores":null}"#),
        ],
    )?;
    Ok((db, profiles))
}

#[test]
fn eq_option_finds_a_value_or_its_absence_with_and_without_an_index() -> Result<(), Box<dyn std::error::Error>>
{
    let (db, profiles) = profiles()?;
    let by_nick =
        db.compile(|q, (nick,)| q.from::<Profile>().filter(|p| p.nick.eq_option(nick)).select(|p| p.id))?;
    let by_age =
        db.compile(|q, (age,)| q.from::<Profile>().filter(|p| p.age.eq_option(age)).select(|p| p.id))?;
    for indexed in [false, true] {
        if indexed {
            profiles.ensure_indexes()?;
            let told = by_nick.explain()?.plan.sqlite_plan.join("\n");
            assert!(told.contains("SEARCH t0 USING INDEX profiles/nick (nick=?)"), "{told}");
        }
        assert_eq!(by_nick.call(Some("7"))?, [5]);
        assert_eq!(by_nick.call(Some(""))?, [6]);
        assert_eq!(by_nick.call(None)?, [2, 3]);
        assert_eq!(by_age.call(Some(7))?, [1, 5]);
        assert_eq!(by_age.call(Some(1))?, Vec::<i64>::new());
        assert_eq!(by_age.call(None)?, [2, 3]);
        let wanted: Option<&str> = Some("ann");
        assert_eq!(profiles.filter(|p| p.nick.eq_option(wanted)).select(|p| p.id).to_vec()?, [1]);
        let wanted: Option<i64> = None;
        assert_eq!(profiles.filter(|p| p.age.eq_option(wanted)).select(|p| p.id).to_vec()?, [2, 3]);
        assert_eq!(profiles.filter(|p| !p.age.eq_option(wanted)).select(|p| p.id).to_vec()?, [1, 4, 5, 6]);
        let points = profiles.filter(|p| p.scores.any(|s| s.points.eq_option(wanted))).select(|p| p.id);
        assert_eq!(points.to_vec()?, [2, 3, 5], "an item that is no struct has no points");
    }
    Ok(())
}

#[test]
fn eq_option_beside_a_stored_value_is_eq_of_two_options() -> TestResult {
    let (db, c) = database()?;
    // The text "15" beside the key 15 is no number.
    strange(&db, "c", &[(15, r#"{"n":"15"}"#), (16, r#"{"n":16,"m":16}"#)])?;
    for indexed in [false, true] {
        if indexed {
            c.ensure_indexes()?;
        }
        let ids = |condition: fn(CFields) -> Expr<bool>| c.filter(condition).select(|c| c.id).to_vec();
        assert_eq!(ids(|c| c.n.eq_option(Some(c.m)))?, ids(|c| c.n.eq(c.m))?);
        assert_eq!(ids(|c| c.t.eq_option(Some(c.u)))?, ids(|c| c.t.eq(c.u))?);
        assert_eq!(ids(|c| c.n.eq_option(Some(c.id)))?, ids(|c| c.n.eq(c.id))?);
        assert_eq!(ids(|c| c.id.eq_option(Some(c.n)))?, ids(|c| c.id.eq(c.n))?);
    }
    Ok(())
}

#[test]
fn missing_and_null_are_told_apart() -> TestResult {
    let (_db, profiles) = profiles()?;
    macro_rules! assert_ids {
        (|$p:ident| $condition:expr, $expected:expr) => {
            assert_eq!(
                profiles.filter(|$p| $condition).select(|p| p.id).to_vec()?,
                $expected,
                stringify!($condition)
            )
        };
    }
    for indexed in [false, true] {
        if indexed {
            profiles.ensure_indexes()?;
        }
        assert_ids!(|p| p.nick.is_missing(), [3]);
        assert_ids!(|p| p.nick.is_json_null(), [2]);
        assert_ids!(|p| p.nick.is_none(), [2, 3]);
        assert_ids!(|p| !p.age.is_missing() & !p.age.is_json_null(), [1, 4, 5, 6]);
        assert_ids!(|p| p.home.and_then(|h| h.city).is_json_null(), [2]);
        assert_ids!(|p| p.home.and_then(|h| h.city).is_missing(), [3, 4, 5, 6]);
        assert_ids!(|p| p.scores.any(|s| s.points.is_json_null()), [2]);
        assert_ids!(|p| p.scores.any(|s| s.points.is_missing()), [3, 5]);
        assert_ids!(|p| p.scores.is_missing(), Vec::<i64>::new());
        assert_ids!(|p| p.scores.is_json_null(), [6]);
    }
    let refused = profiles.filter(|p| p.nick.len().is_missing()).count();
    assert_eq!(refused.err().map(|error| error.kind()), Some(vellum::ErrorKind::InvalidQuery));
    Ok(())
}

#[test]
fn a_none_in_a_list_of_options_finds_null_and_missing_and_nothing_else() -> TestResult {
    each_way(|c| {
        assert_eq!(ids!(c, |e: CFields| e.t.is_in_options([Some("a"), None])), [1, 3, 4, 5]);
        assert_eq!(ids!(c, |e: CFields| e.t.is_in_options([Some("a"), Some("b")])), [1, 2, 13]);
        assert_eq!(ids!(c, |e: CFields| e.t.is_in_options([None::<&str>])), [3, 4, 5]);
        assert_eq!(ids!(c, |e: CFields| e.t.is_in_options([] as [Option<&str>; 0])), [0_i64; 0]);
        assert_eq!(ids!(c, |e: CFields| e.n.is_in_options([None, Some(0), None])), [3, 4, 5, 10]);
        assert_eq!(ids!(c, |e: CFields| e.m.is_in_options([Some(0), None])), [3, 4, 10]);
        assert_eq!(ids!(c, |e: CFields| e.f.is_in_options([Some(2.5), None])), [2, 3, 4, 5]);
        assert_eq!(ids!(c, |e: CFields| e.on.is_in_options([Some(true), None])), [1, 3, 4, 5, 13, 14]);
        assert_eq!(
            ids!(c, |e: CFields| e.n.unwrap_or(7).is_in_options([Some(7), None])),
            [3, 4, 5, 6, 7, 8, 9, 12]
        );
        assert_eq!(ids!(c, |e: CFields| e.id.is_in_options([Some(2), None, Some(99)])), [2]);
        // Beside what the row holds each is an option of its own.
        assert_eq!(ids!(c, |e: CFields| e.n.is_in_options([Some(e.m)])), ids!(c, |e: CFields| e.n.eq(e.m)));
        Ok(())
    })
}

#[test]
fn a_list_parameter_of_options_is_any_list() -> TestResult {
    each_way(|c| {
        let by_n = c.compile(|q, (list,)| q.filter(|e| e.n.is_in_options(list)).select(|e| e.id))?;
        let not_t = c.compile(|q, (list,)| q.filter(|e| !e.t.is_in_options(list)).select(|e| e.id))?;
        assert_eq!(by_n.call(&[])?, [0_i64; 0]);
        assert_eq!(by_n.call(&[None])?, [3, 4, 5]);
        assert_eq!(by_n.call(&[Some(2), None, Some(2), Some(99)])?, [2, 3, 4, 5, 14]);
        assert_eq!(by_n.call(&[Some(2)])?, [2, 14]);
        assert_eq!(not_t.call(&[])?, but(&[]));
        assert_eq!(not_t.call(&[None, Some("a")])?, but(&[1, 3, 4, 5]));
        let wanted = vec![Some("b".to_owned()), None];
        assert_eq!(ids!(c, |e: CFields| e.t.is_in_options(&wanted)), [2, 3, 4, 5, 13]);
        assert_eq!(c.filter(|e| e.t.is_in_options(&wanted[..1])).count()?, 2);
        Ok(())
    })
}

#[test]
fn a_list_of_options_is_sought_in_the_index() -> TestResult {
    let (_db, c) = database()?;
    c.ensure_indexes()?;
    let by_n = c.compile(|q, (list,)| q.filter(|e| e.n.is_in_options(list)).select(|e| e.id))?;
    let told = by_n.explain()?.plan;
    assert_eq!(told.readings[0].indexes, ["c/n"]);
    let is_sought = |step: &String| step.contains("SEARCH t0 USING INDEX c/n (n=?)");
    assert!(told.sqlite_plan.iter().any(is_sought), "{:?}", told.sqlite_plan);
    Ok(())
}
