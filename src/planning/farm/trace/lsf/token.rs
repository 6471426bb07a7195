//! The tokens of a record: separated by white space; a doubled quote within quotes is a literal one (sites
//! 5.1).

use std::borrow::Cow;

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct LsfToken<'a> {
    /// The text without its quotes; invalid UTF-8 is replaced.
    pub(super) text: Cow<'a, str>,
    pub(super) is_quoted: bool,
}

/// Returns all tokens of a line; none if a string is not terminated.
pub(super) fn tokens(line: &[u8]) -> Option<Vec<LsfToken<'_>>> {
    let mut all = Vec::new();
    let mut rest = line.trim_ascii_start();
    while !rest.is_empty() {
        let (token, behind) = match rest.strip_prefix(b"\"") {
            Some(body) => quoted(body)?,
            None => {
                let end = rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len());
                let (text, behind) = rest.split_at(end);
                (LsfToken { text: String::from_utf8_lossy(text), is_quoted: false }, behind)
            }
        };
        all.push(token);
        rest = behind.trim_ascii_start();
    }
    Some(all)
}

/// Reads a string after its opening quote; returns it and what follows it.
fn quoted(body: &[u8]) -> Option<(LsfToken<'_>, &[u8])> {
    let mut at = 0;
    let mut doubled = false;
    loop {
        at += body.get(at..)?.iter().position(|byte| *byte == b'"')?;
        if body.get(at + 1) != Some(&b'"') {
            break;
        }
        doubled = true;
        at += 2;
    }
    let (text, behind) = (body.get(..at)?, body.get(at + 1..)?);
    let text = String::from_utf8_lossy(text);
    let text = if doubled { Cow::Owned(text.replace("\"\"", "\"")) } else { text };
    Some((LsfToken { text, is_quoted: true }, behind))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(line: &str) -> Option<Vec<String>> {
        tokens(line.as_bytes()).map(|all| all.iter().map(|token| token.text.to_string()).collect())
    }

    #[test]
    fn strings_numbers_and_blanks() {
        assert_eq!(texts("\"a b\"  1 \"\" h1").unwrap(), ["a b", "1", "", "h1"]);
        assert_eq!(texts("\"echo \"\"a b\"\";date\" \\").unwrap(), ["echo \"a b\";date", "\\"]);
        assert_eq!(texts("\"\"\"\"").unwrap(), ["\""]);
        assert_eq!(texts("1 \"open"), None);
        assert_eq!(texts("1 \"open\"\""), None);
        assert_eq!(texts("").unwrap(), Vec::<String>::new());
    }
}
