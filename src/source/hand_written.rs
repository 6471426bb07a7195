//! A folder whose cluster is written by hand.

use super::assemble::LoadOptions;
use super::clock::whole_number;
use super::error::SourceError;
use super::files::Files;
use super::log::Log;
use super::native;
use super::toml_form::{self, Present, Texts};
use super::zone::Zone;
use crate::cluster::{Diagnostic, Epoch, Severity, Snapshot, Spot};

/// Loads `nodes.toml` and what belongs to it; the scheduler's own files may stand beside it.
///
/// # Errors
/// Everything that is wrong with the hand-written files.
pub(crate) fn load(files: &Files, options: &LoadOptions) -> Result<Snapshot, SourceError> {
    let text = |name| text(files, name);
    let texts = Texts {
        nodes: text("nodes.toml")?,
        queue: text("queue.toml")?,
        policy: text("policy.toml")?,
        extra: text("extra.toml")?,
    };
    let given = options.now.map(|now| (now, "given".to_owned())).or_else(|| now_file(files));
    let present = Present { given, fallback: None };
    let mut snapshot =
        toml_form::read_at(&texts, files.title(), &present).map_err(SourceError::HandWritten)?;
    let zone = options.zone.as_deref().unwrap_or(&snapshot.zone);
    let zone = Zone::named(zone, "given").unwrap_or_else(Zone::local);
    let mut log = Log::default();
    native::read_present(files, &zone, texts.policy.is_none(), &mut snapshot, &mut log);
    snapshot.diagnostics.extend(log.finish());
    Ok(snapshot)
}

/// Adds `extra.toml` to a cluster of dumps; its errors are said, and cost nothing else.
pub(crate) fn add_extra(files: &Files, snapshot: &mut Snapshot, log: &mut Log) {
    let outcome = match text(files, "extra.toml") {
        Ok(Some(text)) => toml_form::apply_extra(text, snapshot),
        Err(SourceError::HandWritten(said)) => Err(said),
        Ok(None) | Err(_) => return,
    };
    if let Err(said) = outcome {
        log.extend(said);
    }
}

/// The zone that `policy.toml` names, which counts beside dumps too.
pub(crate) fn zone(files: &Files) -> Option<String> {
    let table: toml::Table = text(files, "policy.toml").ok()??.parse().ok()?;
    table.get("zone")?.as_str().map(ToOwned::to_owned)
}

/// The text of a file, if it is there.
fn text<'f>(files: &'f Files, name: &'static str) -> Result<Option<&'f str>, SourceError> {
    let Some(file) = files.get(name) else { return Ok(None) };
    let fail = |spot, message| {
        let (severity, file) = (Severity::Error, name.into());
        SourceError::HandWritten(vec![Diagnostic {
            severity,
            code: "file-unreadable",
            file,
            spot,
            record: None,
            message,
        }])
    };
    let bytes = file.bytes.as_ref().map_err(|why| fail(Spot::File, format!("{why}; expected to read it")))?;
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let message = "found a byte that is no UTF-8; expected TOML, which is UTF-8".to_owned();
        fail(Spot::Byte(error.valid_up_to()), message)
    })?;
    Ok(Some(text))
}

fn now_file(files: &Files) -> Option<(Epoch, String)> {
    let bytes = files.get("now")?.bytes.as_deref().ok()?;
    let now = whole_number(std::str::from_utf8(bytes).ok()?)?;
    Some((Epoch(now), "file now".to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cluster() -> Files {
        let mut files = Files::new("hand");
        files.insert("nodes.toml", "[[node]]\nname = \"n[1-2]\"\navailable = { ncpus = 4 }\n", None);
        files.insert("queue.toml", "now = 1763700000\n", None);
        files
    }

    #[test]
    fn a_hand_written_cluster_is_a_snapshot() {
        let mut files = cluster();
        files.insert("dedicated_time", "11/21/2025 12:00 11/21/2025 13:00\n", None);
        let snapshot = super::super::load(&files, &LoadOptions::default()).unwrap();
        assert_eq!(snapshot.nodes.len(), 2);
        assert_eq!(snapshot.now, Epoch(1_763_700_000));
        assert_eq!(snapshot.dedicated_time.len(), 1);
        assert!(!snapshot.policy.assumed);
    }

    #[test]
    fn the_option_and_the_file_count_before_the_text() {
        let mut files = cluster();
        files.insert("now", "5\n", None);
        assert_eq!(load(&files, &LoadOptions::default()).unwrap().now, Epoch(5));
        let options = LoadOptions { now: Some(Epoch(9)), ..LoadOptions::default() };
        assert_eq!(load(&files, &options).unwrap().now, Epoch(9));
    }

    #[test]
    fn errors_name_file_and_place() {
        let mut files = cluster();
        files.insert("queue.toml", &b"now = 5\n\xff"[..], None);
        let error = load(&files, &LoadOptions::default()).unwrap_err().to_string();
        assert!(error.starts_with("queue.toml@8"), "{error}");
    }

    #[test]
    fn extra_facts_reach_dumps_too() {
        let mut files = Files::new("mixed");
        files.insert("nodes.txt", "n1\n     Mom = n1\n     state = free\n", None);
        files.insert("extra.toml", "[[node]]\nname = \"n1\"\nload = 3.0\n[[node]]\nname = \"n9\"\n", None);
        files.insert("policy.toml", "zone = \"Asia/Tokyo\"\n", None);
        let snapshot = super::super::load(&files, &LoadOptions::default()).unwrap();
        assert_eq!(snapshot.nodes.as_slice()[0].extra.load, Some(3.0));
        assert_eq!(snapshot.zone, "Asia/Tokyo");
        assert!(snapshot.diagnostics.iter().any(|d| &*d.file == "extra.toml"));
    }
}
