//! Starts as distributions, their back-test, and the rest of a simulation as a separate input.

use std::fs;
use std::path::Path;
use std::process::Command;

use qscope::cluster::{Epoch, Name};
use qscope::simulate::resample::PastDays;
use qscope::simulate::runtimes::{RuntimeDraw, RuntimeModel, RuntimeRatios};
use qscope::simulate::start_distribution::back_test::{BackTestOptions, back_test};
use qscope::simulate::start_distribution::{SamplingOptions, StartDistribution, starts, waiting};
use qscope::simulate::{Arrival, Simulation, SimulationFiles, SimulationInput, StopPoint};
use qscope::source::LoadOptions;
use qscope::universe::Quirks;
use serde_json::{Value, json};

use crate::ran::ran;

const FROM: i64 = 1_763_712_000;

fn job(id: u32, user: &str, at: i64, chunks: u32, runtime: i64, walltime: i64) -> Value {
    let wall = format!("{:02}:{:02}:{:02}", walltime / 3600, walltime / 60 % 60, walltime % 60);
    json!({"id": format!("{id}.svr"), "at": at, "runtime": runtime, "job": {
        "Job_Owner": format!("{user}@host"), "queue": "workq",
        "Resource_List": {"select": format!("{chunks}:ncpus=4"), "place": "free", "ncpus": chunks * 4,
            "nodect": chunks, "walltime": wall}}})
}

/// Writes four vnodes of four cores and one queue.
fn cluster(folder: &Path, now: i64) {
    let put = |name: &str, text: String| fs::write(folder.join(name), text).unwrap();
    put("nodes.toml", "[[node]]\nname = \"n[1-4]\"\navailable = { ncpus = 4, mem = \"8gb\" }\n".to_owned());
    put("queue.toml", format!("now = {now}\n[[queue]]\nname = \"workq\"\n"));
    put("policy.toml", "[server]\ndefault_queue = \"workq\"\n".to_owned());
}

/// Number of jobs in the past.
const JOBS: u32 = 260;

/// Returns three days with four jobs an hour, whose run times are shares of their walltimes.
fn days_of_jobs(folder: &Path) -> SimulationInput {
    cluster(folder, FROM);
    let mut state = 7u64;
    let mut next = |most: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % most
    };
    let jobs: Vec<Value> = (1..=JOBS)
        .map(|id| {
            let at = FROM + i64::from(id) * 900 + i64::try_from(next(600)).unwrap();
            let walltime = 600 * i64::try_from(1 + next(12)).unwrap();
            let runtime = walltime * i64::try_from(1 + next(100)).unwrap() / 100;
            job(
                id,
                ["ann", "bob", "eve"][next(3) as usize],
                at,
                1 + u32::try_from(next(3)).unwrap(),
                runtime,
                walltime,
            )
        })
        .collect();
    let file = json!({"format": "arrivals 1", "jobs": jobs});
    fs::write(folder.join("arrivals.json"), file.to_string()).unwrap();
    SimulationInput::read(&SimulationFiles::folder(folder).unwrap(), &LoadOptions::in_zone("UTC")).unwrap()
}

/// Returns a moment at which several jobs wait, and what had arrived by then.
fn moment(past: &SimulationInput) -> (SimulationInput, Vec<Arrival>) {
    let mut going = Simulation::new(past.clone(), Quirks::default());
    for hour in 30.. {
        assert!(going.run_to(StopPoint::At(Epoch(FROM + hour * 3600)), &mut ()));
        let mut rest = going.remaining();
        if waiting(&rest).len() >= 4 {
            rest.arrivals.jobs.clear();
            let before = past.arrivals.jobs.iter().filter(|one| one.at < going.now()).cloned();
            return (rest, before.collect());
        }
        going = going.resumed();
    }
    unreachable!("a queue forms within the time")
}

fn sampling<'a>(
    ratios: &'a RuntimeRatios,
    days: Option<(&'a PastDays<'a>, u32)>,
    seed: u64,
    threads: usize,
) -> SamplingOptions<'a> {
    SamplingOptions { ratios, days, seed, runs: 24, threads, quirks: Quirks::default() }
}

