//! Every setting in effect: its value, where it is set, and whether it differs from the default (console.md 3,
//! Settings).
//!
//! ```text
//! ┏ Settings in effect · 4 differ ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━ ▸ 3/60 ┓
//! ┃ setting                value               from                             ┃
//! ┃▸● strict_ordering      True                sched_config:4    False          ┃
//! ┗━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┛
//! ```
//! A worker reads the files again to find where a setting is set.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::excerpt::ExcerptRequest;
use super::list::{DetailLayout, DetailPlace, ListModel};
use crate::action::Action;
use crate::filter::Filter;
use crate::layout::{cells, indented_inner_area};
use crate::story::{Paragraph, Story, TextPiece};
use crate::task::{Computation, TaskNews};
use crate::theme::Role;
use crate::views::{Effect, Object, Pending, QuickFilter, Update, ViewContext, ViewName};
use crate::widgets::frame;
use crate::widgets::table::{Cell, TableColumn, Width};
use crate::widgets::text;
use qscope_exits::ClipboardText;
use qscope_session::Generation;
use qscope_session::as_read::places;
use qscope_session::query::{FieldColumn, FieldKind, FieldValue, QueryFields, QueryRecord};
use qscope_session::settings::{EffectiveSetting, SettingSource, quirk_settings, settings, time_settings};
use qscope_source::as_read::SettingLocation;

/// The view's state: where settings are set, and the snapshot this is known for.
#[derive(Debug, Default)]
pub(crate) struct SettingListModel {
    generation: Option<Arc<Generation>>,
    places: Arc<Vec<SettingLocation>>,
    placing: Pending<Vec<SettingLocation>>,
    excerpt: ExcerptRequest,
    differ: usize,
    /// Columns of the longest value.
    widest: u16,
    /// Names that settings of several sections have.
    shared: BTreeSet<String>,
}

type SettingColumn = FieldColumn<for<'r> fn(&'r EffectiveSetting) -> Option<FieldValue<'r>>>;

const FIELDS: &[SettingColumn] = &[
    SettingColumn::new("setting", FieldKind::Text, (24, 1), "its name", |row| {
        Some(FieldValue::text(&*row.name))
    }),
    SettingColumn::new("value", FieldKind::Text, (24, 1), "its value", |row| {
        Some(FieldValue::text(row.value.as_deref()?))
    }),
    SettingColumn::new(
        "section",
        FieldKind::Text,
        (12, 2),
        "sched_config, server, scheduler, holidays, dedicated_time or quirks",
        |row| Some(FieldValue::text(row.section)),
    ),
    SettingColumn::new("from", FieldKind::Text, (18, 2), "where it stands", |row| {
        Some(FieldValue::text(row.from_words()))
    }),
    SettingColumn::new("differs", FieldKind::Flag, (4, 2), "whether it differs from the default", |row| {
        Some(FieldValue::Flag(row.differs()))
    }),
];

/// The columns of settings.
pub fn setting_fields() -> QueryFields {
    QueryFields::of(FIELDS)
}

/// The record of a setting for the filter.
struct SettingRow<'a>(&'a EffectiveSetting);

impl QueryRecord for SettingRow<'_> {
    fn fact(&self, field: &str) -> Option<FieldValue<'_>> {
        (FieldColumn::named(FIELDS, field)?.value)(self.0)
    }

    fn any_text(&self, holds: &dyn Fn(&str) -> bool) -> bool {
        let value = self.0.value.as_deref().unwrap_or_default();
        [self.0.section, &*self.0.name, value, &*self.0.from_words(), self.0.doc].into_iter().any(holds)
    }
}

/// Minimum width for a column with the section; below it the file in which a setting is set identifies it well enough.
const ROOMY: u16 = 100;

/// Minimum width for a column with the meaning of a setting.
const MEANING: u16 = 140;

const NOT_SET: &str = "(not set)";

impl ListModel for SettingListModel {
    type Line = EffectiveSetting;

