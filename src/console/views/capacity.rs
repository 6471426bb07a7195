//! Capacity: how many nodes of which type would start the queue in time, and how a scaler would get there.
//!
//! ```text
//! ┏ Capacity: 54 nodes from scratch, all begin within 30m ━━━━━━━━━━━━━━━━━━━━━━━━━━━━┓
//! ┃[Need] Timeline  Never  Sweep  Scaler                                              ┃
//! ┃ need bound   up  max wanted  hours  type                                          ┃
//! ┃   47    22    8    8      8   20.8  16c 64gb switch=sw1   39 more than exist      ┃
//! ┗━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┛
//! ```
//! Workers compute: first the answer, then the sweep and the scaler's simulation. Changing the target or the inertia
//! cancels what is under way.

mod chart;
mod lines;
mod panes;
mod study;
mod timeline;

use std::collections::BTreeMap;
use std::sync::{Arc, Weak};
use std::time::Instant;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use crate::action::Action;
use crate::effort::SnapshotPacer;
use crate::story::{Paragraph, Story, TextPiece};
use crate::task::{News, TaskNews};
use crate::theme::{Role, Theme};
use crate::views::{Effect, Pending, Update, View, ViewContext};
use crate::widgets::frame;
use crate::widgets::text::{clean, truncate};
use crate::wording;
use qscope_engine::cluster::{Snapshot, count, show_duration};
use qscope_exits::ClipboardText;

use study::{Controls, QuickAnswer, SlowAnswer};

/// The content of a pane.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, strum::IntoStaticStr)]
enum Tab {
    #[default]
    Need,
    Timeline,
    Never,
    Sweep,
    Scaler,
}

impl Tab {
    const ALL: [Self; 5] = [Self::Need, Self::Timeline, Self::Never, Self::Sweep, Self::Scaler];

    fn title(self) -> &'static str {
        self.into()
    }

    /// The tab `step` places further, going round.
    fn cycled(self, step: usize) -> Self {
        let mut from_here = Self::ALL.into_iter().cycle().skip_while(|tab| *tab != self);
        from_here.nth(step).unwrap_or_default()
    }
}

/// The view's state.
#[derive(Debug, Default)]
pub(crate) struct CapacityView {
    controls: Controls,
    tab: Tab,
    /// First visible line of each tab.
    tops: BTreeMap<Tab, usize>,
    quick: Option<Arc<Result<QuickAnswer, String>>>,
    slow: Option<Arc<SlowAnswer>>,
    /// Progress of the slow part.
    progress: Option<(u64, u64)>,
    answering: Pending<Result<QuickAnswer, String>>,
    sweeping: Pending<SlowAnswer>,
    /// The snapshot of the answers, and its time.
    answered_snapshot: Weak<Snapshot>,
    at: String,
    pacer: SnapshotPacer,
}

impl CapacityView {
    /// Requests new answers; running tasks are cancelled.
    fn recompute(&mut self, cx: ViewContext<'_>) {
        let snap = cx.generation().snapshot.clone();
        self.answered_snapshot = Arc::downgrade(&snap);
        self.at = wording::analysed_at(&snap, snap.now);
        self.pacer.begin();
        self.progress = None;
        let effort = self.pacer.effort();
        self.answering.begin(study::quick(snap.clone(), self.controls).counted(effort));
        self.sweeping.begin(study::slow(snap, self.controls).counted(effort));
    }

    fn change(&mut self, controls: Controls, cx: ViewContext<'_>) -> Update {
        if controls == self.controls {
            return Update::status("no further");
        }
        self.controls = controls;
        self.recompute(cx);
        Update { changed: true, effects: self.requests(), unknown: false }
    }

    /// The text of a tab, wrapped to `width`.
    fn story(&self, tab: Tab, width: u16, theme: &Theme) -> Story {
        let width = usize::from(width);
        let mut story = Story::new(self.paragraphs(tab, width, theme));
        story.fit(width);
        story
    }

