//! The queues at the position, with their limits, the usage, and how many jobs each limit stops.
//!
//! ```text
//! ┏ Queues and limits after step 4 ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━ 1/6 ┓
//! ┃ queue, or limit        state     run  wait used       of limit            ┃
//! ┃▸workq                  started     4    12                                ┃
//! ┃   jobs of user ann                       3 ██████████ 4 of 4 ✗            ┃
//! ┗━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┛
//! ```
//! The line of a queue counts jobs that run, wait or are held in the dump and, after an arrow, at the moment in the
//! title; the line of a limit counts under `wait` the jobs that this cycle refuses because of it.

mod counts;
mod facts;
mod limit;
mod line;
mod lines;
mod pane;
mod waiting;

use std::rc::Rc;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::analysed::AnalysisRequests;
use super::list::{DetailLayout, DetailPlace, ListModel, position_title};
use crate::action::Action;
use crate::filter::Filter;
use crate::story::StoryLink;
use crate::task::TaskNews;
use crate::theme::{Role, Theme};
use crate::views::page::PageRow;
use crate::views::{Effect, Object, Update, ViewContext, ViewName};
use crate::widgets::table::{Cell, SortKey, Width, number_or_text};
use crate::wording;
use limit::limited;
pub(crate) use line::QueueLine;
use line::{QueueLineColumn, WHOLE_SERVER, count};
use lines::{add_limits, lines};
use qscope_exits::ClipboardText;

/// At rest limits are shown as the cycle leaves them, like the calendar.
const AT_REST: &str = "after this cycle";

/// The list of queues and limits.
#[derive(Debug, Default)]
pub(crate) struct QueueListModel {
    analysed: AnalysisRequests,
    has_limits: bool,
    /// Whether limits may be elsewhere than below their queue, so that they have to name it.
    is_out_of_place: bool,
}

/// Maximum and minimum columns of a limit's bar.
const BAR: [u16; 2] = [50, 10];
/// Columns for everything else.
const OTHERS: u16 = 100;
/// Minimum width for a column with the limit as written.
const ROOMY: u16 = 140;
/// Minimum height for a pane about the selected line.
const TALL: u16 = 26;
/// Rows of that pane, with its frame.
const DETAIL: u16 = 7;

/// Maximum number of users, groups or projects listed for a generic limit.
const MAX_ENTITIES: usize = 12;

/// The limits of a queue as rows of its page: usage, limit, and number of jobs stopped.
pub(super) fn limits_of(cx: ViewContext<'_>, name: &str) -> Vec<PageRow> {
    let Some((id, queue)) = cx.snapshot().queues.enumerate().find(|(_, queue)| *queue.name == *name) else {
        return Vec::new();
    };
    let mut lines = Vec::new();
    add_limits((cx, &limited(cx)), Some(id), &queue.limits, &mut lines);
    let row = |line: QueueLine| {
        let stops = match line.jobs[1] {
            0 => String::new(),
            jobs => format!(" · stops {}", wording::count(jobs, "job")),
        };
        let role = if line.full { Role::Warning } else { Role::Text };
        PageRow::fact("limit", format!("{}: {} of {}{stops}", line.name, line.used, line.limit)).in_role(role)
    };
    lines.into_iter().map(row).collect()
}

impl ListModel for QueueListModel {
    type Line = QueueLine;

    const HAS_PAGE: bool = true;
    const SPARE: u16 = DETAIL;
    const DETAIL_GROWS: bool = true;

    fn lines(&mut self, cx: ViewContext<'_>) -> Vec<Rc<QueueLine>> {
        self.analysed.take(cx);
        let lines = lines(cx);
        self.has_limits = lines.iter().any(|line| line.is_limit);
        lines.into_iter().map(Rc::new).collect()
    }

    fn is_same(a: &QueueLine, b: &QueueLine) -> bool {
        (&a.queue, &a.name) == (&b.queue, &b.name)
    }

    fn matches_filter(filter: &Filter, line: &QueueLine, _: ViewContext<'_>) -> bool {
        filter.keeps_text(&format!("{} {} {} {}", line.queue, line.name, line.state, line.attribute))
    }

    fn set_in_place(&mut self, is_in_place: bool) {
        self.is_out_of_place = !is_in_place;
    }

    fn title(&self, cx: ViewContext<'_>) -> String {
        let moment = if cx.position() == 0 { AT_REST.to_owned() } else { position_title(cx.position()) };
        match self.has_limits {
            true => format!("Queues and limits {moment}"),
            false => format!("Queues {moment} · no limits set"),
        }
    }

