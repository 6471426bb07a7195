//! How many problems there are, for the line of tabs.

use crate::screen::Screen;
use qscope_engine::cluster::Severity;

/// How many problems there are: alerts, and what is wrong with the files or the model; notes are none.
pub(crate) fn problem_count(screen: &Screen) -> usize {
    let read = screen.generation.snapshot.diagnostics.iter().filter(|d| d.severity > Severity::Note);
    screen.generation.alerts.len() + screen.run().warnings.len() + read.count()
}
