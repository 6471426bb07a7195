//! Parses words and signs into an expression: `or` binds loosest, then `and` or juxtaposition, then `not`.

use super::field::{QueryField, QueryFields};
use super::lexer::{QueryOperator, QueryToken, SpannedToken, tokens};
use super::operand;
use super::{QueryError, QueryExpr};

/// Maximum nesting of brackets, so that a text of brackets does not overflow the stack.
const DEEPEST: usize = 50;

/// Parses a text; returns `None` for an empty text.
pub(super) fn parse(text: &str, fields: &QueryFields) -> Result<Option<QueryExpr>, QueryError> {
    let tokens = tokens(text)?;
    if tokens.is_empty() {
        return Ok(None);
    }
    let mut parser = QueryParser { tokens: &tokens, at: 0, end: text.len(), fields, depth: 0 };
    let expr = parser.disjunction()?;
    match parser.peek() {
        None => Ok(Some(expr)),
        Some((_, span)) => Err(QueryError::new(span.clone(), "this bracket was never opened")),
    }
}

/// Checks that a whole value of a field with few values is one of them, unless it is a pattern. Another word for a
/// value is replaced by the value.
fn known_value<'v>(
    field: &'v QueryField,
    operator: QueryOperator,
    value: &'v str,
    span: &std::ops::Range<usize>,
) -> Result<&'v str, QueryError> {
    let whole = matches!(operator, QueryOperator::Is | QueryOperator::IsNot) && !value.contains('*');
    // A field with several values at once joins them by commas.
    let known =
        value.split(',').all(|word| field.values.iter().any(|known| known.eq_ignore_ascii_case(word)));
    if !whole || field.values.is_empty() || known {
        return Ok(value);
    }
    if let Some((_, meant)) = field.also.iter().find(|(word, _)| word.eq_ignore_ascii_case(value)) {
        return Ok(meant);
    }
    let words: Vec<&str> = field.values.iter().map(|value| field.display_value(value)).collect();
    let what = format!("{} has no value {value}; values are {}", field.name, words.join(" "));
    Err(QueryError::new(span.clone(), what))
}

struct QueryParser<'a> {
    tokens: &'a [SpannedToken],
    at: usize,
    end: usize,
    fields: &'a QueryFields,
    depth: usize,
}

impl<'a> QueryParser<'a> {
    fn peek(&self) -> Option<&'a SpannedToken> {
        self.tokens.get(self.at)
    }

    fn eat(&mut self, token: &QueryToken) -> bool {
        let found = self.peek().is_some_and(|(have, _)| have == token);
        self.at += usize::from(found);
        found
    }

    fn disjunction(&mut self) -> Result<QueryExpr, QueryError> {
        let mut parts = vec![self.conjunction()?];
        while self.eat(&QueryToken::Or) {
            parts.push(self.conjunction()?);
        }
        Ok(if parts.len() == 1 { parts.swap_remove(0) } else { QueryExpr::Any(parts) })
    }

    fn conjunction(&mut self) -> Result<QueryExpr, QueryError> {
        let mut parts = vec![self.negation()?];
        loop {
            let and = self.eat(&QueryToken::And);
            match self.peek() {
                Some((QueryToken::Or | QueryToken::Close, _)) | None if !and => break,
                _ => parts.push(self.negation()?),
            }
        }
        Ok(if parts.len() == 1 { parts.swap_remove(0) } else { QueryExpr::All(parts) })
    }

    fn negation(&mut self) -> Result<QueryExpr, QueryError> {
        let mut negated = false;
        while self.eat(&QueryToken::Not) {
            negated = !negated;
        }
        let one = self.primary()?;
        Ok(if negated { QueryExpr::Not(Box::new(one)) } else { one })
    }

    fn primary(&mut self) -> Result<QueryExpr, QueryError> {
        let Some((token, span)) = self.peek() else {
            return Err(QueryError::new(self.end..self.end, "something is missing here"));
        };
        self.at += 1;
        match token {
            QueryToken::Open => {
                self.depth += 1;
                if self.depth > DEEPEST {
                    return Err(QueryError::new(span.clone(), "too many brackets"));
                }
                let inside = self.disjunction()?;
                self.depth -= 1;
                if self.eat(&QueryToken::Close) {
                    Ok(inside)
                } else {
                    Err(QueryError::new(span.clone(), "this bracket is never closed"))
                }
            }
            QueryToken::Word(word, _) => Ok(QueryExpr::Word(word.to_lowercase())),
            QueryToken::Term { field, field_span, operator, value, value_span } => {
                let known = self.fields.named(field).ok_or_else(|| QueryError {
                    is_unknown_field: true,
                    ..QueryError::new(field_span.clone(), self.fields.unknown(field))
                })?;
                let value = known_value(known, *operator, value, value_span)?;
                let now = self.fields.now();
                let operand =
                    operand::read((known.kind, &known.name, now), *operator, value, value_span.clone())?;
                Ok(QueryExpr::Term { field: known.name.to_string(), operator: *operator, operand })
            }
            QueryToken::Close | QueryToken::And | QueryToken::Or | QueryToken::Not => {
                Err(QueryError::new(span.clone(), "something is missing before this"))
            }
        }
    }
}
