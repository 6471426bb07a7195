//! The pane about a queue or a limit below the list: its jobs, and why they wait.

use std::rc::Rc;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::counts::CycleStarts;
use super::facts::{LineFact, LineFacts};
use super::{QueueLine, waiting};
use crate::layout::indented_inner_area;
use crate::story::{Paragraph, Story, StoryLink, TextPiece, rest_leading_to};
use crate::theme::Role;
use crate::views::list::DetailPlace;
use crate::views::{Object, ViewContext, ViewName};
use crate::widgets::frame;

/// Columns for the name of a fact.
const NAME: usize = 15;

/// Draws the details of a line, in a pane that may have the keys.
pub(super) fn draw(
    line: &QueueLine,
    DetailPlace { area, has_keys: focused }: DetailPlace,
    buf: &mut Buffer,
    cx: ViewContext<'_>,
) {
    let place = if line.queue.is_empty() { "the server" } else { &*line.queue };
    let title = match &line.of {
        Some(_) => format!("{} · {place}", line.name),
        None => line.name.clone(),
    };
    let opens = match (line.of.is_some(), line.queue.is_empty()) {
        (false, false) => "Enter: queue page",
        _ => "Enter: its jobs",
    };
    // If no job waits, there is none to explain.
    let hint = match stated(line, area, cx).waiting.is_empty() {
        _ if focused => String::new(),
        true => opens.to_owned(),
        false => format!("a: why · {opens}"),
    };
    frame::pane(area, buf, cx.theme, &title, &hint, focused);
    story(line, area, cx).render(indented_inner_area(area), buf, cx.theme);
}

/// The jobs named in the pane, with their places.
pub(super) fn links(line: &QueueLine, area: Rect, cx: ViewContext<'_>) -> Vec<StoryLink> {
    let inner = indented_inner_area(area);
    let mut story = story(line, area, cx);
    story.fit(usize::from(inner.width));
    story.links(inner)
}

/// What is known about a line, for a pane of that area.
fn stated(line: &QueueLine, area: Rect, cx: ViewContext<'_>) -> Rc<LineFacts> {
    let columns = usize::from(area.width.saturating_sub(18));
    line.facts.of(columns, || LineFacts {
        facts: match &line.of {
            Some(limit) => limit.facts(cx),
            None => CycleStarts::of(cx).facts(line, cx, columns),
        },
        waiting: waiting::of(line, cx),
    })
}

/// Where all jobs of a line are shown: on the page of its queue, or in the list of jobs.
fn object_of_line(line: &QueueLine) -> Object {
    match &*line.queue {
        "" => Object::View(ViewName::Jobs),
        queue => Object::Queue(queue.to_owned()),
    }
}

fn story(line: &QueueLine, area: Rect, cx: ViewContext<'_>) -> Story {
    let (stated, inner) = (stated(line, area, cx), indented_inner_area(area));
    let fact = |(name, words, jobs): &LineFact| {
        let words =
            TextPiece::naming(Role::Text, words, jobs.iter().map(|job| Object::of_job(*job, cx.snapshot())));
        let words = rest_leading_to(words, object_of_line(line));
        Paragraph::words(NAME, [vec![TextPiece::dim(format!("{name:<NAME$}"))], words].concat())
    };
    let mut paragraphs: Vec<Paragraph> = stated.facts.iter().map(fact).collect();
    let mut facts = Story::new(paragraphs.clone());
    facts.fit(usize::from(inner.width));
    // One row is for a blank before the first job.
    let left = usize::from(inner.height).saturating_sub(facts.lines().len() + 1);
    let is_close = left <= 2;
    let room = left.saturating_sub(usize::from(!is_close));
    if room > usize::from(stated.waiting.len() > 1) && !stated.waiting.is_empty() {
        if !is_close {
            paragraphs.push(Paragraph::Blank);
        }
        paragraphs.push(Paragraph::words(
            0,
            [TextPiece::of(Role::Heading, "Why they wait after this cycle, in the order considered")],
        ));
        paragraphs.extend(waiting::rows(
            &stated.waiting,
            object_of_line(line),
            cx,
            (usize::from(inner.width), room),
        ));
    }
    Story::new(paragraphs)
}
