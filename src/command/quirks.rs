//! `qscope quirks`: what the real scheduler's bugs and departures do to this cycle, and its outcome without them.

use color_eyre::eyre::Result;
use serde::Serialize;

use qscope_engine::cluster::count;
use qscope_engine::cycle::{QuirkOccurrence, Verdict};
use qscope_exits::Lines;
use qscope_session::Generation;
use qscope_session::compare::{JobChange, JobSituation};
use qscope_session::quirk_effects::{QuirkEffect, quirk_effects};

use super::arguments::FolderArgs;
use super::plain::{self, NoVerdictsSubject};
use super::table::paragraph;
use super::{open, output};

/// Runs the cycle once for every quirk; the exit code is 1 ("no") if one of them changes the outcome of a job.
pub(super) fn run(args: &FolderArgs) -> Result<u8> {
    let generation = open::generation(&args.paths, &args.form.reading)?;
    if let Some(code) = plain::print_if_no_verdicts(&generation, args.form.json, NoVerdictsSubject::Queue)? {
        return Ok(code);
    }
    let effects = quirk_effects(&generation.run);
    let json = || {
        let quirks = effects.iter().map(|effect| QuirkJson::of(&generation, effect)).collect();
        QuirksJson { semantics: args.form.reading.semantics.name(), quirks }
    };
    output::answer(&generation, args.form.json, json, || to_text(&generation, &effects))?;
    Ok(u8::from(effects.iter().any(|effect| !effect.changes.is_empty())))
}

/// What each quirk does to this cycle.
#[derive(Serialize)]
struct QuirksJson<'a> {
    /// The scheduler behaviour that is modelled: observed, fixed or design.
    semantics: &'static str,
    quirks: Vec<QuirkJson<'a>>,
}

/// One quirk: its observed effects, and what would be different.
#[derive(Serialize)]
struct QuirkJson<'a> {
    quirk: &'static str,
    /// Whether the cycle follows it.
    on: bool,
    /// What it is, in a sentence.
    about: &'static str,
    witnesses: Vec<AffectedJobJson<'a>>,
    /// The jobs that change if the quirk is switched the other way.
    otherwise: Vec<ChangeJson<'a>>,
}

/// A job in which a quirk was seen.
#[derive(Serialize)]
struct AffectedJobJson<'a> {
    job: &'a str,
    what: &'a str,
}

/// A job that changes, and how.
#[derive(Serialize)]
struct ChangeJson<'a> {
    #[serde(flatten)]
    job: &'a JobChange,
    change: &'static str,
}

impl<'a> QuirkJson<'a> {
    fn of(generation: &'a Generation, effect: &'a QuirkEffect) -> Self {
        let witness = |seen: &'a QuirkOccurrence| AffectedJobJson {
            job: &generation.snapshot.jobs[seen.job].name,
            what: &seen.what,
        };
        let change = |job: &'a JobChange| ChangeJson { job, change: job.kind.word() };
        Self {
            quirk: effect.quirk.name(),
            on: effect.is_followed,
            about: effect.quirk.sentence(),
            witnesses: effect.witnesses.iter().map(witness).collect(),
            otherwise: effect.changes.iter().map(change).collect(),
        }
    }
}

fn to_text(generation: &Generation, effects: &[QuirkEffect]) -> Lines {
    let mut text = Lines::new();
    let (matter, rest): (Vec<_>, Vec<_>) = effects.iter().partition(|effect| !effect.changes.is_empty());
    for effect in matter {
        let (name, about) = (effect.quirk.name(), effect.quirk.sentence());
        let (is, other) = if effect.is_followed { ("on", "without it") } else { ("off", "with it") };
        let jobs = count(effect.changes.len(), "job");
        text.line(format_args!("{name} ({is}): {about}"));
        text.line(format_args!("  {other} {jobs} would get another result"));
        for seen in &effect.witnesses {
            text.line(format_args!("  seen: {}: {}", generation.snapshot.jobs[seen.job].name, seen.what));
        }
        for change in &effect.changes {
            let stand = |stand: &Option<JobSituation>| stand.as_ref().map(outcome_text).unwrap_or_default();
            text.line(format_args!("  {}: {}", change.job, stand(&change.before)));
            text.line(format_args!("    {other}: {}", stand(&change.after)));
        }
        text.blank();
    }
    let names: Vec<&str> = rest.iter().map(|effect| effect.quirk.name()).collect();
    text.append(&paragraph("", &format!("no difference to this cycle: {}", names.join(", "))));
    text
}

/// Describes the outcome of a job: where it starts, or why it waits.
fn outcome_text(situation: &JobSituation) -> String {
    let path = situation.path.map(|path| format!(" by the {} path", path.word())).unwrap_or_default();
    let waits = if situation.verdict == Some(Verdict::Never) { "can never run" } else { "waits" };
    match (&situation.nodes, &situation.reason) {
        (Some(on), _) => format!("starts{path} on {on}"),
        (None, Some(reason)) => format!("{waits}{path}: {reason}"),
        (None, None) => format!("{waits}{path}"),
    }
}
