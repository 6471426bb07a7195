//! A cursor over JSON that may be slightly invalid.
//!
//! It reads bytes in linear time with an explicit stack. Oddities within a value are repaired and recorded; anything
//! that makes the structure doubtful is [`JsonError`], and the reader tries again with a fence.

use super::string::{self, StringRole};
use crate::record::{Text, text_of_bytes};
use crate::scan::first_of;

/// A repair of invalid JSON.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum JsonRepair {
    /// A backslash that starts no escape; kept unchanged.
    Escape,
    /// A value that is neither a string nor a JSON number or word; taken as text.
    BareWord,
    /// A quote within a string; taken as part of the text.
    Quote,
    MissingComma,
    /// A surplus comma.
    ExtraComma,
    /// No value after the colon; taken as empty.
    NoValue,
    /// A record that starts within the previous one.
    MissingBrace,
}

/// Where and why the structure is doubtful.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct JsonError {
    /// Byte offset, from 0.
    pub(super) at: usize,
    pub(super) expected: &'static str,
    /// Whether the bytes end there.
    pub(super) is_at_end: bool,
    /// Whether it is nested too deeply.
    pub(super) is_too_deep: bool,
}

pub(super) type JsonResult<T> = Result<T, JsonError>;

/// A position in the bytes.
pub(super) struct Cursor<'a> {
    whole: &'a [u8],
    /// All bytes as text, if they are valid UTF-8, so that values need not be checked again.
    text: Option<&'a str>,
    bytes: &'a [u8],
    /// Offset of the next byte.
    pub(super) at: usize,
    /// Repairs since they were last reported.
    pub(super) repairs: Vec<(usize, JsonRepair)>,
    fenced: bool,
    /// Maximum nesting depth of objects and arrays.
    pub(super) deepest: usize,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(bytes: &'a [u8], deepest: usize) -> Self {
        Self { text: std::str::from_utf8(bytes).ok(), ..Self::without_utf8_check(bytes, deepest) }
    }

    /// Creates a cursor over bytes few values of which will be read: UTF-8 is checked value by value.
    pub(super) fn without_utf8_check(bytes: &'a [u8], deepest: usize) -> Self {
        Self { whole: bytes, text: None, bytes, at: 0, repairs: Vec::new(), fenced: false, deepest }
    }

    /// Continues from `at` with a fence at `end`, guessing where strings end.
    pub(super) fn fence(&mut self, at: usize, end: usize) {
        self.at = at;
        self.bytes = self.whole.get(..end).unwrap_or(self.whole);
        self.fenced = true;
    }

    /// Removes the fence, and stops guessing.
    pub(super) fn unfence(&mut self) {
        self.bytes = self.whole;
        self.fenced = false;
    }

    /// Returns all bytes, regardless of the fence.
    pub(super) fn all_bytes(&self) -> &'a [u8] {
        self.whole
    }

    /// Returns the bytes up to the fence.
    pub(super) fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// Returns a range of bytes as text, if it is valid UTF-8.
    #[inline]
    pub(super) fn plain(&self, (from, end): (usize, usize)) -> Option<&'a str> {
        match self.text {
            Some(text) => text.get(from..end),
            None => std::str::from_utf8(self.bytes.get(from..end)?).ok(),
        }
    }

    /// Returns a range of bytes as text, with invalid UTF-8 replaced.
    #[inline]
    pub(super) fn text_range(&self, from: usize, end: usize) -> Text<'a> {
        match self.text.and_then(|text| text.get(from..end)) {
            Some(text) => Text::Borrowed(text),
            None => text_of_bytes(self.bytes.get(from..end).unwrap_or_default()),
        }
    }

    pub(super) fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    pub(super) fn eat(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    pub(super) fn blanks(&mut self) {
        self.at = string::skip_blanks(self.bytes, self.at);
    }

    /// Whether `what` comes next, after blanks.
    pub(super) fn next_is(&self, what: &[u8]) -> bool {
        let at = string::skip_blanks(self.bytes, self.at);
        self.bytes.get(at..).is_some_and(|rest| rest.starts_with(what))
    }

    pub(super) fn broken(&self, expected: &'static str) -> JsonError {
        JsonError { at: self.at, expected, is_at_end: self.at >= self.bytes.len(), is_too_deep: false }
    }

    /// Returns the expectation in words.
    pub(super) fn reported(&self, broken: &JsonError) -> String {
        let limit = if broken.is_too_deep { self.deepest.to_string() } else { String::new() };
        format!("{}{limit}", broken.expected)
    }

    pub(super) fn repair(&mut self, at: usize, repair: JsonRepair) {
        self.repairs.push((at, repair));
    }

    /// Skips blanks and commas before the next member or the end.
    pub(super) fn separators(&mut self, first: bool) {
        self.blanks();
        let from = self.at;
        let mut commas = 0;
        while self.eat(b',') {
            commas += 1;
            self.blanks();
        }
        let wanted = match self.peek() {
            None => return,
            Some(b'}' | b']') => 0,
            Some(_) => usize::from(!first),
        };
        if commas > wanted {
            self.repair(from, JsonRepair::ExtraComma);
        } else if commas < wanted {
            self.repair(from, JsonRepair::MissingComma);
        }
    }

    /// Reads `"name":` and the blanks after it.
    pub(super) fn key(&mut self) -> JsonResult<Text<'a>> {
        let key = self.string(StringRole::Key)?;
        self.blanks();
        if !self.eat(b':') {
            return Err(self.broken("a colon"));
        }
        self.blanks();
        Ok(key)
    }

    /// Reads a string; the cursor is at its opening quote.
    pub(super) fn string(&mut self, role: StringRole) -> JsonResult<Text<'a>> {
        let from = self.at + 1;
        let mut look = from;
        let mut has_escapes = false;
        loop {
            let Some(at) = first_of(self.bytes, look, b'"', b'\\') else {
                self.at = self.bytes.len();
                return Err(self.broken("the end of a string"));
            };
            if self.bytes.get(at) == Some(&b'\\') {
                has_escapes = true;
                look = at + 2;
            } else if string::closes(self.bytes, at, role) {
                self.at = at + 1;
                return Ok(if has_escapes { self.unescaped(from, at) } else { self.text_range(from, at) });
            } else if self.fenced {
                self.repair(at, JsonRepair::Quote);
                look = at + 1;
            } else {
                let expected = "`,` or `}` after a string";
                return Err(JsonError { at, expected, is_at_end: false, is_too_deep: false });
            }
        }
    }

    fn unescaped(&mut self, from: usize, end: usize) -> Text<'a> {
        let (text, bad) = string::unescape(self.bytes.get(from..end).unwrap_or_default());
        if let Some(at) = bad {
            self.repair(from + at, JsonRepair::Escape);
        }
        Text::Owned(
            String::from_utf8(text).unwrap_or_else(|error| text_of_bytes(error.as_bytes()).into_owned()),
        )
    }

    /// Reads a value that is not nested, as text; `null` and numbers keep their own text.
    pub(super) fn scalar(&mut self, role: StringRole) -> JsonResult<Text<'a>> {
        if self.peek() == Some(b'"') {
            return self.string(role);
        }
        let from = self.at;
        let rest = self.bytes.get(from..).unwrap_or_default();
        let length = rest.iter().position(|b| matches!(b, b',' | b'}' | b']' | b'\n' | b'"'));
        let text = rest.get(..length.unwrap_or(rest.len())).unwrap_or_default().trim_ascii_end();
        self.at += length.unwrap_or(rest.len());
        match self.peek() {
            None => return Err(self.broken("the end of a value")),
            Some(b'"') => return Err(self.broken("a value in quotes")),
            _ => {}
        }
        if text.is_empty() {
            self.repair(from, JsonRepair::NoValue);
        } else if !string::is_json_word(text) {
            self.repair(from, JsonRepair::BareWord);
        }
        Ok(self.text_range(from, from + text.len()))
    }
}
