//! What must not compile, and what the compiler then says: one case a rule, one folder a topic. Beside it, in
//! `ui-pass`, what must compile.
//!
//! The texts are those of one compiler, the one in `tests/ui/TOOLCHAIN`; under another they are passed over.

use std::process::Command;
use std::{env, fs, io};

#[test]
fn what_must_not_compile_says_why() -> io::Result<()> {
    let pinned = fs::read_to_string("tests/ui/TOOLCHAIN")?;
    let rustc = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let version =
        String::from_utf8_lossy(&Command::new(rustc).arg("--version").output()?.stdout).into_owned();
    if version.split_whitespace().nth(1) != Some(pinned.trim()) {
        eprintln!("skipped: the texts are those of rustc {}, this is {}", pinned.trim(), version.trim());
        return Ok(());
    }
    trybuild::TestCases::new().compile_fail("tests/ui/*/*.rs");
    Ok(())
}

#[test]
fn what_must_compile_compiles_and_runs() {
    trybuild::TestCases::new().pass("tests/ui-pass/*.rs");
}
