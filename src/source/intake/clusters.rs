//! Handles several named paths that each contain a complete cluster: dumps of one server may be made at different
//! times, those of different servers are different clusters.

use super::entry::InputEntry;
use super::kind::IntakeKind;
use super::slot::base;
use crate::error::SourceError;
use crate::record::DumpKind;

/// A path that contains nodes and jobs.
pub(super) struct ClusterPath {
    pub(super) path: String,
    /// Servers named in its dumps, without their domains.
    servers: Vec<String>,
}

impl ClusterPath {
    /// Returns the cluster that these entries of a path make up; `None` if they lack nodes or jobs.
    pub(super) fn of(path: String, entries: &[InputEntry]) -> Option<Self> {
        let is_whole = is_whole(entries.iter());
        let servers = || entries.iter().filter_map(server_of).collect();
        is_whole.then(|| Self { path, servers: servers() })
    }
}

/// Whether these entries contain nodes and jobs, or a hand-written cluster.
fn is_whole<'e>(entries: impl Iterator<Item = &'e InputEntry>) -> bool {
    let (mut has_nodes, mut has_jobs, mut by_hand) = (false, false, false);
    for entry in entries {
        match entry.kind {
            IntakeKind::Dump { of: DumpKind::Nodes, .. } => has_nodes = true,
            IntakeKind::Dump { of: DumpKind::Jobs, .. } => has_jobs = true,
            _ => {}
        }
        by_hand |= base(&entry.display_name) == "nodes.toml";
    }
    has_nodes && has_jobs || by_hand
}

/// Returns the folders of an archive that each contain a complete cluster, if there are several next to each other; a
/// folder within another one belongs to that one.
pub(super) fn side_by_side(entries: &[InputEntry]) -> Vec<String> {
    let mut folders: Vec<&str> = entries.iter().map(|entry| folder(&entry.display_name)).collect();
    folders.sort_unstable();
    folders.dedup();
    folders.retain(|path| is_whole(entries.iter().filter(|entry| folder(&entry.display_name) == *path)));
    let outermost = folders.first().copied().unwrap_or_default();
    let others = folders.iter().any(|path| !path.starts_with(outermost));
    if others { folders.into_iter().map(str::to_owned).collect() } else { Vec::new() }
}

/// Returns the folder of a path: empty, or ending with a slash.
fn folder(path: &str) -> &str {
    path.rfind('/').and_then(|at| path.get(..=at)).unwrap_or_default()
}

/// Returns a remark that several paths are dumps of one cluster; `None` for a single one.
///
/// # Errors
/// If they are of different clusters, or do not show that they are of one.
pub(super) fn of_one_cluster(whole: &[ClusterPath]) -> Result<Option<String>, SourceError> {
    let [first, others @ ..] = whole else { return Ok(None) };
    if others.is_empty() {
        return Ok(None);
    }
    let paths: Vec<String> = whole.iter().map(|one| one.path.clone()).collect();
    let of_all = |server: &String| others.iter().all(|other| other.servers.contains(server));
    if !first.servers.iter().any(of_all) {
        return Err(SourceError::Clusters { paths });
    }
    Ok(Some(format!(
        "{} are whole clusters; of each kind of dump one file counts, whichever it is of, and \
         `qscope compare` sets clusters side by side",
        paths.join(", ")
    )))
}

/// Returns the server that a dump names near its beginning.
fn server_of(entry: &InputEntry) -> Option<String> {
    let IntakeKind::Dump { of, .. } = entry.kind else { return None };
    let head = String::from_utf8_lossy(&entry.head);
    let in_json = |key: &str| {
        let (_, rest) = head.split_once(&format!("\"{key}\""))?;
        rest.trim_start().strip_prefix(':')?.trim_start().strip_prefix('"')?.split('"').next()
    };
    let in_text = |key: &str| head.lines().find_map(|line| line.trim().strip_prefix(key));
    let of_job = || in_text("Job Id:").and_then(|id| id.trim().split_once('.')).map(|(_, server)| server);
    let found = match of {
        DumpKind::Server => in_json("pbs_server").or_else(|| in_text("Server:")),
        DumpKind::Jobs => in_json("pbs_server").or_else(|| in_text("server = ")).or_else(of_job),
        _ => in_json("pbs_server"),
    };
    let short = found?.trim().split('.').next().unwrap_or_default();
    (!short.is_empty()).then(|| short.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clusters_side_by_side_are_named_and_what_lies_within_one_is_not() {
        let entries = |paths: &[&str]| -> Vec<InputEntry> {
            let nodes = "n1\n     Mom = n1\n     state = free\n";
            let jobs = "Job Id: 12.s\n    Job_Name = a\n    job_state = Q\n    queue = workq\n";
            let text = |path: &str| if path.contains("nodes") { nodes } else { jobs };
            paths.iter().map(|path| InputEntry::from_bytes(path, text(path).into(), None)).collect()
        };
        let found = |paths: &[&str]| side_by_side(&entries(paths));
        let both = ["a/nodes.txt", "a/jobs.txt", "b/nodes.txt", "b/jobs.txt"];
        assert_eq!(found(&both), ["a/", "b/"]);
        assert!(found(&both[..3]).is_empty(), "one of them is not whole");
        assert!(found(&["a/nodes.txt", "a/jobs.txt", "a/old/nodes.txt", "a/old/jobs.txt"]).is_empty());
        assert!(found(&["nodes.txt", "jobs.txt", "old/nodes.txt", "old/jobs.txt"]).is_empty());
        assert_eq!(found(&["a/nodes.txt", "a/jobs.txt", "ab/nodes.txt", "ab/jobs.txt"]).len(), 2);
    }

    #[test]
    fn dumps_name_their_server() {
        let of = |name: &str, text: &str| server_of(&InputEntry::from_bytes(name, text.into(), None));
        let json = r#"{"timestamp":5,"pbs_server" : "svr.site","nodes":{"n1":{"Mom":"n1","state":"free"}}}"#;
        assert_eq!(of("nodes.json", json).as_deref(), Some("svr"));
        let job = "Job Id: 12.alt.site\n    Job_Name = a\n    job_state = Q\n    queue = workq\n";
        assert_eq!(of("jobs.txt", job).as_deref(), Some("alt"));
        assert_eq!(of("jobs.txt", &format!("{job}    server = svr.site\n")).as_deref(), Some("svr"));
        assert_eq!(of("nodes.txt", "n1\n     Mom = n1\n     state = free\n"), None);
    }
}
