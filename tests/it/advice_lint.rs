//! `qscope lint`: sound samples have no findings, every claim on random clusters is true, and the program prints
//! answers.

use std::path::Path;
use std::process::Output;
use std::sync::Arc;

use qscope::advice::TrialRun;
use qscope::advice::lint::{CostBasis, LintLevel, lint, rules};
use qscope::cycle::run_cycle;
use qscope::source::{Files, LoadOptions, load};
use qscope::universe::Quirks;
use serde_json::Value;

use super::cases::{self, Family};
use crate::ran::ran;

fn run(arguments: &[&str]) -> Output {
    ran(["lint"].iter().chain(arguments))
}

/// Every claim of no effect means an equal cycle: checked on a hundred random clusters with all their findings.
#[test]
fn claims_of_no_effect_hold_on_random_clusters() {
    let all = cases::all()
        .iter()
        .filter(|case| matches!(case.family, Family::Random | Family::Wide | Family::Fresh));
    let (mut clusters, mut claims) = (0, 0);
    for case in all.step_by(2).take(120) {
        let mut files = Files::new(&case.name);
        for (name, bytes) in &case.files {
            files.insert(name, bytes.clone(), None);
        }
        let run =
            Arc::new(run_cycle(Arc::new(load(&files, &LoadOptions::default()).unwrap()), Quirks::default()));
        clusters += 1;
        for finding in lint(&run, &files).findings {
            let difference = TrialRun::of(&run, &finding.edits).difference;
            match finding.cost.proof {
                CostBasis::EqualCycles => {
                    assert!(difference.is_none(), "{}: {finding:?}", case.name);
                    claims += 1;
                }
                CostBasis::OtherCycle if !finding.edits.is_empty() => {
                    assert_eq!(difference.jobs(), finding.cost.jobs, "{}: {finding:?}", case.name);
                }
                CostBasis::OtherCycle | CostBasis::Counted => {}
            }
        }
    }
    assert!(clusters >= 100 && claims >= 10, "{clusters} {claims}");
}

/// Samples are sound except for what they demonstrate: no errors, and no warnings except those about the quirks that
/// occur.
#[test]
fn samples_are_sound() {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples");
    let mut seen = 0;
    for entry in std::fs::read_dir(samples).unwrap() {
        let folder = entry.unwrap().path();
        let has_nodes = ["nodes.toml", "nodes.json"].iter().any(|name| folder.join(name).is_file());
        if !has_nodes {
            continue;
        }
        let files = Files::from_folder(&folder).unwrap();
        let run =
            Arc::new(run_cycle(Arc::new(load(&files, &LoadOptions::default()).unwrap()), Quirks::default()));
        let found = lint(&run, &files).findings;
        let wrong: Vec<_> = found.iter().filter(|finding| finding.rule != "quirk-met").collect();
        assert!(wrong.is_empty(), "{}: {wrong:#?}", folder.display());
        seen += 1;
    }
    assert!(seen >= 10, "{seen}");
}

#[test]
fn findings_are_listed_and_set_the_exit_code() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write("nodes.toml", "[[node]]\nname = \"n[1-2]\"\navailable = { ncpus = 4 }\n");
    write(
        "queue.toml",
        "now = 1763700000\n[[queue]]\nname = \"workq\"\n[[job]]\nid = 1\nuser = \"ann\"\nselect = \"1:ncpus=4\"\nwalltime = \"02:00:00\"\n",
    );
    write(
        "policy.toml",
        "[sched_config]\nround_robin = true\nby_queue = true\n[server]\nmax_run = \"[u:ann=0]\"\nnode_group_key = [\"switch\"]\n",
    );
    let at = folder.path().to_str().unwrap();
    let text = run(&[at]);
    assert_eq!(text.status.code(), Some(1), "{text:?}");
    let text = String::from_utf8(text.stdout).unwrap();
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    insta::assert_snapshot!("lint_text", text);
    let json: Value = serde_json::from_slice(&run(&[at, "--json"]).stdout).unwrap();
    let rule = |id: &str| {
        json["findings"].as_array().unwrap().iter().find(|found| found["rule"] == id).unwrap().clone()
    };
    let zero = rule("limit-of-zero");
    assert_eq!((&zero["cost"]["starts"][0], &zero["cost"]["core_hours"]), (&"1".into(), &8.0.into()));
    assert_eq!(rule("by-queue-in-turn")["cost"]["proof"], "equal_cycles");
    assert_eq!(run(&[at, "--fail-on", "error"]).status.code(), Some(0));
    assert_eq!(run(&[at, "--rule", "by-queue-in-turn"]).status.code(), Some(0));
    assert_eq!(run(&[at, "--rule", "by-queue-in-turn", "--fail-on", "note"]).status.code(), Some(1));
}

#[test]
fn rules_are_explained() {
    let text = run(&["--explain", "limit-of-zero"]);
    assert_eq!(text.status.code(), Some(0));
    assert!(String::from_utf8(text.stdout).unwrap().contains("A limit of 0."));
    let list = String::from_utf8(run(&["--rules"]).stdout).unwrap();
    assert!(rules().all(|rule| list.contains(rule.id)));
    let wrong = run(&["--explain", "limit-of-zer"]);
    assert_eq!(wrong.status.code(), Some(2));
    assert!(String::from_utf8(wrong.stderr).unwrap().contains("did you mean `limit-of-zero`?"));
    assert_eq!(LintLevel::from_word("warning"), Some(LintLevel::Warning));
}
