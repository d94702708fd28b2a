//! Measures a case: warm, six samples in two blocks, the engines taking turns at the first place and the second block
//! in reverse order. Every answer is held against the oracle before its time counts.

use std::time::{Duration, Instant};

use super::case::{Answer, Case, Name, Side};
use super::rows::{Column, Row};
use crate::error::{Error, Result};
use crate::heap;

const BLOCKS: usize = 2;
const SAMPLES_PER_BLOCK: usize = 3;
/// The runs of a case, the warm one among them.
pub(super) const RUNS: usize = 1 + BLOCKS * SAMPLES_PER_BLOCK;
/// A sample of a short operation is the mean of as many calls as fill this time.
const SHORTEST_SAMPLE: Duration = Duration::from_millis(2);
const MOST_CALLS: u32 = 256;
/// Up to as many as fill this time with what has to be done around each call.
const LONGEST_SAMPLE: Duration = Duration::from_millis(100);
/// An operation up to this long runs once more before each sample, since another engine's scan may have emptied the
/// caches in between.
const LONGEST_REWARMED: Duration = Duration::from_millis(50);

/// Returns the row of `case`; `tick` is called after each of its [`RUNS`].
pub(super) fn measure(name: Name, case: Case<'_>, tick: impl Fn()) -> Result<Row> {
    let Case { expected, sides, reports_heap, of } = case;
    let judge = Judge { name, expected };
    let mut row = Row::against(of, name);
    // The control stands in where Vellum has no part.
    let has_compiled = sides.iter().any(|side| side.column == Column::Compiled);
    let reported = if has_compiled { Column::Compiled } else { of };
    let mut engines = Vec::new();
    for mut side in sides {
        let start = Instant::now();
        let (first, heap_bytes) = if reports_heap {
            let (first, peak) = heap::peak_during(|| judge.call(&mut side));
            (first, Some(peak))
        } else {
            (judge.call(&mut side), None)
        };
        let pace = Pace::of(first?, start.elapsed());
        if side.column == reported {
            row.bytes = side.work.added_bytes();
            row.heap_bytes = heap_bytes;
        }
        engines.push(Engine { side, pace, samples: Vec::new() });
    }
    tick();
    for order in orders(engines.len()) {
        for at in order {
            if let Some(engine) = engines.get_mut(at) {
                engine.sample(&judge)?;
            }
        }
        tick();
    }
    for Engine { side, samples, .. } in &mut engines {
        samples.sort_unstable_by(f64::total_cmp);
        let median = quantile(samples, 0.5);
        row.set_ms(side.column, median);
        row.spread = row.spread.max((quantile(samples, 0.9) - quantile(samples, 0.1)) / median);
    }
    Ok(row)
}

/// Returns the order of `engines` in each round.
fn orders(engines: usize) -> impl Iterator<Item = Vec<usize>> {
    (0..BLOCKS).flat_map(move |block| {
        (0..SAMPLES_PER_BLOCK).map(move |round| {
            let mut order: Vec<usize> = (0..engines).collect();
            order.rotate_left(round % engines.max(1));
            if block % 2 == 1 {
                order.reverse();
            }
            order
        })
    })
}

/// Holds answers against the oracle.
struct Judge {
    name: Name,
    expected: Answer,
}

impl Judge {
    /// Does the operation once, checks its answer and returns the time that it took.
    fn call(&self, side: &mut Side<'_>) -> Result<Duration> {
        let Side { column, work } = side;
        work.prepare()?;
        let start = Instant::now();
        let answer = work.run()?;
        let time = start.elapsed();
        let found = work.confirm(answer)?;
        if found == self.expected {
            return Ok(time);
        }
        Err(Error::WrongResult {
            row: self.name.to_string(),
            column: column.name(),
            expected: self.expected.summary(),
            found: found.summary(),
        })
    }
}

/// How a sample is taken.
struct Pace {
    calls: u32,
    is_rewarmed: bool,
}

impl Pace {
    /// Chooses by the time of the first call, and by that of all that was done for it.
    fn of(first: Duration, whole: Duration) -> Self {
        let calls = SHORTEST_SAMPLE.as_nanos() / first.as_nanos().max(1);
        let calls = calls.min(LONGEST_SAMPLE.as_nanos() / whole.as_nanos().max(1));
        let calls = u32::try_from(calls).unwrap_or(MOST_CALLS).clamp(1, MOST_CALLS);
        Self { calls, is_rewarmed: first <= LONGEST_REWARMED }
    }
}

/// A side under measurement; samples are milliseconds of one call.
struct Engine<'b> {
    side: Side<'b>,
    pace: Pace,
    samples: Vec<f64>,
}

impl Engine<'_> {
    fn sample(&mut self, judge: &Judge) -> Result<()> {
        if self.pace.is_rewarmed {
            judge.call(&mut self.side)?;
        }
        let mut total = Duration::ZERO;
        for _ in 0..self.pace.calls {
            total += judge.call(&mut self.side)?;
        }
        self.samples.push(total.as_secs_f64() * 1e3 / f64::from(self.pace.calls));
        Ok(())
    }
}

/// Returns the `q`-quantile of `sorted`, interpolated; 0 when it is empty.
fn quantile(sorted: &[f64], q: f64) -> f64 {
    let place = q * sorted.len().saturating_sub(1) as f64;
    let below = sorted.get(place.floor() as usize).copied().unwrap_or_default();
    let above = sorted.get(place.ceil() as usize).copied().unwrap_or_default();
    below + (above - below) * place.fract()
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAME: Name = Name { id: "EV4", case: "", title: "" };

    #[test]
    fn the_second_block_runs_in_reverse_order() {
        let orders: Vec<_> = orders(3).collect();
        assert_eq!(orders, [[0, 1, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0], [0, 2, 1], [1, 0, 2]],);
    }

    #[test]
    fn quantiles_are_interpolated() {
        let six = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
        assert_eq!((quantile(&six, 0.5), quantile(&six, 0.1), quantile(&six, 0.9)), (3.5, 1.5, 5.5));
        assert_eq!(quantile(&[], 0.5), 0.0);
    }

    #[test]
    fn a_wrong_answer_ends_the_measurement_and_is_named() {
        let case = Case::new(Answer::Count(7)).side(Column::Control, || Ok(Answer::Count(8)));
        let error = measure(NAME, case, || ()).unwrap_err().to_string();
        assert_eq!(error, "wrong result in EV4, control: expected 7, found 8");
    }

    #[test]
    fn each_column_gets_the_time_of_its_engine() -> Result<()> {
        let work = |ms| {
            move || {
                std::thread::sleep(Duration::from_millis(ms));
                Ok(Answer::Count(7))
            }
        };
        let case = Case::new(Answer::Count(7));
        let case = case.side(Column::Compiled, work(2)).side(Column::Control, work(20));
        let row = measure(NAME, case, || ())?;
        assert!(row.ratio().is_some_and(|ratio| ratio < 0.9), "{row:?}");
        assert!(row.ms(Column::Control).is_some_and(|ms| ms >= 20.0), "{row:?}");
        assert_eq!(row.ms(Column::Planner), None);
        Ok(())
    }
}
