//! Updates and deletes: a query of row ids, and the new document.

use crate::compile::CompileError;
use crate::compile::lower::block::Row;
use crate::compile::lower::value::Value;
use crate::compile::lower::{Lowering, type_name};
use crate::compile::plan::Output;
use crate::ir::doc::{self, Assignment, Expr as Tree, ExprId, Lambda, OnNull, Stage, Terminal};
use crate::ir::path::{FieldPath, Segment};
use crate::ir::sql::{Alias, Binary, BindForm, BindSource, Body, Expr, SqlFunction};
use crate::ir::types::Type;
use crate::ir::value::Kind;

/// A path at which no document, an object, has anything, nor can have.
const NOWHERE: &str = "$[0]";

impl Lowering<'_> {
    pub(super) fn write(&mut self, statement: &doc::Statement) -> Result<(Body, Output), CompileError> {
        let collection = self.collection(&statement.query.source)?;
        let output = Output { collection: collection.name.clone(), ..Output::default() };
        let table = collection.table.as_str().into();
        let mut filter = Vec::new();
        if statement.query.stages.iter().any(|stage| *stage != Stage::ForbidScan) {
            let block = self.query(&statement.query)?;
            let (own, is_unique) = (Expr::Id(Alias::OWN), block.is_unique());
            let ids = Box::new(block.into_ids()?);
            // To hold the ids of an IN, SQLite opens a table, and another for the rows that it is about to change: that
            // takes longer than to change one.
            filter.push(match is_unique {
                true => Expr::binary(Binary::Eq, own, Expr::Scalar(ids)),
                false => Expr::In(Box::new(own), ids),
            });
        }
        let Terminal::Update(assignments) = &statement.terminal else {
            return Ok((Body::Delete { table, filter }, output));
        };
        let own = Row::Document { alias: Alias::OWN, collection };
        let mut document = Expr::Doc(Alias::OWN);
        let mut before = Vec::with_capacity(assignments.len());
        for assignment in assignments {
            document = self.assign(document, assignment, &own, &mut before)?;
        }
        // The number of documents whose bytes changed is what an update returns (rule 22).
        filter.push(Expr::binary(Binary::IsNot, Expr::Doc(Alias::OWN), document.clone()));
        Ok((Body::Update { table, document, filter }, output))
    }

    /// Returns the document with one more assignment; `before` has the paths of those that are in it.
    fn assign(
        &mut self,
        document: Expr,
        assignment: &Assignment,
        own: &Row,
        before: &mut Vec<FieldPath>,
    ) -> Result<Expr, CompileError> {
        let (Assignment::Set(lambda, _) | Assignment::Unset(lambda) | Assignment::Increment(lambda)) =
            assignment;
        self.enter(lambda, [own]);
        let Tree::Tuple(pair) = lambda.root() else { return Err(not_a_field()) };
        let [target, value] = pair.as_slice() else { return Err(not_a_field()) };
        let field = self.value(lambda, *target)?;
        let Some(path) = field.path.clone() else { return Err(not_a_field()) };
        let json_path = Expr::Text(path.json_path().into());
        // What is there to be set in is an earlier assignment's to say, where it set a struct around this field.
        let is_within = before.iter().any(|other| path.is_below(other));
        let around = if is_within { document.clone() } else { Expr::Doc(Alias::OWN) };
        before.push(path.clone());
        let optional = lambda.optional_structs(*target);
        let changed = match assignment {
            Assignment::Unset(_) => {
                return Ok(Expr::Call(SqlFunction::JsonbRemove, vec![document, json_path]));
            }
            Assignment::Set(_, on_null) => {
                let stored = self.stored(lambda, *value)?;
                let null = match on_null {
                    OnNull::Store => None,
                    OnNull::Remove | OnNull::Refuse => self.is_null(lambda, *value, field.shape.nullable)?,
                };
                match null {
                    None => Expr::Call(SqlFunction::JsonbSet, vec![document, json_path, stored]),
                    Some(null) if *on_null == OnNull::Remove => {
                        // The document is named once, so that many of these do not multiply it.
                        let chosen = |then: &Expr, otherwise: &Expr| Expr::Case {
                            when: vec![(null.clone(), then.clone())],
                            otherwise: Some(Box::new(otherwise.clone())),
                        };
                        let nowhere = Expr::Text(NOWHERE.into());
                        let set = vec![document, chosen(&nowhere, &json_path), stored];
                        let set = Expr::Call(SqlFunction::JsonbSet, set);
                        Expr::Call(SqlFunction::JsonbRemove, vec![set, chosen(&json_path, &nowhere)])
                    }
                    Some(null) => {
                        let failure = self.fail(&format!(
                            "`{path}` cannot be set to null, which its type does not take: give the value a default \
                             by `unwrap_or`, or filter"
                        ));
                        let set = Expr::Call(SqlFunction::JsonbSet, vec![document, json_path, stored]);
                        Expr::Case { when: vec![(null, failure)], otherwise: Some(Box::new(set)) }
                    }
                }
            }
            Assignment::Increment(_) => {
                let by = self.value(lambda, *value)?;
                let sum = self.incremented(lambda, &field, &path, *target, &by);
                let changed = Expr::Call(SqlFunction::JsonbSet, vec![document.clone(), json_path, sum]);
                let changed = self.below_objects(changed, &around, &path, &optional);
                if matches!(lambda.node(*value), Tree::Param { .. } | Tree::Constant { .. }) {
                    return Ok(changed);
                }
                // What is not there adds nothing.
                let nothing = Expr::IsNull(Box::new(by.of_kind()));
                return Ok(Expr::Case {
                    when: vec![(nothing, document)],
                    otherwise: Some(Box::new(changed)),
                });
            }
        };
        Ok(self.below_objects(changed, &around, &path, &optional))
    }

    /// Returns whether an assigned value is null; none where it never is. What a call gives is of the field's own type.
    fn is_null(&mut self, lambda: &Lambda, id: ExprId, nullable: bool) -> Result<Option<Expr>, CompileError> {
        let given = match lambda.node(id) {
            Tree::Param { slot, .. } => BindSource::Slot(*slot),
            Tree::Constant { index, .. } => BindSource::Constant(*index),
            _ => {
                // Whatever its type says, it may be made of a field that is missing.
                let value = self.value(lambda, id)?;
                let is_condition = matches!(value.expr, Expr::IsTrue(_));
                return Ok((!is_condition).then(|| Expr::IsNull(Box::new(value.of_kind()))));
            }
        };
        Ok(nullable.then(|| Expr::IsNull(Box::new(self.bind(given, BindForm::Plain)))))
    }

    /// Returns a value in the form in which `jsonb_set` stores it with its own type.
    fn stored(&mut self, lambda: &Lambda, id: ExprId) -> Result<Expr, CompileError> {
        let form = |ty: Type| match ty {
            Type::Text | Type::Uuid => BindForm::Plain,
            ty if ty.integer_range().is_some() => BindForm::Plain,
            _ => BindForm::Json,
        };
        Ok(match lambda.node(id) {
            Tree::Param { slot, ty } => self.bind(BindSource::Slot(*slot), form(*ty)),
            Tree::Constant { index, ty, .. } => self.bind(BindSource::Constant(*index), form(*ty)),
            _ => {
                let value = self.value(lambda, id)?;
                match value.shape.ty.kind() {
                    Kind::Bool => json_bool(&value),
                    Kind::Array | Kind::Object => Expr::OfKind(Box::new(value.expr), Kind::Object),
                    Kind::Any => json_any(value.expr),
                    Kind::Number => json_number(value.of_kind(), value.shape.ty),
                    Kind::Text => value.of_kind(),
                }
            }
        })
    }

    /// Returns the number in a field plus another: null and missing count as zero, another kind is an error.
    fn incremented(
        &mut self,
        lambda: &Lambda,
        field: &Value,
        path: &FieldPath,
        target: ExprId,
        by: &Value,
    ) -> Expr {
        let ty = field.shape.ty;
        let words = self.bind(BindSource::Text(lambda.display(target).into()), BindForm::Plain);
        let message = format!("`{path}` is not a number, so it cannot be incremented");
        let message = self.bind(BindSource::Text(message.into()), BindForm::Plain);
        let operands = vec![field.expr.clone(), by.of_kind(), type_name(ty), words, message];
        json_number(Expr::Call(SqlFunction::Increment, operands), ty)
    }

    /// Returns `changed`, or an error where in `around` a step of the path before the last holds something other
    /// than an object: SQLite would silently change nothing. An `optional` struct has to be there as well: made of the
    /// one field, it could be one that its type cannot load.
    fn below_objects(
        &mut self,
        changed: Expr,
        around: &Expr,
        path: &FieldPath,
        optional: &[FieldPath],
    ) -> Expr {
        let mut when = Vec::new();
        let mut above = FieldPath::root();
        for segment in path.segments() {
            let json_path = Expr::Text(above.json_path().into());
            let holds = Expr::Call(SqlFunction::JsonType, vec![around.clone(), json_path]);
            if optional.contains(&above) {
                let found = Expr::Call(SqlFunction::Coalesce, vec![holds.clone(), Expr::Text("null".into())]);
                let absent = Expr::binary(Binary::Eq, found, Expr::Text("null".into()));
                let failure = self.fail(&format!(
                    "`{path}` cannot be set where there is no `{above}`: filter by `is_some()` of it, or set it whole"
                ));
                when.push((absent, failure));
            }
            let holds = Expr::Call(SqlFunction::Coalesce, vec![holds, object()]);
            let blocked = Expr::binary(Binary::IsNot, holds, object());
            let failure = self.fail(&format!("`{path}` cannot be set: `{above}` is not an object"));
            when.push((blocked, failure));
            above = match segment {
                Segment::Key(key) => above.key(key.clone()),
                Segment::Index(index) => above.index(*index),
            };
        }
        Expr::Case { when, otherwise: Some(Box::new(changed)) }
    }

    /// Returns an expression that ends the statement with a type error.
    fn fail(&mut self, message: &str) -> Expr {
        let message = self.bind(BindSource::Text(message.into()), BindForm::Plain);
        Expr::Call(SqlFunction::TypeError, vec![message])
    }
}

