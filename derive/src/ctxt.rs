//! The error collector of one derive.
//!
//! Every stage reports into it and goes on, so that the user sees all faults at once. A collector that is dropped
//! without [`Ctxt::check`] panics, so that no stage can lose what another one reported.

use std::cell::RefCell;
use std::fmt::Display;
use std::thread;

use proc_macro2::Span;

/// The faults found so far. `None` inside once they were looked at.
pub(crate) struct Ctxt {
    errors: RefCell<Option<Vec<syn::Error>>>,
}

impl Ctxt {
    pub(crate) fn new() -> Self {
        Self { errors: RefCell::new(Some(Vec::new())) }
    }

    /// Records a fault at a span.
    pub(crate) fn error(&self, span: Span, message: impl Display) {
        self.push(syn::Error::new(span, message));
    }

    /// Records a fault that syn found.
    pub(crate) fn push(&self, error: syn::Error) {
        if let Some(errors) = self.errors.borrow_mut().as_mut() {
            errors.push(error);
        }
    }

    /// Returns the value of an attempt, or records why there is none.
    pub(crate) fn ok<T>(&self, attempt: syn::Result<T>) -> Option<T> {
        attempt.map_err(|error| self.push(error)).ok()
    }

    /// Returns the checked value, or all faults in one error.
    pub(crate) fn check<T>(self, checked: Option<T>) -> syn::Result<T> {
        let errors = self.errors.take().unwrap_or_default();
        let all = errors.into_iter().reduce(|mut all, next| {
            all.combine(next);
            all
        });
        match (all, checked) {
            (None, Some(checked)) => Ok(checked),
            (Some(error), _) => Err(error),
            (None, None) => {
                Err(syn::Error::new(Span::call_site(), "refused without a reason: a defect of vellum"))
            }
        }
    }
}

impl Drop for Ctxt {
    #[expect(clippy::panic, reason = "a collector that nobody checked is a defect of this crate")]
    fn drop(&mut self) {
        if self.errors.get_mut().is_some() && !thread::panicking() {
            panic!("a derive forgot to check for errors");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn check_returns_every_error_in_order() {
        let ctxt = Ctxt::new();
        ctxt.error(Span::call_site(), "one");
        ctxt.error(Span::call_site(), "two");
        let messages: Vec<_> = ctxt.check(Some(())).unwrap_err().into_iter().map(|e| e.to_string()).collect();
        assert_eq!(messages, ["one", "two"]);
    }

    #[test]
    fn check_without_errors_returns_the_value() -> syn::Result<()> {
        assert_eq!(Ctxt::new().check(Some(7))?, 7);
        Ok(())
    }

    #[test]
    #[should_panic(expected = "forgot to check")]
    fn dropping_an_unchecked_collector_panics() {
        drop(Ctxt::new());
    }
}
