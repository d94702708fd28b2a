//! Lists and maps of the sample collection: what is stored in them, and random questions about their items.

use std::rc::Rc;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{select, subsequence};

use super::expr::{Grammar, Leaf, Typed, literal};
use super::tree::{Items, Made, Tree};
use super::{Field, document, field};
use crate::ir::doc::Comparison;
use crate::ir::eval::Json;
use crate::ir::types::Type;
use crate::ir::value::Value;

/// What an item of a list is.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Of {
    /// A scalar; the path is not looked at.
    Scalar(Field),
    /// A struct with these fields and lists.
    Struct(&'static [Field], &'static [List]),
    /// A list.
    List(&'static Of),
}

/// A declared list, or a map.
#[derive(Clone, Copy, Debug)]
pub(crate) struct List {
    pub(crate) key: &'static str,
    /// Whether it is an `Option`.
    nullable: bool,
    of: Of,
    is_map: bool,
}

/// The keys of maps.
const KEYS: &[&str] = &["a", "ab", "", "a.b", "q\"t", "0", "\u{e9}"];

const TEXT: Of = Of::Scalar(field(&[], Type::Text, false, false));
const SMALL: Of = Of::Scalar(field(&[], Type::I64, true, true));
const FLOAT: Of = Of::Scalar(field(&[], Type::F64, false, false));
const BOOL: Of = Of::Scalar(field(&[], Type::Bool, false, false));
const PART: &[Field] = &[field(&["name"], Type::Text, true, false), field(&["few"], Type::I64, false, true)];

const fn list(key: &'static str, nullable: bool, of: Of) -> List {
    List { key, nullable, of, is_map: false }
}

const fn map(key: &'static str, nullable: bool, of: Of) -> List {
    List { is_map: true, ..list(key, nullable, of) }
}

/// The declared lists.
pub(crate) const LISTS: &[List] = &[
    list("texts", false, TEXT),
    list("sm\"all", true, SMALL),
    list("floats", true, FLOAT),
    list("bools", false, BOOL),
    list("parts", false, Of::Struct(PART, &[list("inner", true, SMALL)])),
    list("grid", false, Of::List(&SMALL)),
    map("table", false, SMALL),
    map("na'me", true, TEXT),
    map("marks", false, BOOL),
    map("rows", true, Of::Struct(PART, &[map("inner", true, SMALL)])),
];

/// What is stored under a list's key: none where it is missing.
pub(crate) fn stored(list: &List) -> BoxedStrategy<Option<Json>> {
    let wrong = select(vec![
        Json::Null,
        Json::Int(1),
        Json::Text("[1]".into()),
        Json::Bool(true),
        Json::Object(vec![]),
    ]);
    let right = if list.is_map { entries(list.of) } else { items(list.of) };
    let other = if list.is_map { items(list.of) } else { entries(list.of) };
    prop_oneof![
        12 => right.prop_map(Some),
        1 => other.prop_map(Some),
        2 => Just(None),
        2 => wrong.prop_map(Some),
    ]
    .boxed()
}

fn entries(of: Of) -> BoxedStrategy<Json> {
    (subsequence(KEYS, 0..4), vec(item(of), 3))
        .prop_map(|(keys, items)| Json::Object(keys.into_iter().map(str::to_owned).zip(items).collect()))
        .boxed()
}

fn items(of: Of) -> BoxedStrategy<Json> {
    vec(item(of), 0..4).prop_map(Json::Array).boxed()
}

fn item(of: Of) -> BoxedStrategy<Json> {
    match of {
        Of::Scalar(field) => document::stored(field).prop_map(|value| value.unwrap_or(Json::Null)).boxed(),
        Of::List(of) => prop_oneof![5 => items(*of), 1 => Just(Json::Int(0)), 1 => Just(Json::Null)].boxed(),
        Of::Struct(fields, lists) => {
            let fields: Vec<_> =
                fields.iter().map(|field| (Just(field.path[0]), document::stored(*field))).collect();
            let lists: Vec<_> = lists.iter().map(|list| (Just(list.key), stored(list))).collect();
            let object = (fields, lists).prop_map(|(fields, lists)| {
                let entries = fields.into_iter().chain(lists);
                Json::Object(entries.filter_map(|(key, value)| Some((key.to_owned(), value?))).collect())
            });
            prop_oneof![6 => object, 1 => select(vec![Json::Null, Json::Int(3), Json::Array(vec![])])].boxed()
        }
    }
}

/// A list that a closure can name, and what its items are.
#[derive(Clone, Debug)]
pub(crate) struct Named {
    tree: Tree,
    of: Of,
    is_map: bool,
}

impl Named {
    /// Returns the lists of a struct.
    pub(crate) fn below(of: &Tree, lists: &[List]) -> Vec<Named> {
        let named = |list: &List| {
            let ty = if list.is_map { Type::Object } else { Type::Array };
            let tree = Tree::Field(Box::new(of.clone()), list.key, ty, list.nullable);
            Named { tree, of: list.of, is_map: list.is_map }
        };
        lists.iter().map(named).collect()
    }

    fn made(&self, made: Made) -> Tree {
        let (ty, nullable) = match self.of {
            Of::Scalar(field) => (field.ty, field.nullable),
            Of::Struct(..) => (Type::Object, false),
            Of::List(_) => (Type::Array, false),
        };
        Tree::Items(Box::new(self.tree.clone()), made, Items { ty, nullable, is_map: self.is_map })
    }

