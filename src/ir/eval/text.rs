//! Functions over text (rules 11 to 14).

use super::json::Json;
use crate::ir::doc::Function;

/// Returns whether the condition holds for a text and its argument.
pub(super) fn condition(function: Function, text: &str, argument: &str) -> bool {
    match function {
        Function::StartsWith => text.starts_with(argument),
        Function::EndsWith => text.ends_with(argument),
        Function::Contains => text.contains(argument),
        Function::Like => like(&scalars(text), &scalars(argument)),
        Function::Ilike => like(&fold_each(text), &fold_each(argument)),
        Function::Glob => glob(&scalars(text), &scalars(argument)),
        Function::EqIgnoreCase => fold(text) == fold(argument),
        _ => false,
    }
}

/// Computes a function that is no condition; null where an argument is null or of another kind.
pub(super) fn function(function: Function, args: &[Json]) -> Json {
    match (function, args) {
        (Function::Len, [Json::Text(text)]) => count(text.chars().count()),
        (Function::ByteLen, [Json::Text(text)]) => count(text.len()),
        (Function::BytesLen, [Json::Text(text)]) => match text.len() % 4 {
            0 => {
                count(text.len() / 4 * 3 - if text.ends_with("==") { 2 } else { text.ends_with('=').into() })
            }
            _ => Json::Null,
        },
        (Function::Lower, [Json::Text(text)]) => Json::Text(text.to_lowercase()),
        (Function::Upper, [Json::Text(text)]) => Json::Text(text.to_uppercase()),
        (Function::Trim, [Json::Text(text)]) => Json::Text(text.trim().to_owned()),
        (Function::Substr, [Json::Text(text), Json::Int(start), Json::Int(len)]) => {
            substr(text, *start, *len)
        }
        (Function::Left, [Json::Text(text), Json::Int(len)]) => substr(text, 0, *len),
        (Function::Replace, [Json::Text(text), Json::Text(from), Json::Text(to)]) => {
            Json::Text(text.replace(from, to))
        }
        (Function::Concat, [Json::Text(a), Json::Text(b)]) => Json::Text(format!("{a}{b}")),
        _ => Json::Null,
    }
}

fn count(n: usize) -> Json {
    i64::try_from(n).map_or(Json::Null, Json::Int)
}

fn substr(text: &str, start: i64, len: i64) -> Json {
    let [Ok(start), Ok(len)] = [start, len].map(usize::try_from) else { return Json::Null };
    Json::Text(text.chars().skip(start).take(len).collect())
}

fn scalars(text: &str) -> Vec<char> {
    text.chars().collect()
}

/// Folds by Unicode's full case folding. The dotless i folds to itself; every other letter reaches its folded form
/// by going down, up and down again, which is what makes the sharp s equal `ss` and the final sigma equal sigma.
fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    for c in text.chars() {
        if c == '\u{131}' {
            folded.push(c);
        } else {
            folded.extend(c.to_lowercase().flat_map(char::to_uppercase).flat_map(char::to_lowercase));
        }
    }
    folded
}

/// Folds scalar for scalar, so that the `_` of a pattern still stands for one.
fn fold_each(text: &str) -> Vec<char> {
    let single = |text: String| Some(text.chars().next()?).filter(|_| text.chars().count() == 1);
    let fold_one =
        |c: char| single(fold(&c.to_string())).or(single(c.to_lowercase().to_string())).unwrap_or(c);
    text.chars().map(fold_one).collect()
}

/// Matches `%` (any run), `_` (one scalar value) and `\` (the next one means itself).
fn like(text: &[char], pattern: &[char]) -> bool {
    match pattern {
        [] => text.is_empty(),
        ['%', rest @ ..] => tails(text).any(|tail| like(tail, rest)),
        ['_', rest @ ..] => text.split_first().is_some_and(|(_, tail)| like(tail, rest)),
        ['\\', c, rest @ ..] | [c, rest @ ..] => {
            text.split_first().is_some_and(|(head, tail)| head == c && like(tail, rest))
        }
    }
}

/// Matches `*` (any run), `?` (one scalar value) and `[..]` (one of a set, or with `^` none of it).
fn glob(text: &[char], pattern: &[char]) -> bool {
    match pattern {
        [] => text.is_empty(),
        ['*', rest @ ..] => tails(text).any(|tail| glob(tail, rest)),
        ['?', rest @ ..] => text.split_first().is_some_and(|(_, tail)| glob(tail, rest)),
        ['[', rest @ ..] => {
            let (Some((head, tail)), Some(set)) = (text.split_first(), Set::read(rest)) else { return false };
            set.holds(*head) && glob(tail, set.rest)
        }
        [c, rest @ ..] => text.split_first().is_some_and(|(head, tail)| head == c && glob(tail, rest)),
    }
}

fn tails(text: &[char]) -> impl Iterator<Item = &[char]> {
    (0..=text.len()).filter_map(|from| text.get(from..))
}

/// A bracket of a glob pattern.
struct Set<'a> {
    negated: bool,
    ranges: Vec<(char, char)>,
    /// The pattern behind the bracket.
    rest: &'a [char],
}

impl<'a> Set<'a> {
    /// Reads what follows `[`; none when the bracket is not closed. A `]` that comes first is a member.
    fn read(pattern: &'a [char]) -> Option<Set<'a>> {
        let (negated, mut rest) = match pattern {
            ['^', rest @ ..] => (true, rest),
            rest => (false, rest),
        };
        let mut ranges = Vec::new();
        if let [']', behind @ ..] = rest {
            ranges.push((']', ']'));
            rest = behind;
        }
        loop {
            rest = match rest {
                [] => return None,
                [']', behind @ ..] => return Some(Set { negated, ranges, rest: behind }),
                [low, '-', high, behind @ ..] if *high != ']' => {
                    ranges.push((*low, *high));
                    behind
                }
                [c, behind @ ..] => {
                    ranges.push((*c, *c));
                    behind
                }
            };
        }
    }

    fn holds(&self, c: char) -> bool {
        self.ranges.iter().any(|(low, high)| (*low..=*high).contains(&c)) != self.negated
    }
}

/// Returns a uuid in lower case and with hyphens, however serde reads it: with them, without, in braces, or as a URN.
pub(super) fn uuid(text: &str) -> String {
    let lower = text.to_ascii_lowercase();
    match lower.len() {
        36 => lower,
        32 => match [lower.get(..8), lower.get(8..12), lower.get(12..16), lower.get(16..20), lower.get(20..)]
        {
            [Some(a), Some(b), Some(c), Some(d), Some(e)] => [a, b, c, d, e].join("-"),
            _ => text.to_owned(),
        },
        38 => lower.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')).unwrap_or(text).to_owned(),
        45 => lower.strip_prefix("urn:uuid:").unwrap_or(text).to_owned(),
        _ => text.to_owned(),
    }
}
