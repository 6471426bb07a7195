//! What a view or the shell requests, and the result of an input.

use std::sync::Arc;

use crate::screen::CycleRow;
use crate::task::Task;
use crate::views::{Object, ViewName};
use qscope_exits::ClipboardText;
use qscope_session::{Generation, TapeTarget};

/// Something to be done outside the view. The shell executes what concerns the screen, and passes the rest to the event
/// loop ([`Copy`](Effect::Copy) to [`Quit`](Effect::Quit)).
#[derive(Debug, Clone)]
pub enum Effect {
    /// Show this in the last line until the next key.
    SetStatus(String),
    /// Go to the object in the view that is its home; the back stack remembers where from.
    GoTo(Object),
    /// Go to the object in a given view.
    GoToIn(ViewName, Object),
    /// Go to the page of an object; the back stack remembers where from.
    GoToPage(Object),
    /// Move the cycle to the position where that many jobs have been considered.
    Seek(usize),
    SelectJob(CycleRow),
    /// Filter the view by this text.
    SetFilter(String),
    /// Stay with this snapshot, as stepping does.
    Freeze,
    /// Show a text in a box; `marked` is the index of a highlighted line.
    ShowText {
        title: String,
        lines: Vec<String>,
        marked: Option<usize>,
    },
    /// Show the files that were read.
    ShowFiles,
    /// Ask the user for a line; it is passed to [`View::accept`](super::View::accept).
    Prompt {
        /// The text before the line.
        label: &'static str,
        /// The initial text of the line.
        text: String,
    },
    /// Begin a setting of the what-if with this text.
    BeginSetting(String),
    /// Read another moment of the recording or simulation shown.
    ShowMoment(TapeTarget, MomentPurpose),
    /// Show this what-if in every view until the live cycle is followed again.
    ShowWhatIf(Arc<Generation>),
    /// Send a text to the terminal's clipboard, which does not answer; the first field names the text.
    Copy(&'static str, ClipboardText),
    /// Compute something on a worker; the result is passed to [`View::on_news`](super::View::on_news).
    Compute(Task),
    /// Read the files again.
    Reload,
    /// Suspend the process, as the shell's job control does.
    Suspend,
    /// Redraw the whole screen.
    Redraw,
    Quit,
}

/// Why another moment is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MomentPurpose {
    /// To show it in the current view.
    ShowInView,
    StepCycle,
    /// To be the left side of the difference to the snapshot shown.
    Compare,
}

/// The result of an input.
#[derive(Debug, Clone, Default)]
pub struct Update {
    /// Whether the screen must be drawn again.
    pub changed: bool,
    /// The effects, in order.
    pub effects: Vec<Effect>,
    /// The view does not handle the action; the shell reports that.
    pub unknown: bool,
}

impl Update {
    /// Nothing changed.
    pub fn unchanged() -> Self {
        Self::default()
    }

    pub fn changed_if(changed: bool) -> Self {
        Self { changed, ..Self::default() }
    }

    /// Something on the screen changed.
    pub fn changed() -> Self {
        Self::changed_if(true)
    }

    /// The action has no effect in this view.
    pub fn unknown() -> Self {
        Self { unknown: true, ..Self::default() }
    }

    /// One effect.
    pub fn request(effect: Effect) -> Self {
        Self::unchanged().with(effect)
    }

    /// A text for the last line.
    pub fn status(text: impl Into<String>) -> Self {
        Self::request(Effect::SetStatus(text.into()))
    }

    /// This result followed by another.
    #[must_use]
    pub fn followed_by(mut self, other: Self) -> Self {
        self.changed |= other.changed;
        self.unknown |= other.unknown;
        self.effects.extend(other.effects);
        self
    }

    /// The same, with the screen marked as changed.
    #[must_use]
    pub fn and_changed(self) -> Self {
        Self { changed: true, ..self }
    }

    /// The same with one more effect.
    #[must_use]
    pub fn with(mut self, effect: Effect) -> Self {
        self.effects.push(effect);
        self
    }
}
