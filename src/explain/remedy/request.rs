//! Changed requests: another select, place, length or queue, including everything that the server derives from them.

use qscope_engine::cluster::{
    Amount, Job, Place, Queue, ResourceId, ResourceList, Seconds, Select, SelectPart, Snapshot, Value,
};

/// Returns the job with these chunk specs; `None` if they request nothing.
pub(super) fn with_parts(snap: &Snapshot, job: &Job, parts: &[SelectPart]) -> Option<Job> {
    let is_used = |(count, requests): &&SelectPart| *count > 0 && !requests.is_empty();
    let kept: Vec<SelectPart> = parts.iter().filter(is_used).cloned().collect();
    if kept.is_empty() {
        return None;
    }
    let select = Select::of_parts(&kept).ok()?;
    Some(job.with_select(select, &snap.catalogue))
}

pub(super) fn with_place(job: &Job, place: Place) -> Job {
    Job { place: Some(place), ..job.clone() }
}

/// Returns the job with another walltime in every attribute that its owner may set, and the resources changed.
pub(super) fn with_walltime(job: &Job, length: Seconds) -> (Job, Vec<ResourceId>) {
    let has_more = |id: &ResourceId| job.requested.amount(*id).is_some_and(|have| have.0 > length.0 as f64);
    let others = [ResourceId::max_walltime(), ResourceId::min_walltime()];
    let changed = std::iter::once(ResourceId::walltime()).chain(others.into_iter().filter(has_more));
    with_lengths(job, length, changed.collect())
}

/// Returns the job with another soft walltime only, which then gives its expected end.
pub(super) fn softly_lasting(job: &Job, length: Seconds) -> Job {
    with_lengths(job, length, vec![ResourceId::soft_walltime()]).0
}

fn with_lengths(job: &Job, length: Seconds, changed: Vec<ResourceId>) -> (Job, Vec<ResourceId>) {
    let mut job = job.clone();
    for id in &changed {
        job.requested.set(*id, Value::Amount(Amount(length.0 as f64)));
    }
    (job, changed)
}

/// Returns the job in another queue; `None` if the request is outside the bounds of that queue.
pub(super) fn in_queue(snap: &Snapshot, job: &Job, to: &Queue) -> Option<Job> {
    let moved = job.moved(to, &snap.server, &snap.catalogue)?;
    is_within_queue_bounds(&moved.requested, to).then_some(moved)
}

/// Whether a request is between `resources_min` and `resources_max` of a queue.
fn is_within_queue_bounds(requested: &ResourceList, queue: &Queue) -> bool {
    let amount = |id| requested.amount(id);
    let enough = queue.minimum.iter().all(|(id, least)| match (amount(id), least.amount()) {
        (Some(have), Some(least)) => have >= least,
        _ => true,
    });
    let bounded = queue.maximum.iter().all(|(id, most)| match (amount(id), most.amount()) {
        (Some(have), Some(most)) => have <= most,
        _ => true,
    });
    enough && bounded
}

#[cfg(test)]
mod tests {
    use super::*;
    use qscope_engine::cluster::{Epoch, Name};

    fn job(select: &str, snap: &Snapshot) -> Job {
        let bare = Job { select: Select::parse(select).ok(), ..Job::default() };
        let all = bare.select.as_ref().unwrap().parts();
        with_parts(snap, &bare, &all).unwrap()
    }

    #[test]
    fn sums_follow_the_select() {
        let snap = Snapshot::empty("t", Epoch(0));
        let two = job("2:ncpus=4:mem=1gb", &snap);
        assert_eq!(two.requested.amount(ResourceId::ncpus()), Some(Amount(8.0)));
        let mut parts = two.select.as_ref().unwrap().parts();
        parts[0].0 = 1;
        parts[0].1.retain(|(name, _)| &**name != "mem");
        let one = with_parts(&snap, &two, &parts).unwrap();
        assert_eq!(one.requested.amount(ResourceId::ncpus()), Some(Amount(4.0)));
        assert_eq!(one.requested.amount(ResourceId::mem()), None);
    }

    #[test]
    fn another_queue_brings_its_own_defaults() {
        let snap = Snapshot::empty("t", Epoch(0));
        let pair = |a: &str, b: &str| vec![(Name::from(a), Name::from(b))];
        let mut to = Queue { default_chunk: pair("arch", "new"), ..Queue::named("b") };
        let old = Job { asked: Some("1:ncpus=4".into()), ..job("1:ncpus=4:arch=old", &snap) };
        let moved = in_queue(&snap, &old, &to).unwrap();
        assert_eq!(&*moved.select.as_ref().unwrap().text, "1:ncpus=4:arch=new");
        to.maximum.set(ResourceId::ncpus(), Value::Amount(Amount(2.0)));
        assert!(in_queue(&snap, &job("1:ncpus=4", &snap), &to).is_none());
    }

    #[test]
    fn a_shorter_job_is_shorter_in_every_way_that_its_owner_may_set() {
        let mut long = Job::default();
        for id in [ResourceId::soft_walltime(), ResourceId::max_walltime()] {
            long.requested.set(id, Value::Amount(Amount(7200.0)));
        }
        let (short, changed) = with_walltime(&long, Seconds(3600));
        assert_eq!(changed, [ResourceId::walltime(), ResourceId::max_walltime()]);
        assert_eq!(short.requested.amount(ResourceId::walltime()), Some(Amount(3600.0)));
        assert_eq!(short.requested.amount(ResourceId::soft_walltime()), Some(Amount(7200.0)));
        let soft = softly_lasting(&short, Seconds(3600));
        assert_eq!(soft.requested.amount(ResourceId::soft_walltime()), Some(Amount(3600.0)));
    }
}
