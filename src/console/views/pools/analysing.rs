//! The free nodes of the selected pool, analysed once per step.

use super::super::list::LARGE;
use super::PoolsView;
use super::fragments::FragmentationText;
use super::tree::PoolLine;
use crate::views::ViewContext;
use std::rc::Rc;

impl PoolsView {
    /// Analyses the free nodes of the pool under the cursor, or of the pool of the set there.
    pub(super) fn analyse_pool(&mut self, cx: ViewContext<'_>) {
        self.analyse(cx, cx.plan().nodes.len() < LARGE);
    }

    /// The same; unless `now`, a pool that is not yet analysed is left to the next slice, so that very many nodes do
    /// not delay the frame.
    pub(super) fn analyse(&mut self, cx: ViewContext<'_>, now: bool) {
        let state = cx.state();
        let (stamp, known) = &mut self.analysed;
        let current = Some(cx.step_stamp());
        if std::mem::replace(stamp, current) != current {
            known.clear();
        }
        let pool = match self.list.selected() {
            Some(PoolLine::Pool(pool, _)) => Some(*pool),
            Some(PoolLine::Set(line)) => Some(line.pool),
            None => None,
        };
        let pool = pool.filter(|pool| state.pools.checked(*pool).is_some());
        let is_another = pool != std::mem::replace(&mut self.analysed_pool, pool);
        let Some(pool) = pool else {
            self.fragments = None;
            return;
        };
        if now {
            known.entry(pool).or_insert_with(|| Rc::new(FragmentationText::of(state, pool)));
        }
        match known.get(&pool) {
            Some(found) => self.fragments = Some(found.clone()),
            None => {
                self.fragments.take_if(|_| is_another);
                self.analysing.ask();
            }
        }
    }
}
