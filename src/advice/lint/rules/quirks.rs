//! Rules on quirks of the modelled scheduler that change the current cycle.

use qscope_engine::universe::Quirk;

use super::LintRule;
use crate::lint::finding::{Claim, FindingDraft, LintLevel};
use crate::lint::site::LintContext;

pub(super) const RULES: &[LintRule] = &[LintRule {
    id: "quirk-met",
    level: LintLevel::Warning,
    summary: "A bug or a departure of this version of the scheduler that changes this cycle",
    explain: "Each quirk is switched the other way round by itself and the cycle run again. qscope quirks lists the jobs; \
              what the documents describe differs from what this version does.",
    find: |site| Quirk::ALL.iter().copied().filter_map(|quirk| draft(site, quirk)).collect(),
}];

fn draft(context: &LintContext<'_>, quirk: Quirk) -> Option<FindingDraft> {
    let mut quirks = context.run.plan.quirks;
    if !quirks.has(quirk) {
        return None;
    }
    quirks.set(quirk, false);
    let is_bug = Quirk::BUGS.contains(&quirk) || quirk == Quirk::ClassIgnoresBooleans;
    let kind = if is_bug { "a bug" } else { "a departure from the documents" };
    let what = format!("{} ({kind}): {}", quirk.name(), quirk.sentence());
    let found =
        FindingDraft::new(what, format!("see qscope quirks; {}", workaround(quirk)), Claim::Quirks(quirks));
    let level = if is_bug { LintLevel::Warning } else { LintLevel::Note };
    Some(FindingDraft { level: Some(level), ..found.with_objects([quirk.name()]) })
}

/// Returns what a site can do about a quirk.
fn workaround(quirk: Quirk) -> &'static str {
    match quirk {
        Quirk::LastSetOnly => "use one node_group_key with one value per vnode",
        Quirk::SpanWhenFull => "let the jobs that must not span ask for place=group",
        Quirk::StaleBucketIndex => "sort vnodes by a resource that jobs request",
        Quirk::CalendarNotInSets => "let jobs share vnodes, so that they go by the node path",
        Quirk::ClassIgnoresBooleans => "put the boolean on the resources line",
        Quirk::RequestedSignature | Quirk::OneSidedMatch => "set the resource on every vnode",
        Quirk::AssignedSort => "sort by unused, or not by amounts",
        Quirk::ExclhostIsExcl | Quirk::PreviousPlacement | Quirk::NoGroupSort => "nothing to set",
        Quirk::UnlimitedChunk | Quirk::EmptyNever => "let every chunk ask for ncpus",
        Quirk::SpillSwapped => "exchange the two prime_spill lines",
    }
}
