//! Properties that hold for every cluster: checked on random ones, and on all cases.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use proptest::prelude::*;
use qscope::cluster::{Arrangement, Epoch, Id, JobId, Period, Place, Snapshot};
use qscope::cycle::{Debugger, Outcome, OutcomeTrace, Run, run_cycle};
use qscope::placement::{PlacementPath, why_not};
use qscope::universe::{
    AllocationPiece, Bit, Bucket, PieceResources, Plan, Quirks, Semantics, SetDefinition, State, StateCells,
};

use super::cases::{self, Case, Family};
use super::random::{clusters, config, eventful_clusters};

const ALL: [Semantics; 3] = [Semantics::Observed, Semantics::Fixed, Semantics::Design];

proptest! {
    #![proptest_config(config(250))]

    #[test]
    fn hold_on_random_clusters(snap in clusters(), places in prop::collection::vec(any::<prop::sample::Index>(), 4)) {
        for semantics in ALL {
            let run = Arc::new(run_cycle(snap.clone(), Quirks::of(semantics)));
            let steps = run.steps.len() + 1;
            hold(&run, semantics != Semantics::Observed, &places.iter().map(|place| place.index(steps)).collect::<Vec<_>>());
            let again = run_cycle(snap.clone(), Quirks::of(semantics));
            prop_assert_eq!(outcomes(&run), outcomes(&again));
        }
    }
}

proptest! {
    #![proptest_config(config(120))]

    /// With top jobs, victims and limits, every position is the same from both sides.
    #[test]
    fn hold_on_eventful_clusters(snap in eventful_clusters(), places in prop::collection::vec(any::<prop::sample::Index>(), 4)) {
        for semantics in ALL {
            let run = Arc::new(run_cycle(snap.clone(), Quirks::of(semantics)));
            let steps = run.steps.len() + 1;
            hold(&run, semantics != Semantics::Observed, &places.iter().map(|place| place.index(steps)).collect::<Vec<_>>());
        }
    }
}

#[test]
fn hold_on_all_cases() {
    let next = AtomicUsize::new(0);
    let threads = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(case) = cases::all().get(next.fetch_add(1, Ordering::Relaxed)) {
                    let snap = case.snapshot();
                    for semantics in ALL {
                        let run = Arc::new(run_cycle(snap.clone(), Quirks::of(semantics)));
                        let last = run.steps.len();
                        let places = [last / 2, last, last / 3];
                        hold(&run, semantics != Semantics::Observed, &places);
                    }
                }
            });
        }
    });
}

fn hold(run: &Arc<Run>, fixed: bool, places: &[usize]) {
    let mut debugger = Debugger::new(run.clone());
    sets_are_what_their_names_say(debugger.state());
    let mut seen = BTreeMap::from([(0, digest(debugger.state()))]);
    for (at, step) in run.steps.iter().enumerate() {
        if places.contains(&at) {
            seen.insert(at, digest(debugger.state()));
        }
        pools_partition(debugger.state(), fixed);
        placement_is_sound(debugger.state(), &step.outcome, fixed);
        listening_changes_nothing(&mut debugger, &step.outcome);
        debugger.seek(at + 1);
    }
    pools_partition(debugger.state(), fixed);
    for place in places.iter().chain([&0]).filter(|place| seen.contains_key(place)) {
        debugger.seek(*place);
        assert_eq!(digest(debugger.state()), seen[place], "{}: back at {place}", run.plan.snap.title);
    }
}

/// Returns everything of a state except what never changes and the journal itself.
fn digest(state: &State) -> String {
    // Buckets of sets are made on first use.
    let groups = state.group_pools.values().flat_map(|pool| &pool.sets);
    let _looked_at: usize = state.sets.iter().chain(groups).map(|set| set.buckets(&state.plan).len()).sum();
    let empty = Snapshot::empty("", Epoch(0));
    let plan = Arc::new(Plan::new(Arc::new(empty), Quirks::default(), Period::Prime));
    format!("{:?}", StateCells { plan, ..StateCells::clone(state) })
}

