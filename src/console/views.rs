//! What the screen looks like. Views only read; whatever costs time was made in `update`.

pub mod cycle;

use ratatui::Frame;

use super::cycle_app::CycleApp;

/// Draws the app.
pub(in crate::console) fn render(app: &CycleApp, frame: &mut Frame<'_>) {
    cycle::render(app, frame);
}
