//! Runs work that may panic: the session continues, with the panic as a message.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs a piece of work; a panic becomes a message.
pub(super) fn guard<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    // The work's data is discarded after a panic, and never used in a partly changed state.
    catch_unwind(AssertUnwindSafe(work)).map_err(|payload| {
        format!("an error within qscope: {}; please report it with these files", words(&*payload))
    })
}

fn words(payload: &(dyn Any + Send)) -> &str {
    let text = payload.downcast_ref::<&str>().copied();
    text.or_else(|| payload.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message")
}
