//! Bytes in documents: stored as base64 text, equal as bytes, counted in bytes.

mod support;

use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use support::{TestResult, fails, ids, stored, strange, words};
use vellum::prelude::*;
use vellum::{Bytes, ErrorKind};

#[derive(Document, Serialize, Deserialize, Debug, Clone, Default, PartialEq)]
#[document(collection = "blobs")]
struct Blob {
    id: i64,
    hash: Bytes,
    #[serde(default)]
    thumb: Option<Bytes>,
    parts: Vec<Bytes>,
    named: HashMap<String, Bytes>,
}

const SAMPLES: [&[u8]; 6] = [b"", b"\0", b"\xff\xfe", b"abc", b"\xfb\xef\xff\xbe", b"0123456789abcdef"];

fn blob(bytes: &[u8]) -> Blob {
    Blob {
        hash: bytes.into(),
        thumb: (!bytes.is_empty()).then(|| bytes.into()),
        parts: vec![bytes.into(), Bytes(b"abc".to_vec())],
        named: HashMap::from([("k".to_owned(), bytes.into())]),
        ..Blob::default()
    }
}

fn blobs() -> vellum::Result<(Database, Collection<'static, Blob>)> {
    let db = Database::open_in_memory()?;
    let blobs = db.collection::<Blob>()?;
    blobs.insert_batch(SAMPLES.map(blob))?;
    Ok((db, blobs))
}

#[test]
fn bytes_are_stored_as_base64_text_and_come_back() -> TestResult {
    let (db, blobs) = blobs()?;
    for (loaded, bytes) in blobs.query().to_vec()?.into_iter().zip(SAMPLES) {
        assert_eq!(loaded, Blob { id: loaded.id, ..blob(bytes) });
    }
    let text =
        r#"{"hash":"++//vg==","thumb":"++//vg==","parts":["++//vg==","YWJj"],"named":{"k":"++//vg=="}}"#;
    assert_eq!(stored(&db, "blobs", 5)?, text);
    let hashes = blobs.query().select(|b| (b.hash, b.thumb)).to_vec()?;
    for ((hash, thumb), bytes) in hashes.into_iter().zip(SAMPLES) {
        assert_eq!((&*hash, thumb.as_deref().unwrap_or_default()), (bytes, bytes));
    }
    assert_eq!(format!("{:?}", Bytes(vec![0, 0xab])), "Bytes(00ab)");
    Ok(())
}

#[test]
fn bytes_are_compared_and_counted() -> TestResult {
    let (_db, blobs) = blobs()?;
    for (id, bytes) in (1..).zip(SAMPLES) {
        assert_eq!(ids!(blobs, |b: BlobFields| b.hash.eq(bytes)), [id]);
        assert_eq!(blobs.filter(|b| b.hash.eq(Bytes::from(bytes))).select(|b| b.id).to_vec()?, [id]);
        assert_eq!(blobs.filter(|b| b.named.get("k").eq(bytes)).select(|b| b.id).to_vec()?, [id]);
        assert_eq!(ids!(blobs, |b: BlobFields| b.hash.byte_len().eq(bytes.len() as u64)), [id]);
    }
    assert_eq!(ids!(blobs, |b: BlobFields| b.hash.eq(b"abc")), [4]);
    assert_eq!(ids!(blobs, |b: BlobFields| b.hash.ne(b"abc")), [1, 2, 3, 5, 6]);
    assert_eq!(ids!(blobs, |b: BlobFields| b.hash.is_in([b"abc".as_slice(), b"\0"])), [2, 4]);
    assert_eq!(ids!(blobs, |b: BlobFields| b.hash.is_empty()), [1]);
    assert_eq!(ids!(blobs, |b: BlobFields| b.hash.len().gt(3)), [5, 6]);
    assert_eq!(ids!(blobs, |b: BlobFields| b.thumb.is_none()), [1]);
    assert_eq!(ids!(blobs, |b: BlobFields| b.thumb.eq(b.hash)), [2, 3, 4, 5, 6]);
    assert_eq!(ids!(blobs, |b: BlobFields| b.parts.contains(b"\xff\xfe")), [3]);
    assert_eq!(ids!(blobs, |b: BlobFields| b.parts.all(|part| part.byte_len().eq(3))), [4]);
    let sizes = blobs.query().select(|b| b.thumb.byte_len()).to_vec()?;
    assert_eq!(sizes, [None, Some(1), Some(2), Some(3), Some(4), Some(16)]);
    assert_eq!(blobs.query().sum(|b| b.hash.byte_len())?, 26);
    let groups = blobs.query().group_by(|b| b.hash).select(|g| g.count()).to_vec()?;
    assert_eq!(groups, [1; 6]);
    Ok(())
}

