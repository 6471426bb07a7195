//! The engine compared with the literal rules of `tests/oracle`, step by step over random clusters: the same path,
//! nodes, reason and sets tried, and afterwards the same bitmaps and order of sets.

use std::sync::Arc;

use proptest::prelude::*;
use proptest::test_runner::TestCaseResult;
use qscope::cluster::{Id, ResourceId, Snapshot};
use qscope::cycle::{Debugger, Outcome, run_cycle};
use qscope::universe::{Bit, Bucket, PlacementSet, Plan, Quirks, Semantics, State};

use super::literal::{BucketPicture, Decision, Literal, Picture};
use super::random::{clusters, clusters_by_host, config};

proptest! {
    #![proptest_config(config(700))]

    #[test]
    fn the_engine_follows_the_rules_as_observed(snap in clusters()) {
        compare(&snap, Semantics::Observed)?;
    }

    #[test]
    fn the_engine_follows_the_rules_without_the_bugs(snap in clusters()) {
        compare(&snap, Semantics::Fixed)?;
    }

    #[test]
    fn the_engine_follows_the_rules_host_by_host(snap in clusters_by_host(), fixed in any::<bool>()) {
        compare(&snap, if fixed { Semantics::Fixed } else { Semantics::Observed })?;
    }
}

fn compare(snap: &Arc<Snapshot>, semantics: Semantics) -> TestCaseResult {
    let run = Arc::new(run_cycle(snap.clone(), Quirks::of(semantics)));
    let mut literal = Literal::new(snap, semantics == Semantics::Fixed);
    let mut engine = Debugger::new(run.clone());
    prop_assert_eq!(picture(engine.state()), literal.picture(), "before the first job");
    for (at, step) in run.steps.iter().enumerate() {
        let found = decision(engine.state(), &step.outcome);
        let wanted = literal.consider(step.outcome.job.ix());
        let job = describe(snap, &step.outcome);
        prop_assert_eq!(found, wanted, "{}\n{}", job, cluster(snap));
        engine.seek(at + 1);
        prop_assert_eq!(picture(engine.state()), literal.picture(), "after {}\n{}", job, cluster(snap));
    }
    Ok(())
}

fn decision(state: &State, outcome: &Outcome) -> Decision {
    let plan: &Plan = &state.plan;
    let tries = outcome.tries.named(state).into_iter();
    let placed = outcome.placed.as_ref();
    Decision {
        path: outcome.path.map(qscope::placement::PlacementPath::word),
        exec_vnode: placed.map(|placed| placed.allocation.exec_vnode(plan)),
        comment: outcome.rejection.as_ref().map(|rejection| rejection.comment(&plan.snap.catalogue)),
        tries: tries
            .map(|(name, small)| format!("{}{name}", if small { "too small: " } else { "" }))
            .collect(),
        set: placed.and_then(|placed| placed.set.as_ref()).map(ToString::to_string),
    }
}

fn picture(state: &State) -> Picture {
    let plan = &state.plan;
    let bits = |bit: Bit| plan.node_name(bit).to_string();
    let ncpus = plan.consumables.ix(ResourceId::ncpus());
    let set = |set: &PlacementSet| {
        let slots = |slot: qscope::universe::Slot| plan.node_name(set.shape.members[slot.ix()]).to_string();
        let left = ncpus.and_then(|ix| set.left(ix));
        let buckets = set.buckets(plan).iter().map(|bucket| bucket_picture(bucket, slots)).collect();
        (set.shape.name.to_string(), i64::from(set.free_nodes), left, buckets)
    };
    let pools = state.pools.iter();
    Picture {
        buckets: state.buckets.iter().map(|bucket| bucket_picture(bucket, bits)).collect(),
        pools: pools.map(|pool| pool.order.iter().map(|ix| set(&state.sets[*ix])).collect()).collect(),
    }
}

fn bucket_picture<I: Id>(bucket: &Bucket<I>, name: impl Fn(I) -> String) -> BucketPicture {
    [&bucket.members, &bucket.free, &bucket.later, &bucket.busy]
        .map(|bits| bits.iter().map(&name).collect::<Vec<_>>())
}

/// Describes a job for the analysis of a failure.
fn describe(snap: &Snapshot, outcome: &Outcome) -> String {
    let job = &snap.jobs[outcome.job];
    let select = job.select.as_ref().map_or("", |select| &*select.text);
    let hours = job.requested.amount(ResourceId::walltime()).map(|seconds| seconds.0 / 3600.0);
    format!("{} in {}: {select} {:?} {hours:?} h", job.name, job.queue, job.place)
}

/// Describes a cluster for the analysis of a failure.
fn cluster(snap: &Snapshot) -> String {
    let mut text = format!(
        "keys {:?}, queue key {:?}, sort {:?}\n",
        snap.server.node_group_key,
        snap.queues.iter().last().map(|queue| &queue.node_group_key),
        snap.policy.node_sort_key.prime
    );
    for node in &snap.nodes {
        let values: Vec<String> = node
            .available
            .iter()
            .map(|(id, value)| format!("{}={}", snap.catalogue.name(id), value.show(snap.catalogue.kind(id))))
            .collect();
        text.push_str(&format!(
            "{} {} {:?} queue {:?} priority {:?} jobs {:?} resv {:?} {:?} {}\n",
            node.name,
            node.states,
            node.sharing,
            node.queue,
            node.priority,
            node.jobs,
            node.reservations,
            node.license,
            values.join(" ")
        ));
    }
    for job in &snap.jobs {
        let select = job.select.as_ref().map_or("", |select| &*select.text);
        text.push_str(&format!("job {} {:?} {select}\n", job.name, job.state));
    }
    for reservation in &snap.reservations {
        let nodes = reservation.nodes.as_ref().map(ToString::to_string);
        text.push_str(&format!("{} {:?} {nodes:?}\n", reservation.name, reservation.start));
    }
    text
}
