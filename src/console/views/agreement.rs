//! The live scheduler's records compared with the model, differences first.
//!
//! ```text
//! ┏ Agreement: 9 of 12 jobs, 3 of 3 starts ━━━━━━━━━━━━━━━━━━━━━━━━━ 1/15 ┓
//! ┃  how      job     what     modelled                 recorded                ┃
//! ┃▸ differs  812     comment  Not Running: No availa…  Not Running: Not enoug… ┃
//! ┃  numbers  813     comment  Not Running: Insuffici…  Not Running: Insuffici… ┃
//! ┃──────────────────────────────────────────────────────────────────────────── ┃
//! ┃ modelled  Not Running: No available resources on nodes                      ┃
//! ┃ recorded  Not Running: Not enough free nodes available                      ┃
//! ┗━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┛
//! ```

use std::rc::Rc;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::list::{DetailLayout, DetailPlace, ListModel};
use crate::action::Action;
use crate::filter::Filter;
use crate::story::{Paragraph, Story, TextPiece};
use crate::theme::Role;
use crate::views::{Effect, Object, Update, ViewContext};
use crate::widgets::table::{Cell, TableColumn, Width};
use crate::wording;
use qscope_engine::cluster::short_id;
use qscope_session::agreement::{
    Agreement as Found, AgreementClass, ComparedFact, JobAgreement, PlacementMatch,
};

/// Rows for the full texts of the selected line, where the view is high enough.
const TEXTS: u16 = 6;

/// One fact of a job, as the model and as the scheduler's records have it.
#[derive(Debug)]
pub(crate) struct AgreementLine {
    job: String,
    what: &'static str,
    compared: ComparedFact,
}

/// What the view keeps of the comparison beside its lines.
#[derive(Debug, Default)]
pub(crate) struct AgreementListModel {
    summary: String,
    /// Number of jobs that could be compared.
    jobs: usize,
    /// Sources without evidence, each with the reason.
    silent: Vec<String>,
}

/// Word and role of a class; never colour alone.
fn word_and_role(class: AgreementClass) -> (&'static str, Role) {
    match class {
        AgreementClass::NotSeen => ("not seen", Role::TextDim),
        AgreementClass::Different => ("differs", Role::Error),
        AgreementClass::OtherNumbers => ("numbers", Role::Warning),
        AgreementClass::Equal => ("equal", Role::Text),
        AgreementClass::NoEvidence => ("unknown", Role::TextDim),
    }
}

/// All compared facts, differences first.
fn lines_of(found: &Found, jobs: &[JobAgreement]) -> Vec<AgreementLine> {
    let mut lines = Vec::new();
    let mut put = |job: &str, what, compared: &ComparedFact| {
        lines.push(AgreementLine { job: job.to_owned(), what, compared: compared.clone() });
    };
    for job in jobs {
        put(&job.name, "comment", &job.comment);
        // The comment begins with the verdict, so it counts only where it differs more.
        if job.verdict.class > job.comment.class {
            put(&job.name, "verdict", &job.verdict);
        }
        if job.estimate.class > AgreementClass::NoEvidence {
            put(&job.name, "estimate", &job.estimate);
        }
    }
    for turn in found.log.iter().flat_map(|log| &log.turn_agreements) {
        // Of several parts in the same class the last one is shown: why the job waits, or that it runs.
        let parts = [
            ("log lines", &turn.lines),
            ("log path", &turn.path),
            ("log", &turn.verdict),
            ("log why", &turn.reason),
        ];
        if let Some((what, part)) = parts.into_iter().max_by_key(|(_, part)| part.class) {
            put(&turn.job, what, part);
        }
    }
    if let Some(prediction) = &found.prediction {
        for start in &prediction.starts {
            let class = match start.nodes {
                PlacementMatch::Same | PlacementMatch::SameInOtherOrder => AgreementClass::Equal,
                PlacementMatch::Other | PlacementMatch::Unknown => AgreementClass::Different,
            };
            let modelled = start.predicted.clone().unwrap_or_else(|| "it waits".to_owned());
            put(
                &start.job,
                "start",
                &ComparedFact { class, modelled: Some(modelled), recorded: Some(start.on.clone()) },
            );
        }
        for job in &prediction.missed {
            put(job, "start", &ComparedFact::words("it starts", "it still waits"));
        }
    }
    lines.sort_by_key(|line| std::cmp::Reverse(line.compared.class));
    lines
}

