//! Lists of resources that many jobs share.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use super::{ResourceList, Value};

/// Values by resource, stored once for all jobs whose readers found the same: jobs come by the thousand and request the
/// same few lists.
///
/// It reads like a [`ResourceList`]; one that others share is copied when it is first changed.
#[derive(Clone, PartialEq, Default)]
pub struct SharedList(Arc<ResourceList>);

impl SharedList {
    /// Returns where the list is stored. Lists stored in one place are the same; others may be.
    pub(crate) fn address(&self) -> *const ResourceList {
        Arc::as_ptr(&self.0)
    }
}

impl Deref for SharedList {
    type Target = ResourceList;

    fn deref(&self) -> &ResourceList {
        &self.0
    }
}

impl DerefMut for SharedList {
    fn deref_mut(&mut self) -> &mut ResourceList {
        Arc::make_mut(&mut self.0)
    }
}

impl From<ResourceList> for SharedList {
    fn from(list: ResourceList) -> Self {
        Self(Arc::new(list))
    }
}

impl fmt::Debug for SharedList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A list as a key of a table: lists are equal if all their values are, amounts to the bit.
#[derive(Clone, Debug)]
pub struct ExactList<L>(pub L);

impl<L: Deref<Target = ResourceList>> PartialEq for ExactList<L> {
    fn eq(&self, other: &Self) -> bool {
        let mut pairs = self.0.iter().zip(other.0.iter());
        self.0.len() == other.0.len()
            && pairs.all(|((one, value), (other, same))| one == other && value.is_same(same))
    }
}

impl<L: Deref<Target = ResourceList>> Eq for ExactList<L> {}

impl<L: Deref<Target = ResourceList>> Hash for ExactList<L> {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        // Lists that name other resources mostly have other amounts.
        for (_, value) in self.0.iter() {
            match value {
                Value::Amount(amount) => amount.key().hash(hasher),
                Value::Bool(on) => on.hash(hasher),
                Value::Texts(texts) => texts.hash(hasher),
                Value::Indirect(target) => target.hash(hasher),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::cluster::{Amount, ResourceId};

    fn list(value: Value) -> SharedList {
        let mut list = ResourceList::default();
        list.set(ResourceId::ncpus(), value);
        list.into()
    }

    #[test]
    fn a_shared_list_is_copied_when_it_is_changed() {
        let one = list(Value::Amount(Amount(1.0)));
        let mut other = one.clone();
        assert_eq!(one.address(), other.address());
        other.set(ResourceId::ncpus(), Value::Amount(Amount(2.0)));
        assert_eq!((one.cpus(), other.cpus()), (1.0, 2.0));
    }

    #[test]
    fn exact_lists_are_equal_to_the_bit() {
        let amounts = [0.0, -0.0, 1.0, f64::NAN].map(|amount| Value::Amount(Amount(amount)));
        let texts = ["a", "b"].map(|text| Value::Texts(Box::new([text.into()])));
        let others = [Value::Bool(true), Value::Bool(false), Value::Indirect("a".into())];
        let lists: Vec<SharedList> = amounts.into_iter().chain(texts).chain(others).map(list).collect();
        let known: HashSet<_> = lists.iter().cloned().map(ExactList).collect();
        assert_eq!(known.len(), lists.len());
        assert!(
            lists
                .into_iter()
                .all(|list| known.contains(&ExactList(SharedList::from(ResourceList::clone(&list)))))
        );
    }
}
