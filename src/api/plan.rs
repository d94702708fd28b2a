//! What a query says once its closures have run: the untyped description, and with its terminal a [`Plan`].

use std::borrow::Cow;

use crate::api::arena::{Extracted, Frame, Node};
use crate::api::document::{DocId, Document};
use crate::api::mode::Deferred;
use crate::api::query::Query;
use crate::api::row_count::RowCountOf;
use crate::api::rows::Decode;
use crate::api::sealed::Sealed;
use crate::api::value::Row;
use crate::compile::CompileError;
use crate::ir;
use crate::ir::doc::{self, Lambda, Source, Stage, Terminal};

/// A query as the builder has it: the tree, the constants beside it, and the first thing that was wrong.
#[derive(Clone, Debug)]
pub(crate) struct Description {
    pub(crate) query: doc::Query,
    pub(crate) terminal: Terminal,
    pub(crate) constants: Vec<ir::value::Value>,
    pub(crate) error: Option<CompileError>,
}

impl Description {
    pub(crate) fn collection<T: Document>(name: Cow<'static, str>) -> Self {
        let source = Source::Collection { name, key: T::KEY, key_kind: <T::Id as DocId>::KIND.name() };
        Description {
            query: doc::Query { source, stages: Vec::new() },
            terminal: Terminal::Rows,
            constants: Vec::new(),
            error: None,
        }
    }

    /// Takes over the constants and the error of a closure, and returns its lambda.
    fn absorb(&mut self, extracted: Extracted) -> Lambda {
        self.constants.extend(extracted.constants);
        if let Some(error) = extracted.error {
            self.error.get_or_insert(error);
        }
        extracted.lambda
    }

    pub(crate) fn lambda(&mut self, frame: &Frame, root: Node) -> Lambda {
        let extracted = frame.finish(root, self.constants.len());
        self.absorb(extracted)
    }

    pub(crate) fn push(&mut self, stage: impl FnOnce(Lambda) -> Stage, frame: &Frame, root: Node) {
        let lambda = self.lambda(frame, root);
        self.query.stages.push(stage(lambda));
    }

    /// Adds a filter that depends on the argument of a slot.
    pub(crate) fn filter_some(&mut self, slot: Option<u16>, frame: &Frame, root: Node) {
        let slot = slot.unwrap_or_else(|| {
            self.error.get_or_insert(CompileError::ForeignParameter);
            u16::MAX
        });
        self.push(|lambda| Stage::FilterSome(slot, lambda), frame, root);
    }

    /// Adds the filter that left a closure.
    pub(crate) fn filter(&mut self, condition: Extracted) {
        let lambda = self.absorb(condition);
        self.query.stages.push(Stage::Filter(lambda));
    }

    pub(crate) fn order(&mut self, frame: &Frame, keys: &[crate::api::order::OrderKey], then: bool) {
        let keys = keys
            .iter()
            .map(|key| {
                let lambda = self.absorb(key.extract(frame, self.constants.len()));
                key.with(lambda)
            })
            .collect();
        self.query.stages.push(Stage::Order { keys, then });
    }

    pub(crate) fn update(&mut self, frame: &Frame, assignments: &[crate::api::write::Assignment]) {
        let changes = assignments
            .iter()
            .map(|assignment| {
                let lambda = self.absorb(assignment.extract(frame, self.constants.len()));
                assignment.with(lambda)
            })
            .collect();
        self.terminal = Terminal::Update(changes);
    }

    pub(crate) fn count(&mut self, count: RowCountOf, method: &'static str) -> doc::Count {
        match count {
            RowCountOf::Param(Some(slot)) => doc::Count::Param(slot),
            RowCountOf::Param(None) => {
                self.error.get_or_insert(CompileError::ForeignParameter);
                doc::Count::Param(u16::MAX)
            }
            RowCountOf::Constant(count) => {
                if count < 0 {
                    self.error.get_or_insert(CompileError::NegativeCount { method, count });
                }
                self.constants.push(ir::value::Value::Int(count));
                doc::Count::Constant(self.constants.len() as u32 - 1)
            }
        }
    }
}

/// A finished query: what it says, and the function that reads its rows.
#[must_use = "a plan does nothing until it is compiled"]
pub struct Plan<O> {
    pub(crate) description: Description,
    pub(crate) decode: Decode<O>,
}

impl<O> std::fmt::Debug for Plan<O> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Plan").field(&self.description).finish()
    }
}

/// What a `compile` closure may return: a terminal, or a query (all its rows). Sealed.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be compiled",
    label = "the closure must return a query or a terminal such as `.count()`",
    note = "a query of a collection runs at its terminal: inside `compile` begin with `q`, or with the collection's `source()`"
)]
pub trait IntoPlan: Sealed {
    /// What a call returns.
    type Output;
    #[doc(hidden)]
    fn into_plan(self) -> Plan<Self::Output>;
}

impl<O> IntoPlan for Plan<O> {
    type Output = O;

    fn into_plan(self) -> Plan<O> {
        self
    }
}

impl<T: Row> IntoPlan for Query<T, Deferred> {
    type Output = Vec<T>;

    fn into_plan(self) -> Plan<Vec<T>> {
        self.to_vec()
    }
}
