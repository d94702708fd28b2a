//! Chooses how each table is read, and names it in the FROM.
//!
//! ```text
//! FROM t WHERE system = ?                     -> FROM t INDEXED BY "t/system" WHERE ..
//! FROM t WHERE system >= ? .. AND level > ?   -> FROM t INDEXED BY "t/*" WHERE ..         both are in the narrow index
//! .. WHERE system = ? .. ORDER BY time LIMIT  -> FROM t INDEXED BY "t/time" CROSS JOIN t n INDEXED BY "t/*" WHERE n.id = t.id ..
//! FROM t WHERE id = ?                         -> FROM t NOT INDEXED WHERE id = ?
//! ```
//! The planner's own choice costs ten to a hundred times as much where it goes wrong, and it cannot know that an
//! index over virtual columns covers a query. Each way of reading is given a cost; the cheapest is taken. What an
//! index does not hold of what a condition needs, the narrow index supplies by id where it can.

use std::sync::Arc;

use crate::compile::passes::Context;
use crate::compile::passes::cost::{self, selectivity};
use crate::compile::passes::sargable::{Key, Needs, Term, TermShape, term};
use crate::ir::catalog::{Collection, Index, Narrow};
use crate::ir::doc::Nulls;
use crate::ir::sql::{
    Access, Alias, Binary, Expr, Select, Source, SourceKind, Statement, each_select_mut, walk_mut,
};

pub(super) fn run(statement: &mut Statement, context: &mut Context<'_>) -> bool {
    let mut fired = false;
    let mut next = next_alias(statement);
    each_select_mut(statement, &mut |select| fired |= choose(select, context, &mut next));
    fired
}

/// Returns an alias that the statement does not use.
pub(super) fn next_alias(statement: &Statement) -> Alias {
    let mut highest = 0;
    crate::ir::sql::each_select(statement, &mut |select| {
        highest = select.from.iter().map(|source| source.alias.0 + 1).fold(highest, u32::max);
    });
    Alias(highest)
}

fn choose(select: &mut Select, context: &mut Context<'_>, next: &mut Alias) -> bool {
    let mut fired = false;
    let single = select.from.len() == 1;
    let tables: Vec<(Alias, Arc<str>)> = select.from.iter().filter_map(undecided).collect();
    for (alias, name) in tables {
        let Some(collection) = context.catalog.collections.get(&*name).cloned() else { continue };
        let way = if single { cheapest(select, alias, &collection) } else { Way::by_id() };
        context.notes.push(format!("`{name}`: {}", way.reason));
        take(select, alias, &collection, way, next);
        fired = true;
    }
    fired
}

fn undecided(source: &Source) -> Option<(Alias, Arc<str>)> {
    match &source.kind {
        SourceKind::Table { collection, access: Access::Planner, .. } => {
            Some((source.alias, Arc::clone(collection)))
        }
        _ => None,
    }
}

/// A way of reading a table.
#[derive(Debug)]
struct Way {
    access: Access,
    /// Whether the narrow index is asked by id for what the access does not hold.
    narrow: bool,
    cost: f64,
    reason: String,
}

impl Way {
    fn by_id() -> Way {
        let reason = "each document by its id".to_owned();
        Way { access: Access::NotIndexed, narrow: false, cost: 0.0, reason }
    }
}

/// What is asked of a table.
struct Question<'a> {
    select: &'a Select,
    alias: Alias,
    narrow: Option<&'a Narrow>,
    /// Each condition with what it needs and what it offers.
    conditions: Vec<(Needs, Option<Term>)>,
    /// What order, groups and columns need, the document as a result left aside.
    rest: Needs,
    /// How many rows are read of a limited query, or none for all.
    page: Option<f64>,
}

