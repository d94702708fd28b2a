//! Numbers: rules 7 to 9.

use super::{NULL, Result, Things, int, real};
use crate::ir::doc::{Arithmetic, Comparison, Fold};
use crate::ir::eval::sample::tree::Tree;
use crate::ir::eval::{EvalError, Json};
use crate::ir::types::Type;
use crate::ir::value::Value;

fn a() -> Tree {
    Tree::field("a", Type::I64)
}

fn f() -> Tree {
    Tree::field("a", Type::F64)
}

/// What arithmetic gives over constants.
fn computed(operation: Arithmetic, args: Vec<Tree>, ty: Type) -> std::result::Result<Json, EvalError> {
    let things = Things::new(&["{}"]).expect("the document is JSON");
    let columns = things.selected(Tree::Arithmetic(operation, args, ty, false))?;
    match columns.into_iter().next() {
        Some(super::Column::Value(value)) => Ok(value),
        other => panic!("{other:?} is not a value"),
    }
}

fn ints(operation: Arithmetic, a: i64, b: i64) -> std::result::Result<Json, EvalError> {
    computed(operation, vec![Tree::int(a), Tree::int(b)], Type::I64)
}

fn reals(operation: Arithmetic, a: f64, b: f64) -> std::result::Result<Json, EvalError> {
    computed(operation, vec![Tree::real(a), Tree::real(b)], Type::F64)
}

#[test]
fn integers_and_floats_compare_exactly() -> Result {
    // Rule 7: 2^53 + 1 has no float, 2^63 - 1 is below the float 2^63.
    let things = Things::new(&[
        r#"{"a":9007199254740993}"#,
        r#"{"a":9007199254740992.0}"#,
        r#"{"a":9223372036854775807}"#,
        r#"{"a":9223372036854775808}"#,
        r#"{"a":-9223372036854775808}"#,
    ])?;
    let two_to_53 = 9_007_199_254_740_992.0;
    let two_to_63 = 9_223_372_036_854_775_808.0;
    assert_eq!(things.matching(f().eq(Tree::real(two_to_53)))?, [2]);
    assert_eq!(things.matching(f().gt(Tree::real(two_to_53)))?, [1, 3, 4]);
    assert_eq!(things.matching(f().lt(Tree::real(two_to_63)))?, [1, 2, 3, 5]);
    assert_eq!(things.matching(f().compare(Comparison::Ge, Tree::real(two_to_63)))?, [4]);
    assert_eq!(things.matching(f().compare(Comparison::Le, Tree::real(-two_to_63)))?, [5]);
    assert_eq!(things.matching(a().eq(Tree::int(9_007_199_254_740_993)))?, [1]);
    Ok(())
}

