//! Expressions of the SQL tree, and the constructors that keep them in normal form.

use std::sync::Arc;

use crate::ir::path::FieldPath;
use crate::ir::sql::{Alias, Select, SqlFunction};
use crate::ir::value::{FieldDefault, Kind, View};

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Expr {
    /// The row id of a source.
    Id(Alias),
    /// The document of a source.
    Doc(Alias),
    /// A virtual column: the value at a path, as a view sees it.
    Column {
        /// The source.
        source: Alias,
        /// The column's name.
        name: Arc<str>,
        /// How it sees the path.
        view: View,
        /// The path that it stands for.
        path: FieldPath,
    },
    /// The value at a path of a document, as a view sees it: what the virtual column would hold.
    Extract {
        /// The document.
        document: Box<Expr>,
        /// The path.
        path: FieldPath,
        /// The view.
        view: View,
        /// What stands for a missing value.
        default: Option<FieldDefault>,
    },
    /// The value at a path of a document that a call completes, as a view sees it.
    Lookup {
        /// The document.
        document: Box<Expr>,
        /// The path, a text.
        path: Box<Expr>,
        /// The view.
        view: View,
    },
    /// A column of a nested query or a recursive table, by its place.
    Output {
        /// The source.
        source: Alias,
        /// The place.
        column: usize,
    },
    /// The item of an array, as a view sees it.
    Item {
        /// The array's source.
        source: Alias,
        /// The view.
        view: View,
    },
    /// A named column of a recursive table or of a list's items.
    Named {
        /// The source.
        source: Alias,
        /// The name.
        name: &'static str,
    },
    /// The value of that bind.
    Bind(usize),
    /// A value that the query names, and a partial index too.
    Literal(FieldDefault),
    /// A number that the compiler wrote.
    Int(i64),
    /// A text that the compiler wrote: a type's name, a JSON path.
    Text(Arc<str>),
    /// The empty blob, which is above every text.
    AboveText,
    /// SQL NULL.
    Null,
    /// True or false.
    Bool(bool),
    /// Two operands.
    Binary(Binary, Box<Expr>, Box<Expr>),
    /// All hold. Never nested in another `And`, never of one.
    And(Vec<Expr>),
    /// At least one holds. Never nested in another `Or`, never of one.
    Or(Vec<Expr>),
    /// The condition is not true: the exact complement, two-valued.
    NotTrue(Box<Expr>),
    /// The condition is true: two-valued, where its value is seen.
    IsTrue(Box<Expr>),
    /// SQL NULL.
    IsNull(Box<Expr>),
    /// Between bounds of one kind.
    Range(Box<Range>),
    /// In the values of a query of one column.
    In(Box<Expr>, Box<Select>),
    /// The same, but null is in them where the bind is null; that is [`BindForm::NoneOf`](super::BindForm) of their list.
    InOptions(Box<Expr>, Box<Select>, Box<Expr>),
    /// The value, such that no index serves it: rows sorted by it are all read before the first is returned.
    Unindexed(Box<Expr>),
    /// A value that is declared with the kind, null where it is of another.
    OfKind(Box<Expr>, Kind),
    /// A value that no kind was declared for, null where it is not of this one.
    Only(Box<Expr>, Kind),
    /// A function of its arguments.
    Call(SqlFunction, Vec<Expr>),
    /// `CASE WHEN .. THEN .. ELSE .. END`.
    Case {
        /// Conditions and their values.
        when: Vec<(Expr, Expr)>,
        /// The value where no condition holds; null for none.
        otherwise: Option<Box<Expr>>,
    },
    /// The count of all rows.
    CountAll,
    /// Whether a query has a row.
    Exists(Box<Select>),
    /// The only value of a query, or null.
    Scalar(Box<Select>),
}

/// An operator of two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Binary {
    /// `=`.
    Eq,
    /// `IS`.
    Is,
    /// `IS NOT`.
    IsNot,
    /// `<`.
    Lt,
    /// `<=`.
    Le,
    /// `>`.
    Gt,
    /// `>=`.
    Ge,
    /// `+`, for the compiler's own counting.
    Add,
    /// `||`, for the compiler's own paths.
    Concat,
}

/// A value between bounds; where a bound is missing, the edge of the kind stands in, so that values of other
/// kinds stay outside.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Range {
    /// The value.
    pub(crate) of: Expr,
    /// The kind.
    pub(crate) kind: RangeKind,
    /// The lower bound.
    pub(crate) low: Option<Bound>,
    /// The upper bound.
    pub(crate) high: Option<Bound>,
}

/// A bound of a range.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Bound {
    /// The bound.
    pub(crate) value: Expr,
    /// Whether it belongs to the range.
    pub(crate) inclusive: bool,
}

/// The kinds that have ranges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RangeKind {
    /// Text: above numbers, below blobs.
    Text,
    /// Numbers, and bools as 1 and 0: above null, below text.
    Number,
}

impl Expr {
    /// Returns the condition that all of `conditions` hold, flat.
    pub(crate) fn all(conditions: Vec<Expr>) -> Expr {
        Self::flat(conditions, Expr::And, |expr| match expr {
            Expr::And(parts) => Ok(parts),
            other => Err(other),
        })
        .unwrap_or(Expr::Bool(true))
    }

    /// Returns the condition that one of `conditions` holds, flat.
    pub(crate) fn any(conditions: Vec<Expr>) -> Expr {
        Self::flat(conditions, Expr::Or, |expr| match expr {
            Expr::Or(parts) => Ok(parts),
            other => Err(other),
        })
        .unwrap_or(Expr::Bool(false))
    }

    fn flat(
        conditions: Vec<Expr>,
        join: fn(Vec<Expr>) -> Expr,
        parts: fn(Expr) -> Result<Vec<Expr>, Expr>,
    ) -> Option<Expr> {
        let mut flat = Vec::with_capacity(conditions.len());
        for condition in conditions {
            match parts(condition) {
                Ok(inner) => flat.extend(inner),
                Err(other) => flat.push(other),
            }
        }
        if flat.len() > 1 { Some(join(flat)) } else { flat.pop() }
    }

    /// Returns two operands under an operator.
    pub(crate) fn binary(operator: Binary, left: Expr, right: Expr) -> Expr {
        Expr::Binary(operator, Box::new(left), Box::new(right))
    }

    /// Returns the conditions that this one is the AND of.
    pub(crate) fn into_conjuncts(self) -> Vec<Expr> {
        match self {
            Expr::And(parts) => parts,
            other => vec![other],
        }
    }
}

/// Returns the source that an expression itself names.
pub(super) fn alias_of(expr: &Expr) -> Option<Alias> {
    match expr {
        Expr::Id(alias) | Expr::Doc(alias) => Some(*alias),
        Expr::Column { source, .. }
        | Expr::Output { source, .. }
        | Expr::Named { source, .. }
        | Expr::Item { source, .. } => Some(*source),
        _ => None,
    }
}
