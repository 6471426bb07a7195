//! The lines of the view: settings, a summary of their effects on jobs, then all changes.

use std::borrow::Cow;
use std::rc::Rc;

use super::saved::effects_summary;
use crate::filter::Filter;
use crate::theme::Theme;
use crate::widgets::table::TableColumn;
use qscope_session::WhatIfAnswer;
use qscope_session::compare::changes::{self, ChangeLine};
use qscope_source::SettingError;

/// A line of the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum WhatIfRow {
    /// A heading for the lines below.
    Heading(String),
    Setting {
        at: usize,
        text: String,
        on: bool,
    },
    /// A saved what-if, and its effect.
    Saved {
        name: String,
        text: String,
    },
    /// Why a setting cannot be applied.
    Error(String),
    /// Jobs with the same effect.
    Effect(&'static str, String),
    Change(ChangeLine),
}

impl WhatIfRow {
    /// Whether both lines are about the same thing, so that the cursor stays.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Change(a), Self::Change(b)) => a.subject == b.subject,
            (Self::Setting { at: a, .. }, Self::Setting { at: b, .. }) => a == b,
            (Self::Saved { name: a, .. }, Self::Saved { name: b, .. }) => a == b,
            (a, b) => a == b,
        }
    }
}

/// Whether a line matches the filter; settings always do.
pub(super) fn matches_filter(filter: &Filter, row: &WhatIfRow) -> bool {
    match row {
        WhatIfRow::Setting { .. } | WhatIfRow::Saved { .. } | WhatIfRow::Error(_) => true,
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
            rows.push(WhatIfRow::Error(error.what.clone()));
        }
        Some(Ok(answer)) => add_answer(answer, &mut rows),
    }
    rows
}

fn add_answer(answer: &WhatIfAnswer, rows: &mut Vec<WhatIfRow>) {
    let effects = answer.effects.jobs_by_effect();
    let short = effects_summary(&effects);
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

/// The columns of the list. Nodes have no signs: a setting does not move running jobs, so both sides would be equal.
pub(super) fn columns<'a>(theme: &'a Theme, width: u16) -> Vec<TableColumn<'a, Rc<WhatIfRow>>> {
    crate::views::sides::columns(WhatIfRow::line, |_| [None; 2], theme, width)
}

impl WhatIfRow {
    /// The change in this line, if it is one.
    fn line(&self) -> Option<&ChangeLine> {
        match self {
            Self::Change(line) => Some(line),
            _ => None,
        }
    }

    /// The text of a line that is not a change.
    pub(super) fn heading(&self) -> Option<Cow<'_, str>> {
        match self {
            Self::Heading(words) => Some((&**words).into()),
            // A line that is not a change spans the whole row.
            Self::Effect(word, names) => Some(format!("{word}: {names}").into()),
            Self::Setting { text, on, .. } => {
                Some(format!("{:<4} {text}", if *on { "on" } else { "off" }).into())
            }
            Self::Saved { name, text } => Some(format!("{name}: {text}").into()),
            Self::Error(what) => Some(format!("error: {what}").into()),
            Self::Change(_) => None,
        }
    }
}
