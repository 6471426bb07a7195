//! Reads the table of `pbsnodes -aSj`: free amounts of a few resources, node by node (sites 2.5).
//!
//! Names are cut at 15 characters, sizes are rounded to three digits, and everything else is missing. This is enough
//! to show total and free amounts, but not for placement.

use std::borrow::Cow;
use std::ops::ControlFlow;

use crate::log::DiagnosticLog;
use crate::record::{Attribute, DumpHeader, Record, RecordCallback, Text};
use qscope_engine::cluster::{Diagnostic, FilePosition};

/// The columns of free and total amounts.
const AMOUNTS: [&str; 4] = ["mem", "ncpus", "nmics", "ngpus"];

/// Passes on every row.
pub(crate) fn read<'a>(bytes: &'a [u8], log: &mut DiagnosticLog, sink: RecordCallback<'_, 'a>) -> DumpHeader {
    let mut head = DumpHeader::default();
    let mut borders: Option<Vec<(usize, usize)>> = None;
    let mut cut = 0;
    for (number, line) in bytes.split(|byte| *byte == b'\n').enumerate() {
        let Ok(line) = std::str::from_utf8(line) else { continue };
        let line = line.trim_end();
        if line.starts_with("---") {
            borders = Some(columns(line));
            continue;
        }
        let Some(borders) = borders.as_ref().filter(|_| !line.trim().is_empty()) else { continue };
        let Some(record) = row(line, borders, number + 1) else {
            log.warn("table-row", FilePosition::Line(number + 1), || {
                "skipped a row that is not of the table's form".to_owned()
            });
            continue;
        };
        cut += usize::from(record.name.len() == 15);
        head.records += 1;
        if sink(&record, log) == ControlFlow::Break(()) {
            break;
        }
    }
    if head.records > 0 {
        let records = head.records;
        log.warn(Diagnostic::NODE_TABLE, FilePosition::File, || {
            format!("{records} nodes from a table: only mem, ncpus, nmics and ngpus, rounded; enough for what is free, not for placement; expected what `pbsnodes -av -F json` prints")
        });
    }
    if cut > 0 {
        log.warn("table-names", FilePosition::File, || {
            format!("{cut} names have 15 characters, at which the table cuts them; `pbsnodes -aSjL` does not")
        });
    }
    head
}

/// Returns where columns begin and end, by the dashes below the header.
fn columns(line: &str) -> Vec<(usize, usize)> {
    let mut all = Vec::new();
    let mut start = None;
    for (at, byte) in line.bytes().chain([b' ']).enumerate() {
        match (byte == b'-', start) {
            (true, None) => start = Some(at),
            (false, Some(from)) => {
                all.push((from, at));
                start = None;
            }
            _ => {}
        }
    }
    all
}

fn row<'a>(line: &'a str, borders: &[(usize, usize)], number: usize) -> Option<Record<'a>> {
    // A number may extend into the blank before its column; the last column has no end.
    let cells: Vec<&str> = borders
        .iter()
        .enumerate()
        .map(|(at, (from, _))| {
            let end = borders.get(at + 1).map_or(line.len(), |(next, _)| *next);
            line.get(*from..end.min(line.len())).unwrap_or_default().trim()
        })
        .collect();
    let name = cells.first().filter(|name| !name.is_empty())?;
    let state = cells.get(1).filter(|state| state.starts_with(|c: char| c.is_ascii_alphabetic()))?;
    let mut attributes = Vec::new();
    let mut push = |name: &'static str, resource: Option<&'static str>, value: Text<'a>| {
        attributes.push(Attribute::on_line(Cow::Borrowed(name), resource.map(Cow::Borrowed), value, number));
    };
    push("Mom", None, Cow::Borrowed(name));
    push("state", None, Cow::Borrowed(state));
    let mut amounts = 0;
    for (resource, cell) in AMOUNTS.iter().zip(cells.get(5..).unwrap_or_default()) {
        let Some((free, total)) = cell.split_once('/') else { continue };
        let (free, total) = (free.trim(), total.trim());
        let Some((used, unit)) = difference(total, free) else { continue };
        push("resources_available", Some(resource), Cow::Borrowed(total));
        push("resources_assigned", Some(resource), Cow::Owned(format!("{used}{unit}")));
        amounts += 1;
    }
    if let Some(jobs) = cells.get(9).filter(|jobs| !jobs.is_empty() && **jobs != "--") {
        push("jobs", None, Cow::Borrowed(jobs));
    }
    let name = Cow::Borrowed(*name);
    (amounts > 0).then_some(Record { name, position: FilePosition::Line(number), attributes })
}

