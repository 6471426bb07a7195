//! Inside a decision: the breadcrumb, the lines of this level, and the text of the line under the cursor.
//!
//! ```text
//!  12 › sets › switch=sw2 › chunk 1   level 4 of 5
//! ┏ Buckets, in the order tried ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━ 2/5 ┓
//! ┃      bucket                  each nodes  free later  busy  left taken  soon┃
//! ┃  ✓  ncpus=8:mem=16gb           ×1    16     9     3     4    12     4     0┃
//! ┃▸    ncpus=8:mem=8gb            ×1    16     9     3     4    12     -     -┃
//! ┃ each node holds 1 chunk; 12 of 16 left (free or later); not tried: all ... ┃
//! ┗━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┛
//! ```

use std::borrow::Cow;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::breadcrumb::{in_one_line, parts as parts_of_way};
use super::descent::{Descent, DescentLevel};
use super::draw_context::DrawContext;
use super::panes::has_way;
use crate::bucket_names::{BucketNames, cut_apart};
use crate::layout::{Pane, cells, cut_rows, inner_area};
use crate::story::{Paragraph, Story, TextPiece, wrap_text};
use crate::theme::{Role, Theme};
use crate::views::ViewContext;
use crate::views::table_choices::plain_theme;
use crate::widgets::frame;
use crate::widgets::table::{Cell, Table, TableColumn, Width};
use crate::widgets::text::{clean, width};
use qscope_explain::decision::{DecisionPoint, DecisionRow, StageName, TestedCondition};

/// Whether the level has too many number columns for text beside them.
fn has_table(depth: &DescentLevel) -> bool {
    depth.level.headings.len() > 2
}

/// A line of a level, and its name.
struct LevelRow<'a> {
    frame: &'a DecisionRow,
    /// Without what all names have in common, where numbers need the room.
    name: String,
}

fn rows<'a>(depth: &'a DescentLevel, cx: ViewContext<'_>, room: u16) -> Vec<LevelRow<'a>> {
    let frames = &depth.level.frames;
    let names: Vec<String> = frames.iter().map(|frame| frame.label.clone()).collect();
    let names = if has_table(depth) { short_names(&names, depth, cx, room) } else { names };
    frames.iter().zip(names).map(|(frame, name)| LevelRow { frame, name }).collect()
}

/// Columns of a number, and of cursor, sign and space before a name.
const NUMBER: u16 = 5;
const SIGN: u16 = 3;

/// Minimum columns of a name beside text.
const LEAST_NAME: u16 = 8;

/// Columns of the numbers under a heading.
fn number_width(head: &str) -> u16 {
    cells(width(head)).max(NUMBER)
}

/// Names of buckets, shortened to the room that numbers leave; names that would be cut to the same text end in what
/// distinguishes them.
fn short_names(names: &[String], depth: &DescentLevel, cx: ViewContext<'_>, room: u16) -> Vec<String> {
    let order = BucketNames::of(cx.state());
    let short = order.split_common(names).1;
    let numbers: u16 = depth.level.headings.iter().map(|head| number_width(head) + 1).sum();
    let columns = usize::from(room.saturating_sub(SIGN + numbers));
    let first = |at: usize| names.get(at).map_or("", |name| order.first_node(name));
    cut_apart(&short, first, (columns, cx.theme.ellipsis()))
}

impl LevelRow<'_> {
    fn sign(&self) -> Cell<'_> {
        match self.frame.passed {
            Some(true) => Cell::signed(Role::VerdictRun, ""),
            Some(false) => Cell::signed(Role::VerdictNever, ""),
            // A node that was not examined because it fails a condition.
            None if !self.frame.condition.is_empty() => Cell::signed(Role::VerdictNever, ""),
            None => Cell::new(""),
        }
    }

    /// The number in a column; empty for lines without numbers.
    fn number(&self, at: usize) -> Cell<'_> {
        let number = self.frame.numbers.get(at).map_or("", |number| &**number);
        let role = if matches!(number, "0" | "-" | "no") { Role::TextDim } else { Role::Text };
        Cell::of(role, number)
    }
}

/// The title of the column of text.
fn words_title(depth: &DescentLevel) -> &'static str {
    if is_of_nodes(depth) { "found" } else { "what was compared, and the result" }
}

/// The stage that chooses the path.
const PATH: DecisionPoint = DecisionPoint::Stage(StageName::Path);

type LevelColumn<'a> = TableColumn<'a, LevelRow<'a>>;