    fn lines(&mut self, cx: ViewContext<'_>) -> Vec<Rc<EffectiveSetting>> {
        let generation = cx.generation();
        if !self.generation.as_ref().is_some_and(|about| Arc::ptr_eq(about, generation)) {
            self.generation = Some(generation.clone());
            self.places = Arc::default();
            let of = generation.clone();
            self.placing.begin(Computation::new("where settings stand", move |_| Some(places(&of))));
        }
        let mut all = settings(cx.snapshot(), &self.places);
        all.extend(time_settings(cx.snapshot()));
        all.extend(quirk_settings(cx.plan().quirks));
        self.differ = all.iter().filter(|setting| setting.differs()).count();
        let values = all.iter().filter_map(|setting| setting.value.as_deref());
        let mut names = BTreeSet::new();
        let again = all.iter().filter(|setting| !names.insert(&setting.name));
        self.shared = again.map(|setting| setting.name.clone()).collect();
        self.widest = cells(values.map(|value| text::width(&text::clean(value))).max().unwrap_or(0));
        all.into_iter().map(Rc::new).collect()
    }

    fn is_same(a: &EffectiveSetting, b: &EffectiveSetting) -> bool {
        // Several lines of `holidays` may be about the same days.
        (a.section, &a.name, &a.value) == (b.section, &b.name, &b.value)
    }

    fn matches_filter(filter: &Filter, line: &EffectiveSetting, _: ViewContext<'_>) -> bool {
        filter.matches(&SettingRow(line))
    }

    fn fields(_: ViewContext<'_>) -> QueryFields {
        setting_fields()
    }

