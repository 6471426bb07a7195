//! What differs between the snapshot on the screen (the right side) and another one of the history (the left side).
//! Without an earlier snapshot, the view shows what the cycle changes.
//!
//! ```text
//! ┌ Left and right ──────────── [ ] left side · < > right side · = adds a setting ┐
//! │ left   snapshot 4, 13:01:10                                                   │
//! │ right  snapshot 5, 13:02:11, 61s later                                        │
//! └───────────────────────────────────────────────────────────────────────────────┘
//! ┏ jobs: 1 started, 1 new ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━ 2/9 ┓
//! ┃ job or node   left                       right                  note         ┃
//! ┃ started: 1                                                                   ┃
//! ┃▸812           ◷ waits: Not enough free…  ✓ runs on n[1-2]       as modelled  ┃
//! ┗━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┛
//! ```

mod pair;
mod rows;

use std::borrow::Cow;
use std::rc::Rc;
use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::list::{DetailLayout, DetailPlace, ListHead, ListModel};
use crate::action::Action;
use crate::filter::Filter;
use crate::story::{Story, TextPiece};
use crate::task::{Computation, TaskNews};
use crate::theme::{Role, Theme};
use crate::views::{Effect, MomentPurpose, Object, Pending, Update, ViewContext, ViewName};
use crate::widgets::ramp::legend_of_signs;
use crate::widgets::table::TableColumn;
use pair::SnapshotPair;
use qscope_engine::cluster::JobState;
use qscope_exits::ClipboardText;
use qscope_session::compare::changes::ChangeSubject;
use qscope_session::{Generation, Opening, TapeTarget};
use rows::ChangesAnswer;
pub(crate) use rows::ComparisonRow;

/// Rows for the full text of the selected line, where there is room.
const TEXTS: u16 = 4;

/// The differences between two snapshots.
#[derive(Debug)]
struct SnapshotDifferences {
    pair: SnapshotPair,
    title: String,
    rows: Vec<Rc<ComparisonRow>>,
}

/// The comparison, and the pending one.
#[derive(Debug, Default)]
pub(crate) struct ComparisonListModel {
    /// Number of the other snapshot, where one was chosen; `None` for the one before the snapshot shown.
    chosen: Option<u64>,
    /// The choice that was last made by time, in the command line or in the view of times.
    asked: Option<u64>,
    differences: Option<SnapshotDifferences>,
    /// The number of the snapshot for which the one before was last asked for.
    read_for: Option<u64>,
    /// The pair being compared.
    pending: Pending<ChangesAnswer, SnapshotPair>,
    request: Option<Effect>,
}

