//! A folder of dumps is followed live: whatever writers do to it, the final state shown is what was written last, and
//! nothing half-written is ever shown.
//!
//! Every scenario runs twice, once triggered by events and once only by polling; all scenarios of one mode run at the
//! same time.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "helpers of tests fail as tests do"
)]

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use crossbeam_channel::{Receiver, unbounded};
use qscope::cluster::Snapshot;
use qscope::session::compare::Comparison;
use qscope::session::dump_times::DumpTimes;
use qscope::session::{Generation, Opening, OpeningOrigin, Session, SessionEvent, open, open_recording};
use qscope::source::watch::WatchOptions;
use tempfile::TempDir;

use super::real;

/// No scenario takes this long, except on a machine under load.
const DEADLINE: Duration = Duration::from_secs(20);
/// On an idle machine, the last change is shown within this time; a doubtful file first gets its own waiting time.
const PROMPT: Duration = Duration::from_secs(3);

const BY_EVENTS: WatchOptions =
    WatchOptions { events: true, poll: Duration::from_secs(2), network_poll: Duration::from_secs(1) };
const BY_POLL: WatchOptions = WatchOptions {
    events: false,
    poll: Duration::from_millis(200),
    network_poll: Duration::from_millis(200),
};

/// Returns three nodes that carry the version in their names; every version has the same size.
fn nodes(version: usize) -> String {
    let node = |letter| {
        format!(
            "\t\t\"v{version:05}{letter}\": {{\n\t\t\t\"Mom\": \"head\",\n\t\t\t\"state\": \"free\",\n\
             \t\t\t\"resources_available\": {{ \"host\": \"h{letter}\", \"ncpus\": 8 }}\n\t\t}}"
        )
    };
    let all = ['a', 'b', 'c'].map(node).join(",\n");
    format!(
        "{{\n\t\"timestamp\": 1795226244,\n\t\"pbs_server\": \"head1\",\n\t\"nodes\": {{\n{all}\n\t}}\n}}\n"
    )
}

/// Returns the same nodes as text.
fn nodes_text(version: usize) -> String {
    let node =
        |letter| format!("v{version:05}{letter}\n     Mom = head\n     state = free\n     pcpus = 8\n\n");
    ['a', 'b', 'c'].map(node).concat()
}

fn jobs(count: usize) -> String {
    let job = |id| {
        format!(
            "\"{id}.head1\": {{ \"Job_Name\": \"j\", \"Job_Owner\": \"ann@head1\", \"job_state\": \"Q\",\n\
             \"queue\": \"workq\", \"Resource_List\": {{ \"select\": \"1:ncpus=1\", \"ncpus\": 1 }} }}"
        )
    };
    let all = (1..=count).map(job).collect::<Vec<_>>().join(",\n");
    format!("{{ \"timestamp\": 1795226244, \"pbs_server\": \"head1\", \"Jobs\": {{\n{all}\n}} }}\n")
}

/// Returns the version of all nodes of a snapshot, if they agree and are all present.
fn version(snapshot: &Snapshot) -> Option<usize> {
    let versions: Vec<_> = snapshot.nodes.iter().map(|node| node.name[1..6].parse::<usize>()).collect();
    let first = versions.first()?.clone().ok()?;
    (versions.len() == 3 && versions.iter().all(|other| *other == Ok(first))).then_some(first)
}

/// An open folder and everything reported about it.
struct Live {
    parent: TempDir,
    folder: PathBuf,
    options: WatchOptions,
    following: Option<(Session, Receiver<SessionEvent>)>,
    loads: usize,
    failures: Vec<String>,
    /// The longest time from the last write until it was shown.
    slowest: Duration,
}

impl Live {
    /// Prepares a folder with version 0 and one job, not opened yet.
    fn prepare(options: WatchOptions) -> Self {
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("dumps");
        fs::create_dir(&folder).unwrap();
        fill(&folder, 0);
        Self {
            parent,
            folder,
            options,
            following: None,
            loads: 0,
            failures: Vec::new(),
            slowest: Duration::ZERO,
        }
    }

    /// Prepares a folder, opens it, and waits until it is shown.
    fn start(options: WatchOptions) -> Self {
        let mut live = Self::prepare(options);
        live.open();
        live.reach(0);
        live
    }

