//! Engines that lie, die, say nothing or are not there; and a user who loses patience.

mod support;

use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use support::{Dir, PLANTED, TestResult, cells, is_measured, text};
use vellum_compare::report::Outcome;

#[test]
fn an_engine_that_lies_has_no_time_and_is_named_above_all_times() -> TestResult {
    let dir = Dir::new()?;
    let output = dir.run(&[
        "--engines",
        PLANTED,
        "--engine",
        "liar",
        "--workload",
        "EV",
        "--size",
        "tiny",
        "--only",
        "EV4",
    ])?;
    let said = text(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.starts_with("WRONG  EV4 on liar ordinary: WRONG: expected 100, found 101\n"), "{said}");
    let report = dir.report()?;
    for cell in cells(&report, "EV4") {
        assert!(
            matches!(&cell.outcome, Outcome::Wrong { expected, found } if expected == "100" && found == "101")
        );
    }
    Ok(())
}

#[test]
fn a_document_that_comes_back_changed_has_no_time() -> TestResult {
    let dir = Dir::new()?;
    let output = dir.run(&["--engines", PLANTED, "--engine", "mangler", "--workload", "JS"])?;
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stdout));
    let report = dir.report()?;
    let cells: Vec<_> = report.rows.iter().flat_map(|row| &row.cells).collect();
    assert_eq!(cells.len(), 6 * 2);
    assert!(cells.iter().all(|cell| matches!(cell.outcome, Outcome::Wrong { .. })), "{cells:?}");
    Ok(())
}

#[test]
fn another_row_than_the_one_that_was_asked_for_has_no_time() -> TestResult {
    let dir = Dir::new()?;
    let output =
        dir.run(&["--engines", PLANTED, "--engine", "mangler", "--workload", "TQ", "--budget", "0.01"])?;
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stdout));
    let report = dir.report()?;
    for row in &report.rows {
        let is_wrong = |outcome: &Outcome| matches!(outcome, Outcome::Wrong { .. });
        assert!(row.cells.iter().all(|cell| is_wrong(&cell.outcome) == (row.id == "TQ-point")), "{row:?}");
    }
    Ok(())
}

#[test]
fn an_engine_that_dies_spoils_its_row_and_the_rest_goes_on() -> TestResult {
    // The engine that it hands requests to has to be there.
    Dir::new()?.run(&["--engines", PLANTED, "--engine", "liar", "--workload", "EV", "--only", "none"])?;
    let dir = Dir::new()?;
    let output = dir.run(&[
        "--engines",
        PLANTED,
        "--engine",
        "mortal",
        "--workload",
        "EV",
        "--size",
        "tiny",
        "--only",
        "EV",
        "--budget",
        "0.01",
    ])?;
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stdout));
    let report = dir.report()?;
    for cell in cells(&report, "EV4") {
        let Outcome::Failed { why } = &cell.outcome else { panic!("{cell:?}") };
        assert!(why.contains("the engine ended") && why.contains("no more memory"), "{why}");
    }
    for name in ["EV3", "EV5 wide", "EV14", "EV10"] {
        assert!(cells(&report, name).into_iter().all(is_measured), "{name}");
    }
    assert!(!dir.has_leftovers()?);
    Ok(())
}

#[test]
fn an_engine_without_indexes_is_asked_for_what_is_not_about_them() -> TestResult {
    let dir = Dir::new()?;
    let output = dir.run(&[
        "--engines",
        PLANTED,
        "--engine",
        "barren",
        "--workload",
        "EV",
        "--size",
        "tiny",
        "--budget",
        "0.01",
    ])?;
    assert!(output.status.success(), "{}", text(&output.stdout));
    let report = dir.report()?;
    for row in &report.rows {
        let is_asked = ["EV1", "EV3", "EV8 single", "EV8 snapshot", "EV10", "EV12 scan", "EV14"];
        for cell in &row.cells {
            match &cell.outcome {
                Outcome::Measured(measured) if is_asked.contains(&row.name().as_str()) => {
                    let says_so = measured.notes.iter().any(|note| note.starts_with("no indexes: "));
                    assert_eq!(says_so, row.id != "EV1", "{} {measured:?}", row.name());
                }
                Outcome::Unsupported { why } => {
                    assert!(
                        !is_asked.contains(&row.name().as_str()) && why.contains("nothing"),
                        "{}",
                        row.name()
                    );
                }
                other => panic!("{} {other:?}", row.name()),
            }
        }
    }
    Ok(())
}

#[test]
fn an_engine_that_says_nothing_and_one_that_is_not_there_do_not_run() -> TestResult {
    let dir = Dir::new()?;
    let output =
        dir.run(&["--engines", PLANTED, "--engine", "mute,absent", "--timeout", "0.2", "--workload", "EV"])?;
    let said = text(&output.stdout);
    assert!(output.status.success(), "{said}");
    assert!(said.contains("mute: not run: no answer for 0.2 s, given up (nothing to install)"), "{said}");
    assert!(
        said.contains("absent: not run: no-such-program was not found (there is no such program)"),
        "{said}"
    );
    Ok(())
}

#[test]
fn unknown_names_list_the_choices() -> TestResult {
    let dir = Dir::new()?;
    let output = dir.run(&["--engine", "velum"])?;
    assert_eq!(output.status.code(), Some(1));
    let said = text(&output.stderr);
    assert!(
        said.starts_with("error: there is no engine `velum`; the engines are rusqlite, files, vellum"),
        "{said}"
    );
    let output = dir.run(&["--size", "huge"])?;
    assert!(text(&output.stderr).contains("[possible values: tiny, small, medium, full]"));
    Ok(())
}

#[test]
fn an_interrupted_run_leaves_a_partial_report_and_nothing_else() -> TestResult {
    let dir = Dir::new()?;
    let child = dir.start(&["--engine", "rusqlite", "--workload", "EV", "--size", "medium"])?;
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw).ok_or("no process")?;
    // Until the engine is at work.
    let start = Instant::now();
    while !dir.has_leftovers()? && start.elapsed() < Duration::from_secs(300) {
        thread::sleep(Duration::from_millis(20));
    }
    thread::sleep(Duration::from_millis(500));
    kill_process(pid, Signal::INT)?;
    let output = child.wait_with_output()?;
    assert_eq!(output.status.code(), Some(130), "{}", text(&output.stderr));
    let report = dir.report()?;
    assert!(report.is_partial);
    assert!(text(&output.stdout).contains("interrupted: rows are missing"));
    assert!(!dir.has_leftovers()?);
    Ok(())
}
