//! Ids of jobs and reservations, and other names that end in a number, as texts.

/// Splits a subjob's id into the id of its array and the index: `12[].srv` and `3` for `12[3].srv`; `None` for an id
/// without brackets.
pub fn array_id(id: &str) -> Option<(String, &str)> {
    let (head, rest) = id.split_once('[')?;
    let (index, tail) = rest.split_once(']')?;
    Some((format!("{head}[]{tail}"), index))
}

/// Returns the id of the array with a number: `67[]` for `67`, `67[].srv` for `67.srv`.
pub fn array_numbered(id: &str) -> String {
    match id.split_once('.') {
        Some((number, server)) => format!("{number}[].{server}"),
        None => format!("{id}[]"),
    }
}

/// Returns the number at the start of an id; `None` if there is none.
pub fn id_number(id: &str) -> Option<u64> {
    let end = id.bytes().take_while(u8::is_ascii_digit).count();
    id.get(..end)?.parse().ok()
}

/// Returns the id of a job or reservation without the server part: `12` for `12.svr`.
pub fn short_id(name: &str) -> &str {
    name.split_once('.').map_or(name, |(id, _)| id)
}

/// Splits a name before the number at its end: `cn` and `017`.
pub fn split_number(name: &str) -> (&str, &str) {
    let end = name.bytes().rposition(|byte| !byte.is_ascii_digit()).map_or(0, |last| last + 1);
    name.split_at(end)
}
