//! Text functions: positions and lengths in Unicode scalar values, full folding, patterns without backtracking.

use rusqlite::functions::Context;
use rusqlite::types::{ToSqlOutput, Value};

use super::{NULL, Number, Output, Scalar, int, number_arg, text_arg};

pub(super) const FUNCTIONS: &[Scalar] = &[
    ("vellum_len", 1, |c| of_text(c, |x| int(as_int(x.chars().count())))),
    ("vellum_byte_len", 1, |c| of_text(c, |x| int(as_int(x.len())))),
    ("vellum_bytes_len", 1, |c| of_text(c, |x| bytes_len(x).map_or(NULL, |len| int(as_int(len))))),
    ("vellum_substr", 3, substr_of),
    ("vellum_left", 2, left_of),
    ("vellum_lower", 1, |c| of_text(c, |x| text(x.to_lowercase()))),
    ("vellum_upper", 1, |c| of_text(c, |x| text(x.to_uppercase()))),
    ("vellum_trim", 1, |c| of_text(c, |x| text(x.trim().into()))),
    ("vellum_replace", 3, replace_of),
    ("vellum_concat", 2, |c| of_two(c, |a, b| text(format!("{a}{b}")))),
    ("vellum_contains", 2, |c| of_two(c, |x, needle| truth(x.contains(needle)))),
    ("vellum_starts_with", 2, |c| of_two(c, |x, prefix| truth(x.starts_with(prefix)))),
    ("vellum_ends_with", 2, |c| of_two(c, |x, suffix| truth(x.ends_with(suffix)))),
    ("vellum_like", 2, |c| of_two(c, |x, pattern| truth(like(x, pattern)))),
    ("vellum_ilike", 2, |c| of_two(c, |x, p| truth(like(&fold_each(x), &fold_each(p))))),
    ("vellum_glob", 2, |c| of_two(c, |x, pattern| truth(glob(x, pattern)))),
    ("vellum_eq_ignore_case", 2, |c| of_two(c, |a, b| truth(fold(a) == fold(b)))),
    ("vellum_prefix_end", 1, |c| of_text(c, |x| end(prefix_end(x)))),
    ("vellum_group_end", 2, group_end_of),
];

fn of_text(context: &Context<'_>, f: impl FnOnce(&str) -> ToSqlOutput<'static>) -> Output {
    Ok(text_arg(context, 0)?.map_or(NULL, f))
}

fn of_two(context: &Context<'_>, f: impl FnOnce(&str, &str) -> ToSqlOutput<'static>) -> Output {
    Ok(text_arg(context, 0)?.zip(text_arg(context, 1)?).map_or(NULL, |(a, b)| f(a, b)))
}

/// Returns how many bytes a base64 text of such a length, with such an end, stands for.
fn bytes_len(text: &str) -> Option<usize> {
    let padding = text.bytes().rev().take(2).take_while(|byte| *byte == b'=').count();
    text.len().is_multiple_of(4).then(|| text.len() / 4 * 3 - padding)
}

/// Returns a text without its case, by Unicode's default full folding.
fn fold(text: &str) -> String {
    caseless::default_case_fold_str(text)
}

/// Returns a text without its case, scalar for scalar, so that the `_` of a pattern still stands for one.
fn fold_each(text: &str) -> String {
    let single = |folded: String| {
        let mut chars = folded.chars();
        chars.next().filter(|_| chars.next().is_none())
    };
    let fold_one =
        |c: char| single(fold(c.encode_utf8(&mut [0; 4]))).or(single(c.to_lowercase().to_string()));
    text.chars().map(|c| fold_one(c).unwrap_or(c)).collect()
}

fn text(text: String) -> ToSqlOutput<'static> {
    ToSqlOutput::Owned(Value::Text(text))
}

fn truth(truth: bool) -> ToSqlOutput<'static> {
    int(i64::from(truth))
}

fn as_int(len: usize) -> i64 {
    i64::try_from(len).unwrap_or(i64::MAX)
}

/// A count that a query gave: a negative one is 0, a real one loses its fraction.
fn count_arg(context: &Context<'_>, i: usize) -> Option<usize> {
    match number_arg(context, i)? {
        Number::Int(int) => Some(usize::try_from(int.max(0)).unwrap_or(usize::MAX)),
        // The cast saturates.
        Number::Real(real) => Some(real as usize),
    }
}

fn left_of(context: &Context<'_>) -> Output {
    let (Some(x), Some(len)) = (text_arg(context, 0)?, count_arg(context, 1)) else { return Ok(NULL) };
    Ok(text(x.chars().take(len).collect()))
}

fn substr_of(context: &Context<'_>) -> Output {
    let (Some(x), Some(start), Some(len)) =
        (text_arg(context, 0)?, count_arg(context, 1), count_arg(context, 2))
    else {
        return Ok(NULL);
    };
    Ok(text(substr(x, start, len).into()))
}

fn substr(x: &str, start: usize, len: usize) -> &str {
    let rest = x.char_indices().nth(start).and_then(|(at, _)| x.get(at..)).unwrap_or("");
    match rest.char_indices().nth(len) {
        Some((at, _)) => rest.get(..at).unwrap_or(rest),
        None => rest,
    }
}

