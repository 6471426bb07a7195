//! What a view is: state of its own, an update, and drawing that only reads.
//!
//! The shell owns the views, the [`World`] that they read, the filter line, the overlays and the back stack. It calls
//! [`View::refresh`] whenever snapshot, position or subject changed, so that a view makes there what drawing needs and
//! costs time, and otherwise passes on what the user does while the view is on the screen.

use std::any::Any;
use std::collections::BTreeSet;
use std::fmt::Debug;
use std::time::Instant;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use serde_json::Value;

use super::chosen::{Chosen, TableShape};
use super::records::ValueCount;
use crate::action::{Action, Context};
use crate::filter::Filter;
use crate::task::News;
use crate::theme::Theme;
use crate::views::{Effect, Object, Update, World};
use crate::widgets::table::TableColumn;
use qscope_engine::cluster::Epoch;
use qscope_exits::Clip;
use qscope_session::query::{Fields, QueryError};

/// A filter that one key applies: its name and its text.
pub(crate) type QuickFilter = (&'static str, &'static str);

/// The cells of a table as values: its filter, order and columns applied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grid {
    pub titles: Vec<String>,
    /// Moments and durations in seconds, numbers as numbers, null for nothing.
    pub rows: Vec<Vec<Value>>,
}

impl Grid {
    /// The values that rows have in columns for programs; of two of one name the first.
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
    fn refresh(&mut self, world: World<'_>);

    /// When the view goes over to the snapshot on the screen, where it shows one before; none while it cannot be known.
    fn due(&self, _world: World<'_>) -> Option<Instant> {
        None
    }

    /// What the view requests since its last refresh, such as a computation. Called after each change of the screen.
    fn requests(&mut self) -> Vec<Effect> {
        Vec::new()
    }

    /// Makes what drawing needs and depends on the place, such as wrapped text.
    fn prepare(&mut self, area: Rect, world: World<'_>) {
        let _ = (area, world);
    }

    /// Which keys work in the pane that has the focus, for a view whose panes have keys of their own.
    fn pane_context(&self) -> Option<Context> {
        None
    }

    /// Whether step keys go through lines of the view, and not through the cycle.
    fn takes_steps(&self) -> bool {
        false
    }

    /// Executes an action, while the view stands in `area`.
    fn act(&mut self, action: Action, area: Rect, world: World<'_>) -> Update;

    /// The same action so often, or until nothing changes any more.
    fn repeat(&mut self, action: Action, times: usize, area: Rect, world: World<'_>) -> Update {
        let mut all = Update::nothing();
        for _ in 0..times {
            let update = self.act(action, area, world);
            let ends = !update.changed;
            all = all.and(update);
            if ends {
                break;
            }
        }
        all
    }

    /// A turn of the mouse wheel over the area, as [`Action::Up`] or [`Action::Down`].
    fn wheel(&mut self, action: Action, _at: Position, area: Rect, world: World<'_>) -> Update {
        self.act(action, area, world)
    }

    /// Stops what is being computed for the view; false when nothing is.
    fn stop(&mut self) -> bool {
        false
    }

    /// Lets a stopped computation go on; false when none was stopped.
    fn resume(&mut self) -> bool {
        false
    }

    /// Closes what is open within the view; false when there is nothing.
    fn close(&mut self) -> bool {
        false
    }

    /// Its key was pressed while it is on the screen.
    fn reset_focus(&mut self) {}

    /// The fields of the filter line; without any, only words can be searched.
    fn fields(&self, _world: World<'_>) -> Fields {
        Fields::default()
    }

    /// The values that rows have in a field, and how many rows each, for the line that is being typed.
    fn values(&self, _field: &str, _world: World<'_>) -> Vec<ValueCount> {
        Vec::new()
    }

    /// Keeps what matches; called while a filter is typed, and with an empty one when it is cleared.
    fn filter(&mut self, filter: &Filter, world: World<'_>) {
        let _ = (filter, world);
    }

    /// Puts the cursor on the next row that matches, or the previous one; none where nothing can be searched.
    fn find(&mut self, _filter: &Filter, _forward: bool, _world: World<'_>) -> Option<bool> {
        None
    }

    /// Filters that one key goes through.
    fn quick_filters(&self) -> &'static [QuickFilter] {
        &[]
    }

    /// Groups by a criterion of that name; false where there is none.
    fn group_by(&mut self, _by: &str, _world: World<'_>) -> bool {
        false
    }

    /// The columns of the view's table; none where it has no table.
    fn table(&self, _world: World<'_>) -> Option<TableShape> {
        None
    }

    /// Shows the chosen columns in the chosen order.
    fn set_table(&mut self, chosen: &Chosen, world: World<'_>) {
        let _ = (chosen, world);
    }

    /// The table as texts, for a file.
    fn grid(&self, _world: World<'_>) -> Option<Grid> {
        None
    }

    /// Puts the cursor on an object, whatever the filter; false when the view does not show it.
    fn show(&mut self, _object: &Object, _world: World<'_>) -> bool {
        false
    }

    /// Puts the cursor back on an object after going back or forward, and leaves the focus where it is.
    fn return_to(&mut self, object: &Object, world: World<'_>) {
        self.show(object, world);
    }

    /// Begins at a moment, in a view over time; false where it has none, or where the moment has passed.
    fn go_to_moment(&mut self, _at: Epoch, _world: World<'_>) -> bool {
        false
    }

    /// The settings of a what-if that the line under the cursor stands for.
    fn settings_here(&self, _world: World<'_>) -> Vec<String> {
        Vec::new()
    }

    /// Whether the pane with the keys is the last one that way, behind which the alerts have them.
    fn is_last_pane(&self, _forward: bool, _area: Rect, _world: World<'_>) -> bool {
        true
    }

    /// Whether there is another pane that can have the keys.
    fn has_more_panes(&self) -> bool {
        false
    }

    /// Actions that do nothing here for now, and that the last line leaves out.
    fn idle(&self, _world: World<'_>) -> &'static [Action] {
        &[]
    }

    /// What actions do here for now, where that is something else than the last line has for the view.
    fn words(&self, _world: World<'_>) -> &'static [(Action, &'static str)] {
        &[]
    }

    /// The job or node to be explained.
    fn why_object(&self, world: World<'_>) -> Option<Object> {
        self.here(world)
    }

    /// What is under the cursor.
    fn here(&self, _world: World<'_>) -> Option<Object> {
        None
    }

    /// A click into the area; a second one on the same place comes as [`Action::Select`].
    fn click(&mut self, _at: Position, _area: Rect, _world: World<'_>) -> Update {
        Update::nothing()
    }

    /// The mouse is moved with its button held: a strip is scrubbed.
    fn drag(&mut self, _at: Position, _area: Rect, _world: World<'_>) -> Update {
        Update::nothing()
    }

    /// Whether a click there is on a heading, which has no second meaning for a second click.
    fn is_heading(&self, _at: Position, _area: Rect, _world: World<'_>) -> bool {
        false
    }

    /// Progress or result of an [`Effect::Compute`]; every view gets it and compares the number with its
    /// [`Ticket`](crate::task::Ticket).
    fn on_news(&mut self, _ticket: u64, _news: &News, _world: World<'_>) -> Update {
        Update::nothing()
    }

    /// A line requested with [`Effect::Prompt`] is being typed, or is to be accepted as it is: what is wrong with it.
    fn typed(&mut self, _text: &str, _is_finished: bool, _world: World<'_>) -> Option<QueryError> {
        None
    }

    /// What the line may be completed to.
    fn complete(&mut self, _text: &str, _world: World<'_>) -> Option<String> {
        None
    }

    /// The line is finished.
    fn accept(&mut self, _text: &str, _world: World<'_>) -> Update {
        Update::nothing()
    }

    /// The line was cancelled.
    fn cancel(&mut self) {}

    /// What a copy puts into the clipboard: what it is, and the text. The name of what is under the cursor, unless
    /// the view has more.
    fn copy(&self, world: World<'_>) -> Option<(&'static str, Clip)> {
        self.here(world).map(|object| (object.kind(), Clip::line(object.name())))
    }

    /// Draws the view.
    fn render(&self, area: Rect, buf: &mut Buffer, world: World<'_>, theme: &Theme);
}

/// A view that has its data from files, without a cluster on the screen: there is no cycle to step through and no
/// other view to go to. Its methods are those of [`View`] without the world.
pub trait FileView: Debug {
    /// Whether an action works on files.
    fn has(&self, action: Action) -> bool;

    /// Facts for the header, with how long each stays when there is little room.
    fn facts(&self) -> Vec<(String, u8)>;

    /// Effects requested since the last call.
    fn requests(&mut self) -> Vec<Effect>;

    /// Executes an action, while the view stands in `area`.
    fn act(&mut self, action: Action, area: Rect) -> Update;

    /// A click into the area.
    fn click(&mut self, at: Position, area: Rect) -> Update;

    /// Progress or result of an [`Effect::Compute`].
    fn on_news(&mut self, ticket: u64, news: &News) -> Update;

    /// What a copy puts into the clipboard: what it is, and the text.
    fn copy(&self) -> Option<(&'static str, Clip)>;

    /// Draws the view.
    fn render(&self, area: Rect, buf: &mut Buffer, theme: &Theme);
}
