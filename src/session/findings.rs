//! What readers found about the files, one entry for each kind and file: what was not read, repaired, or assumed.

mod meaning;
mod remedy;

use qscope_engine::cluster::{Diagnostic, FilePosition, InsertionOrderMap, Severity};

use super::{Generation, NoVerdictReason};
pub use meaning::{FindingCategory, is_mixed};
use meaning::{group, is_of_the_cycle, may_change};

/// Number of places named in addition to the first.
const MORE_PLACES: usize = 3;

/// All findings of one code about one file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FindingGroup<'s> {
    pub group: FindingCategory,
    pub severity: Severity,
    /// Stable id of the kind.
    pub code: &'static str,
    /// Name of the file; empty if it is about several.
    pub file: &'s str,
    pub count: usize,
    /// Position of the first one.
    pub first: FilePosition,
    /// Record of the first one.
    pub record: Option<&'s str>,
    /// Message of the first one.
    pub message: &'s str,
    /// A few more places.
    pub places: Vec<String>,
    /// What the answers may lack or have wrong because of it.
    pub may_change: Option<&'static str>,
}

/// Whether the scheduler's cycle is not run over these dumps; what only the cycle needs is then not assumed either.
pub fn is_without_cycle(generation: &Generation) -> bool {
    NoVerdictReason::of(&generation.snapshot, generation.as_pbs) == Some(NoVerdictReason::Torque)
}

/// Returns the findings by group, and within each in the order found.
pub fn findings(generation: &Generation) -> Vec<FindingGroup<'_>> {
    let snap = &generation.snapshot;
    let without_cycle = is_without_cycle(generation);
    let mut all: InsertionOrderMap<(&str, &str), FindingGroup<'_>> = InsertionOrderMap::default();
    for found in snap.diagnostics.iter().filter(|found| !(without_cycle && is_of_the_cycle(found.code))) {
        let finding = all.of((&found.file, found.code), || FindingGroup {
            group: group(found.code, found.severity),
            severity: found.severity,
            code: found.code,
            file: &found.file,
            count: 0,
            first: found.position,
            record: found.record.as_deref(),
            message: &found.message,
            places: Vec::new(),
            may_change: may_change(found.code),
        });
        finding.count += 1;
        // The first place is stated separately.
        if finding.count > 1 && finding.places.len() < MORE_PLACES && found.record.is_some() {
            finding.places.push(place_of(&found.position, found.record.as_deref()));
        }
    }
    for tally in &snap.tallies {
        if let Some(finding) = all.met(&(&*tally.file, tally.code)) {
            finding.count = tally.count;
        }
    }
    let mut all = all.into_all();
    all.sort_by_key(|finding| finding.group);
    all
}

/// Whether a finding is that something was assumed.
pub(super) fn is_assumed(diagnostic: &Diagnostic) -> bool {
    group(diagnostic.code, diagnostic.severity) == FindingCategory::Assumed
}

/// Returns what was assumed; attributes inferred because an ordinary user made the dumps are not among it.
pub(super) fn assumed(generation: &Generation) -> Vec<FindingGroup<'_>> {
    let mut all = findings(generation);
    all.retain(|finding| finding.group == FindingCategory::Assumed && finding.code != Diagnostic::INFERRED);
    all
}

/// Formats a place without its file, such as `:12` or `@407 (1.svr)`.
pub fn place_of(position: &FilePosition, record: Option<&str>) -> String {
    match record {
        Some(record) if *position == FilePosition::File => record.to_owned(),
        Some(record) => format!("{position} ({record})"),
        None => position.to_string(),
    }
}
