//! What a path holds in a document: `json_type` and `jsonb_extract` of SQLite, for each row of a scan.
//!
//! SQLite's own set up a parse for each call, and every field of a condition takes two: 0.4 us a field and document.
//! `vellum_json_type(doc, path)`, `vellum_extract(doc, path)` and `vellum_any(doc, path)` walk the bytes of JSONB
//! (<https://sqlite.org/jsonb.html>) and say the same. What they have not been made for (JSON text, bytes that are
//! no JSONB, the forms of JSON5, escapes, numbers of many digits) they hand over to SQLite, whose answer, or error,
//! theirs is. So there is one meaning of a path, SQLite's, and columns and indexes, which are made of its functions, agree.

#![expect(unsafe_code, reason = "a call in C is three times as fast as through a trait object")]

use std::ffi::{CStr, c_int};
use std::ops::RangeInclusive;
use std::{ptr, slice};

use rusqlite::{Connection, Result, ffi};

use super::raw;

/// The most steps of a path; SQLite takes 1,000.
const MAX_STEPS: usize = 100;

/// The most digits of a float that every way of reading one rounds alike.
const MAX_DIGITS: usize = 17;

/// The sizes of floats that are neither near infinity nor near zero.
const MODERATE: RangeInclusive<f64> = 1e-250..=1e250;

/// One element of a document.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Element<'a> {
    /// The number of its kind in the format.
    kind: u8,
    /// Header and payload.
    whole: &'a [u8],
    payload: &'a [u8],
}

/// What a path leads to.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Found<'a> {
    Nothing,
    Element(Element<'a>),
}

/// A value as SQL has it.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Value<'a> {
    Null,
    Bool(bool),
    Int(i64),
    Real(f64),
    Text(&'a [u8]),
    Json(&'a [u8]),
}

impl<'a> Element<'a> {
    const TEXT: u8 = 7;
    const TEXT_RAW: u8 = 10;
    const ARRAY: u8 = 11;
    const OBJECT: u8 = 12;

    /// Returns the first element of some bytes and the bytes behind it, none when they hold no whole one.
    #[inline]
    fn split(bytes: &'a [u8]) -> Option<(Self, &'a [u8])> {
        let (&first, rest) = bytes.split_first()?;
        let (len, rest) = match first >> 4 {
            len @ 0..=11 => (usize::from(len), rest),
            12 => rest.split_first().map(|(len, rest)| (usize::from(*len), rest))?,
            13 => rest.split_first_chunk().map(|(len, rest)| (u16::from_be_bytes(*len).into(), rest))?,
            14 => {
                let (len, rest) = rest.split_first_chunk()?;
                (usize::try_from(u32::from_be_bytes(*len)).ok()?, rest)
            }
            _ => return None,
        };
        let (payload, rest) = rest.split_at_checked(len)?;
        let whole = bytes.get(..bytes.len() - rest.len())?;
        let kind = first & 0x0f;
        (kind <= Self::OBJECT).then_some((Self { kind, whole, payload }, rest))
    }

    /// Returns the document that some bytes are, none where SQLite would look at them twice: a short array or object
    /// can begin as JSON text does.
    #[inline]
    fn document(bytes: &'a [u8]) -> Option<Self> {
        let (document, rest) = Self::split(bytes)?;
        let is_container = matches!(document.kind, Self::ARRAY | Self::OBJECT);
        let is_like_text = matches!(bytes.first(), Some(b'{' | b'['));
        (is_container && !is_like_text && rest.is_empty()).then_some(document)
    }

    /// Returns the text that this is, none where it is no text or has escapes.
    #[inline]
    fn text(&self) -> Option<&'a [u8]> {
        match self.kind {
            Self::TEXT | Self::TEXT_RAW => Some(self.payload),
            8 | 9 if !self.payload.contains(&b'\\') => Some(self.payload),
            _ => None,
        }
    }

    /// Returns the name that `json_type` gives it.
    fn type_name(&self) -> &'static CStr {
        match self.kind {
            0 => c"null",
            1 => c"true",
            2 => c"false",
            3 | 4 => c"integer",
            5 | 6 => c"real",
            7..=10 => c"text",
            Self::ARRAY => c"array",
            _ => c"object",
        }
    }

    /// Returns the value that `jsonb_extract` makes of it.
    #[inline]
    fn value(&self) -> Option<Value<'a>> {
        Some(match self.kind {
            0..=2 if !self.payload.is_empty() => return None,
            0 => Value::Null,
            1 => Value::Bool(true),
            2 => Value::Bool(false),
            3 => Value::Int(integer(self.payload)?),
            5 => Value::Real(real(self.payload)?),
            Self::ARRAY | Self::OBJECT => Value::Json(self.whole),
            _ => Value::Text(self.text()?),
        })
    }
}

