//! Values: fields, parameters, constants, functions and arithmetic.

use std::borrow::Cow;

use crate::compile::CompileError;
use crate::compile::emit::column;
use crate::compile::lower::block::Row;
use crate::compile::lower::items::Items;
use crate::compile::lower::{Lowering, type_name};
use crate::ir::catalog::{Collection, Column};
use crate::ir::doc::{self, Arithmetic, ExprId, Fold, Function, Lambda, Terminal};
use crate::ir::path::{FieldPath, Segment};
use crate::ir::sql::{Binary, BindForm, BindSource, Expr, Range, RangeKind, Shape, SqlFunction, walk};
use crate::ir::types::Type;
use crate::ir::value::{FieldDefault, Kind, View};

/// A lowered value.
#[derive(Clone, Debug)]
pub(super) struct Value {
    pub(super) expr: Expr,
    pub(super) shape: Shape,
    /// Whether the value is certain to be of its kind or null. A stored field is not: a stranger may have put
    /// anything there.
    pub(super) clean: bool,
    /// The stored path, for messages.
    pub(super) path: Option<FieldPath>,
}

impl Value {
    pub(super) fn clean(expr: Expr, ty: Type, nullable: bool) -> Value {
        Value { expr, shape: Shape { ty, nullable }, clean: true, path: None }
    }

    /// Returns the value as null where it is of another kind (rule 4).
    pub(super) fn of_kind(&self) -> Expr {
        if self.clean {
            self.expr.clone()
        } else {
            Expr::OfKind(Box::new(self.expr.clone()), self.shape.ty.kind())
        }
    }
}

/// Returns the condition that a value is there and of its kind.
pub(super) fn present(value: &Value) -> Expr {
    let kind = range_kind(value.shape.ty);
    Expr::Range(Box::new(Range { of: value.expr.clone(), kind, low: None, high: None }))
}

/// Returns which side of the order of kinds a type's values stand on.
pub(super) fn range_kind(ty: Type) -> RangeKind {
    if ty.kind() == Kind::Text { RangeKind::Text } else { RangeKind::Number }
}

/// Returns whether evaluating an expression can end in an error (rule 8). Asked of what was lowered: a closure may name
/// a value that an earlier one computed.
pub(super) fn can_fail(expr: &Expr) -> bool {
    let mut fails = false;
    walk(expr, &mut |x| fails |= matches!(x, Expr::Call(function, args) if call_can_fail(*function, args)));
    fails
}

fn call_can_fail(function: SqlFunction, args: &[Expr]) -> bool {
    let operation = match function {
        SqlFunction::Arithmetic(operation) => operation,
        other => return matches!(other, SqlFunction::Sum | SqlFunction::Increment),
    };
    // An f64 holds every number, and the negative of each that it holds; an f32 does not.
    let is_held = matches!(operation, Arithmetic::Cast | Arithmetic::Neg | Arithmetic::Abs)
        && matches!(args, [_, Expr::Text(ty), ..] if **ty == *Type::F64.name());
    !is_held
}

