//! Random statements over the sample collection.
//!
//! Most cannot fail: their arithmetic stays with small numbers. Those that can have no stage that cuts rows off and
//! no terminal that stops early, because how many rows are computed then is nobody's promise.

use proptest::collection::vec;
use proptest::option::weighted;
use proptest::prelude::*;
use proptest::sample::{select, subsequence};

use super::expr::{self, Grammar, Leaf, Typed};
use super::tree::{Change, End, Sketch, Step, Tree};
use super::{FIELDS, Field};
use crate::ir::doc::{Fold, Nulls, OnNull, Terminal};
use crate::ir::types::Type;
use crate::ir::value::{Kind, Value};

/// The places of fields that are bounded together.
const COMPOUND: [(usize, usize); 4] = [(0, 3), (4, 0), (11, 12), (6, 1)];

/// A statement.
pub(crate) fn sketch() -> impl Strategy<Value = Sketch> {
    let safe = prop_oneof![8 => over_documents(false), 6 => over_selected(false), 4 => over_groups(), 1 => initials()];
    let failing = prop_oneof![over_documents(true), over_selected(true)];
    prop_oneof![4 => safe, 1 => failing].prop_map(|sketch| Sketch { stages: tidy(sketch.stages), ..sketch })
}

/// How many random cases a property test runs: `VELLUM_CASES`, or 2,000.
pub(crate) fn cases() -> ProptestConfig {
    ProptestConfig::with_cases(
        std::env::var("VELLUM_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(2_000),
    )
}

/// A condition over documents that cannot fail.
pub(crate) fn condition() -> impl Strategy<Value = Tree> {
    Grammar::over_documents(false).condition(2)
}

/// A `then_by` that follows no `order_by` is one.
fn tidy(mut stages: Vec<Step>) -> Vec<Step> {
    let mut is_ordered = false;
    for stage in &mut stages {
        match stage {
            Step::Order { then, .. } => {
                *then &= is_ordered;
                is_ordered = true;
            }
            Step::Group(_) | Step::Unordered => is_ordered = false,
            _ => {}
        }
    }
    stages
}

fn over_documents(can_fail: bool) -> BoxedStrategy<Sketch> {
    let grammar = Grammar::over_documents(can_fail);
    let end =
        prop_oneof![3 => reading(&grammar), 1 => changing(&grammar), 1 => Just(End::Plain(Terminal::Delete))];
    let stages = prop_oneof![7 => stages(&grammar), 1 => bounded(&grammar)];
    (stages, end).prop_map(|(stages, end)| Sketch { stages, end }).boxed()
}

/// Bounds of two fields, as an index over both is entered with, before other stages.
fn bounded(grammar: &Grammar) -> BoxedStrategy<Vec<Step>> {
    let bounds = select(COMPOUND.to_vec()).prop_flat_map(|(first, second)| {
        (Grammar::bound(FIELDS[first]), Grammar::bound(FIELDS[second])).prop_map(|(a, b)| a.and(b))
    });
    (bounds, stages(grammar))
        .prop_map(|(bounds, mut stages)| {
            stages.insert(0, Step::Filter(bounds));
            stages
        })
        .boxed()
}

fn over_selected(can_fail: bool) -> BoxedStrategy<Sketch> {
    let grammar = Grammar::over_documents(can_fail);
    let item = prop_oneof![6 => grammar.any(2), 1 => select(expr::wholes())];
    let items = vec(item, 1..=3);
    let before = stages(&grammar);
    (before, items, form())
        .prop_flat_map(move |(before, items, form)| {
            let (row, leaves) = row(items, form);
            let grammar = Grammar::over_row(leaves, can_fail);
            (Just((before, row)), stages(&grammar), reading(&grammar)).prop_map(
                |((mut before, row), after, end)| {
                    before.push(Step::Select(row));
                    before.extend(after);
                    Sketch { stages: before, end }
                },
            )
        })
        .boxed()
}

fn over_groups() -> BoxedStrategy<Sketch> {
    let grammar = Grammar::over_documents(false);
    let key = prop_oneof![3 => select(grammar.leaves.to_vec()), 1 => grammar.initial()];
    let folds = vec(fold(&grammar), 0..=3);
    (stages(&grammar), vec(key, 1..=2), form(), folds, form()).prop_flat_map(grouped).boxed()
}

/// Texts counted by their first scalar values, and nothing else asked.
fn initials() -> BoxedStrategy<Sketch> {
    let key = vec(Grammar::over_documents(false).initial(), 1);
    (Just(Vec::new()), key, form(), vec(Just(count()), 0..=1), form()).prop_flat_map(grouped).boxed()
}

/// Goes on behind groups by some keys.
fn grouped(
    (mut before, keys, key_form, folds, form): (Vec<Step>, Vec<Typed>, Form, Vec<Typed>, Form),
) -> impl Strategy<Value = Sketch> {
    let (key, keys) = row(keys, key_form);
    let of_group: Vec<Typed> = keys.into_iter().chain(folds).collect();
    // A float total may differ in its last place, so nothing is decided by one.
    let decisive = |leaves: &[Leaf]| {
        let leaves = leaves.iter().filter(|leaf| !leaf.is_total).cloned().collect();
        Grammar::over_row(leaves, false)
    };
    let having = weighted(0.4, decisive(&of_group).condition(1).prop_map(Step::Having));
    let (row, leaves) = row(of_group, form);
    let grammar = decisive(&leaves);
    before.push(Step::Group(key));
    (Just((before, row)), having, stages(&grammar), reading(&grammar)).prop_map(
        |((mut stages, row), having, after, end)| {
            stages.extend(having);
            stages.push(Step::Select(row));
            stages.extend(after);
            Sketch { stages, end }
        },
    )
}

/// The names of the members of a struct that is selected; the first holds a struct.
const MEMBERS: [&str; 6] = ["in", "id", "a.b", "", "name", "doc"];

/// How several values are one row.
#[derive(Clone, Copy, Debug)]
enum Form {
    /// The value itself, where it is the only one; else a tuple.
    Bare,
    /// A tuple.
    Tuple,
    /// A struct.
    Struct,
    /// A struct with the first, and with a struct of the others.
    Nested,
}

fn form() -> impl Strategy<Value = Form> {
    select(vec![Form::Bare, Form::Bare, Form::Tuple, Form::Tuple, Form::Struct, Form::Nested])
}

/// Returns the row that a select of the items makes, and what a later closure can name of it.
fn row(items: Vec<Typed>, form: Form) -> (Tree, Vec<Leaf>) {
    let is_one = items.len() == 1;
    let member = |of: Tree, place: usize, item: &Typed| {
        Tree::Member(Box::new(of), MEMBERS[place + 1], item.ty, item.nullable)
    };
    let name = |i: usize, item: &Typed| match form {
        Form::Bare if is_one => Tree::Row(0),
        Form::Bare | Form::Tuple => Tree::Row(0).item(i as u8),
        Form::Nested if i > 0 => {
            let inner = Tree::Member(Box::new(Tree::Row(0)), MEMBERS[0], Type::Object, false);
            member(inner, i, item)
        }
        Form::Struct | Form::Nested => member(Tree::Row(0), i, item),
    };
    let leaf = |(i, item): (usize, &Typed)| Leaf { tree: name(i, item), ..item.clone() };
    let mut leaves: Vec<Leaf> = items.iter().enumerate().map(leaf).collect();
    for (i, item) in items.iter().enumerate().filter(|(_, item)| item.ty == Type::Any) {
        for ty in [Type::Text, Type::F64, Type::Bool] {
            leaves.push(Typed::new(name(i, item).seen_as(ty), ty).nullable(true));
            leaves.push(Typed::new(name(i, item).json("name").seen_as(ty), ty).nullable(true));
        }
    }
    let mut trees: Vec<Tree> = items.into_iter().map(|item| item.tree).collect();
    if let (Form::Bare, true) = (form, is_one) {
        return (trees.remove(0), leaves);
    }
    if let Form::Bare | Form::Tuple = form {
        return (Tree::Tuple(trees), leaves);
    }
    let mut members: Vec<(&str, Tree)> = MEMBERS.into_iter().skip(1).zip(trees).collect();
    if let (Form::Nested, false) = (form, is_one) {
        let others = members.split_off(1);
        members.push((MEMBERS[0], Tree::Struct(others)));
    }
    (Tree::Struct(members), leaves)
}

/// The number of members of a group.
fn count() -> Typed {
    let tree = Tree::Fold(Fold::Count, None, Type::U64);
    Typed { tree, ty: Type::U64, nullable: false, is_small: true, is_total: false }
}

/// One value made of the members of a group.
fn fold(grammar: &Grammar) -> BoxedStrategy<Typed> {
    let of = |fold: Fold, leaf: Leaf| {
        let ty = match fold {
            Fold::Sum if leaf.ty.is_float() => Type::F64,
            Fold::Sum => Type::I64,
            Fold::Avg => Type::F64,
            _ => leaf.ty,
        };
        let is_total = ty.is_float() && matches!(fold, Fold::Sum | Fold::Avg);
        let tree = Tree::Fold(fold, Some(Box::new(leaf.tree.of_second_row())), ty);
        Typed { tree, ty, nullable: fold != Fold::Sum, is_small: false, is_total }
    };
    let summed = |leaf: &Leaf| leaf.ty.kind() == Kind::Number && (leaf.is_small || leaf.ty.is_float());
    let totals = (select(vec![Fold::Sum, Fold::Avg]), select(grammar.some(summed)));
    let extremes = (select(vec![Fold::Min, Fold::Max]), select(grammar.leaves.to_vec()));
    prop_oneof![
        1 => Just(count()),
        2 => totals.prop_map(move |(fold, leaf)| of(fold, leaf)),
        2 => extremes.prop_map(move |(fold, leaf)| of(fold, leaf)),
    ]
    .boxed()
}

fn stages(grammar: &Grammar) -> BoxedStrategy<Vec<Step>> {
    let filter = grammar.condition(2).prop_map(Step::Filter);
    let safe = Grammar { can_fail: false, ..grammar.clone() };
    let nulls = select(vec![Nulls::Smallest, Nulls::Smallest, Nulls::First, Nulls::Last]);
    let key =
        (safe.any(1), any::<bool>(), nulls).prop_map(|(by, descending, nulls)| (by.tree, descending, nulls));
    let order = (vec(key, 1..=2), any::<bool>()).prop_map(|(keys, then)| Step::Order { keys, then });
    let count = || prop_oneof![4 => 0_i64..12, 1 => Just(i64::MAX)];
    let uncut = prop_oneof![8 => filter, 2 => grammar.filter_some(), 6 => order, 1 => Just(Step::Unordered)];
    if grammar.can_fail {
        return vec(uncut, 0..4).boxed();
    }
    let stage = prop_oneof![7 => uncut, 1 => count().prop_map(Step::Skip), 1 => count().prop_map(Step::Take)];
    vec(stage, 0..4).boxed()
}

/// A terminal that only reads.
fn reading(grammar: &Grammar) -> BoxedStrategy<End> {
    let of = grammar.any(1);
    let folds = vec![Fold::Sum, Fold::Avg, Fold::Min, Fold::Max];
    let fold = (select(folds), of).prop_map(|(fold, of)| match (fold, of.ty.kind()) {
        (Fold::Sum | Fold::Avg, kind) if kind != Kind::Number => End::Fold(Fold::Max, of.tree),
        _ => End::Fold(fold, of.tree),
    });
    let plain = |terminal: Terminal| Just(End::Plain(terminal));
    let all = prop_oneof![5 => plain(Terminal::Rows), 2 => plain(Terminal::Count), 2 => fold];
    if grammar.can_fail {
        return all.boxed();
    }
    let early = [Terminal::First, Terminal::Single, Terminal::Exists, Terminal::NotExists].map(End::Plain);
    prop_oneof![9 => all, 3 => select(early.to_vec())].boxed()
}

/// An update of one to three fields.
fn changing(grammar: &Grammar) -> BoxedStrategy<End> {
    let targets = subsequence(FIELDS.to_vec(), 1..=3);
    // What is assigned takes no query.
    let grammar = Grammar { takes_queries: false, ..grammar.clone() };
    let values = [Type::Text, Type::I64, Type::F64, Type::Bool].map(|ty| vec(grammar.of_type(ty, 2), 3));
    let choices = vec((0_u8..6, weighted(0.2, Just(()))), 3);
    let amounts = vec((-3_i64..=3, any::<bool>()), 3);
    (targets, values, choices, amounts)
        .prop_map(|(targets, [texts, integers, floats, bools], choices, amounts)| {
            let mut changes = Vec::new();
            for (i, field) in targets.into_iter().enumerate() {
                let value = match field.ty {
                    Type::Text | Type::Uuid => &texts[i],
                    Type::Bool => &bools[i],
                    ty if ty.is_float() => &floats[i],
                    _ => &integers[i],
                };
                changes.push(change(field, value, choices[i], amounts[i]));
            }
            End::Update(changes)
        })
        .boxed()
}

fn change(
    field: Field,
    value: &Typed,
    (choice, null): (u8, Option<()>),
    (by, as_param): (i64, bool),
) -> (Change, Tree, Tree) {
    let target = expr::leaf(field).tree;
    let on_null = match choice {
        3 => OnNull::Remove,
        4 => OnNull::Refuse,
        _ => OnNull::Store,
    };
    match choice {
        0 if field.nullable => (Change::Unset, target.clone(), target),
        1 | 2 if field.ty.kind() == Kind::Number => {
            let by = if field.ty.is_float() { Value::Real(by as f64 / 4.0) } else { Value::Int(by) };
            let by = if as_param { Tree::Param(by, field.ty) } else { Tree::Constant(by, field.ty) };
            (Change::Increment, target, by)
        }
        5 if as_param => {
            let from = expr::wholes()[by.unsigned_abs() as usize].tree.clone();
            (Change::Set(on_null), expr::json(field.path), from)
        }
        _ if field.nullable && null.is_some() => {
            (Change::Set(on_null), target, Tree::Constant(Value::Null, field.ty))
        }
        _ => (Change::Set(on_null), target, value.tree.clone()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::document::documents;
    use super::*;
    use crate::ir::eval::{Collection, Input, run};

    proptest! {
        #![proptest_config(cases())]

        #[test]
        fn a_statement_answers_the_same_with_parameters_in_the_place_of_literals(
            sketch in sketch(),
            documents in documents(12),
        ) {
            let collections = [Collection { name: super::super::COLLECTION.to_owned(), documents }];
            let answer = |built: super::super::tree::Built| {
                let input = Input { collections: &collections, params: &built.params, constants: &built.constants };
                run(&built.statement, &input)
            };
            prop_assert_eq!(answer(sketch.build()), answer(sketch.build_compiled()));
        }

        #[test]
        fn a_condition_or_its_complement_holds(condition in condition(), documents in documents(8)) {
            let count = documents.len();
            let collections = [Collection { name: super::super::COLLECTION.to_owned(), documents }];
            let matching = |condition: Tree| {
                let sketch = Sketch { stages: vec![Step::Filter(condition)], end: End::Plain(Terminal::Count) };
                let built = sketch.build();
                let input = Input { collections: &collections, params: &built.params, constants: &built.constants };
                match run(&built.statement, &input).map(|answer| answer.outcome) {
                    Ok(crate::ir::eval::Outcome::Count(count)) => count,
                    other => panic!("{other:?} is not a count"),
                }
            };
            prop_assert_eq!(matching(condition.clone()) + matching(condition.negated()), count as u64);
        }
    }
}
