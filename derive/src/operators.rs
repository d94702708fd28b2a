//! The body of `x!`: Rust's operators as the methods of query expressions.
//!
//! `==`, `!=`, `<`, `<=`, `>`, `>=` become `eq`, `ne`, `lt`, `le`, `gt`, `ge`; `&&` and `||` become `&` and `|`;
//! `if a { b } else { c }` becomes `when(a, b, c)`. Everything else, `!` and arithmetic included, stays as it is. A
//! literal on the left changes places with the right side, which has the methods.

use proc_macro2::TokenStream;
use quote::ToTokens as _;
use syn::parse::{Parse, ParseStream};
use syn::spanned::Spanned as _;
use syn::visit_mut::{self, VisitMut};
use syn::{
    BinOp, Block, Expr, ExprBinary, ExprIf, ExprMethodCall, ExprParen, Ident, Path, Stmt, Token, UnOp,
    parse_quote,
};

use crate::ctxt::Ctxt;

/// Rewrites `crate path ; expression`.
pub(crate) fn rewrite(input: TokenStream) -> syn::Result<TokenStream> {
    let Input { krate, mut expr } = syn::parse2(input)?;
    let mut operators = Operators { krate, ctxt: Ctxt::new() };
    operators.visit_expr_mut(&mut expr);
    operators.ctxt.check(Some(expr.into_token_stream()))
}

struct Input {
    krate: Path,
    expr: Expr,
}

impl Parse for Input {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let krate = input.call(Path::parse_mod_style)?;
        input.parse::<Token![;]>()?;
        Ok(Self { krate, expr: input.parse()? })
    }
}

struct Operators {
    krate: Path,
    ctxt: Ctxt,
}

impl VisitMut for Operators {
    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        visit_mut::visit_expr_mut(self, expr);
        let rewritten = match expr {
            Expr::Binary(binary) => self.binary(binary),
            Expr::If(branch) => self.branch(branch),
            Expr::Let(binding) => {
                self.ctxt.error(
                    binding.let_token.span,
                    "`x!` has no `if let`: use `.is_some_and(..)` or `.map(..)`",
                );
                None
            }
            _ => None,
        };
        if let Some(rewritten) = rewritten {
            *expr = rewritten;
        }
    }
}

impl Operators {
    fn binary(&self, binary: &ExprBinary) -> Option<Expr> {
        let (left, right) = (&*binary.left, &*binary.right);
        let swapped = is_literal(left);
        let method = match (binary.op, swapped) {
            (BinOp::And(op), _) => return Some(logic(binary, BinOp::BitAnd(Token![&](op.spans[0])))),
            (BinOp::Or(op), _) => return Some(logic(binary, BinOp::BitOr(Token![|](op.spans[0])))),
            (BinOp::Eq(_), _) => "eq",
            (BinOp::Ne(_), _) => "ne",
            (BinOp::Lt(_), false) | (BinOp::Gt(_), true) => "lt",
            (BinOp::Le(_), false) | (BinOp::Ge(_), true) => "le",
            (BinOp::Gt(_), false) | (BinOp::Lt(_), true) => "gt",
            (BinOp::Ge(_), false) | (BinOp::Le(_), true) => "ge",
            _ => return None,
        };
        let (receiver, operand) = if swapped { (right, left) } else { (left, right) };
        Some(call(receiver, Ident::new(method, binary.op.span()), operand))
    }

