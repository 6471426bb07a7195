//! Into a decision, level by level, as a debugger steps into calls: job → stage → set → part of the select → bucket
//! or class of nodes → node; and from the calendar or preemption into one simulation of theirs.
//!
//! A [`Scene`] is what a decision left behind; [`inside`] lists what is inside a [`DecisionPoint`]. Nothing is made before
//! it is opened, so a decision over thousands of sets and nodes costs what is examined.

mod buckets;
mod classes;
mod lines;
mod on_node;
mod reservation;
mod searches;
mod simulations;
mod stages;

pub use buckets::owners;
use std::sync::Arc;

use qscope_engine::cluster::ResvId;
use qscope_engine::cycle::{Examination, Focus, Outcome, Rehearsal, Run};
use qscope_engine::placement::{Event, Placed};
use qscope_engine::universe::{Bit, JobRequest, Occupant, State};

pub use classes::NodeClass;
pub use lines::{DecisionLine, DecisionPart, all_decision_lines, decision_lines};
pub use on_node::{NodeTest, Tested, node_test, node_test_after};
pub use stages::StageName;

/// Whose decision it is.
#[derive(Debug, Clone, Copy)]
pub enum Subject<'a> {
    /// A job, and what became of it.
    Job(&'a Outcome),
    /// A reservation that waited to be confirmed, and how it was examined.
    Reservation(&'a Examination),
}

/// The same, kept.
#[derive(Debug, Clone)]
pub enum Decided {
    /// What became of the job.
    Job(Box<Outcome>),
    /// How the reservation was examined.
    Reservation(Arc<Examination>),
}

/// A decision with all that is known of it.
#[derive(Debug, Clone)]
pub struct Scene {
    /// The cycle.
    pub run: Arc<Run>,
    /// What became of the job, or of the reservation.
    pub decided: Decided,
    /// What a recording probe recorded.
    pub events: Vec<Event>,
    /// The universe as the job found it.
    pub state: State,
    /// The simulations within it, once they were made again.
    pub rehearsal: Option<Arc<Rehearsal>>,
}

/// A decision as it is viewed, wherever its parts are kept.
#[derive(Debug, Clone, Copy)]
pub struct Sight<'a> {
    /// The cycle.
    pub run: &'a Run,
    /// What became of whom.
    pub subject: Subject<'a>,
    /// What a recording probe recorded; nothing for jobs not considered.
    pub events: &'a [Event],
    /// The universe as the job found it.
    pub state: &'a State,
    /// The simulations within it, once they were made again.
    pub rehearsal: Option<&'a Rehearsal>,
}

impl<'a> Sight<'a> {
    /// What was placed, unless it was denied.
    fn placed(self) -> Option<&'a Placed> {
        match self.subject {
            Subject::Job(outcome) => outcome.placed.as_ref(),
            Subject::Reservation(examined) => examined.result.as_ref().ok(),
        }
    }

    /// Who looks for nodes.
    fn occupant(self) -> Occupant {
        match self.subject {
            Subject::Job(outcome) => Occupant::Job(outcome.job, None),
            Subject::Reservation(examined) => Occupant::Reservation(examined.reservation),
        }
    }

    /// What is asked for; none if it cannot be read.
    fn request(self) -> Option<&'a JobRequest> {
        let plan = &self.run.plan;
        match self.subject {
            Subject::Job(outcome) => plan.request(outcome.job, self.state.ledger.preempted[outcome.job]).ok(),
            Subject::Reservation(examined) => plan.reserved[examined.reservation].as_ref(),
        }
    }
}

impl Scene {
    /// The confirmation of a reservation; none for one that did not wait for it.
    pub fn of_reservation(run: &Arc<Run>, reservation: ResvId) -> Option<Self> {
        let examined = Arc::new(run.examination(reservation)?);
        let (events, state) = (examined.events.clone(), examined.state.clone());
        Some(Self {
            run: run.clone(),
            decided: Decided::Reservation(examined),
            events,
            state,
            rehearsal: None,
        })
    }

    /// Whether nodes were found.
    pub fn is_placed(&self) -> bool {
        self.sight().placed().is_some()
    }

    /// The decision to view.
    pub fn sight(&self) -> Sight<'_> {
        Sight {
            run: &self.run,
            subject: match &self.decided {
                Decided::Job(outcome) => Subject::Job(outcome),
                Decided::Reservation(examined) => Subject::Reservation(examined),
            },
            events: &self.events,
            state: &self.state,
            rehearsal: self.rehearsal.as_deref(),
        }
    }
}

