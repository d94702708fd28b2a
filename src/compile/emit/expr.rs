//! Expressions. Operands of operators are in parentheses unless they bind tighter than any operator.

use crate::compile::emit::{Printer, column};
use crate::ir::sql::{Alias, Binary, Bound, Expr, Range, RangeKind};
use crate::ir::value::{Kind, View};

impl Printer {
    pub(super) fn expr(&mut self, expr: &Expr) {
        match expr {
            Expr::Id(source) => self.own(*source, "id"),
            Expr::Doc(source) => self.own(*source, "doc"),
            Expr::Column { source, name, .. } => {
                self.qualifier(*source);
                self.identifier(name);
            }
            Expr::Extract { document, path, view, default } => {
                let mut inner = Printer { sql: String::new() };
                inner.expr(document);
                column::extract(&mut self.sql, &inner.sql, path, *view, default.as_ref());
            }
            Expr::Lookup { document, path, view } => {
                let [mut of, mut at] = [(); 2].map(|()| Printer { sql: String::new() });
                of.expr(document);
                at.expr(path);
                column::lookup(&mut self.sql, &of.sql, &at.sql, *view);
            }
            Expr::Output { source, column } => self.own(*source, &format!("c{column}")),
            Expr::Item { source, view } => {
                let mut of = Printer { sql: String::new() };
                of.alias(*source);
                column::item(&mut self.sql, &of.sql, *view);
            }
            Expr::Named { source, name } => {
                self.qualifier(*source);
                self.identifier(name);
            }
            Expr::Bind(place) => self.push(&format!("?{}", place + 1)),
            Expr::Literal(x) => column::literal(&mut self.sql, x, View::Declared(x.kind())),
            Expr::Int(x) => self.push(&x.to_string()),
            Expr::Text(x) => self.text(x),
            Expr::AboveText => self.push("x''"),
            Expr::Null => self.push("NULL"),
            Expr::Bool(x) => self.push(if *x { "1" } else { "0" }),
            Expr::Binary(operator, left, right) => self.infix(left, sign(*operator), right),
            Expr::And(parts) => self.conjunction(parts),
            Expr::Or(parts) => self.balanced(parts, " OR "),
            Expr::NotTrue(inner) => match inner.as_ref() {
                Expr::IsNull(x) => self.postfix(x, " IS NOT NULL"),
                x => self.postfix(x, " IS NOT TRUE"),
            },
            Expr::IsTrue(x) => self.postfix(x, " IS TRUE"),
            Expr::IsNull(x) => self.postfix(x, " IS NULL"),
            Expr::Range(range) => self.range(range),
            Expr::In(item, select) => {
                self.operand(item);
                self.push(" IN (");
                self.select(select);
                self.push(")");
            }
            Expr::InOptions(item, select, none) => {
                self.operand(item);
                self.push(" IN (");
                self.select(select);
                self.push(") OR ");
                self.infix(item, " IS ", none);
            }
            Expr::Unindexed(x) => {
                self.push("+");
                self.operand(x);
            }
            Expr::OfKind(inner, kind) => self.of_kind(inner, *kind),
            Expr::Only(inner, kind) => {
                let mut value = Printer { sql: String::new() };
                value.expr(inner);
                column::only(&mut self.sql, &value.sql, *kind);
            }
            Expr::Call(function, args) => {
                self.push(function.name());
                self.push("(");
                self.list(args, ", ", Printer::expr);
                self.push(")");
            }
            Expr::Case { when, otherwise } => {
                self.push("CASE");
                for (condition, value) in when {
                    self.push(" WHEN ");
                    self.expr(condition);
                    self.push(" THEN ");
                    self.expr(value);
                }
                if let Some(value) = otherwise {
                    self.push(" ELSE ");
                    self.expr(value);
                }
                self.push(" END");
            }
            Expr::CountAll => self.push("count(*)"),
            Expr::Exists(select) => {
                self.push("EXISTS (");
                self.select(select);
                self.push(")");
            }
            Expr::Scalar(select) => {
                self.push("(");
                self.select(select);
                self.push(")");
            }
        }
    }

