//! Answers that take longer: estimates, and changes that would let a job start.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;

use proptest::prelude::*;
use qscope::cluster::{JobId, Snapshot};
use qscope::cycle::{Run, Verdict, run_cycle};
use qscope::explain::{
    ForecastSource, JobTurn, Remedy, Tier, blocked_jobs, blocked_jobs_section, board, causes, fits_idle,
    forecast, funnels, remedies, tried_changes,
};
use qscope::source::{Files, LoadOptions, load};
use qscope::universe::Quirks;

use super::checked_claims::made;
use super::{cases, random, why};

fn run_of(snapshot: &Arc<Snapshot>) -> Arc<Run> {
    Arc::new(run_cycle(snapshot.clone(), Quirks::default()))
}

fn waiting(run: &Run) -> Vec<JobId> {
    let waits = |job: &JobId| run.outcome(*job).is_some_and(|outcome| outcome.verdict != Verdict::Run);
    run.plan.snap.jobs.ids().filter(waits).collect()
}

/// Checks that every offered change, applied to the cluster and run, makes the job start in that cycle.
fn remedies_work(run: &Arc<Run>, job: JobId) -> usize {
    let tried = tried_changes(run, job, &mut |_| ControlFlow::Continue(()));
    for (at, change) in tried.without_effect.iter().enumerate() {
        let offered = |remedy: &Remedy| remedy.change == *change;
        assert!(!tried.working.iter().any(offered), "{change} is offered, and is without effect");
        assert!(!tried.without_effect[..at].contains(change), "{change} twice");
    }
    let found = tried.working;
    for remedy in &found {
        let edited = run_of(&Arc::new(run.plan.snap.with(&remedy.edits)));
        let found = forecast(&edited, job, &mut |_| ControlFlow::Continue(())).unwrap();
        let name = &run.plan.job(job).name;
        match remedy.start {
            None => assert_eq!(found.source, ForecastSource::Now, "{} does not start {name}", remedy.change),
            promised => assert_eq!(found.start, promised, "{} for {name}", remedy.change),
        }
        assert!(!remedy.change.is_empty() && !remedy.costs.is_empty());
    }
    assert!(found.windows(2).all(|pair| pair[0].size <= pair[1].size), "smallest change first");
    found.len()
}

#[test]
fn remedies_of_the_small_clusters_do_what_they_say() {
    let mut helped = 0;
    let all = why::all();
    for case in &all {
        let run = case.run();
        let job = case.snapshot.job_named(&case.job).unwrap();
        helped += usize::from(remedies_work(&run, job) > 0);
    }
    assert!(helped >= 50, "{helped} of {} cases have a remedy", all.len());
}

/// Returns a cluster of one node, which a job occupies until the end of an hour, with jobs that wait for it.
fn behind_one(waiting: usize) -> (Arc<Run>, JobId) {
    let nodes = "[[node]]\nname = \"n1\"\navailable = { ncpus = 4 }\n";
    let waits =
        |id: usize| format!("[[job]]\nid = \"{id}\"\nselect = \"1:ncpus=4\"\nwalltime = \"01:00:00\"\n");
    let queue = format!(
        "[[queue]]\nname = \"workq\"\n[[job]]\nid = \"1\"\nselect = \"1:ncpus=4\"\nwalltime = \"01:00:00\"\n\
        started = \"-00:30:00\"\non = \"(n1:ncpus=4)\"\n{}",
        (2..waiting + 2).map(waits).collect::<String>()
    );
    let run = made("", nodes, &queue);
    let job = run.plan.snap.job_named("1").unwrap();
    (run, job)
}