/// Returns a decimal integer of at most 18 digits, which cannot leave an `i64`.
#[inline]
fn integer(text: &[u8]) -> Option<i64> {
    let digits = text.strip_prefix(b"-").unwrap_or(text);
    if digits.is_empty() || digits.len() > 18 {
        return None;
    }
    let mut value = 0_i64;
    for digit in digits {
        value = value * 10 + i64::from(Some(digit.wrapping_sub(b'0')).filter(|digit| *digit <= 9)?);
    }
    Some(if digits.len() == text.len() { value } else { -value })
}

/// Returns a float in the form of JSON that has few digits and a moderate exponent.
fn real(text: &[u8]) -> Option<f64> {
    let unsigned = text.strip_prefix(b"-").unwrap_or(text);
    if !unsigned.first()?.is_ascii_digit() {
        return None;
    }
    let (mut digits, mut has_exponent) = (0, false);
    for byte in unsigned {
        match byte {
            b'0'..=b'9' if has_exponent => {}
            b'0'..=b'9' => digits += 1,
            b'.' => {}
            b'e' | b'E' => has_exponent = true,
            b'-' | b'+' if has_exponent => {}
            _ => return None,
        }
    }
    if digits > MAX_DIGITS {
        return None;
    }
    let real: f64 = std::str::from_utf8(text).ok()?.parse().ok()?;
    (real == 0.0 || MODERATE.contains(&real.abs())).then_some(real)
}

/// Returns what a path leads to, none where SQLite is to say it.
#[inline]
fn lookup<'a>(document: &'a [u8], path: &[u8]) -> Option<Found<'a>> {
    let mut element = Element::document(document)?;
    let mut path = path.strip_prefix(b"$")?;
    for _ in 0..MAX_STEPS {
        let Some((sign, rest)) = path.split_first() else { return Some(Found::Element(element)) };
        let (found, rest) = match sign {
            b'.' => {
                let (key, rest) = key(rest)?;
                (member(element, key)?, rest)
            }
            b'[' => {
                let (place, rest) = place(rest)?;
                (item(element, place)?, rest)
            }
            _ => return None,
        };
        let Found::Element(inner) = found else { return Some(Found::Nothing) };
        (element, path) = (inner, rest);
    }
    None
}

/// Splits the key of a member off a path, in quotes or bare.
#[inline]
fn key(path: &[u8]) -> Option<(&[u8], &[u8])> {
    let (key, rest) = match path.strip_prefix(b"\"") {
        Some(path) => {
            let len = path.iter().position(|byte| *byte == b'"')?;
            let (key, rest) = path.split_at_checked(len)?;
            (key, rest.get(1..)?)
        }
        None => {
            let len = path.iter().position(|byte| matches!(byte, b'.' | b'[')).unwrap_or(path.len());
            path.split_at_checked(len).filter(|(key, _)| !key.is_empty())?
        }
    };
    (!key.contains(&b'\\')).then_some((key, rest))
}

/// Splits the place of an item off a path.
fn place(path: &[u8]) -> Option<(usize, &[u8])> {
    let len = path.iter().position(|byte| *byte == b']')?;
    let (digits, rest) = path.split_at_checked(len)?;
    Some((usize::try_from(integer(digits)?).ok()?, rest.get(1..)?))
}