    fn open(&mut self) {
        let (sender, events) = unbounded();
        let tell = move |event| sender.send(event).is_ok();
        let session =
            open_recording(opening(OpeningOrigin::Folder(self.folder.clone())), self.options, None, tell);
        self.following = Some((session.unwrap(), events));
        // Changes matter only once there is a watcher.
        let events = &self.following.as_ref().unwrap().1;
        while !matches!(events.recv_timeout(DEADLINE).unwrap(), SessionEvent::Reading) {}
    }

    fn nodes_file(&self) -> PathBuf {
        self.folder.join("nodes.json")
    }

    /// Puts a finished file in place, as a careful writer does.
    fn put(&self, name: &str, text: &str) {
        let next = self.folder.join(".next");
        fs::write(&next, text).unwrap();
        fs::rename(&next, self.folder.join(name)).unwrap();
    }

    /// Waits for a generation that meets the condition. Any other one meanwhile has to be whole.
    fn wait_for(&mut self, what: &str, wanted: impl Fn(&Generation) -> bool) -> Arc<Generation> {
        let deadline = Instant::now() + DEADLINE;
        loop {
            match self.event(what, deadline) {
                SessionEvent::Loaded(generation) => {
                    self.loads += 1;
                    if wanted(&generation) {
                        return generation;
                    }
                    assert!(
                        version(&generation.snapshot).is_some(),
                        "half-written nodes on the way to {what}"
                    );
                }
                SessionEvent::Failed { message, .. } => self.failures.push(message),
                _ => {}
            }
        }
    }

    /// Waits for a generation that meets the condition, whatever else arrives meanwhile.
    fn wait_for_any(&mut self, what: &str, wanted: impl Fn(&Generation) -> bool) -> Arc<Generation> {
        let deadline = Instant::now() + DEADLINE;
        loop {
            match self.event(what, deadline) {
                SessionEvent::Loaded(generation) if wanted(&generation) => return generation,
                SessionEvent::Failed { message, .. } => self.failures.push(message),
                _ => {}
            }
        }
    }

    /// Waits for this version of the nodes.
    fn reach(&mut self, wanted: usize) -> Arc<Generation> {
        let written = Instant::now();
        let found = self.wait_for(&format!("version {wanted}"), |now| version(&now.snapshot) == Some(wanted));
        self.slowest = self.slowest.max(written.elapsed());
        found
    }

    fn wait_for_failure(&mut self) -> String {
        let deadline = Instant::now() + DEADLINE;
        loop {
            match self.event("a failure", deadline) {
                SessionEvent::Failed { message, .. } => return message,
                SessionEvent::Loaded(generation) => panic!("loaded {:?}", version(&generation.snapshot)),
                _ => {}
            }
        }
    }

    fn event(&self, what: &str, deadline: Instant) -> SessionEvent {
        let events = &self.following.as_ref().unwrap().1;
        let event = events.recv_deadline(deadline);
        event.unwrap_or_else(|_| panic!("no {what}; {} loads, failures: {:?}", self.loads, self.failures))
    }

    /// Checks that nothing went wrong meanwhile.
    fn is_calm(&self) {
        assert!(self.failures.is_empty(), "{:?}", self.failures);
        if std::env::var_os("QSCOPE_PROMPT").is_some() {
            let (name, took) = (thread::current().name().unwrap_or_default().to_owned(), self.slowest);
            let way = if self.options.events { "events" } else { "poll" };
            let mut out = std::io::stdout();
            writeln!(out, "{name}, by {way}: {} loads, {took:.1?} at most", self.loads).unwrap();
            assert!(self.slowest <= PROMPT, "{:?} after the last write", self.slowest);
        }
    }
}

fn opening(origin: OpeningOrigin) -> Opening {
    Opening::of(origin)
}

fn fill(folder: &Path, version: usize) {
    fs::write(folder.join("nodes.json"), nodes(version)).unwrap();
    fs::write(folder.join("jobs.json"), jobs(1)).unwrap();
}

fn pause(milliseconds: u64) {
    thread::sleep(Duration::from_millis(milliseconds));
}