    fn columns<'a>(&'a self, cx: ViewContext<'a>, width: u16) -> Vec<QueueLineColumn<'a>> {
        let theme = cx.theme;
        let [most, least] = BAR;
        let bar = width.saturating_sub(OTHERS).clamp(least, most);
        let mut columns = vec![
            QueueLineColumn::words("queue, or limit", Width::Between(26, 34), 100, |line: &Rc<QueueLine>| {
                line.name_cell(self.is_out_of_place)
            })
            .sorted_by(|line| SortKey::of_text(&line.name_below(WHOLE_SERVER)))
            .valued(|line| line.whole_name().into()),
            QueueLineColumn::words("state", Width::Fixed(9), 60, |line| line.state_cell()),
            QueueLineColumn::numbers("prio", 5, 20, |line| Cell::of(Role::TextDim, &*line.priority)),
            count(["run", "run then"], 80, |[run, ..]| run, theme),
            count(["wait", "wait then"], 90, |[_, wait, _]| wait, theme),
            count(["held", "held then"], 50, |[.., held]| held, theme),
        ];
        if !self.has_limits {
            return columns;
        }
        columns.extend([
            QueueLineColumn::words("used", Width::Fixed(bar), 55, move |line: &Rc<QueueLine>| {
                line.bar_cell(bar, theme)
            })
            .valued(|line| number_or_text(&line.used)),
            QueueLineColumn::words("of limit", Width::Between(13, 24), 88, move |line| {
                line.amounts_cell(theme)
            })
            .sorted_by(|line: &Rc<QueueLine>| SortKey::number(line.amounts.map(|(used, limit)| used / limit)))
            .in_parts(vec![("limit", Box::new(|line| number_or_text(&line.limit)))]),
        ]);
        if width >= ROOMY {
            let written = |line: &'a Rc<QueueLine>| Cell::of(Role::TextDim, &*line.attribute);
            columns.push(QueueLineColumn::words("attribute", Width::Fill(20), 30, written));
        }
        columns
    }

    fn requests(&mut self) -> Vec<Effect> {
        self.analysed.requests()
    }

    fn on_news(&mut self, news: &TaskNews, cx: ViewContext<'_>) -> Update {
        self.analysed.on_news(news, cx).unwrap_or_default()
    }

    fn why_empty(&self, _: ViewContext<'_>) -> Vec<String> {
        Vec::new()
    }

    fn legend(lines: &[Rc<QueueLine>], theme: &Theme) -> String {
        let signs = [
            (lines.iter().any(|line| !line.soft && line.full), theme.by_set("✗", "X"), "limit reached"),
            (lines.iter().any(|line| line.is_soft_exceeded()), "~", "soft limit exceeded"),
        ];
        let shown = signs.iter().filter(|(is_there, ..)| *is_there);
        shown.map(|(_, sign, words)| format!("{sign} {words}")).collect::<Vec<_>>().join("  ")
    }

    fn act(&mut self, action: Action, line: Option<&QueueLine>, cx: ViewContext<'_>) -> Option<Update> {
        if let Some(limit) = line.and_then(|line| line.of.as_ref()).filter(|_| action == Action::Select) {
            let jobs = Update::request(Effect::GoTo(Object::View(ViewName::Jobs)));
            return Some(jobs.with(Effect::SetFilter(limit.filter(cx))));
        }
        let queue = line.filter(|line| !line.queue.is_empty()).map(|line| Object::Queue(line.queue.clone()));
        (action == Action::Select).then(|| match queue {
            Some(queue) => Update::request(Effect::GoToPage(queue)),
            // The line of the whole server: all jobs.
            None => Update::request(Effect::GoTo(Object::View(ViewName::Jobs))),
        })
    }

    fn words(&self, line: Option<&QueueLine>) -> &'static [(Action, &'static str)] {
        match line {
            Some(line) if line.of.is_some() || line.queue.is_empty() => &[(Action::Select, "its jobs")],
            _ => &[(Action::Select, "queue page")],
        }
    }

    fn has_why(line: &QueueLine, _: ViewContext<'_>) -> bool {
        line.first.is_some()
    }

    fn object_to_explain(line: &QueueLine, _: ViewContext<'_>) -> Option<Object> {
        line.first.clone().map(Object::Job)
    }

    fn settings_here(line: &QueueLine, cx: ViewContext<'_>) -> Vec<String> {
        let of_all = || match line.queue.as_str() {
            "" => "server.".to_owned(),
            queue => format!("queue.{queue}."),
        };
        vec![line.of.as_ref().map_or_else(of_all, |limit| limit.raised(cx))]
    }

    fn object(line: &QueueLine, _: ViewContext<'_>) -> Option<Object> {
        (!line.queue.is_empty()).then(|| Object::Queue(line.queue.clone()))
    }

    fn copy(line: &QueueLine, cx: ViewContext<'_>) -> Option<(&'static str, ClipboardText)> {
        Some(match line.is_limit {
            true => ("limit", ClipboardText::line(&line.attribute)),
            false if line.queue.is_empty() => ("server", ClipboardText::line(&*cx.snapshot().server.name)),
            false => ("queue", ClipboardText::line(&line.queue)),
        })
    }

    fn detail(area: Rect) -> DetailLayout {
        DetailLayout { rows: if area.height < TALL { 0 } else { DETAIL }, framed: true }
    }

    fn draw_detail(&self, line: &QueueLine, place: DetailPlace, buf: &mut Buffer, cx: ViewContext<'_>) {
        pane::draw(line, place, buf, cx);
    }

    fn detail_links(&self, line: &QueueLine, area: Rect, cx: ViewContext<'_>) -> Vec<StoryLink> {
        pane::links(line, area, cx)
    }

    fn shows(line: &QueueLine, object: &Object, cx: ViewContext<'_>) -> bool {
        !line.is_limit && Self::object(line, cx).as_ref() == Some(object)
    }
}
