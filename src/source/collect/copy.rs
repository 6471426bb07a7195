//! Copies the scheduler's own files, which often only root can read.

use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

use jiff::Zoned;

use super::CollectedFile;
use super::plan::CollectOptions;
use qscope_system::folder::Folder;
use qscope_system::input::{self, InputError, SizeLimit};

/// Files of `sched_priv`, and their names in the folder.
pub(super) const FILES: [&str; 5] = ["sched_config", "holidays", "dedicated_time", "resource_group", "usage"];

/// Returns the paths of the scheduler's own files on this machine.
pub fn scheduler_files(options: &CollectOptions) -> Vec<PathBuf> {
    let home = options.home.clone().or_else(configured_home);
    let folder = home.map(|home| home.join("sched_priv"));
    folder.iter().flat_map(|folder| FILES.iter().map(|name| folder.join(name))).collect()
}

/// Copies the files that exist and are readable; others are no failure, since most users may not read them.
pub(super) fn copy_all(options: &CollectOptions, folder: &Folder) -> Vec<CollectedFile> {
    let Some(home) = options.home.clone().or_else(configured_home) else { return Vec::new() };
    let mut files: Vec<(PathBuf, &str)> =
        FILES.iter().map(|name| (home.join("sched_priv").join(name), *name)).collect();
    let today = Zoned::now().strftime("%Y%m%d").to_string();
    files.push((home.join("sched_logs").join(today), "sched_log"));
    let mut copied = Vec::new();
    for (from, name) in files {
        let started = Instant::now();
        let result = match copy(&from, name, options.max_output, folder) {
            Ok(bytes) => Ok(bytes),
            Err(why) if matches!(why.io_kind(), ErrorKind::NotFound | ErrorKind::PermissionDenied) => {
                continue;
            }
            Err(why) => Err(format!("{}: {why}", from.display())),
        };
        let exists = result.is_ok() || folder.holds(name);
        copied.push(CollectedFile {
            file: name.to_owned(),
            result,
            took: started.elapsed(),
            exists,
            unparsed_pieces: 0,
        });
    }
    copied
}

fn copy(from: &Path, name: &str, most: u64, folder: &Folder) -> Result<u64, InputError> {
    let bytes = input::read(from, SizeLimit { limit: "copy-size", bytes: most })?;
    let mut draft = folder.draft(name)?;
    draft.write_all(&bytes)?;
    Ok(draft.finish()?.place()?)
}

/// Maximum size of `pbs.conf`.
const CONFIGURATION: SizeLimit = SizeLimit { limit: "pbs.conf-size", bytes: 1 << 20 };

/// Returns `PBS_HOME` from the environment, else from `/etc/pbs.conf`.
fn configured_home() -> Option<PathBuf> {
    if let Some(home) = std::env::var_os("PBS_HOME") {
        return Some(home.into());
    }
    let path =
        std::env::var_os("PBS_CONF_FILE").map_or_else(|| PathBuf::from("/etc/pbs.conf"), PathBuf::from);
    let text = input::read_text(&path, CONFIGURATION).ok()?;
    let line = text.lines().find_map(|line| line.trim().strip_prefix("PBS_HOME="))?;
    Some(PathBuf::from(line.trim()))
}
