//! The real program in a pseudo-terminal: it opens, steps, leaves nothing behind, and exits with the right code.

#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests fail as tests do")]

use std::io::{Read, Write};
use std::path::Path;
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};

use crate::whole_frames::WholeFrames;

/// The program and the screen that its bytes draw.
pub(crate) struct Program {
    child: Box<dyn Child + Send + Sync>,
    master: Box<dyn MasterPty + Send>,
    keys: Box<dyn Write + Send>,
    bytes: Receiver<Vec<u8>>,
    frames: WholeFrames,
    screen: vt100::Parser,
    /// Number of bytes that came since the last count.
    came: usize,
    /// Whether the program requested the background colour.
    pub(crate) was_asked_for_its_ground: bool,
}

impl Program {
    pub(crate) fn start(arguments: &[&str], columns: u16, rows: u16) -> Self {
        Self::start_in(&Path::new(env!("CARGO_MANIFEST_DIR")).join("samples"), arguments, columns, rows)
    }

    /// Does the same in another working folder.
    pub(crate) fn start_in(folder: &Path, arguments: &[&str], columns: u16, rows: u16) -> Self {
        Self::start_built(env!("CARGO_BIN_EXE_qscope"), folder, arguments, (columns, rows))
    }

    /// Does the same on the samples, with these environment variables.
    pub(crate) fn start_with(variables: &[(&str, &str)], arguments: &[&str], size: (u16, u16)) -> Self {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples");
        Self::spawn(env!("CARGO_BIN_EXE_qscope"), &folder, (arguments, variables), size)
    }

    /// Does the same with another build of the program.
    pub(crate) fn start_built(program: &str, folder: &Path, arguments: &[&str], size: (u16, u16)) -> Self {
        Self::spawn(program, folder, (arguments, &[]), size)
    }

    fn spawn(
        program: &str,
        folder: &Path,
        (arguments, variables): (&[&str], &[(&str, &str)]),
        (columns, rows): (u16, u16),
    ) -> Self {
        let size = PtySize { rows, cols: columns, pixel_width: 0, pixel_height: 0 };
        let pair = native_pty_system().openpty(size).unwrap();
        let mut command = CommandBuilder::new(program);
        command.args(arguments);
        command.cwd(folder);
        // A variable of the terminal in which the tests run is none of this one's.
        let usual = [("LC_ALL", "C.UTF-8"), ("TERM", "xterm-256color"), ("NO_COLOR", ""), ("COLORFGBG", "")];
        for (name, value) in usual.iter().chain(variables) {
            command.env(name, value);
        }
        let child = pair.slave.spawn_command(command).unwrap();
        drop(pair.slave);
        let mut reader = pair.master.try_clone_reader().unwrap();
        let (sender, bytes) = channel();
        thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(n @ 1..) = reader.read(&mut buffer) {
                if sender.send(buffer.iter().take(n).copied().collect()).is_err() {
                    break;
                }
            }
        });
        let keys = pair.master.take_writer().unwrap();
        Self {
            child,
            master: pair.master,
            keys,
            bytes,
            frames: WholeFrames::default(),
            screen: vt100::Parser::new(rows, columns, 0),
            came: 0,
            was_asked_for_its_ground: false,
        }
    }

    /// Returns the colour that most of the screen is drawn on.
    pub(crate) fn ground(&self) -> vt100::Color {
        let cell = self.screen.screen().cell(0, 0);
        cell.map_or(vt100::Color::Default, vt100::Cell::bgcolor)
    }

    /// Reads what the program draws until the screen is as expected.
    pub(crate) fn wait_until(&mut self, what: &str, expected: impl Fn(&str) -> bool) -> String {
        let deadline = Instant::now() + Duration::from_secs(30);
        loop {
            let seen = self.screen.screen().contents();
            if expected(&seen) {
                return seen;
            }
            match self.bytes.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok(more) => self.take(&more),
                Err(_) => panic!("{what} never came; the screen is\n{seen}"),
            }
        }
    }

    /// Returns the number of its process.
    pub(crate) fn id(&self) -> String {
        self.child.process_id().unwrap_or_default().to_string()
    }

    /// Reads what the program draws for this time; returns the screen then.
    pub(crate) fn watch(&mut self, time: Duration) -> String {
        self.count_for(time);
        self.screen.screen().contents()
    }

    fn take(&mut self, bytes: &[u8]) {
        self.came += bytes.len();
        const REQUEST: &[u8] = b"\x1b]11;?\x07";
        self.was_asked_for_its_ground |= bytes.windows(REQUEST.len()).any(|part| part == REQUEST);
        self.screen.process(&self.frames.take(bytes));
    }

    /// Waits until nothing has come for `quiet`, and counts what came since the last count.
    fn count(&mut self, quiet: Duration) -> usize {
        while let Ok(more) = self.bytes.recv_timeout(quiet) {
            self.take(&more);
        }
        std::mem::take(&mut self.came)
    }

    /// Counts what comes within this time.
    fn count_for(&mut self, time: Duration) -> usize {
        let deadline = Instant::now() + time;
        while let Ok(more) = self.bytes.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            self.take(&more);
        }
        std::mem::take(&mut self.came)
    }

    pub(crate) fn wait_for(&mut self, text: &str) -> String {
        self.wait_until(text, |seen| seen.contains(text))
    }

    pub(crate) fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
        self.keys.flush().unwrap();
    }

    pub(crate) fn code(mut self) -> u32 {
        let deadline = Instant::now() + Duration::from_secs(30);
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.exit_code();
            }
            assert!(Instant::now() < deadline, "does not end");
            thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        drop(self.child.kill());
    }
}

