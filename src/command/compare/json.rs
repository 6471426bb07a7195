//! The answer of `qscope compare` as JSON.

use serde::Serialize;

use qscope_session::WhatIfEffects;
use qscope_session::compare::{Comparison, JobChange, JobChangeKind, NodeChange, SettingChange};

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
    jobs: OrderedObject<&'static str, Vec<&'a JobChange>>,
    nodes: &'a [NodeChange],
    /// Jobs with another verdict, possibly only because the two sides are not made of the same dumps.
    unsure: &'a [JobChange],
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

impl<'a> CompareJson<'a> {
    pub(super) fn of(comparison: &'a Comparison) -> Self {
        let jobs = |kind: JobChangeKind| (kind.word(), comparison.jobs_that(kind).collect());
        Self {
            from: comparison.from.0,
            to: comparison.to.0,
            differs: comparison.differs(),
            jobs: OrderedObject(JobChangeKind::ALL.iter().copied().map(jobs).collect()),
            nodes: &comparison.nodes,
            unsure: &comparison.uncertain,
            doubt: &comparison.doubt,
            settings: &comparison.settings,
            unreadable_before: Vec::new(),
            effects: None,
        }
    }
}
