//! Simulated days compared with what the real scheduler did over them (days rules 1 to 12).

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use qscope::simulate::dump::DumpOrigin;
use qscope::simulate::{
    JobEnd, JobResult, Measures, Simulation, SimulationFiles, SimulationInput, SimulationResult, StopPoint,
};
use qscope::source::{Files, LoadOptions};
use qscope::universe::Quirks;
use serde::Deserialize;
use serde_json::{Value, json};

use super::cases;

/// The files of one day, by name.
type Day = BTreeMap<String, Vec<u8>>;

/// What may differ on a day.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
struct Exception {
    from: Option<i64>,
    #[serde(default)]
    jobs: Vec<String>,
    #[serde(default)]
    fields: Vec<String>,
    reason: String,
}

/// Returns the packed days, or those of a folder.
fn days() -> BTreeMap<String, Day> {
    let Ok(folder) = std::env::var("QSCOPE_DAYS") else {
        return cases::unpacked(&fs::read(cases::folder().join("days.gz")).unwrap());
    };
    let folders =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir());
    folders
        .map(|path| (path.file_name().unwrap().to_str().unwrap().to_owned(), cases::read_files(&path)))
        .collect()
}

fn exceptions() -> BTreeMap<String, Exception> {
    toml::from_str(&fs::read_to_string(cases::folder().join("days.toml")).unwrap()).unwrap()
}

fn input(name: &str, day: &Day) -> SimulationInput {
    let mut files = Files::new(name);
    for (file, bytes) in day.iter().filter(|(file, _)| !file.starts_with("expected")) {
        files.insert(file, bytes.clone(), None);
    }
    let bytes = |file: &str| day.get(file).map(Vec::as_slice);
    SimulationInput::of_files(
        &files,
        &LoadOptions::in_zone("UTC"),
        bytes("arrivals.json"),
        bytes("options.json"),
    )
    .unwrap()
}

fn simulated(name: &str, day: &Day) -> SimulationResult {
    Simulation::new(input(name, day), Quirks::default()).run(&mut ())
}

fn expected(day: &Day) -> Value {
    serde_json::from_slice(&day["expected.json"]).unwrap()
}

/// Formats a job as in `expected.json`.
fn row(job: &JobResult) -> Value {
    if job.state == JobEnd::Rejected {
        return json!({"id": &*job.name, "state": "rejected"});
    }
    let seconds = |at: Option<qscope::cluster::Epoch>| at.map(|at| at.0);
    let mut row = json!({"id": &*job.name, "at": job.at.0, "start": seconds(job.start), "end": seconds(job.end),
        "state": job.state.word()});
    let mut put = |key: &str, value: Value| row[key] = value;
    if job.is_array {
        put("array", true.into());
    }
    if let Some(nodes) = job.exec_vnode.as_ref().filter(|_| !job.is_array) {
        put("exec_vnode", (&**nodes).into());
        put("path", job.path.map(qscope::placement::PlacementPath::word).into());
    }
    if let Some(set) = &job.pset {
        put("pset", (&**set).into());
    }
    if job.runs > 1 {
        put("runs", job.runs.into());
    }
    if !job.preempted.is_empty() {
        let all: Vec<Value> = job.preempted.iter().map(|(at, how)| json!([at.0, how.letter()])).collect();
        put("preempted", all.into());
    }
    if job.refused > 0 {
        put("refused", job.refused.into());
    }
    if let Some((told, start)) = job.estimated {
        put("estimated", json!([told.0, start.0]));
    }
    row
}

/// Returns jobs by id, with rejected ones under separate keys.
fn by_id(rows: impl Iterator<Item = Value>) -> BTreeMap<String, Value> {
    let key = |job: &Value| {
        format!("{}{}", job["id"].as_str().unwrap(), if job["state"] == "rejected" { "!" } else { "" })
    };
    rows.map(|job| (key(&job), job)).collect()
}

fn runs(simulated: &SimulationResult) -> Vec<Value> {
    let names =
        |run: &qscope::simulate::CycleResult| run.started.iter().map(ToString::to_string).collect::<Vec<_>>();
    simulated.runs.iter().map(|run| json!([run.at.0, run.considered, names(run)])).collect()
}

