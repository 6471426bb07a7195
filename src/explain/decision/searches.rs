//! The sets tried, the lists of nodes searched, and the result for each chunk spec of the select.

use crate::words::{append_count, count, node_list};
use crate::{NodeListSearch, SearchAttempt, attempts};
use qscope_engine::cycle::Verdict;
use qscope_engine::placement::{PlacementPath, ProbeEvent, SetFit, SetShortage, pool_of, set_fit, why_not};
use qscope_engine::universe::{Bit, Plan, Reason, Rejection, Spec};

use super::stages::reason;
use super::{DecisionLevel, DecisionPoint, DecisionRow, DecisionTraceRef, Subject};

/// Returns the search with this index among all attempts.
pub(super) fn search_at<'a>(
    tried: &'a [SearchAttempt<'a>],
    attempt: usize,
) -> Option<&'a NodeListSearch<'a>> {
    let mut searches = tried.iter().enumerate().filter_map(|(at, attempt)| match attempt {
        SearchAttempt::Try(search) => Some((at, search)),
        _ => None,
    });
    // Without sets there is only one search, whatever its index.
    match attempt {
        0 => searches.next().map(|(_, search)| search),
        _ => searches.find(|(at, _)| *at == attempt).map(|(_, search)| search),
    }
}

/// Whether an attempt used buckets.
pub(super) fn is_bucket_try(scene: DecisionTraceRef<'_>, attempt: usize) -> bool {
    let tried = attempts(scene.events);
    search_at(&tried, attempt).is_some_and(|search| {
        search.events.iter().any(|event| matches!(event, ProbeEvent::ChunkMapped { .. }))
    })
}

/// Returns the sets tried, with the result of each.
pub(super) fn attempts_of(scene: DecisionTraceRef<'_>) -> Vec<DecisionRow> {
    attempts(scene.events).iter().enumerate().map(|(at, tried)| attempt(scene, at, tried)).collect()
}

/// Returns the line of one attempt.
pub(super) fn attempt(scene: DecisionTraceRef<'_>, at: usize, attempt: &SearchAttempt<'_>) -> DecisionRow {
    match attempt {
        SearchAttempt::TooSmall(name, why) => DecisionRow::new(
            DecisionPoint::Fact,
            Some(false),
            &***name,
            format!("too small: {}", reason(scene, why)),
        ),
        SearchAttempt::Spanning => DecisionRow::new(
            DecisionPoint::Fact,
            None,
            "spanning",
            "no set is large enough; spanning allowed: all nodes tried",
        ),
        SearchAttempt::FellThrough => DecisionRow::new(
            DecisionPoint::Fact,
            None,
            "falls through",
            "a set could hold it later, yet all nodes are tried now (quirk span-when-full)",
        ),
        SearchAttempt::Eligible { candidates, refused } => DecisionRow::new(
            DecisionPoint::Fact,
            Some(*candidates > 0),
            "nodes",
            format!(
                "{}, {refused} left out (state not free, or in exclusive use)",
                count(*candidates, "candidate")
            ),
        ),
        SearchAttempt::Try(search) => {
            let name = search.set.map_or_else(|| "all nodes".to_owned(), ToString::to_string);
            let holds = holds(scene, search);
            let words = if holds { "holds it".to_owned() } else { why_not_here(scene, search) };
            DecisionRow::new(DecisionPoint::Attempt(at), Some(holds), name, words)
        }
    }
}

/// Whether the job was placed by this search.
pub(super) fn holds(scene: DecisionTraceRef<'_>, search: &NodeListSearch<'_>) -> bool {
    scene.placed().is_some_and(|placed| placed.set.as_deref() == search.set.map(|name| &**name))
}

/// Returns why a search failed.
fn why_not_here(scene: DecisionTraceRef<'_>, search: &NodeListSearch<'_>) -> String {
    let mut words = "too few nodes".to_owned();
    for event in &search.events {
        match event {
            ProbeEvent::NeverFits(why) => {
                let room = room_of_set(scene, search).filter(|_| why.reason == Reason::Unexplained);
                let room = room.map_or_else(String::new, |room| format!("{room}, "));
                words = format!("never: {room}{}", reason(scene, why));
            }
            ProbeEvent::Taken { spec, still_missing, .. } if *still_missing > 0 => {
                let requested = scene.request().and_then(|request| request.specs.get(*spec));
                let found = requested.map_or_else(String::new, |spec| {
                    let found = i64::from(spec.count).saturating_sub(*still_missing);
                    format!("{found} of {}, ", count(spec.count, "chunk"))
                });
                words = format!("chunk {}: {found}no node for {still_missing} more", spec + 1);
            }
            ProbeEvent::ChunkFailed { spec, last, .. } => {
                words = format!("chunk {} found no node", spec + 1);
                if let Some((bit, why)) = last {
                    words.push_str(&format!("; last {}", lacking(scene, *spec, *bit, why)));
                }
            }
            _ => {}
        }
    }
    words
}

