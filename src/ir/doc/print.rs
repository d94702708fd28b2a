//! Prints the faithful tree as a person would have written it, for messages and `explain`.

use std::fmt::{self, Write as _};

use crate::ir::catalog::FILES;
use crate::ir::doc::{
    Absence, Arithmetic, Assignment, Binder, Comparison, Count, Expr, ExprId, Fold, Lambda, Query, Source,
    Stage, Statement, Terminal,
};
use crate::ir::types::Type;
use crate::ir::value::Kind;

impl Lambda {
    /// Returns an expression of the closure in words.
    pub(crate) fn display(&self, id: ExprId) -> String {
        let mut out = String::new();
        // Writing into a String cannot fail.
        let _ = self.write(id, &mut out);
        out
    }

    fn write(&self, id: ExprId, out: &mut String) -> fmt::Result {
        match self.node(id) {
            Expr::Row(binder) => write!(out, "r{}", binder.0),
            Expr::Item { of, index } => {
                self.write(*of, out)?;
                write!(out, ".{index}")
            }
            Expr::Key { of, .. } => self.member(*of, "key", out),
            Expr::Field { of, key, .. } => self.member(*of, key, out),
            Expr::Param { slot, .. } => write!(out, "?{}", slot + 1),
            Expr::Constant { ty, .. } => write!(out, "<{ty}>"),
            Expr::Compare(Comparison::EqOption, left, right) => {
                self.method(*left, "eq_option", &[*right], out)
            }
            Expr::Compare(comparison, left, right) => {
                self.infix(*left, comparison_sign(*comparison), *right, out)
            }
            Expr::And(left, right) => self.infix(*left, "&", *right, out),
            Expr::Or(left, right) => self.infix(*left, "|", *right, out),
            Expr::Not(inner) => {
                out.write_char('!')?;
                self.write(*inner, out)
            }
            Expr::IsNone(inner) => self.method(*inner, "is_none", &[], out),
            Expr::IsAbsent(inner, Absence::Missing) => self.method(*inner, "is_missing", &[], out),
            Expr::IsAbsent(inner, Absence::JsonNull) => self.method(*inner, "is_json_null", &[], out),
            Expr::InList { item, list } => self.method(*item, "is_in", &[*list], out),
            Expr::InOptions { item, list } => self.method(*item, "is_in_options", &[*list], out),
            Expr::InQuery { item, query } => {
                self.write(*item, out)?;
                write!(out, ".is_in({})", on_one_line(query))
            }
            Expr::Subquery(subquery) => {
                write!(out, "{}{}", on_one_line(&subquery.query), subquery.terminal)
            }
            Expr::InItems { item, items } => self.method(*item, "is_in", items, out),
            Expr::Call { function, args } => match args.split_first() {
                Some((of, rest)) => self.method(*of, function.name(), rest, out),
                None => out.write_str(function.name()),
            },
            Expr::Arithmetic { operation, args, ty, .. } => self.arithmetic(*operation, args, ty.name(), out),
            Expr::Coalesce { value, default, .. } => self.method(*value, "unwrap_or", &[*default], out),
            Expr::When { condition, then, otherwise, .. } => {
                out.write_str("when")?;
                self.list(&[*condition, *then, *otherwise], out)
            }
            Expr::Flattened(of) | Expr::Defaulted(of, _) => self.write(*of, out),
            Expr::Position { of, index, .. } => {
                self.write(*of, out)?;
                write!(out, "[{index}]")
            }
            Expr::Lookup { of, key, .. } => self.method(*of, "get", &[*key], out),
            Expr::OfKind { of, ty } => {
                self.write(*of, out)?;
                write!(out, ".{}()", json_method(*ty))
            }
            Expr::Items { list, fold, .. } => self.method(*list, fold.name(), fold.of().as_slice(), out),
            Expr::Fold { fold, of, .. } => {
                out.write_str(fold_name(*fold))?;
                self.list(of.as_slice(), out)
            }
            Expr::Tuple(items) => self.list(items, out),
            Expr::Struct(members) => {
                out.write_str("{ ")?;
                for (place, (name, member)) in members.iter().enumerate() {
                    write!(out, "{}{name}: ", if place > 0 { ", " } else { "" })?;
                    self.write(*member, out)?;
                }
                out.write_str(" }")
            }
        }
    }

    /// Writes a member; the row in front of a field of the closure's own row says nothing and is left out.
    fn member(&self, of: ExprId, name: &str, out: &mut String) -> fmt::Result {
        if !matches!(self.node(of), Expr::Row(binder) if !self.is_around(*binder)) {
            self.write(of, out)?;
            out.write_char('.')?;
        }
        for c in name.chars() {
            if c.is_control() { write!(out, "{}", c.escape_unicode())? } else { out.write_char(c)? }
        }
        Ok(())
    }

    /// Returns whether a row is that of a closure around the query that this one is in.
    fn is_around(&self, binder: Binder) -> bool {
        let is_item = |node: &Expr| matches!(node, Expr::Items { item, .. } if *item == binder);
        !self.binders.contains(&binder) && !self.nodes.iter().any(is_item)
    }

    fn infix(&self, left: ExprId, sign: &str, right: ExprId, out: &mut String) -> fmt::Result {
        out.write_char('(')?;
        self.write(left, out)?;
        write!(out, " {sign} ")?;
        self.write(right, out)?;
        out.write_char(')')
    }

