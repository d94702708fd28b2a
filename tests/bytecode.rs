//! What plans over indexed fields touch, read from SQLite's own bytecode.
//!
//! `EXPLAIN QUERY PLAN` does not say COVERING of an index over virtual columns, so whether a plan reads documents is
//! seen only here: a document is read by `Column` on a cursor of the table, and a field of one by a call of
//! `jsonb_extract` or `json_type`, or of ours that say the same.

mod support;

use std::collections::BTreeSet;

use rusqlite::Connection;
use rusqlite::functions::FunctionFlags;
use rusqlite::types::Value;
use support::event::{Event, event};
use vellum::prelude::*;
use vellum::{Collection, Compiled, Options};

type Result<T = ()> = std::result::Result<T, Box<dyn std::error::Error>>;

/// A database with all its indexes, and a plain connection to its file.
struct Bench {
    // Open for as long as the plain connection is.
    db: Database,
    events: Collection<'static, Event>,
    plain: Connection,
    root_page: i64,
}

impl Bench {
    fn new() -> Result<Bench> {
        Bench::with(Options::new())
    }

    fn with(options: Options) -> Result<Bench> {
        let db = options.open_in_memory()?;
        let events = db.collection::<Event>()?;
        events.insert_batch((0..1_000).map(event))?;
        events.ensure_indexes()?;
        let plain = Connection::open(db.path())?;
        // To prepare a statement its functions have to exist, and no more.
        let functions =
            [("left", 2), ("group_end", 2), ("contains", 2), ("sum", 3), ("avg", 1), ("type_error", 1)];
        let sets = [("ids", 1), ("count", 1), ("has", 2), ("both", 2), ("either", 2)];
        let lookups = [("json_type", 2), ("extract", 2), ("any", 2)];
        for (name, arity) in functions.into_iter().chain(sets).chain(lookups) {
            let name = format!("vellum_{name}");
            plain.create_scalar_function(&*name, arity, FunctionFlags::SQLITE_DETERMINISTIC, |_| Ok(0))?;
        }
        let sql = "SELECT rootpage FROM sqlite_schema WHERE type = 'table' AND name = 'events'";
        let root_page = plain.query_row(sql, [], |row| row.get(0))?;
        Ok(Bench { db, events, plain, root_page })
    }

    fn program<P, O>(&self, compiled: vellum::Result<Compiled<P, O>>) -> Result<Program> {
        let sql = compiled?.to_sql();
        let mut statement = self.plain.prepare(&format!("EXPLAIN {sql}"))?;
        let ops = statement.raw_query().mapped(|row| {
            let text = |value| if let Value::Text(text) = value { text } else { String::new() };
            Ok(Op { code: row.get(1)?, p1: row.get(2)?, p2: row.get(3)?, p4: text(row.get(5)?) })
        });
        Ok(Program { ops: ops.collect::<rusqlite::Result<_>>()?, root_page: self.root_page, sql })
    }
}

struct Op {
    code: String,
    p1: i64,
    p2: i64,
    p4: String,
}

struct Program {
    ops: Vec<Op>,
    root_page: i64,
    sql: String,
}

impl Program {
    /// Returns the cursors of the table, opened by its root page.
    fn table_cursors(&self) -> BTreeSet<i64> {
        let opens = self.ops.iter().filter(|op| op.code == "OpenRead" && op.p2 == self.root_page);
        opens.map(|op| op.p1).collect()
    }

    /// Returns the cursors through which documents are read.
    fn document_cursors(&self) -> BTreeSet<i64> {
        let table = self.table_cursors();
        let columns = self.ops.iter().filter(|op| op.code == "Column" && table.contains(&op.p1));
        columns.map(|op| op.p1).collect()
    }

    /// Returns whether a field is looked up in a document.
    fn extracts(&self) -> bool {
        let functions = ["jsonb_extract", "json_type", "vellum_extract", "vellum_json_type", "vellum_any"];
        self.ops.iter().any(|op| functions.iter().any(|name| op.p4.starts_with(name)))
    }

    fn assert_index_only(&self) {
        assert_eq!(self.document_cursors(), BTreeSet::new(), "{}", self.sql);
        assert!(!self.extracts(), "{}", self.sql);
    }

    /// Documents are read through one cursor alone, which is placed by row id and never walked.
    fn assert_documents_last(&self) {
        assert!(!self.extracts(), "{}", self.sql);
        let cursors = self.document_cursors();
        assert_eq!(cursors.len(), 1, "{}", self.sql);
        let on_it = |code: &str| self.ops.iter().any(|op| op.code == code && cursors.contains(&op.p1));
        assert!(on_it("SeekRowid") || on_it("NotExists"), "{}", self.sql);
        assert!(!on_it("Rewind") && !on_it("Last") && !on_it("Next") && !on_it("Prev"), "{}", self.sql);
    }
}

