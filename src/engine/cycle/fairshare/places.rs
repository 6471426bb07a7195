//! Ranks of entities by burden, for trees in which that order is total (rule 6.5).
//!
//! Two groups with the same burden compare equal as a whole while their members differ, which no ranking can express.
//! Without such a pair, jobs are sorted by these numbers instead of by walking two paths per comparison.

use super::{EntityId, FairshareTree};
use crate::cluster::Column;

/// The rank of each requested entity, from 0; equal entities share one. Ranks of other entities are meaningless.
pub type EntityRanks = Column<EntityId, u32>;

/// For each entity, the number of requested entities at or below it.
type MemberCounts = Column<EntityId, u32>;

/// An entity with members, compared with others of the same parent.
struct Sibling {
    parent: EntityId,
    burden: f64,
    entity: EntityId,
}

impl FairshareTree {
    /// Returns ranks that order the entities as [`compare`](Self::compare) does; `None` if no ranking can: a group is
    /// requested together with one of its members, or two sibling groups have the same burden.
    pub fn places(&self, entities: impl IntoIterator<Item = EntityId>) -> Option<EntityRanks> {
        let members = self.members(entities)?;
        let mut places = Column::filled(self.entities.len(), 0);
        let siblings = self.siblings_in_order(&members);
        // Parents are added before their children, so the parent's rank is known before it is needed.
        for siblings in siblings.chunk_by(|left, right| left.parent == right.parent) {
            let mut next = siblings.first().map_or(0, |first| places[first.parent]);
            for equals in siblings.chunk_by(|left, right| left.burden.total_cmp(&right.burden).is_eq()) {
                if equals.len() > 1 && equals.iter().any(|equal| members[equal.entity] > 1) {
                    return None;
                }
                for equal in equals {
                    places[equal.entity] = next;
                }
                next += equals.iter().map(|equal| members[equal.entity]).sum::<u32>();
            }
        }
        Some(places)
    }

    /// Counts the requested entities; `None` if one of them contains another.
    fn members(&self, entities: impl IntoIterator<Item = EntityId>) -> Option<MemberCounts> {
        let mut members = MemberCounts::filled(self.entities.len(), 0);
        let mut asked = Column::filled(self.entities.len(), false);
        for entity in entities {
            if !std::mem::replace(&mut asked[entity], true) {
                let up = std::iter::successors(Some(entity), |step| self.entities[*step].parent);
                up.for_each(|step| members[step] += 1);
            }
        }
        asked.enumerate().all(|(entity, asked)| !asked || members[entity] == 1).then_some(members)
    }

    fn siblings_in_order(&self, members: &MemberCounts) -> Vec<Sibling> {
        let with_members = self.entities.enumerate().filter(|(entity, _)| members[*entity] > 0);
        let sibling = |(entity, of): (EntityId, &super::FairshareEntity)| {
            of.parent.map(|parent| Sibling { parent, burden: self.burden(entity), entity })
        };
        let mut siblings: Vec<Sibling> = with_members.filter_map(sibling).collect();
        siblings.sort_by(|left, right| {
            left.parent.cmp(&right.parent).then_with(|| left.burden.total_cmp(&right.burden))
        });
        siblings
    }
}
