use std::sync::Arc;

use qscope_engine::cluster::{ByPeriod, Formula, Job, JobState, Queue, ShareGroup, Snapshot, UsageRecord};
use qscope_engine::cycle::{Debugger, run_cycle};
use qscope_engine::universe::Quirks;

use super::*;

fn group(name: &str, parent: &str, shares: f64) -> ShareGroup {
    ShareGroup { name: name.into(), number: 0, parent: parent.into(), shares }
}

fn record(name: &str, usage: f64) -> UsageRecord {
    UsageRecord { name: name.into(), usage, decayed: Some(Epoch(900_000)) }
}

fn job(id: u32, user: &str, state: JobState) -> Job {
    Job { name: format!("{id}.s").into(), user: user.into(), queue: "workq".into(), state, ..Job::default() }
}

/// Returns two groups, one of which has two members, and jobs of a user that the tree does not name.
fn snapshot() -> Snapshot {
    let mut snap = Snapshot::empty("t", Epoch(1_000_000));
    snap.policy.fair_share = ByPeriod::both(true);
    snap.policy.fairshare.unknown_shares = 10.0;
    snap.policy.fairshare.decay_time = Seconds(86_400);
    snap.share_groups = vec![
        group("phys", "root", 60.0),
        group("chem", "root", 30.0),
        group("ann", "phys", 1.0),
        group("bob", "phys", 2.0),
        group("eve", "chem", 1.0),
        group("ida", "chem", 0.0),
    ];
    snap.usage = vec![record("ann", 800.0), record("bob", 100.0), record("eve", 300.0)];
    snap.queues = ["workq"].map(Queue::named).into_iter().collect();
    let jobs = [
        (1, "ann", JobState::Running),
        (2, "ann", JobState::Queued),
        (3, "bob", JobState::Queued),
        (4, "eve", JobState::Held),
        (5, "xaver", JobState::Queued),
    ];
    snap.jobs = jobs.into_iter().map(|(id, user, state)| job(id, user, state)).collect();
    snap
}

fn tree(snap: Snapshot) -> FairshareSnapshot {
    let run = Arc::new(run_cycle(Arc::new(snap), Quirks::default()));
    let debugger = Debugger::new(run.clone());
    FairshareSnapshot::at(&run, debugger.state(), 0)
}

fn of<'t>(tree: &'t FairshareSnapshot, name: &str) -> &'t ShareEntity {
    tree.named(name).unwrap()
}

/// Each entity precedes its members, in the order of the file, and the unknown ones come last.
#[test]
fn entities_stand_before_their_members() {
    let tree = tree(snapshot());
    let shown: Vec<(usize, &str)> =
        tree.entities.iter().map(|entity| (entity.depth, &*entity.entity)).collect();
    let expected = [
        (0, "root"),
        (1, "phys"),
        (2, "ann"),
        (2, "bob"),
        (1, "chem"),
        (2, "eve"),
        (2, "ida"),
        (1, "unknown"),
        (2, "xaver"),
    ];
    assert_eq!(shown, expected);
    let groups: Vec<&str> =
        tree.entities.iter().filter(|entity| entity.group).map(|entity| &*entity.entity).collect();
    assert_eq!(groups, ["root", "phys", "chem", "unknown"]);
}

/// Rule 1.11: fractions of the group and of the tree; rule 6.10: over the share of all usage.
#[test]
fn usage_is_held_against_the_share() {
    let tree = tree(snapshot());
    let root = of(&tree, "root");
    // A day has passed: one decay of 800 and 100 and 300, and of the initial 1 of everything else.
    assert_eq!(of(&tree, "ann").usage, 400.0);
    let phys = of(&tree, "phys");
    assert!((phys.of_tree - 0.6).abs() < 1e-6 && (phys.allowed - root.usage * phys.of_tree).abs() < 1e-9);
    let ann = of(&tree, "ann");
    assert!((ann.of_group - 1.0 / 3.0).abs() < 1e-6 && (ann.used_of_group - 400.0 / 450.0).abs() < 1e-9);
    assert_eq!((ann.state, of(&tree, "bob").state, of(&tree, "ida").state), ("over", "under", "none"));
    assert_eq!(of(&tree, "ida").burden, None);
    assert_eq!(ann.burden, Some(ann.usage / ann.of_tree));
}

