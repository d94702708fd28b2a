//! Base64 (RFC 4648, section 4): the standard alphabet, with padding.
//!
//! Only what [`encode`] writes is read, so that equal bytes are equal texts and the other way round.

/// Returns the text of bytes.
pub(crate) fn encode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let missing = 3 - chunk.len();
        let word = chunk.iter().fold(0, |word, byte| word << 8 | u32::from(*byte)) << (8 * missing);
        let symbols = [18, 12, 6, 0].map(|shift| symbol(word >> shift & 0x3f));
        text.extend(symbols.iter().take(4 - missing));
        text.extend(std::iter::repeat_n('=', missing));
    }
    text
}

/// Returns the bytes of a text, or none where it is not what [`encode`] writes.
pub(crate) fn decode(text: &str) -> Option<Vec<u8>> {
    let text = text.as_bytes();
    if !text.len().is_multiple_of(4) {
        return None;
    }
    let unpadded = text.strip_suffix(b"==").or_else(|| text.strip_suffix(b"=")).unwrap_or(text);
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    for chunk in unpadded.chunks(4) {
        let missing = 4 - chunk.len();
        let mut word = 0;
        for symbol in chunk {
            word = word << 6 | value(*symbol)?;
        }
        let [_, a, b, c] = (word << (6 * missing)).to_be_bytes();
        match (missing, b, c) {
            (0, ..) => bytes.extend([a, b, c]),
            (1, _, 0) => bytes.extend([a, b]),
            (2, 0, 0) => bytes.push(a),
            _ => return None,
        }
    }
    Some(bytes)
}

/// Returns the symbol of six bits.
fn symbol(value: u32) -> char {
    // Six bits fit a byte.
    let value = value as u8;
    char::from(match value {
        0..26 => b'A' + value,
        26..52 => b'a' + (value - 26),
        52..62 => b'0' + (value - 52),
        62 => b'+',
        _ => b'/',
    })
}

/// Returns the six bits of a symbol.
fn value(symbol: u8) -> Option<u32> {
    Some(u32::from(match symbol {
        b'A'..=b'Z' => symbol - b'A',
        b'a'..=b'z' => symbol - b'a' + 26,
        b'0'..=b'9' => symbol - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        _ => return None,
    }))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_examples_of_the_standard_hold() {
        let examples = [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
        ];
        for (bytes, text) in examples {
            assert_eq!(encode(bytes.as_bytes()), text);
            assert_eq!(decode(text), Some(bytes.into()));
        }
        assert_eq!(encode(&[0xfb, 0xef, 0xff]), "++//");
    }

    #[test]
    fn another_text_of_the_same_bytes_is_not_read() {
        for text in [
            "Zg",
            "Zg=",
            "Zg===",
            "Zh==",
            "Zm9=",
            "=",
            "====",
            "A===",
            "Zg==Zg==",
            "Zm-v",
            "Zm9v\n",
            "Z\u{e9}9v",
        ] {
            assert_eq!(decode(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn bytes_survive_their_text(bytes: Vec<u8>) {
            prop_assert_eq!(decode(&encode(&bytes)), Some(bytes));
        }

        #[test]
        fn what_is_read_is_what_would_be_written(text in "[A-Da-d+/=]{0,9}") {
            if let Some(bytes) = decode(&text) {
                prop_assert_eq!(encode(&bytes), text);
            }
        }
    }
}