#[test]
fn of_many_waiting_jobs_it_is_stated_how_many_were_not_examined() {
    let (run, job) = behind_one(3);
    let few = blocked_jobs(&run, job, &|| true);
    let names: Vec<&str> = few.jobs.iter().map(|other| run.plan.job(other.job).short_name()).collect();
    assert_eq!((names, few.examined, few.not_examined), (vec!["2", "3", "4"], 3, 0));
    assert!(few.jobs.iter().all(|other| other.reason.is_some()));
    assert_eq!(blocked_jobs_section(&run, job, &few).unwrap().lines.len(), 3);
    let (run, job) = behind_one(30);
    let many = blocked_jobs(&run, job, &|| true);
    assert_eq!((many.examined, many.not_examined), (24, 6));
    let section = blocked_jobs_section(&run, job, &many).unwrap();
    assert_eq!(section.lines.last().unwrap().text, "of the first 24 waiting jobs; 6 more not examined");
    // It is also stated if none of the examined jobs is blocked: others may be.
    let last = run.plan.snap.job_named("31").unwrap();
    let none = blocked_jobs(&run, last, &|| true);
    assert!(none.jobs.is_empty(), "{none:?}");
    let section = blocked_jobs_section(&run, last, &none).unwrap();
    assert_eq!(section.title, "Waiting jobs blocked by 31");
    assert_eq!(section.lines[0].text, "none of the first 24 waiting jobs; 5 more not examined");
    let (run, job) = behind_one(0);
    assert!(blocked_jobs_section(&run, job, &blocked_jobs(&run, job, &|| true)).is_none());
}

#[test]
fn a_change_that_helps_later_is_not_listed_as_without_effect() {
    let nodes = "[[node]]\nname = \"n1\"\navailable = { ncpus = 4, color = \"red\" }\n";
    let policy = "[sched_config]\nresources = [\"ncpus\", \"color\"]\n\
        [[resource]]\nname = \"color\"\ntype = \"string\"\nflag = \"h\"\n";
    let queue = "[[queue]]\nname = \"workq\"\n\
        [[job]]\nid = \"1\"\nselect = \"1:ncpus=4\"\nwalltime = \"01:00:00\"\n\
        started = \"-00:30:00\"\non = \"(n1:ncpus=4)\"\n\
        [[job]]\nid = \"2\"\nselect = \"1:ncpus=4:color=blue\"\nplace = \"free\"\nwalltime = \"01:00:00\"\n";
    let run = made(policy, nodes, queue);
    let job = run.plan.snap.job_named("2").unwrap();
    remedies_work(&run, job);
    let tried = tried_changes(&run, job, &mut |_| ControlFlow::Continue(()));
    let works: Vec<&str> = tried.working.iter().map(|remedy| &*remedy.change).collect();
    assert!(works.contains(&"drop color from the select"), "{tried:?}");
    assert_eq!(tried.working[0].start.map(|at| at.0), Some(1_763_700_000 + 1800));
    // Tried for a start in this cycle and for a later one.
    assert!(tried.without_effect.contains(&"place=free:shared instead of free".to_owned()), "{tried:?}");
}

fn changes(nodes: &str, queue: &str, job: &str) -> Vec<String> {
    let run = made("", nodes, queue);
    let id = run.plan.snap.job_named(job).unwrap();
    remedies_work(&run, id);
    let found = remedies(&run, id, &mut |_| ControlFlow::Continue(()));
    found.into_iter().map(|remedy| remedy.change).collect()
}

#[test]
fn only_queues_that_let_the_job_in_are_offered() {
    let queues = r#"
        [[queue]]
        name = "workq"
        max_run = "[u:PBS_GENERIC=1]"
        [[queue]]
        name = "vip"
        acl_user_enable = true
        acl_users = ["boss@*", "-ann"]
        [[queue]]
        name = "chem"
        acl_group_enable = true
        acl_groups = ["chemists"]
        [[queue]]
        name = "routed"
        from_route_only = true
        [[queue]]
        name = "login"
        acl_host_enable = true
        acl_hosts = ["*.site.org"]
        [[queue]]
        name = "open"
        acl_users = ["boss"]
        [[job]]
        id = "1"
        user = "ann"
        select = "1:ncpus=1"
        walltime = "01:00:00"
        started = "-00:10:00"
        on = "(n1:ncpus=1)"
        [[job]]
        id = "9"
        user = "ann"
        select = "1:ncpus=1"
        walltime = "01:00:00"
    "#;
    let nodes = "[[node]]\nname = \"n[1-2]\"\navailable = { ncpus = 8 }\n";
    assert_eq!(
        changes(nodes, queues, "9"),
        [
            "move it to queue login (if its acl_hosts allows)",
            "move it to queue open",
            "raise max_run of ann at queue workq from 1 to 2",
        ]
    );
}