    fn method(&self, of: ExprId, name: &str, args: &[ExprId], out: &mut String) -> fmt::Result {
        self.write(of, out)?;
        write!(out, ".{name}")?;
        self.list(args, out)
    }

    fn list(&self, items: &[ExprId], out: &mut String) -> fmt::Result {
        out.write_char('(')?;
        for (place, item) in items.iter().enumerate() {
            if place > 0 {
                out.write_str(", ")?;
            }
            self.write(*item, out)?;
        }
        out.write_char(')')
    }

    fn arithmetic(&self, operation: Arithmetic, args: &[ExprId], ty: &str, out: &mut String) -> fmt::Result {
        match (operation, args) {
            (Arithmetic::Cast, [of, ..]) => {
                self.write(*of, out)?;
                write!(out, ".as_{ty}()")
            }
            (Arithmetic::Neg, [of, ..]) => {
                out.write_char('-')?;
                self.write(*of, out)
            }
            (Arithmetic::Abs, [of, ..]) => self.method(*of, "abs", &[], out),
            (operation, [left, right, ..]) => self.infix(*left, operation.sign(), *right, out),
            (_, _) => Ok(()),
        }
    }
}

/// Returns the name of the method by which JSON is seen as a type.
fn json_method(ty: Type) -> &'static str {
    match ty.kind() {
        Kind::Text => "as_str",
        Kind::Bool => "as_bool",
        Kind::Number if ty.is_float() => "as_f64",
        Kind::Number => "as_i64",
        Kind::Array => "as_array",
        Kind::Object => "as_object",
        Kind::Any => "as_any",
    }
}

fn comparison_sign(comparison: Comparison) -> &'static str {
    match comparison {
        Comparison::Eq | Comparison::EqOption => "==",
        Comparison::Ne => "!=",
        Comparison::Lt => "<",
        Comparison::Le => "<=",
        Comparison::Gt => ">",
        Comparison::Ge => ">=",
    }
}

fn fold_name(fold: Fold) -> &'static str {
    match fold {
        Fold::Count => "count",
        Fold::Sum => "sum",
        Fold::Avg => "avg",
        Fold::Min => "min",
        Fold::Max => "max",
    }
}

/// Returns a query as it stands inside of a closure.
fn on_one_line(query: &Query) -> String {
    query.to_string().replace("\n  .", ".")
}

/// Prints the statement as the chain of calls that made it, a line a stage.
impl fmt::Display for Statement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}\n  {}", self.query, self.terminal)
    }
}

impl fmt::Display for Terminal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Terminal::Rows => f.write_str(".to_vec()"),
            Terminal::First => f.write_str(".first()"),
            Terminal::Single => f.write_str(".single()"),
            Terminal::Count => f.write_str(".count()"),
            Terminal::Exists => f.write_str(".exists()"),
            Terminal::NotExists => f.write_str(".all(..)"),
            Terminal::Fold(fold, lambda) => {
                write!(f, ".{}({})", fold_name(*fold), lambda.display(lambda.root))
            }
            Terminal::Delete => f.write_str(".delete()"),
            Terminal::Update(assignments) => {
                f.write_str(".update(")?;
                for (place, assignment) in assignments.iter().enumerate() {
                    let name = match assignment {
                        Assignment::Set(..) => "set",
                        Assignment::Unset(_) => "unset",
                        Assignment::Increment(_) => "increment",
                    };
                    let comma = if place > 0 { ", " } else { "" };
                    let lambda = assignment.lambda();
                    write!(f, "{comma}{name}{}", lambda.display(lambda.root))?;
                }
                f.write_char(')')
            }
        }
    }
}

impl fmt::Display for Query {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Source::Collection { name, .. } = &self.source;
        match &**name {
            FILES => f.write_str("files")?,
            name => write!(f, "from `{name}`")?,
        }
        for stage in &self.stages {
            f.write_str("\n  ")?;
            match stage {
                Stage::Filter(lambda) => write!(f, ".filter({})", lambda.display(lambda.root))?,
                Stage::FilterSome(slot, lambda) => {
                    write!(f, ".filter_some(?{}, {})", slot + 1, lambda.display(lambda.root))?;
                }
                Stage::Order { keys, then } => {
                    f.write_str(if *then { ".then_by(" } else { ".order_by(" })?;
                    for (place, key) in keys.iter().enumerate() {
                        let comma = if place > 0 { ", " } else { "" };
                        let direction = if key.descending { ".desc()" } else { "" };
                        write!(f, "{comma}{}{direction}", key.by.display(key.by.root))?;
                    }
                    f.write_char(')')?;
                }
                Stage::Skip(count) => write!(f, ".skip({count})")?,
                Stage::Take(count) => write!(f, ".take({count})")?,
                Stage::Unordered => f.write_str(".unordered()")?,
                Stage::ForbidScan => f.write_str(".forbid_scan()")?,
                Stage::Select(lambda) => write!(f, ".select({})", lambda.display(lambda.root))?,
                Stage::Group(lambda) => write!(f, ".group_by({})", lambda.display(lambda.root))?,
            }
        }
        Ok(())
    }
}

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Count::Constant(_) => f.write_str("<count>"),
            Count::Param(slot) => write!(f, "?{}", slot + 1),
        }
    }
}
