//! Order across kinds, and the order of rows (rules 5 and 6).

use std::cmp::Ordering;

use super::EvalError;
use super::expr::Evaluator;
use super::json::Json;
use super::number::Number;
use super::row::{Behind, Meaning, Row, Term};
use crate::ir::doc::{Nulls, OrderKey};
use crate::ir::value::Kind;

/// The place of a value in the ascending order of values declared with one kind.
#[derive(Clone, Debug)]
pub(super) enum Rank {
    Null,
    Number(Number),
    Text(String),
    /// The rest, which is in no promised order: told apart by its text, so that each is a group of its own.
    Rest(String),
}

impl Rank {
    /// Returns the place of a value that is declared with the kind. Among texts a bool counts as 0 or 1; among
    /// bools all that is no bool is one.
    pub(super) fn of(value: &Json, declared: Kind) -> Rank {
        match (value, declared) {
            (Json::Null, _) => Rank::Null,
            (Json::Bool(x), Kind::Bool | Kind::Text) => Rank::Number(Number::Int((*x).into())),
            (_, Kind::Bool) => Rank::Rest(String::new()),
            (Json::Text(text), _) => Rank::Text(text.clone()),
            _ => Number::of(value).map_or_else(|| Rank::Rest(value.to_string()), Rank::Number),
        }
    }

    /// Returns whether the place among its like is not promised.
    fn is_rest(&self) -> bool {
        matches!(self, Rank::Rest(_))
    }

    fn class(&self) -> u8 {
        match self {
            Rank::Null => 0,
            Rank::Number(_) => 1,
            Rank::Text(_) => 2,
            Rank::Rest(_) => 3,
        }
    }
}

impl Ord for Rank {
    fn cmp(&self, other: &Rank) -> Ordering {
        match (self, other) {
            (Rank::Number(a), Rank::Number(b)) => a.compare(*b),
            (Rank::Text(a), Rank::Text(b)) | (Rank::Rest(a), Rank::Rest(b)) => a.cmp(b),
            _ => self.class().cmp(&other.class()),
        }
    }
}

impl PartialOrd for Rank {
    fn partial_cmp(&self, other: &Rank) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Rank {
    fn eq(&self, other: &Rank) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Rank {}

/// Returns whether rows with these places are in no promised order: two of the rest meet in one column.
pub(super) fn is_open<'r>(places: impl Iterator<Item = &'r Vec<Rank>>) -> bool {
    let mut met: Vec<bool> = Vec::new();
    for place in places {
        met.resize(place.len().max(met.len()), false);
        for (met, rank) in met.iter_mut().zip(place).filter(|(_, rank)| rank.is_rest()) {
            if std::mem::replace(met, rank.is_rest()) {
                return true;
            }
        }
    }
    false
}

/// A key that rows are sorted by, with what stands before it.
#[derive(Clone, Debug)]
pub(super) struct SortKey<'a> {
    pub(super) key: &'a OrderKey,
    pub(super) behind: Behind<'a>,
}

/// Sorts rows by the keys and at last by what they are, in the direction of the last key. Returns whether two rows
/// have no promised order.
pub(super) fn sort<'a>(
    evaluator: &Evaluator<'a>,
    rows: &mut Vec<Row<'a>>,
    keys: &[SortKey<'a>],
) -> Result<bool, EvalError> {
    let mut placed = Vec::with_capacity(rows.len());
    for row in rows.drain(..) {
        let mut places = Vec::with_capacity(keys.len());
        for SortKey { key, behind } in keys {
            let term = Term::root(&key.by, behind, Some(row.clone()));
            places.push(Rank::of(&*evaluator.value(&term)?, term.ty().kind()));
        }
        placed.push((places, row));
    }
    let reversed = keys.last().is_some_and(|last| last.key.descending);
    placed.sort_by(|(a, row_a), (b, row_b)| {
        let by_keys = keys.iter().zip(a.iter().zip(b)).map(|(key, (a, b))| place(key.key, a, b));
        let by_itself = if reversed { itself(row_b, row_a) } else { itself(row_a, row_b) };
        by_keys.fold(Ordering::Equal, Ordering::then).then(by_itself)
    });
    let open = is_open(placed.iter().map(|(places, _)| places))
        || is_open(placed.iter().filter_map(|(_, row)| key(row)));
    rows.extend(placed.into_iter().map(|(_, row)| row));
    Ok(open)
}

fn place(key: &OrderKey, a: &Rank, b: &Rank) -> Ordering {
    let by_value = if key.descending { b.cmp(a) } else { a.cmp(b) };
    let nulls = (*a == Rank::Null).cmp(&(*b == Rank::Null));
    match key.nulls {
        Nulls::Smallest => by_value,
        Nulls::First => nulls.reverse().then(by_value),
        Nulls::Last => nulls.then(by_value),
    }
}

/// Compares what two rows are: documents by id, groups by key.
fn itself(a: &Row<'_>, b: &Row<'_>) -> Ordering {
    match (a, b) {
        (Row::Document(a), Row::Document(b)) => a.id.cmp(&b.id),
        _ => key(a).cmp(&key(b)),
    }
}

fn key<'r>(row: &'r Row<'_>) -> Option<&'r Vec<Rank>> {
    match row {
        Row::Document(_) => None,
        Row::Group(group) => Some(&group.key),
    }
}

/// Returns the key of the group that a row belongs to.
pub(super) fn group_key<'a>(evaluator: &Evaluator<'a>, key: &Term<'a>) -> Result<Vec<Rank>, EvalError> {
    let rank = |column| match column {
        Meaning::Document(document) => Ok(document.map_or(Rank::Null, |d| Rank::Number(Number::Int(d.id)))),
        Meaning::Node(term) => Ok(Rank::of(&*evaluator.value(&term)?, term.ty().kind())),
        Meaning::Item(_) | Meaning::Nothing => Ok(Rank::Null),
    };
    key.columns().into_iter().map(rank).collect()
}
