//! The commands on typical input of sites: archives, a pipe, files of any names, jobs alone, Torque.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that cannot read its own files fails"
)]

use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::Value;

use crate::real;
use crate::sites::folder;
use crate::sites_archives::packed;

const ROOT: &str = "snapshot_20260302_11_05_12";

fn piped(words: &[&OsStr], input: &[u8]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_qscope"));
    command.args(words).env("NO_COLOR", "1");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(input).unwrap();
    child.wait_with_output().unwrap()
}

fn qscope<const N: usize>(words: [&OsStr; N]) -> (String, Option<i32>) {
    let output = piped(&words, b"");
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    (String::from_utf8(output.stdout).unwrap(), output.status.code())
}

/// Copies the dumps of a snapshot under the names that qscope's own collector gives them.
fn under_own_names(root: &Path, into: &Path) -> PathBuf {
    let into = into.join(ROOT);
    fs::create_dir(&into).unwrap();
    for (from, to) in [
        ("node/pbsnodes_avFjson.out", "nodes.json"),
        ("job/qstat_f_F_json.out", "jobs.json"),
        ("server/qstat_Bf.out", "server.txt"),
        ("server/qstat_Qf.out", "queues.txt"),
        ("server/qmgr_pr.out", "resources.txt"),
        ("scheduler/qmgr_lsched.out", "sched.txt"),
        ("reservation/pbs_rstat_f.out", "resvs.txt"),
        ("sched_priv/sched_config", "sched_config"),
    ] {
        fs::copy(root.join(from), into.join(to)).unwrap();
    }
    into
}

#[test]
fn an_archive_and_the_same_dumps_as_a_folder_give_the_same_bytes() {
    let root = folder("snapshot-19").join(ROOT);
    let kept = tempfile::tempdir().unwrap();
    let archive = kept.path().join("sent-by-mail.tgz");
    fs::write(&archive, packed("snapshot-19", ROOT, true)).unwrap();
    let own = under_own_names(&root, kept.path());
    let cycle = |path: &Path| qscope(["cycle".as_ref(), path.as_os_str(), "--json".as_ref()]);
    let (from_archive, code) = cycle(&archive);
    assert_eq!(code, Some(0));
    assert_eq!(serde_json::from_str::<Value>(&from_archive).unwrap()["jobs"][0]["id"], "13.head");
    assert_eq!(cycle(&root), (from_archive.clone(), code), "unpacked");
    assert_eq!(cycle(&own), (from_archive, code), "under the names of the collector");
}

#[test]
fn standard_input_and_files_beside_each_other_are_read() {
    let from = folder("natural-names");
    let (nodes, jobs) = (from.join("pbsnodes.json"), from.join("qstat-f.txt"));
    let words: [&OsStr; 5] =
        ["why".as_ref(), "13".as_ref(), "-".as_ref(), nodes.as_os_str(), "--fast".as_ref()];
    let output = piped(&words, &fs::read(&jobs).unwrap());
    let by_pipe = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1), "{by_pipe}");
    let (by_name, _) =
        qscope(["why".as_ref(), "13".as_ref(), nodes.as_os_str(), jobs.as_os_str(), "--fast".as_ref()]);
    assert!(by_pipe.contains("ncpus"), "{by_pipe}");
    assert_eq!(by_pipe, by_name);
}

/// Two nodes of four GPUs, a job that requests eight in one chunk, the scheduler's comment on it, and no
/// sched_config: the answer is the resource, and that it can never be had, together with what PBS reports.
#[test]
fn the_gpus_of_a_comment_are_the_answer() {
    let folder = tempfile::tempdir().unwrap();
    let node = |n: u32| {
        format!(
            "n{n}\n     Mom = n{n}\n     ntype = PBS\n     state = free\n     pcpus = 32\n     resources_available.host = n{n}\n     \
             resources_available.ncpus = 32\n     resources_available.ngpus = 4\n     resources_available.vnode = n{n}\n     \
             resources_assigned.ncpus = 0\n     sharing = default_shared\n\n"
        )
    };
    fs::write(folder.path().join("pbsnodes.txt"), [node(1), node(2)].concat()).unwrap();
    let job = "Job Id: 12.svr\n    Job_Name = gpus\n    Job_Owner = ann@h\n    job_state = Q\n    queue = workq\n    \
        Resource_List.ncpus = 8\n    Resource_List.ngpus = 8\n    Resource_List.nodect = 1\n    Resource_List.place = free\n    \
        Resource_List.select = 1:ncpus=8:ngpus=8\n    qtime = Sat Nov 21 01:57:23 2026\n    \
        comment = Not Running: Insufficient amount of resource: ngpus (R: 8 A: 4 T: 12)\n\n";
    fs::write(folder.path().join("qstat-f.txt"), job).unwrap();
    let (answer, code) = qscope([OsStr::new("why"), OsStr::new("12"), folder.path().as_os_str()]);
    assert_eq!(code, Some(1), "{answer}");
    for part in ["ngpus", "never", "R: 8 A: 4 T: 12"] {
        assert!(answer.contains(part), "{part}: {answer}");
    }
    let (json, _) =
        qscope([OsStr::new("why"), OsStr::new("12"), folder.path().as_os_str(), OsStr::new("--json")]);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!((&json["tier"], &json["never"]), (&"never".into(), &true.into()), "{json}");
    assert!(!json["headline"].as_str().unwrap().contains("starts in this cycle"), "{json}");
    assert!(json["objects"].as_array().unwrap().contains(&"ngpus".into()), "{json}");
}

