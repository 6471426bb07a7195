//! The lines of the view: settings, what they do to jobs in short, then everything that differs.

use std::borrow::Cow;
use std::rc::Rc;

use super::saved::in_short;
use crate::filter::Filter;
use crate::theme::Role;
use crate::widgets::table::{Cell, Column, Width};
use qscope_session::WhatIfAnswer;
use qscope_session::compare::changes::{self, Line};
use qscope_source::SettingError;

/// A line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Row {
    /// What stands below.
    Heading(String),
    Setting {
        at: usize,
        text: String,
        on: bool,
    },
    /// A what-if kept under a name, and what it does.
    Saved {
        name: String,
        text: String,
    },
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
            (Self::Saved { name: a, .. }, Self::Saved { name: b, .. }) => a == b,
            (a, b) => a == b,
        }
    }
}

/// Whether the filter keeps a line; settings stay.
pub(super) fn keeps(filter: &Filter, row: &Row) -> bool {
    match row {
        Row::Setting { .. } | Row::Saved { .. } | Row::Wrong(_) => true,
        Row::Heading(_) => filter.is_empty(),
        Row::Effect(what, names) => filter.keeps_text(&format!("{what} {names}")),
        Row::Change(line) => filter.keeps_text(&line.words()),
    }
}

/// All lines for some settings and their effects.
pub(super) fn rows<'s>(
    settings: impl Iterator<Item = (&'s str, bool)>,
    answer: Option<Result<&WhatIfAnswer, &SettingError>>,
    waits: bool,
) -> Vec<Row> {
    let mut rows =
        vec![Row::Heading("settings: t turns one on or off, Enter changes it, x deletes it".to_owned())];
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
    let short = in_short(&effects);
    rows.push(Row::Heading(format!("against the live cycle: {short} · v steps through it, F goes back")));
    rows.extend(effects.into_iter().map(|(word, names)| Row::Effect(word, names.join(" "))));
    if answer.comparison.differs() {
        let lines = changes::lines(&answer.comparison, &answer.generation.snapshot);
        rows.extend(changes::under_headings(&lines, Row::Heading, |line| Row::Change(line.clone())));
    }
}

type RowColumn<'a> = Column<'a, Rc<Row>>;

pub(super) fn columns<'a>() -> [RowColumn<'a>; 2] {
    [
        RowColumn::words("what", Width::Between(14, 24), 100, |row| row.what()),
        RowColumn::words("change", Width::Fill(20), 90, |row| row.change()),
    ]
}

impl Row {
    fn what(&self) -> Cell<'_> {
        match self {
            Self::Setting { on: true, .. } => Cell::of(Role::Changed, "on"),
            Self::Setting { .. } => Cell::of(Role::TextDim, "off"),
            Self::Saved { name, .. } => Cell::of(Role::Heading, &**name),
            Self::Wrong(_) => Cell::of(Role::Error, "error"),
            Self::Effect(word, _) => Cell::of(Role::Heading, *word),
            Self::Change(line) => Cell::new(&*line.name),
            Self::Heading(_) => Cell::new(""),
        }
    }

    fn change(&self) -> Cell<'_> {
        match self {
            Self::Setting { text, on: true, .. } | Self::Saved { text, .. } => Cell::new(&**text),
            Self::Setting { text, .. } => Cell::of(Role::TextDim, &**text),
            Self::Wrong(what) => Cell::of(Role::Error, &**what),
            Self::Effect(_, names) => Cell::new(&**names),
            Self::Change(line) => Cell::new(&*line.text),
            Self::Heading(_) => Cell::new(""),
        }
    }

    /// The text of a heading.
    pub(super) fn heading(&self) -> Option<Cow<'_, str>> {
        match self {
            Self::Heading(words) => Some((&**words).into()),
            _ => None,
        }
    }
}
