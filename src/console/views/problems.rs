//! Problems of the cluster, the data or the model; each line links to its object and has the command that fixes it
//! (console.md 3, Problems).
//!
//! ```text
//! ┏ Problems · 4 cluster, 3 model and data ━━━━━━━━━━━━━━━━━━━━━━ ▸ 2/7 ┓
//! ┃ problem            object    effect                  what to do     ┃
//! ┃▸! job not in dump  cn025     job 40 keeps the vnode  qstat -f 40; … ┃
//! ┗━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┛
//! ```
//! On high screens the evidence for the model and the files are shown below.

mod evidence;
mod files;
mod old_data;

use std::rc::Rc;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::excerpt::ExcerptRequest;
use super::list::{DetailLayout, DetailPlace, ListModel};
use crate::action::Action;
use crate::filter::Filter;
use crate::following::FollowFailure;
use crate::layout::{cells, cut_columns, indented_inner_area, share};
use crate::story::{Paragraph, Story, TextPiece};
use crate::task::TaskNews;
use crate::theme::Role;
use crate::views::{Effect, Object, Update, ViewContext, ViewName};
use crate::widgets::frame;
use crate::widgets::table::{Cell, TableColumn, Width};
use evidence::Evidence;
use files::FileList;
use old_data::{effect, old_data_problem};
use qscope_exits::ClipboardText;
use qscope_session::Fix;
use qscope_session::problems::{
    AGAIN, ASSUMED, Problem, ProblemObject, ProblemPart, model_problem, problems,
};
use qscope_source::collect::made_by;

/// The number of problems of each part, and what is shown below them.
#[derive(Debug, Default)]
pub(crate) struct ProblemListModel {
    cluster: usize,
    others: usize,
    evidence: Evidence,
    files: FileList,
    excerpt: ExcerptRequest,
}

/// Minimum height for a foot below the list and its details.
const VERY_TALL: u16 = 40;

/// Minimum rows of the foot.
const LEAST_FOOT: u16 = 10;

/// Columns of a sentence in a box.
const TEXT: usize = 74;

fn role(problem: &Problem) -> Role {
    match (problem.part, problem.is_grave) {
        (_, true) => Role::Error,
        (ProblemPart::Cluster, false) => Role::Warning,
        (ProblemPart::Model, false) => Role::TextDim,
    }
}

/// The problem that the last reading failed; for a file that is gone with the command that makes it.
fn failed(failure: &FollowFailure) -> Problem {
    let sentence = failure.message.lines().next().unwrap_or_default();
    let command = failure.missing_file.as_deref().and_then(made_by);
    let effect = match command {
        Some(_) => format!("{sentence}: shown as last read until it is back, or qscope is started again"),
        None => sentence.to_owned(),
    };
    Problem {
        is_grave: true,
        object: "files".to_owned(),
        effect,
        fix: Some(command.map_or_else(|| Fix::by_hand(AGAIN), Fix::command)),
        ..model_problem("not read", sentence)
    }
}

/// A configuration setting that cannot be used: file and line, and what is wrong.
fn configured(text: &str) -> Problem {
    let (place, what) = text.split_once(": ").unwrap_or(("configuration", text));
    let file = place.rsplit('/').next().unwrap_or(place);
    Problem {
        subject: ProblemObject::Configuration,
        object: file.to_owned(),
        effect: what.to_owned(),
        fix: Some(Fix::by_hand("qscope config lists what is set, and where")),
        ..model_problem("configuration", text)
    }
}

impl ListModel for ProblemListModel {
    type Line = Problem;

    const HAS_PAGE: bool = true;

    fn lines(&mut self, cx: ViewContext<'_>) -> Vec<Rc<Problem>> {
        let failed = cx.following.failure.as_ref().map(failed);
        let configured = cx.following.config_wrong.iter().map(|text| configured(text));
        let old = cx.old_words().map(|words| old_data_problem(&words));
        let all: Vec<Problem> =
            failed.into_iter().chain(problems(cx.generation())).chain(old).chain(configured).collect();
        self.cluster = all.iter().filter(|problem| problem.part == ProblemPart::Cluster).count();
        self.others = all.len() - self.cluster;
        self.evidence = Evidence::of(cx);
        self.files = FileList::of(cx.snapshot());
        all.into_iter().map(Rc::new).collect()
    }

