//! Reads the members of one record's object.

use super::super::record::{Attribute, Record, has_resources, is_private};
use super::cursor::{Cursor, Step};
use super::string::Role;
use crate::cluster::Spot;

/// How a record ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum End {
    /// With its brace.
    Closed,
    /// With the header of the next record; its own brace is missing.
    NextRecord,
}

/// Reads attributes up to the record's closing brace. `first_key` is what every record starts with.
pub(super) fn members<'a>(cursor: &mut Cursor<'a>, record: &mut Record<'a>, first_key: &[u8]) -> Step<End> {
    let mut first = true;
    loop {
        cursor.separators(first);
        first = false;
        match cursor.peek() {
            None => return Err(cursor.broken("`}` at the record's end")),
            Some(b'}') => {
                cursor.at += 1;
                return Ok(End::Closed);
            }
            Some(b'"') => {}
            Some(_) => return Err(cursor.broken("an attribute's name in quotes")),
        }
        let start = cursor.at;
        let name = cursor.key()?;
        let spot = Spot::Byte(start);
        let value = match cursor.peek() {
            Some(b'{') => {
                if begins_record(cursor, first_key) {
                    cursor.at = start;
                    return Ok(End::NextRecord);
                }
                if has_resources(&name) && !is_private(&name) {
                    cursor.at += 1;
                    resources(cursor, record, &name)?;
                    continue;
                }
                cursor.nested()?
            }
            Some(b'[') => cursor.array()?,
            _ => cursor.scalar(Role::Member)?,
        };
        if !is_private(&name) {
            record.attributes.push(Attribute { name, resource: None, value, spot });
        }
    }
}

fn begins_record(cursor: &mut Cursor<'_>, first_key: &[u8]) -> bool {
    cursor.at += 1;
    let begins = cursor.next_is(first_key);
    cursor.at -= 1;
    begins
}

/// Reads an object of resources, behind its brace.
fn resources<'a>(
    cursor: &mut Cursor<'a>,
    record: &mut Record<'a>,
    name: &super::super::record::Text<'a>,
) -> Step<()> {
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
        let spot = Spot::Byte(cursor.at);
        let resource = cursor.key()?;
        let value = match cursor.peek() {
            Some(b'{') => cursor.nested()?,
            Some(b'[') => cursor.array()?,
            _ => cursor.scalar(Role::Member)?,
        };
        record.attributes.push(Attribute { name: name.clone(), resource: Some(resource), value, spot });
    }
}
