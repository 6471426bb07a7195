//! Queues and jobs: their keys, order and requests, and the effects of running jobs.

use super::*;

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
