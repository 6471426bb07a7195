//! Logs and tables of LSF (sites 5): finished jobs of `lsb.acct`, `bhosts` and `bjobs`.

mod finish;
pub(super) mod rows;
mod table;
mod token;

pub use self::finish::{Finish, Hosts, Status, finish};
pub use self::table::{Host, ListedJob, Listing, hosts, jobs};

use std::collections::BTreeMap;

/// Why a line is no finished job.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, thiserror::Error)]
pub enum Rejected {
    /// A string has no end.
    #[error("a string without its end")]
    Unterminated,
    /// Another kind of record.
    #[error("another kind of record")]
    Other,
    /// A field that is missing or no number, by its position.
    #[error("field {0} is missing or not what stands there")]
    Field(usize),
    /// It ended before it started.
    #[error("it ended before it started")]
    EndsBeforeStart,
}

/// Hands on every finished job of a log with its line, and counts the other lines by reason. Bytes may be of any
/// encoding.
pub fn finished(bytes: &[u8], each: &mut dyn FnMut(usize, &Finish<'_>)) -> BTreeMap<Rejected, usize> {
    let mut rejected = BTreeMap::new();
    for (number, line) in bytes.split(|byte| *byte == b'\n').enumerate() {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.trim_ascii().is_empty() || line.starts_with(b"#") {
            continue;
        }
        match finish(line) {
            Ok(job) => each(number + 1, &job),
            Err(why) => *rejected.entry(why).or_default() += 1,
        }
    }
    rejected
}

#[cfg(test)]
mod tests;
