//! An answer as rows of the screen: foldable titles, wrapped lines, one column or two.

use std::collections::BTreeMap;
use std::ops::Range;

use ratatui::layout::Rect;

use super::row_wrap;
use crate::filter::Filter;
use crate::layout::inner_area;
use crate::views::timeline::place;
use crate::widgets::bar::{GAP, eighths, length};
use crate::widgets::text::{clean, truncate, width as width_of};
use qscope_explain::{
    AnswerLine, AnswerSection, AnswerTopic, LineKind, LineStatement, words, wrapped_within,
};

/// Columns before the text: the cursor mark and a gap.
pub(super) const MARGIN: u16 = 2;

/// Minimum width for the sections about the future beside the others.
pub(super) const TWO_COLUMNS: u16 = 112;

/// Minimum width for all sections to be open.
const WIDE: u16 = 150;

/// A section by its topic and its index within the topic, so that it is recognised whatever is inserted before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct WhyKey {
    topic: AnswerTopic,
    nth: usize,
}

impl Default for WhyKey {
    fn default() -> Self {
        Self { topic: AnswerTopic::Verdict, nth: 0 }
    }
}

impl WhyKey {
    /// The sections with their keys.
    pub(super) fn all(sections: &[AnswerSection]) -> Vec<(Self, &AnswerSection)> {
        let mut seen: BTreeMap<AnswerTopic, usize> = BTreeMap::new();
        let key = |section: &AnswerSection| {
            let nth = seen.entry(section.topic).or_default();
            *nth += 1;
            Self { topic: section.topic, nth: *nth - 1 }
        };
        sections.iter().map(key).zip(sections).collect()
    }

    /// The section with this key.
    pub(super) fn of(self, sections: &[AnswerSection]) -> Option<&AnswerSection> {
        Self::all(sections).into_iter().find(|(key, _)| *key == self).map(|(_, section)| section)
    }

    /// The topic of the section.
    pub(super) fn topic(self) -> AnswerTopic {
        self.topic
    }

    /// Whether it is folded initially: the less common sections, if there is only one column.
    fn folds_first(self, wide: bool) -> bool {
        let is_rare = matches!(
            self.topic,
            AnswerTopic::Decision | AnswerTopic::Buckets | AnswerTopic::StopMap | AnswerTopic::WithoutEffect
        );
        !wide && (is_rare || (self.topic == AnswerTopic::Nodes && self.nth > 1))
    }

    /// Whether it is about the future.
    pub(super) fn is_ahead(self) -> bool {
        is_ahead(self.topic)
    }
}

fn is_ahead(topic: AnswerTopic) -> bool {
    matches!(
        topic,
        AnswerTopic::Estimate | AnswerTopic::Help | AnswerTopic::WithoutEffect | AnswerTopic::BlockedJobs
    )
}

/// The sections folded or opened by hand; kept from one job to the next.
#[derive(Debug, Default)]
pub(super) struct Folds {
    toggled: BTreeMap<WhyKey, bool>,
    /// Whether there is room for all sections.
    has_room_for_all: bool,
}

impl Folds {
    /// Whether a section is folded.
    pub(super) fn has(&self, key: WhyKey) -> bool {
        self.toggled.get(&key).copied().unwrap_or_else(|| key.folds_first(self.has_room_for_all))
    }

    /// The same for a screen of that area. In two columns all sections are open; in one column they are if all their
    /// rows fit.
    pub(super) fn for_screen(&self, sections: &[AnswerSection], filter: &Filter, area: Rect) -> Self {
        let (body, has_ahead) = (inner_area(area), sections.iter().any(|section| is_ahead(section.topic)));
        let open = Self { toggled: self.toggled.clone(), has_room_for_all: true };
        let folded = Self { toggled: self.toggled.clone(), has_room_for_all: false };
        if body.width >= if has_ahead { TWO_COLUMNS } else { WIDE } {
            return open;
        }
        let all = WhyKey::all(sections);
        let rows = |folds: &Self| {
            let of = |(key, section): &(WhyKey, &AnswerSection)| {
                rows(*key, section, (folds, filter), RowLayout { width: body.width, wraps: false }).len()
            };
            all.iter().map(of).sum::<usize>()
        };
        let (most, least) = (rows(&open), rows(&folded));
        let fits =
            most <= usize::from(body.height) && place(body, most).is_some() == place(body, least).is_some();
        if fits { open } else { folded }
    }

    /// Folds or opens a section.
    pub(super) fn toggle(&mut self, key: WhyKey) {
        let fold = !self.has(key);
        self.toggled.insert(key, fold);
    }

