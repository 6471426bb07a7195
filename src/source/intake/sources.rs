//! Where files come from: a folder, single files, a pipe, an archive.

use std::fs::File;
use std::io::{self, Read, Seek};
use std::path::{Path, PathBuf};

use super::assign::assign;
use super::entry::Entry;
use super::folder::{self, Listing};
use super::kind::{Container, Daemon, Form, HEAD, Kind, System, Table, kind_of};
use super::report;
use super::slot::kind_of_slot;
use crate::archive::{self, ArchiveLimits, Contents, Tree, is_never_read};
use crate::bounds::Bounds;
use crate::error::SourceError;
use crate::files::{Files, epoch_of};
use qscope_engine::cluster::{Diagnostic, Severity, Spot};
use qscope_system::input;

/// What stands for the pipe on a command line.
const PIPE: &str = "-";
/// What the pipe is called in answers.
const PIPE_SHOWN: &str = "standard input";
/// A log of the scheduler that is larger is left in its archive.
const LARGEST_LOG: usize = 256 << 20;

/// Files from what a command line names: one folder or archive, or files of any names, `-` for the pipe.
///
/// # Errors
/// Something cannot be opened, a limit was met, or several clusters lie side by side.
pub fn gather(paths: &[PathBuf], pipe: &mut dyn Read, bounds: Bounds) -> Result<Files, SourceError> {
    if let [folder] = paths
        && folder.is_dir()
    {
        return Files::from_folder_within(folder, bounds);
    }
    let mut pool = Pool::new(bounds);
    for path in paths {
        if path.as_os_str() == PIPE {
            pool.pipe(pipe)?;
        } else if path.is_dir() {
            pool.folder(path)?;
        } else {
            pool.file(path)?;
        }
    }
    Ok(pool.files())
}

/// Adds what a folder holds under other names than the loader's, where nodes or jobs are missing, and has files that
/// hold something else than their names state read as what they are.
pub(crate) fn complete(files: &mut Files, folder: &Path) -> Result<(), SourceError> {
    let has = |stem: &str| files.names().any(|name| name.starts_with(stem));
    if has("nodes.toml") && !has("nodes.json") && !has("nodes.txt") {
        return Ok(());
    }
    let is_whole = has("nodes.") && has("jobs");
    let mut pool = Pool::new(files.bounds());
    pool.odd_slots(files);
    if !is_whole {
        pool.listed(files.title(), folder)?;
        let own: Vec<String> = files.names().map(str::to_owned).collect();
        pool.entries.retain(|entry| !own.contains(&entry.shown));
    }
    pool.into(files);
    if !files.holds_cluster() {
        files.gathered_mut().reported.splice(0..0, dumps_below(folder));
    }
    Ok(())
}

/// So many entries of a folder are looked at for dumps below it, and so many folders are named.
const LOOKED_AT: usize = 200;
const NAMED: usize = 5;

/// That folders within this one hold dumps, where it holds none itself.
fn dumps_below(folder: &Path) -> Option<Diagnostic> {
    let forms = ["nodes.json", "nodes.txt", "nodes.toml", "jobs.json", "jobs-t.json", "jobs.txt"];
    let holds = |path: &Path| forms.iter().any(|name| path.join(name).is_file());
    let entries = std::fs::read_dir(folder).ok()?.take(LOOKED_AT).flatten();
    let mut names: Vec<String> = entries
        .filter(|entry| holds(&entry.path()))
        .filter_map(|entry| entry.file_name().into_string().ok())
        .collect();
    names.sort_unstable();
    let more = names.len().saturating_sub(NAMED);
    let all = names.iter().take(NAMED).map(|name| format!("{}/{name}", folder.display())).collect::<Vec<_>>();
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let message =
        format!("dumps lie one folder below, to be opened each by itself: {}{more}", all.join(", "));
    let place = Spot::File;
    (!all.is_empty()).then(|| Diagnostic {
        severity: Severity::Note,
        code: "dumps-below",
        file: "".into(),
        spot: place,
        record: None,
        message,
    })
}

/// Entries from all places.
struct Pool {
    title: Option<String>,
    bounds: Bounds,
    entries: Vec<Entry>,
    tree: Option<Tree>,
    reported: report::Findings,
}

