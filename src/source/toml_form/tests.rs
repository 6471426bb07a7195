use super::*;
use crate::cluster::{
    Amount, Arrangement, JobState, LimitScope, NodeState, QueueKind, ReservationState, Seconds, Sharing,
    SmpDist, Substate,
};

const NODES: &str = "[[node]]\nname = \"n[1-2]\"\navailable = { ncpus = 8, mem = \"16gb\" }\n";
const NOW: &str = "now = 1763700000\n";

/// A cluster of two nodes and this queue file.
fn queue(text: &str) -> Snapshot {
    cluster(NODES, text, "")
}

fn cluster(nodes: &str, queue: &str, policy: &str) -> Snapshot {
    let queue = format!("{NOW}{queue}");
    read(Some(nodes), Some(&queue), Some(policy), None, "test").unwrap_or_else(|said| panic!("{said:#?}"))
}

/// The only error about a queue file that starts at line 2.
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
    let said = result.map(|_| ()).unwrap_err();
    let errors: Vec<_> = said.iter().filter(|d| d.severity == Severity::Error).collect();
    assert_eq!(errors.len(), 1, "{said:#?}");
    errors[0].to_string()
}

fn warnings(snap: &Snapshot) -> Vec<&str> {
    let warnings = snap.diagnostics.iter().filter(|d| d.severity == Severity::Warning);
    warnings.map(|d| d.code).collect()
}

