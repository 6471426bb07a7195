//! Filters the kernel's events.

use std::path::{Path, PathBuf};

use notify::event::{AccessKind, AccessMode, ModifyKind, RenameMode};
use notify::{Event, EventKind};

use crate::files::KNOWN;

/// Meaning of an event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FolderEvent {
    /// A file is changing; more may follow.
    Writing,
    /// A file was closed by its writer, or a finished file was put in place.
    Settled,
    /// The folder itself or the link to it changed, or events were lost.
    Folder,
}

/// Classifies events for a watched folder.
#[derive(Debug)]
pub(super) struct WatchFilter {
    /// Path of the folder, with links resolved.
    pub(super) folder: PathBuf,
    /// Path of the link to it, if it was opened through one, with links in its parent resolved.
    pub(super) link: Option<PathBuf>,
}

impl WatchFilter {
    /// Returns the meaning of an event or an error. Opening and reading are ignored: this program does that itself.
    pub(super) fn weigh(&self, event: &notify::Result<Event>) -> Option<FolderEvent> {
        let Ok(event) = event else { return Some(FolderEvent::Folder) };
        if event.need_rescan() {
            return Some(FolderEvent::Folder);
        }
        let news = folder_event(event.kind)?;
        if event.paths.iter().any(|path| *path == self.folder || Some(path) == self.link.as_ref()) {
            return Some(FolderEvent::Folder);
        }
        event.paths.iter().any(|path| self.is_known(path)).then_some(news)
    }

    fn is_known(&self, path: &Path) -> bool {
        let name = path.file_name().and_then(|name| name.to_str());
        path.parent() == Some(&self.folder) && name.is_some_and(|name| KNOWN.contains(&name))
    }
}

fn folder_event(kind: EventKind) -> Option<FolderEvent> {
    match kind {
        EventKind::Access(AccessKind::Close(AccessMode::Write))
        | EventKind::Modify(ModifyKind::Name(RenameMode::To | RenameMode::Both | RenameMode::Any)) => {
            Some(FolderEvent::Settled)
        }
        EventKind::Access(_) => None,
        _ => Some(FolderEvent::Writing),
    }
}

#[cfg(test)]
mod tests {
    use notify::event::{CreateKind, DataChange, Flag, MetadataKind, RemoveKind};

    use super::*;

    fn weigh(kind: EventKind, path: &str) -> Option<FolderEvent> {
        let filter = WatchFilter { folder: "/data/v1".into(), link: Some("/data/cur".into()) };
        filter.weigh(&Ok(Event::new(kind).add_path(path.into())))
    }

    const DATA: EventKind = EventKind::Modify(ModifyKind::Data(DataChange::Any));
    const CLOSED: EventKind = EventKind::Access(AccessKind::Close(AccessMode::Write));
    const MOVED_AWAY: EventKind = EventKind::Modify(ModifyKind::Name(RenameMode::From));
    const MOVED_IN: EventKind = EventKind::Modify(ModifyKind::Name(RenameMode::To));

    #[test]
    fn our_own_reading_is_no_news() {
        for access in
            [AccessKind::Open(AccessMode::Any), AccessKind::Close(AccessMode::Read), AccessKind::Read]
        {
            assert_eq!(weigh(EventKind::Access(access), "/data/v1/nodes.json"), None);
            assert_eq!(weigh(EventKind::Access(access), "/data/v1"), None);
        }
    }

    #[test]
    fn changes_of_known_files_are_news() {
        let file = "/data/v1/nodes.json";
        for kind in [
            DATA,
            MOVED_AWAY,
            EventKind::Create(CreateKind::File),
            EventKind::Remove(RemoveKind::File),
            EventKind::Modify(ModifyKind::Metadata(MetadataKind::Any)),
        ] {
            assert_eq!(weigh(kind, file), Some(FolderEvent::Writing), "{kind:?}");
        }
        assert_eq!(weigh(CLOSED, file), Some(FolderEvent::Settled));
        assert_eq!(weigh(MOVED_IN, file), Some(FolderEvent::Settled));
    }

    #[test]
    fn other_names_and_places_are_none() {
        assert_eq!(weigh(DATA, "/data/v1/nodes.json.tmp"), None);
        assert_eq!(weigh(CLOSED, "/data/v1/.nodes.json.swp"), None);
        assert_eq!(weigh(CLOSED, "/data/nodes.json"), None, "beside the link, not in the folder");
    }

    #[test]
    fn a_temporary_file_put_in_place_is_news_by_its_new_name() {
        let filter = WatchFilter { folder: "/d".into(), link: None };
        let event = Event::new(EventKind::Modify(ModifyKind::Name(RenameMode::Both)))
            .add_path("/d/tmp1".into())
            .add_path("/d/jobs.txt".into());
        assert_eq!(filter.weigh(&Ok(event)), Some(FolderEvent::Settled));
    }

    #[test]
    fn the_folder_its_link_and_lost_events_mean_look_at_the_folder() {
        assert_eq!(weigh(MOVED_AWAY, "/data/v1"), Some(FolderEvent::Folder));
        assert_eq!(weigh(EventKind::Remove(RemoveKind::File), "/data/v1"), Some(FolderEvent::Folder));
        assert_eq!(weigh(MOVED_IN, "/data/cur"), Some(FolderEvent::Folder));
        let filter = WatchFilter { folder: "/d".into(), link: None };
        let lost = Event::new(EventKind::Other).set_flag(Flag::Rescan);
        assert_eq!(filter.weigh(&Ok(lost)), Some(FolderEvent::Folder));
        assert_eq!(filter.weigh(&Err(notify::Error::generic("?"))), Some(FolderEvent::Folder));
    }
}
