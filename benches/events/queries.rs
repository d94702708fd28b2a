//! The compiled queries of the workload.

use vellum::{Compiled, Database, Expr, Result};
use vellum_fixtures::inputs::{LAST_UPDATED_ID, PAGE_LEN};

use crate::event::{Event, EventFields};

/// EV3.
pub(crate) fn count_all(db: &Database) -> Result<Compiled<(), u64>> {
    db.compile(|q, ()| q.from::<Event>().count())
}

/// EV4, EV11: by the prefix of `system`.
pub(crate) fn count_by_prefix(db: &Database) -> Result<Compiled<(String,), u64>> {
    db.compile(|q, (prefix,)| q.from::<Event>().filter(|e| e.system.starts_with(prefix)).count())
}

/// EV5: by the prefixes of `machine_name` and `agg_id`.
pub(crate) fn count_by_two_prefixes(db: &Database) -> Result<Compiled<(String, String), u64>> {
    db.compile(|q, (machine, aggregate)| {
        q.from::<Event>()
            .filter(|e| e.machine_name.starts_with(machine) & e.agg_id.starts_with(aggregate))
            .count()
    })
}

/// EV12: by `tags`.
pub(crate) fn count_by_tag(db: &Database) -> Result<Compiled<(String,), u64>> {
    db.compile(|q, (tag,)| q.from::<Event>().filter(|e| e.tags.eq(tag)).count())
}

/// EV13: by the key, of which there is one or none.
pub(crate) fn count_by_id(db: &Database) -> Result<Compiled<(i64,), u64>> {
    db.compile(|q, (id,)| q.from::<Event>().filter(|e| e.id.eq(id)).count())
}

/// EV6: by the prefix of `system`, the latest first, from an offset on.
pub(crate) fn page(db: &Database) -> Result<Compiled<(String, u64), Vec<Event>>> {
    db.compile(|q, (prefix, offset)| {
        q.from::<Event>()
            .filter(|e| e.system.starts_with(prefix))
            .order_by_desc(|e| e.unix_timestamp)
            .skip(offset)
            .take(PAGE_LEN)
    })
}

/// EV8: by the key.
pub(crate) fn point(db: &Database) -> Result<Compiled<(i64,), Option<Event>>> {
    db.compile(|q, (id,)| q.from::<Event>().filter(|e| e.id.eq(id)).single_or_none())
}

/// EV9: the first characters of `username` with their counts, in order.
pub(crate) fn groups(db: &Database) -> Result<Compiled<(), Vec<(String, u64)>>> {
    db.compile(|q, ()| q.from::<Event>().group_by(|e| e.username.substr(0, 1)).select(|g| (g.key, g.count())))
}

/// EV10: gives a new body.
pub(crate) fn update(db: &Database) -> Result<Compiled<(String,), u64>> {
    db.compile(|q, (body,)| q.from::<Event>().filter(is_updated).update(|e| e.body.set(body)))
}

/// EV10: which events get it.
pub(crate) fn is_updated(e: EventFields) -> Expr<bool> {
    e.id.le(LAST_UPDATED_ID)
        & (e.system.starts_with("ui") | e.kind.eq("Error"))
        & e.machine_name.starts_with("NOD")
        & e.agg_id.starts_with("AB")
        & e.username.len().gt(3)
}

/// EV14.
pub(crate) fn all(db: &Database) -> Result<Compiled<(), Vec<Event>>> {
    db.compile(|q, ()| q.from::<Event>())
}
