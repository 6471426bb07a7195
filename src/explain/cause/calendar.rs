//! Causes in what is planned: top jobs, reservations, dedicated and prime time; and the walltime that would fit
//! before them.

use crate::fit_analysis::FitAnalysis;
use crate::{Cause, JobTurn, Tier, words};
use qscope_engine::cluster::{ByPeriod, Epoch, JobState, Policy, ResourceId, Seconds, short_id};
use qscope_engine::cycle::time_windows::{QueueWindow, WindowRefusal, dedicated_line};
use qscope_engine::universe::{AmountBasis, EventKind, JobRequest, NodeSet, Quirk, Reason, State};

/// What is planned ahead of a job on nodes that it could use.
#[derive(Clone, Debug)]
pub struct CalendarConflict {
    /// Names of the occupants.
    pub occupants: Vec<String>,
    /// The start of the plan.
    pub start: Epoch,
    /// The nodes concerned, of those that the job could use.
    pub nodes: Vec<String>,
    /// The longest walltime that would still fit now, if any would.
    pub longest: Option<Seconds>,
}

/// Returns causes for crossing dedicated time, or the end of prime or non-prime time.
pub(super) fn windows(turn: &JobTurn) -> Vec<Cause> {
    let plan = turn.plan();
    let snap = &plan.snap;
    let setup = turn.setup();
    let Some(window) = setup.window(plan, turn.job) else { return Vec::new() };
    let name = plan.job(turn.job).short_name();
    // A shrink-to-fit job is measured by its shortest length, unless the cycle refused it by the full one.
    let rejection = turn.outcome().and_then(|outcome| outcome.rejection.as_ref());
    let long = rejection.is_some_and(|rejection| rejection.reason == Reason::CrossDedicated);
    let length = turn.request.min_walltime.filter(|_| !long).unwrap_or(turn.request.duration);
    let now = turn.state().now;
    let mut found = Vec::new();
    if let Err(WindowRefusal::CrossesDedicated(slot)) = setup.windows.dedicated_clear(now, length) {
        let inside = slot.from <= now;
        let edge = if inside { slot.to } else { slot.from };
        let longest = (edge - now).0.max(0);
        let sentence = format!(
            "{}, and dedicated time {} {}: {name} would not end {}; {} would fit",
            words::length_of(length, length_resource(turn, length)),
            if inside { "ends at" } else { "starts at" },
            words::moment(snap, edge),
            if inside { "by then" } else { "before it" },
            words::duration(Seconds(longest))
        );
        found.push(
            Cause::new(Tier::Calendar, "dedicated-time", sentence)
                .with_objects(["dedicated_time".to_owned()])
                .made_at(dedicated_line(snap, slot))
                .set_by(["dedicated_prefix".to_owned()])
                .number("walltime", length)
                .number("longest", Seconds(longest)),
        );
    }
    let swapped = plan.has(Quirk::SpillSwapped);
    if let Err(WindowRefusal::CrossesPrime { limit, .. }) =
        setup.windows.prime_clear(&snap.policy, swapped, window, now, length)
    {
        let sentence = format!(
            "{}, and backfill_prime lets jobs of this time of day run until {} only: {name} would end later",
            words::length_of(length, length_resource(turn, length)),
            words::moment(snap, limit)
        );
        let longest = Seconds((limit - now).0.max(0));
        found.push(
            Cause::new(Tier::Calendar, "prime-boundary", sentence)
                .with_objects(["backfill_prime".to_owned(), plan.job(turn.job).queue.to_string()])
                .made_at(setup.windows.period_lines(snap, now))
                .set_by(boundary_settings(&snap.policy, window))
                .number("walltime", length)
                .number("longest", longest),
        );
    }
    found
}

/// Returns the resource that determines a job's length: its soft walltime, if that gives its expected end.
fn length_resource(turn: &JobTurn, length: Seconds) -> &'static str {
    let soft = turn.plan().job(turn.job).requested.amount(ResourceId::soft_walltime());
    if soft.is_some_and(|soft| soft.0 as i64 == length.0) { "soft_walltime" } else { "walltime" }
}

/// The nodes are free now, but not for long enough.
pub(super) fn planned(turn: &JobTurn) -> Cause {
    let snap = &turn.plan().snap;
    let name = turn.plan().job(turn.job).short_name();
    let ahead = conflict_ahead(turn, |request| turn.would_fit(request));
    let length = turn.request.duration;
    let short: Vec<&str> = ahead.occupants.iter().map(|name| short_id(name)).collect();
    let who = words::first_names(&short, 3);
    let is_one = short.len() == 1;
    let nodes = words::folded_within(ahead.nodes.iter().map(String::as_str), 36);
    let longest = match ahead.longest {
        Some(longest) => {
            format!("a {} up to {} would fit now", length_resource(turn, length), words::duration(longest))
        }
        None => format!("no {} would fit now", length_resource(turn, length)),
    };
    let sentence = format!(
        "{}, and {who} {} {nodes} from {} on: {name} would delay {}; {longest}",
        words::length_of(length, length_resource(turn, length)),
        if is_one { "needs" } else { "need" },
        words::moment(snap, ahead.start),
        if is_one { "it" } else { "them" }
    );
    // If started now, it would end this much after the planned start.
    let delay = turn.state().now + length - ahead.start;
    let delay =
        if length < Seconds::UNLIMITED { format!(" by {}", words::duration(delay)) } else { String::new() };
    let clock = words::time_of_day(snap, ahead.start);
    let cause = Cause::new(Tier::Calendar, "planned", sentence)
        .with_short_sentence(format!("delays {}{delay} ({clock})", short.join(" ")))
        .with_objects(ahead.occupants.clone())
        .note(top_by(turn, &ahead.occupants))
        .number("walltime", length)
        .number("from", ahead.start.0);
    match ahead.longest {
        Some(longest) => cause.number("longest", longest),
        None => cause,
    }
}