/// Returns how many chunks the buckets of a set hold, in the words of the list of sets; `None` if they hold enough or the
/// set is one of no pool.
fn room_of_set(scene: DecisionTraceRef<'_>, search: &NodeListSearch<'_>) -> Option<String> {
    let (state, occupant, request, name) = (scene.state, scene.occupant(), scene.request()?, search.set?);
    let order = &state.pools.checked(pool_of(state, occupant, request)?)?.order;
    let set = order.iter().filter_map(|set| state.sets.checked(*set)).find(|set| set.shape.name == *name)?;
    match set_fit(state, occupant, request, PlacementPath::Bucket, set) {
        SetFit::TooSmall(SetShortage::Chunks { fitting: have, requested }) => {
            Some(format!("{have} of {}", count(requested, "chunk")))
        }
        _ => None,
    }
}

/// Returns the chunk specs of the select in an attempt, with the result of each.
pub(super) fn parts(scene: DecisionTraceRef<'_>, attempt: usize) -> DecisionLevel {
    let tried = attempts(scene.events);
    search_at(&tried, attempt).map_or_else(DecisionLevel::default, |search| parts_of(scene, search, attempt))
}

/// Like [`parts`], for a given search.
pub(super) fn parts_of(
    scene: DecisionTraceRef<'_>,
    search: &NodeListSearch<'_>,
    attempt: usize,
) -> DecisionLevel {
    let Some(request) = scene.request() else { return DecisionLevel::default() };
    let events = by_part(search, request.specs.len());
    let part = |(part, spec): (usize, &Spec)| {
        let events = events.get(part).map_or(&[][..], Vec::as_slice);
        let (passed, words) = part_words(scene, events, part, spec.count);
        DecisionRow::new(
            DecisionPoint::Part { attempt, part },
            passed,
            format!("chunk {}  {}", part + 1, asked(spec)),
            words,
        )
    };
    DecisionLevel::plain(request.specs.iter().enumerate().map(part).collect())
}

/// Returns a chunk spec as the glossary writes it: `2 × ncpus=4`.
pub(super) fn asked(spec: &Spec) -> String {
    let count = format!("{}:", spec.count);
    let one = spec.text.strip_prefix(&count).unwrap_or(&spec.text);
    format!("{} × {one}", spec.count)
}

/// Maximum number of nodes listed with their chunk counts.
const MAX_RUNS: usize = 1000;

/// Groups the recorded events by chunk spec of the select, in a single pass.
fn by_part<'a>(search: &NodeListSearch<'a>, parts: usize) -> Vec<Vec<&'a ProbeEvent>> {
    let mut events: Vec<Vec<&ProbeEvent>> = vec![Vec::new(); parts];
    let mut mapped: usize = 0;
    for event in search.events.iter().copied() {
        let part = match event {
            ProbeEvent::ChunkMapped { .. } => {
                mapped += 1;
                continue;
            }
            ProbeEvent::NeverFits(_) => mapped.saturating_sub(1),
            ProbeEvent::Taken { spec, .. }
            | ProbeEvent::ChunkPlaced { spec, .. }
            | ProbeEvent::ChunkFailed { spec, .. } => *spec,
            _ => continue,
        };
        if let Some(events) = events.get_mut(part) {
            events.push(event);
        }
    }
    events
}

/// Returns whether a chunk spec found its nodes, and a description.
fn part_words(
    scene: DecisionTraceRef<'_>,
    events: &[&ProbeEvent],
    part: usize,
    requested: u32,
) -> (Option<bool>, String) {
    let found = searched_words(scene, events, part, requested);
    let found = found.or_else(|| placed_words(scene, events, requested));
    found.unwrap_or_else(|| (None, unreached_words(scene, part).to_owned()))
}

