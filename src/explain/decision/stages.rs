//! The stages of a decision.

use crate::refused_by_server;
use crate::words::{self, node_list, short_reason};
use qscope_engine::cycle::{Outcome, RefusalStage, StopRule};
use qscope_engine::placement::{PathChoice, PathRule, ProbeEvent};
use qscope_engine::universe::Rejection;

use super::{DecisionPoint, DecisionRow, DecisionTraceRef};

/// Prefix of PBS's comment for a waiting job, omitted because the mark in front of a stage states the same.
const WAITS: &str = "Not Running: ";

/// The stages, in the order that a job passes them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum StageName {
    /// Whether it is considered at all.
    Eligible,
    /// Its position in the order.
    Order,
    /// The path it would use.
    Path,
    /// Whether an equal job has already failed.
    Class,
    /// The check against all nodes.
    AllNodes,
    Limits,
    /// Prime and dedicated time.
    Time,
    /// What its queue and the server have left.
    Resources,
    /// Placement sets.
    Sets,
    /// Placement on all nodes.
    Placement,
    /// Making room by preemption.
    Preemption,
    Calendar,
    /// The start at the server.
    Server,
}

impl StageName {
    /// Returns the rule of a stage that has a single one.
    fn rule(self) -> Option<StopRule> {
        match self {
            Self::Eligible => Some(StopRule::JobsConsidered),
            Self::Order => Some(StopRule::MainLoop),
            Self::Class => Some(StopRule::ClassFailed),
            Self::AllNodes => Some(StopRule::AllNodes),
            Self::Limits => Some(StopRule::Limits),
            _ => None,
        }
    }
}

/// Returns the stages passed, the one that failed, and those tried afterwards.
pub(super) fn stages(scene: DecisionTraceRef<'_>, outcome: &Outcome) -> Vec<DecisionRow> {
    let mut stages = StageListBuilder { trace: scene, outcome, failed: false, frames: Vec::new() };
    let refused =
        || (outcome.refused_at == Some(RefusalStage::Eligibility)).then(|| stages.rejection_comment());
    let out = scene.run.excluded(outcome.job).or_else(refused);
    stages.check(StageName::Eligible, "eligible", out, "it waits, and its queue is started");
    let stopped = (outcome.refused_at == Some(RefusalStage::Order)).then(|| stages.rejection_comment());
    // In a simulation there is no order, and neither equal jobs nor the sums of all nodes are checked.
    let simulated = outcome.order.is_none();
    if outcome.order.is_some() || stopped.is_some() {
        let place = outcome.order.unwrap_or(0);
        let place = format!("number {place} of {}", words::considered(scene.run));
        stages.check(StageName::Order, "order", stopped, &place);
    }
    if let Some(choice) = outcome.would_use.filter(|_| !stages.failed) {
        let frame = DecisionRow::new(
            DecisionPoint::Stage(StageName::Path),
            None,
            "path",
            path_words(scene, outcome, choice),
        );
        stages.frames.push(DecisionRow { rule: Some(choice.rule.id()), ..frame });
    }
    let refused = outcome.refused_at;
    let failed_at = |stages: &[RefusalStage]| refused.is_some_and(|stage| stages.contains(&stage));
    let class = match refused {
        Some(RefusalStage::Class(first)) => Some(format!(
            "same request as {}, not tried again: {}",
            scene.run.plan.job(first).short_name(),
            stages.rejection_comment()
        )),
        _ => None,
    };
    if !simulated {
        stages.check(StageName::Class, "class", class, "no equal job has failed");
    }
    let counted = quick_check(scene.events);
    // The original result of the check, even if preemption made room afterwards.
    let refused = quick_refusal(scene.events).map(|why| format!("{counted}; {}", comment(scene, why)));
    let all_nodes = refused.or_else(|| {
        failed_at(&[RefusalStage::AllNodes]).then(|| format!("{counted}; {}", stages.rejection_comment()))
    });
    if !simulated {
        stages.check(StageName::AllNodes, "all nodes", all_nodes, &counted);
    }
    let limit = failed_at(&[RefusalStage::Limit]).then(|| stages.rejection_comment());
    stages.check(StageName::Limits, "limits", limit, "none is reached");
    let time = failed_at(&[RefusalStage::Time]).then(|| stages.rejection_comment());
    stages.check(StageName::Time, "time", time, "no prime or dedicated time in the way");
    let short = failed_at(&[RefusalStage::QueueResources, RefusalStage::ServerResources])
        .then(|| stages.rejection_comment());
    stages.check(StageName::Resources, "resources", short, "queue and server have enough left");
    stages.placement();
    stages.afterwards();
    stages.frames
}

/// Describes the path and the test that chose it; preemption uses the node path without any test.
fn path_words(scene: DecisionTraceRef<'_>, outcome: &Outcome, choice: PathChoice) -> String {
    let path = choice.path.word();
    let job = outcome.job;
    let goes_back = scene.run.plan.job(job).previous_placement().is_some() || scene.state.ledger.returns(job);
    if outcome.order.is_none() && choice.rule == PathRule::PreviousPlacement && !goes_back {
        return format!("{path} path, as always with preemption");
    }
    format!("{path} path · rule {}: {}", choice.rule.id(), choice.rule.sentence())
}

/// Describes the numbers of the check against all nodes.
fn quick_check(events: &[ProbeEvent]) -> String {
    let found = events.iter().find_map(|event| match event {
        ProbeEvent::QuickCheck { nodes, total_nodes, chunks, .. } => {
            let chunks = words::count(*chunks, "chunk");
            Some(format!("{}, {chunks} requested", words::open_nodes(*nodes, *total_nodes, LAST_SET_ONLY)))
        }
        _ => None,
    });
    found.unwrap_or_else(|| "not needed here".to_owned())
}

