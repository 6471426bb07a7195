//! What is run, into which file.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

/// In which form a client answers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// One JSON object.
    Json,
    /// Lines of text; none at all where nothing is to be listed.
    Text,
}

/// One client and its file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Client {
    /// The file that it fills.
    pub file: &'static str,
    /// The program's name.
    pub program: &'static str,
    /// Its arguments.
    pub arguments: &'static [&'static str],
    /// What it prints.
    pub form: Form,
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
    /// Whether to keep people's environments (`Variable_List`).
    pub environment: bool,
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
            environment: false,
        }
    }
}

impl CollectOptions {
    /// The path or name of a client.
    #[must_use]
    pub fn program(&self, name: &str) -> OsString {
        self.bin.as_ref().map_or_else(|| name.into(), |bin| bin.join(name).into_os_string())
    }
}

/// The file that lists subjobs.
pub(super) const SUBJOBS: &str = "jobs-t.json";
/// Files of one generation: they are put in place together, so that nobody reads new nodes with old jobs.
pub(super) const TOGETHER: [&str; 3] = ["nodes.json", "jobs.json", SUBJOBS];
/// What only some people may ask for: `pbsfs` answers root alone on most sites.
pub(super) const FAIR_SHARE: &str = "fairshare.txt";

const fn client(
    file: &'static str,
    program: &'static str,
    arguments: &'static [&'static str],
    form: Form,
) -> Client {
    Client { file, program, arguments, form }
}

/// All clients in the order run: nodes and jobs first, close together.
pub(super) fn clients(subjobs: bool) -> Vec<Client> {
    let mut clients = vec![
        client("nodes.json", "pbsnodes", &["-av", "-F", "json"], Form::Json),
        client("jobs.json", "qstat", &["-f", "-F", "json"], Form::Json),
    ];
    if subjobs {
        clients.push(client(SUBJOBS, "qstat", &["-f", "-t", "-F", "json"], Form::Json));
    }
    clients.extend([
        client("queues.json", "qstat", &["-Q", "-f", "-F", "json"], Form::Json),
        client("server.json", "qstat", &["-B", "-f", "-F", "json"], Form::Json),
        client("resvs.txt", "pbs_rstat", &["-F"], Form::Text),
        client("sched.txt", "qmgr", &["-c", "list sched"], Form::Text),
        client("resources.txt", "qmgr", &["-c", "list resource"], Form::Text),
        client(FAIR_SHARE, "pbsfs", &[], Form::Text),
    ]);
    clients
}
