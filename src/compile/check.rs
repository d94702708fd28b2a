//! Refuses what cannot be run, in the user's words, before anything is lowered.

use crate::compile::CompileError;
use crate::ir::catalog::FILES;
use crate::ir::doc::{
    Assignment, Count, Expr, ExprId, Lambda, Query, Source, Stage, Statement, Subquery, Terminal,
};
use crate::ir::path::FieldPath;
use crate::ir::types::Type;

/// How deep an expression may nest, chains of `&` and `|` counting as one level.
const DEPTH_LIMIT: usize = 200;

/// How many levels a query in an expression is, one over a list's items too: SQLite takes few in one another.
const QUERY_DEPTH: usize = 8;

/// How many queries may stand in one another, at the most: a builder need not go further.
pub(crate) const NESTING_LIMIT: usize = DEPTH_LIMIT / QUERY_DEPTH;

/// How many stages of a query may cut or group its rows: each is a query around the one before, of which SQLite takes a
/// few hundred in one another.
const CUTS_LIMIT: usize = 100;

/// Returns the error for what is nested too deep.
pub(crate) fn too_deep() -> CompileError {
    CompileError::Unsupported {
        what: format!("an expression nested more than {DEPTH_LIMIT} levels deep"),
        instead: "split it into several filters, or use `is_in` with a list".to_owned(),
    }
}

/// Checks a closure that has no parameters, such as a key of an index.
pub(crate) fn closure(lambda: &Lambda) -> Result<(), CompileError> {
    expression(lambda, 0).map(|_| ())
}

/// Checks a statement.
pub(super) fn check(statement: &Statement) -> Result<(), CompileError> {
    let params = statement.params.len();
    query(&statement.query, params)?;
    let Source::Collection { key, name, .. } = &statement.query.source;
    if statement.terminal.is_write() && name == FILES {
        return Err(CompileError::Unsupported {
            what: "a write by a query over files".into(),
            instead: "ask for their paths, and use the calls of `files()`".into(),
        });
    }
    match &statement.terminal {
        Terminal::Fold(_, lambda) => expression(lambda, params).map(|_| ()),
        Terminal::Update(assignments) => {
            assignments.iter().try_for_each(|assignment| assigned(assignment, params, key))?;
            apart(assignments)
        }
        _ => Ok(()),
    }
}

/// Checks the stages of a query and returns how deep its expressions nest, and its stages.
fn query(query: &Query, params: usize) -> Result<usize, CompileError> {
    let cuts = query
        .stages
        .iter()
        .filter(|stage| matches!(stage, Stage::Skip(_) | Stage::Take(_) | Stage::Group(_)));
    let cuts = cuts.count();
    if cuts > CUTS_LIMIT {
        return Err(CompileError::Unsupported {
            what: format!("a query with more than {CUTS_LIMIT} `skip`, `take` and `group_by`"),
            instead: "read what the inner ones give, and ask on from there".to_owned(),
        });
    }
    let mut deepest = 0;
    for stage in &query.stages {
        match stage {
            Stage::FilterSome(slot, _)
            | Stage::Skip(Count::Param(slot))
            | Stage::Take(Count::Param(slot)) => known(*slot, params)?,
            _ => {}
        }
        for lambda in stage.lambdas() {
            deepest = deepest.max(expression(lambda, params)?);
        }
        if let Stage::Select(lambda) = stage {
            selected(lambda, lambda.root)?;
        }
    }
    Ok(deepest + cuts)
}

/// Checks a query inside of a closure and returns how deep its expressions nest.
fn subquery(subquery: &Subquery, params: usize) -> Result<usize, CompileError> {
    let refused = |what: &str, instead: &str| CompileError::Unsupported {
        what: format!("{what} as a value inside of a closure"),
        instead: instead.to_owned(),
    };
    let deepest = query(&subquery.query, params)?;
    match &subquery.terminal {
        Terminal::Rows => {
            Err(refused("all rows of a query", "ask `is_in` of the query, or take its `first()`"))
        }
        Terminal::Single => Err(refused("`single()`", "take the `first()`")),
        Terminal::Update(_) | Terminal::Delete => Err(refused("an update or delete", "run it on its own")),
        Terminal::Fold(_, lambda) => Ok(deepest.max(expression(lambda, params)?)),
        Terminal::First | Terminal::Count | Terminal::Exists | Terminal::NotExists => Ok(deepest),
    }
}

fn known(slot: u16, params: usize) -> Result<(), CompileError> {
    if usize::from(slot) < params { Ok(()) } else { Err(CompileError::ForeignParameter) }
}

