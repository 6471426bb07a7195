//! The last line: the keys that work at present, or the line being typed; and a message in the row above it.

use std::borrow::Cow;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Clear, Widget};

use super::Chrome;
use crate::action::Context;
use crate::input_mode::{Prefix, PromptKind};
use crate::layout::cells;
use crate::story::{Paragraph, Story};
use crate::theme::Role;
use crate::tour::Tour;
use crate::widgets::footer::{footer, without_data};
use crate::widgets::prompt::Prompt;
use crate::widgets::text::{clean, in_set, truncate, width};

pub(super) fn draw(app: &Chrome<'_>, area: Rect, buf: &mut Buffer) {
    if let Some(prefix) = app.prefix.filter(|_| app.overlays.is_empty()) {
        waiting(app, prefix).render(area, buf);
        return;
    }
    if app.context == Context::Prompt && app.overlays.is_empty() {
        prompt(app).render(area, buf);
        mistake_above(app, area, buf);
        return;
    }
    if let Some(tour) = app.tour {
        guidance(app, tour).render(area, buf);
        return;
    }
    if app.screen.is_none() && app.files.is_none() && app.overlays.is_empty() {
        without_data(app.keymap, app.context, area.width, app.theme).render(area, buf);
        return;
    }
    let newer = super::banner::newer(app);
    footer(app.keymap, (app.context, app.keys), newer.as_deref().unwrap_or(""), area.width, app.theme)
        .render(area, buf);
}

/// Draws a message over everything else, in the row above the last line, if that shows keys.
pub(super) fn message(app: &Chrome<'_>, area: Rect, buf: &mut Buffer) {
    let is_typing = app.context == Context::Prompt && app.overlays.is_empty();
    if app.status.is_empty() || is_typing || app.tour.is_some() {
        return;
    }
    toast(app, Rect { y: area.y.saturating_sub(1), ..area }, buf);
}

/// The role of the message: errors are warnings.
fn role(app: &Chrome<'_>) -> Role {
    if app.is_failure { Role::Warning } else { Role::Text }
}

/// A message at the right of the row above the keys, which stay; one of a failure has a sign (console.md 4). The corner of
/// a pane at the end of the row stays.
fn toast(app: &Chrome<'_>, row: Rect, buf: &mut Buffer) {
    let last = buf.cell((row.right().saturating_sub(1), row.y));
    let is_corner = last.is_some_and(|cell| matches!(cell.symbol(), "┘" | "┛" | "+"));
    let row = Rect { width: row.width.saturating_sub(u16::from(is_corner)), ..row };
    let room = usize::from(row.width);
    let text = shortened_message(app.status, room);
    let text = clean(&text);
    let span = app.theme.signed(role(app), &in_set(&text, app.theme.theme_options().glyphs));
    let cut = truncate(&span.content, room.saturating_sub(2), app.theme.ellipsis()).into_owned();
    let columns = cells(width(&cut) + 2).min(row.width);
    let place = Rect { x: row.right().saturating_sub(columns), width: columns, ..row };
    // Text on the border that the message partly covers is erased up to its beginning.
    let is_border = |x: &u16| buf.cell((*x, row.y)).is_some_and(|cell| is_rule(cell.symbol()));
    let begin = (row.x..place.x).rev().take(WORDS).find(is_border).map_or(place.x, |x| x + 1);
    let hidden = Rect { x: begin, width: place.right().saturating_sub(begin), ..row };
    Clear.render(hidden.intersection(buf.area), buf);
    Line::from(vec![Span::raw(" "), Span::styled(cut, span.style), Span::raw(" ")]).render(place, buf);
}

/// Maximum columns of a text on a border.
const WORDS: usize = 24;

/// Whether a cell is part of a border without text.
fn is_rule(symbol: &str) -> bool {
    matches!(symbol, "─" | "━" | "-" | "=")
}

/// Columns before a message, and for its sign.
const SIGN: usize = 3;