fn slow_rewrite(options: WatchOptions) {
    let mut live = Live::start(options);
    for round in 1..=2 {
        let text = nodes(round);
        let mut file = File::create(live.nodes_file()).unwrap();
        for (at, chunk) in text.as_bytes().chunks(text.len().div_ceil(50)).enumerate() {
            file.write_all(chunk).unwrap();
            // Now and then for longer than a writer is given to be done.
            pause(if at % 10 == 5 { 300 } else { 5 });
        }
        drop(file);
        live.reach(round);
    }
    live.is_calm();
}

fn slow_text(options: WatchOptions) {
    let mut live = Live::prepare(options);
    fs::remove_file(live.nodes_file()).unwrap();
    fs::write(live.folder.join("nodes.txt"), nodes_text(0)).unwrap();
    live.open();
    live.reach(0);
    let text = nodes_text(1);
    let mut file = File::create(live.folder.join("nodes.txt")).unwrap();
    let (first, second) = text.split_at(text.len() / 2);
    file.write_all(first.as_bytes()).unwrap();
    pause(700);
    file.write_all(second.as_bytes()).unwrap();
    drop(file);
    live.reach(1);
    live.is_calm();
}

fn overwrite_in_place(options: WatchOptions) {
    let mut live = Live::start(options);
    for round in 1..=3 {
        let mut file = OpenOptions::new().write(true).open(live.nodes_file()).unwrap();
        file.write_all(nodes(round).as_bytes()).unwrap();
        drop(file);
        live.reach(round);
    }
    live.is_calm();
}

fn atomic_renames(options: WatchOptions) {
    let mut live = Live::start(options);
    for round in 1..=3 {
        live.put("nodes.json", &nodes(round));
        live.reach(round);
    }
    live.is_calm();
}

fn renames_of_one_size_within_a_second(options: WatchOptions) {
    let mut live = Live::start(options);
    let moment = SystemTime::UNIX_EPOCH + Duration::from_secs(1_795_226_000);
    for round in 1..=3 {
        let next = live.folder.join(".next");
        fs::write(&next, nodes(round)).unwrap();
        File::options().write(true).open(&next).unwrap().set_modified(moment).unwrap();
        fs::rename(&next, live.nodes_file()).unwrap();
        pause(50);
    }
    live.reach(3);
    live.is_calm();
}

fn symlink_swap(options: WatchOptions) {
    let mut live = Live::prepare(options);
    let parent = live.parent.path().to_path_buf();
    live.folder = parent.join("current");
    symlink("dumps", &live.folder).unwrap();
    live.open();
    live.reach(0);
    for round in 1..=2 {
        let next = parent.join(format!("dumps{round}"));
        fs::create_dir(&next).unwrap();
        fill(&next, round);
        symlink(&next, parent.join("next")).unwrap();
        fs::rename(parent.join("next"), &live.folder).unwrap();
        live.reach(round);
    }
    live.put("nodes.json", &nodes(3));
    live.reach(3);
    live.is_calm();
}

fn file_link_swap(options: WatchOptions) {
    let mut live = Live::prepare(options);
    let target = live.parent.path().join("target.json");
    fs::rename(live.nodes_file(), &target).unwrap();
    symlink(&target, live.nodes_file()).unwrap();
    live.open();
    live.reach(0);
    fs::write(&target, nodes(1)).unwrap();
    live.reach(1);
    let other = live.parent.path().join("other.json");
    fs::write(&other, nodes(2)).unwrap();
    symlink(&other, live.folder.join(".next")).unwrap();
    fs::rename(live.folder.join(".next"), live.nodes_file()).unwrap();
    live.reach(2);
    live.is_calm();
}

fn delete_and_recreate(options: WatchOptions) {
    let mut live = Live::start(options);
    for name in ["nodes.json", "jobs.json"] {
        fs::remove_file(live.folder.join(name)).unwrap();
    }
    pause(700);
    fill(&live.folder, 1);
    let generation = live.reach(1);
    assert_eq!(generation.snapshot.jobs.len(), 1);
    live.is_calm();
}

fn directory_replaced(options: WatchOptions) {
    let mut live = Live::start(options);
    let away = live.parent.path().join("away");
    fs::rename(&live.folder, &away).unwrap();
    pause(300);
    fs::create_dir(&live.folder).unwrap();
    fill(&live.folder, 1);
    live.reach(1);
    fs::write(away.join("nodes.json"), nodes(9)).unwrap();
    live.put("nodes.json", &nodes(2));
    live.reach(2);
    // Gone for good, and back: the file system may give it the number it had.
    fs::remove_dir_all(&live.folder).unwrap();
    fs::create_dir(&live.folder).unwrap();
    fill(&live.folder, 3);
    live.reach(3);
    live.put("nodes.json", &nodes(4));
    live.reach(4);
    live.is_calm();
}