#[test]
fn an_index_finds_bytes() -> TestResult {
    let (_db, blobs) = blobs()?;
    assert_eq!(blobs.ensure_index(|b| b.hash).unique().create()?.created, ["blobs/hash"]);
    assert_eq!(blobs.ensure_index(|b| b.thumb).create()?.created, ["blobs/thumb"]);
    let find = blobs.compile(|q, (hash,)| q.filter(|b| b.hash.eq(hash)).select(|b| b.id))?;
    assert_eq!(find.call(b"abc")?, [4]);
    assert_eq!(find.explain()?.plan.readings[0].indexes, ["blobs/hash"]);
    fails(blobs.insert(blob(b"abc")), ErrorKind::Unique, &["blobs"]);
    Ok(())
}

#[test]
fn bytes_are_arguments() -> TestResult {
    let (db, blobs) = blobs()?;
    let find = blobs.compile(|q, (hash,)| q.filter(|b| b.hash.eq(hash)).select(|b| b.id))?;
    let hash = Bytes(b"\xff\xfe".to_vec());
    assert_eq!((find.call(&hash)?, find.call(b"abc")?), (vec![3], vec![4]));
    let any = blobs.compile(|q, (hashes,)| q.filter(|b| b.hash.is_in(hashes)).count())?;
    assert_eq!(any.call(&[b"abc", &hash, b"none"])?, 2);
    let option = blobs.compile(|q, (thumb,)| q.filter(|b| b.thumb.eq_option(thumb)).select(|b| b.id))?;
    assert_eq!((option.call(None)?, option.call(Some(b"abc"))?), (vec![1], vec![4]));
    #[derive(Params)]
    struct Change {
        id: i64,
        hash: Bytes,
    }
    let set = db.compile(|q, p: ChangeParams| {
        q.from::<Blob>().filter(|b| b.id.eq(p.id)).update(|b| (b.hash.set(p.hash), b.thumb.set(None)))
    })?;
    assert_eq!(set.call(Change { id: 1, hash: hash.clone() })?, 1);
    assert_eq!(find.call(&hash)?, [1, 3]);
    blobs.query().update(|b| (b.hash.set(hash.clone()), b.named.get("new").set(Bytes(vec![7]))))?;
    assert_eq!(find.call(&hash)?.len(), SAMPLES.len());
    assert_eq!(blobs.filter(|b| b.named.get("new").eq(&[7])).count()?, SAMPLES.len() as u64);
    Ok(())
}

#[test]
fn what_is_no_base64_cannot_be_loaded() -> TestResult {
    let (db, blobs) = blobs()?;
    let rest = r#""parts":[],"named":{}"#;
    let texts = ["YWJ", "YWJ=", "YW-j", "YWJj\\n"];
    let documents: Vec<(i64, String)> =
        (10..).zip(texts).map(|(id, text)| (id, format!("{{\"hash\":\"{text}\",{rest}}}"))).collect();
    let documents: Vec<(i64, &str)> = documents.iter().map(|(id, text)| (*id, text.as_str())).collect();
    strange(&db, "blobs", &documents)?;
    for (id, _) in &documents {
        fails(blobs.get(*id), ErrorKind::TypeMismatch, &["hash", "base64"]);
    }
    assert_eq!(ids!(blobs, |b: BlobFields| b.hash.eq(b"ab") | b.hash.eq(b"abc")), [4]);
    let loaded = blobs.filter(|b| b.id.eq(10)).select(|b| b.hash).to_vec();
    assert!(loaded.is_err_and(|error| words(&error).contains("hash")));
    Ok(())
}
