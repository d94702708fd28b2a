//! Rows, and what an expression means for one.
//!
//! A row is a document or a group of rows. What a later closure sees of it is decided by the stages before that
//! closure: [`Term::resolve`] follows a row through selects and group keys to the expression that stands behind it.
//! Without a row it does the same for questions about the query itself, such as types.

use std::rc::Rc;

use super::Document;
use super::json::Json;
use super::order::Rank;
use crate::ir::doc::{Binder, Expr, ExprId, Lambda, Stage};
use crate::ir::types::Type;

/// A row.
#[derive(Clone, Debug)]
pub(super) enum Row<'a> {
    Document(&'a Document),
    Group(Rc<Group<'a>>),
}

/// Rows that share a key.
#[derive(Debug)]
pub(super) struct Group<'a> {
    pub(super) key: Vec<Rank>,
    pub(super) members: Vec<Row<'a>>,
}

impl<'a> Row<'a> {
    /// Returns the rows of a group.
    pub(super) fn members(&self) -> &[Row<'a>] {
        match self {
            Row::Document(_) => &[],
            Row::Group(group) => &group.members,
        }
    }
}

/// An expression, with the row that it is evaluated for.
#[derive(Clone, Debug)]
pub(super) struct Term<'a> {
    lambda: &'a Lambda,
    id: ExprId,
    frame: Frame<'a>,
}

/// The stages before a closure, and for a query inside of another closure what is around it.
#[derive(Clone, Debug)]
pub(super) struct Behind<'a> {
    pub(super) stages: &'a [Stage],
    /// The query as an expression of that closure, with the rows that it was given.
    pub(super) around: Option<Rc<Term<'a>>>,
}

/// What a closure was given.
#[derive(Clone, Debug)]
struct Frame<'a> {
    /// What stands before the closure.
    behind: Behind<'a>,
    /// The row; none for questions about the query itself.
    row: Option<Row<'a>>,
    /// Inside a fold, the member of the group.
    member: Option<Row<'a>>,
    /// Inside of what is asked of an array's items, the item.
    items: Vec<Rc<Item>>,
}

/// An item of an array, or a key or value of an object.
#[derive(Debug)]
pub(super) struct Item {
    pub(super) binder: Binder,
    pub(super) value: Json,
    pub(super) ty: Type,
    pub(super) nullable: bool,
}

/// What an expression comes down to.
#[derive(Debug)]
pub(super) enum Meaning<'a> {
    /// A whole document.
    Document(Option<&'a Document>),
    /// An expression that is neither a row nor an element of one.
    Node(Term<'a>),
    /// An item of an array.
    Item(Rc<Item>),
    /// Nothing: a shape that no closure can write.
    Nothing,
}

/// What the rows behind some stages are.
enum Shape<'a> {
    Documents,
    Selected(&'a Lambda, &'a [Stage]),
    Grouped(&'a Lambda, &'a [Stage]),
}

fn shape(mut stages: &[Stage]) -> Shape<'_> {
    while let Some((last, before)) = stages.split_last() {
        match last {
            Stage::Select(lambda) => return Shape::Selected(lambda, before),
            Stage::Group(lambda) => return Shape::Grouped(lambda, before),
            _ => stages = before,
        }
    }
    Shape::Documents
}

impl<'a> Term<'a> {
    /// Returns what a closure that stands there returned, for a row.
    pub(super) fn root(lambda: &'a Lambda, behind: &Behind<'a>, row: Option<Row<'a>>) -> Term<'a> {
        Term { lambda, id: lambda.root, frame: Frame::new(behind, row) }
    }

    /// Returns what a row there is.
    pub(super) fn whole(behind: &Behind<'a>, row: Row<'a>) -> Meaning<'a> {
        Frame::new(behind, Some(row)).whole()
    }

