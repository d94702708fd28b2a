//! Random expressions over what a closure can name.

use std::rc::Rc;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use super::document::{self, SMALL_FLOATS, SMALL_INTEGERS};
use super::list::{LISTS, Named};
use super::tree::Tree;
use super::{FIELDS, Field};
use crate::ir::doc::{Absence, Arithmetic, Comparison, Function};
use crate::ir::types::Type;
use crate::ir::value::{Kind, Value};

/// An expression with what its type says.
#[derive(Clone, Debug)]
pub(crate) struct Typed {
    pub(crate) tree: Tree,
    pub(crate) ty: Type,
    pub(crate) nullable: bool,
    /// Whether its numbers stay so small that arithmetic on a few of them cannot fail.
    pub(crate) is_small: bool,
    /// Whether it is a float sum or mean.
    pub(crate) is_total: bool,
}

/// What a closure can name.
pub(crate) type Leaf = Typed;

/// Makes expressions.
#[derive(Clone, Debug)]
pub(crate) struct Grammar {
    pub(crate) leaves: Rc<Vec<Leaf>>,
    pub(crate) lists: Rc<Vec<Named>>,
    /// How many closures over items are around it.
    pub(crate) level: usize,
    /// Whether a query may stand in it.
    pub(crate) takes_queries: bool,
    /// Whether arithmetic may fail.
    pub(crate) can_fail: bool,
}

/// Returns the expression that names a declared field.
pub(crate) fn leaf(field: Field) -> Leaf {
    let mut tree = Tree::Row(0);
    for (i, key) in field.path.iter().enumerate() {
        let is_last = i + 1 == field.path.len();
        let (ty, nullable) = if is_last { (field.ty, field.nullable) } else { (Type::Object, i > 0) };
        tree = Tree::Field(Box::new(tree), key, ty, nullable);
    }
    if let Some(default) = field.default {
        tree = Tree::Defaulted(Box::new(tree), default.field_default());
    }
    Typed { tree, ty: field.ty, nullable: field.nullable, is_small: field.is_small, is_total: false }
}

/// Returns the expression that sees the same place as JSON, whatever is declared for it, and that as the field's type.
fn seen(field: Field) -> Leaf {
    let own = json(field.path);
    let tree = match field.default {
        Some(default) => Tree::Defaulted(Box::new(own), default.field_default()),
        None => own,
    };
    let tree = tree.seen_as(field.ty);
    Typed { is_small: field.is_small, ..Typed::new(tree, field.ty).nullable(true) }
}

