//! One line of a PBS accounting log: `MM/DD/YYYY HH:MM:SS;TYPE;ID;text` (traces rule 3).

use qscope_engine::cluster::ExecVnode;

/// A record, borrowed from its line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AccountingRecord<'a> {
    /// The local date and time, as written.
    pub stamp: &'a str,
    /// The type: `E` ended, `S` started, `R` rerun, `Q` queued…
    pub kind: &'a str,
    /// The job, or whatever else the record is about.
    pub id: &'a str,
    pub text: AccountingText<'a>,
}

/// The text after the third semicolon.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum AccountingText<'a> {
    /// `key=value` by `key=value`, in order.
    Fields(Vec<(&'a str, &'a str)>),
    /// Free text.
    Free(&'a str),
}

/// Error: the line is not a record.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("fewer than three ;")]
pub struct MalformedRecord;

impl<'a> AccountingRecord<'a> {
    /// Parses a line without its line break.
    ///
    /// # Errors
    /// If there are fewer than three semicolons.
    pub fn parse(line: &'a str) -> Result<Self, MalformedRecord> {
        let mut parts = line.splitn(4, ';');
        let mut next = || parts.next().ok_or(MalformedRecord);
        let (stamp, kind, id, text) = (next()?, next()?, next()?, next()?);
        let text = if kind == "A" { AccountingText::Free(text.trim_end()) } else { read_text(text) };
        Ok(Self { stamp, kind, id, text })
    }

    /// Returns the last value of a key.
    pub fn field(&self, key: &str) -> Option<&'a str> {
        match &self.text {
            AccountingText::Fields(fields) => {
                fields.iter().rev().find(|(have, _)| *have == key).map(|(_, value)| *value)
            }
            AccountingText::Free(_) => None,
        }
    }

    /// Returns all values of keys with a prefix such as `Resource_List.`, keyed by the rest of the name.
    pub fn all<'b>(&'b self, prefix: &'b str) -> impl Iterator<Item = (&'a str, &'a str)> + 'b {
        let fields = match &self.text {
            AccountingText::Fields(fields) => fields.as_slice(),
            AccountingText::Free(_) => &[],
        };
        fields.iter().filter_map(move |(key, value)| Some((key.strip_prefix(prefix)?, *value)))
    }

    /// Returns a value in seconds since 1970.
    pub fn seconds(&self, key: &str) -> Option<i64> {
        self.field(key)?.parse().ok()
    }

    /// Returns the date and time on the log's own clock: seconds since 1970, as if the log were written in UTC.
    pub fn moment(&self) -> Option<i64> {
        let (date, time) = self.stamp.split_once(' ')?;
        let three = |text: &str, by: char| -> Option<[i16; 3]> {
            let mut parts = text.split(by).map(|part| part.trim().parse::<i16>().ok());
            Some([parts.next()??, parts.next()??, parts.next()??])
        };
        let ([month, day, year], [hour, minute, second]) = (three(date, '/')?, three(time, ':')?);
        let small = |number: i16| i8::try_from(number).ok();
        let date = jiff::civil::Date::new(year, small(month)?, small(day)?).ok()?;
        let time = jiff::civil::Time::new(small(hour)?, small(minute)?, small(second)?, 0).ok()?;
        let epoch = jiff::civil::DateTime::constant(1970, 1, 1, 0, 0, 0, 0);
        Some(date.to_datetime(time).duration_since(epoch).as_secs())
    }

    /// Returns the date and time as seconds since 1970, of a log written in `zone`.
    pub fn moment_in(&self, zone: &jiff::tz::TimeZone) -> Option<i64> {
        self.ambiguous_in(zone)?.compatible().ok().map(|at| at.timestamp().as_second())
    }

    /// The same, but the second time if the clock of the zone shows it twice.
    pub fn second_moment_in(&self, zone: &jiff::tz::TimeZone) -> Option<i64> {
        self.ambiguous_in(zone)?.later().ok().map(|at| at.timestamp().as_second())
    }

    fn ambiguous_in(&self, zone: &jiff::tz::TimeZone) -> Option<jiff::tz::AmbiguousZoned> {
        let stamp = jiff::Timestamp::from_second(self.moment()?).ok()?;
        let civil = stamp.to_zoned(jiff::tz::TimeZone::UTC).datetime();
        Some(zone.clone().into_ambiguous_zoned(civil))
    }

    /// Whether the record is about an array as a whole, which occupies nothing itself.
    pub fn is_array_parent(&self) -> bool {
        self.id.contains("[]")
    }

    /// Returns the time from which the job could have started: eligible, else queued, else created.
    pub fn submit(&self, start: i64) -> Option<i64> {
        let moment = |key: &str| self.seconds(key).filter(|at| *at > 0);
        moment("etime")
            .filter(|etime| *etime <= start)
            .or_else(|| moment("qtime"))
            .or_else(|| moment("ctime"))
    }

    /// Returns the slots of each vnode, in order: from `exec_vnode`, else from `exec_host` as TORQUE writes it.
    ///
    /// # Errors
    /// If the placement cannot be read.
    pub fn slots(&self) -> Result<Vec<(&'a str, u32)>, String> {
        if let Some(text) = self.field("exec_vnode") {
            return vnode_slots(text);
        }
        self.field("exec_host").map_or_else(|| Ok(Vec::new()), host_slots)
    }

    /// Returns the placement chunk by chunk, if there is one.
    pub fn exec_vnode(&self) -> Option<ExecVnode> {
        ExecVnode::parse(self.field("exec_vnode")?).ok()
    }
}

