//! Logic, null and kinds: rules 1 to 4, 17, 18 and 21, and what a condition that can fail is evaluated for (rule 8).

use super::{NULL, Result, Things, int};
use crate::ir::doc::{Arithmetic, Comparison, Terminal};
use crate::ir::eval::sample::tree::{End, Step, Tree};
use crate::ir::eval::{Column, EvalError, Json, Outcome};
use crate::ir::types::Type;
use crate::ir::value::{Kind, Value};

const I64: Type = Type::I64;
const TEXT: Type = Type::Text;

fn absent() -> Result<Things> {
    Things::new(&[
        r#"{"a":1}"#,
        r#"{"a":2}"#,
        r#"{"a":null}"#,
        "{}",
        r#"{"a":"1"}"#,
        r#"{"a":true}"#,
        r#"{"a":[1]}"#,
    ])
}

#[test]
fn only_ne_holds_for_an_absent_field() -> Result {
    // Rule 1, and rule 4 for the values of other kinds.
    let a = || Tree::option("a", I64);
    assert_eq!(absent()?.matching(a().eq(Tree::int(1)))?, [1]);
    assert_eq!(absent()?.matching(a().ne(Tree::int(1)))?, [2, 3, 4, 5, 6, 7]);
    for comparison in [Comparison::Lt, Comparison::Le, Comparison::Gt, Comparison::Ge] {
        let low = absent()?.matching(a().compare(comparison, Tree::int(i64::MIN)))?;
        let high = absent()?.matching(a().compare(comparison, Tree::int(i64::MAX)))?;
        assert!(low.into_iter().chain(high).all(|id| id <= 2), "{comparison:?}");
    }
    Ok(())
}

#[test]
fn a_condition_or_its_negation_holds_for_every_row() -> Result {
    // Rule 1.
    let things = absent()?;
    let a = || Tree::option("a", I64);
    let conditions = [
        a().lt(Tree::int(2)),
        a().eq(Tree::int(1)).or(a().absent()),
        a().among(Tree::list([Value::Int(2)])),
        Tree::option("a", Type::Bool),
        Tree::field("a", TEXT).call(crate::ir::doc::Function::StartsWith, [Tree::text("1")]),
    ];
    for condition in conditions {
        let mut both = things.matching(condition.clone())?;
        both.extend(things.matching(condition.clone().negated())?);
        both.sort_unstable();
        assert_eq!(both, [1, 2, 3, 4, 5, 6, 7], "{condition:?}");
    }
    Ok(())
}

#[test]
fn is_none_asks_for_null_and_missing_only() -> Result {
    // Rules 2 and 4.
    assert_eq!(absent()?.matching(Tree::option("a", I64).absent())?, [3, 4]);
    assert_eq!(absent()?.matching(Tree::option("a", I64).absent().negated())?, [1, 2, 5, 6, 7]);
    Ok(())
}