fn cheapest(select: &Select, alias: Alias, collection: &Collection) -> Way {
    let question = Question::new(select, alias, collection);
    let mut ways: Vec<Way> = vec![question.table()];
    ways.extend(question.narrow_scan());
    ways.extend(collection.indexes.iter().map(|index| question.index(index)));
    let mut ways = ways.into_iter();
    let Some(mut best) = ways.next() else { return Way::by_id() };
    let mut others = Vec::new();
    for way in ways {
        let loser = if way.cost < best.cost { std::mem::replace(&mut best, way) } else { way };
        others.push(loser);
    }
    others.sort_by(|a, b| a.cost.total_cmp(&b.cost));
    if let Some(second) = others.first() {
        best.reason = format!(
            "{} (about {:.2} ms; next: {}, about {:.2} ms)",
            best.reason,
            best.cost / 1e6,
            second.reason,
            second.cost / 1e6
        );
    }
    best
}

impl<'a> Question<'a> {
    fn new(select: &'a Select, alias: Alias, collection: &'a Collection) -> Self {
        let conditions = select
            .filter
            .iter()
            .map(|condition| (Needs::of(condition, alias), term(condition, alias)))
            .collect();
        let mut rest = Needs::default();
        let order = select.order.iter().map(|term| &term.by);
        for expr in order.chain(&select.group) {
            rest.add(expr, alias);
        }
        for expr in select.columns.iter().filter(|expr| !matches!(expr, Expr::Doc(_))) {
            rest.add(expr, alias);
        }
        let counted = |expr: &Option<Expr>, otherwise: f64| match expr {
            Some(Expr::Int(count)) => *count as f64,
            Some(_) => otherwise,
            None => 0.0,
        };
        let page = select
            .limit
            .is_some()
            .then(|| counted(&select.limit, cost::PAGE) + counted(&select.offset, cost::SKIPPED));
        Question { select, alias, narrow: collection.narrow.as_ref(), conditions, rest, page }
    }

    /// Returns the part of the rows that the conditions keep for which `f` holds.
    fn kept(&self, f: impl Fn(&Needs, Option<&Term>) -> bool) -> f64 {
        self.conditions
            .iter()
            .filter(|(needs, term)| f(needs, term.as_ref()))
            .map(|(_, term)| selectivity(term.as_ref().map(|term| term.shape)))
            .product()
    }

    fn is_narrow(&self, needs: &Needs) -> bool {
        self.narrow.is_some_and(|narrow| needs.are_within(&narrow.columns))
    }

    /// Returns the part of the documents that conditions on the row id leave to be read.
    fn by_id(&self) -> f64 {
        let on_id = |term: Option<&Term>| term.is_some_and(|term| term.column == Key::Id);
        let points = self.conditions.iter().filter_map(|(_, term)| term.as_ref());
        if points.clone().any(|term| term.column == Key::Id && term.shape == TermShape::Equal) {
            return 1.0 / cost::DOCUMENTS;
        }
        if points.clone().any(|term| term.column == Key::Id && term.shape == TermShape::In) {
            return 10.0 / cost::DOCUMENTS;
        }
        self.kept(|_, term| on_id(term))
    }

    /// Returns whether rows that come by id, forward or backward, are in the order asked for.
    fn is_by_id(&self) -> bool {
        let groups = self.select.group.is_empty();
        match self.select.order.as_slice() {
            [] => groups,
            [first, ..] => groups && first.by == Expr::Id(self.alias),
        }
    }

    /// Returns the cost of what follows once rows come from somewhere: the order, and stopping early.
    fn finish(&self, scan: f64, rows: f64, in_order: bool) -> f64 {
        match self.page {
            Some(page) if in_order => scan * (page / rows.max(1.0)).min(1.0),
            _ if in_order => scan,
            _ => scan + rows * cost::SORT_ROW,
        }
    }

    fn table(&self) -> Way {
        let rows = cost::DOCUMENTS * self.by_id();
        let looks = self.conditions.iter().any(|(needs, _)| needs.document || !needs.columns.is_empty());
        let after = cost::DOCUMENTS * self.kept(|_, _| true);
        let rest = if self.rest == Needs::default() { 0.0 } else { after * cost::EXTRACT };
        let scan = rows * (cost::TABLE_ROW + if looks { cost::EXTRACT } else { 0.0 }) + rest;
        let reason = match self.by_id() < 1.0 {
            true => "documents by id".to_owned(),
            false => "every document".to_owned(),
        };
        let cost = self.finish(scan, after, self.is_by_id());
        Way { access: Access::NotIndexed, narrow: false, cost, reason }
    }

