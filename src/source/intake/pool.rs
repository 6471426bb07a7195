//! Collects entries from all sources: a pipe, folders, single files, archives.

mod several_kinds;

use std::fs::File;
use std::io::{self, Read, Seek};
use std::path::Path;

use super::assign::assign;
use super::cleaning::clean_text;
use super::clusters::{ClusterPath, of_one_cluster, side_by_side};
use super::entry::InputEntry;
use super::folder::{self, FolderListing};
use super::kind::{
    ClientTable, ContainerFormat, Daemon, DumpDialect, DumpNotation, HEAD, IntakeKind, NativeFileKind,
    kind_of,
};
use super::report;
use super::slot::{base, hint};
use crate::archive::{self, ArchiveContents, ArchiveLimits, DiagnosticTree, is_never_read};
use crate::bounds::ReadLimits;
use crate::error::SourceError;
use crate::files::{Files, epoch_of};
use crate::record::DumpKind;
use qscope_engine::cluster::Epoch;
use qscope_system::input;

/// Name of the pipe in answers.
const PIPE_SHOWN: &str = "standard input";
/// Entries from all sources.
pub(super) struct FilePool {
    title: Option<String>,
    bounds: ReadLimits,
    pub(super) entries: Vec<InputEntry>,
    tree: Option<DiagnosticTree>,
    reported: report::IntakeFindings,
}

impl FilePool {
    pub(super) fn new(limits: ReadLimits) -> Self {
        Self {
            title: None,
            bounds: limits,
            entries: Vec::new(),
            tree: None,
            reported: report::IntakeFindings::default(),
        }
    }

    /// Reports an unreadable file next to existing dumps, which may be another dump.
    pub(super) fn report_unreadable(&mut self, name: &str, why: &str) {
        self.reported.warn("beside-unread", name, format!("cannot be read: {why}; the other dumps count"));
    }

    /// Reports files of a folder that were not examined.
    pub(super) fn report_unexamined(&mut self, count: usize, is_stopped: bool) {
        self.reported.report_unexamined(count, is_stopped);
    }

    /// Returns the complete cluster, nodes and jobs, that the entries from `first` on make up, if any.
    pub(super) fn complete_cluster_from(&self, first: usize, path: String) -> Option<ClusterPath> {
        ClusterPath::of(path, self.entries.get(first..)?)
    }

    /// Reports that several named paths contain complete dumps of one cluster, at different times.
    ///
    /// # Errors
    /// If they contain different clusters, or do not show that they are of one.
    pub(super) fn one_cluster(&mut self, whole: &[ClusterPath]) -> Result<(), SourceError> {
        if let Some(message) = of_one_cluster(whole)? {
            self.reported.error("two-clusters", "", message);
        }
        Ok(())
    }

    pub(super) fn files(self) -> Files {
        let mut files = Files::new(self.title.as_deref().unwrap_or("files")).within(self.bounds);
        self.write_into(&mut files);
        files
    }

    pub(super) fn write_into(self, files: &mut Files) {
        assign(files, self.entries, self.tree.as_ref(), self.reported);
    }

    fn titled(&mut self, title: &str) {
        self.title.get_or_insert_with(|| title.to_owned());
    }

    /// Takes out the files that have one of the loader's names but different content from what the loader reads
    /// there, and prepares the dumps that stay.
    pub(super) fn odd_slots(&mut self, files: &mut Files) {
        let names: Vec<String> = files.names().map(str::to_owned).collect();
        for name in names {
            let (Some(of), Some(Ok(bytes))) =
                (DumpKind::of_file(&name), files.get(&name).map(|file| &file.bytes))
            else {
                continue;
            };
            let kind = kind_of(bytes.get(..HEAD).unwrap_or(bytes), &name);
            let is_odd = match kind {
                IntakeKind::Dump { of: found, form, system } => {
                    found != of
                        || system == DumpDialect::Torque
                        || matches!(form, DumpNotation::Dsv | DumpNotation::Xml)
                }
                IntakeKind::Script => crate::qmgr::shows_of(of, bytes),
                IntakeKind::Table(table) => table == ClientTable::NodesJobs && of == DumpKind::Nodes,
                _ => false,
            };
            if is_odd && let Some(file) = files.take(&name) {
                let Ok(bytes) = file.bytes else { continue };
                self.entries.push(InputEntry::from_bytes(&name, bytes, file.modified));
            } else if let IntakeKind::Dump { form, .. } = kind {
                self.tidy_slot(files, &name, of, form);
            }
        }
    }