fn truncated_then_completed(options: WatchOptions) {
    let mut live = Live::start(options);
    let text = nodes(1);
    let (first, second) = text.split_at(text.len() * 2 / 3);
    fs::write(live.nodes_file(), first).unwrap();
    pause(1200);
    let mut file = OpenOptions::new().append(true).open(live.nodes_file()).unwrap();
    file.write_all(second.as_bytes()).unwrap();
    drop(file);
    live.reach(1);
    assert_eq!(live.loads, 2, "the half was never shown");
    live.is_calm();
}

/// The last good generation is kept, and the fault is reported with the file and the byte.
fn half_that_stays(options: WatchOptions) {
    let mut live = Live::start(options);
    let text = nodes(1);
    let written = Instant::now();
    let half = text.len() * 3 / 4;
    live.put("nodes.json", &text[..half]);
    let failure = live.wait_for_failure();
    assert!(written.elapsed() >= Duration::from_secs(3), "reported while it was fresh");
    assert_eq!(failure, format!("nodes.json@{half}: the file ends before its last `}}`"));
    live.put("nodes.json", &nodes(2));
    live.reach(2);
    live.is_calm();
}

fn storm(options: WatchOptions) {
    let mut live = Live::start(options);
    let began = Instant::now();
    for round in 1..=5000 {
        fs::write(live.nodes_file(), nodes(round)).unwrap();
    }
    let seconds = began.elapsed().as_secs();
    live.reach(5000);
    // Three, and as many more as the poll came round on a machine that was slow to write.
    let most = 3 + seconds * if options.events { 1 } else { 5 };
    assert!(live.loads as u64 <= 1 + most, "{} rebuilds in {seconds} s", live.loads - 1);
    live.is_calm();
}

/// Bytes that are not text, line ends of another system, and a byte order mark at the start.
fn odd_bytes(options: WatchOptions) {
    let mut live = Live::start(options);
    live.put("nodes.json", &format!("\u{feff}{}", nodes(1)));
    live.reach(1);
    fs::remove_file(live.nodes_file()).unwrap();
    live.put("nodes.txt", &nodes_text(2).replace('\n', "\r\n"));
    live.reach(2);
    let text = nodes_text(3).replace("pcpus = 8", "pcpus = 8\n     comment = caf\u{1}");
    let bytes: Vec<u8> = text.bytes().map(|byte| if byte == 1 { 0xe9 } else { byte }).collect();
    fs::write(live.folder.join(".next"), bytes).unwrap();
    fs::rename(live.folder.join(".next"), live.folder.join("nodes.txt")).unwrap();
    let generation = live.reach(3);
    let comments = generation.snapshot.nodes.iter().filter(|node| node.comment.is_some()).count();
    assert_eq!(comments, 3, "the bad byte cost no more than itself");
    live.is_calm();
}

/// Returns three nodes and three jobs of two moments; `running` of the jobs run, the first on the first node and so
/// on.
fn busy(nodes_at: i64, jobs_at: i64, running: usize) -> (String, String) {
    let node = |at: usize| {
        let jobs = if at < running { format!("\"jobs\": [\"{}.head1/0\"],", at + 1) } else { String::new() };
        let taken = if at < running { 8 } else { 0 };
        format!(
            "\"n{at}\": {{ \"Mom\": \"head\", \"state\": \"free\", {jobs} \"resources_available\": {{ \"host\": \
             \"h{at}\", \"ncpus\": 8 }}, \"resources_assigned\": {{ \"ncpus\": {taken} }} }}"
        )
    };
    let job = |at: usize| {
        let how = if at < running {
            format!("\"job_state\": \"R\", \"exec_vnode\": \"(n{at}:ncpus=8)\"")
        } else {
            "\"job_state\": \"Q\"".to_owned()
        };
        format!(
            "\"{}.head1\": {{ \"Job_Owner\": \"ann@head1\", {how}, \"queue\": \"workq\", \"Resource_List\": {{ \
             \"select\": \"1:ncpus=8\", \"ncpus\": 8, \"walltime\": \"10:00:00\" }} }}",
            at + 1
        )
    };
    let all = |one: &dyn Fn(usize) -> String| (0..3).map(one).collect::<Vec<_>>().join(",\n");
    let head = |at| format!("{{ \"timestamp\": {at}, \"pbs_server\": \"head1\",");
    let nodes = format!("{} \"nodes\": {{\n{}\n}} }}\n", head(nodes_at), all(&node));
    let jobs = format!("{} \"Jobs\": {{\n{}\n}} }}\n", head(jobs_at), all(&job));
    (nodes, jobs)
}

