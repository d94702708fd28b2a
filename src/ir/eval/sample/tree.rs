//! Closures and statements as plain trees, and the builder that numbers them.

use std::borrow::Cow;

use crate::ir::doc::{
    Absence, Arithmetic, Assignment, Binder, Comparison, Count, Expr, ExprId, Fold, Function, ItemFold,
    Lambda, Nulls, OnNull, OrderKey, Query, Source, Stage, Statement, Subquery, Terminal,
};
use crate::ir::types::Type;
use crate::ir::value::{FieldDefault, Value};

/// An expression as a tree; the values are where they were written.
#[derive(Clone, Debug)]
pub(crate) enum Tree {
    /// The first row, or for 1 the second.
    Row(usize),
    Item(Box<Tree>, u8),
    Key(Box<Tree>),
    Field(Box<Tree>, &'static str, Type, bool),
    Defaulted(Box<Tree>, FieldDefault),
    Constant(Value, Type),
    /// A value that is an argument.
    Param(Value, Type),
    /// The value that a filter depends on.
    Given,
    Compare(Comparison, Box<Tree>, Box<Tree>),
    And(Box<Tree>, Box<Tree>),
    Or(Box<Tree>, Box<Tree>),
    Not(Box<Tree>),
    IsNone(Box<Tree>),
    IsAbsent(Box<Tree>, Absence),
    InList(Box<Tree>, Box<Tree>),
    InOptions(Box<Tree>, Box<Tree>),
    InItems(Box<Tree>, Vec<Tree>),
    Call(Function, Vec<Tree>),
    Arithmetic(Arithmetic, Vec<Tree>, Type, bool),
    Coalesce(Box<Tree>, Box<Tree>, Type, bool),
    When(Box<Tree>, Box<Tree>, Box<Tree>, Type, bool),
    Fold(Fold, Option<Box<Tree>>, Type),
    /// The item of a list at a place.
    Position(Box<Tree>, u32, Type),
    /// The value of an object under a key that is a value.
    Lookup(Box<Tree>, Box<Tree>, Type),
    /// A value that no type declares, as a type.
    OfKind(Box<Tree>, Type),
    /// What is made of the items of a list or of a map.
    Items(Box<Tree>, Made, Items),
    /// The item that a closure over items is given, by how many such closures are around that one.
    Each(usize),
    /// The key that a closure over a map is given, counted so.
    EachKey(usize),
    /// The item of the innermost such closure.
    Innermost,
    /// One value that a query over the same collection gives: of a type that may be null.
    Subquery(Box<Sketch>, Type, bool),
    /// The value is among those of such a query.
    InQuery(Box<Tree>, Box<Sketch>),
    /// The first row of the closure that the query around this one stands in.
    Around,
    Tuple(Vec<Tree>),
    Struct(Vec<(&'static str, Tree)>),
    /// A member of a row that is a struct.
    Member(Box<Tree>, &'static str, Type, bool),
}

/// What the items of a list or a map are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Items {
    pub(crate) ty: Type,
    pub(crate) nullable: bool,
    /// Whether they stand under keys.
    pub(crate) is_map: bool,
}

/// What is made of the items.
#[derive(Clone, Debug)]
pub(crate) enum Made {
    Len,
    Any(Box<Tree>),
    All(Box<Tree>),
    CountWhere(Box<Tree>),
    Sum(Box<Tree>, Type),
}

/// A statement as trees.
#[derive(Clone, Debug)]
pub(crate) struct Sketch {
    pub(crate) stages: Vec<Step>,
    pub(crate) end: End,
}

/// A stage as trees.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    Filter(Tree),
    /// A filter that depends on a value, which is null for none.
    FilterSome(Value, Type, Tree),
    Order {
        keys: Vec<(Tree, bool, Nulls)>,
        then: bool,
    },
    Skip(i64),
    Take(i64),
    Unordered,
    Select(Tree),
    Group(Tree),
    /// A filter of groups.
    Having(Tree),
}

/// A terminal as trees.
#[derive(Clone, Debug)]
pub(crate) enum End {
    Plain(Terminal),
    Fold(Fold, Tree),
    Update(Vec<(Change, Tree, Tree)>),
}

/// The kind of an assignment.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Change {
    Set(OnNull),
    Unset,
    Increment,
}

/// A statement with the values that belong to it.
#[derive(Clone, Debug)]
pub(crate) struct Built {
    pub(crate) statement: Statement,
    pub(crate) constants: Vec<Value>,
    pub(crate) params: Vec<Value>,
}

impl Sketch {
    /// Builds the statement as it was written.
    pub(crate) fn build(&self) -> Built {
        Builder::default().statement(self)
    }