/// Returns total minus free: in kb for amounts with units, else a plain number.
fn difference(total: &str, free: &str) -> Option<(u64, &'static str)> {
    let plain = |text: &str| text.parse::<u64>().ok();
    if let (Some(total), Some(free)) = (plain(total), plain(free)) {
        return Some((total.saturating_sub(free), ""));
    }
    Some((kilobytes(total)?.saturating_sub(kilobytes(free)?), "kb"))
}

fn kilobytes(text: &str) -> Option<u64> {
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let shift = match unit {
        "kb" => 0,
        "mb" => 10,
        "gb" => 20,
        "tb" => 30,
        "pb" => 40,
        "b" | "" => return number.parse::<u64>().ok().map(|bytes| bytes >> 10),
        _ => return None,
    };
    number.parse::<u64>().ok()?.checked_mul(1 << shift)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "\
                                                        mem       ncpus   nmics   ngpus
vnode           state           njobs   run   susp      f/t        f/t     f/t     f/t   jobs
--------------- --------------- ------ ----- ------ ------------ ------- ------- ------- -------
n1              free                 1     1      0    12gb/16gb     2/4     0/0     0/2 12,13
n2              job-busy             0     0      0    16gb/16gb     4/4     0/0     0/0 --
averyveryverylo down                 0     0      0    16gb/16gb     4/4     0/0     0/0 --
total nonsense
";

    #[test]
    fn rows_are_cut_at_the_columns() {
        let mut log = DiagnosticLog::default();
        let mut all = Vec::new();
        read(TABLE.as_bytes(), &mut log, &mut |record, _| {
            let set: Vec<(String, String)> = record
                .attributes
                .iter()
                .map(|a| (format!("{}.{}", a.name, a.resource.as_deref().unwrap_or("")), a.value.to_string()))
                .collect();
            all.push((record.name.to_string(), set));
            ControlFlow::Continue(())
        });
        assert_eq!(all.len(), 3);
        let value = |at: usize, name: &str| {
            all[at].1.iter().find(|(have, _)| have == name).map(|(_, value)| value.as_str())
        };
        assert_eq!(value(0, "resources_available.mem"), Some("16gb"));
        assert_eq!(value(0, "resources_assigned.mem"), Some("4194304kb"));
        assert_eq!(value(0, "resources_assigned.ncpus"), Some("2"));
        assert_eq!(value(0, "resources_assigned.ngpus"), Some("2"));
        assert_eq!((value(0, "jobs."), value(1, "jobs.")), (Some("12,13"), None));
        assert_eq!(value(1, "state."), Some("job-busy"));
        let reported: Vec<&str> = log.finish().0.iter().map(|reported| reported.code).collect();
        assert_eq!(reported, ["table-row", "degraded-nodes", "table-names"]);
    }

    proptest::proptest! {
        #[test]
        fn any_rows_are_read(rows in "([ -~]{0,120}\n){0,5}") {
            let text = format!("{TABLE}{rows}");
            let head = read(text.as_bytes(), &mut DiagnosticLog::default(), &mut |_, _| ControlFlow::Continue(()));
            proptest::prop_assert!(head.records >= 3);
        }
    }
}
