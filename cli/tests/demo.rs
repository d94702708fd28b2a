//! `vellum demo`, run as a user runs it.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};
use std::{env, fs, io, process, thread};

use serde_json::Value;

fn vellum(arguments: &[&str]) -> io::Result<Output> {
    Command::new(env!("CARGO_BIN_EXE_vellum")).args(arguments).output()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A directory that goes with its test.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> io::Result<Self> {
        let dir = env::temp_dir().join(format!("vellum-demo-test-{}-{name}", process::id()));
        fs::create_dir_all(&dir)?;
        Ok(Self(dir))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).ok();
    }
}

const CASES: &[(&str, &str)] = &[
    ("EV1", "fresh"),
    ("EV1", "batch"),
    ("EV2", "one each"),
    ("EV2", "six"),
    ("EV2", "narrow index"),
    ("EV2", "compound"),
    ("EV3", ""),
    ("EV4", ""),
    ("EV5", "wide"),
    ("EV5", "narrow"),
    ("EV5", "compound wide"),
    ("EV5", "compound narrow"),
    ("EV6", "0"),
    ("EV6", "5000"),
    ("EV6", "ten"),
    ("EV6", "random"),
    ("EV6", "ui 0"),
    ("EV6", "ui 5000"),
    ("EV6", "ui ten"),
    ("EV6", "ui random"),
    ("EV7", ""),
    ("EV8", "single"),
    ("EV8", "snapshot"),
    ("EV9", ""),
    ("EV10", ""),
    ("EV11", ""),
    ("EV12", "scan"),
    ("EV12", "index"),
    ("EV13", "count"),
    ("EV13", "prefix"),
    ("EV13", "two prefixes"),
    ("EV13", "tag"),
    ("EV13", "page"),
    ("EV13", "point"),
    ("EV13", "group"),
    ("EV13", "call"),
    ("EV14", ""),
];

#[test]
fn json_has_a_row_for_each_case_of_the_workload() -> Result<(), Box<dyn std::error::Error>> {
    let output = vellum(&["demo", "--events", "2000", "--json"])?;
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_eq!(text(&output.stderr), "", "no progress where nobody looks");
    let report: Value = serde_json::from_slice(&output.stdout)?;
    let rows = report["rows"].as_array().ok_or("rows")?;
    let cases: Vec<_> = rows.iter().map(|row| (row["id"].as_str(), row["case"].as_str())).collect();
    let expected: Vec<_> = CASES.iter().map(|&(id, case)| (Some(id), Some(case))).collect();
    assert_eq!(cases, expected);
    for row in rows {
        let control = row["control_ms"].as_f64().ok_or("control_ms")?;
        assert!((0.0001..60_000.0).contains(&control), "{row}");
        for column in ["compiled_ms", "ordinary_ms", "planner_ms", "plain_file_ms"] {
            assert!(
                row[column].is_null() || row[column].as_f64().is_some_and(|ms| ms > 0.0),
                "{column} {row}"
            );
        }
        let (id, case) = (row["id"].as_str().ok_or("id")?, row["case"].as_str().ok_or("case")?);
        // Vellum has no cursor; and what is no query is the same call, compiled or not.
        assert_eq!(row["compiled_ms"].is_number(), id != "EV7", "{row}");
        let is_query = !matches!(id, "EV1" | "EV2" | "EV7") && (id != "EV13" || case == "call");
        assert_eq!(row["ordinary_ms"].is_number(), is_query, "{row}");
        if let Some(compiled) = row["compiled_ms"].as_f64() {
            let ratio = row["ratio"].as_f64().ok_or("ratio")?;
            assert!((ratio * control / compiled - 1.0).abs() < 1e-9, "{row}");
        }
        assert_eq!(row["of"], "control");
        assert_eq!(row["bytes"].is_u64(), row["id"] == "EV2" && row["case"] != "one each", "{row}");
        assert_eq!(row["heap_bytes"].is_u64(), row["id"] == "EV14", "{row}");
    }
    Ok(())
}

const FILES: &[(&str, &str)] = &[
    ("FS1", "snapshot"),
    ("FS1", "handle"),
    ("FS1", "path"),
    ("FS2", ""),
    ("FS3", ""),
    ("FS4", "grow"),
    ("FS4", "truncate"),
    ("FS5", "up"),
    ("FS5", "down"),
    ("FS5", "stream"),
    ("FS6", "put"),
    ("FS6", "put 64"),
    ("FS6", "get"),
    ("FS6", "get 64"),
    ("FS7", ""),
];