    /// Builds the statement with an argument in the place of each literal, as a compiled query would have it.
    pub(crate) fn build_compiled(&self) -> Built {
        Builder { literals_are_params: true, ..Builder::default() }.statement(self)
    }
}

#[derive(Default)]
struct Builder {
    literals_are_params: bool,
    binders: u64,
    constants: Vec<Value>,
    params: Vec<(Value, Type)>,
    /// The items that the closures around an expression are given, with their keys.
    items: Vec<[Binder; 2]>,
    /// The value that the filter around an expression depends on.
    given: Option<Expr>,
    /// The first row of the closure that the query around an expression stands in.
    around: Option<Binder>,
}

impl Builder {
    fn statement(mut self, sketch: &Sketch) -> Built {
        let (query, terminal) = self.query(sketch);
        let (params, types) = self.params.into_iter().unzip();
        let statement = Statement { query, terminal, params: types };
        Built { statement, constants: self.constants, params }
    }

    fn query(&mut self, sketch: &Sketch) -> (Query, Terminal) {
        let mut stages = Vec::new();
        for (i, step) in sketch.stages.iter().enumerate() {
            let groups = i > 0 && matches!(sketch.stages[i - 1], Step::Group(_) | Step::Having(_));
            stages.extend(self.stage(step, groups));
        }
        let terminal = match &sketch.end {
            End::Plain(terminal) => terminal.clone(),
            End::Fold(fold, of) => Terminal::Fold(*fold, self.lambda(of, 1)),
            End::Update(changes) => {
                Terminal::Update(changes.iter().map(|change| self.assignment(change)).collect())
            }
        };
        let source = Source::Collection { name: super::COLLECTION.into(), key: "id", key_kind: "integer" };
        (Query { source, stages }, terminal)
    }

    /// Builds a query that stands in a closure.
    fn inside(&mut self, sketch: &Sketch, lambda: &Lambda) -> (Query, Terminal) {
        let around = self.around.replace(lambda.binders[0]);
        let given = self.given.take();
        let built = self.query(sketch);
        (self.around, self.given) = (around, given);
        built
    }

    fn stage(&mut self, step: &Step, of_groups: bool) -> Option<Stage> {
        Some(match step {
            Step::Filter(condition) => Stage::Filter(self.lambda(condition, 1)),
            Step::FilterSome(value, ty, condition) if self.literals_are_params => {
                let slot = self.param(value.clone(), *ty);
                self.given = Some(Expr::Param { slot, ty: *ty });
                Stage::FilterSome(slot, self.lambda(condition, 1))
            }
            Step::FilterSome(Value::Null, ..) => return None,
            Step::FilterSome(value, ty, condition) => {
                self.given =
                    Some(Expr::Constant { index: self.constant(value.clone()), ty: *ty, written: None });
                Stage::Filter(self.lambda(condition, 1))
            }
            Step::Order { keys, then } => {
                let keys = keys.iter().map(|(by, descending, nulls)| OrderKey {
                    by: self.lambda(by, 1),
                    descending: *descending,
                    nulls: *nulls,
                });
                Stage::Order { keys: keys.collect(), then: *then }
            }
            Step::Skip(count) => Stage::Skip(self.count(*count)),
            Step::Take(count) => Stage::Take(self.count(*count)),
            Step::Unordered => Stage::Unordered,
            Step::Select(of) => Stage::Select(self.lambda(of, if of_groups { 2 } else { 1 })),
            Step::Group(key) => Stage::Group(self.lambda(key, 1)),
            Step::Having(condition) => Stage::Filter(self.lambda(condition, 2)),
        })
    }

    fn assignment(&mut self, (change, target, value): &(Change, Tree, Tree)) -> Assignment {
        let pair = self.lambda(&Tree::Tuple(vec![target.clone(), value.clone()]), 1);
        match change {
            Change::Set(on_null) => Assignment::Set(pair, *on_null),
            Change::Unset => Assignment::Unset(pair),
            Change::Increment => Assignment::Increment(pair),
        }
    }

