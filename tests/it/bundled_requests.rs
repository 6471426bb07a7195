//! Bundles of clusters with jobs whose request was assumed or cannot be read: they are read back unchanged.

use std::sync::Arc;

use qscope::cluster::Snapshot;
use qscope::cycle::{Run, run_cycle};
use qscope::explain::{in_one_line, why};
use qscope::share::bundle::{Bundle, bundle, read_back};
use qscope::universe::Quirks;
use serde_json::{Value, json};

use crate::real;
use crate::running_ends::{bare_job, dumps, queued, read, running};

fn cycle(jobs: &[Value]) -> Run {
    run_cycle(Arc::new(read(&dumps(1, jobs))), Quirks::default())
}

fn back(bundle: &Bundle) -> Snapshot {
    let files: Vec<_> = bundle.files.iter().filter(|(name, _)| *name != "README").cloned().collect();
    read_back(&files).unwrap()
}

/// Returns the file of jobs, in which names may have been replaced.
fn jobs_file(bundle: &Bundle) -> String {
    let (_, bytes) = bundle.files.iter().find(|(name, _)| *name == "jobs.json").unwrap();
    String::from_utf8(bytes.clone()).unwrap()
}

#[test]
fn that_a_request_was_assumed_stays_with_its_bundle() {
    let with_select = {
        let mut job = bare_job("Q");
        job["schedselect"] = "1:ncpus=2".into();
        job
    };
    let run = cycle(&[running("n1", None), bare_job("Q"), with_select, queued("1:ncpus=2")]);
    for anonymous in [false, true] {
        let found = back(&bundle(&run, anonymous).unwrap());
        for (job, was) in found.jobs.iter().zip(run.plan.snap.jobs.iter()) {
            let of = |job: &qscope::cluster::Job| {
                let select = job.select.as_ref().map(|select| select.text.clone());
                (job.request_assumed, job.select_derived, select, job.place.clone())
            };
            assert_eq!(of(job), of(was), "{}", job.name);
        }
        assert_eq!(found.jobs.iter().filter(|job| job.request_assumed).count(), 3);
        let again = Arc::new(run_cycle(Arc::new(found), Quirks::default()));
        let job = again.plan.snap.jobs.ids().nth(1).unwrap();
        let rests_on = in_one_line(&why(&again, job).rests_on).unwrap();
        assert!(rests_on.contains("job request assumed (no Resource_List of 1, 2, 3)"), "{rests_on}");
    }
}

#[test]
fn a_request_that_cannot_be_read_stands_in_the_bundle() {
    let select = "1:ncpus=4+:host=secret";
    // As an ordinary user sees it, without schedselect.
    let mut derived = queued(select);
    derived.as_object_mut().unwrap().remove("schedselect");
    let mut place = queued("1:ncpus=2");
    place["Resource_List"]["place"] = "anywhere".into();
    let mut readable = queued("1:ncpus=2");
    readable["schedselect"] = "2:=".into();
    let jobs =
        [running("n1", Some(json!({"select": "1:ncpus=8"}))), queued(select), derived, place, readable];
    let run = cycle(&jobs);
    assert_eq!(run.plan.snap.jobs.iter().filter(|job| job.select.is_none()).count(), 3);
    for anonymous in [false, true] {
        let made = bundle(&run, anonymous).unwrap();
        let found = back(&made);
        let unread: Vec<bool> =
            found.jobs.iter().map(|job| job.select.is_none() || job.place.is_none()).collect();
        assert_eq!(unread, [false, true, true, true, true]);
        assert_eq!(jobs_file(&made).contains(select), !anonymous);
        assert_eq!(jobs_file(&made).contains("secret"), !anonymous);
        let another = "another one that cannot be read stands for it";
        let of_place = format!("the place of 4 cannot be read; {another}");
        let of_select = match anonymous {
            false => "the select of 2, 3, 5 cannot be read, and stands there as it is".to_owned(),
            true => format!("the select of 2, 3, 5 cannot be read; {another}"),
        };
        assert_eq!(made.unreadable_jobs, [of_select, of_place]);
    }
}

/// A bundle of any live cluster decides the same, even if values contain spaces.
#[test]
fn every_real_cluster_has_a_bundle() {
    for case in real::all() {
        let run = run_cycle(case.snapshot(), Quirks::default());
        for anonymous in [false, true] {
            let made = bundle(&run, anonymous);
            assert!(made.is_ok(), "{}: {:?}", case.name, made.err());
        }
    }
}
