//! `qscope try`: its answer is what the cycle does with the job in the folder; refused requests are named.

use std::fs;
use std::process::{Command, Output};
use std::sync::Arc;

use qscope::advice::TrialRun;
use qscope::advice::request::{RequestEffort, SubmitRequest, answer};
use qscope::cluster::{Edit, Job, JobState, Name};
use qscope::cycle::run_cycle;
use qscope::source::{Files, LoadOptions, load};
use qscope::universe::Quirks;
use serde_json::{Map, Value, json};

use super::cases::{self, Case, Family};
use super::real;

/// Returns what a job of a case requests, as its owner would submit it again.
fn asked(job: &Value) -> Option<SubmitRequest> {
    let list = job["Resource_List"].as_object()?;
    let mut resources: Vec<(String, String)> = Vec::new();
    for (name, value) in list {
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        // The server derives these from the select.
        let is_made = matches!(name.as_str(), "nodect" | "ncpus" | "mem" | "mpiprocs" | "ompthreads");
        if !is_made {
            resources.push((name.clone(), value));
        }
    }
    resources.iter().find(|(name, _)| name == "select")?;
    Some(SubmitRequest {
        resources,
        queue: Some(job["queue"].as_str()?.to_owned()),
        user: job["euser"].as_str()?.to_owned(),
        group: Some(job["egroup"].as_str()?.to_owned()),
        priority: job["Priority"].as_i64(),
        ..SubmitRequest::default()
    })
}

/// Returns the dump with one more job, which requests the same as another one.
fn with_job(jobs: &Value, like: &Value, now: i64) -> Value {
    let mut all = jobs.clone();
    let ranks = jobs["Jobs"].as_object().unwrap().values().filter_map(|job| job["queue_rank"].as_i64());
    let rank = ranks.max().unwrap() + 1;
    let mut job: Map<String, Value> = like.as_object().unwrap().clone();
    let kept = |name: &str| {
        let own = ["Job_Owner", "job_state", "queue", "server", "Priority", "Resource_List", "schedselect"];
        own.contains(&name) || ["euser", "egroup", "Hold_Types", "substate"].contains(&name)
    };
    job.retain(|name, _| kept(name));
    job.insert("queue_rank".to_owned(), json!(rank));
    for time in ["ctime", "qtime", "etime", "mtime"] {
        job.insert(time.to_owned(), json!(now));
    }
    job.insert("project".to_owned(), json!("_pbs_project_default"));
    all["Jobs"].as_object_mut().unwrap().insert("99999.svr".to_owned(), Value::Object(job));
    all
}

/// What an answer has to agree in: the verdict and the nodes.
type Verdict = (String, Option<String>);

fn by_folder(case: &Case, jobs: &Value) -> Verdict {
    let mut files = Files::new(&case.name);
    for (name, bytes) in &case.files {
        files.insert(name, bytes.clone(), None);
    }
    files.insert("jobs.json", serde_json::to_vec(jobs).unwrap(), None);
    let run = run_cycle(Arc::new(load(&files, &LoadOptions::default()).unwrap()), Quirks::default());
    let job = run.plan.snap.job_named("99999").unwrap();
    let outcome = run.outcome(job).unwrap();
    let on = outcome.placed.as_ref().map(|placed| placed.allocation.exec_vnode(&run.plan));
    (run.verdict(outcome).word().to_owned(), on.filter(|_| !run.is_refused(outcome)))
}