    fn count(&mut self, count: i64) -> Count {
        if self.literals_are_params {
            Count::Param(self.param(Value::Int(count), Type::U64))
        } else {
            Count::Constant(self.constant(Value::Int(count)))
        }
    }

    fn param(&mut self, value: Value, ty: Type) -> u16 {
        self.params.push((value, ty));
        self.params.len() as u16 - 1
    }

    fn constant(&mut self, value: Value) -> u32 {
        self.constants.push(value);
        self.constants.len() as u32 - 1
    }

    fn lambda(&mut self, tree: &Tree, rows: u32) -> Lambda {
        let rows = u64::from(rows);
        let binders = (self.binders..self.binders + rows).map(Binder).collect();
        self.binders += rows;
        let mut lambda = Lambda { binders, nodes: Vec::new(), root: 0 };
        lambda.root = self.expr(tree, &mut lambda);
        lambda
    }

    fn expr(&mut self, tree: &Tree, lambda: &mut Lambda) -> ExprId {
        let expr = match tree {
            Tree::Row(i) => Expr::Row(lambda.binders[*i]),
            Tree::Item(of, index) => Expr::Item { of: self.expr(of, lambda), index: *index },
            Tree::Key(of) => Expr::Key { of: self.expr(of, lambda), name: "id", ty: Type::I64 },
            Tree::Field(of, key, ty, nullable) | Tree::Member(of, key, ty, nullable) => Expr::Field {
                of: self.expr(of, lambda),
                key: Cow::Borrowed(key),
                ty: *ty,
                nullable: *nullable,
            },
            Tree::Constant(value, ty) if !self.literals_are_params => {
                Expr::Constant { index: self.constant(value.clone()), ty: *ty, written: None }
            }
            Tree::Constant(value, ty) | Tree::Param(value, ty) => {
                Expr::Param { slot: self.param(value.clone(), *ty), ty: *ty }
            }
            Tree::Given => self.given.clone().expect("a filter that depends on a value is around it"),
            Tree::Compare(comparison, a, b) => {
                Expr::Compare(*comparison, self.expr(a, lambda), self.expr(b, lambda))
            }
            Tree::Defaulted(field, default) => Expr::Defaulted(self.expr(field, lambda), default.clone()),
            Tree::And(a, b) => Expr::And(self.expr(a, lambda), self.expr(b, lambda)),
            Tree::Or(a, b) => Expr::Or(self.expr(a, lambda), self.expr(b, lambda)),
            Tree::Not(x) => Expr::Not(self.expr(x, lambda)),
            Tree::IsNone(x) => Expr::IsNone(self.expr(x, lambda)),
            Tree::IsAbsent(x, absence) => Expr::IsAbsent(self.expr(x, lambda), *absence),
            Tree::InList(item, list) => {
                Expr::InList { item: self.expr(item, lambda), list: self.expr(list, lambda) }
            }
            Tree::InOptions(item, list) => {
                Expr::InOptions { item: self.expr(item, lambda), list: self.expr(list, lambda) }
            }
            Tree::InItems(item, items) => {
                Expr::InItems { item: self.expr(item, lambda), items: self.exprs(items, lambda) }
            }
            Tree::Call(function, args) => {
                Expr::Call { function: *function, args: self.exprs(args, lambda).into() }
            }
            Tree::Arithmetic(operation, args, ty, nullable) => Expr::Arithmetic {
                operation: *operation,
                args: self.exprs(args, lambda).into(),
                ty: *ty,
                nullable: *nullable,
            },
            Tree::Coalesce(value, default, ty, nullable) => Expr::Coalesce {
                value: self.expr(value, lambda),
                default: self.expr(default, lambda),
                ty: *ty,
                nullable: *nullable,
            },
            Tree::When(condition, then, otherwise, ty, nullable) => Expr::When {
                condition: self.expr(condition, lambda),
                then: self.expr(then, lambda),
                otherwise: self.expr(otherwise, lambda),
                ty: *ty,
                nullable: *nullable,
            },
            Tree::Fold(fold, of, ty) => {
                Expr::Fold { fold: *fold, of: of.as_ref().map(|of| self.expr(of, lambda)), ty: *ty }
            }
            Tree::Position(of, index, ty) => {
                Expr::Position { of: self.expr(of, lambda), index: *index, ty: *ty }
            }
            Tree::OfKind(of, ty) => Expr::OfKind { of: self.expr(of, lambda), ty: *ty },
            Tree::Lookup(of, key, ty) => {
                Expr::Lookup { of: self.expr(of, lambda), key: self.expr(key, lambda), ty: *ty }
            }
            Tree::Items(list, made, Items { ty, nullable, is_map }) => {
                let list = self.expr(list, lambda);
                let [item, key] = [Binder(self.binders), Binder(self.binders + 1)];
                self.binders += 2;
                self.items.push([item, key]);
                let key = is_map.then_some(key);
                let fold = match made {
                    Made::Len => ItemFold::Len,
                    Made::Any(of) => ItemFold::Any(self.expr(of, lambda)),
                    Made::All(of) => ItemFold::All(self.expr(of, lambda)),
                    Made::CountWhere(of) => ItemFold::CountWhere(self.expr(of, lambda)),
                    Made::Sum(of, ty) => ItemFold::Sum(self.expr(of, lambda), *ty),
                };
                self.items.pop();
                Expr::Items { list, key, item, ty: *ty, nullable: *nullable, fold }
            }
            Tree::Each(level) => Expr::Row(self.items[*level][0]),
            Tree::EachKey(level) => Expr::Row(self.items[*level][1]),
            Tree::Innermost => {
                let [item, _] = self.items.last().expect("a closure over items is around it");
                Expr::Row(*item)
            }
            Tree::Subquery(sketch, ty, nullable) => {
                let (query, terminal) = self.inside(sketch, lambda);
                Expr::Subquery(Box::new(Subquery { query, terminal, ty: *ty, nullable: *nullable }))
            }
            Tree::InQuery(item, sketch) => {
                let item = self.expr(item, lambda);
                Expr::InQuery { item, query: Box::new(self.inside(sketch, lambda).0) }
            }
            Tree::Around => Expr::Row(self.around.expect("a closure is around the query")),
            Tree::Tuple(items) => Expr::Tuple(self.exprs(items, lambda)),
            Tree::Struct(members) => {
                let member = |(name, of): &(&'static str, Tree)| ((*name).into(), self.expr(of, lambda));
                Expr::Struct(members.iter().map(member).collect())
            }
        };
        lambda.nodes.push(expr);
        lambda.nodes.len() as ExprId - 1
    }

    fn exprs(&mut self, trees: &[Tree], lambda: &mut Lambda) -> Vec<ExprId> {
        trees.iter().map(|tree| self.expr(tree, lambda)).collect()
    }
}

/// Short forms, so that a test reads like the query that it is about.
impl Tree {
    pub(crate) fn key() -> Tree {
        Tree::Key(Box::new(Tree::Row(0)))
    }

