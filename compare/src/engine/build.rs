//! Building an engine, or the reason why it cannot run here.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs};

use super::Engine;
use super::description::Way;
use crate::args::EngineArguments;

/// Lines of a failed build that are quoted.
const QUOTED_LINES: usize = 5;

/// An engine that was built.
#[derive(Clone, Debug)]
pub struct Program {
    /// The way that was taken.
    pub label: String,
    /// The command that starts it.
    pub command: Vec<String>,
}

/// Builds `engine` by the first way whose needs are met.
pub(super) fn build(engine: &Engine, arguments: &EngineArguments) -> Result<Program, String> {
    let places = places(engine, arguments);
    let mut reasons: Vec<String> = Vec::new();
    for way in &engine.description.way {
        match missing(way, &places) {
            Some(reason) if reasons.contains(&reason) => {}
            Some(reason) => reasons.push(reason),
            None => return by(way, engine, &places),
        }
    }
    Err(reasons.join("; "))
}

fn by(way: &Way, engine: &Engine, places: &HashMap<&str, String>) -> Result<Program, String> {
    let build = places.get("build").map(PathBuf::from).unwrap_or_default();
    fs::create_dir_all(&build).map_err(|error| format!("{}: {error}", build.display()))?;
    for command in &way.build {
        run(&filled(command, places), &engine.source)?;
    }
    Ok(Program { label: way.label.clone(), command: filled(&way.run, places) })
}

/// Returns what stands for each name in braces.
fn places<'a>(engine: &Engine, arguments: &EngineArguments) -> HashMap<&'a str, String> {
    let target = env::var_os("CARGO_TARGET_DIR").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("target"),
        |dir| std::path::absolute(&dir).unwrap_or_else(|_| dir.into()),
    );
    let text = |path: &Path| path.to_string_lossy().into_owned();
    let mut places = HashMap::from([
        ("source", text(&engine.source)),
        ("engines", text(&arguments.engines)),
        ("build", text(&target.join("engines").join(&engine.name))),
        ("target", text(&target)),
    ]);
    if let Some(dir) = &arguments.litedb {
        // A build runs in another folder.
        places.insert("litedb", text(&std::path::absolute(dir).unwrap_or_else(|_| dir.clone())));
    }
    if let Some(uri) = &arguments.mongodb_uri {
        places.insert("mongodb-uri", uri.clone());
    }
    places
}

fn missing(way: &Way, places: &HashMap<&str, String>) -> Option<String> {
    let program = way.programs.iter().find(|program| !is_on_path(program));
    let option = way.options.iter().find(|option| !places.contains_key(option.as_str()));
    program
        .map(|program| format!("{program} was not found"))
        .or_else(|| option.map(|option| format!("--{option} was not given")))
}

fn is_on_path(program: &str) -> bool {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path).any(|dir| dir.join(program).is_file())
}

fn filled(command: &[String], places: &HashMap<&str, String>) -> Vec<String> {
    let fill = |word: &String| {
        places.iter().fold(word.clone(), |word, (name, value)| word.replace(&format!("{{{name}}}"), value))
    };
    command.iter().map(fill).collect()
}

fn run(command: &[String], dir: &Path) -> Result<(), String> {
    let Some((program, arguments)) = command.split_first() else { return Ok(()) };
    let output = Command::new(program).args(arguments).current_dir(dir).stdin(Stdio::null()).output();
    let output = output.map_err(|error| format!("{program}: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8_lossy(&said);
    let lines: Vec<&str> = said.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let last = lines.iter().skip(lines.len().saturating_sub(QUOTED_LINES));
    let last: Vec<&str> = last.copied().collect();
    Err(format!("`{}` failed: {}", command.join(" "), last.join(" | ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Description;

    fn engine(way: &str) -> Engine {
        let text = format!("about = ''\ninstall = ''\n{way}");
        let description: Description = toml::from_str(&text).expect("a description");
        Engine { name: "none".to_owned(), source: env::temp_dir(), description }
    }

    #[test]
    fn a_program_and_an_option_that_are_not_there_are_named() {
        let engine = engine(
            "[[way]]\nlabel = 'a'\nprograms = ['no-such-program']\nrun = []\n\
             [[way]]\nlabel = 'b'\nprograms = ['sh']\noptions = ['litedb']\nrun = []",
        );
        let reason = engine.build(&EngineArguments::default()).unwrap_err();
        assert_eq!(reason, "no-such-program was not found; --litedb was not given");
    }

    #[test]
    fn a_failed_build_is_quoted() {
        let engine =
            engine("[[way]]\nlabel = 'a'\nbuild = [['sh', '-c', 'echo no disk >&2; exit 3']]\nrun = []");
        let reason = engine.build(&EngineArguments::default()).unwrap_err();
        assert_eq!(reason, "`sh -c echo no disk >&2; exit 3` failed: no disk");
    }

    #[test]
    fn places_are_filled_in() -> Result<(), String> {
        let engine =
            engine("[[way]]\nlabel = 'a'\noptions = ['mongodb-uri']\nrun = ['x', '--uri={mongodb-uri}']");
        let arguments =
            EngineArguments { mongodb_uri: Some("mongodb://h".to_owned()), ..EngineArguments::default() };
        assert_eq!(engine.build(&arguments)?.command, ["x", "--uri=mongodb://h"]);
        Ok(())
    }
}
