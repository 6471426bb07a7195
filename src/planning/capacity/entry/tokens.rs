//! Non-finite numbers, which JSON cannot express but other writers print nevertheless.

use std::borrow::Cow;

/// Puts `Infinity`, `-Infinity`, `NaN` and numbers too large for a double between quotes, so that the reader
/// of fields can report which item has them.
pub(super) fn quote_endless(text: &str) -> Cow<'_, str> {
    let mut out = String::new();
    let mut copied = 0;
    let mut rest = UnquotedWords { text, at: 0 };
    while let Some((from, to)) = rest.next_word() {
        let word = text.get(from..to).unwrap_or_default();
        let endless = matches!(word, "Infinity" | "-Infinity" | "NaN" | "inf" | "-inf" | "nan")
            || (word.starts_with(|c: char| c == '-' || c.is_ascii_digit())
                && word.parse::<f64>().is_ok_and(|x| !x.is_finite()));
        if endless {
            out.push_str(text.get(copied..from).unwrap_or_default());
            out.push('"');
            out.push_str(word);
            out.push('"');
            copied = to;
        }
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(text.get(copied..).unwrap_or_default());
    Cow::Owned(out)
}

/// Words outside strings: runs of letters, digits, signs and points.
struct UnquotedWords<'a> {
    text: &'a str,
    at: usize,
}

impl UnquotedWords<'_> {
    fn next_word(&mut self) -> Option<(usize, usize)> {
        let bytes = self.text.as_bytes();
        loop {
            match *bytes.get(self.at)? {
                b'"' => self.skip_string(),
                byte if in_word(byte) => {
                    let from = self.at;
                    while bytes.get(self.at).is_some_and(|byte| in_word(*byte)) {
                        self.at += 1;
                    }
                    return Some((from, self.at));
                }
                _ => self.at += 1,
            }
        }
    }

    fn skip_string(&mut self) {
        self.at += 1;
        while let Some(byte) = self.text.as_bytes().get(self.at) {
            self.at += match byte {
                b'\\' => 2,
                _ => 1,
            };
            if *byte == b'"' {
                return;
            }
        }
    }
}

fn in_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'+' | b'.')
}

#[cfg(test)]
mod tests {
    use super::quote_endless;

    #[test]
    fn endless_numbers_become_texts_and_texts_stay() {
        assert_eq!(quote_endless(r#"[1e999, -Infinity, 3.5]"#), r#"["1e999", "-Infinity", 3.5]"#);
        let whole = r#"{"Infinity \" NaN": [1, "inf"]}"#;
        assert_eq!(quote_endless(whole), whole);
    }
}
