//! The table of `docs/benchmarks.md`: medians in milliseconds, from the files that criterion leaves.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{BufReader, ErrorKind};
use std::path::Path;

use serde_json::Value;

use crate::suite::Engine;
use crate::{COUNTS, Outcome};

/// Returns a row for each operation and number of events that was measured, in the order of the operations' numbers.
pub(crate) fn table(results: &Path, names: &[String]) -> Outcome<String> {
    let mut out = String::from(
        "\n| operation | events | compiled | ordinary | control | compiled / control |\n|---|--:|--:|--:|--:|--:|\n",
    );
    let mut names: Vec<&str> = names.iter().map(String::as_str).collect();
    names.sort_by_key(|name| number(name));
    for name in names {
        for count in COUNTS {
            let of =
                |engine: Engine| median_ms(&results.join(name).join(engine.name()).join(count.to_string()));
            let [compiled, ordinary, control] = Engine::ALL.map(of);
            let (compiled, ordinary, control) = (compiled?, ordinary?, control?);
            if compiled.or(control).is_none() {
                continue;
            }
            let ratio = compiled.zip(control).map(|(ours, theirs)| ours / theirs);
            let [compiled, ordinary, control] = [compiled, ordinary, control].map(shown);
            let ratio = ratio.map_or_else(String::new, |ratio| format!("{ratio:.2}"));
            writeln!(out, "| {name} | {count} | {compiled} | {ordinary} | {control} | {ratio} |")?;
        }
    }
    Ok(out)
}

/// Returns the 5 of `EV5 wide`.
fn number(name: &str) -> Option<u32> {
    name.split_whitespace().next()?.strip_prefix("EV")?.parse().ok()
}

/// Returns the median of a function of criterion, if there is one.
fn median_ms(function: &Path) -> Outcome<Option<f64>> {
    let file = match File::open(function.join("new/estimates.json")) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        file => file?,
    };
    let estimates: Value = serde_json::from_reader(BufReader::new(file))?;
    let nanoseconds = estimates.pointer("/median/point_estimate").and_then(Value::as_f64);
    Ok(Some(nanoseconds.ok_or("an estimate without a median")? / 1e6))
}

/// Returns about three significant digits.
fn shown(ms: Option<f64>) -> String {
    match ms {
        None => String::new(),
        Some(ms) if ms < 0.1 => format!("{ms:.4}"),
        Some(ms) if ms < 1.0 => format!("{ms:.3}"),
        Some(ms) if ms < 10.0 => format!("{ms:.2}"),
        Some(ms) if ms < 100.0 => format!("{ms:.1}"),
        Some(ms) => format!("{ms:.0}"),
    }
}
