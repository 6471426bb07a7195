//! The clients that are run, and their files.

use std::path::PathBuf;
use std::time::Duration;

use super::filter::RequestedDump;
use crate::record::DumpKind;
use qscope_system::program;

/// A client and its file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Client {
    pub(super) file: &'static str,
    /// Name of the program.
    pub(super) program: &'static str,
    pub(super) arguments: &'static [&'static str],
    /// The dump that it prints.
    pub(super) dump: RequestedDump,
}

/// How to collect. All options come from the command line or the environment of the user.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CollectOptions {
    /// Folder of the clients; `None` to search the PATH.
    pub bin: Option<PathBuf>,
    /// The batch system's own folder, containing `sched_priv` and `sched_logs`.
    pub home: Option<PathBuf>,
    /// Time from the start of one round to the next, unless rounds are slow.
    pub interval: Duration,
    /// Maximum run time of a client.
    pub limit: Duration,
    /// Maximum output of a client, in bytes.
    pub max_output: u64,
    /// Whether to request subjobs.
    pub subjobs: bool,
    /// Attributes to keep in addition to those known to be harmless.
    pub extra_attributes: Vec<String>,
}

impl Default for CollectOptions {
    fn default() -> Self {
        Self {
            bin: None,
            home: None,
            interval: Duration::from_secs(60),
            limit: Duration::from_secs(60),
            max_output: 2 << 30,
            subjobs: false,
            extra_attributes: Vec::new(),
        }
    }
}

impl CollectOptions {
    /// Returns the path of a client: in the given folder, or in an absolute folder of the PATH.
    pub(super) fn program(&self, name: &str) -> Result<PathBuf, String> {
        match self.bin.as_ref().filter(|bin| !bin.as_os_str().is_empty()) {
            Some(bin) => std::path::absolute(bin.join(name)).map_err(|why| why.to_string()),
            None => program::find(name.as_ref())
                .ok_or_else(|| format!("{name}: in no absolute folder of the PATH")),
        }
    }
}

/// Returns the programs that are run, each once, with its path.
///
/// # Errors
/// For each program that is not found, the reason.
pub fn programs(options: &CollectOptions) -> Vec<(&'static str, Result<PathBuf, String>)> {
    let mut names: Vec<&'static str> = clients(true).iter().map(|client| client.program).collect();
    names.sort_unstable();
    names.dedup();
    names.into_iter().map(|name| (name, options.program(name))).collect()
}

/// Name of the file that lists subjobs.
pub(super) const SUBJOBS: &str = "jobs-t.json";
/// Files of one generation: they are put in place together, so that new nodes are never read with old jobs.
pub(super) const TOGETHER: [&str; 3] = ["nodes.json", "jobs.json", SUBJOBS];
/// Name of the file of the server, which counts its jobs.
pub(super) const SERVER: &str = "server.json";
/// Names of the files of jobs, which the server counts.
pub(super) const COUNTED: [&str; 2] = ["jobs.json", SUBJOBS];
/// Name of the file that not every user may request: `pbsfs` only answers root on most sites.
pub(super) const FAIR_SHARE: &str = "fairshare.txt";

const fn client(
    file: &'static str,
    program: &'static str,
    arguments: &'static [&'static str],
    dump: RequestedDump,
) -> Client {
    Client { file, program, arguments, dump }
}

/// Returns all clients in the order they run: nodes and jobs first, close together.
pub(super) fn clients(subjobs: bool) -> Vec<Client> {
    let mut clients = vec![
        client("nodes.json", "pbsnodes", &["-av", "-F", "json"], RequestedDump::Json(DumpKind::Nodes)),
        client("jobs.json", "qstat", &["-f", "-F", "json"], RequestedDump::Json(DumpKind::Jobs)),
    ];
    if subjobs {
        clients.push(client(
            SUBJOBS,
            "qstat",
            &["-f", "-t", "-F", "json"],
            RequestedDump::Json(DumpKind::Jobs),
        ));
    }
    clients.extend([
        client("queues.json", "qstat", &["-Q", "-f", "-F", "json"], RequestedDump::Json(DumpKind::Queues)),
        client(SERVER, "qstat", &["-B", "-f", "-F", "json"], RequestedDump::Json(DumpKind::Server)),
        client("resvs.txt", "pbs_rstat", &["-F"], RequestedDump::Text(DumpKind::Reservations)),
        client("sched.txt", "qmgr", &["-c", "list sched"], RequestedDump::Text(DumpKind::Schedulers)),
        client("resources.txt", "qmgr", &["-c", "list resource"], RequestedDump::Text(DumpKind::Resources)),
        client(FAIR_SHARE, "pbsfs", &[], RequestedDump::Shares),
    ]);
    clients
}
