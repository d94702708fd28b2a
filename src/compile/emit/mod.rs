//! Prints the SQL tree as SQLite's text. Total: every tree has one text.
//!
//! Identifiers, literals and paths are quoted by [`quote`] alone. Values are `?1`, `?2`, .. in the
//! order of the statement's binds, but for those that a partial index names. A LIMIT that is bound is wrapped in a cast, or SQLite would prepare the
//! statement anew for each value.

pub(crate) mod column;
mod expr;
pub(crate) mod quote;
mod select;

use crate::ir::sql::{Alias, Body, Expr, Statement, walk_mut};

/// Returns the statement's text.
pub(crate) fn emit(statement: &Statement) -> String {
    let mut out = Printer { sql: String::with_capacity(256) };
    match &statement.body {
        Body::Select(select) => out.select(select),
        Body::Update { table, document, filter } => {
            out.push("UPDATE ");
            out.by_id(table);
            out.push(" SET doc = ");
            out.expr(document);
            out.filter(filter);
        }
        Body::Delete { table, filter } => {
            out.push("DELETE FROM ");
            out.by_id(table);
            out.filter(filter);
        }
    }
    out.sql
}

/// Returns a condition as it stands in a partial index, without the table's name; `None` where it is of more than columns
/// of this source, so that an index cannot have it.
pub(crate) fn condition_of_columns(condition: &Expr, source: Alias) -> Option<String> {
    let mut condition = condition.clone();
    let mut is_of_columns = true;
    walk_mut(&mut condition, &mut |x| match x {
        Expr::Column { source: own, .. } => {
            is_of_columns &= *own == source;
            *own = Alias::INDEXED;
        }
        // SQLite turns a comparison of two columns round, and then no longer finds it in the index.
        Expr::Binary(_, left, right) => {
            let is_column = |side: &Expr| matches!(side, Expr::Column { .. } | Expr::OfKind(..));
            is_of_columns &= !(is_column(left) && is_column(right));
        }
        Expr::And(_)
        | Expr::Or(_)
        | Expr::NotTrue(_)
        | Expr::IsTrue(_)
        | Expr::IsNull(_)
        | Expr::OfKind(..)
        | Expr::Range(_)
        | Expr::AboveText
        | Expr::Literal(_)
        | Expr::Int(_)
        | Expr::Text(_)
        | Expr::Bool(_)
        | Expr::Null => {}
        _ => is_of_columns = false,
    });
    let mut out = Printer { sql: String::new() };
    is_of_columns.then(|| {
        out.expr(&condition);
        out.sql
    })
}

/// The text so far.
struct Printer {
    sql: String,
}

impl Printer {
    fn push(&mut self, text: &str) {
        self.sql.push_str(text);
    }

    fn identifier(&mut self, name: &str) {
        quote::identifier(&mut self.sql, name);
    }

    /// Prints the table that a write finds rows of by their ids: through a narrower index SQLite would find each twice.
    /// It has a name, for the rows of `jsonb_each` have an `id`, a `value` and a `type` of their own.
    fn by_id(&mut self, table: &str) {
        self.identifier(table);
        self.push(" AS ");
        self.alias(Alias::OWN);
        self.push(" NOT INDEXED");
    }

    fn text(&mut self, text: &str) {
        quote::text(&mut self.sql, text);
    }

    /// Prints `items` with `separator` between them.
    fn list<T>(&mut self, items: &[T], separator: &str, mut print: impl FnMut(&mut Self, &T)) {
        for (place, item) in items.iter().enumerate() {
            if place > 0 {
                self.push(separator);
            }
            print(self, item);
        }
    }
}
