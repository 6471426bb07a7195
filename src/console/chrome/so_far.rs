//! The first picture of a large cluster: the progress of each file, and the states of the vnodes and jobs read so far,
//! before the cycle is run.

pub(super) mod map;

use qscope_session::ReadingAt;
use qscope_source::{RecordState, SoFar};

use super::Chrome;
use crate::story::{Paragraph, Piece};
use crate::theme::Role;
use crate::widgets::bar::bar;
use crate::widgets::text::{Align, clean, fit, width};
use crate::wording;

/// Columns of the bar of a file.
const BAR: usize = 20;

/// Widths of the columns.
#[derive(Clone, Copy)]
struct Widths {
    name: usize,
    records: usize,
}

/// A line for each file being read, and one for the cycle.
pub(super) fn lines(app: &Chrome<'_>) -> Vec<Paragraph> {
    let all = &app.following.reading_at;
    let files = || {
        all.iter().filter_map(|at| match at {
            ReadingAt::File { name, so_far, .. } => Some((name, so_far)),
            ReadingAt::Cycle { .. } => None,
        })
    };
    let widths = Widths {
        name: files().map(|(name, _)| width(&clean(name))).max().unwrap_or(0),
        records: files().map(|(_, so_far)| so_far.records().to_string().len()).max().unwrap_or(0),
    };
    let mut lines = Vec::new();
    if !all.is_empty() {
        lines.push(Paragraph::Blank);
    }
    for at in all {
        match at {
            ReadingAt::File { name, percent, so_far } => {
                lines.push(file(app, (name, widths), *percent, so_far));
            }
            ReadingAt::Cycle { nodes, jobs } => {
                let (nodes, jobs) = (wording::count(*nodes, "vnode"), wording::count(*jobs, "job"));
                let text = format!("{nodes} and {jobs} read; running the cycle over them");
                lines.extend([Paragraph::Blank, Paragraph::words(2, [Piece::dim(text)])]);
            }
        }
    }
    if !all.is_empty() && !all.iter().any(|at| matches!(at, ReadingAt::Cycle { .. })) {
        // Keeps what is below in place when the cycle begins.
        lines.extend([Paragraph::Blank, Paragraph::Blank]);
    }
    lines
}

/// The name, the progress, the number of records, and how many of them are in each state.
fn file(app: &Chrome<'_>, (name, widths): (&str, Widths), percent: u8, so_far: &SoFar) -> Paragraph {
    let (filled, rest) = bar(f64::from(percent), 100.0, BAR, app.theme);
    let mut pieces = vec![
        Piece::plain(format!("{}  ", fit(&clean(name), widths.name, Align::Left, app.theme.ellipsis()))),
        Piece::of(Role::Gauge, filled),
        Piece::dim(format!("{rest} {percent:>3} %")),
    ];
    let records = so_far.records();
    if let Some((first, _)) = so_far.counts().next() {
        let unit = match (first.is_of_node(), records) {
            (true, 1) => "vnode",
            (true, _) => "vnodes",
            (false, 1) => "job",
            (false, _) => "jobs",
        };
        pieces.push(Piece::plain(format!("  {records:>wide$} {unit:<6} ", wide = widths.records)));
    }
    for (state, count) in so_far.counts() {
        pieces.push(Piece::of(role(state), format!("  {count} {}", state.word())));
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