impl Pool {
    fn new(bounds: Bounds) -> Self {
        Self { title: None, bounds, entries: Vec::new(), tree: None, reported: report::Findings::default() }
    }

    fn files(self) -> Files {
        let mut files = Files::new(self.title.as_deref().unwrap_or("files")).within(self.bounds);
        self.into(&mut files);
        files
    }

    fn into(self, files: &mut Files) {
        assign(files, self.entries, self.tree.as_ref(), self.reported);
    }

    fn titled(&mut self, title: &str) {
        self.title.get_or_insert_with(|| title.to_owned());
    }

    /// Takes out the files that stand under the loader's names and hold something else than it reads there.
    fn odd_slots(&mut self, files: &mut Files) {
        let names: Vec<String> = files.names().map(str::to_owned).collect();
        for name in names {
            let (Some(of), Some(Ok(bytes))) = (kind_of_slot(&name), files.get(&name).map(|file| &file.bytes))
            else {
                continue;
            };
            let kind = kind_of(bytes.get(..HEAD).unwrap_or(bytes), &name);
            let is_odd = match kind {
                Kind::Dump { of: found, form, system } => {
                    found != of || system == System::Torque || matches!(form, Form::Dsv | Form::Xml)
                }
                Kind::Script => crate::qmgr::shows_of(of, bytes),
                Kind::Table(table) => table == Table::NodesJobs && of == crate::record::DumpKind::Nodes,
                _ => false,
            };
            if is_odd && let Some(file) = files.take(&name) {
                let Ok(bytes) = file.bytes else { continue };
                self.entries.push(Entry::here(&name, bytes, file.modified));
            }
        }
    }

    fn pipe(&mut self, pipe: &mut dyn Read) -> Result<(), SourceError> {
        let fail = |why: String| SourceError::CannotRead { file: PIPE_SHOWN.into(), why };
        let most = self.bounds.of_file();
        let mut bytes = Vec::new();
        pipe.take(most.bytes.saturating_add(1))
            .read_to_end(&mut bytes)
            .map_err(|why| fail(why.to_string()))?;
        most.allow(bytes.len() as u64).map_err(|why| fail(why.to_string()))?;
        self.titled(PIPE_SHOWN);
        match Container::of(&bytes) {
            Some(container) => {
                self.packed(&mut io::Cursor::new(bytes), PIPE_SHOWN, container, None).map_err(fail)
            }
            None => {
                self.entries.push(Entry::here(PIPE_SHOWN, bytes, None));
                Ok(())
            }
        }
    }

    fn folder(&mut self, folder: &Path) -> Result<(), SourceError> {
        let files = Files::titled_after(folder);
        self.listed(files.title(), folder)
    }

    fn listed(&mut self, title: &str, folder: &Path) -> Result<(), SourceError> {
        let several = |roots| SourceError::Several { folder: title.into(), roots };
        let Listing { entries, tree, unreadable, further, left } =
            folder::listing(folder).map_err(several)?;
        for (name, why) in &unreadable {
            self.reported.unreadable(name, why);
        }
        self.reported.further(&further);
        self.reported.left(left);
        self.add(entries, tree.map(|tree| tree.named(title)));
        self.titled(title);
        Ok(())
    }

    /// Adds entries that may make up a tree, whose root they are not named with.
    fn add(&mut self, mut entries: Vec<Entry>, tree: Option<Tree>) {
        if let Some(tree) = &tree {
            entries.retain(|entry| !tree.places(&entry.shown).is_empty());
            for entry in &mut entries {
                if let Some(short) = entry.shown.strip_prefix(&*tree.root) {
                    entry.shown = short.to_owned();
                }
            }
        }
        self.entries.extend(entries);
        if let Some(tree) = tree {
            self.tree = Some(tree);
        }
    }

