//! The cycle of the scheduler's log that followed the dump against the modelled one: order, path, verdict, reason, and the lines
//! about chunks, buckets and sets.

use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use serde::Serialize;

use qscope_engine::cluster::{Epoch, JobState, Name};
use qscope_engine::cycle::{Run, StepIx, Verdict};
use qscope_engine::placement::Path;
use qscope_explain::{comparable, each_turn, is_reproduced, log_lines};
use qscope_source::sched_log::{LoggedCycle, LoggedTurn};

use super::class::{Class, ClassTally, Compared};

/// Decisions of the scheduler, among the event bits.
const SCHED: u32 = 0x40;
/// The details of placing, among the event bits.
const DEBUG3: u32 = 0x400;
const RUNS: &str = "Job run";
const NEVER: &str = "Job will never run with the resources currently configured in the complex";
/// From here on the scheduler only tries what would be.
const SIMULATES: [&str; 2] = ["Estimating the start time", "Employing preemption"];
/// The log against the model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LogAgreement {
    /// When the logged cycle began, if the log has it.
    pub started: Option<Epoch>,
    /// Whether the log has lines on chunks and nodes at all (`log_events` with 1024 in it).
    pub detailed: bool,
    /// The order in which jobs were considered.
    pub order: Order,
    /// Every turn in the order of the log.
    pub turns: Vec<TurnAgreement>,
}

/// The order of those jobs that both considered.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Order {
    /// How many jobs both considered.
    pub common: usize,
    /// How many of them come in the same order before the first that does not.
    pub same: usize,
    /// The jobs at which they part.
    pub parting: Option<Parting>,
}

/// The first job that differs.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Parting {
    pub modelled: Name,
    #[serde(rename = "said")]
    pub recorded: Name,
}

