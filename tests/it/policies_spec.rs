//! The worked examples and acceptance tests of the specification of the allocation policies (rules 0.13, 1 and 2),
//! each under its number. Tested elsewhere: T8 and T12 (with the parser and the distribution), T17 and T21
//! (`policies`), T25 (a bench), T23 and T24 (traces, stepping: in the debugger).

use std::sync::Arc;

use qscope::cluster::{AllocationChoices, Edit, Seconds, Snapshot};
use qscope::cycle::{CycleStart, Debugger, Verdict, run_cycle};
use qscope::policies::{
    FeasibleParts, JobPolicyInput, MauiOptions, PolicyComparison, PolicyInput, PolicyName, PolicyQuery,
    PolicyRanking, TaskRequest, policy_of,
};
use qscope::source::{Files, LoadOptions, load};
use qscope::universe::Quirks;

use crate::policies::{answer, cluster, compare, pack, packed, picks};

use PolicyName as P;

/// Returns fixture F1 with another job, and more lines for `[maui]`.
fn f1(job: &str, more: &str) -> Arc<Snapshot> {
    let pack = pack();
    let text = |file: &str| String::from_utf8(pack["f1"][file].clone()).unwrap();
    let queue = text("queue.toml");
    let before = &queue[..queue.find("[[job]]\nid = \"J\"").unwrap()];
    cluster(&[
        ("nodes.toml", text("nodes.toml")),
        ("queue.toml", format!("{before}[[job]]\nid = \"J\"\nuser = \"ann\"\n{job}\n")),
        ("policy.toml", text("policy.toml") + "\n" + more),
    ])
}

const J: &str = "select = \"10:ncpus=1:mem=1gb\"\nwalltime = \"02:00:00\"";

/// Returns a request for `tasks` tasks of one cpu for `hours` hours.
fn tasks(tasks: u32, hours: u32) -> String {
    format!("select = \"{tasks}:ncpus=1:mem=1gb\"\nwalltime = \"{hours:02}:00:00\"")
}

fn chosen(snap: &Arc<Snapshot>, policy: PolicyName) -> String {
    picks(snap, answer(&compare(snap, "J", None), policy))
}

fn by_formula(job: &str, formula: &str) -> String {
    chosen(&f1(job, &format!("PRIORITYF = \"{formula}\"")), P::Priority)
}

const FAST_OR_TAPE: &str = "\nprefer = [\"FAST\", \"TAPE\"]";

/// T1: the table of rule 0.13, column `manual`, row by row.
#[test]
fn t01_the_summary_of_answers() {
    let snap = f1(J, "");
    let compared = compare(&snap, "J", None);
    let rows = [
        (P::FirstAvailable, "n1x4 n2x6"),
        (P::LastAvailable, "n3x4 n4x6"),
        (P::Priority, "n1x4 n2x6"),
        (P::CpuLoad, "n2x8 n4x2"),
        (P::MinResource, "n5x4 n3x4 n6x2"),
        (P::Contiguous, "n2x8 n3x2"),
        (P::MaxBalance, "n1x4 n6x6"),
        (P::Fastest, "n2x8 n4x2"),
        (P::Local, "LOCAL: no hook configured"),
    ];
    for (policy, expected) in rows {
        assert_eq!(picks(&snap, answer(&compared, policy)), expected, "{policy}");
    }
    assert_eq!(by_formula(J, "SPEED+ .01 * AMEM - 10 * JOBCOUNT"), "n2x8 n4x2");
    assert_eq!(by_formula(J, "JOBCOUNT"), "n4x6 n1x4");
    assert_eq!(by_formula(&format!("{J}{FAST_OR_TAPE}"), "5 * PREF - LOAD"), "n3x4 n2x6");
    assert_eq!(by_formula(J, "10 * APROCS - LOAD - JOBCOUNT"), "n2x8 n6x2");
    // CPULOAD for a later start is MINRESOURCE: 33 tasks wait for the first end.
    let late = f1(&tasks(33, 1), "");
    let compared = compare(&late, "J", None);
    let later = |policy| answer(&compared, policy).earliest.clone().unwrap();
    let nodes = |policy| later(policy).picks.iter().map(|pick| (pick.node, pick.tasks)).collect::<Vec<_>>();
    assert_eq!(nodes(P::CpuLoad), nodes(P::MinResource));
    assert!(answer(&compared, P::CpuLoad).note.contains("CPULOAD -> MINRESOURCE (future start)"));
}

