//! The table of rules: one row per rule, one file per group.

mod formula;
mod limits;
mod nodes;
mod order;
mod queues;
mod quirks;
mod resources;
mod sched_config;
mod sets;
#[cfg(test)]
mod tests;

use super::finding::{FindingDraft, LintLevel};
use super::site::LintContext;

pub struct LintRule {
    /// Its name, which never changes.
    pub id: &'static str,
    pub level: LintLevel,
    /// What it finds, in one line.
    pub summary: &'static str,
    /// The explanation, and what to do.
    pub explain: &'static str,
    pub(super) find: fn(&LintContext<'_>) -> Vec<FindingDraft>,
}

/// The rules by topic, under the headings of the manual.
const GROUPS: [(&str, &[LintRule]); 9] = [
    ("Options of sched_config", sched_config::RULES),
    ("Order and backfilling", order::RULES),
    ("Formula", formula::RULES),
    ("Resources", resources::RULES),
    ("Placement sets", sets::RULES),
    ("Queues", queues::RULES),
    ("Limits", limits::RULES),
    ("Vnodes", nodes::RULES),
    ("Quirks of the scheduler", quirks::RULES),
];

/// Returns all rules, group by group.
pub fn rules() -> impl Iterator<Item = &'static LintRule> {
    GROUPS.into_iter().flat_map(|(_, rules)| rules)
}

/// Returns the rule with this name.
pub fn rule(id: &str) -> Option<&'static LintRule> {
    rules().find(|rule| rule.id == id)
}

/// Returns the page of the manual in Markdown, generated from the table.
#[must_use]
pub fn page() -> String {
    let mut page = String::from(
        "# Rules of lint\n\n\
         `qscope lint FOLDER` finds settings that do not do what they state. A finding names what is wrong, the file and \
         the line, what it costs in the cycle at hand, and the fix. \"Without effect\" is proven: the cycle without the \
         setting is equal. A cost is what the cycle without the setting does otherwise. `--fail-on LEVEL` sets from which \
         level on the exit code is 1: `error` (jobs or vnodes are shut out), `warning` (it does something else than it \
         states, or costs something), `note` (it has no effect). `--explain RULE` prints one entry of this page, which \
         is made from the table of rules.\n",
    );
    for (title, rules) in GROUPS {
        page.push_str(&format!("\n## {title}\n"));
        for rule in rules {
            page.push_str(&format!(
                "\n`{}` ({}): {}. {}\n",
                rule.id,
                rule.level.word(),
                rule.summary,
                rule.explain
            ));
        }
    }
    page
}
