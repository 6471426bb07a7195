//! Compares two jobs: every key between them, the terms of the formula, the path through the fair share tree.

use std::ops::ControlFlow;
use std::sync::Arc;

use qscope_engine::cluster::{FormulaTerm, JobId};
use qscope_engine::cycle::job_lists::PickingPolicy;
use qscope_engine::cycle::job_order::DecidingKey;
use qscope_engine::cycle::{Agenda, Debugger, Precedence, Run};
use qscope_engine::universe::State;
use serde::Serialize;

use super::values::{SortKeyValues, key_words, rounded};
use super::{OrderDecision, keys_in_force};

/// Every key between two jobs, at the moment when the first one was picked.
#[derive(Clone, Debug, Serialize)]
pub struct OrderComparison {
    /// The job that comes first.
    pub first: String,
    /// The other job.
    pub second: String,
    /// Their places in the order considered; null for a job that is not considered.
    pub orders: [Option<usize>; 2],
    pub decided_by: OrderDecision,
    /// Every key, most significant first.
    pub keys: Vec<KeyRow>,
    /// `job_sort_formula` with its terms at the start of the cycle.
    pub formula: Option<FormulaRow>,
    /// The fair share entities of both from the root down; empty if fair share does not count.
    pub shares: Vec<ShareRow>,
    #[serde(skip)]
    pub(super) ids: [JobId; 2],
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct KeyRow {
    pub key: String,
    pub first: String,
    pub second: String,
    /// The job it puts first: `first`, `second`, or null if they are equal.
    pub ahead: Option<&'static str>,
    pub decides: bool,
}

/// A formula with the values of its names for both jobs.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct FormulaRow {
    /// The formula as written.
    pub text: String,
    /// Each name with its values for both jobs; null if it has none.
    pub terms: Vec<TermRow>,
    /// What the formula adds up, as written, and what each part adds for both jobs.
    #[serde(skip)]
    pub parts: Vec<TermRow>,
    /// The result in single precision, as the scheduler keeps it; null if it cannot be evaluated, which counts as 0.
    pub value: [Option<f64>; 2],
}

/// A name of a formula, and its value for both jobs.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct TermRow {
    pub name: String,
    pub first: Option<f64>,
    pub second: Option<f64>,
}

/// An entity on the path from the root.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ShareRow {
    /// The job: `first` or `second`.
    pub job: &'static str,
    pub entity: String,
    /// Number of steps below the root.
    pub depth: usize,
    /// Its fraction of the whole tree, 0 to 1.
    pub percentage: f64,
    pub usage: f64,
    /// Its usage divided by its share, which is compared where the paths part; null without a share.
    pub burden: Option<f64>,
}

/// Returns all keys between two jobs; `None` if neither is considered.
pub fn between(run: &Arc<Run>, one: JobId, other: JobId) -> Option<OrderComparison> {
    let place = |job| run.step_of(job);
    let (first, second) = match (place(one), place(other)) {
        (Some(x), Some(y)) if y < x => (other, one),
        (None, Some(_)) => (other, one),
        _ => (one, other),
    };
    let step = place(first)?;
    let mut found = None;
    run.picks(|at, job, agenda, state| {
        if at < step {
            return ControlFlow::Continue(());
        }
        found = Some(at_pick(run, agenda, state, job, second));
        ControlFlow::Break(())
    });
    let mut found = found?;
    let mut start = Debugger::new(run.clone());
    start.seek(0);
    let agenda = run.first_agenda(start.state());
    found.formula = formula(run, agenda, first, second);
    found.shares = shares(run, agenda, first, second);
    Some(found)
}

fn at_pick(run: &Run, agenda: &Agenda, state: &State, first: JobId, second: JobId) -> OrderComparison {
    let values = SortKeyValues { run, agenda, state };
    let precedence = agenda.precedence(state, first, second);
    let snap = &run.plan.snap;
    let order = |job| run.steps[run.step_of(job)?].outcome.order.map(|at| at as usize);
    OrderComparison {
        first: snap.jobs[first].name.to_string(),
        second: snap.jobs[second].name.to_string(),
        orders: [order(first), order(second)],
        decided_by: values.decision(precedence, first, second),
        keys: rows(&values, precedence, first, second),
        formula: None,
        shares: Vec::new(),
        ids: [first, second],
    }
}

