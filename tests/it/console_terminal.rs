//! The terminal is restored: the console runs in a real pseudo-terminal and is ended in every possible way.
//!
//! The child is this test binary itself, running [`child`], which is ignored otherwise.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "helpers of tests fail as tests do"
)]

use std::io::{Read, Write};
use std::process::Command;
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};
use qscope::console::action::{Action, Context};
use qscope::console::app::{App, AppInput};
use qscope::console::keymap::Keymap;
use qscope::console::run::run;
use qscope::console::terminal::{TerminalError, TerminalOptions};
use qscope::console::views::{Effect, Update};
use qscope::console::worker::spawn;
use qscope::exits::ClipboardText;
use ratatui::Frame;
use rustix::process::{Pid, Signal, kill_process};

const VARIABLE: &str = "QSCOPE_TEST_CHILD";

/// An app that shows the last input.
struct Echo {
    keymap: Keymap,
    line: String,
    frames: usize,
}

impl App for Echo {
    type Message = String;

    fn context(&self) -> Context {
        Context::List
    }

    fn keymap(&self) -> &Keymap {
        &self.keymap
    }

    fn update(&mut self, input: AppInput<String>) -> Update {
        self.frames += 1;
        self.line = match input {
            AppInput::Action(Action::Quit) => return Update::unchanged().with(Effect::Quit),
            AppInput::Action(Action::Suspend) => return Update::unchanged().with(Effect::Suspend),
            AppInput::Action(Action::Copy) => {
                return Update::unchanged().with(Effect::Copy("id", ClipboardText::line("4711")));
            }
            AppInput::Action(Action::Reload) => return Update::unchanged().with(Effect::Reload),
            AppInput::Action(Action::StepBack) => panic!("the interface fell over"),
            AppInput::Action(Action::Freeze) => loop {
                thread::sleep(Duration::from_secs(1));
            },
            AppInput::WorkerFailed { name, text } => format!("<{name} failed: {text}>"),
            other => format!("<{other:?}>"),
        };
        Update::changed()
    }

    fn render(&self, frame: &mut Frame<'_>) {
        // On a row of its own and without spaces, or only what differs from the last frame would be sent.
        let row = frame.area().rows().nth(self.frames % 9).unwrap_or_default();
        frame.render_widget(self.line.replace(' ', "_"), row);
    }
}

/// Runs the program under test.
#[test]
#[ignore = "the other tests run it, in a terminal of its own"]
fn child() {
    assert!(std::env::var_os(VARIABLE).is_some(), "only the other tests run it");
    let options = TerminalOptions { mouse: true, color: true, queries_background: false };
    let ended = run(options, |post| {
        let app = Echo { keymap: Keymap::default(), line: String::new(), frames: 0 };
        let start = move |_| drop(spawn("reader", post.clone(), |_| panic!("worker down")));
        (app, start)
    });
    let code = match ended {
        Ok(exit) => exit.code(),
        Err(error) => {
            writeln!(std::io::stderr(), "{error}").unwrap();
            TerminalError::EXIT_CODE
        }
    };
    std::process::exit(i32::from(code));
}

const ARGUMENTS: [&str; 4] = ["console_terminal::child", "--exact", "--ignored", "--nocapture"];

struct Session {
    child: Box<dyn Child + Send + Sync>,
    /// Kept open, since otherwise the child would receive a hangup.
    master: Box<dyn MasterPty + Send>,
    keys: Box<dyn Write + Send>,
    bytes: Receiver<Vec<u8>>,
    seen: String,
}

impl Session {
    fn start() -> Self {
        let size = PtySize { rows: 10, cols: 100, pixel_width: 0, pixel_height: 0 };
        let pair = native_pty_system().openpty(size).unwrap();
        let mut command = CommandBuilder::new(std::env::current_exe().unwrap());
        command.args(ARGUMENTS);
        command.env(VARIABLE, "1");
        command.env("RUST_BACKTRACE", "0");
        let child = pair.slave.spawn_command(command).unwrap();
        drop(pair.slave);
        let mut reader = pair.master.try_clone_reader().unwrap();
        let (sender, bytes) = channel();
        thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(n @ 1..) = reader.read(&mut buffer) {
                if sender.send(buffer[..n].to_vec()).is_err() {
                    break;
                }
            }
        });
        let keys = pair.master.take_writer().unwrap();
        let mut session = Self { child, master: pair.master, keys, bytes, seen: String::new() };
        session.wait_for("Resize(");
        session
    }

    /// Waits until the text has come since the last wait, and discards everything up to its end.
    fn wait_for(&mut self, text: &str) -> String {
        let deadline = Instant::now() + Duration::from_secs(20);
        loop {
            if let Some(at) = self.seen.find(text) {
                let rest = self.seen.split_off(at + text.len());
                return std::mem::replace(&mut self.seen, rest);
            }
            let left = deadline.saturating_duration_since(Instant::now());
            match self.bytes.recv_timeout(left) {
                Ok(more) => self.seen.push_str(&String::from_utf8_lossy(&more)),
                Err(_) => panic!("{text:?} never came; seen: {:?}", self.seen),
            }
        }
    }

    fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
        self.keys.flush().unwrap();
    }

    fn pid(&self) -> Pid {
        Pid::from_raw(self.child.process_id().unwrap().try_into().unwrap()).unwrap()
    }

    fn signal(&self, signal: Signal) {
        kill_process(self.pid(), signal).unwrap();
    }

    /// Waits for the letter that the kernel gives the process's state: `T` means stopped.
    fn wait_for_state(&self, expected: char) {
        let path = format!("/proc/{}/stat", self.pid().as_raw_nonzero());
        let deadline = Instant::now() + Duration::from_secs(20);
        while Instant::now() < deadline {
            let stat = std::fs::read_to_string(&path).unwrap();
            let state = stat.rsplit(") ").next().and_then(|rest| rest.chars().next());
            if state == Some(expected) {
                return;
            }
            thread::sleep(Duration::from_millis(5));
        }
        panic!("never in state {expected}");
    }

    /// Returns the exit code, after the terminal was restored.
    fn end(mut self) -> u32 {
        self.wait_until_restored();
        self.code()
    }

    fn code(&mut self) -> u32 {
        let deadline = Instant::now() + Duration::from_secs(20);
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.exit_code();
            }
            assert!(Instant::now() < deadline, "does not end");
            thread::sleep(Duration::from_millis(5));
        }
    }

    fn wait_until_restored(&mut self) {
        let given_back = self.wait_for("\u{1b}[?25h");
        for sequence in ["\u{1b}[?1000l", "\u{1b}[?1006l", "\u{1b}[?2004l", "\u{1b}[?1049l"] {
            assert!(given_back.contains(sequence), "{sequence:?} missing in {given_back:?}");
        }
    }

    fn is_raw(&self) -> bool {
        use rustix::termios::{LocalModes, tcgetattr};
        let path = self.master.tty_name().unwrap();
        let tty = std::fs::OpenOptions::new().read(true).write(true).open(path).unwrap();
        !tcgetattr(tty).unwrap().local_modes.contains(LocalModes::ICANON)
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        drop(self.child.kill());
    }
}

