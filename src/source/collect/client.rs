//! Runs one client under a time limit and a size limit.

use super::filter::{Dump, Filtered, filter};
use super::plan::{Client, CollectOptions};
use super::whole::{whole_json, whole_text};
use qscope_system::program::{self, ProgramError, ProgramLimits};

/// Runs a client and returns its filtered output, ready to replace its file. Until then everything is in memory, so
/// that nothing that must be left out reaches the disk.
///
/// # Errors
/// The reason why the last good file stays.
pub(super) fn run(
    client: &Client,
    options: &CollectOptions,
    stop: &dyn Fn() -> bool,
) -> Result<Filtered, String> {
    let path = options.program(client.program)?;
    let limits = ProgramLimits { time: options.limit, output: options.most };
    let ended = program::run(&path, client.arguments, Vec::new(), limits, stop);
    let ended = ended.map_err(|why| match why {
        ProgramError::Start(why) => format!("{}: {why}", path.display()),
        why => format!("{} {why}", client.program),
    })?;
    if !ended.status.success() {
        let complaint = String::from_utf8_lossy(&ended.complaint);
        let reported = complaint.lines().next().map(str::trim).unwrap_or_default().escape_debug().to_string();
        let reported = if reported.is_empty() { String::new() } else { format!(": {reported}") };
        return Err(format!("{} ended with {}{reported}", client.program, ended.status));
    }
    match client.dump {
        Dump::Json(_) => whole_json(&ended.output),
        Dump::Text(_) | Dump::Shares => whole_text(&ended.output),
    }
    .and_then(|()| filter(client.dump, &ended.output, &options.keep))
    .map_err(|why| format!("{} {why}", client.program))
}
