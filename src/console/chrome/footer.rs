//! The last line: the keys that work here, or what is being typed, or what the console has to say.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::Widget;

use crate::console::action::Context;
use crate::console::app::App;
use crate::console::shell::Shell;
use crate::console::theme::Role;
use crate::console::widgets::footer::footer;
use crate::console::widgets::text::{clean, width};

/// Draws it.
pub(super) fn draw(app: &Shell, area: Rect, buf: &mut Buffer) {
    if app.context() == Context::Prompt && app.overlays.is_empty() {
        prompt(app).render(area, buf);
        return;
    }
    let room = usize::from(area.width);
    if width(&clean(&app.message)) > room / 2 {
        super::cut(&app.message, Role::Warning, area.width, &app.theme).render(area, buf);
        return;
    }
    footer(&app.keymap, app.context(), &app.message, area.width, &app.theme).render(area, buf);
}

fn prompt(app: &Shell) -> Line<'static> {
    let theme = &app.theme;
    let (before, text) = (app.prompt().before(), app.prompt().text());
    let rest = text.get(before.len()..).unwrap_or("");
    let under = rest.chars().next().unwrap_or(' ');
    let after = rest.get(under.len_utf8().min(rest.len())..).unwrap_or("");
    let style = theme.style(Role::Text);
    Line::from(vec![
        Span::styled(" /", theme.style(Role::Key)),
        Span::styled(clean(before).into_owned(), style),
        Span::styled(clean(&under.to_string()).into_owned(), style.reversed()),
        Span::styled(clean(after).into_owned(), style),
        Span::styled("   Enter keeps the filter, Esc takes it away", theme.style(Role::TextDim)),
    ])
}
