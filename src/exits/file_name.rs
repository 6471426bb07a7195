//! File names made of untrusted words.

/// Converts words to a part of a file name: ASCII letters, digits, `.`, `_` and `-` stay, all else becomes `-`. The
/// result begins with neither a dot nor a dash, is not empty, and has at most 100 bytes.
pub fn file_name(words: &str) -> String {
    const LONGEST: usize = 100;
    let plain = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-') { c } else { '-' };
    let name: String = words.chars().map(plain).take(LONGEST).collect();
    let name = name.trim_start_matches(['.', '-']);
    if name.is_empty() { "unnamed".to_owned() } else { name.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_stays_in_its_folder() {
        for (words, name) in [
            ("ttl:3600", "ttl-3600"),
            ("../../etc/passwd", "etc-passwd"),
            ("\u{1b}]0;x\u{7}\n", "0-x--"),
            ("-rf", "rf"),
            ("", "unnamed"),
        ] {
            assert_eq!(file_name(words), name);
        }
        assert_eq!(file_name(&"ü".repeat(300)), "unnamed");
        assert_eq!(file_name(&"x".repeat(300)).len(), 100);
    }
}
