//! Whether the tables of the file system agree with one another.

use super::entry::{self, Entry, ROOT};
use super::error::FsError;
use super::hash;
use super::layout::Layout;
use super::path;
use crate::store::{Bind, Cell, Conn};

/// Something that is not as it should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Problem {
    /// The path of the entry, or what stands for it where it has none.
    pub(crate) place: String,
    pub(crate) what: String,
}

/// Returns what is wrong, inside one moment of the caller's; nothing in a sound database.
pub(crate) fn check(conn: &Conn, layout: Layout) -> Result<Vec<Problem>, FsError> {
    let mut problems = Vec::new();
    names(conn, &mut problems)?;
    entries(conn, &mut problems)?;
    chunks(conn, layout, &mut problems)?;
    seals(conn, layout, &mut problems)?;
    Ok(problems)
}

/// The root is there, every other entry hangs below it, and every name is one.
fn names(conn: &Conn, problems: &mut Vec<Problem>) -> Result<(), FsError> {
    const LOST: &str = "WITH RECURSIVE tree(id) AS (
           SELECT ?1 UNION SELECT child.id FROM tree CROSS JOIN vellum_entry child
           WHERE child.parent = tree.id AND child.id <> ?1
             AND EXISTS (SELECT 1 FROM vellum_entry d WHERE d.id = tree.id AND d.kind = 0))
         SELECT id FROM vellum_entry WHERE id NOT IN tree";
    const ROOTS: &str = "SELECT 1 FROM vellum_entry WHERE id = ?1 AND parent = 0 AND name = '' AND kind = 0";
    // As bytes: what is stored is perhaps not UTF-8.
    const NAMES: &str = "SELECT id, CASE typeof(name) WHEN 'text' THEN CAST(name AS BLOB) END
        FROM vellum_entry WHERE id <> ?1";
    if conn.first(ROOTS, &[Bind::Int(ROOT)], |_| Ok(()))?.is_none() {
        problems.push(Problem { place: "/".into(), what: "the root is no directory".into() });
    }
    rows(conn, LOST, &[Bind::Int(ROOT)], problems, |id, _| {
        Ok(Some((format!("entry {id}"), "it hangs below no directory".into())))
    })?;
    rows(conn, NAMES, &[Bind::Int(ROOT)], problems, |id, name| {
        let wrong = match name {
            Cell::Blob(name) => str::from_utf8(name).map_or(Some("its name is not UTF-8"), path::wrong_with),
            _ => Some("its name is no text"),
        };
        Ok(wrong.map(|what| (format!("entry {id}"), what.to_owned())))
    })
}

/// What an entry says of itself can be.
fn entries(conn: &Conn, problems: &mut Vec<Problem>) -> Result<(), FsError> {
    const ODD: &[(&str, &str)] = &[
        ("kind NOT IN (0, 1)", "it is neither a file nor a directory"),
        ("kind = 0 AND (content IS NOT NULL OR length <> 0)", "it is a directory with bytes"),
        ("length < 0 OR length > 8 << 40", "it has a length that no file has"),
        (
            "typeof(content) NOT IN ('integer', 'null') OR (typeof(parent), typeof(kind), typeof(length), typeof(allocated),
               typeof(version), typeof(created), typeof(modified))
               <> ('integer', 'integer', 'integer', 'integer', 'integer', 'integer', 'integer')",
            "it lacks a number",
        ),
        (
            "id <> 1 AND id >= (SELECT value FROM vellum_meta WHERE key = 'next_content')",
            "its number has not been given",
        ),
        (
            "content >= (SELECT value FROM vellum_meta WHERE key = 'next_content')",
            "the number of its content has not been given",
        ),
        (
            "content IN (SELECT content FROM vellum_entry WHERE content IS NOT NULL GROUP BY content HAVING count(*) > 1)",
            "another file has the same content",
        ),
        (
            "allocated <> (SELECT coalesce(sum(length(data)), 0) FROM vellum_chunk
               WHERE k BETWEEN content << 31 AND (content << 31) + 2147483647)",
            "it holds more or less than it says",
        ),
        ("content IN (SELECT content FROM vellum_staged)", "its content is staged, too"),
        ("meta IS NOT NULL AND NOT json_valid(meta, 8)", "its metadata is malformed"),
    ];
    for (condition, what) in ODD {
        let sql = format!("SELECT id, NULL FROM vellum_entry WHERE {condition}");
        rows(conn, &sql, &[], problems, |id, _| Ok(Some((entry::path_of(conn, id)?, (*what).into()))))?;
    }
    Ok(())
}

