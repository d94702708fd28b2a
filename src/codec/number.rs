//! Numbers as elements hold them: their text.

use std::str::FromStr;

/// An integer element, whatever its width.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Integer {
    Small(i64),
    /// An integer above `i64` that a `u64` holds.
    Large(u64),
    /// An integer that neither holds, as the nearest float.
    Wide(f64),
}

/// Reads a decimal integer, or returns `None` when the text is none.
#[inline]
pub(super) fn decimal(text: &[u8]) -> Option<Integer> {
    let (negative, digits) = match text.strip_prefix(b"-") {
        Some(digits) => (true, digits),
        None => (false, text),
    };
    if digits.is_empty() {
        return None;
    }
    let mut value = 0_u64;
    // Nineteen digits cannot leave a u64.
    let (head, tail) = digits.split_at_checked(19).unwrap_or((digits, &[]));
    for &digit in head {
        value = value * 10 + u64::from(digit_of(digit)?);
    }
    if tail.is_empty() { Some(signed(negative, value)) } else { wide_decimal(text, negative, digits) }
}

#[cold]
fn wide_decimal(text: &[u8], negative: bool, digits: &[u8]) -> Option<Integer> {
    let mut value = Some(0_u64);
    for &digit in digits {
        let digit = u64::from(digit_of(digit)?);
        value = value.and_then(|v| v.checked_mul(10)?.checked_add(digit));
    }
    match value {
        Some(value) => Some(signed(negative, value)),
        None => float(text).map(Integer::Wide),
    }
}

/// Reads a hexadecimal integer of JSON5: a sign or none, `0x`, digits.
#[cold]
pub(super) fn hexadecimal(text: &[u8]) -> Option<Integer> {
    let negative = text.starts_with(b"-");
    let text = text.strip_prefix(b"-").or(text.strip_prefix(b"+")).unwrap_or(text);
    let digits = text.strip_prefix(b"0x").or(text.strip_prefix(b"0X"))?;
    if digits.is_empty() {
        return None;
    }
    let mut value = Some(0_u128);
    for &digit in digits {
        let digit = u128::from(char::from(digit).to_digit(16)?);
        value = value.filter(|v| v >> 124 == 0).map(|v| v << 4 | digit);
    }
    let Some(value) = value else { return Some(Integer::Wide(f64::INFINITY)) };
    Some(match u64::try_from(value) {
        Ok(value) => signed(negative, value),
        Err(_) => Integer::Wide(if negative { -(value as f64) } else { value as f64 }),
    })
}

/// Reads a float in any form that JSON or JSON5 has for a finite one; the value may still be too large to be finite.
pub(super) fn float<F: FromStr>(text: &[u8]) -> Option<F> {
    // Rust reads `inf` and `nan` too, which are no numbers here.
    if !text.iter().all(|b| matches!(b, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-')) {
        return None;
    }
    std::str::from_utf8(text).ok()?.parse().ok()
}

fn digit_of(byte: u8) -> Option<u8> {
    Some(byte.wrapping_sub(b'0')).filter(|digit| *digit <= 9)
}

#[inline]
fn signed(negative: bool, value: u64) -> Integer {
    match (negative, i64::try_from(value)) {
        (false, Ok(value)) => Integer::Small(value),
        (false, Err(_)) => Integer::Large(value),
        (true, _) => match 0_i64.checked_sub_unsigned(value) {
            Some(value) => Integer::Small(value),
            None => Integer::Wide(-(value as f64)),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_exact_up_to_u64_and_nearest_beyond() {
        let cases: [(&[u8], Option<Integer>); 12] = [
            (b"0", Some(Integer::Small(0))),
            (b"9223372036854775807", Some(Integer::Small(i64::MAX))),
            (b"-9223372036854775808", Some(Integer::Small(i64::MIN))),
            (b"9223372036854775808", Some(Integer::Large(1 << 63))),
            (b"18446744073709551615", Some(Integer::Large(u64::MAX))),
            (b"18446744073709551616", Some(Integer::Wide(18446744073709551616.0))),
            (b"-9223372036854775809", Some(Integer::Wide(-9223372036854775809.0))),
            (b"000000000000000000000012", Some(Integer::Small(12))),
            (b"", None),
            (b"-", None),
            (b"+1", None),
            (b"12345678901234567890x", None),
        ];
        for (text, value) in cases {
            assert_eq!(decimal(text), value, "{}", text.escape_ascii());
        }
    }

    #[test]
    fn hexadecimal_integers_are_read_with_their_sign() {
        let cases: [(&[u8], Option<Integer>); 8] = [
            (b"0x1F", Some(Integer::Small(31))),
            (b"-0X10", Some(Integer::Small(-16))),
            (b"0xffffffffffffffff", Some(Integer::Large(u64::MAX))),
            (b"0x10000000000000000", Some(Integer::Wide(18446744073709551616.0))),
            (b"0x1000000000000000000000000000000000", Some(Integer::Wide(f64::INFINITY))),
            (b"0x", None),
            (b"10", None),
            (b"0xg", None),
        ];
        for (text, value) in cases {
            assert_eq!(hexadecimal(text), value, "{}", text.escape_ascii());
        }
    }

    #[test]
    fn floats_are_read_in_every_form_and_never_from_words() {
        let good: [(&[u8], f64); 6] = [
            (b".5", 0.5),
            (b"5.", 5.0),
            (b"+1.5", 1.5),
            (b"-.5e1", -5.0),
            (b"5.e2", 500.0),
            (b"1E+2", 100.0),
        ];
        for (text, value) in good {
            assert_eq!(float::<f64>(text), Some(value), "{}", text.escape_ascii());
        }
        for text in [&b"inf"[..], b"NaN", b"", b".", b"e5", b"1.2.3", b"infinity"] {
            assert_eq!(float::<f64>(text), None, "{}", text.escape_ascii());
        }
    }
}
