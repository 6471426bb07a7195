//! Alerts about truncated files, whose remaining objects look as if they did not exist.

use crate::{AlertItem, words};
use qscope_engine::cluster::{DamageKind, Diagnostic, FilePosition, FileRecord, Snapshot};

/// Returns each damaged file once, with the byte at which it ends.
pub(super) fn damaged(snap: &Snapshot) -> Vec<AlertItem> {
    let alert_of = |file: &FileRecord| {
        let (damage, found) = DamageKind::clearest(snap, file)?;
        Some(item(file, damage, found))
    };
    let archives = snap.diagnostics_of(DamageKind::CutArchive).map(of_archive);
    archives.chain(snap.files.iter().filter_map(alert_of)).collect()
}

/// Creates the alert for a truncated archive; the files after its end are unknown.
fn of_archive(found: &Diagnostic) -> AlertItem {
    AlertItem {
        objects: vec![found.file.to_string()],
        jobs: Vec::new(),
        sentence: found.to_string(),
        brief: "ends too soon".to_owned(),
        effect: found.to_string(),
        finding: Some(Box::new(found.clone())),
    }
}

fn item(file: &FileRecord, damage: DamageKind, diagnostic: &Diagnostic) -> AlertItem {
    let at = match diagnostic.position {
        FilePosition::Byte(byte) => byte as u64,
        FilePosition::File | FilePosition::Line(_) | FilePosition::Place { .. } => file.bytes,
    };
    let read = match &file.unused {
        Some(why) => format!("not used: {why}"),
        None => format!("{} read", words::count(file.records, "record")),
    };
    let damage = match damage {
        none if none.is_no_dump() => "holds no dump".to_owned(),
        DamageKind::CutText => format!("ends within a record at byte {at}"),
        DamageKind::Incomplete => "incomplete".to_owned(),
        DamageKind::LostRecord => "a damaged record".to_owned(),
        _ => format!("cut at byte {at}"),
    };
    AlertItem {
        objects: vec![file.name.to_string()],
        brief: format!("{damage}, {read}"),
        ..of_archive(diagnostic)
    }
}
