//! Parses the indices of an array: `1-6`, `1-9:2`, `1,4-6`.

use qscope_engine::cluster::MAX_NAMES;

/// Parses the indices of an array: `1-6`, `1-9:2`, `1,4-6`.
///
/// # Errors
/// The reason why the text is invalid.
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
    fn indices_have_steps() {
        assert_eq!(indices("1-6").unwrap(), [1, 2, 3, 4, 5, 6]);
        assert_eq!(indices("1-9:4,2").unwrap(), [1, 2, 5, 9]);
        assert!(indices("1-9:0").is_err());
        assert!(indices("x").is_err());
        assert!(indices("1-200000").is_ok());
        assert_eq!(indices("1-200000,1-9").unwrap_err(), "it stands for more than 200000 indices");
    }
}
