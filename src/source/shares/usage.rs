//! Reads the binary `usage`: the usage of each entity (rule 11 item 26).

use super::Reporter;
use qscope_engine::cluster::{Diagnostic, Epoch, FilePosition, UsageRecord};

/// Size of a record of `usage` in bytes; `HEAD` is that of its header.
const RECORD: usize = 64;
const HEAD: usize = 32;

/// Reads the binary `usage` (rule 11 item 26): a magic word, the version, the time of the last decay, then records of
/// 64 bytes with a name and its usage.
pub fn read_usage(bytes: &[u8], file: &str, diagnostics: &mut Vec<Diagnostic>) -> Vec<UsageRecord> {
    let mut report = Reporter { file, diagnostics };
    if !bytes.starts_with(b"PBS_MAG!") {
        report.error(
            FilePosition::Byte(0),
            "this is no usage file: it does not start with `PBS_MAG!`".to_owned(),
        );
        return Vec::new();
    }
    let version = eight(bytes, 16).map(f64::from_le_bytes);
    if version != Some(2.0) {
        let found = version.map_or_else(|| "none".to_owned(), |version| version.to_string());
        report.error(FilePosition::Byte(16), format!("the version is {found}; only 2 is known"));
        return Vec::new();
    }
    let decayed = eight(bytes, 24).map(i64::from_le_bytes).filter(|at| *at > 0).map(Epoch);
    let mut records = Vec::new();
    for (at, record) in bytes.get(HEAD..).unwrap_or_default().chunks(RECORD).enumerate() {
        let spot = FilePosition::Byte(HEAD + at * RECORD);
        match read_record(record, decayed) {
            Ok(record) => records.push(record),
            Err(message) => report.error(spot, message),
        }
    }
    records
}

fn read_record(record: &[u8], decayed: Option<Epoch>) -> Result<UsageRecord, String> {
    let usage = eight(record, 56)
        .map(f64::from_le_bytes)
        .ok_or_else(|| format!("the last record has {} bytes instead of {RECORD}", record.len()))?;
    let name = record.get(..50).unwrap_or_default().split(|byte| *byte == 0).next().unwrap_or_default();
    let name = String::from_utf8_lossy(name);
    if name.is_empty() {
        return Err("a record has no name".to_owned());
    }
    if !usage.is_finite() || usage < 0.0 {
        return Err(format!("the usage of `{name}` is {usage}"));
    }
    Ok(UsageRecord { name: name.as_ref().into(), usage, decayed })
}

/// Returns eight bytes from an offset.
fn eight(bytes: &[u8], at: usize) -> Option<[u8; 8]> {
    bytes.get(at..at.checked_add(8)?)?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a usage file of version 2 with these records.
    fn usage_file(records: &[(&str, f64)]) -> Vec<u8> {
        let mut bytes = b"PBS_MAG!\0\0\0\0\0\0\0\0".to_vec();
        bytes.extend(2.0f64.to_le_bytes());
        bytes.extend(1_763_700_000i64.to_le_bytes());
        for (name, usage) in records {
            let mut record = name.as_bytes().to_vec();
            record.resize(56, 0);
            record.extend(usage.to_le_bytes());
            bytes.extend(record);
        }
        bytes
    }

    #[test]
    fn usage_is_read_from_its_records() {
        let mut reported = Vec::new();
        let records = read_usage(&usage_file(&[("user1", 5000.0), ("user2", 2.5)]), "usage", &mut reported);
        assert_eq!(reported, []);
        let decayed = Some(Epoch(1_763_700_000));
        assert_eq!(records[0], UsageRecord { name: "user1".into(), usage: 5000.0, decayed });
        assert_eq!(records[1].usage, 2.5);
    }

    #[test]
    fn a_broken_usage_file_reports_where() {
        let reported = |bytes: &[u8]| {
            let mut reported = Vec::new();
            let kept = read_usage(bytes, "usage", &mut reported).len();
            (kept, reported.first().map(ToString::to_string).unwrap_or_default())
        };
        assert_eq!(
            reported(b"text"),
            (0, "usage@0: this is no usage file: it does not start with `PBS_MAG!`".into())
        );
        let mut wrong = usage_file(&[]);
        wrong[23] = 0;
        assert!(reported(&wrong).1.contains("only 2 is known"));
        let mut short = usage_file(&[("user1", 1.0), ("user2", 2.0)]);
        short.truncate(100);
        assert_eq!(reported(&short), (1, "usage@96: the last record has 4 bytes instead of 64".into()));
        assert!(reported(&usage_file(&[("", 1.0)])).1.contains("no name"));
        assert!(reported(&usage_file(&[("a", f64::NAN)])).1.contains("the usage of `a` is NaN"));
    }

    proptest::proptest! {
        #[test]
        fn no_bytes_make_any_reader_panic(bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..200)) {
            let mut usage = usage_file(&[]);
            usage.extend(&bytes);
            read_usage(&usage, "usage", &mut Vec::new());
            read_usage(&bytes, "usage", &mut Vec::new());
            super::super::read_resource_group(&bytes, "resource_group", &mut Vec::new());
            super::super::read_fairshare_text(&bytes, "fairshare.txt", &mut Vec::new());
        }
    }
}
