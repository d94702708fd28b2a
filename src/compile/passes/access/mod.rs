//! Chooses how each table is read, and names it in the FROM.
//!
//! ```text
//! FROM t WHERE system = ?                     -> FROM t INDEXED BY "t/system" WHERE ..
//! FROM t WHERE system >= ? .. AND level > ?   -> FROM t INDEXED BY "t/*" WHERE ..         both are in the narrow index
//! .. WHERE system = ? .. ORDER BY time LIMIT  -> FROM t INDEXED BY "t/time" CROSS JOIN t n INDEXED BY "t/*" WHERE n.id = t.id ..
//! .. the same, deep                           -> FROM t INDEXED BY "t/time" WHERE has((ids of system = ?), t.id) ..
//! FROM t WHERE system IN (list, null too)     -> FROM (each value of the list) v CROSS JOIN t INDEXED BY "t/system" WHERE system IS v
//! FROM t WHERE machine >= ? .. AND agg > ?    -> FROM (each machine in the range) CROSS JOIN t INDEXED BY "t/machine,agg" ..
//! count WHERE system = ? AND machine = ?      -> count of the ids of one index that are among those of the other
//! FROM t WHERE id = ?                         -> FROM t NOT INDEXED WHERE id = ?
//! ```
//! The planner's own choice costs ten to a hundred times as much where it goes wrong, and it cannot know that an
//! index over virtual columns covers a query. Each way of reading is given a cost; the cheapest is taken. What an
//! index does not hold of what a condition needs, the narrow index supplies by id, or a set of row ids that another
//! index gathered first: the first costs more a row, the second more to begin with.

mod cost;
mod id_set;
mod loose;
mod obstacle;
mod options;
mod partial;
mod question;
mod term;

use std::sync::Arc;

use crate::compile::advice::Reading;
use crate::compile::passes::Context;
use crate::compile::passes::access::question::Question;
use crate::compile::passes::along::{Along, fresh, next_alias};
use crate::ir::catalog::Collection;
use crate::ir::sql::{
    Access, Alias, Binary, Expr, Select, Source, SourceKind, SqlFunction, Statement, each_select_mut, walk,
    walk_mut,
};

pub(super) fn run(statement: &mut Statement, context: &mut Context<'_>) -> bool {
    let mut fired = false;
    let mut next = next_alias(statement);
    each_select_mut(statement, &mut |select| fired |= choose(select, context, &mut next));
    fired
}

fn choose(select: &mut Select, context: &mut Context<'_>, next: &mut Alias) -> bool {
    let mut fired = false;
    let single = select.from.len() == 1;
    let tables: Vec<(Alias, Arc<str>)> = select.from.iter().filter_map(undecided).collect();
    for (alias, name) in tables {
        let Some(collection) = context.catalog.collections.get(&*name).cloned() else { continue };
        let (way, obstacles) = if single {
            let question = Question::new(select, alias, &collection, context.depth);
            let way = question.cheapest(context.forbids_scan);
            let obstacles = question.obstacles(&way);
            (way, obstacles)
        } else {
            (Way::by_id(), Vec::new())
        };
        let (choice, is_scan) = (way.reason.clone(), way.is_scan && !counts_all(select));
        take(select, alias, &collection, way, next);
        let indexes = if single { indexes(select) } else { Vec::new() };
        let collection = name.to_string();
        context.readings.push(Reading { collection, indexes, choice, obstacles, is_scan });
        fired = true;
    }
    fired
}

/// Returns whether a query counts all rows of its table, which takes no look at any.
fn counts_all(select: &Select) -> bool {
    select.columns == [Expr::CountAll] && select.filter.is_empty() && select.group.is_empty()
}

fn undecided(source: &Source) -> Option<(Alias, Arc<str>)> {
    match &source.kind {
        SourceKind::Table { collection, access: Access::Planner, .. } => {
            Some((source.alias, Arc::clone(collection)))
        }
        _ => None,
    }
}