#[test]
fn a_folder_opens_steps_and_closes() {
    let mut program = Program::start(&["sets-8"], 80, 24);
    program.wait_for("0/6");
    let first = program.wait_for("Queue in the order");
    assert!(first.contains("SNAPSHOT") && first.contains("sets-8"), "{first}");
    program.press(".");
    program.wait_for("STEP 1/6");
    program.press("}");
    program.wait_for("Decision · 5 · step 5");
    program.press("?");
    program.wait_for("Help · Cycle · ");
    program.press("\u{1b}");
    program.wait_until("the help closed", |seen| !seen.contains("Help · Cycle · "));
    program.press("q");
    assert_eq!(program.wait_until_gone(), 0);
}

impl Program {
    /// Returns the exit code, once the original screen is restored.
    fn wait_until_gone(mut self) -> u32 {
        self.wait_until("the old screen", |seen| seen.trim().is_empty());
        assert!(!self.screen.screen().alternate_screen());
        self.code()
    }
}

#[test]
fn without_a_folder_the_built_in_sample_opens_in_ascii_too() {
    let mut program = Program::start(&["--ascii", "--color", "never"], 120, 40);
    let seen = program.wait_for("0/23");
    assert!(seen.contains("head1"), "{seen}");
    assert!(seen.is_ascii(), "{seen}");
    program.press("q");
    assert_eq!(program.wait_until_gone(), 0);
}

#[test]
fn a_folder_that_is_not_there_is_reported_and_can_be_left() {
    let mut program = Program::start(&["not-there"], 80, 24);
    let seen = program.wait_for("ERROR");
    assert!(seen.contains("not-there"), "{seen}");
    program.press("q");
    assert_eq!(program.wait_until_gone(), 2);
}

#[test]
fn another_size_is_another_layout() {
    let mut program = Program::start(&["sets-8"], 80, 24);
    program.wait_for("0/6");
    let size = PtySize { rows: 40, cols: 120, pixel_width: 0, pixel_height: 0 };
    program.screen.screen_mut().set_size(40, 120);
    program.master.resize(size).unwrap();
    program.wait_for("Nodes × time");
    program.press("\u{3}");
    assert_eq!(program.wait_until_gone(), 0);
}

#[test]
fn alerts_stand_on_the_first_screen_and_the_board_is_one_key_away() {
    let (_disk, folder) = crate::console_board::troubled();
    let mut program = Program::start(&[folder.to_str().unwrap()], 80, 24);
    program.wait_until("the gravest alert", |seen| {
        seen.contains(crate::console_board::TROUBLE[0]) && seen.contains(" more")
    });
    program.press("R");
    program.wait_for("core-hours");
    program.press("q");
    assert_eq!(program.wait_until_gone(), 0);
}

/// Prints figures for runs of the tests with `--nocapture`.
fn report(figures: &str) {
    std::io::stderr().write_all(format!("{figures}\n").as_bytes()).unwrap();
}

const QUIET: Duration = Duration::from_millis(400);

