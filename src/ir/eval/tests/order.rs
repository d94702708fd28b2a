//! Order, pages and groups: rules 5, 6 and 9.

use super::{NULL, Result, Things, int, real, text};
use crate::ir::doc::{Fold, Nulls, Terminal};
use crate::ir::eval::sample::tree::{End, Step, Tree};
use crate::ir::eval::{Column, Outcome, Promise};
use crate::ir::types::Type;
use crate::ir::value::Kind;

const I64: Type = Type::I64;

fn a() -> Tree {
    Tree::field("a", I64)
}

fn b() -> Tree {
    Tree::field("b", I64)
}

#[test]
fn ascending_puts_null_first_then_numbers_then_text_then_the_rest() -> Result {
    // Rule 5.
    let things =
        Things::new(&[r#"{"a":"x"}"#, r#"{"a":true}"#, r#"{"a":2}"#, "{}", r#"{"a":1.5}"#, r#"{"a":null}"#])?;
    assert_eq!(things.ids(vec![Step::order([a().asc()])])?, [4, 6, 5, 3, 1, 2]);
    assert_eq!(things.ids(vec![Step::order([a().desc()])])?, [2, 1, 3, 5, 6, 4]);
    Ok(())
}

#[test]
fn among_texts_a_stray_bool_counts_as_a_number_and_among_bools_other_kinds_come_last() -> Result {
    // Rule 5.
    let things = Things::new(&[
        r#"{"a":"x"}"#,
        r#"{"a":true}"#,
        r#"{"a":0.5}"#,
        r#"{"a":2}"#,
        r#"{"a":false}"#,
        "{}",
    ])?;
    assert_eq!(things.ids(vec![Step::order([Tree::field("a", Type::Text).asc()])])?, [6, 5, 3, 2, 4, 1]);
    let bools = vec![Step::order([Tree::field("a", Type::Bool).asc()])];
    assert_eq!(things.ids(bools.clone())?, [6, 5, 2, 1, 3, 4]);
    assert_eq!(things.promise(bools)?, Promise::Set);
    Ok(())
}

#[test]
fn nulls_go_where_the_key_says() -> Result {
    // Rule 5.
    let things = Things::new(&[r#"{"a":2}"#, "{}", r#"{"a":1}"#])?;
    let by = |descending, nulls| things.ids(vec![Step::order([(a(), descending, nulls)])]);
    assert_eq!(by(false, Nulls::First)?, [2, 3, 1]);
    assert_eq!(by(false, Nulls::Last)?, [3, 1, 2]);
    assert_eq!(by(true, Nulls::First)?, [2, 1, 3]);
    assert_eq!(by(true, Nulls::Last)?, [1, 3, 2]);
    Ok(())
}

#[test]
fn equal_rows_go_by_id_in_the_direction_of_the_last_key() -> Result {
    // Rule 5.
    let things = Things::new(&[r#"{"a":1,"b":1}"#, r#"{"a":1,"b":1}"#, r#"{"a":0,"b":1}"#])?;
    assert_eq!(things.ids(vec![Step::order([a().asc()])])?, [3, 1, 2]);
    assert_eq!(things.ids(vec![Step::order([a().desc()])])?, [2, 1, 3]);
    assert_eq!(things.ids(vec![Step::order([a().asc(), b().desc()])])?, [3, 2, 1]);
    assert_eq!(things.ids(vec![Step::order([a().desc(), b().asc()])])?, [1, 2, 3]);
    Ok(())
}

#[test]
fn a_later_order_is_stable_over_an_earlier_one_and_then_by_refines_both() -> Result {
    // Rule 6.
    let things = Things::new(&[
        r#"{"a":1,"b":1,"c":-1}"#,
        r#"{"a":1,"b":2,"c":1}"#,
        r#"{"a":0,"b":3,"c":2}"#,
        r#"{"a":1,"b":2,"c":0}"#,
    ])?;
    let c = || Tree::field("c", I64);
    let later = vec![Step::order([b().desc()]), Step::order([a().asc()])];
    assert_eq!(things.ids(later)?, [3, 4, 2, 1]);
    let refined = vec![Step::order([b().desc()]), Step::order([a().asc()]), Step::then([c().asc()])];
    assert_eq!(things.ids(refined)?, [3, 4, 2, 1]);
    let refined = vec![Step::order([b().asc()]), Step::order([a().asc()]), Step::then([c().desc()])];
    assert_eq!(things.ids(refined)?, [3, 1, 2, 4]);
    Ok(())
}

#[test]
fn an_order_goes_on_behind_a_cut() -> Result {
    // Rule 6.
    let things =
        Things::new(&[r#"{"a":3,"b":0}"#, r#"{"a":2,"b":1}"#, r#"{"a":1,"b":0}"#, r#"{"a":0,"b":0}"#])?;
    let stages = vec![Step::order([a().desc()]), Step::Take(3), Step::order([b().asc()])];
    assert_eq!(things.ids(stages)?, [1, 3, 2]);
    Ok(())
}

#[test]
fn without_an_order_rows_come_by_id_and_pages_never_overlap() -> Result {
    // Rules 5 and 6.
    let things = Things::new(&["{}", "{}", "{}", "{}", "{}"])?;
    assert_eq!(things.ids(vec![Step::Skip(1), Step::Take(2)])?, [2, 3]);
    assert_eq!(things.ids(vec![Step::Take(3), Step::Skip(2)])?, [3]);
    assert_eq!(things.ids(vec![Step::Skip(i64::MAX)])?, [] as [i64; 0]);
    assert_eq!(things.ids(vec![Step::Take(i64::MAX)])?, [1, 2, 3, 4, 5]);
    assert_eq!(things.ids(vec![Step::Take(0)])?, [] as [i64; 0]);
    Ok(())
}

#[test]
fn unordered_promises_the_rows_and_a_cut_of_it_only_their_number() -> Result {
    // Rule 6.
    let things = Things::new(&["{}", "{}", "{}"])?;
    assert_eq!(things.promise(vec![])?, Promise::Sequence);
    assert_eq!(things.promise(vec![Step::Unordered])?, Promise::Set);
    assert_eq!(things.promise(vec![Step::Unordered, Step::Take(2)])?, Promise::Number);
    assert_eq!(things.promise(vec![Step::Unordered, Step::Take(3)])?, Promise::Set);
    let filtered = vec![Step::Unordered, Step::Take(2), Step::Filter(a().absent())];
    assert_eq!(things.promise(filtered)?, Promise::Nothing);
    assert_eq!(things.promise(vec![Step::Unordered, Step::order([a().asc()])])?, Promise::Sequence);
    Ok(())
}

#[test]
fn the_first_and_the_single_row_are_those_of_the_order() -> Result {
    let things = Things::new(&[r#"{"a":1}"#, r#"{"a":3}"#, r#"{"a":2}"#])?;
    let read = |end: Terminal| {
        let stages = vec![Step::order([a().desc()]), Step::Select(a())];
        things.answer(stages, End::Plain(end)).map(|answer| answer.outcome)
    };
    assert_eq!(read(Terminal::First), Ok(Outcome::Rows(vec![vec![int(3)]])));
    assert_eq!(read(Terminal::Single), Ok(Outcome::Rows(vec![vec![int(3)], vec![int(2)]])));
    Ok(())
}

#[test]
fn a_filter_and_an_order_behind_a_select_speak_of_what_was_selected() -> Result {
    let things = Things::new(&[r#"{"a":1,"b":9}"#, r#"{"a":2,"b":8}"#, r#"{"a":3,"b":7}"#])?;
    let stages = vec![
        Step::Select(Tree::Tuple(vec![b(), a()])),
        Step::Filter(Tree::Row(0).item(1).gt(Tree::int(1))),
        Step::Select(Tree::Row(0).item(0)),
        Step::order([Tree::Row(0).asc()]),
    ];
    assert_eq!(things.rows(stages)?, [vec![int(7)], vec![int(8)]]);
    Ok(())
}

fn group(key: Tree, of: Vec<Tree>) -> Vec<Step> {
    vec![Step::Group(key), Step::Select(Tree::Tuple(of))]
}

fn fold(fold: Fold, ty: Type) -> Tree {
    Tree::Fold(fold, Some(Box::new(Tree::of_member("b", I64))), ty)
}

#[test]
fn groups_come_by_key_with_nulls_first_and_fold_their_own_rows() -> Result {
    // Rules 6 and 9.
    let things = Things::new(&[
        r#"{"a":2,"b":5}"#,
        r#"{"a":1,"b":"x"}"#,
        r#"{"a":2.0,"b":7}"#,
        r#"{"b":1}"#,
        r#"{"a":null}"#,
    ])?;
    let count = Tree::Fold(Fold::Count, None, Type::U64);
    let of =
        vec![Tree::Row(0), count, fold(Fold::Sum, I64), fold(Fold::Min, I64), fold(Fold::Avg, Type::F64)];
    let rows = things.rows(group(a(), of))?;
    let expected = [
        vec![NULL, int(2), int(1), int(1), real(1.0)],
        vec![int(1), int(1), int(0), NULL, NULL],
        vec![int(2), int(2), int(12), int(5), real(6.0)],
    ];
    assert_eq!(rows, expected);
    Ok(())
}

#[test]
fn a_key_of_another_kind_is_a_group_of_its_own_that_cannot_be_loaded() -> Result {
    // Rule 4.
    let things =
        Things::new(&[r#"{"a":1}"#, r#"{"a":"1"}"#, r#"{"a":true}"#, r#"{"a":[1]}"#, r#"{"a":[1]}"#])?;
    let count = || Tree::Fold(Fold::Count, None, Type::U64);
    let stages = || group(a(), vec![Tree::Row(0), count()]);
    let foreign = |n| vec![Column::Foreign(Kind::Number), int(n)];
    let rows = things.rows(stages())?;
    assert_eq!(rows.get(..2), Some(&[vec![int(1), int(1)], foreign(1)][..]));
    assert_eq!(rows.len(), 4);
    assert_eq!(things.promise(stages())?, Promise::Set);
    Ok(())
}

#[test]
fn groups_are_filtered_and_ordered_by_their_folds_and_tied_by_key() -> Result {
    let things = Things::new(&[
        r#"{"a":"x","b":1}"#,
        r#"{"a":"y","b":1}"#,
        r#"{"a":"z","b":1}"#,
        r#"{"a":"z","b":2}"#,
        r#"{"a":"w","b":3}"#,
    ])?;
    let sum = || Tree::Row(0).item(1);
    let mut stages = group(Tree::field("a", Type::Text), vec![Tree::Row(0), fold(Fold::Sum, I64)]);
    stages.extend([Step::Filter(sum().gt(Tree::int(0))), Step::order([sum().desc()])]);
    let expected = [("z", 3), ("w", 3), ("y", 1), ("x", 1)].map(|(key, sum)| vec![text(key), int(sum)]);
    assert_eq!(things.rows(stages)?, expected);
    Ok(())
}

#[test]
fn groups_of_groups_fold_the_folds() -> Result {
    let things =
        Things::new(&[r#"{"a":1,"b":1}"#, r#"{"a":1,"b":2}"#, r#"{"a":2,"b":3}"#, r#"{"a":3,"b":4}"#])?;
    let count = || Tree::Fold(Fold::Count, None, Type::U64);
    let mut stages = group(a(), vec![Tree::Row(0), count()]);
    let total = Tree::Fold(Fold::Sum, Some(Box::new(Tree::Row(1).item(0))), I64);
    stages.extend(group(Tree::Row(0).item(1), vec![Tree::Row(0), total]));
    assert_eq!(things.rows(stages)?, [vec![int(1), int(5)], vec![int(2), int(1)]]);
    Ok(())
}
