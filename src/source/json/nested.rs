//! Reads values within values.

use super::cursor::{Cursor, JsonError, JsonResult};
use super::fast_path;
use super::string::StringRole;
use crate::record::Text;

impl<'a> Cursor<'a> {
    /// Reads an array: its elements joined by a comma and a blank, or its own text when nested.
    pub(super) fn array(&mut self) -> JsonResult<Text<'a>> {
        let from = self.at;
        let repaired = self.repairs.len();
        let mut elements: Vec<Text<'a>> = Vec::new();
        self.at += 1;
        loop {
            self.separators(elements.is_empty());
            match self.peek() {
                None => return Err(self.broken("the end of an array")),
                Some(b']') => break self.at += 1,
                Some(b'{' | b'[') => {
                    self.at = from;
                    self.repairs.truncate(repaired);
                    return self.nested();
                }
                Some(b'}' | b':') => return Err(self.broken("an array's element")),
                Some(_) => elements.push(self.scalar(StringRole::Element)?),
            }
        }
        Ok(match elements.len() {
            1 => elements.pop().unwrap_or_default(),
            _ => elements.join(", ").into(),
        })
    }

    /// Skips a nested value and returns its own text.
    pub(super) fn nested(&mut self) -> JsonResult<Text<'a>> {
        let from = self.at;
        let mut open: Vec<u8> = Vec::new();
        let mut first = true;
        loop {
            let inside = open.last().copied();
            if inside.is_some() {
                self.separators(first);
            }
            if inside == Some(b'{') {
                let _careful_from_here = fast_path::members(self, |_, _, _| {});
            }
            first = false;
            match (inside, self.peek()) {
                (_, None) => return Err(self.broken("the end of an object")),
                (Some(b'{'), Some(b'}')) | (Some(b'['), Some(b']')) => {
                    self.at += 1;
                    open.pop();
                    if open.is_empty() {
                        break;
                    }
                    continue;
                }
                (Some(b'{'), Some(b'"')) => drop(self.key()?),
                (Some(b'{'), Some(_)) => return Err(self.broken("a name in quotes")),
                (_, Some(_)) => {}
            }
            match self.peek() {
                Some(bracket @ (b'{' | b'[')) if open.len() < self.deepest => {
                    open.push(bracket);
                    self.at += 1;
                    first = true;
                }
                Some(b'{' | b'[') => {
                    let expected = "no more levels than the limit `nesting` of ";
                    return Err(JsonError { is_too_deep: true, ..self.broken(expected) });
                }
                Some(b'}' | b']') if inside == Some(b'[') => return Err(self.broken("`]`")),
                _ => {
                    let role = if inside == Some(b'{') { StringRole::Member } else { StringRole::Element };
                    drop(self.scalar(role)?);
                }
            }
        }
        Ok(self.text_range(from, self.at))
    }
}