impl Lowering<'_> {
    /// Lowers what a closure returned as a row.
    pub(super) fn row(&mut self, lambda: &Lambda, id: ExprId) -> Result<Row, CompileError> {
        match lambda.node(id) {
            doc::Expr::Tuple(items) => {
                Ok(Row::Tuple(items.iter().map(|item| self.row(lambda, *item)).collect::<Result<_, _>>()?))
            }
            doc::Expr::Struct(members) => {
                let row = |(name, member): &(Cow<'static, str>, ExprId)| {
                    Ok((name.clone(), self.row(lambda, *member)?))
                };
                Ok(Row::Struct(members.iter().map(row).collect::<Result<_, CompileError>>()?))
            }
            doc::Expr::Row(_) | doc::Expr::Item { .. } => self.given(lambda, id),
            doc::Expr::Field { .. } | doc::Expr::Defaulted(..) => match self.member(lambda, id)? {
                Some(row @ Row::Struct(_)) => Ok(row),
                _ => self.value(lambda, id).map(Row::Value),
            },
            _ => self.value(lambda, id).map(Row::Value),
        }
    }

    /// Returns the row that a field is stored below and the path from there: the members of a struct that was made are
    /// rows of their own, and stand for themselves.
    fn stored_in(&mut self, lambda: &Lambda, id: ExprId) -> Result<(Row, FieldPath), CompileError> {
        let (at, path) = path_below(lambda, id)?;
        let mut row = self.base(lambda, at)?;
        let mut below = path.segments();
        while let (Row::Struct(members), Some((Segment::Key(key), rest))) = (&row, below.split_first()) {
            let member = members.iter().find(|(name, _)| name == key).map(|(_, row)| row.clone());
            row = member.ok_or_else(no_such_row)?;
            below = rest;
        }
        Ok((row, below.iter().cloned().collect()))
    }

    /// Returns the member of a struct that was made, where a field is one.
    fn member(&mut self, lambda: &Lambda, id: ExprId) -> Result<Option<Row>, CompileError> {
        let (row, path) = self.stored_in(lambda, lambda.field(id))?;
        Ok(path.is_root().then_some(row))
    }

    /// Returns the row, or the element of one, that an expression names.
    fn given(&self, lambda: &Lambda, id: ExprId) -> Result<Row, CompileError> {
        let found = match lambda.node(id) {
            doc::Expr::Row(binder) => {
                self.rows.iter().rev().find(|(known, _)| known == binder).map(|(_, row)| row.clone())
            }
            doc::Expr::Item { of, index } => match self.given(lambda, *of)? {
                Row::Tuple(rows) => rows.get(usize::from(*index)).cloned(),
                _ => None,
            },
            _ => None,
        };
        found.ok_or_else(no_such_row)
    }

    /// Lowers an expression where its value is seen.
    pub(super) fn value(&mut self, lambda: &Lambda, id: ExprId) -> Result<Value, CompileError> {
        use doc::Expr as E;
        Ok(match lambda.node(id) {
            E::Row(_) | E::Item { .. } => match self.given(lambda, id)? {
                Row::Value(value) => value,
                _ => return Err(unsupported("a whole document as a value", "name one of its fields")),
            },
            E::Key { of, name, ty } => match self.given(lambda, *of)? {
                Row::Document { alias, .. } => Value {
                    path: Some(FieldPath::root().key("id")),
                    ..Value::clean(Expr::Id(alias), *ty, false)
                },
                Row::Struct(members) => match members.into_iter().find(|(known, _)| known == name) {
                    Some((_, Row::Value(key))) => key,
                    _ => return Err(no_such_row()),
                },
                _ => return Err(unsupported("the key of something that is not a document", "name a field")),
            },
            E::Field { .. } | E::Position { .. } | E::Defaulted(..) => self.field(lambda, id)?,
            E::Flattened(of) => match self.row(lambda, *of)? {
                Row::Value(value) => value,
                row => Value::clean(document_of(row)?, Type::Object, false),
            },
            E::OfKind { of, ty } => self.only(lambda, *of, *ty)?,
            E::Lookup { of, key, ty } => {
                let (document, path) = self.looked_up(lambda, *of, *key)?;
                let view = View::of(*ty);
                let expr = Expr::Lookup { document: Box::new(document), path: Box::new(path), view };
                Value { expr, shape: Shape { ty: *ty, nullable: true }, clean: false, path: None }
            }
            E::Param { slot, ty } => {
                let expr = self.bind(BindSource::Slot(*slot), BindForm::Plain);
                Value::clean(expr, *ty, false)
            }
            E::Constant { ty, written: Some(literal), .. } => {
                Value::clean(Expr::Literal(literal.clone()), *ty, false)
            }
            E::Constant { index, ty, .. } => {
                let expr = self.bind(BindSource::Constant(*index), BindForm::Plain);
                Value::clean(expr, *ty, false)
            }
            E::Call { function, args } if !function.is_condition() => self.call(lambda, *function, args)?,
            E::Arithmetic { operation, args, ty, nullable } => {
                let expr = self.arithmetic(lambda, id, *operation, args, *ty)?;
                Value::clean(expr, *ty, *nullable)
            }
            E::Coalesce { value, default, ty, nullable } => {
                let (value, default) = (self.value(lambda, *value)?, self.value(lambda, *default)?);
                let expr = Expr::Call(SqlFunction::Coalesce, vec![value.of_kind(), default.of_kind()]);
                Value::clean(expr, *ty, *nullable)
            }
            E::When { condition, then, otherwise, ty, nullable } => {
                let condition = self.condition(lambda, *condition)?;
                let (then, otherwise) = (self.value(lambda, *then)?, self.value(lambda, *otherwise)?);
                let expr = Expr::Case {
                    when: vec![(condition, then.of_kind())],
                    otherwise: Some(Box::new(otherwise.of_kind())),
                };
                Value::clean(expr, *ty, *nullable)
            }
            E::Items { list, key, item, ty, nullable, fold } => {
                let shape = Shape { ty: *ty, nullable: *nullable };
                self.item_fold(lambda, &Items { list: *list, key: *key, item: *item, shape }, *fold)?
            }
            E::Subquery(subquery) if !matches!(subquery.terminal, Terminal::Exists | Terminal::NotExists) => {
                self.value_inside(subquery)?
            }
            E::Fold { fold, of, ty } => self.group_fold(lambda, *fold, *of, *ty)?,
            E::Tuple(_) => return Err(unsupported("a tuple as a value", "compare its elements")),
            E::Struct(_) => {
                return Err(unsupported("a computed struct as a value", "name one of its members"));
            }
            _ => Value::clean(Expr::IsTrue(Box::new(self.condition(lambda, id)?)), Type::Bool, false),
        })
    }

    /// Lowers a stored field, which may hold anything.
    fn field(&mut self, lambda: &Lambda, id: ExprId) -> Result<Value, CompileError> {
        let (ty, nullable) = match lambda.node(lambda.field(id)) {
            doc::Expr::Field { ty, nullable, .. } => (*ty, *nullable),
            doc::Expr::Position { ty, .. } => (*ty, true),
            _ => return Err(unsupported("an expression that is not a field", "name a field")),
        };
        if let Some(member) = self.member(lambda, id)? {
            let Row::Value(member) = member else {
                return Err(unsupported("a computed struct as a value", "name one of its members"));
            };
            // It may be absent by where it is taken from.
            let nullable = member.shape.nullable || nullable;
            return Ok(Value { shape: Shape { nullable, ..member.shape }, ..member });
        }
        let (expr, path) = self.at_path(lambda, id, View::of(ty))?;
        Ok(Value { expr, shape: Shape { ty, nullable }, clean: false, path: Some(path) })
    }

    /// Lowers a value that no type declares, as a type.
    fn only(&mut self, lambda: &Lambda, of: ExprId, ty: Type) -> Result<Value, CompileError> {
        let view = View::Only(ty.kind());
        let is_field =
            matches!(lambda.node(lambda.field(of)), doc::Expr::Field { .. } | doc::Expr::Position { .. });
        if is_field && self.member(lambda, of)?.is_none() {
            let (expr, path) = self.at_path(lambda, of, view)?;
            return Ok(Value { path: Some(path), ..Value::clean(expr, ty, true) });
        }
        let Value { expr, path, .. } = self.value(lambda, of)?;
        Ok(Value { path, ..Value::clean(seen_only(expr, ty.kind()), ty, true) })
    }

    /// Returns what is stored at the path that an expression names, as a view sees it, and the path: a virtual column
    /// where there is one.
    fn at_path(
        &mut self,
        lambda: &Lambda,
        id: ExprId,
        view: View,
    ) -> Result<(Expr, FieldPath), CompileError> {
        let default = match lambda.node(id) {
            doc::Expr::Defaulted(field, FieldDefault::Unseen) => return Err(unseen_default(lambda, *field)),
            doc::Expr::Defaulted(_, default) => Some(default),
            _ => None,
        };
        let (row, path) = self.stored_in(lambda, lambda.field(id))?;
        let column = match &row {
            Row::Document { alias, collection } => {
                column_of(collection, &path, view, default).map(|column| Expr::Column {
                    source: *alias,
                    name: column.name.as_str().into(),
                    view,
                    path: path.clone(),
                })
            }
            _ => None,
        };
        let expr = match column {
            Some(column) => column,
            None => Expr::Extract {
                document: Box::new(document_of(row)?),
                path: path.clone(),
                view,
                default: default.cloned(),
            },
        };
        Ok((expr, path))
    }

    /// Returns the row, or the value, that the path of a field starts at.
    fn base(&mut self, lambda: &Lambda, id: ExprId) -> Result<Row, CompileError> {
        match lambda.node(id) {
            doc::Expr::Row(_) | doc::Expr::Item { .. } => self.given(lambda, id),
            _ => self.value(lambda, id).map(Row::Value),
        }
    }

    /// Returns the document that a field is stored in, and its path there, as a text.
    pub(super) fn place_of(&mut self, lambda: &Lambda, id: ExprId) -> Result<(Expr, Expr), CompileError> {
        if let doc::Expr::Lookup { of, key, .. } = lambda.node(id) {
            return self.looked_up(lambda, *of, *key);
        }
        let (row, path) = self.stored_in(lambda, lambda.field(id))?;
        if path.is_root() {
            return Err(unsupported("whether something that is not a field is missing", "name a field"));
        }
        Ok((document_of(row)?, Expr::Text(path.json_path().into())))
    }

    /// Returns the document that an object is stored in, and the path to what is under a key of it that a call supplies.
    fn looked_up(&mut self, lambda: &Lambda, of: ExprId, key: ExprId) -> Result<(Expr, Expr), CompileError> {
        let source = given_by_call(lambda, key)
            .ok_or_else(|| unsupported("a key that is neither a text nor a parameter", "use a parameter"))?;
        let step = self.bind(source, BindForm::Key);
        let (row, path) = self.stored_in(lambda, of)?;
        let object = Expr::Text(path.json_path().into());
        Ok((document_of(row)?, Expr::binary(Binary::Concat, object, step)))
    }

    /// Lowers the call of a function of ours. The text may be of any kind, the function sees to that; its other
    /// arguments are null where they are of another kind.
    pub(super) fn call(
        &mut self,
        lambda: &Lambda,
        function: Function,
        args: &[ExprId],
    ) -> Result<Value, CompileError> {
        let mut lowered = Vec::with_capacity(args.len());
        let mut nullable = false;
        for (place, arg) in args.iter().enumerate() {
            let value = self.value(lambda, *arg)?;
            nullable |= value.shape.nullable;
            lowered.push(if place == 0 { value.expr } else { value.of_kind() });
        }
        Ok(Value::clean(Expr::Call(SqlFunction::Text(function), lowered), function.result(), nullable))
    }

    fn arithmetic(
        &mut self,
        lambda: &Lambda,
        id: ExprId,
        operation: Arithmetic,
        args: &[ExprId],
        ty: Type,
    ) -> Result<Expr, CompileError> {
        let mut lowered = Vec::with_capacity(4);
        for arg in args {
            lowered.push(self.value(lambda, *arg)?.expr);
        }
        lowered.push(type_name(ty));
        lowered.push(self.bind(BindSource::Text(lambda.display(id).into()), BindForm::Plain));
        Ok(Expr::Call(SqlFunction::Arithmetic(operation), lowered))
    }

    fn group_fold(
        &mut self,
        lambda: &Lambda,
        fold: Fold,
        of: Option<ExprId>,
        ty: Type,
    ) -> Result<Value, CompileError> {
        if !self.folds {
            return Err(unsupported(
                "a fold inside another fold or outside of a group",
                "use it in `group_by(..).select(|g| ..)`, by itself",
            ));
        }
        let Some(of) = of else { return Ok(Value::clean(Expr::CountAll, ty, false)) };
        self.folds = false;
        let value = self.value(lambda, of);
        self.folds = true;
        let value = value?;
        self.is_of_own_rows(&value)?;
        let nullable = !matches!(fold, Fold::Sum | Fold::Count);
        Ok(Value::clean(self.fold_of(fold, value, lambda.display(of)), ty, nullable))
    }

    /// Returns the fold of what a closure returned, over all rows.
    pub(super) fn fold(&mut self, fold: Fold, value: Value, lambda: &Lambda) -> Expr {
        self.fold_of(fold, value, lambda.display(lambda.root))
    }

    /// Returns the sum of a value; the words are those of its error.
    pub(super) fn sum(&mut self, value: Value, words: String) -> Expr {
        let words = self.bind(BindSource::Text(words.into()), BindForm::Plain);
        let ty = if value.shape.ty.is_float() { Type::F64 } else { Type::I64 };
        Expr::Call(SqlFunction::Sum, vec![value.expr, type_name(ty), words])
    }

    fn fold_of(&mut self, fold: Fold, value: Value, words: String) -> Expr {
        match fold {
            Fold::Count => Expr::CountAll,
            Fold::Sum => self.sum(value, words),
            Fold::Avg => Expr::Call(SqlFunction::Avg, vec![value.expr]),
            Fold::Min => Expr::Call(SqlFunction::Min, vec![value.of_kind()]),
            Fold::Max => Expr::Call(SqlFunction::Max, vec![value.of_kind()]),
        }
    }
}