/// The columns of a level: sign, name, numbers, and the text where numbers leave room for it.
fn columns<'a>(depth: &DescentLevel, rows: &[LevelRow<'_>], room: u16) -> Vec<LevelColumn<'a>> {
    let longest = cells(rows.iter().map(|row| width(&row.name)).max().unwrap_or(0));
    let title = match has_table(depth) {
        true => "bucket",
        false if is_of_nodes(depth) => "node",
        false => "what",
    };
    let name = match has_table(depth) {
        true => Width::Fill(12),
        false => Width::Between(LEAST_NAME, longest.clamp(LEAST_NAME, (room / 2).max(12))),
    };
    let mut columns = vec![
        LevelColumn::words("", Width::Fixed(1), 100, |row| row.sign()),
        LevelColumn::words(title, name, 100, |row| Cell::new(&*row.name)),
    ];
    for (at, head) in depth.level.headings.iter().enumerate() {
        let wide = if has_table(depth) { number_width(head) } else { 6 };
        columns.push(LevelColumn::numbers(*head, wide, 90, move |row| row.number(at)));
    }
    let longest = cells(rows.iter().map(|row| width(&row.frame.condition)).max().unwrap_or(0));
    if longest > 0 {
        let wide = Width::Between(9, longest.clamp(9, (room / 3).max(9)));
        columns.push(LevelColumn::words("condition", wide, 60, |row| Cell::new(&*row.frame.condition)));
    }
    let rules = rules_width(depth, room);
    if let Some(wide) = rules {
        columns.push(LevelColumn::words("rule", Width::Fixed(cells(wide)), 40, |row| {
            Cell::of(Role::TextDim, rule_of(row.frame).unwrap_or_default())
        }));
    }
    if !has_table(depth) {
        columns.push(LevelColumn::words(words_title(depth), Width::Fill(12), 50, move |row| {
            Cell::of(Role::TextDim, text_of(row.frame, rules))
        }));
    }
    columns
}

/// The rule of a line; the words of the path have its rule.
fn rule_of(frame: &DecisionRow) -> Option<&'static str> {
    frame.rule.filter(|_| frame.point != PATH)
}

/// The width of the column of rules; `None` if no line has one, or if it would cut a text beside it other than that of
/// the path, which is long.
fn rules_width(depth: &DescentLevel, room: u16) -> Option<usize> {
    let frames = &depth.level.frames;
    let others = || frames.iter().filter(|frame| frame.point != PATH);
    let longest = |of: fn(&DecisionRow) -> &str| others().map(|frame| width(&clean(of(frame)))).max();
    let rules = frames.iter().filter_map(rule_of).map(width).max()?;
    let beside = [longest(|frame| &frame.label), longest(|frame| &frame.text)];
    // Before them are the cursor and the sign, and before each a gap.
    let needed = 2 + beside.iter().flatten().chain([&rules]).map(|width| width + 1).sum::<usize>();
    (has_table(depth) || needed <= usize::from(room)).then_some(rules)
}

/// The text of a line; without a column of rules, with the rule that stopped the job.
fn text_of(row: &DecisionRow, rules: Option<usize>) -> Cow<'_, str> {
    match rule_of(row).filter(|_| rules.is_none() && row.passed == Some(false)) {
        Some(rule) => format!("rule {rule}: {}", row.text).into(),
        None => (&*row.text).into(),
    }
}

/// The areas of a level's lines and of the text of the line under the cursor.
struct LevelLayout {
    table: Rect,
    text_area: Rect,
    /// Columns for a line's text in the table; 0 where numbers leave no room for it.
    text_width: usize,
}

