//! What is stated about a line of the list, found once: a line is made again for each snapshot and position, and is drawn at
//! every key.

use std::cell::RefCell;
use std::rc::Rc;

/// A name in each line, and the words after it.
pub(super) type Stated = Rc<Vec<(&'static str, String)>>;

/// What is known about a line, for the columns that its words were cut to.
#[derive(Debug, Default)]
pub(super) struct Facts(RefCell<Option<(usize, Stated)>>);

impl Facts {
    /// What is known in so many columns, found now if it is not.
    pub(super) fn of(&self, columns: usize, find: impl FnOnce() -> Vec<(&'static str, String)>) -> Stated {
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
        let facts = Facts::default();
        let first = facts.of(60, || vec![("run", "1 2".to_owned())]);
        assert_eq!(*facts.of(60, || panic!("found again")), *first);
        assert_eq!(facts.of(20, || vec![("run", "+2".to_owned())]).len(), 1);
    }
}