#[test]
fn the_answer_is_what_the_cycle_does_with_the_job_in_the_folder() {
    let none = RequestEffort { cycles: 0, smaller: false };
    let (mut tried, mut started) = (0, 0);
    for case in cases::all().iter().filter(|case| matches!(case.family, Family::Random | Family::Wide)) {
        let Some(bytes) = case.files.get("jobs.json") else { continue };
        let jobs: Value = serde_json::from_slice(bytes).unwrap();
        let waits =
            |job: &&Value| job["job_state"] == "Q" && job["array"].is_null() && job["reserve_ID"].is_null();
        let all: Vec<&Value> = jobs["Jobs"].as_object().unwrap().values().filter(waits).collect();
        let Some(like) = all.get(tried % all.len().max(1)) else { continue };
        let Some(request) = asked(like) else { continue };
        let snap = case.snapshot();
        let expected = by_folder(case, &with_job(&jobs, like, snap.now.0));
        let run = run_cycle(snap, Quirks::default());
        let found = answer(&run, &request, none);
        if !found.accepted && found.refusals.iter().any(|refusal| refusal.kind.starts_with("resources_")) {
            continue;
        }
        assert!(found.accepted, "{}: {:?}", case.name, found.refusals);
        assert_eq!(
            (found.final_verdict.unwrap().to_owned(), found.exec_vnode.clone()),
            expected,
            "{}: {request:?}",
            case.name
        );
        tried += 1;
        started += usize::from(found.starts());
    }
    assert!(tried >= 200 && started >= 20, "{tried} {started}");
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    let node = |name: &str, state: &str| {
        format!(
            "{name}\n     Mom = {name}\n     {state}     resources_available.host = {name}\n     \
             resources_available.ncpus = 4\n     resources_available.mem = 8gb\n     \
             resources_available.vnode = {name}\n\n"
        )
    };
    let (free, taken) =
        ("state = free\n", "state = job-exclusive\n     jobs = 7.s/0\n     resources_assigned.ncpus = 4\n");
    let nodes = [("n1", taken), ("n2", taken), ("n3", free), ("n4", free)];
    write("now", "1763700000\n");
    write("nodes.txt", &nodes.map(|(name, state)| node(name, state)).concat());
    write(
        "jobs.txt",
        "Job Id: 7.s\n    Job_Owner = bob@s\n    euser = bob\n    egroup = phys\n    job_state = R\n    queue = workq\n    \
        stime = 1763699400\n    exec_vnode = (n1:ncpus=4)+(n2:ncpus=4)\n    Resource_List.ncpus = 8\n    Resource_List.select = 2:ncpus=4\n    \
        Resource_List.place = scatter:excl\n    schedselect = 2:ncpus=4\n    Resource_List.walltime = 01:00:00\n\n",
    );
    write(
        "queues.txt",
        "Queue: workq\n    queue_type = Execution\n    enabled = True\n    started = True\n    resources_default.walltime = 00:30:00\n\n\
        Queue: small\n    queue_type = Execution\n    enabled = True\n    started = True\n    resources_max.ncpus = 4\n\n\
        Queue: phys\n    queue_type = Execution\n    acl_user_enable = True\n    acl_users = bob\n    enabled = True\n    started = True\n\n\
        Queue: shut\n    queue_type = Execution\n    enabled = False\n    started = True\n\n",
    );
    write(
        "server.txt",
        "Server: s\n    server_state = Active\n    scheduling = True\n    default_queue = workq\n    default_chunk.ncpus = 1\n\n",
    );
    folder
}

fn try_it(arguments: &[&str]) -> Output {
    let mut program = Command::new(env!("CARGO_BIN_EXE_qscope"));
    let clean = program.env("TZ", "UTC").env_remove("USER").env_remove("QSCOPE_PBS_BIN");
    clean.arg("try").args(arguments).output().unwrap()
}

#[test]
fn a_request_is_answered_in_a_few_lines() {
    let folder = folder();
    let at = folder.path().to_str().unwrap();
    let now = try_it(&["-l", "select=2:ncpus=4", "-l", "place=excl", "--as", "ann", at]);
    assert_eq!(now.status.code(), Some(0), "{now:?}");
    insta::assert_snapshot!("try_starts", String::from_utf8(now.stdout).unwrap());
    let later = try_it(&["-l", "select=3:ncpus=4,place=scatter,walltime=2:00:00", "--as", "ann", at]);
    assert_eq!(later.status.code(), Some(1));
    insta::assert_snapshot!("try_waits", String::from_utf8(later.stdout).unwrap());
    let json = try_it(&["-l", "select=3:ncpus=4", "--as", "ann", at, "--json", "--no-smaller"]);
    let json: Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!((&json["accepted"], &json["verdict"]), (&true.into(), &"not_now".into()));
    assert!(json["when"]["start"].as_i64().unwrap() > 1_763_700_000);
}

