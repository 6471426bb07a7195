//! What is wrong with the cluster, the data or the model; each line leads to what it is about and has the command that
//! fixes it (console.md 3, Problems).
//!
//! ```text
//! ┏ Problems · 4 cluster, 3 model and data ━━━━━━━━━━━━━━━━━━━━━━ ▸ 2/7 ┓
//! ┃ problem            object    effect                  what to do     ┃
//! ┃▸! job not in dump  cn025     job 40 keeps the vnode  qstat -f 40; … ┃
//! ┗━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┛
//! ```
//! On high screens what the model was compared with and the files stand below.

mod evidence;
mod files;

use std::rc::Rc;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::list::{Detail, ListModel};
use crate::action::Action;
use crate::filter::Filter;
use crate::layout::{cells, cut_columns, share};
use crate::story::{Paragraph, Piece, Story};
use crate::theme::{Role, Theme};
use crate::views::{Effect, Object, Update, World};
use crate::widgets::frame;
use crate::widgets::table::{Cell, TableColumn, Width};
use evidence::Evidence;
use files::Files;
use qscope_exits::Clip;
use qscope_session::problems::{Problem, ProblemAbout, ProblemPart, problems};

/// How many problems there are of each part, and what stands below them.
#[derive(Debug, Default)]
pub(crate) struct Problems {
    cluster: usize,
    others: usize,
    evidence: Evidence,
    files: Files,
}

/// From this height on there is room below the list and its details.
const VERY_TALL: u16 = 40;

/// The fewest rows that are worth it.
const LEAST_FOOT: u16 = 10;

fn role(problem: &Problem) -> Role {
    match (problem.part, problem.is_grave) {
        (_, true) => Role::Error,
        (ProblemPart::Cluster, false) => Role::Warning,
        (ProblemPart::Model, false) => Role::TextDim,
    }
}

/// That the last reading failed, whole.
fn failed(message: &str) -> Problem {
    let sentence = message.lines().next().unwrap_or_default().to_owned();
    Problem {
        part: ProblemPart::Model,
        is_grave: true,
        kind: "not read".to_owned(),
        about: ProblemAbout::Nothing,
        object: "files".to_owned(),
        effect: sentence.clone(),
        sentence,
        fix: Some("D shows the files; r reads them again".to_owned()),
    }
}

impl ListModel for Problems {
    type Line = Problem;

    const HAS_PAGE: bool = true;

    fn lines(&mut self, world: World<'_>) -> Vec<Rc<Problem>> {
        let failed = world.failure.map(|failure| failed(&failure.message));
        let all: Vec<Problem> = failed.into_iter().chain(problems(world.generation())).collect();
        self.cluster = all.iter().filter(|problem| problem.part == ProblemPart::Cluster).count();
        self.others = all.len() - self.cluster;
        self.evidence = Evidence::of(world);
        self.files = Files::of(world.snapshot());
        all.into_iter().map(Rc::new).collect()
    }

    fn is_same(a: &Problem, b: &Problem) -> bool {
        (&a.kind, &a.object) == (&b.kind, &b.object)
    }

    fn keeps(filter: &Filter, line: &Problem, _: World<'_>) -> bool {
        let fix = line.fix.as_deref().unwrap_or_default();
        filter.keeps_text(&format!("{} {} {} {fix}", line.kind, line.object, line.sentence))
    }

    fn title(&self, _: World<'_>) -> String {
        match (self.cluster, self.others) {
            (0, 0) => "Problems".to_owned(),
            (cluster, others) => format!("Problems · {cluster} cluster, {others} model and data"),
        }
    }

