//! The jobs of one side of a comparison, and their situations.

use rustc_hash::FxHashMap;
use serde::ser::SerializeStruct as _;
use serde::{Serialize, Serializer};

use qscope_engine::cluster::{Epoch, Job, JobId, JobState};
use qscope_engine::cycle::{Outcome, Run, Verdict};
use qscope_engine::placement::PlacementPath;
use qscope_explain::{Tier, WaitReason};

use super::ReasonsByJob;

/// Situation of a job on one side.
#[derive(Clone, PartialEq, Debug)]
pub struct JobSituation {
    /// State in the dump.
    pub state: JobState,
    /// Final verdict of the cycle; `None` for a running job, and for a subjob that waits with its array.
    pub verdict: Option<Verdict>,
    /// The path it took or would take.
    pub path: Option<PlacementPath>,
    /// Kind of what keeps it waiting, at a glance.
    pub tier: Option<Tier>,
    /// Why it does not start: the cause in the words of the queue if it was analysed; else the scheduler's comment, or our
    /// words for a job that was not considered.
    pub reason: Option<String>,
    /// Where it runs, or would start now.
    pub nodes: Option<String>,
    /// Estimated start, for top jobs.
    pub estimate: Option<Epoch>,
}

impl JobSituation {
    /// Whether it has nodes.
    pub fn runs(&self) -> bool {
        runs(self.state)
    }
}

impl Serialize for JobSituation {
    /// Writes the letter that qstat shows, and `running` as the verdict of a job that has nodes.
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let verdict = self.verdict.map(Verdict::word).or(self.runs().then_some("running"));
        let mut side = to.serialize_struct("JobSituation", 7)?;
        side.serialize_field("state", &self.state.letter())?;
        side.serialize_field("verdict", &verdict)?;
        side.serialize_field("path", &self.path.map(PlacementPath::word))?;
        side.serialize_field("tier", &self.tier)?;
        side.serialize_field("comment", &self.reason)?;
        side.serialize_field("exec_vnode", &self.nodes)?;
        side.serialize_field("estimated_start", &self.estimate)?;
        side.end()
    }
}

fn runs(state: JobState) -> bool {
    matches!(state, JobState::Running | JobState::Exiting | JobState::UserSuspended)
}

pub(super) struct SideJobs<'r> {
    pub(super) jobs: Vec<SideJob<'r>>,
    at: FxHashMap<&'r str, usize>,
    /// Subjobs that the cycle starts, by name; the dump may list them, or only their array.
    subjobs: FxHashMap<String, SideJob<'r>>,
}

pub(super) struct SideJob<'r> {
    run: &'r Run,
    id: JobId,
    pub(super) job: &'r Job,
    pub(super) outcome: Option<&'r Outcome>,
    /// Its analysed cause.
    pub(super) known: Option<&'r WaitReason>,
    /// The placements of the subjobs that start, if it is an array.
    placements: Option<String>,
}

impl<'r> SideJobs<'r> {
    pub(super) fn new(run: &'r Run, reasons: &'r ReasonsByJob) -> Self {
        let mut outcomes: FxHashMap<JobId, &Outcome> = FxHashMap::default();
        let mut subjobs = FxHashMap::default();
        let mut placements: FxHashMap<JobId, String> = FxHashMap::default();
        for outcome in run.outcomes() {
            // An array that starts several subjobs is considered several times; the last outcome, for the rest of it,
            // counts.
            outcomes.insert(outcome.job, outcome);
            if outcome.subjob.is_some() && run.is_start(outcome) {
                let job = &run.plan.snap.jobs[outcome.job];
                let one = SideJob {
                    run,
                    id: outcome.job,
                    job,
                    outcome: Some(outcome),
                    known: None,
                    placements: None,
                };
                if let Some(on) = one.vnodes() {
                    let all = placements.entry(outcome.job).or_default();
                    if !all.is_empty() {
                        all.push('+');
                    }
                    all.push_str(&on);
                }
                subjobs.insert(outcome.name(&run.plan.snap), one);
            }
        }
        let there = run.plan.snap.jobs.enumerate().filter(|(_, job)| !is_over(job));
        let one = |(id, job)| {
            let known = reasons.get(&id).map(|reason| &**reason);
            let placements = placements.remove(&id);
            SideJob { run, id, job, outcome: outcomes.get(&id).copied(), known, placements }
        };
        let jobs: Vec<SideJob<'r>> = there.map(one).collect();
        let at = jobs.iter().enumerate().map(|(at, one)| (&*one.job.name, at)).collect();
        Self { jobs, at, subjobs }
    }