#[test]
fn what_the_server_would_refuse_is_named() {
    let folder = folder();
    let at = folder.path().to_str().unwrap();
    for (words, message) in [
        (
            vec!["-l", "select=1:ncpus=1", "-q", "phys"],
            "Access to queue is denied: acl_users of queue phys does not admit ann",
        ),
        (vec!["-l", "select=1:ncpus=1", "-q", "shut"], "Queue is not enabled"),
        (vec!["-l", "select=1:ncpus=1", "-q", "smal"], "did you mean `small`?"),
        (
            vec!["-l", "select=2:ncpus=4", "-q", "small"],
            "ncpus=8 asked for, at most 4 in queue small (resources_max)",
        ),
        (vec!["-l", "select=1:ncpu=1"], "did you mean `ncpus`?"),
        (vec!["-l", "select=1:walltime=1"], "Resource invalid in \"select\" specification"),
        (vec!["-l", "select=1:ncpus=x"], "Illegal attribute or resource value"),
        (vec!["-l", "select=1:ncpus=1:ncpus=2"], "select: `ncpus` is repeated in a chunk"),
        (vec!["-l", "select=1:ncpus=1,place=heap"], "`heap` is not a place word"),
        (vec!["-l", "select=1:ncpus=1,mem=1gb"], "cannot be asked for beside select"),
        (vec!["-l", "select=1:ncpus=1", "-l", "nodes=2"], "nodes and select both request chunks"),
        (vec!["-l", "nodes=2", "-l", "place=scatter"], "nodes has a place of its own"),
        (vec!["-l", "ncpus=1", "-l", "place=excl"], "cannot be used without \"select\""),
    ] {
        let output = try_it(&[&words[..], &["--as", "ann", at]].concat());
        let text = String::from_utf8(output.stdout).unwrap();
        assert_eq!(output.status.code(), Some(1), "{text}");
        let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(flat.contains(message), "{text}");
    }
    let accepted = try_it(&["-l", "select=2:ncpus=4", "-q", "small", "--as", "bob", at]);
    assert!(String::from_utf8(accepted.stdout).unwrap().contains("accepted by: workq, phys"));
}

/// The server makes a place of `#shared` that the scheduler cannot read, and ignores such a job in every cycle.
#[test]
fn shared_nodes_are_accepted_and_ignored_by_the_scheduler() {
    let found = tried_on_c04(&["-l", "nodes=1:ppn=2#shared", "--as", "bob"]);
    assert_eq!(found["accepted"], true, "{found}");
    assert_eq!(found["added"], json!(["place=scatter:share, which the scheduler cannot read"]));
    assert_eq!((&found["verdict"], &found["final_verdict"]), (&json!("not_considered"), &json!("never")));
    let headline = found["headline"].as_str().unwrap();
    assert!(headline.contains("\"invalid placement spec\"; its place cannot be read"), "{headline}");
    assert_eq!(tried_on_c04(&["-l", "nodes=1:ppn=2#excl", "--as", "bob"])["place"], "scatter:excl");
}

/// Checks rows of options, the exit code, and the texts that the answer contains.
fn assert_answers(at: &str, rows: &[(&str, i32, &[&str])]) {
    for (options, code, parts) in rows {
        let words: Vec<&str> = options.split(' ').chain([at]).collect();
        let output = try_it(&words);
        let answer = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap()).concat();
        assert_eq!(output.status.code(), Some(*code), "{options}: {answer}");
        let flat = answer.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(parts.iter().all(|part| flat.contains(part)), "{options}: {answer}");
    }
}

const QUEUES: &str = "\
Queue: workq
    queue_type = Execution
    enabled = True
    started = True
    max_queued = [u:PBS_GENERIC=3]
    max_queued = [u:eve=1]
    max_queued_res.ncpus = [o:PBS_ALL=64]

Queue: small
    queue_type = Execution
    enabled = True
    started = True
    from_route_only = True
    resources_max.ncpus = 4

Queue: entry
    queue_type = Route
    enabled = True
    started = True
    route_destinations = small,workq
";

