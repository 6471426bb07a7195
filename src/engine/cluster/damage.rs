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
    /// An archive ends within a dump.
    CutMember,
    /// An archive ends too soon: what comes behind is missing altogether.
    CutArchive,
    /// There is no record of a dump.
    NoRecords,
    /// There is nothing in a dump, and the server counts what should stand in it.
    ClientFailed,
}

impl Damage {
    /// Every kind with the code that readers report it by.
    const CODES: [(Self, &'static str); 9] = [
        (Self::SetAside, "cut-set-aside"),
        (Self::CutJson, "json-cut"),
        (Self::NoObject, "json-no-object"),
        (Self::CutText, "text-cut"),
        (Self::CutRecord, "record-cut"),
        (Self::CutMember, "cut-short"),
        (Self::CutArchive, "archive-cut"),
        (Self::NoRecords, "no-records"),
        (Self::ClientFailed, Diagnostic::CLIENT_FAILED),
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
        matches!(self, Self::CutJson | Self::CutText | Self::CutMember)
    }

    /// Whether there is nothing of a dump in the file.
    pub fn is_no_dump(self) -> bool {
        matches!(self, Self::NoObject | Self::NoRecords | Self::ClientFailed)
    }

    /// Whether the file ends too soon, as while it is written.
    pub fn is_torn(self) -> bool {
        !matches!(self, Self::NoRecords | Self::ClientFailed)
    }
}

impl Snapshot {
    /// Of each archive that ends too soon, and of each file that was read and does, the diagnostic that states it.
    pub fn cut(&self) -> impl Iterator<Item = &Diagnostic> {
        let is_used =
            |found: &Diagnostic| self.files.iter().any(|file| file.is_used() && file.name == found.file);
        // Of a file of an archive that has no whole record nothing was read.
        let lost = self.diagnostics_of(Damage::CutMember).filter(move |found| !is_used(found));
        self.diagnostics_of(Damage::CutArchive).chain(self.cut_files()).chain(lost)
    }

    /// Of each file that was read and ends too soon, the diagnostic that states it.
    fn cut_files(&self) -> impl Iterator<Item = &Diagnostic> {
        let is_cut = |found: &&Diagnostic, file: &Name| {
            found.file == *file && Damage::of(found).is_some_and(Damage::is_cut)
        };
        let used = self.files.iter().filter(|file| file.is_used());
        used.filter_map(move |file| self.diagnostics.iter().find(|found| is_cut(found, &file.name)))
    }

    /// Of each file that was read and holds nothing of a dump, the diagnostic that states it.
    pub fn no_dumps(&self) -> impl Iterator<Item = &Diagnostic> {
        let is_none = |found: &&Diagnostic| Damage::of(found).is_some_and(Damage::is_no_dump);
        let was_read =
            |found: &&Diagnostic| self.files.iter().any(|file| file.is_used() && file.name == found.file);
        self.diagnostics.iter().filter(is_none).filter(was_read)
    }

    /// The diagnostics of one kind of damage.
    pub fn diagnostics_of(&self, damage: Damage) -> impl Iterator<Item = &Diagnostic> {
        self.diagnostics.iter().filter(move |found| Damage::of(found) == Some(damage))
    }
}
