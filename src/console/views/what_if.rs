//! What if: hypothetical settings, each on or off, and how the whole cycle would go with them, compared with the live
//! one.
//!
//! ```text
//! ┏ WHAT IF: 2 settings, not the live cycle ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━ 1/9 ┓
//! ┃  what          change                                                       ┃
//! ┃  settings: t turns one on or off, Enter changes it, x deletes it         ┃
//! ┃▸ on            sched_config.strict_ordering=True                            ┃
//! ┃  off           node.n[1-4].state=offline                                    ┃
//! ┃  against the live cycle: 1 waits, 2 moved                                   ┃
//! ┃  waits now     12                                                           ┃
//! ┗━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┛
//! ```

mod draw;
mod requests;
mod rows;
mod saved;
mod setting_edit;
mod settings;

use std::rc::Rc;
use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::compare::object_of;
use super::list::{FilteredList, ListHead};
use crate::action::Action;
use crate::filter::Filter;
use crate::layout::{cut_rows, inner_area};
use crate::task::TaskNews;
use crate::views::{Effect, Object, Pending, Update, View, ViewContext, ViewName};
use crate::widgets::frame;
use crate::widgets::table::Table;
use qscope_exits::ClipboardText;
use qscope_session::compare::changes::ChangeSubject;
use qscope_session::query::QueryError;
use qscope_session::{Generation, WhatIfAnswer};
use qscope_source::SettingError;

use rows::{WhatIfRow, columns, matches_filter};
use saved::SavedComparison;
use setting_edit::SettingEdit;

/// The prompt of a setting that is being typed.
const LABEL: &str = " what if: ";

#[derive(Debug, Clone, PartialEq, Eq)]
struct WhatIfSetting {
    text: String,
    on: bool,
}

/// The cycle with the settings, or why they cannot be applied.
type WhatIfResult = Result<WhatIfAnswer, SettingError>;

/// The view's state.
#[derive(Debug, Default)]
pub(crate) struct WhatIfView {
    settings: Vec<WhatIfSetting>,
    /// The live snapshot that the settings are applied to.
    base: Option<Arc<Generation>>,
    pending: Pending<WhatIfResult>,
    /// Computations about saved what-ifs, to be requested.
    more: Vec<Effect>,
    answer: Option<Arc<WhatIfResult>>,
    list: FilteredList<WhatIfRow>,
    filter: Filter,
    typing: SettingEdit,
    /// Whether to show the answer in every view when it arrives.
    enters: bool,
    saved: SavedComparison,
}

impl WhatIfView {
    /// Whether any setting is there, on or off.
    pub(crate) fn has_settings(&self) -> bool {
        !self.settings.is_empty()
    }

    /// Opens the line for a new or changed setting.
    fn open(&mut self, changing: Option<usize>, cx: ViewContext<'_>) -> Update {
        let text =
            changing.and_then(|at| self.settings.get(at)).map_or_else(String::new, |one| one.text.clone());
        self.typing = SettingEdit::begin(changing, &text, &cx.live().snapshot);
        Update::changed().with(Effect::Prompt { label: LABEL, text })
    }

    /// Shows the cycle with the settings in every view, until the live one is followed again.
    fn show_answer(&self) -> Update {
        match self.answer.as_deref() {
            Some(Ok(answer)) => Update::request(Effect::ShowWhatIf(answer.generation.clone())),
            Some(Err(error)) => Update::status(error.what.clone()),
            None if self.pending.is_waiting() => Update::status("the cycle is still running"),
            None => Update::status("nothing is set; = sets something"),
        }
    }

    /// The same, and goes to the cycle view.
    fn step_through(&self) -> Update {
        let update = self.show_answer();
        match self.answer.as_deref() {
            Some(Ok(_)) => update.with(Effect::GoTo(Object::View(ViewName::Cycle))),
            _ => update,
        }
    }

    fn select(&mut self, cx: ViewContext<'_>) -> Update {
        let about = match self.list.selected() {
            Some(WhatIfRow::Setting { at, .. }) => return self.open(Some(*at), cx),
            Some(WhatIfRow::Change(line)) => line.subject.clone(),
            _ => return Update::status("nothing to go to under the cursor; = sets something"),
        };
        let update = self.show_answer();
        match (&about, object_of(&about)) {
            (ChangeSubject::Setting(_), _) => Update::unchanged(),
            (_, Some(object)) => update.with(Effect::GoTo(object)),
            (_, None) => update,
        }
    }
}