/// A writer that dumps the jobs fifteen seconds after the nodes, by its own clock: in between one of the two is old.
fn nodes_then_jobs_later(options: WatchOptions) {
    const START: i64 = 1_795_226_000;
    let mut live = Live::prepare(options);
    let write = |live: &Live, round: i64, running: usize, which: &str| {
        let (nodes, jobs) = busy(START + 60 * round, START + 60 * round + 15, running);
        live.put(which, if which == "jobs.json" { &jobs } else { &nodes });
    };
    write(&live, 0, 1, "nodes.json");
    write(&live, 0, 1, "jobs.json");
    live.open();
    let is_of = |nodes: i64, jobs: i64| {
        move |now: &Generation| {
            let moments = DumpTimes::of(&now.snapshot);
            moments.nodes.map(|at| at.0) == Some(START + 60 * nodes)
                && moments.jobs.map(|at| at.0) == Some(START + 60 * jobs + 15)
        }
    };
    let first = live.wait_for_any("both", is_of(0, 0));
    assert_eq!(DumpTimes::of(&first.snapshot).skew().as_deref(), Some("jobs 15s newer than nodes"));

    // Job 2 has started. The jobs come after the nodes were given up waiting for, which stands for the 15 seconds.
    write(&live, 1, 2, "nodes.json");
    let half = live.wait_for_any("the nodes alone", is_of(1, 0));
    assert_eq!(half.late_dump.as_deref(), Some("nodes 45s newer than jobs"));
    let found = Comparison::of(&first.run, &half.run);
    assert_eq!((found.jobs.len(), found.nodes.len()), (0, 1), "{found:?}");
    write(&live, 1, 2, "jobs.json");
    let whole = live.wait_for_any("the jobs", is_of(1, 1));
    assert_eq!(whole.late_dump, None);
    let changes = |before: &Generation, after: &Generation| -> Vec<String> {
        let found = Comparison::of(&before.run, &after.run);
        found.jobs.iter().map(|change| format!("{} {}", change.job, change.kind.word())).collect()
    };
    assert_eq!(changes(&half, &whole), ["2.head1 started"]);
    assert_eq!(changes(&first, &whole), ["2.head1 started"]);
    // The starts are compared with the prediction of the last whole generation.
    let score = whole.agreement.as_ref().unwrap().total_score;
    assert_eq!((score.starts, score.predicted), (1, 1));

    // Nothing happens, and no change is reported.
    write(&live, 2, 2, "nodes.json");
    let half = live.wait_for_any("the nodes again", is_of(2, 1));
    assert!(!Comparison::of(&whole.run, &half.run).differs());
    write(&live, 2, 2, "jobs.json");
    let last = live.wait_for_any("the jobs again", is_of(2, 2));
    assert!(!Comparison::of(&whole.run, &last.run).differs());
    live.is_calm();
}

fn unreadable(options: WatchOptions) {
    let mut live = Live::start(options);
    let jobs_file = live.folder.join("jobs.json");
    fs::remove_file(&jobs_file).unwrap();
    symlink("jobs.json", &jobs_file).unwrap();
    // Not an empty queue: the last good reading stays.
    let message = live.wait_for_failure();
    assert!(message.starts_with("jobs.json: cannot be read: "), "{message}");
    live.put("jobs.json", &jobs(3));
    live.wait_for("jobs again", |now| now.snapshot.jobs.len() == 3);

    fs::remove_file(live.nodes_file()).unwrap();
    fs::create_dir(live.nodes_file()).unwrap();
    assert!(live.wait_for_failure().contains("nodes"));
    fs::remove_dir(live.nodes_file()).unwrap();
    live.put("nodes.json", &nodes(1));
    live.put("jobs.json", &jobs(2));
    live.wait_for("both again", |now| now.snapshot.jobs.len() == 2 && version(&now.snapshot) == Some(1));
}

