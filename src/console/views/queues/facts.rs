//! The facts about a line, computed once: a line is made for each snapshot and position, but drawn after every key
//! press.

use std::cell::RefCell;
use std::rc::Rc;

use qscope_engine::cluster::JobId;

/// A name, a text, and the jobs named in it.
pub(super) type LineFact = (&'static str, String, Vec<JobId>);

/// What is known about a line.
#[derive(Debug, Default, PartialEq)]
pub(super) struct LineFacts {
    pub(super) facts: Vec<LineFact>,
    /// The jobs that wait there, in the order considered.
    pub(super) waiting: Vec<JobId>,
}

/// Cache of what is known about a line, with the columns that its text was cut to.
#[derive(Debug, Default)]
pub(super) struct LineFactsCache(RefCell<Option<(usize, Rc<LineFacts>)>>);

impl LineFactsCache {
    /// What is known about the line, cut to `columns` columns; computed by `find` if it is not cached.
    pub(super) fn of(&self, columns: usize, find: impl FnOnce() -> LineFacts) -> Rc<LineFacts> {
        if let Some((for_columns, stated)) = &*self.0.borrow()
            && *for_columns == columns
        {
            return stated.clone();
        }
        let stated = Rc::new(find());
        self.0.replace(Some((columns, stated.clone())));
        stated
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_are_found_once_for_a_width() {
        let facts = LineFactsCache::default();
        let stated = |words: &str| LineFacts {
            facts: vec![("run", words.to_owned(), Vec::new())],
            waiting: Vec::new(),
        };
        let first = facts.of(60, || stated("1 2"));
        assert_eq!(*facts.of(60, || panic!("found again")), *first);
        assert_eq!(*facts.of(20, || stated("+2")), stated("+2"));
    }
}