    pub(crate) fn field(key: &'static str, ty: Type) -> Tree {
        Tree::Field(Box::new(Tree::Row(0)), key, ty, false)
    }

    pub(crate) fn option(key: &'static str, ty: Type) -> Tree {
        Tree::Field(Box::new(Tree::Row(0)), key, ty, true)
    }

    /// Returns a field that no type declares.
    pub(crate) fn json(self, key: &'static str) -> Tree {
        Tree::Field(Box::new(self), key, Type::Any, true)
    }

    pub(crate) fn seen_as(self, ty: Type) -> Tree {
        Tree::OfKind(Box::new(self), ty)
    }

    pub(crate) fn below(self, key: &'static str, ty: Type) -> Tree {
        Tree::Field(Box::new(self), key, ty, false)
    }

    pub(crate) fn of_member(key: &'static str, ty: Type) -> Tree {
        Tree::Field(Box::new(Tree::Row(1)), key, ty, false)
    }

    pub(crate) fn int(x: i64) -> Tree {
        Tree::Constant(Value::Int(x), Type::I64)
    }

    pub(crate) fn real(x: f64) -> Tree {
        Tree::Constant(Value::Real(x), Type::F64)
    }

    pub(crate) fn bool(x: bool) -> Tree {
        Tree::Constant(Value::Bool(x), Type::Bool)
    }

    pub(crate) fn text(x: &str) -> Tree {
        Tree::Constant(Value::Text(x.into()), Type::Text)
    }

