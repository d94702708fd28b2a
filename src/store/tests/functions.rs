//! Each SQL function of ours against Rust.

use super::*;

/// What a statement answers with these values bound.
#[derive(Clone, Debug, PartialEq)]
enum Answer {
    Null,
    Int(i64),
    Real(f64),
    Text(String),
    Blob(Vec<u8>),
    Overflow(String),
    DivisionByZero(String),
}

fn ask(conn: &Conn, sql: &str, binds: &[Bind<'_>]) -> Result<Answer, StoreError> {
    let answer = conn.first(sql, binds, |row| {
        Ok(match row.cell(0)? {
            Cell::Null => Answer::Null,
            Cell::Int(int) => Answer::Int(int),
            Cell::Real(real) => Answer::Real(real),
            Cell::Text(text) => Answer::Text(text.into()),
            Cell::Blob(blob) => Answer::Blob(blob.into()),
        })
    });
    match answer {
        Err(StoreError::Overflow { expr }) => Ok(Answer::Overflow(expr.into())),
        Err(StoreError::DivisionByZero { expr }) => Ok(Answer::DivisionByZero(expr.into())),
        other => Ok(other?.expect("a row")),
    }
}

fn reader() -> Result<crate::store::Reader, StoreError> {
    Engine::open_in_memory(&Options::default())?.reader()
}

const TEXTS: [&str; 16] = [
    "",
    "a",
    "ab",
    "aB\0c",
    "\0",
    "\0\0",
    "\u{1f600}",
    "x\u{1f600}\0y",
    "\u{e9}\u{c9}",
    "  \u{a0}pad\t",
    "%_\\",
    "[a-z]",
    "\u{10ffff}",
    "a\u{d7ff}",
    "\u{df}\u{130}\u{3a3}",
    "aaaaab",
];

fn truth(truth: bool) -> Answer {
    Answer::Int(i64::from(truth))
}

#[test]
fn text_functions_do_as_rust_does() -> TestResult {
    let reader = reader()?;
    type One = fn(&str) -> Answer;
    let ones: [(&str, One); 5] = [
        ("vellum_len", |x| Answer::Int(x.chars().count() as i64)),
        ("vellum_byte_len", |x| Answer::Int(x.len() as i64)),
        ("vellum_lower", |x| Answer::Text(x.to_lowercase())),
        ("vellum_upper", |x| Answer::Text(x.to_uppercase())),
        ("vellum_trim", |x| Answer::Text(x.trim().into())),
    ];
    type Two = fn(&str, &str) -> Answer;
    let twos: [(&str, Two); 5] = [
        ("vellum_concat", |a, b| Answer::Text(format!("{a}{b}"))),
        ("vellum_contains", |a, b| truth(a.contains(b))),
        ("vellum_starts_with", |a, b| truth(a.starts_with(b))),
        ("vellum_ends_with", |a, b| truth(a.ends_with(b))),
        ("vellum_eq_ignore_case", |a, b| truth(a.to_lowercase() == b.to_lowercase())),
    ];
    for a in TEXTS {
        for (name, model) in ones {
            assert_eq!(
                ask(&reader, &format!("SELECT {name}(?1)"), &[Bind::Text(a)])?,
                model(a),
                "{name} {a:?}"
            );
        }
        for b in TEXTS {
            for (name, model) in twos {
                let got = ask(&reader, &format!("SELECT {name}(?1, ?2)"), &[Bind::Text(a), Bind::Text(b)])?;
                assert_eq!(got, model(a, b), "{name} {a:?} {b:?}");
            }
            let binds = [Bind::Text(a), Bind::Text(b), Bind::Text("\0-")];
            let got = ask(&reader, "SELECT vellum_replace(?1, ?2, ?3)", &binds)?;
            assert_eq!(got, Answer::Text(a.replace(b, "\0-")));
        }
        for start in [-1, 0, 1, 2, 5, i64::MAX] {
            for len in [-1, 0, 1, 2, 9, i64::MAX] {
                let binds = [Bind::Text(a), Bind::Int(start), Bind::Int(len)];
                let model = a.chars().skip(start.max(0) as usize).take(len.max(0) as usize).collect();
                assert_eq!(ask(&reader, "SELECT vellum_substr(?1, ?2, ?3)", &binds)?, Answer::Text(model));
            }
        }
    }
    Ok(())
}

/// The definition of a pattern, without regard to time.
fn like_model(x: &[char], pattern: &[char]) -> bool {
    match pattern {
        [] => x.is_empty(),
        ['%', rest @ ..] => (0..=x.len()).any(|skipped| like_model(&x[skipped..], rest)),
        ['_', rest @ ..] => !x.is_empty() && like_model(&x[1..], rest),
        ['\\', c, rest @ ..] | [c, rest @ ..] => x.first() == Some(c) && like_model(&x[1..], rest),
    }
}

#[test]
fn like_follows_its_definition() -> TestResult {
    let reader = reader()?;
    let alphabet = ['a', 'B', '%', '_', '\\', '\0', '\u{1f600}'];
    let texts = |len: usize| -> Vec<String> {
        let mut all = vec![String::new()];
        let mut last = all.clone();
        for _ in 0..len {
            last = last.iter().flat_map(|text| alphabet.iter().map(move |c| format!("{text}{c}"))).collect();
            all.extend(last.clone());
        }
        all
    };
    let mut stmt = reader.prepare("SELECT vellum_like(?1, ?2), vellum_ilike(?1, ?2)")?;
    let fold = |text: &str| text.to_lowercase().chars().collect::<Vec<_>>();
    for pattern in texts(3) {
        for x in texts(2).iter().map(String::as_str).chain(["aaB", "aBaB", "a\0a\0"]) {
            stmt.bind(1, Bind::Text(x))?;
            stmt.bind(2, Bind::Text(&pattern))?;
            let row = stmt.step()?.expect("a row");
            let exact = like_model(&x.chars().collect::<Vec<_>>(), &pattern.chars().collect::<Vec<_>>());
            let folded = like_model(&fold(x), &fold(&pattern));
            assert_eq!((row.int(0)? == 1, row.int(1)? == 1), (exact, folded), "{x:?} like {pattern:?}");
        }
    }
    Ok(())
}

#[test]
fn glob_is_sqlites() -> TestResult {
    let reader = reader()?;
    let patterns = [
        "",
        "*",
        "?",
        "a*",
        "*b",
        "*a*b",
        "[a-c]b",
        "[^a-c]b",
        "[]]",
        "[^]]",
        "[a-",
        "[a",
        "[]",
        "a[",
        "[a-]",
        "[-a]",
        "[*]",
        "[?]",
        "*[xyz]*",
        "\\*",
        "a\\",
        "[\u{e9}]",
        "[a-\u{e9}]?",
        "**b",
        "?*",
        "[z-a]",
        "[!a]b",
    ];
    let texts = [
        "", "a", "b", "ab", "aab", "cb", "db", "]", "-", "*", "?", "\\*", "a\\", "\u{e9}", "xyz", "[a", "[",
        "!b",
    ];
    for pattern in patterns {
        for x in texts {
            let binds = [Bind::Text(x), Bind::Text(pattern)];
            let sqlite = ask(&reader, "SELECT ?1 GLOB ?2", &binds)?;
            assert_eq!(ask(&reader, "SELECT vellum_glob(?1, ?2)", &binds)?, sqlite, "{x:?} glob {pattern:?}");
        }
    }
    let behind_nul = [Bind::Text("a\0bc"), Bind::Text("a?[b]*")];
    assert_eq!(ask(&reader, "SELECT vellum_glob(?1, ?2)", &behind_nul)?, Answer::Int(1));
    Ok(())
}

#[test]
fn patterns_do_not_blow_up() -> TestResult {
    let reader = reader()?;
    let x = "a".repeat(5_000);
    let start = std::time::Instant::now();
    for (name, pattern) in [("vellum_like", "%a".repeat(200)), ("vellum_glob", "*a".repeat(200))] {
        let binds = [Bind::Text(&x), Bind::Text(&format!("{pattern}b"))];
        assert_eq!(ask(&reader, &format!("SELECT {name}(?1, ?2)"), &binds)?, Answer::Int(0));
    }
    assert!(start.elapsed() < Duration::from_secs(5));
    Ok(())
}

#[test]
fn the_end_of_a_prefix_is_just_above_all_that_begin_with_it() -> TestResult {
    let reader = reader()?;
    let end = |prefix: &str| ask(&reader, "SELECT vellum_prefix_end(?1)", &[Bind::Text(prefix)]);
    assert_eq!(end("ab")?, Answer::Text("ac".into()));
    assert_eq!(end("a\0")?, Answer::Text("a\u{1}".into()));
    assert_eq!(end("a\u{d7ff}")?, Answer::Text("a\u{e000}".into()));
    assert_eq!(end("a\u{10ffff}\u{10ffff}")?, Answer::Text("b".into()));
    for all in ["", "\u{10ffff}"] {
        assert_eq!(end(all)?, Answer::Blob(Vec::new()));
    }
    let below = "SELECT ?2 >= ?1 AND ?2 < vellum_prefix_end(?1)";
    for prefix in TEXTS {
        for x in TEXTS.iter().flat_map(|x| [(*x).to_owned(), format!("{prefix}{x}")]) {
            let binds = [Bind::Text(prefix), Bind::Text(&x)];
            assert_eq!(ask(&reader, below, &binds)?, truth(x.starts_with(prefix)), "{prefix:?} {x:?}");
        }
    }
    let group = "SELECT ?3 >= ?1 AND ?3 < vellum_group_end(?1, ?2)";
    for x in TEXTS {
        for other in TEXTS {
            for len in 0..4 {
                let key: String = x.chars().take(len).collect();
                let model = other.chars().take(len).eq(key.chars());
                let binds = [Bind::Text(&key), Bind::Int(len as i64), Bind::Text(other)];
                assert_eq!(ask(&reader, group, &binds)?, truth(model), "{key:?} {len} {other:?}");
            }
        }
    }
    Ok(())
}

#[test]
fn the_bytes_of_a_base64_text_are_counted() -> TestResult {
    let reader = reader()?;
    for (text, len) in [("", 0), ("Zg==", 1), ("Zm8=", 2), ("Zm9v", 3), ("Zm9vYg==", 4)] {
        assert_eq!(
            ask(&reader, "SELECT vellum_bytes_len(?1)", &[Bind::Text(text)])?,
            Answer::Int(len),
            "{text}"
        );
    }
    for text in ["Zg", "Zg=", "a", "Zm9v\n"] {
        assert_eq!(ask(&reader, "SELECT vellum_bytes_len(?1)", &[Bind::Text(text)])?, Answer::Null, "{text}");
    }
    Ok(())
}

#[test]
fn null_and_other_kinds_give_null() -> TestResult {
    let reader = reader()?;
    let calls = [
        "vellum_len(?1)",
        "vellum_byte_len(?1)",
        "vellum_bytes_len(?1)",
        "vellum_lower(?1)",
        "vellum_upper(?1)",
        "vellum_trim(?1)",
        "vellum_prefix_end(?1)",
        "vellum_substr(?1, 0, 1)",
        "vellum_substr('a', ?1, 1)",
        "vellum_substr('a', 0, ?1)",
        "vellum_replace(?1, 'a', 'b')",
        "vellum_replace('a', ?1, 'b')",
        "vellum_replace('a', 'a', ?1)",
        "vellum_group_end(?1, 1)",
        "vellum_group_end('a', ?1)",
    ];
    let twos = ["concat", "contains", "starts_with", "ends_with", "like", "ilike", "glob", "eq_ignore_case"];
    let twos =
        twos.iter().flat_map(|name| [format!("vellum_{name}(?1, 'a')"), format!("vellum_{name}('a', ?1)")]);
    for call in calls.iter().map(|call| (*call).to_owned()).chain(twos) {
        for bind in [Bind::Null, Bind::Blob(b"a")] {
            assert_eq!(ask(&reader, &format!("SELECT {call}"), &[bind])?, Answer::Null, "{call} {bind:?}");
        }
    }
    for name in ["add", "sub", "mul", "div", "rem"] {
        for bind in [Bind::Null, Bind::Text("1"), Bind::Blob(b"1")] {
            let sql =
                format!("SELECT coalesce(vellum_{name}(?1, 0, 'i8', 'e'), vellum_{name}(0, ?1, 'f64', 'e'))");
            assert_eq!(ask(&reader, &sql, &[bind])?, Answer::Null);
        }
    }
    for name in ["neg", "abs", "cast"] {
        assert_eq!(ask(&reader, &format!("SELECT vellum_{name}('1', 'i8', 'e')"), &[])?, Answer::Null);
    }
    Ok(())
}

fn checked(result: Option<i64>) -> Answer {
    result.map_or(Answer::Overflow("a op b".into()), Answer::Int)
}

#[test]
fn integer_arithmetic_is_checked() -> TestResult {
    let reader = reader()?;
    let values =
        [i64::MIN, i64::MIN + 1, -129, -128, -7, -1, 0, 1, 2, 7, 127, 128, 255, 256, 1 << 53, i64::MAX];
    type Model = fn(i128, i128) -> i128;
    let ops: [(&str, Model); 5] = [
        ("add", |a, b| a + b),
        ("sub", |a, b| a - b),
        ("mul", |a, b| a * b),
        ("div", |a, b| a / b),
        ("rem", |a, b| a % b),
    ];
    let types =
        [("i8", i8::MIN.into(), i8::MAX.into()), ("u8", 0, u8::MAX.into()), ("i64", i64::MIN, i64::MAX)];
    for (ty, least, most) in
        types.into_iter().chain([("u64", 0, i64::MAX), ("i32", i32::MIN.into(), i32::MAX.into())])
    {
        let fits = |int: i128| i64::try_from(int).ok().filter(|int| (least..=most).contains(int));
        for a in values {
            for b in values {
                for (name, model) in ops {
                    let sql = format!("SELECT vellum_{name}(?1, ?2, ?3, ?4)");
                    let got = ask(
                        &reader,
                        &sql,
                        &[Bind::Int(a), Bind::Int(b), Bind::Text(ty), Bind::Text("a op b")],
                    )?;
                    let expected = if b == 0 && matches!(name, "div" | "rem") {
                        Answer::DivisionByZero("a op b".into())
                    } else {
                        checked(fits(model(a.into(), b.into())))
                    };
                    assert_eq!(got, expected, "{a} {name} {b} as {ty}");
                }
            }
            for (name, result) in [("neg", -i128::from(a)), ("abs", i128::from(a).abs()), ("cast", a.into())]
            {
                let sql = format!("SELECT vellum_{name}(?1, ?2, ?3)");
                let got = ask(&reader, &sql, &[Bind::Int(a), Bind::Text(ty), Bind::Text("a op b")])?;
                assert_eq!(got, checked(fits(result)), "{name} {a} as {ty}");
            }
        }
    }
    Ok(())
}

#[test]
fn float_arithmetic_is_checked() -> TestResult {
    let reader = reader()?;
    let ask2 = |name: &str, a: f64, b: f64, ty: &str| {
        let binds = [Bind::Real(a), Bind::Real(b), Bind::Text(ty), Bind::Text("e\0")];
        ask(&reader, &format!("SELECT vellum_{name}(?1, ?2, ?3, ?4)"), &binds)
    };
    assert_eq!(ask2("add", 0.1, 0.2, "f64")?, Answer::Real(0.1 + 0.2));
    assert_eq!(ask2("add", 0.1, 0.2, "f32")?, Answer::Real((0.1_f32 + 0.2_f32).to_string().parse()?));
    assert_eq!(ask2("mul", 1e200, 1e200, "f64")?, Answer::Overflow("e\\0".into()));
    assert_eq!(ask2("mul", 1e30, 1e30, "f32")?, Answer::Overflow("e\\0".into()));
    assert_eq!(ask2("div", 1.0, 0.0, "f64")?, Answer::DivisionByZero("e\\0".into()));
    assert_eq!(ask2("rem", 1.0, -0.0, "f32")?, Answer::DivisionByZero("e\\0".into()));
    assert_eq!(ask2("rem", -7.5, 2.0, "f64")?, Answer::Real(-7.5 % 2.0));
    assert_eq!(ask2("add", f64::INFINITY, 1.0, "f64")?, Answer::Overflow("e\\0".into()));
    assert_eq!(ask2("add", 1.5, 1.5, "i8")?, Answer::Int(3));
    assert_eq!(ask2("add", 1.5, 1.0, "i8")?, Answer::Overflow("e\\0".into()));
    let cast =
        |a: f64, ty: &str| ask(&reader, "SELECT vellum_cast(?1, ?2, 'c')", &[Bind::Real(a), Bind::Text(ty)]);
    assert_eq!(cast(-1.9, "i8")?, Answer::Int(-1));
    assert_eq!(cast(-0.9, "u8")?, Answer::Int(0));
    assert_eq!(cast(127.9, "i8")?, Answer::Int(127));
    assert_eq!(cast(128.0, "i8")?, Answer::Overflow("c".into()));
    assert_eq!(cast(9.3e18, "i64")?, Answer::Overflow("c".into()));
    assert_eq!(cast(-9_223_372_036_854_775_808.0, "i64")?, Answer::Int(i64::MIN));
    assert_eq!(cast(f64::INFINITY, "i64")?, Answer::Overflow("c".into()));
    assert_eq!(cast(f64::MAX, "f32")?, Answer::Overflow("c".into()));
    assert_eq!(cast(0.1, "f32")?, Answer::Real(0.1));
    let to_f32 = ask(&reader, "SELECT vellum_cast(16777217, 'f32', 'c')", &[])?;
    assert_eq!(to_f32, Answer::Real(16_777_216.0));
    assert_eq!(ask(&reader, "SELECT vellum_add(1, 0.5, 'f64', 'c')", &[])?, Answer::Real(1.5));
    Ok(())
}

#[test]
fn sums_and_averages_are_exact_or_compensated() -> TestResult {
    let reader = reader()?;
    let of = |call: &str, items: &str| {
        ask(&reader, &format!("SELECT {call} FROM json_each(?1)"), &[Bind::Text(items)])
    };
    let int = "vellum_sum(value, 'i64', 's')";
    assert_eq!(of(int, "[]")?, Answer::Int(0));
    assert_eq!(
        of(int, "[9223372036854775807, 9223372036854775807, -9223372036854775807]")?,
        Answer::Int(i64::MAX)
    );
    assert_eq!(of(int, "[9223372036854775807, 1]")?, Answer::Overflow("s".into()));
    assert_eq!(of(int, "[null, \"7\", 1, [2]]")?, Answer::Int(1));
    assert_eq!(of(int, "[1.5, 1.5]")?, Answer::Int(3));
    assert_eq!(
        of("vellum_sum(value, 'i8', 's')", "[127, 127]")?,
        Answer::Int(254),
        "only 64 bits are a limit"
    );
    let real = "vellum_sum(value, 'f64', 's')";
    assert_eq!(of(real, "[\"x\"]")?, Answer::Real(0.0));
    assert_eq!(of(real, "[1e100, 1.0, -1e100]")?, Answer::Real(1.0));
    assert_eq!(of(real, "[1.0, 1e100, 1.0, -1e100]")?, Answer::Real(2.0));
    assert_eq!(of(real, "[1, 0.5]")?, Answer::Real(1.5));
    assert_eq!(of(real, "[1.7e308, 1.7e308]")?, Answer::Overflow("s".into()));
    assert_eq!(of("vellum_sum(value, 'f32', 's')", "[0.1, 0.2]")?, Answer::Real(f64::from(3_u8) / 10.0));
    let avg = "vellum_avg(value)";
    assert_eq!(of(avg, "[]")?, Answer::Null);
    assert_eq!(of(avg, "[null, \"3\"]")?, Answer::Null);
    assert_eq!(of(avg, "[1, 2, \"9\"]")?, Answer::Real(1.5));
    assert_eq!(of(avg, "[9223372036854775807, 9223372036854775807]")?, Answer::Real(i64::MAX as f64));
    Ok(())
}

#[test]
fn no_schema_can_depend_on_a_function_of_ours() -> TestResult {
    let scene = Scene::new()?;
    let engine = scene.open()?;
    let txn = engine.begin()?;
    txn.create_collection("events", "integer", None)?;
    let made = txn.batch("CREATE INDEX x ON events(vellum_len(doc))");
    assert!(made.is_err());
    Ok(())
}
