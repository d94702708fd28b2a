//! Whether a database and the model hold the same.

use std::fmt::Debug;

use vellum::{FileKind, Files};

use crate::model::{Answer, Model, Node};
use crate::support::TestResult;

/// Compares what a call gave with what the model gives: the value, or the kind of the error.
pub(crate) fn same<T: Debug + PartialEq>(
    what: &str,
    found: vellum::Result<T>,
    expected: &Answer<T>,
) -> TestResult {
    let text = found.as_ref().err().map(ToString::to_string);
    let found = found.map_err(|error| error.kind());
    if found == *expected {
        return Ok(());
    }
    Err(format!("{what} gave {found:.200?} ({text:?}) instead of {expected:.200?}").into())
}

/// Compares every name and every byte.
pub(crate) fn all(files: &Files<'_>, model: &Model) -> TestResult {
    let problems = files.check()?;
    if !problems.is_empty() {
        return Err(format!("check found {problems:?}").into());
    }
    let mut listed = Vec::new();
    files.list("/").recursive().for_each(|entry| listed.push((entry.path, entry.kind, entry.length)))?;
    let expected: Vec<_> = model.nodes.iter().map(|(path, node)| row(path, node)).collect();
    if listed != expected {
        return Err(format!("the names are {listed:?} instead of {expected:?}").into());
    }
    for (path, node) in &model.nodes {
        let Node::File(content) = node else { continue };
        let bytes = files.read(path)?;
        if bytes != *content.bytes {
            let at = bytes.iter().zip(content.bytes.iter()).position(|(found, expected)| found != expected);
            return Err(format!(
                "{path:?} has {} bytes instead of {}, and differs at {at:?}",
                bytes.len(),
                content.bytes.len()
            )
            .into());
        }
    }
    Ok(())
}

/// Returns what a listing says of a node, without its times.
pub(crate) fn row(path: &str, node: &Node) -> (String, FileKind, u64) {
    match node {
        Node::Directory => (path.to_owned(), FileKind::Directory, 0),
        Node::File(content) => (path.to_owned(), FileKind::File, content.bytes.len() as u64),
    }
}
