//! The first picture of a large cluster: how far each file was read, and how its vnodes and jobs stand, before anything is
//! known of a cycle over them.

use qscope_session::ReadingAt;
use qscope_source::{RecordState, SoFar};

use super::Chrome;
use crate::story::{Paragraph, Piece};
use crate::theme::Role;
use crate::widgets::bar::bar;
use crate::wording;

/// Cells of the bar of a file.
const BAR: usize = 20;

/// A line for each file that takes its time, and one for the cycle.
pub(super) fn lines(app: &Chrome<'_>) -> Vec<Paragraph> {
    let all = &app.following.reading_at;
    let width = all.iter().map(|at| name_of(at).chars().count()).max().unwrap_or(0);
    let mut lines = Vec::new();
    for at in all {
        lines.push(Paragraph::Blank);
        lines.push(match at {
            ReadingAt::File { name, percent, so_far } => file(app, (name, width), *percent, so_far),
            ReadingAt::Cycle { nodes, jobs } => {
                let (nodes, jobs) = (wording::count(*nodes, "node"), wording::count(*jobs, "job"));
                Paragraph::words(
                    2,
                    [Piece::dim(format!("{nodes} and {jobs} read; running the cycle over them"))],
                )
            }
        });
    }
    lines
}

fn name_of(at: &ReadingAt) -> &str {
    match at {
        ReadingAt::File { name, .. } => name,
        ReadingAt::Cycle { .. } => "",
    }
}

fn file(app: &Chrome<'_>, (name, width): (&str, usize), percent: u8, so_far: &SoFar) -> Paragraph {
    let (filled, rest) = bar(f64::from(percent), 100.0, BAR, app.theme);
    let mut pieces = vec![
        Piece::plain(format!("{name:<width$}  ")),
        Piece::plain(filled),
        Piece::dim(format!("{rest} {percent:>3} %  {}", so_far.records())),
    ];
    for (nth, (state, count)) in so_far.counts().enumerate() {
        pieces.push(Piece::dim(if nth == 0 { ": " } else { " · " }));
        pieces.push(Piece::of(role(state), format!("{count} {}", state.word())));
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