/// Returns the first member of a key.
#[inline]
fn member<'a>(of: Element<'a>, key: &[u8]) -> Option<Found<'a>> {
    if of.kind != Element::OBJECT {
        return Some(Found::Nothing);
    }
    let mut rest = of.payload;
    while !rest.is_empty() {
        let (label, behind) = Element::split(rest)?;
        let (value, behind) = Element::split(behind)?;
        if label.text()? == key {
            return Some(Found::Element(value));
        }
        rest = behind;
    }
    Some(Found::Nothing)
}

fn item(of: Element<'_>, place: usize) -> Option<Found<'_>> {
    if of.kind != Element::ARRAY {
        return Some(Found::Nothing);
    }
    let (mut rest, mut before) = (of.payload, 0);
    while !rest.is_empty() {
        let (item, behind) = Element::split(rest)?;
        if before == place {
            return Some(Found::Element(item));
        }
        (rest, before) = (behind, before + 1);
    }
    Some(Found::Nothing)
}

/// Puts the functions on a connection.
pub(super) fn register(db: &Connection) -> Result<()> {
    raw::register(db, c"vellum_json_type", 2, Some(json_type), None, None)?;
    raw::register(db, c"vellum_extract", 2, Some(extract), None, None)?;
    raw::register(db, c"vellum_any", 2, Some(extract_any), None, None)
}

/// Returns the document and the path of a call, none where they are of other kinds.
///
/// # Safety
/// `args` are the two arguments of a call that has not returned; so long the bytes stay.
#[inline]
unsafe fn arguments<'a>(args: *mut *mut ffi::sqlite3_value) -> Option<(&'a [u8], &'a [u8])> {
    // SAFETY: SQLite says how many bytes a value has; a pointer that is null has none.
    unsafe {
        let (document, path) = (*args, *args.add(1));
        if ffi::sqlite3_value_type(document) != ffi::SQLITE_BLOB
            || ffi::sqlite3_value_type(path) != ffi::SQLITE_TEXT
        {
            return None;
        }
        let bytes = |data: *const u8, value| {
            let len = usize::try_from(ffi::sqlite3_value_bytes(value)).ok()?;
            (!data.is_null()).then(|| slice::from_raw_parts(data, len))
        };
        let document = bytes(ffi::sqlite3_value_blob(document).cast(), document)?;
        Some((document, bytes(ffi::sqlite3_value_text(path), path)?))
    }
}

/// Returns the name of the type of what is at a path, as `json_type` does.
///
/// # Safety
/// Called by SQLite, with a live context and two arguments.
unsafe extern "C" fn json_type(
    context: *mut ffi::sqlite3_context,
    _: c_int,
    args: *mut *mut ffi::sqlite3_value,
) {
    // SAFETY: the arguments are those of this call; the name is static and ends with a NUL.
    unsafe {
        match arguments(args).and_then(|(document, path)| lookup(document, path)) {
            None => ask_sqlite(context, args, c"SELECT json_type(?1, ?2)"),
            Some(Found::Nothing) => ffi::sqlite3_result_null(context),
            Some(Found::Element(element)) => {
                let name = element.type_name().as_ptr();
                ffi::sqlite3_result_text(context, name, -1, ffi::SQLITE_STATIC());
            }
        }
    }
}

/// Returns what is at a path, as `jsonb_extract` does.
///
/// # Safety
/// Called by SQLite, with a live context and two arguments.
unsafe extern "C" fn extract(
    context: *mut ffi::sqlite3_context,
    _: c_int,
    args: *mut *mut ffi::sqlite3_value,
) {
    // SAFETY: the arguments are those of this call.
    unsafe {
        match value(args) {
            None => ask_sqlite(context, args, c"SELECT jsonb_extract(?1, ?2)"),
            Some(value) => result(context, value),
        }
    }
}

/// Returns what is at a path, and of a bool its JSONB: in SQL `true` is the number 1.
///
/// # Safety
/// Called by SQLite, with a live context and two arguments.
unsafe extern "C" fn extract_any(
    context: *mut ffi::sqlite3_context,
    _: c_int,
    args: *mut *mut ffi::sqlite3_value,
) {
    const ASKED: &CStr = c"SELECT CASE json_type(?1, ?2) WHEN 'true' THEN x'01' WHEN 'false' THEN x'02' \
          ELSE jsonb_extract(?1, ?2) END";
    // SAFETY: the arguments are those of this call.
    unsafe {
        match value(args) {
            None => ask_sqlite(context, args, ASKED),
            Some(Value::Bool(x)) => result(context, Value::Json(if x { &[1] } else { &[2] })),
            Some(value) => result(context, value),
        }
    }
}