    fn paragraphs(&self, tab: Tab, width: usize, theme: &Theme) -> Vec<Paragraph> {
        let note = |role, text: &str| vec![Paragraph::words(0, [TextPiece::of(role, text)])];
        let quick = match self.quick.as_deref() {
            None => return note(Role::TextDim, "computing ..."),
            Some(Err(why)) => return note(Role::Error, why),
            Some(Ok(quick)) => quick,
        };
        match (tab, &self.slow) {
            (Tab::Need, _) => lines::need(quick, self.controls),
            (Tab::Never, _) => lines::never(quick),
            (Tab::Timeline, _) => timeline::lines(quick, width, theme),
            (Tab::Sweep, Some(slow)) => chart::sweep(slow, quick, width, theme),
            (Tab::Scaler, Some(slow)) => chart::scaler(slow, quick, width, theme),
            (Tab::Sweep | Tab::Scaler, None) => {
                let done = self.progress.map(|(done, of)| format!(" {done} of {of}")).unwrap_or_default();
                note(Role::TextDim, &format!("computing ...{done}"))
            }
        }
    }

    fn title(&self) -> String {
        let Controls { target, beta, on_top, compat } = self.controls;
        let how = if on_top { "on top of what runs" } else { "from scratch" };
        let truth = if compat { ", as Toil" } else { "" };
        let truth = match self.pacer.is_behind() {
            true => format!("{truth}, {}", self.at),
            false => truth.to_owned(),
        };
        let target = show_duration(target);
        match self.quick.as_deref() {
            Some(Ok(quick)) if !self.answering.is_waiting() => {
                let nodes = count(quick.report.answer.nodes(), "node");
                format!("Capacity: {nodes} {how}, all begin within {target}; inertia {beta:.1}{truth}")
            }
            _ => format!("Capacity {how}, all begin within {target}; inertia {beta:.1}{truth} ..."),
        }
    }

    fn draw(&self, tab: Tab, area: Rect, buf: &mut Buffer, theme: &Theme) {
        let story = self.story(tab, area.width, theme);
        let last = story.lines().len().saturating_sub(usize::from(area.height));
        let top = self.tops.get(&tab).map_or(0, |top| *top.min(&last));
        story.draw(top, area.intersection(buf.area), buf, theme);
        // Only the tab in focus scrolls by keys.
        let below = last - top;
        if tab == self.tab {
            frame::more_below_inside(below, area, buf, theme);
        } else {
            frame::left_out(below, area, buf, theme);
        }
    }
}

impl View for CapacityView {
    fn refresh(&mut self, cx: ViewContext<'_>) {
        if self.answered_snapshot.as_ptr() == Arc::as_ptr(&cx.generation().snapshot) {
            return self.pacer.mark_current();
        }
        if !self.pacer.may_compute(cx.keeps_pace) {
            return;
        }
        // While later snapshots follow, the old answer stays until the next one arrives.
        if !cx.keeps_pace {
            (self.quick, self.slow) = (None, None);
        }
        self.recompute(cx);
    }

