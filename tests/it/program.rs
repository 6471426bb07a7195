//! The program as a new user sees it: started without arguments, in a real terminal.

use std::io::{Read, Write};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use portable_pty::{CommandBuilder, PtySize, native_pty_system};

/// The variable that names a program to run instead of the one just built, for example `cargo run --release`.
const VARIABLE: &str = "QSCOPE_PROGRAM";

const SIZE: PtySize = PtySize { rows: 24, cols: 80, pixel_width: 0, pixel_height: 0 };

fn command() -> CommandBuilder {
    let program = std::env::var(VARIABLE).unwrap_or_else(|_| env!("CARGO_BIN_EXE_qscope").to_owned());
    let mut words = program.split_whitespace();
    let mut command = CommandBuilder::new(words.next().unwrap());
    command.args(words);
    command.cwd(env!("CARGO_MANIFEST_DIR"));
    command.env("TERM", "xterm-256color");
    command
}

/// Feeds the screen until it is as wanted; fails when the output or the time ends.
fn wait(screen: &mut vt100::Parser, bytes: &Receiver<Vec<u8>>, wanted: impl Fn(&vt100::Screen) -> bool) {
    let deadline = Instant::now() + Duration::from_secs(120);
    while !wanted(screen.screen()) {
        match bytes.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            Ok(more) => screen.process(&more),
            Err(gone) => panic!("{gone}; on the screen:\n{}", screen.screen().contents()),
        }
    }
}

#[test]
#[ignore = "needs a terminal of its own; .ci/run asks for it"]
fn opens_on_the_sample_and_goes_at_q() {
    let pair = native_pty_system().openpty(SIZE).unwrap();
    let mut child = pair.slave.spawn_command(command()).unwrap();
    drop(pair.slave);
    let (sender, bytes) = channel();
    let mut reader = pair.master.try_clone_reader().unwrap();
    thread::spawn(move || {
        let mut buffer = [0; 4096];
        while let Ok(n @ 1..) = reader.read(&mut buffer) {
            if sender.send(buffer[..n].to_vec()).is_err() {
                break;
            }
        }
    });
    let mut screen = vt100::Parser::new(SIZE.rows, SIZE.cols, 0);
    wait(&mut screen, &bytes, |screen| {
        screen.alternate_screen() && screen.contents().contains("Queue in the order")
    });
    let mut keys = pair.master.take_writer().unwrap();
    keys.write_all(b"q").unwrap();
    keys.flush().unwrap();
    wait(&mut screen, &bytes, |screen| !screen.alternate_screen());
    assert_eq!(child.wait().unwrap().exit_code(), 0);
}
