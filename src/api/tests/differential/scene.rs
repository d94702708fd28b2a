//! A database with the sample collection under a set of indexes, and the running of plans in it.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::Result;
use crate::api::bind::Values;
use crate::api::catalog;
use crate::api::param::{Argument, Arguments};
use crate::compile::emit::column;
use crate::compile::{self, Disabled, PASSES, Text};
use crate::error::Error;
use crate::ir::catalog::{Catalog, Statistics};
use crate::ir::doc::Terminal;
use crate::ir::eval::sample::tree::{Built, End, Sketch, Step, Tree};
use crate::ir::eval::sample::{COLLECTION, FIELDS, Given};
use crate::ir::eval::{Document, Json};
use crate::ir::path::FieldPath;
use crate::ir::value::{Value, View};
use crate::store::{self, Bind, IndexColumnSpec, IndexFilter, IndexSpec};

/// One key of an index, by the place of its field in the sample's schema.
#[derive(Clone, Copy, Debug)]
pub(super) struct Key {
    pub(super) field: usize,
    pub(super) descending: bool,
    /// Whether the field is seen as JSON.
    pub(super) is_json: bool,
}

/// A database.
pub(super) struct Scene {
    engine: Arc<store::Engine>,
    pub(super) indexes: &'static [&'static [Key]],
    /// What the compiler is told of every index.
    statistics: Option<Statistics>,
}

/// A database with the documents of one case, in a transaction that is never committed.
pub(super) struct Place {
    txn: store::WriteTxn,
    statistics: Option<Statistics>,
    /// What is stored of each document.
    bytes: Vec<(i64, Option<Vec<u8>>)>,
}

/// A statement that ran.
pub(super) struct Ran {
    /// The passes that changed it.
    pub(super) fired: BTreeSet<&'static str>,
    /// Its texts, the one for deep pages too, with what each gave.
    pub(super) texts: Vec<(String, Result<Rows, Error>)>,
}

/// What a statement gave.
#[derive(Debug)]
pub(super) struct Rows {
    pub(super) rows: Vec<Vec<Cell>>,
    /// What a write did.
    pub(super) changed: Option<Changed>,
}

/// What a write did.
#[derive(Debug)]
pub(super) struct Changed {
    /// How many documents it says that it changed.
    pub(super) reported: u64,
    /// How many are gone or have other bytes.
    pub(super) counted: u64,
    /// The documents afterwards, by id.
    pub(super) documents: Vec<Document>,
}

/// One value of a row, as SQLite gives it.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Cell {
    Null,
    Int(i64),
    Real(f64),
    Text(String),
    Blob(Vec<u8>),
}

impl Scene {
    pub(super) fn new(indexes: &'static [&'static [Key]]) -> Result<Scene> {
        let engine = store::Engine::open_in_memory(&store::Options::default())?;
        let txn = engine.begin()?;
        let collection = txn.create_collection(COLLECTION, "integer", None)?;
        for keys in indexes {
            let columns = keys.iter().map(column_spec).collect();
            txn.ensure_index(
                &collection,
                &IndexSpec { columns, unique: false, nulls_collide: false, filter: None },
            )?;
        }
        txn.refresh_narrow(&collection)?;
        txn.commit()?;
        Ok(Scene { engine, indexes, statistics: None })
    }

    /// Returns the scene with further indexes that hold only the documents for which a condition does.
    pub(super) fn and_partial(self, indexes: &[(Key, Tree)]) -> Result<Scene> {
        let txn = self.engine.begin()?;
        let collection = Arc::clone(&txn.schema()?.collections[COLLECTION]);
        for (key, condition) in indexes {
            // Any field may stand in the condition.
            let columns: Vec<IndexColumnSpec> = (0..FIELDS.len())
                .map(|field| column_spec(&Key { field, descending: false, is_json: false }))
                .collect();
            txn.ensure_columns(&collection, &columns)?;
            let sketch =
                Sketch { stages: vec![Step::Filter(condition.clone())], end: End::Plain(Terminal::Count) };
            let catalog = catalog::of(&*txn.schema()?);
            let built = sketch.build();
            let made = compile::index_conditions(&built.statement, &built.constants, &catalog)?;
            let filter = IndexFilter {
                conditions: made.conditions,
                columns: vec![format!("{condition:?}")],
                literals: made.literals.into_iter().collect(),
            };
            let spec = IndexSpec {
                columns: vec![column_spec(key)],
                unique: false,
                nulls_collide: false,
                filter: Some(filter),
            };
            txn.ensure_index(&collection, &spec)?;
        }
        txn.commit()?;
        Ok(self)
    }

    /// Returns the scene with indexes that are said to hold few values, each many times.
    pub(super) fn of_few_values(self) -> Scene {
        Scene { statistics: Some(Statistics { rows: 1e6, rows_per_value: 1e5 }), ..self }
    }

    /// Stores documents as JSON, by plain SQL.
    pub(super) fn with(&self, documents: &[Document]) -> Result<Place> {
        let txn = self.engine.begin()?;
        for Document { id, body } in documents {
            let insert = format!("INSERT INTO {COLLECTION} (id, doc) VALUES (?1, jsonb(?2))");
            txn.execute(&insert, &[Bind::Int(*id), Bind::Text(&body.to_string())])?;
        }
        let mut place = Place { txn, statistics: self.statistics.clone(), bytes: Vec::new() };
        place.bytes = documents.iter().map(|document| (document.id, place.bytes_of(document.id))).collect();
        Ok(place)
    }
}

