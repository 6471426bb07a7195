//! What if: settings that are not so, each on or off, and what the whole cycle would be with them, held against the
//! live one.
//!
//! ```text
//! ┏ WHAT IF: 2 settings, not the live cycle ━━━━━━━━━━━━━━━━━━━━━━━━━ 38 ms ━━ 1/9 ┓
//! ┃  what          change                                                       ┃
//! ┃  settings: t turns one on or off, Enter changes it, d takes it away         ┃
//! ┃▸ on            sched_config.strict_ordering=True                            ┃
//! ┃  off           node.n[1-4].state=offline                                    ┃
//! ┃  against the live cycle: 1 waits, 2 moved                                   ┃
//! ┃  waits now     12                                                           ┃
//! ┗━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┛
//! ```

mod rows;

use std::sync::Arc;
use std::time::{Duration, Instant};

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::widgets::{Clear, Widget};

use super::listing::Listing;
use crate::console::action::Action;
use crate::console::changes::About;
use crate::console::filter::Filter;
use crate::console::task::{News, Task, Ticket};
use crate::console::theme::Theme;
use crate::console::view::{Object, Reply, View, Wish};
use crate::console::widgets::frame;
use crate::console::widgets::table::Table;
use crate::console::wording;
use crate::console::world::World;
use crate::query::QueryError;
use crate::session::{Generation, WhatIfAnswer, ask_what_if};
use crate::source::{SettingError, Settings, complete};

use rows::{COLUMNS, Row, keeps, rows};

/// What stands before a setting that is being typed.
const LABEL: &str = " what if: ";
/// So many keys are offered at once.
const MOST_OFFERED: usize = 8;

/// One setting.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Setting {
    text: String,
    on: bool,
}

/// What came of asking.
#[derive(Debug)]
struct Answered {
    result: Result<WhatIfAnswer, SettingError>,
    took: Duration,
}

/// The view's state.
#[derive(Debug, Default)]
pub struct WhatIf {
    settings: Vec<Setting>,
    /// What is asked about: the live generation.
    base: Option<Arc<Generation>>,
    ticket: Option<Ticket>,
    /// A question that is still to be asked.
    wish: Option<Wish>,
    answer: Option<Arc<Answered>>,
    list: Listing<Row>,
    filter: Filter,
    /// The setting that is being changed rather than added.
    changing: Option<usize>,
    /// While one types: keys that it may become.
    offered: Option<Vec<String>>,
}

impl WhatIf {
    fn texts(&self) -> Vec<String> {
        self.settings.iter().filter(|setting| setting.on).map(|setting| setting.text.clone()).collect()
    }

    /// Has a worker run the cycle with the settings that are on.
    fn ask(&mut self) {
        let texts = self.texts();
        (self.ticket, self.wish) = (None, None);
        let Some(base) = self.base.clone().filter(|_| !texts.is_empty()) else {
            self.answer = None;
            self.refresh();
            return;
        };
        let (task, ticket) = Task::new(format!("what if {}", texts.join(", ")), move |progress| {
            if !progress.at(0, 1) {
                return None;
            }
            let started = Instant::now();
            let result = ask_what_if(&base, &texts);
            Some(Answered { result, took: started.elapsed() })
        });
        self.ticket = Some(ticket);
        self.wish = Some(Wish::Ask(task));
        self.refresh();
    }

    fn refresh(&mut self) {
        let answer = self.answer.as_ref().map(|answered| answered.result.as_ref());
        let waits = self.ticket.is_some();
        let all = rows(self.settings.iter().map(|one| (one.text.as_str(), one.on)), answer, waits);
        self.list.set(all, |row| keeps(&self.filter, row), Row::is_same);
    }

    /// The setting under the cursor.
    fn under(&self) -> Option<usize> {
        match self.list.selected()? {
            Row::Setting { at, .. } => Some(*at),
            _ => None,
        }
    }

    /// Opens the line for a setting, with a text to begin with.
    fn open(&mut self, changing: Option<usize>, world: World<'_>) -> Reply {
        let text =
            changing.and_then(|at| self.settings.get(at)).map_or_else(String::new, |one| one.text.clone());
        self.changing = changing;
        self.offer(&text, world);
        Reply::changed().with(Wish::Type { label: LABEL, text })
    }