impl View for WhatIfView {
    fn inactive_actions(&self, _: ViewContext<'_>) -> &'static [Action] {
        match self.settings.is_empty() {
            true => &[Action::Select, Action::Toggle, Action::Delete, Action::LookInto, Action::Filter],
            false => &[],
        }
    }

    fn words(&self, _: ViewContext<'_>) -> &'static [(Action, &'static str)] {
        match self.list.selected() {
            Some(WhatIfRow::Change(_)) => &[(Action::Select, "step it, go to it")],
            Some(WhatIfRow::Saved { .. }) => &[(Action::Select, "take over")],
            _ => &[],
        }
    }

    fn refresh(&mut self, cx: ViewContext<'_>) {
        let live = cx.live();
        let is_same = self.base.as_ref().is_some_and(|base| Arc::ptr_eq(base, live));
        if !is_same {
            self.base = Some(live.clone());
            self.ask();
            self.compare_saved();
        }
    }

    fn requests(&mut self) -> Vec<Effect> {
        self.pending.request().into_iter().chain(std::mem::take(&mut self.more)).collect()
    }

    fn act(&mut self, action: Action, area: Rect, cx: ViewContext<'_>) -> Update {
        let kept = self.list.selected().and_then(|row| match row {
            WhatIfRow::Saved { name, .. } => Some(name.clone()),
            _ => None,
        });
        match (action, kept) {
            (Action::Select, Some(name)) => {
                self.take_saved(&name);
                return Update::changed();
            }
            (Action::Delete, Some(name)) => {
                self.saved.all.remove(&name);
                self.refresh();
                return Update::changed();
            }
            _ => {}
        }
        match (action, self.selected_setting()) {
            (Action::WhatIf, _) => return self.open(None, cx),
            (Action::LookInto, _) => return self.step_through(),
            (Action::Select, _) => return self.select(cx),
            (Action::Toggle, Some(at)) => {
                if let Some(setting) = self.settings.get_mut(at) {
                    setting.on = !setting.on;
                }
            }
            (Action::Delete, Some(at)) => {
                self.settings.remove(at);
            }
            (Action::Toggle | Action::Delete, None) => {
                return Update::status("no setting under the cursor");
            }
            _ => return self.list.move_cursor(action, self.pane_of_list(area)),
        }
        self.ask();
        Update::changed()
    }

    fn typed(&mut self, text: &str, is_finished: bool, cx: ViewContext<'_>) -> Option<QueryError> {
        let tried = self.tried(text);
        self.typing.check((text, is_finished), &tried, &cx.live().snapshot)
    }

    fn complete(&mut self, text: &str, _: ViewContext<'_>) -> Option<String> {
        self.typing.completion(text)
    }

    fn accept(&mut self, text: &str, _: ViewContext<'_>) -> Update {
        let SettingEdit { changing, .. } = std::mem::take(&mut self.typing);
        let text = text.trim();
        if text.is_empty() {
            return Update::changed();
        }
        let at = changing.unwrap_or(self.settings.len());
        let setting = WhatIfSetting { text: text.to_owned(), on: true };
        match self.settings.get_mut(at) {
            Some(old) => *old = setting,
            None => self.settings.push(setting),
        }
        self.ask();
        self.put_on(at);
        Update::changed()
    }

    fn cancel(&mut self) {
        self.typing = SettingEdit::default();
    }

    fn filter(&mut self, filter: &Filter, _: ViewContext<'_>) {
        self.filter = filter.clone();
        self.list.filter_rows(|row| matches_filter(filter, row));
    }

    fn show(&mut self, object: &Object, _: ViewContext<'_>) -> bool {
        let Object::Job(name) = object else { return false };
        self.list.put_on(
            |row| matches!(row, WhatIfRow::Change(line) if line.subject == ChangeSubject::Job(name.clone())),
        )
    }

    fn object_at_cursor(&self, _: ViewContext<'_>) -> Option<Object> {
        match self.list.selected()? {
            WhatIfRow::Change(line) if !matches!(line.subject, ChangeSubject::Setting(_)) => {
                object_of(&line.subject)
            }
            _ => None,
        }
    }

    fn click(&mut self, at: Position, area: Rect, _: ViewContext<'_>) -> Update {
        self.list.click(at, self.pane_of_list(area))
    }

    fn on_news(&mut self, news: &TaskNews, _: ViewContext<'_>) -> Update {
        if self.saved.on_news(news) {
            self.refresh();
            return Update::changed();
        }
        let Some(answer) = self.pending.take(news) else { return Update::unchanged() };
        self.answer = Some(answer);
        self.refresh();
        match self.answer.as_deref() {
            Some(Ok(_)) if std::mem::take(&mut self.enters) => {
                self.show_answer().with(Effect::GoTo(Object::View(ViewName::Cycle))).and_changed()
            }
            _ => Update::changed(),
        }
    }

    fn copy(&self, _: ViewContext<'_>) -> Option<(&'static str, ClipboardText)> {
        let flags: Vec<String> =
            self.texts().iter().map(|text| format!("--set {}", in_quotes(text))).collect();
        (!flags.is_empty())
            .then(|| ("settings, as for the command line", ClipboardText::line(flags.join(" "))))
    }

    fn render(&self, area: Rect, buf: &mut Buffer, cx: ViewContext<'_>) {
        let theme = cx.theme;
        let head = self.head_pane();
        if self.settings.is_empty() && self.saved.all.is_empty() {
            let inner = frame::pane(area, buf, theme, &self.title(), &self.note(), true);
            let lines = [
                "Nothing is set: this is the live cycle.",
                "",
                "=  sets something, KEY=VALUE: any option or attribute. For example",
                "     strict_ordering=True              node_group_key=switch",
                "     queue.big.started=False           node.n[1-4].state=offline",
                "     job.12.Resource_List.walltime=1:00:00",
                "   Tab completes both. The whole cycle is run again with it, and compared",
                "   with the live one, which stays as it is.",
            ];
            frame::empty(inner, buf, theme, &lines);
        } else {
            let columns = columns(theme, inner_area(area).width);
            let (top, below) = cut_rows(area, ListHead::rows(head.as_ref(), area.height));
            if let Some(head) = head.filter(|_| top.height > 0) {
                head.draw(top, buf, theme);
            }
            let inner = frame::pane(below, buf, theme, &self.title(), &self.note(), true);
            Table { heading: &|row: &'_ Rc<WhatIfRow>| row.heading(), ..self.list.table(&columns, theme) }
                .render(inner, buf);
        }
        self.typing.render(area, buf, theme);
    }
}

/// Quotes a word for a shell.
fn in_quotes(word: &str) -> String {
    format!("'{}'", word.replace('\'', "'\\''"))
}
