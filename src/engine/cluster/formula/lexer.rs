//! Splits the text of a formula into tokens.

use std::ops::Range;

use super::FormulaError;

/// One token and its position.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Token<'a> {
    /// Byte range in the text.
    pub(super) at: Range<usize>,
    pub(super) kind: TokenKind<'a>,
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum TokenKind<'a> {
    Number(f64),
    /// A name or one of the keywords `and or not if else`.
    Word(&'a str),
    /// An operator, parenthesis or comma.
    Sign(&'a str),
}

/// Longest first, so that `**` is not read as two `*`.
const SIGNS: [&str; 16] =
    ["**", "//", "<=", ">=", "==", "!=", "+", "-", "*", "/", "%", "<", ">", "(", ")", ","];

/// Maximum number of tokens, far above that of formulas in use; it bounds the depth of the tree.
const MAX_TOKENS: usize = 1000;

/// Splits the whole text.
pub(super) fn tokens(text: &str) -> Result<Vec<Token<'_>>, FormulaError> {
    let mut found = Vec::new();
    let mut at = 0;
    loop {
        let rest = text.get(at..).unwrap_or_default();
        let trimmed = rest.trim_start();
        at += rest.len() - trimmed.len();
        if trimmed.is_empty() {
            return Ok(found);
        }
        let (kind, len) = token(trimmed, at)?;
        found.push(Token { at: at..at + len, kind });
        at += len;
        if found.len() > MAX_TOKENS {
            return Err(expected_error(text, at, "at most 1000 numbers, names and signs"));
        }
    }
}

/// Reads the token at the start of `rest`, which is at byte `at`, and returns it with its length.
fn token(rest: &str, at: usize) -> Result<(TokenKind<'_>, usize), FormulaError> {
    let starts_number = |text: &str| text.starts_with(|c: char| c.is_ascii_digit());
    if starts_number(rest) || (rest.starts_with('.') && starts_number(rest.get(1..).unwrap_or_default())) {
        return number(rest, at);
    }
    let word = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
    if let Some(word) = rest.get(..word).filter(|word| !word.is_empty()) {
        return Ok((TokenKind::Word(word), word.len()));
    }
    match SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
        Some(sign) => Ok((TokenKind::Sign(sign), sign.len())),
        None => {
            Err(FormulaError { at, found: show_first(rest), expected: "a number, a name or an operator" })
        }
    }
}

/// Reads a number: digits, a fraction, an exponent.
fn number(rest: &str, at: usize) -> Result<(TokenKind<'_>, usize), FormulaError> {
    let bytes = rest.as_bytes();
    let digits =
        |from: usize| bytes.get(from..).unwrap_or_default().iter().take_while(|b| b.is_ascii_digit()).count();
    let is = |ix: usize, set: &[u8]| bytes.get(ix).is_some_and(|b| set.contains(b));
    let mut len = digits(0);
    if is(len, b".") {
        len += 1 + digits(len + 1);
    }
    if is(len, b"eE") {
        let signed = len + 1 + usize::from(is(len + 1, b"+-"));
        let exponent = digits(signed);
        if exponent > 0 {
            len = signed + exponent;
        }
    }
    let fail = |expected| FormulaError {
        at: at + len,
        found: show_first(rest.get(len..).unwrap_or_default()),
        expected,
    };
    if is(len, b"_.") || bytes.get(len).is_some_and(u8::is_ascii_alphabetic) {
        return Err(fail("an operator after the number"));
    }
    let value = rest.get(..len).and_then(|text| text.parse().ok()).ok_or_else(|| fail("a number"))?;
    Ok((TokenKind::Number(value), len))
}

/// Creates the error at byte `at` of `text`.
pub(super) fn expected_error(text: &str, at: usize, expected: &'static str) -> FormulaError {
    FormulaError { at, found: show_first(text.get(at..).unwrap_or_default()), expected }
}

/// Returns the first character, quoted, or `the end`.
fn show_first(rest: &str) -> String {
    rest.chars().next().map_or_else(|| "the end".to_owned(), |first| format!("`{}`", first.escape_debug()))
}
