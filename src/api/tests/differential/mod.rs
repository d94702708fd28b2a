//! SQL against the evaluator: random documents, random statements, every way of planning.
//!
//! The documents are inserted as JSON by plain SQL and read back through SQLite's own `json()`, so that the codec has
//! no part in what the oracle sees. A statement must answer as the evaluator does with literals and with arguments
//! in their place, with and without indexes, with all passes and with each of them switched off.

mod compare;
mod edges;
mod regressions;
mod scene;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};

use proptest::test_runner::{Config, TestCaseError, TestError, TestRunner};
use sqlparser::dialect::SQLiteDialect;
use sqlparser::parser::Parser;

use self::compare::Tolerance;
use self::scene::{Key, Scene};
use crate::compile::{Disabled, PASSES};
use crate::ir::doc::Comparison;
use crate::ir::eval::sample::tree::{Built, Sketch, Step, Tree};
use crate::ir::eval::sample::{self, COLLECTION, FIELDS, document, statement};
use crate::ir::eval::{self, Answer, Collection, Document, EvalError, Input};
use crate::ir::value::Value;

type Result<T = (), E = Box<dyn std::error::Error>> = std::result::Result<T, E>;

/// How many documents a case has at most.
const DOCUMENTS: usize = 12;

/// The stack that sqlparser may take, in bytes: unoptimised, it needs more than a test's thread has for some statements.
const PARSER_STACK: usize = 32 << 20;

const COMPOUND: &[&[Key]] =
    &[&[up(0), down(3)], &[up(6), up(1), down(8)], &[down(4), down(0)], &[up(11), up(12)]];

/// The sets of indexes under which each statement runs, by the places of the fields in the sample's schema.
const INDEXES: &[&[&[Key]]] = &[
    &[],
    &[
        &[up(0)],
        &[up(1)],
        &[up(2)],
        &[up(3)],
        &[up(4)],
        &[up(5)],
        &[up(6)],
        &[up(7)],
        &[up(8)],
        &[up(9)],
        &[up(10)],
    ],
    &[&[down(0)], &[down(3)], &[down(6)], &[down(8)], &[down(12)]],
    COMPOUND,
    &[
        &[up(5)],
        &[up(7), up(9)],
        &[json(0)],
        &[up(0)],
        &[json(3)],
        &[json(4)],
        &[json(8), json(1)],
        &[Key { descending: true, ..json(6) }, json(12)],
    ],
    &[&[up(13)], &[down(14)], &[up(15), up(14)], &[up(16)], &[json(13)], &[json(16)]],
];

const fn up(field: usize) -> Key {
    Key { field, descending: false, is_json: false }
}

const fn down(field: usize) -> Key {
    Key { field, descending: true, is_json: false }
}

const fn json(field: usize) -> Key {
    Key { field, descending: false, is_json: true }
}

/// What a run has seen.
#[derive(Debug, Default)]
struct Seen {
    /// How often each pass changed a statement.
    fired: BTreeMap<&'static str, u64>,
    /// The texts that sqlparser has read already, by their hash: kept whole, those of a long run fill the heap, and
    /// allocating is all that the run does then.
    parsed: BTreeSet<u64>,
    /// Whether an index was entered for each of its few first values.
    is_loose: bool,
    /// Whether an index served that does not hold every document.
    is_partial: bool,
}

#[test]
fn every_statement_answers_as_the_evaluator_however_it_is_planned() -> Result {
    let scenes = scenes()?;
    let seen = RefCell::new(Seen::default());
    let mut runner =
        TestRunner::new(Config { failure_persistence: None, max_shrink_iters: 4_000, ..statement::cases() });
    let strategy = (statement::sketch(), document::documents(DOCUMENTS));
    let outcome = runner.run(&strategy, |(sketch, documents)| {
        let mut seen = seen.borrow_mut();
        case(&scenes, &sketch, &documents, &mut seen).map_err(|error| TestCaseError::fail(error.to_string()))
    });
    let seen = seen.into_inner();
    if let Err(TestError::Fail(reason, (sketch, documents))) = outcome {
        let documents: Vec<String> = documents.iter().map(|d| format!("{}: {}", d.id, d.body)).collect();
        let built = sketch.build();
        panic!("{reason}\n{sketch:?}\nconstants: {:?}\n{}", built.constants, documents.join("\n"));
    }
    outcome?;
    for pass in &PASSES {
        assert!(seen.fired.contains_key(pass.name), "the pass `{}` never changed a statement", pass.name);
    }
    assert!(seen.is_loose, "no index was entered for each of its few values");
    assert!(seen.is_partial, "no partial index served a statement");
    Ok(())
}

/// A statement that says first what a partial index is of, by the same literal.
#[test]
fn a_statement_answers_the_same_from_a_partial_index_that_names_its_literals() -> Result {
    let conditions = literal_conditions();
    let keys = [up(0), down(3), up(6), up(10), up(5), up(13), up(2)];
    let indexes: Vec<(Key, Tree)> = keys.into_iter().zip(conditions.clone()).collect();
    let scenes = [Scene::new(&[])?.and_partial(&indexes)?, Scene::new(COMPOUND)?.and_partial(&indexes)?];
    let seen = RefCell::new(Seen::default());
    let mut runner =
        TestRunner::new(Config { failure_persistence: None, max_shrink_iters: 4_000, ..statement::cases() });
    let strategy = (statement::sketch(), document::documents(DOCUMENTS), 0..conditions.len());
    let outcome = runner.run(&strategy, |(mut sketch, documents, place)| {
        sketch.stages.insert(0, Step::Filter(conditions[place].clone()));
        let mut seen = seen.borrow_mut();
        case(&scenes, &sketch, &documents, &mut seen)
            .map_err(|error| TestCaseError::fail(format!("{error}\n{:?}", sketch.build().constants)))
    });
    outcome?;
    assert!(seen.into_inner().is_partial, "no partial index served a statement");
    Ok(())
}

