use std::cell::Cell;
use std::fs;
use std::fs::File;
use std::time::{Duration, SystemTime};

use crossbeam_channel::{Sender, bounded};
use tempfile::TempDir;

use super::*;

const NODES: &str = "{\"timestamp\":100,\"nodes\":{\"n1\":{\"Mom\":\"n1\",\"state\":\"free\"}}}\n";
const JOBS: &str = "{\"timestamp\":100,\"Jobs\":{}}\n";

fn reader(folder: &Path, engine: SessionInterfaces) -> (SnapshotReader, Sender<Infallible>) {
    let (keep_alive, alive) = bounded(0);
    let origin = OpeningOrigin::Folder(folder.to_path_buf());
    let opening = Opening::of(origin);
    (SnapshotReader::new(opening, engine, alive), keep_alive)
}

fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("nodes.json"), NODES).unwrap();
    fs::write(folder.path().join("jobs.json"), JOBS).unwrap();
    folder
}

fn write_long_ago(folder: &TempDir, name: &str, text: &str) {
    let path = folder.path().join(name);
    fs::write(&path, text).unwrap();
    let time = SystemTime::now() - Duration::from_secs(1000);
    File::options().write(true).open(path).unwrap().set_modified(time).unwrap();
}

#[test]
fn the_same_content_is_no_new_generation() {
    let folder = folder();
    let (mut reader, _alive) = reader(folder.path(), SessionInterfaces::default());
    assert!(matches!(reader.check(), ReadOutcome::Loaded(generation) if generation.number == 1));
    assert!(matches!(reader.check(), ReadOutcome::Unchanged));
    write_long_ago(&folder, "nodes.json", NODES);
    assert!(matches!(reader.check(), ReadOutcome::Unchanged));
    fs::write(folder.path().join("nodes.json"), NODES.replace("n1", "n2")).unwrap();
    assert!(matches!(reader.check(), ReadOutcome::Loaded(generation) if generation.number == 2));
}

#[test]
fn the_time_of_a_file_is_content_if_now_is_taken_from_it() {
    let folder = tempfile::tempdir().unwrap();
    let nodes = "n1\n     Mom = n1\n     state = free\n\n";
    fs::write(folder.path().join("nodes.txt"), nodes).unwrap();
    let (mut reader, _alive) = reader(folder.path(), SessionInterfaces::default());
    assert!(matches!(reader.check(), ReadOutcome::Loaded(_)));
    assert!(matches!(reader.check(), ReadOutcome::Unchanged));
    write_long_ago(&folder, "nodes.txt", nodes);
    assert!(matches!(reader.check(), ReadOutcome::Loaded(generation) if generation.number == 2));
    assert!(matches!(reader.check(), ReadOutcome::Unchanged));
}

#[test]
fn a_file_in_the_making_waits_even_the_first_time() {
    let folder = folder();
    fs::write(folder.path().join("nodes.json"), &NODES[..40]).unwrap();
    let (mut reader, _alive) = reader(folder.path(), SessionInterfaces::default());
    let outcome = reader.check();
    assert!(
        matches!(&outcome, ReadOutcome::Retry(_, why) if why == "nodes.json is not finished"),
        "{outcome:?}"
    );
}

/// The other files are previewed once, which is not a generation.
#[test]
fn a_file_in_the_making_does_not_hold_up_the_others() {
    let folder = folder();
    let jobs = "{\"timestamp\":100,\"Jobs\":{\"1.s\":{\"job_state\":\"Q\",\"queue\":\"q\"},";
    fs::write(folder.path().join("jobs.json"), jobs).unwrap();
    let (mut reader, _alive) = reader(folder.path(), SessionInterfaces::default());
    let ReadOutcome::Preview(shown, _, why) = reader.check() else { panic!("nothing is shown") };
    assert_eq!((shown.number, shown.snapshot.nodes.len(), &*why), (0, 1, "jobs.json is not finished"));
    assert!(matches!(reader.check(), ReadOutcome::Retry(..)));
    fs::write(folder.path().join("jobs.json"), JOBS).unwrap();
    assert!(matches!(reader.check(), ReadOutcome::Loaded(generation) if generation.number == 1));
}

#[test]
fn a_file_that_went_is_waited_for() {
    let folder = folder();
    let (mut reader, _alive) = reader(folder.path(), SessionInterfaces::default());
    assert!(matches!(reader.check(), ReadOutcome::Loaded(_)));
    fs::remove_file(folder.path().join("jobs.json")).unwrap();
    assert!(matches!(reader.check(), ReadOutcome::Retry(_, why) if why == "jobs.json is not there"));
    fs::remove_dir_all(folder.path()).unwrap();
    assert!(matches!(reader.check(), ReadOutcome::Retry(_, why) if why == "folder is gone"));
}

