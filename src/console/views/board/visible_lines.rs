//! The lines on the screen: those of a criterion that the filter keeps, or the jobs of the cause that is open.

use std::rc::Rc;

use super::BoardView;
use super::grouped::JobGrouping;
use super::lines::CauseLine;
use crate::views::list::FilteredList;

impl BoardView {
    /// Groups the jobs anew; the lines of the old criterion are gone.
    pub(super) fn group(&mut self, grouping: JobGrouping) {
        if std::mem::replace(&mut self.grouping, grouping) != grouping {
            self.jobs = None;
            self.regroup();
        }
    }

    /// Makes the lines of the criterion from those of the reasons.
    pub(super) fn regroup(&mut self) {
        self.lines = self.grouping.lines(&self.slice.lines);
        self.refresh();
    }

    /// Keeps the lines that match, and the jobs of the cause that is open.
    pub(super) fn refresh(&mut self) {
        let filter = &self.filter;
        self.causes.set(
            self.lines.iter().cloned().map(Rc::new).collect(),
            |line| filter.keeps_text(&line.words()),
            |a, b| a.key == b.key,
        );
        if let Some((key, jobs)) = &mut self.jobs {
            let lines = self.lines.iter().find(|line| line.key == *key);
            let lines =
                lines.map(|line| line.jobs.iter().cloned().map(Rc::new).collect()).unwrap_or_default();
            jobs.set(lines, |job| filter.keeps_text(&job.words()), |a, b| a.name == b.name);
        }
        self.arrange();
    }

    /// Lists the jobs of a cause; false where there is no such cause.
    pub(super) fn open(&mut self, key: &str) -> bool {
        if self.jobs.as_ref().is_some_and(|(open, _)| open == key) {
            return true;
        }
        if !self.lines.iter().any(|line| line.key == key) {
            return false;
        }
        self.causes.put_on(|line| line.key == key);
        self.jobs = Some((key.to_owned(), FilteredList::default()));
        self.refresh();
        true
    }

    /// The cause that is open, or under the cursor.
    pub(super) fn line(&self) -> Option<&CauseLine> {
        match &self.jobs {
            Some((key, _)) => self.lines.iter().find(|line| line.key == *key),
            None => self.causes.selected(),
        }
    }
}
