//! Expressions of the faithful tree.

use std::borrow::Cow;

use smallvec::SmallVec;

use crate::ir::doc::{Query, Subquery};
use crate::ir::path::FieldPath;
use crate::ir::types::Type;
use crate::ir::value::FieldDefault;

/// A row that a closure was given. No two closures of a statement give one the same number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Binder(pub(crate) u64);

/// An expression of a [`Lambda`], by its place in `nodes`.
pub(crate) type ExprId = u32;

/// What a closure became: its rows, its expressions and the one that it returned.
///
/// `nodes` is in post-order: an expression names only expressions before it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Lambda {
    /// The rows that the closure was given.
    pub(crate) binders: SmallVec<[Binder; 2]>,
    /// The expressions.
    pub(crate) nodes: Vec<Expr>,
    /// What the closure returned.
    pub(crate) root: ExprId,
}

/// One expression.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Expr {
    /// A whole row.
    Row(Binder),
    /// One element of a row that is a tuple.
    Item {
        /// The tuple.
        of: ExprId,
        /// The zero-based place in it.
        index: u8,
    },
    /// The key of a document.
    Key {
        /// The document.
        of: ExprId,
        /// The stored name.
        name: &'static str,
        /// The key's type.
        ty: Type,
    },
    /// The value under a key of a document or of a nested struct.
    Field {
        /// What it is a field of.
        of: ExprId,
        /// The stored name.
        key: Cow<'static, str>,
        /// The declared type.
        ty: Type,
        /// Whether null and missing are values of the declared type.
        nullable: bool,
    },
    /// The value that the call supplies for a slot.
    Param {
        /// The slot.
        slot: u16,
        /// Its declared type.
        ty: Type,
    },
    /// A literal: a constant of the plan.
    Constant {
        /// Its place among the constants of the query.
        index: u32,
        /// Its type.
        ty: Type,
        /// Its value where it is a part of the query's shape, since a partial index names it: then it stands in the
        /// statement's text.
        written: Option<FieldDefault>,
    },
    /// Compares two values (rules 1 to 4).
    Compare(Comparison, ExprId, ExprId),
    /// Both hold.
    And(ExprId, ExprId),
    /// At least one holds.
    Or(ExprId, ExprId),
    /// It does not hold: the exact complement.
    Not(ExprId),
    /// Null or missing.
    IsNone(ExprId),
    /// A stored field that is there and null, or is not there.
    IsAbsent(ExprId, Absence),
    /// The value is in a list that is one constant or one parameter (rule 21).
    InList {
        /// The value.
        item: ExprId,
        /// The list.
        list: ExprId,
    },
    /// The same of a list in which null is a member like any other, which finds null and missing.
    InOptions {
        /// The value.
        item: ExprId,
        /// The list.
        list: ExprId,
    },
    /// The value is among those that a query gives.
    InQuery {
        /// The value.
        item: ExprId,
        /// The query.
        query: Box<Query>,
    },
    /// One value that a query gives.
    Subquery(Box<Subquery>),
    /// The value equals one of a few expressions.
    InItems {
        /// The value.
        item: ExprId,
        /// The expressions.
        items: Vec<ExprId>,
    },
    /// A text function or text condition.
    Call {
        /// Which.
        function: Function,
        /// Its arguments, the text first.
        args: SmallVec<[ExprId; 3]>,
    },
    /// Checked arithmetic (rule 8).
    Arithmetic {
        /// Which.
        operation: Arithmetic,
        /// The operands, one or two.
        args: SmallVec<[ExprId; 2]>,
        /// The type of the result.
        ty: Type,
        /// Whether an operand may be null, and so the result.
        nullable: bool,
    },
    /// The first value, or the second where the first is null, missing or of another kind.
    Coalesce {
        /// The value that may be absent.
        value: ExprId,
        /// What stands for it.
        default: ExprId,
        /// The type of both.
        ty: Type,
        /// Whether the default may be null too.
        nullable: bool,
    },
    /// One value where a condition holds, another where it does not.
    When {
        /// The condition.
        condition: ExprId,
        /// The value where it holds.
        then: ExprId,
        /// The value where it does not.
        otherwise: ExprId,
        /// The type of both.
        ty: Type,
        /// Whether one of them may be null.
        nullable: bool,
    },
    /// A field that is read as a default where it is missing, and the struct around it is not.
    Defaulted(ExprId, FieldDefault),
    /// All that a row or a struct holds, as one object: what a struct is whose fields stand beside those around it.
    Flattened(ExprId),
    /// The item of an array at a place, or null.
    Position {
        /// The array.
        of: ExprId,
        /// The zero-based place.
        index: u32,
        /// The declared type of an item.
        ty: Type,
    },
    /// A value that no type declares, as a type: null where it is of another kind.
    OfKind {
        /// The value.
        of: ExprId,
        /// The type.
        ty: Type,
    },
    /// The value of an object under a key that a call supplies, or null.
    Lookup {
        /// The object.
        of: ExprId,
        /// The key: a parameter or a constant.
        key: ExprId,
        /// The declared type of the value.
        ty: Type,
    },
    /// One value made of the items of an array, or of the keys and values of an object; what is neither has none (rule
    /// 20).
    Items {
        /// The array, or the object.
        list: ExprId,
        /// The row that stands for a key of the object; none for an array.
        key: Option<Binder>,
        /// The row that stands for an item, or for what stands under the key.
        item: Binder,
        /// The declared type of an item, and whether null is one.
        ty: Type,
        /// Whether null is an item of the declared type.
        nullable: bool,
        /// What is made of them.
        fold: ItemFold,
    },
    /// One value made of the rows of a group.
    Fold {
        /// Which.
        fold: Fold,
        /// What it is made of; none for the count.
        of: Option<ExprId>,
        /// The type of the result.
        ty: Type,
    },
    /// Several values.
    Tuple(Vec<ExprId>),
    /// A struct or a document made of its members, by their stored names.
    Struct(Vec<(Cow<'static, str>, ExprId)>),
}

/// How two values are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Comparison {
    /// Equal.
    Eq,
    /// Equal, or for an operand that is null: null or missing.
    EqOption,
    /// Not equal: the complement of equal.
    Ne,
    /// Less.
    Lt,
    /// Less or equal.
    Le,
    /// Greater.
    Gt,
    /// Greater or equal.
    Ge,
}

