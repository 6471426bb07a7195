//! Draws an answer.

use std::ops::Range;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::Widget;

use crate::layout::inner_area;
use crate::theme::{GlyphSet, Role, Theme};
use crate::views::names::opens_words;
use crate::views::{ViewContext, ViewName};
use crate::widgets::bar::in_ascii;
use crate::widgets::frame;
use crate::widgets::text::in_set;
use crate::wording;
use qscope_engine::cluster::{Seconds, short_id};
use qscope_explain::{AnswerTopic, Tier};

use super::WhyView;
use super::arrangement::{AnswerLayout, WhyColumn};
use super::named_line::NamedLine;
use super::page::{WhyPage, WhyTarget};
use super::rows::{MARGIN, WhyKey, WhyRow};

/// Text shown without a job to explain.
const NOT_CONSIDERED: &[&str] =
    &["No job was considered.", "1 shows the queue, 2 the nodes: a there explains what is selected."];

/// Draws the view; without the focus it has no cursor, and its note names the key that opens it.
pub(super) fn draw(view: &WhyView, area: Rect, buf: &mut Buffer, cx: ViewContext<'_>, focused: bool) {
    let theme = cx.theme;
    let Some(page) = view.page() else {
        let inner = frame::pane(area, buf, theme, "Why", "", focused);
        match view.target.as_ref().filter(|_| view.absent_since.is_some()) {
            Some(target) => frame::empty(inner, buf, theme, &[&*target.absence_words(cx)]),
            None => frame::empty(inner, buf, theme, NOT_CONSIDERED),
        }
        return;
    };
    let AnswerLayout { columns, picture } = view.arranged(page, area);
    let note = view.filter_note(page).unwrap_or_else(|| note(page, cx, focused));
    border(page, &note, area, buf, cx, focused);
    if !page.is_answered() {
        frame::empty(inner_area(area), buf, theme, &["computing ..."]);
        return;
    }
    if columns.iter().all(|column| column.rows.is_empty()) {
        frame::empty(inner_area(area), buf, theme, &["No match. Esc clears, / edits the filter."]);
        return;
    }
    let (here, stop) = page.cursor.place(&columns);
    let named = page.named(cx);
    for (at, column) in columns.iter().enumerate() {
        let under = column.stops().get(stop).filter(|_| at == here).copied();
        let window = page.cursor.window(&columns, at);
        let mut marked = false;
        let name = under.and_then(|under| name_under(column, under, (&named, page.cursor.choice)));
        let rows = column.rows.iter().enumerate().skip(window.start).take(window.len());
        for ((nth, row), place) in rows.zip(column.area.rows()) {
            let is_under = focused && under == Some((row.key, row.line));
            let is_first = is_under && !std::mem::replace(&mut marked, is_under);
            let text = Rect {
                x: place.x + MARGIN.min(place.width),
                width: place.width.saturating_sub(MARGIN),
                ..place
            };
            let link = name.clone().filter(|(at, _)| focused && *at == nth).map(|(_, place)| place);
            line(row, page.tier(), link, theme).render(text, buf);
            if is_under {
                let room = usize::from(place.width);
                // A line of several rows is marked once.
                let mark = if is_first { theme.glyph(Role::Cursor) } else { " " };
                buf.set_stringn(place.x, place.y, mark, room, Style::new());
                buf.set_style(place, theme.style(Role::Cursor));
            }
        }
    }
    if let Some(place) = picture.filter(|_| page.target.is_job()) {
        let place = Rect { x: place.x + MARGIN, width: place.width.saturating_sub(MARGIN), ..place };
        view.picture.draw(place, buf, cx);
    }
    let room = more_below(page, &columns, area, buf, cx);
    let (object, links) = (named.object(page.cursor.choice), named.links.len());
    if let Some(below) = opens_words(object, (page.cursor.choice, links), true).filter(|_| focused) {
        frame::at_left_of_border(&below, room, buf, theme);
    }
}

/// Writes how many rows are below the longest column, and returns what is left of the lower border.
fn more_below(
    page: &WhyPage,
    columns: &[WhyColumn],
    area: Rect,
    buf: &mut Buffer,
    cx: ViewContext<'_>,
) -> Rect {
    let hidden = columns
        .iter()
        .enumerate()
        .map(|(at, column)| column.rows.len().saturating_sub(page.cursor.window(columns, at).end));
    frame::more_below(hidden.max().unwrap_or(0), area, buf, cx.theme)
}

/// The row of a column and the byte range there of the selected name in the line under the cursor.
fn name_under(
    column: &WhyColumn,
    under: (WhyKey, usize),
    (named, choice): (&NamedLine, usize),
) -> Option<(usize, Range<usize>)> {
    let rows = column.rows_of(under);
    let (at, place) = named.in_rows(choice, column.rows.get(rows.clone())?)?;
    Some((rows.start + at, place))
}

