//! Parses values of options.

use qscope_engine::cluster::{Name, Seconds};

/// The expected value of an option, for messages.
pub(crate) type ExpectedValue = &'static str;

/// Replaces the value of an option; never fails.
pub(crate) fn put<T>(slot: &mut T, value: T) -> Result<(), ExpectedValue> {
    *slot = value;
    Ok(())
}

/// Returns the names on the `resources` line, adding host and vnode if the text lacks these letters.
pub(crate) fn enforced(value: &str) -> Vec<Name> {
    let mut names = list(value);
    names.extend(["host", "vnode"].into_iter().filter(|word| !value.contains(word)).map(Name::from));
    names
}

/// Parses a list separated by commas.
pub(crate) fn list(value: &str) -> Vec<Name> {
    value.split(',').map(str::trim).filter(|name| !name.is_empty()).map(Name::from).collect()
}

/// Parses true or false.
pub(crate) fn boolean(value: &str) -> Result<bool, ExpectedValue> {
    match value.to_ascii_lowercase().as_str() {
        "true" => Ok(true),
        "false" => Ok(false),
        _ => Err("true or false"),
    }
}

/// Parses a duration.
pub(crate) fn duration(value: &str) -> Result<Seconds, ExpectedValue> {
    Seconds::parse(value).filter(|time| time.0 >= 0).ok_or("a duration such as 01:30:00")
}

/// Parses a whole number that is not negative.
pub(crate) fn count(value: &str) -> Result<u32, ExpectedValue> {
    value.parse().map_err(|_| "a count")
}

/// Parses a number that satisfies a condition.
pub(crate) fn number(
    value: &str,
    good: impl Fn(f64) -> bool,
    expected: ExpectedValue,
) -> Result<f64, ExpectedValue> {
    value.parse().ok().filter(|n| good(*n)).ok_or(expected)
}
