//! Claims of answers agree with the cycle: nodes that would start jobs do start them, what the server refuses runs
//! nowhere, and an offered change is the one that was tried.

use std::ops::ControlFlow;
use std::sync::Arc;

use qscope::cluster::Edit;
use qscope::cycle::{Run, run_cycle};
use qscope::explain::{
    ChunkFits, JobTurn, Tier, added_nodes_effects, as_text, board, causes, chunk_fits, find_blockers,
    forecast, more_nodes, on_node, remedies, why_node, why_not_here,
};
use qscope::session::query::Query;
use qscope::session::records::{JobReasons, JobRecord, job_fields};
use qscope::session::{Generation, ask_what_if};
use qscope::simulate::runtimes::RuntimeRatios;
use qscope::simulate::start_distribution::{SamplingOptions, starts};
use qscope::simulate::{SimulationFiles, SimulationInput};
use qscope::source::{Files, LoadOptions, load};
use qscope::universe::Quirks;

use crate::console_cycle::read;
use crate::real;

/// Runs the cycle over what a live server printed before one of its cycles.
fn live(name: &str) -> Arc<Generation> {
    let case = real::named(name);
    let root = case.on_disk();
    read(&root.path().join("before"), 1)
}

/// Runs the cycle over small files.
pub(crate) fn made(policy: &str, nodes: &str, queue: &str) -> Arc<Run> {
    let mut files = Files::new("small");
    files.insert("policy.toml", policy.to_owned(), None);
    files.insert("nodes.toml", nodes.to_owned(), None);
    files.insert("queue.toml", format!("now = 1763700000\n{queue}"), None);
    let snapshot = load(&files, &LoadOptions::default()).unwrap();
    Arc::new(run_cycle(Arc::new(snapshot), Quirks::default()))
}

/// Returns how many starts of a job the server accepts.
fn starts_of(run: &Run, job: &str) -> usize {
    let id = run.plan.snap.job_named(job).unwrap();
    run.starts().filter(|outcome| outcome.job == id).count()
}

#[test]
fn nodes_that_would_start_jobs_start_them() {
    let mut claims = 0;
    for case in ["c02", "c04", "c06", "c13"] {
        let generation = live(case);
        let (run, snap) = (&generation.run, &generation.snapshot);
        for claim in added_nodes_effects(run) {
            let edits = more_nodes(snap, &snap.nodes[claim.model], claim.nodes);
            let grown = run.over(Arc::new(snap.with(&edits)));
            let more = |name: &str| starts_of(&grown, name).saturating_sub(starts_of(run, name));
            let more: Vec<usize> = snap.jobs.iter().map(|job| more(&job.name)).collect();
            assert_eq!(more.iter().filter(|more| **more > 0).count(), claim.starts, "{case} {claim:?}");
            for name in &claim.displaced_jobs {
                assert!(starts_of(&grown, name) < starts_of(run, name), "{case} {name}");
            }
            claims += 1;
        }
    }
    assert!(claims > 3);
    assert!(added_nodes_effects(&live("c06").run).is_empty(), "limits stop what waits there");
    // One node of 16 cpus starts 16 subjobs of the 620 that wait.
    let found = added_nodes_effects(&live("c13").run);
    let first = found.first().unwrap();
    assert_eq!((first.nodes, first.starts, first.subjobs), (1, 1, 16));
    assert!(first.share < 0.05, "{first:?}");
    let text = first.words(&live("c13").snapshot);
    assert!(text.contains("would start 1 job (16 more subjobs of arrays)"), "{text}");
}

#[test]
fn no_vnode_alone_decides_whether_a_chunk_fits_on_its_host() {
    let fits = |case: &str, job: &str| {
        let generation = live(case);
        let job = generation.snapshot.job_named(job).unwrap();
        chunk_fits(&mut JobTurn::new(&generation.run, job).unwrap())
    };
    assert_eq!(fits("c04", "60.pbs01").len(), 1);
    // It starts, on several vnodes of one host, none of which holds its chunk.
    let generation = live("c14");
    let job = generation.snapshot.jobs.iter().find(|job| job.short_name() == "195").unwrap();
    assert!(generation.run.starts().any(|outcome| *outcome.name(&generation.snapshot) == *job.name));
    assert!(fits("c14", &job.name).is_empty());
}

