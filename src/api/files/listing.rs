//! `Listing`: what a directory holds, sorted, filtered, paged.

use glob::{MatchOptions, Pattern};

use crate::api::files::Files;
use crate::api::files::entry::{DirEntry, nanoseconds};
use crate::error::Result;
use crate::fs::{self, After, FsError, FsPath, Sort};

/// `*` and `?` stop at a `/`, `**` does not; a leading dot is nothing special.
const GLOB: MatchOptions = MatchOptions {
    case_sensitive: true,
    require_literal_separator: true,
    require_literal_leading_dot: false,
};

/// What a listing is sorted by. Entries that are equal in it are sorted by their paths.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum FileOrder {
    /// By the bytes of the path inside the directory.
    #[default]
    Path,
    /// By the length; directories have none.
    Length,
    /// By the time when it was made.
    Created,
    /// By the time of the last change.
    Modified,
}

impl From<FileOrder> for Sort {
    fn from(order: FileOrder) -> Self {
        match order {
            FileOrder::Path => Sort::Path,
            FileOrder::Length => Sort::Length,
            FileOrder::Created => Sort::Created,
            FileOrder::Modified => Sort::Modified,
        }
    }
}

/// What a directory holds: built by [`Files::list`], run by [`Listing::to_vec`], [`Listing::for_each`] or
/// [`Listing::count`].
///
/// ```
/// # use vellum::{Database, FileOrder};
/// # fn main() -> vellum::Result<()> {
/// let files = Database::open_in_memory()?.files();
/// for (path, bytes) in [("/logs/a", "1"), ("/logs/b", "333"), ("/logs/c", "22")] {
///     files.write(path, bytes)?;
/// }
/// let longest = files.list("/logs").order_by(FileOrder::Length).descending();
/// let first = longest.clone().limit(2).to_vec()?;
/// let second = longest.after(&first[1]).limit(2).to_vec()?;
/// let paths = |page: &[vellum::DirEntry]| page.iter().map(|entry| entry.path.clone()).collect::<Vec<_>>();
/// assert_eq!((paths(&first), paths(&second)), (vec!["/logs/b".into(), "/logs/c".into()], vec!["/logs/a".into()]));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
#[must_use = "a listing does nothing until it is run"]
pub struct Listing<'s> {
    files: Files<'s>,
    path: String,
    recursive: bool,
    pattern: Option<String>,
    order: FileOrder,
    descending: bool,
    after: Option<DirEntry>,
    limit: u64,
}

impl<'s> Listing<'s> {
    pub(super) fn new(files: Files<'s>, path: &str) -> Self {
        Listing {
            files,
            path: path.to_owned(),
            recursive: false,
            pattern: None,
            order: FileOrder::default(),
            descending: false,
            after: None,
            limit: u64::MAX,
        }
    }

    /// Takes in what the directories inside hold, at any depth.
    ///
    /// ```
    /// # use vellum::Database;
    /// # fn main() -> vellum::Result<()> {
    /// let files = Database::open_in_memory()?.files();
    /// files.write("/a/b/c", "")?;
    /// assert_eq!((files.list("/").count()?, files.list("/").recursive().count()?), (1, 3));
    /// # Ok(())
    /// # }
    /// ```
    pub fn recursive(mut self) -> Self {
        self.recursive = true;
        self
    }

    /// Keeps the entries whose path inside the directory matches: `*` is any text without `/`, `**` any number of
    /// directories, `?` one character, `[a-z]` one of a range. Case counts.
    ///
    /// ```
    /// # use vellum::Database;
    /// # fn main() -> vellum::Result<()> {
    /// let files = Database::open_in_memory()?.files();
    /// files.write("/a/1.png", "")?;
    /// files.write("/a/b/2.png", "")?;
    /// assert_eq!(files.list("/a").recursive().glob("*.png").count()?, 1);
    /// assert_eq!(files.list("/a").recursive().glob("**/*.png").count()?, 2);
    /// # Ok(())
    /// # }
    /// ```
    pub fn glob(mut self, pattern: &str) -> Self {
        self.pattern = Some(pattern.to_owned());
        self
    }

    /// Chooses what comes first.
    ///
    /// ```
    /// # use vellum::{Database, FileOrder};
    /// # fn main() -> vellum::Result<()> {
    /// let files = Database::open_in_memory()?.files();
    /// files.write("/long", "12345")?;
    /// files.write("/short", "1")?;
    /// let shortest = files.list("/").order_by(FileOrder::Length).limit(1).to_vec()?;
    /// assert_eq!(shortest[0].path, "/short");
    /// # Ok(())
    /// # }
    /// ```
    pub fn order_by(mut self, order: FileOrder) -> Self {
        self.order = order;
        self
    }

    /// Turns the order round.
    ///
    /// ```
    /// # use vellum::Database;
    /// # fn main() -> vellum::Result<()> {
    /// let files = Database::open_in_memory()?.files();
    /// files.write("/a", "")?;
    /// files.write("/b", "")?;
    /// assert_eq!(files.list("/").descending().to_vec()?[0].path, "/b");
    /// # Ok(())
    /// # }
    /// ```
    pub fn descending(mut self) -> Self {
        self.descending = true;
        self
    }

