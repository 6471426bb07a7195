//! The fair share tree at the position: shares, usage compared with them, and whose jobs go first.
//!
//! ```text
//! ┏ Fair share after step 4 ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━ ▸ 3/14 ┓
//! ┃ entity           of tree    usage used       of its share  run wait next     ┃
//! ┃ root               100 % 11540004                            2    9 13       ┃
//! ┃   physics         47.6 %  5592001 ██████████ 102 % over       1    5 15       ┃
//! ┃▸    ann           19.0 %  2272800 ██████████ 103 % over       1    2 12       ┃
//! ┗━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┛
//! ```
//! Below it: the path of the selected entity with the numbers compared, its jobs, and who goes before it.

mod cells;
mod pane;

use std::cell::OnceCell;
use std::rc::Rc;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::list::{DetailLayout, DetailPlace, ListModel, position_title};
use super::records::{ValueCount, on_request, values};
use crate::action::Action;
use crate::filter::Filter;
use crate::story::StoryLink;
use crate::views::{Effect, Object, QuickFilter, Update, ViewContext, ViewName};
use crate::widgets::table::TableColumn;
use qscope_session::fairshare::{FairshareSnapshot, ShareEntity, SharePosition};
use qscope_session::query::QueryFields;
use qscope_session::records::{ShareRecord, share_fields};

/// An entity, and what the pane below the list states about it.
#[derive(Debug)]
pub(crate) struct ShareLine {
    tree: Rc<FairshareSnapshot>,
    entity: ShareEntity,
    /// Computed once, when drawn: it compares the entity with all others.
    standing: OnceCell<SharePosition>,
}

/// The list of entities.
#[derive(Debug, Default)]
pub(crate) struct FairshareListModel {
    /// What counts as usage, and what is unknown.
    summary: String,
}

/// Minimum height of the view for a pane about the selected entity.
const TALL: u16 = 18;
/// Rows of that pane, with its frame.
const DETAIL: u16 = 9;

/// Fields that this view shows in its own columns.
const USUAL: [&str; 8] = ["entity", "shares", "usage", "charged", "run", "wait", "next", "factor"];

impl ShareLine {
    fn position(&self) -> &SharePosition {
        self.standing.get_or_init(|| self.tree.position_of(&self.entity))
    }
}

impl ListModel for FairshareListModel {
    type Line = ShareLine;

    const SPARE: u16 = DETAIL;
    const DETAIL_GROWS: bool = true;

    fn lines(&mut self, cx: ViewContext<'_>) -> Vec<Rc<ShareLine>> {
        let tree = Rc::new(FairshareSnapshot::at(cx.run(), cx.state(), cx.position()));
        self.summary = tree.summary(cx.snapshot());
        let line = |entity: &ShareEntity| {
            Rc::new(ShareLine { tree: tree.clone(), entity: entity.clone(), standing: OnceCell::new() })
        };
        tree.entities.iter().map(line).collect()
    }

    fn is_same(a: &ShareLine, b: &ShareLine) -> bool {
        a.entity.entity == b.entity.entity
    }

    fn matches_filter(filter: &Filter, line: &ShareLine, _: ViewContext<'_>) -> bool {
        filter.matches(&ShareRecord::of(&line.entity))
    }

    fn fields(_: ViewContext<'_>) -> QueryFields {
        share_fields()
    }

    fn values(field: &str, cx: ViewContext<'_>) -> Vec<ValueCount> {
        let tree = FairshareSnapshot::at(cx.run(), cx.state(), cx.position());
        values(tree.entities.iter().map(ShareRecord::of), field, cx.snapshot())
    }

    fn quick_filters() -> &'static [QuickFilter] {
        &[("over their share", "state=over"), ("with waiting jobs", "wait>0 is_group=no")]
    }

    fn title(&self, cx: ViewContext<'_>) -> String {
        format!("Fair share {}", position_title(cx.position()))
    }

    fn text_above_table(&self) -> Option<&str> {
        Some(&self.summary)
    }

    fn columns<'a>(&'a self, cx: ViewContext<'a>, width: u16) -> Vec<TableColumn<'a, Rc<ShareLine>>> {
        let mut columns = cells::columns(cx.theme, width);
        let record = |line: &'a Rc<ShareLine>| ShareRecord::of(&line.entity);
        columns.extend(on_request(&Self::fields(cx), &USUAL, record));
        columns
    }

    fn why_empty(&self, _: ViewContext<'_>) -> Vec<String> {
        Vec::new()
    }

    fn act(&mut self, action: Action, line: Option<&ShareLine>, cx: ViewContext<'_>) -> Option<Update> {
        (action == Action::Select).then(|| match line {
            Some(line) => pane::open_jobs(line, cx),
            None => Update::status("no entity under the cursor"),
        })
    }

    fn words(&self, _: Option<&ShareLine>) -> &'static [(Action, &'static str)] {
        &[(Action::Select, "its jobs")]
    }

    fn has_why(line: &ShareLine, _: ViewContext<'_>) -> bool {
        line.entity.next_job.is_some() || !line.position().waiting.is_empty()
    }

    /// The next job of the entity, or else its first waiting one.
    fn object_to_explain(line: &ShareLine, cx: ViewContext<'_>) -> Option<Object> {
        if let Some(next) = &line.entity.next_job {
            return Some(Object::Job(next.clone()));
        }
        let first = *line.position().waiting.first()?;
        Some(Object::of_job(first, cx.snapshot()))
    }

    fn object(line: &ShareLine, _: ViewContext<'_>) -> Option<Object> {
        Some(Object::Entity(line.entity.entity.clone()))
    }

    fn detail(area: Rect) -> DetailLayout {
        DetailLayout { rows: if area.height < TALL { 0 } else { DETAIL }, framed: true }
    }

    fn draw_detail(&self, line: &ShareLine, place: DetailPlace, buf: &mut Buffer, cx: ViewContext<'_>) {
        pane::draw(line, place, buf, cx);
    }

    fn detail_links(&self, line: &ShareLine, area: Rect, cx: ViewContext<'_>) -> Vec<StoryLink> {
        pane::links(line, area, cx)
    }
}

/// Opens the list of jobs, filtered.
fn jobs(filter: String) -> Update {
    Update::request(Effect::GoTo(Object::View(ViewName::Jobs))).with(Effect::SetFilter(filter))
}
