//! A running job, shown instead of a decision.

use crate::screen::{CycleRow, Screen};
use crate::story::{Paragraph, Story, TextPiece};
use crate::theme::Role;
use crate::views::records::nodes;
use crate::wording::{clock, overdue_since, select_words, time_of_day};

/// Describes a running job, about which the cycle decides nothing.
pub(super) fn running_story(screen: &Screen) -> Story {
    let Some(row @ CycleRow::Running(job)) = screen.subject else { return Story::default() };
    let (run, snap) = (screen.run(), &screen.generation.snapshot);
    let Some(record) = row.record(run) else { return Story::default() };
    let job = &snap.jobs[job];
    let head = match (job.started, record.measure()) {
        (Some(at), Some(measure)) => format!("runs since {} · {}", time_of_day(snap, at), measure.text),
        (Some(at), None) => format!("runs since {}, without an end", time_of_day(snap, at)),
        (None, _) => "runs".to_owned(),
    };
    let nodes = nodes(&record).unwrap_or_default();
    let ends = record.ends().map_or_else(String::new, |at| match at < snap.now {
        true => format!(", {}", overdue_since(snap, at)),
        false => format!(" until {}", clock(snap, at)),
    });
    let asks =
        job.select.as_ref().map_or_else(String::new, |select| format!("  {}", select_words(select, "×")));
    let place = job.place.as_ref().map_or_else(String::new, |place| format!("  {place}"));
    Story::new(vec![
        Paragraph::signed(2, Role::NodeBusy, head),
        Paragraph::words(0, [TextPiece::plain(format!("on {nodes}{ends}"))]),
        Paragraph::words(0, [TextPiece::dim(format!("{}{asks}{place}  queue {}", job.user, job.queue))]),
        Paragraph::words(0, [TextPiece::dim("it ran before the cycle, which decides nothing about it")]),
    ])
}
