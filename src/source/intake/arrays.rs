//! Detects whether a dump names arrays, and whether it lists their subjobs.

/// Whether it contains an array's own id.
pub(super) fn names_array(bytes: &[u8]) -> bool {
    memchr::memmem::find_iter(bytes, b"[]").any(|at| {
        let digit = at.checked_sub(1).and_then(|before| bytes.get(before)).is_some_and(u8::is_ascii_digit);
        digit && matches!(bytes.get(at + 2), None | Some(b'.' | b'"' | b'\n' | b'\r' | b'|'))
    })
}

/// Whether it contains records of subjobs: `Job Id: 12[3]`, or a name in JSON.
pub(super) fn lists_subjobs(head: &[u8]) -> bool {
    memchr::memchr_iter(b'[', head).any(|at| {
        let behind = head.get(at + 1..).unwrap_or_default();
        let index = behind.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let before = head.get(..at).unwrap_or_default();
        let number = before.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
        let start = before.get(..before.len() - number).unwrap_or_default();
        index > 0
            && behind.get(index) == Some(&b']')
            && number > 0
            && (start.ends_with(b"Job Id: ") || start.ends_with(b"\"") || start.ends_with(b"<Job_Id>"))
    })
}

/// Whether the file name implies that subjobs are listed: `jobs-t`, `qstat_tf`, `qstat-f-t`.
pub(super) fn has_subjobs_by_name(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or_default();
    let mut words = stem.split(['-', '_', ' ']).skip(1);
    words.any(|word| matches!(word, "t" | "tf" | "ft"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subjobs_are_seen_by_their_ids_not_by_nodes() {
        assert!(lists_subjobs(b"Job Id: 12[3].head\n"));
        assert!(lists_subjobs(b"{\"Jobs\":{\"12[3].head\":{"));
        assert!(!lists_subjobs(b"Job Id: 12[].head\n    exec_vnode = (n1[0]:ncpus=1)\n"));
        assert!(names_array(b"Job Id: 12[].head\n") && !names_array(b"x = a[]b"));
        assert!(has_subjobs_by_name("jobs-t.txt") && has_subjobs_by_name("qstat_tf.out"));
        assert!(!has_subjobs_by_name("qstat-f.txt") && !has_subjobs_by_name("qstat.txt"));
    }
}
