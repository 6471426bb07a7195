//! Signals, converted to inputs of the event loop.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread;
use std::time::Duration;

use crossbeam_channel::Sender;
use rustix::process::{Signal, getpid, kill_current_process_group, kill_process};
use signal_hook::consts::{
    SIGALRM, SIGCONT, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP, SIGUSR1, SIGUSR2, SIGXCPU,
};
use signal_hook::iterator::Signals;
use signal_hook::low_level;

use super::display::SuspendScope;
use super::incoming::IncomingEvent;

/// Number of times the process was continued.
static CONTINUED: AtomicU32 = AtomicU32::new(0);
/// Whether the console stopped the process itself, so that [`scope`] handles the continuation.
static STOPPING: AtomicBool = AtomicBool::new(false);

/// Sends signals to the loop from now to the end of the process; `restore` restores the terminal.
///
/// A second signal that ends the program, or one after the loop has ended, ends it at once.
///
/// # Errors
/// The handlers or the thread cannot be set up.
pub(crate) fn listen<M: Send + 'static>(sender: Sender<IncomingEvent<M>>, restore: fn()) -> io::Result<()> {
    let ending = [SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM, SIGXCPU];
    let mut signals = Signals::new(ending.into_iter().chain([SIGTSTP, SIGCONT]))?;
    let listen = move || {
        let mut ending = false;
        for signal in &mut signals {
            let sent = match signal {
                SIGCONT => continued(&sender),
                SIGTSTP => sender.send(IncomingEvent::Suspend).is_ok(),
                _ => {
                    !std::mem::replace(&mut ending, true)
                        && sender.send(IncomingEvent::Terminate(signal)).is_ok()
                }
            };
            if !sent && signal != SIGCONT {
                restore();
                low_level::exit(128 + signal);
            }
        }
    };
    thread::Builder::new().name("signals".to_owned()).spawn(listen).map(drop)
}

fn continued<M>(sender: &Sender<IncomingEvent<M>>) -> bool {
    let ours = STOPPING.swap(false, Ordering::SeqCst);
    CONTINUED.fetch_add(1, Ordering::SeqCst);
    ours || sender.send(IncomingEvent::Continued).is_ok()
}

/// Stops the job or the process, and returns when it is continued.
///
/// The call may return slightly before the stop takes effect on this thread, so it waits until the continuation was
/// seen, but at most about 200 ms in case the listener is gone.
///
/// # Errors
/// The signal cannot be sent.
pub(crate) fn scope(stop: SuspendScope) -> io::Result<()> {
    let before = CONTINUED.load(Ordering::SeqCst);
    STOPPING.store(true, Ordering::SeqCst);
    match stop {
        SuspendScope::Job => kill_current_process_group(Signal::STOP)?,
        SuspendScope::Process => kill_process(getpid(), Signal::STOP)?,
    }
    for _ in 0..200 {
        if CONTINUED.load(Ordering::SeqCst) != before {
            break;
        }
        thread::sleep(Duration::from_millis(1));
    }
    Ok(())
}
