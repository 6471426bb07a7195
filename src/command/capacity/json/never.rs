//! Jobs that fit no type of node, as JSON.

use serde::Serialize;

use qscope_planning::capacity::{CapacityReport, CapacityShape, Lack, UnplaceableShape};

use super::type_name;

/// Equal jobs that fit no type.
#[derive(Serialize)]
pub(super) struct UnfitJobsJson<'a> {
    shape: CapacityShape,
    jobs: u64,
    /// One of the jobs, by short id.
    example: &'a str,
    /// What each type lacks.
    types: Vec<TypeLacksJson<'a>>,
    /// The type that lacks least.
    closest: Option<String>,
    /// What would make them fit.
    change: Option<String>,
}

/// What one type lacks.
#[derive(Serialize)]
struct TypeLacksJson<'a> {
    #[serde(rename = "type")]
    kind: Option<String>,
    lacks: &'a [Lack],
}

impl<'a> UnfitJobsJson<'a> {
    pub(super) fn of(report: &'a CapacityReport, unplaceable: &'a UnplaceableShape) -> Self {
        let lacks = unplaceable
            .lacks
            .iter()
            .enumerate()
            .map(|(ix, lacks)| TypeLacksJson { kind: type_name(report, ix), lacks });
        Self {
            shape: unplaceable.shape,
            jobs: unplaceable.jobs,
            example: report.snap.jobs[unplaceable.example].short_name(),
            types: lacks.collect(),
            closest: unplaceable.closest.and_then(|ix| type_name(report, ix)),
            change: report.change(unplaceable),
        }
    }
}