/// The amount of a resource that a list holds.
fn amount(snap: &Snapshot, list: &crate::cluster::ResourceList, name: &str) -> f64 {
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
    assert_eq!(snap.policy.resources, crate::cluster::Policy::as_shipped().resources);
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
    assert_eq!((n.license, n.partition.as_deref()), (crate::cluster::License::Cloud, Some("p")));
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
fn every_queue_key() {
    let text = "[[queue]]\nname = \"big\"\nqueue_type = \"Route\"\npriority = 150\nstarted = false\n\
        enabled = false\nresources_available = { ncpus = 40 }\nresources_default = { walltime = \"01:00:00\" }\n\
        resources_min = { ncpus = 2 }\nresources_max = { ncpus = 16 }\ndefault_chunk = { ncpus = 4 }\n\
        node_group_key = [\"host\"]\nbackfill_depth = 3\npartition = \"p\"\nmax_run = \"[u:PBS_GENERIC=3]\"\n\
        max_run_soft = [\"[u:ann=1]\", \"[g:x=2]\"]\nmax_run_res.ncpus = \"[o:PBS_ALL=64]\"\n\
        max_run_res_soft = { mem = \"[p:x=4gb]\" }\nmax_running = 10\nmax_user_run = 4\nmax_group_run = 5\n\
        max_user_run_soft = 1\nmax_group_run_soft = 2\nmax_user_res = { ncpus = 8 }\n\
        max_group_res = { mem = \"1gb\" }\nmax_user_res_soft = { ncpus = 4 }\nmax_group_res_soft = { ncpus = 2 }\n";
    let snap = queue(text);
    let q = &snap.queues[snap.queue_named("big").unwrap()];
    assert_eq!((q.kind, q.priority, q.started, q.enabled), (QueueKind::Route, 150, false, false));
    assert_eq!(amount(&snap, &q.available, "ncpus"), 40.0);
    assert_eq!(amount(&snap, &q.defaults, "walltime"), 3600.0);
    assert_eq!((amount(&snap, &q.minimum, "ncpus"), amount(&snap, &q.maximum, "ncpus")), (2.0, 16.0));
    assert_eq!(q.default_chunk, [("ncpus".into(), "4".into())]);
    assert_eq!((q.node_group_key.len(), q.backfill_depth, q.partition.as_deref()), (1, Some(3), Some("p")));
    let limits = &q.limits.entries;
    assert_eq!(limits.len(), 14);
    assert_eq!((limits[0].scope, limits[0].amount, limits[0].soft), (LimitScope::User, Amount(3.0), false));
    assert_eq!((limits[1].entity.as_deref(), limits[1].soft), (Some("ann"), true));
    assert_eq!(limits[3].resource, Some(ResourceId::ncpus()));
    assert_eq!(limits[4].amount, Amount(4_194_304.0));
    assert!(limits.iter().any(|limit| limit.scope == LimitScope::Overall && limit.amount == Amount(10.0)));
}

#[test]
fn every_job_key_of_a_waiting_job() {
    let text = "[[queue]]\nname = \"q\"\n[[job]]\nid = \"12.svr\"\nname = \"sim\"\nuser = \"ann\"\ngroup = \"g\"\n\
        project = \"p\"\naccount = \"acct\"\nqueue = \"q\"\nselect = \"1:ncpus=2\"\nplace = \"scatter:excl\"\n\
        walltime = \"02:00:00\"\nmin_walltime = \"00:10:00\"\nmax_walltime = \"03:00:00\"\n\
        soft_walltime = \"01:00:00\"\nresources = { cput = \"00:30:00\", pmem = \"1gb\" }\npriority = 7\n\
        state = \"H\"\nsubstate = 21\nholds = \"uo\"\ndepend = \"afterok:1\"\nafter = \"+00:30:00\"\n\
        queued = \"-02:00:00\"\ncreated = \"-03:00:00\"\neligible = \"-01:00:00\"\neligible_time = \"00:50:00\"\n\
        comment = \"waits\"\ntopjob = true\ntopjob_ineligible = true\nrerunable = false\ncheckpointable = false\n\
        run_count = 2\naccrue_type = 2\nestimated = { start = \"+01:00:00\", on = \"(n1)\" }\n\
        policy = \"FASTEST\"\nprefer = [\"FAST\"]\nnodes = 2\ntasks_per_node = 4\nqueue_rank = 5\n\
        used = { cput = 10 }\n";
    let snap = queue(text);
    let j = &snap.jobs[snap.job_named("12").unwrap()];
    let names = [&*j.name, &*j.title, &*j.user, &*j.group, &*j.project, &*j.queue, &*j.holds];
    assert_eq!(names, ["12.svr", "sim", "ann", "g", "p", "q", "uo"]);
    assert_eq!((j.account.as_deref(), j.depend.as_deref()), (Some("acct"), Some("afterok:1")));
    assert_eq!(j.place.as_ref().unwrap().to_string(), "scatter:excl");
    let times = ["walltime", "min_walltime", "max_walltime", "soft_walltime", "cput"];
    assert_eq!(times.map(|name| amount(&snap, &j.requested, name)), [7200.0, 600.0, 10800.0, 3600.0, 1800.0]);
    assert_eq!((j.priority, j.state, j.substate), (7, JobState::Held, Substate(21)));
    let ago = |at: Option<Epoch>| at.map(|at| at.0 - 1_763_700_000);
    assert_eq!(
        [ago(j.execution_time), ago(j.queued), ago(j.created), ago(j.eligible)].map(Option::unwrap),
        [1800, -7200, -10800, -3600]
    );
    assert_eq!((j.eligible_time, j.comment.as_deref(), j.topjob), (Seconds(3000), Some("waits"), Some(true)));
    assert_eq!((j.topjob_ineligible, j.rerunable, j.checkpointable), (true, false, false));
    assert_eq!((j.run_count, j.accrue_type, j.queue_rank), (2, Some(2), Some(5)));
    assert_eq!(ago(j.estimate.as_ref().unwrap().start), Some(3600));
    assert_eq!((j.policy.as_deref(), j.prefer.len()), (Some("FASTEST"), 1));
    assert_eq!((j.nodes, j.tasks_per_node), (Some(2), Some(4)));
    assert_eq!(amount(&snap, &j.used, "cput"), 10.0);
}

#[test]
fn jobs_stand_in_line_by_time_then_by_the_file() {
    let snap = queue("[[job]]\nid = 1\n[[job]]\nid = 2\nqueued = \"-1\"\n[[job]]\nid = 3\n");
    let rank = |name| snap.jobs[snap.job_named(name).unwrap()].queue_rank.unwrap();
    assert!(rank("2") < rank("1") && rank("1") < rank("3"));
}

#[test]
fn a_job_without_select_asks_for_one_packed_chunk() {
    let snap = queue("[[job]]\nid = 1\nresources = { ncpus = 3, mem = \"2gb\" }\n[[job]]\nid = 2\n");
    let job = &snap.jobs[snap.job_named("1").unwrap()];
    assert_eq!(&*job.select.as_ref().unwrap().text, "1:mem=2gb:ncpus=3");
    assert_eq!(job.place.as_ref().unwrap().arrangement, Arrangement::Pack);
    let job = &snap.jobs[snap.job_named("2").unwrap()];
    assert_eq!(&*job.select.as_ref().unwrap().text, "1:ncpus=1");
}

#[test]
fn defaults_of_queue_and_server_reach_the_job() {
    let policy = "[server]\nresources_default = { walltime = \"05:00:00\", cput = 60 }\ndefault_chunk = { mem = \"1gb\" }\n";
    let text = "[[queue]]\nname = \"workq\"\nresources_default = { walltime = \"01:00:00\" }\n\
        default_chunk = { ncpus = 2 }\n[[job]]\nid = 1\nselect = \"2\"\n";
    let snap = cluster(NODES, text, policy);
    let job = &snap.jobs[snap.job_named("1").unwrap()];
    assert_eq!(&*job.select.as_ref().unwrap().text, "2:ncpus=2:mem=1gb");
    assert_eq!(amount(&snap, &job.requested, "walltime"), 3600.0);
    assert_eq!(amount(&snap, &job.requested, "cput"), 60.0);
}

#[test]
fn running_jobs_take_their_nodes() {
    let text = "[[job]]\nid = 7\nselect = \"1:ncpus=4:mem=1gb\"\nstarted = \"-00:30:00\"\n\
        on = \"(n1:ncpus=4:mem=1gb)\"\n[[job]]\nid = 8\nselect = \"1:ncpus=4\"\non = \"n1\"\n\
        [[job]]\nid = 9\nselect = \"1:ncpus=2\"\nplace = \"excl\"\non = \"(n2:ncpus=2)\"\n\
        [[job]]\nid = 10\nstate = \"S\"\nselect = \"1:ncpus=2\"\non = \"(n2:ncpus=2)\"\n";
    let snap = queue(text);
    let [n1, n2] = ["n1", "n2"].map(|name| &snap.nodes[snap.node_named(name).unwrap()]);
    assert_eq!((n1.states.to_string(), n2.states.to_string()), ("job-busy".into(), "job-exclusive".into()));
    assert_eq!(n1.jobs, ["7".into(), "8".into()]);
    assert_eq!(n2.jobs, ["9".into()]);
    assert_eq!(
        (amount(&snap, &n1.assigned, "ncpus"), amount(&snap, &n1.assigned, "mem")),
        (8.0, 1_048_576.0)
    );
    let seven = &snap.jobs[snap.job_named("7").unwrap()];
    assert_eq!(
        (seven.state, seven.substate, seven.started),
        (JobState::Running, Substate(42), Some(Epoch(1_763_698_200)))
    );
    assert_eq!(amount(&snap, &seven.used, "walltime"), 1800.0);
    assert_eq!(amount(&snap, &snap.server.assigned, "ncpus"), 10.0);
    assert_eq!(amount(&snap, &snap.queues[snap.queue_named("workq").unwrap()].assigned, "nodect"), 3.0);
    assert_eq!(snap.jobs[snap.job_named("10").unwrap()].substate, Substate::SCHED_SUSPENDED);
}

#[test]
fn a_whole_host_is_taken_at_once() {
    let nodes = "[[node]]\nname = \"a[1-2]\"\nhost = \"a\"\navailable = { ncpus = 4 }\n";
    let text = "[[job]]\nid = 1\nselect = \"1:ncpus=1\"\nplace = \"exclhost\"\non = \"(a1:ncpus=1)\"\n";
    let snap = cluster(nodes, text, "");
    assert!(snap.nodes.iter().all(|node| node.states.has(NodeState::JobExclusive)));
}

#[test]
fn too_much_on_a_node_is_a_warning() {
    let snap = queue("[[job]]\nid = 1\nselect = \"1:ncpus=9\"\non = \"(n1:ncpus=9)\"\n");
    assert_eq!(warnings(&snap), ["overfull-node"]);
    assert!(snap.diagnostics[0].message.contains("n1 has 8 of ncpus, but 9 are taken now"));
}

#[test]
fn shared_resources_are_counted_where_they_live() {
    let nodes = "[[node]]\nname = \"a\"\navailable = { ncpus = 4, lic = 10 }\n\
        [[node]]\nname = \"b\"\navailable = { ncpus = 4, lic = \"@a\" }\n";
    let text = "[[job]]\nid = 1\nselect = \"1:ncpus=1:lic=3\"\non = \"(b:ncpus=1:lic=3)\"\n";
    let snap = cluster(nodes, text, "");
    assert_eq!(amount(&snap, &snap.nodes[snap.node_named("a").unwrap()].assigned, "lic"), 3.0);
    assert_eq!(warnings(&snap), ["resource-ignored"]);
}

#[test]
fn arrays_know_their_subjobs() {
    let text = "[[job]]\nid = \"12[]\"\nselect = \"1:ncpus=1\"\narray = \"1-6:2\"\nmax_run_subjobs = 2\n\
        [[job]]\nid = \"12[3]\"\nselect = \"1:ncpus=1\"\non = \"(n1:ncpus=1)\"\n[[job]]\nid = \"13[1]\"\n";
    let snap = queue(text);
    let parent = &snap.jobs[snap.job_named("12[]").unwrap()];
    let info = parent.array.as_ref().unwrap();
    assert_eq!((&info.remaining[..], info.max_run_subjobs, info.running), (&[1, 5][..], Some(2), Some(1)));
    assert_eq!(parent.state, JobState::Begun);
    let child = snap.jobs[snap.job_named("12[3]").unwrap()].array.as_ref().unwrap();
    assert_eq!((child.parent.as_deref(), child.index), (Some("12[]"), Some(3)));
    assert_eq!(warnings(&snap), ["subjob-without-array"]);
}

#[test]
fn reservations_have_queues_and_nodes() {
    let text = "[[reservation]]\nname = \"R1\"\nstart = \"+02:00:00\"\nduration = \"01:00:00\"\n\
        on = \"(n2:ncpus=8)\"\nusers = [\"ann\"]\n\
        [[reservation]]\nname = \"R2.svr\"\nstart = \"-01:00:00\"\nend = \"+01:00:00\"\nplace = \"excl\"\n\
        select = \"1:ncpus=4\"\non = \"(n1:ncpus=4)\"\nowner = \"bob\"\nqueue = \"R2\"\npartition = \"p\"\n\
        [[reservation]]\nname = \"R3\"\nend = \"+03:00:00\"\nduration = 3600\nselect = \"1:ncpus=4\"\nretry = \"+1\"\n\
        [[job]]\nid = 1\nreservation = \"R2.svr\"\nselect = \"1:ncpus=2\"\non = \"(n1:ncpus=2)\"\n";
    let snap = queue(text);
    let resv: Vec<_> = snap.reservations.iter().collect();
    let states: Vec<_> = resv.iter().map(|resv| resv.state).collect();
    use ReservationState as S;
    assert_eq!(states, [S::Confirmed, S::Running, S::Unconfirmed]);
    assert_eq!((resv[0].start, resv[0].end), (Some(Epoch(1_763_707_200)), Some(Epoch(1_763_710_800))));
    assert_eq!((&*resv[0].owner, resv[0].queue.as_deref()), ("ann", Some("R1")));
    assert_eq!(&*resv[0].select.as_ref().unwrap().text, "1:ncpus=8");
    assert_eq!(amount(&snap, &resv[0].requested, "ncpus"), 8.0);
    assert_eq!((&*resv[1].owner, resv[1].partition.as_deref()), ("bob", Some("p")));
    assert_eq!((resv[2].start, resv[2].retry), (Some(Epoch(1_763_707_200)), Some(Epoch(1_763_700_001))));
    let [n1, n2] = ["n1", "n2"].map(|name| &snap.nodes[snap.node_named(name).unwrap()]);
    assert_eq!(n2.reservations, ["R1".into()]);
    assert_eq!(n1.states.to_string(), "resv-exclusive");
    assert_eq!((amount(&snap, &n1.assigned, "ncpus"), n1.jobs.len()), (4.0, 1));
    let job = &snap.jobs[snap.job_named("1").unwrap()];
    assert_eq!((&*job.queue, job.reservation.as_deref()), ("R2", Some("R2.svr")));
    assert!(snap.queue_named("R1").is_some());
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
    assert!(p.node_group_sort_asked);
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
        (Kind::Long, true, false)
    );
    assert_eq!(def("soft").kind, Kind::Text);
    assert_eq!(
        (def("scratch").kind, def("scratch").flags.every_node, def("scratch").guessed),
        (Kind::Size, true, true)
    );
}

