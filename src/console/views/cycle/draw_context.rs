//! The inputs for drawing the panes.

use super::CycleView;
use crate::layout::Pane;
use crate::screen::Screen;
use crate::theme::Theme;
use crate::views::ViewContext;
use qscope_engine::universe::State;

/// The view, the context and the theme.
#[derive(Debug, Clone, Copy)]
pub(super) struct DrawContext<'a> {
    pub(super) view: &'a CycleView,
    pub(super) cx: ViewContext<'a>,
    pub(super) theme: &'a Theme,
}

impl<'a> DrawContext<'a> {
    pub(super) fn new(view: &'a CycleView, cx: ViewContext<'a>) -> Self {
        Self { view, cx, theme: cx.theme }
    }

    pub(super) fn screen(self) -> &'a Screen {
        self.cx.screen
    }

    /// The state on the map: before the step of the selected job, or a simulated one that was stepped into.
    pub(super) fn state(self) -> &'a State {
        self.view.state(self.cx)
    }

    pub(super) fn has_focus(self, pane: Pane) -> bool {
        self.view.focus == pane
    }
}
