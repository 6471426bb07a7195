//! Hand-written clusters, complete and in parts.

mod errors;
mod jobs;

use super::*;
use qscope_engine::cluster::{
    Amount, Arrangement, JobState, LimitScope, NodeState, QueueKind, ReservationState, ResourceId, Seconds,
    Sharing, SmpDist, Substate,
};

const NODES: &str = "[[node]]\nname = \"n[1-2]\"\navailable = { ncpus = 8, mem = \"16gb\" }\n";
const NOW: &str = "now = 1763700000\n";

/// Returns a cluster of two nodes with this queue file.
fn queue(text: &str) -> Snapshot {
    cluster(NODES, text, "")
}

fn cluster(nodes: &str, queue: &str, policy: &str) -> Snapshot {
    let queue = format!("{NOW}{queue}");
    read(Some(nodes), Some(&queue), Some(policy), None, "test")
        .unwrap_or_else(|reported| panic!("{reported:#?}"))
}

/// Returns the only error about a queue file that starts at line 2.
fn queue_error(text: &str) -> String {
    let queue = format!("{NOW}{text}");
    only(read(Some(NODES), Some(&queue), None, None, "test"))
}

fn node_error(text: &str) -> String {
    only(read(Some(text), Some(NOW), None, None, "test"))
}

fn policy_error(text: &str) -> String {
    only(read(Some(NODES), Some(NOW), Some(text), None, "test"))
}

fn only(result: Result<Snapshot, Vec<Diagnostic>>) -> String {
    let reported = result.map(|_| ()).unwrap_err();
    let errors: Vec<_> = reported.iter().filter(|d| d.severity == Severity::Error).collect();
    assert_eq!(errors.len(), 1, "{reported:#?}");
    errors[0].to_string()
}

fn warnings(snap: &Snapshot) -> Vec<&str> {
    let warnings = snap.diagnostics.iter().filter(|d| d.severity == Severity::Warning);
    warnings.map(|d| d.code).collect()
}

/// Returns the amount of a resource in a list.
fn amount(snap: &Snapshot, list: &qscope_engine::cluster::ResourceList, name: &str) -> f64 {
    list.amount(snap.catalogue.id(name).unwrap()).map_or(f64::NAN, |amount| amount.0)
}

#[test]
fn the_samples_load_without_a_word() {
    let policies = [
        None,
        Some(include_str!("../../../samples/sets-8/policy.toml")),
        Some(include_str!("../../../samples/sets-36/policy.toml")),
    ];
    let nodes = [
        include_str!("../../../samples/chunks-12-24/nodes.toml"),
        include_str!("../../../samples/sets-8/nodes.toml"),
        include_str!("../../../samples/sets-36/nodes.toml"),
    ];
    let queues = [
        include_str!("../../../samples/chunks-12-24/queue.toml"),
        include_str!("../../../samples/sets-8/queue.toml"),
        include_str!("../../../samples/sets-36/queue.toml"),
    ];
    for (at, (count, jobs)) in [(4, 3), (8, 6), (36, 6)].into_iter().enumerate() {
        let snap = read(Some(nodes[at]), Some(queues[at]), policies[at], None, "sample").unwrap();
        assert_eq!((snap.nodes.len(), snap.jobs.len()), (count, jobs));
        assert_eq!(warnings(&snap), [""; 0]);
    }
    let snap = read(Some(nodes[2]), Some(queues[2]), policies[2], None, "sample").unwrap();
    let node = &snap.nodes[snap.node_named("vn50").unwrap()];
    let router = node.available.get(snap.catalogue.id("router").unwrap()).unwrap();
    assert_eq!(router.texts(), ["rt3".into(), "rt1".into()]);
    assert!(snap.server.node_group_enable && snap.scheduler.do_not_span_psets);
    assert_eq!(snap.server.node_group_key.len(), 2);
}