    fn qualifier(&mut self, source: Alias) {
        if source != Alias::INDEXED {
            self.alias(source);
            self.push(".");
        }
    }

    fn own(&mut self, source: Alias, name: &str) {
        self.qualifier(source);
        self.push(name);
    }

    /// Prints an operand, in parentheses where it is itself made of operands.
    fn operand(&mut self, expr: &Expr) {
        let tight = match expr {
            Expr::Binary(..)
            | Expr::And(_)
            | Expr::Or(_)
            | Expr::NotTrue(_)
            | Expr::IsTrue(_)
            | Expr::IsNull(_)
            | Expr::Range(_)
            | Expr::In(..)
            | Expr::InOptions(..) => false,
            Expr::Int(x) => *x >= 0,
            _ => true,
        };
        if tight {
            return self.expr(expr);
        }
        self.push("(");
        self.expr(expr);
        self.push(")");
    }

    fn infix(&mut self, left: &Expr, sign: &str, right: &Expr) {
        self.operand(left);
        self.push(sign);
        self.operand(right);
    }

    fn postfix(&mut self, inner: &Expr, sign: &str) {
        self.operand(inner);
        self.push(sign);
    }

    pub(super) fn conjunction(&mut self, parts: &[Expr]) {
        self.balanced(parts, " AND ");
    }

    /// Prints a chain. A long one is halved in parentheses: SQLite's parser nests a flat chain to the left, and
    /// refuses trees deeper than 1,000.
    fn balanced(&mut self, parts: &[Expr], sign: &str) {
        const FLAT: usize = 64;
        if parts.len() <= FLAT {
            return self.list(parts, sign, |out, part| match part {
                // A range is a chain of ANDs itself.
                Expr::Range(_) if sign == " AND " => out.expr(part),
                part => out.operand(part),
            });
        }
        let (left, right) = parts.split_at(parts.len() / 2);
        self.push("(");
        self.balanced(left, sign);
        self.push(")");
        self.push(sign);
        self.push("(");
        self.balanced(right, sign);
        self.push(")");
    }

    /// Prints a range. A missing bound is the edge of the kind; numbers need none below, where only null is.
    fn range(&mut self, range: &Range) {
        let edge = |value: Expr, inclusive| Bound { value, inclusive };
        let low = match (&range.low, range.kind) {
            (Some(bound), _) => Some(bound.clone()),
            (None, RangeKind::Text) => Some(edge(Expr::Text("".into()), true)),
            (None, RangeKind::Number) => None,
        };
        let high = range.high.clone().unwrap_or_else(|| match range.kind {
            RangeKind::Text => edge(Expr::AboveText, false),
            RangeKind::Number => edge(Expr::Text("".into()), false),
        });
        if let Some(low) = low {
            self.infix(&range.of, if low.inclusive { " >= " } else { " > " }, &low.value);
            self.push(" AND ");
        }
        self.infix(&range.of, if high.inclusive { " <= " } else { " < " }, &high.value);
    }

    /// Prints a value as null where it is of another kind than the one declared.
    fn of_kind(&mut self, inner: &Expr, kind: Kind) {
        let types = match kind {
            Kind::Text => "= 'text'",
            Kind::Number => "IN ('integer', 'real')",
            Kind::Bool => "= 'integer'",
            Kind::Array | Kind::Object => "= 'blob'",
            Kind::Any => "<> 'null'",
        };
        self.push("CASE WHEN typeof(");
        self.expr(inner);
        self.push(&format!(") {types} THEN "));
        self.expr(inner);
        self.push(" END");
    }
}

fn sign(operator: Binary) -> &'static str {
    match operator {
        Binary::Eq => " = ",
        Binary::Is => " IS ",
        Binary::IsNot => " IS NOT ",
        Binary::Lt => " < ",
        Binary::Le => " <= ",
        Binary::Gt => " > ",
        Binary::Ge => " >= ",
        Binary::Add => " + ",
        Binary::Concat => " || ",
    }
}
