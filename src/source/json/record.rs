//! Reads the members of one record's object.

use super::cursor::{Cursor, JsonResult};
use super::fast_path::{self, ByteSpan};
use super::string::StringRole;
use crate::record::{Attribute, Record, Text, has_resources, is_private};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum RecordEnd {
    /// With its closing brace.
    Closed,
    /// With the header of the next record; its own closing brace is missing.
    NextRecord,
}

/// Reads attributes up to the record's closing brace. `first_key` is the attribute with which every record starts.
pub(super) fn members<'a>(
    cursor: &mut Cursor<'a>,
    record: &mut Record<'a>,
    first_key: &[u8],
) -> JsonResult<RecordEnd> {
    let mut first = true;
    loop {
        cursor.separators(first);
        first = false;
        match cursor.peek() {
            None => return Err(cursor.broken("`}` at the record's end")),
            Some(b'}') => {
                cursor.at += 1;
                return Ok(RecordEnd::Closed);
            }
            Some(b'"') => {}
            Some(_) => return Err(cursor.broken("an attribute's name in quotes")),
        }
        let plain = fast_path::members(cursor, |place, name, value| {
            if !is_private(name) {
                let (name, value) = (Text::Borrowed(name), Text::Borrowed(value));
                record.attributes.push(Attribute::at_byte(name, None, value, place));
            }
        });
        if cursor.eat(b'}') {
            return Ok(RecordEnd::Closed);
        }
        let start = cursor.at;
        let name = name(cursor, plain)?;
        let value = match cursor.peek() {
            Some(b'{') => {
                if begins_record(cursor, first_key) {
                    cursor.at = start;
                    return Ok(RecordEnd::NextRecord);
                }
                if has_resources(&name) && !is_private(&*name) {
                    cursor.at += 1;
                    resources(cursor, record, &name)?;
                    continue;
                }
                cursor.nested()?
            }
            Some(b'[') => cursor.array()?,
            _ => cursor.scalar(StringRole::Member)?,
        };
        if !is_private(&*name) {
            record.attributes.push(Attribute::at_byte(name, None, value, start));
        }
    }
}

/// Reads the name of the member at the cursor, and moves the cursor to its value.
fn name<'a>(cursor: &mut Cursor<'a>, plain: Option<(ByteSpan, usize)>) -> JsonResult<Text<'a>> {
    let Some(((from, end), value)) = plain else { return cursor.key() };
    cursor.at = value;
    Ok(cursor.text_range(from, end))
}

fn begins_record(cursor: &mut Cursor<'_>, first_key: &[u8]) -> bool {
    cursor.at += 1;
    let begins = cursor.next_is(first_key);
    cursor.at -= 1;
    begins
}

/// Reads an object of resources, after its opening brace.
fn resources<'a>(cursor: &mut Cursor<'a>, record: &mut Record<'a>, name: &Text<'a>) -> JsonResult<()> {
    let mut first = true;
    loop {
        cursor.separators(first);
        first = false;
        match cursor.peek() {
            None => return Err(cursor.broken("`}` after the resources")),
            Some(b'}') => {
                cursor.at += 1;
                return Ok(());
            }
            Some(b'"') => {}
            Some(_) => return Err(cursor.broken("a resource's name in quotes")),
        }
        let plain = match name {
            Text::Borrowed(outer) => fast_path::members(cursor, |place, inner, value| {
                let (name, value) = (Text::Borrowed(*outer), Text::Borrowed(value));
                let resource = Some(Text::Borrowed(inner));
                record.attributes.push(Attribute::at_byte(name, resource, value, place));
            }),
            Text::Owned(_) => None,
        };
        if cursor.eat(b'}') {
            return Ok(());
        }
        let start = cursor.at;
        let resource = self::name(cursor, plain)?;
        let value = match cursor.peek() {
            Some(b'{') => cursor.nested()?,
            Some(b'[') => cursor.array()?,
            _ => cursor.scalar(StringRole::Member)?,
        };
        record.attributes.push(Attribute::at_byte(name.clone(), Some(resource), value, start));
    }
}