    fn offer(&mut self, text: &str, world: World<'_>) {
        self.offered = Some(complete(text, &world.live().snapshot));
    }

    /// The settings as they would be with what is typed.
    fn tried(&self, text: &str) -> Vec<String> {
        let kept = self.settings.iter().enumerate().filter(|(at, one)| one.on && Some(*at) != self.changing);
        kept.map(|(_, one)| one.text.clone()).chain([text.to_owned()]).collect()
    }

    /// Looks at the cycle with the settings, in every view, until somebody goes back.
    fn look_into(&self) -> Reply {
        match self.answer.as_deref().map(|answered| answered.result.as_ref()) {
            Some(Ok(answer)) => Reply::wish(Wish::LookInto(answer.generation.clone())),
            Some(Err(error)) => Reply::say(error.what.clone()),
            None if self.ticket.is_some() => Reply::say("the cycle is still running"),
            None => Reply::say("nothing is set; s sets something"),
        }
    }

    fn select(&mut self, world: World<'_>) -> Reply {
        let about = match self.list.selected() {
            Some(Row::Setting { at, .. }) => return self.open(Some(*at), world),
            Some(Row::Change(line)) => line.about.clone(),
            _ => return Reply::say("nothing to go to under the cursor; s sets something"),
        };
        let reply = self.look_into();
        match about {
            About::Job(name) => reply.with(Wish::Go(Object::Job(name))),
            About::Nodes(names) => match names.into_iter().next() {
                Some(name) => reply.with(Wish::Go(Object::Node(name))),
                None => reply,
            },
            About::Setting(_) => Reply::nothing(),
        }
    }

    fn title(&self) -> String {
        match self.texts().len() {
            0 => "What if".to_owned(),
            n => format!("WHAT IF: {}, not the live cycle", wording::count(n, "setting")),
        }
    }

    fn note(&self) -> String {
        let place = self.list.table.position(self.list.len());
        match (&self.ticket, &self.answer) {
            (Some(_), _) => format!("running … {place}"),
            (None, Some(answered)) => format!("answered in {} ms, {place}", answered.took.as_millis()),
            (None, None) => place,
        }
    }

    /// The keys that what is typed may become, over the lowest lines.
    fn render_offer(&self, area: Rect, buf: &mut Buffer, theme: &Theme) {
        let Some(offered) = self.offered.as_ref().filter(|offered| !offered.is_empty()) else { return };
        let rows = offered.len().min(MOST_OFFERED);
        let height = u16::try_from(rows + 2).unwrap_or(u16::MAX).min(area.height);
        let place = Rect { y: area.bottom().saturating_sub(height), height, ..area };
        Clear.render(place, buf);
        let note = format!("{} of {}", rows, offered.len());
        let inner = frame::pane(place, buf, theme, "Keys; Tab takes the first", &note, true);
        let lines: Vec<&str> = offered.iter().take(rows).map(String::as_str).collect();
        frame::empty(inner, buf, theme, &lines);
    }
}

impl View for WhatIf {
    fn look(&mut self, world: World<'_>) {
        let live = world.live();
        let is_same = self.base.as_ref().is_some_and(|base| Arc::ptr_eq(base, live));
        if !is_same {
            self.base = Some(live.clone());
            self.ask();
        }
    }

    fn wishes(&mut self) -> Vec<Wish> {
        self.wish.take().into_iter().collect()
    }

    fn act(&mut self, action: Action, area: Rect, world: World<'_>) -> Reply {
        match (action, self.under()) {
            (Action::AddSetting, _) => return self.open(None, world),
            (Action::LookInto, _) => return self.look_into(),
            (Action::Select, _) => return self.select(world),
            (Action::ToggleSetting, Some(at)) => {
                if let Some(setting) = self.settings.get_mut(at) {
                    setting.on = !setting.on;
                }
            }
            (Action::DropSetting, Some(at)) => {
                self.settings.remove(at);
            }
            (Action::ToggleSetting | Action::DropSetting, None) => {
                return Reply::say("no setting under the cursor");
            }
            _ => return self.list.go(action, area),
        }
        self.ask();
        Reply::changed()
    }

