//! Progress of long operations, on standard error if it is a terminal; Ctrl-C ends them with the results so far.

use std::io::{IsTerminal, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::Instant;

use color_eyre::eyre::Result;
use qscope_engine::cluster::Seconds;
use signal_hook::consts::{SIGINT, SIGTERM};

/// Minimum interval between two drawings, in milliseconds.
const BREATH: u64 = 250;

/// A line on standard error that is overwritten and finally erased; nothing is drawn if that is not a terminal.
#[derive(Debug)]
pub(super) struct StatusLine {
    on: bool,
    is_drawn: AtomicBool,
}

impl StatusLine {
    pub(super) fn new() -> Self {
        Self { on: std::io::stderr().is_terminal(), is_drawn: AtomicBool::new(false) }
    }

    /// Draws a text over the previous one.
    pub(super) fn draw(&self, text: &str) {
        if !self.on {
            return;
        }
        self.is_drawn.store(true, Ordering::Relaxed);
        let mut err = std::io::stderr().lock();
        // A progress line that cannot be drawn is not reported.
        let _drawn = write!(err, "\r{text:76}").and_then(|()| err.flush());
    }

    /// Erases the text.
    pub(super) fn clear(&self) {
        if self.is_drawn.load(Ordering::Relaxed) {
            let _drawn = write!(std::io::stderr().lock(), "\r{:76}\r", "");
        }
    }
}

/// Shows how much is done, how fast, and the remaining time. It can be used from several threads.
#[derive(Debug)]
pub(super) struct Meter {
    line: StatusLine,
    started_at: Instant,
    drawn: AtomicU64,
    stopped: Arc<AtomicBool>,
    /// The last signal that requested the end; 0 for none.
    signal: Arc<AtomicUsize>,
}

impl Meter {
    /// Starts a meter now. The first Ctrl-C requests the results so far; a second one ends the program.
    pub(super) fn new() -> Result<Self> {
        let (stopped, ended_by) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
        for (signal, number) in [(SIGINT, 2), (SIGTERM, 15)] {
            signal_hook::flag::register_conditional_shutdown(signal, 128 + signal, stopped.clone())?;
            signal_hook::flag::register_usize(signal, ended_by.clone(), number)?;
            signal_hook::flag::register(signal, stopped.clone())?;
        }
        let (line, started_at) = (StatusLine::new(), Instant::now());
        Ok(Self { line, started_at, drawn: AtomicU64::new(0), stopped, signal: ended_by })
    }

    /// Returns whether the end has not been requested.
    pub(super) fn should_continue(&self) -> bool {
        !self.stopped.load(Ordering::Relaxed)
    }

    /// Returns the exit code of a program that ended early: 128 and the number of the signal that requested it.
    pub(super) fn exit_code(&self) -> u8 {
        let signal = self.signal.load(Ordering::Relaxed);
        128 + u8::try_from(signal).unwrap_or_default()
    }

    /// Draws the progress, at most four times a second: a part from 0 to 1, and the number of units done.
    pub(super) fn show(&self, part: f64, done: u64, unit: &'static str) {
        if !self.line.on {
            return;
        }
        let elapsed = self.started_at.elapsed();
        let now = u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX);
        let last = self.drawn.load(Ordering::Relaxed);
        let is_due = now >= last.saturating_add(BREATH);
        if !is_due || self.drawn.compare_exchange(last, now, Ordering::Relaxed, Ordering::Relaxed).is_err() {
            return;
        }
        let seconds = elapsed.as_secs_f64().max(1e-3);
        let part = part.clamp(0.0, 1.0);
        let left = if part > 0.0 {
            Seconds((seconds * (1.0 - part) / part) as i64).to_string()
        } else {
            "?".to_owned()
        };
        let rate = done as f64 / seconds;
        self.line.draw(&format!(
            "{:3.0} %  {done} {unit}, {rate:.0} a second, ends in {left}, Ctrl-C for what there is",
            part * 100.0
        ));
    }

    /// Erases the line.
    pub(super) fn clear(&self) {
        self.line.clear();
    }
}
