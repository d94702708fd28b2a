//! Metadata of the user's own, and queries over it and over what is known of files.

use std::borrow::Cow;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::FileKind;
use crate::api::document::Document;
use crate::api::files::Files;
use crate::api::mode::{Deferred, Live};
use crate::api::plan::Description;
use crate::api::query::{Query, Root};
use crate::api::value::Value;
use crate::codec::{self, CodecError};
use crate::error::{Error, Result};
use crate::fs::{self, FsPath};
use crate::ir::catalog::FILES;

/// A file or a directory as a document, for queries: [`Files::query`]. `M` is the type of its metadata. The root is
/// none of them.
///
/// ```
/// use serde::{Deserialize, Serialize};
/// use vellum::prelude::*;
///
/// #[derive(Embed, Serialize, Deserialize)]
/// struct Photo {
///     camera: String,
///     stars: i64,
/// }
///
/// # fn main() -> vellum::Result<()> {
/// let files = Database::open_in_memory()?.files();
/// files.write("/photos/sea.raw", [0; 5_000])?;
/// files.set_meta("/photos/sea.raw", &Photo { camera: "X1".into(), stars: 5 })?;
/// let good = files.query::<Photo>().filter(|f| f.meta.stars.ge(4) & f.length.gt(1_000));
/// assert_eq!(good.select(|f| f.path).to_vec()?, ["/photos/sea.raw"]);
/// # Ok(())
/// # }
/// ```
#[derive(crate::Document, Serialize, Deserialize, Clone, Debug, PartialEq, Eq)]
#[document(crate = "crate")]
pub struct FileEntry<M> {
    /// The number of the entry, which is never given again.
    pub id: i64,
    /// The path, from the root on.
    pub path: String,
    /// The last name of the path.
    pub name: String,
    /// A file or a directory.
    pub kind: FileKind,
    /// How many bytes can be read; 0 for a directory.
    pub length: i64,
    /// When it was made, in nanoseconds since 1970.
    pub created: i64,
    /// When its bytes or its length changed last, in nanoseconds since 1970; of a directory, the names in it.
    pub modified: i64,
    /// The metadata; none where none was set.
    pub meta: Option<M>,
}

impl Files<'_> {
    /// Sets the metadata of a file or a directory, in place of what it had. Its times do not change.
    ///
    /// # Errors
    /// `NotFound`; the codec's own for what cannot be stored.
    ///
    /// ```
    /// # use vellum::Database;
    /// # fn main() -> vellum::Result<()> {
    /// let files = Database::open_in_memory()?.files();
    /// files.write("/a", "bytes")?;
    /// files.set_meta("/a", &("text/plain", 3))?;
    /// assert_eq!(files.meta::<(String, i64)>("/a")?, Some(("text/plain".to_owned(), 3)));
    /// # Ok(())
    /// # }
    /// ```
    pub fn set_meta<M: Serialize + ?Sized>(&self, path: &str, meta: &M) -> Result<()> {
        let path = FsPath::parse(path)?;
        let mut bytes = Vec::new();
        codec::encode(meta, None, &mut bytes).map_err(|source| of_meta(path, source))?;
        self.change(|editor| editor.set_meta(path, Some(&bytes)))
    }

    /// Takes the metadata of a file or a directory away.
    ///
    /// # Errors
    /// `NotFound`.
    ///
    /// ```
    /// # use vellum::Database;
    /// # fn main() -> vellum::Result<()> {
    /// let files = Database::open_in_memory()?.files();
    /// files.write("/a", "bytes")?;
    /// files.set_meta("/a", "text/plain")?;
    /// files.clear_meta("/a")?;
    /// assert_eq!(files.meta::<String>("/a")?, None);
    /// # Ok(())
    /// # }
    /// ```
    pub fn clear_meta(&self, path: &str) -> Result<()> {
        let path = FsPath::parse(path)?;
        self.change(|editor| editor.set_meta(path, None))
    }

    /// Returns the metadata of a file or a directory; none where none was set.
    ///
    /// # Errors
    /// `NotFound`; `TypeMismatch` when the type cannot hold what is stored.
    ///
    /// ```
    /// # use vellum::Database;
    /// # fn main() -> vellum::Result<()> {
    /// let files = Database::open_in_memory()?.files();
    /// files.create_dir("/photos")?;
    /// assert_eq!(files.meta::<Vec<String>>("/photos")?, None);
    /// files.set_meta("/photos", &["sea", "summer"])?;
    /// assert_eq!(files.meta::<Vec<String>>("/photos")?, Some(vec!["sea".into(), "summer".into()]));
    /// # Ok(())
    /// # }
    /// ```
    pub fn meta<M: DeserializeOwned>(&self, path: &str) -> Result<Option<M>> {
        let path = FsPath::parse(path)?;
        let bytes = self.look(|conn, _| fs::meta(conn, path))?;
        let decode = |bytes: Vec<u8>| codec::decode(&bytes, None).map_err(|source| of_meta(path, source));
        bytes.map(decode).transpose()
    }
}

impl Files<'_> {
    /// Returns a query of all files and directories but the root: over their paths, names, lengths, times and metadata,
    /// with everything that a query over documents has but writes. Paths are put together as they are asked for, and
    /// every entry is looked at: [`Files::list`] is faster for one directory.
    ///
    /// # Errors
    /// Of the query: `TypeMismatch` when `M` cannot hold the metadata of an entry that is returned.
    ///
    /// ```
    /// # use vellum::{Database, FileKind};
    /// # fn main() -> vellum::Result<()> {
    /// let files = Database::open_in_memory()?.files();
    /// for (path, bytes) in [("/logs/a", "1"), ("/logs/b", "22"), ("/notes", "333")] {
    ///     files.write(path, bytes)?;
    /// }
    /// let logs = files.query::<String>().filter(|f| f.path.starts_with("/logs/"));
    /// assert_eq!(logs.sum(|f| f.length)?, 3);
    /// assert_eq!(files.query::<String>().filter(|f| f.kind.eq(FileKind::Directory)).count()?, 1);
    /// # Ok(())
    /// # }
    /// ```
    pub fn query<M: Value>(&self) -> Query<FileEntry<M>, Live<'_>>
    where
        FileEntry<M>: Document,
    {
        Query::new(
            Description::collection::<FileEntry<M>>(Cow::Borrowed(FILES)),
            Live { session: &self.session },
        )
    }
}

impl Root {
    /// Returns the files and directories with metadata of a type, as [`Files::query`] does.
    ///
    /// ```
    /// # use vellum::Database;
    /// # fn main() -> vellum::Result<()> {
    /// let db = Database::open_in_memory()?;
    /// let longer = db.compile(|q, (length,)| q.files::<String>().filter(|f| f.length.gt(length)).count())?;
    /// db.files().write("/a", "bytes")?;
    /// assert_eq!((longer.call(4)?, longer.call(5)?), (1, 0));
    /// # Ok(())
    /// # }
    /// ```
    pub fn files<M: Value>(self) -> Query<FileEntry<M>>
    where
        FileEntry<M>: Document,
    {
        Query::new(Description::collection::<FileEntry<M>>(Cow::Borrowed(FILES)), Deferred)
    }
}

fn of_meta(path: FsPath<'_>, source: CodecError) -> Error {
    Error::Metadata { path: path.to_string(), source }
}
