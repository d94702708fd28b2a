//! Any texts as paths of files: refused, or written, read, listed, moved and deleted, each as a file of its own.

use std::collections::BTreeMap;

use vellum::{Database, ErrorKind, FileKind};

/// More paths than this make one case slow and find nothing new.
const MOST_PATHS: usize = 12;

/// Writes a file at each path, and looks at what every path then holds.
pub(crate) fn holds(paths: &[String]) -> vellum::Result<()> {
    let db = Database::open_in_memory()?;
    let files = db.files();
    let mut written: BTreeMap<String, &str> = BTreeMap::new();
    for text in paths.iter().take(MOST_PATHS) {
        let expected = expected_of(text, &written);
        match (files.write(text, text), expected) {
            (Ok(()), Ok(path)) => drop(written.insert(path, text)),
            (Err(error), Err(kind)) => {
                assert_eq!(error.kind(), kind, "{text:?}: {error}");
                assert!(files.read(text).is_err(), "{text:?}");
            }
            (found, expected) => panic!("{text:?} gave {found:?} instead of {expected:?}"),
        }
    }
    for (path, text) in &written {
        assert_eq!(files.read(path)?, text.as_bytes(), "{path:?}");
        assert_eq!(files.stat(path)?.length, text.len() as u64, "{path:?}");
    }
    let mut listed = Vec::new();
    files.list("/").recursive().for_each(|entry| {
        if entry.kind == FileKind::File {
            listed.push(entry.path);
        }
    })?;
    assert!(listed.iter().eq(written.keys()), "{listed:?} instead of {written:?}");
    assert_eq!(files.check()?, []);
    let mut names = (0..).map(|number| format!("/moved {number}"));
    let is_free = |name: &String| !written.keys().any(|path| path.starts_with(name));
    let moved = names.find(is_free).expect("a name that nobody has");
    for path in written.keys() {
        files.rename(path, &moved)?;
        assert!(!files.exists(path)?, "{path:?}");
        files.rename(&moved, path)?;
        assert!(files.delete(path)?, "{path:?}");
        assert_eq!(files.read(path).map_err(|error| error.kind()), Err(ErrorKind::NotFound), "{path:?}");
    }
    assert_eq!(files.usage("/")?.files, 0);
    Ok(())
}

/// The rules of the documentation, said once more: the path from the root, or the kind of the error.
fn expected_of(text: &str, written: &BTreeMap<String, &str>) -> Result<String, ErrorKind> {
    if text == "/" {
        return Err(ErrorKind::TypeMismatch);
    }
    let path = format!("/{}", text.strip_prefix('/').unwrap_or(text));
    let is_name =
        |name: &str| (1..=255).contains(&name.len()) && !name.contains('\0') && name != "." && name != "..";
    if text.len() > 4_096 || !path[1..].split('/').all(is_name) {
        return Err(ErrorKind::InvalidQuery);
    }
    let inside = format!("{path}/");
    let is_directory = written.keys().any(|other| other.starts_with(&inside));
    let is_below_file = written.keys().any(|other| path.starts_with(&format!("{other}/")));
    if is_directory || is_below_file { Err(ErrorKind::TypeMismatch) } else { Ok(path) }
}
