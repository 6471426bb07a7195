//! What a bundle states about itself.

use qscope_engine::cycle::Run;
use qscope_explain::words;

use super::ReductionComparison;

/// The facts that the text states besides the size of the cluster.
pub(super) struct BundleFacts<'b> {
    /// Number of names replaced; `None` if names stay.
    pub(super) replaced: Option<usize>,
    /// The other jobs of a reduced cluster.
    pub(super) comparison: Option<&'b ReductionComparison>,
    pub(super) not_included: &'b [String],
    pub(super) cut_dumps: &'b [String],
    /// The options of the command line that opens it with the same semantics.
    pub(super) options: &'b str,
}

/// Returns the text: how many names were replaced, in which respects its cycle is that of the original, what is
/// missing, and the command that opens it.
pub(super) fn readme(run: &Run, facts: &BundleFacts<'_>) -> String {
    let snap = &run.plan.snap;
    let names = facts.replaced.map_or_else(String::new, |replaced| {
        format!(
            "{replaced} names were replaced, the same name by the same everywhere; the order of names is kept.\n"
        )
    });
    let compared = match facts.comparison {
        None => "The cycle over it was compared with the cycle over the original: the same jobs start,\n\
                 wait and are planned, on the same vnodes, for the same reasons.\n"
            .to_owned(),
        // No ids are stated, since they may have been replaced.
        Some(kept) => format!(
            "It is a part of a larger cluster, made as small as one job allows: that job has the verdict and cause\n\
             that it has there{}. Other jobs that are left: {}, decided otherwise than there: {}.\n",
            if kept.headline.is_none() { ", and the numbers" } else { "; its headline has other numbers" },
            kept.count(),
            kept.differing_jobs.len(),
        ),
    };
    let each = |head: &str, items: &[String]| -> String {
        items.iter().map(|item| format!("{head}{item}.\n")).collect()
    };
    let options = if facts.options.is_empty() { String::new() } else { format!(" {}", facts.options) };
    format!(
        "A cluster of {} and {}, written by qscope {}.\n{names}\
         It holds what the scheduler's decisions rest on: no environments, command lines or paths of jobs, no comments\n\
         but the scheduler's own.\n{}{}{compared}\
         Open it with: qscope FILE{options}, or qscope why JOB FILE{options}.\n",
        words::count(snap.nodes.len(), "vnode"),
        words::count(snap.jobs.len(), "job"),
        env!("CARGO_PKG_VERSION"),
        each("Not in it: ", facts.not_included),
        each("Incomplete: ", facts.cut_dumps),
    )
}
