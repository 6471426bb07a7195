//! The disk and the memory of the world, through which the session's own code reads, and their faults.

use std::cell::{Cell, RefCell};
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use qscope::cluster::{Epoch, Snapshot};
use qscope::record::{AppendedSnapshot, RecordError, RecordingWriter, SnapshotFiles};
use qscope::source::watch::reading::{self, FolderContents};
use qscope::source::{Disk, Files, LoadOptions, ReadCache, SourceError, load_again};
use rustix::io::Errno;

/// A fault in reading a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Trouble {
    /// Opening it fails.
    Refused(Errno),
    /// Reading it fails after some bytes.
    Broken(Errno),
    /// Each read returns only a few bytes, and some are interrupted.
    Short,
    /// A file server ends the file before its stated size.
    Cut,
    /// Before the file is opened, another file is replaced: the prepared new text, and the file it replaces.
    Replaced(PathBuf, PathBuf),
}

/// A fault of a file, for a number of readings of it.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    pub(super) file: &'static str,
    pub(super) trouble: Trouble,
    pub(super) left: u32,
}

thread_local! {
    static PLAN: RefCell<Option<Plan>> = const { RefCell::new(None) };
    static PANICS: Cell<u32> = const { Cell::new(0) };
    static NO_MEMORY: Cell<u32> = const { Cell::new(0) };
    static DISK_FULL: Cell<bool> = const { Cell::new(false) };
    /// How often a fault of this kind occurred in this turn.
    static HIT: Cell<u32> = const { Cell::new(0) };
}

pub(super) fn begin() {
    plan(None);
    PANICS.set(0);
    NO_MEMORY.set(0);
    DISK_FULL.set(false);
    HIT.set(0);
}

pub(super) fn plan(plan: Option<Plan>) {
    PLAN.with_borrow_mut(|held| *held = plan);
}

/// Makes the next `times` readings panic.
pub(super) fn panic_next(times: u32) {
    PANICS.set(times);
}

/// Makes the next `times` readings run out of memory.
pub(super) fn no_memory_next(times: u32) {
    NO_MEMORY.set(times);
}

pub(super) fn fill_disk(is_full: bool) {
    DISK_FULL.set(is_full);
}

/// Returns whether a fault occurred since the last call.
pub(super) fn was_hit() -> bool {
    HIT.replace(0) > 0
}

fn hit() {
    HIT.set(HIT.get() + 1);
}

fn counted(times: &'static std::thread::LocalKey<Cell<u32>>) -> bool {
    let left = times.get();
    times.set(left.saturating_sub(1));
    if left > 0 {
        hit();
    }
    left > 0
}

pub(super) fn read(folder: &Path) -> io::Result<FolderContents> {
    reading::read_from(folder, &mut Failing::default())
}

pub(super) fn load(
    files: &Files,
    options: &LoadOptions,
    memory: &mut ReadCache,
) -> Result<Snapshot, SourceError> {
    assert!(!counted(&PANICS), "a worker of the world panics");
    if counted(&NO_MEMORY) {
        let what = "5 vnodes and jobs".to_owned();
        return Err(SourceError::Memory { what, need: 2, left: 1, bound: "ulimit -v" });
    }
    load_again(files, options, memory)
}

pub(super) fn append(
    recorder: &mut RecordingWriter,
    at: Epoch,
    shot: SnapshotFiles,
) -> Result<AppendedSnapshot, RecordError> {
    if DISK_FULL.get() {
        return Err(RecordError::File { file: "recording".into(), cause: Errno::NOSPC.into() });
    }
    recorder.append(at, shot)
}

/// The disk during one reading of a folder.
#[derive(Default)]
struct Failing {
    /// The fault of the open file, and the number of reads so far.
    open: Option<(Trouble, usize)>,
}

impl Disk for Failing {
    fn before(&mut self, path: &Path) -> io::Result<()> {
        self.open = None;
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let found = PLAN.with_borrow_mut(|held| {
            let plan = held.as_mut().filter(|plan| plan.file == name && plan.left > 0)?;
            plan.left -= 1;
            Some(plan.trouble.clone())
        });
        let Some(trouble) = found else { return Ok(()) };
        hit();
        match trouble {
            Trouble::Refused(errno) => Err(errno.into()),
            Trouble::Replaced(ready, place) => fs::rename(ready, place),
            other => {
                self.open = Some((other, 0));
                Ok(())
            }
        }
    }

    fn read(&mut self, file: &mut File, into: &mut [u8]) -> io::Result<usize> {
        let Some((trouble, reads)) = &mut self.open else { return file.read(into) };
        *reads += 1;
        let few = into.len().min(7);
        match trouble {
            Trouble::Broken(errno) if *reads > 1 => Err((*errno).into()),
            Trouble::Short if reads.is_multiple_of(3) => Err(Errno::INTR.into()),
            Trouble::Cut if *reads > 3 => Ok(0),
            _ => file.read(&mut into[..few]),
        }
    }
}
