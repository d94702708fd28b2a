//! A variant of an engine in one case: its samples, or why there are none.

use vellum_compare_protocol::Ran;

use super::seat::{Given, Seat};
use super::{Budget, ROUNDS};
use crate::engine::Trouble;
use crate::report::{Cell, Measured, Outcome};
use crate::workload::{Case, Work};

/// A sample of a short operation is the mean of as many calls as fill this time.
const SHORTEST_SAMPLE_NS: f64 = 2e6;
const MOST_CALLS: usize = 256;
/// An operation up to this long runs once more before each sample, since another engine's scan may have emptied the
/// caches in between.
const LONGEST_REWARMED_NS: f64 = 20e6;

/// A variant of an engine under measurement.
#[derive(Debug)]
pub(super) struct Contender {
    /// Which seat it has.
    pub(super) seat: usize,
    engine: String,
    variant: String,
    measured: Measured,
    /// Why it has no samples.
    spoiled: Option<Outcome>,
    /// Samples that are still to be taken, by round.
    is_sampled: [bool; ROUNDS],
}

impl Contender {
    /// Returns the contenders of a seat: one for each variant, or one that says why there is none.
    pub(super) fn of(at: usize, seat: &Seat<'_>) -> Vec<Self> {
        let unknown = [String::new()];
        let variants = if seat.variants.is_empty() { &unknown[..] } else { &seat.variants };
        let contender = |variant: &String| Self {
            seat: at,
            engine: seat.name.clone(),
            variant: variant.clone(),
            measured: Measured::default(),
            spoiled: None,
            is_sampled: [false; ROUNDS],
        };
        variants.iter().map(contender).collect()
    }

    /// Does the operation once, which is not counted unless it is too long to be done again.
    pub(super) fn warm(&mut self, case: &Case, seat: &mut Seat<'_>, budget: Budget) {
        let Some(ran) = self.call(case, seat, 1) else { return };
        let ns = mean(&ran);
        let calls = (SHORTEST_SAMPLE_NS / ns.max(1.0)) as usize;
        // Of several calls of an update that say the same, all but the first would change nothing.
        self.measured.calls = if case.work.is_update() { 1 } else { calls.clamp(1, MOST_CALLS) };
        self.measured.is_rewarmed = ns <= LONGEST_REWARMED_NS;
        self.measured.plan = ran.plan;
        self.measured.notes = ran.notes;
        self.is_sampled = rounds_within(budget, ns);
        if self.is_sampled == [false; ROUNDS] {
            self.measured.is_cold = true;
            self.measured.samples_ns.push(ns);
            self.measured.cpu_ns = ran.cpu_ns.map(|cpu| cpu as f64);
        }
    }

    /// Takes the sample of `round`.
    pub(super) fn sample(&mut self, case: &Case, seat: &mut Seat<'_>, round: usize) {
        if !self.is_sampled.get(round).is_some_and(|&is_sampled| is_sampled) || self.spoiled.is_some() {
            return;
        }
        if self.measured.is_rewarmed && self.call(case, seat, 1).is_none() {
            return;
        }
        let calls = self.measured.calls;
        if let Some(ran) = self.call(case, seat, calls) {
            self.measured.samples_ns.push(mean(&ran));
            let cpu = ran.cpu_ns.map(|cpu| cpu as f64 / calls as f64);
            self.measured.cpu_ns = cpu.map(|cpu| self.measured.cpu_ns.map_or(cpu, |least| least.min(cpu)));
        }
    }

    /// Returns what the report says about it.
    pub(super) fn into_cell(self) -> Cell {
        let outcome = match self.spoiled {
            Some(outcome) => outcome,
            None if self.measured.samples_ns.is_empty() => Outcome::Failed { why: "interrupted".to_owned() },
            None => Outcome::Measured(self.measured),
        };
        Cell { engine: self.engine, variant: self.variant, outcome }
    }

    fn call(&mut self, case: &Case, seat: &mut Seat<'_>, calls: usize) -> Option<Ran> {
        let given = match &case.work {
            Work::Build(builds) => build(builds, seat),
            Work::Run { indexes, needs_indexes, rounds } => match seat.set_indexes(indexes) {
                Ok(_created) => seat.run(rounds, &self.variant, calls),
                Err(Trouble::Unsupported(why)) if !needs_indexes => seat
                    .run(rounds, &self.variant, calls)
                    .map(|given| given.noting(format!("no indexes: {why}"))),
                Err(trouble) => Err(trouble),
            },
        };
        match given {
            Ok(Given::Right(ran)) => return Some(ran),
            Ok(Given::Wrong { expected, found }) => self.spoiled = Some(Outcome::Wrong { expected, found }),
            Err(Trouble::Unsupported(why)) => self.spoiled = Some(Outcome::Unsupported { why }),
            Err(trouble) => self.spoiled = Some(Outcome::Failed { why: trouble.to_string() }),
        }
        None
    }
}

/// Makes indexes, one creation after another, and returns the sum of their times.
fn build(builds: &[crate::workload::Build], seat: &mut Seat<'_>) -> Result<Given, Trouble> {
    let mut ns = 0;
    for build in builds {
        seat.set_indexes(&build.before)?;
        let created = seat.set_indexes(&build.after)?;
        if created.ns.is_empty() {
            let why = "its indexes are declared with its documents: there is no creation to time";
            return Err(Trouble::Unsupported(why.to_owned()));
        }
        ns += created.ns.iter().sum::<u64>();
    }
    Ok(Given::Right(Ran { ns: vec![ns], ..Ran::default() }))
}

fn mean(ran: &Ran) -> f64 {
    ran.ns.iter().map(|&ns| ns as f64).sum::<f64>() / ran.ns.len().max(1) as f64
}

/// Returns the rounds whose samples are taken: all, the first of each block, or none.
fn rounds_within(budget: Budget, ns: f64) -> [bool; ROUNDS] {
    let mut rounds = [true; ROUNDS];
    if ns * ROUNDS as f64 > budget.ns {
        let is_first = |round: usize| round.is_multiple_of(ROUNDS / 2) && ns * 2.0 <= budget.ns;
        rounds.iter_mut().enumerate().for_each(|(round, is_taken)| *is_taken = is_first(round));
    }
    rounds
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_operation_has_fewer_samples() {
        let budget = Budget { ns: 6e9 };
        assert_eq!(rounds_within(budget, 1e9), [true; ROUNDS]);
        assert_eq!(rounds_within(budget, 2e9), [true, false, false, true, false, false]);
        assert_eq!(rounds_within(budget, 4e9), [false; ROUNDS]);
    }
}