#[test]
fn extra_adds_to_any_cluster() {
    let mut snap = queue("");
    let text = "[[node]]\nname = \"n[1-2]\"\nload = 3.0\nfeatures = [\"FAST\"]\npartition = \"p\"\n\
        [[node]]\nname = \"n2\"\nload = 1.0\nspeed = 2\nprocspeed = 2400\nslot = 1\nusage = 5\npriorityf = \"LOAD\"\n";
    apply_extra(text, &mut snap).unwrap();
    let [n1, n2] = ["n1", "n2"].map(|name| &snap.nodes[snap.node_named(name).unwrap()]);
    assert_eq!((n1.extra.load, n1.extra.speed, n1.partition.as_deref()), (Some(3.0), None, Some("p")));
    assert_eq!((n2.extra.load, n2.extra.speed, n2.extra.slot), (Some(1.0), Some(2.0), Some(1)));
    assert_eq!((n2.extra.features.len(), n2.extra.usage, n2.extra.procspeed), (1, Some(5.0), Some(2400.0)));
    let said =
        apply_extra("[[node]]\nname = \"n3\"\nload = 1\n[[node]]\nname = \"n1\"\nlaod = 2\n", &mut snap);
    let said: Vec<String> = said.unwrap_err().iter().map(ToString::to_string).collect();
    assert_eq!(said[0], "extra.toml:2:8 (n3): no node is called `n3`, did you mean `n1`?");
    assert_eq!(said[1], "extra.toml:6:1 (n1): `laod` is not a key that is known here, did you mean `load`?");
}

