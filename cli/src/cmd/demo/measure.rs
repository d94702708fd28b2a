//! Measures a case: warm, six samples in two blocks, the engines taking turns at the first place and the second block
//! in reverse order. Every answer is held against the oracle before its time counts.

use std::time::{Duration, Instant};

use super::case::{Case, Name, Side};
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

/// Returns the row of `case`; `tick` is called after each of its [`RUNS`].
pub(super) fn measure(name: Name, mut case: Case<'_>, tick: impl Fn()) -> Result<Row> {
    let mut row = Row::new(name);
    let mut calls = Vec::new();
    for at in 0..case.sides.len() {
        calls.push(warm(&mut case, at, &mut row)?);
    }
    tick();
    let mut samples = vec![Vec::new(); case.sides.len()];
    for order in orders(case.sides.len()) {
        for at in order {
            let calls = calls.get(at).copied().unwrap_or(1);
            let sample = sample(name, &mut case, at, calls)?;
            samples.get_mut(at).into_iter().for_each(|samples| samples.push(sample));
        }
        tick();
    }
    for (side, samples) in case.sides.iter().zip(&mut samples) {
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

/// Runs a side for the first time and returns the calls of a sample.
fn warm(case: &mut Case<'_>, at: usize, row: &mut Row) -> Result<u32> {
    let reports_heap = case.reports_heap;
    let (time, heap_bytes) = if reports_heap {
        heap::peak_during(|| call(row.name, case, at))
    } else {
        (call(row.name, case, at), 0)
    };
    let time = time?;
    let Some(side) = case.sides.get(at) else { return Ok(1) };
    // The control stands in where Vellum has no part.
    if side.column == Column::Compiled || (side.column == Column::Control && row.bytes.is_none()) {
        row.bytes = side.work.added_bytes().or(row.bytes);
    }
    if reports_heap
        && (side.column == Column::Compiled || (side.column == Column::Control && row.heap_bytes.is_none()))
    {
        row.heap_bytes = Some(heap_bytes);
    }
    let calls = SHORTEST_SAMPLE.as_nanos() / time.as_nanos().max(1);
    Ok(u32::try_from(calls).unwrap_or(MOST_CALLS).clamp(1, MOST_CALLS))
}

/// Returns the milliseconds of one call, the mean of `calls`.
fn sample(name: Name, case: &mut Case<'_>, at: usize, calls: u32) -> Result<f64> {
    let mut total = Duration::ZERO;
    for _ in 0..calls {
        total += call(name, case, at)?;
    }
    Ok(total.as_secs_f64() * 1e3 / f64::from(calls))
}

/// Does the operation once, checks its answer and returns the time that it took.
fn call(name: Name, case: &mut Case<'_>, at: usize) -> Result<Duration> {
    let Some(Side { column, work }) = case.sides.get_mut(at) else { return Ok(Duration::ZERO) };
    work.prepare()?;
    let start = Instant::now();
    let answer = work.run()?;
    let time = start.elapsed();
    let found = work.confirm(answer)?;
    if found == case.expected {
        return Ok(time);
    }
    Err(Error::WrongResult {
        row: name.to_string(),
        column: column.name(),
        expected: case.expected.summary(),
        found: found.summary(),
    })
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
    use super::super::case::Answer;
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
