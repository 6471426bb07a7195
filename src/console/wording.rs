//! Short texts for little room: verdicts, reasons, ages, times, lists of nodes.

use crate::theme::Role;
use qscope_engine::cluster::{Epoch, ResourceType, Seconds, Select, Server, Snapshot};
use qscope_engine::cycle::{Outcome, RefusalStage, Run, Verdict};
use qscope_engine::universe::NodeCounts;
use qscope_explain::WaitReason;

pub(crate) use qscope_explain::words::{
    clock, compact, compact_in_order, count, duration, folded_of, folded_within, is_without_walltime,
    jobs_and_subjobs, no_waiting_jobs, node_list, node_list_within, short_reason, span, span_changes_in,
    time_of_day, verdict, zone_offset,
};

/// The name of a verdict on the screen, with a `?` if it is likely but not certain: it could change with a fact that no
/// file shows.
pub(crate) fn verdict_or_likely(found: Verdict, is_likely: bool) -> String {
    format!("{}{}", verdict(found), if is_likely { "?" } else { "" })
}

/// Distance from which on a start is shown as a duration, because the time of day means nothing.
const FAR: Seconds = Seconds(90 * 86_400);

/// Replaces a start that depends on the end of a job without walltime: the assumed end is not a time to wait
/// for.
pub(crate) const NO_END_KNOWN: &str = "no end known";

/// The same in a column of times, which it must not widen.
const START_UNKNOWN: &str = "unknown";

/// Returns the start in a column, after its mark; a start far ahead as a duration, because its day means nothing.
pub(crate) fn start(mark: &str, snap: &Snapshot, at: Epoch) -> String {
    match at - snap.now {
        away if is_without_walltime(away) => START_UNKNOWN.to_owned(),
        away if away > FAR => format!("{mark}in {}", far(away)),
        _ => format!("{mark}{}", time_of_day(snap, at)),
    }
}

/// Returns the start of a job that is not planned, in a sentence.
pub(crate) fn start_forecast_text(snap: &Snapshot, at: Epoch) -> String {
    match at - snap.now {
        away if is_without_walltime(away) => "when a job without walltime ends".to_owned(),
        away if away > FAR => format!("~ in {} by running the cycle forward", far(away)),
        _ => format!("~ {} by running the cycle forward", clock(snap, at)),
    }
}

/// A long duration in one unit.
fn far(away: Seconds) -> String {
    let days = away.0 / 86_400;
    if days < 2 * 365 { format!("{days} days") } else { format!("{} years", days / 365) }
}

/// The verb before the time at which the walltime of a running job ends; a past time was when it was due.
pub(crate) fn ends(snap: &Snapshot, at: Epoch) -> &'static str {
    if at < snap.now { "due" } else { "ends" }
}

/// The sentence of a reason. If the job was not analysed, it is the first obstacle the scheduler met, which need not be
/// the cause.
pub(crate) fn found_first(reason: &WaitReason) -> String {
    if reason.analysed {
        reason.short_sentence.to_string()
    } else {
        format!("first met: {}", reason.short_sentence)
    }
}

/// The mark before a reason that is a guess; empty if it was analysed.
pub(crate) fn guess(reason: &WaitReason) -> &'static str {
    if reason.analysed { "" } else { "≈ " }
}

/// The role of a verdict.
pub(crate) fn verdict_role(verdict: Verdict) -> Role {
    match verdict {
        Verdict::Run => Role::VerdictRun,
        Verdict::NotNow => Role::VerdictWait,
        Verdict::Never => Role::VerdictNever,
        Verdict::NotConsidered => Role::VerdictSkipped,
    }
}

/// A select as in a table: `16×ncpus=8+1×ncpus=4`.
pub(crate) fn select_words(select: &Select, times: &str) -> String {
    // Built in one string, because sorting a table needs this text of every job.
    let mut text = String::new();
    for chunk in select.chunks.iter() {
        if !text.is_empty() {
            text.push('+');
        }
        text.push_str(&chunk.count.to_string());
        text.push_str(times);
        for (at, one) in chunk.requests.iter().enumerate() {
            text.push_str(if at == 0 { "" } else { ":" });
            [&*one.resource, "=", &*one.value].iter().for_each(|part| text.push_str(part));
        }
    }
    text
}

/// The same with at most `most` chunks, and the number of further ones.
pub(crate) fn select_words_within(select: &Select, times: &str, most: usize) -> String {
    let all = select.chunks.len();
    if all <= most {
        return select_words(select, times);
    }
    let first = Select { chunks: select.chunks.iter().take(most).cloned().collect(), ..select.clone() };
    format!("{} +{}", select_words(&first, times), count(all - most, "more chunk"))
}

/// The number of nodes in each use: `25 free 3 part 4 full 0 out`.
pub(crate) fn by_use(NodeCounts { free, part, full, out, .. }: NodeCounts) -> String {
    format!("{free} free {part} part {full} full {out} out")
}

/// Explains why a cluster has no placement sets.
pub(crate) fn no_sets(server: &Server) -> &'static str {
    match (server.assumed, server.node_group_enable) {
        (true, false) => "There is no dump of the server, so no placement sets are assumed.",
        (_, false) => "There are no placement sets: node_group_enable is off.",
        (_, true) => "There are no placement sets: no node_group_key is set.",
    }
}

/// The time of the snapshot that an answer belongs to, if a newer one is on the screen.
pub(crate) fn analysed_at(snap: &Snapshot, at: Epoch) -> String {
    format!("analysed at {}", clock(snap, at))
}

