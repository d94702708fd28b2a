//! The correctness matrix on Vellum.

use std::io::{self, Read};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use vellum::FileKind;
use vellum::prelude::*;
use vellum_compare_protocol::{Failure, Open, Opened, Ran, Result, Run, Workload};

use crate::settings;

#[derive(Clone, Debug, Document, Serialize, Deserialize)]
#[document(collection = "people")]
struct Person {
    id: i64,
    #[document(index)]
    name: Option<String>,
    age: Option<i64>,
    team: Option<String>,
    tags: Vec<String>,
    score: f64,
    big: i64,
}

/// A document whose key the database gives.
#[derive(Clone, Debug, Document, Serialize, Deserialize)]
#[document(collection = "keyed")]
struct Keyed {
    id: i64,
}

/// Opens a database with the documents.
pub(crate) fn open(open: &Open) -> Result<(Opened, Box<dyn Workload>)> {
    let durability = settings::durability(&open.durability);
    let db = settings::database(&open.dir.join("people.db"), durability)?;
    let people = db.collection::<Person>()?;
    people.ensure_indexes()?;
    people.insert_batch(open.documents.iter().map(person).collect::<Result<Vec<_>>>()?)?;
    Ok((settings::opened(durability), Box::new(People { people, db })))
}

fn person(document: &Value) -> Result<Person> {
    let mut document = document.clone();
    let big: i64 = text(&document, "big")?.parse()?;
    if let Some(fields) = document.as_object_mut() {
        fields.insert("big".to_owned(), json!(big));
    }
    Ok(serde_json::from_value(document)?)
}

struct People {
    people: Collection<'static, Person>,
    db: Database,
}

impl Workload for People {
    fn run(&mut self, run: &Run) -> Result<Ran> {
        let asked = Value::Object(run.parameters.clone());
        let case = text(&asked, "case")?;
        let answer = self
            .condition(case, &asked)
            .or_else(|| self.value(case, &asked))
            .or_else(|| self.set(case, &asked))
            .or_else(|| self.write(case, &asked))
            .or_else(|| self.file(case))
            .unwrap_or_else(|| Err(lacking(case)))?;
        Ok(Ran { answer, ..Ran::default() })
    }

    fn reopen(&mut self) -> Result<()> {
        Ok(())
    }
}

fn lacking(case: &str) -> Failure {
    Failure::unsupported(match case {
        "decimal-equals" | "decimal-sum" => "not built yet: decimals as queried fields",
        "instant-equals" | "instant-before" => "not built yet: instants as queried fields",
        "union" | "intersect" | "except" => "not built yet: set operations",
        _ => "the engine does not know this case",
    })
}

impl People {
    /// The cases whose answer is the ids that match a condition.
    fn condition(&self, case: &str, asked: &Value) -> Option<Result<Value>> {
        let people = &self.people;
        let ids = |query: Query<Person, _>| Ok(json!(query.select(|p| p.id).to_vec()?));
        let name = asked.get("name").and_then(Value::as_str);
        let age = asked.get("age").and_then(Value::as_i64).unwrap_or_default();
        let found = match case {
            "null-equals" => ids(people.filter(|p| p.name.eq_option(name))),
            "null-in-list" => {
                Err(Failure::unsupported("a list for `is_in` holds no nulls; `| name.is_none()` is written"))
            }
            "not-equals" => ids(people.filter(|p| !p.name.eq(name.unwrap_or_default()))),
            "differs" => ids(people.filter(|p| p.name.ne(name.unwrap_or_default()))),
            "not-greater" => ids(people.filter(|p| !p.age.gt(age))),
            "either-half" => ids(people.filter(|p| p.age.gt(age) | !p.age.gt(age))),
            "range-over-null" => ids(people.filter(|p| p.age.lt(age))),
            "prefix" => {
                text(asked, "prefix").and_then(|prefix| ids(people.filter(|p| p.name.starts_with(prefix))))
            }
            "text-order" => ids(people.filter(|p| p.name.gt(name.unwrap_or_default()))),
            "integer-equals" => text(asked, "big")
                .and_then(|big| Ok(big.parse()?))
                .and_then(|big: i64| ids(people.filter(|p| p.big.eq(big)))),
            "integer-division" => ids(people.filter(|p| (p.id / 2).eq(1))),
            "integer-remainder" => ids(people.filter(|p| (p.age % 2).eq(1))),
            "any-of-list" => {
                text(asked, "tag").and_then(|tag| ids(people.filter(|p| p.tags.any(|t| t.eq(tag)))))
            }
            "unicode-order" => ids(people.query().order_by(|p| p.name).then_by(|p| p.id)),
            _ => return None,
        };
        Some(found)
    }

    /// The cases whose answer is a value, or values as they are read back.
    fn value(&self, case: &str, asked: &Value) -> Option<Result<Value>> {
        let id = asked.get("id").and_then(Value::as_i64).unwrap_or_default();
        Some(match case {
            "length" => self.length(id),
            "integer-read" => self.read(|person| json!(person.big.to_string())),
            "double-read" => self.read(|person| json!(person.score)),
            "duplicates-in-list" => self.person(id).map(|person| json!(person.tags)),
            "text-with-nul" => {
                self.kept(|person| person.name = Some("a\0b".to_owned())).map(|person| json!(person.name))
            }
            "long-list" => {
                let count = asked.get("count").and_then(Value::as_u64).unwrap_or_default() as usize;
                self.kept(|person| person.tags = vec!["t".to_owned(); count])
                    .map(|person| json!(person.tags.len()))
            }
            _ => return None,
        })
    }

