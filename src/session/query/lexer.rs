//! Splits a text into words and signs, each with its place.

use std::ops::Range;

use super::QueryError;

/// Operator between a field and a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum QueryOperator {
    Has,
    /// A pattern matches somewhere in the text.
    Matches,
    Is,
    IsNot,
    Less,
    LessOrSame,
    More,
    MoreOrSame,
}

impl QueryOperator {
    /// Whether it needs ordered values.
    pub(super) fn orders(self) -> bool {
        !matches!(self, Self::Has | Self::Matches | Self::Is | Self::IsNot)
    }
}

/// A word or sign.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum QueryToken {
    Open,
    Close,
    And,
    Or,
    Not,
    /// A word, and whether it was quoted.
    Word(String, bool),
    /// A field, an operator and a value.
    Term {
        field: String,
        field_span: Range<usize>,
        operator: QueryOperator,
        value: String,
        value_span: Range<usize>,
    },
}

/// A token and its byte range.
pub(super) type SpannedToken = (QueryToken, Range<usize>);

/// Maximum number of characters in a query; a longer text is refused.
pub const MAX_LETTERS: usize = 2000;

struct Lexer<'a> {
    text: &'a str,
    at: usize,
}

pub(super) fn tokens(text: &str) -> Result<Vec<SpannedToken>, QueryError> {
    if text.chars().nth(MAX_LETTERS).is_some() {
        let end = text.chars().next().map_or(0, char::len_utf8);
        return Err(QueryError::new(0..end, format!("longer than {MAX_LETTERS} letters")));
    }
    let mut lexer = Lexer { text, at: 0 };
    let mut tokens = Vec::new();
    loop {
        lexer.skip_blanks();
        let from = lexer.at;
        match lexer.token()? {
            Some(token) => tokens.push((token, from..lexer.at)),
            None => return Ok(tokens),
        }
    }
}

impl<'a> Lexer<'a> {
    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or("")
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn skip_blanks(&mut self) {
        self.at += self.rest().len() - self.rest().trim_start().len();
    }

    fn eat(&mut self, sign: &str) -> bool {
        let found = self.rest().starts_with(sign);
        self.at += if found { sign.len() } else { 0 };
        found
    }

    fn token(&mut self) -> Result<Option<QueryToken>, QueryError> {
        let signs = [
            ("(", QueryToken::Open),
            (")", QueryToken::Close),
            ("&&", QueryToken::And),
            ("&", QueryToken::And),
            ("||", QueryToken::Or),
            ("|", QueryToken::Or),
            ("!", QueryToken::Not),
        ];
        let Some(first) = self.peek() else { return Ok(None) };
        if let Some((_, token)) = signs.into_iter().find(|(sign, _)| self.eat(sign)) {
            return Ok(Some(token));
        }
        if first == '"' || first == '\'' {
            return Ok(Some(QueryToken::Word(self.quoted(first)?, true)));
        }
        let from = self.at;
        let word = self.take_while(|c| !c.is_whitespace() && !"()&|!<>=:~\"'".contains(c));
        let field_span = from..self.at;
        let before = self.at;
        self.skip_blanks();
        if let Some(operator) = self.operator() {
            if word.is_empty() {
                return Err(QueryError::new(from..self.at, "a field belongs before this"));
            }
            return self.value(word, field_span, operator).map(Some);
        }
        self.at = before;
        Ok(Some(match word.to_ascii_lowercase().as_str() {
            "and" => QueryToken::And,
            "or" => QueryToken::Or,
            "not" => QueryToken::Not,
            _ => QueryToken::Word(word.to_owned(), false),
        }))
    }

    fn value(
        &mut self,
        field: &str,
        field_span: Range<usize>,
        operator: QueryOperator,
    ) -> Result<QueryToken, QueryError> {
        self.skip_blanks();
        let from = self.at;
        let value = match self.peek() {
            Some(quote @ ('"' | '\'')) => self.quoted(quote)?,
            _ => self.take_while(|c| !c.is_whitespace() && !"()&|".contains(c)).to_owned(),
        };
        if self.at == from {
            let what = format!("compare {field} with what?");
            return Err(QueryError::new(from..from, what));
        }
        Ok(QueryToken::Term {
            field: field.to_owned(),
            field_span,
            operator,
            value,
            value_span: from..self.at,
        })
    }

    fn operator(&mut self) -> Option<QueryOperator> {
        let all = [
            ("!=", QueryOperator::IsNot),
            ("<=", QueryOperator::LessOrSame),
            (">=", QueryOperator::MoreOrSame),
            ("==", QueryOperator::Is),
            ("=", QueryOperator::Is),
            ("<", QueryOperator::Less),
            (">", QueryOperator::More),
            (":", QueryOperator::Has),
            ("~", QueryOperator::Matches),
        ];
        all.into_iter().find(|(sign, _)| self.eat(sign)).map(|(_, operator)| operator)
    }

    fn quoted(&mut self, quote: char) -> Result<String, QueryError> {
        let from = self.at;
        self.at += quote.len_utf8();
        let inside = self.take_while(|c| c != quote).to_owned();
        if self.peek().is_none() {
            return Err(QueryError::new(from..self.at, "the quote is never closed"));
        }
        self.at += quote.len_utf8();
        Ok(inside)
    }

    fn take_while(&mut self, keep: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let end = rest.find(|c| !keep(c)).unwrap_or(rest.len());
        self.at += end;
        rest.get(..end).unwrap_or("")
    }
}
