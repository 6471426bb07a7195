//! The choice of a node for a job (rules R3 to R6, R9).

use super::{FarmState, SlotNeed};
use crate::farm::levels::LoadDirection;
use crate::farm::signs::ClassBitmaps;
use crate::farm::{FarmNode, FarmPolicy, NodeNo};
use qscope_engine::cluster::Column;

impl FarmState {
    /// Returns whether any node could ever take such a job (rule R9).
    pub(in crate::farm) fn could_ever(nodes: &Column<NodeNo, FarmNode>, need: SlotNeed) -> bool {
        nodes
            .iter()
            .any(|node| node.slots >= need.slots && node.memory.is_none_or(|memory| memory >= need.memory))
    }

    /// Returns whether a node would take the job if no class held any node.
    pub(in crate::farm) fn fits_but_for_holds(&self, need: SlotNeed) -> bool {
        if need.memory == 0 || !self.has_memory {
            return self.levels.most_free() >= need.slots;
        }
        let all = |_| u64::MAX;
        self.levels
            .find(LoadDirection::LeastLoaded, need.slots, all, |node| self.has_memory_for(node, need))
            .is_some()
    }

    #[inline]
    fn has_memory_for(&self, node: NodeNo, need: SlotNeed) -> bool {
        let left = self.nodes[node].memory_left;
        left == u64::MAX || left >= need.memory
    }

    #[inline]
    fn shown_signs(&self) -> &ClassBitmaps {
        self.published_bitmaps.as_ref().unwrap_or(&self.current_bitmaps)
    }

    /// Returns the node for a job: lowest tier, then least load, then first (rules R3 to R6).
    pub(in crate::farm) fn choose(&self, need: SlotNeed) -> Option<NodeNo> {
        let (signs, policy) = (self.shown_signs(), self.policies[need.class]);
        let open = |at: usize| signs.open_word(need.class, at);
        let accept = |node: NodeNo| self.has_memory_for(node, need);
        let here = |at: usize| signs.present_words(need.class).get(at).copied().unwrap_or(0);
        let first = match policy {
            FarmPolicy::Plain => None,
            FarmPolicy::Spread => {
                self.levels.find(LoadDirection::LeastLoaded, need.slots, |at| !here(at) & open(at), accept)
            }
            _ if self.classes[need.class].nodes == 0 && self.published_bitmaps.is_none() => None,
            _ => self.levels.find(self.own_direction, need.slots, |at| here(at) & open(at), accept),
        };
        first.or_else(|| self.levels.find(LoadDirection::LeastLoaded, need.slots, open, accept))
    }

    /// As [`FarmState::choose`], when only the nodes given can be available.
    pub(in crate::farm) fn choose_among(&self, need: SlotNeed, nodes: &[NodeNo]) -> Option<NodeNo> {
        let (signs, policy) = (self.shown_signs(), self.policies[need.class]);
        let key = |node: &NodeNo| {
            let seat = &self.nodes[*node];
            let fits = seat.slots.saturating_sub(seat.used) >= need.slots
                && self.has_memory_for(*node, need)
                && signs.is_open(need.class, *node);
            if !fits {
                return None;
            }
            let own = signs.is_present(need.class, *node);
            let load = i64::try_from(self.levels.load_rank(*node, seat.used)).unwrap_or(i64::MAX);
            let tier = match policy {
                FarmPolicy::Plain => 0,
                FarmPolicy::Spread => u8::from(own),
                _ => u8::from(!own),
            };
            let up = own && policy.prefers_own_nodes() && self.own_direction == LoadDirection::Fullest;
            Some((tier, if up { -load } else { load }, node.0, *node))
        };
        nodes.iter().filter_map(key).min().map(|(.., node)| node)
    }
}
