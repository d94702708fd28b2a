//! What is in a directory: pages in any order, trees, sums.

use super::entry::{self, COLUMN_COUNT, Entry, Kind, ROOT, columns};
use super::error::FsError;
use super::path::FsPath;
use crate::store::{Bind, Conn};

/// What a listing is sorted by; equal ones by their paths.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Sort {
    #[default]
    Path,
    Length,
    Created,
    Modified,
}

impl Sort {
    fn column(self) -> &'static str {
        match self {
            Sort::Path => "path",
            Sort::Length => "length",
            Sort::Created => "created",
            Sort::Modified => "modified",
        }
    }
}

/// Where a page begins: behind an entry with this value of the order and this path inside the directory.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct After {
    pub(crate) value: i64,
    pub(crate) path: String,
}

/// What is asked of a directory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Listing {
    pub(crate) recursive: bool,
    pub(crate) sort: Sort,
    pub(crate) descending: bool,
    pub(crate) after: Option<After>,
}

/// Hands each entry in a directory to `each`, by its path inside the directory, until it says that it has enough.
pub(crate) fn list(
    conn: &Conn,
    path: FsPath<'_>,
    listing: &Listing,
    each: &mut dyn FnMut(Entry, &str) -> Result<bool, FsError>,
) -> Result<(), FsError> {
    let directory = entry::get(conn, path)?.directory(path)?;
    let sql = sql(listing);
    let mut stmt = conn.prepare(&sql)?;
    stmt.bind(1, Bind::Int(directory.id))?;
    if let Some(after) = &listing.after {
        stmt.bind(2, Bind::Text(&after.path))?;
        if listing.sort != Sort::Path {
            stmt.bind(3, Bind::Int(after.value))?;
        }
    }
    while let Some(row) = stmt.step()? {
        if !each(Entry::read(&row, 0)?, entry::name(&row, COLUMN_COUNT)?)? {
            break;
        }
    }
    Ok(())
}

/// Returns the statement of a listing: a few dozen different ones.
fn sql(listing: &Listing) -> String {
    let columns = columns!();
    let (direction, beyond) = if listing.descending { ("DESC", "<") } else { ("ASC", ">") };
    let column = listing.sort.column();
    let (after, order) = match (listing.sort, &listing.after) {
        (Sort::Path, None) => (String::new(), format!("path {direction}")),
        (Sort::Path, Some(_)) => (format!("path {beyond} ?2"), format!("path {direction}")),
        (_, None) => (String::new(), format!("{column} {direction}, path {direction}")),
        (_, Some(_)) => {
            (format!("({column}, path) {beyond} (?3, ?2)"), format!("{column} {direction}, path {direction}"))
        }
    };
    if listing.recursive {
        let after = if after.is_empty() { after } else { format!("WHERE {after}") };
        return format!(
            "WITH RECURSIVE tree AS (
               SELECT {columns}, name AS path FROM vellum_entry WHERE parent = ?1
               UNION ALL
               SELECT {of_child}, tree.path || '/' || child.name FROM tree CROSS JOIN vellum_entry child
               WHERE tree.kind = 0 AND child.parent = tree.id AND child.id <> {ROOT})
             SELECT {columns}, path FROM tree {after} ORDER BY {order}",
            of_child = columns.split(", ").map(|name| format!("child.{name}")).collect::<Vec<_>>().join(", ")
        );
    }
    // The index of names serves the order and where the page begins.
    let named = |text: &str| text.replace("path", "name");
    let after = if after.is_empty() { after } else { format!("AND {}", named(&after)) };
    format!("SELECT {columns}, name FROM vellum_entry WHERE parent = ?1 {after} ORDER BY {}", named(&order))
}

/// What a tree holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Usage {
    pub(crate) files: u64,
    pub(crate) directories: u64,
    pub(crate) len: u64,
    pub(crate) allocated: u64,
}

/// Returns what a file or a directory and all that is inside hold.
pub(crate) fn usage(conn: &Conn, path: FsPath<'_>) -> Result<Usage, FsError> {
    const SQL: &str = concat!(
        "WITH RECURSIVE tree(inside) AS (
           SELECT ?1
           UNION ALL
           SELECT child.id FROM tree CROSS JOIN vellum_entry child WHERE child.parent = tree.inside AND child.id <> 1)
         SELECT ",
        columns!(),
        " FROM tree CROSS JOIN vellum_entry ON id = inside"
    );
    let root = entry::get(conn, path)?;
    let mut usage = Usage::default();
    let mut stmt = conn.prepare(SQL)?;
    stmt.bind(1, Bind::Int(root.id))?;
    while let Some(row) = stmt.step()? {
        let entry = Entry::read(&row, 0)?;
        match entry.kind {
            Kind::File => usage.files += 1,
            // The directory itself is not inside.
            Kind::Directory => usage.directories += u64::from(entry.id != root.id),
        }
        // Not by SQLite: the lengths of sparse files can be more than its integers hold.
        usage.len = usage.len.saturating_add(entry.len);
        usage.allocated = usage.allocated.saturating_add(entry.allocated);
    }
    Ok(usage)
}