/// Describes the result of the last bucket, or the failure of the node path.
fn searched_words(
    scene: DecisionTraceRef<'_>,
    events: &[&ProbeEvent],
    part: usize,
    requested: u32,
) -> Option<(Option<bool>, String)> {
    let mut nodes = 0;
    let mut words = None;
    for event in events {
        match event {
            ProbeEvent::NeverFits(why) => {
                let text = format!("could not hold it even when empty: {}", reason(scene, why));
                words = Some((Some(false), text));
            }
            ProbeEvent::Taken { later, free, still_missing, .. } => {
                nodes += later.len() + free.len();
                let missing = (*still_missing).max(0);
                words = Some(if missing == 0 {
                    (Some(true), format!("{requested} requested, found on {}", count(nodes, "node")))
                } else {
                    (Some(false), format!("{missing} of {} missing", count(requested, "chunk")))
                });
            }
            ProbeEvent::ChunkFailed { placed, last, .. } => {
                let mut text =
                    format!("{placed} of {} placed, then no node was found", count(requested, "chunk"));
                if let Some((bit, why)) = last {
                    text.push_str(&format!("; last examined {}", lacking(scene, part, *bit, why)));
                }
                words = Some((Some(false), text));
            }
            _ => {}
        }
    }
    words
}

/// Describes where the node path placed its chunks; `None` if it placed none.
fn placed_words(
    scene: DecisionTraceRef<'_>,
    events: &[&ProbeEvent],
    requested: u32,
) -> Option<(Option<bool>, String)> {
    let placed: Vec<(Bit, u32)> = events
        .iter()
        .filter_map(|event| match event {
            ProbeEvent::ChunkPlaced { node, times, .. } => Some((*node, *times)),
            _ => None,
        })
        .collect();
    if placed.is_empty() {
        return None;
    }
    let nodes = chunk_list(&scene.run.plan, &placed);
    // A chunk broken over the vnodes of a host is placed in several pieces.
    let chunks: u64 = placed.iter().map(|(_, times)| u64::from(*times)).sum();
    let text = if chunks >= u64::from(requested) {
        format!("{requested} requested, placed on {nodes}")
    } else {
        format!("{chunks} of {} placed on {nodes}", count(requested, "chunk"))
    };
    Some((Some(true), text))
}

/// Returns why nothing was recorded for a chunk spec.
fn unreached_words(scene: DecisionTraceRef<'_>, part: usize) -> &'static str {
    let is_whole = match scene.subject {
        Subject::Job(outcome) => outcome.verdict == Verdict::Run,
        Subject::Reservation(examined) => examined.result.is_ok(),
    };
    match is_whole {
        true => "nothing requested",
        _ if part == 0 => "not reached: too few nodes for the whole job",
        _ => "not reached: an earlier chunk failed",
    }
}

/// Names a node and what it lacks. The search keeps no numbers, so the node is checked again; that gives none if it
/// was the job's own chunks that filled the node.
fn lacking(trace: DecisionTraceRef<'_>, part: usize, bit: Bit, why: &Rejection) -> String {
    let plan = &trace.run.plan;
    let shape = trace.request().and_then(|request| request.specs.get(part)).map(|spec| spec.shape);
    let numbers = shape.and_then(|shape| why_not(trace.state, shape, bit)).map(Reason::not_now);
    format!("{}: {}", plan.node_name(bit), reason(trace, numbers.as_ref().unwrap_or(why)))
}

/// Lists the nodes in order, with the number of chunks on each if some got several.
fn chunk_list(plan: &Plan, placed: &[(Bit, u32)]) -> String {
    let sum = |run: &[(Bit, u32)]| run.iter().map(|(_, times)| u64::from(*times)).sum::<u64>();
    let runs = placed.chunk_by(|(a, _), (b, _)| a == b);
    if runs.clone().all(|run| sum(run) == 1) {
        return node_list(plan, &placed.iter().map(|(bit, _)| *bit).collect::<Vec<_>>());
    }
    let word = |run: &[(Bit, u32)]| {
        let name = run.first().map_or("", |(bit, _)| &**plan.node_name(*bit));
        let times = sum(run);
        if times > 1 { format!("{name} x{times}") } else { name.to_owned() }
    };
    let more = runs.clone().skip(MAX_RUNS).count();
    append_count(runs.take(MAX_RUNS).map(word).collect::<Vec<_>>().join(", "), more)
}
