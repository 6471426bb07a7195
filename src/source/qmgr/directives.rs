//! Splits a script into directives: lines are joined at `\` and cut at `;`, without comments and prompts.

use std::borrow::Cow;

use super::directive::begins;
use super::unquoted;

/// Line number where a directive begins, and its text.
pub(super) type DirectiveText<'a> = (usize, Cow<'a, str>);

/// Length in bytes at which joining lines stops: nothing that long is a directive.
const LONGEST: usize = 1 << 20;

/// Splits a text into directives.
pub(super) fn pieces(text: &str) -> impl Iterator<Item = DirectiveText<'_>> {
    let mut lines = text.lines().enumerate();
    let joined = std::iter::from_fn(move || {
        let (number, first) = lines.next()?;
        let Some(start) = first.trim_end().strip_suffix('\\') else {
            return Some((number + 1, Cow::Borrowed(first.trim_end())));
        };
        let mut whole = start.to_owned();
        while whole.len() < LONGEST
            && let Some((_, next)) = lines.next()
        {
            let next = next.trim();
            whole.push_str(next.strip_suffix('\\').unwrap_or(next));
            if !next.ends_with('\\') {
                break;
            }
        }
        Some((number + 1, Cow::Owned(whole)))
    });
    joined.flat_map(|(number, line)| split(number, line))
}

fn split(number: usize, line: Cow<'_, str>) -> Vec<DirectiveText<'_>> {
    let body = without_comment(&line).len();
    let start = line.len() - line.trim_start().len();
    let start = line
        .get(start..)
        .and_then(|rest| rest.strip_prefix("Qmgr:"))
        .map_or(0, |rest| line.len() - rest.len());
    let text = line.get(start..body.max(start)).unwrap_or_default();
    let cuts = cuts(text);
    if cuts.is_empty() && start == 0 && body == line.len() {
        return vec![(number, line)];
    }
    let ends = cuts.iter().copied().chain([text.len()]);
    let starts = std::iter::once(0).chain(cuts.iter().map(|at| at + 1));
    starts
        .zip(ends)
        .map(|(from, to)| (number, Cow::Owned(text.get(from..to).unwrap_or_default().to_owned())))
        .collect()
}

/// Returns where `;` ends a directive: outside quotes, and followed by another directive.
fn cuts(text: &str) -> Vec<usize> {
    let mut found = Vec::new();
    unquoted(text, |at, c| {
        if c == ';' {
            let rest = text.get(at + 1..).unwrap_or_default().trim_start();
            let is_word = rest.starts_with(|c: char| c.is_ascii_alphabetic());
            if rest.is_empty() || is_word && begins(rest) {
                found.push(at);
            }
        }
        true
    });
    found
}

/// Returns the text before a `#` that begins a comment: at the start, or after a blank, outside quotes.
fn without_comment(text: &str) -> &str {
    let mut end = text.len();
    let mut before = ' ';
    unquoted(text, |at, c| {
        if c == '#' && before.is_whitespace() {
            end = at;
        }
        before = c;
        end == text.len()
    });
    text.get(..end).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str) -> Vec<(usize, String)> {
        pieces(text)
            .map(|(line, text)| (line, text.trim().to_owned()))
            .filter(|(_, text)| !text.is_empty())
            .collect()
    }

    #[test]
    fn lines_are_joined_cut_and_stripped() {
        let text = "# c\nset queue a \\\n  started = True # on\nset server default_chunk.ncpus=1;set server flatuid=true\nQmgr: set server comment = \"a;b # c\"\n";
        let found = all(text);
        assert_eq!(found.len(), 4);
        assert_eq!(found[0], (2, "set queue a started = True".to_owned()));
        assert_eq!(found[1], (4, "set server default_chunk.ncpus=1".to_owned()));
        assert_eq!(found[2], (4, "set server flatuid=true".to_owned()));
        assert_eq!(found[3], (5, "set server comment = \"a;b # c\"".to_owned()));
    }

    #[test]
    fn a_semicolon_within_a_value_stays() {
        assert_eq!(all("set server x = a;b\n").len(), 1);
        assert_eq!(all("set server x = it's;b\n").len(), 1);
    }
}