    /// Opens all sections if any is folded; else folds all.
    pub(super) fn toggle_all(&mut self, sections: &[AnswerSection]) {
        let keys: Vec<WhyKey> = WhyKey::all(sections).into_iter().map(|(key, _)| key).collect();
        let fold = !keys.iter().any(|key| self.has(*key));
        self.toggled.extend(keys.into_iter().map(|key| (key, fold)));
    }
}

/// A row of the screen.
#[derive(Debug, Clone)]
pub(super) struct WhyRow {
    pub(super) key: WhyKey,
    /// The line of the section, from 1; 0 is its title.
    pub(super) line: usize,
    pub(super) text: String,
    /// Whether it is the first row of its line.
    pub(super) is_first: bool,
    /// Whether the line states a success or a failure, if either.
    pub(super) is_success: Option<bool>,
    /// Byte range of a bar in the text.
    pub(super) bar: Option<Range<usize>>,
    /// Number of letters before those of the line.
    pub(super) lead_letters: usize,
}

impl WhyRow {
    /// Columns of the sign before the text: the title of the verdict has one.
    pub(super) fn sign(&self) -> u16 {
        if self.line == 0 && self.key.topic() == AnswerTopic::Verdict { 2 } else { 0 }
    }

    /// The letters of the line in this row with their byte offsets, without whitespace, prefix and bar.
    pub(super) fn letters(&self) -> impl Iterator<Item = (usize, char)> {
        let is_of_line = |(at, letter): &(usize, char)| {
            !letter.is_whitespace() && !self.bar.as_ref().is_some_and(|bar| bar.contains(at))
        };
        self.text.char_indices().filter(is_of_line).skip(self.lead_letters)
    }
}

/// The width of all bars of a section; 0 for bars of blocking jobs that would be cut, as their times are written as
/// well.
fn bar_width(section: &AnswerSection, room: usize) -> usize {
    let lines = section.lines.iter().filter(|line| line.bar.is_some());
    let longest = lines.map(|line| width_of(&line.text)).max().unwrap_or(0);
    let bar = length(room, longest);
    let is_cut = longest + bar + GAP > room;
    if is_cut && section.topic == AnswerTopic::Blockers { 0 } else { bar }
}

/// The line with its bar inserted into the text, and the byte range of the bar.
fn with_bar(line: AnswerLine, width: usize) -> (AnswerLine, Option<Range<usize>>) {
    let Some(bar) = line.bar.filter(|_| width > 0) else { return (line, None) };
    let drawn = match bar.is_shortage {
        true => {
            let share = bar.available as f64 / bar.requested.max(1) as f64;
            let cells = ((share * width as f64).round() as usize).clamp(1, width);
            "┄".repeat(cells - 1) + "▏"
        }
        false => eighths(bar.available as f64, bar.requested as f64, width),
    };
    let (head, rest) = line.text.split_at_checked(bar.at).unwrap_or((&line.text, ""));
    let range = head.len()..head.len() + drawn.len();
    let gap = " ".repeat(width.saturating_sub(drawn.chars().count()));
    let text = format!("{head}{drawn}{gap}{rest}");
    (AnswerLine { text, ..line }, Some(range))
}

/// The layout of rows.
#[derive(Debug, Clone, Copy)]
pub(super) struct RowLayout {
    pub(super) width: u16,
    /// Whether table rows are wrapped instead of cut.
    pub(super) wraps: bool,
}

impl RowLayout {
    fn pieces(self, topic: AnswerTopic, line: &AnswerLine, room: usize) -> Vec<String> {
        let whole = || row_wrap::wrapped(&format!("  {}", line.text), room);
        match line.kind == LineKind::Row {
            true if self.wraps => whole(),
            // The nodes of a blocking job are wrapped if not even one of them and the number of the others fits.
            true if topic == AnswerTopic::Blockers => {
                Some(wrapped_within(line, room)).filter(|cut| !is_cut(line, cut)).unwrap_or_else(whole)
            }
            _ => wrapped_within(line, room),
        }
    }
}

/// Whether letters of a row were cut off.
fn is_cut(line: &AnswerLine, shown: &[String]) -> bool {
    shown.last().is_some_and(|last| last.ends_with('…') && !line.text.ends_with('…'))
}

/// Number of lines of sections that the filter keeps, and of all; a filter that finds a title keeps its section.
pub(super) fn lines_kept(sections: &[AnswerSection], filter: &Filter) -> (usize, usize) {
    let kept = |section: &AnswerSection| match filter.keeps_text(&clean(&section.title)) {
        true => section.lines.len(),
        false => section.lines.iter().filter(|line| filter.keeps_text(&line.text)).count(),
    };
    let all = sections.iter().map(|section| section.lines.len()).sum();
    (sections.iter().map(kept).sum(), all)
}

