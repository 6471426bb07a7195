//! What is run, into which file.

use std::path::PathBuf;
use std::time::Duration;

use super::filter::Dump;
use crate::record::DumpKind;
use qscope_system::program;

/// One client and its file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Client {
    /// The file that it fills.
    pub(super) file: &'static str,
    /// The program's name.
    pub(super) program: &'static str,
    pub(super) arguments: &'static [&'static str],
    /// What it prints.
    pub(super) dump: Dump,
}

/// How to collect. All of it comes from the command line or the environment of whoever runs it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CollectOptions {
    /// Where the clients are; on the PATH without it.
    pub bin: Option<PathBuf>,
    /// The batch system's own folder, with `sched_priv` and `sched_logs`.
    pub home: Option<PathBuf>,
    /// A round starts so often, unless rounds are slow.
    pub every: Duration,
    /// A client may take so long.
    pub limit: Duration,
    /// A client may print so much.
    pub most: u64,
    /// Whether to ask for subjobs.
    pub subjobs: bool,
    /// Attributes to keep beside those that are known to be harmless.
    pub keep: Vec<String>,
}

impl Default for CollectOptions {
    fn default() -> Self {
        Self {
            bin: None,
            home: None,
            every: Duration::from_secs(60),
            limit: Duration::from_secs(60),
            most: 2 << 30,
            subjobs: false,
            keep: Vec::new(),
        }
    }
}

impl CollectOptions {
    /// Where a client lies: in the folder given, or in an absolute one of the PATH.
    pub(super) fn program(&self, name: &str) -> Result<PathBuf, String> {
        match self.bin.as_ref().filter(|bin| !bin.as_os_str().is_empty()) {
            Some(bin) => std::path::absolute(bin.join(name)).map_err(|why| why.to_string()),
            None => program::find(name.as_ref())
                .ok_or_else(|| format!("{name}: in no absolute folder of the PATH")),
        }
    }
}

/// The programs that are run, each once, and where each lies.
///
/// # Errors
/// Of each program why it is not found, in words.
pub fn programs(options: &CollectOptions) -> Vec<(&'static str, Result<PathBuf, String>)> {
    let mut names: Vec<&'static str> = clients(true).iter().map(|client| client.program).collect();
    names.sort_unstable();
    names.dedup();
    names.into_iter().map(|name| (name, options.program(name))).collect()
}

/// The file that lists subjobs.
pub(super) const SUBJOBS: &str = "jobs-t.json";
/// Files of one generation: they are put in place together, so that new nodes are never read with old jobs.
pub(super) const TOGETHER: [&str; 3] = ["nodes.json", "jobs.json", SUBJOBS];
/// The file of the server, which counts its jobs.
pub(super) const SERVER: &str = "server.json";
/// Files of jobs, which the server counts.
pub(super) const COUNTED: [&str; 2] = ["jobs.json", SUBJOBS];
/// What only some people may ask for: `pbsfs` answers root alone on most sites.
pub(super) const FAIR_SHARE: &str = "fairshare.txt";

const fn client(
    file: &'static str,
    program: &'static str,
    arguments: &'static [&'static str],
    dump: Dump,
) -> Client {
    Client { file, program, arguments, dump }
}

/// All clients in the order run: nodes and jobs first, close together.
pub(super) fn clients(subjobs: bool) -> Vec<Client> {
    let mut clients = vec![
        client("nodes.json", "pbsnodes", &["-av", "-F", "json"], Dump::Json(DumpKind::Nodes)),
        client("jobs.json", "qstat", &["-f", "-F", "json"], Dump::Json(DumpKind::Jobs)),
    ];
    if subjobs {
        clients.push(client(SUBJOBS, "qstat", &["-f", "-t", "-F", "json"], Dump::Json(DumpKind::Jobs)));
    }
    clients.extend([
        client("queues.json", "qstat", &["-Q", "-f", "-F", "json"], Dump::Json(DumpKind::Queues)),
        client(SERVER, "qstat", &["-B", "-f", "-F", "json"], Dump::Json(DumpKind::Server)),
        client("resvs.txt", "pbs_rstat", &["-F"], Dump::Text(DumpKind::Reservations)),
        client("sched.txt", "qmgr", &["-c", "list sched"], Dump::Text(DumpKind::Schedulers)),
        client("resources.txt", "qmgr", &["-c", "list resource"], Dump::Text(DumpKind::Resources)),
        client(FAIR_SHARE, "pbsfs", &[], Dump::Shares),
    ]);
    clients
}