#[test]
fn the_same_seed_gives_the_same_starts_on_any_number_of_threads() {
    let folder = tempfile::tempdir().unwrap();
    let (input, past) = moment(&days_of_jobs(folder.path()));
    let (jobs, ratios) = (waiting(&input), RuntimeRatios::of(&past));
    let days = PastDays::of(&past, &input.start.time_zone());
    for days in [None, Some((&days, 2))] {
        let of = |seed, threads| starts(&input, &jobs, &sampling(&ratios, days, seed, threads), &|_| true);
        let one = of(1, 1);
        assert_eq!(one, of(1, 2));
        assert_eq!(one, of(1, 5));
        assert_ne!(one.starts, of(2, 2).starts, "another seed gives other run times");
        assert_eq!(one.runs, 24);
        let now = input.start.now;
        assert!(one.starts.iter().flatten().all(|start| start.is_some_and(|start| start >= now)));
        let spread = |starts: &Vec<Option<Epoch>>| StartDistribution::of(starts, now);
        assert!(one.starts.iter().map(spread).all(|found| found.p10 <= found.p50 && found.p50 <= found.p90));
        assert!(one.starts.iter().map(spread).any(|found| found.p10 < found.p90), "run times are drawn");
    }
}

/// A run that is ended early consists of whole runs.
#[test]
fn ended_early_the_finished_runs_are_the_answer() {
    let folder = tempfile::tempdir().unwrap();
    let (input, past) = moment(&days_of_jobs(folder.path()));
    let (jobs, ratios) = (waiting(&input), RuntimeRatios::of(&past));
    let whole = starts(&input, &jobs, &sampling(&ratios, None, 1, 1), &|_| true);
    let cut = starts(&input, &jobs, &sampling(&ratios, None, 1, 1), &|done| done < 7);
    assert_eq!(cut.runs, 7);
    let firsts: Vec<Vec<Option<Epoch>>> = whole.starts.iter().map(|starts| starts[..7].to_vec()).collect();
    assert_eq!(cut.starts, firsts);
}

/// If every job runs for its whole walltime there is one start, and it is the simulated one.
#[test]
fn certain_run_times_give_one_start() {
    let folder = tempfile::tempdir().unwrap();
    let (input, mut past) = moment(&days_of_jobs(folder.path()));
    for one in &mut past {
        one.fate.runtime = Some(1_000_000);
    }
    let (jobs, ratios) = (waiting(&input), RuntimeRatios::of(&past));
    let seen = starts(&input, &jobs, &sampling(&ratios, None, 3, 2), &|_| true);
    let draw = RuntimeDraw { ratios: &ratios, times: RuntimeModel::Walltime, seed: 1, replication: 0 };
    let done = Simulation::new(draw.of(&input), Quirks::default()).run(&mut ());
    for (name, starts) in jobs.iter().zip(&seen.starts) {
        let job = done.jobs.iter().find(|job| job.name == *name).unwrap();
        assert!(starts.iter().all(|start| *start == job.start), "{name}: {starts:?} for {:?}", job.start);
    }
}

/// The rest of a simulation, restarted, starts the remaining jobs as the simulation does.
#[test]
fn what_is_left_goes_on_as_the_whole_does() {
    let folder = tempfile::tempdir().unwrap();
    let past = days_of_jobs(folder.path());
    let whole = Simulation::new(past.clone(), Quirks::default()).run(&mut ());
    for cycle in [40, 150, 300] {
        let mut going = Simulation::new(past.clone(), Quirks::default());
        assert!(going.run_to(StopPoint::Cycle(cycle), &mut ()));
        let rest = Simulation::new(going.remaining(), Quirks::default()).run(&mut ());
        let later: Vec<_> = whole.runs.iter().filter(|run| run.at >= rest.from).cloned().collect();
        assert_eq!(rest.runs, later);
        // Going on after the stop is the same again.
        let resumed = going.resumed().run(&mut ());
        assert_eq!((resumed.runs, resumed.measures), (whole.runs.clone(), whole.measures.clone()));
    }
}