/// The rows of a section.
pub(super) fn rows(
    key: WhyKey,
    section: &AnswerSection,
    (folds, filter): (&Folds, &Filter),
    shape: RowLayout,
) -> Vec<WhyRow> {
    let title = clean(&section.title);
    let folded = folds.has(key) && filter.is_empty();
    let hidden = words::count(section.lines.len(), "line");
    let end = if folded { format!(" ... {hidden}") } else { String::new() };
    let room = usize::from(shape.width.saturating_sub(MARGIN));
    let repeats = section.lines.iter().any(|line| line.statement == LineStatement::InTitle);
    let mut found = title_rows(key, &title, &end, (room, repeats));
    let titles = found.len();
    let is_whole = found.first().is_some_and(|row| row.text.len() == title.len() + end.len());
    if folded {
        return found;
    }
    let bars = bar_width(section, room);
    // A filter that finds the title keeps the whole section.
    let keeps_all = !filter.is_empty() && filter.keeps_text(&title);
    for (at, line) in section.lines.iter().enumerate() {
        let is_left_out = match filter.is_empty() {
            true => is_whole && line.statement == LineStatement::InTitle,
            false => !keeps_all && !filter.keeps_text(&line.text),
        };
        if is_left_out {
            continue;
        }
        // What it was a note on is the title then.
        let is_note_on_title = repeats && is_whole && line.statement == LineStatement::Cause(0);
        let kind = if is_note_on_title { LineKind::Sentence } else { line.kind };
        // Cleaned first, so that the final text is measured.
        let line = AnswerLine { text: clean(&line.text).into_owned(), kind, ..line.clone() };
        let (line, bar) = with_bar(line, bars);
        // Rows are indented by two; a bar is in the first row.
        let mut bar = bar.map(|bar| bar.start + 2..bar.end + 2);
        // A note is prefixed by a dash.
        let mut lead = usize::from(line.kind == LineKind::Note);
        let mut goes_on = false;
        let row = |text: String| {
            let bar = bar.take().filter(|bar| text.get(bar.clone()).is_some());
            let is_first = !std::mem::replace(&mut goes_on, true);
            WhyRow {
                key,
                line: at + 1,
                text,
                is_first,
                is_success: line.is_success,
                bar,
                lead_letters: std::mem::take(&mut lead),
            }
        };
        found.extend(shape.pieces(key.topic, &line, room).into_iter().map(row));
    }
    if found.len() == titles && !filter.is_empty() {
        found.clear();
    }
    found
}

/// The title of a section with its end, in as many rows as it needs; in one row, cut with a mark, where a line below repeats
/// it.
fn title_rows(key: WhyKey, title: &str, end: &str, (room, repeats): (usize, bool)) -> Vec<WhyRow> {
    let row = |text: String, is_first| WhyRow {
        key,
        line: 0,
        text,
        is_first,
        is_success: None,
        bar: None,
        lead_letters: 0,
    };
    let sign = usize::from(row(String::new(), true).sign());
    let room = room.saturating_sub(sign).max(1);
    if repeats {
        let cut = truncate(title, room.saturating_sub(width_of(end)), "…");
        return vec![row(format!("{cut}{end}"), true)];
    }
    let text = format!("{title}{end}");
    let pieces = textwrap::wrap(&text, room);
    let rows = pieces.into_iter().enumerate().map(|(nth, piece)| row(piece.into_owned(), nth == 0));
    rows.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The nodes of blocking jobs are named in full, or those left out are counted.
    #[test]
    fn nodes_of_jobs_in_the_way_go_on_below_rather_than_being_cut() {
        let list = "cn[009-016]";
        let text = format!("51  bob  8 nodes  until 02:43, in 39m  {list}");
        let texts = |topic, width| -> Vec<String> {
            let mut section = AnswerSection::new(topic, "Blocked by");
            section.row(text.clone());
            section.lines.iter_mut().for_each(|line| line.list = list.len());
            let (folds, filter) = (Folds { has_room_for_all: true, ..Folds::default() }, Filter::default());
            let key = WhyKey { topic, nth: 0 };
            let rows = rows(key, &section, (&folds, &filter), RowLayout { width, wraps: false });
            rows.into_iter().skip(1).map(|row| row.text).collect()
        };
        assert_eq!(texts(AnswerTopic::Blockers, 60), [format!("  {text}")]);
        let below = texts(AnswerTopic::Blockers, 48);
        assert_eq!(below.len(), 2, "{below:?}");
        assert!(below[1].trim() == list && !below[0].contains('…'), "{below:?}");
        assert!(texts(AnswerTopic::Nodes, 48)[0].ends_with('…'));
    }
}
