//! Paths: checked once, never resolved.
//!
//! A path is the names from the root, each after a `/`; the first `/` may be left out, and `/` alone is the root. A name
//! is 1 to 255 bytes of UTF-8 without `/` and NUL, compared by bytes. `.` and `..` are no names, so that a path means
//! the same wherever it came from.

use super::error::FsError;

/// The bytes that a path may have.
pub(crate) const MAX_PATH_LEN: usize = 4_096;

/// The bytes that a name may have.
pub(crate) const MAX_NAME_LEN: usize = 255;

/// A checked path, without its first `/`; empty for the root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FsPath<'p>(&'p str);

impl<'p> FsPath<'p> {
    /// Checks a text.
    pub(crate) fn parse(text: &'p str) -> Result<Self, FsError> {
        let wrong = |what| Err(FsError::InvalidPath { path: text.into(), what });
        if text.is_empty() {
            return wrong("it is empty; the root is `/`");
        }
        if text.len() > MAX_PATH_LEN {
            return wrong("it has more than 4,096 bytes");
        }
        let inside = text.strip_prefix('/').unwrap_or(text);
        if !inside.is_empty() {
            for name in inside.split('/') {
                if let Some(what) = wrong_with(name) {
                    return wrong(what);
                }
            }
        }
        Ok(FsPath(inside))
    }

    /// Returns the names, from the root on.
    pub(crate) fn names(self) -> impl Iterator<Item = &'p str> {
        self.0.split('/').filter(|name| !name.is_empty())
    }

    /// Returns the directory and the name in it; `None` for the root.
    pub(crate) fn split(self) -> Option<(FsPath<'p>, &'p str)> {
        match self.0.rsplit_once('/') {
            Some((parent, name)) => Some((FsPath(parent), name)),
            None if self.0.is_empty() => None,
            None => Some((FsPath(""), self.0)),
        }
    }

    /// Returns whether this is the root.
    pub(crate) fn is_root(self) -> bool {
        self.0.is_empty()
    }
}

impl std::fmt::Display for FsPath<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "/{}", self.0)
    }
}

/// Returns what keeps a text from being a name.
pub(super) fn wrong_with(name: &str) -> Option<&'static str> {
    match name {
        "" => Some("a name is empty (a `/` at the end, or two in a row)"),
        "." | ".." => Some("`.` and `..` are no names, and are not resolved"),
        _ if name.len() > MAX_NAME_LEN => Some("a name has more than 255 bytes"),
        _ if name.contains('\0') => Some("a name holds NUL"),
        _ if name.contains('/') => Some("a name holds `/`"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Result<Vec<&str>, String> {
        FsPath::parse(text).map(|path| path.names().collect()).map_err(|error| error.to_string())
    }

    #[test]
    fn the_first_slash_may_be_left_out() {
        assert_eq!(names("/a/b"), Ok(vec!["a", "b"]));
        assert_eq!(names("a/b"), Ok(vec!["a", "b"]));
        assert_eq!(names("/"), Ok(vec![]));
        assert_eq!(FsPath::parse("a/b").map(|path| path.to_string()).ok().as_deref(), Some("/a/b"));
    }

    #[test]
    fn nothing_is_resolved_and_no_name_is_empty() {
        for text in ["", "//", "/a/", "/a//b", "/.", "/a/../b", "./a", "/a\0b"] {
            assert!(FsPath::parse(text).is_err(), "{text:?}");
        }
        for text in ["/...", "/.a", "/a b", "/a\nb", "/\"", "/%2e%2e", "/..a"] {
            assert!(FsPath::parse(text).is_ok(), "{text:?}");
        }
    }

    #[test]
    fn names_and_paths_have_their_limits() {
        let name = "n".repeat(MAX_NAME_LEN);
        assert!(FsPath::parse(&name).is_ok());
        assert!(FsPath::parse(&format!("{name}n")).is_err());
        let path = format!("/{}", vec![name.as_str(); 16].join("/"));
        assert_eq!(path.len(), MAX_PATH_LEN);
        assert!(FsPath::parse(&path).is_ok());
        assert!(FsPath::parse(&format!("{path}/x")).is_err());
    }

    #[test]
    fn a_path_splits_into_its_directory_and_its_name() {
        let split = |text| {
            FsPath::parse(text).ok().and_then(FsPath::split).map(|(p, n)| (p.to_string(), n.to_owned()))
        };
        assert_eq!(split("/a/b/c"), Some(("/a/b".into(), "c".into())));
        assert_eq!(split("/a"), Some(("/".into(), "a".into())));
        assert_eq!(split("/"), None);
    }
}