    fn columns<'a>(
        &'a self,
        _: World<'a>,
        theme: &'a Theme,
        width: u16,
    ) -> Vec<TableColumn<'a, Rc<Problem>>> {
        let sign = move |problem: &Problem| match (problem.part, problem.is_grave) {
            (_, true) => theme.by_set("✗", "X"),
            (ProblemPart::Cluster, false) => "!",
            (ProblemPart::Model, false) => "~",
        };
        let mut columns = vec![
            TableColumn::words("problem", Width::Between(12, 20), 98, move |line: &'a Rc<Problem>| {
                Cell::of(role(line), format!("{} {}", sign(line), line.kind))
            }),
            TableColumn::words("object", Width::Between(6, 20), 95, |line: &'a Rc<Problem>| {
                Cell::new(&*line.object)
            }),
            TableColumn::words("effect", Width::Fill(20), 80, |line: &'a Rc<Problem>| {
                Cell::new(&*line.effect)
            }),
        ];
        if width >= 110 {
            // A command that is cut cannot be typed after it; of an effect the pane below has the rest.
            let fix = Width::Between(24, share(width, 9, 20));
            columns.push(TableColumn::words("what to do", fix, 70, |line: &'a Rc<Problem>| {
                Cell::new(line.fix.as_deref().unwrap_or_default())
            }));
        }
        columns
    }

    fn why_empty(&self, _: World<'_>) -> Vec<String> {
        vec!["No problems.".to_owned()]
    }

    fn act(&mut self, action: Action, line: Option<&Problem>, _: World<'_>) -> Option<Update> {
        (action == Action::Select).then(|| match line.map(|line| (line, Self::object(line))) {
            Some((_, Some(object @ (Object::Node(_) | Object::Job(_))))) => {
                Update::request(Effect::GoToPage(object))
            }
            Some((_, Some(object))) => Update::request(Effect::GoTo(object)),
            Some((line, None)) => Update::status(line.sentence.clone()),
            None => Update::status("no problem under the cursor"),
        })
    }

    fn object(line: &Problem) -> Option<Object> {
        match &line.about {
            ProblemAbout::Node(name) => Some(Object::Node(name.clone())),
            ProblemAbout::Queue(name) => Some(Object::Queue(name.clone())),
            ProblemAbout::Job(name) => Some(Object::Job(name.clone())),
            ProblemAbout::Server => Some(Object::View(super::ViewName::Settings)),
            ProblemAbout::File(_) | ProblemAbout::Nothing => None,
        }
    }

    fn detail(area: Rect) -> Detail {
        Detail { rows: if area.height < 14 { 0 } else { 6 }, framed: true }
    }

    fn draw_detail(&self, line: &Problem, area: Rect, buf: &mut Buffer, _: World<'_>, theme: &Theme) {
        let title = format!("{} · {}", line.kind, line.object);
        let hint = match &line.fix {
            Some(_) => "Enter: go to it · y: copy the fix",
            None => "Enter: go to it",
        };
        let inner = frame::pane(area, buf, theme, &title, hint, false);
        let mut lines =
            vec![Paragraph::words(9, [Piece::of(role(line), format!("effect   {}", line.effect))])];
        if let Some(fix) = &line.fix {
            lines.push(Paragraph::words(9, [Piece::plain(format!("fix      {fix}"))]));
        }
        Story::new(lines).render(inner, buf, theme);
    }

    fn foot(area: Rect, rows: usize) -> u16 {
        let list = cells(rows).saturating_add(4).max(LEAST_FOOT) + Self::detail(area).rows;
        let left = area.height.saturating_sub(list);
        if area.height < VERY_TALL || left < LEAST_FOOT { 0 } else { left }
    }

    fn draw_foot(&self, area: Rect, buf: &mut Buffer, _: World<'_>, theme: &Theme) {
        let (left, right) = cut_columns(area, area.width / 2);
        self.evidence.render(left, buf, theme);
        self.files.render(right, buf, theme);
    }

    fn copy(line: &Problem) -> Option<(&'static str, Clip)> {
        Some(match &line.fix {
            Some(fix) => ("fix", Clip::line(fix)),
            None => ("problem", Clip::line(&line.sentence)),
        })
    }
}