/// Without its jobs a cluster looks idle, so an unreadable file must not count as an empty one.
#[test]
fn a_file_that_cannot_be_read_any_more_leaves_the_last_good_generation() {
    for name in ["jobs.json", "queues.json"] {
        let folder = folder();
        let path = folder.path().join(name);
        let queues = "{\"timestamp\":100,\"Queue\":{\"q\":{\"queue_type\":\"Execution\"}}}\n";
        let text = if name == "jobs.json" { JOBS } else { queues };
        fs::write(&path, text).unwrap();
        let (mut reader, _alive) = reader(folder.path(), SessionInterfaces::default());
        assert!(matches!(reader.check(), ReadOutcome::Loaded(_)));
        fs::remove_file(&path).unwrap();
        fs::create_dir(&path).unwrap();
        for _ in 0..2 {
            let outcome = reader.check();
            let named = format!("{name}: cannot be read: ");
            assert!(
                matches!(&outcome, ReadOutcome::Failed(ReadFailure { message: why, .. }) if why.starts_with(&named)),
                "{outcome:?}"
            );
        }
        fs::remove_dir(&path).unwrap();
        fs::write(&path, text).unwrap();
        assert!(matches!(reader.check(), ReadOutcome::Loaded(generation) if generation.number == 1));
    }
}

#[test]
fn what_could_never_be_read_is_a_failure_or_a_warning() {
    let folder = folder();
    let jobs = folder.path().join("jobs.json");
    fs::remove_file(&jobs).unwrap();
    std::os::unix::fs::symlink("gone", &jobs).unwrap();
    fs::create_dir(folder.path().join("sched_config")).unwrap();
    let (mut reader, _alive) = reader(folder.path(), SessionInterfaces::default());
    let outcome = reader.check();
    assert!(
        matches!(&outcome, ReadOutcome::Failed(ReadFailure { message: why, .. }) if why.starts_with("jobs.json: cannot")),
        "{outcome:?}"
    );
    fs::remove_file(&jobs).unwrap();
    fs::write(&jobs, JOBS).unwrap();
    let outcome = reader.check();
    let ReadOutcome::Loaded(generation) = outcome else { panic!("{outcome:?}") };
    let files: Vec<&str> = generation.snapshot.unreadable().map(|found| &*found.file).collect();
    assert_eq!(files, ["sched_config"]);
}

#[test]
fn the_other_form_of_a_file_stands_in_for_it_sooner() {
    let folder = folder();
    let (mut reader, _alive) = reader(folder.path(), SessionInterfaces::default());
    assert!(matches!(reader.check(), ReadOutcome::Loaded(_)));
    fs::remove_file(folder.path().join("jobs.json")).unwrap();
    let waits =
        |outcome| if let ReadOutcome::Retry(left, _) = outcome { left.as_secs_f64().ceil() } else { 0.0 };
    assert_eq!(waits(reader.check()), 5.0);
    fs::write(folder.path().join("jobs.txt"), "Job Id: 1.s\n    queue = q\n\n").unwrap();
    assert_eq!(waits(reader.check()), 1.0);
}

#[test]
fn a_folder_that_never_was_is_reported_at_once() {
    let (mut reader, _alive) = reader(Path::new("/no/such/folder"), SessionInterfaces::default());
    assert!(
        matches!(reader.check(), ReadOutcome::Failed(ReadFailure { message: why, .. }) if why.contains("/no/such/folder"))
    );
    let empty = tempfile::tempdir().unwrap();
    let (mut reader, _alive) = self::reader(empty.path(), SessionInterfaces::default());
    assert!(
        matches!(reader.check(), ReadOutcome::Failed(ReadFailure { message: why, .. }) if why.contains("no nodes file"))
    );
}

#[test]
fn one_new_dump_waits_for_the_other() {
    let folder = folder();
    let (mut reader, _alive) = reader(folder.path(), SessionInterfaces::default());
    assert!(matches!(reader.check(), ReadOutcome::Loaded(_)));
    fs::write(folder.path().join("nodes.json"), NODES.replace("100", "160")).unwrap();
    assert!(matches!(reader.check(), ReadOutcome::Retry(..)));
    fs::write(folder.path().join("jobs.json"), JOBS.replace("100", "160")).unwrap();
    assert!(matches!(reader.check(), ReadOutcome::Loaded(_)));
}

