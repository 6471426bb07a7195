//! The lines of the view: settings, what they do to jobs in short, then everything that differs.

use std::borrow::Cow;
use std::rc::Rc;

use super::saved::in_short;
use crate::filter::Filter;
use crate::theme::Theme;
use crate::widgets::table::TableColumn;
use qscope_session::WhatIfAnswer;
use qscope_session::compare::changes::{self, ChangeLine};
use qscope_source::SettingError;

/// A line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum WhatIfRow {
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
    Change(ChangeLine),
}

impl WhatIfRow {
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
pub(super) fn keeps(filter: &Filter, row: &WhatIfRow) -> bool {
    match row {
        WhatIfRow::Setting { .. } | WhatIfRow::Saved { .. } | WhatIfRow::Wrong(_) => true,
        WhatIfRow::Heading(_) => filter.is_empty(),
        WhatIfRow::Effect(what, names) => filter.keeps_text(&format!("{what} {names}")),
        WhatIfRow::Change(line) => filter.keeps_text(&line.words()),
    }
}

/// All lines for some settings and their effects.
pub(super) fn rows<'s>(
    settings: impl Iterator<Item = (&'s str, bool)>,
    answer: Option<Result<&WhatIfAnswer, &SettingError>>,
    waits: bool,
) -> Vec<WhatIfRow> {
    let mut rows = vec![WhatIfRow::Heading(
        "settings: t turns one on or off, Enter changes it, x deletes it".to_owned(),
    )];
    rows.extend(settings.enumerate().map(|(at, (text, on))| WhatIfRow::Setting {
        at,
        text: text.to_owned(),
        on,
    }));
    match answer {
        None if waits => rows.push(WhatIfRow::Heading("the cycle is running".to_owned())),
        None => {}
        Some(Err(error)) => {
            rows.push(WhatIfRow::Heading(format!("cannot be set: {}", error.text)));
            rows.push(WhatIfRow::Wrong(error.what.clone()));
        }
        Some(Ok(answer)) => add_answer(answer, &mut rows),
    }
    rows
}

fn add_answer(answer: &WhatIfAnswer, rows: &mut Vec<WhatIfRow>) {
    let effects = answer.effects.in_words();
    let short = in_short(&effects);
    rows.push(WhatIfRow::Heading(format!(
        "against the live cycle: {short} · v steps through it, F goes back"
    )));
    rows.extend(effects.into_iter().map(|(word, names)| WhatIfRow::Effect(word, names.join(" "))));
    if answer.comparison.differs() {
        let lines = changes::lines(&answer.comparison, &answer.generation.snapshot);
        rows.extend(changes::under_headings(&lines, WhatIfRow::Heading, |line| {
            WhatIfRow::Change(line.clone())
        }));
    }
}

/// A setting moves no job that runs, so that its nodes have the same to give on both sides.
pub(super) fn columns<'a>(theme: &'a Theme, width: u16) -> Vec<TableColumn<'a, Rc<WhatIfRow>>> {
    crate::views::sides::columns(WhatIfRow::line, |_| [None; 2], theme, width)
}

impl WhatIfRow {
    /// The change that it is.
    fn line(&self) -> Option<&ChangeLine> {
        match self {
            Self::Change(line) => Some(line),
            _ => None,
        }
    }

    /// The text of a heading.
    pub(super) fn heading(&self) -> Option<Cow<'_, str>> {
        match self {
            Self::Heading(words) => Some((&**words).into()),
            // What is no change is as long as the row.
            Self::Effect(word, names) => Some(format!("{word}: {names}").into()),
            Self::Setting { text, on, .. } => {
                Some(format!("{:<4} {text}", if *on { "on" } else { "off" }).into())
            }
            Self::Saved { name, text } => Some(format!("{name}: {text}").into()),
            Self::Wrong(what) => Some(format!("error: {what}").into()),
            Self::Change(_) => None,
        }
    }
}
