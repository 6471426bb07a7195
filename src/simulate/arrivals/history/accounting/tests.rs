//! Arrivals from lines of a log.

use qscope_engine::cluster::{Epoch, Job, Snapshot};

use super::*;
use crate::arrivals::ArrivalRow;
use crate::arrivals::history::HistoryOptions;

/// Start of the simulation; the lines are written later.
const FROM: i64 = 1000;

fn read_with(lines: &[String], jobs: Vec<Job>) -> ArrivalHistory {
    let mut snapshot = Snapshot::empty("srv", Epoch(FROM));
    for job in jobs {
        snapshot.jobs.push(job);
    }
    let options = HistoryOptions::default();
    let place = HistoryContext::of(&snapshot, &options);
    let (mut log, mut history) = (AccountingLog::default(), ArrivalHistory::default());
    for line in lines {
        log.line(&format!("01/01/1970 00:{line}"), &TimeZone::UTC, &mut history);
    }
    log.finish(&place, &mut history);
    history
}

fn read(lines: &[String]) -> ArrivalHistory {
    read_with(lines, Vec::new())
}

/// Text of a record of a job that was created at a time and requests two cores for ten minutes.
fn head(created: i64) -> String {
    format!(
        "user=ann queue=workq ctime={created} qtime={created} etime={created} \
         Resource_List.select=1:ncpus=2 Resource_List.ncpus=2 Resource_List.walltime=00:10:00"
    )
}

fn queued(id: &str, created: i64, rest: &str) -> String {
    format!("20:00;Q;{id};{} {rest}", head(created))
}

fn started(id: &str, created: i64, start: i64) -> String {
    format!("25:00;S;{id};{} start={start}", head(created))
}

fn ended(id: &str, created: i64, (start, end): (i64, i64)) -> String {
    format!("40:00;E;{id};{} start={start} end={end} Exit_status=0", head(created))
}

fn ids(history: &ArrivalHistory) -> Vec<&str> {
    history.rows.jobs.iter().map(|row| &*row.id).collect()
}

fn indices(row: &ArrivalRow) -> &str {
    row.job["array_indices_submitted"].as_str().unwrap()
}

fn runtimes(row: &ArrivalRow) -> Vec<(u32, i64)> {
    row.runtimes.iter().map(|(index, seconds)| (*index, *seconds)).collect()
}

#[test]
fn requests_of_torque_are_those_of_pbs() {
    let times = "user=ann queue=workq ctime=1200 qtime=1200 etime=1200 start=1300 owner=ann@h";
    let of = |id: &str, list: &str| {
        format!("40:00;E;{id};{times} exec_host=n1/0-3+n2/0-3 {list} Resource_List.walltime=3600 end=1400")
    };
    let history = read(&[
        of("30.srv", "Resource_List.nodes=2:ppn=4 Resource_List.neednodes=2:ppn=4 Resource_List.nodect=2"),
        of("31.srv", "Resource_List.procs=6"),
        of("32.srv", "Resource_List.nodes=2:ppn=x"),
    ]);
    let request = |row: &ArrivalRow| {
        let list = &row.job["Resource_List"];
        ["select", "place", "ncpus", "walltime"].map(|name| list[name].as_str().unwrap().to_owned())
    };
    let found: Vec<_> = history.rows.jobs.iter().map(request).collect();
    assert_eq!(found, [["2:ncpus=4", "scatter", "8", "3600"], ["6:ncpus=1", "free", "6", "3600"]]);
    assert_eq!(history.dropped, BTreeMap::from([(job::NO_REQUEST, 1)]));
    assert_eq!(history.notes, ["nodes= of 1 job taken as distinct nodes, as Torque does"]);
}

#[test]
fn a_subjob_without_an_end_runs_for_its_walltime() {
    let history = read(&[
        queued("12[].srv", 1200, "array_indices=1-2"),
        started("12[].srv", 1200, 1300),
        started("12[1].srv", 1200, 1300),
        started("12[2].srv", 1200, 1310),
        ended("12[1].srv", 1200, (1300, 1400)),
    ]);
    let [row] = &*history.rows.jobs else { panic!("{history:?}") };
    assert_eq!((indices(row), runtimes(row), row.runtime), ("1,2", vec![(1, 100)], None));
    assert!(history.health.sentences()[0].starts_with("1 job without an end"), "the array is none");
}

