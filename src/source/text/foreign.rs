//! Recognizes other content in a file without records.

/// Beginnings of lines, with their origin.
const BEGINNINGS: [(&str, &str); 11] = [
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