#[test]
fn a_back_test_asks_the_past_about_itself() {
    let folder = tempfile::tempdir().unwrap();
    let past = days_of_jobs(folder.path());
    let ratios = RuntimeRatios::default();
    let options = BackTestOptions { moments: 12, jobs: 6, days: 2 };
    let found = back_test(&past, &options, &sampling(&ratios, None, 1, 2), &|_| true);
    assert_eq!(found, back_test(&past, &options, &sampling(&ratios, None, 1, 1), &|_| true));
    assert!(found.all.all >= 10 && !found.is_cut, "{:?}", found.all);
    assert_eq!(found.all.all, found.statements.len());
    assert_eq!(found.all, found.queues[&Name::from("workq")]);
    // Run times and arrivals are independent, as the draws are.
    assert!(found.all.inside * 3 > found.all.all * 2, "{:?}", found.all);
    for made in &found.statements {
        assert!(made.start.is_none_or(|start| start >= made.at), "{made:?}");
    }
    let cut = back_test(&past, &options, &sampling(&ratios, None, 1, 1), &|_| false);
    assert!(cut.is_cut && cut.statements.is_empty());
}

fn run(words: &[&str], folder: &Path) -> (String, i32) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_qscope"));
    let done = command.args(words).current_dir(folder).env("TZ", "UTC").output().unwrap();
    assert!(done.stderr.is_empty(), "{}", String::from_utf8_lossy(&done.stderr));
    (String::from_utf8(done.stdout).unwrap(), done.status.code().unwrap())
}

/// Writes a log of days, `log.swf`, and a cluster after them, `now`, in which job 2 waits for the end of job 1.
pub(crate) fn log_and_cluster(folder: &Path) {
    let past = days_of_jobs(folder);
    let log: String = past
        .arrivals
        .jobs
        .iter()
        .map(|one| {
            let job = one.job.as_deref().unwrap();
            let (at, run) = (one.at.0, one.fate.runtime.unwrap());
            let cores = job.requested.amount(qscope::cluster::ResourceId::ncpus()).unwrap().0;
            let wall = job.requested.amount(qscope::cluster::ResourceId::walltime()).unwrap().0;
            format!(
                "{} {} 0 {run} {cores} -1 -1 {cores} {wall} -1 1 {} 1 -1 1 -1 -1 -1\n",
                job.sequence,
                at - FROM,
                job.sequence % 3
            )
        })
        .collect();
    let cluster_folder = folder.join("now");
    fs::create_dir(&cluster_folder).unwrap();
    cluster(&cluster_folder, FROM + 40 * 86_400);
    let queue = "[[job]]\nid = \"1\"\nuser = \"ann\"\nqueue = \"workq\"\nselect = \"4:ncpus=4\"\nwalltime = \"02:00:00\"\nstarted = \"-00:30:00\"\non = \"(n1:ncpus=4)+(n2:ncpus=4)+(n3:ncpus=4)+(n4:ncpus=4)\"\n[[job]]\nid = \"2\"\nuser = \"bob\"\nqueue = \"workq\"\nselect = \"2:ncpus=4\"\nwalltime = \"01:00:00\"\n";
    let text = fs::read_to_string(cluster_folder.join("queue.toml")).unwrap() + queue;
    fs::write(cluster_folder.join("queue.toml"), text).unwrap();
    fs::write(folder.join("log.swf"), format!("; UnixStartTime: {FROM}\n{log}")).unwrap();
}