#[test]
fn the_terminal_is_taken_with_clicks_but_without_movements_and_given_back_on_quit() {
    let mut session = Session::start();
    session.press("X");
    let opening = session.wait_for("Unbound");
    assert!(!opening.contains("?1003h") && !opening.contains("[6n"), "{opening:?}");
    assert!(session.is_raw());
    session.press("q");
    session.wait_until_restored();
    assert_eq!(session.code(), 0);
}

#[test]
fn every_signal_gives_the_terminal_back_and_has_its_exit_code() {
    for (signal, code) in [
        (Signal::TERM, 143),
        (Signal::HUP, 129),
        (Signal::INT, 130),
        (Signal::QUIT, 131),
        (Signal::USR1, 138),
        (Signal::USR2, 140),
        (Signal::ALARM, 142),
        (Signal::XCPU, 152),
    ] {
        let session = Session::start();
        session.signal(signal);
        assert_eq!(session.end(), code, "{signal:?}");
    }
}

#[test]
fn a_second_signal_ends_a_program_that_hangs() {
    let mut session = Session::start();
    session.press("f");
    thread::sleep(Duration::from_millis(100));
    session.signal(Signal::TERM);
    thread::sleep(Duration::from_millis(100));
    session.signal(Signal::INT);
    assert_eq!(session.end(), 130);
}

#[test]
fn a_panic_of_the_interface_is_reported_on_the_restored_screen() {
    let mut session = Session::start();
    session.press(",");
    session.wait_until_restored();
    session.wait_for("the interface fell over");
    assert_eq!(session.code(), 101);
}

#[test]
fn a_panic_of_a_worker_leaves_the_screen_alone_and_is_reported() {
    let mut session = Session::start();
    session.press("r");
    let before = session.wait_for("<reader_failed:_worker_down");
    assert!(!before.contains("?1049l"), "{before:?}");
    session.press("q");
    session.wait_until_restored();
    session.wait_for("a worker failed: worker down");
    assert_eq!(session.code(), 0);
}

#[test]
fn ctrl_z_stops_on_a_restored_screen_and_continuing_draws_it_again() {
    let mut session = Session::start();
    session.press("\u{1a}");
    session.wait_until_restored();
    session.wait_for_state('T');
    assert!(!session.is_raw());
    session.signal(Signal::CONT);
    session.wait_for("\u{1b}[?1049h");
    session.wait_for("Resumed");
    assert!(session.is_raw());
    session.press("q");
    assert_eq!(session.end(), 0);
}

#[test]
fn a_stop_from_outside_is_the_same() {
    let mut session = Session::start();
    session.signal(Signal::TSTP);
    session.wait_until_restored();
    session.wait_for_state('T');
    session.signal(Signal::CONT);
    session.wait_for("Resumed");
    session.press("q");
    assert_eq!(session.end(), 0);
}

#[test]
fn after_a_stop_that_cannot_be_caught_the_terminal_is_taken_again() {
    let mut session = Session::start();
    session.signal(Signal::STOP);
    session.wait_for_state('T');
    session.signal(Signal::CONT);
    session.wait_for("\u{1b}[?1049h");
    session.wait_for("Resumed");
    session.press("q");
    assert_eq!(session.end(), 0);
}

#[test]
fn a_paste_presses_no_keys() {
    let mut session = Session::start();
    session.press("\u{1b}[200~q,r\u{1b}[201~");
    session.press("X");
    session.wait_for("Unbound");
    session.press("q");
    assert_eq!(session.end(), 0);
}

#[test]
fn a_copy_goes_to_the_terminals_clipboard() {
    let mut session = Session::start();
    session.press("y");
    session.wait_for("\u{1b}]52;c;NDcxMQ==");
    session.press("q");
    assert_eq!(session.end(), 0);
}

#[test]
fn without_a_terminal_it_lists_what_works_without_one() {
    let exe = std::env::current_exe().unwrap();
    let output = Command::new(exe).args(ARGUMENTS).env(VARIABLE, "1").output().unwrap();
    let text = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{text}");
    for word in ["standard output", "qscope why", "qscope check"] {
        assert!(text.contains(word), "{text}");
    }
    assert!(!String::from_utf8_lossy(&output.stdout).contains('\u{1b}'));
}
