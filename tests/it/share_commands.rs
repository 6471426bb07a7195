//! The commands for all users of the site, run as these users run them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use flate2::read::MultiGzDecoder;
use qscope::cluster::{Job, JobState, Node, NodeState, NodeStates, ResourceList, Select, Snapshot};
use qscope::cycle::{Verdict, run_cycle};
use qscope::explain::{board, causes};
use qscope::session::{Generation, Opening, OpeningOrigin, load_generation};
use qscope::share::bundle::{ReductionComparison, ReductionEffort, bundle, reduce};
use qscope::share::events::EventDetector;
use qscope::share::metrics::metrics;
use qscope::share::published::PublishedFile;
use qscope::universe::Quirks;
use serde_json::Value;
use tempfile::TempDir;

use super::ran::ran as qscope;
use super::{collect, real, share, why};

const NODES: &str = "[[node]]\nname = \"host[1-4]\"\navailable = { ncpus = 4, mem = \"8gb\" }\n";
const QUEUE: &str = r#"now = 1763700000
[[job]]
id = "1.headnode"
user = "alice"
group = "physics"
name = "<script>alert(1)</script>"
select = "2:ncpus=4"
walltime = "01:00:00"
started = "-00:30:00"
on = "(host1:ncpus=4)+(host2:ncpus=4)"
[[job]]
id = "2.headnode"
user = "bobby"
group = "physics"
select = "4:ncpus=4"
walltime = "01:00:00"
[[job]]
id = "3.headnode"
user = "alice"
group = "physics"
select = "1:ncpus=8"
walltime = "01:00:00"
"#;

fn folder(queue: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), queue);
    folder
}

fn write(folder: &Path, queue: &str) {
    fs::write(folder.join("nodes.toml"), NODES).unwrap();
    fs::write(folder.join("policy.toml"), "zone = \"UTC\"\n").unwrap();
    fs::write(folder.join("queue.toml"), queue).unwrap();
}

fn generation(folder: &Path) -> Generation {
    let opening = Opening::of(OpeningOrigin::of(&[folder.to_owned()], None).unwrap());
    load_generation(&opening, 1).unwrap()
}

fn text(output: &[u8]) -> String {
    String::from_utf8(output.to_vec()).unwrap()
}

/// A published file, and the program under its second name.
struct Site {
    folder: TempDir,
    home: TempDir,
}

impl Site {
    fn new(more: &[&str]) -> Self {
        let site = Self { folder: folder(QUEUE), home: tempfile::tempdir().unwrap() };
        symlink(env!("CARGO_BIN_EXE_qscope"), site.home.path().join("qwhy")).unwrap();
        let mut arguments = vec!["publish", site.folder.path().to_str().unwrap(), "--once", "--to"];
        let path = site.path();
        arguments.push(path.to_str().unwrap());
        arguments.extend(more);
        let output = qscope(&arguments);
        assert!(output.status.success(), "{}", text(&output.stderr));
        site
    }

    fn path(&self) -> PathBuf {
        self.home.path().join("published")
    }

    fn qwhy(&self, arguments: &[&str], variables: &[(&str, &str)]) -> Output {
        let mut command = Command::new(self.home.path().join("qwhy"));
        command.env_clear().env("QSCOPE_ETC", self.home.path()).envs(variables.iter().copied());
        command.args(arguments).output().unwrap()
    }
}

