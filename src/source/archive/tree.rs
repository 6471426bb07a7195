//! The trees that `pbs_snapshot` and `pbs_diag` create, as folders or in archives (sites 1).

use crate::record::DumpKind;

/// The tool that created a tree.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum DiagnosticTool {
    Snapshot,
    Diag,
}

/// A tree of files made by one of the tools.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct DiagnosticTree {
    /// The tool that created it.
    pub(crate) shape: DiagnosticTool,
    /// Path of the root: empty or ending with a slash.
    pub(crate) root: String,
    /// Name of the root; empty where the tree begins at the top.
    pub(crate) name: String,
    /// Whether names in it are obfuscated.
    pub(crate) is_obfuscated: bool,
}

/// Role of a file in a tree.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TreeFileRole {
    /// Objects of a kind, with a rank; the file of the lowest rank that is not empty counts.
    Input(DumpKind, u8),
    /// A file of the scheduler with a fixed name.
    Native(&'static str),
    /// The file with the time at which the tree was begun.
    CTime,
    SchedLog,
}

/// Maximum depth of a root.
const DEEPEST: usize = 3;
/// Maximum number of folders tried as roots.
const MAX_ROOTS: usize = 64;

use DumpKind::{Jobs, Nodes, Queues, Reservations, Resources, Schedulers, Server};

/// Files of a snapshot (sites 1.4). Jobs with subjobs come last: they are used only if there are arrays.
const SNAPSHOT: [(&str, DumpKind, u8); 22] = [
    ("node/pbsnodes_avFjson.out", Nodes, 0),
    ("node/pbsnodes_va.out", Nodes, 1),
    ("node/pbsnodes_avFdsv.out", Nodes, 2),
    ("node/qmgr_pn_default.out", Nodes, 3),
    ("node/pbsnodes_avSj.out", Nodes, 4),
    ("node/pbsnodes_a.out", Nodes, HOSTS),
    ("job/qstat_f_F_json.out", Jobs, 0),
    ("job/qstat_f.out", Jobs, 1),
    ("job/qstat_f_F_dsv.out", Jobs, 2),
    ("job/qstat_tf.out", Jobs, SUBJOBS),
    ("server/qstat_Qf.out", Queues, 0),
    ("server/qmgr_pq.out", Queues, 1),
    ("server/qmgr_ps.out", Queues, 2),
    ("server/qstat_Bf.out", Server, 0),
    ("server/qmgr_ps.out", Server, 1),
    ("scheduler/qmgr_lsched.out", Schedulers, 0),
    ("scheduler/qmgr_psched.out", Schedulers, 1),
    ("server/qmgr_pr.out", Resources, 0),
    ("server_priv/resourcedef", Resources, 1),
    ("server/qmgr_ps.out", Resources, 2),
    ("reservation/pbs_rstat_f.out", Reservations, 0),
    ("reservation/pbs_rstat_F.out", Reservations, 1),
];

/// Files of a diag.
const DIAG: [(&str, DumpKind, u8); 15] = [
    ("pbsnodes_va.out", Nodes, 0),
    ("pbsnodes_avFdsv.out", Nodes, 1),
    ("qmgr_pn.out", Nodes, 2),
    ("pbsnodes_avSj.out", Nodes, 3),
    ("pbsnodes_a.out", Nodes, HOSTS),
    ("qstat_f.out", Jobs, 0),
    ("qstat_tf.out", Jobs, SUBJOBS),
    ("qstat_Qf.out", Queues, 0),
    ("qmgr_ps.out", Queues, 1),
    ("qstat_Bf.out", Server, 0),
    ("qmgr_ps.out", Server, 1),
    ("qmgr_psched.out", Schedulers, 0),
    ("server_priv/resourcedef", Resources, 0),
    ("qmgr_ps.out", Resources, 1),
    ("pbs_rstat_f.out", Reservations, 0),
];

/// Rank of jobs with their subjobs.
pub(crate) const SUBJOBS: u8 = 9;

/// Rank of hosts, which are read only where nothing shows vnodes (sites 1.4).
pub(crate) const HOSTS: u8 = 12;

/// The scheduler's own files in `sched_priv`.
const NATIVE: [&str; 5] = ["sched_config", "holidays", "dedicated_time", "resource_group", "usage"];

impl DiagnosticTree {
    /// Finds the tree that these paths make up, if any.
    ///
    /// # Errors
    /// If several roots are equally deep: their paths.
    pub(crate) fn of(paths: &[&str]) -> Result<Option<Self>, Vec<String>> {
        let mut roots: Vec<(usize, DiagnosticTool, &str)> = Vec::new();
        let has_path = |root: &str, name: &str| {
            paths.iter().any(|path| path.strip_prefix(root).is_some_and(|rest| rest.starts_with(name)))
        };
        // Each candidate is compared with all paths; no real tree has more candidates than this.
        let mut tried: Vec<&str> = Vec::new();
        for path in paths {
            if tried.len() >= MAX_ROOTS {
                break;
            }
            for root in prefixes(path) {
                if roots.iter().any(|(_, _, have)| *have == root) {
                    continue;
                }
                let file = path.get(root.len()..).unwrap_or_default();
                // The marks stand at the end of an archive, which a cut takes away; two files at their places do too.
                let is_mark = matches!(file, "ctime" | "pbs.conf")
                    || is_of_snapshot(file) && has_two_of_snapshot(paths, root);
                let subjects = ["server/", "node/", "job/", "system/", "sched_priv/"];
                let is_diag = matches!(file, "qstat_Bf.out" | "pbsnodes_va.out");
                if !is_mark && !is_diag {
                    continue;
                }
                tried.push(root);
                // A diag may contain copies in such folders too; the files directly in its root distinguish it.
                let is_flat = is_diag || has_path(root, "qstat_Bf.out") || has_path(root, "pbsnodes_va.out");
                let shape = if is_flat {
                    DiagnosticTool::Diag
                } else if subjects.iter().any(|subject| has_path(root, subject)) {
                    DiagnosticTool::Snapshot
                } else {
                    continue;
                };
                roots.push((root.matches('/').count(), shape, root));
            }
        }
        roots.sort_unstable_by_key(|(depth, shape, root)| (*depth, *shape == DiagnosticTool::Diag, *root));
        let Some((depth, shape, root)) = roots.first().copied() else { return Ok(None) };
        let equal: Vec<String> =
            roots.iter().filter(|(have, ..)| *have == depth).map(|(_, _, root)| (*root).to_owned()).collect();
        if equal.len() > 1 {
            return Err(equal);
        }
        let name = root.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
        let tree = Self { shape, root: root.to_owned(), name: String::new(), is_obfuscated: false };
        Ok(Some(tree.named(name)))
    }

