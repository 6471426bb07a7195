//! The decision on one job as text: headline, path rule, stages in order with the compared numbers.
//!
//! ```text
//! ✓ RUN · bucket path                                   headline
//! starts on 4 nodes: n[1-4]
//! bucket path · rule …: excl requested, no other r…     the rule that chose the path
//! ✓ checks   no equal job has failed; 12 of 32 nodes…   stages
//! ✓ chunk 1  4:ncpus=8 · 4 chunks
//!   bucket               fits nodes  free later  busy taken
//!   ncpus=8:mem=16gb       ×1    16     9     3     4     4
//! ```
//! The lines come from the [engine](qscope_explain::decision); this module lays them out. A story is made once for a
//! decision and wrapped once for a width; drawing only reads it.

mod decision;
mod links;
mod offers;
mod paths;
mod table;
mod wrap;

pub(crate) use decision::{decision, decision_to_come};
pub(crate) use links::{StoryLink, rest_leading_to};
pub(crate) use paths::{PathNodes, PathOutcomes};

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::Widget;

use crate::theme::{Role, Theme};
use crate::views::Object;
use crate::widgets::frame;
use crate::widgets::text::{clean, in_set, truncate};
use qscope_exits::ClipboardText;
use table::BucketRow;
use wrap::wrap;
pub(crate) use wrap::wrap_text;

/// Some text in one role.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TextPiece {
    pub role: Role,
    /// The text, already without control characters.
    pub text: String,
    /// Whether the role's sign precedes it.
    pub signed: bool,
    /// The object it names, if it is a link.
    pub leads_to: Option<Object>,
}

impl TextPiece {
    /// A text in a role, without control characters.
    pub(crate) fn of(role: Role, text: impl AsRef<str>) -> Self {
        Self { role, text: clean(text.as_ref()).into_owned(), signed: false, leads_to: None }
    }

    pub(crate) fn plain(text: impl AsRef<str>) -> Self {
        Self::of(Role::Text, text)
    }

    /// Less important text.
    pub(crate) fn dim(text: impl AsRef<str>) -> Self {
        Self::of(Role::TextDim, text)
    }

    pub(crate) fn signed(role: Role, text: impl AsRef<str>) -> Self {
        Self { signed: true, ..Self::of(role, text) }
    }
}

/// A part of a story.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Paragraph {
    /// An empty line.
    Blank,
    /// Wrapped text with a hanging indent.
    Words {
        /// Indent of the lines after the first, in columns.
        hanging_indent: usize,
        /// The text.
        pieces: Vec<TextPiece>,
    },
    /// One line, cut if it is too long.
    Line(Vec<TextPiece>),
    /// A row of a table: a name that gets the width the numbers leave, and right-aligned numbers.
    Cells {
        name: TextPiece,
        /// The numbers and the width of each column.
        numbers: Vec<(TextPiece, usize)>,
    },
    /// Rows for buckets, whose names stay distinct when they are cut.
    Buckets(Vec<BucketRow>),
}

impl Paragraph {
    /// Wrapped text with a hanging indent.
    pub(crate) fn words(hanging_indent: usize, pieces: impl Into<Vec<TextPiece>>) -> Self {
        Self::Words { hanging_indent, pieces: pieces.into() }
    }

    /// The same, after the role's sign.
    pub(crate) fn signed(hang: usize, role: Role, text: impl AsRef<str>) -> Self {
        Self::words(hang, [TextPiece::signed(role, text)])
    }
}

/// A whole story, and its current wrapping.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Story {
    paragraphs: Vec<Paragraph>,
    /// A longer form, used if all of it fits; empty if there is only one form.
    roomy: Vec<Paragraph>,
    width: usize,
    height: usize,
    lines: Vec<Vec<TextPiece>>,
}

impl Story {
    /// A story not wrapped yet.
    pub(crate) fn new(paragraphs: Vec<Paragraph>) -> Self {
        Self { paragraphs, roomy: Vec::new(), width: usize::MAX, height: 0, lines: Vec::new() }
    }

