//! Conditions, for places where null counts as false.

use crate::compile::CompileError;
use crate::compile::lower::Lowering;
use crate::compile::lower::value::{Value, can_fail, given_by_call, range_kind, unsupported};
use crate::ir::doc::{self, Absence, Comparison, ExprId, Lambda, Terminal};
use crate::ir::sql::{
    Alias, Binary, BindForm, BindSource, Bound, Expr, Range, Select, Source, SourceKind, SqlFunction,
    free_sources, walk,
};
use crate::ir::types::Type;

impl Lowering<'_> {
    /// Lowers a condition. What it gives may be null where the condition is false.
    pub(super) fn condition(&mut self, lambda: &Lambda, id: ExprId) -> Result<Expr, CompileError> {
        use doc::Expr as E;
        Ok(match lambda.node(id) {
            E::And(..) => {
                let (certain, fallible) = self.parts(lambda, conjuncts(lambda, id))?;
                guarded(&certain, &fallible).unwrap_or_else(|| Expr::all(certain))
            }
            E::Or(..) => {
                let parts = chain(lambda, id, |node| match node {
                    E::Or(left, right) => Some((*left, *right)),
                    _ => None,
                });
                let (certain, fallible) = self.parts(lambda, parts)?;
                spared(&certain, &fallible).unwrap_or_else(|| Expr::any(certain))
            }
            E::Not(inner) => Expr::NotTrue(Box::new(self.condition(lambda, *inner)?)),
            E::Compare(comparison, left, right) => {
                let (left, right) = (self.value(lambda, *left)?, self.value(lambda, *right)?);
                match comparison {
                    Comparison::EqOption => compare(*comparison, &left, &right),
                    _ => compare(*comparison, &self.compared(left), &self.compared(right)),
                }
            }
            E::IsAbsent(inner, absence) => self.absent(lambda, *inner, *absence)?,
            E::IsNone(inner) => Expr::IsNull(Box::new(self.value(lambda, *inner)?.expr)),
            E::InList { item, list } => {
                let (item, items) = self.in_list(lambda, *item, *list)?;
                Expr::In(item, items)
            }
            E::InOptions { item, list } => {
                let none = self.bind(given_list(lambda, *list)?, BindForm::NoneOf);
                let (item, items) = self.in_list(lambda, *item, *list)?;
                // A key is never null.
                let is_key = matches!(*item, Expr::Id(_));
                if is_key { Expr::In(item, items) } else { Expr::InOptions(item, items, Box::new(none)) }
            }
            E::InQuery { item, query } => {
                let item = self.value(lambda, *item)?.expr;
                Expr::In(Box::new(item), Box::new(self.values_inside(query)?))
            }
            E::Subquery(subquery) if matches!(subquery.terminal, Terminal::Exists | Terminal::NotExists) => {
                self.exists_inside(subquery)?
            }
            E::InItems { item, items } => {
                let item = self.value(lambda, *item)?;
                let mut any = Vec::with_capacity(items.len());
                for other in items {
                    any.push(equal(&item, &self.value(lambda, *other)?, false));
                }
                Expr::any(any)
            }
            E::Call { function, args } if function.is_condition() => self.call(lambda, *function, args)?.expr,
            E::Items { fold, .. } if fold.ty() == Type::Bool => self.value(lambda, id)?.expr,
            // A bool: 1 and 0 in SQL throughout, and '' for another kind, which no bool equals.
            _ => Expr::binary(Binary::Eq, self.value(lambda, id)?.expr, Expr::Int(1)),
        })
    }

    /// Lowers the conditions that a closure returned the AND of.
    pub(super) fn conjuncts(&mut self, lambda: &Lambda) -> Result<Vec<Expr>, CompileError> {
        conjuncts(lambda, lambda.root).into_iter().map(|part| self.condition(lambda, part)).collect()
    }

    fn absent(&mut self, lambda: &Lambda, field: ExprId, absence: Absence) -> Result<Expr, CompileError> {
        let (document, path) = self.place_of(lambda, field)?;
        let found = Expr::Call(SqlFunction::JsonType, vec![document, path]);
        Ok(match absence {
            Absence::Missing => Expr::IsNull(Box::new(found)),
            Absence::JsonNull => Expr::binary(Binary::Eq, found, Expr::Text("null".into())),
        })
    }

    /// Lowers conditions: those that cannot fail, and those that can.
    fn parts(&mut self, lambda: &Lambda, parts: Vec<ExprId>) -> Result<(Vec<Expr>, Vec<Expr>), CompileError> {
        let (mut certain, mut fallible) = (Vec::new(), Vec::new());
        for part in parts {
            let condition = self.condition(lambda, part)?;
            if can_fail(&condition) { fallible.push(condition) } else { certain.push(condition) }
        }
        Ok((certain, fallible))
    }

    /// Lowers a value and the list that it is looked for in.
    fn in_list(
        &mut self,
        lambda: &Lambda,
        item: ExprId,
        list: ExprId,
    ) -> Result<(Box<Expr>, Box<Select>), CompileError> {
        let item = self.value(lambda, item)?.expr;
        let list = self.bind(given_list(lambda, list)?, BindForm::List);
        let alias = self.alias();
        Ok((Box::new(item), Box::new(items(alias, list))))
    }
}

