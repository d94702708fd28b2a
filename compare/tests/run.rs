//! `compare run` on the engines that Cargo builds: every workload at its smallest size.

mod support;

use support::{Dir, TestResult, cells, is_measured, text};
use vellum_compare::report::{Cell, Outcome, Row, Verdict};

#[test]
fn every_operation_is_right_on_vellum_and_on_the_controls() -> TestResult {
    let dir = Dir::new()?;
    let output = dir.run(&[
        "--workload",
        "EV,FS,JS,TM,TQ",
        "--size",
        "tiny",
        "--engine",
        "vellum,rusqlite,files",
        "--budget",
        "0.1",
    ])?;
    let said = text(&output.stdout);
    assert!(output.status.success(), "{said}{}", text(&output.stderr));
    let report = dir.report()?;
    assert_eq!(report.rows.iter().filter(|row| row.workload == "EV").count(), 34);
    assert_eq!(report.rows.iter().filter(|row| row.workload == "TM").count(), 10);
    assert_eq!(report.rows.iter().filter(|row| row.workload == "FS").count(), 15);
    assert_eq!(report.rows.iter().filter(|row| row.workload == "JS").count(), 6);
    assert_eq!(report.rows.iter().filter(|row| row.workload == "TQ").count(), 15);
    for row in &report.rows {
        for cell in &row.cells {
            assert!(is_lacking(row, cell) || is_measured(cell), "{} {cell:?}", row.name());
        }
    }
    let databases: Vec<_> = report.engines.iter().flat_map(|engine| &engine.databases).collect();
    assert_eq!(databases.len(), 2 + 2 + 2 + 2 * 2 * 2 + 2);
    assert!(databases.iter().all(|database| database.validated.as_deref() == Some("ok")), "{databases:?}");
    assert!(databases.iter().all(|database| database.file_bytes > 0 && database.peak_bytes > 0));
    assert!(!dir.has_leftovers()?);
    Ok(())
}

/// Whether a cell has to say why it has no time: plain files have no snapshots, and Vellum has neither trees of JSON nor
/// joins, and compiles nothing but queries, of which an ordinary one is not compiled beforehand.
fn is_lacking(row: &Row, cell: &Cell) -> bool {
    let is_lacking = match (cell.engine.as_str(), cell.variant.as_str()) {
        ("files", _) => row.name() == "FS1 snapshot",
        ("vellum", "compiled") => {
            ["JS1", "JS2", "JS3", "TQ-save", "TQ-saveload", "TQ-append", "TQ-join"].contains(&row.id.as_str())
        }
        ("vellum", _) => ["EV13", "JS1", "TQ-join"].contains(&row.id.as_str()),
        _ => false,
    };
    is_lacking && matches!(cell.outcome, Outcome::Unsupported { .. })
}

#[test]
fn vellum_is_wrong_in_no_case_of_the_matrix() -> TestResult {
    let dir = Dir::new()?;
    let output = dir.run(&["--workload", "MX", "--engine", "vellum"])?;
    assert!(output.status.success(), "{}", text(&output.stdout));
    let report = dir.report()?;
    assert_eq!(report.matrix.len(), 36);
    let verdicts: Vec<_> =
        report.matrix.iter().flat_map(|row| row.cells.iter().map(|cell| &cell.verdict)).collect();
    assert!(!verdicts.iter().any(|verdict| matches!(verdict, Verdict::Wrong { .. })), "{verdicts:?}");
    assert!(verdicts.iter().filter(|verdict| ***verdict == Verdict::Right).count() >= 28);
    Ok(())
}

#[test]
fn one_operation_can_be_asked_for_and_updates_leave_what_the_oracle_says() -> TestResult {
    let dir = Dir::new()?;
    let output = dir.run(&["--workload", "EV", "--size", "tiny", "--engine", "vellum", "--only", "EV10"])?;
    assert!(output.status.success(), "{}", text(&output.stdout));
    let report = dir.report()?;
    assert_eq!(report.rows.len(), 1);
    for cell in cells(&report, "EV10") {
        assert!(
            matches!(&cell.outcome, Outcome::Measured(measured) if measured.samples_ns.len() == 6),
            "{cell:?}"
        );
    }
    Ok(())
}

#[test]
fn a_workload_that_needs_what_is_not_built_says_so() -> TestResult {
    let dir = Dir::new()?;
    let output = dir.run(&["--workload", "MS,TS", "--engine", "vellum"])?;
    let said = text(&output.stdout);
    assert!(output.status.success(), "{said}");
    assert!(
        said.contains("MS: not built yet: tracked") && said.contains("TS: not built yet: grouped"),
        "{said}"
    );
    Ok(())
}
