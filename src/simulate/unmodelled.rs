//! Features of the input that the simulation does not model: one warning for each, with a count (days rule 16).

use qscope_engine::cluster::{Job, QueueKind, Reservation, ReservationState, SmpDist, Snapshot};

use crate::arrivals::Arrivals;

/// A feature and the number of its occurrences.
type FeatureCount = (&'static str, usize);

/// Returns the warnings about an input.
pub(crate) fn warnings(start: &Snapshot, arrivals: &Arrivals) -> Vec<String> {
    let mut found = of_jobs(start, arrivals);
    found.extend(of_cluster(start));
    let sentence = |(name, count): FeatureCount| {
        let [one, many] = description(name);
        format!("{name}: {count} {}", if count == 1 { one } else { many })
    };
    found.into_iter().filter(|(_, count)| *count > 0).map(sentence).collect()
}

fn of_jobs(start: &Snapshot, arrivals: &Arrivals) -> Vec<FeatureCount> {
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
        ("route-queue", arriving().filter(routed).count()),
        ("runone", depends(&["runone:"])),
        ("before", depends(&["before"])),
        ("on", depends(&["on:"])),
    ]
}

fn of_cluster(start: &Snapshot) -> Vec<FeatureCount> {
    let reservations =
        |is: fn(&Reservation) -> bool| start.reservations.iter().filter(|resv| is(resv)).count();
    let has_limits =
        !start.server.limits.is_empty() || start.queues.iter().any(|queue| !queue.limits.is_empty());
    let smp = &start.policy.smp_cluster_dist;
    let is_round = smp.prime == SmpDist::RoundRobin || smp.non_prime == SmpDist::RoundRobin;
    let gone = start.nodes.iter().filter(|node| node.states.is_gone()).count();
    let by_cput = start.policy.fairshare.usage_res.contains("cput");
    let shares = start.policy.fair_share.prime || start.policy.fair_share.non_prime;
    let partitions = start.queues.iter().filter(|queue| queue.partition.is_some()).count();
    let limits = start.queues.iter().map(|queue| &queue.queued).chain([&start.server.queued]);
    let queued = limits.filter(|limits| !limits.all.is_empty() || !limits.waiting.is_empty()).count();
    vec![
        ("queued-limits", queued),
        ("limit-ineligible", usize::from(start.server.eligible_time_enable && has_limits)),
        ("standing", reservations(|resv| resv.rrule.is_some())),
        ("altered", reservations(|resv| resv.state == ReservationState::BeingAltered)),
        ("maintenance", reservations(|resv| resv.name.starts_with('M'))),
        ("restrict-release", start.server.release_on_suspend.len()),
        ("dynamic", start.policy.server_dyn_res.len()),
        ("peers", start.policy.peer_queues.len()),
        ("partitions", partitions),
        ("smp-last", usize::from(is_round)),
        ("node-change", gone),
        ("use", usize::from(by_cput && shares)),
    ]
}

/// Returns the description of a feature, for one and for several occurrences.
fn description(name: &str) -> [&'static str; 2] {
    let same = |words| [words, words];
    match name {
        "route-queue" => {
            ["arrival in a routing queue is rejected", "arrivals in routing queues are rejected"]
        }
        "runone" => [
            "job depends by runone: it acts inside a cycle only, and those left over stay queued",
            "jobs depend by runone: it acts inside a cycle only, and those left over stay queued",
        ],
        "before" => [
            "job names jobs that wait for it (before…): the other side counts",
            "jobs name jobs that wait for them (before…): the other side counts",
        ],
        "on" => [
            "job waits for others to name it (on): this is ignored",
            "jobs wait for others to name them (on): this is ignored",
        ],
        "limit-ineligible" => {
            same("server counts eligible time and limits jobs: here it goes on under limits")
        }
        "standing" => [
            "standing reservation: its first occurrence only",
            "standing reservations: their first occurrences only",
        ],
        "altered" => ["reservation being altered is ignored", "reservations being altered are ignored"],
        "queued-limits" => [
            "server or queue with max_queued… or queued_jobs_threshold…: these limits are not enforced",
            "servers or queues with max_queued… or queued_jobs_threshold…: these limits are not enforced",
        ],
        "maintenance" => [
            "maintenance reservation is treated like any other reservation",
            "maintenance reservations are treated like any other reservation",
        ],
        "restrict-release" => [
            "resource of restrict_res_to_release_on_suspend: here suspended jobs release everything",
            "resources of restrict_res_to_release_on_suspend: here suspended jobs release everything",
        ],
        "dynamic" => [
            "resource of server_dyn_res keeps the value of the dump",
            "resources of server_dyn_res keep the values of the dump",
        ],
        "peers" => [
            "peer queue: jobs of other servers do not come",
            "peer queues: jobs of other servers do not come",
        ],
        "partitions" => [
            "queue with a partition: only the modelled scheduler's jobs and nodes take part",
            "queues with a partition: only the modelled scheduler's jobs and nodes take part",
        ],
        "smp-last" => same("round_robin distribution: each cycle begins at the first host"),
        "node-change" => {
            ["vnode that is down or offline stays so", "vnodes that are down or offline stay so"]
        }
        "use" => same("fair share by cput: every job is taken to use all its cores all the time"),
        _ => same("not modelled"),
    }
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
        let maintenance = Reservation { name: "M3.svr".into(), ..Reservation::default() };
        start.reservations.push(maintenance);
        let limited = start.server.queued.all.add("[u:PBS_GENERIC=1]", None, false);
        let found = warnings(&start, &Arrivals::default());
        assert_eq!((limited.len(), found.len()), (0, 4), "{found:?}");
        assert!(found.iter().any(|line| line.starts_with("queued-limits: 1 ")), "{found:?}");
        assert!(found.iter().any(|line| line.starts_with("maintenance: 1 ")), "{found:?}");
        assert!(found.iter().any(|line| line.starts_with("runone: 1 job depends ")));
        assert!(found.iter().any(|line| line.starts_with("partitions: 1 ")));
    }
}
