//! Settings that do not do what they state: without effect, contradictory, never reached, or costly.
//!
//! A finding "without effect" is proven: the cycle without the setting is equal. What a setting costs is what the cycle
//! without it does otherwise. What no cycle can show is counted in jobs, core-hours or cores.

mod finding;
mod place;
mod rules;
mod site;

use std::sync::Arc;

use qscope_engine::cycle::Run;
use qscope_source::Files;
use serde::Serialize;

use finding::Settled;
pub use finding::{Cost, Finding, LintLevel, Proof};
pub use place::LintPlace;
pub use rules::{Rule, page, rule, rules};
use site::LintSite;

/// All findings about one cluster.
#[derive(Clone, Debug, Serialize)]
pub struct LintReport {
    /// How many rules were checked.
    pub rules: usize,
    /// The gravest first, then in the order of the rules.
    pub findings: Vec<Finding>,
    /// Rules that took a setting to have no effect where the cycle without it is another one: those findings are left out.
    pub refuted: Vec<&'static str>,
}

/// Checks every rule on the cluster of a cycle; `files` is what it was read from, for the places.
pub fn lint(run: &Arc<Run>, files: &Files) -> LintReport {
    let site = LintSite::new(run, files);
    let (mut findings, mut refuted): (Vec<Finding>, Vec<&'static str>) = (Vec::new(), Vec::new());
    for rule in rules() {
        for draft in (rule.find)(&site) {
            match draft.settle((rule.id, rule.level), &site) {
                Settled::Found(finding) => findings.push(*finding),
                Settled::Refuted if refuted.last() != Some(&rule.id) => refuted.push(rule.id),
                Settled::Refuted | Settled::NothingElse => {}
            }
        }
    }
    findings.sort_by_key(|finding| std::cmp::Reverse(finding.level));
    LintReport { rules: rules().count(), findings, refuted }
}

impl LintReport {
    /// Whether there is a finding of a level, or of a graver one.
    pub fn reaches(&self, level: LintLevel) -> bool {
        self.findings.iter().any(|finding| finding.level >= level)
    }

    /// How many findings are of a level.
    #[must_use]
    pub fn count(&self, level: LintLevel) -> usize {
        self.findings.iter().filter(|finding| finding.level == level).count()
    }
}
