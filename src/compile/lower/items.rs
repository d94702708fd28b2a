//! Arrays and objects: what is asked of their items, in a query of its own beside the row, which never multiplies it
//! (rule 20).

use crate::compile::CompileError;
use crate::compile::lower::Lowering;
use crate::compile::lower::block::Row;
use crate::compile::lower::value::{Value, can_fail, seen_only};
use crate::ir::doc::{Binder, ExprId, ItemFold, Lambda};
use crate::ir::sql::{Alias, Expr, Select, Shape, Source, SourceKind, SqlFunction};
use crate::ir::types::Type;
use crate::ir::value::{Kind, View};

/// The items that something is made of.
pub(super) struct Items {
    pub(super) list: ExprId,
    pub(super) key: Option<Binder>,
    pub(super) item: Binder,
    pub(super) shape: Shape,
}

impl Lowering<'_> {
    /// Lowers a value that is made of the items; of `any` and `all` it is a condition, too, and two-valued.
    pub(super) fn item_fold(
        &mut self,
        lambda: &Lambda,
        items: &Items,
        fold: ItemFold,
    ) -> Result<Value, CompileError> {
        let expr = match fold {
            ItemFold::Any(of) => self.exists_item(lambda, items, of, |condition| condition)?,
            ItemFold::All(of) => {
                let other =
                    self.exists_item(lambda, items, of, |condition| Expr::NotTrue(Box::new(condition)))?;
                Expr::NotTrue(Box::new(other))
            }
            ItemFold::Len if items.key.is_some() => {
                let (alias, object) = (self.alias(), self.container(lambda, items)?);
                scalar(alias, object, Expr::CountAll, Vec::new())
            }
            ItemFold::Len => {
                let list = self.container(lambda, items)?;
                let len = Expr::Call(SqlFunction::JsonArrayLength, vec![list]);
                Expr::Call(SqlFunction::Coalesce, vec![len, Expr::Int(0)])
            }
            ItemFold::CountWhere(of) => {
                let (alias, list) = (self.alias(), self.container(lambda, items)?);
                let condition = self.of_item(alias, items, |lowering| lowering.condition(lambda, of))?;
                scalar(alias, list, Expr::CountAll, condition.into_conjuncts())
            }
            ItemFold::Sum(of, _) => {
                let (alias, list) = (self.alias(), self.container(lambda, items)?);
                let value = self.of_item(alias, items, |lowering| lowering.value(lambda, of))?;
                // An aggregate belongs to the query whose columns it names: one that names only what is around the items
                // would be of the query around them.
                let each = query(alias, list, value.expr.clone(), Vec::new());
                let source = self.alias();
                let output = Value { expr: Expr::Output { source, column: 0 }, ..value };
                let sum = self.sum(output, lambda.display(of));
                let from = vec![Source { alias: source, kind: SourceKind::Query(Box::new(each)) }];
                Expr::Scalar(Box::new(Select { columns: vec![sum], from, ..Select::default() }))
            }
        };
        Ok(Value::clean(expr, fold.ty(), false))
    }

    fn exists_item(
        &mut self,
        lambda: &Lambda,
        items: &Items,
        of: ExprId,
        wanted: fn(Expr) -> Expr,
    ) -> Result<Expr, CompileError> {
        let (alias, list) = (self.alias(), self.container(lambda, items)?);
        let condition = self.of_item(alias, items, |lowering| lowering.condition(lambda, of))?;
        let mut condition = wanted(condition);
        if can_fail(&condition) {
            // SQLite asks what names no item before it looks whether there is one.
            let is_one = Expr::NotTrue(Box::new(Expr::IsNull(Box::new(key_of(alias)))));
            condition = Expr::Case { when: vec![(is_one, condition)], otherwise: None };
        }
        let filter = condition.into_conjuncts();
        Ok(Expr::Exists(Box::new(query(alias, list, Expr::Int(1), filter))))
    }

    fn container(&mut self, lambda: &Lambda, items: &Items) -> Result<Expr, CompileError> {
        let kind = if items.key.is_some() { Kind::Object } else { Kind::Array };
        Ok(seen_only(self.value(lambda, items.list)?.expr, kind))
    }

    /// Lowers what is asked of an item, which a fold over rows has no place in.
    fn of_item<T>(
        &mut self,
        alias: Alias,
        items: &Items,
        lower: impl FnOnce(&mut Self) -> Result<T, CompileError>,
    ) -> Result<T, CompileError> {
        let expr = Expr::Item { source: alias, view: View::of(items.shape.ty) };
        let item = Value { expr, shape: items.shape, clean: false, path: None };
        self.rows.push((items.item, Row::Value(item)));
        if let Some(key) = items.key {
            self.rows.push((key, Row::Value(Value::clean(key_of(alias), Type::Text, false))));
        }
        let folds = std::mem::replace(&mut self.folds, false);
        let lowered = lower(self);
        self.folds = folds;
        self.rows.retain(|(binder, _)| *binder != items.item && Some(*binder) != items.key);
        lowered
    }
}

/// Returns the key of an item: a text in an object, a number in an array.
fn key_of(source: Alias) -> Expr {
    Expr::Named { source, name: "key" }
}

fn query(alias: Alias, list: Expr, column: Expr, filter: Vec<Expr>) -> Select {
    let from = vec![Source { alias, kind: SourceKind::Items(list) }];
    Select { columns: vec![column], from, filter, ..Select::default() }
}

fn scalar(alias: Alias, list: Expr, column: Expr, filter: Vec<Expr>) -> Expr {
    Expr::Scalar(Box::new(query(alias, list, column, filter)))
}
