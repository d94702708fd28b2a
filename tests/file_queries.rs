//! Queries over files and directories, and the metadata that they may have.

mod support;

use serde::{Deserialize, Serialize};
use support::{TestResult, stranger};
use vellum::{Database, Embed, ErrorKind, FileEntry, FileKind};

#[derive(Embed, Serialize, Deserialize, Clone, Debug, PartialEq)]
struct Photo {
    camera: String,
    stars: Option<i64>,
    tags: Vec<String>,
}

fn photo(camera: &str, stars: Option<i64>, tags: &[&str]) -> Photo {
    Photo { camera: camera.into(), stars, tags: tags.iter().map(|tag| (*tag).to_owned()).collect() }
}

fn database() -> vellum::Result<Database> {
    let db = Database::open_in_memory()?;
    let files = db.files();
    for (path, len, meta) in [
        ("/photos/2025/sea.raw", 5_000, Some(photo("X1", Some(5), &["sea", "summer"]))),
        ("/photos/2026/snow.raw", 7_000, Some(photo("X1", None, &["snow"]))),
        ("/photos/2026/snow.txt", 20, None),
        ("/notes", 3, None),
    ] {
        files.write(path, vec![1; len])?;
        if let Some(meta) = meta {
            files.set_meta(path, &meta)?;
        }
    }
    Ok(db)
}

#[test]
fn files_are_asked_by_their_path_size_kind_and_metadata() -> TestResult {
    let db = database()?;
    let files = db.files();
    let photos = || files.query::<Photo>();
    let below = photos().filter(|f| f.path.starts_with("/photos/2026/")).order_by(|f| f.length.desc());
    assert_eq!(below.select(|f| f.name).to_vec()?, ["snow.raw", "snow.txt"]);
    assert_eq!(photos().filter(|f| f.kind.eq(FileKind::Directory)).count()?, 3);
    assert_eq!(
        photos().filter(|f| f.meta.stars.ge(4)).select(|f| f.path).to_vec()?,
        ["/photos/2025/sea.raw"]
    );
    assert_eq!(photos().filter(|f| f.meta.is_some() & f.meta.stars.is_none()).count()?, 1);
    assert_eq!(photos().filter(|f| f.meta.tags.contains("snow")).select(|f| f.name).to_vec()?, ["snow.raw"]);
    assert_eq!(photos().filter(|f| f.name.ends_with(".raw")).sum(|f| f.length)?, 12_000);
    let by_camera = photos().filter(|f| f.meta.is_some()).group_by(|f| f.kind);
    assert_eq!(by_camera.select(|g| (g.key, g.count())).to_vec()?, [(FileKind::File, 2)]);
    let largest = photos().order_by(|f| f.length.desc()).first()?.ok_or("no file")?;
    let FileEntry { path, length, meta, created, modified, .. } = largest;
    assert_eq!(
        (path.as_str(), length, meta),
        ("/photos/2026/snow.raw", 7_000, Some(photo("X1", None, &["snow"])))
    );
    assert!(created > 1_600_000_000_000_000_000 && modified >= created);
    Ok(())
}

#[test]
fn paths_and_pages_agree_with_a_listing() -> TestResult {
    let db = database()?;
    let files = db.files();
    let listed: Vec<(String, i64)> = files
        .list("/")
        .recursive()
        .to_vec()?
        .into_iter()
        .map(|entry| (entry.path, i64::try_from(entry.length).unwrap_or(-1)))
        .collect();
    let query = files.query::<Photo>().order_by(|f| f.path).select(|f| (f.path, f.length));
    assert_eq!(query.to_vec()?, listed);
    assert_eq!(files.query::<Photo>().order_by(|f| f.path).skip(2).take(3).to_vec()?.len(), 3);
    files.rename("/photos", "/images")?;
    assert_eq!(files.query::<Photo>().filter(|f| f.path.starts_with("/images/")).count()?, 5);
    Ok(())
}

#[test]
fn a_compiled_query_sees_the_moment_that_it_is_called_on() -> TestResult {
    let db = database()?;
    let large = db.compile(|q, (length,)| q.files::<Photo>().filter(|f| f.length.ge(length)).count())?;
    assert_eq!((large.call(5_000)?, large.call(5_001)?), (2, 1));
    let before = db.snapshot()?;
    db.transaction(|tx| {
        tx.files().set_len("/notes", 1_000_000)?;
        assert_eq!(large.on(tx).call(5_000)?, 3);
        Ok(())
    })?;
    assert_eq!((large.on(&before).call(5_000)?, large.call(5_000)?), (2, 3));
    Ok(())
}

#[test]
fn a_query_over_files_does_not_write() -> TestResult {
    let db = database()?;
    let files = db.files();
    let refused = files.query::<Photo>().delete().unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::InvalidQuery);
    assert_eq!(
        refused.to_string(),
        "a write by a query over files is not supported: ask for their paths, and use the calls of `files()`"
    );
    assert_eq!(
        files.query::<Photo>().update(|f| f.name.set("x")).unwrap_err().kind(),
        ErrorKind::InvalidQuery
    );
    assert_eq!(files.query::<Photo>().count()?, 7);
    Ok(())
}

#[test]
fn metadata_stays_with_its_file() -> TestResult {
    let db = database()?;
    let files = db.files();
    let sea = photo("X1", Some(5), &["sea", "summer"]);
    files.write("/photos/2025/sea.raw", "developed")?;
    files.rename("/photos/2025", "/sea")?;
    files.copy("/sea", "/copy")?;
    assert_eq!(files.meta("/sea/sea.raw")?, Some(sea.clone()));
    assert_eq!(files.meta("/copy/sea.raw")?, Some(sea));
    files.clear_meta("/sea/sea.raw")?;
    assert_eq!(files.meta::<Photo>("/sea/sea.raw")?, None);
    files.delete("/copy/sea.raw")?;
    files.write("/copy/sea.raw", "new")?;
    assert_eq!(files.meta::<Photo>("/copy/sea.raw")?, None);
    Ok(())
}

#[test]
fn metadata_of_another_type_and_what_cannot_be_stored_are_refused_with_the_path() -> TestResult {
    let db = database()?;
    let files = db.files();
    let error = files.meta::<Vec<i64>>("/photos/2025/sea.raw").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::TypeMismatch);
    assert!(error.to_string().starts_with("the metadata of `/photos/2025/sea.raw`: "), "{error}");
    let error = files.set_meta("/notes", &f64::NAN).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFinite);
    assert_eq!(files.meta::<f64>("/notes")?, None);
    assert_eq!(files.set_meta("/nowhere", &1).unwrap_err().kind(), ErrorKind::NotFound);
    Ok(())
}

/// A chain of directories that goes round has no path, and ends.
#[test]
fn entries_that_hang_below_nothing_have_no_path_and_no_query_hangs() -> TestResult {
    let db = database()?;
    stranger(&db)?.execute_batch(
        "UPDATE vellum_entry SET parent = (SELECT id FROM vellum_entry WHERE name = '2026') WHERE name = 'photos'",
    )?;
    let files = db.files();
    let known = files.query::<Photo>().filter(|f| f.path.starts_with("/")).select(|f| f.path).to_vec()?;
    assert_eq!(known, ["/notes"]);
    assert_eq!(files.query::<Photo>().count()?, 7);
    assert!(!files.check()?.is_empty());
    Ok(())
}
