//! `qscope elim --loop`: publishes the line of a node repeatedly, as LSF's load manager starts such programs (sites
//! 5.6).

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use color_eyre::eyre::Result;

use qscope_exits::Lines;
use qscope_planning::farm::elim::PREFIX;
use qscope_planning::farm::esub::attribute;
use qscope_planning::farm::policy_file::SHORTEST;

use super::{ElimArgs, ElimClasses, line_of};
use crate::command::stop::StopSignal;
use crate::command::{open, output};

/// Interval between checks whether the parent still exists.
const LOOK: Duration = Duration::from_millis(200);

/// Publishes the line of one node until its parent ends, its output is closed or a signal ends it. While the folder
/// cannot be read it prints nothing: the last values stay valid.
///
/// # Errors
/// If the policy file or the class cannot be read, or signals cannot be received.
pub(super) fn run(args: &ElimArgs, known: &ElimClasses) -> Result<u8> {
    let stop = StopSignal::on_signals()?;
    let parent = rustix::process::getppid();
    let every =
        Duration::from_secs_f64(args.every.or(known.interval).unwrap_or(SHORTEST).clamp(0.2, 86_400.0));
    let expected = expected();
    // A class that has been published once is always published: the load manager would keep the last value of a name
    // left out.
    let mut names: BTreeSet<String> = known.classes.iter().map(|class| attribute(class)).collect();
    names.extend(expected.iter().flatten().cloned());
    loop {
        let next = Instant::now() + every;
        match open::snapshot(&args.at.paths, &args.at.form.reading) {
            Ok(snapshot) if snapshot.node_named(&args.node).is_none() => {
                if let Some(code) = abort_value() {
                    return Ok(code);
                }
                output::print_note(format_args!("no node `{}` in {}", args.node, snapshot.title));
            }
            Ok(snapshot) => {
                let mut line = line_of(&snapshot, &args.node, &known.criterion);
                names.extend(line.values.keys().cloned());
                for name in &names {
                    line.values.entry(name.clone()).or_insert_with(|| "0".to_owned());
                }
                if let Some(expected) = &expected {
                    line.values.retain(|name, _| expected.contains(name));
                }
                if !line.values.is_empty() && !output::try_write(&Lines::from_iter([line.write()])) {
                    return Ok(0);
                }
            }
            Err(why) => output::print_note(format_args!("{why:#}")),
        }
        while Instant::now() < next {
            if stop.is_due() || rustix::process::getppid() != parent {
                return Ok(0);
            }
            std::thread::sleep(LOOK.min(next.saturating_duration_since(Instant::now())));
        }
    }
}

/// Returns the names that the load manager expects on this host, if any of ours are among them.
fn expected() -> Option<BTreeSet<String>> {
    let names = std::env::var("LSF_RESOURCES").ok()?;
    let ours: BTreeSet<String> =
        names.split_whitespace().filter(|name| name.starts_with(PREFIX)).map(str::to_owned).collect();
    (!ours.is_empty()).then_some(ours)
}

/// Returns the exit code that means "not for this host".
fn abort_value() -> Option<u8> {
    std::env::var("ELIM_ABORT_VALUE").ok()?.trim().parse().ok()
}
