//! The machine: how files are watched, the limits on open files and memory, and which clients of the batch system
//! exist.

use std::path::{Path, PathBuf};
use std::time::Duration;

use qscope_source::collect::{CollectOptions, programs, scheduler_files};
use qscope_source::watch::{WatchOptions, Watcher};
use qscope_system::kernel;

use super::DoctorCheck;

/// Maximum number of open files that following a folder needs, with some in reserve.
const FILES: u64 = 64;
/// Bytes of memory for a cluster of ten thousand nodes and jobs.
const MEMORY: u64 = 256 << 20;

pub(super) fn checks(folder: Option<&Path>, watch: WatchOptions) -> Vec<DoctorCheck> {
    let mut checks = watching(folder, watch);
    checks.extend(limits());
    checks.extend(clients());
    checks
}

fn watching(folder: Option<&Path>, watch: WatchOptions) -> Vec<DoctorCheck> {
    let folder = folder.map_or_else(std::env::temp_dir, PathBuf::from);
    let watcher = Watcher::start(folder.clone(), watch);
    let mode = watcher.ok().and_then(|watcher| watcher.mode().recv_timeout(Duration::from_secs(5)).ok());
    let found = match &mode {
        Some(mode) => format!("{}: {mode}", folder.display()),
        None => format!("{}: no answer", folder.display()),
    };
    let polled = mode.as_ref().is_none_or(|mode| !mode.events || mode.network.is_some());
    let hint =
        polled.then_some("changes are noticed by checking the files at that interval; --poll TIME sets it");
    let mut checks = vec![DoctorCheck::ok("watching", "changes", found).note(hint)];
    for name in ["max_user_watches", "max_user_instances", "max_queued_events"] {
        if let Some(value) = kernel::setting(&format!("fs/inotify/{name}")) {
            checks.push(DoctorCheck::ok("watching", format!("inotify.{name}"), value));
        }
    }
    checks
}

fn limits() -> Vec<DoctorCheck> {
    let mut checks = Vec::new();
    if let Some(kernel) = kernel::setting("kernel/osrelease") {
        checks.push(DoctorCheck::ok("machine", "kernel", format!("Linux {kernel}")));
    }
    if let Some(most) = kernel::open_files() {
        let hint = (most < FILES).then_some("ulimit -n: watching and archives need more; polling remains");
        checks.push(DoctorCheck::ok("machine", "open files", most.to_string()).note(hint));
    }
    if let Some((bytes, bound)) = kernel::memory_left() {
        let hint = (bytes < MEMORY)
            .then_some("too little for a large cluster; the need is estimated before files are read");
        checks.push(DoctorCheck::ok("machine", "memory", format!("{} MB ({bound})", bytes >> 20)).note(hint));
    }
    checks
}

fn clients() -> Vec<DoctorCheck> {
    let options = CollectOptions {
        bin: std::env::var_os("QSCOPE_PBS_BIN").map(PathBuf::from),
        ..CollectOptions::default()
    };
    let mut checks = Vec::new();
    for (name, place) in programs(&options) {
        let check = match place {
            Ok(path) if path.is_file() => DoctorCheck::ok("clients", name, path.display().to_string()),
            Ok(path) => missing(name, format!("{}: not there", path.display())),
            Err(_) => missing(name, "in no absolute folder of the PATH".to_owned()),
        };
        checks.push(check);
    }
    for file in scheduler_files(&options) {
        let name = file.display().to_string();
        let (found, hint) = match (kernel::is_readable(&file), kernel::owner_and_mode(&file)) {
            (true, _) => ("can be read", None),
            (false, Some(_)) => ("not for this user", Some("its values as shipped are assumed")),
            (false, None) => ("not there, or not for this user", Some("its values as shipped are assumed")),
        };
        checks.push(DoctorCheck::ok("clients", "scheduler's file", format!("{name}: {found}")).note(hint));
    }
    checks
}

fn missing(name: &str, found: String) -> DoctorCheck {
    let hint = "qscope collect needs it; QSCOPE_PBS_BIN names the folder of the clients";
    DoctorCheck::ok("clients", name, found).note(Some(hint))
}
