//! How many warnings there are, for the header.

use crate::screen::Screen;
use qscope_engine::cluster::Severity;

/// How many there are; notes are no warnings.
pub(crate) fn count(screen: &Screen) -> usize {
    let read = screen.generation.snapshot.diagnostics.iter().filter(|d| d.severity > Severity::Note);
    screen.run().warnings.len() + read.count()
}