/// Half of a new generation is accepted if the other half does not arrive in time, and its predictions do not count.
#[test]
fn dumps_that_came_apart_are_half_a_generation() {
    let folder = folder();
    let (mut reader, _alive) = reader(folder.path(), SessionInterfaces::default());
    let whole = |outcome| match outcome {
        ReadOutcome::Loaded(generation) => generation.late_dump.clone(),
        other => panic!("{other:?}"),
    };
    assert_eq!(whole(reader.check()), None);
    fs::write(folder.path().join("nodes.json"), NODES.replace("100", "160")).unwrap();
    let pause = match reader.check() {
        ReadOutcome::Retry(pause, _) => pause,
        other => panic!("{other:?}"),
    };
    assert!(pause <= Duration::from_secs(2));
    std::thread::sleep(pause + Duration::from_millis(10));
    assert_eq!(whole(reader.check()).as_deref(), Some("nodes 1m newer than jobs"));
    fs::write(folder.path().join("jobs.json"), JOBS.replace("100", "175")).unwrap();
    assert_eq!(whole(reader.check()), None, "as far apart as the writer's dumps are");
}

#[test]
fn a_panic_is_a_failure_and_the_last_good_generation_counts_again() {
    let folder = folder();
    let engine = SessionInterfaces {
        load: |files, options, _| {
            let snapshot = qscope_source::load(files, options)?;
            assert!(snapshot.node_named("bad").is_none(), "bad node");
            Ok(snapshot)
        },
        ..SessionInterfaces::default()
    };
    let (mut reader, _alive) = reader(folder.path(), engine);
    assert!(matches!(reader.check(), ReadOutcome::Loaded(_)));
    fs::write(folder.path().join("nodes.json"), NODES.replace("n1", "bad")).unwrap();
    assert!(
        matches!(reader.check(), ReadOutcome::Failed(ReadFailure { message: why, .. }) if why.contains("bad node"))
    );
    assert!(matches!(reader.check(), ReadOutcome::Failed(_)), "reported each time");
    fs::write(folder.path().join("nodes.json"), NODES).unwrap();
    assert!(matches!(reader.check(), ReadOutcome::Loaded(generation) if generation.number == 1));
    assert!(matches!(reader.check(), ReadOutcome::Unchanged));
}

#[test]
fn a_panic_in_building_is_a_failure() {
    let folder = folder();
    let engine = SessionInterfaces { build: |_, _, _| panic!("lost"), ..SessionInterfaces::default() };
    let (mut reader, _alive) = reader(folder.path(), engine);
    assert!(
        matches!(reader.check(), ReadOutcome::Failed(ReadFailure { message: why, .. }) if why.contains("lost"))
    );
}

#[test]
fn nothing_is_run_without_a_receiver() {
    let folder = folder();
    let engine = SessionInterfaces { build: |_, _, _| panic!("ran"), ..SessionInterfaces::default() };
    let (mut reader, alive) = reader(folder.path(), engine);
    drop(alive);
    assert!(matches!(reader.check(), ReadOutcome::Stopped));
}

thread_local! {
    static LATER: Cell<Duration> = const { Cell::new(Duration::ZERO) };
    static NO_MEMORY: Cell<bool> = const { Cell::new(false) };
}

const SERVER: &str = "{\"timestamp\":100,\"Server\":{\"s\":{\"server_state\":\"Active\"}}}\n";
const QUEUES: &str = "{\"timestamp\":100,\"Queue\":{\"q\":{\"queue_type\":\"Execution\"}}}\n";

/// Without the file of its jobs a cluster looks idle, without that of its nodes empty, without others unlimited.
#[test]
fn a_file_that_stays_away_leaves_the_last_good_generation() {
    for name in
        ["jobs.json", "nodes.json", "server.json", "queues.json", "sched.txt", "resvs.txt", "holidays"]
    {
        let folder = folder();
        for (file, text) in [
            ("server.json", SERVER),
            ("queues.json", QUEUES),
            ("sched.txt", "Sched default\n    scheduling = True\n"),
            ("resvs.txt", ""),
            ("holidays", "YEAR 2026\n"),
        ] {
            write_long_ago(&folder, file, text);
        }
        let path = folder.path().join(name);
        let jobs = JOBS.replace("{}", "{\"1.s\":{\"job_state\":\"Q\",\"queue\":\"q\"}}");
        fs::write(folder.path().join("jobs.json"), jobs).unwrap();
        let text = fs::read(&path).unwrap();
        LATER.set(Duration::ZERO);
        let clock = WatchClock { now: || Instant::now() + LATER.get(), ..WatchClock::default() };
        let (mut reader, _alive) =
            reader(folder.path(), SessionInterfaces { clock, ..SessionInterfaces::default() });
        assert!(matches!(reader.check(), ReadOutcome::Loaded(_)));
        fs::remove_file(&path).unwrap();
        assert!(matches!(reader.check(), ReadOutcome::Retry(..)));
        LATER.set(Duration::from_secs(6));
        for _ in 0..2 {
            let outcome = reader.check();
            let ReadOutcome::Failed(failure) = outcome else { panic!("{outcome:?}") };
            assert_eq!(failure.message, format!("{name} is not there any more"));
            assert_eq!(failure.missing_file.as_deref(), Some(name));
        }
        fs::write(&path, text).unwrap();
        assert!(matches!(reader.check(), ReadOutcome::Loaded(generation) if generation.number == 1));
    }
}