/// For its jobs, a node of a running reservation has what is left of the reservation, not of the cluster.
#[test]
fn jobs_of_a_reservation_find_what_is_left_of_it() {
    let generation = live("c05");
    let (run, snap) = (&generation.run, &generation.snapshot);
    let fits = |job: &str| {
        let job = snap.job_named(job).unwrap();
        chunk_fits(&mut JobTurn::new(run, job).unwrap()).first().map(ChunkFits::words)
    };
    // Both nodes of R71 at the first turn; then 75 takes half of one and 76 all of the other.
    assert_eq!(fits("75.pbs01").unwrap(), "fits 2 of 2 nodes when free, 2 now");
    assert_eq!(fits("77.pbs01").unwrap(), "fits 2 of 2 nodes when free, 1 now");
    let node = why_node(run, snap.node_named("cn006").unwrap());
    assert!(node.could.contains(&"77.pbs01".to_owned()), "{node:?}");
    assert!(node.refusals.iter().all(|one| !one.sample.contains(&"77.pbs01".to_owned())), "{node:?}");
}

#[test]
fn what_the_server_refuses_runs_nowhere() {
    let generation = live("c02");
    let (run, snap) = (&generation.run, &generation.snapshot);
    let node = why_node(run, snap.node_named("cn025").unwrap());
    assert_eq!((node.state.as_str(), &*node.refused), ("free", &["40.pbs01".to_owned()][..]));
    assert!(node.left.iter().all(|left| left.left == left.total), "{:?}", node.left);
    // The node that both were given stays with the first.
    let shared = why_node(run, snap.node_named("cn026").unwrap());
    assert_eq!(shared.state, "job-exclusive");
    let turn = JobTurn::new(run, snap.job_named("37.pbs01").unwrap()).unwrap();
    let ends = find_blockers(&turn, &causes(run, turn.job)).ends;
    assert!(ends.iter().any(|end| end.who == "41.pbs01"), "{ends:?}");
    assert!(ends.iter().all(|end| end.who != "40.pbs01"), "{ends:?}");
    // A filter finds it under its own word, and among what waits.
    let refused = run.outcomes().find(|outcome| run.is_refused(outcome)).unwrap();
    let fields = job_fields(&snap.catalogue);
    for (text, fits) in
        [("verdict=refused", true), ("verdict=wait", true), ("verdict=run", false), ("verdict=never", false)]
    {
        assert_eq!(Query::parse(text, &fields).unwrap().fits(&JobRecord::of(run, refused)), fits, "{text}");
    }
}

#[test]
fn who_took_nodes_only_in_the_books_is_told() {
    let run = &live("c12").run;
    let found = causes(run, run.plan.snap.job_named("144.pbs01").unwrap());
    let taken = found.iter().find(|cause| cause.kind == "overtaken").unwrap();
    let note = "142 in the cycle's books only: the server refuses it";
    assert!(taken.notes.iter().any(|text| text == note), "{taken:?}");
}

#[test]
fn the_first_start_is_the_same_simulated_and_run_forward() {
    for (name, jobs) in [("c04", &["54.pbs01"][..]), ("c08", &["108.pbs01", "110.pbs01"][..])] {
        let case = real::named(name);
        let root = case.on_disk();
        let how = LoadOptions::default();
        let start = SimulationFiles::folder(&root.path().join("before")).unwrap();
        let input = SimulationInput::read(&start, &how).unwrap();
        let run = &live(name).run;
        let ratios = RuntimeRatios::of(&[]);
        let sampling = SamplingOptions {
            ratios: &ratios,
            days: None,
            seed: 1,
            runs: 1,
            threads: 1,
            quirks: Quirks::default(),
        };
        for job in jobs {
            let simulated = starts(&input, &[(*job).into()], &sampling, &|_| true);
            let id = run.plan.snap.job_named(job).unwrap();
            let forward = forecast(run, id, &mut |_| ControlFlow::Continue(())).unwrap();
            assert_eq!(simulated.starts[0][0], forward.start, "{job}");
        }
    }
}

