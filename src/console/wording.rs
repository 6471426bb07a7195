//! Short words for small places: verdicts, reasons, ages, moments, lists of nodes.

use crate::theme::Role;
use qscope_engine::cluster::{Epoch, Kind, Seconds, Select, Server, Snapshot};
use qscope_engine::cycle::{Outcome, Run, Stage, Verdict};
use qscope_engine::universe::NodeCounts;
use qscope_explain::WaitReason;

pub(crate) use qscope_explain::words::{
    clock, compact, count, duration, folded_of, folded_within, is_without_walltime, jobs_and_subjobs,
    node_list, node_list_within, short_reason, span, span_changes_in, time_of_day, zone_offset,
};

/// What a verdict is called on the screen.
pub(crate) fn verdict(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Run => "run",
        Verdict::NotNow => "wait",
        Verdict::Never => "never",
        Verdict::NotConsidered => "skip",
    }
}

/// The same, with a `?` where it is likely and not stated: it could turn with a fact that no file shows.
pub(crate) fn verdict_or_likely(found: Verdict, is_likely: bool) -> String {
    format!("{}{}", verdict(found), if is_likely { "?" } else { "" })
}

/// From so far ahead on the time of day means nothing.
const FAR: Seconds = Seconds(90 * 86_400);

/// When a start is named that needs a job without walltime to end: what is assumed for it is no moment to wait for.
pub(crate) const NO_END_KNOWN: &str = "no end known";

/// The same in a column of moments, which it must not widen.
const START_UNKNOWN: &str = "unknown";

/// When something starts, in a column, behind its mark: of what is far ahead the distance, since its day means nothing.
pub(crate) fn start(mark: &str, snap: &Snapshot, at: Epoch) -> String {
    match at - snap.now {
        away if is_without_walltime(away) => START_UNKNOWN.to_owned(),
        away if away > FAR => format!("{mark}in {}", far(away)),
        _ => format!("{mark}{}", time_of_day(snap, at)),
    }
}

/// A long time in one unit.
fn far(away: Seconds) -> String {
    let days = away.0 / 86_400;
    if days < 2 * 365 { format!("{days} days") } else { format!("{} years", days / 365) }
}

/// The verb before the moment at which the walltime of a running job is over: one that has passed was its due.
pub(crate) fn ends(snap: &Snapshot, at: Epoch) -> &'static str {
    if at < snap.now { "due" } else { "ends" }
}

/// The sentence of a reason; where the job was not analysed it is what the scheduler met first, which need not be why.
pub(crate) fn found_first(reason: &WaitReason) -> String {
    if reason.analysed { reason.beside.to_string() } else { format!("first met: {}", reason.beside) }
}

/// The mark before a reason that is a guess; none before one that was analysed.
pub(crate) fn guess(reason: &WaitReason) -> &'static str {
    if reason.analysed { "" } else { "≈ " }
}

/// How a verdict looks.
pub(crate) fn verdict_role(verdict: Verdict) -> Role {
    match verdict {
        Verdict::Run => Role::VerdictRun,
        Verdict::NotNow => Role::VerdictWait,
        Verdict::Never => Role::VerdictNever,
        Verdict::NotConsidered => Role::VerdictSkipped,
    }
}

/// A select as a table has it: `16×ncpus=8+1×ncpus=4`.
pub(crate) fn asks(select: &Select, times: &str) -> String {
    // In one text: a table is sorted by that of every job.
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

/// The same with at most so many parts, and how many more there are.
pub(crate) fn asks_within(select: &Select, times: &str, most: usize) -> String {
    let all = select.chunks.len();
    if all <= most {
        return asks(select, times);
    }
    let first = Select { chunks: select.chunks.iter().take(most).cloned().collect(), ..select.clone() };
    format!("{} +{}", asks(&first, times), count(all - most, "more chunk"))
}

/// How many nodes are in which use: `25 free 3 part 4 full 0 out`.
pub(crate) fn by_use(NodeCounts { free, part, full, out, .. }: NodeCounts) -> String {
    format!("{free} free {part} part {full} full {out} out")
}

/// Why a cluster without placement sets has none.
pub(crate) fn no_sets(server: &Server) -> &'static str {
    match (server.assumed, server.node_group_enable) {
        (true, false) => "There is no dump of the server, so no placement sets are assumed.",
        (_, false) => "There are no placement sets: node_group_enable is off.",
        (_, true) => "There are no placement sets: no node_group_key is set.",
    }
}

/// The moment that an answer is of which follows its snapshot late.
pub(crate) fn analysed_at(snap: &Snapshot, at: Epoch) -> String {
    format!("analysed at {}", clock(snap, at))
}

/// How many job classes were analysed of all, where the analysis ended at its limit.
pub(crate) fn stopped_at((analysed, all): (u64, u64)) -> String {
    format!("stopped at {analysed} of {all} · r continues")
}

/// A size of a file.
pub(crate) fn bytes(bytes: u64) -> String {
    match bytes {
        0..10_000 => format!("{bytes} B"),
        10_000..10_000_000 => format!("{} kB", bytes / 1000),
        _ => format!("{} MB", bytes / 1_000_000),
    }
}

/// An amount of a consumable as people read it.
pub(crate) fn amount(kind: Kind, value: f64) -> String {
    qscope_engine::cluster::Amount(value).show(kind)
}

/// An amount beside the whole that it is a part of: nothing needs no unit, as in `0 of 64gb`.
pub(crate) use qscope_explain::words::part;

/// A job that waits by its short name, an array by the subjobs that the cycle leaves: `67[2-5]`.
pub(crate) use qscope_explain::{waiting_name, waiting_name_after};

/// Why it does not run, or where it does, in few words.
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
    // A top job has its start beside, and no stage.
    match (outcome.refused_at.filter(|_| outcome.estimate.is_none()), why) {
        (Some(Stage::Class(first)), Some(why)) => format!("as {}: {why}", run.plan.job(first).short_name()),
        (Some(Stage::AllNodes), Some(why)) => format!("all nodes: {why}"),
        (_, why) => why.unwrap_or_default(),
    }
}

/// That a job that runs should have ended at a moment, and what its end is.
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
            beside: "set sw=1 too small now".to_owned(),
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
