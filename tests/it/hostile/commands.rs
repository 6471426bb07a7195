//! Every command over pipes, some in a pseudo-terminal.

use std::ffi::{OsStr, OsString};
use std::io::Read;
use std::os::unix::ffi::OsStringExt;
use std::process::Command;
use std::sync::Mutex;

use portable_pty::{CommandBuilder, PtySize, native_pty_system};
use serde_json::Value;

use super::cluster::{self, Cluster};
use super::{harmless, strings};

/// Runs the program; returns standard output, standard error and the exit code.
fn run(words: &[OsString]) -> (String, String, i32) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_qscope"));
    command.args(words).env("TZ", "UTC").env_remove("QSCOPE_PBS_BIN").env_remove("QSCOPE_LOCAL_POLICY");
    let output = command.output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (text(output.stdout), text(output.stderr), output.status.code().unwrap())
}

/// Runs `work` on every item, on two threads.
fn each<T: Sync>(all: &[T], work: impl Fn(&T) + Sync) {
    let next = Mutex::new(all.iter());
    let one = || {
        loop {
            let item = next.lock().unwrap().next();
            let Some(item) = item else { return };
            work(item);
        }
    };
    std::thread::scope(|scope| {
        scope.spawn(one);
        scope.spawn(one);
    });
}

/// Every command about a cluster; `JOB`, `NODE` and `AT` stand for a job, a node and the folder.
const COMMANDS: [&str; 21] = [
    "cycle AT",
    "cycle AT --qrun JOB",
    "cycle AT --policy PRIORITY",
    "cycle AT --set strict_ordering=True",
    "why JOB AT",
    "why JOB AT --fast --node NODE",
    "why JOB AT --fast --markdown",
    "why-node NODE AT",
    "policies JOB AT --measures",
    "board AT",
    "pools AT",
    "pools AT --fragmentation",
    "buckets AT",
    "compare AT OTHER",
    "quirks AT",
    "agree AT",
    "agree AT OTHER",
    "capacity AT",
    "check AT",
    "elim - AT",
    "esub JOB AT",
];

fn words(line: &str, cluster: &Cluster) -> Vec<OsString> {
    let other = cluster.disk.path().join("other");
    line.split(' ')
        .map(|word| match word {
            "AT" => cluster.folder.clone().into(),
            "OTHER" => other.clone().into(),
            word => word.replace("JOB", &cluster.job).replace("NODE", &cluster.node).into(),
        })
        .collect()
}

/// Creates the cluster, and a second one some minutes later with the strings in other places.
fn with_another(strings: &[Vec<u8>]) -> Cluster {
    let cluster = cluster::of(strings);
    let other = cluster.disk.path().join("other");
    std::fs::create_dir(&other).unwrap();
    let mut turned = strings.to_vec();
    turned.rotate_left(1);
    cluster::fill(&other, &turned, 1_795_226_544);
    cluster
}

#[test]
fn no_command_prints_what_acts() {
    let cluster = with_another(&strings::all());
    let all: Vec<(&str, bool)> = COMMANDS.iter().flat_map(|line| [(*line, false), (*line, true)]).collect();
    each(&all, |(line, json)| {
        if *json && line.contains("--markdown") {
            return;
        }
        let mut words = words(line, &cluster);
        words.extend(json.then(|| OsString::from("--json")));
        let (out, err, code) = run(&words);
        let what = format!("{line}{}", if *json { " --json" } else { "" });
        harmless(&what, &out);
        harmless(&what, &err);
        assert!(code < 2 && !out.is_empty(), "{what}: {code}: {err}");
        if *json {
            serde_json::from_str::<Value>(&out).unwrap();
        }
    });
}

/// An accounting log whose groups, users, queues and vnodes are hostile, in every form that `farm` prints and writes.
#[test]
fn no_log_of_jobs_prints_what_acts() {
    let disk = tempfile::tempdir().unwrap();
    let mut log = Vec::new();
    for (at, text) in strings::all().iter().enumerate() {
        let start = 1_700_000_000 + at;
        log.extend_from_slice(format!("03/02/2026 10:51:00;E;{at}.p;user=a queue=q group=").as_bytes());
        log.extend(text.iter().filter(|byte| !matches!(byte, b'\n' | b' ' | b';' | 0)));
        log.extend_from_slice(b" exec_vnode=(n");
        log.extend(text.iter().filter(|byte| byte.is_ascii_control() && **byte != b'\n'));
        log.extend_from_slice(
            format!(":ncpus=1) ctime={start} start={start} end={} Exit_status=0\n", start + 900).as_bytes(),
        );
    }
    let (file, results) = (disk.path().join("20260302"), disk.path().join("results"));
    std::fs::write(&file, log).unwrap();
    let file = file.to_str().unwrap();
    for form in [&["--json"][..], &[], &["--csv", results.to_str().unwrap()]] {
        let words = ["farm", file, "--class", "group", "--nodes", "50x8", "--policy", "relaxed"];
        let words: Vec<OsString> = words.iter().chain(form).map(OsString::from).collect();
        let (out, err, code) = run(&words);
        harmless(&format!("farm {form:?}"), &out);
        harmless(&format!("farm {form:?}"), &err);
        assert!(code < 2 && !out.is_empty(), "{form:?}: {code}: {err}");
    }
    let mut written = 0;
    for entry in std::fs::read_dir(disk.path()).unwrap().map(|entry| entry.unwrap().path()) {
        let is_result = entry.file_name().is_some_and(|name| name != "20260302");
        let files: Vec<_> = match std::fs::read_dir(&entry) {
            Ok(inside) => inside.map(|file| file.unwrap().path()).collect(),
            Err(_) if is_result => vec![entry],
            Err(_) => Vec::new(),
        };
        for file in files {
            written += 1;
            harmless(&file.display().to_string(), &std::fs::read_to_string(&file).unwrap());
        }
    }
    assert!(written > 0, "no result was written");
}

