//! Keys that are texts and uuids: calls by key, queries, order, strangers' rows, what cannot be a key.

mod support;

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde::{Deserialize, Serialize};
use support::{Dir, TestResult, fails, strange, stranger};
use uuid::Uuid;
use vellum::ErrorKind;
use vellum::prelude::*;

#[derive(Document, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[document(collection = "users")]
struct User {
    #[document(id)]
    email: String,
    #[document(index)]
    age: i64,
    friend: Option<String>,
}

#[derive(Document, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[document(collection = "tickets")]
struct Ticket {
    id: Uuid,
    owner: Option<Uuid>,
    text: String,
}

fn user(email: &str, age: i64) -> User {
    User { email: email.to_owned(), age, friend: None }
}

fn users() -> vellum::Result<(Database, Collection<'static, User>)> {
    let db = Database::open_in_memory()?;
    let users = db.collection::<User>()?;
    users.ensure_indexes()?;
    users.insert_batch([user("zoe", 30), user("ada", 36), user("bob", 7), user("", 0)])?;
    Ok((db, users))
}

fn emails(users: &[User]) -> Vec<&str> {
    users.iter().map(|user| user.email.as_str()).collect()
}

#[test]
fn a_text_key_finds_its_document() -> TestResult {
    let (_db, users) = users()?;
    assert_eq!(users.get("ada")?, Some(user("ada", 36)));
    assert_eq!(users.get("")?, Some(user("", 0)));
    assert_eq!(users.get("Ada")?, None);
    let owned = "bob".to_owned();
    assert_eq!(users.get(&owned)?.map(|user| user.age), Some(7));
    let many = users.get_many(["bob", "nobody", "zoe"])?;
    assert_eq!(many, [Some(user("bob", 7)), None, Some(user("zoe", 30))]);
    Ok(())
}

#[test]
fn a_text_key_is_written_by_its_key() -> TestResult {
    let (_db, users) = users()?;
    assert_eq!(users.insert(user("it's", 1))?, "it's");
    fails(users.insert(user("ada", 1)), ErrorKind::AlreadyExists, &["users", "\"ada\""]);
    assert_eq!(users.upsert(user("ada", 37))?, "ada");
    assert_eq!(users.upsert(user("new", 5))?, "new");
    assert!(users.replace(&user("bob", 8))?);
    assert!(!users.replace(&user("nobody", 8))?);
    assert!(users.delete("zoe")?);
    assert!(!users.delete("zoe")?);
    let batch = [user("x", 1), user("y", 1), user("ada", 1)];
    fails(users.insert_batch(batch), ErrorKind::AlreadyExists, &["item 2", "\"ada\""]);
    // What is replaced keeps its place: rows come by insertion.
    assert_eq!(emails(&users.query().to_vec()?), ["ada", "bob", "", "it's", "new"]);
    assert_eq!(users.query().select(|u| u.age).to_vec()?, [37, 8, 0, 1, 5]);
    Ok(())
}

#[test]
fn a_text_key_is_asked_about_like_any_text_and_served_by_its_index() -> TestResult {
    let (db, users) = users()?;
    let found = users.filter(|u| u.email.ge("b") & u.age.gt(10)).to_vec()?;
    assert_eq!(emails(&found), ["zoe"]);
    assert_eq!(users.query().order_by(|u| u.email).select(|u| u.email).to_vec()?, ["", "ada", "bob", "zoe"]);
    assert_eq!(users.query().max(|u| u.email)?, Some("zoe".to_owned()));
    let by_key = db.compile(|q, (email,)| q.from::<User>().filter(|u| u.email.eq(email)).single_or_none())?;
    assert_eq!(by_key.call("bob")?, Some(user("bob", 7)));
    assert_eq!(by_key.explain()?.plan.readings[0].indexes, ["sqlite_autoindex_users_1"]);
    let prefix =
        db.compile(|q, (prefix,)| q.from::<User>().filter(|u| u.email.starts_with(prefix)).count())?;
    assert_eq!((prefix.call("a")?, prefix.call("")?), (1, 4));
    assert_eq!(prefix.explain()?.plan.readings[0].indexes, ["sqlite_autoindex_users_1"]);
    let some = users.filter(|u| u.email.is_in(["ada", "zoe", "ada"])).select(|u| u.age).to_vec()?;
    assert_eq!(some, [30, 36]);
    assert_eq!(users.delete_many(|u| u.email.lt("b"))?, 2);
    assert_eq!(users.count()?, 2);
    Ok(())
}