/// Why the count of all nodes may be stale: it is updated before each check, but only for nodes that remember this
/// set.
const LAST_SET_ONLY: &str = "quirk last-set-only";

fn quick_refusal(events: &[ProbeEvent]) -> Option<&Rejection> {
    events.iter().find_map(|event| match event {
        ProbeEvent::QuickCheck { rejection, .. } => rejection.as_ref(),
        _ => None,
    })
}

struct StageListBuilder<'a> {
    trace: DecisionTraceRef<'a>,
    outcome: &'a Outcome,
    failed: bool,
    frames: Vec<DecisionRow>,
}

impl StageListBuilder<'_> {
    fn rejection_comment(&self) -> String {
        self.outcome.rejection.as_ref().map_or_else(String::new, |why| comment(self.trace, why))
    }

    fn push(&mut self, name: StageName, passed: Option<bool>, label: &str, text: impl Into<String>) {
        let rule = passed.and_then(|passed| self.rule(name, passed)).map(StopRule::id);
        self.frames
            .push(DecisionRow { rule, ..DecisionRow::new(DecisionPoint::Stage(name), passed, label, text) });
    }

    /// Returns the rule of a stage; of one that failed the rule that stopped the job.
    fn rule(&self, name: StageName, passed: bool) -> Option<StopRule> {
        if passed || matches!(name, StageName::Class | StageName::AllNodes) {
            return name.rule();
        }
        let stopped = self.trace.run.stop_rule(self.outcome);
        match name {
            StageName::Preemption => stopped.filter(|rule| *rule == StopRule::RoomInVain),
            StageName::Calendar => None,
            _ => stopped.filter(|rule| *rule != StopRule::RoomInVain).or(name.rule()),
        }
    }

    /// Adds a check that failed or passed with these words; does nothing after an earlier failure.
    fn check(&mut self, name: StageName, label: &str, failed: Option<String>, passed: &str) {
        if self.failed {
            return;
        }
        match failed {
            Some(words) => {
                self.failed = true;
                self.push(name, Some(false), label, words);
            }
            None => self.push(name, Some(true), label, passed),
        }
    }

    fn placement(&mut self) {
        if self.failed || self.outcome.path.is_none() {
            return;
        }
        let placed = self.outcome.placed.as_ref().filter(|_| !self.outcome.by_preemption);
        let passed = Some(placed.is_some());
        let why = match placed {
            Some(placed) => {
                let set = placed.set.as_ref().map_or_else(String::new, |set| format!(" in {set}"));
                format!("found room on {}{set}", words::count(placed.allocation.nodes().len(), "node"))
            }
            None => self.rejection_comment().trim_start_matches(WAITS).to_owned(),
        };
        if has_sets(self.trace) {
            let tried = format!("{} tried", self.outcome.examined.sets);
            let text = if why.is_empty() { tried } else { format!("{tried}: {why}") };
            self.push(StageName::Sets, passed, "sets", text);
        } else {
            self.push(StageName::Placement, passed, "placement", why);
        }
    }

    /// Adds what is tried for a job that could not start.
    fn afterwards(&mut self) {
        let outcome = self.outcome;
        let tried = self.trace.rehearsal;
        let trials = tried.map_or(0, |rehearsal| rehearsal.trials.len());
        if !outcome.victims.is_empty() || trials > 0 {
            let jobs = outcome.victims.iter().map(|(job, _)| self.trace.run.plan.job(*job).short_name());
            let jobs = jobs.collect::<Vec<_>>().join(" ");
            let words =
                if jobs.is_empty() { "no victims make room".to_owned() } else { format!("preempts {jobs}") };
            self.push(StageName::Preemption, Some(outcome.by_preemption), "preemption", words);
        }
        if let Some(top) = &outcome.estimate {
            let plan = &self.trace.run.plan;
            let starts = if top.start < plan.snap.now { "was to start" } else { "starts" };
            let words = format!(
                "top job: {starts} {} on {}; {} path, {} simulated",
                words::moment(&plan.snap, top.start),
                node_list(plan, &top.allocation.nodes()),
                top.path.word(),
                words::count(top.windows, "window")
            );
            self.push(StageName::Calendar, None, "calendar", words);
        } else if tried.is_some_and(|rehearsal| !rehearsal.windows.is_empty()) {
            self.push(StageName::Calendar, Some(false), "calendar", "it fits in no window");
        }
        if let Some(why) = refused_by_server(self.trace.run, outcome) {
            self.push(StageName::Server, Some(false), "server", format!("refuses the start: {why}"));
        }
    }
}

/// Returns the scheduler's complete comment, tidied up.
pub(super) fn comment(scene: DecisionTraceRef<'_>, rejection: &Rejection) -> String {
    words::bare(&rejection.full_comment(&scene.run.plan.snap.catalogue)).to_owned()
}

/// Returns what is lacking, in a few words.
pub(super) fn reason(scene: DecisionTraceRef<'_>, rejection: &Rejection) -> String {
    short_reason(&scene.run.plan.snap.catalogue, rejection)
}

pub(super) fn has_sets(trace: DecisionTraceRef<'_>) -> bool {
    let of_sets = |event: &ProbeEvent| {
        matches!(
            event,
            ProbeEvent::SetTried(_)
                | ProbeEvent::SetTooSmall(..)
                | ProbeEvent::Spanning
                | ProbeEvent::FellThrough
        )
    };
    trace.events.iter().any(of_sets)
}
