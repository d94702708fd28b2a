//! Variants of an enum that holds data.
//!
//! Serde has three forms for them. In the first each variant has a place of its own, so that its fields are null in
//! the other variants by themselves. In the other two variants share their places: a field is that of this variant
//! only where the tag says so.

use crate::api::arena::{self, Node};
use crate::api::expr::{Expr, Predicate};
use crate::api::value::Value;
use crate::ir::doc::{Absence, Comparison, Expr as Tree};
use crate::ir::types::Type;

/// One variant of an enum: whether a value is it, and what it holds.
///
/// ```
/// use serde::{Deserialize, Serialize};
/// use vellum::prelude::*;
///
/// #[derive(Embed, Serialize, Deserialize)]
/// #[serde(tag = "kind", rename_all = "lowercase")]
/// enum Shape {
///     Circle { radius: f64 },
///     Square { side: f64 },
/// }
///
/// #[derive(Document, Serialize, Deserialize)]
/// struct Part {
///     id: i64,
///     shape: Shape,
/// }
///
/// # fn main() -> vellum::Result<()> {
/// let parts = Database::open_in_memory()?.collection::<Part>()?;
/// parts.insert(Part { id: 0, shape: Shape::Circle { radius: 2.0 } })?;
/// parts.insert(Part { id: 0, shape: Shape::Square { side: 3.0 } })?;
/// assert_eq!(parts.filter(|p| p.shape.circle.is()).count()?, 1);
/// assert_eq!(parts.filter(|p| p.shape.square.is_and(|s| s.side.gt(2.5))).count()?, 1);
/// let radii = parts.query().select(|p| p.shape.circle.map(|c| c.radius)).to_vec()?;
/// assert_eq!(radii, [Some(2.0), None]);
/// # Ok(())
/// # }
/// ```
pub struct Variant<F> {
    inside: F,
    is: Node,
    /// Whether other variants store something in the same places.
    shares: bool,
}

impl<F: Copy> Clone for Variant<F> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<F: Copy> Copy for Variant<F> {}

impl<F> std::fmt::Debug for Variant<F> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Variant")
    }
}

impl<F: Copy> Variant<F> {
    /// Holds where the value is this variant.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/part.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let parts = parts()?;
    /// assert_eq!(parts.filter(|p| p.shape.circle.is()).count()?, 1);
    /// assert_eq!(parts.filter(|p| !p.shape.circle.is()).count()?, 1);
    /// # Ok(())
    /// # }
    /// ```
    pub fn is(self) -> Expr<bool> {
        Expr::new(self.is)
    }

    /// Holds where the value is this variant and what it holds satisfies the condition.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/part.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let parts = parts()?;
    /// assert_eq!(parts.filter(|p| p.shape.circle.is_and(|c| c.radius.lt(3.0))).count()?, 1);
    /// # Ok(())
    /// # }
    /// ```
    pub fn is_and<R: Predicate>(self, f: impl FnOnce(F) -> R) -> Expr<bool> {
        self.is() & f(self.inside).condition()
    }

    /// Returns something of what the variant holds, null for other variants: `p.shape.circle.map(|c| c.radius)`.
    ///
    /// A field of an externally tagged enum (serde's form without `tag`) can be indexed so. It cannot be assigned: a value of
    /// another variant would become one of both.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/part.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let parts = parts()?;
    /// let radii = parts.query().select(|p| p.shape.circle.map(|c| c.radius)).to_vec()?;
    /// assert_eq!(radii, [Some(2.0), None]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn map<T: Value>(self, f: impl FnOnce(F) -> Expr<T>) -> Expr<Option<T>> {
        self.only(f(self.inside).raw(), T::TYPE)
    }

    /// Returns something optional of what the variant holds, null for other variants.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/part.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let parts = parts()?;
    /// let named = parts.filter(|p| p.shape.square.and_then(|s| s.name).eq("lid"));
    /// assert_eq!(named.count()?, 1);
    /// # Ok(())
    /// # }
    /// ```
    pub fn and_then<T: Value>(self, f: impl FnOnce(F) -> Expr<Option<T>>) -> Expr<Option<T>> {
        self.only(f(self.inside).raw(), T::TYPE)
    }

    fn only<T>(self, value: Node, ty: Type) -> Expr<Option<T>> {
        if self.shares || !arena::is_field(value) {
            return Expr::new(arena::where_holds(self.is, value, ty));
        }
        Expr::new(arena::maybe(value))
    }
}

/// What the derive finds at the node of an enum.
impl<F: Copy> Variant<F> {
    /// Returns a variant that is stored as `{"name": ..}`.
    #[doc(hidden)]
    pub fn under_name(of: Node, name: &'static str, bind: fn(Node) -> F) -> Self {
        arena::mark_variant(of, name);
        let inside = below(of, name);
        let missing = arena::push(Tree::IsAbsent(inside.id(), Absence::Missing));
        Self { inside: bind(inside), is: arena::push(Tree::Not(missing.id())), shares: false }
    }

    /// Returns a variant that is stored as `{"tag": "name", ..}`.
    #[doc(hidden)]
    pub fn beside_tag(of: Node, tag: &'static str, name: &'static str, bind: fn(Node) -> F) -> Self {
        Self { inside: bind(arena::maybe(of)), is: equals(text(of, tag), name), shares: true }
    }

    /// Returns a variant that is stored as `{"tag": "name", "content": ..}`.
    #[doc(hidden)]
    pub fn under_content(
        of: Node,
        tag: &'static str,
        name: &'static str,
        content: &'static str,
        bind: fn(Node) -> F,
    ) -> Self {
        Self { inside: bind(below(of, content)), is: equals(text(of, tag), name), shares: true }
    }
}

impl Variant<()> {
    /// Returns a variant that is stored as its name.
    #[doc(hidden)]
    pub fn named(of: Node, name: &'static str) -> Self {
        Self { inside: (), is: equals(of, name), shares: false }
    }
}

fn below(of: Node, key: &'static str) -> Node {
    arena::push(Tree::Field { of: of.id(), key: key.into(), ty: Type::Any, nullable: true })
}

fn text(of: Node, key: &'static str) -> Node {
    arena::push(Tree::Field { of: of.id(), key: key.into(), ty: Type::Text, nullable: true })
}

fn equals(value: Node, name: &'static str) -> Node {
    let name = arena::constant(crate::ir::value::Value::Text(name.into()), Type::Text);
    arena::push(Tree::Compare(Comparison::Eq, value.id(), name.id()))
}