/// T2: LASTAVAILABLE orders by the gap that the job's end leaves (rule 1.2).
#[test]
fn t02_gaps_follow_the_walltime() {
    let snap = f1(&tasks(10, 2), "");
    let placed = answer(&compare(&snap, "J", None), P::LastAvailable).now.clone().unwrap();
    let gaps: Vec<&str> = placed.picks.iter().map(|pick| pick.key.as_str()).collect();
    assert_eq!(gaps, ["gap 00:15:00", "gap 01:00:00"]);
    assert_eq!(chosen(&f1(&tasks(10, 4), ""), P::LastAvailable), "n1x4 n5x4 n2x2");
    assert_eq!(chosen(&f1(&tasks(10, 8), ""), P::LastAvailable), "n5x4 n2x6");
}

/// T3, and the example of three nodes in rule 1.4.
#[test]
fn t03_cpuload_goes_on_to_the_next_node() {
    assert_eq!(chosen(&f1(&tasks(12, 2), ""), P::CpuLoad), "n2x8 n4x4");
    assert_eq!(chosen(&f1(&format!("{J}\nnodes = 3"), ""), P::CpuLoad), "n2x4 n4x3 n6x3");
}

/// Runs a cycle in which a policy places two jobs in this order; returns the node of each, or `-`.
fn cycle(nodes: &str, jobs: &[(&str, &str)], policy: PolicyName, more: &str) -> Vec<String> {
    let job = |(id, rest): &(&str, &str)| format!("[[job]]\nid = \"{id}\"\nuser = \"ann\"\n{rest}\n");
    let queue = jobs.iter().map(job).collect::<String>();
    let snap = cluster(&[
        ("nodes.toml", nodes.to_owned()),
        ("queue.toml", format!("now = 1763700000\n{queue}")),
        ("policy.toml", format!("[maui]\nNODEAVAILABILITYPOLICY = \"DEDICATED\"\n{more}\n")),
    ]);
    let choices = AllocationChoices { cluster: Some(policy.word().into()), ..AllocationChoices::default() };
    let under = Arc::new(snap.with(&[Edit::Allocation(choices)]));
    let ranking = Arc::new(PolicyRanking::of(&under, None).unwrap().unwrap());
    let run = CycleStart::ranked(under, Quirks::default(), Some(ranking)).run();
    let place = |(id, rest): &(&str, &str)| {
        if rest.contains("started") {
            return None;
        }
        let placed = run.outcome(snap.job_named(id).unwrap()).unwrap().placed.as_ref();
        let piece = placed.and_then(|placed| placed.allocation.pieces.first());
        Some(piece.map_or_else(|| "-".to_owned(), |piece| run.plan.node_name(piece.bit).to_string()))
    };
    jobs.iter().filter_map(place).collect()
}

fn memory_node(name: &str, mb: u32) -> String {
    format!("[[node]]\nname = \"{name}\"\navailable = {{ ncpus = 1, mem = \"{mb}mb\" }}\nload = 0.0\n")
}

fn memory_job(mb: u32) -> String {
    format!("select = \"1:ncpus=1:mem={mb}mb\"\nwalltime = \"01:00:00\"")
}

