//! What `explain` says, and that each obstacle it names is a cause: taken away, the plan is another.

use serde::{Deserialize, Serialize};
use vellum::prelude::*;
use vellum::{Collection, Explanation, FieldPath, NarrowGap, Obstacle};

#[derive(Document, Serialize, Deserialize, Debug, Clone, Default)]
#[document(collection = "events")]
struct Event {
    id: i64,
    system: String,
    name: String,
    at: i64,
    size: i64,
    level: i64,
    user: Option<String>,
}

type Events = Collection<'static, Event>;

fn events() -> vellum::Result<Events> {
    let db = Database::open_in_memory()?;
    db.collection::<Event>()
}

fn field(name: &'static str) -> FieldPath {
    FieldPath::root().key(name)
}

fn obstacles(explanation: &Explanation) -> Vec<Obstacle> {
    explanation.plan.readings.iter().flat_map(|reading| reading.obstacles.clone()).collect()
}

fn indexes(explanation: &Explanation) -> Vec<&str> {
    explanation.plan.readings.iter().flat_map(|reading| &reading.indexes).map(String::as_str).collect()
}

/// The cause is named, and after it was taken away it is not, and SQLite runs another plan.
fn assert_cause(before: &Explanation, cause: &Obstacle, after: &Explanation) {
    assert!(obstacles(before).contains(cause), "{cause} is missing in\n{before}");
    assert!(!obstacles(after).contains(cause), "{cause} is still in\n{after}");
    assert_ne!(before.plan.sqlite_plan, after.plan.sqlite_plan, "{before}\n{after}");
}

#[test]
fn all_parts_are_told() -> vellum::Result<()> {
    let c = events()?;
    c.ensure_index(|e| e.system).create()?;
    let count = c.compile(|q, (prefix,)| q.filter(|e| e.system.starts_with(prefix)).count())?;
    let told = count.explain()?;
    assert_eq!(told.query, "from `events`\n  .filter(system.starts_with(?1))\n  .count()");
    let stages: Vec<&str> = told.plan.stages.iter().map(|(name, _)| *name).collect();
    assert_eq!(stages, ["lower", "prefix", "index"]);
    assert_eq!(told.plan.stages.last().map(|(_, sql)| sql), Some(&told.plan.sql));
    assert_eq!(told.plan.sql, count.to_sql());
    assert_eq!(told.plan.sqlite_plan, ["SEARCH t0 USING INDEX events/system (system>? AND system<?)"]);
    assert_eq!(indexes(&told), ["events/system"]);
    let text = told.to_string();
    for part in
        ["query\n  from `events`", "  prefix: SELECT", "plan of SQLite\n  SEARCH", "reading\n  `events`: "]
    {
        assert!(text.contains(part), "{text}");
    }
    Ok(())
}

#[test]
fn an_ordinary_query_explains_its_rows_and_runs_nothing() -> vellum::Result<()> {
    let c = events()?;
    let query = c.filter(|e| e.level.eq(3));
    let told = query.explain()?;
    assert!(told.query.ends_with(".to_vec()"));
    assert_eq!(told.plan.sql, query.to_sql()?);
    let delete = c.compile(|q, ()| q.delete())?;
    c.insert(Event::default())?;
    assert!(delete.explain()?.plan.sql.starts_with("DELETE"));
    assert_eq!(c.count()?, 1);
    Ok(())
}

#[test]
fn an_explanation_follows_the_schema() -> vellum::Result<()> {
    let c = events()?;
    let count = c.compile(|q, (level,)| q.filter(|e| e.level.eq(level)).count())?;
    assert_eq!(indexes(&count.explain()?), Vec::<&str>::new());
    c.ensure_index(|e| e.level).create()?;
    assert_eq!(indexes(&count.explain()?), ["events/level"]);
    c.drop_index("events/level")?;
    assert_eq!(indexes(&count.explain()?), Vec::<&str>::new());
    Ok(())
}

#[test]
fn a_field_without_an_index() -> vellum::Result<()> {
    let c = events()?;
    let conditioned = || c.filter(|e| e.level.eq(3)).explain();
    let ordered = || c.query().order_by(|e| e.level).take(10).explain();
    let grouped = || c.query().group_by(|e| e.level).select(|g| (g.key, g.count())).explain();
    let selected = || c.query().select(|e| e.level).unordered().explain();
    let before = [conditioned()?, ordered()?, grouped()?, selected()?];
    c.ensure_index(|e| e.level).create()?;
    let after = [conditioned()?, ordered()?, grouped()?, selected()?];
    for (before, after) in before.iter().zip(&after) {
        assert_cause(before, &Obstacle::NoIndex { field: field("level") }, after);
        assert_eq!(obstacles(after), []);
        assert_eq!(indexes(after), ["events/level"]);
    }
    let words = obstacles(&before[0])[0].to_string();
    assert_eq!(words, "`level` has no index: the document is read");
    Ok(())
}