/// Returns where a parameter or a constant comes from.
pub(super) fn given_by_call(lambda: &Lambda, id: ExprId) -> Option<BindSource> {
    match lambda.node(id) {
        doc::Expr::Param { slot, .. } => Some(BindSource::Slot(*slot)),
        doc::Expr::Constant { index, .. } => Some(BindSource::Constant(*index)),
        _ => None,
    }
}

/// Goes from a field inward to the row that it is stored below, and returns that and the path.
fn path_below(lambda: &Lambda, id: ExprId) -> Result<(ExprId, FieldPath), CompileError> {
    let mut segments = Vec::new();
    let mut at = id;
    loop {
        at = match lambda.node(at) {
            doc::Expr::Field { of, key, .. } => {
                segments.push(Segment::Key(key.clone()));
                *of
            }
            doc::Expr::Position { of, index, .. } => {
                segments.push(Segment::Index((*index).into()));
                *of
            }
            doc::Expr::Defaulted(field, FieldDefault::Unseen) => return Err(unseen_default(lambda, *field)),
            // What is inside of a scalar, or of nothing, is missing.
            doc::Expr::Defaulted(field, _) => *field,
            // Nothing but an object has keys, and nothing but an array places.
            doc::Expr::OfKind { of, .. } => *of,
            _ => break,
        };
    }
    Ok((at, segments.into_iter().rev().fold(FieldPath::root(), FieldPath::then)))
}