/// Checks the parameters and the depth of an expression, and returns how deep it nests.
fn expression(lambda: &Lambda, params: usize) -> Result<usize, CompileError> {
    let mut depths: Vec<usize> = Vec::with_capacity(lambda.nodes.len());
    for node in &lambda.nodes {
        if let Expr::Param { slot, .. } = node {
            known(*slot, params)?;
        }
        let inside = match node {
            Expr::Subquery(inner) => subquery(inner, params)?,
            Expr::InQuery { query: inner, .. } => query(inner, params)?,
            _ => 0,
        };
        let operands = node.operands();
        let below = |id: &ExprId| depths.get(*id as usize).copied().unwrap_or(0);
        let deepest = operands.iter().map(below).chain([inside]).max().unwrap_or(0);
        let chained = match node {
            Expr::And(..) => operands.iter().any(|id| matches!(lambda.node(*id), Expr::And(..))),
            Expr::Or(..) => operands.iter().any(|id| matches!(lambda.node(*id), Expr::Or(..))),
            _ => false,
        };
        let depth = deepest
            + match node {
                Expr::Items { .. } | Expr::Subquery(_) | Expr::InQuery { .. } => QUERY_DEPTH,
                _ => usize::from(!chained),
            };
        if depth > DEPTH_LIMIT {
            return Err(too_deep());
        }
        depths.push(depth);
    }
    Ok(depths.into_iter().max().unwrap_or(0))
}

/// Checks that what is selected as a value that is always there cannot be absent with the struct around it.
fn selected(lambda: &Lambda, id: ExprId) -> Result<(), CompileError> {
    match lambda.node(id) {
        Expr::Tuple(items) => items.iter().try_for_each(|item| selected(lambda, *item)),
        Expr::Defaulted(field, _) => selected(lambda, *field),
        Expr::Struct(members) => members.iter().try_for_each(|(_, member)| selected(lambda, *member)),
        Expr::Field { of, nullable: false, .. } => {
            let mut outer = *of;
            while let Expr::Field { of, nullable, .. } = lambda.node(outer) {
                if *nullable {
                    return Err(CompileError::MayBeAbsent { path: lambda.display(id) });
                }
                outer = *of;
            }
            Ok(())
        }
        _ => Ok(()),
    }
}

/// Returns the lambda of an assignment and the field that it goes to.
fn target(assignment: &Assignment) -> (&Lambda, ExprId) {
    let lambda = assignment.lambda();
    let target = match lambda.root() {
        Expr::Tuple(pair) => pair.first().copied().unwrap_or(lambda.root),
        _ => lambda.root,
    };
    (lambda, target)
}

/// Checks that an assignment goes to a stored field of the document.
fn assigned(assignment: &Assignment, params: usize, key: &str) -> Result<(), CompileError> {
    let (lambda, target) = target(assignment);
    expression(lambda, params)?;
    if lambda.has_query() {
        // What it gives for one document could depend on those that were changed before.
        return Err(CompileError::Unsupported {
            what: "a query inside of an assigned value".to_owned(),
            instead: "read what it gives first, and assign that".to_owned(),
        });
    }
    match lambda.node(lambda.field(target)) {
        Expr::Field { ty, .. } => match assignment {
            Assignment::Increment(_) if ty.kind() != Type::I64.kind() => Err(CompileError::TypeMismatch {
                expression: lambda.display(target),
                method: "increment".to_owned(),
                found: *ty,
                needed: "a number",
            }),
            _ => match lambda.place(target) {
                // A key that is no row id is stored like a field.
                Some((_, path)) if path == FieldPath::root().key(key.to_owned()) => {
                    Err(CompileError::KeyAssigned { path: key.to_owned() })
                }
                Some(_) => Ok(()),
                None => Err(CompileError::NotAField { expression: lambda.display(target) }),
            },
        },
        Expr::Key { .. } => Err(CompileError::KeyAssigned { path: key.to_owned() }),
        Expr::Flattened(_) => Err(CompileError::Unsupported {
            what: "assigning a flattened struct or enum, whose fields stand beside others,".to_owned(),
            instead: "assign its fields, or replace the document".to_owned(),
        }),
        _ => Err(CompileError::NotAField { expression: lambda.display(target) }),
    }
}

/// Checks that no assignment undoes one before it, and that none counts on from one: all of them read the document
/// as it was, so that one of the two would be lost.
fn apart(assignments: &[Assignment]) -> Result<(), CompileError> {
    let mut before: Vec<FieldPath> = Vec::with_capacity(assignments.len());
    for assignment in assignments {
        let (lambda, target) = target(assignment);
        let Some((_, path)) = lambda.place(target) else { continue };
        let counts = matches!(assignment, Assignment::Increment(_));
        let lost = |other: &&FieldPath| other.is_below(&path) || (counts && path.is_below(other));
        if let Some(other) = before.iter().find(lost) {
            return Err(CompileError::Unsupported {
                what: format!("assigning `{other}` and then `{path}` in one update"),
                instead: "assign each field once, and a whole struct before its fields".to_owned(),
            });
        }
        before.push(path);
    }
    Ok(())
}
