//! One line of an accounting log: `MM/DD/YYYY HH:MM:SS;TYPE;ID;text`.

use jiff::tz::TimeZone;

/// A record, borrowed from its line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Record<'a> {
    /// The local date and time, as written.
    pub(super) stamp: &'a str,
    /// The type: `E` ended, `S` started, `Q` queued …
    pub(super) kind: &'a str,
    /// The job, or what else it is about.
    pub(super) id: &'a str,
    /// `key=value` by `key=value`, in order.
    fields: Vec<(&'a str, &'a str)>,
}

impl<'a> Record<'a> {
    /// Reads a line; none with fewer than three semicolons.
    pub(super) fn parse(line: &'a str) -> Option<Self> {
        let mut parts = line.splitn(4, ';');
        let (stamp, kind, id, text) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
        Some(Self { stamp: stamp.trim(), kind: kind.trim(), id: id.trim(), fields: fields_of(text) })
    }

    /// The last value of a key.
    pub(super) fn get(&self, key: &str) -> Option<&'a str> {
        self.fields.iter().rev().find(|(have, _)| *have == key).map(|(_, value)| *value)
    }

    /// A value in seconds since 1970; 0 is none.
    pub(super) fn seconds(&self, key: &str) -> Option<i64> {
        self.get(key)?.parse().ok().filter(|at| *at > 0)
    }

    /// All values of keys with a prefix, such as `Resource_List.`.
    pub(super) fn all<'b>(&'b self, prefix: &'b str) -> impl Iterator<Item = (&'a str, &'a str)> + 'b {
        self.fields.iter().filter_map(move |(key, value)| Some((key.strip_prefix(prefix)?, *value)))
    }
}

/// A local date and time of a log as seconds since 1970.
pub(super) fn moment(stamp: &str, zone: &TimeZone) -> Option<i64> {
    let at = jiff::civil::DateTime::strptime("%m/%d/%Y %H:%M:%S", stamp).ok()?;
    Some(at.to_zoned(zone.clone()).ok()?.timestamp().as_second())
}

/// Values end at a blank, quoted ones at their quote.
fn fields_of(text: &str) -> Vec<(&str, &str)> {
    let mut fields = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        let end = rest.find([' ', '\t']).unwrap_or(rest.len());
        let Some(equals) = rest.find('=').filter(|at| *at < end) else {
            rest = rest.get(end..).unwrap_or_default().trim_start();
            continue;
        };
        let (key, after) =
            (rest.get(..equals).unwrap_or_default(), rest.get(equals + 1..).unwrap_or_default());
        let (value, left) = value_of(after);
        fields.push((key, value));
        rest = left.trim_start();
    }
    fields
}

fn value_of(text: &str) -> (&str, &str) {
    let quoted = text.chars().next().filter(|quote| matches!(quote, '"' | '\''));
    let closed = quoted.and_then(|quote| text.get(1..)?.split_once(quote));
    closed.unwrap_or_else(|| text.split_at(text.find([' ', '\t']).unwrap_or(text.len())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_hold_equals_signs_and_quotes_hold_blanks() {
        let line =
            "03/02/2026 10:05:12;E;4711.pbs1;user=anna account=\"X 1\" exec_vnode=(n1:ncpus=2) end=9 end=10";
        let record = Record::parse(line).unwrap();
        assert_eq!((record.kind, record.id), ("E", "4711.pbs1"));
        assert_eq!(record.get("account"), Some("X 1"));
        assert_eq!(record.get("exec_vnode"), Some("(n1:ncpus=2)"));
        assert_eq!(record.seconds("end"), Some(10));
        assert_eq!(moment(record.stamp, &TimeZone::UTC), Some(1_772_445_912));
        assert!(Record::parse("a;b;c").is_none());
    }
}
