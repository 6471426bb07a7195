//! What the kernel states about this process and this machine; each function returns `None` if it does not.

use std::fs;
use std::path::{Path, PathBuf};

use rustix::fs::{Access, access, stat};
use rustix::process::{Resource, getrlimit};

/// Returns a setting such as `fs/inotify/max_user_watches`.
pub fn setting(name: &str) -> Option<String> {
    let text = fs::read_to_string(Path::new("/proc/sys").join(name)).ok()?;
    Some(text.trim().to_owned())
}

/// Returns the maximum number of open files.
pub fn open_files() -> Option<u64> {
    getrlimit(Resource::Nofile).current
}

/// Returns how many more bytes may be allocated, and what sets that limit: the limits of this process, its control
/// group, or what the machine has left. The lowest of them applies.
pub fn memory_left() -> Option<(u64, &'static str)> {
    let taken = |limit: Resource, field: &str| {
        Some(getrlimit(limit).current?.saturating_sub(line_of("/proc/self/status", field)?))
    };
    let bounds = [
        (taken(Resource::As, "VmSize:"), "ulimit -v"),
        (taken(Resource::Data, "VmData:"), "ulimit -d"),
        (group_left(), "memory.max of its control group"),
        (line_of("/proc/meminfo", "MemAvailable:"), "what the machine has left"),
    ];
    bounds.into_iter().filter_map(|(bytes, bound)| Some((bytes?, bound))).min_by_key(|(bytes, _)| *bytes)
}

/// Returns the value of a line such as `VmSize:  1234 kB`, in bytes.
fn line_of(file: &str, field: &str) -> Option<u64> {
    let text = fs::read_to_string(file).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(field))?;
    line.split_whitespace().next()?.parse::<u64>().ok()?.checked_mul(1024)
}

/// Returns how many more bytes the control group of this process (version 2) may use.
fn group_left() -> Option<u64> {
    let text = fs::read_to_string("/proc/self/cgroup").ok()?;
    let path = text.lines().find_map(|line| line.strip_prefix("0::/"))?;
    let folder = PathBuf::from("/sys/fs/cgroup").join(path);
    let number = |name: &str| fs::read_to_string(folder.join(name)).ok()?.trim().parse::<u64>().ok();
    Some(number("memory.max")?.saturating_sub(number("memory.current")?))
}

/// Lowers the priority of this thread on a busy machine, and of threads that it starts. On systems other than Linux
/// this would affect the whole process, so nothing is done.
pub fn lower_priority() {
    #[cfg(target_os = "linux")]
    // Without permission everything still works, only less smoothly.
    let _ = rustix::process::nice(BEHIND);
}

/// Increase of the nice value: a tenth of the processor's time compared with a thread of default priority.
#[cfg(target_os = "linux")]
const BEHIND: i32 = 10;

/// Returns whether this user may read a file or list a folder.
pub fn is_readable(path: &Path) -> bool {
    access(path, Access::READ_OK).is_ok()
}

/// Returns the owner's id of a file or folder, and its permissions.
pub fn owner_and_mode(path: &Path) -> Option<(u32, u32)> {
    let about = stat(path).ok()?;
    Some((about.st_uid, about.st_mode & 0o7777))
}

/// Returns whether permissions let users other than the owner write.
pub fn others_can_write(mode: u32) -> bool {
    mode & 0o022 != 0
}

/// Returns the id of the user that this program runs as.
pub fn user() -> u32 {
    rustix::process::geteuid().as_raw()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_every_linux_states_is_known() {
        assert!(setting("kernel/ostype").is_some_and(|name| name == "Linux"));
        assert!(setting("no/such/setting").is_none());
        let (bytes, _) = memory_left().unwrap();
        assert!(bytes > 1 << 20);
        let folder = tempfile::tempdir().unwrap();
        std::fs::set_permissions(folder.path(), std::os::unix::fs::PermissionsExt::from_mode(0o750)).unwrap();
        assert_eq!(owner_and_mode(folder.path()).unwrap(), (user(), 0o750));
        assert!(is_readable(folder.path()) && !is_readable(&folder.path().join("none")));
    }
}