fn replace_of(context: &Context<'_>) -> Output {
    let (Some(x), Some(from), Some(to)) =
        (text_arg(context, 0)?, text_arg(context, 1)?, text_arg(context, 2)?)
    else {
        return Ok(NULL);
    };
    Ok(text(x.replace(from, to)))
}

/// An exclusive upper bound among texts; an empty blob sorts above every text.
fn end(bound: Option<String>) -> ToSqlOutput<'static> {
    ToSqlOutput::Owned(bound.map_or(Value::Blob(Vec::new()), Value::Text))
}

/// Returns the smallest text above every text that begins with `prefix`: its last scalar that can grow, grown.
fn prefix_end(prefix: &str) -> Option<String> {
    let mut chars = prefix.chars();
    loop {
        let next = match chars.next_back()? {
            char::MAX => continue,
            // The gap of the surrogates.
            '\u{d7ff}' => '\u{e000}',
            last => char::from_u32(u32::from(last) + 1)?,
        };
        let mut bound = chars.as_str().to_owned();
        bound.push(next);
        return Some(bound);
    }
}

fn group_end_of(context: &Context<'_>) -> Output {
    let (Some(key), Some(len)) = (text_arg(context, 0)?, count_arg(context, 1)) else { return Ok(NULL) };
    Ok(end(group_end(key, len)))
}

/// Returns the exclusive end of the texts whose first `len` scalars are `key`; a shorter key is the whole text.
fn group_end(key: &str, len: usize) -> Option<String> {
    if key.chars().count() < len { Some(format!("{key}\0")) } else { prefix_end(key) }
}

/// One step of a pattern that consumes one scalar, or a run.
#[derive(Clone, Copy)]
enum Token<'p> {
    Run,
    Any,
    Literal(char),
    /// The inside of `[..]`, and whether it is negated.
    Set(&'p str, bool),
    /// Matches nothing: an open bracket that is never closed.
    Nothing,
}

impl Token<'_> {
    fn matches(self, c: char) -> bool {
        match self {
            Token::Run | Token::Nothing => false,
            Token::Any => true,
            Token::Literal(literal) => literal == c,
            Token::Set(set, negated) => in_set(set, c) != negated,
        }
    }
}

/// `%` any run, `_` one scalar, `\` takes the next one as it is.
fn like(x: &str, pattern: &str) -> bool {
    matches(x, pattern, |rest| {
        let mut chars = rest.chars();
        let token = match chars.next()? {
            '%' => Token::Run,
            '_' => Token::Any,
            '\\' => Token::Literal(chars.next().unwrap_or('\\')),
            c => Token::Literal(c),
        };
        Some((token, chars.as_str()))
    })
}

/// SQLite's GLOB: `*`, `?`, `[..]`, `[^..]`.
fn glob(x: &str, pattern: &str) -> bool {
    matches(x, pattern, |rest| {
        let mut chars = rest.chars();
        let token = match chars.next()? {
            '*' => Token::Run,
            '?' => Token::Any,
            '[' => return Some(set(chars.as_str())),
            c => Token::Literal(c),
        };
        Some((token, chars.as_str()))
    })
}

/// Reads a set behind its `[`: `]` as its first member does not close it.
fn set(rest: &str) -> (Token<'_>, &str) {
    let (negated, inside) = match rest.strip_prefix('^') {
        Some(inside) => (true, inside),
        None => (false, rest),
    };
    let first = inside.chars().next().map_or(0, char::len_utf8);
    let close = inside.char_indices().find(|(at, c)| *c == ']' && *at >= first).map(|(at, _)| at);
    match close.and_then(|at| inside.split_at_checked(at)) {
        Some((set, rest)) => (Token::Set(set, negated), rest.strip_prefix(']').unwrap_or("")),
        None => (Token::Nothing, ""),
    }
}

/// `a-z` is a range where it has both ends.
fn in_set(set: &str, c: char) -> bool {
    let mut chars = set.chars().peekable();
    while let Some(from) = chars.next() {
        let mut ahead = chars.clone();
        if ahead.next() == Some('-')
            && let Some(to) = ahead.next()
        {
            if (from..=to).contains(&c) {
                return true;
            }
            chars = ahead;
        } else if from == c {
            return true;
        }
    }
    false
}

/// Matches a whole text. After a mismatch only the last run is made longer: an earlier one could win nothing, so the
/// time is bounded by the product of the lengths.
fn matches<'p>(x: &str, pattern: &'p str, next: impl Fn(&'p str) -> Option<(Token<'p>, &'p str)>) -> bool {
    let (mut text, mut pattern) = (x.chars(), pattern);
    let mut last_run = None;
    loop {
        let matched = match next(pattern) {
            Some((Token::Run, rest)) => {
                last_run = Some((text.clone(), rest));
                Some(rest)
            }
            Some((token, rest)) => text.next().filter(|c| token.matches(*c)).map(|_| rest),
            None if text.as_str().is_empty() => return true,
            None => None,
        };
        if let Some(rest) = matched {
            pattern = rest;
            continue;
        }
        let Some((from, rest)) = &mut last_run else { return false };
        if from.next().is_none() {
            return false;
        }
        (text, pattern) = (from.clone(), rest);
    }
}
