//! Checks for settings that do not do what they state: without effect, contradictory, never reached, or costly.
//!
//! A finding "without effect" is proven: the cycle without the setting is equal. The cost of a setting is the
//! difference of the cycle without it. What no single cycle can show is counted in jobs, core-hours or cores.

mod finding;
mod place;
mod rules;
mod site;

use std::sync::Arc;

use qscope_engine::cycle::Run;
use qscope_source::Files;
use serde::Serialize;

use finding::ProofOutcome;
pub use finding::{CostBasis, FindingCost, LintFinding, LintLevel};
pub use place::LintPlace;
pub use rules::{LintRule, page, rule, rules};
use site::LintContext;

/// All findings about one cluster.
#[derive(Clone, Debug, Serialize)]
pub struct LintReport {
    /// Number of rules checked.
    pub rules: usize,
    /// The findings, gravest first, then in the order of the rules.
    pub findings: Vec<LintFinding>,
    /// Rules that claimed a setting to have no effect although the cycle without it differs; those findings are left
    /// out.
    pub refuted: Vec<&'static str>,
}

/// Checks every rule on the cluster of a cycle; `files` are its input files, used to locate settings.
pub fn lint(run: &Arc<Run>, files: &Files) -> LintReport {
    let site = LintContext::new(run, files);
    let (mut findings, mut refuted): (Vec<LintFinding>, Vec<&'static str>) = (Vec::new(), Vec::new());
    for rule in rules() {
        for draft in (rule.find)(&site) {
            match draft.prove((rule.id, rule.level), &site) {
                ProofOutcome::Finding(finding) => findings.push(*finding),
                ProofOutcome::Refuted if refuted.last() != Some(&rule.id) => refuted.push(rule.id),
                ProofOutcome::Refuted | ProofOutcome::NoDifference => {}
            }
        }
    }
    findings.sort_by_key(|finding| std::cmp::Reverse(finding.level));
    LintReport { rules: rules().count(), findings, refuted }
}

impl LintReport {
    /// Whether there is a finding of this level or a graver one.
    pub fn has_level(&self, level: LintLevel) -> bool {
        self.findings.iter().any(|finding| finding.level >= level)
    }

    /// Number of findings of this level.
    #[must_use]
    pub fn count(&self, level: LintLevel) -> usize {
        self.findings.iter().filter(|finding| finding.level == level).count()
    }
}