/// A held job neither runs nor waits; groups count everything below them.
#[test]
fn jobs_are_counted_for_all_above() {
    let tree = tree(snapshot());
    let counts = |name: &str| (of(&tree, name).running, of(&tree, name).waiting);
    assert_eq!((counts("ann"), counts("bob"), counts("phys")), ((1, 1), (0, 1), (1, 2)));
    assert_eq!((counts("eve"), counts("unknown"), counts("root")), ((0, 0), (0, 1), (1, 3)));
}

/// Rule 6.5: decided where the paths diverge, entities that differ higher up first.
#[test]
fn rivals_are_compared_where_paths_part() {
    let tree = tree(snapshot());
    let standing = tree.position_of(of(&tree, "ann"));
    let path: Vec<(&str, usize, usize)> =
        standing.levels.iter().map(|level| (&*level.entity, level.place, level.siblings.len())).collect();
    assert_eq!(path, [("phys", 3, 3), ("ann", 2, 2)]);
    let siblings: Vec<&str> = standing.levels[0].siblings.iter().map(|one| &*one.entity).collect();
    assert_eq!(siblings, ["unknown", "chem", "phys"], "in the order in which they go");
    let rivals: Vec<(&str, &str, usize, &str, &str)> = standing
        .rivals
        .iter()
        .map(|rival| (&*rival.entity, rival.goes, rival.depth, &*rival.other, &*rival.own))
        .collect();
    assert_eq!(rivals, [("xaver", "before", 1, "unknown", "phys"), ("bob", "before", 2, "bob", "ann")]);
    let of_group = tree.position_of(of(&tree, "phys"));
    assert_eq!((of_group.waiting.len(), of_group.running.len()), (2, 1));
    assert_eq!(of_group.rivals.len(), 1, "its own members are no rivals: {:?}", of_group.rivals);
}

/// Missing facts are stated once, in one clause each.
#[test]
fn what_is_not_known_is_stated() {
    let notes = |change: &dyn Fn(&mut Snapshot)| {
        let mut snap = snapshot();
        change(&mut snap);
        tree(snap).notes.join(" · ")
    };
    assert_eq!(notes(&|_| {}), "");
    let off = notes(&|snap| snap.policy.fair_share = ByPeriod::both(false));
    assert_eq!(off, "fair_share is off: the tree orders no job");
    let formula = notes(&|snap| snap.server.job_sort_formula = Some("ncpus".into()));
    assert_eq!(formula, "job_sort_formula orders jobs before fair share");
    let counted = notes(&|snap| snap.server.job_sort_formula = Some("fairshare_factor".into()));
    assert!(Formula::parse("fairshare_factor").is_ok() && counted.contains("counts shares"), "{counted}");
    let bare = notes(&|snap| (snap.share_groups, snap.usage) = (Vec::new(), Vec::new()));
    assert!(bare.starts_with("no resource_group and no usage"), "{bare}");
    let undated = notes(&|snap| snap.usage.iter_mut().for_each(|record| record.decayed = None));
    assert_eq!(undated, "time of the last decay unknown: usage is as read");
    let never = notes(&|snap| snap.policy.fairshare.unknown_shares = 0.0);
    assert_eq!(never, "unknown_shares is 0: 1 job of 1 entity not in resource_group never run");
    let accounts = notes(&|snap| snap.policy.fairshare.entity = "Account_Name".into());
    assert!(accounts.ends_with("3 jobs without Account_Name: no entity"), "{accounts}");
}

#[test]
fn numbers_are_short_and_nothing_that_is_used_reads_as_nothing() {
    assert_eq!([usage_words(2_710_000.5), usage_words(1.0), usage_words(31.25)], ["2710000", "1", "31.25"]);
    let parts = [0.0, 0.0001, 0.095, 0.9996, 2.054].map(percent_words);
    assert_eq!(parts, ["0 %", "<0.1 %", "9.5 %", "100 %", "205 %"]);
}
