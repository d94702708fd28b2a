//! Queries inside of closures: conditions, values and lists, which may name the rows around them.
//!
//! An alias says where a value comes from: those of a query are made after those of what is around it.

use crate::compile::CompileError;
use crate::compile::lower::Lowering;
use crate::compile::lower::block::Row;
use crate::compile::lower::condition::converts;
use crate::compile::lower::value::{Value, unsupported};
use crate::ir::doc::{Query, Subquery, Terminal};
use crate::ir::sql::{Alias, Expr, Select, free_sources};

impl Lowering<'_> {
    /// Lowers whether a query has a row.
    pub(super) fn exists_inside(&mut self, subquery: &Subquery) -> Result<Expr, CompileError> {
        let exists = self.inside(|lowering| {
            let block = lowering.query(&subquery.query)?;
            lowering.exists(block)
        })?;
        Ok(if subquery.terminal == Terminal::NotExists { Expr::NotTrue(Box::new(exists)) } else { exists })
    }

    /// Lowers the value that a query gives.
    pub(super) fn value_inside(&mut self, subquery: &Subquery) -> Result<Value, CompileError> {
        let (ty, nullable) = (subquery.ty, subquery.nullable);
        self.inside(|lowering| {
            let block = lowering.query(&subquery.query)?;
            let row = block.row.clone();
            let (mut select, _) = lowering.terminal(block, &subquery.terminal)?;
            select.columns.truncate(1);
            let expr = without_affinity(Expr::Scalar(Box::new(select)));
            let value = Value::clean(expr, ty, nullable);
            match (&subquery.terminal, row) {
                (Terminal::First, Row::Value(Value { clean, path, .. })) => {
                    Ok(Value { clean, path, ..value })
                }
                (Terminal::First, _) => Err(not_one_value()),
                _ => Ok(value),
            }
        })
    }

    /// Lowers the values that something is looked for in: null, where they are of another kind.
    pub(super) fn values_inside(&mut self, query: &Query) -> Result<Select, CompileError> {
        self.inside(|lowering| {
            let mut block = lowering.query(query)?;
            let Row::Value(value) = &block.row else { return Err(not_one_value()) };
            let expr = settled(value);
            block.row = Row::Value(Value { expr, clean: true, ..value.clone() });
            let (mut select, _) = lowering.terminal(block, &Terminal::Rows)?;
            select.columns.truncate(1);
            if select.limit.is_none() && select.offset.is_none() {
                select.order.clear();
            }
            Ok(select)
        })
    }

    /// Lowers a query inside of a closure. The rows that are around it are there again behind it, whatever its own closures
    /// call theirs.
    fn inside<T>(
        &mut self,
        lower: impl FnOnce(&mut Self) -> Result<T, CompileError>,
    ) -> Result<T, CompileError> {
        let rows = self.rows.clone();
        let (folds, is_unique) = (std::mem::take(&mut self.folds), self.is_unique);
        let around = self.around.replace(Alias(self.next_alias));
        let lowered = lower(self);
        (self.rows, self.folds, self.is_unique, self.around) = (rows, folds, is_unique, around);
        lowered
    }

    /// Returns whether an expression names rows around the query that is being lowered, and none of its own.
    pub(super) fn is_from_around(&self, expr: &Expr) -> bool {
        let Some(first) = self.around else { return false };
        let named = free_sources(expr);
        !named.is_empty() && named.iter().all(|alias| *alias < first)
    }

    /// Refuses to fold a value of the rows around a query: to SQL that is a fold over those.
    pub(super) fn is_of_own_rows(&self, value: &Value) -> Result<(), CompileError> {
        if self.is_from_around(&value.expr) {
            return Err(unsupported(
                "a fold over a value of the rows around its query",
                "fold a value of its own rows",
            ));
        }
        Ok(())
    }

    /// Returns a value to be compared: one from around the query is made certain of its kind once, so that the field beside
    /// it can be left as it is stored, and an index is entered by it.
    pub(super) fn compared(&self, value: Value) -> Value {
        if self.is_from_around(&value.expr) {
            Value { expr: settled(&value), clean: true, ..value }
        } else {
            value
        }
    }
}

/// Returns a value that is of its kind or null, and leaves what it is compared with as it is.
fn settled(value: &Value) -> Expr {
    without_affinity(value.of_kind())
}

/// Returns an expression without the affinity of a row id, which would turn a text beside it into a number.
fn without_affinity(expr: Expr) -> Expr {
    if converts(&expr) { Expr::Unindexed(Box::new(expr)) } else { expr }
}

fn not_one_value() -> CompileError {
    unsupported("a query of whole documents, structs or tuples inside of a closure", "select one value")
}