/// Returns where a list of values comes from.
fn given_list(lambda: &Lambda, list: ExprId) -> Result<BindSource, CompileError> {
    given_by_call(lambda, list).ok_or_else(|| {
        let what = "a list that is neither a literal nor a parameter";
        unsupported(what, "use a parameter of the `compile` closure")
    })
}

/// Returns the parts that a condition is the AND of, in the order written.
fn conjuncts(lambda: &Lambda, id: ExprId) -> Vec<ExprId> {
    chain(lambda, id, |node| match node {
        doc::Expr::And(left, right) => Some((*left, *right)),
        _ => None,
    })
}

/// Returns the parts of a chain of one operator, without recursion: a chain may be thousands of parts long.
fn chain(lambda: &Lambda, id: ExprId, split: fn(&doc::Expr) -> Option<(ExprId, ExprId)>) -> Vec<ExprId> {
    let (mut parts, mut pending) = (Vec::new(), vec![id]);
    while let Some(id) = pending.pop() {
        match split(lambda.node(id)) {
            Some((left, right)) => pending.extend([right, left]),
            None => parts.push(id),
        }
    }
    parts
}

/// Returns the AND of conditions of which some can fail, `None` where none can. Each of those is asked only where every
/// one that cannot fail holds, in the order in which they were written, so that no plan changes what fails (rule 8).
pub(super) fn guarded(certain: &[Expr], fallible: &[Expr]) -> Option<Expr> {
    let fails = |condition| (Expr::NotTrue(Box::new(condition)), Expr::Bool(false));
    let chain = until_decided(None, fallible, fails)?;
    if certain.is_empty() {
        return Some(chain);
    }
    Some(Expr::Case { when: vec![(Expr::all(certain.to_vec()), chain)], otherwise: None })
}

/// Returns the OR of conditions of which some can fail, `None` where none can. Each of those is asked only where nothing
/// before it holds, so that the complement of an OR is the AND of the complements in this too.
fn spared(certain: &[Expr], fallible: &[Expr]) -> Option<Expr> {
    let certain = (!certain.is_empty()).then(|| Expr::any(certain.to_vec()));
    until_decided(certain, fallible, |condition| (condition, Expr::Bool(true)))
}

/// Returns conditions asked one after the other until one decides. In one CASE: SQLite refuses hundreds of nested ones.
fn until_decided(first: Option<Expr>, then: &[Expr], decides: fn(Expr) -> (Expr, Expr)) -> Option<Expr> {
    let (last, before) = then.split_last()?;
    let when: Vec<_> = first.into_iter().chain(before.iter().cloned()).map(decides).collect();
    let last = last.clone();
    Some(if when.is_empty() { last } else { Expr::Case { when, otherwise: Some(Box::new(last)) } })
}

/// Returns the query of a list's items.
fn items(alias: Alias, list: Expr) -> Select {
    Select {
        columns: vec![Expr::Named { source: alias, name: "value" }],
        from: vec![Source { alias, kind: SourceKind::Items(list) }],
        ..Select::default()
    }
}

fn compare(comparison: Comparison, left: &Value, right: &Value) -> Expr {
    match comparison {
        Comparison::Eq => equal(left, right, true),
        // Beside what a call gives, as it is stored, so that an index serves it: what is of another kind is neither null
        // nor equal. Two stored values are compared as two optional fields are.
        Comparison::EqOption if matches!(right.expr, Expr::Bind(_) | Expr::Literal(_)) => {
            Expr::binary(Binary::Is, left.expr.clone(), right.expr.clone())
        }
        Comparison::EqOption => Expr::binary(Binary::Is, left.of_kind(), right.of_kind()),
        Comparison::Ne => Expr::NotTrue(Box::new(equal(left, right, true))),
        Comparison::Lt => ordered(left, Binary::Lt, right),
        Comparison::Le => ordered(left, Binary::Le, right),
        Comparison::Gt => ordered(left, Binary::Gt, right),
        Comparison::Ge => ordered(left, Binary::Ge, right),
    }
}

