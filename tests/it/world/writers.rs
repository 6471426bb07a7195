//! What writers do to the folder: careful ones, slow ones, and ones that leave something that is not a dump.

use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

use qscope::source::watch::FolderEvent;

use super::dumps::{FILES, Stand, text};
use super::{World, clock};

/// Each write of a file gets a time of its own, as on a file system that counts nanoseconds.
const TICK: Duration = Duration::from_micros(1);

impl World {
    /// Returns the next version of a dump.
    pub(super) fn next_text(&mut self, which: usize) -> String {
        self.version += 1;
        text(which, self.version)
    }

    /// Writes a file with the modification time of the world's clock.
    pub(super) fn write(&mut self, path: &Path, text: &str) {
        fs::write(path, text).unwrap();
        clock::go_to(clock::now() + TICK);
        fs::File::options().write(true).open(path).unwrap().set_modified(clock::date()).unwrap();
    }

    /// Reports a change as the kernel does: once, not at all, or repeatedly as in a storm.
    pub(super) fn report(&mut self, news: FolderEvent) {
        match self.draw(8) {
            0 | 1 => {
                self.note("  the event is lost");
                self.count("event lost");
            }
            2 => {
                let times = 2 + self.draw(400) as usize;
                self.note(format!("  {times} events for one"));
                self.count("storm of events");
                self.news.extend(std::iter::repeat_n(news, times));
            }
            _ => self.news.push(news),
        }
    }

    /// A careful writer: replaces the file with a new one.
    pub(super) fn put(&mut self, which: usize) {
        let text = self.next_text(which);
        let path = self.folder().join(FILES[which]);
        if path.is_dir() {
            fs::remove_dir(&path).unwrap();
        }
        let next = self.folder().join(".next");
        self.write(&next, &text);
        fs::rename(&next, path).unwrap();
        self.stands[which] = Stand::Whole(self.version);
        self.torn[which] = None;
        self.note(format!("put {} version {}", FILES[which], self.version));
        self.report(FolderEvent::Settled);
    }

    /// A slow writer: writes into the file itself, with pauses.
    pub(super) fn write_slowly(&mut self, which: usize) {
        let text = self.next_text(which);
        let path = self.folder().join(FILES[which]);
        self.clear(&path);
        self.count("slow writer");
        let pieces = 2 + self.draw(4) as usize;
        for piece in 1..pieces {
            self.stands[which] = Stand::Damaged;
            self.torn[which] = Some(clock::now());
            self.write(&path, &text[..text.len() * piece / pieces]);
            self.note(format!("{}: {piece} of {pieces} parts of version {}", FILES[which], self.version));
            self.report(FolderEvent::Writing);
            let time = self.time(900);
            self.pass(time);
        }
        self.write(&path, &text);
        self.stands[which] = Stand::Whole(self.version);
        self.torn[which] = None;
        self.note(format!("{}: version {} is whole", FILES[which], self.version));
        self.report(FolderEvent::Settled);
    }

    /// Removes what is at the path.
    fn clear(&mut self, path: &Path) {
        if path.is_dir() && !path.is_symlink() {
            fs::remove_dir(path).unwrap();
        } else {
            drop(fs::remove_file(path));
        }
    }

    /// Makes a file unusable for a while, checks meanwhile, and then repairs it.
    pub(super) fn spoil(&mut self, which: usize) {
        let path = self.folder().join(FILES[which]);
        let text = self.next_text(which);
        self.clear(&path);
        self.stands[which] = Stand::Damaged;
        let fault = match self.draw(7) {
            0 => {
                // Everything but the last line break is already a whole dump.
                let part = self.draw(text.len() as u64 - 2) as usize;
                if part == 0 {
                    self.stands[which] = Stand::Gone;
                }
                self.write(&path, &text[..part]);
                "half written: its disk is full"
            }
            1 => {
                self.write(&path, "");
                self.stands[which] = Stand::Gone;
                "truncated"
            }
            2 => {
                self.stands[which] = Stand::Gone;
                "removed"
            }
            3 => {
                fs::create_dir(&path).unwrap();
                "a folder in its place"
            }
            4 => {
                std::os::unix::fs::symlink("/proc/self/mem", &path).unwrap();
                "input/output error of the disk"
            }
            5 => {
                std::os::unix::fs::symlink("nothing", &path).unwrap();
                "dangling link"
            }
            _ => {
                self.write(&path, "qstat: cannot connect to server s (errno=15010)\n");
                "the client's error in it"
            }
        };
        self.note(format!("{}: {fault}", FILES[which]));
        self.count(fault);
        let is_torn = fault.starts_with("half") || fault.starts_with("the client");
        self.torn[which] = is_torn.then(clock::now);
        self.is_no_dump = fault.starts_with("the client");
        self.report(FolderEvent::Writing);
        let time = if self.draw(3) == 0 { self.time(20_000) } else { self.time(800) };
        self.pass(time);
        self.clear(&path);
        self.put(which);
    }

    /// Renames the folder away and back.
    pub(super) fn replace_folder(&mut self) {
        let away = self.disk.path().join("away");
        fs::rename(self.folder(), &away).unwrap();
        self.note("folder renamed away");
        self.count("folder away");
        self.report(FolderEvent::Folder);
        let stands = std::mem::replace(&mut self.stands, [Stand::Damaged; 2]);
        let time = if self.draw(2) == 0 { Duration::ZERO } else { self.time(15_000) };
        self.pass(time);
        fs::rename(&away, self.folder()).unwrap();
        self.stands = stands;
        self.note("folder back");
        self.report(FolderEvent::Folder);
    }

    /// Gives a file another date, as after a copy or from a server with a wrong clock.
    pub(super) fn date(&mut self, which: usize) {
        let far = Duration::from_secs(self.draw(100_000));
        let at: SystemTime = if self.draw(2) == 0 { clock::date() - far } else { clock::date() + far };
        if let Ok(file) = fs::File::options().write(true).open(self.folder().join(FILES[which])) {
            file.set_modified(at).unwrap();
        }
        self.note(format!("{} dated otherwise", FILES[which]));
        self.count("file dated otherwise");
        self.report(FolderEvent::Writing);
    }
}