    /// Adds a longer form, used if all of it fits.
    pub(crate) fn with_roomy(self, roomy: Vec<Paragraph>) -> Self {
        Self { roomy, ..self }
    }

    /// A story of one paragraph, or an empty one.
    pub(crate) fn plain(pieces: impl IntoIterator<Item = TextPiece>) -> Self {
        let pieces: Vec<TextPiece> = pieces.into_iter().collect();
        Self::new(if pieces.is_empty() { Vec::new() } else { vec![Paragraph::words(0, pieces)] })
    }

    /// Wraps it for a width; returns whether that changed anything.
    pub(crate) fn fit(&mut self, width: usize) -> bool {
        self.fit_in(width, 0)
    }

    /// Wraps it for a width and height, in the longer form if all of that fits; returns whether that changed anything.
    pub(crate) fn fit_in(&mut self, width: usize, height: usize) -> bool {
        if (self.width, self.height) == (width, height) {
            return false;
        }
        (self.width, self.height) = (width, height);
        let roomy = (height >= self.roomy.len()).then(|| wrap(&self.roomy, width));
        let roomy = roomy.filter(|lines| !lines.is_empty() && lines.len() <= height);
        self.lines = roomy.unwrap_or_else(|| wrap(&self.paragraphs, width));
        true
    }

    /// The lines of the current wrapping.
    pub(crate) fn lines(&self) -> &[Vec<TextPiece>] {
        &self.lines
    }

    /// Wraps it for an area inside a frame and draws it; the lower border shows how many lines do not fit.
    pub(crate) fn render(mut self, area: Rect, buf: &mut Buffer, theme: &Theme) {
        self.fit(usize::from(area.width));
        self.draw(0, area, buf, theme);
        frame::left_out(self.lines.len().saturating_sub(usize::from(area.height)), area, buf, theme);
    }

    /// Draws the lines from `top` on.
    pub(crate) fn draw(&self, top: usize, area: Rect, buf: &mut Buffer, theme: &Theme) {
        for (line, at) in self.lines.iter().skip(top).zip(area.rows()) {
            styled(line, usize::from(area.width), theme).render(at, buf);
        }
    }

    /// The whole text for the clipboard, without signs and unwrapped.
    pub(crate) fn text(&self) -> ClipboardText {
        let cells = |name: &str, numbers: &[(TextPiece, usize)]| {
            let numbers = numbers.iter().map(|(piece, width)| format!("{:>1$}", piece.text, *width));
            format!("{name:<30}{}", numbers.collect::<String>())
        };
        let lines = |paragraph: &Paragraph| match paragraph {
            Paragraph::Blank => vec![String::new()],
            Paragraph::Words { pieces, .. } | Paragraph::Line(pieces) => {
                vec![pieces.iter().map(|piece| &*piece.text).collect()]
            }
            Paragraph::Cells { name, numbers } => vec![cells(&name.text, numbers)],
            Paragraph::Buckets(rows) => {
                let row = |row: &BucketRow| cells(&format!("{}{}", row.sign, row.name.text), &row.numbers);
                rows.iter().map(row).collect()
            }
        };
        self.paragraphs.iter().flat_map(lines).collect()
    }
}

/// A line in the theme's styles, with a mark where it is cut; the separator dot as ASCII with ASCII glyphs.
fn styled(line: &[TextPiece], columns: usize, theme: &Theme) -> Line<'static> {
    let mut styled = Line::default();
    for piece in line {
        let text = in_set(&piece.text, theme.theme_options().glyphs).into_owned();
        let mut span = match piece.signed {
            true => theme.signed(piece.role, &text),
            false => Span::styled(text, theme.style(piece.role)),
        };
        let room = columns.saturating_sub(styled.width());
        span.content = truncate(&span.content, room, theme.ellipsis()).into_owned().into();
        styled.push_span(span);
    }
    styled
}