#[test]
fn a_job_that_never_runs_learns_what_would_let_it_run_later() {
    let jobs = r#"
        [[job]]
        id = "1"
        select = "2:ncpus=8"
        place = "scatter"
        walltime = "01:00:00"
        started = "-00:10:00"
        on = "(n1:ncpus=8)+(n2:ncpus=8)"
        [[job]]
        id = "9"
        select = "1:ncpus=12"
        walltime = "01:00:00"
    "#;
    let nodes = "[[node]]\nname = \"n[1-2]\"\navailable = { ncpus = 8 }\n";
    let expected = ["ask for 8 ncpus instead of 12 in chunk 1", "add 1 node like n1 with ncpus=12"];
    assert_eq!(changes(nodes, jobs, "9"), expected);
}

#[test]
fn fewer_chunks_are_as_many_as_a_limit_leaves() {
    let jobs = r#"
        [[queue]]
        name = "workq"
        max_run_res = { ncpus = "[u:PBS_GENERIC=20]" }
        [[job]]
        id = "9"
        select = "8:ncpus=4"
        walltime = "01:00:00"
    "#;
    let nodes = "[[node]]\nname = \"n[1-8]\"\navailable = { ncpus = 8 }\n";
    assert!(changes(nodes, jobs, "9").contains(&"ask for 5 instead of 8 of chunk 1".to_owned()));
}

/// Checks what holds for every waiting job of any cluster.
fn check_causes(run: &Arc<Run>) {
    for job in waiting(run) {
        let found = causes(run, job);
        let name = &run.plan.job(job).name;
        assert!(!found.is_empty(), "{name} waits without a cause");
        // Nodes that are gone and missing shares keep a job too, and the idle cluster has neither.
        let elsewhere = |kind| matches!(kind, "never-for-now" | "no-shares");
        let never = found.iter().any(|cause| cause.tier == Tier::Never && !elsewhere(cause.kind));
        let readable = run.plan.requests[job].is_ok();
        if readable && !run.plan.job(job).is_subjob() {
            assert_eq!(fits_idle(&run.plan, job), !never, "{name}: {found:?}");
        }
        if let Some(mut turn) = JobTurn::new(run, job) {
            for funnel in funnels(&mut turn) {
                assert!(funnel.adds_up(), "{name}: {funnel:?}");
            }
        }
    }
    let board = board(run);
    let on_board: usize = board.rows.iter().map(|row| row.jobs.len()).sum();
    // An array that has started in part waits as one job by what is left of it.
    let last: std::collections::HashMap<_, _> =
        run.outcomes().map(|outcome| (outcome.job, run.verdict(outcome))).collect();
    let waits =
        |(job, verdict): &(&JobId, &Verdict)| **verdict != Verdict::Run && !run.plan.job(**job).is_subjob();
    assert_eq!(on_board, last.iter().filter(waits).count(), "every waiting job is on the board, once");
}

proptest! {
    #![proptest_config(random::config(48))]

    #[test]
    fn causes_and_funnels_hold_for_any_cluster(snap in random::clusters()) {
        check_causes(&run_of(&snap));
    }

    #[test]
    fn remedies_hold_for_any_cluster(snap in random::clusters()) {
        let run = run_of(&snap);
        for job in waiting(&run).into_iter().take(2) {
            remedies_work(&run, job);
        }
    }

    #[test]
    fn forecasts_agree_with_a_plain_repeated_run(plain in plain_clusters()) {
        check_forecast(&plain);
    }
}

#[test]
fn causes_hold_for_the_cases_of_the_real_scheduler() {
    for case in cases::all().iter().step_by(7) {
        check_causes(&run_of(&case.snapshot()));
    }
}

/// The estimates of top jobs are those of the real scheduler, if the cycle agrees that there is one.
#[test]
fn top_jobs_start_when_the_real_scheduler_says() {
    let (mut all, mut wrong) = (0, Vec::new());
    for case in cases::all() {
        let snapshot = case.snapshot();
        let run = run_of(&snapshot);
        for job in case.expected["jobs"].as_array().unwrap() {
            let Some(start) = job["estimated"]["start"].as_i64().filter(|start| *start > 0) else { continue };
            let Some(id) = snapshot.job_named(job["id"].as_str().unwrap()) else { continue };
            if job["verdict"] == "run" {
                continue;
            }
            all += 1;
            let found = forecast(&run, id, &mut |_| ControlFlow::Break(()));
            let found = found.filter(|found| found.source == ForecastSource::TopJob);
            if found.and_then(|found| found.start).is_none_or(|at| at.0 != start) {
                wrong.push(format!("{} {}", case.name, job["id"]));
            }
        }
    }
    #[allow(clippy::disallowed_macros, reason = "shown with the test's own output")]
    {
        println!(
            "top jobs start when the real scheduler says: {} of {all}; not {wrong:?}",
            all - wrong.len()
        );
    }
    assert!(wrong.len() * 100 <= all * 2, "{} of {all}: {wrong:?}", wrong.len());
}