#[test]
fn a_fraction_lies_between_its_integers_on_both_sides_of_zero() -> Result {
    // Rule 7.
    let things = Things::new(&[r#"{"a":1.5}"#, r#"{"a":-1.5}"#])?;
    assert_eq!(things.matching(a().gt(Tree::int(1)).and(a().lt(Tree::int(2))))?, [1]);
    assert_eq!(things.matching(a().gt(Tree::int(-2)).and(a().lt(Tree::int(-1))))?, [2]);
    Ok(())
}

#[test]
fn negative_zero_equals_zero_and_survives() -> Result {
    // Rule 7.
    let things = Things::new(&[r#"{"a":-0.0}"#])?;
    assert_eq!(things.matching(f().eq(Tree::real(0.0)))?, [1]);
    assert_eq!(things.selected(f())?, [real(-0.0)]);
    Ok(())
}

#[test]
fn integer_division_truncates_toward_zero_and_the_remainder_has_the_sign_of_the_dividend() {
    // Rule 8.
    assert_eq!(ints(Arithmetic::Div, -7, 2), Ok(Json::Int(-3)));
    assert_eq!(ints(Arithmetic::Rem, -7, 3), Ok(Json::Int(-1)));
    assert_eq!(reals(Arithmetic::Rem, -7.5, 2.0), Ok(Json::Real(-1.5)));
}

#[test]
fn arithmetic_is_checked_against_its_type() {
    // Rule 8.
    let overflow = Err(EvalError::Overflow);
    assert_eq!(ints(Arithmetic::Add, i64::MAX, 1), overflow);
    assert_eq!(ints(Arithmetic::Sub, i64::MIN, 1), overflow);
    assert_eq!(ints(Arithmetic::Mul, i64::MIN, i64::MIN), overflow);
    assert_eq!(ints(Arithmetic::Div, i64::MIN, -1), overflow);
    assert_eq!(computed(Arithmetic::Neg, vec![Tree::int(i64::MIN)], Type::I64), overflow);
    assert_eq!(computed(Arithmetic::Abs, vec![Tree::int(i64::MIN)], Type::I64), overflow);
    assert_eq!(computed(Arithmetic::Add, vec![Tree::int(200), Tree::int(56)], Type::U8), overflow);
    assert_eq!(computed(Arithmetic::Sub, vec![Tree::int(1), Tree::int(2)], Type::U64), overflow);
    assert_eq!(reals(Arithmetic::Mul, 1e300, 1e300), overflow);
    assert_eq!(computed(Arithmetic::Mul, vec![Tree::real(1e30), Tree::real(1e30)], Type::F32), overflow);
}

#[test]
fn division_by_zero_is_an_error_for_every_number() {
    // Rule 8.
    for operation in [Arithmetic::Div, Arithmetic::Rem] {
        assert_eq!(ints(operation, 1, 0), Err(EvalError::DivisionByZero));
        assert_eq!(reals(operation, 1.0, -0.0), Err(EvalError::DivisionByZero));
    }
}

#[test]
fn a_cast_cuts_toward_zero_and_must_fit() {
    // Rule 8.
    let cast = |x: f64| computed(Arithmetic::Cast, vec![Tree::real(x)], Type::I64);
    assert_eq!(cast(-1.9), Ok(Json::Int(-1)));
    assert_eq!(cast(9_223_372_036_854_775_808.0), Err(EvalError::Overflow));
    assert_eq!(cast(-9_223_372_036_854_775_808.0), Ok(Json::Int(i64::MIN)));
    let to_float = computed(Arithmetic::Cast, vec![Tree::int(i64::MAX)], Type::F64);
    assert_eq!(to_float, Ok(Json::Real(9_223_372_036_854_775_808.0)));
}

#[test]
fn a_small_float_is_computed_in_its_own_width_and_kept_in_its_shortest_form() {
    // Rules 7 and 8.
    let sum = computed(Arithmetic::Add, vec![Tree::real(0.1), Tree::real(0.2)], Type::F32);
    assert_eq!(sum, Ok(Json::Real(0.3)));
}

#[test]
fn the_sign_of_a_float_is_its_own() {
    let of = |operation, x| computed(operation, vec![Tree::real(x)], Type::F64);
    assert_eq!(of(Arithmetic::Abs, -1.5), Ok(Json::Real(1.5)));
    assert_eq!(of(Arithmetic::Abs, -0.0), Ok(Json::Real(0.0)));
    assert_eq!(of(Arithmetic::Neg, 0.0), Ok(Json::Real(-0.0)));
}

#[test]
fn arithmetic_with_null_or_another_kind_is_null() -> Result {
    // Rule 4.
    let things = Things::new(&["{}", r#"{"a":null}"#, r#"{"a":"1"}"#, r#"{"a":true}"#, r#"{"a":1}"#])?;
    let sum = || a().compute(Arithmetic::Add, Tree::int(1));
    assert_eq!(things.selected(sum())?, [NULL, NULL, NULL, NULL, int(2)]);
    assert_eq!(things.matching(sum().ne(Tree::int(2)))?, [1, 2, 3, 4]);
    Ok(())
}

#[test]
fn a_fold_of_nothing_is_zero_for_a_sum_and_none_for_the_others() -> Result {
    // Rule 9; values of another kind are skipped (rule 4).
    for things in [Things::new(&[])?, Things::new(&["{}", r#"{"a":null}"#, r#"{"a":"5"}"#, r#"{"a":true}"#])?]
    {
        assert_eq!(things.fold(Fold::Sum, a())?, Json::Int(0));
        assert_eq!(things.fold(Fold::Sum, f())?, Json::Real(0.0));
        for fold in [Fold::Avg, Fold::Min, Fold::Max] {
            assert_eq!(things.fold(fold, a())?, Json::Null);
        }
    }
    Ok(())
}

#[test]
fn an_integer_sum_fails_only_when_the_total_does_not_fit() -> Result {
    // Rule 9.
    let max = format!(r#"{{"a":{}}}"#, i64::MAX);
    assert_eq!(
        Things::new(&[&max, &max, r#"{"a":-9223372036854775807}"#])?.fold(Fold::Sum, a())?,
        Json::Int(i64::MAX)
    );
    assert_eq!(Things::new(&[&max, r#"{"a":1}"#])?.fold(Fold::Sum, a()), Err(EvalError::Overflow));
    assert_eq!(Things::new(&[&max, &max])?.fold(Fold::Avg, a())?, Json::Real(i64::MAX as f64));
    Ok(())
}

#[test]
fn a_float_sum_keeps_what_a_plain_one_would_lose() -> Result {
    // Rule 9.
    let things = Things::new(&[r#"{"a":1e100}"#, r#"{"a":1.0}"#, r#"{"a":-1e100}"#, r#"{"a":2}"#])?;
    assert_eq!(things.fold(Fold::Sum, f())?, Json::Real(3.0));
    assert_eq!(things.fold(Fold::Avg, f())?, Json::Real(0.75));
    Ok(())
}

#[test]
fn the_extremes_are_those_of_the_declared_kind() -> Result {
    // Rules 4 and 9.
    let things =
        Things::new(&[r#"{"a":2}"#, r#"{"a":"z"}"#, r#"{"a":-1.5}"#, r#"{"a":"b"}"#, r#"{"a":false}"#])?;
    assert_eq!(things.fold(Fold::Min, a())?, Json::Real(-1.5));
    assert_eq!(things.fold(Fold::Max, a())?, Json::Int(2));
    assert_eq!(things.fold(Fold::Min, Tree::field("a", Type::Text))?, Json::Text("b".to_owned()));
    assert_eq!(things.fold(Fold::Max, Tree::field("a", Type::Bool))?, Json::Bool(false));
    Ok(())
}

#[test]
fn a_wide_integer_is_the_nearest_float() -> Result {
    let things = Things::new(&[r#"{"a":18446744073709551615}"#])?;
    assert_eq!(things.selected(f())?, [real(18_446_744_073_709_551_615.0)]);
    assert_eq!(Json::of(&Value::Int(i64::MIN)), Json::Int(i64::MIN));
    Ok(())
}
