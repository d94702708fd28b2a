//! Text: rules 3, 4 and 11 to 14.

use super::{NULL, Result, Things, int, text};
use crate::ir::doc::Function;
use crate::ir::eval::sample::tree::{Step, Tree};
use crate::ir::types::Type;

fn s() -> Tree {
    Tree::field("s", Type::Text)
}

/// Returns whether a text condition holds for a text.
fn holds(function: Function, of: &str, argument: &str) -> Result<bool> {
    let document = serde_json::json!({ "s": of }).to_string();
    let condition = s().call(function, [Tree::text(argument)]);
    Ok(!Things::new(&[&document])?.matching(condition)?.is_empty())
}

/// Returns what a text function gives for a text.
fn applied(function: Function, of: &str, args: Vec<Tree>) -> Result<super::Column> {
    let document = serde_json::json!({ "s": of }).to_string();
    let columns = Things::new(&[&document])?.selected(s().call(function, args))?;
    columns.into_iter().next().ok_or_else(|| "no row".into())
}

#[test]
fn text_is_ordered_by_bytes_and_nothing_is_trimmed_or_folded() -> Result {
    // Rule 11: the byte order puts U+E000 before U+10FFFF and U+D7FF before both.
    let texts = ["\u{10ffff}", "\u{e000}", "\u{d7ff}", "a\0", "a", "a ", "A", "", "a\0b"];
    let documents: Vec<String> = texts.iter().map(|s| serde_json::json!({ "s": s }).to_string()).collect();
    let documents: Vec<&str> = documents.iter().map(String::as_str).collect();
    let things = Things::new(&documents)?;
    assert_eq!(things.ids(vec![Step::order([s().asc()])])?, [8, 7, 5, 4, 9, 6, 3, 2, 1]);
    assert_eq!(things.matching(s().eq(Tree::text("a")))?, [5]);
    assert_eq!(things.matching(s().gt(Tree::text("a\0")))?, [1, 2, 3, 6, 9]);
    Ok(())
}

#[test]
fn a_prefix_is_plain_text_at_the_edges_of_unicode_too() -> Result {
    // Rule 12.
    assert!(holds(Function::StartsWith, "abc", "")?);
    assert!(holds(Function::StartsWith, "\u{d7ff}x", "\u{d7ff}")?);
    assert!(!holds(Function::StartsWith, "\u{e000}", "\u{d7ff}")?);
    assert!(holds(Function::StartsWith, "a\u{10ffff}\u{10ffff}", "a\u{10ffff}")?);
    assert!(!holds(Function::StartsWith, "Abc", "a")?);
    assert!(holds(Function::StartsWith, "a\0b", "a\0")?);
    Ok(())
}

#[test]
fn contains_and_ends_with_take_plain_text() -> Result {
    // Rules 11 and 12.
    assert!(holds(Function::Contains, "50% off", "0% o")?);
    assert!(!holds(Function::Contains, "abc", "%")?);
    assert!(holds(Function::EndsWith, "a\0b", "\0b")?);
    assert!(!holds(Function::EndsWith, "abc", "_c")?);
    Ok(())
}

#[test]
fn like_has_two_wildcards_and_an_escape_and_is_case_sensitive() -> Result {
    // Rule 12.
    assert!(holds(Function::Like, "a\u{1f600}c", "a_c")?);
    assert!(holds(Function::Like, "abcabd", "%ab_")?);
    assert!(holds(Function::Like, "", "%")?);
    assert!(holds(Function::Like, "100%", r"100\%")?);
    assert!(!holds(Function::Like, "1000", r"100\%")?);
    assert!(!holds(Function::Like, "ABC", "abc")?);
    assert!(!holds(Function::Like, "a\0b", "a")?);
    assert!(holds(Function::Ilike, "\u{c9}cole", "\u{e9}%")?);
    Ok(())
}