/// A cluster so simple that it can be written anew for every moment: nodes with numbers of cpus, jobs of one chunk
/// size, shared, no limits.
#[derive(Clone, Debug)]
struct Plain {
    nodes: Vec<u32>,
    /// Number of chunks, cpus of each, minutes.
    jobs: Vec<(u32, u32, u32)>,
}

fn plain_clusters() -> impl Strategy<Value = Plain> {
    let nodes = prop::collection::vec(1u32..5, 1..4);
    let jobs = prop::collection::vec((1u32..3, 1u32..5, 1u32..50), 2..8);
    (nodes, jobs).prop_map(|(nodes, jobs)| Plain { nodes, jobs })
}

/// The running jobs: when each started, and where.
type Running = BTreeMap<usize, (i64, String)>;

impl Plain {
    /// Returns the files of this cluster at a moment, with these jobs running and those ended.
    fn at(&self, now: i64, running: &Running, over: &[usize]) -> Arc<Snapshot> {
        let nodes: String = (0..)
            .zip(&self.nodes)
            .map(|(at, cpus)| format!("[[node]]\nname = \"n{at}\"\navailable = {{ ncpus = {cpus} }}\n"))
            .collect();
        let job = |at: usize, (chunks, cpus, minutes): &(u32, u32, u32)| {
            let state = match running.get(&at) {
                Some((since, on)) => format!("started = \"{since}\"\non = \"{on}\"\n"),
                None if over.contains(&at) => "state = \"F\"\n".to_owned(),
                None => String::new(),
            };
            format!(
                "[[job]]\nid = \"{at}\"\nselect = \"{chunks}:ncpus={cpus}\"\nwalltime = \"{}\"\nqueue_rank = {at}\n{state}",
                minutes * 60
            )
        };
        let jobs: String = self.jobs.iter().enumerate().map(|(at, asked)| job(at, asked)).collect();
        let mut files = Files::new("plain");
        files.insert("nodes.toml", nodes, None);
        files.insert("queue.toml", format!("now = {now}\n{jobs}"), None);
        Arc::new(load(&files, &LoadOptions::default()).unwrap())
    }

    /// Returns when each job starts, by writing the cluster anew at every end and running the cycle.
    fn starts(&self, now: i64) -> Vec<Option<i64>> {
        let mut starts = vec![None; self.jobs.len()];
        let (mut now, mut running, mut over) = (now, Running::new(), Vec::new());
        loop {
            let snapshot = self.at(now, &running, &over);
            let run = run_of(&snapshot);
            for outcome in run.outcomes() {
                if let Some(placed) = &outcome.placed {
                    let at: usize = snapshot.jobs[outcome.job].name.parse().unwrap();
                    starts[at] = Some(now);
                    running.insert(at, (now, placed.allocation.exec_vnode(&run.plan)));
                }
            }
            let end =
                |(at, (since, _)): (&usize, &(i64, String))| (since + i64::from(self.jobs[*at].2) * 60, *at);
            let Some(next) = running.iter().map(end).map(|(end, _)| end).min() else { return starts };
            let ended: Vec<usize> =
                running.iter().map(end).filter(|(end, _)| *end <= next).map(|(_, at)| at).collect();
            for at in ended {
                running.remove(&at);
                over.push(at);
            }
            now = next;
        }
    }
}

fn check_forecast(plain: &Plain) {
    let now = 1_763_700_000;
    let expected = plain.starts(now);
    let snapshot = plain.at(now, &Running::new(), &[]);
    let run = run_of(&snapshot);
    for (at, start) in expected.iter().enumerate() {
        let id = snapshot.job_named(&at.to_string()).unwrap();
        let found = forecast(&run, id, &mut |_| ControlFlow::Continue(())).unwrap();
        assert_eq!(found.start.map(|at| at.0), *start, "job {at} of {plain:?}");
    }
}

