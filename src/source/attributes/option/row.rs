//! One option of `sched_config`: its name, its meaning, how it is read and printed.

use qscope_engine::cluster::Policy;

use crate::sched_config::Scope;
use crate::sched_config::value::ExpectedValue;

/// Reads a value into the options.
type OptionReader = fn(&mut Policy, &str, Scope) -> Result<(), ExpectedValue>;

pub(crate) struct OptionRow {
    pub(crate) name: &'static str,
    /// Its possible values, with their unit.
    pub(crate) unit: &'static str,
    /// Its meaning, in one line.
    pub(crate) doc: &'static str,
    /// Reads one line; an unreadable value changes nothing.
    pub(crate) read: OptionReader,
    /// Returns its value, `None` if it is not set; an option without a printer changes nothing in the engine.
    pub(crate) show: Option<fn(&Policy) -> Option<String>>,
    /// For an option whose lines accumulate: clears them.
    pub(crate) clear: Option<fn(&mut Policy, Scope)>,
}

impl OptionRow {
    /// An option with a value that is printed.
    pub(super) const fn new(
        name: &'static str,
        unit: &'static str,
        doc: &'static str,
        read: OptionReader,
        show: fn(&Policy) -> Option<String>,
    ) -> Self {
        Self { show: Some(show), ..Self::read_only(name, unit, doc, read) }
    }

    /// An option that is read and printed elsewhere, or nowhere.
    pub(super) const fn read_only(
        name: &'static str,
        unit: &'static str,
        doc: &'static str,
        read: OptionReader,
    ) -> Self {
        Self { name, unit, doc, read, show: None, clear: None }
    }

    /// An option whose lines accumulate.
    pub(super) const fn accumulates(self, clear: fn(&mut Policy, Scope)) -> Self {
        Self { clear: Some(clear), ..self }
    }
}