/// T4: seed scenario S1 (rule 1.13): A 256 MB, B 1 GB; X needs 512 MB, Y 128 MB.
#[test]
fn t04_minresource_keeps_the_large_node_for_who_needs_it() {
    let (a, b) = (memory_node("A", 256), memory_node("B", 1024));
    let (x, y) = (memory_job(512), memory_job(128));
    let (ab, ba) = (format!("{a}{b}"), format!("{b}{a}"));
    for nodes in [&ab, &ba] {
        assert_eq!(cycle(nodes, &[("X", &x), ("Y", &y)], P::MinResource, ""), ["B", "A"]);
        assert_eq!(cycle(nodes, &[("Y", &y), ("X", &x)], P::MinResource, ""), ["A", "B"]);
        let large_first = cycle(nodes, &[("Y", &y), ("X", &x)], P::Priority, "PRIORITYF = \"AMEM\"");
        assert_eq!(large_first, ["B", "-"]);
        let small_first = cycle(nodes, &[("Y", &y), ("X", &x)], P::Priority, "PRIORITYF = \"-CMEM\"");
        assert_eq!(small_first, ["A", "B"]);
    }
    assert_eq!(cycle(&ab, &[("Y", &y), ("X", &x)], P::FirstAvailable, ""), ["A", "B"]);
    for policy in [P::FirstAvailable, P::Fastest, P::CpuLoad, P::MaxBalance] {
        assert_eq!(cycle(&ba, &[("Y", &y), ("X", &x)], policy, ""), ["B", "-"], "{policy}");
    }
    // Moab's variant: A 768, B 512; X 256, Y 640.
    let nodes = memory_node("A", 768) + &memory_node("B", 512);
    let (x, y) = (memory_job(256), memory_job(640));
    assert_eq!(cycle(&nodes, &[("X", &x), ("Y", &y)], P::MinResource, ""), ["B", "A"]);
    assert_eq!(cycle(&nodes, &[("X", &x), ("Y", &y)], P::FirstAvailable, ""), ["A", "-"]);
}

/// T5: seed scenario S2 (rule 1.14): A 24 of 64 free, B 12 of 64; X packs 10 cpus, Y 20.
#[test]
fn t05_best_fit_on_what_is_free_is_a_formula() {
    let node = |name: &str, load: u32| {
        format!(
            "[[node]]\nname = \"{name}\"\navailable = {{ ncpus = 64, mem = \"64gb\" }}\nload = {load}.0\n"
        )
    };
    let nodes = node("A", 40) + &node("B", 52);
    let pack = |cpus: u32| format!("select = \"{cpus}:ncpus=1\"\nplace = \"pack\"\nwalltime = \"01:00:00\"");
    let held = |id: &str, cpus: u32, on: &str| {
        format!(
            "[[job]]\nid = \"{id}\"\nuser = \"bob\"\nselect = \"1:ncpus={cpus}\"\nwalltime = \"09:00:00\"\nstarted = \"-01:00:00\"\non = \"({on}:ncpus={cpus})\"\n"
        )
    };
    let queue = format!("{}{}", held("1", 40, "A"), held("2", 52, "B"));
    let ask = |policy: PolicyName, formula: &str| {
        let jobs = [("X", pack(10)), ("Y", pack(20))];
        let job = |(id, rest): &(&str, String)| format!("[[job]]\nid = \"{id}\"\nuser = \"ann\"\n{rest}\n");
        let all: String = jobs.iter().map(job).collect();
        let snap = cluster(&[
            ("nodes.toml", nodes.clone()),
            ("queue.toml", format!("now = 1763700000\n{queue}{all}")),
            ("policy.toml", format!("[maui]\nNODEAVAILABILITYPOLICY = \"DEDICATED\"\n{formula}\n")),
        ]);
        let compared = compare(&snap, "X", None);
        let found = answer(&compared, policy);
        let start = Debugger::new(Arc::new(run_cycle(snap.clone(), Quirks::default())));
        let options = MauiOptions::read(&snap);
        let behind = [snap.job_named("Y").unwrap()];
        let yardstick =
            qscope::policies::MeasureBasis::new(start.state(), &options, &compared.request, &behind);
        (picks(&snap, found), yardstick.measure(found.now.as_ref().unwrap()).regret.len())
    };
    for policy in [P::FirstAvailable, P::LastAvailable, P::CpuLoad, P::Fastest, P::MaxBalance, P::Contiguous]
    {
        assert_eq!(ask(policy, ""), ("Ax10".to_owned(), 1), "{policy}");
    }
    assert_eq!(ask(P::MinResource, ""), ("Bx10".to_owned(), 0));
    assert_eq!(ask(P::Priority, "PRIORITYF = \"-APROCS\""), ("Bx10".to_owned(), 0));
    assert_eq!(ask(P::Priority, "PRIORITYF = \"APROCS\""), ("Ax10".to_owned(), 1));
}