/// For every change, the hold of a job is released; a limit is raised only for changes that would leave the job under
/// it.
#[test]
fn a_held_job_needs_no_higher_limit_where_it_would_not_be_under_one() {
    let queues = r#"
        [[queue]]
        name = "workq"
        max_run = "[u:PBS_GENERIC=1]"
        [[queue]]
        name = "vip"
        [[job]]
        id = "1"
        user = "ann"
        queue = "workq"
        select = "1:ncpus=1"
        walltime = "01:00:00"
        started = "-00:10:00"
        on = "(n1:ncpus=1)"
        [[job]]
        id = "2"
        user = "ann"
        queue = "workq"
        select = "1:ncpus=1"
        walltime = "01:00:00"
        state = "H"
        holds = "u"
        "#;
    let found = changes("[[node]]\nname = \"n1\"\navailable = { ncpus = 4 }\n", queues, "2");
    assert!(found.contains(&"release the hold (u) and move it to queue vip".to_owned()), "{found:?}");
    assert!(!found.iter().any(|change| change.contains("raise") && change.contains("vip")), "{found:?}");
}

/// A job without a walltime, and one that waits for its node.
const BEHIND_AN_ENDLESS_JOB: &str = r#"
    [[job]]
    id = "1"
    user = "ann"
    queue = "workq"
    select = "1:ncpus=8"
    started = "-00:10:00"
    on = "(n1:ncpus=8)"
    [[job]]
    id = "2"
    user = "bob"
    queue = "workq"
    select = "1:ncpus=8"
    walltime = "01:00:00"
"#;

/// Returns a cluster of one node with prime time on weekdays.
fn with_prime_time(queue: &str) -> Files {
    let holidays = "HOLIDAYFILE_VERSION1\nYEAR 2025\nweekday 0800 2000\nsaturday none all\nsunday none all\n";
    let mut files = Files::new("small");
    files.insert("nodes.toml", "[[node]]\nname = \"n1\"\navailable = { ncpus = 8 }\n", None);
    files.insert("queue.toml", queue, None);
    files.insert("holidays", holidays, None);
    files
}

/// Prime time changes endlessly: only events that happen once count, however many changes come before them.
#[test]
fn a_change_of_prime_time_alone_is_not_waited_for_without_end() {
    let queue = |jobs: &str| format!("now = 1763700000\n[[queue]]\nname = \"workq\"\n{jobs}");
    let endless = queue(BEHIND_AN_ENDLESS_JOB);
    let later = queue(
        r#"
        [[job]]
        id = "2"
        user = "bob"
        queue = "workq"
        select = "1:ncpus=8"
        walltime = "01:00:00"
        state = "W"
        after = "+3000:00:00"
    "#,
    );
    for (jobs, start) in [(endless, 1_763_700_000 - 600 + 157_680_000), (later, 1_763_700_000 + 3000 * 3600)]
    {
        let files = with_prime_time(&jobs);
        let run = run_of(&Arc::new(load(&files, &LoadOptions::default()).unwrap()));
        let id = run.plan.snap.job_named("2").unwrap();
        let found = forecast(&run, id, &mut |_| ControlFlow::Continue(())).unwrap();
        assert_eq!(found.start.map(|at| at.0), Some(start));
        assert!(found.cycles < 100, "{} cycles", found.cycles);
    }
}

/// The calendar tries a top job once in equal periods of prime time, however many precede the end of a job without a
/// walltime.
#[test]
fn a_top_job_is_not_tried_at_every_change_of_prime_time_for_years() {
    let queue = format!("now = 1763700000\n[[queue]]\nname = \"workq\"\n{BEHIND_AN_ENDLESS_JOB}");
    let mut files = with_prime_time(&queue);
    files.insert("policy.toml", "[sched_config]\nstrict_ordering = true\nbackfill_prime = true\n", None);
    let run = run_of(&Arc::new(load(&files, &LoadOptions::default()).unwrap()));
    let job = run.plan.snap.job_named("2").unwrap();
    let top = run.outcome(job).unwrap().estimate.clone().unwrap();
    assert_eq!(top.start.0, 1_763_700_000 - 600 + 157_680_000);
    assert!(top.windows < 50, "{} windows", top.windows);
}