#[test]
fn a_text_key_cannot_be_set() -> TestResult {
    let (_db, users) = users()?;
    let error = users.query().update(|u| u.email.set("x")).unwrap_err();
    assert!(error.to_string().contains("is the key, and a key cannot be set"), "{error}");
    assert_eq!(users.update_many(|u| u.email.eq("ada"), |u| u.friend.set(u.email))?, 1);
    assert_eq!(users.get("ada")?.and_then(|user| user.friend), Some("ada".to_owned()));
    Ok(())
}

#[test]
fn a_nil_uuid_is_given_a_new_one() -> TestResult {
    let db = Database::open_in_memory()?;
    let tickets = db.collection::<Ticket>()?;
    let ticket = |text: &str| Ticket { id: Uuid::nil(), owner: None, text: text.to_owned() };
    let mut first = ticket("a");
    let id = tickets.insert(&mut first)?;
    assert_eq!((first.id, id.get_version_num()), (id, 7));
    assert_eq!(tickets.get(id)?.as_ref(), Some(&first));
    let mut batch = vec![ticket("b"), Ticket { id: Uuid::from_u128(5), ..ticket("c") }, ticket("d")];
    let given = tickets.insert_batch(&mut batch)?;
    assert_eq!(batch.iter().map(|ticket| ticket.id).collect::<Vec<_>>(), given);
    assert_eq!(given[1], Uuid::from_u128(5));
    assert!(id < given[0] && given[0] < given[2], "{id} {given:?}");
    let texts = tickets.query().order_by(|t| t.id).select(|t| t.text).to_vec()?;
    assert_eq!(texts, ["c", "a", "b", "d"]);

    let mut batch = vec![ticket("e"), Ticket { id, ..ticket("f") }, ticket("g")];
    fails(tickets.insert_batch(&mut batch), ErrorKind::AlreadyExists, &["item 1", &id.to_string()]);
    assert_eq!(batch.iter().map(|ticket| ticket.id).collect::<Vec<_>>(), [Uuid::nil(), id, Uuid::nil()]);
    assert_eq!(tickets.count()?, 4);
    Ok(())
}

#[test]
fn a_uuid_is_a_field_and_an_operand() -> TestResult {
    let db = Database::open_in_memory()?;
    let tickets = db.collection::<Ticket>()?;
    let owner = Uuid::from_u128(0xabc);
    let mut ticket = Ticket { id: Uuid::nil(), owner: Some(owner), text: "a".to_owned() };
    let id = tickets.insert(&mut ticket)?;
    assert_eq!(tickets.filter(|t| t.owner.eq(owner) & t.id.eq(id)).count()?, 1);
    let of = db.compile(|q, (owner,)| q.from::<Ticket>().filter(|t| t.owner.eq(owner)).select(|t| t.id))?;
    assert_eq!(of.call(owner)?, [id]);
    assert_eq!(tickets.filter(|t| t.id.is_in([id, owner])).select(|t| t.owner).to_vec()?, [Some(owner)]);
    assert_eq!(tickets.query().update(|t| t.owner.set(Some(id)))?, 1);
    assert_eq!(tickets.get(id)?.and_then(|ticket| ticket.owner), Some(id));
    Ok(())
}