/// Limits the bytes that a step sends at 80 columns and 24 rows, in colour.
#[test]
fn a_step_on_a_small_screen_sends_few_bytes() {
    let (_disk, folder) = crate::console_board::troubled();
    let mut program = Program::start(&[folder.to_str().unwrap()], 80, 24);
    program.wait_until("the whole", |seen| seen.contains(" 9Q ") && !seen.contains("READING"));
    program.count(QUIET);
    let mut steps = Vec::new();
    for step in 1..=9 {
        program.press(".");
        program.wait_for(&format!("STEP {step}/9"));
        steps.push(program.count(QUIET));
    }
    // The first step shows other things in the upper pane, as another view would.
    let first = steps.remove(0);
    let most = *steps.iter().max().unwrap();
    report(&format!("a step at 80x24: first {first}, then {steps:?} bytes"));
    assert!(most <= SMALL_STEP_MOST && first <= SMALL_CHANGE_MOST, "{first} {steps:?}");
    program.press("q");
    assert_eq!(program.wait_until_gone(), 0);
}

/// Maximum number of bytes that a step sends at 80 columns and 24 rows, and that another view sends.
const SMALL_STEP_MOST: usize = 2000;
const SMALL_CHANGE_MOST: usize = 6000;

/// Limits the bytes sent over a slow line, at 200 columns and 60 rows in colour: for a step, a refresh, a tick of the
/// age, and no change.
#[test]
fn bytes_to_the_terminal_are_few_and_none_when_nothing_happens() {
    let (_disk, folder) = crate::console_board::troubled();
    let mut program = Program::start(&[folder.to_str().unwrap()], 200, 60);
    program.wait_until("the whole", |seen| seen.contains("step 0/9") && !seen.contains("READING"));
    let opening = program.count(QUIET);
    let idle = program.count_for(Duration::from_secs(4));

    let mut steps = Vec::new();
    for step in (1..=9).chain((0..9).rev()) {
        program.press(if steps.len() < 9 { "." } else { "," });
        program.wait_for(&format!("STEP {step}/9"));
        steps.push(program.count(QUIET));
    }
    program.press("F");
    program.count(QUIET);

    let mut refreshes = Vec::new();
    for (at, node) in ["cn014", "cn016", "cn017"].iter().enumerate() {
        let text = std::fs::read_to_string(folder.join("nodes.json")).unwrap();
        let mut nodes: serde_json::Value = serde_json::from_str(&text).unwrap();
        nodes["nodes"][*node]["state"] = "offline".into();
        std::fs::write(folder.join(".n"), nodes.to_string()).unwrap();
        std::fs::rename(folder.join(".n"), folder.join("nodes.json")).unwrap();
        program.wait_for(&format!(" {} out ", 5 + at));
        refreshes.push(program.count(QUIET));
    }
    // The first step and the way back to the start change the upper panes, as another view would.
    let changes = [steps.remove(0), steps.pop().unwrap()];
    assert!(changes.iter().all(|bytes| *bytes <= CHANGE_MOST), "{changes:?}");
    let mean = steps.iter().sum::<usize>() / steps.len();
    let most = steps.iter().max().unwrap();
    report(&format!("opening {opening} bytes, idle {idle}, a step {mean} (at most {most}): {steps:?}"));
    report(&format!("a refresh with one node changed: {refreshes:?} bytes"));
    assert_eq!(idle, 0, "nothing is drawn when nothing changed");
    assert!(opening <= 40_000, "{opening}");
    assert!(*most <= STEP_MOST && mean <= STEP_MEAN, "{steps:?}");
    assert!(refreshes.iter().all(|bytes| *bytes <= REFRESH_MOST), "{refreshes:?}");
    program.press("q");
    assert_eq!(program.wait_until_gone(), 0);
}

/// Maximum number of bytes of a refresh with one changed node: the number of free nodes changes in every event.
const REFRESH_MOST: usize = 4500;

/// Maximum number of bytes that another view sends.
const CHANGE_MOST: usize = 30_000;
/// Maximum and mean number of bytes that a step or a refresh sends.
const STEP_MOST: usize = 4000;
const STEP_MEAN: usize = 3000;

#[test]
fn the_age_of_fresh_dumps_costs_a_few_bytes_a_second() {
    let (_disk, folder) = crate::console_board::troubled();
    std::fs::remove_file(folder.join("now")).unwrap();
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs();
    for name in ["nodes.json", "jobs.json", "jobs-t.json"] {
        let Ok(text) = std::fs::read_to_string(folder.join(name)) else { continue };
        let mut dump: serde_json::Value = serde_json::from_str(&text).unwrap();
        dump["timestamp"] = now.into();
        std::fs::write(folder.join(name), dump.to_string()).unwrap();
    }
    let mut program = Program::start(&[folder.to_str().unwrap()], 200, 60);
    program.wait_until("the whole", |seen| seen.contains("s old") && !seen.contains("READING"));
    program.count(Duration::from_millis(200));
    let seconds = 4;
    let bytes = program.count_for(Duration::from_secs(seconds));
    report(&format!("the age in the header: {bytes} bytes in {seconds} s"));
    assert!(bytes <= 120 * usize::try_from(seconds).unwrap(), "{bytes}");
    program.press("q");
    assert_eq!(program.wait_until_gone(), 0);
}