/// T6 and T7: seed scenario S3 (rule 1.15): the placement of C determines when D starts.
#[test]
fn t06_and_t07_the_smallest_gap_keeps_the_long_window() {
    let starts = |case: &str, policy| {
        let snap = packed(case, "");
        let compared = compare(&snap, "D", None);
        let found = answer(&compared, policy);
        let placed = found.now.as_ref().or(found.earliest.as_ref()).unwrap();
        (Seconds(placed.start.0 - snap.now.0).0, snap.nodes[placed.picks[0].node].name.to_string())
    };
    let c = |case: &str, policy| {
        let snap = packed(case, "");
        picks(&snap, answer(&compare(&snap, "C", None), policy))
    };
    assert_eq!(c("s3-c", P::LastAvailable), "Ux1");
    assert_eq!(c("s3-c", P::MinResource), "Ux1");
    for policy in [P::FirstAvailable, P::CpuLoad, P::Fastest, P::MaxBalance] {
        assert_eq!(c("s3-c", policy), "Tx1", "{policy}");
        assert_eq!(c("s3-ubat-c", policy), "Ux1", "{policy}");
    }
    assert_eq!(starts("s3-d-c-on-t", P::LastAvailable), (3 * 3600, "T".to_owned()));
    for policy in PolicyName::ALL.iter().copied().filter(|policy| *policy != P::Local) {
        assert_eq!(c("s3-c-3h30", policy), "Tx1", "{policy}");
        assert_eq!(starts("s3-d-c-3h30", policy), (12_600, "T".to_owned()), "{policy}");
    }
}

/// Returns the value of PRIORITYF on every feasible node, in the order of the dump; now or `later` seconds later.
fn values(snap: &Arc<Snapshot>, later: i64) -> Vec<(String, f64)> {
    let start = Debugger::new(Arc::new(run_cycle(snap.clone(), Quirks::default())));
    let options = MauiOptions::read(snap);
    let request = TaskRequest::of(&start.state().plan, &options, snap.job_named("J").unwrap()).unwrap();
    let site = PolicyInput::new(start.state(), &options);
    let asked = JobPolicyInput::new(&site, &request);
    let at = snap.now + Seconds(later);
    let offer = FeasibleParts::at(&asked, at);
    let candidates = &offer.parts[0].candidates;
    let question = PolicyQuery::new(&asked, &request.requirements[0], at, candidates);
    let policy = policy_of(P::Priority, &options, None);
    let value = |candidate: &qscope::policies::Candidate| {
        let [key, ..] = policy.key(&question, candidate);
        (snap.nodes[candidate.node].name.to_string(), 0.0 - key)
    };
    candidates.iter().map(value).collect()
}

fn near(found: &[(String, f64)], expected: &[f64]) {
    assert_eq!(found.len(), expected.len(), "{found:?}");
    for ((node, value), expected) in found.iter().zip(expected) {
        assert!((value - expected).abs() <= 1e-9, "{node}: {value}, expected {expected}");
    }
}

/// T9: the worked evaluations of rule 2.7, E1 to E6. SPEED is the processor speed if that is set.
#[test]
fn t09_values_of_priorityf() {
    let with = |formula: &str| f1(&format!("{J}{FAST_OR_TAPE}"), &format!("PRIORITYF = \"{formula}\""));
    let e1 = with("SPEED+ .01 * AMEM - 10 * JOBCOUNT");
    near(&values(&e1, 0), &[2461.92, 2927.68, 2081.92, 2815.76, 2081.92, 2512.88]);
    let relative = with("0.0005*SPEED + .01 * AMEM - 10 * JOBCOUNT");
    near(&values(&relative, 0), &[63.12, 328.98, 82.92, 217.06, 82.92, 114.08]);
    near(&values(&with("JOBCOUNT"), 0), &[2.0, 0.0, 0.0, 3.0, 0.0, 1.0]);
    near(&values(&with("5 * PREF - LOAD"), 0), &[-3.0, 4.8, 5.0, -4.0, -2.5, 4.0]);
    let e5 = with("10 * APROCS - LOAD - JOBCOUNT");
    near(&values(&e5, 0), &[35.0, 79.8, 40.0, 48.0, 37.5, 58.0]);
    let e2 = packed("e2", "");
    near(&values(&e2, 0), &[1003.0, 1004.0, -50.5, -7.0, -250.0]);
    let order = "batch2x4 batch1x3 desk2x4 desk1x4 desk3x4";
    assert_eq!(chosen(&e2, P::Priority), order);
    // E6: for a later start only what does not change counts. At ten minutes all six nodes still serve.
    near(&values(&e1, 600), &[2400.0, 2600.0, 2000.0, 2600.0, 2000.0, 2400.0]);
    near(&values(&e5, 600), &[0.0; 6]);
    near(&values(&with("JOBCOUNT"), 600), &[0.0; 6]);
}

