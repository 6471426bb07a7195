//! Compares the cycle of the scheduler's log that followed the dump with the modelled one: order, path, verdict,
//! reason, and the lines about chunks, buckets and sets.

use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use serde::Serialize;

use qscope_engine::cluster::{Epoch, JobState, Name};
use qscope_engine::cycle::{Run, StepIx, Verdict};
use qscope_engine::placement::PlacementPath;
use qscope_explain::{comparable, each_turn, is_reproduced, log_lines};
use qscope_source::sched_log::{LoggedCycle, LoggedTurn};

use super::class::{AgreementClass, AgreementTally, ComparedFact};

/// Event bit for decisions of the scheduler.
const SCHED: u32 = 0x40;
/// Event bit for details of placement.
const DEBUG3: u32 = 0x400;
const RUNS: &str = "Job run";
const NEVER: &str = "Job will never run with the resources currently configured in the complex";
/// Beginnings of lines after which the scheduler only simulates.
const SIMULATES: [&str; 2] = ["Estimating the start time", "Employing preemption"];
/// Comparison of the log with the model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LogAgreement {
    /// Start of the logged cycle, if the log shows it.
    pub started: Option<Epoch>,
    /// Whether the log has lines on chunks and nodes (`log_events` includes 1024).
    pub detailed: bool,
    /// The order in which jobs were considered.
    pub order: OrderAgreement,
    /// Every turn, in the order of the log.
    pub turn_agreements: Vec<TurnAgreement>,
}

/// The order of the jobs that both considered.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct OrderAgreement {
    /// Number of jobs that both considered.
    pub common: usize,
    /// Number of them in the same order before the first difference.
    pub same: usize,
    /// The jobs at which the orders diverge.
    pub parting: Option<OrderDivergence>,
}

/// The first jobs that differ.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct OrderDivergence {
    pub modelled: Name,
    #[serde(rename = "said")]
    pub recorded: Name,
}

