//! The plan of each public shape, with and without indexes: a change of one is seen in review.
//!
//! A snapshot holds, for each shape, the SQL, SQLite's own plan of it, and what `explain` says of the choice.

mod support;

use std::fmt::Write as _;

use support::event::{Event, EventFields, event};
use vellum::prelude::*;
use vellum::{Collection, Compiled, ExplainedPlan, Result};

/// The plans of one collection, one below the other.
struct Plans {
    events: Collection<'static, Event>,
    text: String,
}

impl Plans {
    fn add<P, O>(&mut self, shape: &str, compiled: Result<Compiled<P, O>>) -> Result<()> {
        let told = compiled?.explain()?;
        self.write(shape, &told.plan);
        if let Some(deep) = &told.deep {
            self.write(&format!("{shape}, deep"), deep);
        }
        Ok(())
    }

    fn write(&mut self, shape: &str, plan: &ExplainedPlan) {
        // Writing into a String cannot fail.
        let _ = writeln!(self.text, "-- {shape}\n{}", plan.sql);
        for line in &plan.sqlite_plan {
            let _ = writeln!(self.text, "  {line}");
        }
        for reading in &plan.readings {
            let _ = writeln!(self.text, "  = {}", reading.choice);
            for obstacle in &reading.obstacles {
                let _ = writeln!(self.text, "  ! {obstacle}");
            }
        }
        self.text.push('\n');
    }
}

/// Holds the plans of `shapes` against their snapshot, without any index and with all of them.
fn assert_plans(name: &str, shapes: fn(&mut Plans) -> Result<()>) -> Result<()> {
    for (with, indexed) in [("without_indexes", false), ("with_indexes", true)] {
        let db = Database::open_in_memory()?;
        let events = db.collection::<Event>()?;
        if indexed {
            // Texts join the narrow index once there are enough documents to know them by.
            events.insert_batch((0..1_000).map(event))?;
            events.ensure_indexes()?;
        }
        let mut plans = Plans { events, text: String::new() };
        shapes(&mut plans)?;
        insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false }, {
            insta::assert_snapshot!(format!("{name}_{with}"), plans.text);
        });
    }
    Ok(())
}

#[test]
fn conditions() -> Result<()> {
    assert_plans("conditions", |p| {
        let c = p.events.clone();
        p.add("eq", c.compile(|q, (x,)| q.filter(|e| e.system.eq(x))))?;
        p.add("ne", c.compile(|q, (x,)| q.filter(|e| e.system.ne(x)).count()))?;
        p.add("prefix", c.compile(|q, (x,)| q.filter(|e| e.system.starts_with(x)).count()))?;
        p.add("range", c.compile(|q, (a, b)| q.filter(|e| e.at.gt(a) & e.at.le(b)).count()))?;
        p.add("one side", c.compile(|q, (a,)| q.filter(|e| e.at.gt(a)).count()))?;
        p.add("is_in", c.compile(|q, (x,)| q.filter(|e| e.system.is_in(x)).count()))?;
        p.add("is_in_options", c.compile(|q, (x,)| q.filter(|e| e.user.is_in_options(x)).count()))?;
        p.add("is_none", c.compile(|q, ()| q.filter(|e| e.user.is_none()).count()))?;
        p.add("is_some", c.compile(|q, ()| q.filter(|e| e.user.is_some()).count()))?;
        p.add("contains", c.compile(|q, (x,)| q.filter(|e| e.system.contains(x)).count()))?;
        p.add(
            "two prefixes",
            c.compile(|q, (a, b)| q.filter(|e| e.machine.starts_with(a) & e.agg.starts_with(b)).count()),
        )?;
        p.add("and", c.compile(|q, (a, b)| q.filter(|e| e.system.eq(a) & e.size.gt(b)).count()))?;
        p.add("or", c.compile(|q, (a, b)| q.filter(|e| e.system.eq(a) | e.machine.eq(b)).count()))?;
        p.add("or of one field", c.compile(|q, ()| q.filter(|e| e.at.eq(1) | e.at.eq(2)).count()))?;
        p.add("not", c.compile(|q, (a, b)| q.filter(|e| !(e.system.eq(a) & e.at.lt(b))).count()))?;
        p.add("arithmetic", c.compile(|q, (a,)| q.filter(|e| (e.at + 1).gt(a)).count()))
    })
}

#[test]
fn conditions_on_the_key() -> Result<()> {
    assert_plans("conditions_on_the_key", |p| {
        let c = p.events.clone();
        p.add("id eq", c.compile(|q, (x,)| q.filter(|e| e.id.eq(x))))?;
        p.add("id is_in", c.compile(|q, (x,)| q.filter(|e| e.id.is_in(x))))?;
        p.add("id range", c.compile(|q, (a, b)| q.filter(|e| e.id.between(a, b))))?;
        p.add(
            "id range and prefix",
            c.compile(|q, (a, b)| q.filter(|e| e.id.le(a) & e.system.starts_with(b))),
        )?;
        p.add("single by id", c.compile(|q, (x,)| q.filter(|e| e.id.eq(x)).single()))
    })
}

