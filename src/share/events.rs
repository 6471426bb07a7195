//! The events between two snapshots, for programs: a line of JSON for each job that started, cause that changed, top
//! job that moved, and alert that began or ended.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Serialize;

use qscope_engine::cluster::{Epoch, Name};
use qscope_engine::cycle::Run;
use qscope_explain::{Alert, Board};
use qscope_session::Generation;
use qscope_session::compare::{Comparison, JobChangeKind};

#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct ClusterEvent {
    /// The moment of the dumps that show it, in seconds since 1970.
    pub at: i64,
    #[serde(flatten)]
    pub what: ClusterEventKind,
}

/// The kind of event.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum ClusterEventKind {
    /// A job runs that did not run before.
    JobStarted {
        job: String,
        user: String,
        queue: String,
        /// Its placement, as the scheduler writes it.
        exec_vnode: Option<String>,
        /// How long it was eligible, in seconds.
        waited: Option<i64>,
    },
    /// A job waits for a different cause.
    CauseChanged {
        job: String,
        from: WaitCause,
        to: WaitCause,
    },
    /// A top job is planned to start at another time; a time is null if it was or is no top job then.
    TopJobMoved {
        job: String,
        from: Option<i64>,
        to: Option<i64>,
    },
    AlertBegan(AlertSubject),
    AlertEnded(AlertSubject),
}

/// What a job waits for.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct WaitCause {
    pub tier: &'static str,
    /// The exact cause.
    pub cause: &'static str,
    /// The limit, queue, resource or set that causes it.
    pub object: String,
}

/// One thing that an alert is about.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
pub struct AlertSubject {
    pub kind: &'static str,
    /// The nodes, queues or jobs by name.
    pub objects: Vec<String>,
    pub what: String,
}

/// Detects events by comparing each cycle with the previous one.
#[derive(Debug, Default)]
pub struct EventDetector {
    last: Option<PreviousCycle>,
}

#[derive(Debug)]
struct PreviousCycle {
    run: Arc<Run>,
    causes: BTreeMap<Name, WaitCause>,
    tops: BTreeMap<Name, Epoch>,
    alerts: Vec<AlertSubject>,
}

impl EventDetector {
    /// Returns the events since the last snapshot; for the first one, the existing alerts.
    pub fn of(&mut self, generation: &Generation, board: &Board) -> Vec<ClusterEvent> {
        let seen = PreviousCycle::new(generation, board);
        let at = generation.snapshot.now.0;
        let mut found = match &self.last {
            Some(last) => between(last, &seen),
            None => Vec::new(),
        };
        let before: &[AlertSubject] = self.last.as_ref().map_or(&[], |last| &last.alerts);
        let key = |alert: &AlertSubject| (alert.kind, alert.objects.clone());
        let is_in =
            |list: &[AlertSubject], alert: &AlertSubject| list.iter().any(|other| key(other) == key(alert));
        let began = seen.alerts.iter().filter(|alert| !is_in(before, alert));
        found.extend(began.cloned().map(ClusterEventKind::AlertBegan));
        let ended = before.iter().filter(|alert| !is_in(&seen.alerts, alert));
        found.extend(ended.cloned().map(ClusterEventKind::AlertEnded));
        self.last = Some(seen);
        found.into_iter().map(|what| ClusterEvent { at, what }).collect()
    }
}

impl PreviousCycle {
    fn new(generation: &Generation, board: &Board) -> Self {
        let snap = &generation.snapshot;
        let mut causes = BTreeMap::new();
        for row in &board.rows {
            for job in &row.jobs {
                let waits_for =
                    WaitCause { tier: row.tier.word(), cause: row.kind, object: row.object.clone() };
                causes.insert(snap.jobs[*job].name.clone(), waits_for);
            }
        }
        let tops = generation.run.steps.iter().filter_map(|step| {
            let top = step.outcome.estimate.as_ref()?;
            Some((snap.jobs[step.outcome.job].name.clone(), top.start))
        });
        Self {
            run: Arc::clone(&generation.run),
            causes,
            tops: tops.collect(),
            alerts: generation.alerts.iter().flat_map(subjects_of_alert).collect(),
        }
    }
}

fn subjects_of_alert(alert: &Alert) -> impl Iterator<Item = AlertSubject> + use<'_> {
    alert.items.iter().map(|item| AlertSubject {
        kind: alert.kind.word(),
        objects: item.objects.clone(),
        what: item.sentence.clone(),
    })
}

/// Returns the events about jobs.
fn between(last: &PreviousCycle, seen: &PreviousCycle) -> Vec<ClusterEventKind> {
    // Changed causes come from the board below; only starts are taken from the comparison.
    let compared = Comparison::of(&last.run, &seen.run);
    let snap = &seen.run.plan.snap;
    let mut found = Vec::new();
    for change in compared.jobs_that(JobChangeKind::Started) {
        let Some(job) = snap.job_named(&change.job).map(|id| &snap.jobs[id]) else { continue };
        found.push(ClusterEventKind::JobStarted {
            job: job.name.to_string(),
            user: job.user.to_string(),
            queue: job.queue.to_string(),
            exec_vnode: job.exec_vnode.as_ref().map(ToString::to_string),
            waited: job.started.zip(job.waits_since()).map(|(at, since)| (at - since).0),
        });
    }
    for (job, to) in &seen.causes {
        if let Some(from) = last.causes.get(job).filter(|from| *from != to) {
            found.push(ClusterEventKind::CauseChanged {
                job: job.to_string(),
                from: from.clone(),
                to: to.clone(),
            });
        }
    }
    let waits = |job: &Name| seen.causes.contains_key(job);
    let names = last.tops.keys().chain(seen.tops.keys().filter(|job| !last.tops.contains_key(*job)));
    for job in names.filter(|job| waits(job)) {
        let (from, to) = (last.tops.get(job), seen.tops.get(job));
        if from != to {
            let [from, to] = [from, to].map(|at| at.map(|at| at.0));
            found.push(ClusterEventKind::TopJobMoved { job: job.to_string(), from, to });
        }
    }
    found
}
