//! A console opened on a cycle, without a terminal.

use std::sync::Arc;
use std::time::Duration;

use qscope::cluster::Epoch;
use qscope::console::app::{App, AppInput};
use qscope::console::shell::{Shell, ShellMessage};
use qscope::console::theme::{ColorDepth, GlyphSet, Theme, ThemeOptions};
use qscope::cycle::Run;
use qscope::session::Generation;
use ratatui::layout::Size;

/// Returns the console in a size, 41 seconds after the dump, with the given depth of colours.
pub(crate) fn shell(run: &Arc<Run>, depth: ColorDepth, size: Size) -> Shell {
    let theme_options = ThemeOptions { depth, glyphs: GlyphSet::Unicode };
    let now = run.plan.snap.now;
    let theme = Theme::built_in("default-dark", theme_options).0;
    let mut app = Shell::new("a bench", theme, Box::new(move || Epoch(now.0 + 41)));
    let generation = Generation {
        number: 1,
        snapshot: run.plan.snap.clone(),
        run: run.clone().into(),
        alerts: [].into(),
        read_took: Duration::ZERO,
        build_took: Duration::ZERO,
        cycle_took: Duration::ZERO,
        agreement: Default::default(),
        late_dump: None,
        substitutes: [].into(),
        position: None,
        local_hook: None,
        as_pbs: false,
        sched_log: qscope::session::SchedLogLocation::BuiltIn,
        origin: None,
        what_if: None,
        set_at: Default::default(),
        weighed: Default::default(),
    };
    app.update(AppInput::Resize(size));
    app.update(AppInput::Message(ShellMessage::ready(Arc::new(generation))));
    app
}
