//! When sets are ruled out without being examined.

use crate::universe::{NodeSet, SetIx};

use super::super::ruling::{Ruling, is_worthwhile};
use super::super::set_list::SetList;
use super::MAX_LINES;

/// Which sets of a list need not be examined, as soon as many were in vain. A recording names all sets, unless they
/// are very many.
pub(super) struct Rules {
    allowed: bool,
    analysed: usize,
    found: Option<Ruling>,
}

impl Rules {
    /// None yet.
    pub(super) fn new(list: &SetList, is_recorded: bool) -> Self {
        let allowed = list.is_lasting() && !(is_recorded && list.numbers.len() <= MAX_LINES);
        Self { allowed, analysed: 0, found: None }
    }

    /// How many nodes would be examined in vain in a set that cannot hold the job; none if it may.
    #[inline]
    pub(super) fn out(
        &mut self,
        set: SetIx,
        eligible: &NodeSet,
        ask: impl FnOnce() -> Option<Ruling>,
    ) -> Option<u64> {
        if self.found.is_none() && self.allowed {
            self.analysed += 1;
            if is_worthwhile(self.analysed - 1, eligible.count()) {
                self.found = ask();
                self.allowed = self.found.is_some();
            }
        }
        self.found.as_ref()?.out(set)
    }
}
