//! Plans by the shape of their query.
//!
//! Two queries that differ in literals alone have one shape, and one plan. At most [`CAPACITY`] shapes are kept; when
//! a new one comes the one that was asked for longest ago, of a few that are looked at, goes.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use dashmap::DashMap;

use crate::compile::Plan;
use crate::ir::doc::Statement;

/// How many shapes are kept.
pub(crate) const CAPACITY: usize = 1_024;

/// How many shapes are looked at for the one to go.
const LOOKED_AT: usize = 16;

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
            let oldest =
                self.plans.iter().take(LOOKED_AT).min_by_key(|entry| entry.used.load(Ordering::Relaxed));
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