    /// Returns another expression of the same closure.
    pub(super) fn at(&self, id: ExprId) -> Term<'a> {
        Term { id, ..self.clone() }
    }

    /// Returns the expression.
    pub(super) fn node(&self) -> &'a Expr {
        self.lambda.node(self.id)
    }

    /// Returns an expression of the same closure for each member of the group.
    pub(super) fn of_members(&self, id: ExprId) -> Vec<Term<'a>> {
        let members = self.members();
        members.iter().map(|member| self.of_member(id, Some(member.clone()))).collect()
    }

    /// Returns an expression of the same closure for one member of the group.
    pub(super) fn of_member(&self, id: ExprId, member: Option<Row<'a>>) -> Term<'a> {
        Term { id, lambda: self.lambda, frame: Frame { member, ..self.frame.clone() } }
    }

    /// Returns an expression of the same closure for an item of an array.
    pub(super) fn of_item(&self, id: ExprId, item: Rc<Item>) -> Term<'a> {
        let mut term = self.at(id);
        term.frame.items.push(item);
        term
    }

    /// Returns the rows of the group.
    pub(super) fn members(&self) -> &[Row<'a>] {
        self.frame.row.as_ref().map_or(&[], Row::members)
    }

    /// Follows rows and elements of tuples to what they stand for.
    pub(super) fn resolve(&self) -> Meaning<'a> {
        match self.node() {
            Expr::Row(binder) => self.row(*binder),
            Expr::Item { of, index } => match self.at(*of).resolve() {
                Meaning::Node(tuple) => match tuple.node() {
                    Expr::Tuple(items) => items
                        .get(usize::from(*index))
                        .map_or(Meaning::Nothing, |item| tuple.at(*item).resolve()),
                    _ => Meaning::Nothing,
                },
                _ => Meaning::Nothing,
            },
            Expr::Field { of, key, .. } => self.member(*of, key),
            Expr::Key { of, name, .. } => self.member(*of, name),
            _ => Meaning::Node(self.clone()),
        }
    }

    /// Returns what a row is that this closure was given, or one around it.
    fn row(&self, binder: Binder) -> Meaning<'a> {
        if let Some(item) = self.frame.items.iter().rev().find(|item| item.binder == binder) {
            return Meaning::Item(Rc::clone(item));
        }
        match self.lambda.binders.iter().position(|own| *own == binder) {
            Some(0) => self.frame.whole(),
            Some(_) => self.frame.member(),
            None => self.frame.behind.around.as_ref().map_or(Meaning::Nothing, |around| around.row(binder)),
        }
    }

    /// Returns what a field or a key of `of` stands for: a member of a struct that was made, else itself.
    fn member(&self, of: ExprId, name: &str) -> Meaning<'a> {
        if let Meaning::Node(made) = self.at(of).resolve()
            && let Expr::Struct(members) = made.node()
        {
            let member = members.iter().find(|(known, _)| known == name);
            return member.map_or(Meaning::Nothing, |(_, member)| made.at(*member).resolve());
        }
        Meaning::Node(self.clone())
    }

    /// Returns the columns that the expression is, tuples opened.
    pub(super) fn columns(&self) -> Vec<Meaning<'a>> {
        self.resolve().columns()
    }
}

impl<'a> Meaning<'a> {
    /// Opens tuples.
    pub(super) fn columns(self) -> Vec<Meaning<'a>> {
        match &self {
            Meaning::Node(term) => match term.node() {
                Expr::Tuple(items) => items.iter().flat_map(|item| term.at(*item).columns()).collect(),
                Expr::Struct(members) => {
                    members.iter().flat_map(|(_, member)| term.at(*member).columns()).collect()
                }
                _ => vec![self],
            },
            _ => vec![self],
        }
    }
}

impl<'a> Frame<'a> {
    fn new(behind: &Behind<'a>, row: Option<Row<'a>>) -> Frame<'a> {
        Frame { behind: behind.clone(), row, member: None, items: Vec::new() }
    }

    /// Returns what stands before some of the stages.
    fn before(&self, stages: &'a [Stage]) -> Behind<'a> {
        Behind { stages, around: self.behind.around.clone() }
    }

    /// Returns what the first row of the closure is.
    fn whole(&self) -> Meaning<'a> {
        match shape(self.behind.stages) {
            Shape::Documents => Meaning::Document(match &self.row {
                Some(Row::Document(document)) => Some(document),
                _ => None,
            }),
            Shape::Selected(select, stages) => {
                Term::root(select, &self.before(stages), self.row.clone()).resolve()
            }
            Shape::Grouped(key, stages) => {
                let first = self.row.as_ref().and_then(|row| row.members().first().cloned());
                Term::root(key, &self.before(stages), first).resolve()
            }
        }
    }

    /// Returns what the second row of the closure is: a member of the group.
    fn member(&self) -> Meaning<'a> {
        match shape(self.behind.stages) {
            Shape::Grouped(_, stages) => Frame::new(&self.before(stages), self.member.clone()).whole(),
            _ => Meaning::Nothing,
        }
    }
}
