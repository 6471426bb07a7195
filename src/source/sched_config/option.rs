//! Sets one option.

use super::line::Scope;
use super::remark::{OBSOLETE, OptionRemark, remark_on};
use crate::attributes::{OPTIONS, OptionRow};
use qscope_engine::cluster::{Policy, did_you_mean};

fn row(name: &str) -> Option<&'static OptionRow> {
    OPTIONS.iter().find(|row| row.name == name)
}

/// Sets one option; returns a remark about it, if any. A bad value changes nothing.
pub(crate) fn set(policy: &mut Policy, name: &str, value: &str, scope: Scope) -> Option<OptionRemark> {
    set_or_ask(policy, name, value, scope, true)
}

/// The same; `asks` controls whether a known name similar to an unknown one is searched, which takes time.
pub(super) fn set_or_ask(
    policy: &mut Policy,
    name: &str,
    value: &str,
    scope: Scope,
    asks: bool,
) -> Option<OptionRemark> {
    if let Some((_, instead)) = OBSOLETE.iter().find(|(obsolete, _)| *obsolete == name) {
        let message = format!("`{name}` is obsolete and ignored by the scheduler; instead use {instead}");
        return Some(OptionRemark::warning("obsolete-option", message));
    }
    let Some(row) = row(name) else {
        let known = OPTIONS.iter().map(|row| row.name);
        let similar = if asks { did_you_mean::question(name, known) } else { String::new() };
        let message = format!("`{name}` is not an option of the scheduler{similar}");
        return Some(OptionRemark::error("unknown-option", message));
    };
    match (row.read)(policy, value, scope) {
        Ok(()) => remark_on(name, value),
        Err(expected) => {
            let message = format!("`{name}` has the value `{value}`; expected {expected}");
            Some(OptionRemark::error("option-value", message))
        }
    }
}

/// Whether the lines of an option accumulate.
pub(crate) fn accumulates(name: &str) -> bool {
    row(name).is_some_and(|row| row.clear.is_some())
}

/// Clears the values of an option whose lines accumulate, in the periods of `scope`.
pub(crate) fn clear(policy: &mut Policy, name: &str, scope: Scope) {
    if let Some(clear) = row(name).and_then(|row| row.clear) {
        clear(policy, scope);
    }
}