/// Returns the value at the path of a call, none where SQLite is to say it.
///
/// # Safety
/// As [`arguments`].
#[inline]
unsafe fn value<'a>(args: *mut *mut ffi::sqlite3_value) -> Option<Value<'a>> {
    // SAFETY: as the caller's.
    let (document, path) = unsafe { arguments(args) }?;
    match lookup(document, path)? {
        Found::Nothing => Some(Value::Null),
        Found::Element(element) => element.value(),
    }
}

/// Hands a value to SQLite.
///
/// # Safety
/// The context is that of a call that has not returned.
#[inline]
unsafe fn result(context: *mut ffi::sqlite3_context, value: Value<'_>) {
    // SAFETY: SQLite copies text and bytes before it returns.
    unsafe {
        match value {
            Value::Null => ffi::sqlite3_result_null(context),
            Value::Bool(x) => ffi::sqlite3_result_int(context, x.into()),
            Value::Int(x) => ffi::sqlite3_result_int64(context, x),
            Value::Real(x) => ffi::sqlite3_result_double(context, x),
            Value::Text(x) => ffi::sqlite3_result_text64(
                context,
                x.as_ptr().cast(),
                x.len() as u64,
                ffi::SQLITE_TRANSIENT(),
                ffi::SQLITE_UTF8 as u8,
            ),
            Value::Json(x) => ffi::sqlite3_result_blob64(
                context,
                x.as_ptr().cast(),
                x.len() as u64,
                ffi::SQLITE_TRANSIENT(),
            ),
        }
    }
}

