//! Workload EV: its cases, with answers from the oracle of `vellum-fixtures`.

use serde_json::{Value, json};
use vellum_compare_protocol::ev::{Collection, Operation, Shape, Stream, whole};
use vellum_fixtures::events::{Event, events};
use vellum_fixtures::inputs::{
    CALLERS, DEEP_OFFSET, LAST_UPDATED_ID, NARROW, ONE_SYSTEM, PAGE_LEN, RARE_TAG, TWO_SYSTEMS, WIDE,
    fresh_prefixes, looked_up_ids, new_body, offsets_in_sequence, random_offsets,
};
use vellum_fixtures::oracle;

use super::{Build, Case, Round, Scene, Work};

const SIX: [&str; 6] = ["system", "machine_name", "agg_id", "unix_timestamp", "type", "username"];

/// Returns the workload on `count` events.
pub(super) fn scene(count: usize) -> Scene {
    let events: Vec<Event> = events(count).collect();
    let mut cases = vec![insert(&events)];
    cases.extend(builds());
    cases.extend(counts(&events));
    cases.extend(pages(&events));
    cases.extend(reads(&events));
    cases.extend(compilations());
    cases.push(tag_by_index(&events));
    // The only one that changes documents.
    cases.push(update(&events));
    Scene { count, filled: Some(collection(&events)), cases }
}

fn insert(events: &[Event]) -> Case {
    let round = Round::new(Operation::EV1, collection(events));
    Case::new("EV1", "", "insert all into a fresh database, one transaction", run(vec![], round))
        .of_items(events.len())
}

fn builds() -> [Case; 3] {
    let apart = SIX.iter().map(|&field| Build { before: vec![], after: vec![index(&[field])] });
    let together = Build { before: vec![], after: six() };
    let compound = Build { before: six(), after: with(six(), &["machine_name", "agg_id"]) };
    [
        Case::new("EV2", "each", "six indexes, each built alone", Work::Build(apart.collect())),
        Case::new("EV2", "six", "six indexes", Work::Build(vec![together])),
        Case::new("EV2", "compound", "one index on machine_name and agg_id", Work::Build(vec![compound])),
    ]
}

fn counts(events: &[Event]) -> Vec<Case> {
    let prefix = ONE_SYSTEM.to_owned();
    let by_prefix = Round::new(Operation::EV4 { prefix }, json!(oracle::count_by_system(events, ONE_SYSTEM)));
    let compound = || with(six(), &["machine_name", "agg_id"]);
    let callers: Vec<Vec<String>> = (0..CALLERS).map(fresh_prefixes).collect();
    let asked = callers.iter().flatten();
    let counted: Vec<i64> = asked.map(|prefix| oracle::count_by_system(events, prefix)).collect();
    vec![
        Case::new("EV3", "", "count all", beside_indexes(Round::new(Operation::EV3, json!(events.len())))),
        Case::new("EV4", "", "count by a prefix", run(six(), by_prefix)),
        Case::new("EV5", "wide", "count by two prefixes", run(six(), both(events, WIDE))),
        Case::new("EV5", "narrow", "count by two prefixes", run(six(), both(events, NARROW))),
        Case::new("EV5", "compound wide", "the same, compound index", run(compound(), both(events, WIDE))),
        Case::new(
            "EV5",
            "compound narrow",
            "the same, compound index",
            run(compound(), both(events, NARROW)),
        ),
        Case::new(
            "EV9",
            "",
            "group by first character",
            run(six(), Round::new(Operation::EV9, json!(oracle::groups_by_initial(events)))),
        ),
        Case::new(
            "EV11",
            "",
            "four callers, fifty counts each",
            run(six(), Round::new(Operation::EV11 { callers }, json!(counted))),
        ),
        Case::new("EV12", "scan", "count by a field without index", beside_indexes(by_tag(events))),
    ]
}

fn tag_by_index(events: &[Event]) -> Case {
    let indexes = with(six(), &["tags"]);
    Case::new("EV12", "index", "count by a field with index", run(indexes, by_tag(events)))
}

fn by_tag(events: &[Event]) -> Round {
    let expected = json!(oracle::count_by_tag(events, RARE_TAG));
    Round::new(Operation::EV12 { tag: RARE_TAG.to_owned() }, expected)
}

fn both(events: &[Event], (machine, aggregate): (&str, &str)) -> Round {
    let expected = oracle::count_by_machine_and_aggregate(events, machine, aggregate);
    let operation = Operation::EV5 { machine: machine.to_owned(), aggregate: aggregate.to_owned() };
    Round::new(operation, json!(expected))
}

