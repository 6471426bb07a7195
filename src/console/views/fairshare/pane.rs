//! The pane about the selected entity: its path with the numbers compared, its jobs, who goes before it.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::{ShareLine, jobs};
use crate::layout::indented_inner_area;
use crate::story::{Paragraph, Story, StoryLink, TextPiece, rest_leading_to};
use crate::theme::{Role, Theme};
use crate::views::list::DetailPlace;
use crate::views::{MAX_NAMED, Object, Update, ViewContext, ViewName};
use crate::widgets::bar::{bar, length};
use crate::widgets::frame;
use crate::widgets::text::{Align, clean, fit, width};
use crate::wording;
use qscope_engine::cluster::{Job, JobId, short_id};
use qscope_explain::{started_name_after, waiting_name_after};
use qscope_session::fairshare::{
    ShareEntity, ShareLevel, ShareRival, ShareSibling, burden_words, percent_words, usage_words,
};

/// Columns for the name of a fact.
const NAME: usize = 9;
/// Columns for what follows a bar.
const NUMBERS: usize = 32;
/// Maximum columns for the name of an entity in a table.
const ENTITY: usize = 20;

/// Draws the pane, which may have the keys.
pub(super) fn draw(
    line: &ShareLine,
    DetailPlace { area, has_keys: focused }: DetailPlace,
    buf: &mut Buffer,
    cx: ViewContext<'_>,
) {
    let theme = cx.theme;
    let of = &line.entity;
    let title = match &of.parent {
        Some(_) => format!("{} · {} of the tree", of.entity, percent_words(of.of_tree)),
        None => "The whole tree".to_owned(),
    };
    let hint = match (&of.next_job, line.position().waiting.is_empty()) {
        _ if focused => "",
        (None, true) => "Enter: its jobs",
        _ => "a: why · Enter: its jobs",
    };
    frame::pane(area, buf, theme, &title, hint, focused);
    let (inner, story) = (indented_inner_area(area), story(line, area, cx));
    story.draw(0, inner, buf, theme);
    let below = story.lines().len().saturating_sub(usize::from(inner.height));
    frame::left_out(below, inner, buf, theme);
}

/// The jobs and entities named in the pane, with their places.
pub(super) fn links(line: &ShareLine, area: Rect, cx: ViewContext<'_>) -> Vec<StoryLink> {
    story(line, area, cx.undrawn()).links(indented_inner_area(area))
}

fn story(line: &ShareLine, area: Rect, cx: ViewContext<'_>) -> Story {
    let inner = indented_inner_area(area);
    let (columns, rows) = (usize::from(inner.width), usize::from(inner.height));
    let short = paragraphs(line, cx, columns, |found, names| vec![level(found, names)]);
    let roomy = paragraphs(line, cx, columns, |found, _| siblings(found, columns, cx.theme));
    let mut story = Story::new(short).with_roomy(roomy);
    story.fit_in(columns, rows);
    story
}

/// The levels of the path, the jobs, and the rivals.
fn paragraphs(
    line: &ShareLine,
    cx: ViewContext<'_>,
    columns: usize,
    level: impl Fn(&ShareLevel, usize) -> Vec<Paragraph>,
) -> Vec<Paragraph> {
    let standing = line.position();
    let names = standing.levels.iter().map(|level| width(&level.entity)).max().unwrap_or(0).min(ENTITY);
    let mut all: Vec<Paragraph> = standing.levels.iter().flat_map(|found| level(found, names)).collect();
    let room = columns.saturating_sub(NAME);
    let steps = cx.position();
    let left = |job: JobId| waiting_name_after(cx.run(), job, steps);
    let started = |job: JobId| started_name_after(cx.run(), job, steps);
    all.push(fact("wait", &standing.waiting, left, cx, room));
    all.push(fact("run", &standing.running, started, cx, room));
    all.extend(rivals(&standing.rivals, &line.entity, cx));
    all
}

