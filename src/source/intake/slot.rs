//! Maps inputs to the loader's names, and names that users give their files to kinds.

use super::kind::{DumpNotation, NativeFileKind};
use crate::files::KNOWN;
use crate::record::DumpKind;

/// Returns the loader's name for a dump of a kind in a form; for jobs, that without subjobs.
pub(crate) fn slot(kind: DumpKind, form: DumpNotation) -> &'static str {
    let end = if form == DumpNotation::Json { ".json" } else { ".txt" };
    kind.files().iter().rfind(|name| name.ends_with(end)).copied().unwrap_or_default()
}

/// Returns the loader's name of a file with a fixed name; `None` if the loader does not read it.
pub(crate) fn native_slot(native: NativeFileKind) -> Option<&'static str> {
    Some(native.file()).filter(|name| KNOWN.contains(name))
}

/// Prefixes of names that users choose, longer before shorter ones that begin the same (sites 2.1).
const NAMES: [(&str, DumpKind); 23] = [
    ("pbsnodes", DumpKind::Nodes),
    ("vnodes", DumpKind::Nodes),
    ("nodes", DumpKind::Nodes),
    ("qstatq", DumpKind::Queues),
    ("qstatb", DumpKind::Server),
    ("qstat", DumpKind::Jobs),
    ("jobs", DumpKind::Jobs),
    ("queue", DumpKind::Queues),
    ("server", DumpKind::Server),
    ("listsched", DumpKind::Schedulers),
    ("printsched", DumpKind::Schedulers),
    ("qmgrlsched", DumpKind::Schedulers),
    ("qmgrpsched", DumpKind::Schedulers),
    ("schedulers", DumpKind::Schedulers),
    ("sched", DumpKind::Schedulers),
    ("listresource", DumpKind::Resources),
    ("qmgrpr", DumpKind::Resources),
    ("resourcedef", DumpKind::Resources),
    ("resources", DumpKind::Resources),
    ("resvs", DumpKind::Reservations),
    ("reservation", DumpKind::Reservations),
    ("pbsrstat", DumpKind::Reservations),
    ("rstat", DumpKind::Reservations),
];

/// Returns the kind implied by a name, for files whose content does not show it: an empty answer or file.
pub(crate) fn hint(name: &str) -> Option<DumpKind> {
    let plain = plain_name(name);
    // `qstat -Qf` and `qstat -q…`: only the capital letter distinguishes queues from jobs.
    let base = base(name);
    let of_queues =
        ["qstat-Q", "qstat_Q", "qstatQ", "qstat.Q", "qstat Q"].iter().any(|start| base.starts_with(start));
    let of_server =
        ["qstat-B", "qstat_B", "qstatB", "qstat.B", "qstat B"].iter().any(|start| base.starts_with(start));
    match (of_queues, of_server) {
        (true, _) => return Some(DumpKind::Queues),
        (_, true) => return Some(DumpKind::Server),
        _ => {}
    }
    if plain.starts_with("schedlog") || plain.starts_with("schedconfig") || plain.starts_with("serverlog") {
        return None;
    }
    let found = NAMES.iter().filter(|(start, kind)| {
        !(start.starts_with("qstat")
            && *start != "qstat"
            && matches!(kind, DumpKind::Queues | DumpKind::Server))
    });
    found.into_iter().find(|(start, _)| plain.starts_with(start)).map(|(_, kind)| *kind)
}

/// Whether a name contains a word for a dump, such as `all-jobs.json`.
pub(super) fn names_dump(name: &str) -> bool {
    let plain = plain_name(name);
    hint(name).is_some() || NAMES.iter().any(|(word, _)| plain.contains(word))
}

/// Whether a name is one of a script of `qmgr`, such as `site.qmgr` or `print-server.out`.
pub(super) fn names_script(name: &str) -> bool {
    let plain = plain_name(name);
    plain.contains("qmgr") || plain.starts_with("printserver")
}

/// Whether a name implies that finished jobs are listed too.
pub(crate) fn is_history(name: &str) -> bool {
    let plain = plain_name(name);
    let options = plain.strip_prefix("qstat").or_else(|| plain.strip_prefix("jobs")).unwrap_or_default();
    let options = options.trim_end_matches("json").trim_end_matches("dsv").trim_end_matches("txt");
    options.len() <= 6 && options.contains('x') && !options.contains("xml")
}

/// Returns the last component of a path.
pub(super) fn base(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or(name)
}

/// Returns a name in lower case, without separators, digits, and suffixes of forms and compression.
fn plain_name(name: &str) -> String {
    let mut base = base(name);
    for suffix in [".gz", ".bz2", ".xz", ".zst", ".txt", ".out", ".log", ".json", ".dsv", ".xml"] {
        base = base.strip_suffix(suffix).unwrap_or(base);
    }
    base.chars()
        .filter(|c| !matches!(c, '-' | '_' | '.' | ' ') && !c.is_ascii_digit())
        .collect::<String>()
        .to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_people_use() {
        let rows = [
            ("pbsnodes-av.txt", Some(DumpKind::Nodes)),
            ("PBSnodes_avFjson.out", Some(DumpKind::Nodes)),
            ("vnodes", Some(DumpKind::Nodes)),
            ("qstat-f.txt", Some(DumpKind::Jobs)),
            ("qstat_f_F_json.out", Some(DumpKind::Jobs)),
            ("qstat-20260302.gz", Some(DumpKind::Jobs)),
            ("qstat-Qf", Some(DumpKind::Queues)),
            ("qstat_Q.out", Some(DumpKind::Queues)),
            ("qstat-Bf", Some(DumpKind::Server)),
            ("list-sched", Some(DumpKind::Schedulers)),
            ("qmgr_pr.out", Some(DumpKind::Resources)),
            ("pbs_rstat-F", Some(DumpKind::Reservations)),
            ("sched_log", None),
            ("notes.md", None),
        ];
        for (name, kind) in &rows {
            assert_eq!(hint(name), *kind, "{name}");
        }
        assert!(names_dump("all-jobs.json") && names_dump("my_qstat.out") && !names_dump("notes.md"));
        assert!(is_history("qstat-xf") && is_history("job/qstat_xf.out") && is_history("qstat_fx_F_dsv.out"));
        assert!(!is_history("qstat-f.txt") && !is_history("jobs-t.json") && !is_history("nodes-x"));
    }

    #[test]
    fn slots_are_named_as_the_loader_knows_them() {
        for kind in DumpKind::ALL.iter().copied() {
            for name in kind.files() {
                assert!(KNOWN.contains(name) && DumpKind::of_file(name) == Some(kind), "{name}");
            }
            assert!(
                slot(kind, DumpNotation::Json).ends_with(".json")
                    && slot(kind, DumpNotation::Text).ends_with(".txt")
            );
        }
        assert_eq!(slot(DumpKind::Jobs, DumpNotation::Dsv), "jobs.txt");
        assert_eq!(DumpKind::of_file("nodes.toml"), None);
        assert_eq!(native_slot(NativeFileKind::FairShare), Some("fairshare.txt"));
        assert_eq!(native_slot(NativeFileKind::PbsConf), None);
    }
}