#[test]
fn a_queue_for_dedicated_time_waits_for_dedicated_time() {
    let policy = "[sched_config]\ndedicated_prefix = \"ded\"\n";
    let nodes = "[[node]]\nname = \"n1\"\navailable = { ncpus = 4 }\n";
    let queue = "[[queue]]\nname = \"ded_exam\"\n[[job]]\nid = \"1\"\nqueue = \"ded_exam\"\nselect = \"1:ncpus=1\"\n\
        walltime = \"01:00:00\"\n";
    let mut files = Files::new("small");
    files.insert("policy.toml", policy.to_owned(), None);
    files.insert("nodes.toml", nodes.to_owned(), None);
    files.insert("queue.toml", format!("now = 1763700000\n{queue}"), None);
    // Prime time changes, which opens no queue for dedicated time.
    files.insert(
        "holidays",
        "YEAR 2025\nweekday 0900 1700\nsaturday none all\nsunday none all\n".to_owned(),
        None,
    );
    let snapshot = load(&files, &LoadOptions::default()).unwrap();
    let run = Arc::new(run_cycle(Arc::new(snapshot), Quirks::default()));
    let found = causes(&run, run.plan.snap.job_named("1").unwrap());
    let sentence = &found.first().unwrap().sentence;
    assert!(sentence.ends_with("; no dedicated time is to come"), "{sentence}");
}

/// Returns a cluster with a job that runs until the end of an hour, one planned then on both nodes, and one behind
/// it.
fn behind_a_top_job(lengths: &str) -> Arc<Run> {
    let policy = "[sched_config]\nstrict_ordering = true\n[server]\nbackfill_depth = 1\n";
    let nodes = "[[node]]\nname = \"n[1-2]\"\navailable = { ncpus = 4 }\n";
    let queue = format!(
        "[[queue]]\nname = \"workq\"\n[[job]]\nid = \"1\"\nselect = \"1:ncpus=4\"\nwalltime = \"01:00:00\"\n\
        started = \"-00:30:00\"\non = \"(n1:ncpus=4)\"\n[[job]]\nid = \"2\"\nselect = \"2:ncpus=4\"\n\
        walltime = \"01:00:00\"\n[[job]]\nid = \"3\"\nselect = \"1:ncpus=4\"\n{lengths}"
    );
    made(policy, nodes, &queue)
}

#[test]
fn a_shorter_time_is_asked_for_under_the_name_that_was_tried() {
    let run = behind_a_top_job("walltime = \"72:00:00\"\nresources = { soft_walltime = \"36:00:00\" }\n");
    let job = run.plan.snap.job_named("3").unwrap();
    let cause = causes(&run, job).into_iter().next().unwrap();
    assert_eq!(cause.tier, Tier::Calendar, "{cause:?}");
    assert!(cause.sentence.starts_with("1d12h of soft_walltime"), "{}", cause.sentence);
    let found = remedies(&run, job, &mut |_| ControlFlow::Continue(()));
    let first = found
        .iter()
        .find(|remedy| remedy.change.contains("of at most") || remedy.change.contains("to at most"))
        .unwrap();
    assert_eq!(first.change, "have a manager set its soft_walltime to at most 00:30:00");
    assert!(!first.is_own, "only a manager may set it");
    // What was tried is what is named: the walltime stays.
    let Some(Edit::Job(_, edited)) = first.edits.first() else { panic!("{:?}", first.edits) };
    let hard = |job: &qscope::cluster::Job| job.requested.amount(qscope::cluster::ResourceId::walltime());
    assert_eq!(hard(edited), hard(run.plan.job(job)));
    let plain = behind_a_top_job("walltime = \"72:00:00\"\n");
    let found = remedies(&plain, job, &mut |_| ControlFlow::Continue(()));
    assert!(found.iter().any(|remedy| remedy.change == "ask for a walltime of at most 00:30:00"));
}

