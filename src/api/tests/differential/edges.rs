//! Every pair of the values at the edges, through every function, comparison and operation.

use super::scene::Scene;
use super::{Result, Seen, case};
use crate::ir::doc::{Arithmetic, Comparison, Function, Terminal};
use crate::ir::eval::sample::document::{FLOATS, INTEGERS, SMALL_FLOATS, SMALL_INTEGERS, TEXTS};
use crate::ir::eval::sample::tree::{End, Sketch, Step, Tree};
use crate::ir::eval::{Document, Json};
use crate::ir::types::Type;
use crate::ir::value::Value;

/// Asserts that each stage answers as the evaluator, over documents with these values under `key`.
fn agree(
    key: &str,
    values: impl IntoIterator<Item = Json>,
    stages: impl IntoIterator<Item = Step>,
) -> Result {
    let scenes = [Scene::new(&[])?];
    let document =
        |(i, value)| Document { id: i as i64 + 1, body: Json::Object(vec![(key.to_owned(), value)]) };
    let documents: Vec<Document> = values.into_iter().enumerate().map(document).collect();
    let mut seen = Seen::default();
    for stage in stages {
        let sketch = Sketch { stages: vec![stage], end: End::Plain(Terminal::Rows) };
        case(&scenes, &sketch, &documents, &mut seen)?;
    }
    Ok(())
}

fn texts() -> impl Iterator<Item = Json> {
    TEXTS.iter().map(|text| Json::Text((*text).to_owned()))
}

fn numbers() -> impl Iterator<Item = Json> {
    let integers = INTEGERS.iter().chain(SMALL_INTEGERS).map(|x| Json::Int(*x));
    integers.chain(FLOATS.iter().chain(SMALL_FLOATS).map(|x| Json::Real(*x)))
}

/// The same numbers as literals.
fn constants() -> impl Iterator<Item = Tree> {
    let integers = INTEGERS.iter().chain(SMALL_INTEGERS).map(|x| Tree::int(*x));
    integers.chain(FLOATS.iter().chain(SMALL_FLOATS).map(|x| Tree::real(*x)))
}

fn name() -> Tree {
    Tree::field("name", Type::Text)
}

#[test]
fn text_conditions_agree_on_every_pair_of_texts() -> Result {
    use Function::{Contains, EndsWith, EqIgnoreCase, Glob, Ilike, Like, StartsWith};
    for function in [StartsWith, EndsWith, Contains, Like, Ilike, Glob, EqIgnoreCase] {
        agree(
            "name",
            texts(),
            TEXTS.iter().map(|text| Step::Filter(name().call(function, [Tree::text(text)]))),
        )?;
    }
    Ok(())
}

#[test]
fn text_functions_agree_on_every_text() -> Result {
    let part = |start, len| name().call(Function::Substr, [Tree::int(start), Tree::int(len)]);
    let mut calls = vec![part(0, 0), part(0, 1), part(1, 1), part(1, i64::MAX), part(i64::MAX, 1)];
    calls.extend([0, 1, 2, i64::MAX].map(|len| name().call(Function::Left, [Tree::int(len)])));
    let unary = [
        Function::Len,
        Function::ByteLen,
        Function::BytesLen,
        Function::Lower,
        Function::Upper,
        Function::Trim,
    ];
    calls.extend(unary.map(|function| name().call(function, [])));
    for text in TEXTS {
        calls.push(name().call(Function::Replace, [Tree::text(text), Tree::text("<>")]));
        calls.push(name().call(Function::Concat, [Tree::text(text)]));
    }
    agree("name", texts(), calls.into_iter().map(Step::Select))
}

#[test]
fn comparisons_agree_on_every_pair_of_values() -> Result {
    use Comparison::{Eq, Ge, Gt, Le, Lt, Ne};
    let texts_and_numbers =
        || texts().chain(numbers()).chain([Json::Null, Json::Bool(true), Json::Bool(false)]);
    let number = Tree::field("name", Type::F64);
    for comparison in [Eq, Ne, Lt, Le, Gt, Ge] {
        let of_text = TEXTS.iter().map(|text| name().compare(comparison, Tree::text(text)));
        agree("name", texts_and_numbers(), of_text.map(Step::Filter))?;
        let of_number = constants().map(|constant| number.clone().compare(comparison, constant));
        agree("name", texts_and_numbers(), of_number.map(Step::Filter))?;
    }
    Ok(())
}

/// Arithmetic over two constants; a unary operation leaves the second out.
fn arithmetic(ty: Type, operands: &[Value]) -> Result {
    use Arithmetic::{Abs, Add, Cast, Div, Mul, Neg, Rem, Sub};
    let mut stages = Vec::new();
    for a in operands {
        let operand = |x: &Value| Tree::Constant(x.clone(), ty);
        for b in operands {
            for operation in [Add, Sub, Mul, Div, Rem] {
                stages.push(Tree::Arithmetic(operation, vec![operand(a), operand(b)], ty, false));
            }
        }
        for operation in [Neg, Abs, Cast] {
            stages.push(Tree::Arithmetic(operation, vec![operand(a)], ty, false));
        }
    }
    agree("name", [Json::Null], stages.into_iter().map(Step::Select))
}

#[test]
fn integer_arithmetic_agrees_on_every_pair() -> Result {
    arithmetic(Type::I64, &INTEGERS.iter().map(|x| Value::Int(*x)).collect::<Vec<_>>())
}

#[test]
fn narrow_integer_arithmetic_agrees_at_the_ends_of_each_type() -> Result {
    for ty in [Type::I8, Type::I16, Type::I32, Type::U8, Type::U16, Type::U32, Type::U64] {
        let (low, high) = ty.integer_range().ok_or("an integer type")?;
        let operands = [low, low.wrapping_add(1), 0, 1, 2, high - 1, high].map(Value::Int);
        arithmetic(ty, &operands)?;
    }
    Ok(())
}

#[test]
fn float_arithmetic_agrees_on_every_pair() -> Result {
    let floats = FLOATS.iter().chain(SMALL_FLOATS).map(|x| Value::Real(*x)).collect::<Vec<_>>();
    arithmetic(Type::F64, &floats)?;
    let single = [0.0, -0.0, 0.1, 0.2, 1.5, 3e38, -3e38, 1e-45, 16_777_217.0].map(Value::Real);
    arithmetic(Type::F32, &single)
}

#[test]
fn casts_agree_at_the_ends_of_each_type() -> Result {
    for ty in [Type::I8, Type::I16, Type::I32, Type::I64, Type::U8, Type::U64, Type::F32, Type::F64] {
        let cast = |x| Step::Select(Tree::Arithmetic(Arithmetic::Cast, vec![x], ty, false));
        agree("name", [Json::Null], constants().map(cast))?;
    }
    Ok(())
}
