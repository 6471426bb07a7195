//! `qscope compare`: the differences between two folders, or between two cycles over one.

mod json;

use clap::Args;
use color_eyre::eyre::{Result, eyre};
use std::path::PathBuf;

use qscope_engine::cluster::Seconds;
use qscope_exits::Lines;
use qscope_explain::words;
use qscope_session::compare::Comparison;
use qscope_session::compare::changes::{self, ChangeLine};
use qscope_session::{Generation, WhatIfEffects};

use super::arguments::WhatIfOutputArgs;
use super::plain::{self, NoVerdictsSubject};
use super::table::paragraph;
use super::{open, output};
use json::CompareJson;

/// The arguments of `compare`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "Example: qscope compare /var/spool/qscope --set strict_ordering=True")]
pub(super) struct CompareArgs {
    /// The folder, archive or file to compare with, or - for standard input.
    pub before: PathBuf,
    /// The folder to compare, such as a later one of the same cluster; by default the same folder, with --set.
    pub after: Option<PathBuf>,
    /// What to change first in the folder to compare, and the output form.
    #[command(flatten)]
    pub changed: WhatIfOutputArgs,
}

/// Compares two folders; the exit code is 1 ("no") if they differ.
pub(super) fn run(args: &CompareArgs) -> Result<u8> {
    let WhatIfOutputArgs { set, form } = &args.changed;
    let before = open::generation(std::slice::from_ref(&args.before), &form.reading)?;
    let after = match &args.after {
        None if set.texts().is_empty() => {
            return Err(eyre!(
                "expected a second folder, or --set KEY=VALUE, --policy, --add-nodes or --at to compare the folder with itself"
            ));
        }
        after => {
            let after = after.as_ref().unwrap_or(&args.before);
            open::changed_generation(std::slice::from_ref(after), &form.reading, set)?
        }
    };
    if let Some(code) = plain::print_if_no_verdicts(&before, form.json, NoVerdictsSubject::Queue)? {
        return Ok(code);
    }
    if let Some(code) = plain::print_if_no_verdicts(&after, form.json, NoVerdictsSubject::Queue)? {
        return Ok(code);
    }
    let paths = args
        .after
        .as_ref()
        .filter(|after| **after != args.before)
        .map(|after| [&args.before, after].map(|path| path.display().to_string()));
    // Two moments of one recording, and folders of the same name, have equal titles.
    let names = paths.filter(|_| before.snapshot.title == after.snapshot.title);
    print(&before, &after, names, form.json)
}

/// Compares two cycles and prints the differences, by default under their titles; returns 1 if there are any.
pub(super) fn print(
    before: &Generation,
    after: &Generation,
    names: Option<[String; 2]>,
    as_json: bool,
) -> Result<u8> {
    let found = Comparison::explained(&before.run, &after.run);
    let effects = after.what_if.as_ref().map(|_| WhatIfEffects::of(&before.run, &after.run, &found));
    if as_json {
        let mut answer = CompareJson::of(&found);
        answer.unreadable_before = output::unreadable(&before.snapshot);
        answer.effects = effects.as_ref();
        output::print_json_about(output::AnswerContext::as_a_whole(after), answer)?;
    } else {
        let mut text = output::warnings(&before.snapshot);
        text.append(&effects.as_ref().map(effects_text).unwrap_or_default());
        let titles = || [before, after].map(|one| one.snapshot.title.to_string());
        text.append(&to_text(&found, after, &names.unwrap_or_else(titles)));
        output::print_about(output::AnswerContext::as_a_whole(after), &text)?;
    }
    Ok(u8::from(found.differs()))
}

/// Returns a line for each effect on jobs.
fn effects_text(effects: &WhatIfEffects) -> Lines {
    let kinds = effects.jobs_by_effect();
    if kinds.is_empty() {
        return Lines::from_iter(["no job starts, waits or moves otherwise", ""]);
    }
    let mut text = Lines::new();
    for (word, jobs) in &kinds {
        text.append(&paragraph(&format!("{word:<14}  {:>5}  ", jobs.len()), &jobs.join(" ")));
    }
    text.blank();
    text
}

/// Returns a line for each change, under headings.
fn to_text(comparison: &Comparison, after: &Generation, [old, new]: &[String; 2]) -> Lines {
    let apart = (comparison.to - comparison.from).0;
    let later = match apart {
        0 => "the same moment".to_owned(),
        _ => {
            let length = Seconds(apart.abs());
            format!("{} {}", words::span(length), if apart > 0 { "later" } else { "earlier" })
        }
    };
    let mut text = Lines::new();
    let what = format!("{old} -> {new}, {later}: {}", changes::summary(comparison));
    text.append(&paragraph("", &what));
    if let Some(doubt) = &comparison.doubt {
        text.line(format_args!("{doubt}"));
    }
    let lines = changes::lines(comparison, &after.snapshot);
    for group in lines.chunk_by(|a, b| a.group == b.group) {
        text.blank();
        text.extend(group.first().map(|line| line.group));
        let wide = group.iter().map(|line| line.name.len()).max().unwrap_or(0).min(24);
        for ChangeLine { name, text: what, .. } in group {
            text.line(format_args!("  {name:<wide$}  {what}"));
        }
    }
    text
}
