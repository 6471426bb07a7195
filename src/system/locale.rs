//! The character set that the environment requests.

/// The variables that name it; the first that is set applies, as in the C library.
const VARIABLES: [&str; 3] = ["LC_ALL", "LC_CTYPE", "LANG"];

/// Returns the variable that names the locale, and its value (`env` looks a variable up).
pub fn named(env: impl Fn(&str) -> Option<String>) -> Option<(&'static str, String)> {
    VARIABLES.into_iter().find_map(|name| Some((name, env(name).filter(|value| !value.is_empty())?)))
}

/// Returns whether text may have characters beyond ASCII. Without a locale it may: containers, services and sessions
/// over ssh often have none, and the terminals that show their text use UTF-8.
pub fn is_utf8(env: impl Fn(&str) -> Option<String>) -> bool {
    named(env).is_none_or(|(_, value)| {
        let value = value.to_ascii_lowercase();
        value.contains("utf-8") || value.contains("utf8")
    })
}

/// Returns whether this process may print characters beyond ASCII.
pub fn is_utf8_here() -> bool {
    is_utf8(|name| std::env::var(name).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_variable_that_is_set_names_the_character_set() {
        let found = |env: &[(&str, &str)]| {
            let find = |name: &str| env.iter().find(|(n, _)| *n == name).map(|(_, v)| (*v).to_owned());
            is_utf8(find)
        };
        assert!(found(&[("LANG", "de_DE.UTF-8")]) && found(&[("LC_ALL", ""), ("LANG", "C.utf8")]));
        assert!(!found(&[("LC_ALL", "C"), ("LANG", "de_DE.UTF-8")]) && !found(&[("LC_CTYPE", "de_DE")]));
        assert!(found(&[]));
    }
}