#[test]
fn what_may_be_queued_arrays_and_routes_count() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    let node = |n: u32| {
        format!(
            "n{n}\n     Mom = n{n}\n     ntype = PBS\n     state = free\n     pcpus = 8\n     resources_available.ncpus = 8\n     resources_available.vnode = n{n}\n     resources_available.host = n{n}\n     sharing = default_shared\n\n"
        )
    };
    write("nodes.txt", &[node(1), node(2)].concat());
    let job = |n: u32, user: &str| {
        format!(
            "Job Id: {n}.svr\n    Job_Name = j\n    Job_Owner = {user}@h\n    euser = {user}\n    egroup = g\n    job_state = Q\n    queue = workq\n    Resource_List.ncpus = 8\n    Resource_List.nodect = 1\n    Resource_List.select = 1:ncpus=8\n    qtime = Sat Nov 21 01:57:23 2026\n\n"
        )
    };
    write("jobs.txt", &[job(1, "eve"), job(2, "ann"), job(3, "ann")].concat());
    write("queues.txt", QUEUES);
    let at = folder.path().to_str().unwrap();
    assert_answers(
        at,
        &[
            (
                "-l select=1:ncpus=1 -q workq --as eve",
                1,
                &["refused", "eve has 1 job at queue workq", "max_queued allows 1"],
            ),
            ("-l select=1:ncpus=1 -q workq --as ann --no-estimate --no-smaller", 1, &["accepted"]),
            (
                "-l select=1:ncpus=1 -q workq --as ann -J 1-2",
                1,
                &["this one adds 2, and max_queued allows 3"],
            ),
            ("-l select=6:ncpus=8 -q workq --as bob", 1, &["max_queued_res.ncpus allows 64"]),
            ("-l select=1:ncpus=2 -q small --as bob", 1, &["from_route_only"]),
            (
                "-l select=1:ncpus=2 -q entry --as bob --no-estimate --no-smaller",
                1,
                &["queue small (route_destinations of entry)"],
            ),
            (
                "-l select=1:ncpus=8 -q entry --as bob --no-estimate --no-smaller",
                1,
                &["queue workq (route_destinations of entry)"],
            ),
            ("-l select=1:ncpus=8 -q entry --as eve", 1, &["resources_max", "max_queued allows 1"]),
            ("-l select=1:ncpus=8 -J 3-1 --as eve", 2, &["expected FIRST-LAST"]),
        ],
    );
}

#[test]
fn subjobs_that_start_are_counted() {
    let folder = folder();
    let at = folder.path().to_str().unwrap();
    let output = try_it(&[
        "-l",
        "select=1:ncpus=1",
        "-l",
        "walltime=00:01:00",
        "-J",
        "1-3%2",
        "--as",
        "zed",
        "--json",
        at,
    ]);
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(found["subjobs"]["total"], 3, "{found}");
    assert!(found["subjobs"]["starting"].as_u64().unwrap() <= 2, "{found}");
}

/// Runs `try` with --json on the real cluster c04.
fn tried_on_c04(arguments: &[&str]) -> Value {
    let root = real::named("c04").on_disk();
    let before = root.path().join("before");
    let mut all: Vec<&str> = arguments.to_vec();
    all.extend(["--no-estimate", "--no-smaller", "--json", before.to_str().unwrap()]);
    serde_json::from_slice(&try_it(&all).stdout).unwrap()
}

/// An array preempts for every subjob that starts, not only for the first.
#[test]
fn the_victims_of_all_subjobs_are_listed() {
    let array = |indices| {
        let select = ["-l", "select=2:ncpus=16", "-l", "place=scatter:excl", "-l", "walltime=1:00:00"];
        let more = ["-q", "express", "-J", indices, "--as", "alice"];
        tried_on_c04(&[&select[..], &more].concat())["preempts"].clone()
    };
    assert_eq!(array("1-2"), json!([]));
    assert_eq!(array("1-3"), json!(["51.pbs01"]));
    assert_eq!(array("1-13").as_array().unwrap().len(), 4);
}

/// An array of which fewer subjobs start is delayed too: these subjobs.
#[test]
fn subjobs_that_no_longer_start_are_delayed() {
    let found = tried_on_c04(&[
        "-l",
        "select=7:ncpus=32",
        "-l",
        "place=free:excl",
        "-l",
        "walltime=4:00:00",
        "-q",
        "express",
        "--as",
        "bob",
    ]);
    let delays = ["61", "62", "67[]", "68", "66[7]", "66[9]"].map(|job| format!("{job}.pbs01"));
    assert_eq!(found["delays"], json!(delays), "{found}");
}

/// A dependency on a job that runs holds the request; one on a job that is not in the dump is a doubt.
#[test]
fn a_dependency_on_a_job_in_the_dump_holds_the_request() {
    let depends = |depend| tried_on_c04(&["-l", "select=1:ncpus=1", "-W", depend, "--as", "bob"]);
    let held = depends("depend=afterok:53");
    assert_eq!(
        (&held["final_verdict"], &held["tier"]),
        (&json!("not_considered"), &json!("not_eligible")),
        "{held}"
    );
    assert!(held["headline"].as_str().unwrap().contains("afterok:53"), "{held}");
    assert_eq!(depends("depend=after:53")["final_verdict"], "run");
    let unknown = depends("depend=afterany:4711");
    assert_eq!(unknown["final_verdict"], "run");
    assert_eq!(unknown["doubts"][0], "how 4711, which it depends on, has ended");
}

