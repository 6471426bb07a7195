//! Loads a folder with a hand-written cluster.

use super::clock::now_in;
use super::error::SourceError;
use super::files::{Files, cannot_be_read, unreadable};
use super::load_options::LoadOptions;
use super::log::DiagnosticLog;
use super::overview::Overview;
use super::toml_form::{self, NowSources, PolicyPart, TomlTexts};
use super::zone::Zone;
use super::{native, published};
use qscope_engine::cluster::{Diagnostic, Epoch, FilePosition, Severity, Snapshot};

/// Loads `nodes.toml` and its companions; the scheduler's own files may be in the same folder.
///
/// # Errors
/// Everything that is wrong in the hand-written files.
pub(crate) fn load(files: &Files, options: &LoadOptions) -> Result<Snapshot, SourceError> {
    let text = |name| text(files, name);
    let texts = TomlTexts {
        nodes: text("nodes.toml")?,
        queue: text("queue.toml")?,
        policy: text("policy.toml")?,
        extra: text("extra.toml")?,
        has_options: files.get("sched_config").is_some_and(|file| file.bytes.is_ok()),
    };
    let mut log = DiagnosticLog::default();
    let given_zone = options.zone.as_deref().and_then(|name| {
        let zone = Zone::named(name, "given");
        if zone.is_none() {
            log.error("zone", FilePosition::File, || not_a_zone(name));
        }
        zone
    });
    let given = options.now.map(|now| (now, "given".to_owned())).or_else(|| now_file(files));
    let present = NowSources { given, fallback: None, zone: given_zone };
    let mut snapshot =
        toml_form::read_at(&texts, files.title(), &present).map_err(SourceError::HandWritten)?;
    if let Some(wanted) = options.scheduler.as_deref().filter(|wanted| **wanted != *snapshot.scheduler.name) {
        return Err(SourceError::no_scheduler(wanted, std::slice::from_ref(&snapshot.scheduler.name)));
    }
    let zone = Zone::named(&snapshot.zone, &snapshot.zone_source).unwrap_or_else(Zone::local);
    log.extend(std::mem::take(&mut snapshot.diagnostics));
    unreadable(files, &mut log);
    native::read_present(files, &zone, texts.policy.is_none(), &mut snapshot, &mut log);
    if texts.policy.is_some() && files.get("sched_config").is_some() {
        log.in_file("sched_config");
        log.warn("options-by-hand", FilePosition::File, || {
            "not read: where nodes.toml describes the cluster, the options are those of policy.toml"
                .to_owned()
        });
    }
    published::add(files, &mut snapshot, &mut log);
    super::cross::group_sort_keys(&snapshot, &mut log);
    let mut overview = Overview::default();
    overview.follow(&snapshot.nodes);
    super::cross::negative_amounts(&snapshot, &overview, &mut log);
    (snapshot.diagnostics, snapshot.tallies) = log.finish();
    super::foreign::conceal(files, &mut snapshot.diagnostics);
    Ok(snapshot)
}

/// Returns the message about an unknown zone.
pub(crate) fn not_a_zone(name: &str) -> String {
    format!("found zone `{name}`; expected a name such as Europe/Berlin or an offset such as +01:00")
}

/// Adds a part of `policy.toml` to a cluster of dumps: hand-written values override those printed by a client. Its
/// errors are reported and otherwise ignored.
pub(crate) fn add_policy(files: &Files, part: PolicyPart, snapshot: &mut Snapshot, log: &mut DiagnosticLog) {
    match text(files, "policy.toml") {
        Ok(Some(text)) => log.extend(toml_form::apply_policy(text, part, snapshot)),
        Err(SourceError::HandWritten(reported)) if part == PolicyPart::Resources => {
            log.extend(
                reported.into_iter().filter(|reported| reported.code != Diagnostic::UNREADABLE).collect(),
            );
        }
        Ok(None) | Err(_) => {}
    }
}

/// Adds `extra.toml` to a cluster of dumps; its errors are reported and otherwise ignored.
pub(crate) fn add_extra(files: &Files, snapshot: &mut Snapshot, log: &mut DiagnosticLog) {
    let outcome = match text(files, "extra.toml") {
        Ok(Some(text)) => toml_form::apply_extra(text, snapshot),
        Err(SourceError::HandWritten(mut reported)) => {
            reported.retain(|reported| reported.code != Diagnostic::UNREADABLE);
            Err(reported)
        }
        Ok(None) | Err(_) => return,
    };
    if let Err(reported) = outcome {
        log.extend(reported);
    }
}

/// Returns the zone named in `policy.toml`, which also applies to dumps.
pub(crate) fn zone(files: &Files) -> Option<String> {
    let table: toml::Table = text(files, "policy.toml").ok()??.parse().ok()?;
    table.get("zone")?.as_str().map(ToOwned::to_owned)
}

/// Returns the text of a file, if it exists.
fn text<'f>(files: &'f Files, name: &'static str) -> Result<Option<&'f str>, SourceError> {
    let Some(file) = files.get(name) else { return Ok(None) };
    let fail = |code, spot, message| {
        SourceError::HandWritten(vec![Diagnostic::new(Severity::Error, code, name, spot, message)])
    };
    let bytes = file
        .bytes
        .as_ref()
        .map_err(|why| fail(Diagnostic::UNREADABLE, FilePosition::File, cannot_be_read(why)))?;
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let message = "found a byte that is no UTF-8; expected TOML, which is UTF-8".to_owned();
        fail("not-utf-8", FilePosition::Byte(error.valid_up_to()), message)
    })?;
    Ok(Some(text))
}

