//! Parses one line of `sched_config` (rule 1.11): continuation, quotes, the word for the period.

use std::borrow::Cow;

use qscope_engine::cluster::ByPeriod;

/// When an option applies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Scope {
    /// In prime time.
    Prime,
    /// In non-prime time.
    NonPrime,
    Always,
    Never,
}

impl Scope {
    /// Returns the scope of a word, in all-lower or all-upper case.
    pub(crate) fn from_word(word: &str) -> Option<Self> {
        Some(match word {
            "prime" | "PRIME" => Self::Prime,
            "non_prime" | "NON_PRIME" => Self::NonPrime,
            "all" | "ALL" => Self::Always,
            "none" | "NONE" => Self::Never,
            _ => return None,
        })
    }

    /// Whether another scope is within this one.
    pub(crate) fn covers(self, other: Self) -> bool {
        self == Self::Always || self == other
    }

    /// Applies a change to the value of each period in scope.
    pub(crate) fn apply_to_periods<T>(self, option: &mut ByPeriod<T>, mut change: impl FnMut(&mut T)) {
        if matches!(self, Self::Prime | Self::Always) {
            change(&mut option.prime);
        }
        if matches!(self, Self::NonPrime | Self::Always) {
            change(&mut option.non_prime);
        }
    }
}

/// A parsed line.
#[derive(PartialEq, Eq, Debug)]
pub(super) struct OptionLine<'a> {
    pub name: &'a str,
    /// Its value, without quotes.
    pub value: Cow<'a, str>,
    /// When it applies.
    pub scope: Scope,
}

/// Returns logical lines with the number of their first line; a backslash at the end of a line continues it.
pub(super) fn join(text: &str) -> Vec<(usize, Cow<'_, str>)> {
    let mut joined: Vec<(usize, Cow<'_, str>)> = Vec::new();
    let mut open = false;
    for (at, line) in text.lines().enumerate() {
        let (part, continues) = line.strip_suffix('\\').map_or((line, false), |part| (part, true));
        match joined.last_mut() {
            Some((_, last)) if open => last.to_mut().push_str(part),
            _ => joined.push((at + 1, part.into())),
        }
        open = continues;
    }
    joined
}

/// Parses a line; returns `None` for a blank line or a comment.
pub(super) fn split(line: &str) -> Result<Option<OptionLine<'_>>, String> {
    let line = line.trim();
    if line.is_empty() || line.starts_with(['#', '*']) {
        return Ok(None);
    }
    let (name, rest) =
        line.split_once(':').ok_or_else(|| format!("`{line}` is not a line of the form `name: value`"))?;
    let (name, rest) = (name.trim(), rest.trim_start());
    if name.is_empty() || name.contains(char::is_whitespace) {
        return Err(format!("`{name}` is not the name of an option; expected `name: value`"));
    }
    let (value, rest) = match rest.chars().next() {
        None => return Err(format!("`{name}` has no value")),
        Some(quote @ ('"' | '\'')) => rest
            .get(1..)
            .and_then(|inner| inner.split_once(quote))
            .ok_or_else(|| format!("the quote of `{name}` is never closed"))?,
        Some(_) => rest.split_once(char::is_whitespace).unwrap_or((rest, "")),
    };
    let scope = match rest.split_whitespace().next() {
        None => Scope::Always,
        Some(word) => Scope::from_word(word).ok_or_else(|| bad_period(word, value))?,
    };
    Ok(Some(OptionLine { name, value: value.into(), scope }))
}

/// Returns the message about a word that is not a period.
fn bad_period(word: &str, value: &str) -> String {
    format!(
        "invalid prime keyword `{word}` after the value `{value}`: expected prime, non_prime, all or none in \
         one case; a value with blanks needs quotes"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_periods_and_comments() {
        let e = split("  by_queue: True\tprime extra words").unwrap().unwrap();
        assert_eq!((e.name, &*e.value, e.scope), ("by_queue", "True", Scope::Prime));
        let e = split("node_sort_key: 'ncpus HIGH'NON_PRIME").unwrap().unwrap();
        assert_eq!((&*e.value, e.scope), ("ncpus HIGH", Scope::NonPrime));
        assert_eq!(split(" * comment: x"), Ok(None));
        assert_eq!(split("#comment"), Ok(None));
        assert_eq!(split("  "), Ok(None));
    }

    #[test]
    fn an_unquoted_value_ends_at_the_first_blank() {
        assert!(split("node_sort_key: ncpus HIGH").unwrap_err().contains("invalid prime keyword `HIGH`"));
        assert!(split("by_queue: True Prime").unwrap_err().contains("`Prime`"));
    }

    #[test]
    fn bad_lines_report_what_is_missing() {
        assert!(split("by_queue True").unwrap_err().contains("name: value"));
        assert!(split("by_queue:").unwrap_err().contains("has no value"));
        assert!(split("a: \"x").unwrap_err().contains("never closed"));
        assert!(split("a b: x").unwrap_err().contains("not the name"));
    }

    #[test]
    fn a_backslash_continues_a_line() {
        let joined = join("a: \"x \\\ny\"\nb: 1\\");
        assert_eq!(joined.len(), 2);
        assert_eq!((joined[0].0, &*joined[0].1), (1, "a: \"x y\""));
        assert_eq!((joined[1].0, &*joined[1].1), (3, "b: 1"));
    }
}
