//! What is planned: top jobs, reservations, dedicated and prime time, and how long a job may be to slip in
//! before them.

use crate::{Cause, Tier, Turn, words};
use qscope_engine::cluster::{Epoch, Seconds, short_id};
use qscope_engine::cycle::time_windows::WindowRefusal;
use qscope_engine::universe::{EventKind, NodeSet, Quirk, Reason};

/// What stands ahead of a job on the nodes that it could use.
#[derive(Clone, Debug)]
pub struct Ahead {
    /// Who, by name.
    pub who: Vec<String>,
    /// From when.
    pub from: Epoch,
    /// On which nodes, of those that the job could use.
    pub nodes: Vec<String>,
    /// The longest walltime that would still fit now, if any would.
    pub longest: Option<Seconds>,
}

/// Dedicated time ahead, or the end of prime or non-prime time.
pub(super) fn windows(turn: &Turn) -> Vec<Cause> {
    let plan = turn.plan();
    let snap = &plan.snap;
    let setup = turn.setup();
    let Some(window) = setup.window(plan, turn.job) else { return Vec::new() };
    let name = plan.job(turn.job).short_name();
    // A job that may shrink is held against its shortest length, unless the cycle turned it away by the long one.
    let rejection = turn.outcome().and_then(|outcome| outcome.rejection.as_ref());
    let long = rejection.is_some_and(|rejection| rejection.reason == Reason::CrossDedicated);
    let length = turn.request.shortest.filter(|_| !long).unwrap_or(turn.request.duration);
    let now = turn.state().now;
    let mut found = Vec::new();
    if let Err(WindowRefusal::CrossesDedicated(slot)) = setup.windows.dedicated_clear(now, length) {
        let inside = slot.from <= now;
        let edge = if inside { slot.to } else { slot.from };
        let longest = (edge - now).0.max(0);
        let sentence = format!(
            "{}, and dedicated time {} {}: {name} would not end {}; {} would fit",
            words::walltime(length),
            if inside { "ends at" } else { "starts at" },
            words::moment(snap, edge),
            if inside { "by then" } else { "before it" },
            words::duration(Seconds(longest))
        );
        found.push(
            Cause::new(Tier::Calendar, "dedicated-time", sentence)
                .about(["dedicated_time".to_owned()])
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
            words::walltime(length),
            words::moment(snap, limit)
        );
        let longest = Seconds((limit - now).0.max(0));
        found.push(
            Cause::new(Tier::Stopped, "prime-boundary", sentence)
                .about(["backfill_prime".to_owned(), plan.job(turn.job).queue.to_string()])
                .number("walltime", length)
                .number("longest", longest),
        );
    }
    found
}

/// The nodes are there now, but not for long enough.
pub(super) fn planned(turn: &Turn) -> Cause {
    let snap = &turn.plan().snap;
    let name = turn.plan().job(turn.job).short_name();
    let ahead = ahead(turn);
    let length = turn.request.duration;
    let short: Vec<&str> = ahead.who.iter().map(|name| short_id(name)).collect();
    let who = words::some(&short, 3);
    let nodes = words::folded_within(ahead.nodes.iter().map(String::as_str), 36);
    let longest = match ahead.longest {
        Some(longest) => format!("a walltime up to {} would fit now", words::duration(longest)),
        None => "no walltime would fit now".to_owned(),
    };
    let sentence = format!(
        "{}, and {who} needs {nodes} from {} on: {name} would delay it; {longest}",
        words::walltime(length),
        words::moment(snap, ahead.from)
    );
    // Started now it would end so much after what is planned begins.
    let delay = turn.state().now + length - ahead.from;
    let delay =
        if length < Seconds::UNLIMITED { format!(" by {}", words::duration(delay)) } else { String::new() };
    let clock = words::time_of_day(snap, ahead.from);
    let cause = Cause::new(Tier::Calendar, "planned", sentence)
        .in_brief(format!("delays {}{delay} ({clock})", short.join(" ")))
        .about(ahead.who.clone())
        .number("walltime", length)
        .number("from", ahead.from.0);
    match ahead.longest {
        Some(longest) => cause.number("longest", longest),
        None => cause,
    }
}

/// Who is ahead, from when, and how long a job may be to fit before.
pub(super) fn ahead(turn: &Turn) -> Ahead {
    let now = turn.state().now;
    let mut starts: Vec<Epoch> = turn
        .state()
        .timeline
        .before(now + turn.request.duration.max(turn.request.hard_duration))
        .filter(|(key, _)| key.kind == EventKind::Run && key.at > now)
        .map(|(key, _)| key.at)
        .collect();
    starts.dedup();
    let before = |at: Epoch| turn.would_fit(&turn.request.lasting(at - now));
    // The longer it runs, the more is in its way: the last start before which it fits is found by halving.
    let fitting = starts.partition_point(|at| before(*at));
    let binding = starts.get(fitting.saturating_sub(1)).copied().unwrap_or(now);
    let longest = (fitting > 0).then(|| binding - now);
    let useful: NodeSet = {
        let room = crate::room::Room::new(
            turn.state(),
            &turn.request,
            &turn.list,
            qscope_engine::universe::Against::Total,
        );
        NodeSet::of(turn.list.capacity(), room.could_serve().iter().copied())
    };
    let plan = turn.plan();
    let (mut who, mut nodes) = (Vec::new(), Vec::new());
    for (key, event) in turn.state().timeline.iter() {
        let bits = event.allocation.nodes();
        if key.kind != EventKind::Run || key.at != binding || !bits.iter().any(|bit| useful.contains(*bit)) {
            continue;
        }
        who.push(plan.occupant_name(event.occupant).to_string());
        nodes.extend(
            bits.iter().filter(|bit| useful.contains(**bit)).map(|bit| plan.node_name(*bit).to_string()),
        );
    }
    Ahead { who, from: binding, nodes, longest }
}