    fn set(&self, case: &str, asked: &Value) -> Option<Result<Value>> {
        match case {
            "group-by-nullable" => {
                let groups = self.people.query().group_by(|p| p.team).select(|g| (g.key, g.count()));
                Some(groups.to_vec().map(|groups| json!(groups)).map_err(Failure::from))
            }
            "keyset-ties" => {
                let len = asked.get("len").and_then(Value::as_u64).unwrap_or(1);
                Some(self.keyset(len))
            }
            _ => None,
        }
    }

    fn write(&self, case: &str, _asked: &Value) -> Option<Result<Value>> {
        Some(match case {
            "id-after-delete" => self.key_after_delete(),
            "write-in-open-read" => self.write_in_open_read(),
            "batch-with-duplicate" => self.batch_with_duplicate(),
            _ => return None,
        })
    }

    fn file(&self, case: &str) -> Option<Result<Value>> {
        Some(match case {
            "file-replace-fails" => self.replace_fails(),
            "file-shrink-and-gap" => self.shrink_and_gap(),
            "move-folder" => self.move_folder(),
            _ => return None,
        })
    }

    fn length(&self, id: i64) -> Result<Value> {
        let lengths = self.people.filter(|p| p.id.eq(id)).select(|p| p.name.len()).to_vec()?;
        Ok(json!(lengths.first().copied().flatten()))
    }

    fn read(&self, of: impl Fn(&Person) -> Value) -> Result<Value> {
        let people = self.people.query().to_vec()?;
        Ok(people.iter().map(of).collect())
    }

    fn person(&self, id: i64) -> Result<Person> {
        self.people.get(id)?.ok_or_else(|| Failure::Error(format!("there is no document {id}")))
    }

    /// Stores a changed document and returns it as it is read back.
    fn kept(&self, change: impl FnOnce(&mut Person)) -> Result<Person> {
        let mut person = self.person(1)?;
        person.id = 0;
        change(&mut person);
        self.person(self.people.insert(person)?)
    }

    /// Vellum has no cursors of its own yet; this is the condition that one would write. No team is before every team.
    fn keyset(&self, len: u64) -> Result<Value> {
        let (mut ids, mut last): (Vec<i64>, Option<(Option<String>, i64)>) = (Vec::new(), None);
        loop {
            let all = self.people.query();
            let behind = match &last {
                None => all,
                Some((None, id)) => all.filter(|p| (p.team.is_none() & p.id.gt(*id)) | p.team.is_some()),
                Some((Some(team), id)) => {
                    let team = team.as_str();
                    all.filter(|p| (p.team.eq(team) & p.id.gt(*id)) | p.team.gt(team))
                }
            };
            let page = behind.order_by(|p| p.team).then_by(|p| p.id).take(len).to_vec()?;
            let Some(person) = page.last() else { return Ok(json!(ids)) };
            last = Some((person.team.clone(), person.id));
            ids.extend(page.iter().map(|person| person.id));
        }
    }

    fn key_after_delete(&self) -> Result<Value> {
        let keyed = self.db.collection::<Keyed>()?;
        let given = keyed.insert_batch([Keyed { id: 0 }, Keyed { id: 0 }, Keyed { id: 0 }])?;
        let last = given.last().copied().unwrap_or_default();
        keyed.delete(last)?;
        Ok(json!(keyed.insert(Keyed { id: 0 })? != last))
    }

    fn write_in_open_read(&self) -> Result<Value> {
        let mut seen = 0;
        for person in self.people.query().iter()? {
            let id = person?.id;
            self.people.update_many(|p| p.id.eq(id), |p| p.age.set(7))?;
            seen += 1;
        }
        Ok(json!([seen, self.people.filter(|p| p.age.eq(7)).count()?]))
    }

    fn batch_with_duplicate(&self) -> Result<Value> {
        let person = self.person(1)?;
        let batch = [101, 102, 1].map(|id| Person { id, ..person.clone() });
        match self.people.insert_batch(batch) {
            Ok(_) => Err(Failure::Error("the batch was accepted".to_owned())),
            Err(_) => Ok(json!(self.people.count()?)),
        }
    }

    fn replace_fails(&self) -> Result<Value> {
        let files = self.db.files();
        files.write("/f", "old")?;
        if files.write_from("/f", Failing { left: 1 << 20 }).is_ok() {
            return Err(Failure::Error("the upload did not fail".to_owned()));
        }
        Ok(json!(String::from_utf8(files.read("/f")?)?))
    }

    fn shrink_and_gap(&self) -> Result<Value> {
        let files = self.db.files();
        files.write("/f", [0x61; 100])?;
        files.set_len("/f", 10)?;
        files.write_at("/f", 80, [0x62])?;
        let mut gap = [0xFF; 5];
        files.read_at("/f", 50, &mut gap)?;
        Ok(json!(gap))
    }

    fn move_folder(&self) -> Result<Value> {
        let files = self.db.files();
        files.create_dir("/a")?;
        files.write("/a/apple", "")?;
        files.rename("/a", "/z")?;
        let paths = files.list("/").recursive().to_vec()?;
        Ok(paths.iter().filter(|entry| entry.kind == FileKind::File).map(|entry| json!(entry.path)).collect())
    }
}

/// A source that breaks off.
struct Failing {
    left: usize,
}

impl Read for Failing {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.left == 0 {
            return Err(io::Error::other("the source broke off"));
        }
        let len = out.len().min(self.left);
        out.iter_mut().take(len).for_each(|byte| *byte = b'n');
        self.left -= len;
        Ok(len)
    }
}

fn text<'v>(value: &'v Value, key: &str) -> Result<&'v str> {
    value.get(key).and_then(Value::as_str).ok_or_else(|| Failure::Error(format!("there is no text `{key}`")))
}
