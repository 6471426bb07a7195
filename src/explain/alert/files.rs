//! Alerts about files that end too soon: what they had besides looks as if it were not on the cluster.

use crate::{AlertItem, words};
use qscope_engine::cluster::{Diagnostic, FileRecord, Snapshot, Spot};

/// The codes of readers for a file that ends too soon or holds no dump, the plainest first.
const DAMAGED: [&str; 5] = ["cut-set-aside", "json-cut", "json-no-object", "text-cut", "no-records"];

/// Each damaged file once, with the byte it ends at.
pub(super) fn damaged(snap: &Snapshot) -> Vec<AlertItem> {
    let alert_of = |file: &FileRecord| {
        let named =
            |code| snap.diagnostics.iter().find(|found| found.code == code && found.file == file.name);
        let found = DAMAGED.into_iter().find_map(named)?;
        Some(item(file, found))
    };
    snap.files.iter().filter_map(alert_of).collect()
}

fn item(file: &FileRecord, found: &Diagnostic) -> AlertItem {
    let at = match found.spot {
        Spot::Byte(byte) => byte as u64,
        Spot::File | Spot::Line(_) | Spot::Place { .. } => file.bytes,
    };
    let read = match &file.unused {
        Some(why) => format!("not used: {why}"),
        None => format!("{} read", words::count(file.records, "record")),
    };
    let damage = match found.code {
        "json-no-object" | "no-records" => "holds no dump".to_owned(),
        "text-cut" => format!("ends within a line at byte {at}"),
        _ => format!("cut at byte {at}"),
    };
    AlertItem {
        objects: vec![file.name.to_string()],
        jobs: Vec::new(),
        sentence: found.to_string(),
        brief: format!("{damage}, {read}"),
        effect: found.to_string(),
        finding: Some(Box::new(found.clone())),
    }
}
