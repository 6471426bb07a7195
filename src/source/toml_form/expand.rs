//! Names that stand for many: `n[1-8]`, `r[1-2]n[01-12,15]`; `a[[0]]` is the plain name `a[0]`.

/// More names than are written by hand, in one pattern and in one file.
pub(super) const MAX_NAMES: usize = 200_000;
/// The most that the names of one pattern may have together, in bytes.
const MAX_BYTES: usize = 32 << 20;
/// The longest name, in bytes; those of hosts have 255 at most.
const LONGEST: usize = 1000;

/// All names of a pattern, in order.
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

/// `1-3,07-12`: the first number of a range gives the width.
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

/// The numbers of an array's range: `1-6`, `1-9:2`, `1,4-6`.
///
/// # Errors
/// What is wrong with the text.
pub(super) fn indices(text: &str) -> Result<Vec<u32>, String> {
    let mut found = Vec::new();
    for range in text.split(',') {
        let wrong = || format!("`{range}` is no range such as 1-6 or 1-9:2");
        let (range_only, step) = range.split_once(':').unwrap_or((range, "1"));
        let (first, last) = range_only.split_once('-').unwrap_or((range_only, range_only));
        let number = |text: &str| text.trim().parse::<u32>().map_err(|_| wrong());
        let (from, to, step) = (number(first)?, number(last)?, number(step)?);
        if step == 0 || to < from || (to - from) as usize >= MAX_NAMES {
            return Err(wrong());
        }
        if found.len() + ((to - from) / step) as usize >= MAX_NAMES {
            return Err(format!("it stands for more than {MAX_NAMES} indices"));
        }
        found.extend((from..=to).step_by(step as usize));
    }
    found.sort_unstable();
    found.dedup();
    Ok(found)
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
    fn indices_have_steps() {
        assert_eq!(indices("1-6").unwrap(), [1, 2, 3, 4, 5, 6]);
        assert_eq!(indices("1-9:4,2").unwrap(), [1, 2, 5, 9]);
        assert!(indices("1-9:0").is_err());
        assert!(indices("x").is_err());
        assert!(indices("1-200000").is_ok());
        assert_eq!(indices("1-200000,1-9").unwrap_err(), "it stands for more than 200000 indices");
    }
}
