//! Parses the status line of a node's daemon: `k=v` joined by commas, ordered differently in every version (sites
//! 4.1.2).

/// Keys that begin a part; anything else continues the previous value, since messages contain commas.
const KEYS: [&str; 23] = [
    "arch",
    "opsys",
    "uname",
    "sessions",
    "nsessions",
    "nusers",
    "idletime",
    "totmem",
    "availmem",
    "physmem",
    "ncpus",
    "loadave",
    "gres",
    "message",
    "netload",
    "size",
    "state",
    "jobs",
    "varattr",
    "cpuclock",
    "macaddr",
    "version",
    "rectime",
];

/// Returns the parts of a status.
pub(super) fn parts(text: &str) -> Vec<(&str, &str)> {
    let mut starts: Vec<(usize, &str)> = Vec::new();
    let mut at = 0;
    for part in text.split(',') {
        let key = part.trim_start().split('=').next().unwrap_or_default();
        if part.contains('=') && KEYS.contains(&key) {
            starts.push((at, key));
        }
        at += part.len() + 1;
    }
    let ends = starts.iter().skip(1).map(|(at, _)| at - 1).chain([text.len()]);
    let parts = starts.iter().zip(ends).filter_map(|((at, key), end)| {
        let value = text.get(*at..end)?.trim_start().get(key.len() + 1..)?;
        Some((*key, value.trim()))
    });
    parts.collect()
}

pub(super) fn value<'a>(parts: &[(&'a str, &'a str)], key: &str) -> Option<&'a str> {
    parts.iter().rev().find(|(have, _)| *have == key).map(|(_, value)| *value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_keeps_its_commas() {
        let text = "rectime=1772440000,message=ERROR: disk full,check n1,loadave=0.50,physmem=65536kb";
        let parts = parts(text);
        assert_eq!(value(&parts, "message"), Some("ERROR: disk full,check n1"));
        assert_eq!(value(&parts, "loadave"), Some("0.50"));
        assert_eq!(value(&parts, "physmem"), Some("65536kb"));
        assert_eq!(value(&parts, "rectime"), Some("1772440000"));
        assert_eq!(value(&parts, "jobs"), None);
    }

    proptest::proptest! {
        #[test]
        fn any_status_is_read(text in "[a-z=, é]{0,80}") {
            let _read = parts(&text);
        }
    }
}
