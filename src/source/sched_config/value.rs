//! Values of options.

use qscope_engine::cluster::{Name, Seconds};

/// What the value of an option should have been.
pub(crate) type Expected = &'static str;

/// Replaces the value of an option, which cannot go wrong.
pub(crate) fn put<T>(slot: &mut T, value: T) -> Result<(), Expected> {
    *slot = value;
    Ok(())
}

/// The names on the `resources` line, with host and vnode added if the text lacks these letters.
pub(crate) fn enforced(value: &str) -> Vec<Name> {
    let mut names = list(value);
    names.extend(["host", "vnode"].into_iter().filter(|word| !value.contains(word)).map(Name::from));
    names
}

/// A list with commas.
pub(crate) fn list(value: &str) -> Vec<Name> {
    value.split(',').map(str::trim).filter(|name| !name.is_empty()).map(Name::from).collect()
}

/// True or false.
pub(crate) fn boolean(value: &str) -> Result<bool, Expected> {
    match value.to_ascii_lowercase().as_str() {
        "true" => Ok(true),
        "false" => Ok(false),
        _ => Err("true or false"),
    }
}

/// A span of time.
pub(crate) fn duration(value: &str) -> Result<Seconds, Expected> {
    Seconds::parse(value).filter(|time| time.0 >= 0).ok_or("a duration such as 01:30:00")
}

/// A whole number that is not negative.
pub(crate) fn count(value: &str) -> Result<u32, Expected> {
    value.parse().map_err(|_| "a count")
}

/// A number that is good for something.
pub(crate) fn number(value: &str, good: impl Fn(f64) -> bool, expected: Expected) -> Result<f64, Expected> {
    value.parse().ok().filter(|n| good(*n)).ok_or(expected)
}