/// Every chunk belongs to a file or to what is staged, has a length that it can have, and ends with its file.
fn chunks(conn: &Conn, layout: Layout, problems: &mut Vec<Problem>) -> Result<(), FsError> {
    const NOBODYS: &str = "SELECT DISTINCT k >> 31, NULL FROM vellum_chunk
        WHERE k >> 31 NOT IN (SELECT content FROM vellum_entry WHERE content IS NOT NULL)
          AND k >> 31 NOT IN (SELECT content FROM vellum_staged)";
    const ODD: &str = "SELECT k, NULL FROM vellum_chunk
        WHERE typeof(data) <> 'blob' OR length(data) NOT BETWEEN 1 AND ?1";
    const BEYOND: &str = "SELECT e.id, NULL FROM vellum_entry e WHERE e.content IS NOT NULL AND EXISTS (
        SELECT 1 FROM vellum_chunk c
        WHERE c.k BETWEEN (e.content << 31) + e.length / ?1 AND (e.content << 31) + 2147483647
          AND (c.k & 2147483647) * ?1 + length(c.data) > e.length)";
    let chunk_len = [Bind::Int(i64::try_from(layout.chunk_len).unwrap_or(i64::MAX))];
    rows(conn, NOBODYS, &[], problems, |content, _| {
        Ok(Some((format!("content {content}"), "it belongs to no file".into())))
    })?;
    rows(conn, ODD, &chunk_len, problems, |key, _| {
        Ok(Some((format!("chunk {key}"), "it has a length that no chunk has".into())))
    })?;
    rows(conn, BEYOND, &chunk_len, problems, |id, _| {
        Ok(Some((entry::path_of(conn, id)?, "bytes are stored past its end".into())))
    })
}

/// Every file that was sealed has the bytes that it had then.
fn seals(conn: &Conn, layout: Layout, problems: &mut Vec<Problem>) -> Result<(), FsError> {
    const SEALED: &str = "SELECT id, NULL FROM vellum_entry WHERE hash IS NOT NULL AND kind = 1";
    let mut sealed = Vec::new();
    rows(conn, SEALED, &[], problems, |id, _| {
        sealed.push(id);
        Ok(None)
    })?;
    for id in sealed {
        let is_sealed = |entry: Entry| Ok(entry.hash == Some(hash::of_file(conn, layout, &entry)?));
        match entry::by_id(conn, id).and_then(|entry| entry.map_or(Ok(true), is_sealed)) {
            Ok(false) => {
                problems.push(Problem { place: entry::path_of(conn, id)?, what: hash::BROKEN.into() })
            }
            // What is wrong with such an entry, or with its chunks, has been said.
            Ok(true) | Err(FsError::Damaged { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Reads rows of an integer and something else, and keeps what `problem` makes of them.
fn rows(
    conn: &Conn,
    sql: &str,
    binds: &[Bind<'_>],
    problems: &mut Vec<Problem>,
    mut problem: impl FnMut(i64, Cell<'_>) -> Result<Option<(String, String)>, FsError>,
) -> Result<(), FsError> {
    let mut stmt = conn.prepare(sql)?;
    for (i, bind) in binds.iter().enumerate() {
        stmt.bind(i + 1, *bind)?;
    }
    while let Some(row) = stmt.step()? {
        if let Some((place, what)) = problem(row.int(0)?, row.cell(1)?)? {
            problems.push(Problem { place, what });
        }
    }
    Ok(())
}