/// Free, busy later and busy are disjoint and make up the bucket; if a node remembers a wrong number (quirk B3), a
/// bucket can hold a busy node that is not its own.
fn pools_partition(state: &State, fixed: bool) {
    assert_eq!(state.broken_invariant(), None, "{}", state.plan.snap.title);
    let title = &state.plan.snap.title;
    for bucket in &state.buckets {
        partition(bucket, fixed, title);
    }
    for bucket in state.sets.iter().flat_map(|set| set.buckets(&state.plan)) {
        partition(bucket, true, title);
    }
}

fn partition<I: Id + std::fmt::Debug>(bucket: &Bucket<I>, exact: bool, title: &str) {
    let pools = [&bucket.free, &bucket.later, &bucket.busy];
    for member in bucket.members.iter() {
        let holding = pools.iter().filter(|pool| pool.contains(member)).count();
        assert_eq!(holding, 1, "{title}: {member:?} in {bucket:?}");
    }
    for id in pools.iter().flat_map(|pool| pool.iter()) {
        assert!(!exact || bucket.members.contains(id), "{title}: {id:?} is no member of {bucket:?}");
    }
    assert_eq!(bucket.members.count(), bucket.total as usize);
}

/// No set is empty, and a combination of values has the nodes that are in the sets of all of them.
fn sets_are_what_their_names_say(state: &State) {
    for pool in &state.pools {
        let shapes: Vec<_> = pool.sets.iter().map(|set| &state.sets[*set].shape).collect();
        for shape in &shapes {
            assert!(!shape.members.is_empty(), "{}", shape.name);
            let flat = shape.values.iter().map(|of| {
                let is_it = |flat: &&&Arc<SetDefinition>| flat.dims == 1 && flat.values.first() == Some(of);
                shapes.iter().find(is_it).unwrap().members.iter().copied().collect::<BTreeSet<Bit>>()
            });
            let common = flat.reduce(|a, b| a.intersection(&b).copied().collect());
            let members = shape.members.iter().copied().collect();
            assert!(common.is_none_or(|common| common == members), "{}", shape.name);
        }
    }
}

/// The job got what it requested; on the bucket path no node serves two parts, and none is used that is needed before
/// the job ends or that the node path would refuse for a chunk.
fn placement_is_sound(state: &State, outcome: &Outcome, fixed: bool) {
    let plan = &state.plan;
    let (Some(placed), Ok(request)) = (&outcome.placed, &plan.requests[outcome.job]) else { return };
    let job = plan.job(outcome.job);
    let title = format!("{} {}", plan.snap.title, job.name);
    let pieces = &placed.allocation.pieces;
    if job.exec_vnode.is_none() {
        // The other vnodes of an exclusively used host are listed too, without amounts.
        let gives = |piece: &&AllocationPiece| !matches!(&piece.gives, PieceResources::Amounts(amounts) if amounts.is_empty());
        let mut chunks: Vec<(u32, u32)> =
            pieces.iter().filter(gives).map(|piece| (piece.chunk, piece.times)).collect();
        chunks.dedup();
        let placed: u64 = chunks.iter().map(|(_, times)| u64::from(*times)).sum();
        assert_eq!(placed, request.total_chunks(), "{title}: {pieces:?}");
    }
    // After preemption the job is placed by the node path, whichever it entered before.
    if outcome.path != Some(PlacementPath::Bucket) || outcome.by_preemption {
        return;
    }
    let mut part_of = BTreeMap::new();
    for piece in pieces {
        let part = *part_of.entry(piece.bit).or_insert(piece.spec);
        assert_eq!(part, piece.spec, "{title}: {} in two parts", plan.node_name(piece.bit));
        if fixed && let PieceResources::Shape(shape) = piece.gives {
            let lacking = why_not(state, shape, piece.bit);
            assert!(lacking.is_none(), "{title}: {} {lacking:?}", plan.node_name(piece.bit));
        }
        let shrinks = job.requested.get(qscope::cluster::ResourceId::min_walltime()).is_some();
        if fixed && !shrinks {
            let end = state.now + request.duration;
            let first = state.first_event(piece.bit);
            assert!(first.is_none_or(|event| event.at >= end), "{title}: {first:?} before {end:?}");
        }
    }
}

