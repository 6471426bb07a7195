//! Ids of jobs and reservations, and other names that end in a number, as texts.

/// The id of the array that a subjob's id belongs to, and the index: `12[].srv` and `3` of `12[3].srv`; none of an id
/// without brackets.
pub fn array_id(id: &str) -> Option<(String, &str)> {
    let (head, rest) = id.split_once('[')?;
    let (index, tail) = rest.split_once(']')?;
    Some((format!("{head}[]{tail}"), index))
}

/// The id of the array that a number may stand for: `67[]` of `67`, `67[].srv` of `67.srv`.
pub fn array_numbered(id: &str) -> String {
    match id.split_once('.') {
        Some((number, server)) => format!("{number}[].{server}"),
        None => format!("{id}[]"),
    }
}

/// The number that an id begins with; none of one that begins otherwise.
pub fn id_number(id: &str) -> Option<u64> {
    let end = id.bytes().take_while(u8::is_ascii_digit).count();
    id.get(..end)?.parse().ok()
}

/// A job's or reservation's id without the server part: `12` of `12.svr`.
pub fn short_id(name: &str) -> &str {
    name.split_once('.').map_or(name, |(id, _)| id)
}

/// A name before the number that it ends in, and the number: `cn` and `017`.
pub fn split_number(name: &str) -> (&str, &str) {
    let end = name.bytes().rposition(|byte| !byte.is_ascii_digit()).map_or(0, |last| last + 1);
    name.split_at(end)
}
