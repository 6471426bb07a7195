//! Asks the kernel to report changes.

use std::path::{Path, PathBuf};

use crossbeam_channel::Sender;
use notify::{ErrorKind, RecommendedWatcher, RecursiveMode, Watcher as _};

use super::filter::{FolderEvent, WatchFilter};

/// Error number of the kernel if a user has too many watchers open.
const TOO_MANY_OPEN: i32 = 24;

/// The kernel reports changes as long as this exists.
pub(super) struct WatchGuard {
    _watcher: RecommendedWatcher,
}

/// Watches the folder and, if it is a link, the folder that contains the link.
///
/// # Errors
/// Why the kernel cannot report, in words for the header.
pub(super) fn arm(folder: &Path, news: Sender<FolderEvent>) -> Result<WatchGuard, String> {
    let real = folder.canonicalize().map_err(|e| e.to_string())?;
    let link = link(folder);
    let parent = link.as_ref().and_then(|link| link.parent()).map(Path::to_path_buf);
    let filter = WatchFilter { folder: real.clone(), link };
    let on_event = move |event: notify::Result<notify::Event>| {
        if let Some(found) = filter.weigh(&event) {
            // The queue is already full, so another entry would add nothing.
            let _ = news.try_send(found);
        }
    };
    let mut watcher = notify::recommended_watcher(on_event).map_err(|e| error_text(&e))?;
    watcher.watch(&real, RecursiveMode::NonRecursive).map_err(|e| error_text(&e))?;
    if let Some(parent) = parent.filter(|parent| *parent != real) {
        // Without it, polling still detects a link that changed.
        let _ = watcher.watch(&parent, RecursiveMode::NonRecursive);
    }
    Ok(WatchGuard { _watcher: watcher })
}

/// Returns the folder's own path if it is a link, with links in its parent resolved.
fn link(folder: &Path) -> Option<PathBuf> {
    let is_link = folder.symlink_metadata().ok()?.file_type().is_symlink();
    let parent = folder.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    is_link.then(|| Some(parent.canonicalize().ok()?.join(folder.file_name()?)))?
}

fn error_text(error: &notify::Error) -> String {
    match &error.kind {
        ErrorKind::MaxFilesWatch => "no inotify: raise sysctl fs.inotify.max_user_watches".to_owned(),
        ErrorKind::Io(cause) if cause.raw_os_error() == Some(TOO_MANY_OPEN) => {
            "no inotify: raise sysctl fs.inotify.max_user_instances, or ulimit -n".to_owned()
        }
        ErrorKind::Io(cause) => format!("no inotify: {cause}"),
        _ => format!("no inotify: {error}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_name_the_setting_to_raise() {
        assert!(error_text(&notify::Error::new(ErrorKind::MaxFilesWatch)).contains("max_user_watches"));
        let open = std::io::Error::from_raw_os_error(TOO_MANY_OPEN);
        assert!(error_text(&notify::Error::io(open)).contains("max_user_instances"));
    }

    #[test]
    fn a_link_is_known_by_its_real_parent() {
        let folder = tempfile::tempdir().unwrap();
        let real = folder.path().canonicalize().unwrap();
        std::fs::create_dir(real.join("v1")).unwrap();
        std::os::unix::fs::symlink("v1", real.join("cur")).unwrap();
        assert_eq!(link(&real.join("cur")), Some(real.join("cur")));
        assert_eq!(link(&real.join("v1")), None);
        assert_eq!(link(&real.join("v1/../cur")), Some(real.join("cur")));
    }
}
