//! The parts around every view: header, tabs, banner, footer, and the boxes on top.
//!
//! ```text
//!  campus · ● LIVE · 13:02:11, 41s old · 12 of 32 nodes free … · step 3/12      header
//!  1 Cycle  2 Nodes  3 Buckets …                                                 tabs
//!  ! scheduling off: 4 jobs would start in this cycle                         banner
//!  …                                                                             the view
//!  . step  , back  Enter go to  / filter  ? help                                 footer
//! ```

pub(crate) mod alerts;
pub(crate) mod banner;
pub(crate) mod files;
pub(crate) mod footer;
pub(crate) mod header;
mod loading;
pub(crate) mod tabs;

use ratatui::buffer::Buffer;
use ratatui::layout::{Margin, Rect};
use ratatui::text::{Line, Span};
use ratatui::widgets::Widget;

use super::action::Context;
use super::breakpoints::Breakpoints;
use super::following::FollowState;
use super::input_mode::{Prefix, PromptKind};
use super::keymap::Keymap;
use super::layout::{LayoutParts, SizeClass, cells};
use super::overlay::{Overlay, Overlays, TextBox};
use super::screen::{CycleMarks, Screen};
use super::story::{Paragraph, Story, TextPiece};
use super::suggestions::Suggestions;
use super::theme::{Role, Theme};
use super::tour::Tour;
use super::views::ViewName;
use super::widgets::footer::ViewKeys;
use super::widgets::frame;
use super::widgets::prompt::Prompt;
use super::widgets::text::{clean, truncate, width};
use crate::views::FileView;
use qscope_engine::cluster::Epoch;
use qscope_session::query::QueryError;
use tabs::ViewBreadcrumb;

/// The inputs for drawing the parts around a view.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Chrome<'a> {
    pub(crate) theme: &'a Theme,
    pub(crate) keymap: &'a Keymap,
    /// Width of the screen.
    pub(crate) columns: u16,
    /// What is being read, in words.
    pub(crate) source: &'a str,
    pub(crate) screen: Option<&'a Screen>,
    /// The view on files, if no cluster is shown.
    pub(crate) files: Option<&'a dyn FileView>,
    pub(crate) following: &'a FollowState,
    /// The alert that has the keys.
    pub(crate) alert: Option<usize>,
    /// The current time.
    pub(crate) now: Epoch,
    pub(crate) view: ViewName,
    /// The breadcrumb of a view without a number key; empty for other views.
    pub(crate) breadcrumb: &'a [ViewBreadcrumb],
    pub(crate) context: Context,
    /// The keys at present.
    pub(crate) keys: ViewKeys,
    /// The line being typed.
    pub(crate) prompt: &'a Prompt,
    pub(crate) prompt_kind: PromptKind,
    pub(crate) prompt_error: Option<&'a QueryError>,
    pub(crate) suggestions: &'a Suggestions,
    pub(crate) prefix: Option<Prefix>,
    pub(crate) breakpoints: &'a Breakpoints,
    pub(crate) cycle_marks: &'a CycleMarks,
    /// The message, if any.
    pub(crate) status: &'a str,
    /// Whether it is an error message.
    pub(crate) is_failure: bool,
    /// Steps per second, while playing.
    pub(crate) playing: Option<&'static str>,
    pub(crate) overlays: &'a Overlays,
    pub(crate) tour: Option<Tour>,
}

/// Draws everything into a buffer for `area`, which `parts` divide; `view` draws the view in its place.
pub(crate) fn render(
    app: &Chrome<'_>,
    parts: &LayoutParts,
    (area, buf): (Rect, &mut Buffer),
    view: impl FnOnce(Rect, &mut Buffer),
) {
    buf.set_style(buf.area, app.theme.style(Role::Text));
    if parts.class == SizeClass::TooSmall {
        frame::too_small(area, buf, app.theme);
        return;
    }
    header::header(app, parts.header.width).render(parts.header, buf);
    tabs::tabs(app, parts.tabs.width).render(parts.tabs, buf);
    banner::draw(app, parts.banners, buf);
    if app.screen.is_none() && app.files.is_none() {
        waiting(app, parts.body, buf);
    } else {
        view(parts.body, buf);
    }
    footer::draw(app, parts.footer, buf);
    for overlay in app.overlays {
        match overlay {
            Overlay::Help(help) => help.render(area, buf, app.theme, app.keymap),
            Overlay::Files(top) => {
                let story = files::story(app, usize::from(area.width));
                text_box(app, "Files and clients", (&story, *top), area, buf);
            }
            Overlay::Text(text) => {
                text_box(app, &text.title, (&wrapped(text, area), text.top), area, buf);
            }
            Overlay::Palette(palette) => palette.render(area, buf, app.theme),
            Overlay::Breakpoints(open) => {
                open.render(&app.breakpoints.list, app.screen, app.theme, area, buf);
            }
            Overlay::Columns(list) => list.render(area, buf, app.theme),
        }
    }
    footer::message(app, parts.footer, buf);
}

