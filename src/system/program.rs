//! Runs a program of the batch system or of the site, with limits on its time and output, and ends everything it
//! started.
//!
//! Its output comes through a pipe and is a copy: a child that it leaves behind can neither delay the caller nor
//! change the output taken. When it has ended, or exceeds a limit, everything it started in its process group is
//! ended.

mod path;
mod pipes;

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

pub use path::find;

use pipes::Pipes;

/// Interval at which a running program is checked if it prints nothing.
const LOOK: Duration = Duration::from_millis(20);
/// How long the output of an ended program may be held open by processes that it left behind.
const LAST_WORDS: Duration = Duration::from_millis(300);
/// How long a killed program may take to end; one that the kernel holds up is abandoned.
const KILLED: Duration = Duration::from_secs(1);

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ProgramLimits {
    /// Maximum run time.
    pub time: Duration,
    /// Maximum number of bytes printed.
    pub output: u64,
}

/// The result of a program that ended by itself.
#[derive(Debug)]
pub struct ProgramOutput {
    pub status: ExitStatus,
    /// Everything that it printed.
    pub output: Vec<u8>,
    /// The beginning of its standard error.
    pub complaint: Vec<u8>,
}

/// The reason why a program gave no answer.
#[derive(Debug, thiserror::Error)]
pub enum ProgramError {
    /// It could not be started.
    #[error("{0}")]
    Start(io::Error),
    /// It ran for too long.
    #[error("took longer than {} s{}", .0.as_secs_f64(), remaining_text(*.1))]
    TooSlow(Duration, SurvivingProcess),
    /// It printed too much.
    #[error("printed more than {} MB{}", .0 >> 20, remaining_text(*.1))]
    TooMuch(u64, SurvivingProcess),
    /// `stop` requested its end.
    #[error("stopped{}", remaining_text(*.0))]
    Stopped(SurvivingProcess),
    /// A system call failed.
    #[error("{0}")]
    Io(#[from] io::Error),
}

/// Whether any part of a program is still running.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SurvivingProcess {
    /// No.
    None,
    /// It could not be stopped.
    Program,
}

/// Returns the end of a sentence about it.
fn remaining_text(left: SurvivingProcess) -> &'static str {
    if left == SurvivingProcess::None { "" } else { ", and could not be stopped" }
}

/// Runs a program with these arguments, without a shell; `stop` is polled for whether to end it.
///
/// # Errors
/// If it could not be started, or exceeded a limit or was stopped; it is then ended with everything it started.
pub fn run(
    program: &Path,
    arguments: &[impl AsRef<OsStr>],
    input: Vec<u8>,
    limits: ProgramLimits,
    stop: &dyn Fn() -> bool,
) -> Result<ProgramOutput, ProgramError> {
    let mut command = Command::new(OsString::from(program));
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    // Sites wrap programs in scripts: processes that these start are in the same group and end with them. In the
    // terminal's background the program cannot ask for a password there either.
    command.process_group(0);
    let mut child = command.spawn().map_err(ProgramError::Start)?;
    let answer = Pipes::of(&mut child, input)
        .map_err(ProgramError::from)
        .and_then(|pipes| watch(&child, pipes, limits, stop));
    let left = end(&mut child);
    match (answer, left) {
        (Ok((output, complaint)), Ok(status)) => Ok(ProgramOutput { status, output, complaint }),
        (Ok(_), Err(why)) => Err(why.into()),
        (Err(ProgramError::TooSlow(time, _)), left) => Err(ProgramError::TooSlow(time, of(&left))),
        (Err(ProgramError::TooMuch(most, _)), left) => Err(ProgramError::TooMuch(most, of(&left))),
        (Err(ProgramError::Stopped(_)), left) => Err(ProgramError::Stopped(of(&left))),
        (Err(why), _) => Err(why),
    }
}

fn of(left: &io::Result<ExitStatus>) -> SurvivingProcess {
    if left.is_ok() { SurvivingProcess::None } else { SurvivingProcess::Program }
}

/// Takes the output of a program until it ends, or exceeds a limit.
fn watch(
    child: &Child,
    mut pipes: Pipes,
    limits: ProgramLimits,
    stop: &dyn Fn() -> bool,
) -> Result<(Vec<u8>, Vec<u8>), ProgramError> {
    let started = Instant::now();
    let mut over: Option<Instant> = None;
    loop {
        pipes.wait(LOOK);
        pipes.transfer(limits.output)?;
        if pipes.output.len() as u64 > limits.output {
            return Err(ProgramError::TooMuch(limits.output, SurvivingProcess::None));
        }
        match over {
            Some(over) if pipes.are_closed() || over.elapsed() > LAST_WORDS => {
                return Ok((pipes.output, pipes.complaint));
            }
            None if is_over(child)? => {
                // It was not waited for yet, so the number of its group is still in use.
                let _none_left = kill_process_group(Pid::from_child(child), Signal::KILL);
                over = Some(Instant::now());
            }
            None if stop() => return Err(ProgramError::Stopped(SurvivingProcess::None)),
            None if started.elapsed() > limits.time => {
                return Err(ProgramError::TooSlow(limits.time, SurvivingProcess::None));
            }
            _ => {}
        }
    }
}

/// Returns whether a program has ended; it still has to be waited for.
fn is_over(child: &Child) -> io::Result<bool> {
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    Ok(waitid(WaitId::Pid(Pid::from_child(child)), options)?.is_some())
}

/// Ends a program and its group, and waits for it as long as a killed one may take.
fn end(child: &mut Child) -> io::Result<ExitStatus> {
    let _none_left = kill_process_group(Pid::from_child(child), Signal::KILL);
    let since = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        if since.elapsed() > KILLED {
            return Err(io::ErrorKind::TimedOut.into());
        }
        thread::sleep(Duration::from_millis(1));
    }
}

#[cfg(test)]
mod tests;