impl OrderAgreement {
    /// Whether no job is at a different position.
    pub fn is_same(&self) -> bool {
        self.parting.is_none()
    }
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct TurnAgreement {
    /// Id of the job, as logged.
    #[serde(skip)]
    pub job: Name,
    /// The path taken.
    pub path: ComparedFact,
    /// Whether it runs, waits, or never runs.
    pub verdict: ComparedFact,
    /// Why it does not run.
    pub reason: ComparedFact,
    /// Lines about chunks, buckets and sets; if they differ, the first different line of each.
    pub lines: ComparedFact,
}

impl TurnAgreement {
    /// Returns the worst of the four classes.
    pub fn class(&self) -> AgreementClass {
        [&self.path, &self.verdict, &self.reason, &self.lines]
            .map(|part| part.class)
            .into_iter()
            .max()
            .unwrap_or(AgreementClass::NoEvidence)
    }
}

impl LogAgreement {
    /// Returns the classes of all turns.
    pub fn tally(&self) -> AgreementTally {
        self.turn_agreements.iter().map(TurnAgreement::class).collect()
    }
}

/// Compares turn by turn; the turns of an array are matched in order.
pub(super) fn compare(run: &Arc<Run>, cycle: &LoggedCycle, max_turns: usize) -> LogAgreement {
    let mut steps = steps_by_name(run);
    let detailed = cycle.events & DEBUG3 != 0;
    let mut lines = if detailed { lines_of(run, max_turns) } else { FxHashMap::default() };
    let waiting = waiting(run);
    let mut turn_agreements = Vec::with_capacity(cycle.logged_turns.len());
    for turn in &cycle.logged_turns {
        let step = steps.get_mut(&*turn.job).and_then(VecDeque::pop_front);
        turn_agreements.push(match step {
            Some(step) => compare_turn(run, turn, step, detailed, lines.remove(&step)),
            None => unmatched(turn, waiting.contains(&turn.job)),
        });
    }
    LogAgreement { started: cycle.started, detailed, order: compare_order(run, cycle), turn_agreements }
}

/// Returns the steps of every job, in order.
fn steps_by_name(run: &Run) -> FxHashMap<Name, VecDeque<StepIx>> {
    let mut steps: FxHashMap<Name, VecDeque<StepIx>> = FxHashMap::default();
    for (ix, step) in run.steps.enumerate() {
        steps.entry(run.plan.job(step.outcome.job).name.clone()).or_default().push_back(ix);
    }
    steps
}

/// Returns the lines that the model would log about the job in each of the first turns, including simulations.
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

/// Returns the jobs that wait in the dump.
fn waiting(run: &Run) -> FxHashSet<Name> {
    let waits = |state| matches!(state, JobState::Queued | JobState::Suspended);
    run.plan.snap.jobs.iter().filter(|job| waits(job.state)).map(|job| job.name.clone()).collect()
}

/// Compares a turn that is missing in the modelled cycle: the job already ran in that cycle and no longer waits, or
/// the model does not consider it.
fn unmatched(turn: &LoggedTurn, waits: bool) -> TurnAgreement {
    let recorded = verdict_of(turn);
    let nothing = |recorded: Option<String>| ComparedFact::without_record(None, recorded);
    TurnAgreement {
        job: turn.job.clone(),
        path: nothing(path_of(turn).map(ToOwned::to_owned)),
        verdict: match recorded {
            Some(recorded) if waits => ComparedFact::words("not_considered", recorded.word()),
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
    let path = outcome.path.map_or("none", PlacementPath::word);
    let reason = outcome.rejection.as_ref().map(|why| why.reason.log_text(&run.plan.snap.catalogue));
    let verdict = outcome.verdict.word();
    TurnAgreement {
        job: turn.job.clone(),
        path: if detailed {
            ComparedFact::words(path, path_of(turn).unwrap_or("none"))
        } else {
            ComparedFact::without_record(Some(path.to_owned()), None)
        },
        verdict: match verdict_of(turn) {
            Some(recorded) => ComparedFact::words(verdict, recorded.word()),
            None => ComparedFact::without_record(Some(verdict.to_owned()), None),
        },
        reason: match (reason, reason_of(turn)) {
            (Some(modelled), Some(recorded)) => ComparedFact::texts(&modelled, recorded),
            (modelled, recorded) => ComparedFact::without_record(modelled, recorded.map(ToOwned::to_owned)),
        },
        lines: match lines {
            Some(modelled) if detailed => compare_lines(&modelled, turn),
            _ => ComparedFact::without_record(None, None),
        },
    }
}

/// Returns the first difference between modelled and logged lines, if any.
fn compare_lines(modelled: &[String], turn: &LoggedTurn) -> ComparedFact {
    let mut logged = details(turn).map(comparable);
    let mut modelled = modelled.iter().map(|line| comparable(line));
    loop {
        match (modelled.next(), logged.next()) {
            (None, None) => {
                return ComparedFact { class: AgreementClass::Equal, modelled: None, recorded: None };
            }
            (Some(a), Some(b)) if a == b => {}
            (modelled, recorded) => {
                return ComparedFact { class: AgreementClass::Different, modelled, recorded };
            }
        }
    }
}

/// Returns the lines about actual decisions, before anything was simulated.
fn actual_decisions(turn: &LoggedTurn) -> impl Iterator<Item = &str> {
    let simulates = |text: &str| SIMULATES.iter().any(|start| text.starts_with(start));
    turn.lines.iter().map(|line| &*line.text).take_while(move |text| !simulates(text))
}

/// Returns the lines about chunks, buckets, sets and nodes.
fn details(turn: &LoggedTurn) -> impl Iterator<Item = &str> {
    turn.lines.iter().map(|line| &*line.text).filter(|text| is_reproduced(text))
}

/// Returns the path that the lines show.
fn path_of(turn: &LoggedTurn) -> Option<&'static str> {
    actual_decisions(turn).find_map(|text| {
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

/// Returns the reason of a job that does not run.
fn reason_of(turn: &LoggedTurn) -> Option<&str> {
    let last = decisions(turn).rfind(|text| *text != NEVER)?;
    (last != RUNS).then_some(last)
}

/// Compares the order of the jobs that both considered, each at its first turn.
fn compare_order(run: &Run, cycle: &LoggedCycle) -> OrderAgreement {
    let first = |names: Vec<Name>| {
        let mut seen = FxHashSet::default();
        names.into_iter().filter(|name| seen.insert(name.clone())).collect::<Vec<_>>()
    };
    let modelled = first(run.steps.iter().map(|step| run.plan.job(step.outcome.job).name.clone()).collect());
    let logged = first(cycle.logged_turns.iter().map(|turn| turn.job.clone()).collect());
    let both: FxHashSet<&Name> = {
        let modelled: FxHashSet<&Name> = modelled.iter().collect();
        logged.iter().filter(|name| modelled.contains(name)).collect()
    };
    let pairs = || {
        let ours = modelled.iter().filter(|name| both.contains(name));
        ours.zip(logged.iter().filter(|name| both.contains(name)))
    };
    let parting = pairs().find(|(a, b)| a != b);
    OrderAgreement {
        common: both.len(),
        same: pairs().take_while(|(a, b)| a == b).count(),
        parting: parting.map(|(a, b)| OrderDivergence { modelled: a.clone(), recorded: b.clone() }),
    }
}
