//! Queries: WITH, SELECT, FROM, WHERE, GROUP BY, HAVING, ORDER BY, LIMIT.

use crate::compile::emit::Printer;
use crate::ir::doc::Nulls;
use crate::ir::sql::{Access, Alias, Expr, OrderTerm, Select, Source, SourceKind};

impl Printer {
    pub(super) fn select(&mut self, select: &Select) {
        if !select.with.is_empty() {
            self.push("WITH RECURSIVE ");
            self.list(&select.with, ", ", |out, cte| {
                out.identifier(cte.name);
                out.push("(");
                out.list(&cte.columns, ", ", |out, column| out.identifier(column));
                out.push(") AS (");
                out.select(&cte.body);
                out.push(")");
            });
            self.push(" ");
        }
        self.core(select);
        for other in &select.union_all {
            self.push(" UNION ALL ");
            self.core(other);
        }
        if !select.order.is_empty() {
            self.push(" ORDER BY ");
            self.list(&select.order, ", ", Printer::order);
        }
        self.limit(select);
    }

    fn core(&mut self, select: &Select) {
        self.push("SELECT ");
        // Columns are named by their place: that is how a query around this one speaks of them.
        let mut place = 0;
        self.list(&select.columns, ", ", |out, column| {
            out.expr(column);
            out.push(&format!(" AS c{place}"));
            place += 1;
        });
        if !select.from.is_empty() {
            self.push(" FROM ");
            self.list(&select.from, " CROSS JOIN ", Printer::source);
        }
        self.filter(&select.filter);
        if !select.group.is_empty() {
            self.push(" GROUP BY ");
            self.list(&select.group, ", ", Printer::expr);
        }
        if !select.having.is_empty() {
            self.push(" HAVING ");
            self.conjunction(&select.having);
        }
    }

    pub(super) fn filter(&mut self, filter: &[Expr]) {
        if !filter.is_empty() {
            self.push(" WHERE ");
            self.conjunction(filter);
        }
    }

    fn limit(&mut self, select: &Select) {
        match (&select.limit, &select.offset) {
            (None, None) => {}
            (limit, offset) => {
                self.push(" LIMIT ");
                match limit {
                    Some(limit) => self.count(limit),
                    None => self.push("-1"),
                }
                if let Some(offset) = offset {
                    self.push(" OFFSET ");
                    self.count(offset);
                }
            }
        }
    }

    /// Prints a number of rows. Without the cast SQLite would look at a bound value when it prepares.
    fn count(&mut self, count: &Expr) {
        if let Expr::Int(_) = count {
            return self.expr(count);
        }
        self.push("CAST(");
        self.expr(count);
        self.push(" AS INTEGER)");
    }

    fn order(&mut self, term: &OrderTerm) {
        self.expr(&term.by);
        if term.descending {
            self.push(" DESC");
        }
        match (term.nulls, term.descending) {
            (Nulls::Smallest, _) | (Nulls::First, false) | (Nulls::Last, true) => {}
            (Nulls::First, true) => self.push(" NULLS FIRST"),
            (Nulls::Last, false) => self.push(" NULLS LAST"),
        }
    }

    fn source(&mut self, source: &Source) {
        match &source.kind {
            SourceKind::Table { table, access, .. } => {
                self.identifier(table);
                self.push(" AS ");
                self.alias(source.alias);
                match access {
                    Access::Planner => {}
                    Access::NotIndexed => self.push(" NOT INDEXED"),
                    Access::Index(name) => {
                        self.push(" INDEXED BY ");
                        self.identifier(name);
                    }
                }
            }
            SourceKind::Query(select) => {
                self.push("(");
                self.select(select);
                self.push(") AS ");
                self.alias(source.alias);
            }
            SourceKind::Cte(name) => {
                self.identifier(name);
                self.push(" AS ");
                self.alias(source.alias);
            }
            SourceKind::Items(list) => {
                // The JSONB form: an item that is an array or object is a blob, and equals no text.
                self.push("jsonb_each(");
                self.expr(list);
                self.push(") AS ");
                self.alias(source.alias);
            }
        }
    }

    pub(super) fn alias(&mut self, alias: Alias) {
        match alias {
            Alias::OWN => self.push("own"),
            Alias(number) => self.push(&format!("t{number}")),
        }
    }
}