/// A probe with a listener reports a decision but does not make one.
fn listening_changes_nothing(debugger: &mut Debugger, outcome: &Outcome) {
    if !outcome.victims.is_empty() || outcome.by_preemption {
        // Other jobs were preempted: the job was decided a second time, with their nodes free.
        return;
    }
    let before = debugger.position();
    let OutcomeTrace { outcome: heard, events } = debugger.explain_next().unwrap();
    assert_eq!(debugger.position(), before);
    if !outcome.victims.is_empty() || outcome.by_preemption {
        // The result of preemption is not the decision of the main pass.
        return;
    }
    // Hosts that cannot hold a packed job are reported only with a listener.
    let packs = |place: &Place| place.arrangement == Arrangement::Pack;
    let packs = debugger.run().plan.job(outcome.job).place.as_ref().is_some_and(packs);
    let is_counted = !packs && outcome.subjob.is_none();
    // A job that goes back to its previous nodes gets each of them in one piece as it starts (rule 6.10).
    let goes_back = debugger.run().plan.previous.contains_key(&outcome.job);
    let told = |outcome: &Outcome| {
        let place = outcome.placed.as_ref().map(|placed| {
            let nodes = placed.allocation.nodes();
            ((!goes_back).then(|| placed.allocation.clone()), nodes, placed.set.clone())
        });
        let examined = is_counted.then_some(outcome.examined);
        let Outcome { job, path, rejection, tries, .. } = outcome;
        format!("{job:?} {path:?} {rejection:?} {place:?} {tries:?} {examined:?}")
    };
    assert_eq!(told(&heard), told(outcome), "{}", debugger.run().plan.snap.title);
    assert!(!events.is_empty());
}

fn outcomes(run: &Run) -> Vec<String> {
    run.outcomes().map(|outcome| format!("{outcome:?}")).collect()
}

/// The same input gives the same bytes: in another time zone and language, with files created in another order.
#[test]
fn the_same_cluster_gives_the_same_bytes() {
    let topics = cases::all().iter().filter(|case| case.family == Family::Topics);
    for case in topics.step_by(12) {
        let plain = printed(case, false, "UTC", "C");
        let other = printed(case, true, "Asia/Tokyo", "de_DE.UTF-8");
        assert_eq!(plain, other, "{}", case.name);
    }
}

fn printed(case: &Case, reversed: bool, zone: &str, language: &str) -> String {
    let parent = tempfile::tempdir().unwrap();
    let folder = parent.path().join(&case.name);
    std::fs::create_dir(&folder).unwrap();
    let mut files: Vec<_> = case.files.iter().collect();
    if reversed {
        files.reverse();
    }
    for (name, bytes) in files {
        std::fs::write(folder.join(name), bytes).unwrap();
    }
    let mut program = Command::new(env!("CARGO_BIN_EXE_qscope"));
    let output =
        program.arg("cycle").arg(&folder).arg("--json").env("TZ", zone).env("LC_ALL", language).output();
    String::from_utf8(output.unwrap().stdout).unwrap()
}

/// No job is reported twice, except one that started and was preempted in the same cycle.
#[test]
fn every_waiting_job_has_one_outcome() {
    for case in cases::all() {
        let snap = case.snapshot();
        let run = run_cycle(snap.clone(), Quirks::default());
        let victims: Vec<JobId> =
            run.outcomes().flat_map(|o| o.victims.iter().map(|(job, _)| *job)).collect();
        let is_alone = |o: &&Outcome| o.subjob.is_none() && !victims.contains(&o.job);
        let mut told: Vec<JobId> = run.outcomes().filter(is_alone).map(|o| o.job).collect();
        told.sort_unstable();
        let all = told.len();
        told.dedup();
        assert_eq!(told.len(), all, "{}: a job has two outcomes", case.name);
    }
}