/// Returns what a query of the two arguments gives, or its error.
///
/// # Safety
/// The context and the arguments are those of a call that has not returned.
#[cold]
unsafe fn ask_sqlite(context: *mut ffi::sqlite3_context, args: *mut *mut ffi::sqlite3_value, sql: &CStr) {
    // SAFETY: the statement is finalized before the call returns, and what is read of it is copied first.
    unsafe {
        let db = ffi::sqlite3_context_db_handle(context);
        let mut statement = ptr::null_mut();
        let mut code = ffi::sqlite3_prepare_v2(db, sql.as_ptr(), -1, &mut statement, ptr::null_mut());
        for place in 0..2 {
            if code == ffi::SQLITE_OK {
                code = ffi::sqlite3_bind_value(statement, place + 1, *args.add(place as usize));
            }
        }
        if code == ffi::SQLITE_OK {
            code = ffi::sqlite3_step(statement);
        }
        if code == ffi::SQLITE_ROW {
            ffi::sqlite3_result_value(context, ffi::sqlite3_column_value(statement, 0));
        } else {
            ffi::sqlite3_result_error(context, ffi::sqlite3_errmsg(db), -1);
            ffi::sqlite3_result_error_code(context, code);
        }
        ffi::sqlite3_finalize(statement);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rusqlite::types::Value as Sql;

    use super::*;

    type TestResult<T = (), E = Box<dyn std::error::Error>> = std::result::Result<T, E>;

    /// Ours and SQLite's, each of a document and a path.
    const PAIRS: [(&str, &str); 3] = [
        ("vellum_json_type(?1, ?2)", "json_type(?1, ?2)"),
        ("vellum_extract(?1, ?2)", "jsonb_extract(?1, ?2)"),
        (
            "vellum_any(?1, ?2)",
            "CASE json_type(?1, ?2) WHEN 'true' THEN x'01' WHEN 'false' THEN x'02' ELSE jsonb_extract(?1, ?2) END",
        ),
    ];

    fn connection() -> Result<Connection> {
        let db = Connection::open_in_memory()?;
        super::super::register(&db)?;
        Ok(db)
    }

    /// Returns what each of a pair gives, bit for bit, or the words of its error.
    fn both(db: &Connection, document: &Sql, path: &Sql) -> TestResult<Vec<[String; 2]>> {
        let one = |of: &str| -> TestResult<String> {
            let mut statement = db.prepare_cached(&format!("SELECT {of}"))?;
            let answer = statement.query_row([document, path], |row| row.get::<_, Sql>(0));
            Ok(match answer {
                Ok(Sql::Real(x)) => format!("{x:?} {:x}", x.to_bits()),
                Ok(value) => format!("{value:?}"),
                Err(error) => error.to_string().replace(" in SELECT", ""),
            })
        };
        PAIRS.iter().map(|(ours, theirs)| Ok([one(ours)?, one(theirs)?])).collect()
    }

    fn assert_same(db: &Connection, document: &Sql, path: &str) -> TestResult {
        for [ours, theirs] in both(db, document, &Sql::Text(path.to_owned()))? {
            assert_eq!(ours, theirs, "{path} of {document:?}");
        }
        Ok(())
    }

    /// `VELLUM_CASES`, or 512.
    fn cases() -> ProptestConfig {
        ProptestConfig::with_cases(
            std::env::var("VELLUM_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(512),
        )
    }

    const PATHS: [&str; 24] = [
        "$",
        "$.a",
        "$.\"a\"",
        "$.\"b\"",
        "$.\"a\".\"b\"",
        "$.a.b.a",
        "$.\"a\"[0]",
        "$.\"a\"[1].\"b\"",
        "$[0]",
        "$[2]",
        "$[#-1]",
        "$[#]",
        "$[",
        "$.",
        "$.\"a",
        "$x",
        "a",
        "",
        "$.\"\"",
        "$.\"a.b\"",
        "$.\"q\\\"q\"",
        "$.\"\u{e9}\"",
        "$[99999999999999999999]",
        "$.\"a\"x",
    ];

    fn json() -> impl Strategy<Value = String> {
        let text = prop_oneof![
            Just("a".to_owned()),
            Just(String::new()),
            Just("\u{e9}\u{1f600}".to_owned()),
            Just(r#"q\"q"#.to_owned()),
            Just(r"\u0000".to_owned()),
            Just(r"\ud800".to_owned()),
            "[ -!#-\\[\\]-~]{0,14}",
        ];
        let number = prop_oneof![
            any::<i64>().prop_map(|x| x.to_string()),
            any::<u64>().prop_map(|x| x.to_string()),
            any::<f64>().prop_filter("finite", |x| x.is_finite()).prop_map(|x| format!("{x:?}")),
            (-1000_i64..1000, 0_usize..4).prop_map(|(x, n)| format!("{:.n$}", x as f64 / 64.0)),
            "-?(0|[1-9][0-9]{0,24})(\\.[0-9]{1,24})?([eE][+-]?[0-9]{1,3})?",
            prop::sample::select(vec![
                "-0.0", "-0", "0", "1e400", "0x1F", "-0xff", ".5", "5.", "+7", "Infinity", "NaN"
            ])
            .prop_map(str::to_owned),
        ];
        let leaf = prop_oneof![
            prop::sample::select(vec!["null", "true", "false"]).prop_map(str::to_owned),
            number,
            text.clone().prop_map(|text| format!("\"{text}\"")),
        ];
        let key = prop::sample::select(vec![
            "a",
            "b",
            "",
            "a.b",
            r#"q\"q"#,
            "\u{e9}",
            r"\u0061",
            "long key of more than twelve",
        ]);
        leaf.prop_recursive(4, 40, 4, move |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(|items| format!("[{}]", items.join(","))),
                prop::collection::vec((key.clone(), inner), 0..4).prop_map(|members| {
                    let members = members.into_iter().map(|(key, value)| format!("\"{key}\":{value}"));
                    format!("{{{}}}", members.collect::<Vec<_>>().join(","))
                }),
            ]
        })
    }

    proptest! {
        #![proptest_config(cases())]

        #[test]
        fn a_path_means_what_it_means_to_sqlite(text in json(), flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..3)) {
            let db = connection().map_err(|error| TestCaseError::fail(error.to_string()))?;
            let bytes: Vec<u8> = db.query_row("SELECT jsonb(?1)", [&text], |row| row.get(0))
                .map_err(|error| TestCaseError::fail(format!("{error}: {text}")))?;
            let mut torn = bytes.clone();
            for (place, byte) in flips {
                let place = place.index(torn.len());
                torn[place] = byte;
            }
            for document in [Sql::Blob(bytes), Sql::Text(text), Sql::Blob(torn)] {
                for path in PATHS {
                    assert_same(&db, &document, path).map_err(|error| TestCaseError::fail(error.to_string()))?;
                }
            }
        }

        #[test]
        fn any_bytes_mean_what_they_mean_to_sqlite(bytes in prop::collection::vec(any::<u8>(), 0..24)) {
            let db = connection().map_err(|error| TestCaseError::fail(error.to_string()))?;
            for path in PATHS {
                assert_same(&db, &Sql::Blob(bytes.clone()), path)
                    .map_err(|error| TestCaseError::fail(error.to_string()))?;
            }
        }

        #[test]
        fn a_float_is_read_as_by_sqlite(bits in any::<u64>(), digits in 1_usize..=17, scale in -30_i32..30) {
            let db = connection().map_err(|error| TestCaseError::fail(error.to_string()))?;
            let scaled = (bits as f64 / u64::MAX as f64) * 10_f64.powi(scale);
            for x in [f64::from_bits(bits), scaled].into_iter().filter(|x| x.is_finite()) {
                for text in [format!("{x:?}"), format!("{:.*e}", digits - 1, x)] {
                    let text = format!(r#"{{"number":{text}}}"#);
                    let bytes: Vec<u8> = db.query_row("SELECT jsonb(?1)", [&text], |row| row.get(0))
                        .map_err(|error| TestCaseError::fail(format!("{error}: {text}")))?;
                    assert_same(&db, &Sql::Blob(bytes), "$.\"number\"")
                        .map_err(|error| TestCaseError::fail(error.to_string()))?;
                }
            }
        }
    }

    #[test]
    fn other_arguments_mean_what_they_mean_to_sqlite() -> TestResult {
        let db = connection()?;
        let documents =
            [Sql::Null, Sql::Integer(1), Sql::Real(0.5), Sql::Text("{".into()), Sql::Blob(vec![])];
        let paths = [Sql::Null, Sql::Integer(0), Sql::Text("$".into()), Sql::Blob(b"$.a".to_vec())];
        for document in &documents {
            for path in &paths {
                for [ours, theirs] in both(&db, document, path)? {
                    assert_eq!(ours, theirs, "{path:?} of {document:?}");
                }
            }
        }
        Ok(())
    }

    /// What is measured is the walk: what is handed over to SQLite takes a statement each time.
    #[test]
    fn what_the_codec_writes_is_not_handed_over() {
        // {"name":"x","n":12,"f":2.5,"t":true,"list":[1,{"k":"v"}]}
        let document =
            b"\xcc\x29\x47name\x17x\x17n\x2312\x17f\x352.5\x17t\x01\x47list\xbb\x131\x4c\x17k\x17v";
        let mut document = document.to_vec();
        document[1] = (document.len() - 2) as u8;
        let list = document.iter().position(|byte| *byte == 0xbb).unwrap_or_default();
        document[list] = ((document.len() - list - 1) as u8) << 4 | Element::ARRAY;
        let value = |path: &[u8]| match lookup(&document, path) {
            Some(Found::Element(element)) => element.value(),
            Some(Found::Nothing) => Some(Value::Null),
            None => None,
        };
        assert_eq!(value(b"$.\"name\""), Some(Value::Text(b"x")));
        assert_eq!(value(b"$.\"n\""), Some(Value::Int(12)));
        assert_eq!(value(b"$.\"f\""), Some(Value::Real(2.5)));
        assert_eq!(value(b"$.\"t\""), Some(Value::Bool(true)));
        assert_eq!(value(b"$.\"list\"[1].\"k\""), Some(Value::Text(b"v")));
        assert_eq!(value(b"$.\"list\"[2]"), Some(Value::Null));
        assert_eq!(value(b"$.\"none\""), Some(Value::Null));
    }
}