/// Equality (rules 1 to 4). Values of different kinds are never equal in SQLite either, so one side that is certain
/// to be of its kind is enough; two absent optional values are equal.
fn equal(left: &Value, right: &Value, none_equals_none: bool) -> Expr {
    if none_equals_none && left.shape.nullable && right.shape.nullable {
        return Expr::binary(Binary::Is, left.of_kind(), right.of_kind());
    }
    let left_expr = if settles(right) { left.expr.clone() } else { left.of_kind() };
    let right_expr = if converts(&left.expr) { right.of_kind() } else { right.expr.clone() };
    computed([left, right], Expr::binary(Binary::Eq, left_expr, right_expr))
}

/// Returns a comparison, which null never satisfies, such that both sides are computed where that can fail (rule 8):
/// SQLite does without a side that holds a query where the other one is null.
fn computed(sides: [&Value; 2], comparison: Expr) -> Expr {
    let is_skipped = |side: &&Value| can_fail(&side.expr) && holds_query(&side.expr);
    let skipped = sides.into_iter().filter(is_skipped);
    let when: Vec<(Expr, Expr)> =
        skipped.map(|side| (Expr::IsNull(Box::new(side.expr.clone())), Expr::Bool(false))).collect();
    if when.is_empty() {
        return comparison;
    }
    Expr::Case { when, otherwise: Some(Box::new(comparison)) }
}

fn holds_query(expr: &Expr) -> bool {
    let mut holds = false;
    walk(expr, &mut |x| holds |= matches!(x, Expr::Scalar(_) | Expr::Exists(_) | Expr::In(..)));
    holds
}

/// Returns whether a value is certain to be of its kind and leaves what it is compared with as it is.
fn settles(value: &Value) -> bool {
    value.clean && !converts(&value.expr)
}

/// Returns whether SQLite converts a text beside an expression to a number first: beside a row id, also one that a query
/// inside gives.
pub(super) fn converts(expr: &Expr) -> bool {
    match expr {
        Expr::Id(_) | Expr::Output { .. } => true,
        Expr::Scalar(select) => select.columns.first().is_some_and(converts),
        _ => false,
    }
}

/// An ordered comparison, which null never satisfies. Against a value that is certain to be of its kind a stored
/// field becomes a range that keeps to that kind, which an index can serve. A range has two ends, and SQLite may ask the
/// one that keeps to the kind first: a bound of the same row that can fail would not (rule 8).
fn ordered(left: &Value, operator: Binary, right: &Value) -> Expr {
    let is_field =
        |value: &Value| !value.clean || matches!(value.expr, Expr::Column { .. } | Expr::Extract { .. });
    let bounds = |bound: &Value, field: &Value| {
        settles(bound) && !(can_fail(&bound.expr) && shares_source(&bound.expr, &field.expr))
    };
    let comparison = match (is_field(left), is_field(right)) {
        (true, _) if bounds(right, left) => range(left, operator, right),
        (_, true) if bounds(left, right) => range(right, flipped(operator), left),
        _ => Expr::binary(operator, left.of_kind(), right.of_kind()),
    };
    computed([left, right], comparison)
}

fn shares_source(a: &Expr, b: &Expr) -> bool {
    let others = free_sources(b);
    free_sources(a).iter().any(|source| others.contains(source))
}

fn flipped(operator: Binary) -> Binary {
    match operator {
        Binary::Lt => Binary::Gt,
        Binary::Le => Binary::Ge,
        Binary::Gt => Binary::Lt,
        Binary::Ge => Binary::Le,
        other => other,
    }
}

fn range(field: &Value, operator: Binary, bound: &Value) -> Expr {
    let bound = Bound { value: bound.expr.clone(), inclusive: matches!(operator, Binary::Le | Binary::Ge) };
    let (low, high) = match operator {
        Binary::Gt | Binary::Ge => (Some(bound), None),
        _ => (None, Some(bound)),
    };
    Expr::Range(Box::new(Range { of: field.expr.clone(), kind: range_kind(field.shape.ty), low, high }))
}