#[test]
fn orders_and_pages() -> Result<()> {
    assert_plans("orders_and_pages", |p| {
        let c = p.events.clone();
        p.add("all", c.compile(|q, ()| q))?;
        p.add("by index", c.compile(|q, ()| q.order_by(|e| e.at)))?;
        p.add("by index, a page", c.compile(|q, (n,)| q.order_by_desc(|e| e.at).skip(n).take(100)))?;
        p.add("by id, backward", c.compile(|q, ()| q.order_by_desc(|e| e.id).take(10)))?;
        p.add("by two keys", c.compile(|q, ()| q.order_by(|e| (e.machine, e.agg)).take(10)))?;
        p.add("by a field without an index", c.compile(|q, ()| q.order_by(|e| e.size).take(10)))?;
        p.add(
            "page by another index",
            c.compile(|q, (x, n)| {
                q.filter(|e| e.system.starts_with(x)).order_by_desc(|e| e.at).skip(n).take(100)
            }),
        )?;
        p.add(
            "page by another index, behind a wide condition",
            c.compile(|q, (x, n)| q.filter(|e| e.machine.ge(x)).order_by(|e| e.at).skip(n).take(100)),
        )?;
        p.add("first", c.compile(|q, (x,)| q.filter(|e| e.system.eq(x)).first()))?;
        p.add("single", c.compile(|q, (x,)| q.filter(|e| e.system.eq(x)).single()))?;
        p.add("unordered", c.compile(|q, (x,)| q.filter(|e| e.system.starts_with(x)).unordered()))
    })
}

#[test]
fn groups() -> Result<()> {
    assert_plans("groups", |p| {
        let c = p.events.clone();
        p.add("by a field", c.compile(|q, ()| q.group_by(|e| e.system).select(|g| (g.key, g.count()))))?;
        p.add(
            "by a prefix",
            c.compile(|q, ()| q.group_by(|e| e.system.substr(0, 1)).select(|g| (g.key, g.count()))),
        )?;
        p.add(
            "by a prefix, with a condition",
            c.compile(|q, (x,)| {
                q.filter(|e| e.at.gt(x)).group_by(|e| e.system.substr(0, 1)).select(|g| (g.key, g.count()))
            }),
        )?;
        p.add(
            "by two fields, with folds",
            c.compile(|q, ()| {
                q.group_by(|e| (e.machine, e.agg)).select(|g| (g.key, g.max(|e| e.at), g.sum(|e| e.size)))
            }),
        )?;
        p.add(
            "with a condition on groups",
            c.compile(|q, (x,)| {
                q.group_by(|e| (e.machine, e.agg))
                    .filter(|g| g.count().gt(x))
                    .select(|g| (g.key, g.max(|e| e.at)))
            }),
        )?;
        p.add("number of groups", c.compile(|q, ()| q.group_by(|e| e.system).select(|g| g.key).count()))
    })
}

#[test]
fn queries_inside_of_closures() -> Result<()> {
    assert_plans("inside", |p| {
        let c = p.events.clone();
        let same = |e: EventFields| from::<Event>().filter(move |o| o.system.eq(e.machine));
        p.add("exists", c.compile(|q, (x,)| q.filter(|e| e.user.eq(x) & same(e).exists()).select(|e| e.at)))?;
        p.add("does not exist", c.compile(|q, ()| q.filter(|e| !same(e).exists()).count()))?;
        p.add("by a key", c.compile(|q, ()| q.filter(|e| from::<Event>().any(|o| o.id.eq(e.at))).count()))?;
        p.add("count", c.compile(|q, ()| q.select(|e| (e.at, same(e).count().expr()))))?;
        p.add("max", c.compile(|q, ()| q.filter(|e| e.at.eq(same(e).max(|o| o.at))).count()))?;
        p.add(
            "is_in",
            c.compile(|q, (x,)| {
                let users = from::<Event>().filter(|o| o.at.gt(x)).select(|o| o.user);
                q.filter(|e| e.system.is_in(users)).count()
            }),
        )
    })
}

#[test]
fn folds_and_projections() -> Result<()> {
    assert_plans("folds_and_projections", |p| {
        let c = p.events.clone();
        p.add("count of all", c.compile(|q, ()| q.count()))?;
        p.add("exists", c.compile(|q, (x,)| q.filter(|e| e.system.eq(x)).exists()))?;
        p.add("all", c.compile(|q, (x,)| q.all(|e| e.at.gt(x))))?;
        p.add("min", c.compile(|q, ()| q.min(|e| e.at)))?;
        p.add("max of some", c.compile(|q, (x,)| q.filter(|e| e.system.eq(x)).max(|e| e.at)))?;
        p.add("sum", c.compile(|q, ()| q.sum(|e| e.at)))?;
        p.add("avg without an index", c.compile(|q, ()| q.avg(|e| e.size)))?;
        p.add("indexed fields", c.compile(|q, ()| q.select(|e| (e.id, e.system, e.at))))?;
        p.add("other fields", c.compile(|q, (x,)| q.filter(|e| e.system.eq(x)).select(|e| (e.at, e.body))))
    })
}

#[test]
fn writes() -> Result<()> {
    assert_plans("writes", |p| {
        let c = p.events.clone();
        p.add("update", c.compile(|q, (x, b)| q.filter(|e| e.system.eq(x)).update(|e| e.body.set(b))))?;
        p.add("update of all", c.compile(|q, ()| q.update(|e| e.size.increment(1))))?;
        p.add("delete", c.compile(|q, (x,)| q.filter(|e| e.at.lt(x)).delete()))?;
        p.add("delete of a page", c.compile(|q, ()| q.order_by(|e| e.at).take(10).delete()))?;
        p.add("delete of all", c.compile(|q, ()| q.delete()))
    })
}

#[test]
fn nested_queries() -> Result<()> {
    assert_plans("nested_queries", |p| {
        let c = p.events.clone();
        p.add("filter of a page", c.compile(|q, (x,)| q.take(10).filter(|e| e.system.eq(x))))?;
        p.add("count of a page", c.compile(|q, (n,)| q.filter(|e| e.at.gt(5)).take(n).count()))?;
        p.add("order of a page", c.compile(|q, ()| q.order_by_desc(|e| e.at).take(10).order_by(|e| e.system)))
    })
}
