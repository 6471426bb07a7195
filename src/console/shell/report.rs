//! The cycle as Markdown, for a ticket: problems, jobs that start, jobs that wait and why.

use crate::screen::Screen;
use crate::views::reason_values::reason_words;
use crate::wording;
use qscope_engine::cluster::short_id;
use qscope_engine::cycle::Verdict;
use qscope_exits::{ClipboardText, markdown};
use qscope_session::problems::{ProblemPart, problems};

/// Maximum number of jobs listed.
const MAX_JOBS: usize = 100;

/// The lines of the report.
pub(super) fn markdown_lines(screen: &Screen) -> Vec<String> {
    let (generation, run) = (&screen.generation, screen.run());
    let snap = &generation.snapshot;
    let server = Some(&snap.server.name).filter(|name| !name.is_empty()).unwrap_or(&snap.title);
    let mut lines = vec![
        format!("## {}: the cycle at {}", markdown(server), wording::clock(snap, snap.now)),
        String::new(),
    ];
    let wrong = problems(generation).into_iter().filter(|problem| problem.part == ProblemPart::Cluster);
    lines.extend(wrong.map(|problem| {
        let named = problem.sentence.strip_prefix(&*problem.kind).and_then(|rest| rest.strip_prefix(": "));
        format!("- **{}** {}", problem.kind, markdown(named.unwrap_or(&problem.sentence)))
    }));
    lines.extend([
        String::new(),
        "| # | job | user | verdict | why, or where |".to_owned(),
        "|---|---|---|---|---|".to_owned(),
    ]);
    for (at, step) in run.steps.iter().take(MAX_JOBS).enumerate() {
        let outcome = &step.outcome;
        let is_rest = outcome.subjob.is_none() && outcome.placed.is_none();
        let name = if is_rest { wording::waiting_name(run, outcome.job) } else { outcome.name(snap) };
        let verdict = run.verdict(outcome);
        let why = match screen.reason(outcome).filter(|_| verdict != Verdict::Run) {
            Some(reason) => reason_words(&reason, verdict, true),
            None => wording::reason(run, outcome),
        };
        let user = &run.plan.job(outcome.job).user;
        let word = wording::verdict(verdict);
        let cells = [&*(at + 1).to_string(), short_id(&name), user, word, &why]
            .map(|cell| markdown(cell).to_string());
        lines.push(format!("| {} |", cells.join(" | ")));
    }
    if run.steps.len() > MAX_JOBS {
        lines.extend([
            String::new(),
            format!("and {} more", wording::count(run.steps.len() - MAX_JOBS, "job")),
        ]);
    }
    lines
}

/// The report for the clipboard.
pub(super) fn markdown_of(screen: &Screen) -> ClipboardText {
    markdown_lines(screen).into_iter().collect()
}
