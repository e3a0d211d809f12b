//! The attribute macro of the `mirgpu` crate, which re-exports it.

use proc_macro::{Delimiter, Ident, Literal, Span, TokenStream, TokenTree};

/// Marks a function as a kernel: one that is launched over a grid of threads.
///
/// It must return nothing and have no generic parameters, no `self`, and no `async`, `const` or
/// `extern`. The function itself is left as it is; beside it stands a hidden constant by which
/// the transpiler finds it.
///
/// ```ignore
/// #[mirgpu::kernel]
/// pub fn double(x: &mut [f32]) {
///     let i = mirgpu::index_1d().get();
///     if i < x.len() {
///         x[i] *= 2.0;
///     }
/// }
/// ```
#[proc_macro_attribute]
pub fn kernel(arguments: TokenStream, item: TokenStream) -> TokenStream {
    if let Some(token) = arguments.into_iter().next() {
        return error(token.span(), "`#[mirgpu::kernel]` takes no arguments");
    }
    match check(&item) {
        Ok(name) => {
            let mark = format!("__mirgpu_kernel_{}", name.trim_start_matches("r#"));
            let attributes = "#[allow(dead_code, static_mut_refs)]";
            let constant = format!(
                "#[doc(hidden)] #[allow(dead_code, non_upper_case_globals)] const {mark}: () = ();"
            );
            let mut out: TokenStream = attributes.parse().unwrap();
            out.extend(item);
            out.extend(constant.parse::<TokenStream>().unwrap());
            out
        }
        Err((span, message)) => error(span, message),
    }
}

type Refusal = (Span, &'static str);

/// The name of the function, if it can be a kernel.
fn check(item: &TokenStream) -> Result<String, Refusal> {
    let mut tokens = item.clone().into_iter().peekable();
    let mut last = Span::call_site();
    let keyword = loop {
        match tokens.next() {
            Some(TokenTree::Punct(mark)) if mark.as_char() == '#' => {
                tokens.next();
            }
            Some(TokenTree::Ident(word)) => {
                last = word.span();
                match word.to_string().as_str() {
                    "fn" => break word,
                    "pub" | "unsafe" | "crate" => {}
                    "async" => return Err((last, "a kernel cannot be `async`")),
                    "const" => return Err((last, "a kernel cannot be `const`")),
                    "extern" => {
                        return Err((last, "a kernel has Rust's ABI: leave `extern` out"))
                    }
                    _ => return Err((last, NOT_A_FUNCTION)),
                }
            }
            Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Parenthesis => {}
            Some(other) => return Err((other.span(), NOT_A_FUNCTION)),
            None => return Err((last, NOT_A_FUNCTION)),
        }
    };
    let name = match tokens.next() {
        Some(TokenTree::Ident(name)) => name,
        _ => return Err((keyword.span(), NOT_A_FUNCTION)),
    };
    match tokens.next() {
        Some(TokenTree::Group(group)) => check_parameters(group.stream())?,
        Some(other) => {
            return Err((
                other.span(),
                "a kernel cannot be generic: call a generic function from it",
            ))
        }
        None => return Err((name.span(), NOT_A_FUNCTION)),
    }
    let arrow = matches!(tokens.peek(), Some(TokenTree::Punct(mark)) if mark.as_char() == '-');
    if arrow {
        tokens.nth(1);
        match tokens.next() {
            Some(TokenTree::Group(unit))
                if unit.delimiter() == Delimiter::Parenthesis && unit.stream().is_empty() => {}
            Some(other) => {
                return Err((
                    other.span(),
                    "a kernel returns nothing: write results through a `&mut` parameter",
                ))
            }
            None => return Err((name.span(), NOT_A_FUNCTION)),
        }
    }
    Ok(name.to_string())
}

const NOT_A_FUNCTION: &str = "`#[mirgpu::kernel]` goes on a function with a body";

fn check_parameters(parameters: TokenStream) -> Result<(), Refusal> {
    let mut start = true;
    for token in parameters {
        match token {
            TokenTree::Ident(word) => {
                let text = word.to_string();
                if start && text == "self" {
                    return Err((word.span(), "a kernel is no method: it has no `self`"));
                }
                no_impl(&word)?;
                start = start && text == "mut";
            }
            TokenTree::Punct(mark) => match mark.as_char() {
                ',' => start = true,
                '&' => {}
                _ => start = false,
            },
            TokenTree::Group(group) => {
                start = false;
                check_types(group.stream())?;
            }
            TokenTree::Literal(_) => start = false,
        }
    }
    Ok(())
}

fn check_types(types: TokenStream) -> Result<(), Refusal> {
    for token in types {
        match token {
            TokenTree::Ident(word) => no_impl(&word)?,
            TokenTree::Group(group) => check_types(group.stream())?,
            _ => {}
        }
    }
    Ok(())
}

fn no_impl(word: &Ident) -> Result<(), Refusal> {
    if word.to_string() == "impl" {
        return Err((word.span(), "a kernel cannot be generic: name the type"));
    }
    Ok(())
}

/// `compile_error!(message)` at a place in the user's code.
fn error(span: Span, message: &str) -> TokenStream {
    let call: TokenStream = "::core::compile_error! {}".parse().unwrap();
    let mut literal = Literal::string(message);
    literal.set_span(span);
    call.into_iter()
        .map(|token| match token {
            TokenTree::Group(braces) => {
                let inner = TokenStream::from(TokenTree::from(literal.clone()));
                let mut group = proc_macro::Group::new(braces.delimiter(), inner);
                group.set_span(span);
                TokenTree::from(group)
            }
            mut other => {
                other.set_span(span);
                other
            }
        })
        .collect()
}