/// Returns the names of the indexes that a query reads, and those of the sets that it asks.
fn indexes(select: &Select) -> Vec<String> {
    let mut names = Vec::new();
    let mut add = |select: &Select| {
        for source in &select.from {
            if let SourceKind::Table { access: Access::Index(name), .. } = &source.kind
                && !names.iter().any(|known| *known == **name)
            {
                names.push(name.to_string());
            }
        }
    };
    add(select);
    for expr in select.filter.iter().chain(&select.columns) {
        walk(expr, &mut |x| {
            if let Expr::Scalar(set) = x {
                add(set);
            }
        });
    }
    names
}

/// A way of reading a table.
#[derive(Debug)]
struct Way {
    access: Access,
    /// Whether the narrow index is asked by id for what the access does not hold.
    narrow: bool,
    /// The conditions, by place, that are asked of a set of row ids.
    sets: Vec<usize>,
    /// Whether the index is entered once for each value of its first column.
    is_loose: bool,
    /// The column of the index that is sought by the values of a list of options.
    options: Option<Arc<str>>,
    /// Whether the rows are counted from the sets alone.
    counted: bool,
    /// Whether every row is visited.
    is_scan: bool,
    cost: f64,
    reason: String,
}

impl Way {
    fn new(access: Access, cost: f64, reason: String) -> Way {
        Way {
            access,
            narrow: false,
            sets: Vec::new(),
            is_loose: false,
            options: None,
            counted: false,
            is_scan: false,
            cost,
            reason,
        }
    }

    fn by_id() -> Way {
        Way::new(Access::NotIndexed, 0.0, "each document by its id".to_owned())
    }
}

/// Writes the way that was chosen into the query.
fn take(select: &mut Select, alias: Alias, collection: &Collection, way: Way, next: &mut Alias) {
    if way.counted {
        let set = id_set::of_all(&select.filter, alias, collection, next);
        let columns = set.into_iter().map(|set| Expr::Call(SqlFunction::Count, vec![set])).collect();
        *select = Select { columns, ..Select::default() };
        return;
    }
    if !way.sets.is_empty() {
        ask_sets(select, alias, collection, &way.sets, next);
    }
    let mut table_name = None;
    for source in &mut select.from {
        if let SourceKind::Table { access, table, .. } = &mut source.kind
            && source.alias == alias
        {
            table_name = Some(Arc::clone(table));
            *access = way.access.clone();
        }
    }
    let index = match &way.access {
        Access::Index(name) => collection.indexes.iter().find(|index| *index.name == **name),
        Access::NotIndexed | Access::Planner => None,
    };
    let Some(index) = index else { return };
    if way.is_loose {
        loose::lead(select, Along { collection, index, source: alias }, next);
    }
    if let Some(column) = &way.options {
        options::lead(select, alias, column, next);
    }
    let (true, Some(narrow), Some(table)) = (way.narrow, &collection.narrow, table_name) else { return };
    let held: Vec<&str> = index.columns.iter().map(|column| column.name.as_str()).collect();
    let narrow_alias = fresh(next);
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
    // SQLite has to find the conditions of a partial index where they are stated: of the table itself.
    let stated = partial::stated(index, &select.filter, alias).unwrap_or_default();
    let order = select.order.iter_mut().map(|term| &mut term.by);
    let asked = (0..).zip(&mut select.filter).filter(|(place, _)| !stated.contains(place));
    select
        .columns
        .iter_mut()
        .chain(asked.map(|(_, condition)| condition))
        .chain(&mut select.group)
        .chain(&mut select.having)
        .chain(order)
        .for_each(&mut redirect);
    select.filter.insert(0, Expr::binary(Binary::Eq, Expr::Id(narrow_alias), Expr::Id(alias)));
}

/// Puts one question to a set of row ids in the place of the conditions that gathered it.
fn ask_sets(select: &mut Select, alias: Alias, collection: &Collection, places: &[usize], next: &mut Alias) {
    let (mut asked, mut kept) = (Vec::new(), Vec::new());
    for (place, condition) in std::mem::take(&mut select.filter).into_iter().enumerate() {
        if places.contains(&place) { asked.push(condition) } else { kept.push(condition) }
    }
    match id_set::of_all(&asked, alias, collection, next) {
        Some(set) => kept.insert(0, Expr::Call(SqlFunction::Has, vec![set, Expr::Id(alias)])),
        None => kept.extend(asked),
    }
    select.filter = kept;
}
