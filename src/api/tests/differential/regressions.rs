//! What the random test has found, held by itself.

use super::{Result, Seen, case, scenes};
use crate::ir::doc::{Arithmetic, Comparison, Fold, Function, OnNull, Terminal};
use crate::ir::eval::sample::tree::{Change, End, Sketch, Step, Tree};
use crate::ir::eval::{Document, Json};
use crate::ir::types::Type;
use crate::ir::value::Value;

/// Asserts that a statement answers as the evaluator over these documents, which have the ids from 1.
fn agree(documents: &[&str], stages: Vec<Step>, end: End) -> Result {
    let scenes = scenes()?;
    let document = |(i, text): (usize, &&str)| Ok(Document { id: i as i64 + 1, body: Json::parse(text)? });
    let documents = documents.iter().enumerate().map(document).collect::<Result<Vec<Document>>>()?;
    case(&scenes, &Sketch { stages, end }, &documents, &mut Seen::default())
}

fn rows(documents: &[&str], stages: Vec<Step>) -> Result {
    agree(documents, stages, End::Plain(Terminal::Rows))
}

#[test]
fn a_text_beside_the_key_is_no_number() -> Result {
    use Comparison::{Eq, Ge, Gt, Le, Lt, Ne};
    let documents = [r#"{"size":"1"}"#, r#"{"size":"2"}"#, r#"{"size":"1"}"#, r#"{"size":4}"#];
    let size = || Tree::field("size", Type::I64);
    for comparison in [Eq, Ne, Lt, Le, Gt, Ge] {
        for (left, right) in [(size(), Tree::key()), (Tree::key(), size())] {
            rows(&documents, vec![Step::Filter(left.clone().compare(comparison, right.clone()))])?;
            let pair = Tree::Tuple(vec![left, right]);
            let behind = Tree::Row(0).item(0).compare(comparison, Tree::Row(0).item(1));
            rows(&documents, vec![Step::Select(pair), Step::Take(9), Step::Filter(behind)])?;
        }
    }
    Ok(())
}

#[test]
fn groups_by_a_prefix_are_sorted_by_what_was_asked() -> Result {
    let documents = [r#"{"name":"ab"}"#, r#"{"name":"ac"}"#, r#"{"name":"b"}"#, "{}", r#"{"name":7}"#];
    let initial = Tree::field("name", Type::Text).call(Function::Left, [Tree::int(1)]);
    let upper = Tree::Row(0).call(Function::Upper, []);
    for key in [Tree::Row(0), upper] {
        for (by, descending, nulls) in [key.clone().asc(), key.desc()] {
            let stages = vec![
                Step::Group(initial.clone()),
                Step::Select(Tree::Row(0)),
                Step::order([(by, descending, nulls)]),
            ];
            rows(&documents, stages)?;
        }
    }
    Ok(())
}

#[test]
fn a_value_in_an_order_that_does_not_matter_is_not_bound() -> Result {
    let sorted =
        || vec![Step::order([Tree::field("size", Type::I64).unwrap_or(Tree::int(3), Type::I64).asc()])];
    for end in [Terminal::Count, Terminal::Delete] {
        agree(&[r#"{"size":1}"#, "{}"], sorted(), End::Plain(end))?;
    }
    Ok(())
}

#[test]
fn a_negative_zero_is_copied_with_its_sign() -> Result {
    let copied = (Change::Set(OnNull::Store), Tree::field("few", Type::F64), Tree::field("q\"t", Type::F64));
    agree(&[r#"{"q\"t":-0.0}"#, r#"{"q\"t":0.0,"few":-0.0}"#], vec![], End::Update(vec![copied]))
}

#[test]
fn a_constant_that_fails_fails_for_no_rows_that_are_not_there() -> Result {
    use crate::ir::doc::Arithmetic::Rem;
    let remainder = Tree::Arithmetic(Rem, vec![Tree::int(255), Tree::int(0)], Type::I64, false);
    let condition = Step::Filter(remainder.compare(Comparison::Ne, Tree::int(10)));
    for end in [Terminal::Rows, Terminal::Count, Terminal::Delete] {
        agree(&[], vec![condition.clone()], End::Plain(end.clone()))?;
        agree(&["{}"], vec![condition.clone()], End::Plain(end))?;
    }
    Ok(())
}

#[test]
fn what_fails_for_a_count_of_items_fails_beside_null_too() -> Result {
    use crate::ir::doc::Arithmetic::Div;
    use crate::ir::eval::sample::tree::{Items, Made};
    let list = Tree::field("texts", Type::Array);
    let items = Items { ty: Type::Text, nullable: false, is_map: false };
    let none = Tree::Items(Box::new(list), Made::CountWhere(Box::new(Tree::bool(false))), items);
    let divided = Tree::Arithmetic(Div, vec![Tree::int(1), none], Type::I64, false);
    for comparison in [Comparison::Eq, Comparison::Ne, Comparison::Lt, Comparison::Ge] {
        for (left, right) in [
            (divided.clone(), Tree::option("size", Type::I64)),
            (Tree::option("size", Type::I64), divided.clone()),
            (divided.clone(), divided.clone()),
        ] {
            rows(&["{}"], vec![Step::Filter(left.compare(comparison, right))])?;
        }
    }
    Ok(())
}

#[test]
fn a_row_without_the_value_of_an_extreme_is_asked_what_can_fail() -> Result {
    use crate::ir::doc::{Arithmetic::Mul, Fold};
    let documents = [r#"{"size":9223372036854775807}"#, r#"{"size":1,"name":"a"}"#];
    let doubled = Tree::Arithmetic(Mul, vec![Tree::field("size", Type::I64), Tree::int(2)], Type::I64, false);
    for fold in [Fold::Min, Fold::Max] {
        let condition = Step::Filter(doubled.clone().compare(Comparison::Ge, Tree::int(0)));
        agree(&documents, vec![condition], End::Fold(fold, Tree::field("name", Type::Text)))?;
        agree(&documents, vec![], End::Fold(fold, doubled.clone()))?;
    }
    Ok(())
}

#[test]
fn a_cast_to_a_float_cannot_fail_and_is_asked_before_what_can() -> Result {
    use crate::ir::doc::Arithmetic::{Cast, Neg, Rem};
    let number = || Tree::field("q\"t", Type::F64);
    let of_float = |operation, args| Tree::Arithmetic(operation, args, Type::F64, false);
    let fails = of_float(Rem, vec![Tree::real(1.0), number()]).compare(Comparison::Ge, Tree::int(0));
    let key = of_float(Cast, vec![Tree::field("size", Type::I64)]);
    let cannot = key.compare(Comparison::Lt, of_float(Neg, vec![number()]));
    rows(&[r#"{"size":100,"q\"t":0.0}"#], vec![Step::Filter(fails), Step::Filter(cannot)])
}

#[test]
fn an_order_that_was_given_up_behind_a_page_breaks_no_ties() -> Result {
    let documents = [r#"{"size":2}"#, r#"{"size":1}"#, r#"{"size":3}"#];
    let by_size = Step::order([Tree::field("size", Type::I64).asc()]);
    let all_equal = Step::order([Tree::int(7).desc()]);
    rows(&documents, vec![by_size.clone(), Step::Skip(1), Step::Unordered, all_equal.clone()])?;
    rows(&documents, vec![by_size, Step::Take(2), Step::Unordered, all_equal, Step::Take(1)])
}

#[test]
fn a_float_that_is_stored_as_an_integer_is_negated_as_a_float() -> Result {
    use crate::ir::doc::Arithmetic::Neg;
    let negated = Tree::Arithmetic(Neg, vec![Tree::field("q\"t", Type::F64)], Type::F64, false);
    let documents = [r#"{"q\"t":0}"#, r#"{"q\"t":7}"#, r#"{"q\"t":9007199254740993}"#];
    agree(&documents, vec![Step::Select(negated)], End::Plain(Terminal::Rows))
}

#[test]
fn a_text_beside_the_key_that_a_query_gives_is_no_number() -> Result {
    let documents = [r#"{"size":"1"}"#, r#"{"size":2}"#, r#"{"size":"3"}"#];
    let size = || Tree::field("size", Type::I64);
    let first = Sketch { stages: vec![Step::Select(Tree::key())], end: End::Plain(Terminal::First) };
    let last = Sketch { stages: vec![], end: End::Fold(Fold::Max, Tree::key()) };
    for query in [first, last] {
        let value = || Tree::Subquery(Box::new(query.clone()), Type::I64, true);
        for comparison in [Comparison::Eq, Comparison::Ne, Comparison::Le] {
            rows(&documents, vec![Step::Filter(size().compare(comparison, value()))])?;
            rows(&documents, vec![Step::Filter(value().compare(comparison, size()))])?;
        }
    }
    let keys = Sketch { stages: vec![Step::Select(Tree::key())], end: End::Plain(Terminal::Rows) };
    rows(&documents, vec![Step::Filter(Tree::InQuery(Box::new(size()), Box::new(keys)))])?;
    let sizes = Sketch { stages: vec![Step::Select(size())], end: End::Plain(Terminal::Rows) };
    rows(&documents, vec![Step::Filter(Tree::InQuery(Box::new(Tree::key()), Box::new(sizes)))])
}

#[test]
fn a_query_inside_can_fail_by_what_was_selected_around_it() -> Result {
    use crate::ir::doc::Arithmetic::Div;
    let documents = [r#"{"q\"t":0.0,"size":1}"#, r#"{"q\"t":2.0}"#];
    let number = Tree::field("q\"t", Type::F64);
    let divided = Tree::Arithmetic(Div, vec![Tree::real(1.0), number], Type::F64, false);
    let made = Tree::Member(Box::new(Tree::Around), "id", Type::F64, false);
    let same = Step::Filter(Tree::field("size", Type::I64).compare(Comparison::Eq, made));
    let inner = Sketch { stages: vec![same], end: End::Plain(Terminal::Exists) };
    let exists = Tree::Subquery(Box::new(inner), Type::Bool, false);
    let select = Step::Select(Tree::Struct(vec![("id", divided)]));
    let never = Step::Filter(Tree::bool(false));
    agree(&documents, vec![select, Step::Filter(exists), never], End::Plain(Terminal::Count))
}

#[test]
fn a_bound_of_the_same_row_fails_whatever_index_keeps_to_the_kind() -> Result {
    use Comparison::{Ge, Gt, Le, Lt};
    let documents = [r#"{"few":0}"#, r#"{"few":0,"q\"t":"text"}"#, r#"{"few":2,"q\"t":1.5}"#];
    let few = || Tree::field("few", Type::I64);
    let divided = || Tree::Arithmetic(Arithmetic::Rem, vec![few(), few()], Type::I64, true);
    let real = || Tree::field("q\"t", Type::F64);
    for documents in [&documents[..], &documents[2..]] {
        for comparison in [Lt, Le, Gt, Ge] {
            let filters = [divided().compare(comparison, real()), real().compare(comparison, divided())];
            for filter in filters {
                agree(documents, vec![Step::Filter(filter)], End::Plain(Terminal::Count))?;
            }
        }
    }
    Ok(())
}

#[test]
fn an_extreme_of_what_is_the_same_for_all_rows_or_in_their_order_is_asked_of_every_row() -> Result {
    use Arithmetic::Div;
    let documents = [
        r#"{"few":-1000,"size":1}"#,
        r#"{"few":0,"size":0}"#,
        r#"{"few":2,"size":2}"#,
        r#"{"few":[],"size":3}"#,
    ];
    let size = || Tree::field("size", Type::I64);
    let divided = || Tree::Arithmetic(Div, vec![Tree::int(255), size()], Type::I64, false);
    let failing = || Step::Filter(divided().compare(Comparison::Ge, Tree::int(-300)));
    for fold in [Fold::Min, Fold::Max] {
        for value in [Tree::real(0.1), Tree::Param(Value::Real(0.1), Type::F64), Tree::key(), size()] {
            agree(&documents, vec![failing()], End::Fold(fold, value.clone()))?;
            agree(&documents[2..], vec![failing()], End::Fold(fold, value.clone()))?;
            agree(&[], vec![failing()], End::Fold(fold, value))?;
        }
    }
    Ok(())
}

#[test]
fn a_query_inside_that_names_a_member_that_cannot_fail_is_asked_before_one_that_can() -> Result {
    let few = Tree::option("few", Type::I64);
    let divided = Tree::Arithmetic(
        Arithmetic::Div,
        vec![Tree::int(255), Tree::field("size", Type::I64)],
        Type::I64,
        false,
    );
    let pair = Tree::Tuple(vec![divided, few]);
    let beside = Tree::Item(Box::new(Tree::Around), 1);
    let same = Step::Filter(Tree::field("count", Type::I64).compare(Comparison::Eq, beside));
    let inner = Sketch { stages: vec![same], end: End::Plain(Terminal::Exists) };
    let exists = Tree::Subquery(Box::new(inner), Type::Bool, false);
    let quotient = Tree::Row(0).item(0).compare(Comparison::Ge, Tree::int(0));
    let stages = vec![Step::Select(pair), Step::Filter(quotient.or(exists.negated()))];
    for documents in [&[r#"{"size":0,"few":3,"count":1}"#][..], &[r#"{"size":0,"few":3,"count":3}"#]] {
        agree(documents, stages.clone(), End::Plain(Terminal::Count))?;
    }
    Ok(())
}

#[test]
fn a_fold_of_large_floats_does_not_depend_on_the_order() -> Result {
    let number = |x: f64| format!(r#"{{"q\"t":{x:?}}}"#);
    let documents = [f64::MAX, -f64::MAX, f64::MAX, 1.5].map(number);
    let documents: Vec<&str> = documents.iter().map(String::as_str).collect();
    for of in [&documents[..], &documents[..2], &documents[2..], &[documents[0], documents[0]]] {
        for fold in [Fold::Sum, Fold::Avg] {
            agree(of, vec![], End::Fold(fold, Tree::field("q\"t", Type::F64)))?;
        }
    }
    Ok(())
}