/// How a stored field can hold nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Absence {
    /// It is not there.
    Missing,
    /// It is there, and null.
    JsonNull,
}

/// The functions over text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Function {
    /// Begins with a plain text.
    StartsWith,
    /// Ends with a plain text.
    EndsWith,
    /// Holds a plain text.
    Contains,
    /// Matches a pattern of `%` and `_`.
    Like,
    /// Matches a pattern of `%` and `_` after folding.
    Ilike,
    /// Matches a pattern of `*`, `?` and `[..]`.
    Glob,
    /// Equals after folding.
    EqIgnoreCase,
    /// The number of Unicode scalar values.
    Len,
    /// The number of bytes.
    ByteLen,
    /// The number of bytes that a base64 text stands for.
    BytesLen,
    /// In lower case.
    Lower,
    /// In upper case.
    Upper,
    /// Without white space at both ends.
    Trim,
    /// A part, by scalar values from zero.
    Substr,
    /// The first scalar values: a part from zero, told apart because it keeps the order.
    Left,
    /// With one plain text in the place of another.
    Replace,
    /// Followed by another.
    Concat,
}

impl Function {
    /// Returns whether the result is a condition.
    pub(crate) fn is_condition(self) -> bool {
        use Function::{Contains, EndsWith, EqIgnoreCase, Glob, Ilike, Like, StartsWith};
        matches!(self, StartsWith | EndsWith | Contains | Like | Ilike | Glob | EqIgnoreCase)
    }

    /// Returns the type of the result.
    pub(crate) fn result(self) -> Type {
        match self {
            f if f.is_condition() => Type::Bool,
            Function::Len | Function::ByteLen | Function::BytesLen => Type::U64,
            _ => Type::Text,
        }
    }

