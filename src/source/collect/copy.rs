//! Copying the scheduler's own files, which often only root can read.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::Instant;

use jiff::Zoned;

use super::Collected;
use super::plan::CollectOptions;
use super::publish::Publisher;

/// Files of `sched_priv`, and their names in the folder.
const FILES: [&str; 5] = ["sched_config", "holidays", "dedicated_time", "resource_group", "usage"];

/// Copies what is there and readable; what is not is no failure, since most people may not read it.
pub(super) fn copy_all(options: &CollectOptions, publisher: &Publisher) -> Vec<Collected> {
    let Some(home) = options.home.clone().or_else(configured_home) else { return Vec::new() };
    let mut files: Vec<(PathBuf, &str)> =
        FILES.iter().map(|name| (home.join("sched_priv").join(name), *name)).collect();
    let today = Zoned::now().strftime("%Y%m%d").to_string();
    files.push((home.join("sched_logs").join(today), "sched_log"));
    let mut copied = Vec::new();
    for (from, name) in files {
        let started = Instant::now();
        let result = match copy(&from, name, options.most, publisher) {
            Ok(bytes) => Ok(bytes),
            Err(why) if matches!(why.kind(), io::ErrorKind::NotFound | io::ErrorKind::PermissionDenied) => {
                continue;
            }
            Err(why) => Err(format!("{}: {why}", from.display())),
        };
        let stands = result.is_ok() || publisher.stands(name);
        copied.push(Collected { file: name.to_owned(), result, took: started.elapsed(), stands });
    }
    copied
}

fn copy(from: &Path, name: &str, most: u64, publisher: &Publisher) -> io::Result<u64> {
    let mut bytes = Vec::new();
    let read = File::open(from)?.take(most + 1).read_to_end(&mut bytes)?;
    if read as u64 > most {
        return Err(io::Error::other(format!("more than {} MB", most >> 20)));
    }
    publisher.draft(name)?.publish(&bytes)
}

/// `PBS_HOME` of the environment, else of `/etc/pbs.conf`.
fn configured_home() -> Option<PathBuf> {
    if let Some(home) = std::env::var_os("PBS_HOME") {
        return Some(home.into());
    }
    let path =
        std::env::var_os("PBS_CONF_FILE").map_or_else(|| PathBuf::from("/etc/pbs.conf"), PathBuf::from);
    let text = std::fs::read_to_string(path).ok()?;
    let line = text.lines().find_map(|line| line.trim().strip_prefix("PBS_HOME="))?;
    Some(PathBuf::from(line.trim()))
}