impl Order {
    /// Whether no job stands elsewhere.
    pub fn is_same(&self) -> bool {
        self.parting.is_none()
    }
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct TurnAgreement {
    /// The job's id as logged.
    #[serde(skip)]
    pub job: Name,
    /// The path entered.
    pub path: Compared,
    /// Whether it runs, waits, or never runs.
    pub verdict: Compared,
    /// Why it does not run.
    pub reason: Compared,
    /// Lines about chunks, buckets and sets; where they part, that line of each.
    pub lines: Compared,
}

impl TurnAgreement {
    /// The worst of the four.
    pub fn class(&self) -> Class {
        [&self.path, &self.verdict, &self.reason, &self.lines]
            .map(|part| part.class)
            .into_iter()
            .max()
            .unwrap_or(Class::NoEvidence)
    }
}

impl LogAgreement {
    /// How the turns compare, one class for each.
    pub fn tally(&self) -> ClassTally {
        self.turns.iter().map(TurnAgreement::class).collect()
    }
}

/// Compares turn by turn; an array's turns one after the other.
pub(super) fn compare(run: &Arc<Run>, cycle: &LoggedCycle, max_turns: usize) -> LogAgreement {
    let mut steps = steps_by_name(run);
    let detailed = cycle.events & DEBUG3 != 0;
    let mut lines = if detailed { lines_of(run, max_turns) } else { FxHashMap::default() };
    let waiting = waiting(run);
    let mut turns = Vec::with_capacity(cycle.turns.len());
    for turn in &cycle.turns {
        let step = steps.get_mut(&*turn.job).and_then(VecDeque::pop_front);
        turns.push(match step {
            Some(step) => compare_turn(run, turn, step, detailed, lines.remove(&step)),
            None => unmatched(turn, waiting.contains(&turn.job)),
        });
    }
    LogAgreement { started: cycle.started, detailed, order: compare_order(run, cycle), turns }
}

/// The steps of every job in order.
fn steps_by_name(run: &Run) -> FxHashMap<Name, VecDeque<StepIx>> {
    let mut steps: FxHashMap<Name, VecDeque<StepIx>> = FxHashMap::default();
    for (ix, step) in run.steps.enumerate() {
        steps.entry(run.plan.job(step.outcome.job).name.clone()).or_default().push_back(ix);
    }
    steps
}

/// What the model would have logged about the job at each of the first turns, simulations and all.
fn lines_of(run: &Arc<Run>, max_turns: usize) -> FxHashMap<StepIx, Vec<String>> {
    let mut lines = FxHashMap::default();
    if max_turns == 0 {
        return lines;
    }
    each_turn(run, |step, steps_seen| {
        let job = run.steps[step].outcome.job;
        let of_job = steps_seen.iter().filter(|seen| seen.job == job);
        lines.insert(step, of_job.flat_map(|seen| log_lines(&run.plan, seen)).collect());
        if lines.len() < max_turns { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    lines
}

/// Jobs that wait in the dump.
fn waiting(run: &Run) -> FxHashSet<Name> {
    let waits = |state| matches!(state, JobState::Queued | JobState::Suspended);
    run.plan.snap.jobs.iter().filter(|job| waits(job.state)).map(|job| job.name.clone()).collect()
}

/// A turn that the model's cycle does not have: the job ran in that cycle already and is not waiting any more, or
/// the model does not consider it.
fn unmatched(turn: &LoggedTurn, waits: bool) -> TurnAgreement {
    let recorded = verdict_of(turn);
    let nothing = |recorded: Option<String>| Compared::nothing(None, recorded);
    TurnAgreement {
        job: turn.job.clone(),
        path: nothing(path_of(turn).map(ToOwned::to_owned)),
        verdict: match recorded {
            Some(recorded) if waits => Compared::words("not_considered", recorded.word()),
            recorded => nothing(recorded.map(|verdict| verdict.word().to_owned())),
        },
        reason: nothing(reason_of(turn).map(ToOwned::to_owned)),
        lines: nothing(None),
    }
}

fn compare_turn(
    run: &Run,
    turn: &LoggedTurn,
    step: StepIx,
    detailed: bool,
    lines: Option<Vec<String>>,
) -> TurnAgreement {
    let outcome = &run.steps[step].outcome;
    let path = outcome.path.map_or("none", Path::word);
    let reason = outcome.rejection.as_ref().map(|why| why.reason.log_text(&run.plan.snap.catalogue));
    let verdict = outcome.verdict.word();
    TurnAgreement {
        job: turn.job.clone(),
        path: if detailed {
            Compared::words(path, path_of(turn).unwrap_or("none"))
        } else {
            Compared::nothing(Some(path.to_owned()), None)
        },
        verdict: match verdict_of(turn) {
            Some(recorded) => Compared::words(verdict, recorded.word()),
            None => Compared::nothing(Some(verdict.to_owned()), None),
        },
        reason: match (reason, reason_of(turn)) {
            (Some(modelled), Some(recorded)) => Compared::texts(&modelled, recorded),
            (modelled, recorded) => Compared::nothing(modelled, recorded.map(ToOwned::to_owned)),
        },
        lines: match lines {
            Some(modelled) if detailed => compare_lines(&modelled, turn),
            _ => Compared::nothing(None, None),
        },
    }
}

/// Where modelled and logged lines part first, if they do.
fn compare_lines(modelled: &[String], turn: &LoggedTurn) -> Compared {
    let mut logged = details(turn).map(comparable);
    let mut modelled = modelled.iter().map(|line| comparable(line));
    loop {
        match (modelled.next(), logged.next()) {
            (None, None) => return Compared { class: Class::Equal, modelled: None, recorded: None },
            (Some(a), Some(b)) if a == b => {}
            (modelled, recorded) => return Compared { class: Class::Different, modelled, recorded },
        }
    }
}

/// What was done in earnest, before anything was simulated.
fn in_earnest(turn: &LoggedTurn) -> impl Iterator<Item = &str> {
    let simulates = |text: &str| SIMULATES.iter().any(|start| text.starts_with(start));
    turn.lines.iter().map(|line| &*line.text).take_while(move |text| !simulates(text))
}

/// The lines about chunks, buckets, sets and nodes.
fn details(turn: &LoggedTurn) -> impl Iterator<Item = &str> {
    turn.lines.iter().map(|line| &*line.text).filter(|text| is_reproduced(text))
}

/// The path that the lines show.
fn path_of(turn: &LoggedTurn) -> Option<&'static str> {
    in_earnest(turn).find_map(|text| {
        let node = ["Evaluating subchunk: ", "Evaluating host "].iter().any(|start| text.starts_with(start))
            || text.starts_with("Placement set ");
        if text.starts_with("Chunk: ") { Some("bucket") } else { node.then_some("node") }
    })
}

fn decisions(turn: &LoggedTurn) -> impl DoubleEndedIterator<Item = &str> {
    turn.lines.iter().filter(|line| line.event & SCHED != 0).map(|line| &*line.text)
}

fn verdict_of(turn: &LoggedTurn) -> Option<Verdict> {
    let last = decisions(turn).next_back()?;
    Some(match last {
        RUNS => Verdict::Run,
        NEVER => Verdict::Never,
        _ => Verdict::NotNow,
    })
}

/// The reason of a job that does not run.
fn reason_of(turn: &LoggedTurn) -> Option<&str> {
    let last = decisions(turn).rfind(|text| *text != NEVER)?;
    (last != RUNS).then_some(last)
}

/// The order of the jobs that both considered, each at its first turn.
fn compare_order(run: &Run, cycle: &LoggedCycle) -> Order {
    let first = |names: Vec<Name>| {
        let mut seen = FxHashSet::default();
        names.into_iter().filter(|name| seen.insert(name.clone())).collect::<Vec<_>>()
    };
    let modelled = first(run.steps.iter().map(|step| run.plan.job(step.outcome.job).name.clone()).collect());
    let logged = first(cycle.turns.iter().map(|turn| turn.job.clone()).collect());
    let both: FxHashSet<&Name> = {
        let modelled: FxHashSet<&Name> = modelled.iter().collect();
        logged.iter().filter(|name| modelled.contains(name)).collect()
    };
    let pairs = || {
        let ours = modelled.iter().filter(|name| both.contains(name));
        ours.zip(logged.iter().filter(|name| both.contains(name)))
    };
    let parting = pairs().find(|(a, b)| a != b);
    Order {
        common: both.len(),
        same: pairs().take_while(|(a, b)| a == b).count(),
        parting: parting.map(|(a, b)| Parting { modelled: a.clone(), recorded: b.clone() }),
    }
}