#[test]
fn qwhy_answers_from_the_published_file_alone() {
    let site = Site::new(&[]);
    let at = format!("--published={}", site.path().display());
    // Nothing but the file is there any more.
    fs::remove_file(site.folder.path().join("queue.toml")).unwrap();
    let output = site.qwhy(&[&at, "--user", "alice"], &[("COLUMNS", "80")]);
    let answer = text(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{answer}");
    assert!(
        answer.contains("\n1  is running") && answer.contains("\n3  ") && !answer.contains("\n2  "),
        "{answer}"
    );
    assert!(answer.contains("can never run"), "{answer}");
    assert!(answer.lines().all(|line| line.chars().count() <= 80), "{answer}");
    // Without a name those of the user of the process, whatever the environment holds.
    let own = Command::new("id").arg("-un").output().unwrap();
    let own = text(&site.qwhy(&[&at], &[("LOGNAME", "alice")]).stdout)
        .contains(&format!("no job of {}", text(&own.stdout).trim()));
    assert!(own);
    for (job, lines) in [("2", 1..=3), ("3", 1..=3)] {
        let output = site.qwhy(&[&at, job], &[]);
        let count = text(&output.stdout).lines().count() - 1;
        assert!(lines.contains(&count), "{}", text(&output.stdout));
    }
    let json: Value = serde_json::from_slice(&site.qwhy(&[&at, "--json", "2.headnode"], &[]).stdout).unwrap();
    assert_eq!(json["answers"][0]["job"], "2.headnode");
    assert!(json["answers"][0]["helps"].is_string() && json["answers"][0]["start"].is_i64(), "{json}");
    let wrong = site.qwhy(&[&at, "99"], &[]);
    assert_eq!(wrong.status.code(), Some(2));
    assert!(text(&wrong.stderr).contains("no job `99` among 3"), "{}", text(&wrong.stderr));
    // Beside one that is there it costs no answer.
    let half = site.qwhy(&[&at, "99", "2"], &[]);
    assert_eq!(half.status.code(), Some(2));
    assert!(text(&half.stderr).contains("no job `99` among 3"), "{}", text(&half.stderr));
    assert_eq!(text(&half.stdout), text(&site.qwhy(&[&at, "2"], &[]).stdout));
    let same = Command::new(env!("CARGO_BIN_EXE_qscope"))
        .args(["why", &at, "2"])
        .env("QSCOPE_ETC", "/nowhere")
        .output()
        .unwrap();
    assert_eq!(text(&same.stdout), text(&site.qwhy(&[&at, "2"], &[]).stdout));
}

/// What helps costs other jobs nothing, or its costs are named; what only an operator can do is marked.
#[test]
fn qwhy_names_the_costs_of_what_helps() {
    let root = real::named("c04").on_disk();
    let (before, file) = (root.path().join("before"), root.path().join("published"));
    let made = qscope(["publish", before.to_str().unwrap(), "--to", file.to_str().unwrap(), "--once"]);
    assert!(made.status.success(), "{}", text(&made.stderr));
    let at = format!("--published={}", file.display());
    let helps = |job: &str| {
        let json: Value = serde_json::from_slice(&qscope(["why", &at, job, "--json"]).stdout).unwrap();
        json["answers"][0]["helps"].as_str().unwrap().to_owned()
    };
    let costly = helps("55");
    assert!(
        costly.starts_with("move it to queue express (it starts now, but ") && costly.contains("preempts"),
        "{costly}"
    );
    assert_eq!(helps("60"), "move it to queue special (it starts now)");
    for job in ["67[2]", "63"] {
        assert!(helps(job).starts_with("an operator can "), "{}", helps(job));
    }
}

/// A subjob that no dump lists is answered for by its array, unless it starts.
#[test]
fn qwhy_states_that_a_subjob_in_no_dump_starts() {
    let array = QUEUE.replace("id = \"2.headnode\"", "id = \"2[].headnode\"\narray = \"1-9\"");
    let array = array.replace("select = \"4:ncpus=4\"", "select = \"1:ncpus=1\"");
    let (folder, file) = (folder(&array), tempfile::tempdir().unwrap());
    let (folder, file) = (folder.path(), file.path().join("published"));
    let made = qscope(["publish", folder.to_str().unwrap(), "--to", file.to_str().unwrap(), "--once"]);
    assert!(made.status.success(), "{}", text(&made.stderr));
    let at = format!("--published={}", file.display());
    for subjob in ["2[1]", "2[1].headnode", "2[1-3]", "2[9]", "2[8-9]", "2[]"] {
        let (answer, actual) =
            (qscope(["why", &at, subjob]), qscope(["why", subjob, folder.to_str().unwrap()]));
        let lines = text(&answer.stdout);
        assert_eq!(answer.status.code(), actual.status.code(), "{subjob}: {lines}");
        let starts = lines.contains("of the array 2[] start");
        assert_eq!(starts, actual.status.code() == Some(0), "{subjob}: {lines}");
    }
    assert_eq!(qscope(["why", &at, "2[1]"]).status.code(), Some(0));
    assert_eq!(qscope(["why", &at, "2[9]"]).status.code(), Some(1));
}

/// Answers and archive of a file that was published under other semantics name them.
#[test]
fn a_published_file_names_the_options_of_its_answers() {
    let site = Site::new(&["--semantics", "fixed"]);
    let at = format!("--published={}", site.path().display());
    let answer = text(&site.qwhy(&[&at, "2"], &[]).stdout);
    assert!(answer.contains("with --semantics fixed"), "{answer}");
    let readme = unpacked(&site.path()).remove("published/README").unwrap();
    assert!(readme.contains("--semantics fixed"), "{readme}");
    let usual = Site::new(&[]);
    assert!(!unpacked(&usual.path()).contains_key("published/README"));
}

#[test]
fn the_published_file_is_found_by_environment_and_configuration() {
    let site = Site::new(&[]);
    let path = site.path().display().to_string();
    let none = site.qwhy(&["2"], &[]);
    assert!(text(&none.stderr).contains("/var/spool/qscope/published"), "{}", text(&none.stderr));
    assert_eq!(site.qwhy(&["2"], &[("QSCOPE_PUBLISHED", &path)]).status.code(), Some(1));
    let config = site.home.path().join("config.toml");
    fs::write(&config, format!("published = \"{path}\"\n")).unwrap();
    assert_eq!(site.qwhy(&["2"], &[]).status.code(), Some(1));
    fs::write(&config, "published = 3\n").unwrap();
    let wrong = site.qwhy(&["2"], &[]);
    assert!(text(&wrong.stderr).contains("expected an absolute path"), "{}", text(&wrong.stderr));
    // Before the configuration, the environment; before that, the option.
    assert_eq!(site.qwhy(&["2"], &[("QSCOPE_PUBLISHED", &path)]).status.code(), Some(1));
    let option = format!("--published={path}");
    let nowhere = [("QSCOPE_PUBLISHED", "/nowhere")];
    assert_eq!(site.qwhy(&["2", &option], &nowhere).status.code(), Some(1));
    // After a space too; a job there is no file.
    let one = text(&site.qwhy(&[&option, "2"], &[]).stdout);
    assert_eq!(text(&site.qwhy(&["--published", &path, "2"], &nowhere).stdout), one);
    assert_eq!(text(&site.qwhy(&["2", "--published", &path], &nowhere).stdout), one);
    assert_eq!(text(&site.qwhy(&["--published", "2"], &[("QSCOPE_PUBLISHED", &path)]).stdout), one);
    let missing = site.qwhy(&["--published", "away/published", "2"], &[("QSCOPE_PUBLISHED", &path)]);
    assert!(text(&missing.stderr).contains("away/published"), "{}", text(&missing.stderr));
}

#[test]
fn the_advice_of_the_site_counts_and_a_mistake_in_it_is_named() {
    let site = Site::new(&[]);
    let at = format!("--published={}", site.path().display());
    let file = site.home.path().join("reasons.toml");
    fs::write(
        &file,
        "[[reason]]\ncause = \"never\"\ntext = \"Ask for less.\"\nlink = \"https://help.example/never\"\n",
    )
    .unwrap();
    let answer = text(&site.qwhy(&[&at, "3"], &[]).stdout);
    assert!(answer.contains("Ask for less. https://help.example/never"), "{answer}");
    fs::write(&file, "[[reason]]\ncause = \"nevr\"\ntext = \"Ask for less.\"\n").unwrap();
    let output = site.qwhy(&[&at, "3"], &[]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("cause `nevr` is none"), "{}", text(&output.stderr));
}

#[test]
fn users_are_left_out_where_the_site_wants_that() {
    let site = Site::new(&["--hide-users"]);
    let at = format!("--published={}", site.path().display());
    let output = site.qwhy(&[&at], &[("LOGNAME", "alice")]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("qwhy 4711"), "{}", text(&output.stderr));
    assert_eq!(site.qwhy(&[&at, "2"], &[]).status.code(), Some(1));
    let mut whole = String::new();
    MultiGzDecoder::new(fs::File::open(site.path()).unwrap()).read_to_string(&mut whole).unwrap();
    for name in ["alice", "bobby", "physics", "script"] {
        assert!(!whole.contains(name), "{name}");
    }
    assert!(whole.contains("host1"), "what decisions rest on stays");
}

/// The name, labels and value of a line of OpenMetrics.
pub(crate) type Series = (String, BTreeMap<String, String>, f64);

/// Parses a text of OpenMetrics by its grammar: metadata before the series of its family, each family in one piece,
/// no series twice, the end marked.
pub(crate) fn read_metrics(text: &str) -> Vec<Series> {
    let body = text.strip_suffix("# EOF\n").expect("the end is marked");
    let is_name = |name: &str| {
        !name.is_empty()
            && !name.starts_with(|c: char| c.is_ascii_digit())
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b':')
    };
    let (mut family, mut known, mut seen, mut all) =
        (String::new(), BTreeSet::new(), BTreeSet::new(), Vec::new());
    for line in body.lines() {
        if let Some(meta) = line.strip_prefix("# ") {
            let mut words = meta.splitn(3, ' ');
            let (kind, name, rest) = (words.next().unwrap(), words.next().unwrap(), words.next().unwrap());
            match kind {
                "TYPE" => {
                    assert!(rest == "gauge" && is_name(name) && known.insert(name.to_owned()), "{line}");
                    family = name.to_owned();
                }
                "UNIT" => assert!(name == family && name.ends_with(&format!("_{rest}")), "{line}"),
                "HELP" => assert!(name == family && !rest.is_empty(), "{line}"),
                _ => panic!("{line}"),
            }
            continue;
        }
        let (name, rest) = line.split_at(line.find(['{', ' ']).unwrap());
        assert_eq!(name, family, "{line}");
        let (labels, value) = read_labels(rest);
        assert!(labels.keys().all(|label| is_name(label)), "{line}");
        assert!(seen.insert((name.to_owned(), labels.clone())), "twice: {line}");
        all.push((name.to_owned(), labels, value.parse().unwrap()));
    }
    all
}

