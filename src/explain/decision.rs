//! Steps into a decision level by level, as a debugger steps into calls: job → stage → set → chunk spec of the select
//! → bucket or class of nodes → node; and from the calendar or preemption into one of their simulations.
//!
//! A [`DecisionTrace`] holds the data of a decision; [`decision_contents`] lists the contents of a [`DecisionPoint`]. Contents are computed only
//! when opened, so the cost of a decision over thousands of sets and nodes depends on what is examined.

mod buckets;
mod classes;
mod lines;
mod node_test;
mod reservation;
mod searches;
mod simulations;
mod stages;

pub use buckets::owners;
use std::sync::Arc;

use qscope_engine::cluster::ResvId;
use qscope_engine::cycle::{ConfirmationTrace, Outcome, Run, SimulationFocus, SimulationRecord};
use qscope_engine::placement::{ProbeEvent, ProposedPlacement};
use qscope_engine::universe::{Bit, JobRequest, Occupant, State};

pub use classes::NodeClass;
pub use lines::{DecisionLine, DecisionPart, all_decision_lines, decision_lines};
pub use node_test::{NodeTest, TestedCondition, node_test, node_test_after};
pub use stages::StageName;

/// The subject of a decision.
#[derive(Debug, Clone, Copy)]
pub enum Subject<'a> {
    Job(&'a Outcome),
    /// A reservation that waited to be confirmed, and its examination.
    Reservation(&'a ConfirmationTrace),
}

/// An owned [`Subject`].
#[derive(Debug, Clone)]
pub enum OwnedSubject {
    Job(Box<Outcome>),
    Reservation(Arc<ConfirmationTrace>),
}

/// A decision with all its data.
#[derive(Debug, Clone)]
pub struct DecisionTrace {
    /// The cycle.
    pub run: Arc<Run>,
    /// The outcome of the job or reservation.
    pub decided: OwnedSubject,
    /// Events of a recording probe.
    pub events: Vec<ProbeEvent>,
    /// The state in which the job was considered.
    pub state: State,
    /// The simulations within it, once they were rehearsed.
    pub rehearsal: Option<Arc<SimulationRecord>>,
}

/// A borrowed view of a decision.
#[derive(Debug, Clone, Copy)]
pub struct DecisionTraceRef<'a> {
    /// The cycle.
    pub run: &'a Run,
    /// The job or reservation, with its outcome.
    pub subject: Subject<'a>,
    /// Events of a recording probe; empty for jobs not considered.
    pub events: &'a [ProbeEvent],
    /// The state in which the job was considered.
    pub state: &'a State,
    /// The simulations within it, once they were rehearsed.
    pub rehearsal: Option<&'a SimulationRecord>,
}

impl<'a> DecisionTraceRef<'a> {
    /// Returns the placement, if there is one.
    fn placed(self) -> Option<&'a ProposedPlacement> {
        match self.subject {
            Subject::Job(outcome) => outcome.placed.as_ref(),
            Subject::Reservation(examined) => examined.result.as_ref().ok(),
        }
    }

    /// Returns the occupant that needs nodes.
    fn occupant(self) -> Occupant {
        match self.subject {
            Subject::Job(outcome) => Occupant::Job(outcome.job, None),
            Subject::Reservation(examined) => Occupant::Reservation(examined.reservation),
        }
    }

    /// Returns the request; `None` if it cannot be read.
    fn request(self) -> Option<&'a JobRequest> {
        let plan = &self.run.plan;
        match self.subject {
            Subject::Job(outcome) => plan.request(outcome.job, self.state.ledger.preempted[outcome.job]).ok(),
            Subject::Reservation(examined) => plan.reserved[examined.reservation].as_ref(),
        }
    }
}

impl DecisionTrace {
    /// Creates the scene of a reservation's confirmation; `None` if the reservation did not wait for it.
    pub fn of_reservation(run: &Arc<Run>, reservation: ResvId) -> Option<Self> {
        let examined = Arc::new(run.examination(reservation)?);
        let (events, state) = (examined.events.clone(), examined.state.clone());
        Some(Self {
            run: run.clone(),
            decided: OwnedSubject::Reservation(examined),
            events,
            state,
            rehearsal: None,
        })
    }

    /// Whether nodes were found.
    pub fn is_placed(&self) -> bool {
        self.as_trace_ref().placed().is_some()
    }

    /// Returns a view of the decision.
    pub fn as_trace_ref(&self) -> DecisionTraceRef<'_> {
        DecisionTraceRef {
            run: &self.run,
            subject: match &self.decided {
                OwnedSubject::Job(outcome) => Subject::Job(outcome),
                OwnedSubject::Reservation(examined) => Subject::Reservation(examined),
            },
            events: &self.events,
            state: &self.state,
            rehearsal: self.rehearsal.as_deref(),
        }
    }
}