/// Draws the screen while nothing could be read yet.
fn waiting(app: &Chrome<'_>, area: Rect, buf: &mut Buffer) {
    let words = |role, text: &str| Paragraph::signed(2, role, text);
    let collected = files::collected_so_far(app);
    let mut paragraphs = match &app.following.failure {
        // The first collection is still running.
        _ if app.following.collection.as_ref().is_some_and(|all| all.rounds == 0) => {
            vec![words(Role::Text, &format!("collecting into {} ...", app.source))]
        }
        Some(failure) => {
            let mut lines = failure.message.lines();
            // One line per finding.
            let mut clauses = clauses(lines.next().unwrap_or_default()).into_iter();
            let mut all = vec![words(Role::Error, clauses.next().unwrap_or_default())];
            all.extend(
                clauses.map(|clause| Paragraph::words(4, [TextPiece::plain(format!("  - {clause}"))])),
            );
            all.extend([
                Paragraph::Blank,
                words(Role::TextDim, "r reads it again, and so does any change of its files; q leaves"),
                Paragraph::Blank,
            ]);
            // What is known even without verdicts.
            all.extend(lines.map(|line| Paragraph::Line(vec![TextPiece::plain(line)])));
            all
        }
        None => {
            let waiting = app.following.waiting.as_ref().map(|why| words(Role::TextDim, why));
            let reading = words(Role::Text, &format!("reading {} ...", app.source));
            let lines = std::iter::once(reading).chain(loading::lines(app)).chain(waiting).collect();
            let area = area.inner(Margin::new(1, 1));
            let mut story = Story::new(lines);
            story.fit(usize::from(area.width));
            story.draw(0, area, buf, app.theme);
            let used = cells(story.lines().len() + 1).min(area.height);
            return loading::map::draw(
                app,
                Rect { y: area.y + used, height: area.height - used, ..area },
                buf,
            );
        }
    };
    paragraphs.extend(collected);
    Story::new(paragraphs).render(area.inner(Margin::new(1, 1)), buf, app.theme);
}

/// Splits a sentence at semicolons, but not within brackets.
fn clauses(sentence: &str) -> Vec<&str> {
    let (mut clauses, mut depth, mut from) = (Vec::new(), 0usize, 0);
    for (at, letter) in sentence.char_indices() {
        match letter {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            ';' if depth == 0 && sentence.get(at + 1..).is_some_and(|rest| rest.starts_with(' ')) => {
                clauses.extend(sentence.get(from..at));
                from = at + 2;
            }
            _ => {}
        }
    }
    clauses.extend(sentence.get(from..));
    clauses
}

/// Width of a box of text over the panes.
pub(crate) const BOX: u16 = 100;

/// A text wrapped for a box on a screen of that width.
fn for_box(paragraphs: Vec<Paragraph>, columns: usize) -> Story {
    let mut story = Story::new(paragraphs);
    story.fit(columns.min(usize::from(BOX)).saturating_sub(2));
    story
}

fn text_height(story: &Story, area: Rect) -> u16 {
    cells(story.lines().len() + 2).min(area.height.saturating_sub(2)).max(3)
}

fn wrapped(text: &TextBox, area: Rect) -> Story {
    let mut story = text.story();
    story.fit(usize::from(area.width.min(BOX).saturating_sub(2)));
    story
}

/// The area of the topmost box.
pub(crate) fn box_place(app: &Chrome<'_>, area: Rect) -> Option<Rect> {
    let of_text = |story: &Story| frame::overlay_place(area, BOX, text_height(story, area));
    Some(match app.overlays.last()? {
        Overlay::Help(help) => help.place(area, app.keymap),
        Overlay::Files(_) => of_text(&files::story(app, usize::from(area.width))),
        Overlay::Text(text) => of_text(&wrapped(text, area)),
        Overlay::Palette(palette) => palette.place(area),
        Overlay::Breakpoints(open) => open.place(app.breakpoints.list.len(), area),
        Overlay::Columns(list) => list.place(area),
    })
}

/// Draws a text in a box over the panes, starting at line `top`.
fn text_box(chrome: &Chrome<'_>, title: &str, (story, top): (&Story, usize), area: Rect, buf: &mut Buffer) {
    let inner = frame::overlay(area, buf, chrome.theme, title, BOX, text_height(story, area));
    story.draw(top, inner, buf, chrome.theme);
    let below = story.lines().len().saturating_sub(top + usize::from(inner.height));
    frame::more_below_inside(below, inner, buf, chrome.theme);
}

/// One line of text in a role, with a space before it, control characters replaced, and cut.
pub(crate) fn cut(text: &str, role: Role, columns: u16, theme: &Theme) -> Line<'static> {
    let text = clean(text);
    let signed = theme.signed(role, &text).width().saturating_sub(width(&text));
    let text = truncate(&text, usize::from(columns).saturating_sub(signed + 1), theme.ellipsis());
    Line::from(vec![Span::raw(" "), theme.signed(role, &text)])
}

#[cfg(test)]
mod tests {
    use super::clauses;

    #[test]
    fn a_clause_in_brackets_is_not_parted_from_what_it_is_about() {
        let sentence = "nodes.json: found no vnode (found text; expected a dump); expected nodes; the end";
        let parted =
            ["nodes.json: found no vnode (found text; expected a dump)", "expected nodes", "the end"];
        assert_eq!(clauses(sentence), parted);
        assert_eq!(clauses("a) b; c"), ["a) b", "c"]);
        assert_eq!(clauses(""), [""]);
    }
}
