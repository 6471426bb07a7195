//! `qscope why JOB`: why a job waits, or where it starts.

use color_eyre::eyre::Result;
use serde_json::{Value, json};

use crate::cluster::JobId;
use crate::explain::{ChunkOffer, Why, why};
use crate::session::Generation;

use super::cli::WhyArgs;
use super::{open, output};

/// Explains one job; the answer is no (1) while it waits.
///
/// # Errors
/// Bad input, no such job, or an output that cannot be written.
pub(super) fn run(args: &WhyArgs) -> Result<u8> {
    let generation = open::generation(&args.at)?;
    let job = open::job(&generation, &args.job)?;
    let answer = why(&generation.run, job);
    if args.at.json {
        output::print_json(&why_json(&generation, job, &answer))?;
    } else {
        output::print(&crate::console::widgets::text::clean_lines(&why_text(&answer)))?;
    }
    Ok(u8::from(answer.tier.is_some()))
}

fn why_json(generation: &Generation, job: JobId, why: &Why) -> Value {
    let outcome = why.outcome.as_ref();
    let choice = outcome.and_then(|outcome| outcome.would_use);
    let stages: Vec<Value> = why
        .stages
        .iter()
        .map(|stage| json!({"stage": stage.stage, "passed": stage.passed, "text": stage.text}))
        .collect();
    json!({
        "job": &*generation.snapshot.jobs[job].name,
        "verdict": outcome.map(|outcome| outcome.verdict.word()),
        "tier": why.tier.map(crate::explain::Tier::word),
        "objects": why.objects,
        "headline": why.headline,
        "also": [],
        "path": outcome.and_then(|outcome| outcome.path).map(crate::placement::Path::word),
        "would_use": choice.map(|choice| choice.path.word()),
        "path_rule": choice.map(|choice| choice.rule.name()),
        "turned_away_by": outcome.and_then(|outcome| outcome.turned_away_by).map(crate::cycle::Stage::word),
        "stages": stages,
        "chunks": why.chunks.iter().map(chunk_json).collect::<Vec<_>>(),
        "scheduler_said": why.scheduler_said,
        "blame": [],
        "estimate": null,
        "remedies": [],
    })
}

fn chunk_json(offer: &ChunkOffer) -> Value {
    json!({
        "chunk": offer.chunk, "wanted": offer.wanted, "bucket": offer.bucket, "fits": offer.fits,
        "total": offer.total, "free": offer.free, "busy_later": offer.later, "busy": offer.busy,
        "mismatch": offer.mismatch,
    })
}

fn why_text(why: &Why) -> String {
    let mut text = format!("{}\n\n", why.headline);
    for stage in &why.stages {
        let mark = match stage.passed {
            Some(true) => "ok  ",
            Some(false) => "FAIL",
            None => "    ",
        };
        text.push_str(&format!("  {mark} {:<12} {}\n", stage.stage, stage.text));
    }
    if !why.chunks.is_empty() {
        text.push_str("\n  fits total  free later  busy  bucket, for each chunk\n");
        let mut chunk = "";
        for offer in &why.chunks {
            if chunk != offer.chunk {
                chunk = &offer.chunk;
                text.push_str(&format!("  {chunk}\n"));
            }
            let line = match &offer.mismatch {
                Some(mismatch) => format!("  {:>4} {:>26} {}: {mismatch}\n", "-", "", offer.bucket),
                None => format!(
                    "  {:>4} {:>5} {:>5} {:>5} {:>5}  {}\n",
                    offer.fits, offer.total, offer.free, offer.later, offer.busy, offer.bucket
                ),
            };
            text.push_str(&line);
        }
    }
    if let Some(said) = &why.scheduler_said {
        text.push_str(&format!("\n  scheduler: {said}\n"));
    }
    text
}
