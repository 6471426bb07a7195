//! The interface of a view: its own state, an update, and drawing that only reads.
//!
//! The shell owns the views, the [`ViewContext`] that they read, the filter line, the overlays and the back stack. It calls
//! [`View::refresh`] whenever snapshot, position or subject changed, so that a view can prepare there what drawing
//! needs and takes time, and otherwise passes on the user's input while the view is on the screen.

use std::any::Any;
use std::collections::BTreeSet;
use std::fmt::Debug;
use std::time::Instant;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use serde_json::Value;

use super::records::ValueCount;
use super::table_choices::{TableChoices, TableShape};
use crate::action::{Action, Context};
use crate::filter::Filter;
use crate::task::TaskNews;
use crate::theme::Theme;
use crate::views::{Effect, Object, Update, ViewContext};
use crate::widgets::table::TableColumn;
use qscope_engine::cluster::Epoch;
use qscope_exits::{ClipboardText, Lines};
use qscope_session::query::{QueryError, QueryFields};

/// A filter that one key applies: its name and its text.
pub(crate) type QuickFilter = (&'static str, &'static str);

/// The cells of a table as values, with filter, order and columns applied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grid {
    pub titles: Vec<String>,
    /// Moments and durations are in seconds, numbers are numbers, empty cells are null.
    pub rows: Vec<Vec<Value>>,
}

impl Grid {
    /// The values of rows in columns, for export; of columns with the same name only the first is kept.
    pub(crate) fn of<'c, 'a: 'c, T: 'a>(
        columns: impl Iterator<Item = &'c TableColumn<'a, T>>,
        rows: impl Iterator<Item = &'a T>,
    ) -> Self {
        let mut values: Vec<_> = columns.flat_map(TableColumn::for_programs).collect();
        let mut names = BTreeSet::new();
        values.retain(|(name, _)| names.insert(*name));
        let titles = values.iter().map(|(name, _)| (*name).to_owned()).collect();
        let row = |row| values.iter().map(|(_, value)| value(row)).collect();
        Self { titles, rows: rows.map(row).collect() }
    }
}

