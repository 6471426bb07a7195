//! Faults around the program: its disk, its memory, its clock, its workers, its user and its terminal.

use std::time::Duration;

use qscope::console::app::AppInput;
use qscope::source::watch::FolderEvent;
use rustix::io::Errno;

use super::disk::{self, Plan, Trouble};
use super::dumps::{FILES, Stand};
use super::{World, clock};

/// Number of kinds of faults, those of the writers included.
pub(super) const KINDS: usize = 28;

impl World {
    pub(super) fn fault(&mut self, which: usize) {
        match self.draw(14) {
            0 => self.trouble(which, "permission lost", Trouble::Refused(Errno::ACCESS)),
            1 => self.trouble(which, "EIO on opening", Trouble::Refused(Errno::IO)),
            2 => self.trouble(which, "EIO in the middle", Trouble::Broken(Errno::IO)),
            3 => self.trouble(which, "stale handle", Trouble::Broken(Errno::STALE)),
            4 => self.trouble(which, "no descriptor left", Trouble::Refused(Errno::MFILE)),
            5 => self.trouble(which, "short reads", Trouble::Short),
            6 => self.trouble(which, "file ended before its size", Trouble::Cut),
            7 => self.replace_between_reads(which),
            8 => self.jump(),
            9 => {
                let times = 1 + self.draw(2) as u32;
                disk::panic_next(times);
                self.passing("worker panics", times);
            }
            10 => {
                let times = 1 + self.draw(2) as u32;
                disk::no_memory_next(times);
                self.passing("out of memory in a worker", times);
            }
            11 => self.fill_disk(),
            12 => self.stop(),
            _ => self.restart(),
        }
    }

    /// A fault that passes by itself after a number of readings; in half of the cases a file has changed.
    fn passing(&mut self, fault: &'static str, times: u32) {
        self.note(format!("{fault}, {times} times"));
        self.count(fault);
        if self.draw(2) == 0 {
            let which = self.draw(2) as usize;
            self.put(which);
        } else {
            self.session.reload();
        }
        let time = self.time(3000);
        self.pass(time);
    }

    /// Makes reading a file fail, for some readings or until it is repaired.
    fn trouble(&mut self, which: usize, fault: &'static str, trouble: Trouble) {
        self.note(format!("{}: {fault}", FILES[which]));
        self.count(fault);
        let lasts = self.draw(2) == 0;
        let left = if lasts { u32::MAX } else { 1 + self.draw(4) as u32 };
        let is_whole = trouble == Trouble::Short;
        disk::plan(Some(Plan { file: FILES[which], trouble, left }));
        if self.draw(3) == 0 {
            self.session.reload();
        } else {
            self.put(which);
        }
        // A file that cannot be read as a whole is not shown while the fault lasts.
        let stand = self.stands[which];
        if lasts && !is_whole {
            self.stands[which] = Stand::Damaged;
        }
        let time = if self.draw(2) == 0 { self.time(15_000) } else { self.time(500) };
        self.pass(time);
        disk::plan(None);
        self.stands[which] = stand;
        self.note(format!("{}: can be read again", FILES[which]));
    }

    /// Replaces one dump while the folder is being read.
    fn replace_between_reads(&mut self, which: usize) {
        let other = self.draw(2) as usize;
        let text = self.next_text(other);
        let ready = self.disk.path().join("ready");
        self.write(&ready, &text);
        let place = self.folder().join(FILES[other]);
        let trouble = Trouble::Replaced(ready, place);
        self.note(format!("{} version {} comes before {} is read", FILES[other], self.version, FILES[which]));
        self.count("renamed between reads");
        disk::plan(Some(Plan { file: FILES[which], trouble, left: 1 }));
        self.replaced = Some((other, Stand::Whole(self.version)));
        self.session.reload();
        self.turn();
        disk::plan(None);
        self.replaced = None;
    }

    /// Sets the clock, or resumes a suspended machine.
    fn jump(&mut self) {
        let far = self.draw(400_000_000) as i64 - 200_000_000;
        clock::set_date(far);
        self.note(format!("the date is set by {} s", far / 1000));
        self.count("clock jump");
    }

    fn fill_disk(&mut self) {
        self.note("no space for the recording");
        self.count("ENOSPC for the recording");
        disk::fill_disk(true);
        let which = self.draw(2) as usize;
        self.put(which);
        let time = self.time(8000);
        self.pass(time);
        disk::fill_disk(false);
    }

    /// Stops the program, as by ^Z, while the world goes on.
    fn stop(&mut self) {
        self.note("stopped");
        self.count("stopped and continued");
        let which = self.draw(2) as usize;
        self.put(which);
        let time = Duration::from_millis(self.draw(120_000));
        clock::go_to(clock::now() + time);
        self.note("continued");
        self.turn();
        self.console.feed(AppInput::Resumed);
    }

    /// Presses some keys as the user.
    pub(super) fn press(&mut self) {
        self.count("keys");
        for _ in 0..1 + self.draw(6) {
            let draw = self.draw(1 << 32);
            let (name, reloads) = self.console.press(draw);
            self.note(format!("key: {name}"));
            if reloads {
                self.session.reload();
            }
        }
        if self.draw(8) == 0 {
            self.note("the worker of the screen fails");
            self.count("worker of the screen fails");
            let (name, text) = ("reader".to_owned(), "boom".to_owned());
            self.console.feed(AppInput::WorkerFailed { name, text });
        }
        self.news.push(FolderEvent::Writing);
    }
}