/// The note: that work is in progress, or the moment of an older answer; else user and request of the job, or the key
/// that opens the view.
fn note(page: &WhyPage, cx: ViewContext<'_>, focused: bool) -> String {
    match page.moment(cx) {
        _ if page.is_working() => "working".to_owned(),
        Some(moment) => moment,
        None if focused => title_details(page, cx),
        None => ViewName::Why.number().map_or_else(String::new, |key| format!("{key}: open")),
    }
}

fn border(page: &WhyPage, note: &str, area: Rect, buf: &mut Buffer, cx: ViewContext<'_>, focused: bool) {
    let title = title(page, cx);
    // The title of an answer about a node is part of the answer; the request of its job is not.
    let is_cut = page.title().is_some() && !frame::fit_side_by_side(area, &title, note);
    frame::pane(area, buf, cx.theme, &title, if is_cut { "" } else { note }, focused);
}

fn title(page: &WhyPage, cx: ViewContext<'_>) -> String {
    // An array is called what the cycle leaves of it, as in its row.
    let short = |name: &str| match cx.job_named(name) {
        Some(job) => wording::waiting_name_after(cx.run(), job, usize::MAX),
        None => short_id(name).to_owned(),
    };
    if let Some(title) = page.title() {
        return title.to_owned();
    }
    match &page.target {
        WhyTarget::Job(job) if page.is_answered() && page.tier().is_none() => {
            format!("{} does not wait", short(job))
        }
        WhyTarget::Job(job) => format!("Why {} does not run", short(job)),
        WhyTarget::Node { node, job: Some(job) } => {
            format!("Why {} is not on {node}", short(job))
        }
        WhyTarget::Node { node, job: None } => format!("Why {node} takes no more"),
    }
}

/// User and request of the job, for the title.
fn title_details(page: &WhyPage, cx: ViewContext<'_>) -> String {
    let snap = cx.snapshot();
    let Some(id) = page.target.job().and_then(|job| cx.job_meant(job)) else { return String::new() };
    let job = &snap.jobs[id];
    let asks = job.select.as_ref().map_or_else(String::new, |select| wording::select_words(select, "×"));
    match &cx.plan().requests[id] {
        Ok(request) if request.duration < Seconds::UNLIMITED => {
            format!("{} · {asks} · {} · {}", job.user, request.place, wording::duration(request.duration))
        }
        Ok(request) => format!("{} · {asks} · {}", job.user, request.place),
        Err(_) => job.user.to_string(),
    }
}

/// The role of a tier of causes.
fn tier_role(tier: Option<Tier>) -> Role {
    match tier {
        None => Role::VerdictRun,
        Some(Tier::Never) => Role::VerdictNever,
        Some(Tier::NotEligible | Tier::Stopped | Tier::NotConsidered) => Role::VerdictSkipped,
        Some(_) => Role::VerdictWait,
    }
}

fn line(row: &WhyRow, tier: Option<Tier>, link: Option<Range<usize>>, theme: &Theme) -> Line<'static> {
    let role = match (row.line, row.is_success) {
        (0, _) if row.key.topic() == AnswerTopic::Verdict => tier_role(tier),
        (0, _) => Role::Heading,
        (_, Some(false)) => Role::Warning,
        _ => Role::Text,
    };
    let style = theme.style(role);
    let mut marks: Vec<(Range<usize>, Style)> = Vec::new();
    marks.extend(row.bar.clone().map(|bar| (bar, theme.style(Role::NodeFree))));
    marks.extend(link.map(|link| (link, theme.style(Role::Match).underlined())));
    marks.sort_by_key(|(range, _)| range.start);
    let mut spans = Vec::new();
    let mut done = 0;
    let glyphs = theme.theme_options().glyphs;
    let mut piece = |range: Range<usize>, style: Style| {
        let text = row.text.get(range).unwrap_or_default();
        let text = if glyphs == GlyphSet::Ascii { in_ascii(text) } else { text.to_owned() };
        spans.push(Span::styled(in_set(&text, glyphs).into_owned(), style));
    };
    for (range, marked) in marks {
        if range.start >= done {
            piece(done..range.start, style);
            piece(range.clone(), marked);
            done = range.end;
        }
    }
    piece(done..row.text.len(), style);
    if row.sign() > 0 {
        let sign = if row.is_first { theme.glyph(role) } else { " " };
        spans.insert(0, Span::styled(format!("{sign} "), style));
    }
    Line::from(spans)
}
