//! Folders of dumps in which every attribute takes its extremes, one record for each, next to a small
//! ordinary cluster. The integration tests limit what commands may make of them, and a bench measures them.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

/// Returns the extreme values of an attribute.
pub(crate) fn values() -> Vec<String> {
    let mut values: Vec<String> = [
        "0",
        "1",
        "1000000000",
        "9223372036854775807",
        "-1",
        "-9223372036854775808",
        "NaN",
        "inf",
        "",
        "1e308",
        "999999999:59:59",
        "-01:00:00",
        "Thu Jan  1 00:00:00 1970",
        "Fri Dec 31 23:59:59 9999",
        "Sun Jan  1 00:00:00 -9999",
    ]
    .map(str::to_owned)
    .to_vec();
    values.push("x".repeat(1_000_000));
    values
}

pub(super) const JOB: [&str; 36] = [
    "Resource_List.ncpus",
    "Resource_List.mem",
    "Resource_List.walltime",
    "Resource_List.nodect",
    "Resource_List.soft_walltime",
    "Resource_List.min_walltime",
    "Resource_List.max_walltime",
    "Resource_List.place",
    "Resource_List.select",
    "schedselect",
    "Priority",
    "queue_rank",
    "qtime",
    "etime",
    "ctime",
    "stime",
    "Execution_Time",
    "eligible_time",
    "estimated.start_time",
    "resources_used.walltime",
    "resources_used.ncpus",
    "substate",
    "run_count",
    "comment",
    "Job_Name",
    "euser",
    "egroup",
    "project",
    "queue",
    "exec_vnode",
    "depend",
    "array_indices_submitted",
    "array_indices_remaining",
    "job_state",
    "accrue_type",
    "interactive",
];
/// The attributes of a running job that determine when it ends, and where.
pub(super) const RUNNING: [&str; 7] = [
    "stime",
    "exec_vnode",
    "Resource_List.walltime",
    "resources_used.walltime",
    "Resource_List.ncpus",
    "Resource_List.soft_walltime",
    "schedselect",
];
pub(super) const NODE: [&str; 22] = [
    "resources_available.ncpus",
    "resources_available.mem",
    "resources_assigned.ncpus",
    "resources_assigned.mem",
    "pcpus",
    "priority",
    "Priority",
    "state",
    "comment",
    "max_running",
    "max_user_run",
    "Port",
    "last_state_change_time",
    "last_used_time",
    "jobs",
    "sharing",
    "queue",
    "resources_available.host",
    "resources_available.vnode",
    "resv",
    "ntype",
    "partition",
];
pub(super) const QUEUE: [&str; 19] = [
    "Priority",
    "max_running",
    "max_run",
    "max_run_res.ncpus",
    "max_queued",
    "max_user_run",
    "backfill_depth",
    "resources_max.ncpus",
    "resources_min.ncpus",
    "resources_available.ncpus",
    "resources_assigned.ncpus",
    "resources_default.walltime",
    "default_chunk.ncpus",
    "enabled",
    "total_jobs",
    "state_count",
    "node_group_key",
    "partition",
    "kill_delay",
];
/// Attributes of a server that do not keep other jobs from running.
pub(super) const SERVER: [&str; 16] = [
    "max_queued",
    "backfill_depth",
    "resources_max.ncpus",
    "resources_assigned.ncpus",
    "resources_default.ncpus",
    "default_chunk.mem",
    "default_chunk.nchunk",
    "job_sort_formula",
    "eligible_time_enable",
    "node_group_key",
    "node_group_enable",
    "scheduler_iteration",
    "total_jobs",
    "max_array_size",
    "est_start_time_freq",
    "job_sort_formula_threshold",
];

/// Returns selects that request more chunks, or more parts, than fit in memory, each with a name.
pub(crate) fn selects() -> Vec<(String, String)> {
    let mut selects = Vec::new();
    for resource in ["ncpus", "mem"] {
        for value in ["0", "1", "-1", "-9223372036854775808", "NaN", "1e308"] {
            selects.push((format!("many-{resource}-{value}"), format!("1000000000:{resource}={value}")));
        }
    }
    for count in ["0", "4294967295", "4294967296", "9223372036854775807"] {
        selects.push((format!("count-{count}"), format!("{count}:ncpus=0")));
    }
    selects.push(("two".to_owned(), "4000000000:ncpus=0+200000000:ncpus=0:mem=0".to_owned()));
    selects.push(("parts".to_owned(), vec!["1:ncpus=0"; 10_000].join("+")));
    selects.push(("megabyte".to_owned(), vec!["1:ncpus=1"; 100_000].join("+")));
    let unlike: Vec<String> = (0..1_000).map(|ncpus| format!("1:ncpus={ncpus}")).collect();
    selects.push(("unlike".to_owned(), unlike.join("+")));
    selects
}