    /// Prepares a dump that has one of the loader's names for its reader, as one of any other name.
    fn tidy_slot(&mut self, files: &mut Files, name: &str, kind: DumpKind, form: DumpNotation) {
        let Some(bytes) = files.bytes_mut(name) else { return };
        let found = std::mem::take(bytes);
        let remark;
        (*bytes, remark) = match form {
            DumpNotation::Text => clean_text(kind, false, found),
            _ => (found, None),
        };
        if let Some(remark) = remark {
            self.reported.note("text-tidied", name, remark);
        }
    }

    pub(super) fn pipe(&mut self, pipe: &mut dyn Read) -> Result<(), SourceError> {
        let fail = |why: String| SourceError::CannotRead { file: PIPE_SHOWN.into(), why };
        let most = self.bounds.of_file();
        let mut bytes = Vec::new();
        pipe.take(most.bytes.saturating_add(1))
            .read_to_end(&mut bytes)
            .map_err(|why| fail(why.to_string()))?;
        most.allow(bytes.len() as u64).map_err(|why| fail(why.to_string()))?;
        self.titled(PIPE_SHOWN);
        match ContainerFormat::of(&bytes) {
            Some(container) => {
                self.packed(&mut io::Cursor::new(bytes), PIPE_SHOWN, container, None).map_err(fail)
            }
            None => {
                self.push(InputEntry::from_bytes(PIPE_SHOWN, bytes, None));
                Ok(())
            }
        }
    }

    pub(super) fn folder(&mut self, folder: &Path) -> Result<(), SourceError> {
        let files = Files::titled_after(folder);
        self.listed(files.title(), folder)
    }

    pub(super) fn listed(&mut self, title: &str, folder: &Path) -> Result<(), SourceError> {
        let several = |roots| SourceError::Several { folder: title.into(), roots };
        let FolderListing { entries, tree, unreadable, host_archives, not_examined, is_stopped } =
            folder::listing(folder).map_err(several)?;
        for (name, why) in &unreadable {
            self.reported.unreadable(name, why);
        }
        self.reported.report_host_archives(&host_archives);
        self.reported.report_unexamined(not_examined, is_stopped);
        let entries = self.unpack_dumps(entries);
        self.add(entries, tree.map(|tree| tree.named(title)));
        self.titled(title);
        Ok(())
    }

    /// Unpacks the dumps of a folder that are compressed individually.
    fn unpack_dumps(&mut self, entries: Vec<InputEntry>) -> Vec<InputEntry> {
        let mut others = Vec::new();
        for entry in entries {
            match self.unpack_dump(&entry) {
                None => others.push(entry),
                Some(Err(why)) => self.reported.unreadable(&entry.display_name, &why),
                Some(Ok(())) => {}
            }
        }
        others
    }

    /// Unpacks one; `None` if it is not a compressed dump.
    fn unpack_dump(&mut self, entry: &InputEntry) -> Option<Result<(), String>> {
        let (stem, path) = (entry.compressed_dump()?, entry.path()?);
        let opened = input::open(path).map_err(|why| why.to_string());
        Some(opened.and_then(|mut file| self.packed(&mut file, stem, ContainerFormat::Gzip, entry.modified)))
    }

    /// Unpacks a compressed dump next to existing ones.
    pub(super) fn unpack_beside(&mut self, entry: &InputEntry) {
        if let Some(Err(why)) = self.unpack_dump(entry) {
            self.report_unreadable(&entry.display_name, &why);
        }
    }

    /// Adds entries that may make up a tree, with names relative to its root.
    fn add(&mut self, mut entries: Vec<InputEntry>, tree: Option<DiagnosticTree>) {
        if let Some(tree) = &tree {
            entries.retain(|entry| !tree.places(&entry.display_name).is_empty());
            for entry in &mut entries {
                if let Some(short) = entry.display_name.strip_prefix(&*tree.root) {
                    entry.display_name = short.to_owned();
                }
            }
        }
        self.entries.extend(entries);
        if let Some(tree) = tree {
            self.tree = Some(tree);
        }
    }