    fn typed(&mut self, text: &str, world: World<'_>) -> Option<QueryError> {
        self.offer(text, world);
        if !text.contains('=') {
            // It may become a key yet, as long as there is one that it may become.
            let hopeless = self.offered.as_ref().is_some_and(Vec::is_empty);
            let error = Settings::read(&[format!("{text}=")], &world.live().snapshot).err();
            return error.filter(|_| hopeless).map(|error| QueryError {
                span: error.span.start.min(text.len())..error.span.end.min(text.len()),
                what: error.what,
            });
        }
        let error = Settings::read(&self.tried(text), &world.live().snapshot).err()?;
        let span = if error.text == text { error.span } else { 0..text.len() };
        Some(QueryError { what: error.what, span })
    }

    fn complete(&mut self, text: &str, _: World<'_>) -> Option<String> {
        self.offered.as_ref()?.iter().find(|key| *key != text).cloned()
    }

    fn accept(&mut self, text: &str, _: World<'_>) -> Reply {
        self.offered = None;
        let text = text.trim();
        let setting = Setting { text: text.to_owned(), on: true };
        match self.changing.take().and_then(|at| self.settings.get_mut(at)) {
            Some(old) if !text.is_empty() => *old = setting,
            None if !text.is_empty() => self.settings.push(setting),
            _ => return Reply::changed(),
        }
        self.ask();
        Reply::changed()
    }

    fn give_up(&mut self) {
        (self.offered, self.changing) = (None, None);
    }

    fn filter(&mut self, filter: &Filter, _: World<'_>) {
        self.filter = filter.clone();
        self.list.keep(|row| keeps(filter, row));
    }

    fn show(&mut self, object: &Object, _: World<'_>) -> bool {
        let Object::Job(name) = object else { return false };
        self.list.put_on(|row| matches!(row, Row::Change(line) if line.about == About::Job(name.clone())))
    }

    fn here(&self, _: World<'_>) -> Option<Object> {
        match self.list.selected()? {
            Row::Change(line) => match &line.about {
                About::Job(name) => Some(Object::Job(name.clone())),
                About::Nodes(names) => names.first().map(|name| Object::Node(name.clone())),
                About::Setting(_) => None,
            },
            _ => None,
        }
    }

    fn click(&mut self, at: Position, area: Rect, _: World<'_>) -> Reply {
        self.list.click(at, area)
    }

    fn hear(&mut self, ticket: u64, news: &News, _: World<'_>) -> Reply {
        let News::Answer(answer) = news else { return Reply::nothing() };
        if !self.ticket.as_ref().is_some_and(|have| have.is(ticket)) {
            return Reply::nothing();
        }
        self.ticket = None;
        self.answer = answer.clone().downcast::<Answered>().ok();
        self.refresh();
        Reply::changed()
    }

    fn copy(&self, _: World<'_>) -> Option<(&'static str, String)> {
        let flags: Vec<String> = self.texts().iter().map(|text| format!("--set '{text}'")).collect();
        (!flags.is_empty()).then(|| ("settings, as for the command line", flags.join(" ")))
    }

    fn render(&self, area: Rect, buf: &mut Buffer, _: World<'_>, theme: &Theme) {
        let inner = frame::pane(area, buf, theme, &self.title(), &self.note(), true);
        if self.settings.is_empty() {
            let lines = [
                "Nothing is set: this is the live cycle.",
                "",
                "s  sets something, KEY=VALUE: any option or attribute. For example",
                "     strict_ordering=True              node_group_key=switch",
                "     queue.big.started=False           node.n[1-4].state=offline",
                "     job.12.Resource_List.walltime=1:00:00",
                "   Tab completes keys. The whole cycle is run again with it, and held against",
                "   the live one, which stays as it is.",
            ];
            frame::empty(inner, buf, theme, &lines);
        } else {
            let rows = rows::Shown(&self.list);
            Table { columns: &COLUMNS, rows: &rows, state: self.list.table, theme, focused: true }
                .render(inner, buf);
        }
        self.render_offer(area, buf, theme);
    }
}
