//! How far the model agrees with the records of server and scheduler, which quirks affect this cycle, and what was
//! assumed.
//!
//! ```text
//! starts      ██████████████████████████████  13 of 13 predicted, 13 on the same nodes
//! comments    ······························  no evidence: no job has a comment
//! ```

use std::collections::{BTreeMap, BTreeSet};

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::layout::indented_inner_area;
use crate::story::{Paragraph, Story, TextPiece};
use crate::theme::{Role, Theme};
use crate::views::ViewContext;
use crate::widgets::bar::bar;
use crate::widgets::frame;
use crate::wording;
use qscope_engine::cluster::JobId;
use qscope_session::agreement::{Agreement, AgreementTally, ComparedFact, JobAgreement};

/// Maximum columns of a bar, and columns of the name before it.
const BAR: usize = 30;
const NAME: usize = 11;

/// The content of the pane.
#[derive(Debug, Default)]
pub(super) struct Evidence {
    summary: String,
    sources: Vec<EvidenceSource>,
    quirks: Vec<String>,
    assumed: Vec<String>,
}

/// One kind of record: how many of them agree, or why there are none.
#[derive(Debug)]
struct EvidenceSource {
    name: &'static str,
    equal: usize,
    of: usize,
    words: String,
}

impl Evidence {
    pub(super) fn of(cx: ViewContext<'_>) -> Self {
        let found = cx.generation().agreement.as_ref();
        Self {
            summary: found.map_or_else(|| "not compared".to_owned(), |found| found.summary()),
            sources: found.map(|found| sources(found, found.jobs(cx.run()))).unwrap_or_default(),
            quirks: quirks(cx),
            assumed: assumed(cx),
        }
    }

    pub(super) fn render(&self, area: Rect, buf: &mut Buffer, theme: &Theme) {
        frame::pane(area, buf, theme, "Model against the server", &self.summary, false);
        let inner = indented_inner_area(area);
        let columns = usize::from(inner.width).saturating_sub(NAME + 2).min(2 * BAR) / 2;
        let mut lines: Vec<Paragraph> =
            self.sources.iter().map(|source| source.line(columns, theme)).collect();
        for (heading, texts) in [("Quirks that change this cycle", &self.quirks), ("Assumed", &self.assumed)]
        {
            lines.push(Paragraph::Blank);
            lines.push(Paragraph::words(0, [TextPiece::of(Role::Heading, heading)]));
            lines.extend(texts.iter().map(|text| Paragraph::words(2, [TextPiece::plain(text)])));
        }
        Story::new(lines).render(inner, buf, theme);
    }
}

impl EvidenceSource {
    fn line(&self, columns: usize, theme: &Theme) -> Paragraph {
        let (have, rest) = bar(self.equal as f64, self.of as f64, columns, theme);
        let role = if self.equal == self.of { Role::VerdictRun } else { Role::Warning };
        Paragraph::words(
            NAME + 2,
            [
                TextPiece::dim(format!("{:<NAME$} ", self.name)),
                TextPiece::of(role, have),
                TextPiece::dim(rest),
                TextPiece::plain(format!("  {}", self.words)),
            ],
        )
    }
}

fn sources(found: &Agreement, jobs: &[JobAgreement]) -> Vec<EvidenceSource> {
    let score = found.total_score;
    let starts = match score.starts {
        0 => "no evidence: known when the next dump is there".to_owned(),
        starts => {
            format!("{} of {starts} predicted, {} on the same nodes", score.predicted, score.same_nodes)
        }
    };
    let log = match &found.log {
        Ok(log) => counted("sched_log", log.tally(), "no turn of a job in it"),
        Err(why) => {
            EvidenceSource { name: "sched_log", equal: 0, of: 0, words: format!("no evidence: {why}") }
        }
    };
    let tally = |of: fn(&JobAgreement) -> &ComparedFact| -> AgreementTally {
        jobs.iter().map(|job| of(job).class).collect()
    };
    vec![
        EvidenceSource { name: "starts", equal: score.predicted, of: score.starts, words: starts },
        counted("verdicts", tally(|job| &job.verdict), "no job has a comment"),
        counted("comments", tally(|job| &job.comment), "no job has a comment"),
        counted("estimates", tally(|job| &job.estimate), "no job has an estimated.start_time"),
        log,
    ]
}

fn counted(name: &'static str, tally: AgreementTally, none: &str) -> EvidenceSource {
    let of = tally.evidence();
    let words = match (of, tally.other_numbers) {
        (0, _) => format!("no evidence: {none}"),
        (of, 0) => format!("{} of {of}", tally.equal),
        (of, numbers) => format!("{} of {of}, {numbers} more but for their numbers", tally.equal),
    };
    EvidenceSource { name, equal: tally.equal, of, words }
}

/// The quirks that affected jobs, with the number of jobs.
fn quirks(cx: ViewContext<'_>) -> Vec<String> {
    let mut jobs: BTreeMap<&'static str, BTreeSet<JobId>> = BTreeMap::new();
    for witness in &cx.run().witnesses {
        jobs.entry(witness.quirk.name()).or_default().insert(witness.job);
    }
    if jobs.is_empty() {
        return vec!["none; :quirks lists all".to_owned()];
    }
    jobs.iter().map(|(quirk, jobs)| format!("{quirk}: {}", wording::count(jobs.len(), "job"))).collect()
}

/// The facts that no file shows, with what is assumed instead.
fn assumed(cx: ViewContext<'_>) -> Vec<String> {
    let origins = &cx.snapshot().origins;
    if origins.are_all_seen() {
        return vec!["nothing: every fact was read from a file".to_owned()];
    }
    origins.unseen().map(|(fact, origin)| format!("{}: {}", fact.words(), origin.words())).collect()
}