/// A job under the threshold of the formula starts with the lowest priority that brings it above, which its owner can
/// set.
#[test]
fn a_job_under_the_threshold_starts_with_another_priority() {
    let run = &live("c10").run;
    let job = run.plan.snap.job_meant("123").unwrap();
    let found = remedies(run, job, &mut |_| ControlFlow::Continue(()));
    let another = found.iter().find(|remedy| remedy.change.starts_with("Priority=")).unwrap();
    assert_eq!(another.change, "Priority=-108 instead of -1000 (qalter -p)");
    assert!(another.is_own, "{another:?}");
    let starts = |priority: i64| {
        let mut edits = another.edits.clone();
        let [Edit::Job(_, edited)] = &mut edits[..] else { panic!("{edits:?}") };
        edited.priority = priority;
        let again = run_cycle(Arc::new(run.plan.snap.with(&edits)), run.plan.quirks);
        again.outcomes().any(|outcome| outcome.job == job && again.is_start(outcome))
    };
    assert!(starts(-108) && !starts(-109), "{another:?}");
}

#[test]
fn jobs_stand_under_their_own_limit() {
    let generation = live("c06");
    let (run, snap) = (&generation.run, &generation.snapshot);
    let found = board(run);
    let rows: Vec<Vec<&str>> = found
        .rows
        .iter()
        .filter(|row| row.tier == Tier::Limit)
        .map(|row| row.jobs.iter().map(|job| snap.jobs[*job].short_name()).collect())
        .collect();
    for together in [&["97", "98"][..], &["94", "95"], &["101"], &["90", "91", "92"]] {
        assert!(rows.iter().any(|row| row == together), "{together:?} in {rows:?}");
    }
}

#[test]
fn a_top_job_ahead_is_named_beside_those_that_took_the_nodes() {
    let generation = live("c04");
    let (run, snap) = (&generation.run, &generation.snapshot);
    let job = snap.job_named("60.pbs01").unwrap();
    let found = causes(run, job);
    let planned = found.iter().find(|cause| cause.tier == Tier::Calendar).unwrap();
    assert_eq!(planned.objects, ["55.pbs01"]);
    // A run without the two that took the nodes shows the same.
    let held = ["58", "59"].map(|id| format!("job.{id}.job_state=H"));
    let without = ask_what_if(&generation, &held).unwrap().generation;
    let cause = causes(&without.run, job).into_iter().next().unwrap();
    assert_eq!((cause.tier, &*cause.objects), (Tier::Calendar, &["55.pbs01".to_owned()][..]));
}

#[test]
fn a_job_in_another_queue_is_the_same_offered_and_set() {
    let nodes = "[[node]]\nname = \"n1\"\navailable = { ncpus = 4, arch = \"old\" }\n\
        [[node]]\nname = \"n2\"\navailable = { ncpus = 4, arch = \"new\" }\n";
    let queue = "[[queue]]\nname = \"a\"\ndefault_chunk = { arch = \"old\" }\nmax_run = \"[o:PBS_ALL=0]\"\n\
        [[queue]]\nname = \"b\"\ndefault_chunk = { arch = \"new\" }\n\
        [[job]]\nid = \"1\"\nqueue = \"a\"\nselect = \"1:ncpus=4\"\nwalltime = \"01:00:00\"\n";
    let run = made("", nodes, queue);
    let job = run.plan.snap.job_named("1").unwrap();
    let found = remedies(&run, job, &mut |_| ControlFlow::Continue(()));
    let moved = found.iter().find(|remedy| remedy.change == "move it to queue b").unwrap();
    let Some(Edit::Job(_, edited)) = moved.edits.first() else { panic!("{:?}", moved.edits) };
    let set = qscope::source::SettingEdits::read(&["job.1.queue=b"], &run.plan.snap).unwrap();
    let Some(Edit::Job(_, same)) = set.edits().first() else { panic!("a job is set") };
    assert_eq!(edited, same);
    assert_eq!(&*same.select.as_ref().unwrap().text, "1:ncpus=4:arch=new");
}