/// A log is used as a past: its finished jobs are drawn from, and the back-test is added.
#[test]
fn when_prints_the_distribution_its_seed_and_the_back_test() {
    let folder = tempfile::tempdir().unwrap();
    log_and_cluster(folder.path());
    let words = [
        "when",
        "2",
        "now",
        "--arrivals",
        "log.swf",
        "--runs",
        "60",
        "--back-test",
        "3",
        "--back-test-runs",
        "10",
        "--json",
    ];
    let (text, code) = run(&words, folder.path());
    let found: Value = serde_json::from_str(&text).unwrap();
    assert_eq!((code, found["runs"].as_u64(), found["seed"].as_u64()), (0, Some(60), Some(1)));
    assert_eq!(found["drawn_from"], JOBS);
    let at = |key: &str| found[key].as_i64().unwrap();
    // It starts when the job that runs ends: at the latest after its walltime.
    let now = at("now");
    assert!(
        now < at("p10") && at("p10") <= at("p50") && at("p50") <= at("p90") && at("p90") <= now + 5400,
        "{text}"
    );
    assert!(at("p10") < at("p90"));
    assert!(found["back_test"]["statements"].as_u64().is_some());
    let (again, _) = run(&[&words[..], &["--threads", "1"]].concat(), folder.path());
    assert_eq!(text, again, "the same bytes on one thread");
    let (text, code) = run(&["when", "1", "now", "--back-test", "0"], folder.path());
    assert!(text.starts_with("1 runs since 07:30:00 (30m ago)") && code == 0, "{text}");
    // Without a job the whole log is the past, whenever the cluster is.
    let alone = [
        "when",
        "-",
        "now",
        "--now",
        "1700000000",
        "--arrivals",
        "log.swf",
        "--back-test",
        "2",
        "--back-test-runs",
        "5",
    ];
    let (text, code) = run(&alone, folder.path());
    assert!(code == 0 && text.contains("back-test: the past simulated, "), "{text}");
    let mut command = Command::new(env!("CARGO_BIN_EXE_qscope"));
    let without = command.args(["when", "-", "now"]).current_dir(folder.path()).output().unwrap();
    let reported = String::from_utf8(without.stderr).unwrap();
    assert!(without.status.code() == Some(2) && reported.contains("--arrivals"), "{reported}");
}

/// With nothing to draw each run would be the same, so only one is made: the running job ends with its walltime.
#[test]
fn when_makes_one_run_where_nothing_is_drawn() {
    let folder = tempfile::tempdir().unwrap();
    log_and_cluster(folder.path());
    let (text, code) = run(&["when", "2", "now"], folder.path());
    assert!(
        text.starts_with("2: start in one run, since nothing is drawn\n  start  09:30:00 (in 1h30)\n"),
        "{text}"
    );
    assert!(code == 0 && text.contains("no finished job to draw from"), "{text}");
    // One run is no distribution, also with drawn run times.
    let one = ["when", "2", "now", "--arrivals", "log.swf", "--runs", "1", "--back-test", "0"];
    let (text, _) = run(&one, folder.path());
    assert!(text.starts_with("2: start in one run, seed 1\n  start  ") && !text.contains("p10"), "{text}");
    let (text, _) = run(&[&one[..], &["--json"]].concat(), folder.path());
    assert!(text.contains("\"p10\":null") || text.contains("\"p10\": null"), "{text}");
    let (text, _) = run(&["when", "2", "now", "--runs", "40", "--json"], folder.path());
    let found: Value = serde_json::from_str(&text).unwrap();
    assert_eq!((found["runs"].as_u64(), found["started"].as_u64()), (Some(1), Some(1)), "{text}");
    assert!(found["p50"].is_i64() && found["p10"].is_null() && found["p90"].is_null(), "{text}");
}