impl ComparisonListModel {
    /// The chosen snapshot, unless that shown is the same one, read from a recording once more.
    fn chosen_side<'a>(&self, cx: ViewContext<'a>) -> Option<&'a Arc<Generation>> {
        let shown = cx.generation();
        let chosen = self.chosen.and_then(|number| cx.following.history.numbered(number));
        let is_read_again = |left: &Arc<Generation>| {
            left.number == shown.number && !Arc::ptr_eq(left, shown) && shown.what_if.is_none()
        };
        chosen.filter(|left| !is_read_again(left))
    }

    /// The snapshot on the left side: the chosen one, or else the one before; without either, the right side itself.
    fn left_side<'a>(&self, cx: ViewContext<'a>) -> &'a Arc<Generation> {
        let shown = cx.generation();
        let chosen = self.chosen_side(cx);
        chosen.or_else(|| cx.following.history.last_consistent_before(shown.number)).unwrap_or(shown)
    }

    /// The two snapshots, the one on the screen at the right; where a what-if is shown, the live one and the what-if. A
    /// snapshot paired with itself stands for the changes made by its cycle.
    fn pair(&self, cx: ViewContext<'_>) -> SnapshotPair {
        if self.chosen.is_none() && cx.following.live.is_some() {
            return SnapshotPair(cx.live().clone(), cx.generation().clone());
        }
        SnapshotPair(self.left_side(cx).clone(), cx.generation().clone())
    }

    /// In a recording, asks once for the snapshot before the one shown, if it is the left side and was not read yet.
    fn read_before(&mut self, cx: ViewContext<'_>) -> Option<Effect> {
        let number = cx.generation().number;
        let has_tape =
            cx.following.opening.as_ref().is_some_and(Opening::has_tape) && cx.following.live.is_none();
        let is_there = number < 2 || cx.following.history.numbered(number - 1).is_some();
        if !has_tape || is_there || self.chosen_side(cx).is_some() {
            return None;
        }
        let is_new = self.read_for.replace(number) != Some(number);
        is_new.then_some(Effect::ShowMoment(TapeTarget::Older, MomentPurpose::Compare))
    }

    /// Requests the comparison from a worker, unless it is done or under way.
    fn compare(&mut self, cx: ViewContext<'_>) {
        if self.asked != cx.following.left {
            (self.asked, self.chosen) = (cx.following.left, cx.following.left);
        }
        if let Some(read) = self.read_before(cx) {
            self.request = Some(read);
            return;
        }
        let pair = self.pair(cx);
        if self.differences.as_ref().is_some_and(|found| found.pair == pair) {
            self.pending = Pending::default();
            return;
        }
        if self.pending.key() == Some(&pair) {
            return;
        }
        let compared = pair.clone();
        let changes = Computation::new(pair.task_description(), move |_| {
            let (title, lines) = compared.changes();
            let signs = compared.signs(&lines);
            Some(ChangesAnswer { title, lines, signs })
        });
        self.pending.begin_for(pair, changes);
    }

    /// Compares with the next older or newer snapshot.
    fn choose(&mut self, cx: ViewContext<'_>, older: bool) -> Update {
        let now = self.left_side(cx).number;
        let next = if older { cx.following.history.before(now) } else { cx.following.history.after(now) };
        let Some(next) = next else {
            let word = if older { "older" } else { "newer" };
            return Update::status(format!("there is no {word} snapshot to compare with"));
        };
        self.chosen = Some(next.number);
        self.compare(cx);
        Update::changed()
    }
}

/// The first object of a change that has a view.
pub(super) fn object_of(about: &ChangeSubject) -> Option<Object> {
    match about {
        ChangeSubject::Job(name) => Some(Object::Job(name.clone())),
        ChangeSubject::Nodes(names) => names.first().cloned().map(Object::Node),
        ChangeSubject::Setting(queue) => queue.clone().map(Object::Queue),
    }
}

fn open_row(line: Option<&ComparisonRow>, cx: ViewContext<'_>) -> Update {
    let snap = cx.snapshot();
    match line.and_then(|line| ComparisonListModel::object(line, cx)) {
        None if line.and_then(ComparisonRow::change).is_some() => {
            Update::status("a setting has no view of its own")
        }
        None => Update::status("nothing under the cursor; it is a heading"),
        Some(Object::Job(name)) => match snap.job_meant(&name).map(|id| snap.jobs[id].state) {
            None => Update::status(format!("job {name} is not in this snapshot; < > show others")),
            // A running job is not in the queue of the cycle.
            Some(JobState::Running | JobState::Exiting) => {
                Update::request(Effect::GoToIn(ViewName::Calendar, Object::Job(name)))
            }
            Some(_) => Update::request(Effect::GoTo(Object::Job(name))),
        },
        Some(Object::Node(name)) if snap.node_named(&name).is_none() => {
            Update::status(format!("node {name} is not in this snapshot; < > show others"))
        }
        Some(object) => Update::request(Effect::GoTo(object)),
    }
}

type ComparisonColumn<'a> = TableColumn<'a, Rc<ComparisonRow>>;

impl ListModel for ComparisonListModel {
    type Line = ComparisonRow;

    const HAS_PAGE: bool = true;

    const PAGE_BELOW: bool = true;

    fn lines(&mut self, cx: ViewContext<'_>) -> Vec<Rc<ComparisonRow>> {
        self.compare(cx);
        self.differences.as_ref().map(|found| found.rows.clone()).unwrap_or_default()
    }

    fn is_same(a: &ComparisonRow, b: &ComparisonRow) -> bool {
        match (a, b) {
            (ComparisonRow::Change(a, _), ComparisonRow::Change(b, _)) => a.subject == b.subject,
            (a, b) => a == b,
        }
    }

    fn matches_filter(filter: &Filter, row: &ComparisonRow, _: ViewContext<'_>) -> bool {
        filter.is_empty() || row.change().is_some_and(|line| filter.keeps_text(&line.words()))
    }