#[test]
fn json_says_the_same_text() {
    let cluster = cluster::hostile();
    let (out, ..) = run(&words("cycle AT --json", &cluster));
    let answer: Value = serde_json::from_str(&out).unwrap();
    let ids: Vec<&str> =
        answer["jobs"].as_array().unwrap().iter().map(|job| job["id"].as_str().unwrap()).collect();
    for (at, text) in strings::all().chunks(4).enumerate() {
        let Ok(text) = std::str::from_utf8(&text[0]) else { continue };
        let whole = format!("{at}{text}.head1");
        assert!(ids.contains(&whole.trim()), "{whole:?}");
    }
}

/// A value with a line break in it neither adds a line nor changes how another one begins: except for the
/// pictures of control characters, the answers equal those about the same cluster with a letter in each
/// place.
#[test]
fn no_value_forges_a_line() {
    let breaks = ['\n', '\r', '\u{b}', '\u{c}', '\t', '\u{1b}'];
    let value = |at: usize, c: char| format!("v{at}{c}FORGED! all nodes are down").into_bytes();
    let raw: Vec<Vec<u8>> = (0..24).map(|at| value(at, breaks[at % breaks.len()])).collect();
    let plain: Vec<Vec<u8>> = (0..24).map(|at| value(at, '_')).collect();
    let (raw, plain) = (with_another(&raw), with_another(&plain));
    each(&COMMANDS, |line| {
        let [raw, plain] = [&raw, &plain].map(|cluster| {
            for file in ["elim.txt", "holidays", "sched_log", "sched_config"] {
                drop(std::fs::remove_file(cluster.folder.join(file)));
            }
            let (out, err, _) = run(&words(line, cluster));
            let is_picture = |c: char| ('\u{2400}'..='\u{241f}').contains(&c);
            let text: String = (out + &err).chars().map(|c| if is_picture(c) { '_' } else { c }).collect();
            // The sizes of files differ, since a line break is two characters in JSON.
            let text =
                if line.contains("check") { text.replace(|c: char| c.is_ascii_digit(), "#") } else { text };
            text.replace(&*cluster.folder.parent().unwrap().to_string_lossy(), "")
        });
        assert!(!raw.lines().any(|text| text.trim_start().starts_with("FORGED")), "{line}:\n{raw}");
        assert_eq!(raw, plain, "{line}");
    });
}

/// Arguments and file names that errors quote, by the program and by its argument parser.
#[test]
fn errors_quote_nothing_that_acts() {
    let cluster = cluster::of(&[b"a\x1b[2J".to_vec(), b"b\nFORGED".to_vec()]);
    let texts: Vec<String> = strings::as_text().into_iter().filter(|text| !text.contains('\0')).collect();
    let words = |line: &str, hostile: &OsStr| -> Vec<OsString> {
        let place = |word: &str| match word {
            "AT" => cluster.folder.clone().into(),
            "HOSTILE" => hostile.to_owned(),
            word => {
                let parts: Vec<&OsStr> = word.split("HOSTILE").map(OsStr::new).collect();
                parts.join(hostile)
            }
        };
        line.split(' ').map(place).collect()
    };
    // Together, since a process for each would take long; some are also tried on their own.
    let mut all: Vec<OsString> = texts.chunks(120).map(|some| some.concat().into()).collect();
    all.extend(["\u{1b}[31mx\nFORGED"].map(OsString::from));
    all.push(OsString::from_vec(b"x\xff\x1b[2J".to_vec()));
    let lines = [
        "--bogusHOSTILE",
        "cycle AT --semantics HOSTILE",
        "cycle AT --policy HOSTILE",
        "cycle AT --quirk HOSTILE",
        "cycle AT --where =HOSTILE",
        "cycle AT --set HOSTILE",
        "cycle AT --qrun HOSTILE",
        "cycle AT --now HOSTILE",
        "why HOSTILE AT",
        "why-node xHOSTILE AT",
        "policies xHOSTILE AT",
        "esub xHOSTILE AT",
        "esub 1 AT --class HOSTILE",
        "board HOSTILE",
        "check /no/HOSTILE",
        "compare HOSTILE HOSTILE",
        "capacity HOSTILE",
        "capacity AT --types HOSTILE",
        "farm HOSTILE",
        "farm AT --policy HOSTILE",
        "farm AT --mixed HOSTILE",
        "elim xHOSTILE AT",
        "collect --once /dev/null/HOSTILE",
        "HOSTILE HOSTILE",
        "xHOSTILE",
    ];
    let all: Vec<(&str, &OsString)> =
        lines.iter().flat_map(|line| all.iter().map(|one| (*line, one))).collect();
    each(&all, |(line, hostile)| {
        let (out, err, code) = run(&words(line, hostile));
        harmless(line, &out);
        harmless(line, &err);
        assert!(!(out + &err).lines().any(|text| text.trim_start().starts_with("FORGED")), "{line}: {err}");
        assert!(
            code > 0 && !err.is_empty() || line.contains("--class") || line.contains("--where"),
            "{line}: {code} {err}"
        );
    });
}