/// Returns a site whose clients print the dumps of a live server.
fn site() -> crate::collect::Site {
    let site = crate::collect::Site::new();
    let (disk, folder) = crate::console_board::troubled();
    let dumps = site.bin.path().join("dumps");
    std::fs::create_dir(&dumps).unwrap();
    for name in ["nodes.json", "jobs-t.json", "queues.json", "server.json", "sched.txt", "resources.txt"] {
        std::fs::copy(folder.join(name), dumps.join(name)).unwrap();
    }
    drop(disk);
    let cat = |name: &str| format!("cat {}", dumps.join(name).display());
    site.client("pbsnodes", &cat("nodes.json"));
    let which = format!(
        "case $1 in -Q) {};; -B) {};; *) {};; esac",
        cat("queues.json"),
        cat("server.json"),
        cat("jobs-t.json")
    );
    site.client("qstat", &which);
    site.client(
        "qmgr",
        &format!("case \"$2\" in *sched) {};; *) {};; esac", cat("sched.txt"), cat("resources.txt")),
    );
    site.client("pbs_rstat", "exit 0");
    site.client("pbsfs", "echo only root may ask >&2; exit 1");
    site
}

#[test]
fn the_console_fills_its_folder_itself_and_leaves_nothing_behind() {
    for by_signal in [false, true] {
        let site = site();
        let into = site.into.path().join("new");
        let paths = [into.to_str().unwrap(), site.bin.path().to_str().unwrap()].map(str::to_owned);
        let arguments =
            [&*paths[0], "--collect", "--every", "1s", "--bin", &*paths[1], "--pbs-home", "/nowhere"];
        let mut program = Program::start(&arguments, 100, 30);
        program.wait_for("scheduling off: 6 jobs would start");
        program.press("D");
        let expected =
            ["collecting: ", "nodes.json", " kB", "none: pbsfs ended with exit status: 1: only root may ask"];
        program.wait_until("what was collected", |seen| expected.iter().all(|part| seen.contains(part)));
        program.press("\u{1b}");
        let pid = site.bin.path().join("pid");
        site.client(
            "pbsnodes",
            &format!("sleep 300 & echo $! > {}.new; mv {0}.new {0}; wait", pid.display()),
        );
        let deadline = Instant::now() + Duration::from_secs(60);
        while !pid.exists() {
            assert!(Instant::now() < deadline, "no second round");
            program.count_for(Duration::from_millis(50));
        }
        if by_signal {
            let pid = program.child.process_id().unwrap();
            let pid = rustix::process::Pid::from_raw(pid.try_into().unwrap()).unwrap();
            rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
            assert_eq!(program.wait_until_gone(), 143);
        } else {
            program.press("q");
            assert_eq!(program.wait_until_gone(), 0);
        }
        assert!(crate::collect::is_gone(&pid), "the client that ran is still there");
        let drafts = std::fs::read_dir(&into)
            .unwrap()
            .filter(|entry| entry.as_ref().unwrap().file_name().to_string_lossy().starts_with(".qscope-"));
        assert_eq!(drafts.count(), 0, "a temporary file is left");
    }
}

