//! What of a query keeps a table from being read faster.
//!
//! In: a query before a way of reading is written into it, and the way that was chosen. Out: the causes. It changes
//! nothing, and says nothing of documents that are found by their ids.

use crate::compile::advice::{NarrowGap, Obstacle};
use crate::compile::passes::access::Way;
use crate::compile::passes::access::term::{Key, Needs, TermShape, term};
use crate::ir::catalog::{Collection, Column};
use crate::ir::doc::Function;
use crate::ir::path::FieldPath;
use crate::ir::sql::{Access, Alias, Binary, Expr, Select, SqlFunction, walk};
use crate::ir::value::Kind;

/// A table of a query, and how it is going to be read.
pub(super) struct Chosen<'a> {
    pub(super) select: &'a Select,
    pub(super) alias: Alias,
    pub(super) collection: &'a Collection,
    pub(super) way: &'a Way,
    /// Whether rows come in the order asked for.
    pub(super) in_order: bool,
    /// An index that has the order asked for.
    pub(super) ordered_index: Option<String>,
}

impl Chosen<'_> {
    /// Returns what keeps the table from being read faster, each cause once.
    pub(super) fn obstacles(&self) -> Vec<Obstacle> {
        let mut found = Vec::new();
        if self.way.counted || self.is_found_by_id() {
            return found;
        }
        let mut add = |obstacle: Obstacle| {
            if !found.contains(&obstacle) {
                found.push(obstacle);
            }
        };
        let order = self.select.order.iter().map(|term| &term.by);
        let keys: Vec<&Expr> = self.select.group.iter().chain(order).collect();
        let of_groups = self.select.having.iter().chain(&self.select.columns);
        let asked = self.select.filter.iter().chain(keys.iter().copied()).chain(of_groups);
        for field in asked.flat_map(|expr| self.unindexed(expr)) {
            add(Obstacle::NoIndex { field });
        }
        for condition in self.conditions() {
            self.not_sought(condition).into_iter().for_each(&mut add);
        }
        self.sorted().into_iter().for_each(&mut add);
        self.not_narrow().into_iter().for_each(&mut add);
        found
    }

    /// Returns the conditions that are asked of rows, and not of a set of row ids.
    fn conditions(&self) -> impl Iterator<Item = &Expr> {
        let places = (0..).zip(&self.select.filter);
        places.filter(|(place, _)| !self.way.sets.contains(place)).map(|(_, condition)| condition)
    }

    fn is_found_by_id(&self) -> bool {
        self.select
            .filter
            .iter()
            .filter_map(|condition| term(condition, self.alias))
            .any(|term| term.column == Key::Id && matches!(term.shape, TermShape::Equal | TermShape::In))
    }

    /// Returns the fields of an expression that are looked up in documents.
    fn unindexed(&self, expr: &Expr) -> Vec<FieldPath> {
        let mut fields = Vec::new();
        walk(expr, &mut |x| {
            if let Expr::Extract { document, path, .. } = x
                && **document == Expr::Doc(self.alias)
            {
                fields.push(path.clone());
            }
        });
        fields
    }

    /// Returns why no index can be entered by a condition, if it is for its form.
    fn not_sought(&self, condition: &Expr) -> Option<Obstacle> {
        if term(condition, self.alias).is_some() {
            return None;
        }
        let fields = self.fields(condition);
        let first = fields.first()?.clone();
        match condition {
            Expr::Or(parts) if !are_equalities_of_one(parts) => Some(Obstacle::Alternatives { fields }),
            Expr::Call(SqlFunction::Text(Function::StartsWith), _) => {
                Some(Obstacle::ComputedPrefix { field: first })
            }
            _ => operator(condition).map(|operator| Obstacle::NotSought { operator, fields }),
        }
    }

    /// Returns the fields of the table that an expression names.
    fn fields(&self, expr: &Expr) -> Vec<FieldPath> {
        let mut fields = Vec::new();
        walk(expr, &mut |x| {
            let field = match x {
                Expr::Id(alias) if *alias == self.alias => FieldPath::root().key("id"),
                Expr::Column { source, path, .. } if *source == self.alias => path.clone(),
                Expr::Extract { document, path, .. } if **document == Expr::Doc(self.alias) => path.clone(),
                _ => return,
            };
            if !fields.contains(&field) {
                fields.push(field);
            }
        });
        fields
    }

    fn sorted(&self) -> Option<Obstacle> {
        let order = self.select.order.iter().map(|term| &term.by);
        let keys: Vec<&Expr> = match self.select.group.as_slice() {
            [] => order.collect(),
            group => group.iter().collect(),
        };
        // Where a key has no index, that is the cause.
        if self.in_order || keys.is_empty() || keys.iter().any(|key| !self.unindexed(key).is_empty()) {
            return None;
        }
        let written =
            keys.split_last().filter(|(last, rest)| matches!(last, Expr::Id(_)) && !rest.is_empty());
        let written = written.map_or(keys.as_slice(), |(_, rest)| rest);
        let keys = written.iter().filter_map(|key| self.words(key)).collect::<Vec<_>>();
        let index = self.ordered_index.clone();
        (!keys.is_empty()).then_some(Obstacle::Sorted { keys, index })
    }

    /// Returns a key of an order as the builder calls it.
    fn words(&self, key: &Expr) -> Option<String> {
        let field = self.fields(key).first()?.to_string();
        Some(match operator(key) {
            Some(operator) => format!("{field}.{operator}(..)"),
            None => field,
        })
    }

    /// Returns the indexed fields that neither the index that is read nor the narrow index holds.
    fn not_narrow(&self) -> Vec<Obstacle> {
        let narrow = self.collection.narrow.as_ref().map_or(&[][..], |narrow| &narrow.columns);
        let order = self.select.order.iter().map(|term| &term.by);
        let of_groups = self.select.having.iter().chain(&self.select.columns);
        let asked = self.conditions().chain(&self.select.group).chain(order).chain(of_groups);
        let needs = asked.map(|expr| Needs::of(expr, self.alias)).filter(|needs| !needs.document);
        let lacking = |name: &str| !narrow.iter().any(|column| column == name) && !self.is_held(name);
        needs
            .flat_map(|needs| needs.columns)
            .filter(|name| lacking(name))
            .filter_map(|name| self.collection.columns.iter().find(|column| *column.name == *name))
            .map(|column| Obstacle::NotNarrow { field: column.path.clone(), gap: self.gap(column) })
            .collect()
    }

    /// Returns whether the index that is read holds a column.
    fn is_held(&self, name: &str) -> bool {
        let Access::Index(read) = &self.way.access else { return false };
        let index = self.collection.indexes.iter().find(|index| *index.name == **read);
        index.is_some_and(|index| index.columns.iter().any(|column| column.name == name))
    }

    fn gap(&self, column: &Column) -> NarrowGap {
        let indexed = |column: &&Column| {
            self.collection
                .indexes
                .iter()
                .any(|index| index.columns.iter().any(|held| held.name == column.name))
        };
        let only_one = self.collection.columns.iter().filter(indexed).count() < 2;
        if column.view.kind() == Kind::Text && !only_one { NarrowGap::Text } else { NarrowGap::OneField }
    }
}