#[test]
fn the_shortest_cluster_has_all_that_a_server_adds() {
    let snap = queue("[[job]]\nid = \"1\"\nselect = \"2:mem=1gb+1:ncpus=4\"\n");
    let job = &snap.jobs[snap.job_named("1").unwrap()];
    assert_eq!(&*job.select.as_ref().unwrap().text, "2:mem=1gb:ncpus=1+1:ncpus=4");
    assert_eq!(amount(&snap, &job.requested, "ncpus"), 6.0);
    assert_eq!(amount(&snap, &job.requested, "mem"), 2_097_152.0);
    assert_eq!(amount(&snap, &job.requested, "nodect"), 3.0);
    assert_eq!((&*job.queue, job.sequence, job.state), ("workq", 1, JobState::Queued));
    assert_eq!(job.queued, Some(Epoch(1_763_700_000)));
    let node = &snap.nodes[snap.node_named("n2").unwrap()];
    assert_eq!(node.available.get(ResourceId::host()).unwrap().texts(), ["n2".into()]);
    assert_eq!(node.available.get(ResourceId::vnode()).unwrap().texts(), ["n2".into()]);
    assert!(!snap.policy.assumed && !snap.server.assumed && !snap.scheduler.assumed);
    assert_eq!(snap.policy.resources, qscope_engine::cluster::Policy::as_shipped().resources);
    assert_eq!(warnings(&snap), [""; 0]);
    assert_eq!(snap.diagnostics[0].severity, Severity::Note);
}

#[test]
fn every_node_key() {
    let text = "[[node]]\nname = \"a\"\nstate = [\"offline\", \"down\"]\nqueue = \"workq\"\npriority = -3\n\
        sharing = \"force_excl\"\navailable = { ncpus = 4, fast = true, sw = [\"x\", \"y\"], bw = 1.5 }\n\
        assigned = { ncpus = 1 }\nlicense = \"c1\"\npartition = \"p\"\nmax_running = 1\nmax_user_run = 2\n\
        max_group_run = 3\nno_multinode_jobs = true\nresv_enable = false\nprovision_enable = true\n\
        current_aoe = \"os\"\ncurrent_eoe = \"low\"\nlast_used = \"-01:00:00\"\ncomment = \"dusty\"\nload = 1\n\
        speed = 1.5\nprocspeed = 2400\nslot = 7\nfeatures = [\"FAST\"]\nusage = 50.0\n\
        priorityf = \"LOAD\"\nmom = \"m\"\nhost = \"h\"\n";
    let snap = cluster(text, "", "");
    let n = &snap.nodes[snap.node_named("a").unwrap()];
    assert_eq!(n.states.to_string(), "down,offline");
    assert_eq!((n.queue.as_deref(), n.priority, n.sharing), (Some("workq"), Some(-3), Sharing::ForceExcl));
    assert_eq!((amount(&snap, &n.available, "bw"), amount(&snap, &n.assigned, "ncpus")), (1.5, 1.0));
    assert_eq!(n.available.get(snap.catalogue.id("sw").unwrap()).unwrap().texts().len(), 2);
    assert_eq!((n.license, n.partition.as_deref()), (qscope_engine::cluster::License::Cloud, Some("p")));
    assert_eq!((n.max_running, n.max_user_run, n.max_group_run), (Some(1), Some(2), Some(3)));
    assert_eq!((n.no_multinode_jobs, n.resv_enable, n.provision_enable), (true, false, true));
    assert_eq!((n.current_aoe.as_deref(), n.current_eoe.as_deref()), (Some("os"), Some("low")));
    assert_eq!((n.last_used, n.comment.as_deref()), (Some(Epoch(1_763_696_400)), Some("dusty")));
    assert_eq!((n.extra.load, n.extra.speed, n.extra.procspeed), (Some(1.0), Some(1.5), Some(2400.0)));
    assert_eq!((n.extra.slot, n.extra.usage, n.extra.features.len()), (Some(7), Some(50.0), 1));
    assert_eq!(n.extra.priorityf.as_deref(), Some("LOAD"));
    assert_eq!((&*n.moms[0], n.available.get(ResourceId::host()).unwrap().texts()), ("m", &["h".into()][..]));
    assert!(snap.queues[snap.queue_named("workq").unwrap()].has_nodes);
}

#[test]
fn several_vnodes_on_a_host_are_marked() {
    let snap = cluster("[[node]]\nname = \"a[[[0]]\"\n", "", "");
    assert_eq!(snap.nodes.len(), 1);
    let snap = cluster("[[node]]\nname = \"a[1-2]\"\nhost = \"a\"\n[[node]]\nname = \"b\"\n", "", "");
    let marks: Vec<_> = snap.nodes.iter().map(|node| node.in_multivnode_host).collect();
    assert_eq!(marks, [Some(true), Some(true), None]);
}