#[test]
fn a_collection_keeps_its_kind_of_key_and_where_it_stands() -> TestResult {
    #[derive(Document, Serialize, Deserialize, Debug)]
    #[document(collection = "users")]
    struct Numbered {
        id: i64,
    }
    #[derive(Document, Serialize, Deserialize, Debug)]
    #[document(collection = "users")]
    struct Elsewhere {
        #[document(id)]
        name: String,
        other: i64,
    }
    let dir = Dir::new()?;
    let path = dir.file("app.db");
    let db = Database::open(&path)?;
    db.collection::<User>()?.insert(user("ada", 1))?;
    fails(db.collection::<Numbered>(), ErrorKind::TypeMismatch, &["users", "keys are text, not integer"]);
    fails(db.collection::<Elsewhere>(), ErrorKind::TypeMismatch, &["users", "email", "name"]);
    let all = db.compile(|q, ()| q.from::<Numbered>());
    fails(all, ErrorKind::TypeMismatch, &["users", "keys are text, not integer"]);
    let all = db.compile(|q, ()| q.from::<Elsewhere>().update(|e| e.other.set(1)));
    fails(all, ErrorKind::TypeMismatch, &["users", "email", "name"]);
    let users = db.collection::<User>()?;
    let inside = users.filter(|u| from::<Numbered>().any(|other| other.id.gt(u.age))).count();
    fails(inside, ErrorKind::TypeMismatch, &["users", "keys are text, not integer"]);
    let listed = users.filter(|u| u.email.is_in(from::<Elsewhere>().select(|e| e.name))).count();
    fails(listed, ErrorKind::TypeMismatch, &["users", "email", "name"]);
    drop((users, db));
    let db = Database::open(&path)?;
    assert_eq!(db.collection::<User>()?.get("ada")?, Some(user("ada", 1)));
    fails(db.collection::<Numbered>(), ErrorKind::TypeMismatch, &["users"]);
    Ok(())
}

