//! Agreement with the real scheduler, counted by field and case.
//!
//! The program itself is run (`qscope cycle FOLDER --json`), so what is compared is what a script would read.
//! Differences that remain are listed in `tests/cases/exceptions.toml` by case, job and field; the list is exact both
//! ways. `QSCOPE_ACCEPT=1 cargo test --test it agreement` writes it anew.

mod answers;
mod compare;
mod exceptions;
pub(crate) mod features;
mod figures;
mod measure;
pub(crate) use measure::cases_in;

use std::sync::LazyLock;

use compare::{Comparison, Semantics};
use exceptions::Exceptions;

use super::cases;

/// Compares every case under both semantics.
fn comparisons() -> &'static [Comparison] {
    static ALL: LazyLock<Vec<Comparison>> = LazyLock::new(|| {
        let answers = answers::of_all_cases();
        let observed = |case| answers.iter().find(|a| a.case == case && a.semantics == Semantics::Observed);
        answers
            .iter()
            .map(|answer| Comparison::new(&cases::all()[answer.case], answer, observed(answer.case).unwrap()))
            .collect()
    });
    &ALL
}

#[test]
fn agrees_with_the_real_scheduler_but_for_the_list() {
    figures::print(comparisons());
    let found = Exceptions::of(comparisons());
    if std::env::var_os("QSCOPE_ACCEPT").is_some() {
        found.write();
    }
    let problems = Exceptions::read().against(&found, comparisons());
    assert!(
        problems.is_empty(),
        "{}\n{} differences from tests/cases/exceptions.toml; QSCOPE_ACCEPT=1 writes it anew",
        problems.iter().take(60).cloned().collect::<Vec<_>>().join("\n"),
        problems.len()
    );
}

/// Topics in which everything that decides verdict, path, nodes and comment is modelled: no exception is allowed
/// there.
const NEVER_EXCUSED: [&str; 13] = [
    "chunk_",
    "elig_",
    "equiv_class",
    "mem_",
    "never_run",
    "node_partial_busy",
    "node_states",
    "node_unlicensed",
    "pset_",
    "sig_",
    "strings",
    "table_",
    "text_form",
];

/// The topics among them with reservations, earlier placements, provisioning, multi-vnode hosts or top jobs.
const MAY_DIFFER: [&str; 7] = [
    "elig_aoe_aggressive",
    "elig_checkpointed",
    "elig_in_resv",
    "elig_multivnode",
    "elig_multivnode_break",
    "elig_suspended",
    "pset_topjob_backfill",
];

#[test]
fn what_is_modelled_is_never_excused() {
    let kept =
        |case: &str| NEVER_EXCUSED.iter().any(|start| case.starts_with(start)) && !MAY_DIFFER.contains(&case);
    let mut seen = 0;
    for comparison in comparisons().iter().filter(|comparison| kept(comparison.case)) {
        seen += 1;
        for difference in &comparison.differences {
            let decides = ["listed", "verdict", "path", "exec_vnode", "comment"];
            assert!(!decides.contains(&difference.field), "{} {difference}", comparison.case);
        }
    }
    assert!(seen > 2 * NEVER_EXCUSED.len(), "only {seen} cases of these topics");
    assert!(comparisons().iter().any(|comparison| comparison.semantics == Semantics::Fixed));
}