pub(crate) fn json(path: &[&'static str]) -> Tree {
    path.iter().fold(Tree::Row(0), |of, key| of.json(key))
}

/// Returns expressions for whole values of any kind.
pub(crate) fn wholes() -> Vec<Leaf> {
    let paths = FIELDS.iter().map(|field| field.path).chain([&["in"][..], &["parts"], &["nothing"]]);
    paths.map(|path| Typed::new(json(path), Type::Any).nullable(true)).collect()
}

impl Typed {
    pub(crate) fn new(tree: Tree, ty: Type) -> Typed {
        Typed { tree, ty, nullable: false, is_small: false, is_total: false }
    }

    pub(crate) fn nullable(self, nullable: bool) -> Typed {
        Typed { nullable, ..self }
    }
}

/// A literal, or the same value as an argument.
pub(crate) fn literal(value: impl Strategy<Value = Value> + 'static, ty: Type) -> BoxedStrategy<Typed> {
    let tree = move |(value, as_param)| match as_param {
        true => Tree::Param(value, ty),
        false => Tree::Constant(value, ty),
    };
    (value, any::<bool>()).prop_map(tree).prop_map(move |tree| Typed::new(tree, ty)).boxed()
}

fn text_value() -> impl Strategy<Value = Value> {
    document::text().prop_map(|text| Value::Text(text.into()))
}

fn call(function: Function, args: Vec<Typed>) -> Typed {
    let nullable = args.iter().any(|arg| arg.nullable);
    let tree = Tree::Call(function, args.into_iter().map(|arg| arg.tree).collect());
    Typed::new(tree, function.result()).nullable(nullable)
}

fn arithmetic(operation: Arithmetic, args: Vec<Typed>, ty: Type) -> Typed {
    let nullable = args.iter().any(|arg| arg.nullable);
    let tree = Tree::Arithmetic(operation, args.into_iter().map(|arg| arg.tree).collect(), ty, nullable);
    Typed::new(tree, ty).nullable(nullable)
}

impl Grammar {
    /// Names the fields of a document and its key.
    pub(crate) fn over_documents(can_fail: bool) -> Grammar {
        let mut leaves: Vec<Leaf> = FIELDS.iter().copied().map(leaf).collect();
        leaves.push(Typed::new(Tree::key(), Type::I64));
        leaves.extend(FIELDS.iter().copied().map(seen));
        let lists = Named::below(&Tree::Row(0), LISTS);
        leaves.extend(lists.iter().flat_map(Named::leaves));
        Grammar { leaves: Rc::new(leaves), lists: Rc::new(lists), level: 0, takes_queries: true, can_fail }
    }

    /// Names the elements of a row that was selected.
    pub(crate) fn over_row(leaves: Vec<Leaf>, can_fail: bool) -> Grammar {
        Grammar { leaves: Rc::new(leaves), lists: Rc::default(), level: 0, takes_queries: true, can_fail }
    }

    /// Returns the leaves that satisfy a condition.
    pub(crate) fn some(&self, condition: impl Fn(&Leaf) -> bool) -> Vec<Leaf> {
        self.leaves.iter().filter(|leaf| condition(leaf)).cloned().collect()
    }

    /// One of the leaves that satisfy a condition, or else something of the type that stands in for it.
    fn leaf_or(
        &self,
        condition: impl Fn(&Leaf) -> bool,
        other: BoxedStrategy<Typed>,
    ) -> BoxedStrategy<Typed> {
        let leaves = self.some(condition);
        if leaves.is_empty() { other } else { prop_oneof![4 => select(leaves), 1 => other].boxed() }
    }

    /// A value of any type.
    pub(crate) fn any(&self, depth: u32) -> BoxedStrategy<Typed> {
        let of = |ty| self.of_type(ty, depth);
        prop_oneof![3 => of(Type::Text), 3 => of(Type::I64), 3 => of(Type::F64), 2 => of(Type::Bool)].boxed()
    }

    /// A value of a type.
    pub(crate) fn of_type(&self, ty: Type, depth: u32) -> BoxedStrategy<Typed> {
        match ty {
            Type::Text => self.text(depth),
            Type::Bool => self.bool(depth),
            ty if ty.is_float() => self.float(depth),
            _ => self.integer(depth),
        }
    }

    fn text(&self, depth: u32) -> BoxedStrategy<Typed> {
        let leaf = self.leaf_or(|leaf| leaf.ty.kind() == Kind::Text, literal(text_value(), Type::Text));
        if depth == 0 {
            return leaf;
        }
        // Made once and shared, as everything of a lower depth is: made anew in each place, they are most of a case's time.
        let inner = self.text(depth - 1);
        let inner = || inner.clone();
        let plain = literal(text_value(), Type::Text);
        let unary = (select(vec![Function::Lower, Function::Upper, Function::Trim]), inner());
        let place = prop_oneof![3 => self.small_count(), 1 => call_len(self.text(0))].boxed();
        let place = || place.clone();
        prop_oneof![
            8 => leaf,
            1 => unary.prop_map(|(function, text)| call(function, vec![text])),
            1 => (inner(), inner()).prop_map(|(a, b)| call(Function::Concat, vec![a, b])),
            1 => (inner(), plain, inner()).prop_map(|(a, b, c)| call(Function::Replace, vec![a, b, c])),
            1 => (inner(), place(), place()).prop_map(|(a, b, c)| call(Function::Substr, vec![a, b, c])),
            1 => (inner(), place()).prop_map(|(a, b)| call(Function::Left, vec![a, b])),
            1 => self.coalesce(inner(), inner(), Type::Text),
            1 => self.when(inner(), inner(), Type::Text),
        ]
        .boxed()
    }

    /// The first scalar values of a text that can be named.
    pub(crate) fn initial(&self) -> BoxedStrategy<Typed> {
        let texts = self.some(|leaf| leaf.ty.kind() == Kind::Text);
        (select(texts), self.small_count())
            .prop_map(|(text, len)| call(Function::Left, vec![text, len]))
            .boxed()
    }

    fn small_count(&self) -> BoxedStrategy<Typed> {
        literal(prop_oneof![4 => 0_i64..4, 1 => Just(i64::MAX)].prop_map(Value::Int), Type::U64)
    }

    fn integer(&self, depth: u32) -> BoxedStrategy<Typed> {
        let is_integer = |leaf: &Leaf| leaf.ty.integer_range().is_some();
        let leaf = self.leaf_or(is_integer, literal(document::integer().prop_map(Value::Int), Type::I64));
        if depth == 0 {
            return leaf;
        }
        let small = self.small(Type::I64);
        let zeroless = literal(select(vec![-7_i64, -1, 1, 2, 3]).prop_map(Value::Int), Type::I64);
        let float = if self.can_fail { self.float(depth - 1) } else { self.small(Type::F64) };
        let inner = self.integer(depth - 1);
        let inner = || inner.clone();
        prop_oneof![
            8 => leaf.clone(),
            2 => self.numbers(small, zeroless, leaf, Type::I64),
            1 => call_len(self.text(depth - 1)),
            1 => float.prop_map(|x| arithmetic(Arithmetic::Cast, vec![x], Type::I64)),
            1 => self.coalesce(inner(), inner(), Type::I64),
            1 => self.when(inner(), inner(), Type::I64),
        ]
        .boxed()
    }

    fn float(&self, depth: u32) -> BoxedStrategy<Typed> {
        let leaf = self
            .leaf_or(|leaf| leaf.ty.is_float(), literal(document::float().prop_map(Value::Real), Type::F64));
        if depth == 0 {
            return leaf;
        }
        let small = self.small(Type::F64);
        let inner = self.float(depth - 1);
        let inner = || inner.clone();
        let zeroless = literal(select(vec![-2.0, 0.5, 3.0, 1e10]).prop_map(Value::Real), Type::F64);
        prop_oneof![
            8 => leaf.clone(),
            2 => self.numbers(small, zeroless, leaf, Type::F64),
            1 => self.integer(depth - 1).prop_map(|x| arithmetic(Arithmetic::Cast, vec![x], Type::F64)),
            1 => self.coalesce(inner(), inner(), Type::F64),
        ]
        .boxed()
    }

    /// A small number.
    fn small(&self, ty: Type) -> BoxedStrategy<Typed> {
        let constant = if ty.is_float() {
            literal(select(SMALL_FLOATS).prop_map(Value::Real), ty)
        } else {
            literal(select(SMALL_INTEGERS).prop_map(Value::Int), ty)
        };
        self.leaf_or(|leaf| leaf.is_small && leaf.ty == ty, constant)
    }

    /// Arithmetic: with `small` numbers, or where it may fail with any.
    fn numbers(
        &self,
        small: BoxedStrategy<Typed>,
        zeroless: BoxedStrategy<Typed>,
        any: BoxedStrategy<Typed>,
        ty: Type,
    ) -> BoxedStrategy<Typed> {
        let operand = if self.can_fail { prop_oneof![small, any].boxed() } else { small };
        let divisor = if self.can_fail { prop_oneof![zeroless, operand.clone()].boxed() } else { zeroless };
        let both = (
            select(vec![Arithmetic::Add, Arithmetic::Sub, Arithmetic::Mul]),
            operand.clone(),
            operand.clone(),
        );
        let divided = (select(vec![Arithmetic::Div, Arithmetic::Rem]), operand.clone(), divisor);
        let signed = (select(vec![Arithmetic::Neg, Arithmetic::Abs]), operand);
        prop_oneof![
            2 => both.prop_map(move |(operation, a, b)| arithmetic(operation, vec![a, b], ty)),
            1 => divided.prop_map(move |(operation, a, b)| arithmetic(operation, vec![a, b], ty)),
            1 => signed.prop_map(move |(operation, a)| arithmetic(operation, vec![a], ty)),
        ]
        .boxed()
    }

    /// One of two values, by a condition over what can be named.
    fn when(
        &self,
        then: BoxedStrategy<Typed>,
        otherwise: BoxedStrategy<Typed>,
        ty: Type,
    ) -> BoxedStrategy<Typed> {
        let texts = self.text(0);
        let condition = (texts, literal(text_value(), Type::Text)).prop_map(|(text, other)| {
            Tree::Compare(Comparison::Le, Box::new(text.tree), Box::new(other.tree))
        });
        let null = Typed::new(Tree::Constant(Value::Null, ty), ty).nullable(true);
        let otherwise = prop_oneof![3 => otherwise, 1 => Just(null)];
        let made = move |(condition, then, otherwise): (Tree, Typed, Typed)| {
            let nullable = then.nullable || otherwise.nullable;
            let (condition, then, otherwise) =
                (Box::new(condition), Box::new(then.tree), Box::new(otherwise.tree));
            Typed::new(Tree::When(condition, then, otherwise, ty, nullable), ty).nullable(nullable)
        };
        (condition, then, otherwise).prop_map(made).boxed()
    }

    fn coalesce(
        &self,
        value: BoxedStrategy<Typed>,
        default: BoxedStrategy<Typed>,
        ty: Type,
    ) -> BoxedStrategy<Typed> {
        let made = move |(value, default): (Typed, Typed)| {
            let nullable = default.nullable;
            Typed::new(Tree::Coalesce(Box::new(value.tree), Box::new(default.tree), ty, nullable), ty)
                .nullable(nullable)
        };
        (value, default).prop_map(made).boxed()
    }

    /// A bool as a value: a field, or what a condition gives.
    fn bool(&self, depth: u32) -> BoxedStrategy<Typed> {
        let leaf = self
            .leaf_or(|leaf| leaf.ty == Type::Bool, literal(any::<bool>().prop_map(Value::Bool), Type::Bool));
        if depth == 0 {
            return leaf;
        }
        let condition = self.condition(depth - 1).prop_map(|tree| Typed::new(tree, Type::Bool));
        prop_oneof![4 => leaf.clone(), 1 => condition, 1 => self.coalesce(leaf.clone(), leaf, Type::Bool)]
            .boxed()
    }

    /// A condition.
    pub(crate) fn condition(&self, depth: u32) -> BoxedStrategy<Tree> {
        let one = prop_oneof![
            3 => self.comparison(Type::Text, depth),
            3 => self.comparison(Type::I64, depth),
            3 => self.comparison(Type::F64, depth),
            1 => self.comparison(Type::Bool, depth),
            1 => self.bool(0).prop_map(|bool| bool.tree),
            1 => self.absent(depth),
            1 => self.stored(),
            1 => self.optional(),
            3 => self.text_condition(depth),
            2 => self.listed(depth.saturating_sub(1)),
            1 => self.in_options(depth.saturating_sub(1)),
        ]
        .boxed();
        let one = if !self.takes_queries || self.level > 0 {
            one
        } else {
            // Made when one is wanted: a query has conditions itself, and each would be made for each.
            let of_query = Just(self.clone()).prop_flat_map(|grammar| grammar.query_condition());
            prop_oneof![14 => one, 1 => of_query].boxed()
        };
        let one = if self.lists.is_empty() || self.level > 2 {
            one
        } else {
            prop_oneof![8 => one, 2 => self.item_condition(depth.saturating_sub(1)), 1 => self.contained()]
                .boxed()
        };
        if depth == 0 {
            return one;
        }
        let inner = self.condition(depth - 1);
        let inner = || inner.clone();
        prop_oneof![
            6 => one,
            2 => (inner(), inner()).prop_map(|(a, b)| a.and(b)),
            2 => (inner(), inner()).prop_map(|(a, b)| a.or(b)),
            2 => inner().prop_map(Tree::negated),
        ]
        .boxed()
    }

    fn comparison(&self, ty: Type, depth: u32) -> BoxedStrategy<Tree> {
        use Comparison::{Eq, Ge, Gt, Le, Lt, Ne};
        let leaf = self.of_type(ty, 0);
        let right = prop_oneof![2 => leaf.clone(), 1 => self.of_type(ty, depth.saturating_sub(1))];
        let all = select(vec![Eq, Ne, Lt, Le, Gt, Ge]);
        (all, self.of_type(ty, depth), right, leaf, 0_u8..8)
            .prop_map(|(comparison, left, right, other, choice)| {
                let low = left.tree.clone().compare(comparison, right.tree);
                // What `between` is made of.
                if choice == 0 { low.and(left.tree.compare(Le, other.tree)) } else { low }
            })
            .boxed()
    }

    /// A field on one side of a literal, at it, or with it for a prefix.
    pub(crate) fn bound(field: Field) -> BoxedStrategy<Tree> {
        use Comparison::{Eq, Ge, Gt, Le, Lt};
        let value = match field.ty {
            Type::Text | Type::Uuid => text_value().boxed(),
            Type::Bool => any::<bool>().prop_map(Value::Bool).boxed(),
            ty if ty.is_float() => document::float().prop_map(Value::Real).boxed(),
            _ => document::integer().prop_map(Value::Int).boxed(),
        };
        let of = leaf(field).tree;
        (select(vec![Eq, Lt, Le, Gt, Ge]), literal(value, field.ty), any::<bool>())
            .prop_map(move |(comparison, value, is_prefix)| match field.ty {
                Type::Text | Type::Uuid if is_prefix => of.clone().call(Function::StartsWith, [value.tree]),
                _ => of.clone().compare(comparison, value.tree),
            })
            .boxed()
    }

    /// Whether a stored field is there, or null there.
    fn stored(&self) -> BoxedStrategy<Tree> {
        let fields =
            self.some(|leaf| matches!(leaf.tree, Tree::Field(..) | Tree::Position(..) | Tree::Lookup(..)));
        if fields.is_empty() {
            return self.absent(0);
        }
        (select(fields), select(vec![Absence::Missing, Absence::JsonNull]))
            .prop_map(|(field, absence)| Tree::IsAbsent(Box::new(field.tree), absence))
            .boxed()
    }

    /// A value beside an option.
    fn optional(&self) -> BoxedStrategy<Tree> {
        let of = |ty: Type, value: BoxedStrategy<Value>| {
            let option = literal(prop_oneof![3 => value, 1 => Just(Value::Null)], ty);
            let leaf = self.of_type(ty, 0);
            (leaf.clone(), prop_oneof![3 => option, 1 => leaf])
                .prop_map(|(left, option)| left.tree.compare(Comparison::EqOption, option.tree))
        };
        prop_oneof![
            of(Type::Text, text_value().boxed()),
            of(Type::I64, document::integer().prop_map(Value::Int).boxed()),
            of(Type::F64, document::float().prop_map(Value::Real).boxed()),
            of(Type::Bool, any::<bool>().prop_map(Value::Bool).boxed()),
        ]
        .boxed()
    }

    fn absent(&self, depth: u32) -> BoxedStrategy<Tree> {
        let inner = Tree::field("in", Type::Object);
        let mut parents = vec![inner.clone(), Tree::Field(Box::new(inner), "a", Type::Object, true)];
        parents.extend(wholes().into_iter().map(|whole| whole.tree));
        // Only a document has these.
        let has_parents = self.leaves.iter().any(|leaf| matches!(leaf.tree, Tree::Key(_)));
        let any = self.any(depth).prop_map(|typed| typed.tree.absent());
        if has_parents {
            prop_oneof![3 => any, 1 => select(parents).prop_map(Tree::absent)].boxed()
        } else {
            any.boxed()
        }
    }

    fn text_condition(&self, depth: u32) -> BoxedStrategy<Tree> {
        use Function::{Contains, EndsWith, EqIgnoreCase, Glob, Ilike, Like, StartsWith};
        let plain = select(vec![StartsWith, StartsWith, StartsWith, EndsWith, Contains, EqIgnoreCase]);
        let pattern = |of: &'static [&'static str]| {
            literal(vec(select(of), 0..4).prop_map(|parts| Value::Text(parts.concat().into())), Type::Text)
        };
        let like = (
            select(vec![Like, Ilike]),
            pattern(&["%", "_", "a", "B", "\u{e9}", "\\%", "\\_", "\\\\", "\0", "1"]),
        );
        let glob =
            (Just(Glob), pattern(&["*", "?", "a", "[a-c]", "[^a]", "[]]", "\u{1f600}", "[", "\0", "B"]));
        let argument = prop_oneof![4 => literal(text_value(), Type::Text), 1 => self.text(0)];
        let pair = prop_oneof![5 => (plain, argument), 2 => like, 1 => glob];
        (pair, self.text(depth))
            .prop_map(|((function, argument), of)| call(function, vec![of, argument]).tree)
            .boxed()
    }

    /// Membership in a list.
    fn listed(&self, depth: u32) -> BoxedStrategy<Tree> {
        let of = |ty: Type, item: BoxedStrategy<Value>| {
            let list = literal(vec(item, 0..5).prop_map(|items| Value::List(items.into())), Type::Array);
            let listed = (self.of_type(ty, depth), list).prop_map(|(item, list)| item.tree.among(list.tree));
            let items = (self.of_type(ty, depth), vec(self.of_type(ty, 0), 1..3));
            let spelled = items.prop_map(|(item, items)| {
                Tree::InItems(Box::new(item.tree), items.into_iter().map(|item| item.tree).collect())
            });
            prop_oneof![3 => listed, 1 => spelled]
        };
        prop_oneof![
            3 => of(Type::Text, text_value().boxed()),
            3 => of(Type::I64, document::integer().prop_map(Value::Int).boxed()),
            2 => of(Type::F64, document::float().prop_map(Value::Real).boxed()),
            1 => of(Type::Bool, any::<bool>().prop_map(Value::Bool).boxed()),
        ]
        .boxed()
    }
}

fn call_len(text: BoxedStrategy<Typed>) -> BoxedStrategy<Typed> {
    let function = select(vec![Function::Len, Function::ByteLen, Function::BytesLen]);
    (function, text).prop_map(|(function, text)| call(function, vec![text])).boxed()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_declared_field_can_be_named() {
        let grammar = Grammar::over_documents(false);
        for kind in [Kind::Text, Kind::Number, Kind::Bool] {
            assert!(!grammar.some(|leaf| leaf.ty.kind() == kind).is_empty(), "{kind}");
        }
        let fields =
            grammar.some(|leaf| matches!(leaf.tree, Tree::Field(..) | Tree::Defaulted(..) | Tree::Key(_)));
        assert!(fields.len() > FIELDS.len(), "the fields and the key");
    }
}