pub trait View: Debug + Any {
    /// Called before anything else, and when snapshot, position or subject changed. The cursor stays on the object of
    /// the same name.
    fn refresh(&mut self, cx: ViewContext<'_>);

    /// When the view, if it still shows an older snapshot, switches to the one on the screen; `None` if that is
    /// unknown.
    fn due(&self, _world: ViewContext<'_>) -> Option<Instant> {
        None
    }

    /// The effects requested since the last refresh, such as a computation. Called after each change of the screen.
    fn requests(&mut self) -> Vec<Effect> {
        Vec::new()
    }

    /// Prepares what drawing needs and depends on the area, such as wrapped text.
    fn prepare(&mut self, area: Rect, cx: ViewContext<'_>) {
        let _ = (area, cx);
    }

    /// The context of the keys in the focused pane, for a view whose panes have different keys.
    fn pane_context(&self) -> Option<Context> {
        None
    }

    /// Whether step keys move through lines of the view instead of the cycle.
    fn takes_steps(&self) -> bool {
        false
    }

    /// Executes an action; `area` is the area of the view.
    fn act(&mut self, action: Action, area: Rect, cx: ViewContext<'_>) -> Update;

    /// Executes the action `times` times, or until nothing changes any more.
    fn repeat(&mut self, action: Action, times: usize, area: Rect, cx: ViewContext<'_>) -> Update {
        let mut all = Update::unchanged();
        for _ in 0..times {
            let update = self.act(action, area, cx);
            let ends = !update.changed;
            all = all.followed_by(update);
            if ends {
                break;
            }
        }
        all
    }

    /// Handles the mouse wheel over the area, as [`Action::Up`] or [`Action::Down`].
    fn wheel(&mut self, action: Action, _at: Position, area: Rect, cx: ViewContext<'_>) -> Update {
        self.act(action, area, cx)
    }

    /// Stops the computations for the view; false if there are none.
    fn stop(&mut self) -> bool {
        false
    }

    /// Continues a stopped computation; false if none was stopped.
    fn resume(&mut self) -> bool {
        false
    }

    /// Closes what is open within the view; false if nothing is.
    fn close(&mut self) -> bool {
        false
    }

    /// Called when the key of the view is pressed while it is on the screen.
    fn reset_focus(&mut self) {}

    /// The fields of the filter line; without any, only text can be searched.
    fn fields(&self, _world: ViewContext<'_>) -> QueryFields {
        QueryFields::default()
    }

    /// The values of a field, with the number of rows that have each, for completion.
    fn values(&self, _field: &str, _world: ViewContext<'_>) -> Vec<ValueCount> {
        Vec::new()
    }

    /// Applies a filter; called while it is typed, and with an empty one when it is cleared.
    fn filter(&mut self, filter: &Filter, cx: ViewContext<'_>) {
        let _ = (filter, cx);
    }

    /// Puts the cursor on the next or previous row that matches and returns whether there is one; `None` if the view
    /// cannot search.
    fn find(&mut self, _filter: &Filter, _forward: bool, _world: ViewContext<'_>) -> Option<bool> {
        None
    }

    /// Filters that one key cycles through.
    fn quick_filters(&self) -> &'static [QuickFilter] {
        &[]
    }

    /// Groups by the criterion with that name; false if there is none.
    fn group_by(&mut self, _by: &str, _world: ViewContext<'_>) -> bool {
        false
    }

    /// The columns of the view's table; `None` without a table.
    fn table(&self, _world: ViewContext<'_>) -> Option<TableShape> {
        None
    }

    /// Applies the chosen columns and order.
    fn set_table(&mut self, choices: &TableChoices, cx: ViewContext<'_>) {
        let _ = (choices, cx);
    }

    /// The table as values, for export.
    fn grid(&self, _world: ViewContext<'_>) -> Option<Grid> {
        None
    }

    /// The packing policy that the view shows as a file, or why there is none; `None` if the view has no policies.
    fn policy(&self) -> Option<Result<Lines, String>> {
        None
    }

    /// Puts the cursor on an object, regardless of the filter; false if the view does not show it.
    fn show(&mut self, _object: &Object, _world: ViewContext<'_>) -> bool {
        false
    }

    /// Puts the cursor back on an object after going back or forward, without moving the focus.
    fn return_to(&mut self, object: &Object, cx: ViewContext<'_>) {
        self.show(object, cx);
    }

    /// Starts the time axis at a moment; false without an axis, or if the moment has passed.
    fn go_to_moment(&mut self, _at: Epoch, _world: ViewContext<'_>) -> bool {
        false
    }

    /// The settings of a what-if that the selected line stands for.
    fn settings_here(&self, _world: ViewContext<'_>) -> Vec<String> {
        Vec::new()
    }

    /// Whether the focused pane is the last one in that direction, so that the alerts are next.
    fn is_last_pane(&self, _forward: bool, _area: Rect, _world: ViewContext<'_>) -> bool {
        true
    }

    /// Whether another pane can get the focus.
    fn has_more_panes(&self) -> bool {
        false
    }

    /// Actions without effect at present, which the footer leaves out.
    fn inactive_actions(&self, _world: ViewContext<'_>) -> &'static [Action] {
        &[]
    }

    /// Words for actions that at present differ from the usual ones in the footer.
    fn words(&self, _world: ViewContext<'_>) -> &'static [(Action, &'static str)] {
        &[]
    }

    /// The job or node to be explained.
    fn object_to_explain(&self, cx: ViewContext<'_>) -> Option<Object> {
        self.object_at_cursor(cx)
    }

    /// The object under the cursor.
    fn object_at_cursor(&self, _world: ViewContext<'_>) -> Option<Object> {
        None
    }

    /// Handles a click into the area; a second click on the same place comes as [`Action::Select`].
    fn click(&mut self, _at: Position, _area: Rect, _world: ViewContext<'_>) -> Update {
        Update::unchanged()
    }

    /// Handles the mouse being moved with its button held, such as scrubbing a strip.
    fn drag(&mut self, _at: Position, _area: Rect, _world: ViewContext<'_>) -> Update {
        Update::unchanged()
    }

    /// Whether a click there is on a heading, so that a second click is not [`Action::Select`].
    fn is_heading(&self, _at: Position, _area: Rect, _world: ViewContext<'_>) -> bool {
        false
    }

    /// Takes progress or the result of an [`Effect::Compute`]; every view gets it and compares the number with its
    /// [`Ticket`](crate::task::Ticket).
    fn on_news(&mut self, _news: &TaskNews, _world: ViewContext<'_>) -> Update {
        Update::unchanged()
    }

    /// Checks a line requested with [`Effect::Prompt`] while it is typed, or when it is finished; returns what is wrong
    /// with it.
    fn typed(&mut self, _text: &str, _is_finished: bool, _world: ViewContext<'_>) -> Option<QueryError> {
        None
    }

    /// The completion of the line.
    fn complete(&mut self, _text: &str, _world: ViewContext<'_>) -> Option<String> {
        None
    }

    /// Takes the finished line.
    fn accept(&mut self, _text: &str, _world: ViewContext<'_>) -> Update {
        Update::unchanged()
    }

    /// Called when the line is cancelled.
    fn cancel(&mut self) {}

    /// What to copy: what it is, and the text; by default the name of the object under the cursor.
    fn copy(&self, cx: ViewContext<'_>) -> Option<(&'static str, ClipboardText)> {
        self.object_at_cursor(cx).map(|object| (object.kind(), ClipboardText::line(object.name())))
    }

    /// Draws the view.
    fn render(&self, area: Rect, buf: &mut Buffer, cx: ViewContext<'_>);
}

/// A view on files, without a cluster on the screen: there is no cycle to step through and no other view to go to. Its
/// methods are those of [`View`] without the context.
pub trait FileView: Debug {
    /// Whether an action works on files.
    fn has(&self, action: Action) -> bool;

    /// Facts for the header, each with a priority: those with the lowest are dropped first where there is little room.
    fn facts(&self) -> Vec<(String, u8)>;

    /// Effects requested since the last call.
    fn requests(&mut self) -> Vec<Effect>;

    /// Executes an action; `area` is the area of the view.
    fn act(&mut self, action: Action, area: Rect) -> Update;

    /// Handles a click into the area.
    fn click(&mut self, at: Position, area: Rect) -> Update;

    /// Takes progress or the result of an [`Effect::Compute`].
    fn on_news(&mut self, news: &TaskNews) -> Update;

    /// What to copy: what it is, and the text.
    fn copy(&self) -> Option<(&'static str, ClipboardText)>;

    /// Draws the view.
    fn render(&self, area: Rect, buf: &mut Buffer, theme: &Theme);
}
