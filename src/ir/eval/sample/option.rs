//! Random questions about options: filters that depend on one, and lists of them.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use super::document;
use super::expr::{Grammar, literal};
use super::tree::{Step, Tree};
use crate::ir::doc::{Comparison, Function};
use crate::ir::types::Type;
use crate::ir::value::Value;

/// A type with a value of it, or null.
pub(super) fn option() -> BoxedStrategy<(Type, Value)> {
    let text = document::text().prop_map(|text| Value::Text(text.into()));
    let value = prop_oneof![
        3 => (Just(Type::Text), text),
        3 => (Just(Type::I64), document::integer().prop_map(Value::Int)),
        2 => (Just(Type::F64), document::float().prop_map(Value::Real)),
        1 => (Just(Type::Bool), any::<bool>().prop_map(Value::Bool)),
    ];
    (value, 0_u8..3)
        .prop_map(|((ty, value), choice)| (ty, if choice == 0 { Value::Null } else { value }))
        .boxed()
}

impl Grammar {
    /// Membership in a list of options.
    pub(crate) fn in_options(&self, depth: u32) -> BoxedStrategy<Tree> {
        let grammar = self.clone();
        (option(), vec(option(), 0..5))
            .prop_flat_map(move |((ty, first), others)| {
                let of_type = |(other, value)| (other == ty || value == Value::Null).then_some(value);
                let options = others.into_iter().filter_map(of_type).chain([first]);
                let list = literal(Just(Value::List(options.collect())), Type::Array);
                (grammar.of_type(ty, depth), list)
            })
            .prop_map(|(item, list)| Tree::InOptions(Box::new(item.tree), Box::new(list.tree)))
            .boxed()
    }

    /// A filter that depends on a value: something beside it, perhaps with another condition.
    pub(crate) fn filter_some(&self) -> BoxedStrategy<Step> {
        use Comparison::{Eq, EqOption, Ge, Lt, Ne};
        let grammar = self.clone();
        option()
            .prop_flat_map(move |(ty, value)| {
                let comparison = select(vec![Eq, EqOption, Ne, Lt, Ge]);
                (comparison, grammar.of_type(ty, 1), grammar.condition(1), 0_u8..4).prop_map(
                    move |(comparison, of, other, choice)| {
                        let of = of.tree;
                        let condition = match choice {
                            0 if ty == Type::Text => of.call(Function::StartsWith, [Tree::Given]),
                            1 => of.compare(comparison, Tree::Given).and(other),
                            2 => of.compare(comparison, Tree::Given).or(other),
                            _ => of.compare(comparison, Tree::Given),
                        };
                        Step::FilterSome(value.clone(), ty, condition)
                    },
                )
            })
            .boxed()
    }
}