/// The title of a pane about the waiting jobs where there are none.
pub(crate) fn none_waits(snap: &Snapshot) -> &'static str {
    if snap.has_all_jobs() { "No job waits" } else { "No waiting job was read" }
}

/// How many job classes were analysed of all, where the analysis ended at its limit.
pub(crate) fn limited_to((analysed, all): (u64, u64)) -> String {
    format!("limit: {analysed} of {all} job classes · r continues")
}

/// How many job classes were analysed of all, where the user stopped the analysis.
pub(crate) fn stopped_at((analysed, all): (u64, u64)) -> String {
    format!("stopped at {analysed} of {all} · r continues")
}

/// The key that stops what is under way, beside how far that is.
pub(crate) const ESC_STOPS: &str = "Esc stops";

/// How many job classes were analysed of those that will be.
pub(crate) fn analysed_so_far((analysed, of): (u64, u64)) -> String {
    format!("analysed {analysed} of {of} job classes")
}

/// The size of a file.
pub(crate) fn bytes(bytes: u64) -> String {
    match bytes {
        0..10_000 => format!("{bytes} B"),
        10_000..10_000_000 => format!("{} kB", bytes / 1000),
        _ => format!("{} MB", bytes / 1_000_000),
    }
}

/// An amount of a consumable resource, formatted for the user.
pub(crate) fn amount(kind: ResourceType, value: f64) -> String {
    qscope_engine::cluster::Amount(value).show(kind)
}

/// An amount of a consumable resource and its total, in one unit.
pub(crate) fn part_of(kind: ResourceType, value: f64, total: f64) -> String {
    qscope_engine::cluster::Amount(value).show_of(qscope_engine::cluster::Amount(total), kind)
}

/// An amount beside its total: zero needs no unit, as in `0 of 64gb`.
pub(crate) use qscope_explain::words::part;

/// The short name of a waiting job; for an array, the subjobs that the cycle leaves waiting: `67[2-5]`.
pub(crate) use qscope_explain::{waiting_name, waiting_name_after};

/// Describes briefly why the job does not run, or where it does.
pub(crate) fn reason(run: &Run, outcome: &Outcome) -> String {
    let is_rejected = outcome.placed.is_none() && outcome.rejection.is_some();
    let stopped = stopped_by(run, outcome);
    match &outcome.estimate {
        Some(estimate) if is_rejected && run.excluded(outcome.job).is_none() => {
            format!("starts {}; {stopped}", clock(&run.plan.snap, estimate.start))
        }
        _ => stopped,
    }
}

/// The same without the time at which a top job starts.
pub(crate) fn stopped_by(run: &Run, outcome: &Outcome) -> String {
    if let Some(placed) = &outcome.placed {
        if let Some(why) = qscope_explain::refused_by_server(run, outcome) {
            return format!("the server refuses it: {why}");
        }
        let set = placed.set.as_ref().map(|set| format!(" ({set})")).unwrap_or_default();
        let mut nodes = placed.allocation.nodes();
        nodes.sort_unstable();
        let victims: Vec<&str> =
            outcome.victims.iter().map(|(job, _)| run.plan.job(*job).short_name()).collect();
        let preempts =
            if victims.is_empty() { String::new() } else { format!(" preempts {}", victims.join(" ")) };
        return format!("{}{set}{preempts}", node_list(&run.plan, &nodes));
    }
    let why = outcome.rejection.as_ref().map(|r| short_reason(&run.plan.snap.catalogue, r));
    if let Some(words) = run.excluded(outcome.job) {
        return words;
    }
    // A top job has its start beside it, and no stage.
    match (outcome.refused_at.filter(|_| outcome.estimate.is_none()), why) {
        (Some(RefusalStage::Class(first)), Some(why)) => {
            format!("as {}: {why}", run.plan.job(first).short_name())
        }
        (Some(RefusalStage::AllNodes), Some(why)) => format!("all nodes: {why}"),
        (_, why) => why.unwrap_or_default(),
    }
}

/// States that a running job should have ended at this time, and that its end is assumed.
pub(crate) fn overdue_since(snap: &Snapshot, at: Epoch) -> String {
    format!("overdue since {}: its end is assumed", clock(snap, at))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_that_was_not_analysed_is_a_guess() {
        let mut reason = WaitReason {
            tier: qscope_explain::Tier::Never,
            name: "never".to_owned(),
            measure: None,
            sentence: String::new(),
            short_sentence: "set sw=1 too small now".to_owned(),
            explanation: None,
            analysed: false,
        };
        assert_eq!((guess(&reason), &*found_first(&reason)), ("≈ ", "first met: set sw=1 too small now"));
        reason.analysed = true;
        assert_eq!((guess(&reason), &*found_first(&reason)), ("", "set sw=1 too small now"));
    }

    #[test]
    fn a_start_behind_a_job_without_walltime_has_no_date() {
        let snap = Snapshot::empty("t", Epoch(1_763_700_000));
        let text = |ahead: i64| start("~", &snap, Epoch(snap.now.0 + ahead));
        assert_eq!(text(Seconds::UNLIMITED.0), START_UNKNOWN);
        assert_eq!(
            text(Seconds::UNLIMITED.0 - 3600),
            START_UNKNOWN,
            "of a job that runs for an hour already"
        );
        assert_eq!(text(200 * 86_400), "~in 200 days");
        assert_eq!(text(3600), "~05:40");
    }
}
