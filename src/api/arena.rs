//! The thread-local arena in which query closures build their expressions.
//!
//! Expressions are `Copy` handles into the arena of the closure that is running, which is what lets a closure read
//! like ordinary Rust. An arena exists only while a closure runs; nested closures join it. What leaves a closure
//! is an owned [`Lambda`], pruned to what the result uses, and the constants that it mentions. A handle that
//! outlives its closure is told apart by its generation and refused.

use std::any::TypeId;
use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::marker::PhantomData;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use smallvec::SmallVec;

use crate::compile::CompileError;
use crate::ir::doc::{Binder, Expr, ExprId, Fold, Lambda, OnNull};
use crate::ir::path::{FieldPath, Segment};
use crate::ir::types::Type;
use crate::ir::value::{FieldDefault, Value};

const KEPT_TOO_LONG: &str = "a query expression was kept beyond the closure that created it";

/// The members of a struct, by their stored names.
pub(crate) type Members = Vec<(Cow<'static, str>, ExprId)>;

struct Arena {
    generation: u32,
    nodes: Vec<Expr>,
    constants: Vec<Value>,
    documents: Vec<(ExprId, TypeId)>,
    flattened: Vec<(ExprId, TypeId)>,
    /// The enums in which a variant is stored under its name, with the names.
    variants: Vec<(ExprId, &'static str)>,
    /// The places that may hold nothing although their type takes no null, with what assigning null there does.
    places: Vec<(ExprId, OnNull)>,
    /// The numbers that nodes were given.
    numbers: Vec<(u32, ExprId)>,
    /// The members of each flattened struct that is whole.
    flattened_members: Vec<(ExprId, Members)>,
    error: Option<CompileError>,
}

thread_local! {
    static ARENA: RefCell<Option<Arena>> = const { RefCell::new(None) };
    static GENERATION: Cell<u32> = const { Cell::new(1) };
}

/// A handle to an expression of the closure that is running. `Copy`, and bound to its thread.
#[derive(Clone, Copy, Debug)]
pub struct Node {
    id: ExprId,
    generation: u32,
    not_send: PhantomData<*const ()>,
}

/// Keeps an arena alive; joins the one that is there when a closure is already running.
pub(crate) struct Scope {
    owner: bool,
}

impl Scope {
    pub(crate) fn enter() -> Scope {
        ARENA.with_borrow_mut(|slot| {
            if slot.is_some() {
                return Scope { owner: false };
            }
            let generation = GENERATION.get();
            GENERATION.set(generation.wrapping_add(1));
            *slot = Some(Arena {
                generation,
                nodes: Vec::with_capacity(32),
                constants: Vec::new(),
                documents: Vec::new(),
                flattened: Vec::new(),
                variants: Vec::new(),
                places: Vec::new(),
                numbers: Vec::new(),
                flattened_members: Vec::new(),
                error: None,
            });
            Scope { owner: true }
        })
    }
}

impl Drop for Scope {
    fn drop(&mut self) {
        if self.owner {
            ARENA.with_borrow_mut(|slot| *slot = None);
        }
    }
}

#[track_caller]
#[expect(
    clippy::panic,
    reason = "a mistake of the program, not of its data: the handle has no query to belong to"
)]
fn with<R>(f: impl FnOnce(&mut Arena) -> R) -> R {
    ARENA.with_borrow_mut(|slot| match slot {
        Some(arena) => f(arena),
        None => panic!(
            "query expressions can only be combined inside a query closure (compile, filter, select, ..)"
        ),
    })
}

impl Arena {
    fn push(&mut self, expr: Expr) -> Node {
        // A closure with 2^32 expressions cannot be written.
        let id = self.nodes.len() as ExprId;
        self.nodes.push(expr);
        Node { id, generation: self.generation, not_send: PhantomData }
    }

    fn get(&self, id: ExprId) -> Option<&Expr> {
        self.nodes.get(id as usize)
    }

    /// Returns a field's own expression, without its default.
    fn own(&self, id: ExprId) -> ExprId {
        match self.get(id) {
            Some(Expr::Defaulted(field, _)) => *field,
            _ => id,
        }
    }

    /// Returns the default of a field that has one.
    fn default(&self, id: ExprId) -> Option<FieldDefault> {
        match self.get(id) {
            Some(Expr::Defaulted(_, default)) => Some(default.clone()),
            _ => None,
        }
    }