    fn is_same(a: &Problem, b: &Problem) -> bool {
        // A file may have several problems of one kind, which differ only in their text.
        let has_several = a.subject == ProblemObject::Configuration || a.kind == ASSUMED;
        let is_one = !has_several || a.sentence == b.sentence;
        (&a.kind, &a.object) == (&b.kind, &b.object) && is_one
    }

    fn matches_filter(filter: &Filter, line: &Problem, _: ViewContext<'_>) -> bool {
        let fix = fix_text(line);
        filter.keeps_text(&format!("{} {} {} {fix}", line.kind, line.object, line.sentence))
    }

    fn title(&self, _: ViewContext<'_>) -> String {
        match (self.cluster, self.others) {
            (0, 0) => "Problems".to_owned(),
            (cluster, others) => format!("Problems · {cluster} cluster, {others} model and data"),
        }
    }

    fn columns<'a>(&'a self, cx: ViewContext<'a>, width: u16) -> Vec<TableColumn<'a, Rc<Problem>>> {
        let sign = move |problem: &Problem| match (problem.part, problem.is_grave) {
            (_, true) => cx.theme.by_set("✗", "X"),
            (ProblemPart::Cluster, false) => "!",
            (ProblemPart::Model, false) => "~",
        };
        let mut columns = vec![
            TableColumn::words("problem", Width::Between(12, 20), 98, move |line: &'a Rc<Problem>| {
                Cell::of(role(line), format!("{} {}", sign(line), line.kind))
            })
            .valued(|line| line.kind.as_str().into()),
            TableColumn::words("object", Width::Between(6, 20), 95, |line: &'a Rc<Problem>| {
                Cell::new(&*line.object)
            }),
            TableColumn::words("effect", Width::Fill(20), 80, move |line: &'a Rc<Problem>| {
                Cell::new(effect(line, cx))
            }),
        ];
        if width >= 110 {
            // A command must not be cut, since it is typed; the rest of an effect is in the pane below.
            let fix = Width::Between(24, share(width, 9, 20));
            columns.push(TableColumn::words("what to do", fix, 70, |line: &'a Rc<Problem>| {
                Cell::new(fix_text(line))
            }));
        }
        columns
    }

    fn why_empty(&self, _: ViewContext<'_>) -> Vec<String> {
        vec!["No problems.".to_owned()]
    }

    fn act(&mut self, action: Action, line: Option<&Problem>, cx: ViewContext<'_>) -> Option<Update> {
        (action == Action::Select).then(|| match line {
            Some(line) => self.open(line, cx),
            None => Update::status("no problem under the cursor"),
        })
    }

    fn on_news(&mut self, news: &TaskNews, _: ViewContext<'_>) -> Update {
        self.excerpt.on_news(news).unwrap_or_default()
    }

    fn words(&self, line: Option<&Problem>) -> &'static [(Action, &'static str)] {
        match line {
            Some(line) if matches!(line.subject, ProblemObject::Nothing | ProblemObject::Configuration) => {
                match command(line) {
                    Some(_) => &[(Action::Select, "whole text")],
                    None => &[(Action::Select, "whole text"), (Action::Copy, "copy the text")],
                }
            }
            Some(line) if command(line).is_none() => &[(Action::Copy, "copy the text")],
            _ => &[],
        }
    }

    fn object(line: &Problem, _: ViewContext<'_>) -> Option<Object> {
        object_of(line)
    }

    fn detail(area: Rect) -> DetailLayout {
        DetailLayout { rows: if area.height < 14 { 0 } else { 6 }, framed: true }
    }

    fn draw_detail(&self, problem: &Problem, place: DetailPlace, buf: &mut Buffer, cx: ViewContext<'_>) {
        let title = format!("{} · {}", problem.kind, problem.object);
        let hint = match (&problem.subject, command(problem)) {
            (ProblemObject::Nothing, Some(_)) => "Enter: whole text · y: copy the fix",
            (ProblemObject::Nothing, None) => "Enter: whole text · y: copy the text",
            (_, Some(_)) => "Enter: go to it · y: copy the fix",
            (_, None) => "Enter: go to it · y: copy the text",
        };
        frame::pane(place.area, buf, cx.theme, &title, hint, false);
        let inner = indented_inner_area(place.area);
        let mut lines = vec![Paragraph::words(
            9,
            [TextPiece::of(role(problem), format!("effect   {}", effect(problem, cx)))],
        )];
        if let Some(fix) = &problem.fix {
            lines.push(Paragraph::words(9, [TextPiece::plain(format!("fix      {}", fix.words))]));
        }
        Story::new(lines).render(inner, buf, cx.theme);
    }

    fn foot(area: Rect, rows: usize) -> u16 {
        let list = cells(rows).saturating_add(4).max(LEAST_FOOT) + Self::detail(area).rows;
        let left = area.height.saturating_sub(list);
        if area.height < VERY_TALL || left < LEAST_FOOT { 0 } else { left }
    }

    fn draw_foot(&self, area: Rect, buf: &mut Buffer, cx: ViewContext<'_>) {
        let (left, right) = cut_columns(area, area.width / 2);
        self.evidence.render(left, buf, cx.theme);
        self.files.render(right, buf, cx.theme);
    }

    fn copy(line: &Problem, _: ViewContext<'_>) -> Option<(&'static str, ClipboardText)> {
        Some(match command(line) {
            Some(command) => ("fix", ClipboardText::line(command)),
            None => ("problem", ClipboardText::line(&line.sentence)),
        })
    }
}