/// Rule 2.2: a move derives the select anew from the one that was written, so that what the job itself requests
/// stays.
#[test]
fn what_a_job_requests_stays_where_its_old_queue_would_have_added_the_same() {
    let queues = "Queue: a\n    queue_type = Execution\n    enabled = True\n    started = True\n    default_chunk.ncpus = 4\n\n\
        Queue: b\n    queue_type = Execution\n    enabled = True\n    started = True\n    default_chunk.ncpus = 1\n\n";
    let moved = |written: &str, schedselect: &str| {
        let job = format!(
            "Job Id: 1.s\n    Job_Owner = ann@s\n    job_state = Q\n    queue = a\n{written}    schedselect = {schedselect}\n\n"
        );
        let mut files = qscope::source::Files::new("t");
        let nodes = "n1\n     Mom = n1\n     state = free\n     resources_available.ncpus = 4\n\n";
        for (name, text) in
            [("nodes.txt", nodes), ("jobs.txt", &*job), ("queues.txt", queues), ("now", "1763700000\n")]
        {
            files.insert(name, text.as_bytes().to_vec(), None);
        }
        let snap = qscope::source::load(&files, &qscope::source::LoadOptions::default()).unwrap();
        let set = qscope::source::SettingEdits::read(&["job.1.queue=b"], &snap).unwrap();
        let Some(Edit::Job(_, job)) = set.edits().first() else { panic!("a job is set") };
        (job.select.as_ref().unwrap().text.to_string(), set.notes().join("; "))
    };
    let own = "    Resource_List.select = 1:ncpus=4\n    Resource_List.nodect = 1\n";
    assert_eq!(moved(own, "1:ncpus=4"), ("1:ncpus=4".to_owned(), String::new()));
    let added = "    Resource_List.select = 1:mem=1gb\n    Resource_List.nodect = 1\n";
    assert_eq!(moved(added, "1:mem=1gb:ncpus=4"), ("1:mem=1gb:ncpus=1".to_owned(), String::new()));
    let (select, note) = moved("", "1:ncpus=4");
    assert_eq!(select, "1:ncpus=4");
    assert!(note.contains("job 1: ncpus kept") && note.contains("default_chunk of queue a"), "{note}");
}

#[test]
fn a_suspended_job_is_offered_nothing_that_it_cannot_take() {
    let nodes = "[[node]]\nname = \"n[1-2]\"\navailable = { ncpus = 4 }\n";
    let queue = "[[queue]]\nname = \"a\"\nmax_run = \"[o:PBS_ALL=1]\"\n[[queue]]\nname = \"b\"\n\
        [[job]]\nid = \"1\"\nqueue = \"a\"\nselect = \"1:ncpus=2\"\nwalltime = \"01:00:00\"\n\
        started = \"-00:30:00\"\non = \"(n2:ncpus=2)\"\n\
        [[job]]\nid = \"2\"\nqueue = \"a\"\nselect = \"1:ncpus=4\"\nwalltime = \"01:00:00\"\n\
        started = \"-00:40:00\"\non = \"(n1:ncpus=4)\"\n";
    let changes = |queue: &str| {
        let run = made("", nodes, queue);
        let job = run.plan.snap.job_named("2").unwrap();
        let found = remedies(&run, job, &mut |_| ControlFlow::Continue(()));
        found.into_iter().map(|remedy| remedy.change).collect::<Vec<_>>()
    };
    let raise = "raise max_run of all at queue a from 1 to 2";
    let suspended = queue.replace("started = \"-00:40:00\"", "state = \"S\"\nstarted = \"-00:40:00\"");
    assert_eq!(changes(&suspended), [raise]);
    let queued = queue.replace("started = \"-00:40:00\"\non = \"(n1:ncpus=4)\"\n", "");
    assert!(changes(&queued).contains(&"move it to queue b".to_owned()));
}

#[test]
fn a_qrun_raises_nothing_that_it_does_without() {
    let nodes = "[[node]]\nname = \"n1\"\navailable = { ncpus = 4 }\n";
    let queue = "[[queue]]\nname = \"ded_exam\"\nmax_run = \"[o:PBS_ALL=0]\"\n\
        [[job]]\nid = \"1\"\nqueue = \"ded_exam\"\nselect = \"1:ncpus=1\"\nwalltime = \"01:00:00\"\n";
    let run = made("[sched_config]\ndedicated_prefix = \"ded\"\n", nodes, queue);
    let found = remedies(&run, run.plan.snap.job_named("1").unwrap(), &mut |_| ControlFlow::Continue(()));
    let qruns: Vec<&str> =
        found.iter().map(|remedy| &*remedy.change).filter(|change| change.contains("qrun")).collect();
    assert_eq!(qruns, ["qrun it: only this job is considered, limits do not count"]);
}

