//! The engines that are neither Vellum nor a control, at their smallest size, each where the machine has it.
//!
//! They take minutes to build, so that they are asked for: `COMPARE_OTHERS=1 cargo test --test others`. LiteDB's
//! assemblies for Mono are in the folder of `COMPARE_LITEDB`, a MongoDB server is at `COMPARE_MONGODB_URI`.

mod support;

use std::env;

use support::{Dir, TestResult, text};
use vellum_compare::report::{Cell, Outcome, Report, Verdict};

/// Runs `engine` on `workloads`; nothing, and a line that says why, where it is not there.
fn run(engine: &str, workloads: &str) -> Result<Option<Report>, Box<dyn std::error::Error>> {
    if env::var_os("COMPARE_OTHERS").is_none() {
        eprintln!("{engine} was not tested: COMPARE_OTHERS is not set");
        return Ok(None);
    }
    let dir = Dir::new()?;
    let engines = format!("rusqlite,{engine}");
    let mut arguments =
        vec!["--workload", workloads, "--engine", &engines, "--size", "tiny", "--budget", "0.1"];
    let options = [("--litedb", "COMPARE_LITEDB"), ("--mongodb-uri", "COMPARE_MONGODB_URI")]
        .map(|(option, variable)| (option, env::var(variable).unwrap_or_default()));
    for (option, value) in options.iter().filter(|(_, value)| !value.is_empty()) {
        arguments.extend([*option, value.as_str()]);
    }
    let output = dir.run(&arguments)?;
    let report = dir.report().map_err(|error| format!("{error}: {}", text(&output.stderr)))?;
    assert!(!dir.has_leftovers()?);
    let not_run =
        report.engines.iter().find(|report| report.name == engine).and_then(|it| it.not_run.as_ref());
    if let Some(why) = not_run {
        eprintln!("{engine} was not tested: {why}");
        return Ok(None);
    }
    Ok(Some(report))
}

/// Returns how many cells of `engine` in a workload have a time; none may be wrong, or fail.
fn measured(report: &Report, engine: &str, workload: &str) -> usize {
    let rows = report.rows.iter().filter(|row| row.workload == workload);
    let cells = rows.flat_map(|row| row.cells.iter().map(move |cell| (row, cell)));
    let cells: Vec<_> = cells.filter(|(_, cell)| cell.engine == engine).collect();
    for (row, cell) in &cells {
        let is_sound = matches!(cell.outcome, Outcome::Measured(_) | Outcome::Unsupported { .. });
        assert!(is_sound, "{} {cell:?}", row.name());
    }
    cells.iter().filter(|(_, cell)| matches!(cell.outcome, Outcome::Measured(_))).count()
}

/// Returns the cases of the matrix in which `engine` is wrong.
fn wrong<'r>(report: &'r Report, engine: &str) -> Vec<&'r str> {
    let is_wrong = |row: &&vellum_compare::report::MatrixRow| {
        row.cells.iter().any(|cell| cell.engine == engine && matches!(cell.verdict, Verdict::Wrong { .. }))
    };
    report.matrix.iter().filter(is_wrong).map(|row| row.case.as_str()).collect()
}

#[test]
fn litedb_is_right_and_the_matrix_finds_what_is_known_of_it() -> TestResult {
    let Some(report) = run("litedb", "EV,TM,MX")? else { return Ok(()) };
    // Three operations are about an index on two fields, and nine cells of EV13 have nothing to prepare.
    assert_eq!(measured(&report, "litedb", "EV"), 34 * 2 - 3 * 2 - 9);
    assert_eq!(measured(&report, "litedb", "TM"), 10);
    let known = ["range-over-null", "prefix", "prefix", "integer-division", "file-replace-fails"];
    assert_eq!(wrong(&report, "litedb"), known);
    Ok(())
}

#[test]
fn tinymongo_is_right_in_one_and_in_four_processes() -> TestResult {
    let Some(report) = run("tinymongo", "TM")? else { return Ok(()) };
    assert_eq!(measured(&report, "tinymongo", "TM"), 10);
    Ok(())
}

#[test]
fn ferretdb_is_right_in_what_it_has() -> TestResult {
    // Its look-ups scan: all of EV takes many minutes.
    let Some(report) = run("ferretdb", "TM,MX")? else { return Ok(()) };
    assert_eq!(measured(&report, "ferretdb", "TM"), 20);
    Ok(())
}

#[test]
fn mongodb_is_right_where_a_server_is_given() -> TestResult {
    let Some(report) = run("mongodb", "EV,TM,MX")? else { return Ok(()) };
    assert!(measured(&report, "mongodb", "EV") >= 50);
    Ok(())
}

#[test]
fn redb_is_right_with_tables_that_stand_for_indexes() -> TestResult {
    let Some(report) = run("redb", "EV,TM")? else { return Ok(()) };
    // It has no cursors and nothing to compile.
    assert_eq!(measured(&report, "redb", "EV"), 34 - 1 - 7);
    assert_eq!(measured(&report, "redb", "TM"), 5);
    Ok(())
}

#[test]
fn native_db_is_right_with_the_keys_that_its_model_declares() -> TestResult {
    let Some(report) = run("native_db", "EV,TM")? else { return Ok(()) };
    // Nor has it indexes to make, or one on two fields.
    assert_eq!(measured(&report, "native_db", "EV"), 34 - 1 - 7 - 3 - 2);
    assert_eq!(measured(&report, "native_db", "TM"), 5);
    let row = report.rows.iter().find(|row| row.name() == "EV2 six").ok_or("no row")?;
    let says_why = |cell: &Cell| matches!(&cell.outcome, Outcome::Unsupported { why } if why.contains("declared with its documents"));
    assert!(row.cells.iter().any(|cell| cell.engine == "native_db" && says_why(cell)), "{row:?}");
    Ok(())
}

#[test]
fn tinystore_is_right_in_rows_of_its_sql_engine() -> TestResult {
    let Some(report) = run("tinystore", "EV,TM")? else { return Ok(()) };
    // It has no transaction that only reads, and compiles nothing by itself.
    assert_eq!(measured(&report, "tinystore", "EV"), 34 - 1 - 7);
    assert_eq!(measured(&report, "tinystore", "TM"), 5);
    Ok(())
}