/// An item of a decision that can be opened or viewed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DecisionPoint {
    /// The whole decision.
    Job,
    Stage(StageName),
    /// A set or the list of all nodes that was tried, by its index among the attempts.
    Attempt(usize),
    /// A chunk spec of the select in an attempt.
    Part {
        attempt: usize,
        /// The chunk spec, from 0.
        part: usize,
    },
    /// A bucket that was asked for nodes for a chunk spec.
    Bucket {
        attempt: usize,
        /// The chunk spec, from 0.
        part: usize,
        /// Its index in the order tried.
        at: usize,
    },
    /// Nodes with the same result for a chunk spec, on the node path.
    Class {
        attempt: usize,
        /// The chunk spec, from 0.
        part: usize,
        /// Their result.
        class: NodeClass,
    },
    Node {
        /// The node.
        bit: Bit,
        /// The attempt and the chunk spec that it was examined for.
        of: (usize, usize),
    },
    /// A window of the calendar, by index from 0.
    Window(usize),
    /// A trial of preemption, by index from 0.
    Trial(usize),
    /// Text without contents.
    Fact,
}

/// One line of a level.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DecisionRow {
    pub point: DecisionPoint,
    /// Whether the job passed; `None` if there is nothing to pass, or if it was not reached.
    pub passed: Option<bool>,
    /// Its name.
    pub label: String,
    /// Numbers for the columns of the level.
    pub numbers: Vec<String>,
    /// The condition that a node fails; empty for other lines.
    pub condition: String,
    /// What was compared, or the result.
    pub text: String,
    /// The id of the rule of a stage, where one is known.
    pub rule: Option<&'static str>,
    /// What a matching bucket gave to the chunk spec.
    share: Option<BucketShare>,
}

/// What a bucket gave to a chunk spec of the select, in nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct BucketShare {
    /// Number of free and busy-later nodes left by earlier chunk specs.
    available: usize,
    /// Number of nodes taken; `None` if the bucket was not tried.
    nodes_taken: Option<usize>,
}

impl DecisionRow {
    fn new(
        point: DecisionPoint,
        passed: Option<bool>,
        label: impl Into<String>,
        text: impl Into<String>,
    ) -> Self {
        Self {
            point,
            passed,
            label: label.into(),
            numbers: Vec::new(),
            condition: String::new(),
            text: text.into(),
            rule: None,
            share: None,
        }
    }

    fn with(self, numbers: Vec<String>) -> Self {
        Self { numbers, ..self }
    }
}

/// The contents of an item, in order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DecisionLevel {
    /// Headings of the number columns; empty if there are no numbers.
    pub headings: &'static [&'static str],
    /// Its lines.
    pub frames: Vec<DecisionRow>,
}

impl DecisionLevel {
    fn plain(frames: Vec<DecisionRow>) -> Self {
        Self { headings: &[], frames }
    }
}

/// The contents of an item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DecisionContents {
    /// A level of lines.
    Level(DecisionLevel),
    /// The step must be rehearsed with this focus before it can be read.
    Rehearse(SimulationFocus),
    /// None: this is an innermost item.
    Nothing,
}

/// Returns the contents of an item of a decision.
pub fn decision_contents(trace: DecisionTraceRef<'_>, what: &DecisionPoint) -> DecisionContents {
    let level = match what {
        DecisionPoint::Job => DecisionLevel::plain(match trace.subject {
            Subject::Job(outcome) => stages::stages(trace, outcome),
            Subject::Reservation(examined) => reservation::stages(trace, examined),
        }),
        DecisionPoint::Stage(StageName::Sets) => DecisionLevel::plain(searches::attempts_of(trace)),
        DecisionPoint::Stage(StageName::Placement) => searches::parts(trace, 0),
        DecisionPoint::Attempt(attempt) => searches::parts(trace, *attempt),
        DecisionPoint::Part { attempt, part } => match searches::is_bucket_try(trace, *attempt) {
            true => buckets::offers(trace, *attempt, *part),
            false => classes::classes(trace, *attempt, *part),
        },
        DecisionPoint::Bucket { attempt, part, at } => buckets::nodes(trace, *attempt, *part, *at),
        DecisionPoint::Class { attempt, part, class } => classes::nodes(trace, *attempt, *part, class),
        DecisionPoint::Stage(StageName::Calendar | StageName::Preemption) if trace.rehearsal.is_none() => {
            return DecisionContents::Rehearse(SimulationFocus::Decision);
        }
        DecisionPoint::Stage(StageName::Calendar) => simulations::windows(trace),
        DecisionPoint::Stage(StageName::Preemption) => simulations::trials(trace),
        DecisionPoint::Window(at) => return DecisionContents::Rehearse(SimulationFocus::Window(*at)),
        DecisionPoint::Trial(at) => return DecisionContents::Rehearse(SimulationFocus::Trial(*at)),
        DecisionPoint::Stage(_) | DecisionPoint::Node { .. } | DecisionPoint::Fact => {
            return DecisionContents::Nothing;
        }
    };
    if level.frames.is_empty() { DecisionContents::Nothing } else { DecisionContents::Level(level) }
}