    /// Returns the values that the list is good for without a closure: its length, and the item at a place.
    pub(crate) fn leaves(&self) -> Vec<Leaf> {
        let len = Typed { is_small: true, ..Typed::new(self.made(Made::Len), Type::U64) };
        let mut leaves = vec![len];
        for at in self.places() {
            match self.of {
                Of::Scalar(field) => {
                    let item = Typed::new(at(field.ty), field.ty).nullable(true);
                    leaves.push(Typed { is_small: field.is_small, ..item });
                }
                Of::Struct(fields, _) => leaves.extend(members(&at(Type::Object), fields, true)),
                Of::List(_) => {}
            }
        }
        if let Of::Scalar(field) = self.of
            && field.is_small
        {
            // Of the item, and of something around it.
            for of in [Tree::Innermost, Tree::field("few", Type::I64)] {
                let sum = Made::Sum(Box::new(of), Type::I64);
                leaves.push(Typed { is_small: true, ..Typed::new(self.made(sum), Type::I64) });
            }
        }
        leaves
    }
}

impl Named {
    /// Returns the items at places that are a part of the query: by number, or under keys, one of them as a value.
    fn places(&self) -> Vec<Box<dyn Fn(Type) -> Tree + '_>> {
        let of = || Box::new(self.tree.clone());
        if !self.is_map {
            return vec![Box::new(move |ty| Tree::Position(of(), 1, ty))];
        }
        let key = |key: &str| Box::new(Tree::text(key));
        vec![
            Box::new(move |ty| Tree::Field(of(), "a.b", ty, true)),
            Box::new(move |ty| Tree::Lookup(of(), key("q\"t"), ty)),
            Box::new(move |ty| Tree::Lookup(of(), key(""), ty)),
        ]
    }
}

fn members(of: &Tree, fields: &[Field], below_option: bool) -> Vec<Leaf> {
    let leaf = |field: &Field| {
        let nullable = field.nullable || below_option;
        let tree = Tree::Field(Box::new(of.clone()), field.path[0], field.ty, nullable);
        Typed { is_small: field.is_small, ..Typed::new(tree, field.ty).nullable(nullable) }
    };
    fields.iter().map(leaf).collect()
}

impl Grammar {
    /// A condition on the items of a list, inside of `level` others.
    pub(crate) fn item_condition(&self, depth: u32) -> BoxedStrategy<Tree> {
        let level = self.level;
        let grammar = self.clone();
        let comparison = select(vec![Comparison::Eq, Comparison::Ne, Comparison::Ge, Comparison::Lt]);
        (select(self.lists.to_vec()), 0_u8..8, 0_i64..3, comparison)
            .prop_flat_map(move |(list, choice, count, comparison)| {
                let inner = grammar.inside(&list, level);
                inner.condition(depth.min(1)).prop_map(move |condition| {
                    let condition = Box::new(condition);
                    match choice {
                        0..=2 => list.made(Made::Any(condition)),
                        3 | 4 => list.made(Made::All(condition)),
                        5 => list.made(Made::CountWhere(condition)).compare(comparison, Tree::int(count)),
                        6 => list.made(Made::Len).compare(comparison, Tree::int(count)),
                        _ => list.made(Made::Any(Box::new(Tree::Each(level).absent()))),
                    }
                })
            })
            .boxed()
    }

    /// Returns what a closure over the items of a list can name: the item, most of all, and what is around it.
    fn inside(&self, list: &Named, level: usize) -> Grammar {
        let item = Tree::Each(level);
        let mut lists = Vec::new();
        let mut own = match list.of {
            Of::Scalar(field) => {
                let leaf = Typed::new(item, field.ty).nullable(field.nullable);
                vec![Typed { is_small: field.is_small, ..leaf }]
            }
            Of::Struct(fields, inner) => {
                lists = Named::below(&item, inner);
                members(&item, fields, false)
            }
            Of::List(of) => {
                lists.push(Named { tree: item, of: *of, is_map: false });
                Vec::new()
            }
        };
        if list.is_map {
            own.push(Typed::new(Tree::EachKey(level), Type::Text));
        }
        let mut leaves: Vec<Leaf> = own.iter().cycle().take(own.len() * 4).cloned().collect();
        leaves.extend(self.leaves.iter().cloned());
        Grammar { leaves: Rc::new(leaves), lists: Rc::new(lists), level: level + 1, ..self.clone() }
    }

    /// A text, a number or a bool that an item of a list equals.
    pub(crate) fn contained(&self) -> BoxedStrategy<Tree> {
        let level = self.level;
        let scalars: Vec<(Named, Type)> = self
            .lists
            .iter()
            .filter_map(|list| match list.of {
                Of::Scalar(field) => Some((list.clone(), field.ty)),
                _ => None,
            })
            .collect();
        if scalars.is_empty() {
            return self.item_condition(0);
        }
        select(scalars)
            .prop_flat_map(move |(list, ty)| {
                let value = match ty {
                    Type::Text => document::text().prop_map(|text| Value::Text(text.into())).boxed(),
                    Type::Bool => any::<bool>().prop_map(Value::Bool).boxed(),
                    ty if ty.is_float() => document::float().prop_map(Value::Real).boxed(),
                    _ => select(document::SMALL_INTEGERS).prop_map(Value::Int).boxed(),
                };
                literal(value, ty).prop_map(move |value| {
                    list.made(Made::Any(Box::new(Tree::Each(level).compare(Comparison::Eq, value.tree))))
                })
            })
            .boxed()
    }
}