fn read_labels(text: &str) -> (BTreeMap<String, String>, &str) {
    let mut labels = BTreeMap::new();
    let Some(mut rest) = text.strip_prefix('{') else { return (labels, &text[1..]) };
    loop {
        let (name, after) = rest.split_once("=\"").unwrap();
        let (mut value, mut end, mut escaped) = (String::new(), 0, false);
        for (at, c) in after.char_indices() {
            match c {
                _ if escaped => {
                    assert!(matches!(c, '\\' | '"' | 'n'), "{text}");
                    value.push(c);
                    escaped = false;
                }
                '\\' => escaped = true,
                '"' => {
                    end = at;
                    break;
                }
                _ => value.push(c),
            }
        }
        labels.insert(name.to_owned(), value);
        rest = &after[end + 1..];
        match rest.strip_prefix(',') {
            Some(more) => rest = more,
            None => return (labels, rest.strip_prefix("} ").unwrap()),
        }
    }
}

#[test]
fn metrics_are_open_metrics_and_their_sums_are_the_queue() {
    let odd: String = (0..60)
        .map(|n| format!("[[queue]]\nname = \"q\\\\{n}\\\"\"\n[[job]]\nid = \"{n}\"\nqueue = \"q\\\\{n}\\\"\"\nselect = \"9:ncpus=4\"\n"))
        .collect();
    let many = folder(&format!("now = 1763700000\n{odd}"));
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples");
    let few = folder(QUEUE);
    for path in [many.path(), few.path(), &samples.join("campus"), &samples.join("calendar")] {
        let generation = generation(path);
        let board = board(&generation.run);
        let page = metrics(&generation, &board, generation.snapshot.now.0 + 7);
        let series = read_metrics(page.as_str());
        assert!(series.len() <= 500, "{}", series.len());
        let sum = |name: &str| -> f64 {
            series.iter().filter(|(of, ..)| of == name).map(|(.., value)| value).sum()
        };
        assert_eq!(sum("qscope_waiting_jobs"), board.waiting as f64, "{}", path.display());
        assert!(
            (sum("qscope_waiting_core_hours") - board.core_hours).abs() < 1e-6 * board.core_hours.max(1.0)
        );
        assert_eq!(sum("qscope_snapshot_age_seconds"), 7.0);
        assert!(sum("qscope_free_vnodes") <= sum("qscope_vnodes"));
    }
    let page = metrics(&generation(few.path()), &board(&generation(few.path()).run), 0);
    let page = page.as_str();
    assert!(page.contains("qscope_waiting_jobs{cause=\"never\",queue=\"workq\"} 1\n"), "{page}");
}

/// A start that the server refuses is counted under its own word, as in `cycle`; the report has the same word.
#[test]
fn a_refused_start_has_its_own_word_in_metrics_and_reports() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/topics/pset_double_booking");
    let generation = generation(&folder);
    let refused = generation.run.outcomes().filter(|outcome| generation.run.is_refused(outcome)).count();
    assert!(refused > 0);
    let page = metrics(&generation, &board(&generation.run), 0);
    let jobs = |cause: &str| -> f64 {
        let series = read_metrics(page.as_str()).into_iter();
        let of_cause = |(of, labels, _): &Series| of == "qscope_waiting_jobs" && labels["cause"] == cause;
        series.filter(of_cause).map(|one| one.2).sum()
    };
    assert_eq!((jobs("refused"), jobs("order")), (refused as f64, 0.0));
    let out = tempfile::tempdir().unwrap();
    let path = out.path().join("a.md");
    let made = qscope(["report", folder.to_str().unwrap(), "-o", path.to_str().unwrap()]);
    assert!(made.status.success(), "{}", text(&made.stderr));
    let page = fs::read_to_string(path).unwrap();
    assert!(page.contains("| refused |") && page.contains("**refused**: "), "{page}");
    assert!(!page.contains("not_now"), "{page}");
}

