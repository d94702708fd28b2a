//! What is asked of a table, and what each way of answering costs.

use std::sync::Arc;

use crate::compile::advice::Obstacle;
use crate::compile::passes::Depth;
use crate::compile::passes::access::cost::{self, Estimates};
use crate::compile::passes::access::obstacle::Chosen;
use crate::compile::passes::access::term::{Key, Needs, Term, TermShape, term};
use crate::compile::passes::access::{Way, id_set, loose, partial};
use crate::ir::catalog::{Collection, Index, IndexColumn, Narrow};
use crate::ir::doc::Nulls;
use crate::ir::sql::{Access, Alias, Expr, Select};

/// What is asked of a table.
pub(super) struct Question<'a> {
    select: &'a Select,
    alias: Alias,
    collection: &'a Collection,
    estimates: Estimates<'a>,
    documents: f64,
    narrow: Option<&'a Narrow>,
    /// Each condition with what it needs and what it offers.
    conditions: Vec<(Needs, Option<Term>)>,
    /// What order, groups and columns need, the document as a result left aside.
    rest: Needs,
    /// What gathering the rows of each condition costs, where an index can.
    set_costs: Vec<Option<f64>>,
    /// How many rows are read of a limited query, or none for all.
    page: Option<f64>,
}

impl<'a> Question<'a> {
    pub(super) fn new(select: &'a Select, alias: Alias, collection: &'a Collection, depth: Depth) -> Self {
        let conditions = select
            .filter
            .iter()
            .map(|condition| (Needs::of(condition, alias), term(condition, alias)))
            .collect();
        let mut rest = Needs::default();
        let order = select.order.iter().map(|term| &term.by);
        for expr in order.chain(&select.group).chain(&select.having) {
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
            .then(|| counted(&select.limit, cost::PAGE) + counted(&select.offset, cost::skipped(depth)));
        let set_costs =
            select.filter.iter().map(|condition| id_set::cost_of(condition, alias, collection)).collect();
        let narrow = collection.narrow.as_ref();
        let estimates = Estimates(collection);
        let documents = estimates.documents();
        Question {
            select,
            alias,
            collection,
            estimates,
            documents,
            narrow,
            conditions,
            rest,
            set_costs,
            page,
        }
    }

    /// Returns the way that costs least; of those that are no scan, if there is one, where scans are forbidden.
    pub(super) fn cheapest(&self, forbids_scan: bool) -> Way {
        let mut ways: Vec<Way> = vec![self.table()];
        ways.extend(self.narrow_scan());
        ways.extend(self.counted());
        ways.extend(self.collection.indexes.iter().flat_map(|index| self.index(index)));
        let forbidden = |way: &Way| forbids_scan && way.is_scan;
        ways.sort_by(|a, b| forbidden(a).cmp(&forbidden(b)).then(a.cost.total_cmp(&b.cost)));
        let mut ways = ways.into_iter();
        let Some(mut best) = ways.next() else { return Way::by_id() };
        let ms = |cost: f64| cost / 1e6;
        best.reason = format!(
            "{} (about {:.2} ms of {} documents)",
            best.reason,
            ms(best.cost),
            thousands(self.documents)
        );
        if let Some(second) = ways.next() {
            best.reason =
                format!("{}; next best: {} (about {:.2} ms)", best.reason, second.reason, ms(second.cost));
        }
        best
    }

    /// Returns what keeps the table from being read faster than by a way.
    pub(super) fn obstacles(&self, way: &Way) -> Vec<Obstacle> {
        let indexes = &self.collection.indexes;
        let in_order = match &way.access {
            Access::Index(name) => indexes.iter().find(|index| *index.name == **name),
            Access::NotIndexed | Access::Planner => None,
        };
        let in_order = in_order.map_or_else(|| self.is_by_id(), |index| self.serves_order(index));
        let ordered = self.collection.whole_indexes().find(|index| self.serves_order(index));
        let chosen = Chosen {
            select: self.select,
            alias: self.alias,
            collection: self.collection,
            way,
            in_order,
            ordered_index: ordered.map(|index| index.name.clone()),
        };
        chosen.obstacles()
    }

    /// Returns the part of the rows that the conditions keep for which `f` holds.
    fn kept(&self, f: impl Fn(&Needs, Option<&Term>) -> bool) -> f64 {
        self.conditions
            .iter()
            .filter(|(needs, term)| f(needs, term.as_ref()))
            .map(|(_, term)| self.estimates.kept(term.as_ref()))
            .product()
    }

    fn is_narrow(&self, needs: &Needs) -> bool {
        self.narrow.is_some_and(|narrow| needs.are_within(&narrow.columns))
    }

    /// Returns the part of the documents that conditions on the row id leave to be read. A bound on the id is mostly
    /// the end or the beginning of a collection.
    fn by_id(&self) -> f64 {
        let on_id = self
            .conditions
            .iter()
            .filter_map(|(_, term)| term.as_ref())
            .filter(|term| term.column == Key::Id);
        let parts = on_id.map(|term| match term.shape {
            TermShape::Equal => 1.0 / self.documents,
            TermShape::In => 10.0 / self.documents,
            TermShape::Between => 0.1,
            _ => 0.2,
        });
        parts.fold(1.0, f64::min)
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

    /// Returns whether rows that come in some order are read up to the end of a page only. By id, which nobody asked
    /// for, a page ends there only where each row is in it: `exists` of what no document passes reads them all.
    fn ends_early(&self, in_order: bool) -> bool {
        let is_by_field = self.select.order.first().is_some_and(|first| first.by != Expr::Id(self.alias));
        self.page.is_some() && in_order && (is_by_field || self.conditions.is_empty())
    }

    /// Returns whether rows that are read by id are all read.
    fn is_scan_by_id(&self) -> bool {
        self.by_id() >= 1.0 && !self.ends_early(self.is_by_id())
    }

    fn table(&self) -> Way {
        let rows = self.documents * self.by_id();
        let looks = self.conditions.iter().any(|(needs, _)| needs.document || !needs.columns.is_empty());
        let after = self.documents * self.kept(|_, _| true);
        let rest = if self.rest == Needs::default() { 0.0 } else { after * cost::EXTRACT };
        let scan = rows * (cost::TABLE_ROW + if looks { cost::EXTRACT } else { 0.0 }) + rest;
        let reason = match self.by_id() < 1.0 {
            true => "documents by id".to_owned(),
            false => "every document".to_owned(),
        };
        let cost = self.finish(scan, after, self.is_by_id());
        Way { is_scan: self.is_scan_by_id(), ..Way::new(Access::NotIndexed, cost, reason) }
    }

    fn narrow_scan(&self) -> Option<Way> {
        let narrow = self.narrow?;
        let rows = self.documents * self.by_id();
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
        let after = self.documents * self.kept(|_, _| true);
        let cost = self.finish(scan, after, self.is_by_id());
        let reason = format!("the narrow index `{}`", narrow.name);
        let access = Access::Index(narrow.name.as_str().into());
        Some(Way { is_scan: self.is_scan_by_id(), ..Way::new(access, cost, reason) })
    }

    /// Returns the way of counting from sets alone, where nothing but a count is asked.
    fn counted(&self) -> Option<Way> {
        let plain =
            self.page.is_none() && self.select.group.is_empty() && self.select.columns == [Expr::CountAll];
        if !plain || self.set_costs.is_empty() {
            return None;
        }
        let cost = self.set_costs.iter().copied().sum::<Option<f64>>()?;
        let way = Way::new(
            Access::NotIndexed,
            cost,
            "a count of the row ids that several indexes share".to_owned(),
        );
        let is_bounded = |condition| id_set::is_bounded(condition, self.alias, self.collection);
        let is_scan = !self.select.filter.iter().all(is_bounded);
        Some(Way { counted: true, is_scan, ..way })
    }

    /// Returns the ways of reading along an index: what it does not hold is asked of the narrow index or of the
    /// document by id, or of a set of row ids for what another index can gather.
    fn index(&self, index: &Index) -> Vec<Way> {
        let Some(stated) = partial::stated(index, &self.select.filter, self.alias) else { return Vec::new() };
        let columns: Vec<String> = index.columns.iter().map(|column| column.name.clone()).collect();
        let inside = |needs: &Needs| needs.are_within(&columns);
        let places = (0..).zip(&self.conditions).zip(&self.set_costs);
        let sets: Vec<usize> = places
            .filter(|((place, (needs, _)), cost)| cost.is_some() && !inside(needs) && !stated.contains(place))
            .map(|((place, _), _)| place)
            .collect();
        let entries = [Some(self.entry(index)), self.loose_entry(index)];
        let mut ways = Vec::new();
        for entry in entries.iter().flatten() {
            ways.push(self.along(index, entry, &columns, &stated, &[]));
            if !sets.is_empty() {
                ways.push(self.along(index, entry, &columns, &stated, &sets));
            }
        }
        ways
    }

    /// Returns the way along an index that is entered so; `stated` are the conditions that hold for all that is in it,
    /// `sets` those that are asked of a set.
    fn along(
        &self,
        index: &Index,
        entry: &Entry<'_>,
        columns: &[String],
        stated: &[usize],
        sets: &[usize],
    ) -> Way {
        let rows = self.documents * entry.part * self.kept_of(stated);
        let inside = |needs: &Needs| needs.are_within(columns);
        let is_stated = |needs: &Needs| {
            stated
                .iter()
                .filter_map(|place| self.conditions.get(*place))
                .any(|(own, _)| std::ptr::eq(own, needs))
        };
        let is_used = |needs: &Needs, term: Option<&Term>| {
            is_stated(needs) || term.is_some_and(|term| entry.terms.contains(&term))
        };
        let in_index = self.kept(|needs, term| inside(needs) && !is_used(needs, term));
        let is_asked = |place: &usize| !sets.contains(place) && !stated.contains(place);
        let others = (0..).zip(&self.conditions).filter(|(place, _)| is_asked(place));
        let asked: Vec<&Needs> =
            others.map(|(_, (needs, _))| needs).chain([&self.rest]).filter(|needs| !inside(needs)).collect();
        let narrow = asked.iter().any(|needs| self.is_narrow(needs));
        let documents = asked.iter().any(|needs| !self.is_narrow(needs));
        let mut left = rows * in_index;
        let mut scan = entry.seeks + rows * cost::INDEX_ROW;
        if !sets.is_empty() {
            scan += left * cost::SET_PROBE;
            left *= self.kept_of(sets);
        }
        if narrow {
            scan += left * cost::NARROW_SEEK;
        }
        if documents {
            let by_narrow = (0..)
                .zip(&self.conditions)
                .filter(|(place, (needs, _))| is_asked(place) && !inside(needs) && self.is_narrow(needs));
            left *= by_narrow.map(|(_, (_, term))| self.estimates.kept(term.as_ref())).product::<f64>();
            scan += left * cost::DOCUMENT;
        }
        let after = (rows * self.kept(|needs, term| !is_used(needs, term))).max(1.0);
        let gathered: f64 =
            sets.iter().filter_map(|place| self.set_costs.get(*place).copied().flatten()).sum();
        let mut reason = format!("the index `{}`{}", index.name, entry.words);
        if !stated.is_empty() {
            reason.push_str(", which holds no other documents");
        }
        if entry.in_order && !self.select.order.is_empty() {
            reason.push_str(", in its order");
        }
        if !sets.is_empty() {
            reason.push_str(", each row asked of a set of row ids that other indexes gathered");
        }
        if narrow {
            reason.push_str(", with the narrow index by id for what it does not hold");
        }
        let cost = gathered + self.finish(scan, after, entry.in_order);
        let access = Access::Index(index.name.as_str().into());
        let is_bounded = entry.terms.iter().any(|term| term.shape.bounds());
        let is_scan = !is_bounded && stated.is_empty() && !self.ends_early(entry.in_order);
        let sets = sets.to_vec();
        let options = entry.options().cloned();
        Way { narrow, sets, is_loose: entry.is_loose, options, is_scan, ..Way::new(access, cost, reason) }
    }

    fn kept_of(&self, places: &[usize]) -> f64 {
        let term = |place: &usize| self.conditions.get(*place).and_then(|(_, term)| term.as_ref());
        places.iter().map(|place| self.estimates.kept(term(place))).product()
    }

    /// Returns how an index is entered: by values of its first columns and bounds of the one behind them.
    fn entry(&self, index: &Index) -> Entry<'_> {
        let terms = self.terms(&index.columns);
        let is_one_row = index.unique
            && terms.len() == index.columns.len()
            && terms.iter().all(|term| term.shape.is_point());
        let part = if is_one_row { 1.0 / self.documents } else { self.kept_by(&terms) };
        let words = match terms.as_slice() {
            [] => String::new(),
            terms => format!(" sought by {}", words(terms)),
        };
        let mut entry =
            Entry { terms, part, seeks: 0.0, words, in_order: self.serves_order(index), is_loose: false };
        entry.in_order &= entry.options().is_none() || self.is_orderless();
        entry
    }

    /// Returns whether rows may come in any order.
    fn is_orderless(&self) -> bool {
        self.select.order.is_empty() && self.select.group.is_empty()
    }

    /// Returns how an index is entered for each of the few values that its first column has in a range.
    fn loose_entry(&self, index: &Index) -> Option<Entry<'_>> {
        let (first, others) = index.columns.split_first()?;
        let (place, _) = loose::range_on(&self.select.filter, self.alias, &first.name)?;
        let range = self.conditions.get(place)?.1.as_ref()?;
        let others = self.terms(others);
        if others.is_empty() {
            return None;
        }
        let values = self.estimates.values(index)? * self.estimates.kept(Some(range));
        // One seek finds the value, another its rows.
        let seeks = values * 2.0 * cost::INDEX_SEEK;
        let words = format!(" for each value of {}, sought by {}", words(&[range]), words(&others));
        let terms: Vec<&Term> = [range].into_iter().chain(others).collect();
        // SQLite does not see that the rows come in the index's order.
        let in_order = self.is_orderless();
        Some(Entry { part: self.kept_by(&terms), terms, seeks, words, in_order, is_loose: true })
    }