#[test]
fn every_server_and_scheduler_key() {
    let policy = "zone = \"Europe/Berlin\"\n[server]\nname = \"s\"\nserver_state = \"Idle\"\nscheduling = false\n\
        default_queue = \"q\"\npbs_version = \"23\"\nresources_available = { lic = 4 }\n\
        resources_default = { ncpus = 1 }\ndefault_chunk = { ncpus = 2 }\nnode_group_enable = true\n\
        node_group_key = \"host, vnode\"\njob_sort_formula = \"ncpus\"\nbackfill_depth = 2\n\
        eligible_time_enable = true\npower_provisioning = true\nrestrict_res_to_release_on_suspend = [\"ncpus\"]\n\
        max_run = \"[u:PBS_GENERIC=3]\"\n[scheduler]\nname = \"two\"\npartition = [\"p1\", \"p2\"]\n\
        scheduling = true\nstate = \"idle\"\ncomment = \"c\"\nsched_cycle_length = \"00:10:00\"\n\
        do_not_span_psets = true\nonly_explicit_psets = true\nsched_preempt_enforce_resumption = true\n\
        preempt_targets_enable = false\njob_sort_formula = \"mem\"\njob_sort_formula_threshold = 1.5\n\
        throughput_mode = false\nopt_backfill_fuzzy = \"high\"\npreempt_queue_prio = 100\n\
        preempt_prio = \"express_queue\"\npreempt_order = \"R\"\npreempt_sort = \"min_time_since_start\"\n\
        [maui]\nPRIORITYF = \"LOAD\"\nBEFORE = 1\n";
    let snap = cluster(NODES, "", policy);
    let s = &snap.server;
    assert_eq!(
        (&*s.name, &*s.state, s.scheduling, s.default_queue.as_deref()),
        ("s", "Idle", Some(false), Some("q"))
    );
    assert_eq!((s.version.as_deref(), amount(&snap, &s.available, "lic")), (Some("23"), 4.0));
    assert_eq!((amount(&snap, &s.defaults, "ncpus"), &*s.default_chunk[0].1), (1.0, "2"));
    assert_eq!((s.node_group_enable, s.node_group_key.len(), s.backfill_depth), (true, 2, Some(2)));
    assert_eq!((s.job_sort_formula.as_deref(), s.release_on_suspend.len()), (Some("ncpus"), 1));
    assert!(s.eligible_time_enable && s.power_provisioning && s.limits.entries.len() == 1);
    let c = &snap.scheduler;
    assert_eq!(
        (&*c.name, c.partitions.len(), c.scheduling, c.state.as_deref()),
        ("two", 2, Some(true), Some("idle"))
    );
    assert_eq!((c.comment.as_deref(), c.cycle_length, c.fuzzy.0), (Some("c"), Seconds(600), Seconds(3600)));
    assert!(c.do_not_span_psets && c.only_explicit_psets && c.enforce_resumption);
    assert!(!c.preempt_targets_enable && !c.throughput_mode);
    assert_eq!((c.job_sort_formula.as_deref(), c.formula_threshold), (Some("mem"), Some(1.5)));
    assert_eq!((c.preempt_queue_prio, &*c.preempt_prio, &*c.preempt_order), (100, "express_queue", "R"));
    assert_eq!(&*c.preempt_sort, "min_time_since_start");
    assert_eq!(snap.maui, [("PRIORITYF".into(), "LOAD".into()), ("BEFORE".into(), "1".into())]);
    assert_eq!((&*snap.zone, &*snap.zone_source), ("Europe/Berlin", "policy.toml"));
}

#[test]
fn options_replace_the_shipped_ones() {
    let policy = "[sched_config]\nresources = [\"ncpus\", \"mem\"]\nby_queue = { prime = false }\n\
        node_sort_key = [\"ncpus HIGH\", \"mem LOW\"]\nsmp_cluster_dist = \"round_robin\"\n\
        fairshare_decay_factor = 0.7\nprime_spill = 01:00:00\nnode_group_sort_key = \"switch HIGH\"\n";
    let snap = cluster(NODES, "", policy);
    let p = &snap.policy;
    assert_eq!(p.resources.as_ref().unwrap().len(), 4);
    assert_eq!((p.by_queue.prime, p.by_queue.non_prime, p.preemptive_sched.prime), (false, true, true));
    assert_eq!((p.node_sort_key.prime.len(), p.smp_cluster_dist.prime), (2, SmpDist::RoundRobin));
    assert_eq!((p.fairshare.decay_factor, p.prime_spill.prime), (0.7, Seconds(3600)));
    assert!(p.node_group_sort_requested);
    assert_eq!(warnings(&snap), ["not-in-any-scheduler"]);
}

