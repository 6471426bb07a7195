//! Names for many objects: patterns as users write them, `r[1-2]n[01-12,15]`, where `a[[0]]` is the plain name
//! `a[0]`; and folded lists as pages show them, `cn[001-003,018].cl` for nodes and `66[1,3-5]` for subjobs.

/// Maximum number of names in one pattern and in one file.
pub const MAX_NAMES: usize = 200_000;
/// Maximum total length of the names of one pattern, in bytes.
const MAX_BYTES: usize = 32 << 20;
/// Maximum length of a pattern, in bytes; host names have at most 255.
const LONGEST: usize = 1000;

/// Expands a pattern to all its names, in order.
///
/// # Errors
/// What is wrong with the pattern.
pub fn expand(pattern: &str) -> Result<Vec<String>, String> {
    if pattern.len() > LONGEST {
        return Err(format!("it has {} bytes; a name has {LONGEST} at most", pattern.len()));
    }
    let mut names = vec![String::new()];
    let mut rest = pattern;
    while let Some((before, after)) = rest.split_once('[') {
        let endings = if let Some(literal) = after.strip_prefix('[') {
            let (inner, after) = literal.split_once("]]").ok_or("`[[` is never closed")?;
            rest = after;
            vec![format!("[{inner}]")]
        } else {
            let (inner, after) = after.split_once(']').ok_or("`[` is never closed")?;
            rest = after;
            numbers(inner)?
        };
        if names.len().saturating_mul(endings.len()) > MAX_NAMES {
            return Err(format!("it stands for more than {MAX_NAMES} names"));
        }
        if names.len() * endings.len() * pattern.len() > MAX_BYTES {
            return Err(format!("its names would have more than {} MB", MAX_BYTES >> 20));
        }
        names = names
            .iter()
            .flat_map(|name| endings.iter().map(move |ending| format!("{name}{before}{ending}")))
            .collect();
    }
    if pattern.is_empty() {
        return Err("it is empty".to_owned());
    }
    names.iter_mut().for_each(|name| name.push_str(rest));
    Ok(names)
}

/// Expands `1-3,07-12`; the first number of a range determines the width.
fn numbers(list: &str) -> Result<Vec<String>, String> {
    let mut found = Vec::new();
    for range in list.split(',') {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let number = |text: &str| {
            text.trim().parse::<usize>().map_err(|_| format!("`{range}` is no range such as 1-8"))
        };
        let (from, to) = (number(first)?, number(last)?);
        if to < from {
            return Err(format!("the range `{range}` goes backwards"));
        }
        if to - from >= MAX_NAMES {
            return Err(format!("the range `{range}` has more than {MAX_NAMES} names"));
        }
        if found.len() + (to - from) >= MAX_NAMES {
            return Err(format!("it stands for more than {MAX_NAMES} names"));
        }
        let width = first.trim().len();
        found.extend((from..=to).map(|n| format!("{n:0width$}")));
    }
    Ok(found)
}

/// A folded list of names that differ in one number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NameList<'a> {
    pub stem: &'a str,
    /// Numbers, as `001-003,018`.
    numbers: &'a str,
    /// Text after the number, such as a domain.
    pub suffix: &'a str,
}

impl<'a> NameList<'a> {
    /// Parses a word as a list; `None` for a word without brackets, or with nothing between them.
    pub fn of(word: &'a str) -> Option<Self> {
        let (stem, rest) = word.rsplit_once('[')?;
        let (numbers, suffix) = rest.split_once(']')?;
        (!numbers.is_empty()).then_some(Self { stem, numbers, suffix })
    }

    /// Whether the names themselves contain brackets, as those of subjobs do: this is so if the stem ends with a
    /// digit, which would otherwise be part of the folded numbers.
    pub fn is_bracketed(self) -> bool {
        self.stem.ends_with(|last: char| last.is_ascii_digit())
    }

    /// Returns the first and last number of each range, as written.
    pub fn runs(self) -> impl Iterator<Item = (&'a str, &'a str)> {
        self.numbers.split(',').map(|run| run.split_once('-').unwrap_or((run, run)))
    }

    /// Returns the first name.
    pub fn first(self) -> Option<String> {
        if self.is_bracketed() {
            return self.first_in_brackets();
        }
        Some(format!("{}{}{}", self.stem, self.first_number()?, self.suffix))
    }

