//! Findings of readers that show a damaged file: one that is truncated, or contains no dump.

use super::{Diagnostic, FileRecord, Name, Snapshot};

/// Kinds of damage, clearest first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DamageKind {
    /// A truncated dump that is not used because another one is.
    SetAside,
    /// JSON is truncated.
    CutJson,
    /// JSON contains no object.
    NoObject,
    /// Text is truncated within a line.
    CutText,
    /// A dump lacks vnodes on which jobs run, or many of the jobs that the server counts.
    Incomplete,
    /// A JSON record is truncated.
    CutRecord,
    /// An archive is truncated within a dump.
    CutMember,
    /// An archive is truncated: members after that point are missing.
    CutArchive,
    /// A dump contains no record.
    NoRecords,
    /// A dump is empty although the server counts objects for it.
    ClientFailed,
    /// A record is damaged: it is missing, or a part of it.
    LostRecord,
}

impl DamageKind {
    /// Every kind with the codes under which readers report it.
    const CODES: [(Self, &'static str); 15] = [
        (Self::SetAside, "cut-set-aside"),
        (Self::CutJson, "json-cut"),
        (Self::NoObject, "json-no-object"),
        (Self::CutText, "text-cut"),
        (Self::Incomplete, Diagnostic::INCOMPLETE),
        (Self::CutRecord, "record-cut"),
        (Self::CutMember, "cut-short"),
        (Self::CutArchive, "archive-cut"),
        (Self::NoRecords, "no-records"),
        (Self::ClientFailed, Diagnostic::CLIENT_FAILED),
        (Self::LostRecord, "record-damaged"),
        (Self::LostRecord, "json-damaged"),
        (Self::LostRecord, "limit-record-size"),
        (Self::LostRecord, "limit-nesting"),
        (Self::LostRecord, "job-state"),
    ];

    /// Returns the damage that a finding shows; `None` if it is about something else.
    pub fn of(found: &Diagnostic) -> Option<Self> {
        Self::CODES.iter().find(|(_, code)| *code == found.code).map(|(damage, _)| *damage)
    }

    /// Returns the clearest finding of damage about a file.
    pub fn clearest<'s>(snap: &'s Snapshot, file: &FileRecord) -> Option<(Self, &'s Diagnostic)> {
        // A record may be truncated because its file is, or in the middle of a complete file.
        let found = Self::findings(snap).filter(|(damage, _)| *damage != Self::CutRecord);
        found.into_iter().find(|(_, found)| found.file == file.name)
    }

    /// Returns all findings of damage, the clearest kind first.
    pub fn findings(snap: &Snapshot) -> impl Iterator<Item = (Self, &Diagnostic)> {
        Self::CODES
            .into_iter()
            .flat_map(|(damage, code)| snap.reported(code).map(move |found| (damage, found)))
    }

    /// Whether a dump that is used is truncated, so that the rest is missing from the cluster.
    pub fn is_cut(self) -> bool {
        matches!(self, Self::CutJson | Self::CutText | Self::CutMember | Self::Incomplete)
    }

    /// Whether the file contains no dump at all.
    pub fn is_no_dump(self) -> bool {
        matches!(self, Self::NoObject | Self::NoRecords | Self::ClientFailed)
    }

    /// Whether the file is truncated, as one that is still being written.
    pub fn is_torn(self) -> bool {
        !matches!(self, Self::NoRecords | Self::ClientFailed | Self::LostRecord)
    }
}

impl Snapshot {
    /// Returns the finding of each truncated archive, and of each truncated file that was read.
    pub fn truncation_findings(&self) -> impl Iterator<Item = &Diagnostic> {
        let is_used =
            |found: &Diagnostic| self.files.iter().any(|file| file.is_used() && file.name == found.file);
        // A truncated member of an archive without a complete record is not among the files used.
        let lost = self.diagnostics_of(DamageKind::CutMember).filter(move |found| !is_used(found));
        self.diagnostics_of(DamageKind::CutArchive).chain(self.cut_files()).chain(lost)
    }

    /// Returns the finding of each truncated file that was read.
    fn cut_files(&self) -> impl Iterator<Item = &Diagnostic> {
        let is_cut = |found: &&Diagnostic, file: &Name| {
            found.file == *file && DamageKind::of(found).is_some_and(DamageKind::is_cut)
        };
        let used = self.files.iter().filter(|file| file.is_used());
        used.filter_map(move |file| self.diagnostics.iter().find(|found| is_cut(found, &file.name)))
    }

    /// Returns the finding of each file that was read and contains no dump.
    pub fn no_dumps(&self) -> impl Iterator<Item = &Diagnostic> {
        let is_none =
            |diagnostic: &&Diagnostic| DamageKind::of(diagnostic).is_some_and(DamageKind::is_no_dump);
        let was_read =
            |found: &&Diagnostic| self.files.iter().any(|file| file.is_used() && file.name == found.file);
        self.diagnostics.iter().filter(is_none).filter(was_read)
    }

    /// Returns the findings of damaged records in files that were read.
    pub fn lost_records(&self) -> impl Iterator<Item = &Diagnostic> {
        let was_read =
            |found: &&Diagnostic| self.files.iter().any(|file| file.is_used() && file.name == found.file);
        self.diagnostics_of(DamageKind::LostRecord).filter(was_read)
    }

    /// Returns the diagnostics of one kind of damage.
    pub fn diagnostics_of(&self, damage: DamageKind) -> impl Iterator<Item = &Diagnostic> {
        self.diagnostics.iter().filter(move |found| DamageKind::of(found) == Some(damage))
    }
}
