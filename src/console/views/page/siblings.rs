//! The next and the previous object of the same kind.

use super::PageView;
use crate::views::{Object, ViewContext};

impl PageView {
    /// The next or previous object of the same kind, in the order of the snapshot.
    pub(super) fn sibling(&self, forward: bool, cx: ViewContext<'_>) -> Option<Object> {
        let snap = cx.snapshot();
        let subject = self.subject.as_ref()?;
        let (names, make): (Vec<&str>, fn(String) -> Object) = match subject {
            Object::Node(_) => (snap.nodes.iter().map(|node| &*node.name).collect(), Object::Node),
            Object::Queue(_) => (snap.queues.iter().map(|queue| &*queue.name).collect(), Object::Queue),
            Object::Set(_) => {
                let mut names: Vec<&str> = cx.state().sets.iter().map(|set| &*set.shape.name).collect();
                names.dedup();
                (names, Object::Set)
            }
            Object::Reservation(_) => {
                (snap.reservations.iter().map(|one| &*one.name).collect(), Object::Reservation)
            }
            Object::Bucket(_) => return self.sibling_bucket(forward, cx),
            _ => (snap.jobs.iter().map(|job| &*job.name).collect(), Object::Job),
        };
        let here = names.iter().position(|name| *name == subject.name())?;
        let to = if forward { here + 1 } else { here.checked_sub(1)? };
        names.get(to).map(|name| make((*name).to_owned()))
    }

    pub(super) fn sibling_bucket(&self, forward: bool, cx: ViewContext<'_>) -> Option<Object> {
        let here = self.subject.as_ref()?.name();
        let names: Vec<String> = cx.state().buckets.iter().map(|bucket| bucket.name(cx.plan())).collect();
        let at = names.iter().position(|name| name == here)?;
        let to = if forward { at + 1 } else { at.checked_sub(1)? };
        names.get(to).cloned().map(Object::Bucket)
    }
}
