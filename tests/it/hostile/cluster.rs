//! A cluster in which users and operators wrote arbitrary text.

use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::strings;

/// A folder with every string in several places.
pub(crate) struct Cluster {
    /// The temporary folder that contains the others.
    pub(crate) disk: TempDir,
    /// The dumps.
    pub(crate) folder: PathBuf,
    /// Id of a job, which is hostile too.
    pub(crate) job: String,
    /// Name of a node, which is hostile too.
    pub(crate) node: String,
}

/// Number of strings in each job and each node.
const EACH: usize = 4;

/// Creates the cluster with all hostile strings.
pub(crate) fn hostile() -> Cluster {
    of(&strings::all())
}

/// Creates the cluster with these strings.
pub(crate) fn of(strings: &[Vec<u8>]) -> Cluster {
    let disk = tempfile::tempdir().unwrap();
    let folder = disk.path().join("dumps");
    std::fs::create_dir(&folder).unwrap();
    fill(&folder, strings, 1_795_226_244);
    files_of_lines(&folder, strings);
    let first = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let text = strings.first().map(|bytes| first(bytes)).unwrap_or_default();
    Cluster { disk, folder, job: format!("0{text}.head1"), node: format!("n0{text}") }
}

/// Writes the dumps of such a cluster.
pub(crate) fn fill(folder: &Path, strings: &[Vec<u8>], now: u64) {
    let texts: Vec<Vec<u8>> = strings.iter().map(|bytes| escaped(bytes)).collect();
    let groups: Vec<&[Vec<u8>]> = texts.chunks(EACH).collect();
    let write = |name: &str, key: &str, records: Vec<Vec<u8>>| {
        let head = format!("{{\"timestamp\":{now},\"pbs_server\":\"head1\",\"{key}\":{{\n");
        let bytes = [head.as_bytes(), &records.join(&b",\n"[..]), b"\n}}\n"].concat();
        std::fs::write(folder.join(name), bytes).unwrap();
    };
    let number = |at: usize| at.to_string();
    let nodes = groups.iter().enumerate().map(|(at, group)| {
        let free = if at % 5 == 4 { "offline" } else { "free" };
        fields(
            "\"n#%0\":{\"Mom\":\"h#\",\"state\":\"~\",\"comment\":\"%1\",\"resources_available\":{\"host\":\"h#\",\
             \"ncpus\":4,\"mem\":\"8gb\",\"switch\":\"%2\",\"kind\":\"%3\"}}",
            &number(at), free, group,
        )
    });
    write("nodes.json", "nodes", nodes.collect());
    let jobs = groups.iter().enumerate().map(|(at, group)| {
        // Some can start, some are too large for one node or for all, some are held.
        let (cpus, state) = ([1, 4, 9, 2][at % 4], if at % 7 == 6 { "H" } else { "Q" });
        let request = format!(
            "\"Resource_List\":{{\"ncpus\":{cpus},\"select\":\"1:ncpus={cpus}\",\"place\":\"free\",\"walltime\":\"01:00:00\",\"site\":\"%2\"}}"
        );
        let record = format!(
            "\"#%0.head1\":{{\"Job_Name\":\"%0\",\"Job_Owner\":\"u%1@head1\",\"job_state\":\"~\",\"queue\":\"q%0\",\"comment\":\"%2\",\
             \"Account_Name\":\"%3\",\"project\":\"%1\",\"group_list\":\"%2\",\"qtime\":\"x%3\",\"Submit_Host\":\"%3\",{request}}}"
        );
        fields(&record, &number(at), state, group)
    });
    write("jobs.json", "Jobs", jobs.collect());
    let queues = groups.iter().enumerate().map(|(at, group)| {
        let started = if at % 6 == 5 { "False" } else { "True" };
        fields(
            "\"q%0\":{\"queue_type\":\"Execution\",\"enabled\":\"True\",\"started\":\"~\",\"max_run\":\"[u:%1=1]\",\"comment\":\"%2\",\
             \"Priority\":\"%3\"}",
            &number(at), started, group,
        )
    });
    write("queues.json", "Queue", queues.collect());
    let server = "\"head1\":{\"server_state\":\"Active\",\"scheduling\":\"True\",\"default_queue\":\"%1\",\"comment\":\"%2\",\
                  \"node_group_enable\":\"True\",\"node_group_key\":\"switch\",\"pbs_version\":\"%0\"}";
    let server = groups.first().map(|group| fields(server, "", "", group)).unwrap_or_default();
    write("server.json", "Server", vec![server]);
    let resources = "switch\n    type = string_array\n    flag = h\n\nkind\n    type = string\n    flag = h\n\nsite\n    type = string\n\n";
    std::fs::write(
        folder.join("resources.txt"),
        format!("Resource {}", resources.replace("\n\n", "\n\nResource ").trim_end_matches("Resource ")),
    )
    .unwrap();
}

/// Writes the files that are read line by line.
fn files_of_lines(folder: &Path, strings: &[Vec<u8>]) {
    let lines = [&b"job_sort_key: \""[..], &strings.join(&b" "[..]), b"\" ALL\nby_queue: True ALL\nprimetime_prefix: p_\nnonprimetime_prefix: np_\ndedicated_prefix: ded\n"].concat();
    std::fs::write(folder.join("sched_config"), lines).unwrap();
    std::fs::write(folder.join("holidays"), strings.join(&b"\n"[..])).unwrap();
    std::fs::write(folder.join("elim.txt"), strings.join(&b"\n"[..])).unwrap();
    std::fs::write(folder.join("sched_log"), strings.join(&b"\n"[..])).unwrap();
}

/// Fills in a record: `#` is its number, `~` a word, and `%N` the strings of its group.
fn fields(record: &str, number: &str, word: &str, group: &[Vec<u8>]) -> Vec<u8> {
    let record = record.replace('#', number).replace('~', word);
    let mut out = Vec::new();
    let mut rest = record.as_bytes();
    while let Some(at) = rest.iter().position(|byte| *byte == b'%') {
        out.extend_from_slice(&rest[..at]);
        let which = usize::from(rest[at + 1] - b'0');
        out.extend_from_slice(group.get(which).map_or(b"none", Vec::as_slice));
        rest = &rest[at + 2..];
    }
    out.extend_from_slice(rest);
    out
}

/// Returns the bytes within quotes: escaped as JSON text, or as they are if they are not UTF-8.
fn escaped(bytes: &[u8]) -> Vec<u8> {
    match std::str::from_utf8(bytes) {
        Ok(text) => serde_json::to_string(text)
            .unwrap()
            .as_bytes()
            .split_last()
            .and_then(|(_, rest)| Some(rest.split_first()?.1.to_vec()))
            .unwrap(),
        Err(_) => bytes.to_vec(),
    }
}
