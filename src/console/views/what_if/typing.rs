//! The line for a setting: the keys and values that it may become, and what is wrong with it, while one types.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::{Clear, Widget};

use crate::layout::cells;
use crate::theme::Theme;
use crate::widgets::frame;
use qscope_engine::cluster::Snapshot;
use qscope_session::complete;
use qscope_session::query::QueryError;
use qscope_source::{SettingError, Settings};

/// So many keys are offered at once.
const MAX_OFFERED: usize = 8;

/// What is known of the line; nothing while none is typed.
#[derive(Debug, Default)]
pub(super) struct Typing {
    /// The setting that is being changed rather than added.
    pub(super) changing: Option<usize>,
    /// Keys, or settings with the values of a key, that it may become.
    offered: Option<Vec<String>>,
}

impl Typing {
    /// A line with a text to begin with.
    pub(super) fn begin(changing: Option<usize>, text: &str, snap: &Snapshot) -> Self {
        Self { changing, offered: Some(complete(text, snap)) }
    }

    /// Checks what is typed, alone and among the settings as they would be with it; returns what is wrong, and where
    /// in the line. What is not finished is right where it may become so.
    pub(super) fn check(
        &mut self,
        (text, is_finished): (&str, bool),
        tried: &[String],
        snap: &Snapshot,
    ) -> Option<QueryError> {
        let offered = complete(text, snap);
        let may_become = !is_finished && offered.iter().any(|setting| setting != text);
        self.offered = Some(offered);
        let error = self.wrong(text, tried, snap).filter(|_| !(may_become && text.contains('=')))?;
        let is_of_this = error.text.starts_with(text);
        let span = if is_of_this { error.span.start..error.span.end.min(text.len()) } else { 0..text.len() };
        Some(QueryError { what: error.what, span, is_unknown_field: false })
    }

    /// The first key or value that the text may become.
    pub(super) fn completion(&self, text: &str) -> Option<String> {
        self.offered.as_ref()?.iter().find(|key| *key != text).cloned()
    }

    /// What is wrong with the text, if it can no longer become right by typing on.
    fn wrong(&self, text: &str, tried: &[String], snap: &Snapshot) -> Option<SettingError> {
        if !text.contains('=') {
            let hopeless = self.offered.as_ref().is_some_and(Vec::is_empty);
            let error = Settings::read(&[format!("{text}=")], snap).err();
            return error.filter(|_| hopeless && !text.is_empty());
        }
        Settings::read(tried, snap).err()
    }

    /// The keys or values that what is typed may become, over the lowest lines; what is wrong stands at the line itself.
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

/// A box of so many rows at the bottom of the view; returns what is inside.
fn render_box(area: Rect, rows: usize, buf: &mut Buffer, theme: &Theme, title: &str, note: &str) -> Rect {
    let height = cells(rows + 2).min(area.height);
    let place = Rect { y: area.bottom().saturating_sub(height), height, ..area };
    Clear.render(place, buf);
    frame::pane(place, buf, theme, title, note, true)
}