fn figures(m: &Measures) -> Value {
    let real = |value: Option<f64>| value.map(|value| (value * 1e9).round() / 1e9);
    json!({"arrived": m.arrived, "started": m.started, "finished": m.finished, "wait_mean": real(m.wait.mean),
        "wait_median": m.wait.median, "wait_p95": m.wait.p95, "wait_max": m.wait.max,
        "slowdown_mean": real(m.slowdown_mean), "window": [m.window.0.0, m.window.1.0],
        "utilisation": real(m.utilisation), "queue_mean": real(m.queue_mean), "makespan": m.makespan})
}

/// Describes the differences in words.
#[expect(clippy::too_many_lines, reason = "one comparison after the other, field by field")]
fn differences(ours: &SimulationResult, theirs: &Value, but: Option<&Exception>) -> Vec<String> {
    let mut found = Vec::new();
    let mut compare = |what: &str, ours: &Value, theirs: &Value| {
        if ours != theirs {
            found.push(format!("{what}: {ours} for {theirs}"));
        }
    };
    let until = but.and_then(|but| but.from).unwrap_or(i64::MAX);
    let of_theirs = by_id(theirs["jobs"].as_array().unwrap().iter().cloned());
    let mut of_ours = by_id(ours.jobs.iter().map(row));
    for (id, their) in &of_theirs {
        let mut our = of_ours.remove(id).unwrap_or_default();
        let mut their = their.clone();
        let ends_later = |job: &Value| job["end"].as_i64().is_none_or(|end| end >= until);
        if but.is_some() && until < i64::MAX && (ends_later(&our) || ends_later(&their)) {
            continue;
        }
        if let Some(but) = but.filter(|but| but.jobs.contains(id)) {
            for field in &but.fields {
                (our[field], their[field]) = (Value::Null, Value::Null);
            }
        }
        compare(&format!("job {id}"), &our, &their);
    }
    let before = |run: &&Value| run[0].as_i64().unwrap() < until;
    let of_runs = runs(ours);
    let (a, b): (Vec<&Value>, Vec<&Value>) = (
        of_runs.iter().filter(before).collect(),
        theirs["runs"].as_array().unwrap().iter().filter(before).collect(),
    );
    for at in 0..a.len().max(b.len()) {
        let of = |list: &[&Value]| list.get(at).copied().cloned().unwrap_or_default();
        compare(&format!("run {at}"), &of(&a), &of(&b));
    }
    if until < i64::MAX {
        return found;
    }
    for (name, job) in of_ours {
        compare(&format!("job {name}"), &job, &Value::Null);
    }
    let counters = ours.counters;
    for (key, ours) in [
        ("from", json!(ours.from.0)),
        ("to", json!(ours.to.0)),
        ("cycles", json!(counters.cycles)),
        ("empty_cycles", json!(counters.empty_cycles)),
        ("refused", json!(counters.refused)),
        ("measures", figures(&ours.measures)),
    ] {
        let same = |key: &str| (ours[key].as_f64(), theirs["measures"][key].as_f64());
        match ours.as_object() {
            Some(measures) => {
                for key in measures.keys().filter(|key| *key != "window") {
                    let (a, b) = same(key);
                    let near =
                        a.zip(b).is_some_and(|(a, b)| (a - b).abs() < 2e-9) || (a.is_none() && b.is_none());
                    compare(key, &near.into(), &true.into());
                }
            }
            None => compare(key, &ours, &theirs[key]),
        }
    }
    if let Some(usage) = theirs["usage"].as_object() {
        let (of_ours, decayed) = ours.usage.clone().unwrap();
        compare("last_decay", &decayed.0.into(), &theirs["last_decay"]);
        let rounded = |usage: f64| (usage * 1e6).round() / 1e6;
        let of_ours: serde_json::Map<String, Value> =
            of_ours.iter().map(|(name, usage)| (name.to_string(), rounded(*usage).into())).collect();
        compare("usage", &Value::Object(of_ours), &Value::Object(usage.clone()));
    }
    found
}