#[test]
fn jobs_alone_give_the_schedulers_reasons_and_no_verdict() {
    let jobs = folder("jobs-only");
    let (text, code) = qscope(["board".as_ref(), jobs.as_os_str()]);
    assert_eq!(code, Some(1));
    assert!(text.contains("not known: no nodes file"), "{text}");
    assert!(
        text.contains("     1  Not Running: Insufficient amount of resource: ncpus (R: 24 A: 12 T: 16)\n"),
        "{text}"
    );
    assert!(text.contains("        13.head\n") && !text.contains("12.head"), "{text}");
    for command in ["cycle", "pools", "buckets", "quirks", "agree"] {
        let (text, _) = qscope([command.as_ref(), jobs.as_os_str()]);
        assert!(text.contains("not known: no nodes file") && text.contains("12.head        R"), "{text}");
        assert!(!text.contains("never") && !text.contains("starts"), "{text}");
    }
    let (json, _) = qscope(["why".as_ref(), "13".as_ref(), jobs.as_os_str(), "--json".as_ref()]);
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!((&json["order"], &json["no_verdicts"]), (&"unknown".into(), &"no-nodes".into()));
    assert_eq!(json["jobs"][0]["job"], "13.head");
}

#[test]
fn torque_has_no_verdict_of_the_cycle_unless_asked_for() {
    let torque = folder("torque-text");
    for command in ["cycle", "board", "quirks", "agree"] {
        let (text, code) = qscope([command.as_ref(), torque.as_os_str()]);
        assert!(text.contains("the order of the queue is unknown"), "{command}: {text}");
        assert_eq!(code, Some(1), "{command}");
        assert!(!text.contains("starts") && !text.contains("considered"), "{command}: {text}");
    }
    let (text, _) = qscope(["cycle".as_ref(), torque.as_os_str()]);
    assert!(text.lines().any(|line| line.contains("12.srv") && line.ends_with("  n1")), "{text}");
    let (text, _) = qscope(["cycle".as_ref(), torque.as_os_str(), "--as".as_ref(), "pbs".as_ref()]);
    assert!(text.starts_with("AS PBS: dumps of Torque"), "{text}");
    assert!(text.contains("torque-text (Torque, as PBS): 2 jobs considered"), "{text}");
    let (json, _) =
        qscope(["cycle".as_ref(), torque.as_os_str(), "--as".as_ref(), "pbs".as_ref(), "--json".as_ref()]);
    assert_eq!(serde_json::from_str::<Value>(&json).unwrap()["as"], "pbs");
    let (text, _) = qscope(["policies".as_ref(), "14".as_ref(), torque.as_os_str()]);
    assert!(text.contains("FIRSTAVAILABLE") && text.contains("FASTEST"), "{text}");
}

#[test]
fn a_wrong_command_is_named_above_every_answer_and_by_check() {
    let kept = tempfile::tempdir().unwrap();
    let to = |name: &str| kept.path().join(name);
    fs::copy(folder("natural-names").join("pbsnodes.json"), to("pbsnodes.json")).unwrap();
    fs::copy(folder("tables").join("qstat.txt"), to("queue.out")).unwrap();
    for command in ["cycle", "board", "buckets"] {
        let (text, _) = qscope([command.as_ref(), kept.path().as_os_str()]);
        assert!(text.starts_with("warning: queue.out: found "), "{command}: {text}");
        assert!(text.contains("; expected what `qstat -f"), "{command}: {text}");
    }
    let (json, _) = qscope(["board".as_ref(), kept.path().as_os_str(), "--json".as_ref()]);
    assert_eq!(serde_json::from_str::<Value>(&json).unwrap()["misread"][0]["file"], "queue.out");
    let (text, _) = qscope(["check".as_ref(), kept.path().as_os_str()]);
    assert!(text.contains("taken for"), "{text}");
    assert!(text.contains("queue.out"), "{text}");
}

