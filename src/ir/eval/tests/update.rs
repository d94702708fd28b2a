//! Changes: rule 22.

use super::{Result, Things};
use crate::ir::doc::{Arithmetic, OnNull, Terminal};
use crate::ir::eval::sample::tree::{Change, End, Step, Tree};
use crate::ir::eval::{EvalError, Outcome};
use crate::ir::types::Type;
use crate::ir::value::Value;

const I64: Type = Type::I64;

/// Returns how many documents changed, and their texts afterwards.
fn changed(
    documents: &[&str],
    stages: Vec<Step>,
    changes: Vec<(Change, Tree, Tree)>,
) -> Result<std::result::Result<(u64, Vec<String>), EvalError>> {
    let answer = Things::new(documents)?.answer(stages, End::Update(changes));
    Ok(answer.map(|answer| match answer.outcome {
        Outcome::Changed { count, documents } => {
            (count, documents.iter().map(|d| d.body.to_string()).collect())
        }
        other => panic!("{other:?} is not a change"),
    }))
}

fn done(count: u64, documents: &[&str]) -> std::result::Result<(u64, Vec<String>), EvalError> {
    Ok((count, documents.iter().map(|text| (*text).to_owned()).collect()))
}

fn set(target: Tree, value: Tree) -> (Change, Tree, Tree) {
    (Change::Set(OnNull::Store), target, value)
}

fn increment(target: Tree, value: Tree) -> (Change, Tree, Tree) {
    (Change::Increment, target, value)
}

fn a() -> Tree {
    Tree::field("a", I64)
}

fn below() -> Tree {
    Tree::field("in", Type::Object).below("x", I64)
}

