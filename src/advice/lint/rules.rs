//! The table of rules: one row a rule, one file a group.

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

use super::finding::{Draft, LintLevel};
use super::site::LintSite;

/// What rules are about.
#[derive(Clone, Copy, PartialEq, Eq, Debug, strum::VariantArray)]
pub enum RuleGroup {
    SchedConfig,
    Order,
    Formula,
    Resources,
    Sets,
    Queues,
    Limits,
    Nodes,
    Quirks,
}

impl RuleGroup {
    /// All groups, in the order of the table.
    pub const ALL: &[Self] = <Self as strum::VariantArray>::VARIANTS;

    /// Its heading.
    pub fn title(self) -> &'static str {
        match self {
            Self::SchedConfig => "Options of sched_config",
            Self::Order => "Order and backfilling",
            Self::Formula => "Formula",
            Self::Resources => "Resources",
            Self::Sets => "Placement sets",
            Self::Queues => "Queues",
            Self::Limits => "Limits",
            Self::Nodes => "Vnodes",
            Self::Quirks => "Quirks of the scheduler",
        }
    }
}

pub struct Rule {
    /// Its name, which does not change.
    pub id: &'static str,
    pub level: LintLevel,
    /// What it finds, in one line.
    pub about: &'static str,
    /// Why that is so, and what to do.
    pub explain: &'static str,
    pub(super) find: fn(&LintSite<'_>) -> Vec<Draft>,
}

fn of_group(group: RuleGroup) -> &'static [Rule] {
    match group {
        RuleGroup::SchedConfig => sched_config::RULES,
        RuleGroup::Order => order::RULES,
        RuleGroup::Formula => formula::RULES,
        RuleGroup::Resources => resources::RULES,
        RuleGroup::Sets => sets::RULES,
        RuleGroup::Queues => queues::RULES,
        RuleGroup::Limits => limits::RULES,
        RuleGroup::Nodes => nodes::RULES,
        RuleGroup::Quirks => quirks::RULES,
    }
}

/// All rules, group after group.
pub fn rules() -> impl Iterator<Item = &'static Rule> {
    RuleGroup::ALL.iter().copied().flat_map(of_group)
}

/// The rule of a name.
pub fn rule(id: &str) -> Option<&'static Rule> {
    rules().find(|rule| rule.id == id)
}

/// The page of the manual, in Markdown, made of the table.
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
    for group in RuleGroup::ALL.iter().copied() {
        page.push_str(&format!("\n## {}\n", group.title()));
        for rule in of_group(group) {
            page.push_str(&format!(
                "\n`{}` ({}): {}. {}\n",
                rule.id,
                rule.level.word(),
                rule.about,
                rule.explain
            ));
        }
    }
    page
}