/// Writes two dumps of one cluster with this server and node.
fn cluster_of(server: &str, node: &str, into: &Path) -> PathBuf {
    let folder = into.join(server);
    fs::create_dir(&folder).unwrap();
    let head = format!("\"timestamp\": 1763700000, \"pbs_server\": \"{server}\"");
    let nodes = format!(
        "{{{head}, \"nodes\": {{\"{node}\": {{\"Mom\": \"{node}\", \"state\": \"free\", \"license\": \"l\", \
         \"resources_available\": {{\"ncpus\": 8}}}}}}}}"
    );
    let jobs = format!(
        "{{{head}, \"Jobs\": {{\"1.{server}\": {{\"Job_Owner\": \"ann@s\", \"job_state\": \"Q\", \"queue\": \"q\", \
         \"Resource_List\": {{\"select\": \"1:ncpus=1\", \"place\": \"free\"}}}}}}}}"
    );
    fs::write(folder.join("nodes.json"), nodes).unwrap();
    fs::write(folder.join("jobs.json"), jobs).unwrap();
    folder
}

/// A dump of another server in a folder: every answer states it, and `check` lists which file is of which server.
#[test]
fn files_of_two_servers_are_named_with_their_servers() {
    let kept = tempfile::tempdir().unwrap();
    let (one, other) = (cluster_of("one", "n1", kept.path()), cluster_of("two", "m1", kept.path()));
    fs::copy(other.join("nodes.json"), one.join("nodes.json")).unwrap();
    let (text, code) = qscope(["check".as_ref(), one.as_os_str()]);
    let (_, end) = text.split_once("the files are not of one cluster\n").unwrap_or_else(|| panic!("{text}"));
    assert!(end.contains("of server two: nodes.json") && end.contains("of server one: jobs.json"), "{text}");
    assert!(!text.contains("something was not read"), "{text}");
    assert_eq!(code, Some(1));
    let (text, _) = qscope(["board".as_ref(), one.as_os_str()]);
    assert!(text.starts_with("warning: jobs.json: found a dump of server `one`"), "{text}");
    let (json, _) = qscope(["why".as_ref(), "1".as_ref(), one.as_os_str(), "--json".as_ref()]);
    assert_eq!(serde_json::from_str::<Value>(&json).unwrap()["mixed"][0]["file"], "jobs.json");
}

/// Two whole clusters on one command line are rejected: both are named, and how to compare them.
#[test]
fn two_clusters_named_at_once_are_refused() {
    let kept = tempfile::tempdir().unwrap();
    let (one, other) = (cluster_of("one", "n1", kept.path()), cluster_of("two", "m1", kept.path()));
    let paths = [one.as_os_str(), other.as_os_str()];
    for words in [&["cycle"][..], &["board"], &["why", "1"], &["check"], &["cycle", "--json"]] {
        let words = words.iter().map(OsStr::new);
        let output = Command::new(env!("CARGO_BIN_EXE_qscope")).args(words).args(paths).output().unwrap();
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        let (a, b) = (one.display(), other.display());
        let expected = format!(
            "{a}, {b}: found 2 clusters; expected one: name one of them, or set both side by side: qscope compare {a} {b}"
        );
        assert!(told.contains(&expected), "{told}");
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{told}");
    }
    // Nodes here and jobs there are one cluster.
    let parts = [one.join("nodes.json"), other.join("jobs.json")];
    let (text, _) = qscope(["cycle".as_ref(), parts[0].as_os_str(), parts[1].as_os_str()]);
    assert!(text.contains("found a dump of server"), "{text}");
}

/// Two folders of one server are read as one cluster, which every answer states.
#[test]
fn two_folders_of_one_server_are_stated_above_every_answer() {
    let [kept, later] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let (one, other) = (cluster_of("one", "n1", kept.path()), cluster_of("one", "m1", later.path()));
    for command in ["cycle", "board", "pools"] {
        let (text, _) = qscope([command.as_ref(), one.as_os_str(), other.as_os_str()]);
        let told = format!("warning: {}, {} are whole clusters", one.display(), other.display());
        assert!(text.starts_with(&told), "{command}: {text}");
    }
    let (json, _) = qscope(["cycle".as_ref(), one.as_os_str(), other.as_os_str(), "--json".as_ref()]);
    let json: Value = serde_json::from_str(&json).unwrap();
    assert!(json["mixed"][0]["why"].as_str().unwrap().contains("whole clusters"), "{json}");
    assert!(json["warnings"].to_string().contains("whole clusters"), "{json}");
}

