//! The lines of the view: settings, what they do to jobs in short, then everything that differs.

use std::borrow::Cow;

use crate::filter::Filter;
use crate::theme::Role;
use crate::views::listing::Listing;
use crate::widgets::table::{Cell, Column, Rows, Width};
use qscope_session::WhatIfAnswer;
use qscope_session::compare::changes::{self, Line};
use qscope_source::SettingError;

/// A line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Row {
    /// What stands below.
    Heading(String),
    /// A setting.
    Setting { at: usize, text: String, on: bool },
    /// A setting that cannot be made.
    Wrong(String),
    /// Jobs to which the same happens.
    Effect(&'static str, String),
    /// Something that differs.
    Change(Line),
}

impl Row {
    /// Whether the cursor stays on it.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Change(a), Self::Change(b)) => a.about == b.about,
            (Self::Setting { at: a, .. }, Self::Setting { at: b, .. }) => a == b,
            (a, b) => a == b,
        }
    }
}

/// Whether the filter keeps a line; settings stay.
pub(super) fn keeps(filter: &Filter, row: &Row) -> bool {
    match row {
        Row::Setting { .. } | Row::Wrong(_) => true,
        Row::Heading(_) => filter.is_empty(),
        Row::Effect(what, names) => filter.keeps_text(&format!("{what} {names}")),
        Row::Change(line) => filter.keeps_text(&line.words()),
    }
}

pub(super) const COLUMNS: [Column; 2] =
    [Column::words("what", Width::Between(14, 24), 100), Column::words("change", Width::Fill(20), 90)];

/// All lines for some settings and what came of them.
pub(super) fn rows<'s>(
    settings: impl Iterator<Item = (&'s str, bool)>,
    answer: Option<Result<&WhatIfAnswer, &SettingError>>,
    waits: bool,
) -> Vec<Row> {
    let mut rows =
        vec![Row::Heading("settings: t turns one on or off, Enter changes it, x takes it away".to_owned())];
    rows.extend(settings.enumerate().map(|(at, (text, on))| Row::Setting { at, text: text.to_owned(), on }));
    match answer {
        None if waits => rows.push(Row::Heading("the cycle is running".to_owned())),
        None => {}
        Some(Err(error)) => {
            rows.push(Row::Heading(format!("cannot be set: {}", error.text)));
            rows.push(Row::Wrong(error.what.clone()));
        }
        Some(Ok(answer)) => add_answer(answer, &mut rows),
    }
    rows
}

fn add_answer(answer: &WhatIfAnswer, rows: &mut Vec<Row>) {
    let effects = answer.effects.in_words();
    let short: Vec<String> = effects.iter().map(|(word, names)| format!("{} {word}", names.len())).collect();
    let short = if short.is_empty() { "no job is touched".to_owned() } else { short.join(", ") };
    rows.push(Row::Heading(format!("against the live cycle: {short} · v steps through it, F goes back")));
    rows.extend(effects.into_iter().map(|(word, names)| Row::Effect(word, names.join(" "))));
    if answer.comparison.differs() {
        let lines = changes::lines(&answer.comparison, &answer.generation.snapshot);
        rows.extend(changes::under_headings(&lines, Row::Heading, |line| Row::Change(line.clone())));
    }
}

/// The lines as a table has them.
pub(super) struct Screen<'l>(pub(super) &'l Listing<Row>);

impl Rows for Screen<'_> {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn cell(&self, row: usize, column: usize) -> Cell<'_> {
        let Some(line) = self.0.line(row) else { return Cell::new("") };
        match (line, column) {
            (Row::Setting { on: true, .. }, 0) => Cell::of(Role::Changed, "on"),
            (Row::Setting { .. }, 0) => Cell::of(Role::TextDim, "off"),
            (Row::Setting { text, on, .. }, _) => {
                Cell::of(if *on { Role::Text } else { Role::TextDim }, &**text)
            }
            (Row::Wrong(_), 0) => Cell::of(Role::Error, "error"),
            (Row::Wrong(what), _) => Cell::of(Role::Error, &**what),
            (Row::Effect(word, _), 0) => Cell::of(Role::Heading, *word),
            (Row::Effect(_, names), _) => Cell::new(&**names),
            (Row::Change(line), 0) => Cell::new(&*line.name),
            (Row::Change(line), _) => Cell::new(&*line.text),
            (Row::Heading(_), _) => Cell::new(""),
        }
    }

    fn heading(&self, row: usize) -> Option<Cow<'_, str>> {
        match self.0.line(row)? {
            Row::Heading(words) => Some((&**words).into()),
            _ => None,
        }
    }
}
