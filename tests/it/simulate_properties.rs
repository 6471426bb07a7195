//! Properties of every simulated day, whatever the settings (days rules 2 to 10).

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use proptest::prelude::*;
use qscope::cluster::ResourceId;
use qscope::cycle::Run;
use qscope::simulate::dump::DumpOrigin;
use qscope::simulate::{
    CycleCounters, CycleObserver, JobEnd, JobResult, MeasuredDetail, Simulation, SimulationFiles,
    SimulationInput, SimulationResult, StopPoint,
};
use qscope::source::{Files, LoadOptions};
use qscope::universe::Quirks;
use serde_json::{Value, json};

const FROM: i64 = 1_763_712_000;

/// One arrival of a generated day.
#[derive(Clone, Debug)]
struct Arriving {
    after: i64,
    chunks: i64,
    cores: i64,
    place: &'static str,
    runtime: i64,
    walltime: i64,
    queue: &'static str,
    user: u8,
    extra: Extra,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Extra {
    None,
    Array(u32),
    Held(i64),
    After,
    Cancel(i64),
    Stretch,
}

/// A generated day.
#[derive(Clone, Debug)]
struct Day {
    nodes: i64,
    cores: i64,
    options: Vec<&'static str>,
    depth: u32,
    order: &'static str,
    arrivals: Vec<Arriving>,
}

fn arriving() -> impl Strategy<Value = Arriving> {
    let extra = prop_oneof![
        6 => Just(Extra::None),
        1 => (1u32..5).prop_map(Extra::Array),
        1 => (1i64..2000).prop_map(Extra::Held),
        1 => Just(Extra::After),
        1 => (0i64..2000).prop_map(Extra::Cancel),
        1 => Just(Extra::Stretch),
    ];
    let place = prop_oneof![Just("free"), Just("scatter"), Just("excl"), Just("scatter:excl"), Just("pack")];
    let queue = prop_oneof![4 => Just("workq"), 1 => Just("express")];
    (0i64..900, 1i64..4, 1i64..5, place, 0i64..2500, 60i64..2000, queue, 0u8..3, extra).prop_map(
        |(after, chunks, cores, place, runtime, walltime, queue, user, extra)| Arriving {
            after,
            chunks,
            cores,
            place,
            runtime,
            walltime,
            queue,
            user,
            extra,
        },
    )
}

fn day() -> impl Strategy<Value = Day> {
    let option = prop_oneof![
        Just("strict_ordering: True ALL"),
        Just("backfill: True ALL"),
        Just("fair_share: True ALL"),
        Just("preemptive_sched: True ALL"),
        Just("by_queue: False ALL"),
        Just("round_robin: True ALL"),
    ];
    let order = prop_oneof![Just("SCR"), Just("R"), Just("C"), Just("D"), Just("S")];
    (
        2i64..6,
        4i64..9,
        prop::collection::vec(option, 0..4),
        0u32..4,
        order,
        prop::collection::vec(arriving(), 1..25),
    )
        .prop_map(|(nodes, cores, options, depth, order, arrivals)| Day {
            nodes,
            cores,
            options,
            depth,
            order,
            arrivals,
        })
}

fn put(folder: &Path, name: &str, value: &Value) {
    std::fs::write(folder.join(name), value.to_string()).unwrap();
}

/// Writes a day as a folder.
fn write(day: &Day, folder: &Path) {
    let node = |n: i64| {
        (
            format!("n{n}"),
            json!({"Mom": format!("n{n}"), "state": "free", "license": "l", "sharing": "default_shared",
            "resv_enable": "True", "resources_available": {"host": format!("n{n}"), "vnode": format!("n{n}"), "ncpus": day.cores}}),
        )
    };
    let nodes: BTreeMap<String, Value> = (0..day.nodes).map(node).collect();
    let queue = |priority: i64| json!({"queue_type": "Execution", "enabled": "True", "started": "True", "Priority": priority});
    put(folder, "nodes.json", &json!({"timestamp": FROM, "nodes": nodes}));
    put(
        folder,
        "queues.json",
        &json!({"timestamp": FROM, "Queue": {"workq": queue(0), "express": queue(160)}}),
    );
    put(
        folder,
        "server.json",
        &json!({"timestamp": FROM, "Server": {"svr": {"server_state": "Idle", "scheduling": "True",
        "default_queue": "workq", "backfill_depth": day.depth, "eligible_time_enable": "True"}}}),
    );
    put(folder, "jobs.json", &json!({"timestamp": FROM, "Jobs": {}}));
    put(folder, "options.json", &json!({"patience": 7200}));
    std::fs::write(folder.join("now"), FROM.to_string()).unwrap();
    std::fs::write(folder.join("sched.txt"), format!("Sched default\n    preempt_order = {}\n", day.order))
        .unwrap();
    let config =
        "fairshare_usage_res: cput\nfairshare_entity: euser\nresources: \"ncpus, mem, host, vnode\"\n";
    let lines: Vec<String> = day.options.iter().map(|option| option.replacen(' ', "\t", 0)).collect();
    std::fs::write(folder.join("sched_config"), format!("{config}{}\n", lines.join("\n"))).unwrap();
    let mut at = FROM;
    let jobs: Vec<Value> = day
        .arrivals
        .iter()
        .zip(1..)
        .map(|(one, number)| {
            at += one.after;
            arrival(one, number, at)
        })
        .collect();
    put(folder, "arrivals.json", &json!({"format": "arrivals 1", "start": {}, "jobs": jobs}));
}

fn arrival(one: &Arriving, number: i64, at: i64) -> Value {
    let mut list = json!({"ncpus": one.chunks * one.cores, "nodect": one.chunks, "place": one.place,
        "select": format!("{}:ncpus={}", one.chunks, one.cores), "walltime": one.walltime.to_string()});
    let mut job = json!({"Job_Owner": format!("user{}@svr", one.user), "queue": one.queue});
    let mut id = format!("{number}.svr");
    let mut row = json!({"at": at, "runtime": one.runtime});
    match one.extra {
        Extra::None => {}
        Extra::Array(last) => {
            id = format!("{number}[].svr");
            job["array"] = "True".into();
            job["array_indices_submitted"] = format!("0-{last}").into();
            row["runtimes"] = json!({"0": one.runtime / 2});
        }
        Extra::Held(seconds) => {
            job["job_state"] = "H".into();
            job["Hold_Types"] = "u".into();
            row["release"] = (at + seconds).into();
        }
        Extra::After => job["depend"] = format!("afterany:{}.svr", number - 1).into(),
        Extra::Cancel(seconds) => row["cancel"] = (at + seconds).into(),
        Extra::Stretch => {
            let list = list.as_object_mut().unwrap();
            list.remove("walltime");
            list.insert("min_walltime".into(), "60".into());
            list.insert("max_walltime".into(), one.walltime.to_string().into());
        }
    }
    job["Resource_List"] = list;
    row["id"] = id.into();
    row["job"] = job;
    row
}

fn open(folder: &Path) -> SimulationInput {
    let how = LoadOptions::in_zone("UTC");
    SimulationInput::read(&SimulationFiles::folder(folder).unwrap(), &how).unwrap()
}

fn simulation(folder: &Path) -> Simulation {
    Simulation::new(open(folder), Quirks::default())
}

/// Checks every vnode before every cycle.
#[derive(Default)]
struct Inspector {
    wrong: Vec<String>,
}

impl CycleObserver for Inspector {
    fn cycle(&mut self, run: &Arc<Run>, _: &CycleCounters) -> bool {
        let snap = &run.plan.snap;
        for node in &snap.nodes {
            let amount =
                |list: &qscope::cluster::ResourceList| list.amount(ResourceId::ncpus()).unwrap_or_default().0;
            let on_it: f64 = snap
                .jobs
                .iter()
                .filter(|job| job.state.letter() == 'R')
                .flat_map(|job| {
                    let parts = job.exec_vnode.iter().flat_map(qscope::cluster::ExecVnode::parts);
                    parts
                        .filter(|part| part.vnode == node.name)
                        .flat_map(|part| &part.resources)
                        .collect::<Vec<_>>()
                })
                .map(|(_, amount)| amount.parse::<f64>().unwrap())
                .sum();
            if on_it > amount(&node.available) || on_it != amount(&node.assigned) {
                self.wrong.push(format!(
                    "{}: {on_it} cpus on {} of {}",
                    node.name,
                    amount(&node.assigned),
                    amount(&node.available)
                ));
            }
            if node.states.has(qscope::cluster::NodeState::JobExclusive) && node.jobs.len() != 1 {
                self.wrong.push(format!("{}: held alone with {} jobs", node.name, node.jobs.len()));
            }
        }
        true
    }
}

fn essence(simulated: &SimulationResult) -> String {
    format!(
        "{:?} {:?} {:?} {:?} {:?}",
        simulated.jobs, simulated.runs, simulated.counters, simulated.usage, simulated.series
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn no_vnode_is_over_assigned_and_jobs_run_as_long_as_they_may(day in day()) {
        let folder = tempfile::tempdir().unwrap();
        write(&day, folder.path());
        let mut inspector = Inspector::default();
        let simulated = simulation(folder.path()).run(&mut inspector);
        prop_assert!(inspector.wrong.is_empty(), "{:?}", inspector.wrong);
        let by_number: BTreeMap<String, &Arriving> =
            day.arrivals.iter().zip(1..).map(|(one, number)| (number.to_string(), one)).collect();
        for job in simulated.jobs.iter().filter(|job| !job.is_array) {
            let of = by_number[job.name.split(['.', '[']).next().unwrap()];
            prop_assert!(job.start.is_none_or(|start| start >= job.at), "{} started before it came", job.name);
            if !matches!(job.state, JobEnd::Done | JobEnd::Killed) || !job.preempted.is_empty() {
                continue;
            }
            let ran = job.end.unwrap().0 - job.start.unwrap().0;
            let may = job.walltime.unwrap();
            let would = if job.name.contains("[0]") { of.runtime / 2 } else { of.runtime };
            prop_assert_eq!(ran, would.min(may), "{}", job.name);
            prop_assert_eq!(job.state == JobEnd::Killed, would > may);
        }
    }

    #[test]
    fn the_same_input_gives_the_same_answer(day in day()) {
        let folder = tempfile::tempdir().unwrap();
        write(&day, folder.path());
        let once = simulation(folder.path()).run(&mut ());
        let again = simulation(folder.path()).run(&mut ());
        prop_assert_eq!(essence(&once), essence(&again));
    }

    #[test]
    fn waits_by_reason_add_up_and_measuring_changes_nothing(day in day()) {
        let folder = tempfile::tempdir().unwrap();
        write(&day, folder.path());
        let plain = simulation(folder.path()).run(&mut ());
        let detail = MeasuredDetail { load: true, reasons: true };
        let mut measured = simulation(folder.path()).measuring(detail).run(&mut ());
        let waited: f64 = measured.waited.take().unwrap().iter().map(|of| of.core_seconds).sum();
        measured.jobs.iter_mut().for_each(|job| job.last_reason = None);
        prop_assert_eq!(format!("{:?}", measured.jobs), format!("{:?}", &plain.jobs));
        prop_assert_eq!((&measured.runs, measured.counters), (&plain.runs, plain.counters));
        prop_assert_eq!(&measured.measures, &plain.measures);
        // A preempted job waits in between too.
        if plain.jobs.iter().all(|job| job.preempted.is_empty()) {
            let of = |job: &JobResult| &day.arrivals[job.name.split(['.', '[']).next().unwrap().parse::<usize>().unwrap() - 1];
            let wait = |job: &JobResult| job.start.or(job.end).unwrap_or(plain.to).0 - job.at.0;
            let expected: i64 =
                plain.jobs.iter().filter(|job| !job.is_array).map(|job| wait(job) * of(job).chunks * of(job).cores).sum();
            prop_assert!((waited - expected as f64).abs() < 1e-6, "{waited} for {expected}");
        }
    }

    #[test]
    fn going_on_from_a_moment_goes_on_exactly(day in day(), cycle in 1u64..40) {
        let (folder, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        write(&day, folder.path());
        let whole = simulation(folder.path()).run(&mut ());
        let mut stopped = simulation(folder.path());
        prop_assume!(stopped.run_to(StopPoint::Cycle(cycle), &mut ()));
        let at = other.path().join("moment");
        stopped.write(DumpOrigin { files: &Files::from_folder(folder.path()).unwrap(), is_changed: false }, &at).unwrap();
        let rest = simulation(&at).run(&mut ());
        let of_whole: Vec<_> = whole.runs.iter().filter(|run| run.at >= rest.from).cloned().collect();
        let later = rest.runs.clone();
        // Cycles of the same second that came before are not part of the rest.
        let skipped = of_whole.len().saturating_sub(later.len());
        prop_assert!(of_whole.iter().take(skipped).all(|run| run.at == rest.from), "{:?} for {:?}", later, of_whole);
        prop_assert_eq!(&later, &of_whole[skipped..]);
        prop_assert_eq!(rest.to, whole.to);
        for job in &rest.jobs {
            let same = whole.jobs.iter().find(|have| have.name == job.name).unwrap();
            prop_assert_eq!((job.end, job.state), (same.end, same.state), "{}", job.name);
            if job.runs > 0 {
                prop_assert_eq!(&job.exec_vnode, &same.exec_vnode, "{}", job.name);
            }
        }
        if let (Some((whole, decay)), Some((rest, decayed))) = (&whole.usage, &rest.usage) {
            prop_assert_eq!(decay, decayed);
            for (name, usage) in rest {
                prop_assert!((usage - whole[name]).abs() < 1e-6, "{name}: {usage} for {}", whole[name]);
            }
        }
    }

    #[test]
    fn what_comes_after_all_has_ended_changes_nothing_before(day in day()) {
        let (folder, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        write(&day, folder.path());
        let before = simulation(folder.path()).run(&mut ());
        let mut longer = day.clone();
        let after = before.to.0 - FROM + 100_000;
        let last = Arriving { after, extra: Extra::None, ..longer.arrivals[0].clone() };
        longer.arrivals.push(last);
        write(&longer, other.path());
        let with = simulation(other.path()).run(&mut ());
        for job in before.jobs.iter().filter(|job| job.end.is_some()) {
            let same = with.jobs.iter().find(|have| have.name == job.name).unwrap();
            prop_assert_eq!((job.start, job.end, &job.exec_vnode), (same.start, same.end, &same.exec_vnode));
        }
    }
}