/// A truncated dump is stated once above the board, and stays an alert for programs.
/// Files of the scheduler are unpacked as dumps are, alone or beside dumps that are not compressed.
#[test]
fn a_folder_of_compressed_files_is_the_same_cluster() {
    let root = real::named("c04").on_disk();
    let before = root.path().join("before");
    let cycle = |folder: &Path| {
        let (answer, _) = qscope([OsStr::new("cycle"), folder.as_os_str(), OsStr::new("--json")]);
        let answer: Value = serde_json::from_str(&answer).unwrap();
        (answer["jobs"].clone(), answer["psets"].clone())
    };
    let expected = cycle(&before);
    for all in [true, false] {
        let packed = tempfile::tempdir().unwrap();
        for entry in fs::read_dir(&before).unwrap().map(Result::unwrap) {
            let (name, bytes) = (entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap());
            if all || name == "sched_config" {
                let file = fs::File::create(packed.path().join(format!("{name}.gz"))).unwrap();
                let mut encoder = GzEncoder::new(file, Compression::fast());
                encoder.write_all(&bytes).unwrap();
                encoder.finish().unwrap();
            } else {
                fs::write(packed.path().join(name), bytes).unwrap();
            }
        }
        assert!(cycle(packed.path()) == expected, "all compressed: {all}");
        let (report, _) = qscope([OsStr::new("check"), packed.path().as_os_str()]);
        assert!(!report.contains("not-unpacked") && !report.contains("sched-config-assumed"), "{report}");
    }
}

/// Of several dumps in one file, each is read by its kind; where records of text are mixed, the others are named, which
/// is an error.
#[test]
fn dumps_of_several_kinds_in_one_file_are_read_or_named() {
    let root = real::named("c04").on_disk();
    let file = root.path().join("multi.json");
    let read = |name: &str| fs::read(root.path().join("before").join(name)).unwrap();
    fs::write(&file, ["jobs-t.json", "nodes.json", "queues.json"].map(read).concat()).unwrap();
    let check = |file: &Path| {
        let (report, code) = qscope([OsStr::new("check"), file.as_os_str()]);
        (report.split_whitespace().collect::<Vec<_>>().join(" "), code)
    };
    let (report, code) = check(&file);
    assert!(report.contains("32 vnodes, 30 jobs, 5 queues"), "{report}");
    assert!(report.contains(" multi.json (nodes) JSON 32 "), "{report}");
    assert!(report.contains("multi.json dumps of jobs, nodes, queues one after the other"), "{report}");
    assert_eq!(code, Some(0), "{report}");
    let text = "Job Id: 1.s\n    Job_Name = a\n    job_state = Q\n\nn1\n     Mom = n1\n     state = free\n\n\
        Job Id: 2.s\n    Job_Name = b\n    job_state = Q\n\n";
    fs::write(&file, text).unwrap();
    let (report, code) = check(&file);
    let named = "found nodes in a dump of jobs; not read; expected a file for each kind of dump: `pbsnodes -av > nodes.txt`";
    assert!(report.contains(named), "{report}");
    assert_eq!(code, Some(1), "{report}");
}

/// Dumps two folders below are named, and a file of NUL bytes as what it is.
#[test]
fn where_the_dumps_lie_and_what_a_file_holds_is_stated() {
    let root = real::named("c04").on_disk();
    let below = root.path().join("snap/one/server");
    fs::create_dir_all(&below).unwrap();
    for name in ["nodes.json", "jobs-t.json"] {
        fs::copy(root.path().join("before").join(name), below.join(name)).unwrap();
    }
    let complaint = |folder: &Path| {
        let output = Command::new(env!("CARGO_BIN_EXE_qscope")).arg("check").arg(folder).output().unwrap();
        String::from_utf8(output.stderr).unwrap()
    };
    let why = complaint(&root.path().join("snap"));
    assert!(why.contains("two folders below") && why.contains("snap/one/server"), "{why}");
    fs::write(below.join("nodes.json"), vec![0; 5000]).unwrap();
    let why = complaint(&below);
    assert!(why.contains("NUL bytes"), "{why}");
}

#[test]
fn the_board_names_a_cut_dump_once() {
    let kept = tempfile::tempdir().unwrap();
    let one = cluster_of("one", "n1", kept.path());
    let whole = fs::read(one.join("jobs.json")).unwrap();
    fs::write(one.join("jobs.json"), &whole[..whole.len() - 1]).unwrap();
    let (text, _) = qscope(["board".as_ref(), one.as_os_str()]);
    assert_eq!(text.matches("the file ends before its last").count(), 1, "{text}");
    assert!(text.starts_with("warning: jobs.json@"), "{text}");
    let (json, _) = qscope(["board".as_ref(), one.as_os_str(), "--json".as_ref()]);
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(
        (&json["alerts"][0]["kind"], &json["cut"][0]["file"]),
        (&"damaged_file".into(), &"jobs.json".into())
    );
}