pub(crate) const PLACES: [&str; 5] = ["free", "pack", "scatter", "free:excl", "vscatter"];

/// A folder of dumps under construction.
pub(crate) struct Folder {
    pub(crate) path: PathBuf,
    nodes: String,
    jobs: String,
    queues: String,
    server: String,
    config: String,
    next: u32,
}

type Attributes<'a> = &'a [(&'a str, &'a str)];

impl Folder {
    /// Creates a cluster of three nodes and one queue; its first job, and the last one added by
    /// [`Self::write`], are ordinary.
    pub(crate) fn new(under: &Path, name: &str) -> Self {
        let mut folder = Self {
            path: under.join(name),
            nodes: String::new(),
            jobs: String::new(),
            queues: String::new(),
            server: String::new(),
            config:
                "resources: \"ncpus, mem, arch, host, vnode\"\ndedicated_prefix: ded\nprimetime_prefix: p_\n\
                     nonprimetime_prefix: np_\n"
                    .to_owned(),
            next: 1,
        };
        for node in ["n1", "n2", "n3"] {
            folder.node(node, &[]);
        }
        folder.queue("workq", &[]);
        folder.server(&[]);
        folder.job(&[]);
        folder
    }

    /// Adds a line to the scheduler's configuration.
    pub(crate) fn config(&mut self, line: &str) {
        self.config.push_str(line);
        self.config.push('\n');
    }

    pub(crate) fn node(&mut self, name: &str, other: Attributes<'_>) {
        let usual = [
            ("state", "free"),
            ("resources_available.host", name),
            ("resources_available.vnode", name),
            ("resources_available.ncpus", "4096"),
            ("resources_available.mem", "16tb"),
            ("sharing", "default_shared"),
        ];
        self.nodes.push_str(&record(name, &usual, other));
    }

    /// Adds a job; returns its number.
    pub(crate) fn job(&mut self, other: Attributes<'_>) -> u32 {
        let number = self.next;
        self.next += 1;
        let is_array = other.iter().any(|(name, _)| *name == "array_indices_submitted");
        let head = format!("Job Id: {number}{}.svr", if is_array { "[]" } else { "" });
        let rank = number.to_string();
        let usual = [
            ("Job_Name", "j"),
            ("Job_Owner", "ann@h"),
            ("job_state", "Q"),
            ("queue", "workq"),
            ("server", "svr"),
            ("ctime", "Fri Nov 21 03:40:01 2025"),
            ("Resource_List.ncpus", "1"),
            ("Resource_List.nodect", "1"),
            ("Resource_List.place", "free"),
            ("Resource_List.select", "1:ncpus=1"),
            ("Resource_List.walltime", "01:00:00"),
            ("schedselect", "1:ncpus=1"),
            ("substate", "10"),
            ("euser", "ann"),
            ("egroup", "g"),
            ("queue_rank", &rank),
            ("project", "_pbs_project_default"),
        ];
        self.jobs.push_str(&record(&head, &usual, other));
        number
    }

    /// Adds a waiting job that requests these chunks; returns its number.
    pub(crate) fn select(&mut self, select: &str, place: &str) -> u32 {
        let (list, seen) = (("Resource_List.select", select), ("schedselect", select));
        self.job(&[list, seen, ("Resource_List.place", place)])
    }

    pub(crate) fn queue(&mut self, name: &str, other: Attributes<'_>) {
        let usual = [("queue_type", "Execution"), ("enabled", "True"), ("started", "True")];
        self.queues.push_str(&record(&format!("Queue: {name}"), &usual, other));
    }

    pub(crate) fn server(&mut self, other: Attributes<'_>) {
        let usual = [("server_state", "Active"), ("scheduling", "True"), ("default_queue", "workq")];
        self.server = record("Server: svr", &usual, other);
    }

