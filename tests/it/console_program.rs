//! The real program in a pseudo-terminal: it opens, steps, suspends nothing behind, and leaves with the right code.

#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests fail as tests do")]

use std::io::{Read, Write};
use std::path::Path;
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};

/// The program and the screen that its bytes make.
struct Program {
    child: Box<dyn Child + Send + Sync>,
    master: Box<dyn MasterPty + Send>,
    keys: Box<dyn Write + Send>,
    bytes: Receiver<Vec<u8>>,
    screen: vt100::Parser,
}

impl Program {
    fn start(arguments: &[&str], columns: u16, rows: u16) -> Self {
        let size = PtySize { rows, cols: columns, pixel_width: 0, pixel_height: 0 };
        let pair = native_pty_system().openpty(size).unwrap();
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_qscope"));
        command.args(arguments);
        command.cwd(Path::new(env!("CARGO_MANIFEST_DIR")).join("samples"));
        for (name, value) in [("LC_ALL", "C.UTF-8"), ("TERM", "xterm-256color"), ("NO_COLOR", "")] {
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
        Self { child, master: pair.master, keys, bytes, screen: vt100::Parser::new(rows, columns, 0) }
    }

    /// Takes in what the program draws until the screen is as wanted.
    fn wait_until(&mut self, what: &str, wanted: impl Fn(&str) -> bool) -> String {
        let deadline = Instant::now() + Duration::from_secs(30);
        loop {
            let seen = self.screen.screen().contents();
            if wanted(&seen) {
                return seen;
            }
            match self.bytes.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok(more) => self.screen.process(&more),
                Err(_) => panic!("{what} never came; the screen is\n{seen}"),
            }
        }
    }

    fn wait_for(&mut self, text: &str) -> String {
        self.wait_until(text, |seen| seen.contains(text))
    }

    fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
        self.keys.flush().unwrap();
    }

    fn code(mut self) -> u32 {
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
    let first = program.wait_for("step 0/6");
    assert!(first.contains("LIVE") && first.contains("sets-8") && first.contains("vn6"), "{first}");
    program.press(".");
    program.wait_for("step 1/6");
    program.wait_for("STEPPING");
    program.press("}");
    program.wait_for("Decision on 5, step 5");
    program.press("?");
    program.wait_for("Keys in the list");
    program.press("\u{1b}");
    program.wait_until("the help closed", |seen| !seen.contains("Keys in the list"));
    program.press("q");
    assert_eq!(program.wait_until_gone(), 0);
}

impl Program {
    /// The exit code, once the other screen is given back.
    fn wait_until_gone(mut self) -> u32 {
        self.wait_until("the old screen", |seen| seen.trim().is_empty());
        assert!(!self.screen.screen().alternate_screen());
        self.code()
    }
}

#[test]
fn without_a_folder_the_built_in_sample_opens_in_ascii_too() {
    let mut program = Program::start(&["--ascii", "--color", "never"], 120, 40);
    let seen = program.wait_for("step 0/23");
    assert!(seen.contains("campus"), "{seen}");
    assert!(seen.is_ascii(), "{seen}");
    program.press("q");
    assert_eq!(program.wait_until_gone(), 0);
}

#[test]
fn a_folder_that_is_not_there_is_said_and_can_be_left() {
    let mut program = Program::start(&["not-there"], 80, 24);
    let seen = program.wait_for("ERROR");
    assert!(seen.contains("not-there"), "{seen}");
    program.press("q");
    assert_eq!(program.wait_until_gone(), 2);
}

#[test]
fn another_size_is_another_layout() {
    let mut program = Program::start(&["sets-8"], 80, 24);
    program.wait_for("step 0/6");
    let size = PtySize { rows: 40, cols: 120, pixel_width: 0, pixel_height: 0 };
    program.screen.screen_mut().set_size(40, 120);
    program.master.resize(size).unwrap();
    program.wait_for("Nodes by bucket");
    program.press("\u{3}");
    assert_eq!(program.wait_until_gone(), 0);
}
