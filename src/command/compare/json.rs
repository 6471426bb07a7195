//! The answer of `qscope compare` as JSON.

use serde::Serialize;

use qscope_engine::cycle::Verdict;
use qscope_engine::placement::PlacementPath;
use qscope_explain::Tier;
use qscope_session::WhatIfEffects;
use qscope_session::compare::{
    Comparison, FieldChange, JobChange, JobChangeKind, JobSituation, NodeChange, SettingChange,
};

use crate::command::output::UnreadableFile;
use qscope_exits::json::OrderedObject;

/// What differs between two cycles.
#[derive(Serialize)]
pub(super) struct CompareJson<'a> {
    /// The moment of the first, in seconds since 1970.
    from: i64,
    /// The moment of the second.
    to: i64,
    /// Whether anything differs at all.
    differs: bool,
    /// Jobs by kind of change.
    jobs: OrderedObject<&'static str, Vec<ChangedJobJson<'a>>>,
    nodes: &'a [NodeChange],
    /// Jobs with another verdict, possibly only because the two sides are not made of the same dumps.
    unsure: Vec<ChangedJobJson<'a>>,
    /// Why they are uncertain.
    doubt: &'a Option<String>,
    settings: &'a [SettingChange],
    /// The files of the first folder that exist but could not be read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) unreadable_before: Vec<UnreadableFile<'a>>,
    /// With `--set`: what the settings do to jobs, by full id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) effects: Option<&'a WhatIfEffects>,
}

/// A job that changed.
#[derive(Serialize)]
pub(in super::super) struct ChangedJobJson<'a> {
    id: &'a str,
    /// Null if it did not exist, or had ended.
    before: Option<JobSideJson<'a>>,
    after: Option<JobSideJson<'a>>,
    /// The attributes that changed.
    altered: &'a [FieldChange],
    /// What happened in between that concerns it, in words: `53 ended there`.
    #[serde(skip_serializing_if = "Option::is_none")]
    since: Option<&'a str>,
}

/// A job in one of the two cycles.
#[derive(Serialize)]
struct JobSideJson<'a> {
    /// The letter that qstat shows.
    state: String,
    /// The verdict, or `running`.
    verdict: Option<&'static str>,
    path: Option<&'static str>,
    tier: Option<&'static str>,
    comment: &'a Option<String>,
    exec_vnode: &'a Option<String>,
    /// Seconds since 1970.
    estimated_start: Option<i64>,
}

impl<'a> CompareJson<'a> {
    pub(super) fn of(comparison: &'a Comparison) -> Self {
        let jobs =
            |kind: JobChangeKind| (kind.word(), comparison.jobs_that(kind).map(ChangedJobJson::of).collect());
        Self {
            from: comparison.from.0,
            to: comparison.to.0,
            differs: comparison.differs(),
            jobs: OrderedObject(JobChangeKind::ALL.iter().copied().map(jobs).collect()),
            nodes: &comparison.nodes,
            unsure: comparison.uncertain.iter().map(ChangedJobJson::of).collect(),
            doubt: &comparison.doubt,
            settings: &comparison.settings,
            unreadable_before: Vec::new(),
            effects: None,
        }
    }
}

impl<'a> ChangedJobJson<'a> {
    pub(in super::super) fn of(change: &'a JobChange) -> Self {
        Self {
            id: &change.job,
            before: change.before.as_ref().map(JobSideJson::of),
            after: change.after.as_ref().map(JobSideJson::of),
            altered: &change.altered,
            since: change.since.as_deref(),
        }
    }
}

impl<'a> JobSideJson<'a> {
    fn of(situation: &'a JobSituation) -> Self {
        Self {
            state: situation.state.letter().to_string(),
            verdict: situation.verdict.map(Verdict::word).or(situation.runs().then_some("running")),
            path: situation.path.map(PlacementPath::word),
            tier: situation.tier.map(Tier::word),
            comment: &situation.reason,
            exec_vnode: &situation.nodes,
            estimated_start: situation.estimate.map(|start| start.0),
        }
    }
}
