//! What the input has and the simulation does not model: one warning for each, with a count (days rule 16).

use qscope_engine::cluster::{Job, QueueKind, ReservationState, SmpDist, Snapshot};

use crate::arrivals::Arrivals;

/// A name, how often it occurs, and what it means.
type Finding = (&'static str, usize, &'static str);

/// The warnings about an input.
pub(crate) fn warnings(start: &Snapshot, arrivals: &Arrivals) -> Vec<String> {
    let mut found = of_jobs(start, arrivals);
    found.extend(of_cluster(start));
    let sentence = |(name, count, what): Finding| format!("{name}: {count} {what}");
    found.into_iter().filter(|(_, count, _)| *count > 0).map(sentence).collect()
}

fn of_jobs(start: &Snapshot, arrivals: &Arrivals) -> Vec<Finding> {
    let arriving = || arrivals.jobs.iter().filter_map(|arrival| arrival.job.as_deref());
    let all = || start.jobs.iter().chain(arriving());
    let depends = |words: &[&str]| {
        let names_a_word = |job: &&Job| {
            let depend = job.depend.as_deref().unwrap_or_default();
            depend.split(',').any(|list| words.iter().any(|word| list.trim().starts_with(word)))
        };
        all().filter(names_a_word).count()
    };
    let routed = |job: &&Job| {
        let queue = start.queue_named(&job.queue).and_then(|queue| start.queues.checked(queue));
        queue.is_some_and(|queue| queue.kind == QueueKind::Route)
    };
    vec![
        ("route-queue", arriving().filter(routed).count(), "arrivals in routing queues are rejected"),
        (
            "runone",
            depends(&["runone:"]),
            "jobs depend by runone: it acts inside a cycle only, and those left over stay queued",
        ),
        (
            "before",
            depends(&["before"]),
            "jobs name jobs that wait for them (before…): the other side counts",
        ),
        ("on", depends(&["on:"]), "jobs wait for others to name them (on): this is ignored"),
    ]
}

fn of_cluster(start: &Snapshot) -> Vec<Finding> {
    let reservations = |is: fn(&qscope_engine::cluster::Reservation) -> bool| {
        start.reservations.iter().filter(|resv| is(resv)).count()
    };
    let has_limits =
        !start.server.limits.is_empty() || start.queues.iter().any(|queue| !queue.limits.is_empty());
    let smp = &start.policy.smp_cluster_dist;
    let is_round = smp.prime == SmpDist::RoundRobin || smp.non_prime == SmpDist::RoundRobin;
    let gone = start.nodes.iter().filter(|node| node.states.is_gone()).count();
    let by_cput = start.policy.fairshare.usage_res.contains("cput");
    let shares = start.policy.fair_share.prime || start.policy.fair_share.non_prime;
    let partitions = start.queues.iter().filter(|queue| queue.partition.is_some()).count();
    vec![
        (
            "limit-ineligible",
            usize::from(start.server.eligible_time_enable && has_limits),
            "server counts eligible time and limits jobs: here it goes on under limits",
        ),
        (
            "standing",
            reservations(|resv| resv.rrule.is_some()),
            "of a standing reservation the first occurrence only",
        ),
        (
            "altered",
            reservations(|resv| resv.state == ReservationState::BeingAltered),
            "reservations being altered are ignored",
        ),
        (
            "restrict-release",
            start.server.release_on_suspend.len(),
            "restrict_res_to_release_on_suspend: here suspended jobs release everything",
        ),
        (
            "dynamic",
            start.policy.server_dyn_res.len(),
            "resources of server_dyn_res keep the values of the dump",
        ),
        ("peers", start.policy.peer_queues.len(), "peer queues: jobs of other servers do not come"),
        (
            "partitions",
            partitions,
            "queues with a partition: only the modelled scheduler's jobs and nodes take part",
        ),
        ("smp-last", usize::from(is_round), "round_robin distribution: each cycle begins at the first host"),
        ("node-change", gone, "vnodes that are down or offline stay so"),
        (
            "use",
            usize::from(by_cput && shares),
            "fair share by cput: every job is taken to use all its cores all the time",
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use qscope_engine::cluster::{Epoch, Queue};

    #[test]
    fn what_is_left_out_is_named_with_a_count() {
        let mut start = Snapshot::empty("c", Epoch(0));
        assert_eq!(warnings(&start, &Arrivals::default()), Vec::<String>::new());
        start.queues.push(Queue { partition: Some("p".into()), ..Queue::named("q") });
        start.jobs.push(Job { depend: Some("runone:1.svr".into()), ..Job::default() });
        let found = warnings(&start, &Arrivals::default());
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found.iter().any(|line| line.starts_with("runone: 1 ")));
        assert!(found.iter().any(|line| line.starts_with("partitions: 1 ")));
    }
}