    /// Begins behind an entry of the page before, which need not be there any more: the next page costs as much as the
    /// first.
    ///
    /// ```
    /// # use vellum::Database;
    /// # fn main() -> vellum::Result<()> {
    /// let files = Database::open_in_memory()?.files();
    /// for path in ["/a", "/b", "/c"] {
    ///     files.write(path, "")?;
    /// }
    /// let page = files.list("/").limit(2).to_vec()?;
    /// assert_eq!(files.list("/").after(&page[1]).to_vec()?[0].path, "/c");
    /// # Ok(())
    /// # }
    /// ```
    pub fn after(mut self, entry: &DirEntry) -> Self {
        self.after = Some(entry.clone());
        self
    }

    /// Ends after so many entries.
    ///
    /// ```
    /// # use vellum::Database;
    /// # fn main() -> vellum::Result<()> {
    /// let files = Database::open_in_memory()?.files();
    /// for path in ["/a", "/b", "/c"] {
    ///     files.write(path, "")?;
    /// }
    /// assert_eq!(files.list("/").limit(2).to_vec()?.len(), 2);
    /// # Ok(())
    /// # }
    /// ```
    pub fn limit(mut self, limit: u64) -> Self {
        self.limit = limit;
        self
    }

    /// Returns the entries.
    ///
    /// # Errors
    /// `NotFound`; `TypeMismatch` for a file; `InvalidQuery` for what is no path or no pattern.
    ///
    /// ```
    /// # use vellum::Database;
    /// # fn main() -> vellum::Result<()> {
    /// let files = Database::open_in_memory()?.files();
    /// files.write("/a", "")?;
    /// assert_eq!(files.list("/").to_vec()?.len(), 1);
    /// assert!(files.list("/nowhere").to_vec().is_err());
    /// # Ok(())
    /// # }
    /// ```
    pub fn to_vec(&self) -> Result<Vec<DirEntry>> {
        let mut entries = Vec::new();
        self.for_each(|entry| entries.push(entry))?;
        Ok(entries)
    }

    /// Hands each entry to `f`, in order, without keeping them.
    ///
    /// # Errors
    /// As [`Listing::to_vec`].
    ///
    /// ```
    /// # use vellum::Database;
    /// # fn main() -> vellum::Result<()> {
    /// let files = Database::open_in_memory()?.files();
    /// files.write("/a", "123")?;
    /// let mut length = 0;
    /// files.list("/").for_each(|entry| length += entry.length)?;
    /// assert_eq!(length, 3);
    /// # Ok(())
    /// # }
    /// ```
    pub fn for_each(&self, mut f: impl FnMut(DirEntry)) -> Result<()> {
        let path = FsPath::parse(&self.path)?;
        let prefix = if path.is_root() { "/".to_owned() } else { format!("{path}/") };
        self.run(path, &prefix, &mut |entry, inside| f(DirEntry::new(entry, format!("{prefix}{inside}"))))
    }

    /// Returns how many entries there are.
    ///
    /// # Errors
    /// As [`Listing::to_vec`].
    ///
    /// ```
    /// # use vellum::Database;
    /// # fn main() -> vellum::Result<()> {
    /// let files = Database::open_in_memory()?.files();
    /// files.write("/a/b", "")?;
    /// assert_eq!(files.list("/a").count()?, 1);
    /// # Ok(())
    /// # }
    /// ```
    pub fn count(&self) -> Result<u64> {
        let path = FsPath::parse(&self.path)?;
        let prefix = if path.is_root() { "/".to_owned() } else { format!("{path}/") };
        let mut count = 0;
        self.run(path, &prefix, &mut |_, _| count += 1)?;
        Ok(count)
    }

    fn run(&self, path: FsPath<'_>, prefix: &str, f: &mut dyn FnMut(&fs::Entry, &str)) -> Result<()> {
        let pattern = self.pattern.as_deref().map(compile).transpose()?;
        let after = self.after.as_ref().map(|entry| self.after_of(entry, prefix)).transpose()?;
        let listing = fs::Listing {
            recursive: self.recursive,
            sort: self.order.into(),
            descending: self.descending,
            after,
        };
        let mut left = self.limit;
        self.files.look(|conn, _| {
            if left == 0 {
                return Ok(());
            }
            fs::list(conn, path, &listing, &mut |entry, inside| {
                if pattern.as_ref().is_none_or(|pattern| pattern.matches_with(inside, GLOB)) {
                    f(&entry, inside);
                    left -= 1;
                }
                Ok(left > 0)
            })
        })
    }

    fn after_of(&self, entry: &DirEntry, prefix: &str) -> Result<After> {
        let outside = || FsError::InvalidPath {
            path: entry.path.as_str().into(),
            what: "a page begins behind an entry of the same directory",
        };
        let path = entry.path.strip_prefix(prefix).ok_or_else(outside)?.to_owned();
        let value = match self.order {
            FileOrder::Path => 0,
            FileOrder::Length => i64::try_from(entry.length).unwrap_or(i64::MAX),
            FileOrder::Created => nanoseconds(entry.created),
            FileOrder::Modified => nanoseconds(entry.modified),
        };
        Ok(After { value, path })
    }
}

fn compile(pattern: &str) -> Result<Pattern, FsError> {
    Pattern::new(pattern)
        .map_err(|error| FsError::InvalidPattern { pattern: pattern.into(), what: error.msg.into() })
}
