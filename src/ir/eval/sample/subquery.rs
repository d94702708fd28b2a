//! Random queries inside of closures, over the same collection.

use std::rc::Rc;

use proptest::collection::vec;
use proptest::option::weighted;
use proptest::prelude::*;
use proptest::sample::select;

use super::expr::{Grammar, Leaf};
use super::tree::{End, Sketch, Step, Tree};
use crate::ir::doc::{Comparison, Fold, Terminal};
use crate::ir::types::Type;
use crate::ir::value::Kind;

/// A type of which there are leaves everywhere.
fn scalar() -> impl Strategy<Value = Type> {
    select(vec![Type::Text, Type::Text, Type::I64, Type::I64, Type::F64, Type::Bool])
}

fn is_path(tree: &Tree) -> bool {
    !matches!(tree, Tree::Fold(..) | Tree::Items(..))
}

impl Grammar {
    /// Names the documents of a query inside of a closure. Of lists it asks no more than what needs no closure: strategies
    /// in one another take their stack.
    fn inside_closure() -> Grammar {
        Grammar { takes_queries: false, lists: Rc::default(), ..Grammar::over_documents(false) }
    }

    /// The leaves of a kind, named from inside of a query.
    fn around(&self, kind: Kind) -> Vec<Tree> {
        let leaves = self.some(|leaf| leaf.ty.kind() == kind && !leaf.is_total && is_path(&leaf.tree));
        leaves.into_iter().map(|leaf| leaf.tree.of_row_around()).collect()
    }

    /// The equality of two declared optional fields, one of a query's own and one of what is around it.
    fn equal_options(&self) -> Option<BoxedStrategy<Step>> {
        let is_field = |tree: &Tree| matches!(tree, Tree::Field(..) | Tree::Defaulted(..));
        let optional = |grammar: &Grammar| grammar.some(|leaf| leaf.nullable && is_field(&leaf.tree));
        let around = optional(self);
        let pairs = optional(&Grammar::inside_closure()).into_iter().flat_map(|own| {
            let alike = around.iter().filter(|leaf| leaf.ty == own.ty);
            let pair = |leaf: &Leaf| (own.tree.clone(), leaf.tree.clone().of_row_around());
            alike.map(pair).collect::<Vec<_>>()
        });
        let pairs: Vec<(Tree, Tree)> = pairs.collect();
        let equal = |(own, around): (Tree, Tree)| Step::Filter(own.compare(Comparison::Eq, around));
        (!pairs.is_empty()).then(|| select(pairs).prop_map(equal).boxed())
    }

    /// A query whose filters may name what is around it.
    fn stages_inside(&self) -> BoxedStrategy<Vec<Step>> {
        use Comparison::{Eq, EqOption, Ge, Lt, Ne};
        let outer = self.clone();
        let inner = Grammar::inside_closure();
        let correlated = scalar().prop_flat_map(move |ty| {
            let around = outer.around(ty.kind());
            let own = inner.of_type(ty, 0);
            let around = if around.is_empty() {
                own.clone().prop_map(|own| own.tree).boxed()
            } else {
                select(around).boxed()
            };
            (select(vec![Eq, Eq, Eq, Ne, Lt, Ge, EqOption]), own, around, any::<bool>()).prop_map(
                |(comparison, own, around, is_swapped)| {
                    let (left, right) = if is_swapped { (around, own.tree) } else { (own.tree, around) };
                    Step::Filter(left.compare(comparison, right))
                },
            )
        });
        let plain = Grammar::inside_closure().condition(1).prop_map(Step::Filter);
        let page = (0_i64..4, any::<bool>())
            .prop_map(|(n, is_take)| if is_take { Step::Take(n) } else { Step::Skip(n) });
        let correlated = match self.equal_options() {
            Some(equal) => prop_oneof![correlated, equal].boxed(),
            None => correlated.boxed(),
        };
        let filters = vec(prop_oneof![4 => correlated, 2 => plain], 0..3);
        (filters, weighted(0.2, page))
            .prop_map(|(mut filters, page)| {
                filters.extend(page);
                filters
            })
            .boxed()
    }

    /// A condition that a query is part of.
    pub(crate) fn query_condition(&self) -> BoxedStrategy<Tree> {
        let exists = (self.stages_inside(), select(vec![Terminal::Exists, Terminal::NotExists])).prop_map(
            |(stages, terminal)| {
                Tree::Subquery(Box::new(Sketch { stages, end: End::Plain(terminal) }), Type::Bool, false)
            },
        );
        prop_oneof![3 => exists, 2 => self.is_in_query(), 3 => self.query_value()].boxed()
    }

    fn is_in_query(&self) -> BoxedStrategy<Tree> {
        let grammar = self.clone();
        scalar()
            .prop_flat_map(move |ty| {
                let value = Grammar::inside_closure().of_type(ty, 0);
                (grammar.of_type(ty, 1), grammar.stages_inside(), value)
            })
            .prop_map(|(item, mut stages, value)| {
                stages.push(Step::Select(value.tree));
                Tree::InQuery(
                    Box::new(item.tree),
                    Box::new(Sketch { stages, end: End::Plain(Terminal::Rows) }),
                )
            })
            .boxed()
    }

    /// A value that a query gives, beside another.
    fn query_value(&self) -> BoxedStrategy<Tree> {
        use Comparison::{Eq, Ge, Lt, Ne};
        let grammar = self.clone();
        let count = (self.stages_inside(), 0_i64..4).prop_map(|(stages, number)| {
            let count = Sketch { stages, end: End::Plain(Terminal::Count) };
            (Tree::Subquery(Box::new(count), Type::U64, false), Tree::int(number))
        });
        let value = scalar().prop_flat_map(move |ty| {
            let own = Grammar::inside_closure().of_type(ty, 0);
            let form = select(vec![None, Some(Fold::Min), Some(Fold::Max)]);
            let other = grammar.of_type(ty, 0);
            (grammar.stages_inside(), own, form, other).prop_map(move |(mut stages, own, form, other)| {
                let end = match form {
                    Some(fold) => End::Fold(fold, own.tree),
                    None => {
                        stages.push(Step::Select(own.tree));
                        End::Plain(Terminal::First)
                    }
                };
                (Tree::Subquery(Box::new(Sketch { stages, end }), ty, true), other.tree)
            })
        });
        let summed = |leaf: &Leaf| leaf.is_small && leaf.ty == Type::I64;
        let small = Grammar::inside_closure().some(summed);
        let sum = (self.stages_inside(), select(small), 0_i64..9).prop_map(|(stages, own, number)| {
            let sum = Sketch { stages, end: End::Fold(Fold::Sum, own.tree) };
            (Tree::Subquery(Box::new(sum), Type::I64, false), Tree::int(number))
        });
        let pair = prop_oneof![3 => count, 4 => value, 1 => sum];
        (pair, select(vec![Eq, Ne, Lt, Ge]), 0_u8..8)
            .prop_map(|((value, other), comparison, choice)| match choice {
                0 => value.absent(),
                1 => other.compare(comparison, value),
                _ => value.compare(comparison, other),
            })
            .boxed()
    }
}
