//! What a file can hold by what is known.

use std::path::Path;

use super::Result;
use super::scenario::Step;
use super::state::{State, assert_whole};
use crate::Database;

/// More than one state is possible while the outcome of a step is unknown.
pub(super) struct History {
    possible: Vec<State>,
}

impl History {
    pub(super) fn of(state: State) -> Self {
        Self { possible: vec![state] }
    }

    /// Returns what there is after any number of the steps.
    pub(super) fn of_all(before: &State, steps: &[Step]) -> Self {
        let mut all = Self::of(before.clone());
        let mut state = before.clone();
        for step in steps {
            (step.effect)(&mut state);
            all.allow(state.clone());
        }
        all
    }

    pub(super) fn allow(&mut self, state: State) {
        self.possible.push(state);
    }

    /// Notes that a step was done.
    pub(super) fn acknowledge(&mut self, effect: fn(&mut State)) {
        self.possible.iter_mut().for_each(effect);
    }

    /// Notes that a step was perhaps done, and whole then.
    pub(super) fn doubt(&mut self, effect: fn(&mut State)) {
        let mut done = self.possible.clone();
        done.iter_mut().for_each(effect);
        self.possible.extend(done);
    }

    pub(super) fn assert_knows(&self, seen: &State) {
        let known = || self.possible.iter().map(State::to_string).collect::<Vec<_>>().join("\nor ");
        assert!(self.possible.contains(seen), "found {seen}\ninstead of {}", known());
    }

    /// Asserts that a file is sound, and holds what it can hold.
    pub(super) fn check(&self, file: &Path) -> Result {
        let db = Database::open(file)?;
        self.assert_knows(&State::read(&db)?);
        drop(db);
        assert_whole(file)
    }
}