#[test]
fn a_node_answers_like_its_page() {
    let generation = live("c04");
    let (run, snap) = (&generation.run, &generation.snapshot);
    let of = |job: &str, node: &str| {
        let mut turn = JobTurn::new(run, snap.job_named(job).unwrap()).unwrap();
        let parts = why_not_here(&mut turn, snap.node_named(node).unwrap());
        as_text(&[on_node(job, node, &parts)], 300, Some(300)).as_str().to_owned()
    };
    for (node, then) in
        [("cn018", "starts there in this cycle"), ("cn030", "starts on other nodes in this cycle")]
    {
        let text = of("58.pbs01", node);
        assert!(text.contains(&format!("{node} meets them all; 58.pbs01 {then}")), "{text}");
    }
    let waits = of("54.pbs01", "cn018");
    assert!(waits.contains("after this cycle it fails whole node (excl): job-exclusive"), "{waits}");
    let page = why_node(run, snap.node_named("cn018").unwrap());
    let refusal =
        page.refusals.iter().find(|refusal| refusal.sample.contains(&"54.pbs01".to_owned())).unwrap();
    assert_eq!(refusal.reason, "whole node (excl): job-exclusive");
}

#[test]
fn nodes_that_are_gone_are_named_with_what_they_have() {
    let queue = |cpus: u32| {
        format!(
            "[[queue]]\nname = \"workq\"\n[[job]]\nid = \"1\"\nselect = \"1:ncpus=4\"\nwalltime = \"01:00:00\"\n\
            started = \"-00:30:00\"\non = \"(n1:ncpus=4)\"\n[[job]]\nid = \"2\"\nselect = \"2:ncpus={cpus}\"\n\
            walltime = \"01:00:00\"\n"
        )
    };
    let nodes = "[[node]]\nname = \"n1\"\navailable = { ncpus = 8 }\n\
        [[node]]\nname = \"n2\"\nstate = \"down\"\navailable = { ncpus = 6 }\n";
    // Whether they would do is for remedies: of five on each node there is enough in sum, and it would not start.
    for (cpus, helps) in [(4, true), (5, false)] {
        let run = made("", nodes, &queue(cpus));
        let job = run.plan.snap.job_named("2").unwrap();
        let notes: Vec<String> = causes(&run, job).into_iter().flat_map(|cause| cause.notes).collect();
        assert!(notes.contains(&"1 more down or offline (n2), with 6 ncpus".to_owned()), "{notes:?}");
        let found = remedies(&run, job, &mut |_| ControlFlow::Continue(()));
        let is_back = |change: &str| change.starts_with("bring back 1 node (n2)");
        assert_eq!(found.iter().any(|remedy| is_back(&remedy.change)), helps, "{found:?}");
    }
}

#[test]
fn filters_about_reasons_agree_with_the_board() {
    for name in ["c01", "c04"] {
        let run = &live(name).run;
        let fields = job_fields(&run.plan.snap.catalogue);
        for tier in [Tier::Order, Tier::Limit, Tier::Short, Tier::Fragmented, Tier::Calendar] {
            let query = Query::parse(&format!("tier={}", tier.word()), &fields).unwrap();
            let reasons = JobReasons::for_filter(run, &query);
            let record = |outcome| JobRecord::of(run, outcome);
            let fits = run
                .outcomes()
                .filter(|one| query.fits(&record(*one).with_reason(reasons.of(one.job))))
                .count();
            let rows = board(run).rows;
            let of_tier = rows.iter().filter(|row| row.tier == tier).map(|row| row.jobs.len()).sum::<usize>();
            assert_eq!(fits, of_tier, "{name} {tier:?}");
        }
    }
}