    fn file(&mut self, path: &Path) -> Result<(), SourceError> {
        let shown = path
            .file_name()
            .map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned());
        let fail =
            |why: String| SourceError::CannotRead { file: path.display().to_string().as_str().into(), why };
        let entry = folder::opened_entry(&shown, path).map_err(fail)?;
        if let Kind::Container(container) = entry.kind {
            let mut file = input::open(path).map_err(|why| fail(why.to_string()))?;
            let modified = file.metadata().ok().and_then(|facts| facts.modified().ok()).and_then(epoch_of);
            let stem = stem(&shown).to_owned();
            self.packed::<File>(&mut file, &stem, container, modified).map_err(fail)?;
            self.titled(&stem);
            return Ok(());
        }
        self.reported.paths.push(path.to_owned());
        self.titled(&shown);
        self.entries.push(entry);
        Ok(())
    }

    /// Takes an archive apart, or unpacks a single file.
    fn packed<R: Read + Seek>(
        &mut self,
        file: &mut R,
        stem: &str,
        container: Container,
        modified: Option<qscope_engine::cluster::Epoch>,
    ) -> Result<(), String> {
        let limits = ArchiveLimits { member: self.bounds.file, ..ArchiveLimits::default() };
        if container == Container::Gzip && !holds_tar(file, limits)? {
            let (bytes, is_cut) = archive::gunzip(file, limits)?;
            let mut entry = Entry::here(stem, bytes, modified);
            entry.is_cut = is_cut;
            self.entries.push(entry);
            return Ok(());
        }
        let contents = archive::read(file, container, limits, &wanted)?;
        for (code, sentence) in contents.sentences() {
            self.reported.archive(stem, code, sentence);
        }
        self.unpacked(stem, contents)
    }

    fn unpacked(&mut self, stem: &str, contents: Contents) -> Result<(), String> {
        let kept = contents.members.iter().map(|member| &*member.path);
        let paths: Vec<&str> = kept.chain(contents.passed.iter().map(|(path, _)| &**path)).collect();
        let tree = Tree::of(&paths).map_err(|roots| {
            format!(
                "found {} clusters; expected one: unpack it and name one of {}",
                roots.len(),
                roots.join(", ")
            )
        })?;
        if let Some(tree) = &tree {
            let further = paths.iter().filter(|path| tree.is_of_further_host(path));
            let further: Vec<String> = further.map(|path| (*path).to_owned()).collect();
            self.reported.further(&further);
        }
        let tree = tree.map(|tree| tree.named(stem));
        if let Some(tree) = &tree {
            self.titled(&tree.name);
        }
        let entries = contents.members.into_iter().map(|member| {
            let mut entry = Entry::here(&member.path, member.bytes, member.modified);
            entry.is_cut = member.is_cut;
            entry
        });
        self.add(entries.collect(), tree);
        Ok(())
    }
}

/// Whether a compressed file holds an archive.
fn holds_tar<R: Read + Seek>(file: &mut R, limits: ArchiveLimits) -> Result<bool, String> {
    let start = archive::first_bytes(&mut *file, limits);
    file.rewind().map_err(|why| why.to_string())?;
    Ok(Container::of(&start) == Some(Container::Tar))
}

/// Whether a file of an archive may be an input (sites 1.8: what no input needs is passed without being kept).
fn wanted(path: &str, head: &[u8]) -> Result<(), &'static str> {
    if is_never_read(path) {
        return Err("never read");
    }
    let name = path.rsplit('/').next().unwrap_or(path);
    match kind_of(head, name) {
        Kind::Dump { .. }
        | Kind::Script
        | Kind::EmptyAnswer
        | Kind::Failed
        | Kind::Table(Table::NodesJobs)
        | Kind::Log(Daemon::Scheduler) => Ok(()),
        Kind::Native(native) if super::kind::Native::named(name) == Some(native) => Ok(()),
        Kind::Empty if super::slot::hint(name).is_some() => Ok(()),
        _ if name == "ctime" => Ok(()),
        Kind::Container(_) => Err("an archive within the archive"),
        Kind::Unknown => Err("not recognised"),
        _ => Err("not needed"),
    }
}

/// A name without the suffixes of archives.
fn stem(name: &str) -> &str {
    let suffixes = [".tar.gz", ".tgz", ".tar", ".gz"];
    suffixes.iter().find_map(|suffix| name.strip_suffix(suffix)).unwrap_or(name)
}

/// Whether a log may be kept in memory.
pub(super) fn is_small_log(bytes: &[u8]) -> bool {
    bytes.len() <= LARGEST_LOG
}