    fn narrow_scan(&self) -> Option<Way> {
        let narrow = self.narrow?;
        let rows = cost::DOCUMENTS * self.by_id();
        let inside = |needs: &Needs| needs.are_within(&narrow.columns);
        // Of use only when it answers something that the row id alone does not.
        let answers = self.conditions.iter().any(|(needs, _)| !needs.columns.is_empty() && inside(needs))
            || (!self.rest.columns.is_empty() && inside(&self.rest));
        if !answers {
            return None;
        }
        let left =
            rows * self.kept(|needs, term| inside(needs) && term.is_none_or(|term| term.column != Key::Id));
        let outside = self.conditions.iter().any(|(needs, _)| !inside(needs)) || !inside(&self.rest);
        let scan = rows * cost::NARROW_ROW + if outside { left * cost::DOCUMENT } else { 0.0 };
        let after = cost::DOCUMENTS * self.kept(|_, _| true);
        let cost = self.finish(scan, after, self.is_by_id());
        let reason = format!("the narrow index `{}`", narrow.name);
        Some(Way { access: Access::Index(narrow.name.as_str().into()), narrow: false, cost, reason })
    }

    fn index(&self, index: &Index) -> Way {
        let columns: Vec<String> = index.columns.iter().map(|column| column.name.clone()).collect();
        let (sought, words) = self.seek(index);
        let rows = cost::DOCUMENTS * sought;
        let inside = |needs: &Needs| needs.are_within(&columns);
        let used = |term: Option<&Term>| term.is_some_and(|term| self.is_sought(index, term));
        let in_index = self.kept(|needs, term| inside(needs) && !used(term));
        let asked: Vec<&Needs> = self
            .conditions
            .iter()
            .map(|(needs, _)| needs)
            .chain([&self.rest])
            .filter(|needs| !inside(needs))
            .collect();
        let narrow = asked.iter().any(|needs| self.is_narrow(needs));
        let documents = asked.iter().any(|needs| !self.is_narrow(needs));
        let left = rows * in_index;
        let after_narrow = left * self.kept(|needs, _| !inside(needs) && self.is_narrow(needs));
        let mut scan = rows * cost::INDEX_ROW;
        if narrow {
            scan += left * cost::NARROW_SEEK;
        }
        if documents {
            scan += after_narrow * cost::DOCUMENT;
        }
        let in_order = self.serves_order(index);
        let after = (rows * self.kept(|_, term| !used(term))).max(1.0);
        let mut reason = format!("the index `{}`{words}", index.name);
        if in_order && !self.select.order.is_empty() {
            reason.push_str(", in its order");
        }
        if narrow {
            reason.push_str(", with the narrow index by id for what it does not hold");
        }
        let cost = self.finish(scan, after, in_order);
        Way { access: Access::Index(index.name.as_str().into()), narrow, cost, reason }
    }

    /// Returns the part of the rows that an index is entered for, and in what words.
    fn seek(&self, index: &Index) -> (f64, String) {
        let (mut part, mut words) = (1.0, Vec::new());
        let mut points = 0;
        for column in &index.columns {
            let Some(shape) = self.shape_of(&column.name) else { break };
            part *= selectivity(Some(shape));
            words.push(format!("`{}` {}", column.name, shape_words(shape)));
            if !shape.is_point() {
                break;
            }
            points += 1;
        }
        if index.unique && points == index.columns.len() {
            part = 1.0 / cost::DOCUMENTS;
        }
        let words =
            if words.is_empty() { String::new() } else { format!(" sought by {}", words.join(" and ")) };
        (part, words)
    }

    /// Returns the tightest condition on a column.
    fn shape_of(&self, column: &str) -> Option<TermShape> {
        let on_column = |term: &&Term| matches!(&term.column, Key::Column(name) if **name == *column);
        let terms = self.conditions.iter().filter_map(|(_, term)| term.as_ref()).filter(on_column);
        terms.map(|term| term.shape).min_by(|a, b| selectivity(Some(*a)).total_cmp(&selectivity(Some(*b))))
    }