fn object() -> Expr {
    Expr::Text("object".into())
}

/// Returns a number as `jsonb_set` stores it bit for bit.
fn json_number(number: Expr, ty: Type) -> Expr {
    if !ty.is_float() {
        return number;
    }
    Expr::Call(SqlFunction::Jsonb, vec![Expr::Call(SqlFunction::JsonNumber, vec![number])])
}

/// Returns a value of any kind as `jsonb_set` stores it: texts and integers are themselves, all else that is there is
/// JSONB.
fn json_any(value: Expr) -> Expr {
    let is_float = Expr::binary(
        Binary::Eq,
        Expr::Call(SqlFunction::TypeOf, vec![value.clone()]),
        Expr::Text("real".into()),
    );
    let float = json_number(value.clone(), Type::F64);
    Expr::Case { when: vec![(is_float, float)], otherwise: Some(Box::new(value)) }
}

fn json_bool(value: &Value) -> Expr {
    let is = |bit| Expr::binary(Binary::Eq, value.expr.clone(), Expr::Int(bit));
    let json = |text: &str| Expr::Call(SqlFunction::Jsonb, vec![Expr::Text(text.into())]);
    Expr::Case { when: vec![(is(1), json("true")), (is(0), json("false"))], otherwise: None }
}

fn not_a_field() -> CompileError {
    CompileError::NotAField { expression: "the expression".to_owned() }
}
