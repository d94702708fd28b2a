//! Field paths, and the one function that prints a JSON path (rule 18).
//!
//! A path is a list of segments below the document's root. A key is any text: `a.b` as one key and `a` then `b`
//! as two are different paths. Nothing else in the crate may turn a key into SQL text.

use std::borrow::Cow;
use std::fmt::{self, Write as _};

use smallvec::SmallVec;

/// One step of a path.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Segment {
    /// The value of an object under a key.
    Key(Cow<'static, str>),
    /// The element of an array at a zero-based position.
    Index(u64),
}

/// The steps from a document's root to a value. The empty path is the document itself.
///
/// ```
/// use vellum::FieldPath;
///
/// let path = FieldPath::root().key("lines").index(0).key("a.b");
/// assert_eq!(path.segments().len(), 3);
/// assert_eq!(path.json_path(), r#"$."lines"[0]."a.b""#);
/// assert_eq!(FieldPath::from_json(&path.to_json()), Some(path));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FieldPath(SmallVec<[Segment; 2]>);

impl FieldPath {
    /// Returns the path of the document itself.
    pub fn root() -> Self {
        Self::default()
    }

    /// Returns this path followed by a key.
    #[must_use]
    pub fn key(mut self, key: impl Into<Cow<'static, str>>) -> Self {
        self.0.push(Segment::Key(key.into()));
        self
    }

    /// Returns this path followed by an array position.
    #[must_use]
    pub fn index(mut self, index: u64) -> Self {
        self.0.push(Segment::Index(index));
        self
    }

    /// Returns this path followed by a step.
    #[must_use]
    pub(crate) fn then(mut self, segment: Segment) -> Self {
        self.0.push(segment);
        self
    }

    /// Returns the path of what is around the value; the document is in nothing but itself.
    pub(crate) fn parent(&self) -> Self {
        let around = self.0.split_last().map_or(&[][..], |(_, around)| around);
        Self(around.iter().cloned().collect())
    }

    /// Returns the steps in order.
    pub fn segments(&self) -> &[Segment] {
        &self.0
    }

    /// Returns whether this is the path of the document itself.
    pub fn is_root(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns whether this is `other` or lies inside it.
    pub(crate) fn is_below(&self, other: &FieldPath) -> bool {
        self.segments().starts_with(other.segments())
    }

    /// Returns SQLite's JSON path: `$`, then `."key"` or `[n]` for each segment.
    ///
    /// Every key is printed as a JSON string, always quoted and always escaped, so that dots, brackets, quotes,
    /// control characters and the empty key name just themselves.
    pub fn json_path(&self) -> String {
        let mut out = String::from("$");
        for segment in &self.0 {
            match segment {
                Segment::Key(key) => push_key_step(&mut out, key),
                Segment::Index(index) => {
                    // Writing into a String cannot fail.
                    let _ = write!(out, "[{index}]");
                }
            }
        }
        out
    }

    /// Returns what [`json_path`](Self::json_path) has for a key, to stand behind the path of an object.
    pub(crate) fn key_step(key: &str) -> String {
        let mut out = String::new();
        push_key_step(&mut out, key);
        out
    }

    /// Returns the segments as a JSON array, the form that the catalog keeps.
    pub fn to_json(&self) -> String {
        let mut out = String::from("[");
        for (i, segment) in self.0.iter().enumerate() {
            if i > 0 {
                out.push(',');
            }
            match segment {
                Segment::Key(key) => push_json_string(&mut out, key),
                Segment::Index(index) => {
                    let _ = write!(out, "{index}");
                }
            }
        }
        out.push(']');
        out
    }

    /// Returns the path that [`FieldPath::to_json`] printed, or `None` when the text is not one.
    pub fn from_json(text: &str) -> Option<Self> {
        let serde_json::Value::Array(items) = serde_json::from_str(text).ok()? else { return None };
        let mut path = Self::root();
        for item in items {
            path = match item {
                serde_json::Value::String(key) => path.key(key),
                other => path.index(other.as_u64()?),
            };
        }
        Some(path)
    }
}

impl FromIterator<Segment> for FieldPath {
    fn from_iter<I: IntoIterator<Item = Segment>>(segments: I) -> Self {
        Self(segments.into_iter().collect())
    }
}

/// Prints the path for a person: `address.city`, `tags[3]`, and `["a.b"]` for a key that would read otherwise.
impl fmt::Display for FieldPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, segment) in self.0.iter().enumerate() {
            match segment {
                Segment::Key(key) if is_plain(key) => {
                    if i > 0 {
                        f.write_char('.')?;
                    }
                    f.write_str(key)?;
                }
                Segment::Key(key) => {
                    let mut quoted = String::new();
                    push_json_string(&mut quoted, key);
                    write!(f, "[{quoted}]")?;
                }
                Segment::Index(index) => write!(f, "[{index}]")?,
            }
        }
        Ok(())
    }
}

fn is_plain(key: &str) -> bool {
    !key.is_empty() && key.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '?' | '$'))
}

fn push_key_step(out: &mut String, key: &str) {
    out.push('.');
    push_json_string(out, key);
}

/// Appends `text` as a JSON string (RFC 8259, section 7).
fn push_json_string(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            c if (c as u32) < 0x20 || c as u32 == 0x7f => {
                let _ = write!(out, "\\u{:04x}", c as u32);
            }
            c => out.push(c),
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dotted_key_and_two_keys_differ() {
        assert_eq!(FieldPath::root().key("a.b").json_path(), r#"$."a.b""#);
        assert_eq!(FieldPath::root().key("a").key("b").json_path(), r#"$."a"."b""#);
        assert_eq!(FieldPath::root().key("r").index(3).json_path(), r#"$."r"[3]"#);
        assert_eq!(FieldPath::root().json_path(), "$");
    }

    #[test]
    fn every_key_reaches_its_own_value_in_sqlite() -> rusqlite::Result<()> {
        let conn = rusqlite::Connection::open_in_memory()?;
        let mut keys: Vec<String> = (0u8..128).map(|b| char::from(b).to_string()).collect();
        keys.extend(
            ["", "a.b", "q\"t", "a\\b", "r[0]", "$x", "\u{e9}", "') or 1=1 --", "\u{1f600}", "a\0b"]
                .map(String::from),
        );
        for key in keys {
            let doc = serde_json::json!({ key.clone(): 7, "other": 1 }).to_string();
            let path = FieldPath::root().key(key.clone()).json_path();
            let got: Option<i64> =
                conn.query_row("SELECT jsonb_extract(jsonb(?1), ?2)", [&doc, &path], |row| row.get(0))?;
            assert_eq!(got, Some(7), "{key:?} by {path}");
        }
        Ok(())
    }

    #[test]
    fn the_catalog_form_round_trips() {
        let path = FieldPath::root().key("a\"b").index(2).key("");
        assert_eq!(FieldPath::from_json(&path.to_json()), Some(path));
        assert_eq!(FieldPath::from_json("{}"), None);
        assert_eq!(FieldPath::from_json("[-1]"), None);
    }

    #[test]
    fn a_person_reads_the_plain_form() {
        assert_eq!(FieldPath::root().key("a").key("b").index(1).to_string(), "a.b[1]");
        assert_eq!(FieldPath::root().key("a.b").key("").to_string(), r#"["a.b"][""]"#);
    }
}