/// With `--record` every snapshot on the screen is kept, readable by its owner only, and the first line states that.
#[test]
fn the_console_records_what_it_shows() {
    use std::os::unix::fs::PermissionsExt;

    let folder = tempfile::tempdir().unwrap();
    let (dumps, kept) = (folder.path().join("dumps"), folder.path().join("rec"));
    std::fs::create_dir(&dumps).unwrap();
    let put = |name: &str, text: &str| {
        std::fs::write(folder.path().join("next"), text).unwrap();
        std::fs::rename(folder.path().join("next"), dumps.join(name)).unwrap();
    };
    let queue = |now: i64| format!("now = {now}\n[[queue]]\nname = \"q\"\n");
    put("nodes.toml", "[[node]]\nname = \"n1\"\navailable = { ncpus = 4 }\n");
    put("queue.toml", &queue(1_763_700_000));
    let [dumps, rec] = [&dumps, &kept].map(|path| path.to_str().unwrap().to_owned());
    let mut program = Program::start(&[&dumps, "--record", &rec], 120, 30);
    program.wait_for("REC #1");
    put("queue.toml", &queue(1_763_700_060));
    program.wait_for("REC #2");
    program.press("q");
    assert_eq!(program.code(), 0);
    let recording = qscope::record::Recording::open(&kept).unwrap();
    assert_eq!((recording.moments().len(), recording.damage().len()), (2, 0));
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&kept), mode(&kept.join("00000001.qrec"))), (0o700, 0o600));
    let mut reader = qscope::record::RecordingReader::new(&recording);
    for (nth, now) in [(0, 1_763_700_000), (1, 1_763_700_060)] {
        let files = reader.files(nth).unwrap();
        let snapshot = qscope::source::load(&files, &qscope::source::LoadOptions::default()).unwrap();
        assert_eq!((snapshot.now.0, snapshot.nodes.len()), (now, 1));
    }
    // A recording does not change, and the folder of the dumps is not the recording's.
    for (opened, into, why) in [(&rec, "other", "needs a folder of dumps"), (&dumps, &*dumps, "name another")]
    {
        let into = folder.path().join(into);
        let arguments = [&**opened, "--record", into.to_str().unwrap()];
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_qscope"));
        let ended = command.args(arguments).stdin(std::process::Stdio::null()).output().unwrap();
        let wrong = String::from_utf8_lossy(&ended.stderr).into_owned();
        assert!(ended.status.code() == Some(2) && wrong.contains(why), "{wrong}");
    }
}

/// The tour names the next key, and the following one once that was pressed.
#[test]
fn the_tour_leads_from_key_to_key() {
    let mut program = Program::start(&["tour"], 80, 24);
    program.wait_for(" 0/10 ");
    program.wait_for("Queue in the order");
    program.press("x");
    program.wait_for("the tour goes on with .: consider the first job");
    program.press(".");
    let seen = program.wait_for(" 1/10 ");
    assert!(seen.contains("STEP 1/") && seen.contains("i: step into the decision"), "{seen}");
    program.press("q");
    assert_eq!(program.code(), 0);
}

/// The contents of finished files are on the screen at once, and the file that is awaited is named.
#[test]
fn a_file_that_is_still_written_does_not_hold_up_the_first_picture() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write("nodes.json", "{\"timestamp\":100,\"nodes\":{\"vega7\":{\"Mom\":\"vega7\",\"state\":\"free\"}}}\n");
    write("jobs.json", "{\"timestamp\":100,\"Jobs\":{");
    let mut program = Program::start(&[folder.path().to_str().unwrap()], 160, 40);
    program.wait_until("the first picture", |seen| {
        seen.contains("vega7") && seen.contains("jobs.json is not finished")
    });
    write("jobs.json", "{\"timestamp\":100,\"Jobs\":{}}\n");
    program.wait_until("the whole", |seen| seen.contains("vega7") && !seen.contains("not finished"));
    program.press("q");
    assert_eq!(program.code(), 0);
}

/// A theme's file is read again when it changes; if it cannot be read, the last theme stays.
#[test]
fn a_theme_file_is_followed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mine.toml");
    std::fs::write(&path, "[roles]\n").unwrap();
    let mut program = Program::start(&["campus", "--theme", path.to_str().unwrap()], 120, 40);
    program.wait_for("Queue");
    std::fs::write(&path, "[roles]\nheading = { mods = [\"italic\"] }\n").unwrap();
    program.wait_for("theme mine read");
    std::fs::write(&path, "[roles]\nheadin = { mods = [\"italic\"] }\n").unwrap();
    program.wait_for("mine.toml:2");
    program.press("q");
    assert_eq!(program.code(), 0);
}

/// What is known at once is printed before the many runs of `--past`, and how far these are stands below it meanwhile.
#[test]
fn the_answer_stands_there_while_the_runs_of_a_past_are_counted() {
    let folder = tempfile::tempdir().unwrap();
    crate::when::log_and_cluster(folder.path());
    let mut program = Program::start_in(folder.path(), &["why", "2", "now", "--past", "log.swf"], 100, 60);
    let seen = program.wait_until("progress", |seen| {
        seen.contains("2 waits: ") && seen.contains("Ctrl-C for what there is")
    });
    assert!(!seen.contains("as a distribution"), "{seen}");
    program.wait_for("When, as a distribution");
    assert_eq!(program.code(), 1);
}