    /// Returns the conditions by which columns of an index are sought.
    fn terms(&self, columns: &[IndexColumn]) -> Vec<&Term> {
        let mut terms = Vec::new();
        for column in columns {
            let Some(term) = self.tightest(&column.name) else { break };
            terms.push(term);
            if !term.shape.is_point() {
                break;
            }
        }
        terms
    }

    fn kept_by(&self, terms: &[&Term]) -> f64 {
        terms.iter().map(|term| self.estimates.kept(Some(term))).product()
    }

    /// Returns the tightest condition on a column.
    fn tightest(&self, column: &str) -> Option<&Term> {
        let on_column = |term: &&Term| matches!(&term.column, Key::Column(name) if **name == *column);
        let terms = self.conditions.iter().filter_map(|(_, term)| term.as_ref()).filter(on_column);
        let kept = |term: &Term| self.estimates.kept(Some(term));
        terms.min_by(|a, b| kept(a).total_cmp(&kept(b)))
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
                let held = matches!(column, Key::Column(name) if self.tightest(name).is_some_and(|term| term.shape.is_point()));
                if !held {
                    return false;
                }
            }
        })
    }
}

/// How an index is entered.
struct Entry<'q> {
    /// The conditions that bound what is read of it.
    terms: Vec<&'q Term>,
    /// The part of its rows that is read.
    part: f64,
    /// What entering it costs beside the rows, in nanoseconds.
    seeks: f64,
    /// How it is entered, for `explain`.
    words: String,
    /// Whether rows come in the order asked for.
    in_order: bool,
    /// Whether it is entered once for each value of its first column.
    is_loose: bool,
}