fn empty_nodes(options: WatchOptions) {
    let mut live = Live::start(options);
    let written = Instant::now();
    fs::write(live.nodes_file(), "").unwrap();
    let message = live.wait_for_failure();
    assert!(written.elapsed() >= Duration::from_secs(3), "an error for a file in the making");
    assert!(message.contains("nodes.json") && message.contains("empty"), "{message}");
    fs::write(live.nodes_file(), nodes(1)).unwrap();
    live.reach(1);
    assert_eq!(live.loads, 2);
}

fn empty_jobs(options: WatchOptions) {
    let mut live = Live::start(options);
    fs::write(live.folder.join("jobs.json"), "").unwrap();
    pause(800);
    fs::write(live.folder.join("jobs.json"), jobs(3)).unwrap();
    live.wait_for("three jobs", |now| now.snapshot.jobs.len() == 3);
    assert_eq!(live.loads, 2, "an empty list was never shown");

    fs::write(live.folder.join("jobs.json"), "").unwrap();
    let generation = live.wait_for("no jobs", |now| now.snapshot.jobs.is_empty());
    assert_eq!(version(&generation.snapshot), Some(0));
    live.is_calm();
}

fn gone_and_back_to_the_same(options: WatchOptions) {
    let mut live = Live::start(options);
    fs::write(live.nodes_file(), "no dump at all\n").unwrap();
    live.wait_for_failure();
    fs::write(live.nodes_file(), nodes(0)).unwrap();
    assert_eq!(live.reach(0).number, 1, "the last good generation counts again");
}

/// Without the file of the server its limits would seem to be gone.
fn server_gone(options: WatchOptions) {
    let mut live = Live::prepare(options);
    let server = "{ \"Server\": { \"head1\": { \"server_state\": \"Active\", \"max_run\": \"[u:PBS_GENERIC=1]\" } } }\n";
    live.put("server.json", server);
    live.open();
    live.reach(0);
    fs::remove_file(live.folder.join("server.json")).unwrap();
    assert_eq!(live.wait_for_failure(), "server.json is not there any more");
    live.put("server.json", server);
    let again = live.reach(0);
    assert_eq!((again.number, again.snapshot.server.limits.entries.len()), (1, 1));
}

type Scenario = fn(WatchOptions);

const SCENARIOS: [(&str, Scenario); 19] = [
    ("slow rewrite", slow_rewrite),
    ("slow text", slow_text),
    ("overwrite in place", overwrite_in_place),
    ("atomic renames", atomic_renames),
    ("renames of one size within a second", renames_of_one_size_within_a_second),
    ("symlink swap", symlink_swap),
    ("file link swap", file_link_swap),
    ("delete and recreate", delete_and_recreate),
    ("directory replaced", directory_replaced),
    ("truncated then completed", truncated_then_completed),
    ("half that stays", half_that_stays),
    ("storm", storm),
    ("odd bytes", odd_bytes),
    ("nodes, then jobs later", nodes_then_jobs_later),
    ("unreadable", unreadable),
    ("empty nodes", empty_nodes),
    ("empty jobs", empty_jobs),
    ("gone and back to the same", gone_and_back_to_the_same),
    ("server gone", server_gone),
];

/// Runs the scenarios at the same time, each in its own folder: they mostly wait.
fn all(options: WatchOptions) {
    let running = SCENARIOS.map(|(name, scenario)| {
        (name, thread::Builder::new().name(name.to_owned()).spawn(move || scenario(options)).unwrap())
    });
    let broken: Vec<_> =
        running.into_iter().filter_map(|(name, thread)| thread.join().is_err().then_some(name)).collect();
    assert!(broken.is_empty(), "{broken:?}");
}

#[test]
fn every_way_of_writing_converges_by_events() {
    all(BY_EVENTS);
}

#[test]
fn every_way_of_writing_converges_by_the_poll_alone() {
    all(BY_POLL);
}

