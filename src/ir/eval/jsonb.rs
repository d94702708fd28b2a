//! Reads the JSONB of a constant that is a whole list or struct.
//!
//! A second reader beside the codec's, so that the two are held against each other. The forms that only JSON5 text
//! leads to are not read: no constant is made from text.

use super::json::Json;

/// Returns the value, or none when the bytes are not one value.
pub(super) fn parse(bytes: &[u8]) -> Option<Json> {
    let (value, rest) = element(bytes)?;
    rest.is_empty().then_some(value)
}

/// Reads one element and returns what follows it.
fn element(bytes: &[u8]) -> Option<(Json, &[u8])> {
    let (head, rest) = bytes.split_first()?;
    let (len, rest) = match head >> 4 {
        size @ 0..=11 => (usize::from(size), rest),
        12 => size::<1>(rest)?,
        13 => size::<2>(rest)?,
        14 => size::<4>(rest)?,
        _ => size::<8>(rest)?,
    };
    let (payload, rest) = rest.split_at_checked(len)?;
    let text = || std::str::from_utf8(payload).ok();
    let value = match head & 0xf {
        0 => Json::Null,
        1 => Json::Bool(true),
        2 => Json::Bool(false),
        3 | 5 => Json::parse(text()?).ok()?,
        7 | 10 => Json::Text(text()?.to_owned()),
        8 => Json::parse(&format!("\"{}\"", text()?)).ok()?,
        11 => Json::Array(elements(payload)?),
        12 => Json::Object(entries(payload)?),
        _ => return None,
    };
    Some((value, rest))
}

/// Reads a length of `N` bytes, the highest first.
fn size<const N: usize>(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let (size, rest) = bytes.split_first_chunk::<N>()?;
    let size = size.iter().fold(0_u64, |size, byte| size << 8 | u64::from(*byte));
    Some((usize::try_from(size).ok()?, rest))
}

fn elements(mut bytes: &[u8]) -> Option<Vec<Json>> {
    let mut items = Vec::new();
    while !bytes.is_empty() {
        let (item, rest) = element(bytes)?;
        items.push(item);
        bytes = rest;
    }
    Some(items)
}

fn entries(bytes: &[u8]) -> Option<Vec<(String, Json)>> {
    let mut entries = Vec::new();
    let mut items = elements(bytes)?.into_iter();
    while let Some(key) = items.next() {
        let Json::Text(key) = key else { return None };
        entries.push((key, items.next()?));
    }
    Some(entries)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_sqlite_writes_reads_as_the_text_it_was_made_from() -> rusqlite::Result<()> {
        let conn = rusqlite::Connection::open_in_memory()?;
        let long = format!("[{}\"\"]", "123456,".repeat(20_000));
        for text in [
            "null",
            "[]",
            r#"{"a":[1,-2.5,true,false,null],"a.b":{"":"x"}}"#,
            r#""a long text of more than eleven bytes""#,
            r#"{"escaped \"\\\n\u0000":"\u0000\ud83d\ude00"}"#,
            &long,
        ] {
            let bytes: Vec<u8> = conn.query_row("SELECT jsonb(?1)", [text], |row| row.get(0))?;
            assert_eq!(parse(&bytes), Json::parse(text).ok(), "{text}");
        }
        Ok(())
    }

    #[test]
    fn damaged_bytes_are_nothing() {
        for bytes in [
            &[][..],
            &[0x17],
            &[0x00, 0x00],
            &[0xfb, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
            &[0x1c, 0x00],
        ] {
            assert_eq!(parse(bytes), None, "{bytes:?}");
        }
    }
}
