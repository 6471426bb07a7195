//! Values of options.

use qscope_engine::cluster::{Name, Seconds};

/// What the value of an option should have been.
pub(super) type Expected = &'static str;

/// Replaces the value of an option, which cannot go wrong.
pub(super) fn put<T>(slot: &mut T, value: T) -> Result<(), Expected> {
    *slot = value;
    Ok(())
}

/// Adds to the values of an option, which cannot go wrong.
pub(super) fn push(slot: &mut Vec<Name>, value: &str) -> Result<(), Expected> {
    slot.push(value.into());
    Ok(())
}

/// The names on the `resources` line, with host and vnode added if the text lacks these letters.
pub(super) fn enforced(value: &str) -> Vec<Name> {
    let mut names = list(value);
    names.extend(["host", "vnode"].into_iter().filter(|word| !value.contains(word)).map(Name::from));
    names
}

/// A list with commas.
pub(super) fn list(value: &str) -> Vec<Name> {
    value.split(',').map(str::trim).filter(|name| !name.is_empty()).map(Name::from).collect()
}

/// True or false.
pub(super) fn boolean(value: &str) -> Result<bool, Expected> {
    match value.to_ascii_lowercase().as_str() {
        "true" => Ok(true),
        "false" => Ok(false),
        _ => Err("true or false"),
    }
}

/// A span of time.
pub(super) fn duration(value: &str) -> Result<Seconds, Expected> {
    Seconds::parse(value).filter(|time| time.0 >= 0).ok_or("a duration such as 01:30:00")
}

/// A whole number that is not negative.
pub(super) fn count(value: &str) -> Result<u32, Expected> {
    value.parse().map_err(|_| "a count")
}

/// A number that is good for something.
pub(super) fn number(value: &str, good: impl Fn(f64) -> bool, expected: Expected) -> Result<f64, Expected> {
    value.parse().ok().filter(|n| good(*n)).ok_or(expected)
}