/// Compares starts, ends, states, nodes, cycles, figures and usage of every day. Exceptions are listed, and the list
/// must not have any that no longer occurs.
#[test]
fn simulated_days_are_those_of_the_real_scheduler() {
    let exceptions = exceptions();
    let (mut exact, mut wrong, mut lines) = (0, Vec::new(), String::new());
    let days = days();
    for (name, day) in &days {
        let (ours, theirs) = (simulated(name, day), expected(day));
        let found = differences(&ours, &theirs, None);
        exact += usize::from(found.is_empty());
        let but = exceptions.get(name);
        lines += &format!(
            "{name}: {} jobs, {} cycles, {} differences\n",
            ours.jobs.len(),
            ours.counters.cycles,
            found.len()
        );
        match but {
            None => wrong.extend(found.iter().take(3).map(|what| format!("{name}: {what}"))),
            Some(_) if found.is_empty() => {
                wrong.push(format!("{name} comes out exactly: take it out of days.toml"));
            }

            Some(but) => {
                assert!(!but.reason.is_empty());
                wrong.extend(
                    differences(&ours, &theirs, Some(but))
                        .iter()
                        .take(3)
                        .map(|what| format!("{name}: {what}")),
                );
            }
        }
    }
    lines += &format!("{exact} of {} days exactly\n", days.len());
    std::io::stdout().write_all(lines.as_bytes()).unwrap();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// If the middle of a day is written as a folder and opened, all jobs end as in the whole day.
#[test]
fn a_written_moment_of_a_day_goes_on_as_the_day_did() {
    for (name, day) in &days() {
        goes_on_from_the_middle(name, day, &[]);
    }
}

/// The same for days whose settings were changed first, in dumps and in folders written by hand.
#[test]
fn a_written_moment_of_a_changed_day_goes_on_under_the_changed_settings() {
    let settings = ["strict_ordering=True", "backfill_depth=3", "node_sort_key=ncpus LOW unused"];
    for (name, day) in days().iter().take(6) {
        goes_on_from_the_middle(name, day, &settings);
    }
    let file = |name: &str, text: &str| (name.to_owned(), text.as_bytes().to_vec());
    let job = |id: u32, cpus: u32| {
        let list = format!(
            "{{\"ncpus\":{cpus},\"nodect\":1,\"select\":\"1:ncpus={cpus}\",\"walltime\":\"00:10:00\"}}"
        );
        let job = format!("{{\"Job_Owner\":\"u@s\",\"queue\":\"workq\",\"Resource_List\":{list}}}");
        format!("{{\"id\":\"{id}.s\",\"at\":{},\"runtime\":300,\"job\":{job}}}", 1000 + 20 * id)
    };
    let jobs: Vec<String> = (1..20).map(|id| job(id, 1 + id % 4)).collect();
    let day: Day = [
        file("nodes.toml", "[[node]]\nname = \"n[1-2]\"\navailable = { ncpus = 4 }\n"),
        file("queue.toml", "now = 1000\n[[queue]]\nname = \"workq\"\n"),
        file(
            "policy.toml",
            "[sched_config]\nstrict_ordering = false\n[server]\nbackfill_depth = 1\ndefault_queue = \"workq\"\n",
        ),
        file("arrivals.json", &format!("{{\"format\":\"arrivals 1\",\"start\":{{}},\"jobs\":[{}]}}", jobs.join(","))),
    ]
    .into_iter()
    .collect();
    goes_on_from_the_middle("by hand", &day, &settings);
}

fn goes_on_from_the_middle(name: &str, day: &Day, settings: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    let (start, moment) = (folder.path().join("start"), folder.path().join("moment"));
    write(&start, day);
    let mut input =
        SimulationInput::read(&SimulationFiles::folder(&start).unwrap(), &LoadOptions::in_zone("UTC"))
            .unwrap();
    input.start = qscope::session::apply(settings, &input.start).unwrap().snapshot;
    let whole = Simulation::new(input.clone(), Quirks::default()).run(&mut ());
    let mut half = Simulation::new(input, Quirks::default());
    let stop = StopPoint::Cycle(whole.counters.cycles / 2);
    assert!(half.run_to(stop, &mut ()), "{name}");
    half.write(
        DumpOrigin { files: &Files::from_folder(&start).unwrap(), is_changed: !settings.is_empty() },
        &moment,
    )
    .unwrap();
    let opened =
        SimulationInput::read(&SimulationFiles::folder(&moment).unwrap(), &LoadOptions::in_zone("UTC"))
            .unwrap();
    let rest = Simulation::new(opened, Quirks::default()).run(&mut ());
    let of_whole: BTreeMap<&str, &JobResult> = whole.jobs.iter().map(|job| (&*job.name, job)).collect();
    for job in rest.jobs.iter().filter(|job| job.state != JobEnd::Rejected) {
        let same = of_whole[&*job.name];
        assert_eq!((job.end, job.state), (same.end, same.state), "{name}: {}", job.name);
    }
    let later = |runs: &[qscope::simulate::CycleResult]| -> Vec<_> {
        runs.iter().filter(|run| run.at > rest.from).cloned().collect()
    };
    assert_eq!(later(&rest.runs), later(&whole.runs), "{name}");
}

fn write(folder: &Path, day: &Day) {
    fs::create_dir(folder).unwrap();
    for (file, bytes) in day {
        fs::write(folder.join(file), bytes).unwrap();
    }
}

/// Reads a cluster at which a trace arrives: omitted jobs are counted, and whole nodes are requested if one is too
/// small.
fn with_arrivals(folder: &Path, from: &[PathBuf]) -> SimulationInput {
    let start = SimulationFiles::folder(folder).unwrap();
    SimulationInput::with_other_arrivals(&start, &LoadOptions::in_zone("UTC"), from, &Default::default())
        .unwrap()
}

#[test]
fn arrivals_come_from_a_trace_and_from_accounting_logs() {
    let folder = tempfile::tempdir().unwrap();
    let put = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    put("nodes.toml", "[[node]]\nname = \"n[1-4]\"\navailable = { ncpus = 4, mem = \"1gb\" }\n");
    put("queue.toml", "now = 1000\n[[queue]]\nname = \"workq\"\n");
    put("policy.toml", "[server]\ndefault_queue = \"workq\"\n");
    put(
        "trace.swf",
        "; UnixStartTime: 1000\n1 0 5 60 2 -1 -1 2 120 -1 1 1 1 -1 1 -1 -1 -1\n2 10 0 60 6 -1 -1 6 50 1024 1 2 1 -1 1 -1 -1 -1\n3 11 0 -1 2 -1 -1 2 50 -1 5 2 1 -1 1 -1 -1 -1\n",
    );
    let from = [folder.path().join("trace.swf")];
    let input = with_arrivals(folder.path(), &from);
    assert!(
        input.arrivals.notes.iter().any(|note| note == "left out: 1 job without a run time"),
        "{:?}",
        input.arrivals.notes
    );
    let done = Simulation::new(input, Quirks::default()).run(&mut ());
    let rows: Vec<_> = done
        .jobs
        .iter()
        .map(|job| (&*job.name, job.at.0, job.end.unwrap().0, job.state, job.cores))
        .collect();
    let (first, second) =
        (("1.server", 1000, 1060, JobEnd::Done, 2.0), ("2.server", 1010, 1060, JobEnd::Killed, 8.0));
    assert_eq!(rows, [first, second]);
    assert_eq!(done.jobs[0].was.unwrap().0, 1005);

    let head = "user=ann group=users queue=workq";
    let list = "Resource_List.ncpus=4 Resource_List.nodect=1 Resource_List.place=free Resource_List.select=1:ncpus=4 Resource_List.walltime=00:02:00";
    let log = format!(
        "01/01/1970 00:20:00;Q;5.svr;queue=workq\n01/01/1970 00:25:00;E;5.svr;{head} ctime=1200 qtime=1200 etime=1230 start=1240 {list} end=1300 Exit_status=3\n\
         01/01/1970 00:25:00;E;6[2].svr;{head} ctime=1300 qtime=1300 etime=1300 start=1310 {list} end=1360 Exit_status=0\n\
         01/01/1970 00:25:00;E;6[7].svr;{head} ctime=1300 qtime=1300 etime=1300 start=1310 {list} end=1350 Exit_status=0\n\
         01/01/1970 00:21:00;Q;7.svr;{head} ctime=1240 qtime=1240 etime=1240 {list}\n01/01/1970 00:22:00;D;7.svr;requestor=ann@host\nbroken\n"
    );
    put("19700101", &log);
    let from = [folder.path().join("19700101")];
    let input = with_arrivals(folder.path(), &from);
    let fates: Vec<_> =
        input.arrivals.jobs.iter().map(|one| (&*one.name, one.at.0, one.fate.clone())).collect();
    assert_eq!(fates.len(), 3, "{fates:?}");
    let (name, at, fate) = &fates[0];
    assert_eq!(
        (*name, *at, fate.runtime, fate.exit, fate.release.map(|at| at.0)),
        ("5.svr", 1200, Some(60), 3, Some(1230))
    );
    let (name, _, fate) = &fates[1];
    assert_eq!((*name, fate.cancel.map(|at| at.0)), ("7.svr", Some(1320)));
    let (name, _, fate) = &fates[2];
    assert_eq!((*name, fate.runtimes.clone()), ("6[].svr", BTreeMap::from([(2, 50), (7, 40)])));
    assert!(
        input.arrivals.notes.iter().any(|note| note == "left out: 1 line that is no record"),
        "{:?}",
        input.arrivals.notes
    );
    assert!(
        input.arrivals.notes.iter().any(|note| note.starts_with("1 job deleted or moved before a start"))
    );
    let done = Simulation::new(input, Quirks::default()).run(&mut ());
    assert!(done.jobs.iter().filter(|job| !job.is_array).all(|job| job.state == JobEnd::Done));
}

/// The same arrivals under two settings: the same jobs, compared one by one.
#[test]
fn two_settings_are_compared_job_by_job() {
    let days = days();
    let day = &days["backfill1"];
    let first = simulated("backfill1", day);
    let mut other = input("backfill1", day);
    other.start.server.backfill_depth = Some(5);
    let second = Simulation::new(other, Quirks::default()).run(&mut ());
    let difference = qscope::simulate::SimulationDifference::between(&first, &second);
    assert_eq!(difference.count + difference.apart, first.measures.arrived);
    assert_eq!(difference.shorter + difference.longer + difference.same, difference.count);
    assert!(difference.first.is_some());
    let of_users: usize = difference.classes["user"].values().map(|class| class.count).sum();
    assert_eq!(of_users, difference.count);
    let work = |simulated: &SimulationResult| -> f64 {
        let one = |job: &JobResult| Some((job.end? - job.start?).0 as f64 * job.cores);
        simulated.jobs.iter().filter_map(one).sum()
    };
    assert_eq!(work(&first), work(&second), "work is kept");
    let same = qscope::simulate::SimulationDifference::between(&first, &first);
    assert_eq!((same.mean, same.first, same.same), (Some(0.0), None, same.count));
}

/// A time that its record cannot have does not count: without it, the job was queued when it was created.
#[test]
fn a_time_that_its_record_cannot_have_does_not_count() {
    let folder = tempfile::tempdir().unwrap();
    let put = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    put("nodes.toml", "[[node]]\nname = \"n1\"\navailable = { ncpus = 4 }\n");
    put("queue.toml", "now = 1000\n[[queue]]\nname = \"workq\"\n");
    let job = "user=ann group=users queue=workq ctime=1200 qtime=4102444800 start=1240";
    let list = "Resource_List.ncpus=4 Resource_List.select=1:ncpus=4 Resource_List.walltime=00:02:00";
    put("19700101", &format!("01/01/1970 00:25:00;E;8.svr;{job} {list} end=1300 Exit_status=0\n"));
    let input = with_arrivals(folder.path(), &[folder.path().join("19700101")]);
    assert_eq!(input.arrivals.jobs.iter().map(|one| one.at.0).collect::<Vec<_>>(), [1200]);
    let note = "1 record with a time after it was written, or ten years before: that time does not count";
    assert!(input.arrivals.notes.iter().any(|have| have == note), "{:?}", input.arrivals.notes);
}