fn pages(events: &[Event]) -> Vec<Case> {
    let mut cases = Vec::new();
    for (prefix, names) in [
        (ONE_SYSTEM, ["0", "5000", "ten", "random"]),
        (TWO_SYSTEMS, ["ui 0", "ui 5000", "ui ten", "ui random"]),
    ] {
        let latest = oracle::latest_by_system(events, prefix);
        let offsets = [vec![0], vec![DEEP_OFFSET], offsets_in_sequence(), random_offsets(latest.len())];
        for (name, offsets) in names.into_iter().zip(offsets) {
            let title = match offsets.as_slice() {
                [offset] => format!("page of {PAGE_LEN} at offset {offset}"),
                _ => format!("ten pages of {PAGE_LEN}"),
            };
            let found: Vec<Event> =
                offsets.iter().flat_map(|&offset| oracle::page(&latest, offset, PAGE_LEN)).collect();
            let operation = Operation::EV6 { prefix: prefix.to_owned(), offsets, len: PAGE_LEN };
            cases.push(Case::new("EV6", name, title, run(six(), Round::new(operation, whole(&found)))));
        }
    }
    let latest = oracle::latest_by_system(events, ONE_SYSTEM);
    let operation = Operation::EV7 { prefix: ONE_SYSTEM.to_owned(), len: PAGE_LEN };
    let title = format!("all pages of {PAGE_LEN} by cursor");
    cases.push(Case::new("EV7", "", title, run(six(), Round::new(operation, whole(latest)))));
    cases
}

fn reads(events: &[Event]) -> Vec<Case> {
    let ids = looked_up_ids(events.len());
    let found: Vec<&Event> = ids.iter().filter_map(|&id| oracle::get(events, id)).collect();
    let looked_up = |snapshot| {
        let operation = Operation::EV8 { ids: ids.clone(), snapshot };
        beside_indexes(Round::new(operation, whole(found.iter().copied())))
    };
    let mut stream = Stream::default();
    events.iter().for_each(|event| stream.add(event));
    let all = beside_indexes(Round::new(Operation::EV14, stream.answer()));
    vec![
        Case::new("EV8", "single", "1,000 look-ups by id", looked_up(false)).of_items(1_000),
        Case::new("EV8", "snapshot", "the same in one read transaction", looked_up(true)).of_items(1_000),
        Case::new("EV14", "", "read all as typed objects", all).of_items(events.len()),
    ]
}

fn compilations() -> Vec<Case> {
    let names = ["count", "prefix", "two prefixes", "tag", "page", "point", "groups"];
    let case = |(shape, name)| {
        let round = Round::new(Operation::EV13 { shape }, json!(true));
        Case::new("EV13", name, "compile (prepare) a query", run(six(), round))
    };
    Shape::ALL.into_iter().zip(names).map(case).collect()
}

fn update(events: &[Event]) -> Case {
    let round = |number| {
        let body = new_body(number);
        let mut changed = events.to_vec();
        let ids = oracle::update(&mut changed, &body);
        let operation = Operation::EV10 { body, last_id: LAST_UPDATED_ID };
        Round { collection: Some(collection(&changed)), ..Round::new(operation, json!(ids.len())) }
    };
    // Two bodies in turn, so that each update changes what it looks at.
    let rounds = vec![round(1), round(2)];
    Case::new(
        "EV10",
        "",
        "update one field by a condition of five parts",
        Work::Run { indexes: six(), needs_indexes: false, rounds },
    )
}

fn run(indexes: Vec<Vec<String>>, round: Round) -> Work {
    Work::Run { indexes, needs_indexes: true, rounds: vec![round] }
}

/// What looks at keys or at whole events; the six indexes are there, as in the other cases.
fn beside_indexes(round: Round) -> Work {
    Work::Run { indexes: six(), needs_indexes: false, rounds: vec![round] }
}

fn six() -> Vec<Vec<String>> {
    SIX.iter().map(|&field| index(&[field])).collect()
}

fn with(mut indexes: Vec<Vec<String>>, fields: &[&str]) -> Vec<Vec<String>> {
    indexes.push(index(fields));
    indexes
}

fn index(fields: &[&str]) -> Vec<String> {
    fields.iter().map(|&field| field.to_owned()).collect()
}

fn collection(events: &[Event]) -> Value {
    let mut collection = Collection::default();
    events.iter().for_each(|event| collection.add(event));
    collection.answer()
}
