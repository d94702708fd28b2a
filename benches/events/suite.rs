//! An operation as a group of criterion: a function for each engine and number of events.

use std::env;
use std::path::{Path, PathBuf};
use std::time::Duration;

use criterion::measurement::WallTime;
use criterion::{BatchSize, BenchmarkGroup, BenchmarkId, Criterion};

use crate::Outcome;
use crate::scene::Scene;
use crate::table;

/// Whose time it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Engine {
    /// Vellum, by a query that was compiled before; or by a call that is no query.
    Compiled,
    /// Vellum, by a query that is built and looked up at each call.
    Ordinary,
    /// SQL by hand, its index named.
    Control,
}

impl Engine {
    pub(crate) const ALL: [Self; 3] = [Self::Compiled, Self::Ordinary, Self::Control];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Compiled => "compiled",
            Self::Ordinary => "ordinary",
            Self::Control => "control",
        }
    }
}

/// All operations of a run.
pub(crate) struct Suite {
    criterion: Criterion,
    /// Where criterion keeps what it measured.
    results: PathBuf,
    /// The operations, in order.
    names: Vec<String>,
}

impl Suite {
    /// Takes the options of the command line.
    pub(crate) fn new() -> Self {
        let home = env::var_os("CRITERION_HOME").map(PathBuf::from);
        let results =
            home.unwrap_or_else(|| Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("criterion"));
        let criterion = Criterion::default()
            .sample_size(10)
            .warm_up_time(Duration::from_millis(300))
            .measurement_time(Duration::from_secs(1))
            .configure_from_args();
        Self { criterion, results, names: Vec::new() }
    }

    /// Begins an operation that is to give `expected`.
    pub(crate) fn operation<A>(&mut self, name: &str, scene: &Scene, expected: A) -> Operation<'_, A> {
        if !self.names.iter().any(|known| known == name) {
            self.names.push(name.to_owned());
        }
        let group = self.criterion.benchmark_group(name);
        Operation { group, count: scene.count(), name: name.to_owned(), expected }
    }

    /// Returns the table of what has been measured, in this run or before.
    pub(crate) fn table(&self) -> Outcome<String> {
        table::table(&self.results, &self.names)
    }
}

/// One operation, with one number of events.
pub(crate) struct Operation<'s, A> {
    group: BenchmarkGroup<'s, WallTime>,
    count: usize,
    name: String,
    expected: A,
}

impl<A: PartialEq> Operation<'_, A> {
    /// Measures an engine; `answer` turns what a run returns into what is to be expected, and is not timed.
    pub(crate) fn side<R>(
        &mut self,
        engine: Engine,
        mut run: impl FnMut() -> Outcome<R>,
        answer: impl FnOnce(R) -> Outcome<A>,
    ) -> Outcome {
        self.check(engine, answer(run()?)?);
        self.group.bench_function(BenchmarkId::new(engine.name(), self.count), |bencher| {
            bencher.iter(|| run().expect("what ran before"));
        });
        Ok(())
    }

    /// Measures an engine that needs something made for each run, which is not timed.
    pub(crate) fn side_with<I, R>(
        &mut self,
        engine: Engine,
        mut prepare: impl FnMut() -> Outcome<I>,
        mut run: impl FnMut(I) -> Outcome<R>,
        answer: impl FnOnce(R) -> Outcome<A>,
    ) -> Outcome {
        self.check(engine, answer(run(prepare()?)?)?);
        self.group.bench_function(BenchmarkId::new(engine.name(), self.count), |bencher| {
            let prepare = || prepare().expect("what was made before");
            bencher.iter_batched(
                prepare,
                |input| run(input).expect("what ran before"),
                BatchSize::PerIteration,
            );
        });
        Ok(())
    }

    fn check(&self, engine: Engine, answer: A) {
        let Self { name, count, expected, .. } = self;
        assert!(answer == *expected, "{name}, {count} events, {}: a wrong answer", engine.name());
    }
}