/// `why` states the same distribution together with its single estimate, and how well such statements held.
#[test]
fn why_states_the_distribution_beside_the_estimate() {
    let folder = tempfile::tempdir().unwrap();
    log_and_cluster(folder.path());
    let of = |words: &[&str]| serde_json::from_str::<Value>(&run(words, folder.path()).0).unwrap();
    let why = of(&["why", "2", "now", "--past", "log.swf", "--json"]);
    let when = of(&["when", "2", "now", "--arrivals", "log.swf", "--back-test", "0", "--json"]);
    let found = &why["distribution"];
    for key in ["p10", "p50", "p90", "runs", "drawn_from", "seed"] {
        assert_eq!(found[key], when[key], "{key}: {why}");
    }
    assert!(why["estimate"]["start"].is_i64() && when["runs"] == 200);
    let back = &found["back_test"];
    let count = |key: &str| back[key].as_f64().unwrap();
    assert!(
        count("statements") >= 1.0 && (count("inside") / count("statements") - count("share")).abs() < 1e-9
    );
    let (text, code) = run(&["why", "2", "now", "--past", "log.swf"], folder.path());
    assert!(code == 1 && text.contains("When, as a distribution\n") && text.contains("p10 "), "{text}");
    assert!(text.contains("over 200 runs, run times drawn from") && text.contains("back-test: "), "{text}");
    let without = of(&["why", "2", "now", "--json"]);
    assert!(without.get("distribution").is_none());
    let mut command = Command::new(env!("CARGO_BIN_EXE_qscope"));
    let wrong = command.args(["why", "2", "now", "--past", "none.swf", "--json"]).current_dir(folder.path());
    let wrong = wrong.output().unwrap();
    assert_eq!((wrong.status.code(), wrong.stdout.is_empty()), (Some(2), true));
}

/// An ordered vnode takes jobs from the end of its boot time on, and is removed at the end of its last job.
#[test]
fn vnodes_come_after_their_boot_time_and_go_when_they_are_empty() {
    let folder = tempfile::tempdir().unwrap();
    cluster(folder.path(), FROM);
    let nodes = "[[node]]\nname = \"n1\"\navailable = { ncpus = 4 }\n[[node]]\nname = \"n2\"\nstate = \"offline\"\navailable = { ncpus = 4 }\n";
    fs::write(folder.path().join("nodes.toml"), nodes).unwrap();
    let file = json!({"format": "arrivals 1",
        "jobs": [job(1, "ann", FROM, 1, 1000, 3600), job(2, "bob", FROM, 1, 5000, 7200), job(3, "eve", FROM + 700, 1, 100, 3600)],
        "nodes": [{"node": "n2", "ordered": FROM + 100, "boot": 300, "removed": FROM + 800}]});
    fs::write(folder.path().join("arrivals.json"), file.to_string()).unwrap();
    let input =
        SimulationInput::read(&SimulationFiles::folder(folder.path()).unwrap(), &LoadOptions::in_zone("UTC"))
            .unwrap();
    let done = Simulation::new(input.clone(), Quirks::default()).run(&mut ());
    let rows: Vec<(i64, i64, &str)> = done
        .jobs
        .iter()
        .map(|job| {
            (job.start.unwrap().0 - FROM, job.end.unwrap().0 - FROM, job.exec_vnode.as_deref().unwrap())
        })
        .collect();
    // The second starts with the vnode; it is given back at 800 s and goes at 5,400 s, so the third waits for the first.
    let expected = [(0, 1000, "(n1:ncpus=4)"), (400, 5400, "(n2:ncpus=4)"), (1000, 1100, "(n1:ncpus=4)")];
    assert_eq!(rows, expected);
    let cores: Vec<f64> = done.series.samples.iter().map(|sample| sample.cores).collect();
    assert_eq!(
        (cores[0], cores.iter().copied().fold(0.0, f64::max), *cores.last().unwrap()),
        (4.0, 8.0, 4.0)
    );
    // Stopped while it waits to be empty, and gone on with, it is the same.
    let mut half = Simulation::new(input, Quirks::default());
    assert!(half.run_to(StopPoint::At(Epoch(FROM + 900)), &mut ()));
    let rest = Simulation::new(half.remaining(), Quirks::default()).run(&mut ());
    let ends: Vec<Option<Epoch>> = rest.jobs.iter().map(|job| job.end).collect();
    // The stop is before the next cycle, with the end of the first job in its second handled.
    assert_eq!(ends, [done.jobs[1].end, done.jobs[2].end]);
    assert_eq!(rest.series.samples.last().unwrap().cores, 4.0);
}

