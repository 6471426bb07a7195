//! The cycle: which path each job took, where it went, and why the others wait.
//!
//! ```text
//!  campus · ● LIVE · 13:02:11, 41 s old · 12 of 32 nodes free … · step 3/12      header
//!  ! scheduling is OFF: 4 jobs would start in this cycle                         banner
//! ┏ Queue, in the order considered ┓┌ Decision on 17 ──────────────────────┐
//! ┃   #  job  user   path   verdict┃│ ✓ RUN · bucket path                  │
//! ┃│  1  12   ann  ▦ bucket ✓ run  ┃│ starts on 4 nodes: n[1-4]            │
//! ┃◆  2  15   bob  ▪ node   ◷ not n┃│ ▦ takes the bucket path · test 13:…  │
//! ┃▸  3  17   ann  ▦ bucket ✓ run  ┃│ ✓ all nodes 12 of 32 nodes free …    │
//! ┗━━━━━━━━━━━━━━━━━━━━━━━━━━ 3/12 ┛└──────────────────────────────────────┘
//! ┌ Nodes by bucket, as 17 found them ──────────────────────────────── n7 free ┐
//! │ ncpus=8:mem=16gb ████░░░░▒▒▓▓▓▓▓▓ 8/16                                     │
//! └────────────────────────────────────────────────────────────────────────────┘
//!  . step  , back  Enter go to  / filter  ? help                                 footer
//! ```
//! At 80 columns the queue stands above the decision, or above the map when that has the focus; below 80 one pane is
//! shown at a time; from 200 on the node under the map's cursor has a pane of its own.

pub mod banner;
pub mod decision;
pub mod footer;
pub mod header;
pub mod map;
pub mod node;
pub mod queue;
pub mod warnings;

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::{Margin, Rect};
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::Widget;

use crate::console::cycle_app::{CycleApp, Overlay, Shown};
use crate::console::layout::{Pane, SizeClass};
use crate::console::story::{Paragraph, Piece, Story};
use crate::console::theme::{Role, Theme};
use crate::console::widgets::frame;
use crate::console::widgets::text::{clean, truncate};

/// Draws everything.
pub(in crate::console) fn render(app: &CycleApp, frame: &mut Frame<'_>) {
    let area = frame.area();
    let buf = frame.buffer_mut();
    buf.set_style(area, app.theme.style(Role::Text));
    let panes = app.panes();
    if panes.class == SizeClass::TooSmall {
        frame::too_small(area, buf, &app.theme);
        return;
    }
    header::header(app, panes.header.width).render(panes.header.intersection(area), buf);
    banner::draw(app, panes.banners, buf);
    match &app.shown {
        Some(shown) => {
            for (pane, rect) in panes.iter() {
                draw_pane(app, shown, pane, rect.intersection(area), buf);
            }
        }
        None => {
            let body = panes.iter().map(|(_, rect)| rect).reduce(Rect::union);
            waiting(app, body.unwrap_or_default().intersection(area), buf);
        }
    }
    footer::draw(app, panes.footer.intersection(area), buf);
    for overlay in app.overlays.iter() {
        match overlay {
            Overlay::Help(help) => help.render(area, buf, &app.theme, &app.keymap),
            Overlay::Warnings(top) => warnings::draw(app, *top, area, buf),
        }
    }
}

fn draw_pane(app: &CycleApp, shown: &Shown, pane: Pane, area: Rect, buf: &mut Buffer) {
    match pane {
        Pane::List => queue::draw(app, shown, area, buf),
        Pane::Detail => decision::draw(app, shown, area, buf),
        Pane::Map => map::draw(app, shown, area, buf),
        Pane::Side => node::draw(app, shown, area, buf),
    }
}

/// Nothing could be read yet.
fn waiting(app: &CycleApp, area: Rect, buf: &mut Buffer) {
    let words = |role, text: &str| Paragraph::Words { hang: 2, pieces: vec![Piece::signed(role, text)] };
    let paragraphs = match &app.following.failure {
        Some(failure) => vec![
            words(Role::Error, &failure.message),
            Paragraph::Blank,
            words(Role::TextDim, "r reads it again, and so does any change of its files; q leaves"),
        ],
        None => vec![words(Role::Text, &format!("reading {} ...", app.source))],
    };
    let mut story = Story::new(paragraphs);
    let area = area.inner(Margin::new(1, 1));
    story.fit(usize::from(area.width));
    for (line, at) in story.lines().iter().zip(area.rows()) {
        decision::styled(line, &app.theme).render(at, buf);
    }
}

/// One line of text in a role, with a space before it, made harmless and cut.
pub(in crate::console) fn cut(text: &str, role: Role, columns: u16, theme: &Theme) -> Line<'static> {
    let text = clean(text);
    let text = truncate(&text, usize::from(columns.saturating_sub(2)), theme.ellipsis());
    Line::from(vec![Span::raw(" "), theme.signed(role, &text)])
}

/// A line in the middle of nowhere: why it is empty and what to press.
pub(in crate::console) fn empty(area: Rect, buf: &mut Buffer, theme: &Theme, lines: &[&str]) {
    for (text, at) in lines.iter().zip(area.rows()) {
        let text = truncate(text, usize::from(area.width), theme.ellipsis());
        buf.set_stringn(at.x, at.y, text, usize::from(at.width), dim(theme));
    }
}

fn dim(theme: &Theme) -> Style {
    theme.style(Role::TextDim)
}
