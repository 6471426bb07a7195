//! Recognizes other content in a file without records.

/// Beginnings of lines, with their origin.
const BEGINNINGS: [(&str, &str); 15] = [
    ("vnode  ", "the table of `pbsnodes -S`"),
    ("Job id  ", "the table of plain `qstat`"),
    ("Job ID  ", "the table of `qstat -a`"),
    ("Queue  ", "the table of `qstat -Q`"),
    ("Server  ", "the table of `qstat -B`"),
    ("Resv ID  ", "the table of `pbs_rstat`"),
    ("Name=", "the form of `-F dsv`"),
    ("qstat: ", "a complaint of the client"),
    ("pbsnodes: ", "a complaint of the client"),
    ("qmgr", "a complaint of the client"),
    ("pbs_rstat: ", "a complaint of the client"),
    ("pbs_iff: ", "a complaint of the client"),
    ("No Permission.", "a complaint of the client"),
    ("Unknown Job Id", "a complaint of the client"),
    ("Connection refused", "a complaint of the client"),
];

/// Returns the origin of a line outside any record, if it is recognized.
pub(super) fn named(line: &[u8]) -> Option<&'static str> {
    if line.starts_with(b"\xff\xfe") || line.starts_with(b"\xfe\xff") {
        return Some("UTF-16, not the bytes that a client prints");
    }
    let found = BEGINNINGS.iter().find(|(start, _)| line.starts_with(start.as_bytes()));
    found.map(|(_, what)| *what)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_refused_client_prints_is_a_complaint() {
        for line in ["No Permission.", "qstat: Unknown Job Id 12.srv", "pbs_iff: cannot connect"] {
            assert_eq!(named(line.as_bytes()), Some("a complaint of the client"), "{line}");
        }
        assert_eq!(named(b"n1"), None);
    }
}