#[test]
fn resources_are_defined_or_guessed() {
    let policy =
        "[[resource]]\nname = \"gpus\"\ntype = \"long\"\nflag = \"hn\"\n[[resource]]\nname = \"soft\"\n";
    let snap = cluster("[[node]]\nname = \"a\"\navailable = { gpus = 2, scratch = \"1gb\" }\n", "", policy);
    let def = |name| snap.catalogue.def(snap.catalogue.id(name).unwrap());
    assert_eq!(
        (def("gpus").kind, def("gpus").flags.every_node, def("gpus").guessed),
        (ResourceType::Long, true, false)
    );
    assert_eq!(def("soft").kind, ResourceType::Text);
    assert_eq!(
        (def("scratch").kind, def("scratch").flags.every_node, def("scratch").guessed),
        (ResourceType::Size, true, true)
    );
}

#[test]
fn extra_adds_to_any_cluster() {
    let mut snap = queue("");
    let text = "[[node]]\nname = \"n[1-2]\"\nload = 3.0\nfeatures = [\"FAST\"]\npartition = \"p\"\n\
        [[node]]\nname = \"n2\"\nload = 1.0\nspeed = 2\nprocspeed = 2400\nslot = 1\nusage = 5\npriorityf = \"LOAD\"\n";
    apply_extra(text, &mut snap).unwrap();
    let [n1, n2] = ["n1", "n2"].map(|name| &snap.nodes[snap.node_named(name).unwrap()]);
    assert_eq!((n1.extra.load, n1.extra.speed, n1.extra.partition.as_deref()), (Some(3.0), None, Some("p")));
    assert_eq!((n2.extra.load, n2.extra.speed, n2.extra.slot), (Some(1.0), Some(2.0), Some(1)));
    assert_eq!((n2.extra.features.len(), n2.extra.usage, n2.extra.procspeed), (1, Some(5.0), Some(2400.0)));
    let reported =
        apply_extra("[[node]]\nname = \"n3\"\nload = 1\n[[node]]\nname = \"n1\"\nlaod = 2\n", &mut snap);
    let reported: Vec<String> = reported.unwrap_err().iter().map(ToString::to_string).collect();
    assert_eq!(reported[0], "extra.toml:2:8 (n3): no node is called `n3`, did you mean `n1`?");
    assert_eq!(
        reported[1],
        "extra.toml:6:1 (n1): `laod` is not a key that is known here, did you mean `load`?"
    );
}

#[test]
fn partitions_of_allocation_policies_hide_no_node() {
    let partition_under = |policy: &str| {
        let nodes = "[[node]]\nname = \"n1\"\navailable = { ncpus = 1 }\npartition = \"p\"\n";
        let snap = read(Some(nodes), Some("now = 1\n"), Some(policy), None, "t").unwrap();
        let node = &snap.nodes[snap.node_named("n1").unwrap()];
        (node.partition.clone(), node.extra.partition.clone())
    };
    let p = Some("p".into());
    assert_eq!(partition_under("[maui]\nNODEALLOCATIONPOLICY = \"CONTIGUOUS\"\n"), (None, p.clone()));
    assert_eq!(partition_under(""), (p.clone(), None));
    let served = "[scheduler]\npartition = [\"p\"]\n[maui]\nNODEALLOCATIONPOLICY = \"CONTIGUOUS\"\n";
    assert_eq!(partition_under(served), (p, None));
}