#[test]
fn a_condition_that_no_index_can_be_entered_by() -> vellum::Result<()> {
    let c = events()?;
    c.ensure_index(|e| e.name).create()?;
    c.ensure_index(|e| e.size).create()?;
    let sought_name = c.filter(|e| e.name.starts_with("x")).explain()?;
    let sought_size = c.filter(|e| e.size.gt(4)).explain()?;
    let not_sought = |operator, name| Obstacle::NotSought { operator, fields: vec![field(name)] };
    let texts = [
        ("contains", c.filter(|e| e.name.contains("x")).explain()?),
        ("ends_with", c.filter(|e| e.name.ends_with("x")).explain()?),
        ("like", c.filter(|e| e.name.like("x%")).explain()?),
        ("to_lowercase", c.filter(|e| e.name.to_lowercase().eq("x")).explain()?),
        ("!", c.filter(|e| !e.name.eq("x")).explain()?),
        ("!", c.filter(|e| e.name.ne("x")).explain()?),
    ];
    for (operator, told) in &texts {
        assert_cause(told, &not_sought(operator, "name"), &sought_name);
    }
    let numbers = [
        ("+", c.filter(|e| (e.size + 1).gt(5)).explain()?),
        ("==", c.filter(|e| e.size.eq(e.level)).explain()?),
        ("abs", c.filter(|e| e.size.abs().lt(5)).explain()?),
        ("+", c.filter(|e| (e.size + 1).gt(5) & e.id.gt(0)).explain()?),
    ];
    for (operator, told) in &numbers {
        let named = obstacles(told).iter().any(|obstacle| match obstacle {
            Obstacle::NotSought { operator: named, fields } => {
                named == operator && fields.contains(&field("size"))
            }
            _ => false,
        });
        assert!(named, "{told}");
        assert_ne!(told.plan.sqlite_plan, sought_size.plan.sqlite_plan);
    }
    assert!(obstacles(&sought_size).iter().all(|x| !matches!(x, Obstacle::NotSought { .. })));
    Ok(())
}

#[test]
fn alternatives_over_several_fields() -> vellum::Result<()> {
    let c = events()?;
    c.ensure_index(|e| e.size).create()?;
    c.ensure_index(|e| e.at).create()?;
    c.ensure_indexes()?;
    let before = c.filter(|e| e.size.eq(1) | e.at.eq(2)).explain()?;
    let after = c.filter(|e| e.size.eq(1) | e.size.eq(2)).explain()?;
    assert_cause(&before, &Obstacle::Alternatives { fields: vec![field("size"), field("at")] }, &after);
    assert_eq!(indexes(&after), ["events/size"]);
    Ok(())
}

#[test]
fn indexes_that_are_asked_for_sets_of_ids_are_told() -> vellum::Result<()> {
    let c = events()?;
    c.ensure_index(|e| e.size).create()?;
    c.ensure_index(|e| e.at).create()?;
    let told = c.compile(|q, ()| q.filter(|e| e.size.eq(1) | e.at.eq(2)).count())?.explain()?;
    assert_eq!(indexes(&told), ["events/size", "events/at"]);
    assert_eq!(obstacles(&told), []);
    Ok(())
}

#[test]
fn a_prefix_that_is_computed_from_the_row() -> vellum::Result<()> {
    let c = events()?;
    c.ensure_index(|e| e.name).create()?;
    let before = c.filter(|e| e.name.starts_with(e.system)).explain()?;
    let after = c.filter(|e| e.name.starts_with("core")).explain()?;
    assert_cause(&before, &Obstacle::ComputedPrefix { field: field("name") }, &after);
    assert_eq!(indexes(&after), ["events/name"]);
    Ok(())
}

#[test]
fn an_order_that_no_index_has() -> vellum::Result<()> {
    let c = events()?;
    c.ensure_index(|e| e.at).create()?;
    c.ensure_index(|e| e.size).create()?;
    let page = || c.query().order_by(|e| (e.size, e.at.desc())).take(10).explain();
    let before = page()?;
    c.ensure_index(|e| (e.size, e.at.desc())).create()?;
    let after = page()?;
    let keys = vec!["size".to_owned(), "at".to_owned()];
    assert_cause(&before, &Obstacle::Sorted { keys, index: None }, &after);
    assert!(before.plan.sqlite_plan.iter().any(|line| line.contains("TEMP B-TREE")));
    assert!(after.plan.sqlite_plan.iter().all(|line| !line.contains("TEMP B-TREE")));
    Ok(())
}

#[test]
fn an_order_whose_index_costs_more_than_to_sort() -> vellum::Result<()> {
    let c = events()?;
    c.ensure_index(|e| e.at).create()?;
    c.ensure_index(|e| e.size).create()?;
    let before = c.filter(|e| e.at.eq(5)).order_by(|e| e.size).explain()?;
    let after = c.query().order_by(|e| e.size).take(10).explain()?;
    let index = Some("events/size".to_owned());
    assert_cause(&before, &Obstacle::Sorted { keys: vec!["size".to_owned()], index }, &after);
    assert_eq!(indexes(&after), ["events/size"]);
    Ok(())
}

