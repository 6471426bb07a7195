//! The end of a command that continues until a signal arrives.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use color_eyre::eyre::Result;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

/// Whether a signal has requested the end.
#[derive(Clone)]
pub(super) struct StopSignal(Arc<AtomicBool>);

impl StopSignal {
    /// Creates a stop that is due as soon as SIGTERM, SIGINT or SIGHUP arrives.
    pub(super) fn on_signals() -> Result<Self> {
        let stopped = Arc::new(AtomicBool::new(false));
        for signal in [SIGTERM, SIGINT, SIGHUP] {
            signal_hook::flag::register(signal, stopped.clone())?;
        }
        Ok(Self(stopped))
    }

    pub(super) fn is_due(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Sleeps for `rest`, or until it is due; returns whether it is due.
    pub(super) fn wait_or_due(&self, rest: Duration) -> bool {
        let until = Instant::now() + rest;
        while Instant::now() < until && !self.is_due() {
            thread::sleep(Duration::from_millis(50));
        }
        self.is_due()
    }
}