    pub(crate) fn list(items: impl IntoIterator<Item = Value>) -> Tree {
        Tree::Constant(Value::List(items.into_iter().collect()), Type::Array)
    }

    pub(crate) fn compare(self, comparison: Comparison, right: Tree) -> Tree {
        Tree::Compare(comparison, Box::new(self), Box::new(right))
    }

    pub(crate) fn eq(self, right: Tree) -> Tree {
        self.compare(Comparison::Eq, right)
    }

    pub(crate) fn ne(self, right: Tree) -> Tree {
        self.compare(Comparison::Ne, right)
    }

    pub(crate) fn lt(self, right: Tree) -> Tree {
        self.compare(Comparison::Lt, right)
    }

    pub(crate) fn gt(self, right: Tree) -> Tree {
        self.compare(Comparison::Gt, right)
    }

    pub(crate) fn and(self, right: Tree) -> Tree {
        Tree::And(Box::new(self), Box::new(right))
    }

    pub(crate) fn or(self, right: Tree) -> Tree {
        Tree::Or(Box::new(self), Box::new(right))
    }

    pub(crate) fn negated(self) -> Tree {
        Tree::Not(Box::new(self))
    }

    pub(crate) fn absent(self) -> Tree {
        Tree::IsNone(Box::new(self))
    }

    pub(crate) fn among(self, list: Tree) -> Tree {
        Tree::InList(Box::new(self), Box::new(list))
    }

    pub(crate) fn call(self, function: Function, args: impl IntoIterator<Item = Tree>) -> Tree {
        Tree::Call(function, std::iter::once(self).chain(args).collect())
    }

    /// Arithmetic of `i64` that may not be null.
    pub(crate) fn compute(self, operation: Arithmetic, right: Tree) -> Tree {
        Tree::Arithmetic(operation, vec![self, right], Type::I64, false)
    }

    pub(crate) fn unwrap_or(self, default: Tree, ty: Type) -> Tree {
        Tree::Coalesce(Box::new(self), Box::new(default), ty, false)
    }

    pub(crate) fn item(self, index: u8) -> Tree {
        Tree::Item(Box::new(self), index)
    }

    pub(crate) fn asc(self) -> (Tree, bool, Nulls) {
        (self, false, Nulls::Smallest)
    }

    /// Returns the same path below the second row: a member of a group.
    pub(crate) fn of_second_row(self) -> Tree {
        self.below_row(&Tree::Row(1))
    }

    /// Returns the same path below the row around the query.
    pub(crate) fn of_row_around(self) -> Tree {
        self.below_row(&Tree::Around)
    }

    /// Returns the same path below another row.
    fn below_row(self, row: &Tree) -> Tree {
        let below = |of: Box<Tree>| Box::new(of.below_row(row));
        match self {
            Tree::Row(_) => row.clone(),
            Tree::Key(of) => Tree::Key(below(of)),
            Tree::Field(of, key, ty, nullable) => Tree::Field(below(of), key, ty, nullable),
            Tree::Member(of, key, ty, nullable) => Tree::Member(below(of), key, ty, nullable),
            Tree::Defaulted(field, default) => Tree::Defaulted(below(field), default),
            Tree::Item(of, index) => Tree::Item(below(of), index),
            Tree::Position(of, index, ty) => Tree::Position(below(of), index, ty),
            Tree::OfKind(of, ty) => Tree::OfKind(below(of), ty),
            Tree::Lookup(of, key, ty) => Tree::Lookup(below(of), key, ty),
            Tree::Items(of, made, items) => {
                let made = match made {
                    Made::Sum(of, ty) => Made::Sum(below(of), ty),
                    other => other,
                };
                Tree::Items(below(of), made, items)
            }
            other => other,
        }
    }

    pub(crate) fn desc(self) -> (Tree, bool, Nulls) {
        (self, true, Nulls::Smallest)
    }
}

impl Step {
    pub(crate) fn order(keys: impl IntoIterator<Item = (Tree, bool, Nulls)>) -> Step {
        Step::Order { keys: keys.into_iter().collect(), then: false }
    }

    pub(crate) fn then(keys: impl IntoIterator<Item = (Tree, bool, Nulls)>) -> Step {
        Step::Order { keys: keys.into_iter().collect(), then: true }
    }
}