#[test]
fn two_absent_options_are_equal_and_other_absent_values_are_not() -> Result {
    // Rules 1 and 2; a value of another kind is absent to a comparison (rule 4).
    let things = Things::new(&[r#"{"a":1,"b":1}"#, r#"{"a":null}"#, r#"{"a":"x","b":null}"#, r#"{"a":1}"#])?;
    let pair = |a: Tree, b: Tree| (things.matching(a.clone().eq(b.clone())), things.matching(a.ne(b)));
    let (a, b) = (|| Tree::option("a", I64), || Tree::option("b", I64));
    assert_eq!(pair(a(), b()), (Ok(vec![1, 2, 3]), Ok(vec![4])));
    assert_eq!(pair(a(), Tree::field("b", I64)), (Ok(vec![1]), Ok(vec![2, 3, 4])));
    assert_eq!(pair(a(), Tree::Param(Value::Null, I64)), (Ok(vec![]), Ok(vec![1, 2, 3, 4])));
    Ok(())
}

#[test]
fn a_comparison_sees_only_values_of_its_kind() -> Result {
    // Rule 4: `true` is not 1, the array is not its text.
    let things =
        Things::new(&[r#"{"a":1}"#, r#"{"a":true}"#, r#"{"a":"[1]"}"#, r#"{"a":[1]}"#, r#"{"a":1.0}"#])?;
    assert_eq!(things.matching(Tree::field("a", I64).eq(Tree::int(1)))?, [1, 5]);
    assert_eq!(things.matching(Tree::field("a", Type::Bool).eq(Tree::bool(true)))?, [2]);
    assert_eq!(things.matching(Tree::field("a", Type::Bool))?, [2]);
    assert_eq!(things.matching(Tree::field("a", TEXT).eq(Tree::text("[1]")))?, [3]);
    assert_eq!(things.matching(Tree::field("a", TEXT).gt(Tree::text("")))?, [3]);
    Ok(())
}

#[test]
fn a_list_holds_values_and_never_null() -> Result {
    // Rule 21: any length, duplicates included; a list as a parameter is the same.
    let a = || Tree::option("a", I64);
    let values = || [Value::Int(2), Value::Int(2), Value::Null, Value::Bool(true), Value::Int(9)];
    assert_eq!(absent()?.matching(a().among(Tree::list(values())))?, [2]);
    assert_eq!(absent()?.matching(a().among(Tree::Param(Value::List(values().into()), Type::Array)))?, [2]);
    assert_eq!(absent()?.matching(a().among(Tree::list([])))?, [] as [i64; 0]);
    let items = vec![Tree::int(1), Tree::option("b", I64)];
    assert_eq!(absent()?.matching(Tree::InItems(Box::new(a()), items))?, [1]);
    Ok(())
}

#[test]
fn a_projection_shows_what_is_stored_and_marks_other_kinds() -> Result {
    // Rule 4.
    let seen = absent()?.selected(Tree::option("a", I64))?;
    let foreign = || Column::Foreign(Kind::Number);
    assert_eq!(seen, [int(1), int(2), NULL, NULL, foreign(), foreign(), foreign()]);
    let stored = Things::new(&[r#"{"a":2.0}"#])?.selected(Tree::field("a", I64))?;
    assert_eq!(stored, [super::real(2.0)]);
    Ok(())
}

#[test]
fn a_default_stands_for_null_missing_and_other_kinds() -> Result {
    let seen = absent()?.selected(Tree::option("a", I64).unwrap_or(Tree::int(-1), I64))?;
    assert_eq!(seen, [int(1), int(2), int(-1), int(-1), int(-1), int(-1), int(-1)]);
    Ok(())
}

#[test]
fn a_path_segment_is_any_text_and_the_key_is_the_id() -> Result {
    // Rules 17 and 18.
    let things =
        Things::new(&[r#"{"a.b":1,"a":{"b":2,"":{"[0]":3}},"id":77}"#, r#"{"a":5}"#, r#"{"a":[{"b":1}]}"#])?;
    let a = || Tree::field("a", Type::Object);
    assert_eq!(things.selected(Tree::field("a.b", I64))?, [int(1), NULL, NULL]);
    assert_eq!(things.selected(a().below("b", I64))?, [int(2), NULL, NULL]);
    assert_eq!(things.selected(a().below("", Type::Object).below("[0]", I64))?, [int(3), NULL, NULL]);
    assert_eq!(things.selected(Tree::key())?, [int(1), int(2), int(3)]);
    Ok(())
}

#[test]
fn of_a_key_that_occurs_twice_the_first_counts() -> Result {
    assert_eq!(Things::new(&[r#"{"a":1,"a":2}"#])?.selected(Tree::field("a", I64))?, [int(1)]);
    Ok(())
}

#[test]
fn a_whole_document_is_its_id_and_what_is_stored() -> Result {
    let things = Things::new(&[r#"{"a":1}"#])?;
    let body = Json::parse(r#"{"a":1}"#)?;
    let row = vec![int(1), Column::Value(body), int(1)];
    assert_eq!(
        things.rows(vec![Step::Select(Tree::Tuple(vec![Tree::Row(0), Tree::field("a", I64)]))])?,
        [row]
    );
    Ok(())
}

/// Fails for the document in which `b` is zero.
fn fails() -> Tree {
    Tree::int(1).compute(Arithmetic::Div, Tree::field("b", I64)).gt(Tree::int(0))
}

#[test]
fn a_condition_that_can_fail_sees_only_rows_that_pass_all_that_cannot() -> Result {
    // Rule 8, also across the filters of a block and through a sort and a select.
    let things = Things::new(&[r#"{"a":0,"b":0}"#, r#"{"a":1,"b":1}"#])?;
    let passes = || Tree::field("a", I64).eq(Tree::int(1));
    let both = || Tree::Tuple(vec![Tree::field("a", I64), Tree::field("b", I64)]);
    let divided = Tree::int(1).compute(Arithmetic::Div, Tree::Row(0).item(1)).gt(Tree::int(0));
    assert_eq!(things.matching(fails()), Err(EvalError::DivisionByZero));
    assert_eq!(things.matching(fails().and(passes())), Ok(vec![2]));
    assert_eq!(things.ids(vec![Step::Filter(fails()), Step::Filter(passes())]), Ok(vec![2]));
    let sorted = vec![Step::Filter(fails()), Step::order([Tree::key().asc()]), Step::Filter(passes())];
    assert_eq!(things.ids(sorted), Ok(vec![2]));
    let passes_selected = Tree::Row(0).item(0).eq(Tree::int(1));
    let selected = vec![Step::Select(both()), Step::Filter(divided), Step::Filter(passes_selected)];
    assert_eq!(things.rows(selected), Ok(vec![vec![int(1), int(1)]]));
    let cut = vec![Step::Filter(fails()), Step::Take(5), Step::Filter(passes())];
    assert_eq!(things.ids(cut), Err(EvalError::DivisionByZero));
    Ok(())
}

#[test]
fn conditions_that_can_fail_are_evaluated_in_written_order() -> Result {
    // Rule 8.
    let things = Things::new(&[r#"{"a":0,"b":0}"#])?;
    let never = || Tree::field("a", I64).compute(Arithmetic::Add, Tree::int(1)).eq(Tree::int(7));
    assert_eq!(things.matching(never().and(fails())), Ok(vec![]));
    assert_eq!(things.matching(fails().and(never())), Err(EvalError::DivisionByZero));
    Ok(())
}

#[test]
fn a_negated_or_fails_where_the_and_of_its_negations_does() -> Result {
    // Rules 1 and 8.
    let things = Things::new(&[r#"{"a":0,"b":0}"#])?;
    let zero = || Tree::field("a", I64).eq(Tree::int(0));
    assert_eq!(things.matching(fails().or(zero())), Ok(vec![1]));
    assert_eq!(things.matching(fails().or(zero()).negated()), Ok(vec![]));
    assert_eq!(things.matching(fails().negated().and(zero().negated())), Ok(vec![]));
    assert_eq!(things.matching(fails().or(zero().negated())), Err(EvalError::DivisionByZero));
    Ok(())
}

#[test]
fn a_projection_that_can_fail_is_computed_for_rows_that_are_read() -> Result {
    let things = Things::new(&[r#"{"b":1}"#, r#"{"b":0}"#])?;
    let select = || Step::Select(Tree::int(1).compute(Arithmetic::Div, Tree::field("b", I64)));
    assert_eq!(things.rows(vec![select()]), Err(EvalError::DivisionByZero));
    assert_eq!(things.rows(vec![select(), Step::Take(1)]), Ok(vec![vec![int(1)]]));
    let counted = things.answer(vec![select()], End::Plain(Terminal::Count))?;
    assert_eq!(counted.outcome, Outcome::Count(2));
    Ok(())
}

#[test]
fn the_terminals_count_and_tell_whether_there_is_a_row() -> Result {
    let things = absent()?;
    let ends = |condition: Tree| {
        [Terminal::Count, Terminal::Exists, Terminal::NotExists].map(|end| {
            things.answer(vec![Step::Filter(condition.clone())], End::Plain(end)).map(|answer| answer.outcome)
        })
    };
    let some = ends(Tree::field("a", I64).gt(Tree::int(0)));
    assert_eq!(some, [Ok(Outcome::Count(2)), Ok(Outcome::Bool(true)), Ok(Outcome::Bool(false))]);
    let none = ends(Tree::field("a", I64).gt(Tree::int(5)));
    assert_eq!(none, [Ok(Outcome::Count(0)), Ok(Outcome::Bool(false)), Ok(Outcome::Bool(true))]);
    Ok(())
}
