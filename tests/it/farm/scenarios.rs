//! Every scenario of `tests/cases/packing` under every policy: job table, order, series, figures.

use std::io::Read;
use std::path::Path;

use flate2::read::GzDecoder;
use qscope::farm::answer::RunAnswer;
use qscope::farm::{FarmPolicy, FarmRun, FarmRunOptions, Scenario, run};
use serde_json::Value;

/// Returns the scenarios with their answers.
fn scenarios() -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/packing/packing.json.gz");
    let mut text = Vec::new();
    GzDecoder::new(std::fs::File::open(path).unwrap()).read_to_end(&mut text).unwrap();
    text
}

fn run_of(scenario: &Scenario, policy: &str) -> FarmRun {
    let workload = &scenario.workload;
    let ask = match policy {
        "mixed" => FarmRunOptions::with_class_policies(workload, &scenario.mixed),
        _ => FarmRunOptions::with_one_policy(workload, &scenario.packing, FarmPolicy::parse(policy).unwrap()),
    };
    run(workload, &workload.arrivals(), ask.keep_series(workload.classes.ids().collect()), || true).unwrap()
}

#[test]
fn every_scenario_is_simulated_as_the_references_do() {
    let text = scenarios();
    let root: Value = serde_json::from_slice(&text).unwrap();
    let (mut agree, mut differ) = (0, Vec::new());
    for listed in root["scenarios"].as_array().unwrap() {
        let name = listed["name"].as_str().unwrap();
        let scenario = Scenario::parse("packing.json", &text, Some(name)).unwrap();
        assert!(scenario.problems.is_empty(), "{:?}", scenario.problems);
        for (policy, wanted) in listed["expected"].as_object().unwrap() {
            let got = RunAnswer::of(&scenario.workload, &run_of(&scenario, policy));
            let got = serde_json::to_value(got).unwrap();
            let keys = wanted.as_object().unwrap().iter();
            let wrong: Vec<_> = keys.filter(|(key, value)| got.get(*key) != Some(value)).collect();
            if wrong.is_empty() {
                agree += 1;
            } else {
                differ.push(format!("{name} {policy}: {:?}", wrong.first().unwrap().0));
            }
        }
    }
    assert!(differ.is_empty(), "{agree} runs agree, these differ: {differ:#?}");
    assert_eq!(agree, 176);
}
