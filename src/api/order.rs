//! Sort keys: what `order_by` is made of.

use crate::api::arena::{Extracted, Frame, Node};
use crate::api::expr::Expr;
use crate::api::sealed::Sealed;
use crate::api::tuples::each_tuple;
use crate::api::value::{Ordered, Value};
use crate::ir;
use crate::ir::doc::Nulls;

/// A sort key with its direction.
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
/// # fn main() -> vellum::Result<()> {
/// # let notes = database()?.collection::<Note>()?;
/// let by_stars = notes.query().order_by(|n| (n.stars.desc().nulls_first(), n.id)).select(|n| n.id);
/// assert_eq!(by_stars.to_vec()?, [2, 3, 1]);
/// # Ok(())
/// # }
/// ```
#[must_use = "a sort key does nothing outside `order_by` or an index"]
#[derive(Clone, Copy, Debug)]
pub struct OrderKey {
    by: Node,
    descending: bool,
    nulls: Nulls,
}

impl OrderKey {
    /// Returns the key from small to large.
    pub(crate) fn ascending(by: Node) -> Self {
        OrderKey { by, descending: false, nulls: Nulls::Smallest }
    }

    /// Puts null and missing first, whatever the direction.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// let ids = notes.query().order_by(|n| n.stars.desc().nulls_first()).select(|n| n.id);
    /// assert_eq!(ids.to_vec()?, [2, 3, 1]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn nulls_first(mut self) -> Self {
        self.nulls = Nulls::First;
        self
    }

    /// Puts null and missing last, whatever the direction.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// let ids = notes.query().order_by(|n| n.stars.asc().nulls_last()).select(|n| n.id);
    /// assert_eq!(ids.to_vec()?, [1, 3, 2]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn nulls_last(mut self) -> Self {
        self.nulls = Nulls::Last;
        self
    }

    pub(crate) fn reversed(mut self) -> Self {
        self.descending = !self.descending;
        self
    }

    /// Takes what is sorted by out of the arena.
    pub(crate) fn extract(&self, frame: &Frame, first_constant: usize) -> Extracted {
        frame.finish(self.by, first_constant)
    }

    /// Returns the key over an extracted lambda.
    pub(crate) fn with(&self, by: ir::doc::Lambda) -> ir::doc::OrderKey {
        ir::doc::OrderKey { by, descending: self.descending, nulls: self.nulls }
    }
}

impl<T: Value> Expr<T>
where
    T::Core: Ordered,
{
    /// Returns the expression as a sort key from small to large: null and missing, then numbers, then text.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// let ids = notes.query().order_by(|n| (n.done.asc(), n.stars.desc())).select(|n| n.id);
    /// assert_eq!(ids.to_vec()?, [3, 2, 1]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn asc(self) -> OrderKey {
        OrderKey::ascending(self.raw())
    }

    /// Returns the expression as a sort key from large to small; null and missing come last.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// assert_eq!(notes.query().order_by(|n| n.stars.desc()).select(|n| n.id).to_vec()?, [3, 1, 2]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn desc(self) -> OrderKey {
        OrderKey { by: self.raw(), descending: true, nulls: Nulls::Smallest }
    }
}

/// What `order_by` accepts: an expression (ascending), `.asc()`, `.desc()`, or a tuple of those. Sealed.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a sort key",
    label = "expected an expression that has an order, `.asc()`, `.desc()`, or a tuple of these"
)]
pub trait OrderKeys: Sealed {
    #[doc(hidden)]
    fn keys(self) -> Vec<OrderKey>;
}

impl OrderKeys for OrderKey {
    fn keys(self) -> Vec<OrderKey> {
        vec![self]
    }
}

impl<T: Value> OrderKeys for Expr<T>
where
    T::Core: Ordered,
{
    fn keys(self) -> Vec<OrderKey> {
        vec![self.asc()]
    }
}

macro_rules! order_keys {
    ($($T:ident $i:tt),+) => {
        impl<$($T: OrderKeys),+> OrderKeys for ($($T,)+) {
            fn keys(self) -> Vec<OrderKey> {
                let mut keys = Vec::new();
                $( keys.extend(self.$i.keys()); )+
                keys
            }
        }
    };
}

each_tuple!(1..=8, order_keys);
