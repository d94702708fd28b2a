//! The correctness matrix: filters and pipelines as MongoDB's manual shows them. What the server says is not corrected.

mod documents;
mod filters;

use std::io::{Read, Write};

use mongodb::bson::{Bson, DateTime, Document, doc};
use mongodb::sync::Collection;
use serde_json::{Map, Value, json};
use vellum_compare_protocol::{Failure, Open, Opened, Ran, Result, Run, Workload};

use crate::deployment::{Deployment, Source};
use crate::trouble::{Asked, Trouble};
use documents::{json_of, stored};

const NAME: &str = "people";

/// Opens the collection of the documents that the request brings.
pub(crate) fn open(source: &Source, open: &Open) -> Result<(Opened, Box<dyn Workload>)> {
    let matrix = Matrix::open(source, open).map_err(Trouble::into_failure)?;
    Ok((matrix.deployment.opened(), Box::new(matrix)))
}

struct Matrix {
    deployment: Deployment,
    /// Why prices are not stored.
    refused_decimals: Option<Failure>,
}

impl Workload for Matrix {
    fn run(&mut self, run: &Run) -> Result<Ran> {
        let answer = self.answer(&run.parameters).map_err(Trouble::into_failure)?;
        Ok(Ran { answer, ..Ran::default() })
    }

    fn reopen(&mut self) -> Result<()> {
        self.deployment.reopen().map_err(Trouble::into_failure)
    }
}

impl Matrix {
    fn open(source: &Source, open: &Open) -> Asked<Self> {
        let deployment = Deployment::open(source, open)?;
        let matrix = Self { deployment, refused_decimals: None };
        match matrix.fill(open, true) {
            Ok(()) => Ok(matrix),
            // FerretDB closes the connection then.
            Err(trouble) => {
                matrix.people().delete_many(doc! {}).run()?;
                matrix.fill(open, false)?;
                Ok(Self { refused_decimals: Some(trouble.into_failure()), ..matrix })
            }
        }
    }

    fn fill(&self, open: &Open, has_decimals: bool) -> Asked<()> {
        let documents = open.documents.iter().map(|document| stored(document, has_decimals));
        self.people().insert_many(documents.collect::<Result<Vec<Document>>>()?).run()?;
        Ok(())
    }

    fn people(&self) -> Collection<Document> {
        self.deployment.collection(NAME)
    }

    fn answer(&self, named: &Map<String, Value>) -> Asked<Value> {
        let case = named.get("case").and_then(Value::as_str).unwrap_or_default();
        if let Some(Failure::Error(why) | Failure::Unsupported(why)) =
            self.refused_decimals.as_ref().filter(|_| case.starts_with("decimal-"))
        {
            return Err(Failure::unsupported(format!("the server stores no decimals: {why}")).into());
        }
        if let Some(filter) = filters::filter(case, named)? {
            return self.ids(filter);
        }
        match case {
            "unicode-order" => self.read(doc! { "name": 1, "_id": 1 }, "_id"),
            "integer-read" => {
                let bigs = self.read(doc! { "_id": 1 }, "big")?;
                let bigs = bigs.as_array().into_iter().flatten();
                Ok(bigs.map(|big| json!(big.to_string())).collect())
            }
            "double-read" => self.read(doc! { "_id": 1 }, "score"),
            "duplicates-in-list" => self.field(id(named)?, "tags"),
            "length" | "decimal-sum" | "group-by-nullable" | "union" | "intersect" | "except" => {
                self.aggregated(case, named)
            }
            "keyset-ties" => self.pages(named.get("len").and_then(Value::as_i64).unwrap_or(1)),
            "text-with-nul" => {
                self.people().insert_one(doc! { "_id": 101_i64, "name": "a\0b" }).run()?;
                self.field(101, "name")
            }
            "long-list" => {
                let count = named.get("count").and_then(Value::as_u64).unwrap_or_default();
                let tags: Vec<String> = (0..count).map(|i| format!("t{i}")).collect();
                self.people().insert_one(doc! { "_id": 101_i64, "tags": tags }).run()?;
                Ok(json!(self.field(101, "tags")?.as_array().map_or(0, Vec::len)))
            }
            "id-after-delete" => self.is_new_key(),
            "write-in-open-read" => self.write_in_open_read(),
            "batch-with-duplicate" => self.batch_with_duplicate(),
            "file-replace-fails" => self.replaced_file(),
            "file-shrink-and-gap" => Err(Failure::unsupported("a file of GridFS is written once").into()),
            "move-folder" => Err(Failure::unsupported("GridFS has no folders").into()),
            other => Err(Failure::unsupported(format!("the engine does not know the case {other}")).into()),
        }
    }

    fn ids(&self, filter: Document) -> Asked<Value> {
        let mut ids = Vec::new();
        for document in self.people().find(filter).sort(doc! { "_id": 1 }).run()? {
            ids.push(json_of(document?.get("_id")));
        }
        Ok(json!(ids))
    }

