//! Changes to documents (rule 22).
//!
//! Values are read from the document as it was, one of another kind as null (rule 4). The changes are made in the
//! order in which they are written.

use super::expr::Evaluator;
use super::json::Json;
use super::number;
use super::row::{Behind, Meaning, Row, Term};
use super::{Document, EvalError, Outcome};
use crate::ir::doc::{Arithmetic, Assignment, Expr, Lambda, OnNull};

/// Changes the documents that are among `rows`.
pub(super) fn update<'a>(
    evaluator: &Evaluator<'a>,
    documents: &'a [Document],
    rows: &[Row<'a>],
    behind: &Behind<'a>,
    assignments: &'a [Assignment],
) -> Result<Outcome, EvalError> {
    let mut documents = documents.to_vec();
    let mut count = 0;
    for row in rows {
        let Meaning::Document(Some(old)) = Term::whole(behind, row.clone()) else { continue };
        let mut body = old.body.clone();
        for assignment in assignments {
            change(evaluator, assignment, behind, row, &mut body)?;
        }
        if body != old.body {
            count += 1;
            documents.iter_mut().filter(|d| d.id == old.id).for_each(|d| d.body = body.clone());
        }
    }
    Ok(Outcome::Changed { count, documents })
}

/// Leaves out the documents that are among `rows`.
pub(super) fn delete<'a>(documents: &'a [Document], rows: &[Row<'a>], behind: &Behind<'a>) -> Outcome {
    let gone = |document: &Document| {
        rows.iter().any(|row| matches!(Term::whole(behind, row.clone()), Meaning::Document(Some(d)) if d.id == document.id))
    };
    let documents: Vec<Document> = documents.iter().filter(|d| !gone(d)).cloned().collect();
    Outcome::Changed { count: rows.len() as u64, documents }
}

fn change<'a>(
    evaluator: &Evaluator<'a>,
    assignment: &'a Assignment,
    behind: &Behind<'a>,
    row: &Row<'a>,
    body: &mut Json,
) -> Result<(), EvalError> {
    let pair = |lambda: &'a Lambda| match lambda.root() {
        Expr::Tuple(items) => match items.as_slice() {
            [target, value] => {
                let root = Term::root(lambda, behind, Some(row.clone()));
                Some((root.at(*target), root.at(*value)))
            }
            _ => None,
        },
        _ => None,
    };
    let (Assignment::Set(lambda, _) | Assignment::Unset(lambda) | Assignment::Increment(lambda)) = assignment;
    let Some((target, value)) = pair(lambda) else { return Ok(()) };
    let path = path(&target);
    match assignment {
        Assignment::Set(_, on_null) => match (evaluator.of_declared_kind(&value)?.into_owned(), on_null) {
            (Json::Null, OnNull::Refuse) => Err(EvalError::TypeMismatch),
            (Json::Null, OnNull::Remove) => {
                // It fails where a value could not be set.
                set(&mut body.clone(), &path, Json::Null)?;
                unset(body, &path);
                Ok(())
            }
            (value, _) => set(body, &path, value),
        },
        Assignment::Unset(_) => {
            unset(body, &path);
            Ok(())
        }
        Assignment::Increment(_) => {
            let by = evaluator.of_declared_kind(&value)?.into_owned();
            if by == Json::Null {
                return Ok(());
            }
            let old = match evaluator.value(&target)?.into_owned() {
                Json::Null => Json::Int(0),
                number @ (Json::Int(_) | Json::Real(_)) => number,
                _ => return Err(EvalError::TypeMismatch),
            };
            set(body, &path, number::arithmetic(Arithmetic::Add, &[old, by], target.ty())?)
        }
    }
}

/// A key on the way to a field.
struct Step {
    key: String,
    /// Whether what stands under it is not made for the sake of what is set below.
    must_be_there: bool,
}

/// Returns the steps from the document's root to a field.
fn path(target: &Term<'_>) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut at = target.resolve();
    while let Meaning::Node(term) = &at {
        at = match term.node() {
            node @ Expr::Field { of, key, .. } => {
                let must_be_there = !steps.is_empty() && node.is_optional_struct();
                steps.push(Step { key: key.to_string(), must_be_there });
                term.at(*of).resolve()
            }
            Expr::Defaulted(field, _) => term.at(*field).resolve(),
            _ => break,
        };
    }
    steps.reverse();
    steps
}

/// Stores a value; parents that are missing are made, but for optional structs, and one that is no object is an error.
fn set(within: &mut Json, path: &[Step], value: Json) -> Result<(), EvalError> {
    let Some((step, rest)) = path.split_first() else {
        *within = value;
        return Ok(());
    };
    let Json::Object(entries) = within else { return Err(EvalError::TypeMismatch) };
    match entries.iter_mut().find(|(k, _)| *k == step.key) {
        Some((_, inner)) => set(inner, rest, value),
        None if step.must_be_there => Err(EvalError::TypeMismatch),
        None => {
            let mut inner = Json::Object(Vec::new());
            set(&mut inner, rest, value)?;
            entries.push((step.key.clone(), inner));
            Ok(())
        }
    }
}

/// Removes a value, if it is there.
fn unset(within: &mut Json, path: &[Step]) {
    let (Json::Object(entries), Some((step, rest))) = (within, path.split_first()) else { return };
    let Some(at) = entries.iter().position(|(k, _)| *k == step.key) else { return };
    if rest.is_empty() {
        entries.remove(at);
    } else if let Some((_, inner)) = entries.get_mut(at) {
        unset(inner, rest);
    }
}
