//! `qscope quirks`: what the real scheduler's bugs and departures do to this cycle, and what would have been.

use color_eyre::eyre::Result;
use serde_json::{Value, json};

use qscope_exits::Lines;
use qscope_session::Generation;
use qscope_session::compare::Stand;
use qscope_session::quirk_effects::{QuirkEffect, quirk_effects};

use super::cli::FolderArgs;
use super::compare::job_json;
use super::{open, output};

/// Runs the cycle once for every quirk; the answer is no (1) when one of them changes what becomes of a job.
///
/// # Errors
/// Bad input, or an output that cannot be written.
pub(super) fn run(args: &FolderArgs) -> Result<u8> {
    let generation = open::generation(args)?;
    let effects = quirk_effects(&generation.run);
    if args.json {
        let all: Vec<Value> = effects.iter().map(|effect| to_json(&generation, effect)).collect();
        output::print_json_about(
            &generation,
            json!({"semantics": args.reading.semantics.name(), "quirks": all}),
        )?;
    } else {
        output::print_about(&generation, &to_text(&generation, &effects))?;
    }
    Ok(u8::from(effects.iter().any(|effect| !effect.otherwise.is_empty())))
}

fn to_json(generation: &Generation, effect: &QuirkEffect) -> Value {
    let name = |job| &*generation.snapshot.jobs[job].name;
    let seen = effect.witnesses.iter().map(|seen| json!({"job": name(seen.job), "what": seen.what}));
    let otherwise = effect.otherwise.iter().map(|change| {
        let mut change_json = job_json(change);
        if let Some(fields) = change_json.as_object_mut() {
            fields.insert("change".to_owned(), json!(change.kind.word()));
        }
        change_json
    });
    json!({
        "quirk": effect.quirk.name(),
        "on": effect.on,
        "about": effect.quirk.sentence(),
        "witnesses": seen.collect::<Vec<_>>(),
        "otherwise": otherwise.collect::<Vec<_>>(),
    })
}

fn to_text(generation: &Generation, effects: &[QuirkEffect]) -> Lines {
    let mut text = Lines::new();
    let (matter, rest): (Vec<_>, Vec<_>) = effects.iter().partition(|effect| !effect.otherwise.is_empty());
    for effect in matter {
        let (name, about) = (effect.quirk.name(), effect.quirk.sentence());
        let (is, other) = if effect.on { ("on", "without it") } else { ("off", "with it") };
        let count = effect.otherwise.len();
        let jobs = if count == 1 { "job" } else { "jobs" };
        text.line(format_args!("{name} ({is}): {about}"));
        text.line(format_args!("  {other} {count} {jobs} would have been told otherwise"));
        for seen in &effect.witnesses {
            text.line(format_args!("  seen: {}: {}", generation.snapshot.jobs[seen.job].name, seen.what));
        }
        for change in &effect.otherwise {
            let stand = |stand: &Option<Stand>| stand.as_ref().map(in_words).unwrap_or_default();
            text.line(format_args!("  {}: {}", change.job, stand(&change.before)));
            text.line(format_args!("    {other}: {}", stand(&change.after)));
        }
        text.blank();
    }
    let names: Vec<&str> = rest.iter().map(|effect| effect.quirk.name()).collect();
    text.line(format_args!("no difference to this cycle: {}", names.join(", ")));
    text
}

/// What became of a job, and where or why.
fn in_words(stand: &Stand) -> String {
    let path = stand.path.map(|path| format!(" by the {} path", path.word())).unwrap_or_default();
    match (&stand.on, &stand.reason) {
        (Some(on), _) => format!("starts{path} on {on}"),
        (None, Some(reason)) => format!("waits{path}: {reason}"),
        (None, None) => format!("waits{path}"),
    }
}
