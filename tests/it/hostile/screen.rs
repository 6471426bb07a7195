//! Every view of the console, and what it copies.

use std::io::{Read, Write};
use std::sync::mpsc::channel;
use std::time::Duration;

use portable_pty::{CommandBuilder, PtySize, native_pty_system};
use qscope::console::action::Action;
use qscope::console::app::{App, AppInput};
use qscope::console::views::{Effect, ViewName};
use ratatui::layout::Size;

use super::{acts, cluster, harmless, strings};
use crate::console_cycle::{Stage, read};
use crate::console_views::open;
use Action::{Accept, Close, Copy, CopyMarkdown, Down, Filter, Help, Palette, Select, StepForward, Warnings};

/// Returns what an action sends to the clipboard.
fn copied(stage: &mut Stage, action: Action) -> Option<String> {
    let effects = stage.app.update(AppInput::Action(action)).effects;
    effects
        .into_iter()
        .find_map(|effect| if let Effect::Copy(_, clip) = effect { Some(clip.to_string()) } else { None })
}

/// Checks the screen and what is copied from it; returns the number of copies.
fn looks(stage: &mut Stage, what: &str) -> usize {
    harmless(what, &stage.see());
    let copies: Vec<String> =
        [Copy, CopyMarkdown].into_iter().filter_map(|action| copied(stage, action)).collect();
    copies.iter().for_each(|text| harmless(what, text));
    copies.len()
}

#[test]
fn no_view_draws_or_copies_what_acts() {
    let cluster = cluster::hostile();
    let generation = read(&cluster.folder, 1);
    let mut copies = 0;
    let mut stage = Stage::empty(160, 50, generation.snapshot.now);
    stage.load(generation);
    stage.act(&[StepForward, StepForward]);
    for view in ViewName::ALL.iter().copied() {
        stage.feed(AppInput::Resize(Size { width: 160, height: 50 }));
        if view != ViewName::Cycle {
            open(&mut stage, view);
        }
        for step in [Down, Down, Select, Down] {
            copies += looks(&mut stage, view.word());
            stage.act(&[step]);
        }
        stage.feed(AppInput::Resize(Size { width: 80, height: 24 }));
        looks(&mut stage, view.word());
        for over in [Help, Warnings] {
            stage.act(&[over]);
            looks(&mut stage, view.word());
            stage.act(&[Close]);
        }
    }
    assert!(copies > 30, "{copies}");
}

#[test]
fn what_is_typed_and_pasted_is_drawn_as_text() {
    let cluster = cluster::hostile();
    let mut stage = Stage::empty(100, 30, read(&cluster.folder, 1).snapshot.now);
    stage.load(read(&cluster.folder, 1));
    let short: Vec<String> = strings::as_text().iter().map(|text| text.chars().take(60).collect()).collect();
    for text in short.chunks(5) {
        for way in [Filter, Palette] {
            stage.act(&[way]);
            stage.feed(AppInput::Paste(text.concat().replace(['\n', '\r'], "")));
            harmless("a prompt", &stage.see());
            stage.act(&[Accept]);
            harmless("an answer", &stage.see());
            stage.act(&[Close, Close]);
        }
    }
}

/// A job's id with the end of a bracketed paste, a line break and a command: the copied text is a single
/// line.
#[test]
fn a_copied_name_runs_nothing_when_it_is_pasted() {
    let cluster = cluster::of(&[b"ok\x1b[201~\ntouch /tmp/x\n#".to_vec()]);
    let mut stage = Stage::empty(80, 24, read(&cluster.folder, 1).snapshot.now);
    stage.load(read(&cluster.folder, 1));
    stage.act(&[StepForward]);
    let text = copied(&mut stage, Copy).unwrap();
    assert!(text.contains("ok␛[201~␊touch"), "{text}");
    assert_eq!(text.chars().filter(|c| acts(*c)).count(), 0);
}

/// The real program in a terminal sends only its own sequences, and text.
#[test]
fn the_program_sends_no_sequence_of_others() {
    let cluster = cluster::hostile();
    let size = PtySize { rows: 40, cols: 120, pixel_width: 0, pixel_height: 0 };
    let pair = native_pty_system().openpty(size).unwrap();
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_qscope"));
    command.arg(&cluster.folder);
    for (name, value) in [("LC_ALL", "C.UTF-8"), ("TERM", "xterm-256color")] {
        command.env(name, value);
    }
    let mut child = pair.slave.spawn_command(command).unwrap();
    drop(pair.slave);
    let (sender, came) = channel();
    let mut reader = pair.master.try_clone_reader().unwrap();
    std::thread::spawn(move || {
        let mut buffer = [0; 4096];
        while let Ok(n @ 1..) = reader.read(&mut buffer) {
            drop(sender.send(buffer[..n].to_vec()));
        }
    });
    let mut keys = pair.master.take_writer().unwrap();
    let mut bytes = Vec::new();
    let mut screen = vt100::Parser::new(size.rows, size.cols, 0);
    let mut take = |bytes: &mut Vec<u8>, word: &str| {
        while !screen.screen().contents().contains(word) {
            let seen = || panic!("{word} never came:\n{}", screen.screen().contents());
            let more = came.recv_timeout(Duration::from_secs(30)).unwrap_or_else(|_| seen());
            screen.process(&more);
            bytes.extend(more);
        }
    };
    take(&mut bytes, "0/50");
    for (key, word) in [(".", "STEP 1/"), ("y", "clipboard"), ("2", "Nodes by")] {
        keys.write_all(key.as_bytes()).unwrap();
        take(&mut bytes, word);
    }
    keys.write_all(b"q").unwrap();
    child.wait().unwrap();
    while let Ok(more) = came.recv_timeout(Duration::from_millis(200)) {
        bytes.extend(more);
    }
    harmless("the terminal", &without_ours(&String::from_utf8(bytes).unwrap()));
}

/// Removes from a terminal's bytes what the console sends: control sequences, the request for the background
/// colour, and the clipboard text, which must be base64.
fn without_ours(bytes: &str) -> String {
    let mut out = String::new();
    let mut rest = bytes;
    while let Some((before, after)) = rest.split_once('\u{1b}') {
        out.push_str(before);
        let end = if let Some(body) = after.strip_prefix('[') {
            1 + body.find(|c: char| ('@'..='~').contains(&c)).unwrap() + 1
        } else if let Some(body) = after.strip_prefix("]52;c;") {
            let letters = body.find(|c: char| !c.is_ascii_alphanumeric() && !"+/=".contains(c)).unwrap();
            let terminator = if body[letters..].starts_with('\u{7}') { 1 } else { 2 };
            assert!(body[letters..].starts_with(['\u{7}', '\u{1b}']));
            6 + letters + terminator
        } else if let Some(request) = after.strip_prefix("]11;?\u{7}") {
            after.len() - request.len()
        } else {
            panic!("a sequence that is none of ours: {:?}", after.chars().take(20).collect::<String>());
        };
        rest = &after[end..];
    }
    out.push_str(rest);
    out.replace('\r', "")
}