/// T10: USAGE counts in percent; taken as a fraction, the nodes come in another order.
#[test]
fn t10_the_unit_of_usage_decides() {
    let open_views = |name: &str, load: f64, usage: f64| {
        format!(
            "[[node]]\nname = \"{name}\"\navailable = {{ ncpus = 4 }}\nload = {load:?}\nusage = {usage:?}\n"
        )
    };
    let order = |scale: f64| {
        let desks = [("desk1", 0.5, 10.0), ("desk2", 2.0, 1.0), ("desk3", 0.0, 50.0)];
        let nodes: String =
            desks.iter().map(|(name, load, usage)| open_views(name, *load, usage * scale)).collect();
        let snap = cluster(&[
            ("nodes.toml", nodes),
            (
                "queue.toml",
                format!("now = 1763700000\n[[job]]\nid = \"J\"\nuser = \"ann\"\n{}", tasks_of(12)),
            ),
            ("policy.toml", "[maui]\nPRIORITYF = \"-LOAD - 5*USAGE\"\n".to_owned()),
        ]);
        chosen(&snap, P::Priority)
    };
    assert_eq!(order(1.0), "desk2x4 desk1x4 desk3x4");
    assert_eq!(order(0.01), "desk1x4 desk2x4 desk3x4");
    assert!(P::Priority.maui_deviation().unwrap().contains("USAGE as a fraction"));
}

fn tasks_of(tasks: u32) -> String {
    format!("select = \"{tasks}:ncpus=1\"\nwalltime = \"01:00:00\"\n")
}

/// T11: a value missing on a node is marked and counted; one missing everywhere is refused.
#[test]
fn t11_missing_values_are_reported() {
    let pack = pack();
    let text = |file: &str| String::from_utf8(pack["f1"][file].clone()).unwrap();
    let nodes = text("nodes.toml").replacen("load = 3.0\n", "", 1);
    let with = |nodes: String, formula: &str| {
        let policy = format!("{}\nPRIORITYF = \"{formula}\"\n", text("policy.toml"));
        cluster(&[("nodes.toml", nodes), ("queue.toml", text("queue.toml")), ("policy.toml", policy)])
    };
    let snap = with(nodes, "PRIORITY - LOAD");
    let compared = compare(&snap, "J", None);
    let placed = answer(&compared, P::Priority).now.clone().unwrap();
    let key = |name: &str| {
        let picked = placed.picks.iter().find(|pick| *snap.nodes[pick.node].name == *name);
        picked.map(|pick| pick.key.clone()).unwrap_or_default()
    };
    assert_eq!(key("n1"), "0 = 1*PRIORITY(0) + -1*LOAD(?)");
    assert!(
        compared.remarks.iter().any(|remark| remark == "LOAD is missing on 1 of 6 nodes; 0 counts there")
    );
    let refused = |formula: &str| {
        let snap = with(text("nodes.toml"), formula);
        answer(&compare(&snap, "J", None), P::Priority).clone()
    };
    for (formula, missing) in [("PRIORITY - USAGE", "USAGE"), ("CDISK", "CDISK"), ("ASWAP", "ASWAP")] {
        let answer = refused(formula);
        assert_eq!(answer.note, format!("{missing} is not present in this dump"));
        assert!(answer.now.is_none() && answer.earliest.is_none());
    }
    assert!(refused("PRIORITY + 0*USAGE").now.is_some(), "a weight of zero asks for nothing");
}

