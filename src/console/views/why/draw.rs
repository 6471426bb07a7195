//! Draws an answer.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::Widget;

use crate::theme::{Role, Theme};
use crate::views::object::Object;
use crate::views::world::World;
use crate::widgets::frame;
use crate::widgets::text::{clean, truncate};
use qscope_engine::cluster::short_id;
use qscope_explain::{Tier, Topic};

use super::page::{Page, Target};
use super::rows::{MARGIN, Row, columns, parts};
use super::{WhyView, links};

/// Draws the view.
pub(super) fn draw(view: &WhyView, area: Rect, buf: &mut Buffer, world: World<'_>, theme: &Theme) {
    let Some(page) = view.page() else {
        let inner = frame::pane(area, buf, theme, "Why", "", true);
        frame::empty(inner, buf, theme, &["No job was considered; go to one in the cycle and press a."]);
        return;
    };
    let columns = columns(&page.sections(), &view.folds, &view.filter, area);
    let (_, below) = parts(area);
    let note = if page.is_working() { "working" } else { "" };
    frame::pane(area, buf, theme, &title(page), note, true);
    if !page.is_answered() {
        let (body, _) = parts(area);
        frame::empty(body, buf, theme, &["computing ..."]);
        return;
    }
    if columns.iter().all(|column| column.rows.is_empty()) {
        let (body, _) = parts(area);
        frame::empty(body, buf, theme, &["No match. Esc clears, / edits the filter."]);
        return;
    }
    let (here, stop) = page.cursor.place(&columns);
    let objects = links::of(page.line().as_ref(), world);
    let chosen = objects.get(page.cursor.choice);
    for (at, column) in columns.iter().enumerate() {
        let under = column.stops().get(stop).filter(|_| at == here).copied();
        let window = page.cursor.window(&columns, at);
        for (row, place) in column.rows.iter().skip(window.start).take(window.len()).zip(column.area.rows()) {
            let is_under = under == Some((row.key, row.line));
            let text = Rect {
                x: place.x + MARGIN.min(place.width),
                width: place.width.saturating_sub(MARGIN),
                ..place
            };
            line(row, page.tier, chosen.filter(|_| is_under), theme).render(text, buf);
            if is_under {
                let room = usize::from(place.width);
                buf.set_stringn(place.x, place.y, theme.glyph(Role::Cursor), room, Style::new());
                buf.set_style(place, theme.style(Role::Cursor));
            }
        }
    }
    below_text(page, &objects, chosen).render_in(below, buf, theme);
}

fn title(page: &Page) -> String {
    let short = |name: &str| short_id(name).to_owned();
    match &page.target {
        Target::Job(job) if page.is_answered() && page.tier.is_none() => {
            format!("{} does not wait", short(job))
        }
        Target::Job(job) => format!("Why {} waits", short(job)),
        Target::Node { node, job: Some(job) } => {
            format!("Why {} is not on {node}", short(job))
        }
        Target::Node { node, job: None } => format!("Why {node} takes no more"),
    }
}

/// The role of a kind of cause.
fn tier_role(tier: Option<Tier>) -> Role {
    match tier {
        None => Role::VerdictRun,
        Some(Tier::Never) => Role::VerdictNever,
        Some(Tier::NotEligible | Tier::Stopped | Tier::NotConsidered) => Role::VerdictSkipped,
        Some(_) => Role::VerdictWait,
    }
}

fn line(row: &Row, tier: Option<Tier>, chosen: Option<&Object>, theme: &Theme) -> Line<'static> {
    let role = match (row.line, row.good) {
        (0, _) if row.key.topic() == Topic::Verdict => tier_role(tier),
        (0, _) => Role::Heading,
        (_, Some(false)) => Role::Warning,
        _ => Role::Text,
    };
    let style = theme.style(role);
    let place = chosen.and_then(|object| links::place(&row.text, object));
    let spans = match place {
        Some(place) => {
            let piece = |range: std::ops::Range<usize>| row.text.get(range).unwrap_or_default().to_owned();
            vec![
                Span::styled(piece(0..place.start), style),
                Span::styled(piece(place.clone()), theme.style(Role::Match).underlined()),
                Span::styled(piece(place.end..row.text.len()), style),
            ]
        }
        None => vec![Span::styled(row.text.clone(), style)],
    };
    Line::from(spans)
}

/// The text of the row below.
struct Below(String);

/// Where Enter leads.
fn below_text(page: &Page, objects: &[Object], chosen: Option<&Object>) -> Below {
    let Some(object) = chosen else {
        return Below(match page.cursor.line {
            0 => "Enter folds, Tab and arrows move, y copies, Y copies as Markdown".to_owned(),
            _ => format!("Enter goes to {} {}", page.target.object().kind(), page.target.object().name()),
        });
    };
    let which = match objects.len() {
        1 => String::new(),
        all => format!("{} of {all}: ", page.cursor.choice + 1),
    };
    let why = if matches!(object, Object::Job(_) | Object::Node(_)) { ", a asks why" } else { "" };
    let others = if objects.len() > 1 { ", h and l choose" } else { "" };
    Below(format!("{which}Enter goes to {} {}{why}{others}", object.kind(), object.name()))
}

impl Below {
    fn render_in(&self, area: Rect, buf: &mut Buffer, theme: &Theme) {
        let text = clean(&self.0);
        let text = truncate(&text, usize::from(area.width), theme.ellipsis());
        Line::from(Span::styled(text, theme.style(Role::TextDim))).render(area, buf);
    }
}