#[test]
fn glob_has_runs_single_values_and_sets() -> Result {
    // Rule 12.
    for (of, pattern) in [
        ("abc", "a*"),
        ("abc", "?b?"),
        ("b", "[a-c]"),
        ("d", "[^a-c]"),
        ("]", "[]]"),
        ("-", "[a-]"),
        ("*", "[*]"),
    ] {
        assert!(holds(Function::Glob, of, pattern)?, "{of} {pattern}");
    }
    for (of, pattern) in [("abc", "A*"), ("a", "[^a-c]"), ("[", "["), ("ab", "?"), ("", "?")] {
        assert!(!holds(Function::Glob, of, pattern)?, "{of} {pattern}");
    }
    Ok(())
}

#[test]
fn folding_follows_unicode_in_full() -> Result {
    // Rule 13.
    for (a, b) in [
        ("\u{c9}", "\u{e9}"),
        ("stra\u{df}e", "STRASSE"),
        ("\u{3a3}", "\u{3c2}"),
        ("\u{212a}", "k"),
        ("\u{1e9e}", "ss"),
    ] {
        assert!(holds(Function::EqIgnoreCase, a, b)?, "{a} {b}");
    }
    for (a, b) in [("\u{e9}", "e"), ("\u{131}", "i"), ("a", "a ")] {
        assert!(!holds(Function::EqIgnoreCase, a, b)?, "{a} {b}");
    }
    assert_eq!(applied(Function::Lower, "\u{c9}A\u{3a3}", vec![])?, text("\u{e9}a\u{3c2}"));
    assert_eq!(applied(Function::Upper, "stra\u{df}e", vec![])?, text("STRASSE"));
    Ok(())
}

#[test]
fn lengths_and_parts_count_scalar_values() -> Result {
    // Rule 14.
    assert_eq!(applied(Function::Len, "a\0\u{1f600}", vec![])?, int(3));
    assert_eq!(applied(Function::ByteLen, "a\0\u{1f600}", vec![])?, int(6));
    let part =
        |start, len| applied(Function::Substr, "a\0\u{1f600}b", vec![Tree::int(start), Tree::int(len)]);
    assert_eq!(part(1, 2)?, text("\0\u{1f600}"));
    assert_eq!(part(3, 10)?, text("b"));
    assert_eq!(part(4, 1)?, text(""));
    assert_eq!(part(0, i64::MAX)?, text("a\0\u{1f600}b"));
    assert_eq!(applied(Function::Left, "a\0\u{1f600}b", vec![Tree::int(2)])?, text("a\0"));
    Ok(())
}

#[test]
fn the_other_functions_are_those_of_rust() -> Result {
    assert_eq!(applied(Function::Trim, "\u{a0} a\0 \n", vec![])?, text("a\0"));
    assert_eq!(applied(Function::Replace, "a%b%", vec![Tree::text("%"), Tree::text("")])?, text("ab"));
    assert_eq!(applied(Function::Concat, "a\0", vec![Tree::text("b")])?, text("a\0b"));
    Ok(())
}

#[test]
fn a_function_of_null_or_another_kind_is_null_and_a_condition_false() -> Result {
    // Rules 3 and 4.
    let things = Things::new(&["{}", r#"{"s":null}"#, r#"{"s":12}"#, r#"{"s":["12"]}"#])?;
    assert_eq!(things.selected(s().call(Function::Len, []))?, [NULL, NULL, NULL, NULL]);
    assert_eq!(things.matching(s().call(Function::StartsWith, [Tree::text("")]))?, [] as [i64; 0]);
    assert_eq!(things.matching(s().call(Function::StartsWith, [Tree::text("")]).negated())?, [1, 2, 3, 4]);
    let missing = Things::new(&[r#"{"s":"x"}"#])?;
    assert_eq!(missing.selected(s().call(Function::Concat, [Tree::field("t", Type::Text)]))?, [NULL]);
    assert_eq!(
        missing.matching(s().call(Function::Contains, [Tree::field("t", Type::Text)]))?,
        [] as [i64; 0]
    );
    Ok(())
}