fn now_file(files: &Files) -> Option<(Epoch, String)> {
    let bytes = files.get("now")?.bytes.as_deref().ok()?;
    now_in(bytes)
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
    fn a_zone_on_the_command_line_counts_for_dates_by_hand_too() {
        let mut files = cluster();
        files.insert("queue.toml", "now = \"2025-11-21 12:00\"\n", None);
        files.insert("policy.toml", "zone = \"Asia/Tokyo\"\n", None);
        files.insert("dedicated_time", "11/21/2025 12:00 11/21/2025 13:00\n", None);
        let read = |zone: Option<&str>| {
            let options = LoadOptions { zone: zone.map(ToOwned::to_owned), ..LoadOptions::default() };
            load(&files, &options).unwrap()
        };
        let in_tokyo = read(None);
        assert_eq!((in_tokyo.now, &*in_tokyo.zone), (Epoch(1_763_694_000), "Asia/Tokyo"));
        let given = read(Some("+01:00"));
        assert_eq!((given.now, &*given.zone), (Epoch(1_763_722_800), "+01:00"));
        assert_eq!((&*given.zone_source, given.dedicated_time[0].from), ("given", given.now));
        let unknown = read(Some("Nowhere"));
        assert_eq!(unknown.now, in_tokyo.now);
        assert!(unknown.diagnostics.iter().any(|reported| reported.code == "zone"));
    }

    #[test]
    fn a_policy_by_hand_counts_more_than_dumps() {
        let mut files = Files::new("mixed");
        files.insert(
            "nodes.txt",
            "n1\n     Mom = n1\n     state = free\n     resources_available.switch = 7\n",
            None,
        );
        files.insert(
            "server.txt",
            "Server: s\n    server_state = Active\n    backfill_depth = 3\n    default_queue = q\n",
            None,
        );
        files.insert("sched_config", "strict_ordering: False ALL\nby_queue: False ALL\n", None);
        let policy = "[[resource]]\nname = \"switch\"\ntype = \"string_array\"\nflag = \"h\"\n[sched_config]\nstrict_ordering = true\nnode_group_sort_key = [\"ncpus LOW\"]\n[server]\nbackfill_depth = 9\nnode_group_enable = true\nnode_group_key = [\"switch\"]\n[scheduler]\ndo_not_span_psets = true\nodd = 1\n";
        files.insert("policy.toml", policy, None);
        let snapshot = super::super::load(&files, &LoadOptions::default()).unwrap();
        assert_eq!(snapshot.server.backfill_depth, Some(9));
        assert_eq!(snapshot.server.default_queue.as_deref(), Some("q"));
        assert_eq!(snapshot.server.node_group_key, ["switch".into()]);
        assert!(snapshot.scheduler.do_not_span_psets && snapshot.policy.node_group_sort_requested);
        assert!(snapshot.policy.strict_ordering.prime && !snapshot.policy.by_queue.prime);
        let id = snapshot.catalogue.id("switch").unwrap();
        assert_eq!(snapshot.catalogue.kind(id), qscope_engine::cluster::ResourceType::TextArray);
        let reported = |code| snapshot.diagnostics.iter().filter(|reported| reported.code == code).count();
        assert_eq!(
            (reported("policy-by-hand"), reported("unknown-key"), reported("resource-undefined")),
            (1, 1, 0)
        );
        assert!(!snapshot.policy.assumed);
    }

    #[test]
    fn options_of_the_file_itself_are_not_assumed() {
        let shipped = |config: Option<&str>| {
            let mut files = Files::new("both");
            files.insert("nodes.toml", "[[node]]\nname = \"n1\"\navailable = { ncpus = 8 }\n", None);
            files.insert("queue.toml", "now = 1763700000\n", None);
            config.into_iter().for_each(|text| files.insert("sched_config", text, None));
            let snapshot = super::super::load(&files, &LoadOptions::default()).unwrap();
            (snapshot.reported("policy-as-shipped").count(), snapshot.policy.strict_ordering.prime)
        };
        assert_eq!(shipped(None), (1, false));
        assert_eq!(shipped(Some("strict_ordering: True ALL\n")), (0, true));
    }

    #[test]
    fn extra_facts_reach_dumps_too() {
        let mut files = Files::new("mixed");
        files.insert("nodes.txt", "n1\n     Mom = n1\n     state = free\n", None);
        files.insert("extra.toml", "[[node]]\nname = \"n1\"\nload = 3.0\n[[node]]\nname = \"n9\"\n", None);
        files.insert("policy.toml", "zone = \"Asia/Tokyo\"\n", None);
        let snapshot = super::super::load(&files, &LoadOptions::default()).unwrap();
        assert_eq!(snapshot.nodes.iter().next().unwrap().extra.load, Some(3.0));
        assert_eq!(snapshot.zone, "Asia/Tokyo");
        assert!(snapshot.diagnostics.iter().any(|d| &*d.file == "extra.toml"));
    }
}
