//! Requests the cycle with the active settings from a worker, and makes the rows of the answer.

use super::WhatIfView;
use super::rows::{WhatIfRow, matches_filter, rows};
use crate::task::Computation;
use crate::views::Pending;
use qscope_session::ask_what_if;
use std::rc::Rc;

impl WhatIfView {
    /// Requests the cycle with the active settings from a worker.
    pub(super) fn ask(&mut self) {
        let texts = self.texts();
        self.pending = Pending::default();
        let Some(base) = self.base.clone().filter(|_| !texts.is_empty()) else {
            self.answer = None;
            self.refresh();
            return;
        };
        let answer = Computation::new(format!("what if {}", texts.join(", ")), move |progress| {
            if !progress.at(0, 1) {
                return None;
            }
            Some(ask_what_if(&base, &texts))
        });
        self.pending.begin(answer);
        self.refresh();
    }

    pub(super) fn refresh(&mut self) {
        let answer = self.answer.as_deref().map(Result::as_ref);
        let waits = self.pending.is_waiting();
        let mut all = match self.settings.is_empty() {
            true => Vec::new(),
            false => rows(self.settings.iter().map(|one| (one.text.as_str(), one.on)), answer, waits),
        };
        // Saved what-ifs are below the settings and above their effects.
        let at = all.iter().position(|row| matches!(row, WhatIfRow::Effect(..) | WhatIfRow::Change(_)));
        let at = at.map_or(all.len(), |at| at.saturating_sub(1));
        all.splice(at..at, self.saved.rows());
        let is_first = self.list.has_nothing();
        self.list.set(
            all.into_iter().map(Rc::new).collect(),
            |row| matches_filter(&self.filter, row),
            WhatIfRow::is_same,
        );
        // The first row is a heading, which has no actions.
        if is_first {
            self.list.put_on(|row| !matches!(row, WhatIfRow::Heading(_)));
        }
    }

    /// The index of the setting under the cursor.
    pub(super) fn selected_setting(&self) -> Option<usize> {
        match self.list.selected()? {
            WhatIfRow::Setting { at, .. } => Some(*at),
            _ => None,
        }
    }
}