    fn title(&self, _: ViewContext<'_>) -> String {
        self.differences.as_ref().map_or_else(|| "Difference".to_owned(), |found| found.title.clone())
    }

    fn head_pane(&self, cx: ViewContext<'_>) -> Option<ListHead> {
        Some(ListHead {
            title: "Left and right".to_owned(),
            note: "[ ] left side · < > right side · = adds a setting".to_owned(),
            lines: self.pair(cx).sides(),
        })
    }

    fn columns<'a>(&'a self, cx: ViewContext<'a>, width: u16) -> Vec<ComparisonColumn<'a>> {
        super::sides::columns(ComparisonRow::change, ComparisonRow::signs, cx.theme, width)
    }

    fn legend(lines: &[Rc<ComparisonRow>], theme: &Theme) -> String {
        let signs: Vec<_> = lines.iter().flat_map(|row| row.signs()).flatten().collect();
        legend_of_signs(&signs, theme)
    }

    fn heading(row: &ComparisonRow) -> Option<Cow<'_, str>> {
        match row {
            ComparisonRow::Heading(words) => Some((&**words).into()),
            ComparisonRow::Change(..) => None,
        }
    }

    fn why_empty(&self, cx: ViewContext<'_>) -> Vec<String> {
        let why: &[&str] = if self.pending.is_waiting() {
            &["comparing ..."]
        } else if self.pair(cx).is_one() {
            &[
                "This cycle starts no job and plans none.",
                "The next change of a file adds a snapshot; the last 20 are kept.",
                "= tries settings and shows what they would change.",
            ]
        } else {
            &["Nothing changed: no job, no node, no setting."]
        };
        why.iter().map(ToString::to_string).collect()
    }

    fn act(&mut self, action: Action, row: Option<&ComparisonRow>, cx: ViewContext<'_>) -> Option<Update> {
        match action {
            Action::CompareOlder | Action::CompareNewer => {
                Some(self.choose(cx, action == Action::CompareOlder))
            }
            Action::Select => Some(open_row(row, cx)),
            _ => None,
        }
    }

    fn object(row: &ComparisonRow, _: ViewContext<'_>) -> Option<Object> {
        object_of(&row.change()?.subject)
    }

    fn shows(row: &ComparisonRow, object: &Object, _: ViewContext<'_>) -> bool {
        match (row.change().map(|line| &line.subject), object) {
            (Some(ChangeSubject::Job(name)), Object::Job(wanted)) => name == wanted,
            (Some(ChangeSubject::Nodes(names)), Object::Node(wanted)) => names.contains(wanted),
            _ => false,
        }
    }

    fn detail(area: Rect) -> DetailLayout {
        let rows = match area.height {
            30.. => TEXTS,
            16.. => TEXTS / 2,
            _ => 0,
        };
        DetailLayout { rows, framed: false }
    }

    fn draw_detail(&self, row: &ComparisonRow, place: DetailPlace, buf: &mut Buffer, cx: ViewContext<'_>) {
        if let Some(line) = row.change() {
            let text = line.text.replace(" -> ", cx.theme.by_set(" → ", " -> "));
            let text = [TextPiece::of(Role::Heading, &line.name), TextPiece::plain(format!("  {text}"))];
            // Below the column of names.
            let area = Rect { x: place.area.x + 1, width: place.area.width.saturating_sub(1), ..place.area };
            Story::plain(text).render(area, buf, cx.theme);
        }
    }

    fn requests(&mut self) -> Vec<Effect> {
        self.pending.request().into_iter().chain(self.request.take()).collect()
    }

    fn on_news(&mut self, news: &TaskNews, _: ViewContext<'_>) -> Update {
        let Some((pair, found)) = self.pending.take_with_key(news) else { return Update::unchanged() };
        let rows = found.rows().into_iter().map(Rc::new).collect();
        self.differences = Some(SnapshotDifferences { pair, title: found.title.clone(), rows });
        Update::changed()
    }

    fn copy(row: &ComparisonRow, _: ViewContext<'_>) -> Option<(&'static str, ClipboardText)> {
        row.change().map(|line| {
            ("change", ClipboardText::line(format_args!("{} {}: {}", line.group, line.name, line.text)))
        })
    }
}