#[test]
fn metrics_are_put_in_place_for_the_collector() {
    let (folder, to) = (folder(QUEUE), tempfile::tempdir().unwrap());
    let file = to.path().join("qscope.prom");
    let output =
        qscope(["metrics", folder.path().to_str().unwrap(), "--once", "--to", file.to_str().unwrap()]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(read_metrics(&fs::read_to_string(&file).unwrap()).len() > 20);
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o644);
    // Without a file to the output.
    let printed = qscope(["metrics", folder.path().to_str().unwrap(), "--once"]);
    assert!(printed.status.success(), "{}", text(&printed.stderr));
    assert!(read_metrics(&text(&printed.stdout)).len() > 20);
    let nowhere = to.path().join("no/such/qscope.prom");
    let output =
        qscope(["metrics", folder.path().to_str().unwrap(), "--once", "--to", nowhere.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(2));
}

/// The state an hour later: job 1 has ended, job 2 runs, and the queue of job 3 was stopped.
const LATER: &str = r#"now = 1763703600
[[queue]]
name = "workq"
started = false
[[job]]
id = "2.headnode"
user = "bobby"
select = "4:ncpus=4"
walltime = "01:00:00"
started = "-00:10:00"
on = "(host1:ncpus=4)+(host2:ncpus=4)+(host3:ncpus=4)+(host4:ncpus=4)"
[[job]]
id = "3.headnode"
user = "alice"
select = "1:ncpus=8"
walltime = "01:00:00"
"#;

/// An array of which every subjob has started is not queued: after the cycle of this case it is one of 7 queued jobs less.
#[test]
fn an_array_without_waiting_subjobs_is_not_counted_as_queued() {
    let root = real::named("c04").on_disk();
    let (before, after) = (root.path().join("before"), root.path().join("after"));
    let queued = |expected: usize| {
        let generation = generation(&before);
        let page = metrics(&generation, &board(&generation.run), 0);
        let line = format!("qscope_jobs{{state=\"queued\"}} {expected}\n");
        assert!(page.as_str().contains(&line), "{expected}: {}", page.as_str());
    };
    queued(13);
    for name in ["jobs-t.json", "nodes.json"] {
        fs::copy(after.join(name), before.join(name)).unwrap();
    }
    queued(6);
}

/// A vnode without cpus is not free, and a job that waits for its execution time has a state.
#[test]
fn vnodes_and_jobs_are_counted_as_in_the_console() {
    let value = |page: &str, name: &str| {
        let line = page.lines().find(|line| line.starts_with(&format!("{name} ")));
        line.and_then(|line| line.rsplit(' ').next()?.parse::<usize>().ok()).unwrap()
    };
    let page_of = |folder: &Path| {
        let generation = generation(folder);
        metrics(&generation, &board(&generation.run), 0).as_str().to_owned()
    };
    let root = real::named("c14").on_disk();
    let page = page_of(&root.path().join("before"));
    assert_eq!(value(&page, "qscope_free_vnodes"), 30);
    assert_eq!(value(&page, "qscope_largest_free_set_vnodes"), 30);
    let page = page_of(&Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/campus"));
    assert_eq!(value(&page, "qscope_jobs{state=\"waiting\"}"), 1);
    let jobs = page.lines().filter(|line| line.starts_with("qscope_jobs{"));
    let sum: usize = jobs.filter_map(|line| line.rsplit(' ').next()?.parse::<usize>().ok()).sum();
    assert_eq!(sum, 29);
}

/// A job that wants whole nodes counts as usable only those in service, as its column of nodes does.
#[test]
fn a_row_of_the_board_has_one_count_of_nodes() {
    let root = real::named("c04").on_disk();
    let folder = root.path().join("before");
    let out = qscope(["board", &folder.display().to_string()]);
    let text = String::from_utf8(out.stdout).unwrap();
    let row = text.lines().find(|line| line.contains("16 chunks need whole nodes")).unwrap();
    assert!(
        row.contains("    27  fragmented") && row.contains("of 27 usable 5 are free now, 1 is not"),
        "{row}"
    );
}

/// The list of an answer without objects has no place for the settings; they are stated beside it.
#[test]
fn a_what_if_is_stated_beside_an_empty_list_and_spelt_alike() {
    let campus = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/campus").display().to_string();
    let out = qscope(["pools", &campus, "--set", "strict_ordering=True", "--json"]);
    assert_eq!(String::from_utf8_lossy(&out.stdout).trim(), "[]");
    let beside = String::from_utf8_lossy(&out.stderr);
    assert!(beside.contains("strict_ordering=True"), "{beside}");
    for command in [&["capacity", &campus][..], &["when", "12", &campus, "--runs", "2"], &["cycle", &campus]]
    {
        let out = qscope([command, &["--set", "strict_ordering=True", "--json"]].concat());
        let answer: Value = serde_json::from_slice(&out.stdout).unwrap();
        assert_eq!(
            answer["what_if"],
            serde_json::json!(["sched_config.strict_ordering=True"]),
            "{command:?}"
        );
    }
}

#[test]
fn rules_are_listed_as_json_and_the_time_taken_as_text() {
    let json = |arguments: &[&str]| -> Value { serde_json::from_slice(&qscope(arguments).stdout).unwrap() };
    let rules = json(&["lint", "--rules", "--json"]);
    assert!(rules.as_array().unwrap().len() > 10 && rules[0]["explain"].is_string());
    assert_eq!(json(&["lint", "--explain", "limit-of-zero", "--json"])["rule"], "limit-of-zero");
    let text = String::from_utf8(qscope(["cycle", "--timing"]).stdout).unwrap();
    assert!(text.lines().last().unwrap().starts_with("took: "), "{text}");
}

#[test]
fn text_fits_the_columns_of_the_terminal() {
    let root = real::named("c04").on_disk();
    let folder = root.path().join("before").display().to_string();
    for arguments in [&["help", "filters"][..], &["help", "keys"], &["board", &folder]] {
        let program = env!("CARGO_BIN_EXE_qscope");
        let out = Command::new(program).args(arguments).env("COLUMNS", "80").output().unwrap();
        let text = String::from_utf8(out.stdout).unwrap();
        for line in text.lines().filter(|line| !line.starts_with("    ")) {
            assert!(line.trim_end().chars().count() <= 80, "{arguments:?}: {line}");
        }
    }
}

#[test]
fn events_are_what_changed() {
    let (before, after) = (folder(QUEUE), folder(LATER));
    let mut events = EventDetector::default();
    let mut of = |folder: &Path| {
        let generation = generation(folder);
        let found = events.of(&generation, &board(&generation.run));
        found.into_iter().map(|event| serde_json::to_value(event).unwrap()).collect::<Vec<_>>()
    };
    assert!(of(before.path()).is_empty());
    let found = of(after.path());
    let kind = |name: &str| {
        found.iter().find(|event| event["event"] == name).unwrap_or_else(|| panic!("{name}: {found:?}"))
    };
    let started = kind("job_started");
    assert_eq!((&started["job"], &started["at"]), (&"2.headnode".into(), &1_763_703_600_i64.into()));
    let changed = kind("cause_changed");
    assert_eq!((&changed["job"], &changed["from"]["tier"]), (&"3.headnode".into(), &"never".into()));
    assert_eq!(kind("alert_began")["kind"], "stopped_queue");
    let back = of(before.path());
    assert!(back.iter().any(|event| event["event"] == "alert_ended"), "{back:?}");
}

/// Reads lines of a program that follows a folder, until it has printed the awaited number.
fn lines_of(mut command: Command, most: usize, meanwhile: impl FnOnce(&mut dyn FnMut() -> Option<String>)) {
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let (send, lines) = std::sync::mpsc::channel();
    let out = BufReader::new(child.stdout.take().unwrap());
    std::thread::spawn(move || {
        out.lines().take(most).map_while(Result::ok).all(|line| send.send(line).is_ok())
    });
    meanwhile(&mut || lines.recv_timeout(Duration::from_secs(60)).ok());
    child.kill().unwrap();
    child.wait().unwrap();
}

/// Replaces the earlier state by the later one in one step.
fn replace(folder: &Path, queue: &str) {
    fs::write(folder.join(".draft"), queue).unwrap();
    fs::rename(folder.join(".draft"), folder.join("queue.toml")).unwrap();
}

#[test]
fn events_come_line_by_line_as_they_happen() {
    let folder = folder(LATER);
    let mut command = Command::new(env!("CARGO_BIN_EXE_qscope"));
    command.arg("events").arg(folder.path());
    lines_of(command, 10, |next| {
        // The alerts that there are come first: by then the folder is followed.
        let first: Value = serde_json::from_str(&next().unwrap()).unwrap();
        assert_eq!(first["event"], "alert_began");
        replace(folder.path(), QUEUE);
        let mut found: Vec<Value> = Vec::new();
        while !found.iter().any(|event| event["event"] == "alert_ended") {
            found.push(serde_json::from_str(&next().unwrap()).unwrap());
        }
    });
}

/// `qscope events FOLDER | head -1`: the program ends with its reader, without a message.
#[test]
fn events_end_quietly_with_their_reader() {
    let folder = folder(LATER);
    let mut command = Command::new(env!("CARGO_BIN_EXE_qscope"));
    command.arg("events").arg(folder.path()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut first = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut first).unwrap();
    assert!(first.contains("alert_began"), "{first}");
    let limit = Instant::now() + Duration::from_secs(60);
    while child.try_wait().unwrap().is_none() {
        assert!(Instant::now() < limit, "goes on without a reader");
        std::thread::sleep(Duration::from_millis(20));
    }
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), text(&output.stderr).as_str()), (Some(0), ""));
}