#[test]
fn now_comes_from_outside_the_file_or_inside() {
    let present = |given: Option<i64>, fallback: Option<i64>| Present {
        zone: None,
        given: given.map(|at| (Epoch(at), "--now".into())),
        fallback: fallback.map(|at| (Epoch(at), "mtime".into())),
    };
    let now = |queue, present| read_at(&Texts { queue, ..Texts::default() }, "t", &present).unwrap().now.0;
    assert_eq!(now(Some("now = 5"), present(Some(9), Some(1))), 9);
    assert_eq!(now(Some("now = 5"), present(None, Some(1))), 5);
    assert_eq!(now(None, present(None, Some(1))), 1);
    assert_eq!(now(Some("now = 1970-01-01T00:01:00Z"), present(None, None)), 60);
    assert_eq!(warnings(&read(None, None, None, None, "t").unwrap()), ["now-missing"]);
}

#[test]
fn errors_name_file_line_and_column() {
    assert_eq!(
        queue_error("[[job]]\nid = \"1\"\n  qeueu = \"x\"\n"),
        "queue.toml:4:3 (1): `qeueu` is not a key that is known here, did you mean `queue`?"
    );
    assert_eq!(
        queue_error("[[job]]\nid = \"1\"\nselect = \"1:ncpu=1\"\n"),
        "queue.toml:4:10 (1): no resource is called `ncpu`, did you mean `ncpus`?"
    );
    assert!(queue_error("[[job\n").starts_with("queue.toml:2:"));
}

