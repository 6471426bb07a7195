//! The picture in the room that a page or a step leaves: the nodes over time, with where the job of the page runs, is
//! planned or would fit.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::{FitWindow, TimeRow, TimelineState, TimelineWidget, row_count};
use crate::layout::{cells, cut_rows};
use crate::screen::Serial;
use crate::theme::Role;
use crate::views::ViewContext;
use crate::widgets::frame;
use crate::widgets::text::in_set;
use qscope_engine::cluster::JobId;
use qscope_engine::universe::{Bit, BucketIx};
use qscope_explain::Occupancy;

/// Minimum rows of a picture.
pub(crate) const LEAST: u16 = 9;
/// Maximum rows of a picture.
const MOST: u16 = 40;
/// Minimum columns of a picture.
const NARROW: u16 = 50;

/// Rows that are not nodes: times, free nodes and their numbers, a gap, the legend.
const BELOW: u16 = 10;

/// The picture of one page, or of one step.
#[derive(Debug, Default)]
pub(crate) struct SmallPicture {
    timeline: TimelineState,
    rows: Vec<TimeRow>,
    fit: Option<FitWindow>,
    made: Option<SmallPictureKey>,
}

/// What a picture was made for.
#[derive(Debug, Clone, PartialEq, Eq)]
struct SmallPictureKey {
    run: Serial,
    /// The step after which the nodes are shown; `None` for the end of the cycle.
    step: Option<usize>,
    room: usize,
    subject: Option<PictureSubject>,
    fit: Option<FitWindow>,
}

/// What a picture is about: only its rows are drawn, if there are any.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PictureSubject {
    Job(JobId),
    Node(Bit),
    Bucket(BucketIx),
}

/// The place for a picture below the first `used` rows of an area, if there is room.
pub(crate) fn place(area: Rect, used: usize) -> Option<Rect> {
    let used = u16::try_from(used).ok()?.checked_add(1)?;
    let rest = cut_rows(area, used).1;
    (rest.height >= LEAST && rest.width >= NARROW).then(|| cut_rows(rest, MOST).0)
}

impl SmallPicture {
    /// Makes the picture of the end of the cycle for a place, with the rows of `subject` or, without any, all rows.
    pub(crate) fn make(
        &mut self,
        place: Option<Rect>,
        about: Option<PictureSubject>,
        fit: Option<FitWindow>,
        cx: ViewContext<'_>,
    ) {
        self.make_at(None, place, about, fit, cx);
    }

    /// Makes the picture of the nodes after the current step, with the rows of `subject` or, without any, all rows.
    pub(crate) fn make_after_step(
        &mut self,
        place: Option<Rect>,
        about: Option<PictureSubject>,
        cx: ViewContext<'_>,
    ) {
        self.make_at(Some(cx.position()), place, about, None, cx);
    }

    fn make_at(
        &mut self,
        step: Option<usize>,
        place: Option<Rect>,
        subject: Option<PictureSubject>,
        fit: Option<FitWindow>,
        cx: ViewContext<'_>,
    ) {
        let Some(place) = place else { return };
        let run = cx.screen.serial;
        let key =
            SmallPictureKey { run, step, room: row_count(place.height.saturating_sub(1)), subject, fit };
        if self.made.as_ref() == Some(&key) {
            return;
        }
        if self.made.as_ref().is_none_or(|made| (made.run, made.step) != (run, step)) {
            match step {
                Some(_) => self.timeline.take_position(cx),
                None => self.timeline.take_end(cx),
            }
        }
        self.timeline.subject = match subject {
            Some(PictureSubject::Job(job)) => Some(job),
            Some(PictureSubject::Node(_) | PictureSubject::Bucket(_)) | None => None,
        };
        let (plan, fit) = (cx.plan(), key.fit.as_ref());
        let is_in = |bit: &Bit, bucket| cx.state().bucket_of.checked(*bit) == Some(&Some(bucket));
        let is_about = |held: &[Occupancy], nodes: &[Bit]| {
            let is_its_own = match subject {
                Some(PictureSubject::Job(job)) => held.iter().any(|held| held.occupant.is_of(job)),
                Some(PictureSubject::Node(bit)) => nodes.contains(&bit),
                Some(PictureSubject::Bucket(bucket)) => nodes.iter().any(|bit| is_in(bit, bucket)),
                None => false,
            };
            is_its_own || fit.is_some_and(|fit| nodes.iter().all(|bit| fit.has(*bit)))
        };
        let mut rows = self.timeline.rows_about(plan, key.room, fit, is_about);
        if rows.is_empty() {
            rows = self.timeline.rows(plan, key.room, fit);
        }
        (self.rows, self.fit, self.made) = (rows, key.fit.clone(), Some(key));
    }

    /// Number of rows with the heading, when last made.
    pub(crate) fn rows(&self) -> Option<u16> {
        self.made.as_ref().map(|_| cells(self.rows.len()).saturating_add(BELOW))
    }

    /// Draws the picture below a heading.
    pub(crate) fn draw(&self, place: Rect, buf: &mut Buffer, cx: ViewContext<'_>) {
        let run = cx.screen.serial;
        let Some(made) = self.made.as_ref().filter(|made| made.run == run) else { return };
        let (head, rest) = cut_rows(place, 1);
        // No higher than its rows, the free nodes, times and legend need.
        let rest = cut_rows(rest, cells(self.rows.len()).saturating_add(BELOW)).0;
        let moment = made.step.map_or_else(|| "this cycle".to_owned(), |step| format!("step {step}"));
        let title = format!("Nodes × time, after {moment}");
        let title = in_set(&title, cx.theme.theme_options().glyphs);
        frame::lines(head, buf, cx.theme, [(Role::Heading, title)]);
        let drawn = TimelineWidget {
            timeline: &self.timeline,
            rows: &self.rows,
            top: 0,
            selected: None,
            plan: cx.plan(),
            fit: self.fit.as_ref(),
            theme: cx.theme,
        };
        drawn.render(rest, buf);
    }
}
