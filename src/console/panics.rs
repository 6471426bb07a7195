//! Panics, and what they may do to the screen.
//!
//! A panic of the interface ends the program: the terminal is restored first, then the report is printed. A panic of a
//! worker must not touch the terminal, which is still being drawn: it is recorded, reported to the app, and printed at
//! the end.

use std::cell::RefCell;
use std::io::{self, Write};
use std::panic::PanicHookInfo;
use std::sync::{Mutex, OnceLock, PoisonError};

use color_eyre::config::{HookBuilder, PanicHook};

use super::terminal;
use qscope_exits::Lines;

static RECORDED: Mutex<Vec<String>> = Mutex::new(Vec::new());

thread_local! {
    static LAST: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Installs the panic hook. Further calls do nothing.
///
/// The hook for errors is not installed: an error of the program is one line without a backtrace, and the hook would
/// resolve one for each error if `RUST_BACKTRACE` is set, which takes seconds in a build with debug information.
pub fn install() {
    static DONE: OnceLock<()> = OnceLock::new();
    DONE.get_or_init(|| {
        let Ok((panics, _errors)) = HookBuilder::blank().display_env_section(false).try_into_hooks() else {
            return;
        };
        std::panic::set_hook(Box::new(move |info| on_panic(&panics, info)));
    });
}

fn on_panic(hook: &PanicHook, info: &PanicHookInfo<'_>) {
    if terminal::is_owned_by_other_thread() {
        return record(info);
    }
    terminal::restore();
    // Standard error may be closed; there is no other place to report.
    drop(io::stderr().write_all(report(&hook.panic_report(info).to_string()).as_str().as_bytes()));
}

/// The lines of a report, with quoted control characters made visible.
fn report(text: &str) -> Lines {
    text.lines().collect()
}

fn record(info: &PanicHookInfo<'_>) {
    let message = message(info);
    let place = info.location().map_or_else(String::new, |at| format!(" ({}:{})", at.file(), at.line()));
    let text = format!("{message}{place}");
    LAST.set(Some(text.clone()));
    RECORDED.lock().unwrap_or_else(PoisonError::into_inner).push(text);
}

fn message<'a>(info: &'a PanicHookInfo<'_>) -> &'a str {
    let payload = info.payload();
    let text = payload.downcast_ref::<&str>().copied();
    text.or_else(|| payload.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message")
}

/// Takes the text of this thread's last recorded panic.
pub(crate) fn take_last() -> Option<String> {
    LAST.take()
}

/// Takes all panics recorded since the last call.
pub fn take_recorded() -> Vec<String> {
    std::mem::take(&mut RECORDED.lock().unwrap_or_else(PoisonError::into_inner))
}