#[test]
fn an_order_by_id_behind_a_range() -> vellum::Result<()> {
    let c = events()?;
    c.ensure_index(|e| e.system).create()?;
    let query = c.filter(|e| e.system.starts_with("ui"));
    let cause = Obstacle::Sorted { keys: vec!["id".to_owned()], index: None };
    assert_cause(&query.explain()?, &cause, &query.unordered().explain()?);
    Ok(())
}

#[test]
fn a_narrow_index_that_lacks_a_text_of_few_documents() -> vellum::Result<()> {
    narrow_text(10, 5, &|c| c.insert_batch((0..1_000).map(|i| event(i, 5))).map(drop))
}

#[test]
fn a_narrow_index_that_lacks_a_long_text() -> vellum::Result<()> {
    narrow_text(1_000, 65, &|c| c.query().update(|e| e.system.set("short")).map(drop))
}

fn event(size: i64, text_len: usize) -> Event {
    Event { size, system: "x".repeat(text_len), ..Event::default() }
}

fn narrow_text(
    documents: i64,
    text_len: usize,
    cure: &dyn Fn(&Events) -> vellum::Result<()>,
) -> vellum::Result<()> {
    let c = events()?;
    c.insert_batch((0..documents).map(|i| event(i, text_len)))?;
    let create = || -> vellum::Result<()> {
        c.ensure_index(|e| e.system).create()?;
        c.ensure_index(|e| e.size).create()?;
        c.ensure_index(|e| e.at).create()?;
        c.ensure_indexes()?;
        Ok(())
    };
    create()?;
    let count = c.compile(|q, ()| q.filter(|e| e.size.eq(3) & e.system.contains("x")).count())?;
    let before = count.explain()?;
    cure(&c)?;
    create()?;
    let after = count.explain()?;
    assert_cause(&before, &Obstacle::NotNarrow { field: field("system"), gap: NarrowGap::Text }, &after);
    assert_eq!(indexes(&after), ["events/size", "events/*"]);
    Ok(())
}

#[test]
fn a_narrow_index_that_is_missing_because_one_field_is_indexed() -> vellum::Result<()> {
    let c = events()?;
    c.ensure_index(|e| e.size).create()?;
    let page = c.filter(|e| e.size.gt(3)).take(10);
    let before = page.explain()?;
    c.ensure_index(|e| e.at).create()?;
    c.ensure_indexes()?;
    let after = page.explain()?;
    assert_cause(&before, &Obstacle::NotNarrow { field: field("size"), gap: NarrowGap::OneField }, &after);
    assert_eq!(indexes(&after), ["events/*"]);
    Ok(())
}

#[test]
fn documents_that_are_found_by_id_have_no_obstacle() -> vellum::Result<()> {
    let c = events()?;
    assert_eq!(obstacles(&c.filter(|e| e.id.eq(3) & e.level.gt(1)).explain()?), []);
    assert_eq!(obstacles(&c.filter(|e| e.id.is_in([3, 4])).explain()?), []);
    Ok(())
}

#[test]
fn a_range_of_ids_is_read_by_id() -> vellum::Result<()> {
    let c = events()?;
    c.ensure_index(|e| e.system).create()?;
    let told = c.filter(|e| e.id.between(5, 9)).explain()?;
    assert_eq!(told.plan.sqlite_plan, ["SEARCH t0 USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)"]);
    assert_eq!(obstacles(&told), []);
    Ok(())
}

#[test]
fn an_index_is_entered_behind_what_is_null() -> vellum::Result<()> {
    let c = events()?;
    c.ensure_index(|e| e.user).create()?;
    let told = c.compile(|q, ()| q.filter(|e| e.user.is_some()).count())?.explain()?;
    assert_eq!(told.plan.sqlite_plan, ["SEARCH t0 USING INDEX events/user (user>?)"]);
    assert_eq!(obstacles(&told), []);
    Ok(())
}

#[test]
fn a_page_that_lies_deep_is_told_where_it_runs_another_text() -> vellum::Result<()> {
    let c = events()?;
    c.ensure_index(|e| e.size).create()?;
    c.ensure_index(|e| e.at).create()?;
    c.ensure_indexes()?;
    let page = c.compile(|q, (size, skipped)| {
        q.filter(|e| e.size.gt(size)).order_by(|e| e.at).skip(skipped).take(100)
    })?;
    let told = page.explain()?;
    assert_eq!(indexes(&told), ["events/at", "events/*"]);
    assert!(told.to_string().contains("from 1,000 rows on"));
    let deep = told.deep.ok_or(vellum::QueryError::NoRow)?;
    assert_eq!(deep.readings[0].indexes, ["events/at", "events/size"]);
    assert_ne!(deep.sqlite_plan, told.plan.sqlite_plan);
    assert_eq!(deep.stages.last().map(|(_, sql)| sql), Some(&deep.sql));
    // Without pages there is nothing that could lie deep.
    assert_eq!(c.filter(|e| e.size.gt(3)).explain()?.deep, None);
    Ok(())
}
