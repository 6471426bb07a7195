//! Infers the scheduler whose view is taken, if vnodes and queues have partitions and no dump shows the schedulers.

use super::SourceError;
use super::log::DiagnosticLog;
use super::overview::Overview;
use qscope_engine::cluster::{FilePosition, Name, Origin, Scheduler, Snapshot, SnapshotFact, value_of};

/// Name of the scheduler without partitions.
const DEFAULT: &str = "default";

/// Takes the view of a partition's scheduler if no dump shows one: that of the requested partition, else, if every
/// vnode has a partition, that of the one with the most vnodes. The scheduler has the name of its partition.
///
/// # Errors
/// If the requested scheduler is neither the default one nor that of a partition.
pub(crate) fn infer(
    wanted: Option<&str>,
    overview: &Overview,
    snapshot: &mut Snapshot,
    log: &mut DiagnosticLog,
) -> Result<(), SourceError> {
    if !snapshot.scheduler.assumed || !snapshot.scheduler.partitions.is_empty() {
        return Ok(());
    }
    let of_nodes = overview.partitions();
    let all_in_some = !of_nodes.is_empty() && of_nodes.iter().all(|(name, _)| name.is_some());
    let known = partitions(of_nodes, snapshot);
    let chosen = match wanted {
        Some(DEFAULT) => None,
        Some(wanted) => {
            let found = known.iter().find(|(name, _)| **name == *wanted);
            let names = || {
                let names = std::iter::once(Name::from(DEFAULT));
                names.chain(known.iter().map(|(name, _)| name.clone())).collect::<Vec<_>>()
            };
            Some(found.ok_or_else(|| SourceError::no_scheduler(wanted, &names()))?)
        }
        // On a tie, the first in the order of the dump.
        None if all_in_some => known.iter().rev().max_by_key(|(_, count)| *count),
        None => None,
    };
    let Some((name, count)) = chosen else { return Ok(()) };
    let (name, count) = (name.clone(), *count);
    log.in_file("sched.txt");
    log.note("scheduler-inferred", FilePosition::File, || {
        format!("not there; this is the view of the scheduler of partition `{name}` ({count} vnodes), --sched names another")
    });
    // The partition of a queue in no dump is unknown: its jobs are assumed to be this scheduler's.
    for queue in snapshot.queues.iter_mut().filter(|queue| queue.assumed) {
        queue.partition = Some(name.clone());
    }
    let from = format!("partition {name} of {count} vnodes");
    snapshot.scheduler =
        Scheduler { name: name.clone(), partitions: vec![name], ..snapshot.scheduler.clone() };
    snapshot.origins.set(SnapshotFact::Partitions, Origin::Inferred(from.into()));
    Ok(())
}

/// Returns the partitions of vnodes and queues, in the order of the dumps, with their number of vnodes.
fn partitions(of_nodes: Vec<(Option<Name>, usize)>, snapshot: &Snapshot) -> Vec<(Name, usize)> {
    let of_nodes = of_nodes.into_iter().filter_map(|(name, count)| Some((name?, count)));
    let of_queues = snapshot.queues.iter().filter_map(|queue| Some((queue.partition.clone()?, 0)));
    let mut found: Vec<(Name, usize)> = Vec::new();
    for (name, count) in of_nodes.chain(of_queues) {
        *value_of(&mut found, name) += count;
    }
    found
}

#[cfg(test)]
mod tests {
    use crate::{Files, LoadOptions, load};
    use qscope_engine::cluster::{Origin, SnapshotFact};

    fn read(partitions: &[&str], wanted: Option<&str>) -> Result<(String, Origin), String> {
        let node = |(at, partition): (usize, &&str)| {
            let line =
                if partition.is_empty() { String::new() } else { format!("     partition = {partition}\n") };
            format!("n{at}\n     Mom = n{at}\n     state = free\n{line}\n")
        };
        let mut files = Files::new("t");
        files.insert("nodes.txt", partitions.iter().enumerate().map(node).collect::<String>(), None);
        let options = LoadOptions { scheduler: wanted.map(str::to_owned), ..LoadOptions::default() };
        let snapshot = load(&files, &options).map_err(|error| error.to_string())?;
        Ok((snapshot.scheduler.name.to_string(), snapshot.origins.of(SnapshotFact::Partitions).clone()))
    }

    #[test]
    fn the_scheduler_of_the_largest_partition_is_inferred_and_named() {
        let (name, origin) = read(&["p1", "p2", "p2"], None).unwrap();
        assert_eq!((&*name, origin), ("p2", Origin::Inferred("partition p2 of 2 vnodes".into())));
        assert_eq!(read(&["p1", "p2"], None).unwrap().0, "p1");
        assert_eq!(read(&["", "p2", "p2"], None).unwrap().0, "default");
    }

    #[test]
    fn sched_selects_and_an_unknown_name_lists_the_known_ones() {
        assert_eq!(read(&["p1", "p2", "p2"], Some("p1")).unwrap().0, "p1");
        assert_eq!(read(&["p1", "p2", "p2"], Some("default")).unwrap().0, "default");
        let error = read(&["p1", "p2"], Some("p3")).unwrap_err();
        assert_eq!(error, "no scheduler `p3`; known are default, p1, p2");
    }
}
