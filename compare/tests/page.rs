//! The page of a run: whole in itself, without a script, and as a browser reads it.

mod support;

use std::process::Command;

use support::{Dir, TestResult, text};
use vellum_compare::report::{
    Cell, EngineReport, MatrixCell, MatrixRow, Measured, Outcome, Report, Row, Verdict, html, markdown,
};

fn report() -> Report {
    let measured = |samples: &[f64]| {
        Outcome::Measured(Measured { samples_ns: samples.to_vec(), calls: 1, ..Measured::default() })
    };
    let cell = |engine: &str, outcome| Cell { engine: engine.to_owned(), variant: "v".to_owned(), outcome };
    let row = |count, cells| Row {
        workload: "EV".to_owned(),
        id: "EV4".to_owned(),
        case: String::new(),
        title: "count <by> a prefix".to_owned(),
        count,
        items: Some(7),
        of: "rusqlite".to_owned(),
        cells,
    };
    let wrong = Outcome::Wrong { expected: "1".to_owned(), found: "<b>2</b>".to_owned() };
    let small = vec![cell("rusqlite", measured(&[1e3, 2e3])), cell("vellum", measured(&[1e3]))];
    let large =
        vec![cell("rusqlite", measured(&[2e6])), cell("vellum", measured(&[1e6])), cell("liar", wrong)];
    let verdict = Verdict::Wrong { said: "[1 | 2]".to_owned() };
    Report {
        rows: vec![row(500, small), row(5_000, large)],
        engines: vec![EngineReport {
            name: "mongodb".to_owned(),
            not_run: Some("--mongodb-uri was not given".to_owned()),
            install: "a server".to_owned(),
            ..EngineReport::default()
        }],
        matrix: vec![MatrixRow {
            case: "prefix".to_owned(),
            title: "name starts with `a_`".to_owned(),
            expected: "[1]".to_owned(),
            cells: vec![MatrixCell { engine: "vellum".to_owned(), verdict }],
        }],
        ..Report::default()
    }
}

#[test]
fn the_page_is_whole_in_itself_and_has_no_script() {
    let page = html(&report());
    for foreign in ["<script", "http:", "https:", "url(", "@import", "<b>2</b>", "<by>"] {
        assert!(!page.contains(foreign), "{foreign}");
    }
    for wanted in ["prefers-color-scheme: dark", "width=device-width", "not run: --mongodb-uri was not given"]
    {
        assert!(page.contains(wanted), "{wanted}");
    }
}

#[test]
fn a_wrong_answer_stands_above_all_times() {
    for text in [html(&report()), markdown(&report())] {
        let wrong = text.find("Wrong answers").expect("a heading");
        assert!(wrong < text.find("count").expect("a row"), "{text}");
    }
}

#[test]
fn markdown_ends_no_cell_by_what_an_engine_said() {
    assert!(markdown(&report()).contains("| **wrong**: `[1 \\| 2]` |"));
}

#[test]
fn a_browser_sees_a_bar_for_each_time() -> TestResult {
    let dir = Dir::new()?;
    report().render(dir.path())?;
    let page = format!("file://{}", dir.path().join("report.html").display());
    let arguments = ["--headless", "--no-sandbox", "--disable-gpu", "--dump-dom", &page];
    let Ok(output) = Command::new("chromium").args(arguments).output() else {
        eprintln!("not run: chromium was not found");
        return Ok(());
    };
    let seen = text(&output.stdout);
    // Four times, and the lead of the larger size.
    assert_eq!(seen.matches("<rect").count(), 5, "{seen}");
    assert_eq!(seen.matches("<polyline").count(), 3, "{seen}");
    Ok(())
}