/// Returns every key, those of the lists before those of the jobs.
fn rows(values: &SortKeyValues<'_>, precedence: Precedence, first: JobId, second: JobId) -> Vec<KeyRow> {
    let (run, agenda) = (values.run, values.agenda);
    let mut rows = lists(values, precedence, first, second);
    let order = agenda.order();
    for key in std::iter::once(DecidingKey::Runnable).chain(keys_in_force(run)) {
        let (left, right) = values.values(key, first, second);
        let ahead = order.compare_by(key, agenda.keys(first), agenda.keys(second));
        let ahead = if ahead.is_lt() { Some("first") } else { ahead.is_gt().then_some("second") };
        let waits = precedence == Precedence::NotReady && key == DecidingKey::Runnable;
        let decides = precedence == Precedence::Key(key) || (waits && ahead.is_some());
        rows.push(KeyRow { key: key_words(run, key), first: left, second: right, ahead, decides });
    }
    rows
}

/// Returns the keys of the lists: reservations, jobs ahead, queues.
fn lists(values: &SortKeyValues<'_>, precedence: Precedence, first: JobId, second: JobId) -> Vec<KeyRow> {
    let row = |key: &str, of: &dyn Fn(JobId) -> String, decides: bool| {
        let (left, right) = (of(first), of(second));
        KeyRow { key: key.to_owned(), first: left, second: right, ahead: decides.then_some("first"), decides }
    };
    let mut rows = Vec::new();
    let is_reserved = [first, second].iter().any(|job| values.reservation(*job) != "-");
    if is_reserved {
        let decides = precedence == Precedence::Reservation;
        rows.push(row("reservation", &|job| values.reservation(job), decides));
    }
    if values.run.setup.picking == PickingPolicy::ByQueue {
        rows.push(row(
            "ahead of all queues",
            &|job| values.ahead(job).to_owned(),
            precedence == Precedence::BeforeQueues,
        ));
    }
    if values.run.setup.picking != PickingPolicy::OneList {
        let by_priority = precedence == Precedence::QueuePriority;
        rows.push(row("queue Priority", &|job| values.queue(job, true), by_priority));
        let listed = matches!(precedence, Precedence::QueueListed | Precedence::QueueTurn);
        if listed {
            let key = if precedence == Precedence::QueueTurn {
                "turn of the queues"
            } else {
                "order of the queues"
            };
            rows.push(row(key, &|job| values.queue(job, false), true));
        }
    }
    rows
}

fn formula(run: &Run, agenda: &Agenda, first: JobId, second: JobId) -> Option<FormulaRow> {
    let text = run.setup.formula.as_ref()?.text().to_owned();
    let (left, right) = (agenda.formula_terms(first)?, agenda.formula_terms(second)?);
    let rows = |left: &[FormulaTerm], right: &[FormulaTerm]| {
        let row = |(x, y): (&FormulaTerm, &FormulaTerm)| TermRow {
            name: x.name.to_string(),
            first: x.value,
            second: y.value,
        };
        left.iter().zip(right).map(row).collect()
    };
    Some(FormulaRow {
        text,
        terms: rows(&left.terms, &right.terms),
        parts: rows(&left.parts, &right.parts),
        value: [left.value.ok(), right.value.ok()],
    })
}

fn shares(run: &Run, agenda: &Agenda, first: JobId, second: JobId) -> Vec<ShareRow> {
    if !run.setup.order.fair_share {
        return Vec::new();
    }
    let tree = agenda.shares();
    let mut rows = Vec::new();
    for (job, name) in [(first, "first"), (second, "second")] {
        let path = agenda.keys(job).entity.map(|entity| tree.path(entity)).unwrap_or_default();
        rows.extend(path.into_iter().enumerate().skip(1).map(|(depth, entity)| {
            let burden = tree.burden(entity);
            ShareRow {
                job: name,
                entity: tree.entities()[entity].name.to_string(),
                depth,
                percentage: tree.percentage(entity),
                usage: tree.usage(entity),
                burden: burden.is_finite().then_some(burden),
            }
        }));
    }
    rows
}

impl ShareRow {
    /// Formats its usage divided by its share.
    pub fn burden_words(&self) -> String {
        self.burden.map_or_else(|| "no share".to_owned(), rounded)
    }
}