    fn is_sought(&self, index: &Index, term: &Term) -> bool {
        let Key::Column(name) = &term.column else { return false };
        let mut before = true;
        for column in &index.columns {
            if *column.name == **name {
                return before && self.shape_of(name) == Some(term.shape);
            }
            before &= self.shape_of(&column.name).is_some_and(TermShape::is_point);
        }
        false
    }

    /// Returns whether rows that come along an index are in the order, or in the groups, asked for.
    fn serves_order(&self, index: &Index) -> bool {
        let wanted: Vec<(&Expr, bool)> = if self.select.group.is_empty() {
            if self.select.order.iter().any(|term| term.nulls != Nulls::Smallest) {
                return false;
            }
            self.select.order.iter().map(|term| (&term.by, term.descending)).collect()
        } else {
            self.select.group.iter().map(|by| (by, false)).collect()
        };
        let given =
            index.columns.iter().map(|column| (Key::Column(column.name.as_str().into()), column.descending));
        let given: Vec<(Key, bool)> = given.chain([(Key::Id, index.id_descends())]).collect();
        [false, true].into_iter().any(|backward| self.matches(&given, &wanted, backward))
    }

    fn matches(&self, given: &[(Key, bool)], wanted: &[(&Expr, bool)], backward: bool) -> bool {
        let mut given = given.iter();
        wanted.iter().all(|(by, descending)| {
            let key = match by {
                Expr::Id(alias) if *alias == self.alias => Key::Id,
                Expr::Column { source, name, .. } if *source == self.alias => Key::Column(Arc::clone(name)),
                _ => return false,
            };
            loop {
                let Some((column, down)) = given.next() else { return false };
                if *column == key {
                    return (down ^ backward) == *descending;
                }
                // A column that is held at one value orders nothing.
                let held = matches!(column, Key::Column(name) if self.shape_of(name).is_some_and(TermShape::is_point));
                if !held {
                    return false;
                }
            }
        })
    }
}

fn shape_words(shape: TermShape) -> &'static str {
    match shape {
        TermShape::Equal => "equal to a value",
        TermShape::Null => "null or missing",
        TermShape::In => "in a list",
        TermShape::Between => "in a range",
        TermShape::OneSided => "on one side of a value",
        TermShape::OfKind => "of its kind",
    }
}

/// Writes the way that was chosen into the query.
fn take(select: &mut Select, alias: Alias, collection: &Collection, way: Way, next: &mut Alias) {
    let mut table_name = None;
    for source in &mut select.from {
        if let SourceKind::Table { access, table, .. } = &mut source.kind
            && source.alias == alias
        {
            table_name = Some(Arc::clone(table));
            *access = way.access.clone();
        }
    }
    let (true, Some(narrow), Some(table), Access::Index(index)) =
        (way.narrow, &collection.narrow, table_name, &way.access)
    else {
        return;
    };
    let held: Vec<&str> = collection
        .indexes
        .iter()
        .filter(|known| *known.name == **index)
        .flat_map(|known| known.columns.iter().map(|column| column.name.as_str()))
        .collect();
    let narrow_alias = *next;
    next.0 += 1;
    let kind = SourceKind::Table {
        collection: collection.name.as_str().into(),
        table,
        access: Access::Index(narrow.name.as_str().into()),
    };
    select.from.push(Source { alias: narrow_alias, kind });
    let mut redirect = |expr: &mut Expr| {
        walk_mut(expr, &mut |x| {
            if let Expr::Column { source, name, .. } = x
                && *source == alias
                && !held.contains(&&**name)
                && narrow.columns.iter().any(|column| **column == **name)
            {
                *source = narrow_alias;
            }
        });
    };
    let order = select.order.iter_mut().map(|term| &mut term.by);
    select
        .columns
        .iter_mut()
        .chain(&mut select.filter)
        .chain(&mut select.group)
        .chain(order)
        .for_each(&mut redirect);
    select.filter.insert(0, Expr::binary(Binary::Eq, Expr::Id(narrow_alias), Expr::Id(alias)));
}
