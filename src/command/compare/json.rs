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
    pub(super) fn of(found: &'a Comparison) -> Self {
        let jobs =
            |kind: JobChangeKind| (kind.word(), found.jobs_that(kind).map(ChangedJobJson::of).collect());
        Self {
            from: found.from.0,
            to: found.to.0,
            differs: found.differs(),
            jobs: OrderedObject(JobChangeKind::ALL.iter().copied().map(jobs).collect()),
            nodes: &found.nodes,
            unsure: found.uncertain.iter().map(ChangedJobJson::of).collect(),
            doubt: &found.doubt,
            settings: &found.settings,
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
    fn of(stand: &'a JobSituation) -> Self {
        Self {
            state: stand.state.letter().to_string(),
            verdict: stand.verdict.map(Verdict::word).or(stand.runs().then_some("running")),
            path: stand.path.map(PlacementPath::word),
            tier: stand.tier.map(Tier::word),
            comment: &stand.reason,
            exec_vnode: &stand.nodes,
            estimated_start: stand.estimate.map(|start| start.0),
        }
    }
}