/// What to do about a problem; empty if there is nothing.
fn fix_text(problem: &Problem) -> &str {
    problem.fix.as_ref().map_or("", |fix| &fix.words)
}

/// The command that fixes a problem, if one does.
fn command(problem: &Problem) -> Option<&str> {
    problem.fix.as_ref()?.command.as_deref()
}

/// The object of a problem, if it has a view.
pub(crate) fn object_of(problem: &Problem) -> Option<Object> {
    match &problem.subject {
        ProblemObject::Node(name) => Some(Object::Node(name.clone())),
        ProblemObject::Queue(name) => Some(Object::Queue(name.clone())),
        ProblemObject::Job(name) => Some(Object::Job(name.clone())),
        ProblemObject::Server => Some(Object::View(ViewName::Settings)),
        ProblemObject::File(file, line) => Some(Object::File(place(file, *line))),
        ProblemObject::Nothing | ProblemObject::Configuration => None,
    }
}

/// Goes to the object of a problem: the page of a node or a job, a queue, the files, the setting of `scheduling`; else
/// to its line in the list.
pub(crate) fn open_object(problem: &Problem) -> Update {
    match (&problem.subject, object_of(problem)) {
        (ProblemObject::File(_, None), _) => Update::request(Effect::ShowFiles),
        (ProblemObject::Server, Some(settings)) => {
            Update::request(Effect::GoTo(settings)).with(Effect::SetFilter("scheduling".to_owned()))
        }
        (_, Some(object @ (Object::Node(_) | Object::Job(_)))) => Update::request(Effect::GoToPage(object)),
        (_, Some(object)) => Update::request(Effect::GoTo(object)),
        (_, None) => Update::request(Effect::GoTo(Object::View(ViewName::Problems))),
    }
}

/// A file with an optional line, such as `sched_config:4`.
fn place(file: &str, line: Option<usize>) -> String {
    line.map_or_else(|| file.to_owned(), |line| format!("{file}:{line}"))
}

impl ProblemListModel {
    /// Opens the object of a problem; the lines of a file or a whole sentence are shown in a box over the list.
    fn open(&mut self, problem: &Problem, cx: ViewContext<'_>) -> Update {
        match &problem.subject {
            ProblemObject::File(file, Some(line)) => self.excerpt.open(cx.generation(), file, *line),
            ProblemObject::Nothing => Update::request(Effect::ShowText {
                title: format!("{} · {}", problem.kind, problem.object),
                lines: textwrap::wrap(&problem.sentence, TEXT).into_iter().map(Into::into).collect(),
                marked: None,
            }),
            _ => open_object(problem),
        }
    }
}