#[test]
fn a_program_that_reads_documents_is_told_from_one_that_does_not() -> Result {
    let bench = Bench::new()?;
    let c = &bench.events;
    let extracted = bench.program(c.compile(|q, (x,)| q.filter(|e| e.body.eq(x)).count()))?;
    assert!(extracted.extracts());
    assert_eq!(extracted.document_cursors().len(), 1);
    let all = bench.program(c.compile(|q, ()| q))?;
    assert!(!all.extracts());
    assert_eq!(all.document_cursors().len(), 1);
    let planners = Bench::with(Options::new().without_pass("index"))?;
    let or = planners.events.compile(|q, (a, b)| q.filter(|e| e.system.eq(a) | !e.at.lt(b)).count());
    assert!(planners.program(or)?.extracts());
    Ok(())
}

#[test]
fn counts_over_one_index_read_no_document() -> Result {
    let bench = Bench::new()?;
    let c = &bench.events;
    bench.program(c.compile(|q, (x,)| q.filter(|e| e.system.starts_with(x)).count()))?.assert_index_only();
    bench.program(c.compile(|q, (x,)| q.filter(|e| e.system.eq(x)).count()))?.assert_index_only();
    bench.program(c.compile(|q, (x,)| q.filter(|e| e.system.is_in(x)).count()))?.assert_index_only();
    bench.program(c.compile(|q, (x,)| q.filter(|e| e.system.contains(x)).count()))?.assert_index_only();
    bench.program(c.compile(|q, (a, b)| q.filter(|e| e.at.between(a, b)).count()))?.assert_index_only();
    bench.program(c.compile(|q, (x,)| q.filter(|e| e.at.gt(x)).exists()))?.assert_index_only();
    bench.program(c.compile(|q, ()| q.count()))?.assert_index_only();
    Ok(())
}

#[test]
fn conditions_over_several_fields_read_no_document() -> Result {
    let bench = Bench::new()?;
    let c = &bench.events;
    let compound =
        c.compile(|q, (a, b)| q.filter(|e| e.machine.starts_with(a) & e.agg.starts_with(b)).count());
    bench.program(compound)?.assert_index_only();
    // No compound index holds the next two: sets of row ids, or the narrow index, answer.
    let sets = c.compile(|q, (a, b)| q.filter(|e| e.system.starts_with(a) & e.agg.starts_with(b)).count())?;
    assert!(sets.to_sql().contains("vellum_ids"));
    bench.program(Ok(sets))?.assert_index_only();
    let narrow = c.compile(|q, (a, b)| q.filter(|e| e.system.contains(a) & e.agg.contains(b)).count())?;
    assert!(narrow.to_sql().contains("events/*"));
    bench.program(Ok(narrow))?.assert_index_only();
    bench
        .program(c.compile(|q, (a, b)| q.filter(|e| e.system.eq(a) | !e.at.lt(b)).count()))?
        .assert_index_only();
    bench
        .program(c.compile(|q, (a, b)| q.filter(|e| e.system.eq(a) & e.at.lt(b)).count()))?
        .assert_index_only();
    Ok(())
}

#[test]
fn groups_and_folds_of_indexed_fields_read_no_document() -> Result {
    let bench = Bench::new()?;
    let c = &bench.events;
    let prefix = c.compile(|q, ()| q.group_by(|e| e.system.substr(0, 1)).select(|g| (g.key, g.count())));
    bench.program(prefix)?.assert_index_only();
    let filtered = c.compile(|q, (x,)| {
        q.filter(|e| e.at.gt(x)).group_by(|e| e.system.substr(0, 1)).select(|g| (g.key, g.count()))
    });
    bench.program(filtered)?.assert_index_only();
    let two =
        c.compile(|q, ()| q.group_by(|e| (e.machine, e.agg)).select(|g| (g.key, g.count(), g.max(|e| e.at))));
    bench.program(two)?.assert_index_only();
    bench.program(c.compile(|q, ()| q.min(|e| e.at)))?.assert_index_only();
    bench.program(c.compile(|q, (x,)| q.filter(|e| e.system.eq(x)).max(|e| e.at)))?.assert_index_only();
    bench.program(c.compile(|q, ()| q.sum(|e| e.at)))?.assert_index_only();
    Ok(())
}