    fn quick_filters() -> &'static [QuickFilter] {
        &[("only changed", "differs=yes")]
    }

    fn title(&self, _: ViewContext<'_>) -> String {
        let verb = if self.differ == 1 { "differs" } else { "differ" };
        format!("Settings in effect · {} {verb}", self.differ)
    }

    fn columns<'a>(&'a self, cx: ViewContext<'a>, width: u16) -> Vec<TableColumn<'a, Rc<Self::Line>>> {
        // If there is a column for the meaning, it takes the room that the others leave.
        let value =
            if width < MEANING { Width::Fill(14) } else { Width::Between(14, self.widest.clamp(14, 40)) };
        let look = |line: &EffectiveSetting| if line.differs() { Role::Changed } else { Role::Text };
        let mut columns = vec![
            TableColumn::words(
                "setting",
                Width::Between(20, 42),
                98,
                move |line: &'a Rc<EffectiveSetting>| {
                    let mark = if line.differs() { cx.theme.by_set("●", "*") } else { " " };
                    Cell::of(look(line), format!("{mark} {}", self.name(line)))
                },
            )
            .valued(|line| self.name(line).into()),
            TableColumn::words("value", value, 95, move |line: &'a Rc<EffectiveSetting>| match &line.value {
                Some(value) => Cell::of(look(line), &**value),
                None => Cell::of(Role::TextDim, NOT_SET),
            }),
            TableColumn::words("from", Width::Between(17, 22), 90, |line: &'a Rc<EffectiveSetting>| {
                Cell::of(Role::TextDim, line.from_words())
            }),
            TableColumn::words(
                "default",
                Width::Between(7, 24),
                60,
                |line: &'a Rc<EffectiveSetting>| match (line.differs(), &line.default) {
                    (true, Some(default)) => Cell::new(&**default),
                    (true, None) => Cell::of(Role::TextDim, NOT_SET),
                    (false, _) => Cell::new(""),
                },
            )
            .valued(|line| line.default.as_deref().into()),
        ];
        let section = |line: &'a Rc<EffectiveSetting>| Cell::of(Role::TextDim, line.section);
        let meaning = |line: &'a Rc<EffectiveSetting>| Cell::of(Role::TextDim, line.doc);
        let roomy = [
            (ROOMY, TableColumn::words("section", Width::Fixed(12), 40, section)),
            (MEANING, TableColumn::words("meaning", Width::Fill(20), 30, meaning)),
        ];
        let roomy = roomy.into_iter();
        columns.extend(roomy.map(|(least, column)| if width < least { column.on_request() } else { column }));
        columns
    }

    fn why_empty(&self, _: ViewContext<'_>) -> Vec<String> {
        vec!["No settings were read.".to_owned()]
    }

    fn act(
        &mut self,
        action: Action,
        line: Option<&EffectiveSetting>,
        cx: ViewContext<'_>,
    ) -> Option<Update> {
        match action {
            Action::Select => Some(match line {
                Some(line) => self.open_source(line, cx),
                None => Update::status("no setting under the cursor"),
            }),
            Action::WhatIf => Some(match line {
                Some(line) if !line.is_settable() => {
                    Update::status(format!("a line of {} is no setting of a what-if", line.section))
                }
                Some(line) => Update::request(Effect::GoTo(Object::View(ViewName::WhatIf)))
                    .with(Effect::BeginSetting(line.text())),
                None => Update::status("no setting under the cursor"),
            }),
            _ => None,
        }
    }

    fn inactive_actions(&self, is_empty: bool) -> &'static [Action] {
        if is_empty {
            &[Action::Select, Action::Copy, Action::Sort, Action::AskWhy]
        } else {
            &[Action::AskWhy]
        }
    }

    fn object(_: &EffectiveSetting, _: ViewContext<'_>) -> Option<Object> {
        None
    }

    fn detail(area: Rect) -> DetailLayout {
        DetailLayout { rows: if area.height < 16 { 0 } else { 5 }, framed: true }
    }

    fn draw_detail(
        &self,
        line: &EffectiveSetting,
        place: DetailPlace,
        buf: &mut Buffer,
        cx: ViewContext<'_>,
    ) {
        let is_about_shares = line.name.starts_with("fair_share") || line.name.starts_with("fairshare");
        let hint = if is_about_shares { "= what-if · :fairshare" } else { "= what-if" };
        frame::pane(place.area, buf, cx.theme, &self.name(line), hint, false);
        let inner = indented_inner_area(place.area);
        let value = line.value.as_deref().unwrap_or(NOT_SET);
        let default = line.default.as_deref().unwrap_or(NOT_SET);
        let from = format!(" · {}", line.from_words());
        let lines = vec![
            Paragraph::words(0, [TextPiece::dim(line.doc)]),
            Paragraph::words(9, [TextPiece::plain(format!("value    {value}")), TextPiece::dim(from)]),
            Paragraph::words(9, [TextPiece::dim(format!("default  {default}"))]),
        ];
        Story::new(lines).render(inner, buf, cx.theme);
    }

    fn requests(&mut self) -> Vec<Effect> {
        self.placing.request().into_iter().collect()
    }

    fn on_news(&mut self, news: &TaskNews, _: ViewContext<'_>) -> Update {
        if let Some(update) = self.excerpt.on_news(news) {
            return update;
        }
        let Some(places) = self.placing.take(news) else { return Update::unchanged() };
        self.places = places;
        Update::changed()
    }

    fn copy(line: &EffectiveSetting, _: ViewContext<'_>) -> Option<(&'static str, ClipboardText)> {
        Some(("setting", ClipboardText::line(line.text())))
    }
}

impl SettingListModel {
    /// The name of a setting, with its section where another has the same name.
    fn name<'a>(&self, setting: &'a EffectiveSetting) -> Cow<'a, str> {
        match self.shared.contains(&setting.name) {
            true => format!("{}.{}", setting.section, setting.name).into(),
            false => (&*setting.name).into(),
        }
    }

    /// Shows the lines of the file around a setting, or why there are none.
    fn open_source(&mut self, setting: &EffectiveSetting, cx: ViewContext<'_>) -> Update {
        let (file, line) = match &setting.source {
            SettingSource::Line(file, lines) => (file, lines.last().copied().unwrap_or(1)),
            SettingSource::Read => {
                return Update::status(format!("{} was read, in a form without lines", setting.name));
            }
            SettingSource::Default => {
                return Update::status(format!("no file sets {}; the shipped value holds", setting.name));
            }
            SettingSource::Assumed => {
                let file = setting.section;
                return Update::status(format!("{file} was not read; the shipped value is assumed"));
            }
        };
        self.excerpt.open(cx.generation(), file, line)
    }
}