#[test]
fn an_array_has_all_its_indices_with_or_without_runs() {
    let waiting = queued("12[].srv", 1200, "array_indices=1-5:2,8");
    let history = read(std::slice::from_ref(&waiting));
    assert_eq!((ids(&history), indices(&history.rows.jobs[0])), (vec!["12[].srv"], "1,3,5,8"));
    let runs = [ended("12[1].srv", 1200, (1300, 1400)), ended("12[3].srv", 1200, (1310, 1500))];
    let history = read(&[std::slice::from_ref(&waiting), &runs[..]].concat());
    let [row] = &*history.rows.jobs else { panic!("{history:?}") };
    assert_eq!((indices(row), runtimes(row)), ("1,3,5,8", vec![(1, 100), (3, 190)]));
    // With the end of the array, the others never ran.
    let over = ended("12[].srv", 1200, (1300, 1600));
    let history = read(&[std::slice::from_ref(&waiting), &runs[..], &[over]].concat());
    assert_eq!(indices(&history.rows.jobs[0]), "1,3");
    assert_eq!(history.dropped, BTreeMap::from([("subjobs that never started", 2)]));
    let deleted = read(&[waiting, "30:00;D;12[].srv;requestor=ann@h".to_owned()]);
    assert_eq!((indices(&deleted.rows.jobs[0]), deleted.rows.jobs[0].cancel), ("1,3,5,8", Some(1800)));
    let unknown = read(&[queued("13[].srv", 1200, "")]);
    assert!(unknown.rows.jobs.is_empty() && unknown.dropped.contains_key("arrays of unknown indices"));
}

#[test]
fn a_job_deleted_before_it_ran_or_moved_away_does_not_run() {
    let history = read(&[
        ended("3.srv", 1200, (0, 1500)),
        queued("53.srv", 1200, ""),
        "30:00;M;53.srv;destination=other".to_owned(),
    ]);
    let found: Vec<_> =
        history.rows.jobs.iter().map(|row| (&*row.id, row.cancel, row.runtime, row.was)).collect();
    assert_eq!(found, [("3.srv", Some(1500), None, None), ("53.srv", Some(1800), None, None)]);
    let of_dump =
        read_with(&[ended("3.srv", 500, (0, 1500))], vec![Job { name: "3.srv".into(), ..Job::default() }]);
    assert_eq!(of_dump.rows.start["3.srv"].cancel, Some(1500));
}

#[test]
fn ids_without_the_server_are_the_same_and_used_again_they_are_other_jobs() {
    let lines =
        [started("40", 1200, 1210), ended("40.srv", 1200, (1210, 1330)), ended("40.srv", 1500, (1510, 1800))];
    let found = |history: &ArrivalHistory| -> Vec<(String, Option<i64>)> {
        history.rows.jobs.iter().map(|row| (row.id.clone(), row.runtime)).collect()
    };
    let history = read(&lines);
    assert_eq!(found(&history), [("40.srv".to_owned(), Some(120)), ("40-2.srv".to_owned(), Some(290))]);
    assert!(history.health.sentences()[0].starts_with("1 job with the id of another job"), "{history:?}");
    // The one that the dump has keeps its id.
    let of_dump = Job { name: "40.srv".into(), created: Some(Epoch(1500)), ..Job::default() };
    let history = read_with(&lines, vec![of_dump]);
    assert_eq!(found(&history), [("40-1.srv".to_owned(), Some(120))]);
    assert_eq!(history.rows.start["40.srv"].runtime, Some(290));
}

#[test]
fn an_array_whose_id_was_used_before_is_another_one() {
    let history = read(&[
        queued("12[].srv", 1200, "array_indices=1-2"),
        ended("12[1].srv", 1200, (1300, 1400)),
        // Created when it started.
        ended("12[2].srv", 1310, (1310, 1450)),
        queued("12[].srv", 1500, "array_indices=1-2"),
        ended("12[1].srv", 1500, (1600, 1700)),
    ]);
    let found: Vec<_> = history.rows.jobs.iter().map(|row| (&*row.id, runtimes(row))).collect();
    assert_eq!(found, [("12[].srv", vec![(1, 100), (2, 140)]), ("12-2[].srv", vec![(1, 100)])]);
    assert_eq!(indices(&history.rows.jobs[1]), "1,2");
}

#[test]
fn a_job_that_runs_again_when_the_log_ends_has_no_end() {
    let history = read(&[ended("5.srv", 1200, (1300, 1400)), started("5.srv", 1200, 1450)]);
    let [row] = &*history.rows.jobs else { panic!("{history:?}") };
    assert_eq!((row.was, row.runtime), (Some(1450), None));
}

#[test]
fn a_record_cut_within_its_request_does_not_replace_that_of_the_start() {
    let cut = "40:00;E;5.srv;user=ann ctime=1100 qtime=1100 etime=1100 start=1200 Resource_List.ncpus=8 Resource_List.p";
    let history = read(&[queued("5.srv", 1100, ""), started("5.srv", 1100, 1200), cut.to_owned()]);
    let list = &history.rows.jobs[0].job["Resource_List"];
    assert_eq!((list["ncpus"].as_str(), list["walltime"].as_str()), (Some("2"), Some("00:10:00")));
    let alone = read(&[cut.to_owned()]);
    assert_eq!(alone.rows.jobs[0].job["Resource_List"]["ncpus"].as_str(), Some("8"));
}
