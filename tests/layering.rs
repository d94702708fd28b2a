//! The import table of the layers, held over `src/`: which folder may name which.
//!
//! The table is that of `docs/design.md`. `src/lib.rs`, `src/error.rs` and `src/api` may name everything.

use std::error::Error;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Each layer and what it may name besides itself.
const LAYERS: [(&str, &[&str]); 5] =
    [("compile", &["ir"]), ("codec", &["ir"]), ("ir", &[]), ("fs", &["store"]), ("store", &[])];

/// A path that leads out of its layer.
#[derive(Debug, PartialEq)]
struct Import {
    line: usize,
    module: String,
}

#[test]
fn every_layer_names_only_what_stands_below_it() -> Result<(), Box<dyn Error>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut wrong = Vec::new();
    for (layer, below) in LAYERS {
        for file in rust_files(&root.join(layer))? {
            let shown = file.strip_prefix(&root)?.display().to_string();
            let text = fs::read_to_string(&file)?;
            for import in imports(&text, depth(file.strip_prefix(&root)?)) {
                if import.module != layer && !below.contains(&import.module.as_str()) {
                    wrong.push(format!("src/{shown}:{}: {layer} names {}", import.line, import.module));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
    Ok(())
}

#[test]
fn only_the_store_names_rusqlite() -> Result<(), Box<dyn Error>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut wrong = Vec::new();
    for file in rust_files(&root)? {
        let inside = file.strip_prefix(&root)?;
        // Tests of other layers ask SQLite itself what it makes of bytes, paths and texts.
        let is_test =
            inside.components().any(|part| Path::new(part.as_os_str()).file_stem() == Some("tests".as_ref()));
        if inside.starts_with("store") || is_test {
            continue;
        }
        let text = without_comments(&fs::read_to_string(&file)?);
        let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or(&text);
        let lines = text.lines().enumerate().filter(|(_, line)| line.contains("rusqlite"));
        wrong.extend(lines.map(|(at, _)| format!("src/{}:{}", inside.display(), at + 1)));
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
    Ok(())
}

#[test]
fn no_way_of_naming_a_module_is_overlooked() {
    let text = "\
use crate::store::Engine;
// use crate::api::Database;
use crate::{
    codec::{self, error::CodecError},
    ir, // a comment
};
fn f() -> crate::Result<()> { mycrate::g() }
use super::super::api;
";
    let import = |line, module: &str| Import { line, module: module.to_owned() };
    let expected = [
        import(1, "store"),
        import(3, "codec"),
        import(3, "ir"),
        import(7, "Result"),
        import(8, "super::super"),
    ];
    assert_eq!(imports(text, 2), expected);
    assert_eq!(imports("use super::super::api;", 3), []);
}

#[test]
fn the_depth_of_a_file_is_that_of_its_module() {
    for (path, expected) in [("ir/mod.rs", 1), ("ir/path.rs", 2), ("ir/sql/mod.rs", 2), ("ir/sql/expr.rs", 3)]
    {
        assert_eq!(depth(Path::new(path)), expected, "{path}");
    }
}

/// Returns the modules of the crate's root that a text names. `depth` says how many `super` lead to the root.
fn imports(text: &str, depth: usize) -> Vec<Import> {
    let text = without_comments(text);
    let mut found = Vec::new();
    for (at, before, after) in places(&text, "crate::") {
        if before.ends_with(is_word) {
            continue;
        }
        found.extend(modules(after).into_iter().map(|module| (at, module)));
    }
    let chain = "super::".repeat(depth);
    found.extend(places(&text, &chain).map(|(at, _, _)| (at, chain.trim_end_matches(':').to_owned())));
    found.sort_by_key(|(at, _)| *at);
    let line = |at: usize| text.bytes().take(at).filter(|byte| *byte == b'\n').count() + 1;
    found.into_iter().map(|(at, module)| Import { line: line(at), module }).collect()
}

/// Returns each place of `what`, with the text before and behind it.
fn places<'t>(text: &'t str, what: &str) -> impl Iterator<Item = (usize, &'t str, &'t str)> {
    text.match_indices(what).filter_map(move |(at, found)| {
        let (before, rest) = text.split_at_checked(at)?;
        Some((at, before, rest.strip_prefix(found)?))
    })
}

/// Returns the first segments of what follows `crate::`: one, or those of a group.
fn modules(after: &str) -> Vec<String> {
    let Some(group) = after.strip_prefix('{') else { return vec![word(after)] };
    let mut depth = 1;
    let (mut found, mut item) = (Vec::new(), String::new());
    for c in group.chars() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 1 => found.push(word(&std::mem::take(&mut item))),
            _ => item.push(c),
        }
        if depth == 0 {
            break;
        }
    }
    found.push(word(&item));
    found.retain(|module| !module.is_empty());
    found
}

fn word(text: &str) -> String {
    text.trim_start().chars().take_while(|c| is_word(*c)).collect()
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Returns the text with its comments cut off and its lines where they were.
fn without_comments(text: &str) -> String {
    let code = text.lines().map(|line| line.split("//").next().unwrap_or(line));
    code.collect::<Vec<_>>().join("\n")
}

/// Returns how deep in the crate the module of a file is.
fn depth(file: &Path) -> usize {
    file.components().count() - usize::from(file.ends_with("mod.rs"))
}

fn rust_files(dir: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(dir)? {
        let path = entry?.path();
        if path.is_dir() {
            files.extend(rust_files(&path)?);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}