/// The rest of the cluster counts on with the other form of a file, and does not with an empty one.
#[test]
fn a_file_that_is_empty_now_leaves_the_last_good_generation() {
    let folder = folder();
    write_long_ago(&folder, "server.json", SERVER);
    LATER.set(Duration::ZERO);
    let clock = WatchClock { now: || Instant::now() + LATER.get(), ..WatchClock::default() };
    let (mut reader, _alive) =
        reader(folder.path(), SessionInterfaces { clock, ..SessionInterfaces::default() });
    assert!(matches!(reader.check(), ReadOutcome::Loaded(_)));
    fs::write(folder.path().join("server.json"), "").unwrap();
    assert!(matches!(reader.check(), ReadOutcome::Retry(..)));
    LATER.set(Duration::from_secs(6));
    let outcome = reader.check();
    let empty = "server.json: nothing in it any more";
    assert!(
        matches!(&outcome, ReadOutcome::Failed(ReadFailure { message: why, .. }) if why == empty),
        "{outcome:?}"
    );
    fs::remove_file(folder.path().join("server.json")).unwrap();
    write_long_ago(&folder, "server.txt", "Server: s\n    server_state = Active\n\n");
    reader.check();
    LATER.set(Duration::from_secs(12));
    assert!(matches!(reader.check(), ReadOutcome::Loaded(generation) if generation.number == 2));
}

/// What another form stands in for is remembered until it is back, whatever else changes.
#[test]
fn a_file_that_another_form_stands_in_for_is_remembered() {
    let folder = folder();
    let text = "Job Id: 1.s\n    Job_Owner = ann@s\n    job_state = Q\n    queue = q\n\n";
    write_long_ago(&folder, "jobs.txt", text);
    LATER.set(Duration::ZERO);
    let clock = WatchClock { now: || Instant::now() + LATER.get(), ..WatchClock::default() };
    let (mut reader, _alive) =
        reader(folder.path(), SessionInterfaces { clock, ..SessionInterfaces::default() });
    let mut check = |seconds| {
        LATER.set(Duration::from_secs(seconds));
        match reader.check() {
            ReadOutcome::Loaded(generation) => {
                let pairs = generation.substitutes.iter();
                pairs.map(|one| format!("{} for {}", one.used, one.previous_file)).collect::<Vec<_>>()
            }
            other => vec![format!("{other:?}")],
        }
    };
    assert!(check(0).is_empty());
    fs::remove_file(folder.path().join("jobs.json")).unwrap();
    assert!(check(0)[0].contains("jobs.json is not there"));
    assert_eq!(check(10), ["jobs.txt for jobs.json"]);
    fs::write(folder.path().join("nodes.json"), NODES.replace("n1", "n2")).unwrap();
    assert_eq!(check(20), ["jobs.txt for jobs.json"]);
    fs::write(folder.path().join("jobs.json"), JOBS).unwrap();
    assert!(check(30).is_empty());
}

#[test]
fn the_error_of_a_client_keeps_the_last_reading() {
    let folder = folder();
    let clock = WatchClock { now: || Instant::now() + LATER.get(), ..WatchClock::default() };
    let (mut reader, _alive) =
        reader(folder.path(), SessionInterfaces { clock, ..SessionInterfaces::default() });
    assert!(matches!(reader.check(), ReadOutcome::Loaded(_)));
    fs::write(folder.path().join("jobs.json"), "qstat: cannot connect to server s\n").unwrap();
    assert!(matches!(reader.check(), ReadOutcome::Retry(..)));
    LATER.set(Duration::from_secs(4));
    assert!(
        matches!(reader.check(), ReadOutcome::Failed(ReadFailure { message: why, .. }) if why.contains("jobs.json"))
    );
    fs::write(folder.path().join("jobs.json"), JOBS).unwrap();
    assert!(matches!(reader.check(), ReadOutcome::Loaded(generation) if generation.number == 1));
}

#[test]
fn memory_may_be_free_again_though_no_file_has_changed() {
    let folder = folder();
    let engine = SessionInterfaces {
        load: |files, options, _| {
            if NO_MEMORY.get() {
                let what = "1 vnode".to_owned();
                return Err(SourceError::Memory { what, need: 2, left: 1, bound: "ulimit -v" });
            }
            qscope_source::load(files, options)
        },
        ..SessionInterfaces::default()
    };
    let (mut reader, _alive) = reader(folder.path(), engine);
    NO_MEMORY.set(true);
    assert!(
        matches!(reader.check(), ReadOutcome::Failed(ReadFailure { message: why, .. }) if why.contains("1 vnode need about 2 MB"))
    );
    NO_MEMORY.set(false);
    assert!(matches!(reader.check(), ReadOutcome::Loaded(_)));
}
