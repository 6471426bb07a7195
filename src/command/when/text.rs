//! The answer as text.

use qscope_engine::cluster::{Epoch, JobState, Seconds};
use qscope_exits::Lines;
use qscope_explain::estimate_section;
use qscope_explain::words::{self, span};
use qscope_simulate::start_distribution::back_test::{BackTest, PredictionCounts};
use qscope_simulate::start_distribution::calibration::calibrated_counts;
use qscope_simulate::start_distribution::{EstimatedShare, StartDistribution, StartedWithin};

use super::{StartSubject, WhenAnswer};
use crate::command::table::paragraph;

pub(super) fn answer(answer: &WhenAnswer) -> Lines {
    let mut text = Lines::new();
    match &answer.subject {
        StartSubject::BackTest => {}
        StartSubject::NotWaiting { job, state, since, end } => {
            let since = since
                .map(|at| format!(" since {}", words::since_text(&answer.input.start, at)))
                .unwrap_or_default();
            let word = if *state == JobState::Running { "runs" } else { "has ended" };
            let end = end.as_ref().map_or("", |end| &end.words);
            text.line(format_args!("{job} {word}{since}{end}"));
        }
        StartSubject::Waits { job, distribution, unstarted, .. } => {
            let is_unknown = unstarted.as_ref().is_some_and(|later| later.is_unknown);
            let label = if is_unknown { "  " } else { "by the cycle run forward: " };
            match is_unknown {
                true => text.line(format_args!("{job}: start not known")),
                false => text.append(&distribution_text(answer, job, distribution)),
            }
            let forecast = unstarted.as_ref().and_then(|later| later.forecast.as_ref());
            let section = forecast.map(|found| estimate_section(&answer.input.start, found));
            if let Some(line) = section.as_ref().and_then(|section| section.lines.first()) {
                text.append(&paragraph(label, &line.text));
            }
            if let Some(cause) = unstarted.as_ref().and_then(|later| later.cause.as_ref()) {
                text.append(&paragraph("cause now: ", &cause.sentence));
            }
        }
    }
    for note in answer.notes() {
        text.line(format_args!("note: {note}"));
    }
    if let Some(found) = &answer.back_test {
        text.append(&back_test(found));
    }
    text
}

fn distribution_text(answer: &WhenAnswer, job: &str, found: &StartDistribution) -> Lines {
    let mut text = Lines::new();
    if !answer.draws || answer.runs == 1 {
        let why =
            if answer.draws { format!("seed {}", answer.seed) } else { "since nothing is drawn".to_owned() };
        text.line(format_args!("{job}: start in one run, {why}"));
        text.line(format_args!("  start  {}", start_text(answer, found.p50)));
        text.append(&describe_basis(answer));
        return text;
    }
    let of = if found.runs < answer.runs as usize {
        format!("{} of {} runs, ended early", found.runs, answer.runs)
    } else {
        format!("{} runs", found.runs)
    };
    text.line(format_args!("{job}: start over {of}, seed {}", answer.seed));
    for (name, start) in [("p10", found.p10), ("p50", found.p50), ("p90", found.p90)] {
        text.line(format_args!("  {name}  {}", start_text(answer, start)));
    }
    if let Some((interval, from)) = answer.calibrated_interval() {
        text.line(format_args!("  p10 to p90 moved by what became of {from} past statements:"));
        text.line(format_args!(
            "       {} to {}",
            start_text(answer, interval.low),
            start_text(answer, interval.high)
        ));
    }
    for StartedWithin { seconds, share } in &found.within {
        text.line(format_args!("  within {:<7} {}", span(Seconds(*seconds)), percent(*share)));
    }
    if found.started < found.runs {
        text.line(format_args!("  not started in {} runs", found.runs - found.started));
    }
    text.append(&describe_basis(answer));
    text
}

fn start_text(answer: &WhenAnswer, at: Option<Epoch>) -> String {
    at.map_or_else(|| "not within the simulated time".to_owned(), |at| words::moment(&answer.input.start, at))
}

/// Describes what the runs were drawn from.
fn describe_basis(answer: &WhenAnswer) -> Lines {
    let mut text = Lines::new();
    text.line(match answer.drawn_from {
        0 => "no finished job to draw from (--arrivals names logs): a job runs for its walltime, and without one does \
              not end"
            .to_owned(),
        jobs => format!("run times drawn from {jobs} finished jobs"),
    });
    text.line(match answer.days {
        None => {
            "for these arrivals: jobs that are not submitted yet are not in it (--resample-days draws them)"
                .to_owned()
        }
        Some((days, ahead)) => format!("arrivals of {ahead} days ahead drawn from {days} days of the past"),
    });
    text
}

fn back_test(back_test: &BackTest) -> Lines {
    let mut text = Lines::new();
    let cut = if back_test.is_cut { ", ended early" } else { "" };
    text.line(format_args!(
        "back-test: the past simulated, {} waiting jobs asked about at {} moments of it{cut}",
        back_test.all.all, back_test.moments,
    ));
    if back_test.all.all == 0 {
        text.line("  no waiting job of the past to compare with");
        return text;
    }
    text.line(format_args!(
        "  {:<16}{:>6}  {:<28}{:>8}{:>8}",
        "queue", "jobs", "inside p10 to p90", "earlier", "later"
    ));
    for (queue, held) in &back_test.queues {
        text.line(row(queue, *held));
    }
    text.line(row("all", back_test.all));
    let moved = calibrated_counts(&back_test.statements);
    if !moved.is_empty() {
        text.line("moved by what was known before each (at least 20 statements):");
        let mut all = PredictionCounts::default();
        for (queue, held) in &moved {
            text.line(row(queue, *held));
            all = all + *held;
        }
        text.line(row("all", all));
    }
    text
}

fn row(name: &str, counts: PredictionCounts) -> String {
    let inside = percent(EstimatedShare::of(counts.inside, counts.all));
    format!("  {name:<16}{:>6}  {inside:<28}{:>8}{:>8}", counts.all, counts.earlier, counts.later())
}

fn percent(EstimatedShare { share, low, high }: EstimatedShare) -> String {
    format!("{:.0} % (95 %: {:.0} to {:.0} %)", share * 100.0, low * 100.0, high * 100.0)
}