/// Something in a decision that can be opened or viewed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DecisionPoint {
    /// The whole decision.
    Job,
    Stage(StageName),
    /// A set, or the list of all nodes, that was tried: its place among the attempts.
    Attempt(usize),
    /// A part of the select in an attempt.
    Part {
        attempt: usize,
        /// The part, from 0.
        part: usize,
    },
    /// A bucket that was requested nodes for a part.
    Bucket {
        attempt: usize,
        /// The part, from 0.
        part: usize,
        /// Its place in the order tried.
        at: usize,
    },
    /// Nodes that fared alike in a part, on the node path.
    Class {
        attempt: usize,
        /// The part, from 0.
        part: usize,
        /// How they fared.
        class: NodeClass,
    },
    Node {
        /// The node.
        bit: Bit,
        /// The attempt and part that it was examined for.
        of: (usize, usize),
    },
    /// A window of the calendar, from 0.
    Window(usize),
    /// A trial of preemption, from 0.
    Trial(usize),
    /// Something to read only.
    Fact,
}

/// One line of a level.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame {
    pub what: DecisionPoint,
    /// Whether the job passed here; none where there is nothing to pass, or it was not reached.
    pub passed: Option<bool>,
    /// Its name.
    pub label: String,
    /// Numbers under the heads of the level.
    pub numbers: Vec<String>,
    /// What was compared, or what came of it.
    pub text: String,
    /// What a bucket that matches gave to the part.
    share: Option<BucketShare>,
}

/// What a bucket gave to a part of the select, in nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct BucketShare {
    /// Free and busy-later ones that earlier parts have left.
    left: usize,
    /// Those that were taken; none where it was not tried.
    taken: Option<usize>,
}

impl Frame {
    fn new(
        what: DecisionPoint,
        passed: Option<bool>,
        label: impl Into<String>,
        text: impl Into<String>,
    ) -> Self {
        Self { what, passed, label: label.into(), numbers: Vec::new(), text: text.into(), share: None }
    }

    fn with(self, numbers: Vec<String>) -> Self {
        Self { numbers, ..self }
    }
}

/// Everything inside something, in order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DecisionLevel {
    /// Heads of the columns of numbers; none where there are no numbers.
    pub heads: &'static [&'static str],
    /// Its lines.
    pub frames: Vec<Frame>,
}

impl DecisionLevel {
    fn plain(frames: Vec<Frame>) -> Self {
        Self { heads: &[], frames }
    }
}

/// What is inside something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Inside {
    /// These.
    Level(DecisionLevel),
    /// The step has to be made again with this in focus before it can be read.
    Rehearse(Focus),
    /// Nothing: this is the innermost.
    Nothing,
}

/// What is inside something of a decision.
pub fn inside(scene: Sight<'_>, what: &DecisionPoint) -> Inside {
    let level = match what {
        DecisionPoint::Job => DecisionLevel::plain(match scene.subject {
            Subject::Job(outcome) => stages::stages(scene, outcome),
            Subject::Reservation(examined) => reservation::stages(scene, examined),
        }),
        DecisionPoint::Stage(StageName::Sets) => DecisionLevel::plain(searches::attempts_of(scene)),
        DecisionPoint::Stage(StageName::Placement) => searches::parts(scene, 0),
        DecisionPoint::Attempt(attempt) => searches::parts(scene, *attempt),
        DecisionPoint::Part { attempt, part } => match searches::is_bucket_try(scene, *attempt) {
            true => buckets::offers(scene, *attempt, *part),
            false => classes::classes(scene, *attempt, *part),
        },
        DecisionPoint::Bucket { attempt, part, at } => buckets::nodes(scene, *attempt, *part, *at),
        DecisionPoint::Class { attempt, part, class } => classes::nodes(scene, *attempt, *part, class),
        DecisionPoint::Stage(StageName::Calendar | StageName::Preemption) if scene.rehearsal.is_none() => {
            return Inside::Rehearse(Focus::Decision);
        }
        DecisionPoint::Stage(StageName::Calendar) => simulations::windows(scene),
        DecisionPoint::Stage(StageName::Preemption) => simulations::trials(scene),
        DecisionPoint::Window(at) => return Inside::Rehearse(Focus::Window(*at)),
        DecisionPoint::Trial(at) => return Inside::Rehearse(Focus::Trial(*at)),
        DecisionPoint::Stage(_) | DecisionPoint::Node { .. } | DecisionPoint::Fact => return Inside::Nothing,
    };
    if level.frames.is_empty() { Inside::Nothing } else { Inside::Level(level) }
}
