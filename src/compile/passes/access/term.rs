//! What a condition offers to an index, and what it needs to be asked at all.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::compile::passes::null_safe;
use crate::ir::sql::{Alias, Binary, Expr, free_sources, sources_around, walk};

/// What a condition says about one column of a source.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Term {
    pub(super) column: Key,
    pub(super) shape: TermShape,
}

/// A column of a source, or its row id.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Key {
    Id,
    Column(Arc<str>),
}

/// How a condition bounds its column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TermShape {
    /// Equal to one value.
    Equal,
    /// Null or missing.
    Null,
    /// One of several values.
    In,
    /// One of several values, null among them.
    InOptions,
    /// Between two bounds.
    Between,
    /// On one side of a bound.
    OneSided,
    /// Of its kind.
    OfKind,
    /// Neither null nor missing.
    Present,
}

impl TermShape {
    /// Returns whether this leaves out a part of what an index holds, and not only what is no value of the kind.
    pub(super) fn bounds(self) -> bool {
        !matches!(self, TermShape::OfKind | TermShape::Present)
    }

    /// Returns whether an index can go on to its next column behind this one.
    pub(super) fn is_point(self) -> bool {
        matches!(self, TermShape::Equal | TermShape::Null)
    }
}

/// Returns what a condition offers to an index of `source`, if anything.
pub(super) fn term(condition: &Expr, source: Alias) -> Option<Term> {
    let key = |expr: &Expr| match expr {
        Expr::Id(alias) if *alias == source => Some(Key::Id),
        Expr::Column { source: alias, name, .. } if *alias == source => Some(Key::Column(Arc::clone(name))),
        _ => None,
    };
    let (column, shape) = match condition {
        Expr::Binary(Binary::Eq | Binary::Is, left, right) => {
            let sought = |of: &Expr, other: &Expr| key(of).filter(|_| is_outside(other, source));
            (sought(left, right).or_else(|| sought(right, left))?, TermShape::Equal)
        }
        Expr::Binary(Binary::Lt | Binary::Le | Binary::Gt | Binary::Ge, left, right)
            if is_outside(right, source) =>
        {
            (key(left)?, TermShape::OneSided)
        }
        Expr::IsNull(inner) => (key(inner)?, TermShape::Null),
        Expr::NotTrue(inner) => match inner.as_ref() {
            Expr::IsNull(inner) => (key(inner)?, TermShape::Present),
            _ => return None,
        },
        Expr::In(item, list) if !sources_around(list).contains(&source) => (key(item)?, TermShape::In),
        // The list is a literal or an argument.
        Expr::InOptions(item, ..) => (key(item)?, TermShape::InOptions),
        Expr::Range(range) => {
            let bounds = [&range.low, &range.high];
            if !bounds.iter().copied().flatten().all(|bound| is_outside(&bound.value, source)) {
                return None;
            }
            let shape = match bounds.iter().filter(|bound| bound.is_some()).count() {
                2 => TermShape::Between,
                1 => TermShape::OneSided,
                _ => TermShape::OfKind,
            };
            (key(&range.of)?, shape)
        }
        Expr::Or(_) if let Some((field, value)) = null_safe::field_and_value(condition) => {
            (key(field).filter(|_| is_outside(value, source))?, TermShape::In)
        }
        Expr::Or(parts) => {
            let first = parts.first().and_then(|part| term(part, source))?;
            let alike = parts.iter().all(|part| {
                matches!(part, Expr::Binary(Binary::Eq, ..)) && term(part, source).as_ref() == Some(&first)
            });
            alike.then_some((first.column, TermShape::In))?
        }
        _ => return None,
    };
    Some(Term { column, shape })
}

/// Returns whether an expression names nothing of a source.
pub(super) fn is_outside(expr: &Expr, source: Alias) -> bool {
    !free_sources(expr).contains(&source)
}

/// Returns whether an expression names nothing of any source but this one.
pub(super) fn is_alone(expr: &Expr, source: Alias) -> bool {
    free_sources(expr).iter().all(|alias| *alias == source)
}

/// What of a source an expression needs.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Needs {
    /// The virtual columns.
    pub(super) columns: BTreeSet<Arc<str>>,
    /// Whether it needs the document itself.
    pub(super) document: bool,
}

impl Needs {
    pub(super) fn add(&mut self, expr: &Expr, source: Alias) {
        walk(expr, &mut |x| match x {
            Expr::Doc(alias) if *alias == source => self.document = true,
            Expr::Column { source: alias, name, .. } if *alias == source => {
                self.columns.insert(Arc::clone(name));
            }
            _ => {}
        });
    }

    pub(super) fn of(expr: &Expr, source: Alias) -> Needs {
        let mut needs = Needs::default();
        needs.add(expr, source);
        needs
    }

    /// Returns whether `columns` and the row id are enough.
    pub(super) fn are_within(&self, columns: &[String]) -> bool {
        !self.document && self.columns.iter().all(|name| columns.iter().any(|column| **column == **name))
    }
}
