//! Pages of clusters with few and with many remarks.

use std::sync::Arc;
use std::time::Duration;

use super::*;
use qscope_engine::universe::Quirks;
use qscope_session::{Opening, OpeningOrigin, load_generation};
use qscope_source::{Files, LoadOptions, load};

fn generation(files: &Files, zone: &str) -> Generation {
    let opening = Opening::of(OpeningOrigin::BuiltIn);
    let mut generation = load_generation(&opening, 1).unwrap();
    let options = LoadOptions::in_zone(zone);
    generation.snapshot = Arc::new(load(files, &options).unwrap());
    generation.run =
        Arc::new(qscope_engine::cycle::run_cycle(generation.snapshot.clone(), Quirks::default())).into();
    generation.read_took = Duration::ZERO;
    generation
}

fn page(files: &Files) -> String {
    let generation = generation(files, "+01:00");
    text(&generation, &CheckFacts::of(&generation), false).as_str().to_owned()
}

/// Two dumps of an ordinary user, repaired in places, and a server without a name.
fn odd() -> Files {
    let mut files = Files::new("odd\u{1b}[2J");
    let at = Some(Epoch(1_763_700_000));
    files.insert(
        "nodes.txt",
        "n[0]\n     Mom = n\n     state = free\n     resources_available.host = n\n     jobs = 9.svr/0\n\n\
         n[1]\n     Mom = n\n     state = odd\n     resources_available.host = n\n     resources_available.colour = red\n\n",
        at,
    );
    let job = |id: &str, rest: &str| {
        format!(
            "\"{id}.svr\":{{\"Job_Name\":\"a\",\"job_state\":\"Q\",\"queue\":\"workq\",\"server\":\"svr\",{rest}}}"
        )
    };
    let jobs: Vec<String> = (1..=60).map(|id| job(&id.to_string(), r#""comment":"a\,b""#)).collect();
    let text = format!(
        "{{\"timestamp\":1763700100,\"pbs_server\":\"svr\",\"pbs_version\":\"23.06.06\",\"Jobs\":{{{},{}}}}}",
        jobs.join(",\n"),
        job("61", r#""comment":"\u202eevil\u001b[2J","ctime":"Fri Nov 21 04:40:00 2025""#)
    );
    files.insert("jobs.json", text, at);
    files.insert("jobs.txt", "Job Id: 1.svr\n    Job_Name = a\n\n", at);
    files
}

#[test]
fn a_page_fits_80_columns_and_sends_nothing_that_acts() {
    let page = page(&odd());
    for line in page.lines() {
        assert!(width(line) <= COLUMNS, "{line}");
        assert!(!line.chars().any(char::is_control), "{line:?}");
    }
}

#[test]
fn endless_names_and_values_are_cut() {
    let long = "x".repeat(100_000);
    let mut files = Files::new(&long);
    files.insert("nodes.txt", format!("{long}\n     Mom = {long}\n     state = {long}\n\n"), None);
    files.insert(
        "jobs.txt",
        format!("Job Id: {long}\n    ctime = {long}\n    queue = {long}\n    job_state = Q\n\n"),
        None,
    );
    let page = page(&files);
    assert!(page.lines().all(|line| width(line) <= COLUMNS));
    assert!(page.len() < 10_000, "{}", page.len());
}

#[test]
fn the_page_of_an_odd_cluster() {
    insta::assert_snapshot!(page(&odd()));
}

#[test]
fn the_page_of_the_sample() {
    insta::assert_snapshot!(page(&Files::built_in()));
}

#[test]
fn lengths_of_time_may_be_negative() {
    assert_eq!([-5, 0, 119, 172_800].map(span), ["-5s", "0s", "1m59s", "2d00h"]);
}