    /// There is nothing to open, and nothing to explain.
    fn inactive_actions(&self, _: ViewContext<'_>) -> &'static [Action] {
        &[Action::Select, Action::AskWhy]
    }

    fn words(&self, _: ViewContext<'_>) -> &'static [(Action, &'static str)] {
        if self.controls.compat { &[(Action::ToggleCompat, "corrected")] } else { &[] }
    }

    fn due(&self, cx: ViewContext<'_>) -> Option<Instant> {
        self.pacer.due(cx.keeps_pace)
    }

    fn requests(&mut self) -> Vec<Effect> {
        self.answering.request().into_iter().chain(self.sweeping.request()).collect()
    }

    fn is_last_pane(&self, forward: bool, _: Rect, _: ViewContext<'_>) -> bool {
        let last = if forward { Tab::ALL.last() } else { Tab::ALL.first() };
        last == Some(&self.tab)
    }

    fn has_more_panes(&self) -> bool {
        true
    }

    fn act(&mut self, action: Action, area: Rect, cx: ViewContext<'_>) -> Update {
        let controls = self.controls;
        match action {
            Action::LongerTarget | Action::Right => self.change(controls.with_target(1), cx),
            Action::ShorterTarget | Action::Left => self.change(controls.with_target(-1), cx),
            Action::MoreInertia => self.change(controls.with_beta(0.1), cx),
            Action::LessInertia => self.change(controls.with_beta(-0.1), cx),
            Action::ToggleOnTop => self.change(Controls { on_top: !controls.on_top, ..controls }, cx),
            Action::ToggleCompat => self.change(Controls { compat: !controls.compat, ..controls }, cx),
            Action::Select => Update::status("nothing to open here; Tab goes to the next tab"),
            Action::NextPane => {
                self.tab = self.tab.cycled(1);
                Update::changed()
            }
            Action::PreviousPane => {
                self.tab = self.tab.cycled(Tab::ALL.len() - 1);
                Update::changed()
            }
            _ if action.moves() => Update::changed_if(self.scroll(action, area)),
            _ => Update::unknown(),
        }
    }

    fn wheel(&mut self, action: Action, at: Position, area: Rect, cx: ViewContext<'_>) -> Update {
        let under = Self::panes(area).into_iter().find(|(_, pane)| pane.contains(at));
        let tab = under.map_or(self.tab, |(tab, _)| tab);
        let focus = std::mem::replace(&mut self.tab, tab);
        let update = self.act(action, area, cx);
        self.tab = focus;
        update
    }

    fn click(&mut self, at: Position, area: Rect, _: ViewContext<'_>) -> Update {
        let under = Self::panes(area).into_iter().find(|(_, pane)| pane.contains(at));
        let Some((tab, _)) = under else { return Update::unchanged() };
        Update::changed_if(std::mem::replace(&mut self.tab, tab) != tab)
    }

    fn on_news(&mut self, news: &TaskNews, _: ViewContext<'_>) -> Update {
        if let News::Progress(done, of) = news.news {
            let mine = self.sweeping.is_about(news);
            self.progress = if mine { Some((done, of)) } else { self.progress };
            return Update::changed_if(mine && self.slow.is_none());
        }
        let (quick, slow) = (self.answering.take(news), self.sweeping.take(news));
        let changed = quick.is_some() || slow.is_some();
        (self.quick, self.slow) = (quick.or(self.quick.take()), slow.or(self.slow.take()));
        Update::changed_if(changed)
    }

    fn copy(&self, _: ViewContext<'_>) -> Option<(&'static str, ClipboardText)> {
        let Some(Ok(quick)) = self.quick.as_deref() else { return None };
        Some(("answer", Story::new(lines::need(quick, self.controls)).text()))
    }

    fn render(&self, area: Rect, buf: &mut Buffer, cx: ViewContext<'_>) {
        let theme = cx.theme;
        let panes = Self::panes(area);
        for (tab, pane) in &panes {
            let title = if *tab == Tab::Need { self.title() } else { tab.title().to_owned() };
            let inner = frame::pane(*pane, buf, theme, &title, "", *tab == self.tab);
            self.draw(*tab, inner, buf, theme);
        }
        if panes.is_empty() {
            let inner = frame::pane(area, buf, theme, &self.title(), "", true);
            let tabs: Vec<String> = (Tab::ALL.iter())
                .map(|tab| {
                    if *tab == self.tab { format!("[{}]", tab.title()) } else { format!(" {} ", tab.title()) }
                })
                .collect();
            let tabs = clean(&tabs.join(" ")).into_owned();
            let tabs = truncate(&tabs, usize::from(inner.width), theme.ellipsis()).into_owned();
            if inner.height > 0 {
                buf.set_stringn(inner.x, inner.y, tabs, usize::from(inner.width), theme.style(Role::Heading));
            }
            self.draw(self.tab, panes::below_tabs(inner), buf, theme);
        }
    }
}
