//! Reads the scheduler's own files: options, calendars, fair share.

use super::files::Files;
use super::log::DiagnosticLog;
use super::zone::Zone;
use super::{dedicated, holidays, maui_cfg, sched_config, shares};
use qscope_engine::cluster::{Diagnostic, FileFormat, FilePosition, FileRecord, Snapshot};

/// The mark that editors of other systems put at the start of a text.
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// Reports what is assumed instead of a missing or unreadable `sched_config`.
pub(crate) fn report_assumed(files: &Files, snapshot: &Snapshot, log: &mut DiagnosticLog) {
    if snapshot.policy.assumed {
        log.in_file("sched_config");
        let unreadable = files.unreadable_of(&["sched_config"]).is_some();
        let state = if unreadable { "cannot be read" } else { "not there" };
        log.warn("sched-config-assumed", FilePosition::File, || {
            format!("{state}; assumed the file as shipped")
        });
    }
}

/// Reads those that exist into the snapshot, `sched_config` only if `with_options`.
pub(crate) fn read_present(
    files: &Files,
    zone: &Zone,
    with_options: bool,
    snapshot: &mut Snapshot,
    log: &mut DiagnosticLog,
) {
    let mut reader = NativeReader { files, snapshot, reported: Vec::new() };
    if with_options && let Some(bytes) = reader.open("sched_config") {
        reader.snapshot.policy = sched_config::read(bytes, "sched_config", &mut reader.reported);
        reader.record("sched_config", bytes, statements(bytes));
    }
    if let Some(bytes) = reader.open("holidays") {
        let read = holidays::read(bytes, "holidays", &mut reader.reported);
        reader.snapshot.holidays = Some(read.holidays);
        reader.snapshot.time_lines.days = read.day_lines;
        reader.snapshot.time_lines.holidays = read.holiday_lines;
        reader.record("holidays", bytes, statements(bytes));
    }
    if let Some(bytes) = reader.open("dedicated_time") {
        let slots = dedicated::read(bytes, "dedicated_time", zone.time_zone(), &mut reader.reported);
        reader.record("dedicated_time", bytes, slots.len());
        (reader.snapshot.dedicated_time, reader.snapshot.time_lines.dedicated) = slots.into_iter().unzip();
    }
    if let Some(bytes) = reader.open("maui.cfg") {
        let pairs = maui_cfg::read(bytes, "maui.cfg", &mut reader.reported);
        reader.record("maui.cfg", bytes, pairs.len());
        for (line, pair) in pairs {
            reader.snapshot.maui.push(pair);
            reader.snapshot.maui_lines.push(line);
        }
    }
    reader.fair_share();
    let reported = reader.reported;
    log.extend(reported);
}

struct NativeReader<'f, 'r> {
    files: &'f Files,
    snapshot: &'r mut Snapshot,
    reported: Vec<Diagnostic>,
}

impl<'f> NativeReader<'f, '_> {
    /// Reads the two files of the scheduler, and the output of `pbsfs` for what is missing of them.
    fn fair_share(&mut self) {
        if let Some(bytes) = self.open("resource_group") {
            let groups = shares::read_resource_group(bytes, "resource_group", &mut self.reported);
            self.record("resource_group", bytes, groups.len());
            self.snapshot.share_groups = groups;
        }
        let usage = self.open("usage");
        if let Some(bytes) = usage {
            self.snapshot.usage = shares::read_usage(bytes, "usage", &mut self.reported);
            self.record("usage", bytes, self.snapshot.usage.len());
        }
        let Some(bytes) = self.open("fairshare.txt") else { return };
        let (groups, records) = shares::read_fairshare_text(bytes, "fairshare.txt", &mut self.reported);
        self.record("fairshare.txt", bytes, records.len());
        if self.snapshot.share_groups.is_empty() {
            self.snapshot.share_groups = groups;
        }
        if usage.is_none() {
            self.snapshot.usage = records;
        }
    }

    /// Returns a file's bytes without a byte order mark, if it can be read.
    fn open(&mut self, name: &str) -> Option<&'f [u8]> {
        let bytes = self.files.get(name)?.bytes.as_deref().ok()?;
        Some(bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes))
    }

    fn record(&mut self, name: &str, bytes: &[u8], records: usize) {
        let modified = self.files.get(name).and_then(|file| file.modified);
        let record = FileRecord::plain(name, FileFormat::Native, bytes, records);
        self.snapshot.files.push(FileRecord { modified, ..record });
    }
}

/// Number of lines that are neither blank nor a comment of these files.
fn statements(bytes: &[u8]) -> usize {
    let lines = bytes.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
    lines.filter(|line| line.first().is_some_and(|first| !b"#*".contains(first))).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_byte_order_mark_is_no_part_of_the_first_option() {
        let mut files = Files::new("t");
        files.insert("sched_config", "\u{feff}round_robin: True all\n", None);
        let (mut snapshot, mut log) = (Snapshot::default(), DiagnosticLog::default());
        read_present(&files, &Zone::local(), true, &mut snapshot, &mut log);
        assert!(snapshot.policy.round_robin.prime);
    }
}
