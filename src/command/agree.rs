//! `qscope agree`: compares the model with the live scheduler.

mod json;

use clap::Args;
use std::path::PathBuf;

use color_eyre::eyre::Result;

use qscope_exits::Lines;
use qscope_session::Generation;
use qscope_session::agreement::{
    Agreement, AgreementClass, AgreementTally, ComparedFact, LogAgreement, OrderDivergence, PlacementMatch,
    Prediction, PredictionScore,
};

use super::arguments::OutputArgs;
use super::plain::{self, NoVerdictsSubject};
use super::{open, output};
use json::AgreeJson;

/// The arguments of `agree`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "Example: qscope agree /var/spool/qscope")]
pub(super) struct AgreeArgs {
    /// A folder, an archive, a file, or - for standard input; by default the built-in sample.
    pub folder: Option<PathBuf>,
    /// A later folder of the same cluster, to compare the prediction with.
    pub after: Option<PathBuf>,
    /// The output form, and how to read the input.
    #[command(flatten)]
    pub form: OutputArgs,
}

/// Compares and prints; the exit code is 1 ("no") if anything on record differs from the model.
pub(super) fn run(args: &AgreeArgs) -> Result<u8> {
    let form = &args.form;
    let generation = open::generation(args.folder.as_slice(), &form.reading)?;
    if let Some(code) = plain::print_if_no_verdicts(&generation, form.json, NoVerdictsSubject::Queue)? {
        return Ok(code);
    }
    let mut warnings = Lines::new();
    let mut agreement = Agreement::new(&generation.run, &generation.sched_log, usize::MAX);
    if let Some(after) = &args.after {
        let after = open::generation(std::slice::from_ref(after), &form.reading)?;
        warnings = output::warnings(&after.snapshot);
        if let Some(code) = plain::print_if_no_verdicts(&after, form.json, NoVerdictsSubject::Queue)? {
            return Ok(code);
        }
        let prediction = Prediction::new(&generation.run, &after.snapshot);
        agreement.total_score = prediction.score;
        agreement.prediction = Some(prediction);
    }
    output::answer(
        &generation,
        form.json,
        || AgreeJson::of(&generation, &agreement),
        || {
            warnings.append(&text(&generation, &agreement));
            warnings
        },
    )?;
    Ok(u8::from(agreement.differs()))
}

fn text(generation: &Generation, agreement: &Agreement) -> Lines {
    let mut text = Lines::new();
    text.line(format_args!("{}: {}", generation.snapshot.title, agreement.summary()));
    text.blank();
    text.line(format_args!("  comments    {}", tally_words(agreement.recorded(), "jobs")));
    for job in agreement.jobs(&generation.run).iter().filter(|job| job.class() > AgreementClass::Equal) {
        for (what, part) in
            [("comment", &job.comment), ("verdict", &job.verdict), ("estimate", &job.estimate)]
        {
            push_difference(&mut text, &job.name, what, part);
        }
        if let Some(fact) = job.not_seen {
            text.line(format_args!("      not seen  {}: add {}", fact.words(), fact.source()));
        }
    }
    match &agreement.log {
        Err(why) => {
            text.blank();
            text.line(format_args!("  sched_log   no evidence: {why}"));
        }
        Ok(log) => push_log(&mut text, generation, log),
    }
    match &agreement.prediction {
        None => {
            text.blank();
            text.line("  prediction  no evidence: give a later folder to compare with");
        }
        Some(prediction) => push_prediction(&mut text, prediction),
    }
    text
}

/// Returns the counts of a class in words; without any evidence, no counts.
fn tally_words(tally: AgreementTally, what: &str) -> String {
    if tally.evidence() == 0 && tally.not_seen == 0 {
        return format!("no evidence on {} {what}", tally.no_evidence);
    }
    let silent = match tally.no_evidence {
        0 => String::new(),
        more => format!("; no evidence on {more} more"),
    };
    let unseen = match tally.not_seen {
        0 => String::new(),
        more => format!("; {more} more by settings that were not seen"),
    };
    format!(
        "of {} {what}: {} equal, {} same reason with other numbers, {} different{unseen}{silent}",
        tally.evidence(),
        tally.equal,
        tally.other_numbers,
        tally.different
    )
}

fn push_difference(text: &mut Lines, name: &str, what: &str, part: &ComparedFact) {
    if part.class > AgreementClass::Equal {
        let show = |side: &Option<String>| side.clone().unwrap_or_else(|| "nothing".to_owned());
        text.line(format_args!("    {name} {what}, {}", part.class.words()));
        text.line(format_args!("      modelled  {}", show(&part.modelled)));
        text.line(format_args!("      recorded  {}", show(&part.recorded)));
    }
}

fn push_log(text: &mut Lines, generation: &Generation, log: &LogAgreement) {
    text.blank();
    text.line(format_args!("  sched_log   {}", tally_words(log.tally(), "turns")));
    if let Some(started) = log.started {
        let after = started - generation.snapshot.now;
        let side = if after.0 < 0 { "before" } else { "after" };
        text.line(format_args!(
            "    the cycle compared began {} s {side} the dump",
            after.0.saturating_abs()
        ));
    }
    if !log.detailed {
        text.line("    no lines on chunks and nodes: log_events lacks 1024");
    }
    let order = &log.order;
    match &order.parting {
        None => {
            text.line(format_args!(
                "    order: the same for {} that both considered",
                qscope_explain::words::count(order.common, "job")
            ));
        }
        Some(OrderDivergence { modelled, recorded }) => text.line(format_args!(
            "    order: the first {} of {} are the same, then {modelled} modelled, {recorded} logged",
            order.same,
            qscope_explain::words::count(order.common, "job")
        )),
    }
    for turn in log.turn_agreements.iter().filter(|turn| turn.class() > AgreementClass::Equal) {
        let parts = [
            ("path", &turn.path),
            ("verdict", &turn.verdict),
            ("reason", &turn.reason),
            ("lines", &turn.lines),
        ];
        for (what, part) in parts {
            push_difference(text, &turn.job, what, part);
        }
    }
}

fn push_prediction(text: &mut Lines, prediction: &Prediction) {
    let score = prediction.score;
    text.blank();
    text.line(format_args!("  prediction  {}", score_words(score)));
    for start in prediction.starts.iter().filter(|start| !matches!(start.nodes, PlacementMatch::Same)) {
        let planned = start.predicted.as_deref().unwrap_or("it was to wait");
        text.line(format_args!("    {} started on {}", start.job, start.on));
        text.line(format_args!("      predicted {planned}"));
    }
    for name in &prediction.missed {
        text.line(format_args!("    {name} was to start and still waits"));
    }
}

/// Describes how good a prediction was, compared with predicting no start at all.
fn score_words(score: PredictionScore) -> String {
    if score.decided() == 0 {
        return "no evidence: no job that waited is in the later dump".to_owned();
    }
    if score.starts == 0 {
        return format!("no evidence: nothing started; {} were to start and still wait", score.missed);
    }
    format!(
        "{} of {} predicted, {} on the same nodes; right on {} of {} (no prediction at all: right on {})",
        score.predicted,
        qscope_explain::words::count(score.starts, "start"),
        score.same_nodes,
        score.right(),
        qscope_explain::words::count(score.decided(), "job"),
        score.baseline_correct()
    )
}