    fn branch(&self, branch: &ExprIf) -> Option<Expr> {
        let Some((_, otherwise)) = &branch.else_branch else {
            self.ctxt
                .error(branch.if_token.span, "an `if` in `x!` is a value in every row: add `else { .. }`");
            return None;
        };
        let (krate, condition) = (&self.krate, &branch.cond);
        let then = value(&branch.then_branch);
        let otherwise = match &**otherwise {
            Expr::Block(block) => value(&block.block),
            other => other.clone(),
        };
        Some(parse_quote!(#krate::when(#condition, #then, #otherwise)))
    }
}

/// Writes `left & right` or `left | right`. The sides are bracketed: both operators bind tighter than what they stand for.
fn logic(binary: &ExprBinary, op: BinOp) -> Expr {
    let (left, right) = (bracketed(&binary.left), bracketed(&binary.right));
    Expr::Binary(ExprBinary { attrs: Vec::new(), left: Box::new(left), op, right: Box::new(right) })
}

/// Writes `receiver.method(operand)`, the method spanned on the operator it stands for.
fn call(receiver: &Expr, method: Ident, operand: &Expr) -> Expr {
    let dot_token = Token![.](method.span());
    let paren_token = syn::token::Paren(method.span());
    Expr::MethodCall(ExprMethodCall {
        attrs: Vec::new(),
        receiver: Box::new(bracketed(receiver)),
        dot_token,
        method,
        turbofish: None,
        paren_token,
        args: std::iter::once(operand.clone()).collect(),
    })
}

/// Puts brackets around what is not a single term.
fn bracketed(expr: &Expr) -> Expr {
    match expr {
        Expr::Call(_)
        | Expr::Field(_)
        | Expr::Group(_)
        | Expr::Index(_)
        | Expr::Lit(_)
        | Expr::Macro(_)
        | Expr::MethodCall(_)
        | Expr::Paren(_)
        | Expr::Path(_) => expr.clone(),
        other => {
            let paren_token = syn::token::Paren(other.span());
            Expr::Paren(ExprParen { attrs: Vec::new(), paren_token, expr: Box::new(other.clone()) })
        }
    }
}

/// Returns a block as an expression, without its braces when it holds nothing else.
fn value(block: &Block) -> Expr {
    match block.stmts.as_slice() {
        [Stmt::Expr(expr, None)] => expr.clone(),
        _ => parse_quote!(#block),
    }
}

fn is_literal(expr: &Expr) -> bool {
    match expr {
        Expr::Lit(_) => true,
        Expr::Unary(unary) => matches!(unary.op, UnOp::Neg(_)) && is_literal(&unary.expr),
        Expr::Paren(paren) => is_literal(&paren.expr),
        Expr::Group(group) => is_literal(&group.expr),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use quote::quote;

    use super::*;

    fn assert_rewrites(from: TokenStream, to: TokenStream) {
        let rewritten = rewrite(quote!(::vellum; #from)).unwrap();
        assert_eq!(rewritten.to_string(), to.to_string());
    }

    fn message(from: TokenStream) -> String {
        rewrite(quote!(::vellum; #from)).unwrap_err().to_string()
    }

    #[test]
    fn comparisons_become_methods() {
        assert_rewrites(quote!(|e| e.id <= 20), quote!(|e| e.id.le(20)));
        assert_rewrites(quote!(e.a != e.b), quote!(e.a.ne(e.b)));
        assert_rewrites(quote!(e.a + 1 > p), quote!((e.a + 1).gt(p)));
    }

    #[test]
    fn a_literal_on_the_left_changes_places() {
        assert_rewrites(quote!(5 < e.id), quote!(e.id.gt(5)));
        assert_rewrites(quote!(-5 >= e.id), quote!(e.id.le(-5)));
        assert_rewrites(quote!("a" == e.kind), quote!(e.kind.eq("a")));
    }

    #[test]
    fn logic_keeps_its_precedence() {
        assert_rewrites(
            quote!(e.a == 1 && (e.b == 2 || !e.ok) && e.c),
            quote!((e.a.eq(1) & (e.b.eq(2) | (!e.ok))) & e.c),
        );
        assert_rewrites(quote!(a || b && c), quote!(a | (b & c)));
    }

    #[test]
    fn operators_inside_calls_and_closures_are_rewritten() {
        assert_rewrites(quote!(e.tags.any(|t| t == "x")), quote!(e.tags.any(|t| t.eq("x"))));
    }

    #[test]
    fn if_else_becomes_when() {
        assert_rewrites(
            quote!(if e.a > 1 {
                "big"
            } else if e.a > 0 {
                "small"
            } else {
                "none"
            }),
            quote!(::vellum::when(e.a.gt(1), "big", ::vellum::when(e.a.gt(0), "small", "none"))),
        );
    }

    #[test]
    fn what_has_no_expression_says_what_to_write() {
        assert!(
            message(quote!(if e.a {
                1
            }))
            .contains("add `else { .. }`")
        );
        assert!(message(quote!(if let Some(a) = e.a { a } else { 1 })).contains("use `.is_some_and(..)`"));
        assert!(
            message(quote!(if e.b
                && let Some(a) = e.a
            {
                a
            } else {
                1
            }))
            .contains("no `if let`")
        );
    }
}