#[test]
fn another_program_stores_documents_by_their_keys() -> TestResult {
    let (db, users) = users()?;
    strange(&db, "users", &[(70, r#"{"email":"eve","age":"old"}"#), (71, r#"{"email":"fay","age":4}"#)])?;
    assert_eq!(users.get("fay")?, Some(user("fay", 4)));
    fails(users.get("eve"), ErrorKind::TypeMismatch, &["users", "age"]);
    assert_eq!(users.filter(|u| u.email.gt("e")).select(|u| u.email).to_vec()?, ["zoe", "eve", "fay"]);
    let twice = stranger(&db)?.execute("INSERT INTO users(doc) VALUES (jsonb('{\"email\":\"ada\"}'))", []);
    assert!(twice.is_err(), "a key was stored twice");
    let none = stranger(&db)?.execute("INSERT INTO users(doc) VALUES (jsonb('{\"age\":1}'))", []);
    assert!(none.is_err(), "a document without a key was stored");
    Ok(())
}

#[test]
fn a_uuid_is_found_in_any_spelling_that_loads() -> TestResult {
    let uuid = Uuid::from_u128(0x67e5_5044_10b1_426f_9247_bb68_0e5f_e0c8);
    let spellings = [
        uuid.to_string(),
        uuid.to_string().to_uppercase(),
        uuid.simple().to_string(),
        uuid.simple().to_string().to_uppercase(),
        uuid.braced().to_string(),
        uuid.braced().to_string().to_uppercase(),
        uuid.urn().to_string(),
        uuid.urn().to_string().to_uppercase(),
    ];
    for spelling in spellings {
        for indexed in [false, true] {
            let db = Database::open_in_memory()?;
            let tickets = db.collection::<Ticket>()?;
            if indexed {
                tickets.ensure_index(|t| t.owner).create()?;
            }
            let body = format!(r#"{{"id":"{spelling}","owner":"{spelling}","text":"a"}}"#);
            strange(&db, "tickets", &[(1, &body)])?;
            let ticket = || Ticket { id: uuid, owner: Some(uuid), text: "a".to_owned() };
            assert_eq!(tickets.get(uuid)?, Some(ticket()), "{spelling}");
            assert_eq!(tickets.filter(|t| t.id.eq(uuid)).to_vec()?, [ticket()], "{spelling}");
            assert_eq!(tickets.filter(|t| t.owner.eq(uuid)).to_vec()?, [ticket()], "{spelling}");
            assert_eq!(tickets.filter(|t| t.owner.is_in([uuid])).count()?, 1, "{spelling}");
            assert_eq!(tickets.query().select(|t| (t.id, t.owner)).to_vec()?, [(uuid, Some(uuid))]);
            fails(tickets.insert(ticket()), ErrorKind::AlreadyExists, &["tickets", &uuid.to_string()]);
            assert!(tickets.replace(&Ticket { text: "b".to_owned(), ..ticket() })?, "{spelling}");
            assert_eq!(tickets.upsert(ticket())?, uuid);
            assert_eq!(tickets.count()?, 1);
            assert!(tickets.delete(uuid)?, "{spelling}");
        }
    }
    Ok(())
}

#[test]
fn what_is_no_uuid_is_not_taken_for_one() -> TestResult {
    let db = Database::open_in_memory()?;
    let tickets = db.collection::<Ticket>()?;
    let uuid = Uuid::from_u128(0x67e5_5044_10b1_426f_9247_bb68_0e5f_e0c8);
    for (id, other) in (1..).zip([
        format!("({uuid})"),
        format!("{{{uuid}}}\\u0000"),
        format!("{uuid}\\u0000"),
        format!("urn-uuid:{uuid}"),
        format!("{}\\u0000", uuid.simple()),
    ]) {
        strange(&db, "tickets", &[(id, &format!(r#"{{"id":"{other}","owner":"{other}","text":"a"}}"#))])?;
        assert_eq!(tickets.get(uuid)?, None, "{other}");
        assert_eq!(tickets.filter(|t| t.owner.eq(uuid)).count()?, 0, "{other}");
    }
    Ok(())
}

/// One call by key.
#[derive(Clone, Debug)]
enum Call {
    Insert(String, i64),
    Upsert(String, i64),
    Replace(String, i64),
    Delete(String),
    Batch(Vec<(String, i64)>),
    Age(String, i64),
}

fn call() -> impl Strategy<Value = Call> {
    let key =
        || prop::sample::select(vec!["", "a", "b", "A", "a\0", "\u{e9}", "e\u{301}", "'\"", "\u{10ffff}"]);
    let key = move || key().prop_map(str::to_owned);
    prop_oneof![
        (key(), any::<i64>()).prop_map(|(key, age)| Call::Insert(key, age)),
        (key(), any::<i64>()).prop_map(|(key, age)| Call::Upsert(key, age)),
        (key(), any::<i64>()).prop_map(|(key, age)| Call::Replace(key, age)),
        key().prop_map(Call::Delete),
        prop::collection::vec((key(), any::<i64>()), 0..4).prop_map(Call::Batch),
        (key(), any::<i64>()).prop_map(|(key, age)| Call::Age(key, age)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn calls_by_text_key_do_what_they_do_to_a_map(calls in prop::collection::vec(call(), 1..40)) {
        let db = Database::open_in_memory()?;
        let users = db.collection::<User>()?;
        let mut model: BTreeMap<String, i64> = BTreeMap::new();
        for call in calls {
            match call {
                Call::Insert(key, age) => {
                    let is_new = !model.contains_key(&key);
                    prop_assert_eq!(users.insert(user(&key, age)).is_ok(), is_new);
                    model.entry(key).or_insert(age);
                }
                Call::Upsert(key, age) => {
                    users.upsert(user(&key, age))?;
                    model.insert(key, age);
                }
                Call::Replace(key, age) => {
                    prop_assert_eq!(users.replace(&user(&key, age))?, model.contains_key(&key));
                    model.entry(key).and_modify(|own| *own = age);
                }
                Call::Delete(key) => prop_assert_eq!(users.delete(&key)?, model.remove(&key).is_some()),
                Call::Batch(batch) => {
                    let mut after = model.clone();
                    let fits = batch.iter().all(|(key, age)| after.insert(key.clone(), *age).is_none());
                    let stored = users.insert_batch(batch.iter().map(|(key, age)| user(key, *age)));
                    prop_assert_eq!(stored.is_ok(), fits);
                    model = if fits { after } else { model };
                }
                Call::Age(key, age) => {
                    users.update_many(|u| u.email.eq(&key), |u| u.age.set(age))?;
                    model.entry(key).and_modify(|own| *own = age);
                }
            }
        }
        let stored = users.query().order_by(|u| u.email).select(|u| (u.email, u.age)).to_vec()?;
        prop_assert_eq!(stored, model.into_iter().collect::<Vec<_>>());
    }
}
