//! Findings of readers that show a damaged file: one that ends too soon, or holds no dump.

use super::{Diagnostic, FileRecord, Name, Snapshot};

/// What is damaged, the plainest first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Damage {
    /// A dump without an end, for which another one counts.
    SetAside,
    /// JSON ends before its end.
    CutJson,
    /// JSON in which there is no object.
    NoObject,
    /// Text ends within a line.
    CutText,
    /// A record of JSON ends within itself.
    CutRecord,
    /// There is no record of a dump.
    NoRecords,
}

impl Damage {
    /// Every kind with the code that readers report it by.
    const CODES: [(Self, &'static str); 6] = [
        (Self::SetAside, "cut-set-aside"),
        (Self::CutJson, "json-cut"),
        (Self::NoObject, "json-no-object"),
        (Self::CutText, "text-cut"),
        (Self::CutRecord, "record-cut"),
        (Self::NoRecords, "no-records"),
    ];

    /// What a finding shows; none where it is about something else.
    pub fn of(found: &Diagnostic) -> Option<Self> {
        Self::CODES.iter().find(|(_, code)| *code == found.code).map(|(damage, _)| *damage)
    }

    /// What a file suffers from that was damaged, as the plainest of the findings about it states.
    pub fn plainest<'s>(snap: &'s Snapshot, file: &FileRecord) -> Option<(Self, &'s Diagnostic)> {
        // A record ends within itself where its file does, or in the midst of a whole one.
        let found = Self::findings(snap).filter(|(damage, _)| *damage != Self::CutRecord);
        found.into_iter().find(|(_, found)| found.file == file.name)
    }

    /// All findings of damage, those of the plainest kind first.
    pub fn findings(snap: &Snapshot) -> impl Iterator<Item = (Self, &Diagnostic)> {
        Self::CODES
            .into_iter()
            .flat_map(|(damage, code)| snap.reported(code).map(move |found| (damage, found)))
    }

    /// Whether a dump that counts ends too soon: what comes after its end is missing from the cluster.
    pub fn is_cut(self) -> bool {
        matches!(self, Self::CutJson | Self::CutText)
    }

    /// Whether there is nothing of a dump in the file.
    pub fn is_no_dump(self) -> bool {
        matches!(self, Self::NoObject | Self::NoRecords)
    }

    /// Whether the file ends too soon, as while it is written.
    pub fn is_torn(self) -> bool {
        self != Self::NoRecords
    }
}

impl Snapshot {
    /// Of each file that was read and ends too soon, the diagnostic that states it.
    pub fn cut(&self) -> impl Iterator<Item = &Diagnostic> {
        let is_cut = |found: &&Diagnostic, file: &Name| {
            found.file == *file && Damage::of(found).is_some_and(Damage::is_cut)
        };
        let used = self.files.iter().filter(|file| file.is_used());
        used.filter_map(move |file| self.diagnostics.iter().find(|found| is_cut(found, &file.name)))
    }
}