#[test]
fn a_change_counts_documents_whose_bytes_changed() -> Result {
    let documents = [r#"{"a":1,"t":true,"f":2.0}"#, r#"{"a":5}"#, r#"{"a":5.0}"#];
    let expected = done(2, &[r#"{"a":5,"t":true,"f":2.0}"#, r#"{"a":5}"#, r#"{"a":5}"#]);
    assert_eq!(changed(&documents, vec![], vec![set(a(), Tree::int(5))])?, expected);
    Ok(())
}

#[test]
fn only_the_rows_of_the_query_change() -> Result {
    let stages = vec![Step::order([a().desc()]), Step::Take(1)];
    let expected = done(1, &[r#"{"a":1}"#, r#"{"a":null}"#, r#"{"a":2}"#]);
    let null = Tree::Constant(Value::Null, I64);
    assert_eq!(changed(&[r#"{"a":1}"#, r#"{"a":3}"#, r#"{"a":2}"#], stages, vec![set(a(), null)])?, expected);
    Ok(())
}

#[test]
fn missing_parents_are_made_and_a_parent_that_is_no_object_is_an_error() -> Result {
    let one = || vec![set(below(), Tree::int(1))];
    assert_eq!(changed(&["{}"], vec![], one())?, done(1, &[r#"{"in":{"x":1}}"#]));
    assert_eq!(changed(&[r#"{"in":{"y":0}}"#], vec![], one())?, done(1, &[r#"{"in":{"y":0,"x":1}}"#]));
    for parent in ["null", "5", r#""x""#, "[]", "true"] {
        let document = format!(r#"{{"in":{parent}}}"#);
        assert_eq!(changed(&[&document], vec![], one())?, Err(EvalError::TypeMismatch), "{parent}");
        let unset = vec![(Change::Unset, below(), below())];
        assert_eq!(changed(&[&document], vec![], unset)?, done(0, &[&document]), "{parent}");
    }
    Ok(())
}

#[test]
fn an_optional_struct_that_is_not_there_is_no_parent() -> Result {
    let below = || Tree::option("in", Type::Object).below("x", I64);
    for without in ["{}", r#"{"in":null}"#] {
        let one = vec![set(below(), Tree::int(1))];
        assert_eq!(changed(&[without], vec![], one)?, Err(EvalError::TypeMismatch), "{without}");
        let unset = vec![(Change::Unset, below(), below())];
        assert_eq!(changed(&[without], vec![], unset)?, done(0, &[without]), "{without}");
    }
    let one = vec![set(below(), Tree::int(1))];
    assert_eq!(changed(&[r#"{"in":{}}"#], vec![], one)?, done(1, &[r#"{"in":{"x":1}}"#]));
    let map = Tree::option("in", Type::Map).below("x", I64);
    assert_eq!(changed(&["{}"], vec![], vec![set(map, Tree::int(1))])?, done(1, &[r#"{"in":{"x":1}}"#]));
    Ok(())
}

#[test]
fn null_is_stored_removes_or_fails_as_the_assignment_says() -> Result {
    let null = || Tree::Constant(Value::Null, I64);
    let some = [r#"{"a":1}"#];
    let with = |on_null| vec![(Change::Set(on_null), a(), null())];
    assert_eq!(changed(&some, vec![], with(OnNull::Store))?, done(1, &[r#"{"a":null}"#]));
    assert_eq!(changed(&some, vec![], with(OnNull::Remove))?, done(1, &["{}"]));
    assert_eq!(changed(&["{}"], vec![], with(OnNull::Remove))?, done(0, &["{}"]));
    assert_eq!(changed(&some, vec![], with(OnNull::Refuse))?, Err(EvalError::TypeMismatch));
    let blocked = vec![(Change::Set(OnNull::Remove), below(), null())];
    assert_eq!(changed(&[r#"{"in":5}"#], vec![], blocked)?, Err(EvalError::TypeMismatch));
    Ok(())
}

#[test]
fn unset_removes_the_field_and_leaves_a_document_without_it_alone() -> Result {
    let unset = vec![(Change::Unset, a(), a())];
    assert_eq!(changed(&[r#"{"b":1,"a":null}"#, "{}"], vec![], unset)?, done(1, &[r#"{"b":1}"#, "{}"]));
    Ok(())
}

#[test]
fn an_increment_starts_from_zero_and_keeps_the_documents_when_it_fails() -> Result {
    let by = |n| vec![increment(a(), Tree::int(n))];
    assert_eq!(
        changed(&["{}", r#"{"a":null}"#, r#"{"a":40}"#], vec![], by(2))?,
        done(3, &[r#"{"a":2}"#, r#"{"a":2}"#, r#"{"a":42}"#])
    );
    assert_eq!(changed(&[r#"{"a":1}"#, r#"{"a":"1"}"#], vec![], by(1))?, Err(EvalError::TypeMismatch));
    assert_eq!(changed(&[r#"{"a":9223372036854775807}"#], vec![], by(1))?, Err(EvalError::Overflow));
    assert_eq!(
        changed(&["{}"], vec![], vec![increment(below(), Tree::int(3))])?,
        done(1, &[r#"{"in":{"x":3}}"#])
    );
    let float = Tree::field("f", Type::F64);
    assert_eq!(
        changed(&["{}"], vec![], vec![increment(float, Tree::real(0.5))])?,
        done(1, &[r#"{"f":0.5}"#])
    );
    Ok(())
}

#[test]
fn values_are_read_from_the_document_as_it_was() -> Result {
    let b = || Tree::field("b", I64);
    let swap = vec![set(a(), b()), set(b(), a().compute(Arithmetic::Add, Tree::int(10)))];
    assert_eq!(changed(&[r#"{"a":1,"b":2}"#], vec![], swap)?, done(1, &[r#"{"a":2,"b":11}"#]));
    Ok(())
}

#[test]
fn delete_leaves_the_others() -> Result {
    let things = Things::new(&[r#"{"a":1}"#, r#"{"a":2}"#])?;
    let stages = vec![Step::Filter(a().eq(Tree::int(1)))];
    let answer = things.answer(stages, End::Plain(Terminal::Delete))?;
    let Outcome::Changed { count, documents } = answer.outcome else { panic!("a delete changes") };
    assert_eq!((count, documents.iter().map(|d| d.id).collect::<Vec<_>>()), (1, vec![2]));
    Ok(())
}