/// T13: tasks per node round down what a node offers.
#[test]
fn t13_tasks_per_node() {
    let found = |job: &str, policy| chosen(&f1(job, ""), policy);
    let four = format!("{}\ntasks_per_node = 4", tasks(8, 2));
    assert_eq!(found(&four, P::FirstAvailable), "n1x4 n2x4");
    assert_eq!(found(&four, P::CpuLoad), "n2x8");
    let uneven = f1(&format!("{}\ntasks_per_node = 4", tasks(10, 2)), "");
    let start = Debugger::new(Arc::new(run_cycle(uneven.clone(), Quirks::default())));
    let options = MauiOptions::read(&uneven);
    let refused = TaskRequest::of(&start.state().plan, &options, uneven.job_named("J").unwrap());
    assert_eq!(refused.unwrap_err().to_string(), "10 tasks are no multiple of 4 tasks per node");
}

/// T14: a node of the job's own reservation comes before a faster one. (Batch systems of the PBS family have no
/// reservations that repel jobs, and preemption is not decided by a policy.)
#[test]
fn t14_affinity_beats_the_policy() {
    let snap = packed("tier-positive", "");
    let compared = compare(&snap, "J", None);
    for policy in [P::Fastest, P::FirstAvailable, P::MinResource] {
        let placed = answer(&compared, policy).now.clone().unwrap();
        assert_eq!(&*snap.nodes[placed.picks[0].node].name, "n2", "{policy}");
        assert_eq!(placed.picks[0].tier.word(), "positive");
        assert_eq!(placed.picks[1].tier.word(), "none");
    }
}

/// T15: the job's own policy overrides the site's; an invalid one is an error, a preference without effect is stated.
#[test]
fn t15_whose_policy_is_in_force() {
    let in_force =
        |job: &str, more: &str| -> PolicyComparison { compare(&f1(&format!("{J}{job}"), more), "J", None) };
    let of_job = in_force("\npolicy = \"fastest\"", "NODEALLOCATIONPOLICY = \"CPULOAD\"");
    assert_eq!(of_job.in_force, Ok((P::Fastest, "the job's own")));
    let of_site = in_force("", "NODEALLOCATIONPOLICY = \"INREPORTEDORDER\"");
    assert_eq!(of_site.in_force, Ok((P::FirstAvailable, "the site's")));
    assert_eq!(in_force("", "").in_force, Ok((P::LastAvailable, "Maui's default, no site set one")));
    let later_name = in_force("\npolicy = \"NodeSpeed\"", "");
    assert_eq!(later_name.in_force, Ok((P::Fastest, "the job's own")));
    let mut files = Files::new("wrong");
    files.insert("nodes.toml", memory_node("n1", 1).into_bytes(), None);
    let job = "now = 1\n[[job]]\nid = \"J\"\nselect = \"1:ncpus=1\"\npolicy = \"fastes\"\n";
    files.insert("queue.toml", job.as_bytes().to_vec(), None);
    let wrong = load(&files, &LoadOptions::default()).unwrap_err().to_string();
    assert!(wrong.contains("queue.toml:5") && wrong.contains("`fastes`; expected FIRSTAVAILABLE"), "{wrong}");
    let ignored = in_force(&format!("\npolicy = \"FASTEST\"{FAST_OR_TAPE}"), "");
    assert!(ignored.remarks.iter().any(|remark| remark.contains("only PRIORITY looks at preferences")));
}

/// T16: seed submission S4 (rule 3.2): four nodes, one task each, preferring FAST or TAPE.
#[test]
fn t16_preferred_nodes_first_but_not_only() {
    let job = format!("select = \"4:ncpus=1\"\nwalltime = \"01:00:00\"\nplace = \"scatter\"{FAST_OR_TAPE}");
    assert_eq!(by_formula(&job, "5 * PREF - LOAD"), "n3x1 n2x1 n6x1 n5x1");
}