fn unseen_default(lambda: &Lambda, id: ExprId) -> CompileError {
    CompileError::Unsupported {
        what: format!(
            "`{}`, whose default is a list, a struct or what cannot be stored,",
            lambda.display(id)
        ),
        instead: "give it an empty default, or mark it `#[document(opaque)]`".to_owned(),
    }
}

/// Returns the column that holds just what the query means: another type may have given it another default.
fn column_of<'c>(
    collection: &'c Collection,
    path: &FieldPath,
    view: View,
    default: Option<&FieldDefault>,
) -> Option<&'c Column> {
    let column = collection.column(path, view)?;
    let is_same = match default {
        None => column.is_plain,
        Some(_) => !column.is_plain && column.expr == column::definition(path, view, default),
    };
    is_same.then_some(column)
}

/// Returns a value where it is of a kind, else null, whatever was declared for it.
pub(super) fn seen_only(value: Expr, kind: Kind) -> Expr {
    let view = View::Only(kind);
    match value {
        Expr::Extract { document, path, default, .. } => Expr::Extract { document, path, view, default },
        Expr::Lookup { document, path, .. } => Expr::Lookup { document, path, view },
        Expr::Item { source, .. } => Expr::Item { source, view },
        other => Expr::Only(Box::new(other), kind),
    }
}

/// Returns the JSON that fields of a row are stored in.
fn document_of(row: Row) -> Result<Expr, CompileError> {
    match row {
        Row::Document { alias, .. } => Ok(Expr::Doc(alias)),
        Row::Value(outer) => Ok(Expr::OfKind(Box::new(outer.expr), Kind::Object)),
        Row::Tuple(_) | Row::Struct(_) | Row::Group { .. } => {
            Err(unsupported("a field of a row that is a tuple", "take the row apart first"))
        }
    }
}

fn no_such_row() -> CompileError {
    unsupported("a row of another closure", "use the rows that the closure is given")
}

pub(super) fn unsupported(what: &str, instead: &str) -> CompileError {
    CompileError::Unsupported { what: what.to_owned(), instead: instead.to_owned() }
}