    /// Returns the first name if the names contain brackets, whatever the stem ends with: `login[3]` for
    /// `login[3-4]`.
    pub fn first_in_brackets(self) -> Option<String> {
        Some(self.in_brackets(self.first_number()?))
    }

    fn first_number(self) -> Option<&'a str> {
        self.runs().next().map(|(first, _)| first).filter(|first| !first.is_empty())
    }

    /// Returns all names if the names contain brackets, as vnodes of one host: `host[3]`, `host[4]` for `host[3-4]`.
    pub fn bracketed_names(self) -> Vec<String> {
        numbers(self.numbers).unwrap_or_default().iter().map(|number| self.in_brackets(number)).collect()
    }

    fn in_brackets(self, number: &str) -> String {
        format!("{}[{number}]{}", self.stem, self.suffix)
    }

    /// Whether a name is in the list.
    pub fn has(self, name: &str) -> bool {
        let part = name.strip_prefix(self.stem).and_then(|rest| rest.strip_suffix(self.suffix));
        let bare = part.and_then(|part| part.strip_prefix('[')?.strip_suffix(']'));
        let Some(part) = (if self.is_bracketed() { bare } else { bare.or(part) }) else { return false };
        // A number with leading zeros matches only numbers of the same length.
        let is_alike =
            |text: &str| text.len() == part.len() || !text.starts_with('0') && !part.starts_with('0');
        let number = |text: &str| text.parse::<u64>().ok();
        let is_in = |(first, last): (&str, &str)| {
            let within = |from: u64, to: u64, here: u64| (from..=to).contains(&here);
            is_alike(first)
                && number(first)
                    .zip(number(last))
                    .zip(number(part))
                    .is_some_and(|((a, b), c)| within(a, b, c))
        };
        self.runs().any(is_in)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_lists_and_widths() {
        assert_eq!(expand("n[1-3]").unwrap(), ["n1", "n2", "n3"]);
        assert_eq!(expand("n[08-10,15]x").unwrap(), ["n08x", "n09x", "n10x", "n15x"]);
        assert_eq!(expand("r[1-2]n[1-2]").unwrap(), ["r1n1", "r1n2", "r2n1", "r2n2"]);
        assert_eq!(expand("plain").unwrap(), ["plain"]);
        assert_eq!(expand("a[[0]]").unwrap(), ["a[0]"]);
    }

    #[test]
    fn bad_patterns_report_why() {
        assert!(expand("n[1-").unwrap_err().contains("never closed"));
        assert!(expand("n[[1").unwrap_err().contains("never closed"));
        assert!(expand("n[a]").unwrap_err().contains("no range"));
        assert!(expand("n[3-1]").unwrap_err().contains("backwards"));
        assert!(expand("n[1-999999]").unwrap_err().contains("more than"));
        assert!(expand("n[1-9999]m[1-9999]").unwrap_err().contains("more than"));
        assert!(expand("").unwrap_err().contains("empty"));
        let many = format!("n[{}]", ["1-199999"; 50].join(","));
        assert_eq!(expand(&many).unwrap_err(), "it stands for more than 200000 names");
        let long = format!("{}[1-99999]", "n".repeat(100_000));
        assert_eq!(expand(&long).unwrap_err(), "it has 100009 bytes; a name has 1000 at most");
    }

    #[test]
    fn a_folded_list_has_its_names() {
        let list = |word| NameList::of(word).unwrap();
        assert_eq!(list("n[001-003,008]").first().as_deref(), Some("n001"));
        assert_eq!(list("66[1,3]").first().as_deref(), Some("66[1]"));
        assert_eq!(list("cn[01-02].cl").first().as_deref(), Some("cn01.cl"));
        let has = |word, name| list(word).has(name);
        assert!(has("n[001-003,008]", "n002") && has("n[001-003,008]", "n008") && has("66[1,3-5]", "66[4]"));
        assert!(has("n[9-11]", "n10") && has("n[8-10].cl", "n9.cl") && has("n[09-10]", "n10"));
        assert!(!has("n[001-003,008]", "n004") && !has("n[001-003]", "n2") && !has("n[1-3]", "n02"));
        assert!(!has("n[8-10].cl", "n9") && !has("66[1,3-5]", "66[2]") && !has("n[1-3]", "m1"));
        assert_eq!(list("h[3-4]").bracketed_names(), ["h[3]", "h[4]"]);
        assert_eq!((NameList::of("66[]"), NameList::of("n1")), (None, None));
    }
}