/// T18: contiguity delays or forbids what would otherwise fit (rule 1.6); the shortest run is used on request.
#[test]
fn t18_a_run_of_neighbours_has_to_hold_it_all() {
    assert_eq!(chosen(&f1(&tasks(22, 2), ""), P::Contiguous), "n2x8 n3x4 n4x6 n5x4");
    let refused = chosen(&f1(&tasks(23, 2), ""), P::Contiguous);
    assert_eq!(refused, "Locality: no contiguous run holds the job; the longest holds 22 tasks");
    assert_eq!(chosen(&f1(&tasks(6, 2), ""), P::Contiguous), "n2x6");
    assert_eq!(chosen(&f1(&tasks(4, 2), "contiguous_fit = \"best\""), P::Contiguous), "n1x4");
    let parted = |partition: &str| {
        let pack = pack();
        let text = |file: &str| String::from_utf8(pack["f1"][file].clone()).unwrap();
        let nodes =
            text("nodes.toml").replacen("slot = 4\n", &format!("slot = 4\npartition = \"{partition}\"\n"), 1);
        let snap = cluster(&[
            ("nodes.toml", nodes),
            ("queue.toml", text("queue.toml")),
            ("policy.toml", text("policy.toml")),
        ]);
        (chosen(&snap, P::Contiguous), chosen(&snap, P::LastAvailable))
    };
    // n3 of another partition breaks the run; the other policies take it all the same.
    assert_eq!(parted("other"), ("n4x6 n5x4".to_owned(), "n3x4 n4x6".to_owned()));
}

/// T19: the range of speeds is as narrow as possible; of equal ranges the slower one is used (rule 1.7).
#[test]
fn t19_the_narrowest_range_of_speeds() {
    let found = |count: u32| chosen(&f1(&tasks(count, 2), ""), P::MaxBalance);
    assert_eq!(found(8), "n3x4 n5x4");
    assert_eq!(found(10), "n1x4 n6x6");
    assert_eq!(found(14), "n2x8 n4x6");
    assert_eq!(found(18), "n1x4 n6x6 n2x8");
}

/// T20: the edge cases, for every policy.
#[test]
fn t20_edges() {
    let nodes = |count: usize| {
        (1..=count).map(|at| memory_node(&format!("n{at}"), 1024).replace("ncpus = 1", "ncpus = 4")).collect()
    };
    let ask = |nodes: String, job: &str| {
        let snap = cluster(&[
            ("nodes.toml", nodes),
            ("queue.toml", format!("now = 1763700000\n[[job]]\nid = \"J\"\nuser = \"ann\"\n{job}\n")),
            ("policy.toml", "[maui]\nNODEAVAILABILITYPOLICY = \"DEDICATED\"\n".to_owned()),
        ]);
        let compared = compare(&snap, "J", None);
        let policies = PolicyName::ALL.iter().copied().filter(|policy| *policy != P::Local);
        policies.map(|policy| picks(&snap, answer(&compared, policy))).collect::<Vec<String>>()
    };
    let all =
        |found: Vec<String>, expected: &str| assert!(found.iter().all(|one| one == expected), "{found:?}");
    let none: String = nodes(2);
    all(ask(none.replace("load = 0.0", "state = \"offline\""), &tasks_of(1)), "CPU: 0 of 1 tasks fit");
    all(ask(nodes(1), &tasks_of(1)), "n1x1");
    all(ask(nodes(3), &tasks_of(13)), "CPU: 12 of 13 tasks fit");
    all(ask(nodes(3), &format!("{}nodes = 4\n", tasks_of(5))), "3 of 4 nodes");
    let equal = ask(nodes(3), &tasks_of(6));
    for (policy, found) in PolicyName::ALL.iter().copied().zip(equal) {
        let expected = if policy == P::MinResource { "n3x4 n2x2" } else { "n1x4 n2x2" };
        assert_eq!(found, expected, "{policy}");
    }
}

/// T22: free cpus are not enough; a held job starts under no policy, and the policies state that.
#[test]
fn t22_a_held_job_cannot_run() {
    let snap = f1(&format!("{J}\nstate = \"H\""), "");
    let run = run_cycle(snap.clone(), Quirks::default());
    let outcome = run.outcome(snap.job_named("J").unwrap());
    assert!(outcome.is_none_or(|outcome| outcome.verdict != Verdict::Run));
    let compared = compare(&snap, "J", None);
    let said = "the job is held: the nodes are those it would get, but it does not start";
    assert!(compared.remarks.iter().any(|remark| remark == said), "{:?}", compared.remarks);
    assert!(compare(&f1(J, ""), "J", None).remarks.is_empty());
}