/// If the clock is moved, a running job has continued to run: its end does not change.
#[test]
fn a_moved_clock_does_not_give_running_jobs_their_time_again() {
    let (now, _) = run(&["when", "16", "samples/campus"], Path::new("."));
    let (later, _) = run(&["when", "16", "samples/campus", "--at", "+50m"], Path::new("."));
    let start = |text: &str| {
        let line = text.lines().find(|line| line.trim_start().starts_with("start ")).unwrap();
        line.split_whitespace().nth(1).unwrap().to_owned()
    };
    assert_eq!(start(&now), start(&later), "{now}\n{later}");
}

#[test]
fn a_condition_on_a_queue_that_is_not_there_is_refused() {
    let done = ran(["simulate", "samples/week", "--fail-if", "wait_p95(queue=smal) > 2h"]);
    assert_eq!(done.status.code(), Some(2));
    let message = String::from_utf8_lossy(&done.stderr);
    assert!(message.contains("no queue `smal`; the cluster has small, large"), "{message}");
}

/// For a job that starts in no run, the answer is what keeps it waiting now, not only that it does not start.
#[test]
fn a_job_that_never_starts_is_answered_with_its_cause() {
    let folder = tempfile::tempdir().unwrap();
    cluster(folder.path(), FROM);
    let queue = format!(
        "now = {FROM}\n[[queue]]\nname = \"workq\"\n[[job]]\nid = 1\nuser = \"ann\"\nqueue = \"workq\"\n\
         select = \"1:ncpus=1\"\nwalltime = \"01:00:00\"\nstate = \"H\"\nholds = \"u\"\n"
    );
    fs::write(folder.path().join("queue.toml"), queue).unwrap();
    let at = folder.path().to_str().unwrap();
    let (text, code) = run(&["when", "1", at], Path::new("."));
    assert!(text.contains("cause now: 1 is held"), "{text}");
    assert_eq!(code, 1);
    let (json, _) = run(&["when", "1", at, "--json"], Path::new("."));
    let found: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(found["cause"]["kind"], "held", "{json}");
}

/// A truncated compressed log is used as far as it can be read, and the answer states where that ends.
#[test]
fn a_damaged_compressed_log_counts_up_to_the_damage() {
    let folder = tempfile::tempdir().unwrap();
    log_and_cluster(folder.path());
    let log = fs::read(folder.path().join("log.swf")).unwrap();
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    std::io::Write::write_all(&mut packed, &log).unwrap();
    let whole = packed.finish().unwrap();
    let part = &whole[..whole.len() / 2];
    fs::write(folder.path().join("log.swf.gz"), part).unwrap();
    let words = ["when", "2", "now", "--arrivals", "log.swf.gz", "--runs", "3", "--back-test", "0"];
    let (text, code) = run(&words, folder.path());
    assert_eq!(code, 0, "{text}");
    assert!(text.contains("log.swf.gz: after line ") && text.contains("the rest cannot be read"), "{text}");
}

