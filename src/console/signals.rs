//! Signals, turned into inputs of the event loop.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread;
use std::time::Duration;

use crossbeam_channel::Sender;
use rustix::process::{Signal, getpid, kill_current_process_group, kill_process};
use signal_hook::consts::{SIGCONT, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP};
use signal_hook::iterator::Signals;
use signal_hook::low_level;

use super::display::Stop;
use super::incoming::Incoming;

/// How often we were continued.
static CONTINUED: AtomicU32 = AtomicU32::new(0);
/// We stopped on our own account, so the one who did it waits for the continuation.
static STOPPING: AtomicBool = AtomicBool::new(false);

/// Sends signals to the loop from now to the end of the process; `restore` gives the terminal back.
///
/// A second signal that ends the program, or one that comes when the loop is over, ends it at once.
///
/// # Errors
/// The handlers or the thread cannot be set up.
pub(crate) fn listen<M: Send + 'static>(sender: Sender<Incoming<M>>, restore: fn()) -> io::Result<()> {
    let mut signals = Signals::new([SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGTSTP, SIGCONT])?;
    let listen = move || {
        let mut ending = false;
        for signal in &mut signals {
            let sent = match signal {
                SIGCONT => continued(&sender),
                SIGTSTP => sender.send(Incoming::Stop).is_ok(),
                _ => !std::mem::replace(&mut ending, true) && sender.send(Incoming::End(signal)).is_ok(),
            };
            if !sent && signal != SIGCONT {
                restore();
                low_level::exit(128 + signal);
            }
        }
    };
    thread::Builder::new().name("signals".to_owned()).spawn(listen).map(drop)
}

fn continued<M>(sender: &Sender<Incoming<M>>) -> bool {
    let ours = STOPPING.swap(false, Ordering::SeqCst);
    CONTINUED.fetch_add(1, Ordering::SeqCst);
    ours || sender.send(Incoming::Continued).is_ok()
}

/// Stops the job or the process, and returns when it is continued.
///
/// The call that stops may return a little before the stop reaches this thread, so it waits until the continuation
/// has been seen; should the listener be gone, not for ever.
///
/// # Errors
/// The signal cannot be sent.
pub(crate) fn stop(stop: Stop) -> io::Result<()> {
    let before = CONTINUED.load(Ordering::SeqCst);
    STOPPING.store(true, Ordering::SeqCst);
    match stop {
        Stop::Job => kill_current_process_group(Signal::STOP)?,
        Stop::Process => kill_process(getpid(), Signal::STOP)?,
    }
    for _ in 0..200 {
        if CONTINUED.load(Ordering::SeqCst) != before {
            break;
        }
        thread::sleep(Duration::from_millis(1));
    }
    Ok(())
}
