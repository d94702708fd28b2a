//! The escapes of JSON and JSON5 in text elements.

use std::borrow::Cow;

/// Why a text cannot be unescaped: the byte at fault, and what is wrong with it.
type Flaw = (usize, &'static str);

/// Returns the text with every escape replaced by what it stands for.
pub(super) fn unescape(text: &str) -> Result<Cow<'_, str>, Flaw> {
    if !text.contains('\\') {
        return Ok(Cow::Borrowed(text));
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((plain, escape)) = rest.split_once('\\') {
        out.push_str(plain);
        let at = text.len() - escape.len() - 1;
        rest = push_escape(&mut out, escape).map_err(|detail| (at, detail))?;
    }
    out.push_str(rest);
    Ok(Cow::Owned(out))
}

/// Appends what the escape at the start of `escape` (behind its backslash) stands for, and returns what follows it.
fn push_escape<'a>(out: &mut String, escape: &'a str) -> Result<&'a str, &'static str> {
    let mut chars = escape.chars();
    let c = chars.next().ok_or("a lone backslash at the end of a text")?;
    let rest = chars.as_str();
    match c {
        '"' | '\\' | '/' | '\'' => out.push(c),
        'b' => out.push('\u{8}'),
        'f' => out.push('\u{c}'),
        'n' => out.push('\n'),
        'r' => out.push('\r'),
        't' => out.push('\t'),
        'v' => out.push('\u{b}'),
        '0' if !rest.starts_with(|c: char| c.is_ascii_digit()) => out.push('\0'),
        'x' => {
            let (code, rest) = hex(rest, 2).ok_or("an escape \\x without two hexadecimal digits")?;
            out.push(char::from_u32(code).ok_or("an escape that is no character")?);
            return Ok(rest);
        }
        'u' => return push_unicode(out, rest),
        // An escaped line end stands for nothing.
        '\r' => return Ok(rest.strip_prefix('\n').unwrap_or(rest)),
        '\n' | '\u{2028}' | '\u{2029}' => {}
        _ => return Err("an unknown escape"),
    }
    Ok(rest)
}

/// Appends the character of `\uXXXX`, or of two of them that are a surrogate pair.
fn push_unicode<'a>(out: &mut String, digits: &'a str) -> Result<&'a str, &'static str> {
    const SHORT: &str = "an escape \\u without four hexadecimal digits";
    let (high, rest) = hex(digits, 4).ok_or(SHORT)?;
    if let Some(c) = char::from_u32(high) {
        out.push(c);
        return Ok(rest);
    }
    let low = rest.strip_prefix("\\u").and_then(|digits| hex(digits, 4));
    match low {
        Some((low @ 0xdc00..=0xdfff, rest)) if high < 0xdc00 => {
            let code = 0x10000 + ((high & 0x3ff) << 10) + (low & 0x3ff);
            out.push(char::from_u32(code).ok_or("an escape that is no character")?);
            Ok(rest)
        }
        _ => Err("half of a surrogate pair"),
    }
}

/// Reads exactly `count` hexadecimal digits.
fn hex(text: &str, count: usize) -> Option<(u32, &str)> {
    let (digits, rest) = text.split_at_checked(count)?;
    if !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
        return None;
    }
    Some((u32::from_str_radix(digits, 16).ok()?, rest))
}

#[cfg(test)]
mod tests {
    use super::unescape;

    #[test]
    fn every_escape_stands_for_its_character() {
        let cases = [
            (r"plain", "plain"),
            (r#"\"\\\/\b\f\n\r\t"#, "\"\\/\u{8}\u{c}\n\r\t"),
            (r"\u0041\u00e9\ud83d\ude00", "A\u{e9}\u{1f600}"),
            (r"a\'b\vc\0d\x41\xe9", "a'b\u{b}c\0dA\u{e9}"),
            ("a\\\nb\\\r\nc\\\rd\\\u{2028}e\\\u{2029}f", "abcdef"),
        ];
        for (text, meaning) in cases {
            assert_eq!(unescape(text).as_deref(), Ok(meaning), "{text}");
        }
    }

    #[test]
    fn a_broken_escape_is_found_where_it_stands() {
        for text in [
            r"ab\",
            r"ab\q",
            r"ab\u12",
            r"ab\u+123",
            r"ab\x4",
            r"ab\ud800",
            r"ab\ud800\u0041",
            r"ab\udc00",
            r"ab\01",
        ] {
            assert_eq!(unescape(text).map_err(|(at, _)| at), Err(2), "{text}");
        }
    }
}