#[test]
fn all_errors_are_collected() {
    let text = format!(
        "{NOW}[[job]]\nid = 1\nselect = \"x\"\nplace = \"here\"\nwhat = 1\n[[job]]\nuser = \"ann\"\n"
    );
    let said =
        read(Some("[[node]]\nname = \"n[\"\n"), Some(&text), Some("[servre]\n"), None, "t").unwrap_err();
    assert_eq!(said.iter().filter(|d| d.severity == Severity::Error).count(), 6, "{said:#?}");
}

#[test]
fn each_error_of_a_queue_file() {
    let resv = "[[reservation]]\nname = \"R1\"\n";
    for (text, expected) in [
        ("job = 3\n", "`job` is no list of tables; expected `[[job]]`"),
        ("job = [3]\n", "an element of `job` is no table"),
        ("[[job]]\nuser = \"a\"\n", "a job needs an `id`"),
        ("[[job]]\nid = 1\n[[job]]\nid = 1\n", "two jobs called `1`"),
        ("[[job]]\nid = {}\n", "`id` is `a table`; expected a text"),
        ("[[job]]\nid = 1\nwalltime = \"long\"\n", "`walltime` is `long`; expected a duration"),
        ("[[job]]\nid = 1\npriority = \"x\"\n", "expected a whole number"),
        ("[[job]]\nid = 1\nnodes = -1\n", "expected a whole number that is not negative"),
        ("[[job]]\nid = 1\ntopjob = 3\n", "expected true or false"),
        ("[[job]]\nid = 1\nprefer = {}\n", "expected a list of texts"),
        ("[[job]]\nid = 1\nqueued = \"soon\"\n", "expected epoch seconds, a date"),
        ("[[job]]\nid = 1\nselect = \"1:ncpus\"\n", "expected `=` and a value"),
        ("[[job]]\nid = 1\nselect = \"1:ncpus=x\"\n", "`ncpus`: `x` is not a number"),
        ("[[job]]\nid = 1\nplace = \"near\"\n", "`near` is not a place word"),
        ("[[job]]\nid = 1\nstate = \"Z\"\n", "expected one letter of Q R"),
        ("[[job]]\nid = 1\nstate = \"R\"\n", "a running job needs `on`"),
        ("[[job]]\nid = 1\non = \"(n1\"\n", "a parenthesis is never closed"),
        ("[[job]]\nid = 1\non = \"(n9:ncpus=1)\"\n", "no node is called `n9`, did you mean `n1`?"),
        ("[[job]]\nid = 1\narray = \"1-\"\n", "no range such as 1-6"),
        ("[[job]]\nid = 1\npolicy = \"FASTER\"\n", "expected FIRSTAVAILABLE"),
        ("[[job]]\nid = 1\nreservation = \"R9\"\n", "no reservation is called `R9`"),
        ("[[job]]\nid = 1\nresources = { waltime = 1 }\n", "did you mean `walltime`?"),
        ("[[job]]\nid = 1\nresources = 3\n", "no table of resources"),
        ("[[job]]\nid = 1\nresources = { ncpus = \"x\" }\n", "`ncpus`: `x` is not a number"),
        ("[[job]]\nid = 1\nestimated = 3\n", "`estimated` is no table"),
        ("[[queue]]\npriority = 1\n", "a queue needs a `name`"),
        ("[[queue]]\nname = \"a\"\n[[queue]]\nname = \"a\"\n", "two queues called `a`"),
        ("[[queue]]\nname = \"a\"\nqueue_type = \"x\"\n", "expected Execution or Route"),
        ("[[queue]]\nname = \"a\"\nmax_run = \"3\"\n", "expected u:, g:, p: or o:"),
        ("[[queue]]\nname = \"a\"\nmax_run_res.ncpu = \"x\"\n", "did you mean `ncpus`?"),
        ("[[queue]]\nname = \"a\"\nmax_user_res.ncpus = \"x\"\n", "`max_user_res`: `x` is not a number"),
        ("[[queue]]\nname = \"a\"\navailable = { ncpus = \"x\" }\n", "`x` is not a number"),
        ("[[queue]]\nname = \"a\"\navailable = { ncpus = {} }\n", "`ncpus` is a table; expected a value"),
        ("[[reservation]]\nstart = 3\n", "a reservation needs a `name`"),
        (&format!("{resv}select = \"1:ncpus=1\"\n"), "needs `start` and `duration`"),
        (&format!("{resv}start = 1\nduration = 5\n"), "needs `on` or `select`"),
        (&format!("{resv}start = 9\nend = 1\nselect = \"1:ncpus=1\"\n"), "disagree"),
        (&format!("{resv}start = \"+1\"\nduration = 5\non = \"(x:ncpus=1)\"\n"), "no node is called `x`"),
        (&format!("{resv}start = 1\nduration = 5\non = \"(x\"\nselect = \"1:ncpus=1\"\n"), "never closed"),
        (&format!("{resv}start = 1\nduration = 5\nselect = \"1:\"\n"), "expected a resource name"),
        (&format!("{resv}start = 1\nduration = 5\nselect = \"1\"\nplace = \"x\"\n"), "not a place word"),
        (&format!("{resv}start = 1\nduration = 5\nselect = \"1\"\nstate = \"x\"\n"), "RESV_CONFIRMED"),
    ] {
        let said = queue_error(text);
        assert!(said.contains(expected), "{text}\n{said}");
    }
}