#[test]
fn indexed_fields_and_ids_are_selected_without_a_document() -> Result {
    let bench = Bench::new()?;
    let c = &bench.events;
    bench.program(c.compile(|q, ()| q.select(|e| (e.id, e.system, e.at))))?.assert_index_only();
    let page = c.compile(|q, (x, n)| {
        q.filter(|e| e.system.starts_with(x)).order_by_desc(|e| e.at).skip(n).take(100).select(|e| e.id)
    });
    bench.program(page)?.assert_index_only();
    let fields = c.compile(|q, (x,)| {
        q.filter(|e| e.system.eq(x)).order_by(|e| e.at).take(5).select(|e| (e.machine, e.at))
    });
    bench.program(fields)?.assert_index_only();
    Ok(())
}

#[test]
fn a_page_is_counted_without_finding_its_documents() -> Result {
    let bench = Bench::new()?;
    let count = bench.events.compile(|q, (x, n)| q.filter(|e| e.at.ge(x)).take(n).count())?;
    assert_eq!(count.call((990, 20))?, 10);
    assert_eq!(count.call((10, 20))?, 20);
    let program = bench.program(Ok(count))?;
    program.assert_index_only();
    assert!(program.ops.iter().all(|op| op.code != "SeekRowid" && op.code != "NotExists"), "{}", program.sql);
    Ok(())
}

#[test]
fn documents_are_read_by_the_last_join_alone() -> Result {
    let bench = Bench::new()?;
    let c = &bench.events;
    bench.program(c.compile(|q, (x,)| q.filter(|e| e.system.eq(x))))?.assert_documents_last();
    bench
        .program(c.compile(|q, (x,)| q.filter(|e| e.system.starts_with(x)).first()))?
        .assert_documents_last();
    bench.program(c.compile(|q, (n,)| q.order_by(|e| e.at).skip(n).take(100)))?.assert_documents_last();
    let page = c
        .compile(|q, (x, n)| q.filter(|e| e.system.starts_with(x)).order_by_desc(|e| e.at).skip(n).take(100));
    bench.program(page)?.assert_documents_last();
    let sorted = c.compile(|q, (a, b)| {
        q.filter(|e| e.machine.starts_with(a) & e.system.starts_with(b)).order_by(|e| e.agg)
    });
    bench.program(sorted)?.assert_documents_last();
    Ok(())
}

#[test]
fn the_rows_of_a_write_are_found_without_reading_documents() -> Result {
    let bench = Bench::new()?;
    let delete = bench.events.compile(|q, (x,)| q.filter(|e| e.at.lt(x)).delete())?;
    let found = delete.to_sql();
    // What follows the search maintains the indexes, for which a deleted document is read; the search stands alone.
    let search = found.split_once(" IN (").map(|(_, search)| search.trim_end_matches(')').to_owned());
    let search = search.ok_or("no search")?;
    let mut statement = bench.plain.prepare(&format!("EXPLAIN {search}"))?;
    let codes: Vec<String> =
        statement.raw_query().mapped(|row| row.get(1)).collect::<rusqlite::Result<_>>()?;
    assert!(codes.iter().any(|code| code.starts_with("Idx")), "{search}: {codes:?}");
    assert!(codes.iter().all(|code| code != "Function"), "{search}: {codes:?}");
    Ok(())
}

#[derive(Document, serde::Serialize, serde::Deserialize)]
struct Named {
    id: String,
    word: Option<String>,
}

#[test]
fn a_write_by_key_holds_no_row_in_a_table_of_its_own() -> Result {
    let bench = Bench::new()?;
    let db = &bench.db;
    db.collection::<Named>()?.insert(Named { id: "a".to_owned(), word: None })?;
    let one = [
        bench.program(
            db.compile(|q, (id,)| q.from::<Event>().filter(|e| e.id.eq(id)).update(|e| e.system.set("x"))),
        )?,
        bench.program(db.compile(|q, (id,)| q.from::<Event>().filter(|e| e.id.eq(id)).delete()))?,
        bench.program(db.compile(|q, (id,)| {
            q.from::<Named>().filter(|n| n.id.eq(id) & n.word.is_none()).update(|n| n.word.set("x"))
        }))?,
        bench.program(db.compile(|q, (id,)| q.from::<Named>().filter(|n| n.id.eq(id)).delete()))?,
    ];
    let opens = |program: &Program| program.ops.iter().any(|op| op.code == "OpenEphemeral");
    for program in &one {
        assert!(!opens(program), "{}", program.sql);
    }
    let many = db.compile(|q, (word,)| q.from::<Named>().filter(|n| n.word.eq(word)).delete());
    assert!(opens(&bench.program(many)?), "several rows are held");
    Ok(())
}
