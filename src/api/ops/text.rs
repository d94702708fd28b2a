//! Text: what it begins with and is like, its length, and texts made of it.

use smallvec::{SmallVec, smallvec};

use crate::api::arena::{self, Node};
use crate::api::expr::{Expr, Operand, Term, beside};
use crate::api::sealed::Sealed;
use crate::api::value::Value;
use crate::compile::OperandError;
use crate::ir::doc::{Expr as Tree, Function};
use crate::ir::value::Value as Literal;

/// Text: `String` and `Option<String>`. Sealed.
pub trait Text: Value<Core = String> + Sealed {
    /// The type of a length: optional where the text is.
    type Len: Value<Core = u64>;
}
impl Text for String {
    type Len = u64;
}
impl Text for Option<String> {
    type Len = Option<u64>;
}

pub(crate) fn call(
    function: Function,
    of: Node,
    arguments: impl IntoIterator<Item = Result<Node, OperandError>>,
) -> Node {
    let mut args: SmallVec<[u32; 3]> = smallvec![of.id()];
    args.extend(arguments.into_iter().map(|argument| beside(of, argument).id()));
    arena::push(Tree::Call { function, args })
}

impl<T: Text> Expr<T> {
    /// Holds where the text begins with `prefix`, byte by byte. Served by an index, also for a parameter.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// assert_eq!(notes.filter(|n| n.text.starts_with("buy")).count()?, 1);
    /// assert_eq!(notes.filter(|n| n.text.to_lowercase().starts_with("buy")).count()?, 2);
    /// # Ok(())
    /// # }
    /// ```
    pub fn starts_with(self, prefix: impl Operand<String>) -> Expr<bool> {
        Expr::new(call(Function::StartsWith, self.raw(), [prefix.operand()]))
    }

    /// Holds where the text ends with `suffix`.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// assert_eq!(notes.filter(|n| n.text.ends_with("lamp")).count()?, 1);
    /// # Ok(())
    /// # }
    /// ```
    pub fn ends_with(self, suffix: impl Operand<String>) -> Expr<bool> {
        Expr::new(call(Function::EndsWith, self.raw(), [suffix.operand()]))
    }

    /// Holds where the whole text matches: `%` is any run, `_` one scalar value, `\` escapes. Case-sensitive.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// assert_eq!(notes.filter(|n| n.text.like("buy%")).count()?, 1);
    /// assert_eq!(notes.filter(|n| n.text.ilike("buy%")).count()?, 2);
    /// assert_eq!(notes.filter(|n| n.text.glob("[a-z]*milk")).count()?, 1);
    /// # Ok(())
    /// # }
    /// ```
    pub fn like(self, pattern: impl Operand<String>) -> Expr<bool> {
        Expr::new(call(Function::Like, self.raw(), [pattern.operand()]))
    }

    /// As [`like`](Self::like), after folding both to lower case by Unicode's rules.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// assert_eq!(notes.filter(|n| n.text.ilike("BUY%")).count()?, 2);
    /// # Ok(())
    /// # }
    /// ```
    pub fn ilike(self, pattern: impl Operand<String>) -> Expr<bool> {
        Expr::new(call(Function::Ilike, self.raw(), [pattern.operand()]))
    }

    /// Holds where the whole text matches: `*` is any run, `?` one scalar value, `[a-z]` one of a set.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// assert_eq!(notes.filter(|n| n.text.glob("[Bb]uy*")).count()?, 2);
    /// # Ok(())
    /// # }
    /// ```
    pub fn glob(self, pattern: impl Operand<String>) -> Expr<bool> {
        Expr::new(call(Function::Glob, self.raw(), [pattern.operand()]))
    }

    /// Holds where both are equal after folding by Unicode's rules.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// assert_eq!(notes.filter(|n| n.text.eq_ignore_case("BUY MILK")).count()?, 1);
    /// # Ok(())
    /// # }
    /// ```
    pub fn eq_ignore_case(self, other: impl Operand<String>) -> Expr<bool> {
        Expr::new(call(Function::EqIgnoreCase, self.raw(), [other.operand()]))
    }

    /// Returns the number of bytes of the UTF-8 form.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// notes.update_many(|n| n.id.eq(1), |n| n.text.set("\u{fc}ber"))?;
    /// let sizes = notes.query().select(|n| (n.text.len(), n.text.byte_len())).first()?;
    /// assert_eq!(sizes, Some((4, 5)));
    /// # Ok(())
    /// # }
    /// ```
    pub fn byte_len(self) -> Expr<T::Len> {
        Expr::new(call(Function::ByteLen, self.raw(), []))
    }

    /// Returns the text in lower case by Unicode's rules.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// assert_eq!(notes.filter(|n| n.text.to_lowercase().eq("buy a lamp")).count()?, 1);
    /// # Ok(())
    /// # }
    /// ```
    pub fn to_lowercase(self) -> Expr<T> {
        Expr::new(call(Function::Lower, self.raw(), []))
    }

    /// Returns the text in upper case by Unicode's rules.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// assert_eq!(notes.query().select(|n| n.folder.to_uppercase()).first()?.as_deref(), Some("HOME"));
    /// # Ok(())
    /// # }
    /// ```
    pub fn to_uppercase(self) -> Expr<T> {
        Expr::new(call(Function::Upper, self.raw(), []))
    }

    /// Returns the text without white space at both ends.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// notes.query().update(|n| n.text.set(lit(" ").concat(n.text)))?;
    /// assert_eq!(notes.query().select(|n| n.text.trim()).first()?.as_deref(), Some("buy milk"));
    /// # Ok(())
    /// # }
    /// ```
    pub fn trim(self) -> Expr<T> {
        Expr::new(call(Function::Trim, self.raw(), []))
    }

    /// Returns up to `len` scalar values from the zero-based `start`; past the end, what there is.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// let initials = notes.query().group_by(|n| n.text.substr(0, 1)).select(|g| g.key).to_vec()?;
    /// assert_eq!(initials, ["B", "b", "w"]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn substr(self, start: impl Operand<u64>, len: impl Operand<u64>) -> Expr<T> {
        let start = start.operand();
        // A part from the beginning keeps the order of the whole, so it is told apart while the number is known.
        let from_zero =
            start.as_ref().is_ok_and(|node| arena::constants(&[*node]) == Some(vec![Literal::Int(0)]));
        Expr::new(if from_zero {
            call(Function::Left, self.raw(), [len.operand()])
        } else {
            call(Function::Substr, self.raw(), [start, len.operand()])
        })
    }

    /// Returns the text with every `from` replaced by `to`, both plain text.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// notes.query().update(|n| n.text.set(n.text.replace("milk", "tea")))?;
    /// assert_eq!(notes.query().select(|n| n.text).first()?.as_deref(), Some("buy tea"));
    /// # Ok(())
    /// # }
    /// ```
    pub fn replace(self, from: impl Operand<String>, to: impl Operand<String>) -> Expr<T> {
        Expr::new(call(Function::Replace, self.raw(), [from.operand(), to.operand()]))
    }

    /// Returns the text followed by `other`; null where either is.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/doc/note.rs"));
    /// # fn main() -> vellum::Result<()> {
    /// # let notes = database()?.collection::<Note>()?;
    /// let labels = notes.query().select(|n| n.folder.concat(": ").concat(n.text));
    /// assert_eq!(labels.first()?.as_deref(), Some("home: buy milk"));
    /// # Ok(())
    /// # }
    /// ```
    pub fn concat(self, other: impl Term<T>) -> Expr<T> {
        Expr::new(call(Function::Concat, self.raw(), [other.term()]))
    }
}
