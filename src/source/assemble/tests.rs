//! Whole folders, complete and not.

use super::jobs::NO_PROJECT;
use super::*;

#[test]
fn the_built_in_sample_loads_without_a_complaint() {
    let snapshot = load(&Files::built_in(), &LoadOptions::default()).unwrap();
    assert!(!snapshot.jobs.is_empty());
    let bad: Vec<_> =
        snapshot.diagnostics.iter().filter(|d| d.severity > qscope_engine::cluster::Severity::Note).collect();
    assert!(bad.is_empty(), "{bad:#?}");
}

#[test]
fn subjobs_have_their_arrays_project() {
    let mut files = Files::built_in();
    files.insert(
        "jobs-t.json",
        r#"{"Jobs":{"7[].s":{"Job_Name":"a","job_state":"B","project":"p","array":"True"},
            "7[1].s":{"Job_Name":"a","job_state":"R"},"8.s":{"Job_Name":"b","job_state":"Q"}}}"#,
        None,
    );
    let snapshot = load(&files, &LoadOptions::default()).unwrap();
    let projects: Vec<_> = snapshot.jobs.iter().map(|job| &*job.project).collect();
    assert_eq!(projects, ["p", "p", NO_PROJECT]);
}

#[test]
fn no_nodes_is_an_error_that_names_the_files() {
    let files = Files::new("here");
    let error = load(&files, &LoadOptions::default()).unwrap_err().to_string();
    assert!(error.contains("here") && error.contains("nodes.json"), "{error}");
    let mut files = Files::new("here");
    files.insert("nodes.txt", "", None);
    let error = load(&files, &LoadOptions::default()).unwrap_err().to_string();
    assert!(error.contains("nodes.txt") && error.contains("pbsnodes -av"), "{error}");
}
