//! The pipes of a running program: no operation waits longer than one check interval.

use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout};
use std::thread;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};

/// Maximum number of bytes kept of standard error.
const COMPLAINT: usize = 4096;
/// Number of bytes read at a time.
const PIECE: usize = 64 << 10;

/// The input and output of a program.
pub(super) struct Pipes {
    stdin: Option<(ChildStdin, io::Cursor<Vec<u8>>)>,
    stdout: Option<ChildStdout>,
    stderr: Option<ChildStderr>,
    /// The output so far.
    pub(super) output: Vec<u8>,
    /// The beginning of standard error.
    pub(super) complaint: Vec<u8>,
    piece: Vec<u8>,
}

impl Pipes {
    /// Takes the pipes of a program, which reads `input`.
    pub(super) fn of(child: &mut Child, input: Vec<u8>) -> io::Result<Self> {
        let pipes = Self {
            stdin: child
                .stdin
                .take()
                .filter(|_| !input.is_empty())
                .map(|pipe| (pipe, io::Cursor::new(input))),
            stdout: child.stdout.take(),
            stderr: child.stderr.take(),
            output: Vec::new(),
            complaint: Vec::new(),
            piece: vec![0; PIECE],
        };
        for (pipe, _) in pipes.open() {
            fcntl_setfl(pipe, fcntl_getfl(pipe)? | OFlags::NONBLOCK)?;
        }
        Ok(pipes)
    }

    fn open(&self) -> Vec<(BorrowedFd<'_>, PollFlags)> {
        let mut open = Vec::new();
        open.extend(self.stdin.as_ref().map(|(pipe, _)| (pipe.as_fd(), PollFlags::OUT)));
        open.extend(self.stdout.as_ref().map(|pipe| (pipe.as_fd(), PollFlags::IN)));
        open.extend(self.stderr.as_ref().map(|pipe| (pipe.as_fd(), PollFlags::IN)));
        open
    }

    /// Returns whether no more output can come.
    pub(super) fn are_closed(&self) -> bool {
        self.stdout.is_none() && self.stderr.is_none()
    }

    /// Waits until something can be written or read, but at most `most`.
    pub(super) fn wait(&self, most: Duration) {
        let open = self.open();
        if open.is_empty() {
            // Only its end is awaited, which follows soon.
            thread::sleep(most.min(Duration::from_millis(1)));
            return;
        }
        let mut asked: Vec<PollFd<'_>> =
            open.iter().map(|(pipe, flags)| PollFd::from_borrowed_fd(*pipe, *flags)).collect();
        let most = Timespec { tv_sec: 0, tv_nsec: i64::from(most.subsec_nanos()) };
        // Interrupted or not, the next call finds out.
        let _ready = poll(&mut asked, Some(&most));
    }

    /// Writes and reads what is possible, up to slightly more than `most` bytes of output.
    pub(super) fn transfer(&mut self, most: u64) -> io::Result<()> {
        self.report();
        let Self { stdout, stderr, output, complaint, piece, .. } = self;
        take(stdout, piece, |bytes| {
            output.extend_from_slice(bytes);
            output.len() as u64 <= most
        })?;
        // Standard error beyond its limit is read and discarded, so that the program does not block on a full pipe.
        take(stderr, piece, |bytes| {
            let room = COMPLAINT.saturating_sub(complaint.len());
            complaint.extend_from_slice(bytes.get(..room.min(bytes.len())).unwrap_or_default());
            room > 0
        })
    }

    /// Writes input as far as the program reads it. A program that closes its input has read enough.
    fn report(&mut self) {
        let Some((pipe, input)) = &mut self.stdin else { return };
        loop {
            let from = usize::try_from(input.position()).unwrap_or(usize::MAX);
            let rest = input.get_ref().get(from..).unwrap_or_default();
            if rest.is_empty() {
                break;
            }
            match pipe.write(rest) {
                Ok(0) => break,
                Ok(written) => input.set_position(input.position() + written as u64),
                Err(why) if why.kind() == ErrorKind::WouldBlock => return,
                Err(why) if why.kind() == ErrorKind::Interrupted => {}
                Err(_) => break,
            }
        }
        self.stdin = None;
    }
}

/// Reads the available output, and drops the pipe when it has ended. `keep` returns whether to read on at once.
fn take(
    pipe: &mut Option<impl Read>,
    piece: &mut [u8],
    mut keep: impl FnMut(&[u8]) -> bool,
) -> io::Result<()> {
    while let Some(open) = pipe {
        match open.read(piece) {
            Ok(0) => *pipe = None,
            Ok(read) => {
                if !keep(piece.get(..read).unwrap_or_default()) {
                    return Ok(());
                }
            }
            Err(why) if why.kind() == ErrorKind::WouldBlock => return Ok(()),
            Err(why) if why.kind() == ErrorKind::Interrupted => {}
            Err(why) => return Err(why),
        }
    }
    Ok(())
}