/// Shortens a message that begins with a file path and is too long: the directories of the file are dropped, which are
/// known, rather than the end, which states the error.
fn shortened_message(status: &str, room: usize) -> Cow<'_, str> {
    let place = status.split(": ").next().filter(|place| place.starts_with('/'));
    match place.and_then(|place| place.rfind('/')).and_then(|slash| status.get(slash + 1..)) {
        Some(rest) if width(&clean(status)) + SIGN > room => Cow::Owned(format!("…/{rest}")),
        _ => Cow::Borrowed(status),
    }
}

/// The text of the tour, and the next key.
fn guidance(app: &Chrome<'_>, tour: Tour) -> Line<'static> {
    let progress = format!(" {} ", tour.progress());
    let line = in_set(&tour.line(app.keymap, app.context), app.theme.theme_options().glyphs).into_owned();
    let room = usize::from(app.columns).saturating_sub(width(&progress) + 1);
    let line = truncate(&line, room, app.theme.ellipsis()).into_owned();
    Line::from(vec![
        Span::styled(progress, app.theme.style(Role::Key)),
        Span::styled(line, app.theme.style(Role::Text)),
    ])
}

/// What a waiting key expects.
fn waiting(app: &Chrome<'_>, prefix: Prefix) -> Line<'static> {
    let placed = app.cycle_marks.iter().filter_map(|(letter, mark)| Some((letter, mark.position?)));
    let marks: String = placed.map(|(letter, done)| format!("  {letter} step {done}")).collect();
    let (head, rest) = match prefix {
        Prefix::Mark => (" mark ".to_owned(), format!("a letter names it{marks}")),
        Prefix::Jump if marks.is_empty() => (" to mark ".to_owned(), "none is set; m sets one".to_owned()),
        Prefix::Jump => (" to mark ".to_owned(), marks),
        Prefix::Times(0) => (" number ".to_owned(), "digits, then a motion".to_owned()),
        Prefix::Times(times) => {
            (format!(" {times} "), format!("times a motion (. , w c }} j k …); Enter goes to step {times}"))
        }
    };
    let rest = clean(&rest).into_owned();
    Line::from(vec![
        Span::styled(head, app.theme.style(Role::Key)),
        Span::styled(rest, app.theme.style(Role::TextDim)),
    ])
}

/// Minimum number of letters shown.
const LEAST: usize = 8;

/// What stands before the text.
fn prompt_label(app: &Chrome<'_>) -> &'static str {
    match app.prompt_kind {
        PromptKind::Filter => " /",
        PromptKind::Line(label) => label,
    }
}

/// How to leave the text, in so many words as have room.
fn leaving(app: &Chrome<'_>) -> &'static str {
    const LONG: &str = "  Tab completes, Enter applies, Esc cancels";
    match app.prompt_kind {
        PromptKind::Filter => "  Enter applies, Esc clears",
        PromptKind::Line(_) if LONG.len() <= room_behind(app) => LONG,
        PromptKind::Line(_) => "  Enter applies, Esc cancels",
    }
}

/// The columns that the text leaves.
fn room_behind(app: &Chrome<'_>) -> usize {
    let typed = prompt_label(app).len() + app.prompt.text().chars().count() + 1;
    usize::from(app.columns).saturating_sub(typed)
}

/// Whether the completions are shown after the text.
fn suggests(app: &Chrome<'_>) -> bool {
    app.prompt_kind == PromptKind::Filter && app.suggestions.replaces_error(app.prompt_error)
}

/// What is wrong with the text, to be drawn after it.
fn mistake(app: &Chrome<'_>) -> Option<Span<'static>> {
    let error = app.prompt_error.filter(|_| !suggests(app))?;
    Some(app.theme.signed(Role::Error, &format!(" ^ {}", clean(&error.what))))
}

/// Whether the error fits after the text.
fn has_room(app: &Chrome<'_>, mistake: &Span<'_>) -> bool {
    mistake.width() <= room_behind(app)
}

/// Draws the error in rows above the text if it does not fit after it, as its end states what to do.
fn mistake_above(app: &Chrome<'_>, area: Rect, buf: &mut Buffer) {
    let (Some(error), theme) = (app.prompt_error, app.theme) else { return };
    if mistake(app).is_none_or(|mistake| has_room(app, &mistake)) {
        return;
    }
    let mut words = Story::new(vec![Paragraph::signed(2, Role::Error, &error.what)]);
    words.fit(usize::from(area.width.saturating_sub(2)));
    let rows = cells(words.lines().len()).min(area.y);
    let place = Rect { y: area.y - rows, height: rows, ..area };
    Clear.render(place.intersection(buf.area), buf);
    buf.set_style(place.intersection(buf.area), theme.style(Role::Text));
    words.draw(0, Rect { x: place.x + 1, width: place.width.saturating_sub(2), ..place }, buf, theme);
}

/// The line being typed with the cursor; an error is underlined and explained, otherwise the keys are shown.
fn prompt(chrome: &Chrome<'_>) -> Line<'static> {
    let theme = chrome.theme;
    let text = chrome.prompt.text();
    let cursor = chrome.prompt.before().len();
    let head = prompt_label(chrome);
    let wrong = chrome.prompt_error;
    let tail = match mistake(chrome) {
        _ if suggests(chrome) => {
            let words = chrome.suggestions.words(room_behind(chrome), theme.dot(), theme.ellipsis());
            Span::styled(words, theme.style(Role::TextDim))
        }
        Some(mistake) if has_room(chrome, &mistake) => mistake,
        // The explanation is above.
        Some(_) => Span::styled(format!(" {}", theme.glyph(Role::Error)), theme.style(Role::Error)),
        None => Span::styled(leaving(chrome), theme.style(Role::TextDim)),
    };
    let mut line = Line::from(Span::styled(head, theme.style(Role::Key)));
    // A space at the end for the cursor.
    let letters = text.char_indices().chain([(text.len(), ' ')]);
    let room = usize::from(chrome.columns).saturating_sub(head.len());
    let skipped = skipped(chrome.prompt, room, tail.content.chars().count());
    for (at, letter) in letters.skip(skipped) {
        let is_wrong = wrong.is_some_and(|error| error.span.contains(&at) || error.span.start == at);
        let style = theme.style(if is_wrong { Role::Error } else { Role::Text });
        let style = if is_wrong { style.underlined() } else { style };
        let style = if at == cursor { style.reversed() } else { style };
        line.push_span(Span::styled(clean(letter.encode_utf8(&mut [0; 4])).into_owned(), style));
    }
    // What does not fit is cut with a mark.
    let left = usize::from(chrome.columns).saturating_sub(line.width());
    let cut = truncate(&tail.content, left, theme.ellipsis()).into_owned();
    line.push_span(Span::styled(cut, tail.style));
    line
}

/// Number of letters hidden at the start of a text that is longer than the line, so that the part after it has room.
fn skipped(prompt: &Prompt, room: usize, tail: usize) -> usize {
    let (letters, before) = (prompt.text().chars().count() + 1, prompt.before().chars().count());
    if letters <= room { 0 } else { letters.saturating_sub(room.saturating_sub(tail).max(LEAST)).min(before) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::theme::{GlyphSet, Theme};

    #[test]
    fn a_message_about_a_file_keeps_its_end_and_a_cut_is_marked() {
        let theme = Theme::mono(GlyphSet::Unicode);
        let shown = |status: &str, columns: u16| {
            let status = shortened_message(status, usize::from(columns));
            super::super::cut(&status, Role::Warning, columns, &theme).to_string()
        };
        let wrong = "/home/ann/.config/qscope/config.toml:2: no action srt, did you mean `sort`?";
        assert_eq!(shown(wrong, 80), format!(" ! {wrong}"));
        assert_eq!(shown(wrong, 70), " ! …/config.toml:2: no action srt, did you mean `sort`?");
        assert_eq!(shown(wrong, 40), " ! …/config.toml:2: no action srt, did …");
        assert_eq!(shown("no match of job=57", 12), " ! no match…");
    }
}