/// Returns conditions with literals: text that needs quoting, numbers at both ends, floats, bools.
fn literal_conditions() -> Vec<Tree> {
    let compare = |comparison, place: usize, value: Value| {
        let field = sample::expr::leaf(FIELDS[place]);
        Tree::Compare(comparison, Box::new(field.tree), Box::new(Tree::Constant(value, field.ty)))
    };
    let is_none = |place: usize| Tree::IsNone(Box::new(sample::expr::leaf(FIELDS[place]).tree));
    vec![
        compare(Comparison::Ne, 0, Value::Text("a".into())),
        compare(Comparison::Ge, 3, Value::Int(0)),
        Tree::And(Box::new(compare(Comparison::Lt, 6, Value::Real(0.5))), Box::new(is_none(1))),
        compare(Comparison::Eq, 8, Value::Bool(true)),
        compare(Comparison::Eq, 5, Value::Int(1)),
        Tree::Not(Box::new(compare(Comparison::Eq, 13, Value::Text("a'b\0".into())))),
        Tree::Or(
            Box::new(compare(Comparison::Gt, 3, Value::Int(i64::MIN))),
            Box::new(compare(Comparison::EqOption, 1, Value::Text("\u{e9}".into()))),
        ),
    ]
}

/// Returns the scene of each set of indexes, one whose compound indexes are said to hold few values, and one of partial
/// indexes.
fn scenes() -> Result<Vec<Scene>> {
    let mut scenes = INDEXES.iter().map(|indexes| Scene::new(indexes)).collect::<Result<Vec<Scene>>>()?;
    scenes.push(Scene::new(COMPOUND)?.of_few_values());
    let field = |place: usize| sample::expr::leaf(FIELDS[place]).tree;
    let partial = [
        (up(0), field(8)),
        (down(3), Tree::IsNone(Box::new(field(1)))),
        (up(6), Tree::Not(Box::new(Tree::IsNone(Box::new(field(9)))))),
        (up(10), Tree::Not(Box::new(field(8)))),
        (up(5), field(16)),
    ];
    scenes.push(Scene::new(&[])?.and_partial(&partial)?);
    Ok(scenes)
}

/// Runs a statement in every way over the same documents.
fn case(scenes: &[Scene], sketch: &Sketch, documents: &[Document], seen: &mut Seen) -> Result {
    let (ordinary, compiled) = (sketch.build(), sketch.build_compiled());
    let is_cut = sketch.stages.iter().any(|stage| matches!(stage, Step::Skip(_) | Step::Take(_)));
    let mut answer = None;
    for scene in scenes {
        let place = scene.with(documents)?;
        let stored = place.documents()?;
        let tolerance = Tolerance::of(sketch, &stored);
        let answer = answer.get_or_insert_with(|| evaluate(&ordinary, stored));
        let mut check = |built: &Built, without: Option<&str>| -> Result<BTreeSet<&'static str>> {
            let disabled = without.map_or_else(Disabled::default, |name| Disabled::default().and(name));
            let ran = place.run(built, disabled, compare::width(answer))?;
            for (sql, rows) in &ran.texts {
                parse(sql, seen)?;
                compare::compare(answer, rows, tolerance, is_cut).map_err(|difference| {
                    let of = format!("indexes {:?}, without {without:?}", scene.indexes);
                    format!("{difference}\n{of}\n{}\n{sql}\n{:?}", built.statement, built.params)
                })?;
            }
            Ok(ran.fired)
        };
        check(&compiled, None)?;
        // A pass that changes nothing changes nothing when it is switched off.
        let fired = check(&ordinary, None)?;
        for pass in &fired {
            check(&ordinary, Some(pass))?;
        }
        fired.into_iter().for_each(|pass| *seen.fired.entry(pass).or_default() += 1);
    }
    Ok(())
}

fn evaluate(built: &Built, documents: Vec<Document>) -> std::result::Result<Answer, EvalError> {
    let collections = [Collection { name: COLLECTION.to_owned(), documents }];
    let input = Input { collections: &collections, params: &built.params, constants: &built.constants };
    eval::run(&built.statement, &input)
}

/// Checks that a reader that is not SQLite's takes the text as SQLite's dialect.
fn parse(sql: &str, seen: &mut Seen) -> Result {
    if !seen.parsed.insert(BuildHasherDefault::<DefaultHasher>::default().hash_one(sql)) {
        return Ok(());
    }
    seen.is_partial |= sql.contains(" where ");
    seen.is_loose |= sql.contains("WITH RECURSIVE") && sql.contains(r#""k") AND"#);
    let read = || Parser::parse_sql(&SQLiteDialect {}, sql);
    let statements = stacker::grow(PARSER_STACK, read).map_err(|error| format!("{error}\n{sql}"))?;
    if statements.len() != 1 {
        return Err(format!("{} statements\n{sql}", statements.len()).into());
    }
    Ok(())
}
