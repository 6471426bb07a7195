//! The first picture of a large cluster: the progress of each file, and the states of the vnodes and jobs read so far,
//! before the cycle is run.

pub(super) mod map;

use qscope_session::LoadProgress;
use qscope_source::{DecodedTally, RecordState};

use super::Chrome;
use crate::story::{Paragraph, TextPiece};
use crate::theme::Role;
use crate::widgets::bar::bar;
use crate::widgets::text::{Align, clean, fit, width};
use crate::wording;

/// Columns of the bar of a file.
const BAR: usize = 20;

/// Widths of the columns.
#[derive(Clone, Copy)]
struct ReadingWidths {
    name: usize,
    records: usize,
}

/// A line for each file being read, and one for the cycle.
pub(super) fn lines(app: &Chrome<'_>) -> Vec<Paragraph> {
    let all = &app.following.reading_at;
    let files = || {
        all.iter().filter_map(|at| match at {
            LoadProgress::File { name, so_far, .. } => Some((name, so_far)),
            LoadProgress::Cycle { .. } => None,
        })
    };
    let widths = ReadingWidths {
        name: files().map(|(name, _)| width(&clean(name))).max().unwrap_or(0),
        records: files().map(|(_, so_far)| so_far.records().to_string().len()).max().unwrap_or(0),
    };
    let mut lines = Vec::new();
    if !all.is_empty() {
        lines.push(Paragraph::Blank);
    }
    for at in all {
        match at {
            LoadProgress::File { name, percent, so_far } => {
                lines.push(file(app, (name, widths), *percent, so_far));
            }
            LoadProgress::Cycle { nodes, jobs } => {
                let (nodes, jobs) = (wording::count(*nodes, "vnode"), wording::count(*jobs, "job"));
                let text = format!("{nodes} and {jobs} read; running the cycle over them");
                lines.extend([Paragraph::Blank, Paragraph::words(2, [TextPiece::dim(text)])]);
            }
        }
    }
    if !all.is_empty() && !all.iter().any(|at| matches!(at, LoadProgress::Cycle { .. })) {
        // Keeps what is below in place when the cycle begins.
        lines.extend([Paragraph::Blank, Paragraph::Blank]);
    }
    lines
}

/// The name, the progress, the number of records, and how many of them are in each state.
fn file(
    chrome: &Chrome<'_>,
    (name, widths): (&str, ReadingWidths),
    percent: u8,
    so_far: &DecodedTally,
) -> Paragraph {
    let (filled, rest) = bar(f64::from(percent), 100.0, BAR, chrome.theme);
    let mut pieces = vec![
        TextPiece::plain(format!(
            "{}  ",
            fit(&clean(name), widths.name, Align::Left, chrome.theme.ellipsis())
        )),
        TextPiece::of(Role::Gauge, filled),
        TextPiece::dim(format!("{rest} {percent:>3} %")),
    ];
    let records = so_far.records();
    if let Some((first, _)) = so_far.counts().next() {
        let unit = match (first.is_of_node(), records) {
            (true, 1) => "vnode",
            (true, _) => "vnodes",
            (false, 1) => "job",
            (false, _) => "jobs",
        };
        pieces.push(TextPiece::plain(format!("  {records:>wide$} {unit:<6} ", wide = widths.records)));
    }
    for (state, count) in so_far.counts() {
        pieces.push(TextPiece::of(role(state), format!("  {count} {}", state.word())));
    }
    Paragraph::Line(pieces)
}

fn role(state: RecordState) -> Role {
    match state {
        RecordState::Free => Role::NodeFree,
        RecordState::PartUsed => Role::NodeMixed,
        RecordState::Full => Role::NodeBusy,
        RecordState::Out => Role::NodeDown,
        RecordState::Running => Role::VerdictRun,
        RecordState::Queued => Role::VerdictWait,
        RecordState::Held | RecordState::Other => Role::TextDim,
    }
}
