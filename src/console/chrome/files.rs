//! The box about the files: how old each is, how far they are apart, and, if the console collects them, the time and
//! size of each client's output and its last error.

use super::Chrome;
use crate::following::{AGED, ClientState, CollectorState, OldDataReason, moment_of};
use crate::screen::Screen;
use crate::story::{Paragraph, Story, TextPiece};
use crate::theme::Role;
use crate::wording;
use qscope_engine::cluster::{Epoch, FileRecord, Snapshot};
use qscope_session::dump_times::DumpTimes;

/// The text of the box, wrapped for a screen of that width.
pub(crate) fn story(app: &Chrome<'_>, columns: usize) -> Story {
    let mut paragraphs = failed(app);
    paragraphs.extend(old_data_text(app));
    paragraphs.extend(collected_so_far(app));
    if app.following.collection.is_some() {
        paragraphs.push(Paragraph::Blank);
    }
    match app.screen {
        Some(screen) => read(screen, app.now, &mut paragraphs),
        None if app.following.failure.is_some() => {}
        None => paragraphs.push(words(Role::TextDim, "nothing read yet")),
    }
    super::for_box(paragraphs, columns)
}

/// Why the last reading failed, in full: the alert line only has room for the beginning.
fn failed(app: &Chrome<'_>) -> Vec<Paragraph> {
    let Some(failure) = &app.following.failure else { return Vec::new() };
    let age = wording::span(app.now - failure.at);
    let shown = if app.screen.is_some() { "; the one before is shown" } else { "" };
    let head = format!("the last reading failed {age} ago{shown}");
    let mut paragraphs = vec![Paragraph::signed(2, Role::Error, head)];
    let clauses = failure.message.lines().flat_map(|line| line.split("; "));
    paragraphs.extend(clauses.map(|clause| Paragraph::words(4, [TextPiece::plain(format!("  {clause}"))])));
    paragraphs.push(Paragraph::Blank);
    paragraphs
}

/// States that the data are old, with the age of the last good reading.
fn old_data_text(app: &Chrome<'_>) -> Vec<Paragraph> {
    let Some((old, newest)) = app.following.old_data(app.now).zip(app.following.history.newest()) else {
        return Vec::new();
    };
    let role = if old.reason == OldDataReason::NotWritten { Role::Warning } else { Role::Error };
    vec![Paragraph::signed(2, role, old.words(&newest.snapshot)), Paragraph::Blank]
}

/// What the clients did, even before anything could be read.
pub(crate) fn collected_so_far(chrome: &Chrome<'_>) -> Vec<Paragraph> {
    let mut paragraphs = Vec::new();
    if let Some(collection) = &chrome.following.collection {
        collected(collection, chrome.now, &mut paragraphs);
    }
    paragraphs
}

fn words(role: Role, text: &str) -> Paragraph {
    Paragraph::words(4, [TextPiece::of(role, text)])
}

fn collected(collection: &CollectorState, now: Epoch, paragraphs: &mut Vec<Paragraph>) {
    let rounds = wording::count(collection.rounds, "round");
    let head = match collection.rests {
        Some((took, next)) => format!(
            "collecting: {rounds}, the last took {:.1} s, the next begins in {}",
            took.as_secs_f64(),
            wording::span(next - now)
        ),
        None => format!("collecting, round {} running", collection.rounds + 1),
    };
    paragraphs.push(words(Role::Heading, &head));
    for client in &collection.clients {
        paragraphs.push(client_line(client, now));
        if let Some((why, at)) = &client.error {
            let left = if client.stands { "kept as it was" } else { "none" };
            let role = if client.is_amiss { Role::Error } else { Role::TextDim };
            let text = format!("{} ago, {left}: {why}", wording::span(now - *at));
            paragraphs.push(Paragraph::signed(4, role, text));
        }
    }
}

/// File, size, duration, age.
fn client_line(client: &ClientState, now: Epoch) -> Paragraph {
    let state = if client.runs { "  runs now" } else { "" };
    let [weighs, took, age] = match client.last {
        Some((bytes, took, at)) => [
            wording::bytes(bytes),
            format!("{:.2} s", took.as_secs_f64()),
            format!("{} ago", wording::span(now - at)),
        ],
        None => ["none yet".to_owned(), String::new(), String::new()],
    };
    let numbers = [(weighs, 10), (took, 10), (age, 14)];
    Paragraph::Cells {
        name: TextPiece::plain(format!("{}{state}", client.file)),
        numbers: numbers.into_iter().map(|(text, wide)| (TextPiece::plain(text), wide)).collect(),
    }
}

/// What this snapshot was made of, and which moment it shows.
fn read(screen: &Screen, now: Epoch, paragraphs: &mut Vec<Paragraph>) {
    let snap = &screen.generation.snapshot;
    let apart = DumpTimes::of(snap).skew().map(|apart| format!(": {apart}")).unwrap_or_default();
    let head = format!("files of snapshot {}{apart}", screen.generation.number);
    paragraphs.push(words(Role::Heading, &head));
    let [shown, _] = moment_of(snap, snap.now, now);
    paragraphs.push(words(Role::Text, &format!("moment shown: {shown}, {}", snap.now_source)));
    paragraphs.push(file_line(TextPiece::dim("file"), ["size", "records", "made", "age"].map(str::to_owned)));
    for file in &snap.files {
        // No records were read from a file that was replaced by another.
        let is_counted = file.unused.is_none() || file.records > 0;
        let records = if is_counted { file.records.to_string() } else { String::new() };
        let (made, age) = made(snap, file, now);
        paragraphs
            .push(file_line(TextPiece::plain(&file.name), [wording::bytes(file.bytes), records, made, age]));
        if let Some(why) = &file.unused {
            paragraphs.push(words(Role::TextDim, &format!("not used: {why}")));
        }
    }
}

/// A line of the table of files.
fn file_line(name: TextPiece, cells: [String; 4]) -> Paragraph {
    let numbers = cells.into_iter().zip([10, 9, 28, 10]);
    Paragraph::Cells { name, numbers: numbers.map(|(text, wide)| (TextPiece::dim(text), wide)).collect() }
}

/// When a file was made by its content, else when it was written to the disk; and how long ago that was, of months no age.
fn made(snap: &Snapshot, file: &FileRecord, now: Epoch) -> (String, String) {
    let Some(at) = file.made() else { return ("no time".to_owned(), String::new()) };
    let [moment, _] = moment_of(snap, at, now);
    let written = if file.timestamp.is_some() { "" } else { "written " };
    let age = now - at;
    let age = if (0..AGED.0).contains(&age.0) { wording::span(age) } else { String::new() };
    (format!("{written}{moment}"), age)
}