fn are_equalities_of_one(parts: &[Expr]) -> bool {
    let left = |part: &Expr| match part {
        Expr::Binary(Binary::Eq, left, _) => Some(left.as_ref().clone()),
        _ => None,
    };
    let first = parts.first().and_then(left);
    first.is_some() && parts.iter().all(|part| left(part) == first)
}

/// Returns the operator, as the builder calls it, that makes more of an expression than a field beside a value.
fn operator(expr: &Expr) -> Option<&'static str> {
    let computed = |x: &Expr| match x {
        Expr::Call(..) | Expr::Case { .. } => operator(x),
        _ => None,
    };
    match expr {
        Expr::NotTrue(inner) if matches!(**inner, Expr::IsNull(_)) => None,
        Expr::NotTrue(_) | Expr::Binary(Binary::IsNot, ..) => Some("!"),
        Expr::Call(function, args) => word(*function).or_else(|| args.first().and_then(operator)),
        // A condition that can fail stands behind those that cannot.
        Expr::Case { when, otherwise } => otherwise.as_deref().and_then(operator).or_else(|| {
            when.iter().rev().find_map(|(condition, value)| operator(value).or_else(|| operator(condition)))
        }),
        Expr::Binary(sign, left, right) => {
            computed(left).or_else(|| computed(right)).or_else(|| between_fields(*sign, left, right))
        }
        Expr::Range(range) => {
            let bounds = [&range.low, &range.high].into_iter().flatten();
            let fields = |x: &Expr| matches!(x, Expr::Column { .. } | Expr::Extract { .. } | Expr::Id(_));
            computed(&range.of)
                .or_else(|| bounds.clone().find_map(|bound| computed(&bound.value)))
                .or_else(|| bounds.clone().any(|bound| fields(&bound.value)).then_some("a comparison"))
        }
        Expr::In(item, _) | Expr::InOptions(item, ..) => computed(item),
        Expr::IsNull(inner) | Expr::IsTrue(inner) | Expr::OfKind(inner, _) | Expr::Only(inner, _) => {
            operator(inner)
        }
        _ => None,
    }
}

/// Returns a function as the builder calls it, where the builder has it.
fn word(function: SqlFunction) -> Option<&'static str> {
    match function {
        SqlFunction::Coalesce => Some("unwrap_or"),
        SqlFunction::Text(Function::Left) => Some(Function::Substr.name()),
        SqlFunction::Text(function) => Some(function.name()),
        SqlFunction::Arithmetic(operation) => Some(operation.sign()),
        _ => None,
    }
}

fn between_fields(sign: Binary, left: &Expr, right: &Expr) -> Option<&'static str> {
    let is_field = |x: &Expr| {
        let x = if let Expr::OfKind(inner, _) = x { inner } else { x };
        matches!(x, Expr::Column { .. } | Expr::Extract { .. } | Expr::Id(_))
    };
    let word = match sign {
        Binary::Eq | Binary::Is => "==",
        Binary::Lt => "<",
        Binary::Le => "<=",
        Binary::Gt => ">",
        Binary::Ge => ">=",
        Binary::IsNot | Binary::Add | Binary::Concat => return None,
    };
    (is_field(left) && is_field(right)).then_some(word)
}
