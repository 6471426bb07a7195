//! The places of entities in the order of their burdens, where that order is a total one (rule 6.5).
//!
//! Two groups of one burden are equal as a whole while their members differ: no places can stand for that comparison.
//! Without such a pair, jobs are sorted by numbers instead of by two paths through the tree for each comparison.

use super::{EntityId, FairshareTree};
use crate::cluster::Column;

/// The place of each entity asked for, from 0; entities that compare as equal share one. Those of others mean nothing.
pub type Places = Column<EntityId, u32>;

/// How many of the entities asked for stand at each entity or below it.
type Members = Column<EntityId, u32>;

/// An entity with members, as it is compared with others of its parent.
struct Sibling {
    parent: EntityId,
    burden: f64,
    entity: EntityId,
}

impl FairshareTree {
    /// Places that order some entities as [`compare`](Self::compare) does; none where no places can: where a group is
    /// asked for together with what it consists of, or two groups of one burden stand side by side.
    pub fn places(&self, entities: impl IntoIterator<Item = EntityId>) -> Option<Places> {
        let members = self.members(entities)?;
        let mut places = Column::filled(self.entities.len(), 0);
        let siblings = self.siblings_in_order(&members);
        // An entity is added after its parent, so that the parent's place is found before its own is needed.
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

    /// Counts the entities asked for; none where one of them consists of others.
    fn members(&self, entities: impl IntoIterator<Item = EntityId>) -> Option<Members> {
        let mut members = Members::filled(self.entities.len(), 0);
        let mut asked = Column::filled(self.entities.len(), false);
        for entity in entities {
            if !std::mem::replace(&mut asked[entity], true) {
                let up = std::iter::successors(Some(entity), |step| self.entities[*step].parent);
                up.for_each(|step| members[step] += 1);
            }
        }
        asked.enumerate().all(|(entity, asked)| !asked || members[entity] == 1).then_some(members)
    }

    fn siblings_in_order(&self, members: &Members) -> Vec<Sibling> {
        let with_members = self.entities.enumerate().filter(|(entity, _)| members[*entity] > 0);
        let sibling = |(entity, of): (EntityId, &super::Entity)| {
            of.parent.map(|parent| Sibling { parent, burden: self.burden(entity), entity })
        };
        let mut siblings: Vec<Sibling> = with_members.filter_map(sibling).collect();
        siblings.sort_by(|left, right| {
            left.parent.cmp(&right.parent).then_with(|| left.burden.total_cmp(&right.burden))
        });
        siblings
    }
}