/// Parses `key=value` pairs, or returns free text when the first word has no `=`.
fn read_text(text: &str) -> AccountingText<'_> {
    let mut fields = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        let end = rest.find([' ', '\t']).unwrap_or(rest.len());
        let Some(equals) = rest.find('=').filter(|at| *at < end) else {
            if fields.is_empty() {
                return AccountingText::Free(text.trim());
            }
            rest = rest.get(end..).unwrap_or_default().trim_start();
            continue;
        };
        let (key, after) =
            (rest.get(..equals).unwrap_or_default(), rest.get(equals + 1..).unwrap_or_default());
        let (value, left) = value_of(after);
        fields.push((key, value));
        rest = left.trim_start();
    }
    AccountingText::Fields(fields)
}

/// Splits off a value, which may be quoted, and returns it with the remaining text.
fn value_of(text: &str) -> (&str, &str) {
    if let Some(quote) = text.chars().next().filter(|first| matches!(first, '"' | '\'')) {
        let body = text.get(1..).unwrap_or_default();
        let closes =
            |at: usize| body.get(at + 1..).is_some_and(|after| after.is_empty() || after.starts_with(' '));
        if let Some((at, _)) = body.match_indices(quote).find(|(at, _)| closes(*at)) {
            return (body.get(..at).unwrap_or_default(), body.get(at + 1..).unwrap_or_default());
        }
    }
    text.split_at(text.find(' ').unwrap_or(text.len()))
}

/// Parses the slots of each vnode from `(n1:ncpus=2:mem=4gb)+(n2:ncpus=1)`; without `ncpus` there are 0 slots.
fn vnode_slots(text: &str) -> Result<Vec<(&str, u32)>, String> {
    let mut slots: Vec<(&str, u32)> = Vec::new();
    for part in text.split('+') {
        let part = part.trim_matches(['(', ')', ' ']);
        let mut words = part.split(':');
        let name = words.next().filter(|name| !name.is_empty()).ok_or("exec_vnode: a vnode has no name")?;
        let mut count = 0;
        for word in words {
            if let Some(cpus) = word.strip_prefix("ncpus=") {
                count = cpus.parse().map_err(|_| format!("exec_vnode: ncpus={cpus} is no number"))?;
            }
        }
        add(&mut slots, name, count);
    }
    Ok(slots)
}

/// Parses the slots of each host from `n1/0+n1/1+n2/0*2`, also `n1/0-3,6`.
fn host_slots(text: &str) -> Result<Vec<(&str, u32)>, String> {
    let mut slots = Vec::new();
    for part in text.split('+') {
        let (host, tasks) = part.split_once('/').unwrap_or((part, "0"));
        if host.is_empty() {
            return Err("exec_host: a host has no name".to_owned());
        }
        let (tasks, cpus) = tasks.split_once('*').unwrap_or((tasks, "1"));
        let cpus: u32 = cpus.parse().map_err(|_| format!("exec_host: `{part}` has no number of CPUs"))?;
        let tasks = tasks.split(',').map(|span| match span.split_once('-') {
            None => Some(1u32),
            Some((from, to)) => to.parse::<u32>().ok()?.checked_sub(from.parse().ok()?)?.checked_add(1),
        });
        let tasks = tasks.sum::<Option<u32>>().ok_or_else(|| format!("exec_host: `{part}` has no tasks"))?;
        add(&mut slots, host, tasks.saturating_mul(cpus));
    }
    Ok(slots)
}

fn add<'a>(slots: &mut Vec<(&'a str, u32)>, name: &'a str, count: u32) {
    match slots.iter_mut().find(|(have, _)| *have == name) {
        Some((_, sum)) => *sum = sum.saturating_add(count),
        None => slots.push((name, count)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_hold_equals_signs_and_quotes_hold_blanks() {
        let line =
            "03/02/2026 10:05:12;E;4711.pbs1;user=anna account=\"X 1\" exec_vnode=(n1:ncpus=2) end=9 end=10";
        let record = AccountingRecord::parse(line).unwrap();
        assert_eq!((record.kind, record.id), ("E", "4711.pbs1"));
        assert_eq!(record.field("account"), Some("X 1"));
        assert_eq!(record.field("exec_vnode"), Some("(n1:ncpus=2)"));
        assert_eq!(record.seconds("end"), Some(10));
        assert_eq!(record.moment_in(&jiff::tz::TimeZone::UTC), Some(1_772_445_912));
        let east = jiff::tz::TimeZone::fixed(jiff::tz::offset(1));
        assert_eq!(record.moment_in(&east), Some(1_772_445_912 - 3600));
        let list = AccountingRecord::parse("d t;Q;1;Resource_List.ncpus=4 Resource_List.place=free").unwrap();
        assert_eq!(list.all("Resource_List.").collect::<Vec<_>>(), [("ncpus", "4"), ("place", "free")]);
        assert!(AccountingRecord::parse("a;b;c").is_err());
    }
}