/// The sources without evidence, each with the reason.
fn missing_sources(found: &Found) -> Vec<String> {
    let log = found.log.as_ref().err().map(|why| format!("log: {why}"));
    let early = found.prediction.is_none().then(|| "starts: known when the next dump is there".to_owned());
    log.into_iter().chain(early).collect()
}

/// One side of a comparison, in a column.
fn side(text: &Option<String>) -> Cell<'_> {
    Cell::new(text.as_deref().unwrap_or("-"))
}

type AgreementColumn<'a> = TableColumn<'a, Rc<AgreementLine>>;

impl ListModel for AgreementListModel {
    type Line = AgreementLine;

    fn lines(&mut self, cx: ViewContext<'_>) -> Vec<Rc<AgreementLine>> {
        let Some(found) = &cx.generation().agreement else {
            *self = Self { summary: "not compared".to_owned(), jobs: 0, silent: Vec::new() };
            return Vec::new();
        };
        let jobs = found.jobs(cx.run());
        *self = Self { summary: found.summary(), jobs: jobs.len(), silent: missing_sources(found) };
        let lines = lines_of(found, jobs);
        // Without any record, a row for each job would only repeat that.
        match lines.iter().any(|line| line.compared.class != AgreementClass::NoEvidence) {
            true => lines.into_iter().map(Rc::new).collect(),
            false => Vec::new(),
        }
    }

    fn is_same(a: &AgreementLine, b: &AgreementLine) -> bool {
        (&a.job, a.what) == (&b.job, b.what)
    }

    fn matches_filter(filter: &Filter, line: &AgreementLine, _: ViewContext<'_>) -> bool {
        let (how, ComparedFact { modelled, recorded, .. }) =
            (word_and_role(line.compared.class).0, &line.compared);
        let (modelled, recorded) = (modelled.as_deref().unwrap_or(""), recorded.as_deref().unwrap_or(""));
        filter.keeps_text(&format!("{how} {} {} {modelled} {recorded}", line.job, line.what))
    }

    fn title(&self, _: ViewContext<'_>) -> String {
        format!("Agreement: {}", self.summary)
    }

    fn columns<'a>(&'a self, _: ViewContext<'a>, _: u16) -> Vec<AgreementColumn<'a>> {
        vec![
            AgreementColumn::words("how", Width::Fixed(8), 100, |line| {
                let (word, role) = word_and_role(line.compared.class);
                Cell::of(role, word)
            }),
            AgreementColumn::words("job", Width::Between(8, 16), 95, |line| Cell::new(short_id(&line.job))),
            AgreementColumn::words("what", Width::Fixed(9), 60, |line| Cell::of(Role::TextDim, line.what)),
            AgreementColumn::words("modelled", Width::Fill(12), 70, |line| side(&line.compared.modelled)),
            AgreementColumn::words("recorded", Width::Fill(12), 80, |line| side(&line.compared.recorded)),
        ]
    }

    fn why_empty(&self, _: ViewContext<'_>) -> Vec<String> {
        let first = match self.jobs {
            0 => "No waiting jobs, empty log.".to_owned(),
            jobs => format!("No comment or estimate of the scheduler for {}.", wording::count(jobs, "job")),
        };
        std::iter::once(first).chain(self.silent.clone()).collect()
    }

    fn act(&mut self, action: Action, line: Option<&AgreementLine>, cx: ViewContext<'_>) -> Option<Update> {
        (action == Action::Select).then(|| match line.and_then(|line| Self::object(line, cx)) {
            Some(job) => Update::request(Effect::GoTo(job)),
            None => Update::status("nothing under the cursor"),
        })
    }

    fn object(line: &AgreementLine, _: ViewContext<'_>) -> Option<Object> {
        Some(Object::Job(line.job.clone()))
    }

    fn detail(area: Rect) -> DetailLayout {
        DetailLayout { rows: if area.height >= 2 * TEXTS + 2 { TEXTS } else { 0 }, framed: false }
    }

    fn draw_detail(&self, line: &AgreementLine, place: DetailPlace, buf: &mut Buffer, cx: ViewContext<'_>) {
        let side = |name: &str, text: &Option<String>| {
            let text = text.as_deref().unwrap_or("nothing");
            Paragraph::words(0, [TextPiece::dim(format!("{name:<10}")), TextPiece::plain(text)])
        };
        let how = format!("{} {}: {}", line.job, line.what, line.compared.class.words());
        let texts = vec![
            Paragraph::words(0, [TextPiece::of(Role::Heading, how)]),
            side("modelled", &line.compared.modelled),
            side("recorded", &line.compared.recorded),
        ];
        Story::new(texts).render(place.area, buf, cx.theme);
    }
}