/// A file with a hostile name and hostile contents.
#[test]
fn file_names_and_contents_are_quoted_as_text() {
    let disk = tempfile::tempdir().unwrap();
    let name = OsString::from_vec(b"d\x1b[31m\nFORGED\xff\xe2\x80\xae".to_vec());
    let folder = disk.path().join(&name);
    std::fs::create_dir(&folder).unwrap();
    cluster::fill(&folder, &strings::all(), 1_795_226_244);
    let bad = folder.join(OsString::from_vec(b"types\x1b]0;x\x07\nFORGED".to_vec()));
    std::fs::write(&bad, "[[type]]\nname = \"a\u{202e}\"\n\"\\u001b[31m\" = 1\n").unwrap();
    let by_hand = disk.path().join("by\u{1b}hand");
    std::fs::create_dir(&by_hand).unwrap();
    std::fs::write(
        by_hand.join("nodes.toml"),
        "[[node]]\nname = \"n1\"\n\"o\\ndd\\u001b[2J\" = 1\n\"FORGED\" = 2\n",
    )
    .unwrap();
    let csv = disk.path().join("out");
    let lists: [Vec<&OsStr>; 8] = [
        vec!["check".as_ref(), folder.as_ref()],
        vec!["check".as_ref(), folder.as_ref(), "--json".as_ref()],
        vec!["compare".as_ref(), folder.as_ref(), folder.as_ref()],
        vec!["capacity".as_ref(), folder.as_ref(), "--types".as_ref(), bad.as_ref()],
        vec!["capacity".as_ref(), bad.as_ref()],
        vec!["farm".as_ref(), bad.as_ref()],
        vec!["cycle".as_ref(), by_hand.as_ref()],
        vec!["farm".as_ref(), folder.as_ref(), "--csv".as_ref(), csv.as_ref()],
    ];
    for list in lists {
        let words: Vec<OsString> = list.into_iter().map(OsStr::to_owned).collect();
        let (out, err, _) = run(&words);
        harmless("a name", &out);
        harmless("a name", &err);
        assert!(!(out.clone() + &err).is_empty());
        assert!(!(out + &err).lines().any(|text| text.starts_with("FORGED")), "{err}");
    }
    for file in std::fs::read_dir(&csv).into_iter().flatten() {
        let path = file.unwrap().path();
        harmless("a table's name", path.file_name().unwrap().to_str().unwrap());
        harmless("a table", &std::fs::read_to_string(&path).unwrap());
    }
}

/// In a terminal the page of `check` has bold headings, and no other control sequence.
#[test]
fn a_terminal_gets_no_sequence_but_ours() {
    let cluster = with_another(&strings::all());
    let lines = ["board AT", "cycle AT", "check AT", "why-node NODE AT", "cycle AT --semantics NODE"];
    each(&lines, |line| {
        let size = PtySize { rows: 50, cols: 100, pixel_width: 0, pixel_height: 0 };
        let pair = native_pty_system().openpty(size).unwrap();
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_qscope"));
        command.args(words(line, &cluster));
        command.env("TERM", "xterm-256color");
        command.env("NO_COLOR", if line.contains("semantics") { "1" } else { "" });
        let mut child = pair.slave.spawn_command(command).unwrap();
        drop(pair.slave);
        let mut bytes = Vec::new();
        let mut reader = pair.master.try_clone_reader().unwrap();
        // The end of a pseudo-terminal is an error on this system.
        let _end = reader.read_to_end(&mut bytes);
        child.wait().unwrap();
        let text = String::from_utf8(bytes).unwrap().replace("\r\n", "\n");
        assert!(!text.is_empty(), "{line}");
        harmless(line, &text.replace("\u{1b}[1m", "").replace("\u{1b}[0m", ""));
    });
}