/// Names the settings by which a waiting job among these has planned nodes (rule 6.8).
fn top_by(turn: &JobTurn, who: &[String]) -> Option<String> {
    let (plan, order) = (turn.plan(), turn.setup().order);
    let waits = |name: &&String| {
        plan.snap.job_named(name).is_some_and(|id| plan.snap.jobs[id].state == JobState::Queued)
    };
    let top = who.iter().find(waits).filter(|_| order.strict)?;
    let depth = plan.snap.server.backfill_depth.map_or("1, as not set".to_owned(), |depth| depth.to_string());
    Some(format!("{} is a top job: strict_ordering is on, backfill_depth is {depth}", short_id(top)))
}

/// Returns the options, besides `backfill_prime`, by which the end of prime or non-prime time applies to a queue.
fn boundary_settings(policy: &Policy, window: QueueWindow) -> Vec<String> {
    let has_spill = policy.prime_spill != ByPeriod::both(Seconds(0));
    let options = [
        (window.prime, "primetime_prefix"),
        (window.non_prime, "nonprimetime_prefix"),
        (window.is_anytime(), "prime_exempt_anytime_queues"),
        (has_spill, "prime_spill"),
    ];
    options.into_iter().filter(|(applies, _)| *applies).map(|(_, option)| option.to_owned()).collect()
}

/// Returns what is planned and would block the job even without what else holds it, named by `without`: the jobs that
/// took its nodes in this cycle, or its placement sets.
pub(super) fn planned_too(turn: &JobTurn, ahead: &CalendarConflict, without: &str) -> Option<Cause> {
    let snap = &turn.plan().snap;
    let name = turn.plan().job(turn.job).short_name();
    let short: Vec<&str> = ahead.occupants.iter().map(|name| short_id(name)).collect();
    let nodes = words::folded_within(ahead.nodes.iter().map(String::as_str), 36);
    let from = words::moment(snap, ahead.start);
    let is_one = short.len() == 1;
    let sentence = format!(
        "{} {} {nodes} from {from} on: without {without} too, {name} would delay {}",
        words::first_names(&short, 3),
        if is_one { "needs" } else { "need" },
        if is_one { "it" } else { "them" }
    );
    let cause = Cause::new(Tier::Calendar, "planned", sentence)
        .with_short_sentence(format!(
            "delays {} ({})",
            short.join(" "),
            words::time_of_day(snap, ahead.start)
        ))
        .with_objects(ahead.occupants.clone())
        .number("walltime", turn.request.duration)
        .number("from", ahead.start.0);
    (!ahead.occupants.is_empty()).then_some(cause)
}

/// Returns what is ahead, from when, and the walltime that would fit before it, where `would_fit` is what fits now.
pub(super) fn conflict_ahead(turn: &JobTurn, would_fit: impl Fn(&JobRequest) -> bool) -> CalendarConflict {
    let state = turn.state();
    let starts = starts_ahead(turn, state);
    let fits = |at: &Epoch| would_fit(&turn.request.lasting(*at - state.now));
    // The longer it runs, the more blocks it, so the last start before which it fits is found by bisection.
    let fitting = starts.partition_point(fits);
    conflict_in_state(turn, state, &starts, fitting)
}

/// Returns the planned starts while the job would run, in order.
pub(super) fn starts_ahead(turn: &JobTurn, state: &State) -> Vec<Epoch> {
    let now = state.now;
    let mut starts: Vec<Epoch> = state
        .timeline
        .before(now + turn.request.duration.max(turn.request.hard_duration))
        .filter(|(key, _)| key.kind == EventKind::Run && key.at > now)
        .map(|(key, _)| key.at)
        .collect();
    starts.dedup();
    starts
}

/// Returns what is ahead in a state, given that the job fits before the first `fitting` of these starts.
pub(super) fn conflict_in_state(
    turn: &JobTurn,
    state: &State,
    starts: &[Epoch],
    fitting: usize,
) -> CalendarConflict {
    let now = state.now;
    let binding = starts.get(fitting.saturating_sub(1)).copied().unwrap_or(now);
    let longest = (fitting > 0).then(|| binding - now);
    let useful: NodeSet = {
        let room = FitAnalysis::new(state, &turn.request, &turn.list, AmountBasis::Total);
        NodeSet::of(turn.list.capacity(), room.could_serve().iter().copied())
    };
    let plan = turn.plan();
    let (mut occupants, mut nodes) = (Vec::new(), Vec::new());
    let until = state.timeline.before(Epoch(binding.0.saturating_add(1)));
    for (_, event) in until.filter(|(key, _)| key.kind == EventKind::Run && key.at == binding) {
        let bits = event.allocation.nodes();
        if !bits.iter().any(|bit| useful.contains(*bit)) {
            continue;
        }
        occupants.push(plan.occupant_name(event.occupant).to_string());
        nodes.extend(
            bits.iter().filter(|bit| useful.contains(**bit)).map(|bit| plan.node_name(*bit).to_string()),
        );
    }
    CalendarConflict { occupants, start: binding, nodes, longest }
}