#[test]
fn now_comes_from_outside_the_file_or_inside() {
    let present = |given: Option<i64>, fallback: Option<i64>| NowSources {
        zone: None,
        given: given.map(|at| (Epoch(at), "--now".into())),
        fallback: fallback.map(|at| (Epoch(at), "mtime".into())),
    };
    let now =
        |queue, present| read_at(&TomlTexts { queue, ..TomlTexts::default() }, "t", &present).unwrap().now.0;
    assert_eq!(now(Some("now = 5"), present(Some(9), Some(1))), 9);
    assert_eq!(now(Some("now = 5"), present(None, Some(1))), 5);
    assert_eq!(now(None, present(None, Some(1))), 1);
    assert_eq!(now(Some("now = 1970-01-01T00:01:00Z"), present(None, None)), 60);
    assert_eq!(warnings(&read(None, None, None, None, "t").unwrap()), ["now-missing"]);
}

#[test]
fn a_whole_cluster_in_few_lines() {
    let nodes = "[[node]]\nname = \"n[1-8]\"\nstate = \"free\"\nqueue = \"big\"\npriority = 10\n\
        sharing = \"default_shared\"\n\
        available = { ncpus = 8, mem = \"16gb\", switch = [\"sw1\", \"sw2\"], fast = true }\n";
    let queue = "[[queue]]\nname = \"workq\"\npriority = 100\n\
        [[job]]\nid = \"12\"\nuser = \"ann\"\nqueue = \"workq\"\nselect = \"2:ncpus=4:mem=1gb:fast=true\"\n\
        place = \"scatter:excl\"\nwalltime = \"02:00:00\"\npolicy = \"FASTEST\"\nprefer = [\"FAST\"]\n\
        [[job]]\nid = \"7\"\nuser = \"bob\"\nselect = \"1:ncpus=4\"\nwalltime = \"03:00:00\"\n\
        started = \"-00:30:00\"\non = \"(n1:ncpus=4)\"\n\
        [[reservation]]\nname = \"R1\"\nstart = \"+02:00:00\"\nduration = \"01:00:00\"\non = \"(n2:ncpus=8)\"\n\
        users = [\"ann\"]\n";
    let policy = "[sched_config]\nresources = [\"ncpus\", \"mem\", \"host\", \"vnode\"]\n\
        node_sort_key = [\"sort_priority HIGH\"]\n[server]\nnode_group_enable = true\n\
        node_group_key = [\"switch\"]\n[scheduler]\ndo_not_span_psets = true\n\
        [[resource]]\nname = \"switch\"\ntype = \"string_array\"\nflag = \"h\"\n\
        [maui]\nNODEALLOCATIONPOLICY = \"PRIORITY\"\nPRIORITYF = \"SPEED + .01 * AMEM - 10 * JOBCOUNT\"\n";
    let snap = cluster(nodes, queue, policy);
    assert_eq!((snap.nodes.len(), snap.jobs.len(), snap.reservations.len()), (8, 2, 1));
    assert_eq!(warnings(&snap), ["queue-assumed"]);
    let text = &snap.jobs[snap.job_named("12").unwrap()].select.as_ref().unwrap().text;
    assert_eq!(&**text, "2:ncpus=4:mem=1gb:fast=True");
}

proptest::proptest! {
    #[test]
    fn no_text_makes_it_panic(a in "\\PC{0,80}", b in "[a-z\\[\\]=\" \n0-9.:+{}-]{0,80}") {
        for text in [&a, &b] {
            let _ = read(Some(text), Some(text), Some(text), Some(text), "t");
            let job = format!("[[job]]\nid = 1\nselect = {text:?}\nplace = {text:?}\non = {text:?}\narray = {text:?}\n");
            let _ = read(Some(NODES), Some(&job), None, None, "t");
        }
    }
}

#[test]
fn the_first_syntax_errors_are_reported_and_the_others_counted() {
    let line = format!("[[node]]\nname = \"n1\"\navailable = {{ ncpus = 8{} }}\n", "+1:ncpus=1".repeat(2000));
    let reported = read(Some(&line), Some(NOW), None, None, "t").unwrap_err();
    assert_eq!(reported.len(), 4, "{reported:#?}");
    assert!(reported[3].message.ends_with(" more errors"), "{}", reported[3].message);
}

#[test]
fn words_about_preemption_that_have_no_effect_are_warned_about() {
    let snap = cluster(NODES, "", "[scheduler]\npreempt_prio = \"bogus\"\npreempt_order = \"XYZ\"\n");
    assert_eq!(snap.reported("preempt-word").count(), 2, "{:?}", snap.diagnostics);
}
