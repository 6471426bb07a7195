//! When sets are ruled out without being looked into.

use crate::universe::{NodeSet, SetIx};

use super::super::ruling::{Ruling, is_worthwhile};
use super::super::set_list::SetList;
use super::MAX_TOLD;

/// Which sets of a list need not be looked into, as soon as many were in vain. A listener hears of all sets, unless they
/// are very many.
pub(super) struct Rules {
    allowed: bool,
    looked_into: usize,
    found: Option<Ruling>,
}

impl Rules {
    /// None yet.
    pub(super) fn new(list: &SetList, is_heard: bool) -> Self {
        let allowed = list.is_lasting() && !(is_heard && list.numbers.len() <= MAX_TOLD);
        Self { allowed, looked_into: 0, found: None }
    }

    /// How many nodes would be looked at in vain in a set that cannot hold the job; none if it may.
    #[inline]
    pub(super) fn out(
        &mut self,
        set: SetIx,
        eligible: &NodeSet,
        ask: impl FnOnce() -> Option<Ruling>,
    ) -> Option<u64> {
        if self.found.is_none() && self.allowed {
            self.looked_into += 1;
            if is_worthwhile(self.looked_into - 1, eligible.count()) {
                self.found = ask();
                self.allowed = self.found.is_some();
            }
        }
        self.found.as_ref()?.out(set)
    }
}
