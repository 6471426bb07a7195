//! The line for a setting: the keys that it may become, and what is wrong with it, while one types.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::{Clear, Widget};

use crate::layout::cells;
use crate::story::{Paragraph, Piece, Story};
use crate::theme::{Role, Theme};
use crate::widgets::frame;
use qscope_engine::cluster::Snapshot;
use qscope_session::query::QueryError;
use qscope_source::{SettingError, Settings, complete};

/// So many keys are offered at once.
const MAX_OFFERED: usize = 8;

/// What is known of the line; nothing while none is typed.
#[derive(Debug, Default)]
pub(super) struct Typing {
    /// The setting that is being changed rather than added.
    pub(super) changing: Option<usize>,
    /// Keys that it may become.
    offered: Option<Vec<String>>,
    mistake: Option<SettingError>,
}

impl Typing {
    /// A line with a text to begin with.
    pub(super) fn begin(changing: Option<usize>, text: &str, snap: &Snapshot) -> Self {
        Self { changing, offered: Some(complete(text, snap)), mistake: None }
    }

    /// Checks what is typed, alone and among the settings as they would be with it; returns what is wrong, and where
    /// in the line.
    pub(super) fn check(&mut self, text: &str, tried: &[String], snap: &Snapshot) -> Option<QueryError> {
        self.offered = Some(complete(text, snap));
        self.mistake = self.wrong(text, tried, snap);
        let error = self.mistake.as_ref()?;
        let is_of_this = error.text.starts_with(text);
        let span = if is_of_this { error.span.start..error.span.end.min(text.len()) } else { 0..text.len() };
        Some(QueryError { what: error.what.clone(), span, is_unknown_field: false })
    }

    /// The first key that the text may become.
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

    /// What is wrong with what is typed, or the keys that it may become, over the lowest lines.
    pub(super) fn render(&self, area: Rect, buf: &mut Buffer, theme: &Theme) {
        if let Some(mistake) = &self.mistake {
            let words = vec![Piece::signed(Role::Error, &mistake.what)];
            let mut story = Story::new(vec![Paragraph::words(2, words)]);
            story.fit(usize::from(area.width.saturating_sub(2)));
            let inner = render_box(area, story.lines().len(), buf, theme, "This is no setting", "");
            return story.draw(0, inner, buf, theme);
        }
        let Some(offered) = self.offered.as_ref().filter(|offered| !offered.is_empty()) else { return };
        let rows = offered.len().min(MAX_OFFERED);
        let note = format!("{} of {}", rows, offered.len());
        let inner = render_box(area, rows, buf, theme, "Keys; Tab takes the first", &note);
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