/// A job beyond its walltime ends at the same moment in every answer, which states that this is assumed.
#[test]
fn an_overdue_job_ends_at_the_same_moment_in_every_answer() {
    let folder = tempfile::tempdir().unwrap();
    let put = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    put("nodes.toml", "[[node]]\nname = \"n1\"\navailable = { ncpus = 4 }\n");
    let job = |id: u32, rest: &str| {
        format!(
            "[[job]]\nid = \"{id}\"\nuser = \"ann\"\nqueue = \"workq\"\nselect = \"1:ncpus=4\"\n\
             walltime = \"01:00:00\"\n{rest}"
        )
    };
    for started in ["-01:00:00", "-05:00:00"] {
        let runs = job(1, &format!("started = \"{started}\"\non = \"(n1:ncpus=4)\"\n"));
        let queue = format!("now = {FROM}\n[[queue]]\nname = \"workq\"\n{runs}{}", job(2, ""));
        put("queue.toml", &queue);
        let json = |words: &[&str]| -> Value {
            serde_json::from_str(&run(&[words, &[".", "--json"]].concat(), folder.path()).0).unwrap()
        };
        let simulated = json(&["simulate"]);
        let (first, second) = (&simulated["jobs"][0], &simulated["jobs"][1]);
        let starts =
            [&json(&["why", "2"])["estimate"]["start"], &json(&["when", "2"])["p50"], &second["start"]];
        assert_eq!(
            starts.map(Clone::clone),
            [json!(FROM + 1), json!(FROM + 1), json!(FROM + 1)],
            "{started}"
        );
        assert_eq!(first["end"], json!(FROM + 1), "{started}");
    }
    let flat = |words: &[&str]| run(words, folder.path()).0.split_whitespace().collect::<Vec<_>>().join(" ");
    let running = flat(&["why", "1", "."]);
    let told =
        "overdue by 4h00: its walltime was over at 04:00:00, and its end is assumed at 08:00:01 (in 1s)";
    assert!(running.contains(told), "{running}");
    let waiting = flat(&["why", "2", "."]);
    assert!(waiting.contains("due 04:00, 4h00 ago") && waiting.contains("which are overdue"), "{waiting}");
    assert!(waiting.contains("later if the job that runs, which is overdue, goes on"), "{waiting}");
}

/// Of a running job `when` says until when: its end, or the cycle that preempts it.
#[test]
fn when_of_a_running_job_states_its_end_or_what_preempts_it() {
    let folder = tempfile::tempdir().unwrap();
    let put = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    put("nodes.toml", "[[node]]\nname = \"n1\"\navailable = { ncpus = 4 }\n");
    let queues = "[[queue]]\nname = \"workq\"\n[[queue]]\nname = \"express\"\npriority = 200\n";
    let running = "[[job]]\nid = 1\nuser = \"ann\"\nqueue = \"workq\"\nselect = \"1:ncpus=4\"\n\
        walltime = \"01:00:00\"\nstarted = \"-00:10:00\"\non = \"(n1:ncpus=4)\"\n";
    let waiting = "[[job]]\nid = 2\nuser = \"bob\"\nqueue = \"express\"\nselect = \"1:ncpus=4\"\n\
        walltime = \"01:00:00\"\n";
    put("policy.toml", "[sched_config]\npreemptive_sched = true\n");
    put("queue.toml", &format!("now = {FROM}\n{queues}{running}"));
    let (text, code) = run(&["when", "1", "."], folder.path());
    assert!(code == 0 && text.contains(" (10m ago), and ends by its walltime at 08:50:00"), "{text}");
    put("queue.toml", &format!("now = {FROM}\n{queues}{running}{waiting}"));
    let (text, _) = run(&["when", "1", "."], folder.path());
    assert!(text.contains(" until this cycle, in which it is suspended to make room for 2"), "{text}");
    let (text, _) = run(&["when", "1", ".", "--json"], folder.path());
    let found: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(found["preempted_how"], "suspended", "{text}");
    assert!(found["preempted_by"].as_str().is_some_and(|by| by.starts_with('2')), "{text}");
}

/// A simulation takes a dependency on a job in no dump as met, which the cycle over the dumps does not.
#[test]
fn runs_that_start_a_job_which_the_cycle_leaves_waiting_say_so() {
    let folder = tempfile::tempdir().unwrap();
    let put = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    put("nodes.toml", "[[node]]\nname = \"n1\"\nstate = \"job-exclusive\"\navailable = { ncpus = 4 }\n");
    put(
        "queue.toml",
        &format!(
            "now = {FROM}\n[[queue]]\nname = \"workq\"\n[[job]]\nid = 2\nuser = \"bob\"\n\
            queue = \"workq\"\nselect = \"1:ncpus=4\"\nwalltime = \"01:00:00\"\n"
        ),
    );
    let (text, _) = run(&["when", "2", "."], folder.path());
    assert!(
        text.contains("note: the run starts it at once, and the cycle over the dumps leaves it waiting"),
        "{text}"
    );
}
