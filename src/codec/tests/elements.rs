//! Elements made by hand, as any program may have stored them.

use super::*;

#[test]
fn every_kind_is_read_behind_every_header() -> Outcome {
    let conn = Connection::open_in_memory()?;
    let cases: [(u8, &[u8], &str); 20] = [
        (0, b"", "null"),
        (1, b"", "true"),
        (2, b"", "false"),
        (3, b"-12", "-12"),
        (4, b"0x1f", "31"),
        (4, b"-0X1F", "-31"),
        (5, b"2.0", "2.0"),
        (5, b"1e5", "1e5"),
        (6, b".5", "0.5"),
        (6, b"5.", "5.0"),
        (6, b"-5.e1", "-5.0e1"),
        (7, b"it's", r#""it's""#),
        (8, br"a\n\u00e9", r#""a\n\u00e9""#),
        (9, br"a\x41\'\v", r#""a\u0041'\u000b""#),
        (10, b"a\"\\\x01", r#""a\"\\\u0001""#),
        (11, b"", "[]"),
        (11, &[0x13, b'1', 0x00], "[1,null]"),
        (12, b"", "{}"),
        (12, &[0x17, b'a', 0x01], r#"{"a":true}"#),
        (12, &[0x38, b'\\', b'n', b'x', 0x0b], r#"{"\nx":[]}"#),
    ];
    for (kind, payload, text) in cases {
        let expected: Value = serde_json::from_str(text)?;
        for len_bytes in [0, 1, 2, 4, 8] {
            let bytes = element(kind, payload, len_bytes);
            assert_eq!(decode::<Value>(&bytes, None)?, expected, "{text} behind {len_bytes} bytes of length");
            // SQLite takes null, true and false in one byte only.
            if kind > 2 {
                assert_eq!(serde_json::from_str::<Value>(&json_of(&conn, &bytes)?)?, expected, "{text}");
            }
            let nested =
                element(11, &element(12, &[element(7, b"k", 4), bytes].concat(), 2), len_bytes.max(1));
            assert_eq!(decode::<Value>(&nested, None)?, serde_json::json!([{ "k": expected }]));
        }
    }
    Ok(())
}

#[test]
fn the_widest_integers_are_read_by_who_can_hold_them() -> Outcome {
    let max = element(3, b"18446744073709551615", 1);
    assert_eq!(decode::<u64>(&max, None)?, u64::MAX);
    assert_eq!(decode::<f64>(&max, None)?, u64::MAX as f64);
    assert_eq!(decode::<i128>(&max, None)?, i128::from(u64::MAX));
    assert!(matches!(decode::<i64>(&max, None), Err(CodecError::OutOfRange { .. })));

    let wide = element(3, b"-100000000000000000000000000000000000000", 1);
    assert_eq!(decode::<i128>(&wide, None)?, -10_i128.pow(38));
    assert_eq!(decode::<f64>(&wide, None)?, -1e38);
    assert_eq!(decode::<Value>(&wide, None)?, serde_json::json!(-1e38));
    for refused in [decode::<u64>(&wide, None).map(|_| ()), decode::<u128>(&wide, None).map(|_| ())] {
        let Err(CodecError::OutOfRange { value, .. }) = refused else { panic!("{refused:?}") };
        assert_eq!(&*value, "-100000000000000000000000000000000000000");
    }
    assert_eq!(decode::<u128>(&element(3, u128::MAX.to_string().as_bytes(), 1), None)?, u128::MAX);
    Ok(())
}

#[test]
fn integers_are_read_as_floats_and_a_negative_zero_keeps_its_sign() -> Outcome {
    assert_eq!(decode::<f64>(&element(3, b"7", 0), None)?, 7.0);
    assert_eq!(decode::<f32>(&element(4, b"0x10", 0), None)?, 16.0);
    let zero = element(3, b"-0", 0);
    assert_eq!(decode::<f64>(&zero, None)?.to_bits(), (-0.0_f64).to_bits());
    assert_eq!(decode::<i64>(&zero, None)?, 0);
    Ok(())
}

#[test]
fn text_is_lent_as_bytes_and_numbers_are_bytes_too() -> Outcome {
    #[derive(Debug, PartialEq)]
    struct Bytes(Vec<u8>);
    impl<'de> serde::Deserialize<'de> for Bytes {
        fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            struct Visitor;
            impl<'de> serde::de::Visitor<'de> for Visitor {
                type Value = Bytes;
                fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                    f.write_str("bytes")
                }
                fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Bytes, E> {
                    Ok(Bytes(bytes.to_vec()))
                }
                fn visit_seq<A: serde::de::SeqAccess<'de>>(self, mut seq: A) -> Result<Bytes, A::Error> {
                    let mut out = Vec::new();
                    while let Some(byte) = seq.next_element()? {
                        out.push(byte);
                    }
                    Ok(Bytes(out))
                }
            }
            deserializer.deserialize_bytes(Visitor)
        }
    }
    assert_eq!(decode::<Bytes>(&element(8, br"a\n", 0), None)?, Bytes(b"a\n".to_vec()));
    assert_eq!(decode::<Bytes>(&bytes_of(&[1_u8, 255])?, None)?, Bytes(vec![1, 255]));
    Ok(())
}