    /// Sets the name to that of the containing folder or archive, if the root has none.
    pub(crate) fn named(mut self, name: &str) -> Self {
        if self.name.is_empty() {
            self.name = name.to_owned();
            self.is_obfuscated = name.ends_with("_obf");
        }
        self
    }

    /// Returns the roles of a path in this tree; one file can be several inputs.
    pub(crate) fn places(&self, path: &str) -> Vec<TreeFileRole> {
        let Some(rest) = path.strip_prefix(&*self.root) else { return Vec::new() };
        let table: &[(&str, DumpKind, u8)] = match self.shape {
            DiagnosticTool::Snapshot => &SNAPSHOT,
            DiagnosticTool::Diag => &DIAG,
        };
        let inputs = table.iter().filter(|(have, ..)| *have == rest);
        let mut places: Vec<TreeFileRole> =
            inputs.map(|(_, kind, rank)| TreeFileRole::Input(*kind, self.rank(rest, *rank))).collect();
        if rest == "ctime" {
            places.push(TreeFileRole::CTime);
        }
        if let Some(name) = rest.strip_prefix("sched_priv/") {
            places.extend(
                NATIVE.iter().find(|native| **native == name).map(|native| TreeFileRole::Native(native)),
            );
        }
        if rest
            .strip_prefix("sched_logs/")
            .is_some_and(|day| day.len() == 8 && day.bytes().all(|b| b.is_ascii_digit()))
        {
            places.push(TreeFileRole::SchedLog);
        }
        places
    }

    /// JSON and dsv of an obfuscated tree may be damaged, so text comes first.
    fn rank(&self, path: &str, rank: u8) -> u8 {
        let is_text = !path.contains("json") && !path.contains("dsv");
        if self.is_obfuscated && !is_text { rank + 4 } else { rank }
    }

    /// Whether the path is an archive of a further host, which contains nothing needed here.
    pub(crate) fn is_of_further_host(&self, path: &str) -> bool {
        let rest = path.strip_prefix(&*self.root);
        rest.is_some_and(|rest| !rest.contains('/') && rest.ends_with("_snapshot.tgz"))
    }

    /// Parses the time in the root's name, `snapshot_YYYYMMDD_HH_MM_SS` or `pbs_diag_YYMMDD_HHMMSS`, as if it were
    /// UTC.
    pub(crate) fn named_moment(&self) -> Option<i64> {
        let digits: String = self.name.chars().filter(char::is_ascii_digit).collect();
        let digits = if digits.len() == 12 { format!("20{digits}") } else { digits };
        let part = |from: usize, to: usize| digits.get(from..to)?.parse::<i16>().ok();
        let small = |from: usize| part(from, from + 2).and_then(|part| i8::try_from(part).ok());
        if digits.len() != 14 {
            return None;
        }
        let date = jiff::civil::DateTime::new(
            part(0, 4)?,
            small(4)?,
            small(6)?,
            small(8)?,
            small(10)?,
            small(12)?,
            0,
        );
        crate::zone::as_if_utc(date.ok()?)
    }
}

/// Whether a path within a tree is that of an input of a snapshot.
fn is_of_snapshot(file: &str) -> bool {
    SNAPSHOT.iter().any(|(have, ..)| *have == file)
}

/// Whether at least two inputs of a snapshot are at their places below a root.
fn has_two_of_snapshot(paths: &[&str], root: &str) -> bool {
    paths
        .iter()
        .filter_map(|path| path.strip_prefix(root))
        .filter(|file| is_of_snapshot(file))
        .nth(1)
        .is_some()
}

/// Returns the folders above a path from the outermost, each with its slash; the first is empty.
fn prefixes(path: &str) -> impl Iterator<Item = &str> {
    let slashes = path.match_indices('/').map(|(at, _)| at + 1);
    std::iter::once(0).chain(slashes).take(DEEPEST + 1).filter_map(|end| path.get(..end))
}

/// Whether a file is never read, whatever its name elsewhere: secrets, and binary copies.
pub(crate) fn is_never_read(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let folders = ["server_priv/hooks/", "mom_priv/", "datastore/", "core_file_bt/", "system/", "pg_log/"];
    let suffixes = [".JB", ".SC", ".CR", ".TK", ".OU", ".ER"];
    name.starts_with("db_password")
        || name.starts_with("svrdb")
        || matches!(name, "pbs_environment" | "etc_hosts" | "acct_passwd")
        || suffixes.iter().any(|suffix| name.ends_with(suffix))
        || folders.iter().any(|folder| path.contains(folder))
}

#[cfg(test)]
mod tests;
