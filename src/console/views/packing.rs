//! Packing: what it would cost to concentrate some jobs on few nodes, from now on.
//!
//! ```text
//! ┏ Fill factor ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━ R relaxed  E exclusive  T ttl 1 h ┓
//! ┃1.00 ┤        ====R=RRR====RRRR                                                ┃
//! ┃0.92 ┤   =====    E E   EEE    E                                               ┃
//! ┗━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┛
//! ```
//! Everything is in [`study::Study`], which knows no cluster on the screen and serves files as well; see
//! [`crate::farm_app`].

mod chart;
mod compute;
mod dispersion;
mod draw;
mod farm_map;
pub mod study;
mod sweep;
mod waits;

use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use crate::action::Action;
use crate::filter::Filter;
use crate::task::News;
use crate::theme::Theme;
use crate::views::effect::{Effect, Update};
use crate::views::object::Object;
use crate::views::view::View;
use crate::views::world::World;
use qscope_exits::Clip;
use study::{Source, Study};

/// The view on the cluster of the screen.
#[derive(Debug, Default)]
pub struct Packing {
    study: Option<Study>,
    /// The generation that is simulated.
    generation: usize,
    /// What has not been asked of a worker yet.
    wanted: Vec<Effect>,
}

impl View for Packing {
    fn refresh(&mut self, world: World<'_>) {
        let generation = Arc::as_ptr(world.generation()) as usize;
        if self.generation == generation && self.study.is_some() {
            return;
        }
        self.generation = generation;
        let source = Source::Snapshot(world.generation().snapshot.clone());
        match &mut self.study {
            Some(study) => study.take_source(source),
            none => *none = Some(Study::new(source)),
        }
        if let Some(study) = &mut self.study {
            self.wanted.extend(study.open().map(Effect::Compute));
        }
    }

    fn requests(&mut self) -> Vec<Effect> {
        std::mem::take(&mut self.wanted)
    }

    fn act(&mut self, action: Action, area: Rect, _: World<'_>) -> Update {
        self.study.as_mut().map_or_else(Update::nothing, |study| study.act(action, area))
    }

    fn filter(&mut self, _: &Filter, _: World<'_>) {}

    fn show(&mut self, _: &Object, _: World<'_>) -> bool {
        false
    }

    fn here(&self, _: World<'_>) -> Option<Object> {
        None
    }

    fn click(&mut self, at: Position, area: Rect, _: World<'_>) -> Update {
        self.study.as_mut().map_or_else(Update::nothing, |study| study.click(at, area))
    }

    fn on_news(&mut self, ticket: u64, news: &News, _: World<'_>) -> Update {
        self.study.as_mut().map_or_else(Update::nothing, |study| study.on_news(ticket, news))
    }

    fn copy(&self, _: World<'_>) -> Option<(&'static str, Clip)> {
        Some(("figures", self.study.as_ref()?.words().iter().collect()))
    }

    fn render(&self, area: Rect, buf: &mut Buffer, _: World<'_>, theme: &Theme) {
        if let Some(study) = &self.study {
            draw::draw(study, area, buf, theme);
        }
    }
}

/// Draws a study anywhere.
pub(crate) fn render(study: &Study, area: Rect, buf: &mut Buffer, theme: &Theme) {
    draw::draw(study, area, buf, theme);
}