    /// Writes the folder, with an ordinary job at the end; returns its path and that job's number.
    pub(crate) fn write(mut self) -> (PathBuf, u32) {
        let last = self.job(&[]);
        fs::create_dir_all(&self.path).unwrap();
        let files = [
            ("nodes.txt", &self.nodes),
            ("jobs.txt", &self.jobs),
            ("queues.txt", &self.queues),
            ("server.txt", &self.server),
            ("sched_config", &self.config),
            ("now", &"1763700000\n".to_owned()),
        ];
        for (name, text) in files {
            fs::write(self.path.join(name), text).unwrap();
        }
        (self.path, last)
    }
}

fn record(head: &str, usual: Attributes<'_>, other: Attributes<'_>) -> String {
    let mut text = format!("{head}\n");
    let usual = usual.iter().filter(|(name, _)| !other.iter().any(|(have, _)| have == name));
    for (name, value) in usual.chain(other) {
        writeln!(text, "    {name} = {value}").unwrap();
    }
    text + "\n"
}

/// Writes a folder of jobs that request huge numbers of chunks, all placed by `place`. `config` is a line of
/// the scheduler's configuration.
pub(crate) fn chunks(under: &Path, name: &str, place: &str, config: &str) -> (PathBuf, u32, Vec<u32>) {
    let mut folder = Folder::new(under, name);
    folder.config(config);
    let jobs = selects().iter().map(|(_, select)| folder.select(select, place)).collect();
    let (path, last) = folder.write();
    (path, last, jobs)
}

/// Writes all attributes of jobs at all extremes.
pub(crate) fn jobs(under: &Path) -> (PathBuf, u32) {
    let mut folder = Folder::new(under, "jobs");
    // A text of a megabyte in every attribute would only test reading.
    let values = values();
    for (at, name) in JOB.iter().enumerate() {
        let keep = |value: &&String| value.len() < 100 || at % 6 == 0;
        for value in values.iter().filter(keep) {
            folder.job(&[(name, value)]);
        }
    }
    for name in RUNNING {
        for value in values.iter().filter(|value| value.len() < 100) {
            let usual = [("job_state", "R"), ("substate", "42"), ("exec_vnode", "(n2:ncpus=1)")];
            let usual = usual.into_iter().filter(|(have, _)| *have != name);
            let with: Vec<(&str, &str)> = usual.chain([(name, value.as_str())]).collect();
            folder.job(&with);
        }
    }
    folder.write()
}

/// Writes two arrays, of ten million subjobs together, that take nothing.
pub(crate) fn arrays(under: &Path) -> (PathBuf, u32) {
    let mut folder = Folder::new(under, "arrays");
    for state in ["Q", "B"] {
        folder.job(&[
            ("array", "True"),
            ("job_state", state),
            ("array_indices_submitted", "0-4999999"),
            ("array_indices_remaining", "0-4999999"),
            ("Resource_List.select", "1:ncpus=0"),
            ("schedselect", "1:ncpus=0"),
        ]);
    }
    folder.write()
}

/// Writes all attributes of nodes and queues at all extremes, with a job in each queue.
pub(crate) fn nodes_and_queues(under: &Path) -> (PathBuf, u32) {
    let mut folder = Folder::new(under, "nodes");
    let values = values();
    for (at, name) in NODE.iter().enumerate() {
        for (nth, value) in values.iter().enumerate().filter(|(_, value)| value.len() < 100 || at % 6 == 0) {
            folder.node(&format!("odd{at}x{nth}"), &[(name, value)]);
        }
    }
    for (at, name) in QUEUE.iter().enumerate() {
        for (nth, value) in values.iter().enumerate().filter(|(_, value)| value.len() < 100 || at % 6 == 0) {
            let queue = format!("q{at}x{nth}");
            folder.queue(&queue, &[(name, value)]);
            folder.job(&[("queue", &queue)]);
        }
    }
    folder.write()
}

/// Writes a server whose attributes are all the same extreme value.
pub(crate) fn server(under: &Path, nth: usize, value: &str) -> (PathBuf, u32) {
    let mut folder = Folder::new(under, &format!("server{nth}"));
    let all: Vec<(&str, &str)> = SERVER.iter().map(|name| (*name, value)).collect();
    folder.server(&all);
    folder.write()
}