#[test]
fn a_command_is_run_when_a_filter_begins_to_hold() {
    let (folder, out) = (folder(QUEUE), tempfile::tempdir().unwrap());
    let note = out.path().join("note");
    let mut command = Command::new(env!("CARGO_BIN_EXE_qscope"));
    command.args(["watch", "user:bobby verdict=running"]).arg(folder.path());
    command.arg("--exec").arg(format!("echo \"$1\" > {}; echo ran", note.display()));
    lines_of(command, 2, |next| {
        // What is read before the folder is followed is no change: it is changed until the notice comes.
        let began = Instant::now();
        while !note.exists() && began.elapsed() < Duration::from_secs(60) {
            replace(folder.path(), QUEUE);
            std::thread::sleep(Duration::from_millis(1500));
            replace(folder.path(), LATER);
            std::thread::sleep(Duration::from_millis(1500));
        }
        assert_eq!(next().unwrap(), "user:bobby verdict=running: 2.headnode");
        assert_eq!(next().unwrap(), "ran");
    });
    assert_eq!(fs::read_to_string(&note).unwrap(), "2.headnode\n");
}

#[test]
fn a_wrong_filter_and_a_watch_without_effect_are_refused() {
    let folder = folder(QUEUE);
    let at = folder.path().to_str().unwrap();
    let wrong = qscope(["watch", "usr:bobby", at, "--bell", "--once"]);
    assert_eq!(wrong.status.code(), Some(2));
    assert!(text(&wrong.stderr).contains("user"), "{}", text(&wrong.stderr));
    assert_eq!(qscope(["watch", "1", at, "--once"]).status.code(), Some(2));
    for once in [&["--once"][..], &[]] {
        let runs = qscope([&["watch", "1", at, "--bell"], once].concat());
        assert_eq!((runs.status.code(), text(&runs.stdout)), (Some(0), "1 runs\n".to_owned()));
    }
    let failing = qscope(["watch", "1", at, "--exec", "/nonexistent/x", "--once"]);
    assert!(!text(&failing.stderr).contains("qscope: 1:"), "{}", text(&failing.stderr));
}