    /// Returns the name of the method that makes it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Function::StartsWith => "starts_with",
            Function::EndsWith => "ends_with",
            Function::Contains => "contains",
            Function::Like => "like",
            Function::Ilike => "ilike",
            Function::Glob => "glob",
            Function::EqIgnoreCase => "eq_ignore_case",
            Function::Len => "len",
            Function::ByteLen | Function::BytesLen => "byte_len",
            Function::Lower => "to_lowercase",
            Function::Upper => "to_uppercase",
            Function::Trim => "trim",
            Function::Substr => "substr",
            Function::Left => "left",
            Function::Replace => "replace",
            Function::Concat => "concat",
        }
    }
}

/// The arithmetic operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Arithmetic {
    /// `a + b`.
    Add,
    /// `a - b`.
    Sub,
    /// `a * b`.
    Mul,
    /// `a / b`, toward zero for integers.
    Div,
    /// `a % b`, with the sign of `a`.
    Rem,
    /// `-a`.
    Neg,
    /// `a.abs()`.
    Abs,
    /// The value as another number type.
    Cast,
}

impl Arithmetic {
    /// Returns the operator, method or keyword that makes it.
    pub(crate) fn sign(self) -> &'static str {
        match self {
            Arithmetic::Add => "+",
            Arithmetic::Sub | Arithmetic::Neg => "-",
            Arithmetic::Mul => "*",
            Arithmetic::Div => "/",
            Arithmetic::Rem => "%",
            Arithmetic::Abs => "abs",
            Arithmetic::Cast => "as",
        }
    }
}

/// What one value is made of many by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Fold {
    /// The number of rows.
    Count,
    /// The sum; zero for nothing.
    Sum,
    /// The mean; none for nothing.
    Avg,
    /// The smallest; none for nothing.
    Min,
    /// The largest; none for nothing.
    Max,
}

/// What one value is made of an array's items, or of an object's, by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum ItemFold {
    /// Whether the condition holds for one; false for none.
    Any(ExprId),
    /// Whether it holds for each; true for none.
    All(ExprId),
    /// How many there are.
    Len,
    /// For how many the condition holds.
    CountWhere(ExprId),
    /// The sum of a value, which is of the type; zero for none.
    Sum(ExprId, Type),
}

impl ItemFold {
    /// Returns what is asked of each item.
    pub(crate) fn of(&self) -> Option<ExprId> {
        match self {
            ItemFold::Len => None,
            ItemFold::Any(of) | ItemFold::All(of) | ItemFold::CountWhere(of) | ItemFold::Sum(of, _) => {
                Some(*of)
            }
        }
    }

    fn of_mut(&mut self) -> Option<&mut ExprId> {
        match self {
            ItemFold::Len => None,
            ItemFold::Any(of) | ItemFold::All(of) | ItemFold::CountWhere(of) | ItemFold::Sum(of, _) => {
                Some(of)
            }
        }
    }

    /// Returns the name of the method that makes it.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            ItemFold::Any(_) => "any",
            ItemFold::All(_) => "all",
            ItemFold::Len => "len",
            ItemFold::CountWhere(_) => "count_where",
            ItemFold::Sum(..) => "sum_of",
        }
    }

    /// Returns the type of the result.
    pub(crate) fn ty(&self) -> Type {
        match self {
            ItemFold::Any(_) | ItemFold::All(_) => Type::Bool,
            ItemFold::Len | ItemFold::CountWhere(_) => Type::U64,
            ItemFold::Sum(_, ty) => *ty,
        }
    }
}

/// Where null and missing go in an order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) enum Nulls {
    /// First when ascending, last when descending (rule 5).
    #[default]
    Smallest,
    /// First.
    First,
    /// Last.
    Last,
}

impl Lambda {
    /// Returns the expression of that number. The builder only makes numbers that exist; a number that does not
    /// is answered with a tuple of nothing, which lowering refuses.
    pub(crate) fn node(&self, id: ExprId) -> &Expr {
        static NOTHING: Expr = Expr::Tuple(Vec::new());
        usize::try_from(id).ok().and_then(|i| self.nodes.get(i)).unwrap_or(&NOTHING)
    }

    /// Returns what the closure returned.
    pub(crate) fn root(&self) -> &Expr {
        self.node(self.root)
    }

