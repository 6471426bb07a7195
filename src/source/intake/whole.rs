//! Paths named together that hold a whole cluster each: dumps of one server may be of several moments, those of two are two
//! clusters.

use super::entry::InputEntry;
use super::kind::IntakeKind;
use super::slot::base;
use crate::error::SourceError;
use crate::record::DumpKind;

/// A path that holds nodes and jobs.
pub(super) struct WholeCluster {
    pub(super) path: String,
    /// The servers that its dumps name, without their domains.
    servers: Vec<String>,
}

impl WholeCluster {
    /// What these entries of a path make up; none where they lack nodes or jobs.
    pub(super) fn of(path: String, entries: &[InputEntry]) -> Option<Self> {
        let has = |wanted: DumpKind| {
            let is_of = |kind: &IntakeKind| matches!(kind, IntakeKind::Dump { of, .. } if *of == wanted);
            entries.iter().any(|entry| is_of(&entry.kind))
        };
        let by_hand = || entries.iter().any(|entry| base(&entry.shown) == "nodes.toml");
        let is_whole = has(DumpKind::Nodes) && has(DumpKind::Jobs) || by_hand();
        let servers = || entries.iter().filter_map(server_of).collect();
        is_whole.then(|| Self { path, servers: servers() })
    }
}

/// That several paths are dumps of one cluster, for a remark; nothing of a single one.
///
/// # Errors
/// They are of several clusters, or do not show that they are of one.
pub(super) fn of_one_cluster(whole: &[WholeCluster]) -> Result<Option<String>, SourceError> {
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

/// The server that a dump names near its beginning.
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
    fn dumps_name_their_server() {
        let of = |name: &str, text: &str| server_of(&InputEntry::here(name, text.into(), None));
        let json = r#"{"timestamp":5,"pbs_server" : "svr.site","nodes":{"n1":{"Mom":"n1","state":"free"}}}"#;
        assert_eq!(of("nodes.json", json).as_deref(), Some("svr"));
        let job = "Job Id: 12.alt.site\n    Job_Name = a\n    job_state = Q\n    queue = workq\n";
        assert_eq!(of("jobs.txt", job).as_deref(), Some("alt"));
        assert_eq!(of("jobs.txt", &format!("{job}    server = svr.site\n")).as_deref(), Some("svr"));
        assert_eq!(of("nodes.txt", "n1\n     Mom = n1\n     state = free\n"), None);
    }
}