/// An array as a whole is not named like a subjob.
#[test]
fn the_headline_is_about_the_new_array() {
    let found = tried_on_c04(&["-l", "select=8:ncpus=16", "-J", "1-3", "--as", "bob"]);
    let headline = found["headline"].as_str().unwrap();
    assert!(headline.contains("the new array") && !headline.contains("[]"), "{headline}");
}

/// A request has both verdicts, as a job has in `cycle`.
#[test]
fn a_request_has_the_verdicts_of_a_job() {
    let found = tried_on_c04(&["-l", "select=2:ncpus=64", "--as", "bob"]);
    let verdicts = (&found["verdict"], &found["final_verdict"]);
    assert_eq!(verdicts, (&json!("not_now"), &json!("never")), "{found}");
}

#[test]
fn scripts_are_read_and_options_hold_over_them() {
    let folder = folder();
    let at = folder.path().to_str().unwrap();
    let script = folder.path().join("job.sh");
    fs::write(&script, "#!/bin/bash\n#PBS -l select=1:ncpus=4:mem=2gb -q small\n#PBS -N test\n./run\n")
        .unwrap();
    let script = script.to_str().unwrap();
    let output = try_it(&[script, at, "--as", "ann", "--json"]);
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&json["queue"], &json["select"]), (&"small".into(), &"1:ncpus=4:mem=2gb".into()));
    let output = try_it(&[script, at, "-q", "workq", "-l", "select=1:ncpus=2", "--as", "ann", "--json"]);
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&json["queue"], &json["select"]), (&"workq".into(), &"1:ncpus=2".into()));
    fs::write(script, "#!/bin/bash\n#PBS -y\n").unwrap();
    for (words, message) in [
        (vec![script, at], "job.sh:2: `-y`: is no option of qsub"),
        (vec![at], "nothing is asked for"),
        (vec!["-l", "walltime", at], "expected name=value"),
    ] {
        let output = try_it(&words);
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0));
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(error.contains(message), "{error}");
    }
}

/// Allocation policies, rule 3.2: the preference in `-W x=` applies to a request that is tried.
#[test]
fn features_preferred_choose_the_node_under_a_policy() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write(
        "nodes.toml",
        "[[node]]\nname = \"plain\"\navailable = { ncpus = 4 }\n\
         [[node]]\nname = \"fast\"\navailable = { ncpus = 4 }\nfeatures = [\"FAST\"]\nload = 1.0\n",
    );
    write("queue.toml", "now = 1763700000\n[[queue]]\nname = \"workq\"\n");
    write("policy.toml", "[maui]\nPRIORITYF = \"5 * PREF - LOAD\"\n");
    let at = folder.path().to_str().unwrap();
    let nodes = |extension: &[&str]| {
        let fixed = ["-l", "select=1:ncpus=1", "--policy", "PRIORITY", "--as", "ann", "--json", at];
        let output = try_it(&[&fixed[..], extension].concat());
        let found: Value = serde_json::from_slice(&output.stdout).unwrap();
        found["exec_vnode"].as_str().unwrap_or_default().to_owned()
    };
    assert_eq!(nodes(&[]), "(plain:ncpus=1)");
    assert_eq!(nodes(&["-W", "x=PREF(FEATURE:FAST)"]), "(fast:ncpus=1)");
}

/// The job is called by a name in sentences, in text and JSON alike; an array has its own name.
#[test]
fn the_job_that_is_tried_is_called_the_new_job() {
    let folder = folder();
    let at = folder.path().to_str().unwrap();
    for (options, name) in [
        (vec!["-l", "select=1:ncpus=99"], "the new job"),
        (vec!["-l", "select=1:ncpus=99", "-J", "1-3"], "the new array"),
    ] {
        let told = format!("{name} can never run");
        let text = try_it(&[&options[..], &["--as", "ann", at]].concat());
        let text = String::from_utf8(text.stdout).unwrap().split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(text.contains(&told) && !text.contains("request can"), "{text}");
        let json = try_it(&[&options[..], &["--as", "ann", at, "--json"]].concat());
        let json: Value = serde_json::from_slice(&json.stdout).unwrap();
        assert!(json["headline"].as_str().unwrap().contains(&told), "{json}");
    }
}