    pub(super) fn file(&mut self, path: &Path) -> Result<(), SourceError> {
        let shown = path
            .file_name()
            .map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned());
        let fail =
            |why: String| SourceError::CannotRead { file: path.display().to_string().as_str().into(), why };
        let entry = folder::opened_entry(&shown, path).map_err(fail)?;
        if let IntakeKind::Container(container) = entry.kind {
            let mut file = input::open(path).map_err(|why| fail(why.to_string()))?;
            let modified = file.metadata().ok().and_then(|facts| facts.modified().ok()).and_then(epoch_of);
            let stem = stem(&shown).to_owned();
            self.packed::<File>(&mut file, &stem, container, modified).map_err(fail)?;
            self.titled(&stem);
            return Ok(());
        }
        self.reported.paths.push(path.to_owned());
        self.titled(&shown);
        self.push(entry);
        Ok(())
    }

    /// Reads an archive, or unpacks a single file.
    fn packed<R: Read + Seek>(
        &mut self,
        file: &mut R,
        stem: &str,
        container: ContainerFormat,
        modified: Option<Epoch>,
    ) -> Result<(), String> {
        let limits = ArchiveLimits { member: self.bounds.file, ..ArchiveLimits::default() };
        if container == ContainerFormat::Gzip && !holds_tar(file, limits)? {
            let (bytes, is_cut) = archive::gunzip(file, limits)?;
            let mut entry = InputEntry::from_bytes(stem, bytes, modified);
            entry.is_cut = is_cut;
            self.push(entry);
            return Ok(());
        }
        let contents = archive::read(file, container, limits, &wanted)?;
        for (severity, code, sentence) in contents.sentences() {
            self.reported.push(severity, code, stem, sentence);
        }
        self.unpacked(stem, contents)
    }

    fn unpacked(&mut self, stem: &str, contents: ArchiveContents) -> Result<(), String> {
        let kept = contents.members.iter().map(|member| &*member.path);
        let paths: Vec<&str> = kept.chain(contents.skipped.iter().map(|(path, _)| &**path)).collect();
        let tree = DiagnosticTree::of(&paths).map_err(|roots| several_clusters(&roots))?;
        if let Some(tree) = &tree {
            let further = paths.iter().filter(|path| tree.is_of_further_host(path));
            let further: Vec<String> = further.map(|path| (*path).to_owned()).collect();
            self.reported.report_host_archives(&further);
        }
        let tree = tree.map(|tree| tree.named(stem));
        if let Some(tree) = &tree {
            self.titled(&tree.name);
        }
        let entries = contents.members.into_iter().map(|member| {
            let mut entry = InputEntry::from_bytes(&member.path, member.bytes, member.modified);
            entry.is_cut = member.is_cut;
            entry
        });
        let entries: Vec<InputEntry> = entries.collect();
        let several = if tree.is_none() { side_by_side(&entries) } else { Vec::new() };
        if !several.is_empty() {
            return Err(several_clusters(&several));
        }
        self.add(entries, tree);
        Ok(())
    }
}

/// Returns the message about an archive that contains several clusters, none of which is preferred.
fn several_clusters(folders: &[String]) -> String {
    let (count, names) = (folders.len(), folders.join(", "));
    format!("found {count} clusters; expected one: unpack it and name one of {names}")
}

/// Whether a compressed file contains an archive.
fn holds_tar<R: Read + Seek>(file: &mut R, limits: ArchiveLimits) -> Result<bool, String> {
    let start = archive::first_bytes(&mut *file, limits);
    file.rewind().map_err(|why| why.to_string())?;
    Ok(ContainerFormat::of(&start) == Some(ContainerFormat::Tar))
}

/// Whether a file of an archive may be an input (sites 1.8: what no input needs is skipped without being kept).
fn wanted(path: &str, head: &[u8]) -> Result<(), &'static str> {
    if is_never_read(path) {
        return Err("never read");
    }
    let name = base(path);
    match kind_of(head, name) {
        IntakeKind::Dump { .. }
        | IntakeKind::Script
        | IntakeKind::EmptyAnswer
        | IntakeKind::Failed
        | IntakeKind::Table(ClientTable::NodesJobs)
        | IntakeKind::Log(Daemon::Scheduler) => Ok(()),
        IntakeKind::Native(native) if NativeFileKind::named(name) == Some(native) => Ok(()),
        IntakeKind::Empty if hint(name).is_some() => Ok(()),
        _ if name == "ctime" => Ok(()),
        IntakeKind::Container(_) => Err("an archive within the archive"),
        IntakeKind::Unknown => Err("not recognised"),
        _ => Err("not needed"),
    }
}

/// Returns a name without the suffixes of archives.
fn stem(name: &str) -> &str {
    let suffixes = [".tar.gz", ".tgz", ".tar", ".gz"];
    suffixes.iter().find_map(|suffix| name.strip_suffix(suffix)).unwrap_or(name)
}