/// A label and jobs, each a link; an array is named by the subjobs concerned.
fn fact(
    name: &str,
    jobs: &[JobId],
    shown: impl Fn(JobId) -> String,
    cx: ViewContext<'_>,
    room: usize,
) -> Paragraph {
    let objects = jobs.iter().take(MAX_NAMED);
    let objects = objects.map(|job| Object::of_job(*job, cx.snapshot()));
    let words = TextPiece::naming(Role::Text, &named(jobs, shown, room), objects);
    let words = rest_leading_to(words, Object::View(ViewName::Jobs));
    Paragraph::words(NAME, [vec![TextPiece::dim(format!("{name:<NAME$}"))], words].concat())
}

/// The name of an entity, as a link to it.
fn entity(name: &str, columns: usize) -> TextPiece {
    let shown = fit(&clean(name), columns, Align::Left, "…");
    TextPiece::plain(shown).leading_to(Object::Entity(name.to_owned()))
}

/// `level 1  physics  usage/share 5691001 = 2710000 / 47.6 %  place 3 of 4`.
fn level(found: &ShareLevel, names: usize) -> Paragraph {
    let name = fit(&clean(&found.entity), names, Align::Left, "…");
    let (burden, of) = match found.burden {
        Some(burden) => {
            let of = format!(" = {} / {}", usage_words(found.usage), percent_words(found.of_tree));
            (format!("usage/share {}", usage_words(burden)), of)
        }
        None => ("no share".to_owned(), String::new()),
    };
    Paragraph::Line(vec![
        TextPiece::dim(format!("{:<NAME$}", format!("level {}", found.depth))),
        TextPiece::plain(format!("{name}  {burden}")),
        TextPiece::dim(of),
        TextPiece::plain(format!("  place {} of {}", found.place, found.siblings.len())),
    ])
}

/// Maximum number of siblings with a bar: those nearest to the entity in the order they go.
const MAX_SIBLINGS: usize = 9;

/// A level as a picture: the siblings in the order they go, each with a bar of usage per share.
fn siblings(level: &ShareLevel, columns: usize, theme: &Theme) -> Vec<Paragraph> {
    let all = &level.siblings;
    let at = all.iter().position(|one| one.entity == level.entity).unwrap_or(0);
    let from = at.saturating_sub(MAX_SIBLINGS / 2).min(all.len().saturating_sub(MAX_SIBLINGS));
    let shown: Vec<&ShareSibling> = all.iter().skip(from).take(MAX_SIBLINGS).collect();
    let most = shown.iter().filter_map(|one| one.burden).fold(0.0, f64::max);
    let names = shown.iter().map(|one| width(&one.entity)).max().unwrap_or(0).min(ENTITY);
    let bars = length(columns, names + NUMBERS);
    let cut = match all.len() - shown.len() {
        0 => String::new(),
        more => format!(" · {more} more"),
    };
    let place = format!("{} of {}", level.place, all.len());
    let heading = format!("Level {}, by usage/share: {} is {place}{cut}", level.depth, level.entity);
    let mut rows = vec![Paragraph::words(0, [TextPiece::of(Role::Heading, heading)])];
    let row = |one: &ShareSibling| sibling(one, one.entity == level.entity, (names, bars, most), theme);
    rows.extend(shown.into_iter().map(row));
    rows.push(Paragraph::Blank);
    rows
}

/// The line of a sibling, with `names` columns for the name and `bars` for the bar, which is full at `most`.
fn sibling(
    one: &ShareSibling,
    is_own: bool,
    (names, bars, most): (usize, usize, f64),
    theme: &Theme,
) -> Paragraph {
    let mark = if is_own { theme.by_set("▸ ", "> ") } else { "  " };
    let (filled, rest) = bar(one.burden.unwrap_or(0.0), most, bars, theme);
    let waits = if one.waiting > 0 { format!("  {} wait", one.waiting) } else { String::new() };
    Paragraph::Line(vec![
        TextPiece::plain(mark),
        entity(&one.entity, names),
        TextPiece::plain("  "),
        TextPiece::of(Role::Gauge, filled),
        TextPiece::dim(rest),
        TextPiece::plain(format!("  {}", burden_words(one.burden))),
        TextPiece::dim(waits),
    ])
}