impl Entry<'_> {
    /// Returns the column that is sought by the values of a list of options.
    fn options(&self) -> Option<&Arc<str>> {
        let last = self.terms.last().filter(|term| term.shape == TermShape::InOptions)?;
        match &last.column {
            Key::Column(name) => Some(name),
            Key::Id => None,
        }
    }
}

fn words(terms: &[&Term]) -> String {
    let name = |column: &Key| match column {
        Key::Id => "id".to_owned(),
        Key::Column(name) => name.to_string(),
    };
    let words = terms.iter().map(|term| format!("`{}` {}", name(&term.column), shape_words(term.shape)));
    words.collect::<Vec<_>>().join(" and ")
}

/// Returns a number of documents with a comma behind each thousand.
fn thousands(count: f64) -> String {
    let digits = format!("{count:.0}");
    let mut grouped = String::with_capacity(digits.len() + digits.len() / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place) % 3 == 0 {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

fn shape_words(shape: TermShape) -> &'static str {
    match shape {
        TermShape::Equal => "equal to a value",
        TermShape::Null => "null or missing",
        TermShape::In => "in a list",
        TermShape::InOptions => "in a list of options",
        TermShape::Between => "in a range",
        TermShape::OneSided => "on one side of a value",
        TermShape::OfKind => "of its kind",
        TermShape::Present => "not null",
    }
}
