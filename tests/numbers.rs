//! Rules 7 to 9: exact numbers, checked arithmetic, conditions that can fail, and aggregates.

mod support;

use serde::{Deserialize, Serialize};
use support::{TestResult, fails, ids, stored, strange};
use vellum::ErrorKind::{DivisionByZero, NotFinite, OutOfRange, Overflow};
use vellum::prelude::*;

#[derive(Document, Serialize, Deserialize, Debug, Clone, PartialEq, Default)]
#[document(collection = "c")]
struct C {
    id: i64,
    #[document(index)]
    n: i64,
    #[document(index)]
    d: i64,
    #[document(index)]
    x: f64,
    #[document(index)]
    y: f32,
    #[document(index)]
    b: i8,
    #[document(index)]
    w: u64,
    o: Option<i64>,
    p: Option<f64>,
}

type Fixture = (Database, Collection<'static, C>);

fn of(documents: impl IntoIterator<Item = C>) -> vellum::Result<Fixture> {
    let db = Database::open_in_memory()?;
    let c = db.collection::<C>()?;
    c.insert_batch(documents)?;
    Ok((db, c))
}

fn each_way(documents: &[C], check: impl Fn(&Collection<'static, C>) -> TestResult) -> TestResult {
    let (_db, c) = of(documents.iter().cloned())?;
    check(&c)?;
    c.ensure_indexes()?;
    check(&c)
}

#[test]
fn every_integer_round_trips_and_compares_exactly() -> TestResult {
    let edges = [i64::MIN, i64::MIN + 1, -(1 << 53) - 1, -1, 0, 1, (1 << 53) + 1, i64::MAX - 1, i64::MAX];
    let documents: Vec<C> =
        edges.iter().map(|n| C { n: *n, w: n.unsigned_abs().min(i64::MAX as u64), ..C::default() }).collect();
    each_way(&documents, |c| {
        let equal = c.compile(|q, (n,)| q.filter(|e| e.n.eq(n)).select(|e| e.id))?;
        let below = c.compile(|q, (n,)| q.filter(|e| e.n.lt(n)).count())?;
        for (at, n) in edges.iter().enumerate() {
            let id = at as i64 + 1;
            assert_eq!(c.get(id)?.map(|e| e.n), Some(*n));
            assert_eq!(equal.call(*n)?, [id]);
            assert_eq!(below.call(*n)?, at as u64);
            assert_eq!(c.filter(|e| e.n.is_in([*n])).select(|e| e.n).to_vec()?, [*n]);
        }
        assert_eq!(equal.call(1 << 53)?, [0_i64; 0]);
        assert_eq!(ids!(c, |e: CFields| e.n.gt(1 << 53)), [7, 8, 9]);
        assert_eq!(ids!(c, |e: CFields| e.n.eq(-(1 << 53))), [0_i64; 0]);
        assert_eq!(c.query().order_by(|e| e.n).select(|e| e.n).to_vec()?, edges);
        assert_eq!(c.query().max(|e| e.n)?, Some(i64::MAX));
        assert_eq!(c.query().min(|e| e.n)?, Some(i64::MIN));
        Ok(())
    })
}

#[test]
fn an_integer_outside_i64_is_refused_with_its_path() -> TestResult {
    each_way(&[C::default()], |c| {
        fails(c.insert(C { w: u64::MAX, ..C::default() }), OutOfRange, &["`c`", "w", "18446744073709551615"]);
        fails(c.filter(|e| e.w.eq(u64::MAX)).count(), OutOfRange, &["w", "18446744073709551615"]);
        fails(c.filter(|e| e.w.is_in([1, u64::MAX])).count(), OutOfRange, &["w", "18446744073709551615"]);
        fails(c.update_many(|e| e.id.eq(1), |e| e.w.set(u64::MAX)), OutOfRange, &["18446744073709551615"]);
        let eq = c.compile(|q, (w,)| q.filter(|e| e.w.eq(w)).count())?;
        fails(eq.call(u64::MAX), OutOfRange, &["argument 1", "18446744073709551615"]);
        let any = c.compile(|q, (w,)| q.filter(|e| e.w.is_in(w)).count())?;
        fails(any.call(&[0, u64::MAX]), OutOfRange, &["argument 1", "18446744073709551615"]);
        let set = c.compile(|q, (w,)| q.update(|e| e.w.set(w)))?;
        fails(set.call(u64::MAX), OutOfRange, &["argument 1"]);
        assert_eq!(c.query().select(|e| e.w).to_vec()?, [0]);
        Ok(())
    })
}

#[test]
fn floats_round_trip_bit_for_bit_and_are_found() -> TestResult {
    let mut state = 0x2545_F491_4F6C_DD1D_u64;
    let mut next = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let mut documents: Vec<C> = (0..1_500)
        .map(|at| {
            let bits = next();
            // Every third is of everyday size, where equality is asked for most.
            let x = if at % 3 == 0 { (bits as i64 as f64) / 1e15 } else { f64::from_bits(bits) };
            let x = if x.is_finite() { x } else { 0.5 };
            let y = f32::from_bits(next() as u32);
            C { x, y: if y.is_finite() { y } else { 0.1 }, ..C::default() }
        })
        .collect();
    let edges =
        [f64::MAX, f64::MIN, f64::MIN_POSITIVE, 5e-324, 0.1, 0.1 + 0.2, 1e23, 9007199254740993.0, 2.0];
    documents
        .extend(edges.map(|x| C { x, y: x as f32, ..C::default() }).into_iter().filter(|c| c.y.is_finite()));
    documents.extend(
        [f32::MAX, f32::MIN_POSITIVE, 1e-45, 0.1, 16777217.0, 3065919.3].map(|y| C { y, ..C::default() }),
    );
    each_way(&documents, |c| {
        let wide = c.compile(|q, (id, x)| q.filter(|e| e.id.eq(id) & e.x.eq(x)).exists())?;
        let narrow = c.compile(|q, (id, y)| q.filter(|e| e.id.eq(id) & e.y.eq(y)).exists())?;
        let listed = c.compile(|q, (id, x)| q.filter(|e| e.id.eq(id) & e.x.is_in(x)).exists())?;
        let projected = c.query().select(|e| (e.x, e.y)).to_vec()?;
        for (at, (document, (x, y))) in documents.iter().zip(&projected).enumerate() {
            let id = at as i64 + 1;
            let loaded = c.get(id)?.ok_or("no document")?;
            assert_eq!(loaded.x.to_bits(), document.x.to_bits(), "{:?}", document.x);
            assert_eq!(loaded.y.to_bits(), document.y.to_bits(), "{:?}", document.y);
            assert_eq!(x.to_bits(), document.x.to_bits(), "projected {:?}", document.x);
            assert_eq!(y.to_bits(), document.y.to_bits(), "projected {:?}", document.y);
            assert!(wide.call((id, document.x))?, "{:?} is not found", document.x);
            assert!(narrow.call((id, document.y))?, "{:?} is not found", document.y);
            assert!(listed.call((id, &[document.x]))?, "{:?} is not found in a list", document.x);
        }
        Ok(())
    })
}

#[test]
fn negative_zero_survives_and_equals_zero() -> TestResult {
    let zero = C { x: -0.0, y: -0.0, ..C::default() };
    each_way(&[zero], |c| {
        let loaded = c.get(1)?.ok_or("no document")?;
        assert!(loaded.x.is_sign_negative() && loaded.y.is_sign_negative());
        assert_eq!(ids!(c, |e: CFields| e.x.eq(0.0)), [1]);
        assert_eq!(ids!(c, |e: CFields| e.x.eq(-0.0) & e.y.eq(0.0)), [1]);
        assert_eq!(ids!(c, |e: CFields| e.x.is_in([0.0])), [1]);
        assert_eq!(ids!(c, |e: CFields| e.x.lt(0.0)), [0_i64; 0]);
        assert!(c.query().select(|e| e.x).first()?.is_some_and(f64::is_sign_negative));
        Ok(())
    })
}

#[test]
fn nan_and_the_infinities_are_refused_with_the_path() -> TestResult {
    let (_db, c) = of([])?;
    for x in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        fails(c.insert(C { x, ..C::default() }), NotFinite, &["`c`", "x"]);
        fails(c.insert(C { y: x as f32, ..C::default() }), NotFinite, &["`c`", "y"]);
        fails(c.insert(C { p: Some(x), ..C::default() }), NotFinite, &["`c`", "p"]);
        fails(c.filter(|e| e.x.eq(x)).count(), NotFinite, &["x"]);
        fails(c.filter(|e| e.y.lt(x as f32)).count(), NotFinite, &["y"]);
        fails(c.filter(|e| e.x.is_in([0.0, x])).count(), NotFinite, &["x"]);
        fails(c.query().update(|e| e.x.set(x)), NotFinite, &[]);
        let eq = c.compile(|q, (x,)| q.filter(|e| e.x.eq(x)).count())?;
        fails(eq.call(x), NotFinite, &["argument 1"]);
        let any = c.compile(|q, (x,)| q.filter(|e| e.x.is_in(x)).count())?;
        fails(any.call(&[x]), NotFinite, &["argument 1"]);
    }
    assert_eq!(c.count()?, 0);
    Ok(())
}

#[test]
fn arithmetic_outside_its_type_is_an_error_that_names_the_expression() -> TestResult {
    let documents = [C { n: i64::MAX, b: 127, x: f64::MAX, w: 3, ..C::default() }, C::default()];
    each_way(&documents, |c| {
        fails(c.query().select(|e| e.n + 1).to_vec(), Overflow, &["n"]);
        fails(c.query().select(|e| e.n * 2).to_vec(), Overflow, &["n"]);
        fails(c.query().select(|e| -e.n - 2).to_vec(), Overflow, &["n"]);
        fails(c.query().select(|e| e.b + 1).to_vec(), Overflow, &["b"]);
        fails(c.query().select(|e| e.w - 4).to_vec(), Overflow, &["w"]);
        fails(c.query().select(|e| e.x * 10.0).to_vec(), Overflow, &["x"]);
        fails(c.query().select(|e| e.x.as_i64()).to_vec(), Overflow, &["x"]);
        fails(c.filter(|e| (e.n + 1).gt(0)).count(), Overflow, &["n"]);
        fails(c.query().select(|e| e.n / e.d).to_vec(), DivisionByZero, &["n", "d"]);
        fails(c.query().select(|e| e.n % e.d).to_vec(), DivisionByZero, &["n", "d"]);
        fails(c.query().select(|e| e.x / 0.0).to_vec(), DivisionByZero, &["x"]);
        fails(c.filter(|e| (e.n / e.d).eq(1)).count(), DivisionByZero, &["n", "d"]);
        Ok(())
    })
}

#[test]
fn what_is_computed_from_an_absent_number_is_absent() -> TestResult {
    each_way(&[C::default(), C { o: Some(2), p: Some(2.5), ..C::default() }], |c| {
        let rows =
            c.query().select(|e| (e.o.as_f64(), e.p.as_i64(), e.o.as_f64() + e.p, e.o + 1)).to_vec()?;
        assert_eq!(rows, [(None, None, None, None), (Some(2.0), Some(2), Some(4.5), Some(3))]);
        assert_eq!(ids!(c, |e: CFields| e.o.as_f64().gt(1.0)), [2]);
        assert_eq!(ids!(c, |e: CFields| (e.o + 1).is_none()), [1]);
        Ok(())
    })
}

#[test]
fn integers_divide_as_in_rust() -> TestResult {
    let pairs = [(7, 2), (-7, 2), (7, -2), (-7, -2), (i64::MIN, 3), (1, i64::MAX)];
    let documents = pairs.map(|(n, d)| C { n, d, ..C::default() });
    each_way(&documents, |c| {
        let rows = c.query().select(|e| (e.n / e.d, e.n % e.d, e.n.as_f64() / 2.0)).to_vec()?;
        let expected: Vec<_> = pairs.iter().map(|(n, d)| (n / d, n % d, *n as f64 / 2.0)).collect();
        assert_eq!(rows, expected);
        Ok(())
    })
}

/// Documents of which every second divides by zero.
fn halves() -> Vec<C> {
    (1..=6).map(|n| C { n, d: n % 2, ..C::default() }).collect()
}

#[test]
fn a_condition_that_can_fail_is_asked_only_where_the_others_hold() -> TestResult {
    each_way(&halves(), |c| {
        assert_eq!(ids!(c, |e: CFields| (e.n / e.d).gt(2) & e.d.ne(0)), [3, 5]);
        assert_eq!(ids!(c, |e: CFields| e.d.ne(0) & (e.n / e.d).gt(2)), [3, 5]);
        assert_eq!(c.filter(|e| (e.n / e.d).gt(2)).filter(|e| e.d.eq(1)).count()?, 2);
        fails(c.filter(|e| (e.n / e.d).gt(2) & e.n.ge(2)).count(), DivisionByZero, &["n", "d"]);
        Ok(())
    })
}

#[test]
fn a_condition_that_can_fail_is_guarded_below_or_and_not_too() -> TestResult {
    each_way(&halves(), |c| {
        let guarded = |e: CFields| ((e.n / e.d).gt(2) & e.d.ne(0)) | e.n.eq(2);
        assert_eq!(ids!(c, guarded), [2, 3, 5]);
        let negated = |e: CFields| !((e.n / e.d).gt(2) & e.d.ne(0));
        assert_eq!(ids!(c, negated), [1, 2, 4, 6]);
        assert_eq!(ids!(c, |e: CFields| !(e.d.eq(0) | (e.n / e.d).le(2))), [3, 5]);
        Ok(())
    })
}

#[test]
fn whether_a_projection_fails_does_not_depend_on_the_index() -> TestResult {
    each_way(&halves(), |c| {
        let page = c.query().order_by(|e| e.n).select(|e| e.n / e.d).take(1).to_vec()?;
        assert_eq!(page, [1]);
        assert_eq!(c.query().order_by(|e| e.n).select(|e| e.n / e.d).first()?, Some(1));
        assert_eq!(c.query().order_by(|e| e.n).take(1).select(|e| e.n / e.d).to_vec()?, [1]);
        let backward = c.query().order_by_desc(|e| e.n).select(|e| (e.n / e.d, e.id));
        assert_eq!(backward.clone().skip(1).take(1).to_vec()?, [(5, 5)]);
        assert_eq!(backward.clone().skip(1).first()?, Some((5, 5)));
        assert_eq!(backward.skip(1).take(1).filter(|(x, _)| x.gt(4)).max(|(x, _)| x)?, Some(5));
        let groups =
            c.query().group_by(|e| e.n).select(|g| (g.key, g.sum(|e| e.d))).order_by_desc(|(n, _)| n);
        assert_eq!(groups.skip(1).take(1).select(|(n, d)| n / d).to_vec()?, [5]);
        Ok(())
    })
}

#[test]
fn a_condition_on_what_can_fail_is_asked_only_where_the_others_hold() -> TestResult {
    each_way(&halves(), |c| {
        let computed = c.query().select(|e| (e.d, e.n / e.d));
        assert_eq!(computed.clone().filter(|(d, x)| x.gt(2) & d.ne(0)).to_vec()?, [(1, 3), (1, 5)]);
        assert_eq!(computed.clone().filter(|(_, x)| x.gt(2)).filter(|(d, _)| d.eq(1)).count()?, 2);
        fails(computed.filter(|(_, x)| x.gt(2)).take(1).to_vec(), DivisionByZero, &["n", "d"]);
        Ok(())
    })
}

#[test]
fn aggregates_of_nothing() -> TestResult {
    each_way(&[], |c| {
        assert_eq!(c.query().sum(|e| e.n)?, 0);
        assert_eq!(c.query().sum(|e| e.w)?, 0);
        assert_eq!(c.query().sum(|e| e.o)?, 0);
        assert_eq!(c.query().sum(|e| e.x)?.to_bits(), 0.0_f64.to_bits());
        assert_eq!(c.query().sum(|e| e.y)?, 0.0);
        assert_eq!(c.query().sum(|e| e.p)?, 0.0);
        assert_eq!(c.query().avg(|e| e.n)?, None);
        assert_eq!(c.query().min(|e| e.n)?, None);
        assert_eq!(c.query().max(|e| e.o)?, None);
        Ok(())
    })?;
    each_way(&[C::default(), C::default()], |c| {
        assert_eq!(c.query().sum(|e| e.o)?, 0);
        assert_eq!(c.query().avg(|e| e.o)?, None);
        assert_eq!(c.query().max(|e| e.p)?, None);
        let by = c.query().group_by(|e| e.n).select(|g| (g.sum(|e| e.o), g.sum(|e| e.p), g.avg(|e| e.o)));
        assert_eq!(by.to_vec()?, [(0, 0.0, None)]);
        Ok(())
    })
}

#[test]
fn a_sum_of_integers_is_exact_or_an_error() -> TestResult {
    let n = [i64::MAX, i64::MAX, -i64::MAX, 1, -1];
    each_way(&n.map(|n| C { n, w: 1 << 62, ..C::default() }), |c| {
        assert_eq!(c.query().sum(|e| e.n)?, i64::MAX);
        fails(c.filter(|e| e.n.gt(0)).sum(|e| e.n), Overflow, &["n"]);
        fails(c.query().sum(|e| e.w), Overflow, &["w"]);
        assert_eq!(c.query().avg(|e| e.n)?, Some(i64::MAX as f64 / 5.0));
        Ok(())
    })
}

#[test]
fn a_sum_of_floats_is_compensated() -> TestResult {
    let x = [1e16, 1.0, -1e16, 1.0, 0.1, 0.2];
    each_way(&x.map(|x| C { x, y: 0.1, ..C::default() }), |c| {
        let sum = c.query().sum(|e| e.x)?;
        assert!((sum - 2.3).abs() < 1e-12 * 2e16, "{sum}");
        let narrow = c.query().sum(|e| e.y)?;
        assert!((narrow - 0.6).abs() < 1e-12, "an f32 counts as the decimal it is stored as: {narrow}");
        Ok(())
    })?;
    each_way(&[C { x: f64::MAX, ..C::default() }, C { x: f64::MAX, ..C::default() }], |c| {
        fails(c.query().sum(|e| e.x), Overflow, &["x"]);
        Ok(())
    })
}

#[test]
fn whether_a_sum_of_floats_is_an_error_does_not_depend_on_the_order() -> TestResult {
    const MAX: f64 = f64::MAX;
    let of = |xs: &[f64]| xs.iter().map(|&x| C { x, ..C::default() }).collect::<Vec<C>>();
    let cases: [(&[f64], Option<f64>, f64); 6] = [
        (&[MAX, -MAX, MAX], Some(MAX), MAX / 3.0),
        (&[MAX, MAX, -MAX, -MAX, 1.5], Some(1.5), 0.3),
        (&[1e300, -1e300, 2.0, 1e308], Some(1e308), 0.25e308),
        (&[MAX, MAX], None, MAX),
        (&[MAX, MAX, MAX], None, MAX),
        (&[-MAX, -MAX, 1.0, 1.0], None, -MAX / 2.0),
    ];
    for (xs, sum, mean) in cases {
        each_way(&of(xs), |c| {
            for query in [c.query().order_by(|c| c.x), c.query().order_by(|c| c.x.desc()), c.query()] {
                match sum {
                    Some(sum) => assert_eq!(query.clone().sum(|c| c.x)?, sum, "{xs:?}"),
                    None => fails(query.clone().sum(|c| c.x), Overflow, &["x"]),
                }
                assert_eq!(query.avg(|c| c.x)?, Some(mean), "{xs:?}");
            }
            let groups = c.query().group_by(|c| c.n).select(|g| g.avg(|c| c.x)).to_vec()?;
            assert_eq!(groups, [Some(mean)], "{xs:?}");
            Ok(())
        })?;
    }
    Ok(())
}

#[test]
fn a_number_that_a_stranger_wrote_wide_is_a_typed_error_when_loaded() -> TestResult {
    let (db, c) = of([])?;
    let document = r#"{"n":18446744073709551615,"d":0,"x":1,"y":1,"b":300,"w":0,"o":null,"p":null}"#;
    strange(&db, "c", &[(1, document)])?;
    fails(c.get(1), OutOfRange, &["`c`", "1", "n", "18446744073709551615"]);
    fails(c.query().select(|e| e.b).to_vec(), OutOfRange, &["`c`", "b", "300"]);
    assert_eq!(stored(&db, "c", 1)?, document);
    Ok(())
}