/// Returns the sample `sets-36` with only its first job: a request for four more nodes gets some of that job's.
fn beside_the_first_job() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let sample = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/sets-36");
    for name in ["nodes.toml", "policy.toml"] {
        fs::copy(sample.join(name), folder.path().join(name)).unwrap();
    }
    let queue = fs::read_to_string(sample.join("queue.toml")).unwrap();
    let (first, _) = queue.split_once("# Bucket path, four nodes").unwrap();
    fs::write(folder.path().join("queue.toml"), first).unwrap();
    folder
}

#[test]
fn a_start_that_the_server_refuses_is_none() {
    let folder = beside_the_first_job();
    let at = folder.path().to_str().unwrap();
    let request = ["-l", "select=4:ncpus=8", "-l", "place=scatter:excl", "-l", "walltime=1:00:00", at];
    let output = try_it(&[&request[..], &["--json"]].concat());
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1), "{found}");
    assert_eq!((&found["final_verdict"], &found["tier"]), (&"not_now".into(), &"order".into()), "{found}");
    assert_eq!((&found["exec_vnode"], &found["nodes"]), (&Value::Null, &json!([])), "{found}");
    assert!(found["headline"].as_str().unwrap().contains("the server refuses it"), "{found}");
    let text = String::from_utf8(try_it(&request).stdout).unwrap();
    let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(flat.contains("starts not now") && flat.contains("the server refuses it"), "{text}");
}

#[test]
fn a_job_that_is_refused_beside_another_one_is_delayed_by_it() {
    let sample = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/sets-36");
    let files = Files::from_folder(&sample).unwrap();
    let snap = Arc::new(load(&files, &LoadOptions::default()).unwrap());
    let first = snap.job_named("1").unwrap();
    let held = Job { state: JobState::Held, holds: "u".into(), ..snap.jobs[first].clone() };
    let alone = Arc::new(snap.with(&[Edit::Job(first, Box::new(held))]));
    let run = run_cycle(alone, Quirks::default());
    let trial = TrialRun::of(&run, &[Edit::Job(first, Box::new(snap.jobs[first].clone()))]);
    let names = |names: &[Name]| names.iter().map(ToString::to_string).collect::<Vec<_>>();
    assert_eq!(names(&trial.difference.starts), ["1"]);
    assert!(names(&trial.difference.waits).contains(&"2".to_owned()), "{:?}", trial.difference);
}

/// Each queue is tried with a whole cycle, so their number is limited; `try` and `why` try the same ones.
#[test]
fn other_queues_are_tried_once_and_the_rest_is_counted() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write("nodes.toml", "[[node]]\nname = \"n1\"\navailable = { ncpus = 4 }\n");
    let queues: String = (1..=20).map(|n| format!("[[queue]]\nname = \"q{n:02}\"\n")).collect();
    write(
        "queue.toml",
        &format!(
            "now = 1763700000\n[[queue]]\nname = \"shut\"\nstarted = false\n{queues}[[job]]\nid = \"1\"\nuser = \"ann\"\n\
             queue = \"shut\"\nselect = \"1:ncpus=1\"\nwalltime = \"00:10:00\"\n"
        ),
    );
    let at = folder.path().to_str().unwrap();
    let asked = ["-l", "select=1:ncpus=1", "-q", "shut", "--as", "ann", at];
    let output = try_it(&[&asked[..], &["--json"]].concat());
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    let tried: Vec<String> = (1..=16).map(|n| format!("q{n:02}")).collect();
    assert_eq!((&found["starts_in"], &found["queues_not_tried"]), (&json!(tried), &json!(4)), "{found}");
    let text = String::from_utf8(try_it(&asked).stdout).unwrap();
    assert!(
        text.split_whitespace().collect::<Vec<_>>().join(" ").contains("4 more queues not tried"),
        "{text}"
    );
    let mut program = Command::new(env!("CARGO_BIN_EXE_qscope"));
    let output = program.env("TZ", "UTC").args(["why", "1", at, "--json"]).output().unwrap();
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    let moves = |remedy: &&Value| remedy["change"].as_str().unwrap().starts_with("move it to queue");
    assert_eq!(found["remedies"].as_array().unwrap().iter().filter(moves).count(), tried.len(), "{found}");
    assert_eq!(found["queues_not_tried"], 4, "{found}");
}