    pub(super) fn named(&self, name: &str) -> Option<&SideJob<'r>> {
        self.jobs.get(*self.at.get(name)?)
    }

    /// Returns the subjobs that the cycle starts, by name, in the order of their starts.
    pub(super) fn starting_subjobs(&self) -> Vec<(&str, &SideJob<'r>)> {
        let mut all: Vec<(&str, &SideJob<'r>)> =
            self.subjobs.iter().map(|(name, one)| (name.as_str(), one)).collect();
        all.sort_by_key(|(_, one)| one.outcome.map(|outcome| (outcome.order, outcome.subjob)));
        all
    }

    /// Returns the start of a subjob in the cycle, if it starts.
    pub(super) fn starting_subjob(&self, name: &str) -> Option<&SideJob<'r>> {
        self.subjobs.get(name)
    }

    /// Returns the situation before its start of a job that runs on the other side: for a subjob, that of its array.
    pub(super) fn before_start(&self, name: &str) -> Option<&SideJob<'r>> {
        let listed = self.named(name);
        if listed.is_some_and(SideJob::runs) { listed } else { self.subjobs.get(name).or(listed) }
    }
}

fn is_over(job: &Job) -> bool {
    job.state.is_over()
}

impl SideJob<'_> {
    /// Whether it has nodes.
    pub(super) fn runs(&self) -> bool {
        runs(self.job.state)
    }

    pub(super) fn verdict(&self) -> Option<Verdict> {
        self.outcome.filter(|_| !self.runs()).map(|outcome| self.run.verdict(outcome))
    }

    pub(super) fn path(&self) -> Option<PlacementPath> {
        let outcome = self.outcome.filter(|_| !self.runs())?;
        outcome.entered().or(outcome.would_use.map(|choice| choice.path))
    }

    pub(super) fn reason(&self) -> Option<String> {
        let rejection = self.outcome.filter(|_| !self.runs()).and_then(|one| one.rejection.as_ref());
        if let Some(rejection) = rejection {
            return Some(rejection.comment(&self.run.plan.snap.catalogue).trim_end().to_owned());
        }
        let refused = self.outcome.and_then(|one| qscope_explain::refused_by_server(self.run, one));
        let refused = refused.map(|why| format!("the server refuses it: {why}"));
        refused.filter(|_| self.verdict() == Some(Verdict::NotNow)).or_else(|| self.run.excluded(self.id))
    }

    pub(super) fn vnodes(&self) -> Option<String> {
        if self.runs() {
            return self.job.exec_vnode.as_ref().map(ToString::to_string);
        }
        if self.placements.is_some() {
            return self.placements.clone();
        }
        let starts = self.outcome.filter(|outcome| self.run.is_start(outcome));
        let placed = starts.and_then(|outcome| outcome.placed.as_ref());
        placed.map(|placed| placed.allocation.exec_vnode(&self.run.plan))
    }

    pub(super) fn estimate(&self) -> Option<Epoch> {
        let outcome = self.outcome.filter(|_| !self.runs());
        outcome.and_then(|outcome| outcome.estimate.as_ref()).map(|top| top.start)
    }

    /// Describes how a subjob of this array stands that waits with others.
    pub(super) fn situation_of_waiting_subjob(&self) -> JobSituation {
        let verdict = self.verdict().filter(|verdict| *verdict != Verdict::Run).or(Some(Verdict::NotNow));
        JobSituation { verdict, nodes: None, ..self.situation(false) }
    }

    /// Whether a subjob is left of the array and has not been started before the cycle.
    pub(super) fn has_left(&self, index: u32) -> bool {
        self.job.array.as_ref().is_some_and(|array| array.remaining.contains(&index))
    }

    /// Describes how it stands; `alone` is whether its reason is shown without its verdict.
    pub(super) fn situation(&self, alone: bool) -> JobSituation {
        let known = self.known.map(|known| match known.headline_parts() {
            (_, Some(_)) => known.headline(),
            (_, None) if known.tier == Tier::Never && !alone => known.short_sentence.clone(),
            (_, None) => known.named(),
        });
        JobSituation {
            state: self.job.state,
            verdict: self.verdict(),
            path: self.path(),
            tier: self.tier(),
            reason: known.or_else(|| self.reason()),
            nodes: self.vnodes(),
            estimate: self.estimate(),
        }
    }

    /// Returns the tier of its cause, as `why` states it; the first condition met where it was not analysed.
    fn tier(&self) -> Option<Tier> {
        let first = || Tier::of(self.run, self.outcome.filter(|_| !self.runs())?);
        self.known.map(|known| known.tier).or_else(first)
    }

    /// Returns its request, under the names of `qstat -f`.
    pub(super) fn request(&self) -> Vec<(String, Option<String>)> {
        let (job, catalogue) = (self.job, &self.run.plan.snap.catalogue);
        let mut request = vec![
            ("queue".to_owned(), Some(job.queue.to_string())),
            ("Priority".to_owned(), Some(job.priority.to_string())),
            ("select".to_owned(), job.select.as_ref().map(|select| select.text.to_string())),
            ("place".to_owned(), job.place.as_ref().map(ToString::to_string)),
        ];
        let named = job.requested.by_name(catalogue).into_iter();
        request.extend(named.map(|(id, value)| {
            (format!("Resource_List.{}", catalogue.name(id)), Some(catalogue.show(id, value)))
        }));
        request
    }
}
