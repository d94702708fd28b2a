//! The event workload through the public interface, against the in-memory oracle.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use vellum::prelude::*;
use vellum_fixtures::events;

#[derive(Document, Serialize, Deserialize, Debug, Clone, PartialEq)]
#[document(collection = "events", compound("machine_name", "agg_id"))]
struct Event {
    id: i64,
    #[document(index)]
    system: String,
    #[document(index)]
    machine_name: String,
    #[document(index)]
    agg_id: String,
    #[document(index)]
    unix_timestamp: i64,
    #[serde(rename = "type")]
    #[document(index)]
    kind: String,
    #[document(index)]
    username: String,
    tags: String,
    level: i64,
    message: String,
    body: String,
}

fn event(e: events::Event) -> Event {
    Event {
        id: e.id,
        system: e.system,
        machine_name: e.machine_name,
        agg_id: e.agg_id,
        unix_timestamp: e.unix_timestamp,
        kind: e.kind,
        username: e.username,
        tags: e.tags,
        level: e.level,
        message: e.message,
        body: e.body,
    }
}

#[test]
fn compiled_queries_over_events_are_right_with_and_without_indexes() -> vellum::Result<()> {
    let db = Database::open_in_memory()?;
    let c = db.collection::<Event>()?;
    let all: Vec<Event> = events::events(3_000).map(event).collect();
    c.insert_batch(all.iter().cloned())?;
    for round in 0..2 {
        if round == 1 {
            assert_eq!(c.ensure_indexes()?.created.len(), 7);
            assert_eq!(c.ensure_indexes()?.unchanged.len(), 7);
        }
        let count =
            db.compile(|q, (prefix,)| q.from::<Event>().filter(|e| e.system.starts_with(prefix)).count())?;
        assert_eq!(
            count.call("ui console")?,
            all.iter().filter(|e| e.system.starts_with("ui console")).count() as u64
        );
        let two = db.compile(|q, (m, a)| {
            q.from::<Event>().filter(|e| e.machine_name.starts_with(m) & e.agg_id.starts_with(a)).count()
        })?;
        assert_eq!(
            two.call(("NOD", "AB"))?,
            all.iter().filter(|e| e.machine_name.starts_with("NOD") && e.agg_id.starts_with("AB")).count()
                as u64
        );
        let page = db.compile(|q, (prefix, offset)| {
            q.from::<Event>()
                .filter(|e| e.system.starts_with(prefix))
                .order_by_desc(|e| e.unix_timestamp)
                .skip(offset)
                .take(100)
        })?;
        let mut expected: Vec<Event> = all.iter().filter(|e| e.system.starts_with("ui")).cloned().collect();
        expected.sort_by_key(|e| std::cmp::Reverse((e.unix_timestamp, e.id)));
        let ids = |events: &[Event]| events.iter().map(|e| (e.id, e.username.clone())).collect::<Vec<_>>();
        assert_eq!(ids(&page.call(("ui", 50))?), ids(&expected[50..150]));
        let groups =
            c.compile(|q, ()| q.group_by(|e| e.username.substr(0, 1)).select(|g| (g.key, g.count())))?;
        let mut by: HashMap<String, u64> = HashMap::new();
        for e in &all {
            *by.entry(e.username[..1].into()).or_default() += 1;
        }
        assert_eq!(groups.call(())?.into_iter().collect::<HashMap<_, _>>(), by);
        let pred = |e: EventFields| {
            e.id.le(2_000)
                & (e.system.starts_with("ui") | e.kind.eq("Error"))
                & e.machine_name.starts_with("NOD")
                & e.agg_id.starts_with("AB")
                & e.username.len().gt(3)
        };
        let update = c.compile(|q, (body,)| q.filter(pred).update(|e| e.body.set(body)))?;
        let hits = all
            .iter()
            .filter(|e| {
                e.id <= 2_000
                    && (e.system.starts_with("ui") || e.kind == "Error")
                    && e.machine_name.starts_with("NOD")
                    && e.agg_id.starts_with("AB")
                    && e.username.len() > 3
            })
            .count() as u64;
        let new = format!("new {round}");
        assert_eq!(update.call(&new)?, hits);
        assert_eq!(update.call(&new)?, 0);
        assert_eq!(c.filter(|e| e.body.eq(&new)).count()?, hits);
        for (id, e) in [(1, &all[0]), (3_000, &all[2_999])] {
            let got = c.get(id)?.map(|mut x| {
                x.body = e.body.clone();
                x
            });
            assert_eq!(got.as_ref(), Some(e));
        }
        assert_eq!(
            c.filter(|e| !e.system.eq("core")).count()?,
            all.iter().filter(|e| e.system != "core").count() as u64
        );
        assert_eq!(c.query().max(|e| e.unix_timestamp)?, all.iter().map(|e| e.unix_timestamp).max());
        assert_eq!(c.query().sum(|e| e.level)?, all.iter().map(|e| e.level).sum::<i64>());
        let rows = c.query().select(|e| (e.id, e.kind, e.level)).take(5).to_vec()?;
        assert_eq!(rows[4], (5, all[4].kind.clone(), all[4].level));
        assert_eq!(c.filter(|e| e.id.is_in([5, 7, 7, 99_999])).select(|e| e.id).to_vec()?, [5, 7]);
        let mut seen = 0;
        for row in c.compile(|q, ()| q)?.iter(())? {
            seen += 1;
            assert_eq!(row?.id, seen);
        }
        assert_eq!(seen, 3_000);
    }
    Ok(())
}