#[test]
fn a_report_is_the_same_bytes_and_holds_no_markup_of_others() {
    let (mut queue, out) = (QUEUE.to_owned(), tempfile::tempdir().unwrap());
    // The job that is named like a script waits too.
    queue.push_str("[[job]]\nid = \"12.headnode\"\nuser = \"eve\"\nname = \"<script>alert(2)</script>\"\nselect = \"3:ncpus=4\"\nwalltime = \"01:00:00\"\n");
    let folder = folder(&queue);
    let page = |name: &str| {
        let path = out.path().join(name);
        let output = qscope(["report", folder.path().to_str().unwrap(), "-o", path.to_str().unwrap()]);
        assert!(output.status.success(), "{}", text(&output.stderr));
        fs::read_to_string(path).unwrap()
    };
    let html = page("a.html");
    assert_eq!(html, page("b.html"));
    assert!(
        !html.to_lowercase().contains("<script") && html.contains("&lt;script&gt;alert(2)&lt;/script&gt;")
    );
    for outside in
        ["http://", "https://", "src=", "url(", "@import", "<link", "<iframe", "onload", "javascript:"]
    {
        assert!(!html.contains(outside), "{outside}");
    }
    assert!(html.contains("<article id=\"job-12\">") && html.contains("href=\"#job-12\""));
    assert!(html.contains("prefers-color-scheme:dark") && html.contains("@media print"));
    assert_tags_close(&html);
    let markdown = page("a.md");
    assert!(markdown.starts_with("# Cycle of ") && markdown.contains("### 12.headnode"), "{markdown}");
    assert!(!markdown.contains("<script") || markdown.contains("\\<script"), "{markdown}");
    assert_eq!(fs::metadata(out.path().join("a.html")).unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn a_report_of_a_what_if_states_its_settings() {
    let (folder, out) = (folder(QUEUE), tempfile::tempdir().unwrap());
    let page = |name: &str, options: &[&str]| {
        let path = out.path().join(name);
        let given = ["report", folder.path().to_str().unwrap(), "-o", path.to_str().unwrap()];
        let output = qscope([&given[..], options].concat());
        assert!(output.status.success(), "{}", text(&output.stderr));
        fs::read_to_string(path).unwrap()
    };
    let options =
        ["--set", "strict_ordering=True", "--policy", "FASTEST", "--at", "+2h", "--semantics", "fixed"];
    for name in ["a.html", "a.md"] {
        let head: String = page(name, &options).split("Why jobs wait").next().unwrap().replace('\\', "");
        for stated in [
            "WHAT IF ",
            "strict_ordering=True",
            "policy=FASTEST",
            "at=+2h (not the live cycle)",
            "the clock stands at",
            "--semantics fixed",
        ] {
            assert!(head.contains(stated), "{stated}: {head}");
        }
        assert!(!page(name, &[]).contains("WHAT IF"));
    }
}

#[test]
fn a_page_is_written_to_the_file_that_a_link_names_and_replaces_no_pipe() {
    let (folder, out) = (folder(QUEUE), tempfile::tempdir().unwrap());
    let path_of = |name: &str| out.path().join(name);
    fs::write(path_of("page.md"), "old").unwrap();
    std::os::unix::fs::symlink("page.md", path_of("link.md")).unwrap();
    let made = std::process::Command::new("mkfifo").arg(path_of("pipe")).status().unwrap();
    assert!(made.success());
    std::os::unix::fs::symlink("pipe", path_of("stdout")).unwrap();
    let report = |name: &str| {
        qscope([
            "report",
            folder.path().to_str().unwrap(),
            "--markdown",
            "-o",
            path_of(name).to_str().unwrap(),
        ])
    };
    assert!(report("link.md").status.success());
    assert!(path_of("link.md").is_symlink());
    assert!(fs::read_to_string(path_of("page.md")).unwrap().starts_with("# Cycle of "));
    for name in ["pipe", "stdout"] {
        let refused = report(name);
        let expected =
            format!("qscope: {}: is a named pipe; expected the file to write\n", path_of(name).display());
        assert_eq!((text(&refused.stderr), refused.status.code()), (expected, Some(2)));
    }
    assert!(path_of("stdout").is_symlink());
}

/// Checks that every opened element is closed, in order.
fn assert_tags_close(html: &str) {
    let mut open: Vec<&str> = Vec::new();
    let mut rest = html;
    while let Some((_, after)) = rest.split_once('<') {
        let (tag, next) = after.split_once('>').unwrap();
        rest = next;
        let name = tag.split([' ', '\n']).next().unwrap();
        match name.strip_prefix('/') {
            Some(name) => assert_eq!(open.pop(), Some(name)),
            None if matches!(name, "!DOCTYPE" | "meta") => {}
            None => open.push(name),
        }
    }
    assert_eq!(open, [""; 0]);
}

fn unpacked(archive: &Path) -> BTreeMap<String, String> {
    let mut archive = tar::Archive::new(MultiGzDecoder::new(fs::File::open(archive).unwrap()));
    let mut files = BTreeMap::new();
    for entry in archive.entries().unwrap() {
        let mut entry = entry.unwrap();
        let path = entry.path().unwrap().display().to_string();
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes).unwrap();
        files.insert(path, String::from_utf8_lossy(&bytes).into_owned());
    }
    files
}

#[test]
fn a_bundle_for_strangers_names_nothing_and_decides_the_same() {
    let (folder, out) = (folder(QUEUE), tempfile::tempdir().unwrap());
    let path = out.path().join("case.tar.gz");
    let at = folder.path().to_str().unwrap();
    let output = qscope(["bundle", at, "--anonymize", "-o", path.to_str().unwrap()]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    let files = unpacked(&path);
    assert!(files.keys().all(|name| name.starts_with("case/")) && files.len() > 5, "{:?}", files.keys());
    for (file, content) in &files {
        for name in ["alice", "bobby", "physics", "host1", "host4", "headnode", "script", "workq", at] {
            assert!(!content.contains(name), "{name} in {file}");
        }
    }
    // It opens as any archive does, and the same jobs wait for the same reasons.
    let verdicts = |path: &Path| -> Vec<(String, String)> {
        let answer: Value =
            serde_json::from_slice(&qscope(["cycle", path.to_str().unwrap(), "--json"]).stdout).unwrap();
        let jobs = answer["jobs"].as_array().unwrap().iter();
        jobs.map(|job| {
            let id = job["id"].as_str().unwrap().split('.').next().unwrap().to_owned();
            (id, job["verdict"].as_str().unwrap().to_owned())
        })
        .collect()
    };
    assert_eq!(verdicts(&path), verdicts(folder.path()));
    // The moment and the zone are those of the cluster, wherever it is opened, and no option is doubtful.
    let reader = Command::new(env!("CARGO_BIN_EXE_qscope"))
        .args(["check", path.to_str().unwrap()])
        .env("TZ", "Pacific/Auckland")
        .output()
        .unwrap();
    let reader = text(&reader.stdout);
    assert!(reader.contains("file case/now") && reader.contains("policy.toml"), "{reader}");
    assert!(!reader.contains("Auckland") && !reader.contains("obsolete-option"), "{reader}");
    assert!(!reader.contains("not-in-any-scheduler"), "{reader}");
}

#[test]
fn no_bundle_of_any_cluster_keeps_a_name() {
    for case in why::all().into_iter().chain(why::dumps()) {
        let run = case.run();
        let made = bundle(&run, true).unwrap_or_else(|error| panic!("{}: {error}", case.name));
        assert!(made.replaced > 0, "{}", case.name);
        let words: BTreeSet<String> = made
            .files
            .iter()
            .filter(|(name, _)| *name != "README")
            .flat_map(|(_, bytes)| {
                String::from_utf8_lossy(bytes)
                    .split(|c: char| !c.is_alphanumeric())
                    .map(str::to_owned)
                    .collect::<Vec<_>>()
            })
            .collect();
        for job in &run.plan.snap.jobs {
            for name in [&job.user, &job.title, &job.group].into_iter().filter(|name| name.len() > 3) {
                assert!(
                    !words.contains(&**name) || made.batch_words.contains(&name.to_string()),
                    "{}: {name}",
                    case.name
                );
            }
        }
    }
}

/// The statement of a reduced bundle about its other jobs agrees with a comparison of the cycles, on clusters of a
/// live server.
#[test]
fn a_reduced_bundle_states_which_other_jobs_are_decided_otherwise() {
    let (mut same, mut otherwise) = (0, 0);
    for case in real::all() {
        let folder = case.on_disk();
        let before = folder.path().join("before");
        let run = generation(&before).run;
        let Some(waits) = run.outcomes().find(|outcome| run.verdict(outcome) == Verdict::NotNow) else {
            continue;
        };
        let job = run.plan.job(waits.job).short_name().to_owned();
        let path = folder.path().join("case.tar.gz");
        let [at, to] = [&before, &path].map(|path| path.to_str().unwrap());
        let made = qscope(["bundle", at, "-o", to, "--reduce", &job]);
        assert!(made.status.success(), "{}: {}", case.name, text(&made.stderr));
        let made = text(&made.stdout).split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(made.contains(&format!("{job} has the verdict")), "{made}");
        assert!(!made.contains("decides the same"), "{made}");
        let reduced = generation(&path).run;
        let kept = ReductionComparison::of(&run, &reduced, &run.plan.job(waits.job).name);
        assert_eq!(kept.count() + 1, reduced.plan.snap.jobs.len(), "{}", case.name);
        assert_eq!(
            kept.differing_jobs.is_empty(),
            !made.contains("decided otherwise"),
            "{}: {made}",
            case.name
        );
        assert!(kept.differing_jobs.iter().take(5).all(|other| made.contains(other)), "{kept:?}: {made}");
        same += kept.same_jobs;
        otherwise += kept.differing_jobs.len();
    }
    assert!(same > 0 && otherwise > 0, "{same} decided as before, {otherwise} otherwise");
}

/// Numbers that depend on the size of a cluster: a smaller one has smaller ones.
const SIZES: [&str; 7] = ["total", "nodes", "sets", "refusing", "gone", "touched", "ahead"];

/// Returns what has to stay: the verdict, and the deepest cause with the numbers compared.
fn finding(snap: &Arc<Snapshot>, job: &str) -> String {
    let run = Arc::new(run_cycle(snap.clone(), Quirks::default()));
    let id = snap.job_named(job).unwrap();
    let verdict = run.outcome(id).map(|outcome| outcome.verdict.word());
    let deepest = causes(&run, id).into_iter().next();
    let deepest = deepest.map(|mut cause| {
        cause.numbers.retain(|(name, _)| !SIZES.contains(name));
        (cause.tier, cause.kind, cause.numbers)
    });
    format!("{verdict:?} {deepest:?}")
}

#[test]
fn a_reduced_cluster_keeps_the_finding_and_little_else() {
    let (mut all, mut small) = (0, 0);
    for case in why::all().into_iter().chain(why::dumps()) {
        let run = case.run();
        let job = case.snapshot.job_named(&case.job).unwrap();
        let found = reduce(&run, job, ReductionEffort { most_trials: 150 });
        let name = case.snapshot.jobs[job].name.to_string();
        assert_eq!(finding(&found.snapshot, &name), finding(&case.snapshot, &name), "{}", case.name);
        let again = Arc::new(share::read_back(&found.snapshot));
        assert_eq!(finding(&again, &name), finding(&case.snapshot, &name), "{} read back", case.name);
        let after = found.snapshot.nodes.len() + found.snapshot.jobs.len();
        all += 1;
        // These clusters are small already: a vnode, the job, and what it waits for is as little as there can be.
        small += usize::from(after <= 3);
    }
    assert!(small * 3 >= all * 2, "{small} of {all}");
}

/// Returns the cluster with as much again that does not affect the job: offline vnodes and held jobs.
fn padded(snap: &Snapshot) -> Snapshot {
    let mut padded = snap.clone();
    let Some(node) = snap.nodes.iter().next().cloned() else { return padded };
    for n in 0..60 {
        let states = NodeStates::FREE.with(NodeState::Offline);
        let (jobs, reservations) = (Vec::new(), Vec::new());
        let assigned = ResourceList::default();
        padded.nodes.push(Node {
            name: format!("pad{n}").into(),
            states,
            jobs,
            reservations,
            assigned,
            ..node.clone()
        });
    }
    for n in 0..60 {
        let select = Some(Select::parse("1:ncpus=1").unwrap());
        let job =
            Job { name: format!("{}", 90_000 + n).into(), user: "pad".into(), select, ..Job::default() };
        let queue = snap.queues.iter().next().map(|queue| queue.name.clone()).unwrap_or_default();
        padded.jobs.push(Job {
            state: JobState::Held,
            holds: "u".into(),
            queue,
            sequence: 90_000 + n,
            ..job
        });
    }
    padded
}

/// Reduces every `step`-th cluster of `why` within a large cluster; returns how many there were, and how many were
/// reduced to a tenth.
fn reduced_to_a_tenth(step: usize) -> [usize; 2] {
    let (mut all, mut small) = (0, 0);
    for case in why::all().into_iter().chain(why::dumps()).step_by(step) {
        let snap = Arc::new(padded(&case.snapshot));
        let run = Arc::new(run_cycle(snap.clone(), Quirks::default()));
        let job = snap.job_named(&case.job).unwrap();
        let found = reduce(&run, job, ReductionEffort { most_trials: 250 });
        let name = snap.jobs[job].name.to_string();
        assert_eq!(finding(&found.snapshot, &name), finding(&snap, &name), "{}", case.name);
        let [before, after] = [&snap, &found.snapshot].map(|snap| snap.nodes.len() + snap.jobs.len());
        all += 1;
        small += usize::from(after * 10 <= before);
    }
    [all, small]
}

#[test]
fn of_a_large_cluster_a_tenth_is_left() {
    let [all, small] = reduced_to_a_tenth(12);
    assert!(small * 3 >= all * 2, "{small} of {all}");
}

#[test]
#[ignore = "takes minutes: all states"]
#[allow(clippy::disallowed_macros, reason = "shown with the test's own output")]
fn of_every_state_in_a_large_cluster_a_tenth_is_left() {
    let [all, small] = reduced_to_a_tenth(1);
    eprintln!("reduced to a tenth or less: {small} of {all} states");
    assert!(small * 3 >= all * 2, "{small} of {all}");
}

#[test]
fn one_process_collects_and_publishes() {
    let (site, out) = (collect::Site::new(), tempfile::tempdir().unwrap());
    let to = out.path().join("published");
    let mut command = Command::new(env!("CARGO_BIN_EXE_qscope"));
    command.arg("publish").arg(site.into.path()).arg("--to").arg(&to).arg("--collect");
    command.arg("--bin").arg(site.bin.path()).args(["--every", "1s"]).env_remove("PBS_HOME");
    lines_of(command, 1, |next| {
        let line = next().unwrap();
        assert!(line.starts_with("published 1 job in "), "{line}");
    });
    let opened = PublishedFile::open(&to).unwrap();
    assert_eq!(opened.answers(&|job, _| job == "1.s").unwrap().len(), 1);
    assert!(site.into.path().join("nodes.json").is_file());
}

/// A page for a browser, of a cluster of common size: at most 2 MB at 2,000 vnodes and 500 jobs, with every job on
/// it.
#[test]
fn a_report_of_a_common_cluster_is_at_most_two_megabytes() {
    let nodes = "[[node]]\nname = \"thin[0001-1600]\"\navailable = { ncpus = 32, mem = \"128gb\" }\n\
                 [[node]]\nname = \"fat[001-200]\"\navailable = { ncpus = 64, mem = \"1tb\" }\n\
                 [[node]]\nname = \"gpu[001-200]\"\navailable = { ncpus = 32, mem = \"256gb\", ngpus = 4 }\n";
    let mut queue = String::from("now = 1763700000\n");
    for id in 1..=500 {
        let select = match id % 4 {
            0 => format!("{}:ncpus=32:mem=64gb", 20 + id % 60),
            1 => format!("{}:ncpus=64:mem=900gb+4:ncpus=16:mem=8gb", 1 + id % 30),
            2 => format!("{}:ncpus=8:ngpus=2:mem=32gb", 1 + id % 90),
            _ => "1:ncpus=1:mem=2gb".to_owned(),
        };
        queue.push_str(&format!(
            "[[job]]\nid = \"{id}.headnode\"\nuser = \"user{:02}\"\nname = \"production_run_{id}\"\nselect = \"{select}\"\n\
             place = \"scatter:excl\"\nwalltime = \"{:02}:00:00\"\n",
            id % 40,
            1 + id % 24
        ));
    }
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("nodes.toml"), nodes).unwrap();
    fs::write(folder.path().join("queue.toml"), queue).unwrap();
    let page = |name: &str| {
        let path = folder.path().join(name);
        let output = qscope(["report", folder.path().to_str().unwrap(), "-o", path.to_str().unwrap()]);
        assert!(output.status.success(), "{}", text(&output.stderr));
        fs::read(path).unwrap()
    };
    let html = page("a.html");
    assert!(html.len() <= 2_000_000, "{} bytes", html.len());
    let html = String::from_utf8(html).unwrap();
    assert_eq!(html.matches("<article id=\"job-").count(), 500);
    assert_eq!(html.matches("<i class=").count(), 2000 + 5, "a cell for each vnode, and the key");
}