    /// Returns a field of all documents in an order.
    fn read(&self, order: Document, field: &str) -> Asked<Value> {
        let mut values = Vec::new();
        for document in self.people().find(doc! {}).sort(order).run()? {
            values.push(json_of(document?.get(field)));
        }
        Ok(json!(values))
    }

    fn field(&self, id: i64, field: &str) -> Asked<Value> {
        let document = self.people().find_one(doc! { "_id": id }).run()?.unwrap_or_default();
        Ok(json_of(document.get(field)))
    }

    fn aggregated(&self, case: &str, named: &Map<String, Value>) -> Asked<Value> {
        let mut rows = Vec::new();
        for row in self.people().aggregate(filters::pipeline(case, named)).run()? {
            rows.push(row?);
        }
        if case == "group-by-nullable" {
            return Ok(rows
                .iter()
                .map(|row| json!([json_of(row.get("_id")), json_of(row.get("n"))]))
                .collect());
        }
        let said = rows.first().and_then(|row| row.get("said"));
        let mut said = json_of(said);
        if let Some(set) = said.as_array_mut() {
            // A set has no order of its own.
            set.sort_by_key(|value| value.as_str().map(str::to_owned));
        }
        Ok(said)
    }

    /// Pages by `team`, then the key; a range of MongoDB's never crosses from null to texts.
    fn pages(&self, len: i64) -> Asked<Value> {
        let (mut ids, mut last): (Vec<Value>, Option<(Bson, Bson)>) = (Vec::new(), None);
        loop {
            let behind = match &last {
                None => doc! {},
                Some((Bson::Null, id)) => {
                    doc! { "$or": [{ "team": { "$ne": null } }, { "team": null, "_id": { "$gt": id } }] }
                }
                Some((team, id)) => {
                    doc! { "$or": [{ "team": { "$gt": team } }, { "team": team, "_id": { "$gt": id } }] }
                }
            };
            let page = self.people().find(behind).sort(doc! { "team": 1, "_id": 1 }).limit(len).run()?;
            let mut seen = 0;
            for document in page {
                let document = document?;
                ids.push(json_of(document.get("_id")));
                let field = |name| document.get(name).cloned().unwrap_or(Bson::Null);
                last = Some((field("team"), field("_id")));
                seen += 1;
            }
            if seen < len || ids.len() > 100 {
                return Ok(json!(ids));
            }
        }
    }

    fn is_new_key(&self) -> Asked<Value> {
        let keyed: Collection<Document> = self.deployment.collection("keyed");
        let insert = || -> Asked<Bson> { Ok(keyed.insert_one(doc! { "x": 1 }).run()?.inserted_id) };
        let keys = [insert()?, insert()?, insert()?];
        let [_, _, last] = keys;
        keyed.delete_one(doc! { "_id": &last }).run()?;
        Ok(json!(insert()? != last))
    }

    fn write_in_open_read(&self) -> Asked<Value> {
        let people = self.people();
        let mut seen = 0;
        // Small batches, so that the server goes on reading after the first writes.
        for document in people.find(doc! {}).batch_size(2).run()? {
            let key = document?.get("_id").cloned().unwrap_or(Bson::Null);
            people.update_one(doc! { "_id": key }, doc! { "$set": { "age": 7_i64 } }).run()?;
            seen += 1;
        }
        Ok(json!([seen, people.count_documents(doc! { "age": 7_i64 }).run()?]))
    }

    fn batch_with_duplicate(&self) -> Asked<Value> {
        let people = self.people();
        let batch = [101_i64, 102, 1].map(|id| doc! { "_id": id });
        let inserted =
            self.deployment.transaction(|session| Ok(people.insert_many(batch).session(session).run()?));
        match inserted {
            // It must fail; what it leaves behind is the question.
            Ok(_) => {}
            Err(trouble) => match trouble.into_failure() {
                Failure::Unsupported(why) => return Err(Failure::Unsupported(why).into()),
                Failure::Error(_) => {}
            },
        }
        Ok(json!(people.count_documents(doc! {}).run()?))
    }

    fn replaced_file(&self) -> Asked<Value> {
        let bucket = self.deployment.database().gridfs_bucket(None);
        let failed = |error: std::io::Error| Trouble::from(Failure::from(error));
        let mut old = bucket.open_upload_stream("/f").run()?;
        old.write_all(b"old").map_err(failed)?;
        old.close().map_err(failed)?;
        let mut new = bucket.open_upload_stream("/f").run()?;
        new.write_all(&[b'n'; 300_000]).map_err(failed)?;
        // The source of the other half fails: the upload is given up.
        new.abort()?;
        let mut content = String::new();
        let mut file = bucket.open_download_stream_by_name("/f").run()?;
        file.read_to_string(&mut content).map_err(failed)?;
        Ok(json!(content))
    }
}

fn id(named: &Map<String, Value>) -> Result<i64> {
    let id = named.get("id").and_then(Value::as_i64);
    id.ok_or_else(|| Failure::Error("the request has no id".to_owned()))
}

/// Returns an instant that the request names.
fn instant(text: &str) -> Result<DateTime> {
    Ok(DateTime::parse_rfc3339_str(text)?)
}