    /// Returns the row and the path below it that an expression names, when it names one.
    pub(crate) fn place(&self, id: ExprId) -> Option<(Place, FieldPath)> {
        match self.node(id) {
            Expr::Row(binder) => Some((Place { binder: *binder, items: SmallVec::new() }, FieldPath::root())),
            Expr::Item { of, index } => {
                let (mut place, path) = self.place(*of)?;
                path.is_root().then(|| {
                    place.items.push(*index);
                    (place, path)
                })
            }
            Expr::Field { of, key, .. } => {
                let (place, path) = self.place(*of)?;
                Some((place, path.key(key.clone())))
            }
            Expr::Defaulted(field, _) => self.place(*field),
            _ => None,
        }
    }

    /// Returns the paths of the optional structs that a field is in, from the innermost.
    pub(crate) fn optional_structs(&self, id: ExprId) -> Vec<FieldPath> {
        let mut found = Vec::new();
        let mut at = self.field(id);
        while let Expr::Field { of, .. } = self.node(at) {
            at = self.field(*of);
            if self.node(at).is_optional_struct() {
                found.extend(self.place(at).map(|(_, path)| path));
            }
        }
        found
    }

    /// Returns a field's own expression, without its default.
    pub(crate) fn field(&self, id: ExprId) -> ExprId {
        match self.node(id) {
            Expr::Defaulted(field, _) => *field,
            _ => id,
        }
    }
}

/// A row, or an element of a row that is a tuple.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Place {
    /// The row.
    pub(crate) binder: Binder,
    /// The elements taken, from the outermost.
    pub(crate) items: SmallVec<[u8; 2]>,
}

impl Expr {
    /// Returns whether this is a stored struct that a document may lack, which its fields alone would not make.
    pub(crate) fn is_optional_struct(&self) -> bool {
        matches!(self, Expr::Field { ty: Type::Object, nullable: true, .. })
    }

    /// Returns the expression with each operand replaced, from left to right.
    pub(crate) fn map_operands(mut self, f: &mut dyn FnMut(ExprId) -> ExprId) -> Expr {
        match &mut self {
            Expr::Row(_) | Expr::Param { .. } | Expr::Constant { .. } | Expr::Subquery(_) => {}
            Expr::Item { of, .. }
            | Expr::Key { of, .. }
            | Expr::Field { of, .. }
            | Expr::Position { of, .. }
            | Expr::OfKind { of, .. } => *of = f(*of),
            Expr::Lookup { of, key, .. } => (*of, *key) = (f(*of), f(*key)),
            Expr::Items { list, fold, .. } => {
                *list = f(*list);
                if let Some(of) = fold.of_mut() {
                    *of = f(*of);
                }
            }
            Expr::Not(x)
            | Expr::IsNone(x)
            | Expr::IsAbsent(x, _)
            | Expr::Flattened(x)
            | Expr::Defaulted(x, _) => {
                *x = f(*x);
            }
            Expr::InQuery { item, .. } => *item = f(*item),
            Expr::Compare(_, a, b) | Expr::And(a, b) | Expr::Or(a, b) => (*a, *b) = (f(*a), f(*b)),
            Expr::InList { item, list } | Expr::InOptions { item, list } => {
                (*item, *list) = (f(*item), f(*list));
            }
            Expr::Coalesce { value, default, .. } => (*value, *default) = (f(*value), f(*default)),
            Expr::When { condition, then, otherwise, .. } => {
                (*condition, *then, *otherwise) = (f(*condition), f(*then), f(*otherwise));
            }
            Expr::InItems { item, items } => {
                *item = f(*item);
                items.iter_mut().for_each(|x| *x = f(*x));
            }
            Expr::Call { args, .. } => args.iter_mut().for_each(|x| *x = f(*x)),
            Expr::Arithmetic { args, .. } => args.iter_mut().for_each(|x| *x = f(*x)),
            Expr::Fold { of, .. } => *of = of.map(f),
            Expr::Tuple(items) => items.iter_mut().for_each(|x| *x = f(*x)),
            Expr::Struct(members) => members.iter_mut().for_each(|(_, x)| *x = f(*x)),
        }
        self
    }

    /// Returns the operands, from left to right.
    pub(crate) fn operands(&self) -> SmallVec<[ExprId; 4]> {
        let mut operands = SmallVec::new();
        let _ = self.clone().map_operands(&mut |x| {
            operands.push(x);
            x
        });
        operands
    }
}