    fn is_null(&self, id: ExprId) -> bool {
        let Some(Expr::Constant { index, .. }) = self.get(id) else { return false };
        matches!(self.constants.get(*index as usize), Some(Value::Null))
    }

    /// Panics when a handle is of another arena.
    #[track_caller]
    fn check(&self, node: Node) {
        assert_eq!(self.generation, node.generation, "{KEPT_TOO_LONG}");
    }

    fn of(&self, node: Node) -> Option<&Expr> {
        self.check(node);
        self.get(node.id)
    }

    fn members(&self, members: &[(&'static str, Node)], flattened: &[Node]) -> Option<Members> {
        let mut all: Members = members.iter().map(|(name, node)| ((*name).into(), node.id)).collect();
        for node in flattened {
            let whole = self.flattened_members.iter().find(|(id, _)| *id == node.id);
            match (self.of(*node), whole) {
                (Some(Expr::Struct(members)), _) | (_, Some((_, members))) => {
                    all.extend(members.iter().cloned())
                }
                _ => return None,
            }
        }
        Some(all)
    }

    /// Returns a copy of an expression and of all that it uses, with its constants, numbered from `first_constant`.
    ///
    /// They keep the order in which they were made: an operand comes before what names it. There is no recursion, for a
    /// chain may be thousands of parts long.
    fn copy(&self, root: ExprId, first_constant: u32) -> (Vec<Expr>, Vec<Value>) {
        let mut places: Vec<Option<ExprId>> = vec![None; root as usize + 1];
        let mut pending = vec![root];
        while let Some(id) = pending.pop() {
            if let Some(place @ None) = places.get_mut(id as usize) {
                *place = Some(0);
                pending.extend(self.get(id).into_iter().flat_map(Expr::operands));
            }
        }
        places.iter_mut().flatten().zip(0..).for_each(|(place, number)| *place = number);
        let mut constants = Vec::new();
        let used = self.nodes.iter().zip(&places).filter(|(_, place)| place.is_some());
        let nodes = used.map(|(expr, _)| {
            let place = |operand: ExprId| places.get(operand as usize).copied().flatten().unwrap_or(operand);
            let mut copy = expr.clone().map_operands(&mut |operand| place(operand));
            copy.map_constants(&mut |index| {
                constants.push(self.constants.get(index as usize).cloned().unwrap_or(Value::Null));
                first_constant + constants.len() as u32 - 1
            });
            copy
        });
        (nodes.collect(), constants)
    }
}

impl Node {
    /// Returns the place in the running arena.
    #[track_caller]
    pub(crate) fn id(self) -> ExprId {
        with(|arena| arena.check(self));
        self.id
    }
}

/// How many numbers there are for nodes.
pub(crate) const NUMBERS: u32 = 1 << 20;

/// Gives the node a number, from which [`recall`] makes it again, in turn in all threads.
#[track_caller]
pub(crate) fn number(node: Node) -> u32 {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let (id, number) = (node.id(), NEXT.fetch_add(1, Ordering::Relaxed) % NUMBERS);
    with(|arena| arena.numbers.push((number, id)));
    number
}

/// Returns the node of a number. Panics when the number is of another arena; when all numbers were given since, one of
/// this arena may be the same.
#[track_caller]
pub(crate) fn recall(number: u32) -> Node {
    with(|arena| {
        let found = arena.numbers.iter().rev().find(|(known, _)| *known == number);
        assert!(found.is_some(), "{KEPT_TOO_LONG}");
        let id = found.map_or(0, |(_, id)| *id);
        Node { id, generation: arena.generation, not_send: PhantomData }
    })
}

/// Adds an expression.
#[track_caller]
pub(crate) fn push(expr: Expr) -> Node {
    with(|arena| arena.push(expr))
}

/// Adds a constant of the plan.
#[track_caller]
pub(crate) fn constant(value: Value, ty: Type) -> Node {
    with(|arena| {
        let index = arena.constants.len() as u32;
        arena.constants.push(value);
        arena.push(Expr::Constant { index, ty, written: None })
    })
}

/// Takes over the constants of a query that stands inside of the closure, and returns the number of the first.
#[track_caller]
pub(crate) fn adopt(constants: Vec<Value>) -> u32 {
    with(|arena| {
        let first = arena.constants.len() as u32;
        arena.constants.extend(constants);
        first
    })
}

/// Adds a row for a closure to be given. Its number is given to no other, in any thread: a query may be made outside of
/// the closure that it comes to stand in.
#[track_caller]
pub(crate) fn binder() -> (Binder, Node) {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let binder = Binder(NEXT.fetch_add(1, Ordering::Relaxed));
    (binder, push(Expr::Row(binder)))
}

/// Remembers the first thing that was wrong; the query that is being built is then refused.
#[track_caller]
pub(crate) fn fail(error: CompileError) {
    with(|arena| {
        arena.error.get_or_insert(error);
    });
}

/// Returns the constants behind the nodes when every one of them is a constant.
#[track_caller]
pub(crate) fn constants(nodes: &[Node]) -> Option<Vec<Value>> {
    with(|arena| {
        nodes
            .iter()
            .map(|node| match arena.of(*node) {
                Some(Expr::Constant { index, .. }) => arena.constants.get(*index as usize).cloned(),
                _ => None,
            })
            .collect()
    })
}

/// Gives a field its declared type once the typed shell knows it.
#[track_caller]
pub(crate) fn declare(node: Node, declared: Type, is_nullable: bool) -> Node {
    let id = node.id();
    with(|arena| {
        let own = arena.own(id);
        match arena.nodes.get_mut(own as usize) {
            Some(Expr::Field { ty, nullable, .. }) => (*ty, *nullable) = (declared, is_nullable),
            Some(Expr::Key { ty, .. }) => *ty = declared,
            _ => {}
        }
        node
    })
}

/// Remembers that `node` is the whole of what the companion type `companion` describes.
#[track_caller]
pub(crate) fn mark(node: Node, companion: TypeId) {
    let id = node.id();
    with(|arena| arena.documents.push((id, companion)));
}

/// Remembers that what the companion type describes stands beside the other fields of `node`.
#[track_caller]
pub(crate) fn mark_flattened(node: Node, companion: TypeId) {
    let id = node.id();
    with(|arena| arena.flattened.push((id, companion)));
}

/// Returns the whole of what stands beside the other fields of `node`, if that is so of the companion type.
#[track_caller]
pub(crate) fn beside(node: Node, companion: TypeId) -> Option<Node> {
    let id = node.id();
    with(|arena| arena.flattened.contains(&(id, companion)).then(|| arena.push(Expr::Flattened(id))))
}

/// Remembers that a variant of the enum at `node` is stored under its name, or that its tag is.
#[track_caller]
pub(crate) fn mark_variant(node: Node, name: &'static str) {
    let id = node.id();
    with(|arena| arena.variants.push((id, name)));
}

/// Returns whether a place is in one variant of an enum, or is its tag.
#[track_caller]
pub(crate) fn is_in_variant(node: Node) -> bool {
    let mut at = node.id();
    with(|arena| {
        loop {
            at = match arena.get(arena.own(at)) {
                Some(Expr::Field { of, key, .. }) => {
                    if arena.variants.iter().any(|(within, name)| within == of && name == key) {
                        return true;
                    }
                    *of
                }
                Some(Expr::Position { of, .. }) => *of,
                _ => return false,
            };
        }
    })
}

/// Returns the node that all members are the untouched fields of, when there is one.
#[track_caller]
pub(crate) fn whole(members: &[(&'static str, Node)], flattened: &[Node], companion: TypeId) -> Option<Node> {
    with(|arena| {
        let mut parent = None;
        for node in flattened {
            let Some(Expr::Flattened(of)) = arena.of(*node) else { return None };
            if *parent.get_or_insert(*of) != *of {
                return None;
            }
        }
        for (name, member) in members {
            arena.check(*member);
            let of = match arena.get(arena.own(member.id))? {
                Expr::Field { of, key, .. } if key == name => *of,
                Expr::Key { of, .. } => *of,
                _ => return None,
            };
            if *parent.get_or_insert(of) != of {
                return None;
            }
        }
        let id = parent?;
        if !arena.documents.contains(&(id, companion)) {
            return None;
        }
        if !arena.flattened.contains(&(id, companion)) {
            return Some(Node { id, generation: arena.generation, not_send: PhantomData });
        }
        let members = arena.members(members, flattened);
        let node = arena.push(Expr::Flattened(id));
        arena.flattened_members.extend(members.map(|members| (node.id, members)));
        Some(node)
    })
}

/// Returns the members of a struct with those of the flattened ones, where these are known.
#[track_caller]
pub(crate) fn members(members: &[(&'static str, Node)], flattened: &[Node]) -> Option<Members> {
    with(|arena| arena.members(members, flattened))
}

/// What left a closure: the lambda, its constants and the first thing that was wrong.
#[derive(Clone, Debug)]
pub(crate) struct Extracted {
    pub(crate) lambda: Lambda,
    pub(crate) constants: Vec<Value>,
    pub(crate) error: Option<CompileError>,
}

/// Opens the rows of one closure; [`Frame::finish`] turns its result into a lambda.
pub(crate) struct Frame {
    binders: SmallVec<[Binder; 2]>,
    rows: [Node; 2],
    _scope: Scope,
}

impl Frame {
    /// Opens a closure over one row.
    pub(crate) fn one() -> Frame {
        let scope = Scope::enter();
        let (binder, row) = binder();
        Frame { binders: SmallVec::from_slice(&[binder]), rows: [row, row], _scope: scope }
    }

    /// Opens a closure over two rows.
    pub(crate) fn two() -> Frame {
        let scope = Scope::enter();
        let ((a, first), (b, second)) = (binder(), binder());
        Frame { binders: SmallVec::from_slice(&[a, b]), rows: [first, second], _scope: scope }
    }

    /// Returns the rows; the second repeats the first where there is only one.
    pub(crate) fn rows(&self) -> [Node; 2] {
        self.rows
    }

    /// Returns the first row.
    pub(crate) fn row(&self) -> Node {
        let [row, _] = self.rows;
        row
    }

    /// Takes `root` and what it uses out of the arena. Constants are numbered from `first_constant`.
    #[track_caller]
    pub(crate) fn finish(&self, root: Node, first_constant: usize) -> Extracted {
        let root = root.id();
        with(|arena| {
            let (nodes, constants) = arena.copy(root, first_constant as u32);
            // What everything else is made for comes last.
            let root = nodes.len().saturating_sub(1) as ExprId;
            let lambda = Lambda { binders: self.binders.clone(), nodes, root };
            Extracted { lambda, constants, error: arena.error.take() }
        })
    }
}

/// Returns the words for an expression in a message: a field by its path, else what kind of expression it is.
#[track_caller]
pub(crate) fn describe(node: Node) -> String {
    let id = node.id();
    with(|arena| {
        let mut segments = Vec::new();
        let mut at = id;
        loop {
            match arena.get(arena.own(at)) {
                Some(Expr::Field { of, key, .. }) => {
                    segments.push(Segment::Key(key.clone()));
                    at = *of;
                }
                Some(Expr::Position { of, index, .. }) => {
                    segments.push(Segment::Index((*index).into()));
                    at = *of;
                }
                Some(Expr::OfKind { of, .. }) => at = *of,
                // What one variant of an enum holds, and no other.
                Some(Expr::When { then, otherwise, .. }) if arena.is_null(*otherwise) => at = *then,
                Some(Expr::Key { .. }) if segments.is_empty() => return "the key".to_owned(),
                Some(Expr::Call { function, .. }) if segments.is_empty() => {
                    return format!("`{}(..)`", function.name());
                }
                _ => break,
            }
        }
        let path: FieldPath = segments.into_iter().rev().collect();
        if path.is_root() { "the expression".to_owned() } else { format!("`{path}`") }
    })
}

/// Returns the stored field that a node sees as a type, if it sees one so; else the node itself.
#[track_caller]
pub(crate) fn field_of(node: Node) -> Node {
    let id = node.id();
    with(|arena| {
        let Some(Expr::OfKind { of, ty }) = arena.get(id).cloned() else { return node };
        let default = arena.default(of);
        let field = match arena.get(arena.own(of)).cloned() {
            Some(Expr::Field { of, key, .. }) => arena.push(Expr::Field { of, key, ty, nullable: true }),
            Some(Expr::Position { of, index, .. }) => arena.push(Expr::Position { of, index, ty }),
            Some(Expr::Lookup { of, key, .. }) => arena.push(Expr::Lookup { of, key, ty }),
            _ => return node,
        };
        default.map_or(field, |default| arena.push(Expr::Defaulted(field.id, default)))
    })
}

/// Returns a copy of a field that may be absent because the struct around it may be.
#[track_caller]
pub(crate) fn maybe(node: Node) -> Node {
    let id = node.id();
    with(|arena| {
        let default = arena.default(id);
        let own = arena.own(id);
        let Some(Expr::Field { of, key, ty, nullable }) = arena.get(own).cloned() else { return node };
        let field = arena.push(Expr::Field { of, key, ty, nullable: true });
        let known = arena.places.iter().find(|(known, _)| *known == own).map(|(_, on_null)| *on_null);
        arena
            .places
            .extend(known.or((!nullable).then_some(OnNull::Refuse)).map(|on_null| (field.id, on_null)));
        default.map_or(field, |default| arena.push(Expr::Defaulted(field.id, default)))
    })
}

/// Returns whether an expression is the constant null.
#[track_caller]
pub(crate) fn is_null(node: Node) -> bool {
    let id = node.id();
    with(|arena| arena.is_null(id))
}

/// Remembers what assigning null to a place does.
#[track_caller]
pub(crate) fn mark_place(node: Node, on_null: OnNull) {
    let id = node.id();
    with(|arena| arena.places.push((id, on_null)));
}

/// Returns what assigning null to a field does.
#[track_caller]
pub(crate) fn on_null(node: Node) -> OnNull {
    let id = node.id();
    with(|arena| {
        let own = arena.own(id);
        match arena.places.iter().find(|(known, _)| *known == own) {
            Some((_, on_null)) => *on_null,
            None if matches!(arena.get(own), Some(Expr::Field { nullable: false, .. })) => OnNull::Refuse,
            None => OnNull::Store,
        }
    })
}

/// Returns whether a field is read as a default where it is missing.
#[track_caller]
pub(crate) fn has_default(node: Node) -> bool {
    with(|arena| matches!(arena.of(node), Some(Expr::Defaulted(..))))
}

/// Returns whether an expression is a place in a document.
#[track_caller]
pub(crate) fn is_field(node: Node) -> bool {
    with(|arena| {
        matches!(arena.of(node), Some(Expr::Field { .. } | Expr::Defaulted(..) | Expr::Position { .. }))
    })
}

/// Returns a value in the rows for which a condition holds, null in the others.
#[track_caller]
pub(crate) fn where_holds(condition: Node, value: Node, ty: Type) -> Node {
    let null = constant(Value::Null, ty);
    push(Expr::When { condition: condition.id(), then: value.id(), otherwise: null.id(), ty, nullable: true })
}

/// Returns whether a value may be null although its type does not say so: also below a struct that is optional.
#[track_caller]
pub(crate) fn may_be_null(node: Node) -> bool {
    let id = node.id();
    with(|arena| {
        let mut pending = vec![id];
        while let Some(id) = pending.pop() {
            match arena.get(id) {
                Some(
                    Expr::Field { nullable: true, .. }
                    | Expr::Arithmetic { nullable: true, .. }
                    | Expr::Coalesce { nullable: true, .. }
                    | Expr::When { nullable: true, .. }
                    | Expr::Position { .. }
                    | Expr::OfKind { .. }
                    | Expr::Lookup { .. },
                ) => return true,
                Some(Expr::Defaulted(of, _) | Expr::Field { of, .. }) => pending.push(*of),
                Some(Expr::Call { function, args }) if !function.is_condition() => {
                    pending.extend(args.iter().copied())
                }
                Some(Expr::Subquery(subquery)) if subquery.nullable => return true,
                Some(Expr::Fold { fold, .. }) if !matches!(fold, Fold::Count | Fold::Sum) => return true,
                _ => {}
            }
        }
        false
    })
}

/// Returns the generation of the running arena, or 0 when none runs.
pub(crate) fn generation() -> u32 {
    ARENA.with_borrow(|slot| slot.as_ref().map_or(0, |arena| arena.generation))
}

/// Takes the first thing that was wrong.
pub(crate) fn take_error() -> Option<CompileError> {
    ARENA.with_borrow_mut(|slot| slot.as_mut().and_then(|arena| arena.error.take()))
}
