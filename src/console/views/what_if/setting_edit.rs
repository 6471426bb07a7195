//! The line for a setting while it is typed: possible keys and values, and what is wrong with it.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::{Clear, Widget};

use crate::layout::cells;
use crate::theme::Theme;
use crate::widgets::frame;
use qscope_engine::cluster::Snapshot;
use qscope_session::complete;
use qscope_session::query::QueryError;
use qscope_source::{SettingEdits, SettingError};

/// Maximum number of keys offered.
const MAX_OFFERED: usize = 8;

/// What is known about the line; empty if none is being typed.
#[derive(Debug, Default)]
pub(super) struct SettingEdit {
    /// The index of the setting being changed; `None` for a new one.
    pub(super) changing: Option<usize>,
    /// Keys, or settings with values of a key, that complete the line.
    offered: Option<Vec<String>>,
}

impl SettingEdit {
    /// A line with an initial text.
    pub(super) fn begin(changing: Option<usize>, text: &str, snap: &Snapshot) -> Self {
        Self { changing, offered: Some(offers(text, snap)) }
    }

    /// Checks the text alone and among the other settings; returns what is wrong, and where in the line. An unfinished
    /// text is accepted if it can be completed to a valid one.
    pub(super) fn check(
        &mut self,
        (text, is_finished): (&str, bool),
        tried: &[String],
        snap: &Snapshot,
    ) -> Option<QueryError> {
        let offered = offers(text, snap);
        let may_become = !is_finished && offered.iter().any(|setting| setting != text);
        self.offered = Some(offered);
        let error = self.final_error(text, tried, snap).filter(|_| !(may_become && text.contains('=')))?;
        let is_of_this = error.text.starts_with(text);
        let span = if is_of_this { error.span.start..error.span.end.min(text.len()) } else { 0..text.len() };
        Some(QueryError { what: error.what, span, is_unknown_field: false })
    }

    /// The first key or value that completes the text.
    pub(super) fn completion(&self, text: &str) -> Option<String> {
        self.offered.as_ref()?.iter().find(|key| *key != text).cloned()
    }

    /// What is wrong with the text, if no further typing can make it valid.
    fn final_error(&self, text: &str, tried: &[String], snap: &Snapshot) -> Option<SettingError> {
        if !text.contains('=') {
            let hopeless = self.offered.as_ref().is_some_and(Vec::is_empty);
            let error = SettingEdits::read(&[format!("{text}=")], snap).err();
            return error.filter(|_| hopeless && !text.is_empty());
        }
        SettingEdits::read(tried, snap).err()
    }

    /// Draws the possible keys or values over the lowest rows; errors are shown at the line itself.
    pub(super) fn render(&self, area: Rect, buf: &mut Buffer, theme: &Theme) {
        let Some(offered) = self.offered.as_ref().filter(|offered| !offered.is_empty()) else { return };
        let rows = offered.len().min(MAX_OFFERED);
        let note = format!("{} of {}", rows, offered.len());
        let are_values =
            offered.iter().all(|setting| setting.split_once('=').is_some_and(|(_, value)| !value.is_empty()));
        let title = if are_values { "Values; Tab takes the first" } else { "Keys; Tab takes the first" };
        let inner = render_box(area, rows, buf, theme, title, &note);
        let lines: Vec<&str> = offered.iter().take(rows).map(String::as_str).collect();
        frame::empty(inner, buf, theme, &lines);
    }
}

/// Keys, or settings with values, that may take the place of a text. A value that is whole is replaced by another one.
fn offers(text: &str, snap: &Snapshot) -> Vec<String> {
    let offered = complete(text, snap);
    let is_whole = |offered: &[String]| matches!(offered, [only] if only.eq_ignore_ascii_case(text));
    match text.split_once('=') {
        Some((key, _)) if is_whole(&offered) => {
            let all = complete(&format!("{key}="), snap).into_iter();
            all.filter(|setting| !setting.eq_ignore_ascii_case(text)).collect()
        }
        _ => offered,
    }
}

/// Draws a box of `rows` rows at the bottom of the view; returns its inside.
fn render_box(area: Rect, rows: usize, buf: &mut Buffer, theme: &Theme, title: &str, note: &str) -> Rect {
    let height = cells(rows + 2).min(area.height);
    let place = Rect { y: area.bottom().saturating_sub(height), height, ..area };
    Clear.render(place, buf);
    frame::pane(place, buf, theme, title, note, true)
}