impl LevelLayout {
    fn new<'a>(
        pane: Rect,
        depth: &DescentLevel,
        (columns, rows): (&[LevelColumn<'a>], &'a [LevelRow<'a>]),
    ) -> Self {
        let inner = inner_area(pane);
        let cut = match has_table(depth) {
            true => None,
            false => Table::new(columns, rows, depth.table, plain_theme()).room_of(words_title(depth), inner),
        };
        let cut = usize::from(cut.unwrap_or(0));
        let words = words_height(depth, inner, cut);
        let (table, words) = cut_rows(inner, inner.height.saturating_sub(words));
        Self { table, text_area: words, text_width: cut }
    }
}

/// Number of rows for the text of the line under the cursor: the conditions of a node, the text of a bucket; elsewhere
/// only as many as texts cut in the table need.
fn words_height(depth: &DescentLevel, inner: Rect, cut: usize) -> u16 {
    let most = (inner.height / 3).clamp(1, 8);
    if is_of_nodes(depth) {
        // What the lines of the table leave, as the conditions take several rows.
        let lines = cells(depth.level.frames.len()).saturating_add(2);
        return inner.height.saturating_sub(lines).clamp(most, 8);
    }
    let columns = usize::from(words_area(inner).width);
    let rules = rules_width(depth, inner.width);
    let texts = depth.level.frames.iter().map(|frame| text_of(frame, rules)).filter(|text| is_cut(text, cut));
    cells(texts.map(|text| wrap_text(&text, columns).len()).max().unwrap_or(0)).min(most)
}

/// The area of the table.
pub(super) fn table_area(pane: Rect, depth: &DescentLevel, cx: ViewContext<'_>) -> Rect {
    let rows = rows(depth, cx.undrawn(), inner_area(pane).width);
    let columns = columns(depth, &rows, inner_area(pane).width);
    LevelLayout::new(pane, depth, (&columns, &rows)).table
}

/// Whether its lines are nodes, of which there may be ten thousand.
fn is_of_nodes(depth: &DescentLevel) -> bool {
    matches!(depth.level.frames.first(), Some(DecisionRow { point: DecisionPoint::Node { .. }, .. }))
}

fn is_cut(text: &str, room: usize) -> bool {
    width(&clean(text)) > room
}

fn words_area(words: Rect) -> Rect {
    Rect { x: words.x + 1, width: words.width.saturating_sub(2), ..words }
}

/// Draws the level.
pub(super) fn draw(drawing: DrawContext<'_>, descent: &Descent, area: Rect, buf: &mut Buffer) {
    let focused = drawing.has_focus(Pane::Detail);
    let Some(depth) = descent.depth() else { return };
    let (title, note) = heading(drawing, descent, depth, area);
    frame::pane(area, buf, drawing.theme, &title, &note, focused);
    let rows = rows(depth, drawing.cx, inner_area(area).width);
    let columns = columns(depth, &rows, inner_area(area).width);
    let LevelLayout { table, text_area, text_width } = LevelLayout::new(area, depth, (&columns, &rows));
    Table { focused, ..Table::new(&columns, &rows, depth.table, drawing.theme) }.render(table, buf);
    // Text that fits in the table is not repeated.
    if let Some(frame) = depth.frame().filter(|_| text_area.height > 0) {
        // The conditions of a node have it in full.
        let text = text_of(frame, rules_width(depth, inner_area(area).width));
        let text = Some(&*text).filter(|text| depth.test.is_none() && is_cut(text, text_width));
        cursor_text(depth, text, drawing.theme).render(words_area(text_area), buf, drawing.theme);
    }
}

/// Title and note: what the lines are and how many pass; the breadcrumb, where it has no line of its own.
fn heading(
    context: DrawContext<'_>,
    descent: &Descent,
    depth: &DescentLevel,
    area: Rect,
) -> (String, String) {
    let theme = context.theme;
    let at = depth.table.position(depth.level.frames.len());
    let passed = depth.level.frames.iter().filter(|frame| frame.passed == Some(true)).count();
    let note = match descent.is_waiting() {
        true => "working".to_owned(),
        false if depth.node().is_some() => {
            let all = depth.level.frames.len();
            let word = if passed == 1 { "passes" } else { "pass" };
            format!("{passed} of {all} {word}{}{at}", theme.dot())
        }
        false => at,
    };
    if has_way(context.cx.size_class) {
        let whole = depth.heading();
        let fits = frame::fit_side_by_side(area, whole, &note);
        let title = if fits { whole } else { whole.split(',').next().unwrap_or(whole) };
        return (title.to_owned(), note);
    }
    let names = descent.named_levels(context.cx);
    let room = usize::from(area.width).saturating_sub(width(&note) + 8);
    (in_one_line(&parts_of_way(&names, room, theme), theme), note)
}

/// Columns of the names of the facts about a node.
const FACT: usize = 8;

/// The text of the line under the cursor, where the table cuts it; for a node what the chunk asks, every condition, what
/// stops it, and what would have to be different.
fn cursor_text(level: &DescentLevel, text: Option<&str>, theme: &Theme) -> Story {
    let mut paragraphs: Vec<Paragraph> =
        text.map(|text| Paragraph::words(0, [TextPiece::plain(text)])).into_iter().collect();
    let Some((_, test)) = &level.test else { return Story::new(paragraphs) };
    let fact = |name: &str, pieces: Vec<TextPiece>| {
        let name = TextPiece::of(Role::TextDim, format!("{name:<FACT$}"));
        Paragraph::words(FACT, std::iter::once(name).chain(pieces).collect::<Vec<_>>())
    };
    paragraphs.push(fact("asks", vec![TextPiece::plain(&*test.part)]));
    let (passed, failed): (Vec<&TestedCondition>, Vec<&TestedCondition>) =
        test.conditions.iter().partition(|one| one.passed);
    let rule = failed.first().map(|one| one.rule);
    let signed = |role: Role, one: &TestedCondition| {
        let found = if one.found.is_empty() { String::new() } else { format!(": {}", one.found) };
        // Keep a condition in one line when the text is wrapped.
        let text = format!("{} {}{found}", theme.glyph(role), one.label).replace(' ', "\u{a0}");
        TextPiece::of(role, format!("{text} "))
    };
    for (name, role, conditions) in
        [("passes", Role::VerdictRun, passed), ("stops", Role::VerdictNever, failed)]
    {
        if !conditions.is_empty() {
            paragraphs.push(fact(name, conditions.into_iter().map(|one| signed(role, one)).collect()));
        }
    }
    if let Some(rule) = rule {
        paragraphs.push(fact("rule", vec![TextPiece::plain(rule)]));
    }
    if let Some(would) = &test.would_pass {
        paragraphs.push(fact("would", vec![TextPiece::of(Role::Heading, format!("pass if {would}"))]));
    }
    Story::new(paragraphs)
}