fn named(jobs: &[JobId], shown: impl Fn(JobId) -> String, columns: usize) -> String {
    let names: Vec<String> = jobs.iter().map(|job| shown(*job)).collect();
    match names.is_empty() {
        true => "no job".to_owned(),
        false => wording::folded_within(names.iter().map(String::as_str), columns),
    }
}

/// The other entities with waiting jobs, grouped into before, equal and after.
fn rivals(found: &[ShareRival], of: &ShareEntity, cx: ViewContext<'_>) -> Vec<Paragraph> {
    let heading = |goes: &str| match goes {
        "before" => format!("Goes before {}, usage/share where their paths part", of.entity),
        "equal" => format!("Equal to {}", of.entity),
        _ => format!("Goes after {}", of.entity),
    };
    let names = found.iter().map(|rival| width(&rival.entity)).max().unwrap_or(0).clamp(6, ENTITY);
    let mut all = Vec::new();
    for alike in found.chunk_by(|a, b| a.goes == b.goes) {
        let Some(first) = alike.first() else { continue };
        all.push(Paragraph::words(0, [TextPiece::of(Role::Heading, heading(first.goes))]));
        all.extend(alike.iter().map(|rival| rival_line(rival, names, cx)));
    }
    if all.is_empty() && !of.is_root() {
        all.push(Paragraph::words(0, [TextPiece::dim("No job of another entity waits")]));
    }
    all
}

fn rival_line(rival: &ShareRival, names: usize, cx: ViewContext<'_>) -> Paragraph {
    let next = rival.next_job.as_deref().map_or_else(String::new, |job| format!(", next {}", short_id(job)));
    let waits = format!("{:<16}", format!("{} wait{next}", rival.waiting));
    let snap = cx.snapshot();
    let job = rival.next_job.as_deref().and_then(|name| snap.job_meant(name));
    let job = job.map(|id| Object::of_job(id, snap));
    let mut pieces = vec![TextPiece::plain("  "), entity(&rival.entity, names), TextPiece::plain("  ")];
    pieces.extend(TextPiece::naming(Role::Text, &waits, job));
    pieces.push(TextPiece::dim(format!("  level {}  ", rival.depth)));
    pieces.push(TextPiece::plain(format!(
        "{} {} against {} {}",
        rival.other,
        burden_words(rival.other_burden),
        rival.own,
        burden_words(rival.own_burden)
    )));
    Paragraph::Line(pieces)
}

/// Maximum number of entities named in a filter.
const MAX_ENTITIES: usize = 40;

/// Opens the jobs of an entity, or of all entities below it.
pub(super) fn open_jobs(line: &ShareLine, cx: ViewContext<'_>) -> Update {
    if line.entity.is_root() {
        return jobs(String::new());
    }
    let standing = line.position();
    let snap = cx.snapshot();
    let mut filters: Vec<String> = Vec::new();
    for job in standing.waiting.iter().chain(&standing.running) {
        let filter = filter_of(&snap.jobs[*job], &line.tree.fairshare_entity);
        if !filters.contains(&filter) {
            filters.push(filter);
        }
        if filters.len() > MAX_ENTITIES {
            return Update::status(format!(
                "more than {MAX_ENTITIES} entities of {} have jobs",
                line.entity.entity
            ));
        }
    }
    match filters.is_empty() {
        true => Update::status(format!("no job of {} waits or runs", line.entity.entity)),
        false => jobs(filters.join(" or ")),
    }
}

/// A filter for the jobs charged to the same entity as `job`.
fn filter_of(job: &Job, option: &str) -> String {
    match option {
        "egroup" => format!("group=\"{}\"", job.group),
        "Account_Name" => format!("account=\"{}\"", job.account.as_deref().unwrap_or_default()),
        "queue" => format!("queue=\"{}\"", job.queue),
        "egroup:euser" => format!("(group=\"{}\" and user=\"{}\")", job.group, job.user),
        _ => format!("user=\"{}\"", job.user),
    }
}