#[test]
fn files_are_measured_beside_plain_ones() -> Result<(), Box<dyn std::error::Error>> {
    let scratch = Scratch::new("files")?;
    let path = scratch.0.join("files.db");
    let output = vellum(&["demo", "files", "--json", "--path", path.to_str().ok_or("path")?])?;
    assert!(output.status.success(), "{}", text(&output.stderr));
    let report: Value = serde_json::from_slice(&output.stdout)?;
    let rows = report["rows"].as_array().ok_or("rows")?;
    let cases: Vec<_> = rows.iter().map(|row| (row["id"].as_str(), row["case"].as_str())).collect();
    let expected: Vec<_> = FILES.iter().map(|&(id, case)| (Some(id), Some(case))).collect();
    assert_eq!(cases, expected);
    for row in rows {
        let plain = row["plain_file_ms"].as_f64().ok_or("plain_file_ms")?;
        let compiled = row["compiled_ms"].as_f64().ok_or("compiled_ms")?;
        let ratio = row["ratio"].as_f64().ok_or("ratio")?;
        assert!((ratio * plain / compiled - 1.0).abs() < 1e-9, "{row}");
        assert_eq!(row["of"], "plain_file");
        let heap = row["heap_bytes"].as_u64();
        assert_eq!(heap.is_some(), row["case"] == "stream", "{row}");
        // A stream of any length is held in parts.
        assert!(heap.is_none_or(|peak| peak < 8 << 20), "{row}");
    }
    assert!(path.exists() && !scratch.0.join("files.db-plain").exists());
    Ok(())
}

#[test]
fn a_named_file_is_kept_and_not_written_to_again() -> Result<(), Box<dyn std::error::Error>> {
    let scratch = Scratch::new("kept")?;
    let path = scratch.0.join("events.db");
    let path = path.to_str().ok_or("path")?;
    let output = vellum(&["demo", "--events", "50", "--path", path])?;
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(
        text(&output.stdout).contains(&format!("look at it with: sqlite3 {path}")),
        "{}",
        text(&output.stdout)
    );
    let again = vellum(&["demo", "--events", "50", "--path", path])?;
    assert_eq!(again.status.code(), Some(1));
    assert!(text(&again.stderr).contains("exists"), "{}", text(&again.stderr));
    Ok(())
}

#[test]
fn temporary_files_are_gone_at_the_end() -> io::Result<()> {
    let demo = Command::new(env!("CARGO_BIN_EXE_vellum"))
        .args(["demo", "--events", "50"])
        .stdout(Stdio::piped())
        .spawn()?;
    let name = format!("vellum-demo-{}", demo.id());
    assert!(demo.wait_with_output()?.status.success());
    for root in [Path::new("/dev/shm"), &env::temp_dir()] {
        assert!(!root.join(&name).exists(), "{name} in {}", root.display());
    }
    Ok(())
}

#[cfg(unix)]
#[test]
fn temporary_files_are_gone_after_ctrl_c() -> io::Result<()> {
    let mut demo = Command::new(env!("CARGO_BIN_EXE_vellum"))
        .args(["demo", "--events", "20000"])
        .stdout(Stdio::null())
        .spawn()?;
    let name = format!("vellum-demo-{}", demo.id());
    let dirs = [Path::new("/dev/shm").join(&name), env::temp_dir().join(&name)];
    let deadline = Instant::now() + Duration::from_secs(60);
    // The control's file comes after the hook.
    while !dirs.iter().any(|dir| dir.join("demo.db-control").exists()) && Instant::now() < deadline {
        assert_eq!(demo.try_wait()?, None, "it ended by itself");
        thread::sleep(Duration::from_millis(5));
    }
    assert!(Command::new("kill").args(["-INT", &demo.id().to_string()]).status()?.success());
    assert_eq!(demo.wait()?.code(), Some(130));
    assert!(dirs.iter().all(|dir| !dir.exists()), "{name}");
    Ok(())
}

#[test]
fn the_table_says_what_was_measured_and_how() -> io::Result<()> {
    let output = vellum(&["demo", "--events", "50", "--memory"])?;
    let table = text(&output.stdout);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(table.starts_with("50 events, WAL, synchronous OFF"), "{table}");
    for (id, case) in CASES {
        assert!(
            table.lines().any(|line| line.starts_with(id) && line.contains(case)),
            "{id} {case}\n{table}"
        );
    }
    Ok(())
}

#[test]
fn wrong_arguments_end_with_status_2_and_say_what_is_wrong() -> io::Result<()> {
    for (arguments, hint) in [
        (&["demo", "--events", "none"][..], "--events"),
        (&["demo", "--events", "0"], "--events"),
        (&["demo", "--memory", "--path", "x.db"], "cannot be used with"),
        (&["demo", "--unknown"], "--unknown"),
        (&["undo"], "undo"),
        (&[], "demo"),
    ] {
        let output = vellum(arguments)?;
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(text(&output.stderr).contains(hint), "{arguments:?}: {}", text(&output.stderr));
        assert!(output.stdout.is_empty(), "{arguments:?}");
    }
    Ok(())
}

#[test]
fn a_file_that_cannot_be_made_ends_with_status_1() -> io::Result<()> {
    let scratch = Scratch::new("nowhere")?;
    let path = scratch.0.join("missing").join("events.db");
    let output = vellum(&["demo", "--events", "50", "--path", &path.to_string_lossy()])?;
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).starts_with("vellum: the control failed"), "{}", text(&output.stderr));
    Ok(())
}
