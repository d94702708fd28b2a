//! The two ways in which a query runs: described for `compile`, or run at its terminal.

use crate::api::plan::Plan;
use crate::api::session::Session;
use crate::error::Result;

/// How terminals finish: [`Deferred`] describes them for `compile`, [`Live`] runs them. Sealed.
pub trait Mode: private::Sealed {
    /// What a terminal returns.
    type Ret<O>;
    #[doc(hidden)]
    fn finish<O>(self, plan: Plan<O>) -> Self::Ret<O>;
}

/// Inside `compile`: `count()` is a [`Plan<u64>`].
#[derive(Clone, Copy, Debug, Default)]
pub struct Deferred;

impl Mode for Deferred {
    type Ret<O> = Plan<O>;

    fn finish<O>(self, plan: Plan<O>) -> Plan<O> {
        plan
    }
}

/// On a collection: `count()` is a `Result<u64>`.
#[derive(Clone, Copy, Debug)]
pub struct Live<'s> {
    pub(crate) session: &'s Session,
}

impl Mode for Live<'_> {
    type Ret<O> = Result<O>;

    fn finish<O>(self, plan: Plan<O>) -> Result<O> {
        self.session.run_once(plan.description, plan.decode)
    }
}

mod private {
    pub trait Sealed {}
    impl Sealed for super::Deferred {}
    impl Sealed for super::Live<'_> {}
}