fn column_spec(key: &Key) -> IndexColumnSpec {
    let field = FIELDS[key.field];
    let path = field.path.iter().fold(FieldPath::root(), |path, key| path.key(*key));
    let kind = field.ty.kind();
    let view = if key.is_json { View::Only(kind) } else { View::of(field.ty) };
    let default = field.default.map(Given::field_default);
    IndexColumnSpec {
        path: path.to_json(),
        label: field.path.join("."),
        kind: view.name(),
        expr: column::definition(&path, view, default.as_ref()),
        desc: key.descending,
    }
}

impl Place {
    /// Returns the documents as SQLite's `json()` prints them, by id.
    pub(super) fn documents(&self) -> Result<Vec<Document>> {
        let mut statement =
            self.txn.prepare(&format!("SELECT id, json(doc) FROM {COLLECTION} ORDER BY id"))?;
        let mut documents = Vec::new();
        while let Some(row) = statement.step()? {
            let (store::Cell::Int(id), store::Cell::Text(text)) = (row.cell(0)?, row.cell(1)?) else {
                return Err("a row is not a document".into());
            };
            documents.push(Document { id, body: Json::parse(text)? });
        }
        Ok(documents)
    }

    fn catalog(&self) -> Result<Catalog> {
        let mut catalog = catalog::of(&*self.txn.schema()?);
        for collection in catalog.collections.values_mut() {
            for index in &mut Arc::make_mut(collection).indexes {
                index.statistics = self.statistics.clone();
            }
        }
        Ok(catalog)
    }

    /// Plans and runs a statement, reads `width` columns of its rows, and takes back what it wrote. All that the sample makes can be planned.
    pub(super) fn run(&self, built: &Built, disabled: Disabled, width: usize) -> Result<Ran> {
        let catalog = self.catalog()?;
        let is_absent = |slot: &u16| built.params.get(usize::from(*slot)) == Some(&Value::Null);
        let absent: Vec<u16> = built.statement.optional_slots().into_iter().filter(is_absent).collect();
        let statement = built.statement.without(&absent);
        let named = &self.txn.schema()?.literals;
        let statement = compile::with_literals(&statement, &built.constants, named);
        let (plan, trace) = compile::trace(&statement, &catalog, disabled)?;
        let stages = [Some(trace.course), trace.deep].into_iter().flatten().flat_map(|course| course.stages);
        let is_pass = |name: &&str| PASSES.iter().any(|pass| pass.name == *name);
        let fired = stages.map(|(name, _)| name).filter(is_pass).collect();
        let texts = std::iter::once(&plan.text).chain(plan.deep.as_ref().map(|deep| &deep.text));
        let run = |text: &Text| (text.sql.clone(), self.answer(text, plan.is_write, built, width));
        Ok(Ran { fired, texts: texts.map(run).collect() })
    }

    fn answer(&self, text: &Text, is_write: bool, built: &Built, width: usize) -> Result<Rows, Error> {
        let savepoint = self.txn.savepoint()?;
        let mut arguments = Arguments::default();
        for value in &built.params {
            arguments.push(Ok(argument(value)))?;
        }
        let mut statement = self.txn.prepare(&text.sql)?;
        Values { constants: &built.constants, arguments: &arguments }.bind(text, &mut statement)?;
        let mut rows = Vec::new();
        while let Some(row) = statement.step()? {
            rows.push((0..width).map(|column| row.cell(column).map(Cell::of)).collect::<Result<_, _>>()?);
        }
        drop(statement);
        let reported = self.txn.changes();
        let changed = if is_write {
            let counted =
                (self.bytes.iter().filter(|(id, bytes)| self.bytes_of(*id) != *bytes)).count() as u64;
            let documents = self.documents().expect("the documents are JSON");
            Some(Changed { reported, counted, documents })
        } else {
            None
        };
        drop(savepoint);
        Ok(Rows { rows, changed })
    }

    /// Returns what is stored of a document, if it is there.
    fn bytes_of(&self, id: i64) -> Option<Vec<u8>> {
        let sql = format!("SELECT doc FROM {COLLECTION} WHERE id = ?1");
        let mut statement = self.txn.prepare(&sql).expect("the collection is there");
        statement.bind(1, Bind::Int(id)).expect("an id can be bound");
        match statement.step().expect("the row can be read")?.cell(0) {
            Ok(store::Cell::Blob(bytes)) => Some(bytes.to_vec()),
            other => panic!("{other:?} is not JSONB"),
        }
    }
}

fn argument(value: &Value) -> Argument<'_> {
    match value {
        Value::Null => Argument::Null,
        Value::Json(_) => Argument::Value(value.clone()),
        Value::Bool(x) => Argument::Bool(*x),
        Value::Int(x) => Argument::Int(*x),
        Value::Real(x) => Argument::Real(*x),
        Value::Text(x) => Argument::Text(x),
        Value::List(items) => Argument::List(items.iter().map(argument).collect()),
    }
}

impl Cell {
    fn of(cell: store::Cell<'_>) -> Cell {
        match cell {
            store::Cell::Null => Cell::Null,
            store::Cell::Int(x) => Cell::Int(x),
            store::Cell::Real(x) => Cell::Real(x),
            store::Cell::Text(x) => Cell::Text(x.to_owned()),
            store::Cell::Blob(x) => Cell::Blob(x.to_vec()),
        }
    }
}
