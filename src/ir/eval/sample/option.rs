//! Random questions about options: filters that depend on one.

use proptest::prelude::*;
use proptest::sample::select;

use super::document;
use super::expr::Grammar;
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
