//! Plans by the shape of their query.
//!
//! Two queries that differ in literals alone have one shape, and one plan. At most [`CAPACITY`] shapes are kept; when
//! a new one comes the one that was asked for longest ago goes. All are looked at for it, which takes about as long as
//! planning the new one: a sample of the map's first entries would leave stale ones behind it for ever.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use dashmap::DashMap;

use crate::compile::Plan;
use crate::ir::doc::Statement;

/// How many shapes are kept.
pub(crate) const CAPACITY: usize = 1_024;

/// A bounded map from shapes to plans, shared by all threads.
#[derive(Debug, Default)]
pub(crate) struct PlanCache {
    plans: DashMap<Statement, Entry>,
    clock: AtomicU64,
    hits: AtomicU64,
    misses: AtomicU64,
}

#[derive(Debug)]
struct Entry {
    plan: Arc<Plan>,
    used: AtomicU64,
}

impl PlanCache {
    /// Returns the plan of a shape at a schema epoch.
    pub(crate) fn get(&self, statement: &Statement, epoch: i64) -> Option<Arc<Plan>> {
        let entry = self.plans.get(statement).filter(|entry| entry.plan.epoch == epoch);
        let Some(entry) = entry else {
            self.misses.fetch_add(1, Ordering::Relaxed);
            return None;
        };
        self.hits.fetch_add(1, Ordering::Relaxed);
        entry.used.store(self.clock.fetch_add(1, Ordering::Relaxed), Ordering::Relaxed);
        Some(Arc::clone(&entry.plan))
    }

    /// Keeps a plan, in the place of an older one of the same shape.
    pub(crate) fn insert(&self, statement: Statement, plan: Arc<Plan>) {
        if self.plans.len() >= CAPACITY && !self.plans.contains_key(&statement) {
            let oldest = self.plans.iter().min_by_key(|entry| entry.used.load(Ordering::Relaxed));
            if let Some(key) = oldest.map(|entry| entry.key().clone()) {
                self.plans.remove(&key);
            }
        }
        let used = AtomicU64::new(self.clock.fetch_add(1, Ordering::Relaxed));
        self.plans.insert(statement, Entry { plan, used });
    }

    /// Returns how often a plan was found, and how often one had to be made.
    pub(crate) fn statistics(&self) -> (u64, u64) {
        (self.hits.load(Ordering::Relaxed), self.misses.load(Ordering::Relaxed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compile::{Output, Text};
    use crate::ir::doc::{Query, Source, Terminal};

    fn shape(number: usize) -> Statement {
        let source = Source::Collection { name: format!("c{number}").into(), key: "id", key_kind: "integer" };
        let query = Query { source, stages: Vec::new() };
        Statement { query, terminal: Terminal::Rows, params: Vec::new() }
    }

    /// Asks for a plan, which is made when it is not there, and returns whether it was.
    fn ask(cache: &PlanCache, number: usize) -> bool {
        let text = Text { sql: String::new(), binds: Vec::new() };
        let found = cache.get(&shape(number), 0).is_some();
        if !found {
            let output = Output::default();
            let plan = Plan { text, deep: None, output, epoch: 0, is_write: false, is_unique: false };
            cache.insert(shape(number), Arc::new(plan));
        }
        found
    }

    #[test]
    fn shapes_that_are_asked_for_again_stay_and_stale_ones_go() {
        let cache = PlanCache::default();
        (0..CAPACITY).for_each(|number| assert!(!ask(&cache, number)));
        let used = CAPACITY..CAPACITY + 900;
        used.clone().for_each(|number| assert!(!ask(&cache, number)));
        for _ in 0..2 {
            assert_eq!(used.clone().filter(|number| !ask(&cache, *number)).count(), 0);
        }
        assert_eq!(cache.plans.len(), CAPACITY);
    }
}