#[test]
fn what_is_watched_and_how_is_told() {
    for (options, words) in [(BY_EVENTS, "inotify"), (BY_POLL, "poll 0.2 s")] {
        let mut live = Live::prepare(options);
        let (sender, events) = unbounded();
        let tell = move |event| sender.send(event).is_ok();
        let opening = opening(OpeningOrigin::Folder(live.folder.clone()));
        live.following = Some((open_recording(opening, options, None, tell).unwrap(), events));
        // Reported before anything is read: a change before the watcher is ready could go unnoticed.
        let first = live.event("words", Instant::now() + DEADLINE);
        let SessionEvent::Watching(said) = first else { panic!("{first:?}") };
        // A temporary folder may be on a file system where the poll is what counts.
        let said = said.to_string();
        assert!(said.contains(words) || said.contains("s, "), "{said}");
    }
}

#[test]
fn the_sample_is_read_once_and_again_when_asked() {
    let (sender, events) = unbounded();
    let session = open(opening(OpeningOrigin::BuiltIn), move |event| sender.send(event).is_ok()).unwrap();
    let next = || events.recv_timeout(DEADLINE).unwrap();
    assert!(matches!(next(), SessionEvent::Reading));
    assert!(matches!(next(), SessionEvent::Loaded(generation) if generation.number == 1));
    session.reload();
    assert!(matches!(next(), SessionEvent::Reading));
    assert!(matches!(next(), SessionEvent::Unchanged));
    drop(session);
    assert!(events.recv_timeout(DEADLINE).is_err(), "the worker is gone, and its sender with it");
}

#[test]
fn a_session_ends_when_its_receiver_is_gone() {
    let live = Live::prepare(BY_EVENTS);
    let (sender, events) = unbounded();
    let tell = move |event| {
        sender.send(event).unwrap();
        false
    };
    let _session =
        open_recording(opening(OpeningOrigin::Folder(live.folder.clone())), BY_EVENTS, None, tell).unwrap();
    events.recv_timeout(DEADLINE).unwrap();
    let end = events.recv_timeout(DEADLINE);
    assert!(matches!(end, Err(crossbeam_channel::RecvTimeoutError::Disconnected)), "{end:?}");
}

#[test]
fn a_reload_looks_at_once_and_says_that_nothing_changed() {
    let mut live = Live::start(BY_EVENTS);
    live.following.as_ref().unwrap().0.reload();
    loop {
        match live.event("an answer", Instant::now() + DEADLINE) {
            SessionEvent::Unchanged => break,
            SessionEvent::Loaded(generation) => panic!("loaded again: {}", generation.number),
            _ => {}
        }
    }
    live.put("nodes.json", &nodes(1));
    live.following.as_ref().unwrap().0.reload();
    live.reach(1);
}

/// The prediction of a generation is compared with the next one of another moment.
#[test]
fn starts_between_generations_are_predicted() {
    let case = real::named("c01");
    let root = case.on_disk();
    let folder = root.path().join("before");
    fs::remove_file(folder.join("now")).unwrap();
    let (sender, events) = unbounded();
    let tell = move |event| sender.send(event).is_ok();
    let _session =
        open_recording(opening(OpeningOrigin::Folder(folder.clone())), BY_POLL, None, tell).unwrap();
    let next = |number: u64| loop {
        let SessionEvent::Loaded(generation) = events.recv_timeout(DEADLINE).unwrap() else { continue };
        if generation.number >= number {
            return generation;
        }
    };
    let first = next(1).agreement.clone().unwrap();
    assert!(first.prediction.is_none() && first.log.is_err());
    assert_eq!((first.summary().as_str(), first.total_score.starts), ("no evidence", 0));
    let put = |name: &str| {
        let text = fs::read(root.path().join("after").join(name)).unwrap();
        fs::write(folder.join(".next"), text).unwrap();
        fs::rename(folder.join(".next"), folder.join(name)).unwrap();
    };
    put("nodes.json");
    put("jobs-t.json");
    let mut number = 2;
    let agreement = loop {
        let generation = next(number);
        let agreement = generation.agreement.clone().unwrap();
        if agreement.prediction.is_some() {
            break agreement;
        }
        number = generation.number + 1;
    };
    let score = agreement.total_score;
    assert_eq!((score.starts, score.predicted, score.same_nodes), (13, 13, 13));
    assert!(agreement.summary().contains("13 of 13 starts"), "{}", agreement.summary());
}