#[test]
fn each_error_of_nodes_and_policy() {
    for (text, expected) in [
        ("[[node]]\nload = 1\n", "a node needs a `name`"),
        ("[[node]]\nname = \"n[2-1]\"\n", "cannot be expanded: the range `2-1` goes backwards"),
        ("[[node]]\nname = \"a\"\n[[node]]\nname = \"a\"\n", "two nodes called `a`"),
        ("[[node]]\nname = \"a\"\nstate = \"ofline\"\n", "did you mean `offline`?"),
        ("[[node]]\nname = \"a\"\nsharing = \"x\"\n", "expected default_shared"),
        ("[[node]]\nname = \"a\"\nload = \"x\"\n", "`load` is `x`; expected a number"),
        ("nodes = 3\n", "did you mean `node`?"),
    ] {
        let said = node_error(text);
        assert!(said.starts_with("nodes.toml:") && said.contains(expected), "{text}\n{said}");
    }
    for (text, expected) in [
        ("zone = \"Mars\"\n", "expected a time zone"),
        ("[sched_config]\nby_qeue = true\n", "did you mean `by_queue`?"),
        ("[sched_config]\nby_queue = 3\n", "expected true or false"),
        ("[sched_config]\nby_queue = { day = true }\n", "`day` is no period of `by_queue`"),
        ("[sched_config]\nby_queue = { prime = {} }\n", "`by_queue` is a table; expected a value"),
        ("[server]\nbackfil_depth = 1\n", "did you mean `backfill_depth`?"),
        ("[scheduler]\nopt_backfill_fuzzy = \"x\"\n", "expected off, low"),
        ("[[resource]]\ntype = \"long\"\n", "a resource needs a `name`"),
        ("[[resource]]\nname = \"a\"\ntype = \"int\"\n", "expected boolean, long"),
        ("[[resource]]\nname = \"a\"\nflag = \"z\"\n", "expected letters out of"),
        ("[maui]\nX = {}\n", "`X` is a table; expected a value"),
        ("server = 3\n", "`server` is no table"),
    ] {
        let said = policy_error(text);
        assert!(said.starts_with("policy.toml:") && said.contains(expected), "{text}\n{said}");
    }
}

#[test]
fn each_warning() {
    for (text, policy, expected) in [
        ("[[job]]\nid = 1\nqueue = \"far\"\n", "", "queue-assumed"),
        (
            "[[reservation]]\nname = \"R1\"\nstart = 1\nduration = 5\non = \"(n1:ncpus=1)\"\n",
            "",
            "reservation-over",
        ),
        ("", "[server]\nnode_group_key = \"host\"\n", "node-group-off"),
        ("", "[[resource]]\nname = \"mem\"\ntype = \"size\"\n", "built-in-resource"),
        ("", "[sched_config]\nhalf_life = 3\n", "obsolete-option"),
        (
            "",
            "[sched_config]\nsmp_cluster_dist = \"round_robin\"\nnode_sort_key = \"mem LOW unused\"\n",
            "smp-cluster-dist",
        ),
    ] {
        assert_eq!(warnings(&cluster(NODES, text, policy)), [expected]);
    }
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
